"""The short forms of ``python -m bench.attack``."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import attack


def test_documents_are_forgotten_beside_processes_that_search(tmp_path: Path) -> None:
    said: list[str] = []
    assert attack.forget(12, 7, tmp_path, said.append) == 0, said


def test_a_damaged_file_is_mended_or_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "none")
    said: list[str] = []
    assert attack.damage(8, 7, tmp_path, said.append) == 0, said
