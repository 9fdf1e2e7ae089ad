"""How the sources on this machine stand: whether they are there, and as they were imported."""

from __future__ import annotations

import time
from itertools import islice
from pathlib import Path

from recollect.importing.watcher import watched
from recollect.named_tuple import NamedTuple
from recollect.ports import StorageEngine
from recollect.sources.files import walk

FOLDERS = 1000
"""Folders of a place that are looked into: this is to tell, not to import."""


class SourceState(NamedTuple):
    source: str
    place: Path
    gone: bool = False
    changed: int = 0
    """Files that were imported and have changed since."""
    days: float = 0.0
    """Since the first of those changed."""


def source_states(store: StorageEngine) -> list[SourceState]:
    return [_state(store, one.source, one.place) for one in watched(store.stats().sources)]


def _state(store: StorageEngine, source: str, place: Path) -> SourceState:
    if not place.exists():
        return SourceState(source, place, gone=True)
    stamps: dict[str, set[str]] = {}
    for known in store.admin.stamps(source):
        stamps.setdefault(known.path, set()).add(known.stamp)
    changed = [
        file.modified
        for folder in islice(walk(place), FOLDERS)
        for file in folder.files
        if file.relative in stamps
        and not any(stamp.startswith(file.stamp) for stamp in stamps[file.relative])
    ]
    days = (time.time() - min(changed) / 1e9) / 86400 if changed else 0.0
    return SourceState(source, place, changed=len(changed), days=max(0.0, days))
