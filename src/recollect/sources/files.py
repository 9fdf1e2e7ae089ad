"""Folders and files: what is there, and what each file is.

What a ``.gitignore`` or ``.recollectignore`` names is left out. Links are followed, but never
into a folder that is being walked already; anything that is not a regular file is refused. What
cannot be read is yielded as a problem that names the file, and the walk goes on.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from recollect.sources.ignore import Rules
from recollect.types import Problem

JSONL = frozenset({".jsonl", ".ndjson"})
_LEFT_OUT = frozenset(
    {"__pycache__", "node_modules", "venv", "site-packages", "dist", "build", "target"}
)
_MEDIA = frozenset(
    f".{suffix}"
    for suffix in (
        "png jpg jpeg gif webp svg ico bmp tiff heic mp3 mp4 m4a wav ogg flac mov avi mkv webm "
        "doc xls xlsx ppt pptx odt epub zip gz tgz xz bz2 zst 7z tar rar jar whl exe dll "
        "so dylib o a pyc class wasm db sqlite sqlite3 ttf otf woff woff2 npy npz onnx "
        "safetensors parquet lock"
    ).split()
)


class Found(NamedTuple):
    """A regular file, with its path below the folder that was given."""

    place: str
    """Its path, as a text: a walk over thousands of files has no time for more."""
    relative: str
    size: int
    modified: int

    @property
    def path(self) -> Path:
        return Path(self.place)

    @property
    def suffix(self) -> str:
        return os.path.splitext(self.place)[1].lower()

    @property
    def stamp(self) -> str:
        return f"{self.modified}:{self.size}"


class Text(NamedTuple):
    """A file's content, decoded without loss."""

    file: Found
    text: str


def walk(root: Path, leave_out: str = "") -> Iterator[Found | Problem]:
    """The files at *root* in order of their names, or *root* itself if it is a file; what is in
    the folder *leave_out* does not count."""
    try:
        info = os.stat(root)
    except OSError as error:
        yield Problem(str(root), _why(error))
        return
    if stat.S_ISDIR(info.st_mode):
        rules = Rules.at(root)
        yield from rules.problems
        here = frozenset({(info.st_dev, info.st_ino)})
        yield from _folder(str(root), "", here, leave_out, rules)
    else:
        yield _file(str(root), root.name, info)


def _folder(
    folder: str, below: str, above: frozenset[tuple[int, int]], leave_out: str, rules: Rules
) -> Iterator[Found | Problem]:
    """What is in a folder, which is *below* the root (a path that ends in a slash, or nothing)."""
    try:
        entries = sorted(os.scandir(folder), key=lambda e: e.name)
    except OSError as error:
        yield Problem(folder, _why(error))
        return
    rules = rules.child(Path(folder), {entry.name for entry in entries})
    yield from rules.problems
    for entry in entries:
        path = entry.path
        if entry.name.startswith(".") or path == leave_out:
            continue
        try:
            info = entry.stat()
        except OSError as error:
            yield Problem(path, _why(error))
            continue
        is_folder = stat.S_ISDIR(info.st_mode)
        relative = below + entry.name
        if rules.ignores(relative, is_folder):
            continue
        if not is_folder:
            yield _file(path, relative, info)
        elif entry.name not in _LEFT_OUT:
            here = (info.st_dev, info.st_ino)
            if here in above:
                yield Problem(path, "a link to a folder that it is in; not followed")
            else:
                yield from _folder(path, f"{relative}/", above | {here}, leave_out, rules)


def _file(path: str, relative: str, info: os.stat_result) -> Found | Problem:
    try:
        relative.encode()
    except UnicodeEncodeError:
        return Problem(
            os.fsencode(path).decode("utf-8", "backslashreplace"),
            "its name is not UTF-8; rename it, for instance with `convmv`",
        )
    if not stat.S_ISREG(info.st_mode):
        return Problem(path, "not a regular file (a device, pipe or socket); not read")
    return Found(path, relative, info.st_size, info.st_mtime_ns)


def read(found: Found, max_bytes: int, *, named: bool) -> bytes | Problem:
    """The file's content. A medium in a folder is skipped; one that was *named* is a failure."""
    where = found.place
    if found.suffix in _MEDIA and not named:
        return Problem(where, f"{found.path.suffix} files are not imported", "skipped")
    if found.size > max_bytes:
        return Problem(
            where,
            f"{found.size / 1e6:,.0f} MB is over the limit of {max_bytes / 1e6:,.0f} MB "
            "(setting import.max_mb)",
        )
    try:
        return found.path.read_bytes()
    except OSError as error:
        return Problem(where, _why(error))


def _why(error: OSError) -> str:
    return f"cannot be read: {error.strerror or error}"
