"""Folders of an index that are deleted. They are apart because ``shutil`` takes long to load."""

from __future__ import annotations

import shutil
from pathlib import Path


def remove(folder: Path) -> None:
    """Deletes the folder with its content, and ignores what cannot be deleted."""
    shutil.rmtree(folder, ignore_errors=True)
