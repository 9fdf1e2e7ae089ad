"""SHA-256 of model files: computed, remembered, compared."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path

from recollect.errors import ModelError

_MEMO = ".recollect-hashes.json"
"""In a model's folder: the hashes of its files, by their size and mtime."""


def sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_right(path: Path, wanted: str) -> bool:
    return path.is_file() and sha256(path) == wanted


def check(path: Path, wanted: str, name: str = "a file") -> None:
    """Raises ModelError when the file has another hash."""
    found = sha256(path)
    if found != wanted:
        raise ModelError(
            f"{name} is not the file it should be: SHA-256 {found}, wanted {wanted}",
            hint="the file was refused; `recollect models fetch` gets it again",
        )


def remembered(folder: Path, name: str) -> str:
    """Returns the hash of a file in the folder, and computes it only where the file has changed."""
    stat = (folder / name).stat()
    stamp = f"{stat.st_size}:{stat.st_mtime_ns}"
    memo = folder / _MEMO
    hashes = {}
    with suppress(OSError, ValueError):
        hashes = json.loads(memo.read_text())
    if hashes.get(name, ["", ""])[0] != stamp:
        hashes[name] = [stamp, sha256(folder / name)]
        with suppress(OSError):  # a folder that is read-only is hashed each time
            memo.write_text(json.dumps(hashes))
    return str(hashes[name][1])
