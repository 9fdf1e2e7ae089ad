"""Where a session came from: the first of the sessions that it forked from, was started by or
goes on from.

A parent may be another session's name, or (where a log only says what it continues) the id of a
message in it; it may not be stored, or lead back to the session itself. All sessions of one
lineage have the same root, whichever of them is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, dropwhile, takewhile

from recollect.named_tuple import NamedTuple
from recollect.nouns import Document, Filter, by_id, without
from recollect.ports import Spot, StorageEngine

FEW = 16
"""Holders of a message that are looked at."""
MOST = 4096
"""Steps towards the root: nobody compacts a conversation more often than this."""
LOOKED = 2_000
"""Sessions of a source among which those that came of one are looked for, the newest."""


class Root(NamedTuple):
    """The beginning of a lineage."""

    key: str
    """The same for all its sessions."""
    document: Document | None
    """None if it is not stored."""


class Family(NamedTuple):
    """The sessions among which a lineage is."""

    first: str
    """The id of the session that it begins with, as far as it is stored."""
    sessions: Mapping[str, Document]
    parents: Mapping[str, str]
    """The id of the session that another one came from, by the id of that one."""


class Lineages:
    """Looked up once for each session, for as long as a request takes."""

    def __init__(self, store: StorageEngine, filter: Filter) -> None:
        self._store = store
        self._filter = filter
        self._roots: dict[str, Root] = {}
        self._parents: dict[str, Document | str] = {}
        self._holders: dict[str, list[Spot]] = {}
        self._names: dict[str, str] = {}

    def root(self, document: Document) -> Root:
        """Returns the beginning of the lineage of a session."""
        if document.id not in self._roots:
            new = takewhile(lambda one: one.id not in self._roots, self._ancestors(document))
            path = by_id(new)
            self._roots |= dict.fromkeys(path, self._top(path))
        return self._roots[document.id]

    def _top(self, path: dict[str, Document]) -> Root:
        """Returns the root that a way up leads to."""
        last = list(path.values())[-1]
        above = self._parent(last)
        if isinstance(above, str):
            return Root(f"{last.source}\x1f{above}", None) if above else Root(last.id, last)
        if above.id in self._roots:
            return self._roots[above.id]
        circle = dropwhile(lambda id: id != above.id, path)
        first = min(circle, default=above.id)
        return Root(first, path.get(first, above))

    def _ancestors(self, document: Document) -> Iterator[Document]:
        """Yields a session, the one that it came from, and so on, each once."""
        met: set[str] = set()
        here: Document | str = document
        while isinstance(here, Document) and here.id not in met and len(met) < MOST:
            met.add(here.id)
            yield here
            here = self._parent(here)

    def family(self, session: Document) -> Family:
        """Returns the sessions that it came from and the newest of its source, with what each of
        them came from."""
        source = self._filter._replace(kinds=("session",), sources=(session.source,))
        among = self._store.scan(source, limit=LOOKED, dated=True).items
        path = list(self._ancestors(session))
        sessions = by_id((*among, *path))
        self._look_up_holders(map(_continued, sessions.values()))
        above = {id: self._parent(one) for id, one in sessions.items()}
        parents = {id: one.id for id, one in above.items() if isinstance(one, Document)}
        first = path[-1].id
        return Family(first, sessions, without(parents, (first,)))

    def _parent(self, document: Document) -> Document | str:
        """The session above, its name if it is not stored, or nothing."""
        if document.id not in self._parents:
            self._parents[document.id] = self._named(document) or self._holding(document)
        return self._parents[document.id]

    def _named(self, document: Document) -> Document | str:
        """The session that it says it came from, or its name."""
        name = _text(document, "parent")
        found = self._store.get(name, self._filter, body=False) if name else ()
        return min(found, key=lambda one: _apart(one, document), default=name)

    def _holding(self, document: Document) -> Document | str:
        """The session with the message that it goes on from, or the id of the message."""
        message = _continued(document)
        self._look_up_holders([message])
        spots = self._holders.get(message, ())
        others = [spot.document for spot in spots if spot.document != document.id]
        found = (self._store.get(id, self._filter, body=False) for id in others[:FEW])
        return next(chain.from_iterable(found), message)

    def _look_up_holders(self, messages: Iterable[str]) -> None:
        new = [one for one in dict.fromkeys(messages) if one and one not in self._holders]
        found = self._store.sessions.holders(new) if new else {}
        self._holders |= {one: found.get(one, []) for one in new}

    def name(self, document: Document) -> str:
        """What leads back to the session: the id its client gave it, if that is no other's."""
        if document.id not in self._names:
            alone = len(self._store.get(document.external, self._filter, body=False)) == 1
            self._names[document.id] = document.external if alone else document.id
        return self._names[document.id]


def _text(document: Document, field: str) -> str:
    value = document.meta.get(field)
    return value if isinstance(value, str) else ""


def _continued(document: Document) -> str:
    """The id of the message that a session goes on from."""
    return _text(document, "continues")


def _apart(one: Document, other: Document) -> tuple[bool, bool]:
    """How far from each other two documents were found: those of one log are nearest."""
    return one.source != other.source, one.origin != other.origin
