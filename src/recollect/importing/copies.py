"""Several files of one session: the fuller one is kept.

A client leaves a stub of a session beside the whole, a second client exports it, a log is cut. What
people and assistants said in a session is never replaced by less of it without a word.
"""

from __future__ import annotations

from collections.abc import Iterator

from recollect.named_tuple import NamedTuple
from recollect.nouns import SPOKEN, Document, Problem
from recollect.ports import StorageEngine
from recollect.writing.documents import Item

BEGIN = 80
"""Characters by which a turn is known: ids differ from client to client."""
ROUGHLY = 0.98
"""The share of the characters from which on two files hold as much: clients cut them differently
into turns."""


class Extent(NamedTuple):
    """How much of a session a file has."""

    path: str
    size: int
    turns: frozenset[str]


class Copies:
    """Knows how much of each session there is, in the store and in what was read before."""

    def __init__(self, store: StorageEngine) -> None:
        self._store = store
        self._read: dict[str, Extent] = {}

    def judged(self, item: Item, where: str) -> Iterator[Item]:
        """Yields an item that was read, and what is to be said of a session that has less than is
        known of it: a part of that is left out, a session that went on otherwise is not."""
        if not isinstance(item, Document) or not item.messages:
            yield item
            return
        new, known = extent(item), self._known(item.id)
        if known and new.size < ROUGHLY * known.size:
            yield (told := _lacking(new, known, where))
            if told.level == "skipped":
                return
        self._read[item.id] = new
        yield item

    def _known(self, id: str) -> Extent | None:
        if id in self._read:
            return self._read[id]
        stored = self._store.get(id)
        return extent(stored[0]) if stored else None


def _lacking(new: Extent, known: Extent, where: str) -> Problem:
    lacks = f"{len(known.turns - new.turns)} of the {len(known.turns)} turns"
    if new.path != known.path:
        told = f"it lacks {lacks} that are stored of this session from {known.path}"
        return Problem(where, f"{told}; those are kept", "skipped")
    if new.turns <= known.turns:
        told = f"it lacks {lacks} that are stored of this session; those are kept"
        return Problem(where, told, "skipped")
    return Problem(where, f"{lacks} that were stored of this session are gone", "warning")


def extent(session: Document) -> Extent:
    spoken = [m.text for m in session.messages if m.role in SPOKEN]
    turns = frozenset(" ".join(text.split())[:BEGIN] for text in spoken)
    return Extent(session.path, sum(map(len, spoken)), turns)
