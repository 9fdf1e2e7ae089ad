"""Where a session came from: the first of the sessions that it forked from, was started by or
goes on from.

A parent may be another session's name, or (where a log only says what it continues) the id of a
message in it; it may not be stored, or lead back to the session itself. All sessions of one
lineage have the same root, whichever of them is asked.
"""

from __future__ import annotations

from recollect.named_tuple import NamedTuple
from recollect.nouns import Document, Filter
from recollect.ports import StorageEngine

FEW = 16
"""Holders of a message that are looked at."""
MOST = 4096
"""Steps towards the root: nobody compacts a conversation more often than this."""


class Root(NamedTuple):
    """The beginning of a lineage."""

    key: str
    """The same for all its sessions."""
    document: Document | None
    """None if it is not stored."""


class Lineages:
    """Looked up once for each session, for as long as a request takes."""

    def __init__(self, store: StorageEngine, filter: Filter) -> None:
        self._store = store
        self._filter = filter
        self._roots: dict[str, Root] = {}
        self._names: dict[str, str] = {}

    def root(self, document: Document) -> Root:
        path: dict[str, Document] = {}
        here = document
        while True:
            if here.id in self._roots:
                root = self._roots[here.id]
                break
            if here.id in path or len(path) == MOST:
                circle = list(path)[list(path).index(here.id) :] if here.id in path else [here.id]
                first = min(circle)
                root = Root(first, path.get(first, here))
                break
            path[here.id] = here
            parent = self._parent(here)
            if isinstance(parent, str):
                root = Root(f"{here.source}\x1f{parent}", None) if parent else Root(here.id, here)
                break
            here = parent
        for id in path:
            self._roots[id] = root
        return root

    def _parent(self, document: Document) -> Document | str:
        """The session above, its name if it is not stored, or nothing."""
        name = document.meta.get("parent")
        if isinstance(name, str) and name:
            found = self._store.get(name, self._filter, body=False)
            near = min(found, key=lambda d: _apart(d, document), default=None)
            return name if near is None else near
        continued = document.meta.get("continues")
        if isinstance(continued, str) and continued:
            for held in self._store.sessions.holders([continued]).get(continued, ())[:FEW]:
                found = self._store.get(held.document, self._filter, body=False)
                if found and held.document != document.id:
                    return found[0]
            return continued
        return ""

    def name(self, document: Document) -> str:
        """What leads back to the session: the id its client gave it, if that is no other's."""
        if document.id not in self._names:
            alone = len(self._store.get(document.external, self._filter, body=False)) == 1
            self._names[document.id] = document.external if alone else document.id
        return self._names[document.id]


def _apart(one: Document, other: Document) -> tuple[bool, bool]:
    """How far from each other two documents were found: those of one log are nearest."""
    return one.source != other.source, one.origin != other.origin
