"""Folders and files: what is there, and what each file is.

What a ``.gitignore`` or ``.recollectignore`` names is left out, and so is what is hidden, but for
the folders inside in which tools keep memories and sessions. A folder that is named itself is
walked, hidden or not. Links are followed inside the root (:mod:`recollect.sources.bounds`), but
never into a folder that is being walked already; anything that is not a regular file is refused.
What cannot be read is yielded as a problem that names the file, and the walk goes on.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import IO

from recollect.errors import os_reason
from recollect.named_tuple import NamedTuple
from recollect.nouns import Problem
from recollect.sources.bounds import Bounds
from recollect.sources.ignore import IgnoreRules

MANIFEST = ".recollect-tree.json"
"""What a context tree that was exported is known by."""
JSONL = frozenset({".jsonl", ".ndjson"})
_LEFT_OUT = frozenset(
    {"__pycache__", "node_modules", "venv", "site-packages", "dist", "build", "target"}
)
_HIDDEN = {
    ".brv": frozenset({"context-tree"}),
    ".claude": frozenset({"agent-memory", "agent-memory-local", "memory", "projects"}),
    ".specstory": frozenset({"history"}),
}
"""Hidden folders that are entered all the same, and what of them: memories and sessions."""
_MAX_SIDECAR = 1_000_000
_MEDIA = frozenset(
    f".{suffix}"
    for suffix in (
        "png jpg jpeg gif webp svg ico bmp tiff heic mp3 mp4 m4a wav ogg flac mov avi mkv webm "
        "doc xls xlsx ppt pptx odt epub zip gz tgz xz bz2 zst 7z tar rar jar whl exe dll "
        "so dylib o a pyc class wasm db sqlite sqlite3 ttf otf woff woff2 npy npz onnx "
        "safetensors parquet lock"
    ).split()
)


class FoundFile(NamedTuple):
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


class FileText(NamedTuple):
    """A file's content, decoded without loss."""

    file: FoundFile
    text: str


class SourceFolder(NamedTuple):
    """The files of one folder, sorted by name, and the problems of walking it."""

    place: str
    files: list[FoundFile]
    problems: list[Problem]
    is_tree: bool = False
    """Whether it is a context tree that was exported: what is in it is not walked."""


class _Ahead(NamedTuple):
    """A folder that the walk has not entered yet."""

    place: str
    below: str
    """Its path below the root, which ends in a slash, or nothing."""
    above: frozenset[tuple[int, int]]
    """The folders that it is in, and itself."""
    rules: IgnoreRules
    only: frozenset[str] | None = None
    """The names of what counts in it, if not all does."""


def walk(root: Path, leave_out: str = "", *, follow_links: bool = False) -> Iterator[SourceFolder]:
    """Yields the folder *root* and the folders below it, or *root* alone if it is a file; skips the
    folder *leave_out*. Links that lead out of *root* count only if *follow_links*."""
    try:
        info = os.stat(root)
    except OSError as error:
        yield SourceFolder(str(root.parent), [], [Problem(str(root), why(error))])
        return
    bounds = Bounds.at(root, follow=follow_links)
    if said := bounds.refusal(str(root), info, is_link=False):
        yield SourceFolder(str(root.parent), [], [Problem(str(root), said)])
        return
    if not stat.S_ISDIR(info.st_mode):
        folder = SourceFolder(str(root.parent), [], [])
        _take(folder, str(root), root.name, info)
        yield folder
        return
    rules = IgnoreRules.at(root)
    if rules.problems:
        yield SourceFolder(str(root), [], list(rules.problems))
    ahead = [_Ahead(str(root), "", frozenset({(info.st_dev, info.st_ino)}), rules)]
    while ahead:
        folder, inner = _folder(ahead.pop(), bounds, leave_out)
        yield folder
        ahead += reversed(inner)


