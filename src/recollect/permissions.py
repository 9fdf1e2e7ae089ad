"""Files and folders that only their owner may read: 0700 and 0600, whatever the umask says."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

FOLDER, FILE = 0o700, 0o600


def folder(path: Path) -> Path:
    """Make the folder, and those above it that are missing."""
    if not path.is_dir():
        with suppress(FileExistsError):
            if path.parent != path:
                folder(path.parent)
            path.mkdir(mode=FOLDER)
        path.stat()
        if not path.is_dir():
            raise NotADirectoryError(20, "there is a file of that name", str(path))
    return path


def store_folder(path: Path) -> None:
    """Make the folder of a store; one that is there and empty is closed to others."""
    folder(path)
    with suppress(PermissionError):  # it is another user's
        if not any(path.iterdir()):
            path.chmod(FOLDER)


def touch(path: Path) -> None:
    """Have an empty file there, unless there is one: what others make of it keeps its mode."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE))


def opener(path: str, flags: int) -> int:
    """For ``open(…, opener=private.opener)``."""
    return os.open(path, flags, FILE)


def write(path: Path, content: str) -> None:
    """The whole file, or nothing of it; the old one stays whole until the new one is on the disk:
    without the sync, the power may fail between a new name and what is in the file."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with open(fresh, "w", encoding="utf-8", opener=opener) as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        os.replace(fresh, path)
        sync(path.parent)
    finally:
        fresh.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Have it on the disk: a file's content, a folder's names."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def close_to_others(place: Path) -> list[Path]:
    """Take what others may do from everything in a folder and from itself; what was changed."""
    changed = []
    for path in exposed(place):
        with suppress(FileNotFoundError):
            os.chmod(path, FOLDER if path.is_dir() else FILE)
            changed.append(path)
    return changed


def exposed(place: Path) -> list[Path]:
    """The folder and all in it that others may read or write. Links are not followed."""
    found = []
    for path in _below(place):
        with suppress(OSError):
            about = path.lstat()
            if not path.is_symlink() and about.st_mode & 0o077:
                found.append(path)
    return found


def _below(place: Path) -> list[Path]:
    paths = [place]
    for root, folders, names in os.walk(place):
        paths += [Path(root, name) for name in (*folders, *names)]
    return paths
