"""Reads and writes the manifest of an exported tree, which names the page of each file and what
the store and the file last agreed on.

The manifest lies in the folder and may come with it from elsewhere, so it is not trusted: a path
that leads out of the folder is refused. Before an export writes files it notes their hashes: files
that it wrote before it was cut off are then known as its own.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from recollect.errors import InputError
from recollect.named_tuple import NamedTuple
from recollect.nouns import LOCAL, hashed
from recollect.sources.files import MANIFEST
from recollect.tree import INDEX, path_key
from recollect.tree.edits import Base

FORMAT, VERSION = "recollect-tree", 1
_UNFINISHED = ".tmp"


class ManifestEntry(NamedTuple):
    """A file of a page."""

    page: str
    hash: str
    """The hash of its content when file and store agreed; empty while they do not."""
    base: Base


class Manifest(NamedTuple):
    owner: str
    files: Mapping[str, ManifestEntry]
    """By their paths below the folder."""
    indexes: Mapping[str, str]
    """Hashes of the lists of pages, by their paths."""
    moved: Mapping[str, str] = {}
    """Pages by the paths that their files had before they were moved: links that were not written
    since still name those paths."""

    @classmethod
    def empty(cls, owner: str = LOCAL) -> Manifest:
        return cls(owner, {}, {})


def content_hash(raw: bytes) -> str:
    return hashed(raw, 16).hex()


def tree_of(place: Path) -> Path | None:
    """Returns the exported tree that a file or folder is, or is in."""
    above = (place, *place.parents)
    return next((folder for folder in above if os.path.lexists(folder / MANIFEST)), None)


def load(folder: Path) -> Manifest | None:
    """Returns the manifest of the tree in a folder, if there is one."""
    path = folder / MANIFEST
    try:
        told = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    try:
        return _settled(folder, _read(told), told.get("coming"))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"{path}: not a manifest of an exported tree ({error})",
            hint="export the tree again, into an empty folder",
        ) from error


def _read(told: Any) -> Manifest:
    if told["format"] != FORMAT:
        raise ValueError("it has another format")
    if told["version"] > VERSION:
        raise ValueError(f"it is of version {told['version']}, which is newer than this program")
    return Manifest(str(told["owner"]), *_content(told), _texts(told["moved"]))


def _content(told: Any) -> tuple[dict[str, ManifestEntry], dict[str, str]]:
    """Returns the entries of pages, and the hashes of indexes, by path."""
    files = {
        _inside(path): ManifestEntry(
            str(e["page"]), str(e["hash"]), Base(_texts(e["fields"]), _texts(e["facts"]))
        )
        for path, e in told["files"].items()
    }
    return files, {_inside(path): hash for path, hash in _texts(told["indexes"]).items()}


def _settled(folder: Path, manifest: Manifest, coming: Any) -> Manifest:
    """Takes over what an export that was cut off has written of what it was about to write."""
    if coming is None:
        return manifest
    files, indexes = _content(coming)
    wrote = {path: entry for path, entry in files.items() if _is(folder / path, entry.hash)}
    listed = {path: hash for path, hash in indexes.items() if _is(folder / path, hash)}
    return manifest._replace(
        files={**manifest.files, **wrote}, indexes={**manifest.indexes, **listed}
    )


def _is(path: Path, hash: str) -> bool:
    return path.is_file() and content_hash(path.read_bytes()) == hash


def _texts(told: Any) -> dict[str, str]:
    return {str(key): str(value) for key, value in told.items()}


def _inside(path: str) -> str:
    parts = path.split("/")
    hidden = any(part in ("", ".", "..") or part[0] == "." for part in parts)
    if hidden or "\\" in path or ":" in path or not path.endswith(".md"):
        raise ValueError(f"{path!r} is no file of a tree")
    return path


def save(folder: Path, manifest: Manifest, coming: Manifest | None = None) -> None:
    """Writes the manifest, if it changed, and what is *coming*: files that are about to be written.
    The same tree gives the same bytes."""
    told = {
        "format": FORMAT,
        "version": VERSION,
        "owner": manifest.owner,
        **_told(manifest),
        "moved": dict(sorted(manifest.moved.items())),
        **({"coming": _told(coming)} if coming else {}),
    }
    raw = (json.dumps(told, ensure_ascii=False, indent=1) + "\n").encode()
    path = folder / MANIFEST
    if not path.exists() or path.read_bytes() != raw:
        replace(path, raw)


def _told(manifest: Manifest) -> dict[str, Any]:
    files = {
        path: {
            "page": e.page,
            "hash": e.hash,
            "fields": dict(e.base.fields),
            "facts": dict(e.base.facts),
        }
        for path, e in sorted(manifest.files.items())
    }
    return {"files": files, "indexes": dict(sorted(manifest.indexes.items()))}


def replace(path: Path, raw: bytes) -> None:
    """Replaces a file in one step: a reader sees the old content or the new one."""
    beside = path.with_name(f".{path.name[:60]}.{os.getpid()}{_UNFINISHED}")
    try:
        beside.write_bytes(raw)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def is_whole(path: Path) -> bool:
    """Tells whether it is no file whose writing was cut off."""
    return not (path.name.startswith(".") and path.name.endswith(_UNFINISHED))


def pages_in(folder: Path) -> Iterator[str]:
    """Yields the paths of the Markdown files of a tree, in order, without hidden ones and without
    indexes. Symbolic links are not followed."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        below = Path(place).relative_to(folder)
        for name in sorted(names, key=path_key):
            if name.lower().endswith(".md") and name[0] != "." and name != INDEX:
                yield (below / name).as_posix()