def _folder(one: _Ahead, bounds: Bounds, leave_out: str) -> tuple[SourceFolder, list[_Ahead]]:
    """Returns the content of a folder, and the folders that the walk enters next."""
    folder, inner = SourceFolder(one.place, [], []), list[_Ahead]()
    try:
        entries = sorted(os.scandir(one.place), key=attrgetter("name"))
    except OSError as error:
        folder.problems.append(Problem(one.place, why(error)))
        return folder, inner
    names = [entry.name for entry in entries]
    if MANIFEST in names:
        return folder._replace(is_tree=True), inner
    rules = one.rules.child(one.place, names)
    folder.problems.extend(rules.problems)
    if one.only is not None:
        entries = [entry for entry in entries if entry.name in one.only]
    below, spoken_of = one.below, rules.names.match if rules.names else None
    for entry in entries:
        name = entry.name
        path = entry.path
        if (name[0] == "." and not _is_entered(entry)) or path == leave_out:
            continue
        try:
            info = entry.stat()
        except OSError as error:
            folder.problems.append(Problem(path, why(error)))
            continue
        mode, relative = info.st_mode, below + name
        is_folder = stat.S_ISDIR(mode)
        if (
            spoken_of is not None
            and (spoken_of(name) or not name.isascii())
            and rules.ignores(relative, is_folder)
        ):
            continue
        is_link = entry.is_symlink()
        if (is_link or is_folder) and (said := bounds.refusal(path, info, is_link=is_link)):
            folder.problems.append(Problem(path, said, "skipped"))
        elif stat.S_ISREG(mode) and relative.isascii():
            folder.files.append(FoundFile(path, relative, info.st_size, info.st_mtime_ns))
        elif not is_folder:
            _take(folder, path, relative, info)
        elif name not in _LEFT_OUT:
            here = (info.st_dev, info.st_ino)
            if here in one.above:
                said = "a link to a folder that it is in; not followed"
                folder.problems.append(Problem(path, said))
            else:
                above, only = one.above | {here}, _HIDDEN.get(name)
                inner.append(_Ahead(path, f"{relative}/", above, rules, only))
    return folder, inner


def _is_entered(hidden: os.DirEntry[str]) -> bool:
    return hidden.name in _HIDDEN and hidden.is_dir()


def _take(folder: SourceFolder, path: str, relative: str, info: os.stat_result) -> None:
    """Adds a file to the folder, or the problem that it has."""
    if not _is_utf8(relative):
        where = os.fsencode(path).decode("utf-8", "backslashreplace")
        said = "its name is not UTF-8; rename it, for instance with `convmv`"
        folder.problems.append(Problem(where, said))
    elif not stat.S_ISREG(info.st_mode):
        said = "not a regular file (a device, pipe or socket); not read"
        folder.problems.append(Problem(path, said))
    else:
        folder.files.append(FoundFile(path, relative, info.st_size, info.st_mtime_ns))


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def head(path: Path, size: int = 1 << 16) -> bytes:
    """Returns the first bytes of a file; none of one that cannot be read."""
    try:
        with open(path, "rb") as stream:
            return stream.read(size)
    except OSError:
        return b""


def read(found: FoundFile, max_bytes: int, *, named: bool) -> bytes | Problem:
    """Returns the file's content. A media file is skipped; one that the caller *named* is a
    failure."""
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
        return Problem(where, why(error))


def sidecar(path: Path) -> bytes:
    """Returns the content of a small file that belongs to another one. The walk has not seen it,
    so a link is not read."""
    if path.is_symlink() or path.stat().st_size > _MAX_SIDECAR:
        raise OSError(f"a link, or of more than {_MAX_SIDECAR:,} bytes")
    return path.read_bytes()


def numbered_lines(stream: IO[bytes], most: int) -> Iterator[tuple[int, bytes | None]]:
    """Yields the lines of a file with their numbers; None for a line of more bytes than *most*,
    which is not kept in memory."""
    for number, line in enumerate(iter(partial(stream.readline, most), b""), 1):
        whole = line
        while len(line) == most and not line.endswith(b"\n"):
            line = stream.readline(most)
        yield number, whole if line is whole else None


def why(error: OSError) -> str:
    return f"cannot be read: {os_reason(error)}"
