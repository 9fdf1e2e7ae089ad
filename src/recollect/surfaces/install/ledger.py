"""What installing has added, in the words in which it was added, so that exactly that can go again.

One small JSON file beside the store. Lost, it costs only the exactness: an entry is then taken out
by its place, and what it was put into stays, empty or not.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from recollect import config as settings
from recollect import permissions
from recollect.named_tuple import NamedTuple
from recollect.nouns import dict_list


class Splice(NamedTuple):
    """One splice."""

    tag: str
    """Whose it is: ``codex server``."""
    text: str
    path: tuple[str | int, ...]
    kept: int
    """How many keys of the path were there before."""


class FileRecord(NamedTuple):
    """The record of one file."""

    created: bool = False
    folders: tuple[str, ...] = ()
    """The folders that were made for it."""
    added: tuple[Splice, ...] = ()
    """In the order in which they went in."""

    def tagged(self, tag: str) -> tuple[Splice, ...]:
        return tuple(a for a in self.added if a.tag == tag)

    def without(self, tag: str) -> FileRecord:
        return self._replace(added=tuple(a for a in self.added if a.tag != tag))


def place() -> Path:
    return settings.data_folder() / "installed.json"


def load() -> dict[str, FileRecord]:
    try:
        known = json.loads(place().read_text(encoding="utf-8"))
        return {path: _filed(about) for path, about in known["files"].items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def _filed(about: dict[str, Any]) -> FileRecord:
    added = (Splice(a["tag"], a["text"], tuple(a["path"]), a["kept"]) for a in about["added"])
    return FileRecord(bool(about["created"]), tuple(about["folders"]), tuple(added))


def save(path: Path, filed: FileRecord) -> None:
    """Keeps the record of a file; one in which nothing is added any more is dropped."""
    known = {**load(), str(path): filed}
    content = {
        name: {**one._asdict(), "added": dict_list(one.added)}
        for name, one in known.items()
        if one.added
    }
    file = place()
    permissions.folder(file.parent)
    permissions.write(file, json.dumps({"files": content}, indent=1))
