"""Sources followed: what changes on disk is imported within a second or two.

Files are looked at, not listened to: a walk that stats them costs milliseconds, works on every
file system and misses nothing that happened while nobody was watching.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from threading import Event

from recollect.errors import StoreBusy
from recollect.importing.sources import place_of, places_of
from recollect.named_tuple import NamedTuple
from recollect.nouns import Receipt, SourceStats
from recollect.sources import files


class WatchedPlace(NamedTuple):
    """A place of a source, with the options that it was added with."""

    source: str
    place: Path
    redact: bool | None = None
    history: bool = True


def watched(sources: Sequence[SourceStats]) -> list[WatchedPlace]:
    """Returns the places of all sources that are files or folders on this machine."""
    return [
        WatchedPlace(s.name, place_of(place.uri), place.redact, place.history)
        for s in sources
        if s.uri.startswith("file:") and s.kind in ("folder", "file", "jsonl", "sessions")
        for place in places_of(s)
    ]


def watch(
    places: Sequence[WatchedPlace],
    add: Callable[[WatchedPlace], Receipt],
    tell: Callable[[WatchedPlace, Receipt], None],
    stop: Event,
    every: float = 1.0,
    *,
    follow_links: bool = False,
) -> None:
    """Imports each place now and after each change, until *stop* is set."""
    before: dict[WatchedPlace, int] = {}
    while not stop.is_set():
        for one in places:
            state = _state(one.place, follow_links)
            if before.get(one) == state:
                continue
            try:
                receipt = add(one)
            except StoreBusy:  # another import is running; the next round comes back to it
                continue
            before[one] = state
            if receipt.added or receipt.changed or receipt.failed or receipt.missing:
                tell(one, receipt)
        stop.wait(every)


def _state(place: Path, follow: bool) -> int:
    """Returns a number that changes when a file, a database's write-ahead log or the HEAD of a
    repository changes."""
    beside = (place.with_name(f"{place.name}-wal"), place / ".git" / "logs" / "HEAD")
    walks = (files.walk(root, follow_links=follow) for root in (place, *beside))
    folders = chain.from_iterable(walks)
    return hash(tuple(chain.from_iterable(folder.files for folder in folders)))
