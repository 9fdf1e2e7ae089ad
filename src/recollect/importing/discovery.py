"""What could be imported from this machine, found without reading it: the session logs that clients
keep, and the notes of a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from recollect.named_tuple import NamedTuple
from recollect.sources import files
from recollect.sources.sessions import formats

_NOTES = frozenset({".md", ".markdown", ".mdx", ".txt", ".org", ".adoc", ".rst"})
_OBSIDIAN = (".config", "Library/Application Support")
_NAMED = (
    "notes",
    "Notes",
    "vault",
    "Documents/notes",
    "Documents/Notes",
    "Documents/Obsidian Vault",
)
_FOLDERS = 500
"""So many are looked into: this is to tell whether it is worth asking, not to count."""


class Logs(NamedTuple):
    """The place where a client keeps its sessions, and how many files are there."""

    format: str
    label: str
    place: Path
    files: int
    megabytes: float


def found_logs() -> Iterator[Logs]:
    for form in formats():
        for home in form.homes():
            places = [home] if home.is_file() else home.glob(form.pattern)
            sizes = [place.stat().st_size for place in places if place.is_file()]
            if sizes:
                yield Logs(form.name, form.label, home, len(sizes), sum(sizes) / 1e6)


def note_folders() -> Iterator[Path]:
    """Yields folders that may hold notes, likeliest first: this one, the vaults that Obsidian
    knows, and those that people name so."""
    yield Path.cwd()
    for home in _OBSIDIAN:
        with suppress(OSError, ValueError, AttributeError, TypeError):
            known = json.loads((Path.home() / home / "obsidian/obsidian.json").read_bytes())
            yield from (Path(vault["path"]) for vault in known["vaults"].values())
    yield from (Path.home() / name for name in _NAMED)


def found_notes(folder: Path) -> Logs | None:
    """Returns the notes in a folder and below it; None if there are none, and for a home folder or
    a whole disk."""
    if folder in (Path.home(), Path(folder.anchor)) or not folder.is_dir():
        return None
    sizes = [
        file.size
        for some in islice(files.walk(folder), _FOLDERS)
        for file in some.files
        if file.suffix in _NOTES
    ]
    return Logs("notes", "notes", folder, len(sizes), sum(sizes) / 1e6) if sizes else None
