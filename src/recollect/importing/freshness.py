"""How the sources on this machine stand: whether they are there, and as they were imported."""

from __future__ import annotations

import re
import time
from itertools import islice
from pathlib import Path

from recollect.arguments import is_there
from recollect.importing.options import IMPORT_VERSION
from recollect.importing.sources import origin_of
from recollect.importing.watcher import watched
from recollect.named_tuple import NamedTuple
from recollect.nouns import GONE, SourceStats, by_name
from recollect.ports import DocumentStamp, StorageEngine
from recollect.sources.files import walk

FOLDERS = 1000
"""Folders of a place that are looked into: this is to tell, not to import."""


class SourceState(NamedTuple):
    source: str
    place: Path
    gone: bool = False
    missing: int = 0
    """Documents that were imported and are not there any more."""
    changed: int = 0
    """Files that were imported and have changed since."""
    days: float = 0.0
    """Since the first of those changed."""
    older: int = 0
    """Documents that were imported by an older reader."""


def source_states(store: StorageEngine) -> list[SourceState]:
    sources = store.stats().sources
    named = by_name(sources)
    return [_state(store, named[one.source], one.place) for one in watched(sources)]


def _state(store: StorageEngine, about: SourceStats, place: Path) -> SourceState:
    source = about.name
    if not place.exists():
        return SourceState(source, place, gone=True)
    origin = origin_of(about, place.as_uri())
    known = [one for one in store.admin.stamps(source) if one.origin == origin]
    missing = sum(_is_missing(one, place if place.is_dir() else place.parent) for one in known)
    stamps: dict[str, set[str]] = {}
    for one in known:
        stamps.setdefault(one.path, set()).add(one.stamp)
    changed = [
        file.modified
        for folder in islice(walk(place), FOLDERS)
        for file in folder.files
        if file.relative in stamps
        and not any(stamp.startswith(file.stamp) for stamp in stamps[file.relative])
    ]
    days = (time.time() - min(changed) / 1e9) / 86400 if changed else 0.0
    older = sum(_is_older(one) for one in known)
    return SourceState(source, place, False, missing, len(changed), max(0.0, days), older)


def _is_older(one: DocumentStamp) -> bool:
    """Tells whether the stamp of a file's document ends with another version of the readers."""
    made = re.search(r"\d:(\d+)(?::raw)?(?::thoughts)?$", one.stamp.removesuffix(GONE))
    return made is not None and int(made[1]) != IMPORT_VERSION


def _is_missing(one: DocumentStamp, folder: Path) -> bool:
    """Tells whether a document is marked as gone, or its file is not there. A line of JSONL has no
    file of its own."""
    of_file = one.stamp and not one.stamp.startswith("file:")
    return one.gone or bool(of_file and not is_there(folder / one.path))
