"""A store behind a wall: the one place where it stands.

What lies outside a :class:`View` is not there for whoever has such a store: nothing finds, names,
counts, weighs, changes or collides with it. Filters carry the wall into the engine
(``Filter.within``); what takes no filter is checked here, document by document.

A name that something outside has already is free inside. What is then written under it is kept
under another origin, and this store translates: inside, everything has the name that it was given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain

from recollect import ports
from recollect.errors import NotFound, StoreChanged, UsageError
from recollect.facts import KIND as FACT
from recollect.nouns import (
    Change,
    ChangeSet,
    Document,
    DropAnswers,
    Event,
    Expect,
    Filter,
    Forget,
    Page,
    Put,
    Receipt,
    Recorded,
    Register,
    Remove,
    Source,
    StoredPassage,
    StoreStats,
    TextQuery,
    View,
    by_name,
    filled,
    of_type,
)
from recollect.ports import (
    EVERYTHING,
    CheckReport,
    DocumentStamp,
    DumpEntry,
    HandleMatch,
    History,
    Item,
    LoadReport,
    Outline,
    ReplicaLag,
    Spot,
    StorageEngine,
    TextResult,
    Tombstone,
    Turn,
    VectorResult,
    WholeDocument,
)
from recollect.storage.content import passage_number

_APART = "\x1f"
"""Stands before what tells the origin of something apart whose name was taken outside."""
_MANY = 1_000_000
_NO_KEY = -1
"""The key of no passage."""


def _shown(document: Document) -> Document:
    """Returns a document under the name that it was given."""
    return document._replace(origin=document.origin.partition(_APART)[0])


class WalledStore(StorageEngine):
    """A store as a view sees it."""

    def __init__(self, engine: StorageEngine, view: View) -> None:
        self._engine = engine
        self.view = view
        self._names = _Names(engine, view)

    @property
    def sessions(self) -> WalledSessions:
        return WalledSessions(self._engine, self._names)

    @property
    def answers(self) -> WalledAnswers:
        return WalledAnswers(self._engine, self.view)

    @property
    def admin(self) -> WalledAdmin:
        return WalledAdmin(self._engine, self._names)

    def close(self) -> None:
        self._engine.close()

    def _walled(self, filter: Filter) -> Filter:
        return filter._replace(within=self.view)

    # -------------------------------------------------------------- the record

    def apply(self, changes: ChangeSet, *, dry_run: bool = False) -> Receipt:
        inside = _Changes(self._engine, self._names, changes)
        return self._engine.apply(ChangeSet(tuple(inside)), dry_run=dry_run)

    def get(self, name: str, filter: Filter = EVERYTHING, *, body: bool = True) -> list[Document]:
        real = self._names.real(name)
        found = self._engine.get(real or name, self._walled(filter), body=body)
        return list(map(_shown, found))

    def by_handle(self, handles: Collection[str]) -> list[HandleMatch]:
        found = self._engine.by_handle(handles)
        return [
            one._replace(document=_shown(one.document))
            for one in found
            if self._names.sees(one.document)
        ]

    def scan(self, filter: Filter, *, limit: int, cursor: str = "", dated: bool = False) -> Page:
        if cursor:
            real = self._names.real(cursor.removeprefix("@"))
            if real is None or not cursor.startswith("@"):
                raise UsageError(
                    f"{cursor!r} is not a cursor", hint="use the one of the page before"
                )
            cursor = f"@{real}"
        found = self._engine.scan(self._walled(filter), limit=limit, cursor=cursor, dated=dated)
        items = tuple(map(_shown, found.items))
        return Page(items, f"@{items[-1].id}" if found.cursor else "")

    def passages(
        self, names: Sequence[int | str], *, before: int = 0, after: int = 0
    ) -> list[StoredPassage]:
        wanted = [name if isinstance(name, int) else self._passage(name) for name in names]
        found = self._engine.passages(wanted, before=before, after=after)
        return [
            one._replace(
                id=f"{_shown(one.document).id}:{one.passage.n}", document=_shown(one.document)
            )
            for one in found
            if self._names.sees(one.document)
        ]

    def _passage(self, name: str) -> str:
        document, n = passage_number(name)
        return f"{self._names.real(document)}:{n}"

    def history(self, id: str) -> list[Event]:
        """Returns what happened to a document that is in sight. Of one that was forgotten nobody
        can tell any more on which side it was."""
        real = self._names.real(id)
        events = self._engine.history(real) if real else []
        return [event._replace(seq=n, id=id) for n, event in enumerate(events, 1)]

    def stats(self, filter: Filter = EVERYTHING) -> StoreStats:
        return self._engine.stats(self._walled(filter))

    def fingerprint(self, filter: Filter) -> str:
        return self._engine.fingerprint(self._walled(filter))

    # -------------------------------------------------------------- searching

    def search_text(
        self, queries: Sequence[TextQuery], filter: Filter, *, limit: int, count: bool = False
    ) -> list[TextResult]:
        return self._engine.search_text(queries, self._walled(filter), limit=limit, count=count)

    def matched(
        self, words: Sequence[str], keys: Sequence[int], filter: Filter = EVERYTHING
    ) -> dict[int, set[str]]:
        return self._engine.matched(words, keys, self._walled(filter))

    def search_vector(
        self, model: str, near: ports.Vector | int, filter: Filter, *, limit: int
    ) -> VectorResult:
        if isinstance(near, int) and not self.passages([near]):
            near = _NO_KEY
        return self._engine.search_vector(model, near, self._walled(filter), limit=limit)

    def pending(
        self, model: str, *, limit: int, filter: Filter = EVERYTHING
    ) -> list[tuple[int, str]]:
        return self._engine.pending(model, limit=limit, filter=self._walled(filter))

    def put_vectors(
        self,
        model: str,
        keys: Sequence[int],
        vectors: ports.Vectors,
        sentences: Sequence[bytes] | None = None,
    ) -> int:
        return self._engine.put_vectors(model, keys, vectors, sentences)

    def sentences(self, model: str, keys: Sequence[int]) -> dict[int, bytes]:
        return self._engine.sentences(model, [one.key for one in self.passages(keys)])


# ------------------------------------------------------------------ names


class _Names:
    """The names that things have inside, and those that the engine knows them by."""

    def __init__(self, engine: StorageEngine, view: View) -> None:
        self._engine = engine
        self.view = view

    def sees(self, document: Document) -> bool:
        return self.view.sees(document.owner, document.scopes)

    def real(self, id: str) -> str | None:
        """Returns the id in the engine of what is called so inside; None where nothing is."""
        found = self._engine.get(id, Filter(within=self.view), body=False)
        if any(one.id == id for one in found):
            return id
        if self.view.scopes is None:  # an id is of one owner
            return None
        held = self._engine.by_handle([_alias(id)])
        return next((one.document.id for one in held if self.sees(one.document)), None)

    def is_taken(self, id: str) -> bool:
        """Whether something outside has this id."""
        return any(one.id == id for one in self._engine.get(id, body=False))

    def apart(self, put: Put) -> Put:
        """Returns the same under an id of its own, found inside under that which it was given."""
        document = put.document
        other = document._replace(origin=f"{document.origin}{_APART}{self.view.key}")
        return put._replace(document=other, handles=(*put.handles, _alias(document.id)))


def _alias(id: str) -> str:
    return f"{_APART}{id}"


class _Changes:
    """A change set as the engine is to apply it."""

    def __init__(self, engine: StorageEngine, names: _Names, changes: ChangeSet) -> None:
        self._engine = engine
        self._names = names
        self._changes = changes.changes
        self._puts = {put.document.id: put for put in of_type(self._changes, Put)}

    def __iter__(self) -> Iterator[Change]:
        yield from chain.from_iterable(map(self._translated, self._changes))

    def _translated(self, change: Change) -> Iterable[Change]:
        match change:
            case Put():
                return [self._put(change)]
            case DropAnswers():  # also those of others that quote what is forgotten
                return [change]
            case Register(source):
                return [Register(self._registered(source))]
            case Expect(id, stamp):
                return self._expected(id, stamp)
            case Remove(id) | Forget(id):
                real = self._names.real(id)
                return [change._replace(id=real)] if real else []

    def _put(self, put: Put) -> Put:
        document, view = put.document, self._names.view
        real = self._names.real(document.id)
        inside = view.scopes is None or set(document.scopes) <= set(view.scopes)
        if not self._names.sees(document) or (real is None and not inside):
            raise outside(view, document.owner, document.scopes)
        if real is not None and real != document.id:
            return self._names.apart(put)
        if real is None and self._names.is_taken(document.id):
            if document.kind == FACT:
                raise NotFound(f"there is no fact {document.external!r}", hint=NEW_FACT)
            return self._names.apart(put)
        return put

    def _expected(self, id: str, stamp: str | None) -> Iterable[Change]:
        real = self._names.real(id)
        if real is not None:
            return [Expect(real, stamp)]
        if stamp is not None:
            raise StoreChanged(f"{id} was changed meanwhile", hint="look again, and try again")
        put = self._puts.get(id)
        return [Expect(self._put(put).document.id, None)] if put else []

    def _registered(self, source: Source) -> Source:
        """Returns the source with what others gather under the same name."""
        if not source.uri and not source.places:
            return source
        every, mine = (
            by_name(stats.sources)
            for stats in (self._engine.stats(), self._engine.stats(Filter(within=self._names.view)))
        )
        known = every.get(source.name)
        shown = mine.get(source.name)
        if known is None or known.documents == (shown.documents if shown else 0):
            return source
        places = {place.uri: place for place in (*known.places, *source.places)}
        return source._replace(
            kind=known.kind, uri=known.uri, stamp=known.stamp, places=tuple(places.values())
        )


NEW_FACT = "leave the id out to keep a new one"


def outside(view: View, owner: str, scopes: Iterable[str]) -> UsageError:
    """The error for what would be written where the caller sees nothing."""
    walls = {"owner": view.owner, "scopes": ", ".join(view.scopes or ())}
    served = ", ".join(f"{name} {wall}" for name, wall in walls.items() if wall)
    return UsageError(
        f"this would be written for owner {owner}, scopes {', '.join(scopes)}, and the caller is "
        f"served within {served}",
        hint="leave owner and scopes out, or give what is within",
    )


# ------------------------------------------------------------------ sessions


class WalledSessions:
    """The messages of sessions that are in sight."""

    def __init__(self, engine: StorageEngine, names: _Names) -> None:
        self._engine = engine
        self._names = names

    def holders(self, messages: Sequence[str], *, within: str = "") -> dict[str, list[Spot]]:
        real = self._names.real(within) if within else ""
        if real is None:
            return {}
        found = self._engine.sessions.holders(messages, within=real)
        spots = chain.from_iterable(found.values())
        named = self._shown({spot.document for spot in spots})
        seen = {
            id: [Spot(named[one.document], one.turn) for one in spots if one.document in named]
            for id, spots in found.items()
        }
        return filled(seen)

    def _shown(self, ids: Iterable[str]) -> Mapping[str, str]:
        """Returns the names inside of those documents that are in sight."""
        inside = Filter(within=self._names.view)
        found = ((id, self._engine.get(id, inside, body=False)) for id in ids)
        return {id: _shown(some[0]).id for id, some in found if some}

    def turns(
        self, id: str, *, start: int, count: int, roles: Sequence[str] | None = None
    ) -> list[Turn]:
        real = self._names.real(id)
        if real is None:
            return []
        return self._engine.sessions.turns(real, start=start, count=count, roles=roles)

    def tally(self, id: str, *, first: int = 0, last: int | None = None) -> dict[str, int]:
        real = self._names.real(id)
        return self._engine.sessions.tally(real, first=first, last=last) if real else {}

    def recent(self, filter: Filter, *, limit: int) -> list[Outline]:
        inside = filter._replace(within=self._names.view)
        found = self._engine.sessions.recent(inside, limit=limit)
        return [one._replace(document=_shown(one.document)) for one in found]


# ------------------------------------------------------------------ answers


class WalledAnswers:
    """The answers that were recorded in this very view: one that was written from more may say
    more."""

    def __init__(self, engine: StorageEngine, view: View) -> None:
        self._answers = engine.answers
        self._key = view.key

    def keep(self, answer: Recorded) -> None:
        # The name of an answer follows from its fingerprint, which is never that of another view.
        self._answers.keep(answer._replace(space=f"{self._key}{_APART}{answer.space}"))

    def find(
        self, *, fingerprint: str = "", space: str = "", limit: int, before: datetime | None = None
    ) -> list[Recorded]:
        apart = f"{self._key}{_APART}"
        wanted = f"{apart}{space}" if space else ""
        most = limit if wanted else _MANY
        found = self._answers.find(fingerprint=fingerprint, space=wanted, limit=most, before=before)
        mine = (one for one in found if one.space.startswith(apart))
        return [one._replace(space=one.space.removeprefix(apart)) for one in mine][:limit]

    def drop(self, ids: Collection[str]) -> int:
        mine = {one.id for one in self.find(limit=_MANY)}
        return self._answers.drop(mine.intersection(ids))


# ------------------------------------------------------------------ for those who run it


class WalledAdmin:
    """What imports and transfers need, of what is in sight. What is about a store as a whole is
    refused."""

    def __init__(self, engine: StorageEngine, names: _Names) -> None:
        self._engine = engine
        self._names = names
        self._inside = Filter(within=names.view)

    def stamps(self, source: str, *, gone: bool = False) -> list[DocumentStamp]:
        return [
            one._replace(origin=one.origin.partition(_APART)[0])
            for one in self._engine.admin.stamps(source, gone=gone)
            if self._names.view.sees(one.owner, one.scopes)
        ]

    def dump(self, *, after: str = "", vectors: bool = True) -> Iterator[DumpEntry]:
        """Yields what is in sight; without tombstones, of which nobody can tell whose they are."""
        known = {one.name for one in self._engine.stats(self._inside).sources}
        seen: set[str] = set()
        answers = {
            one.id for one in WalledAnswers(self._engine, self._names.view).find(limit=_MANY)
        }
        for entry in self._engine.admin.dump(after=after, vectors=vectors):
            item = entry.item
            match item:
                case Source(name):
                    wanted = name in known
                case WholeDocument(put):
                    wanted = self._names.sees(put.document)
                    seen.update([put.document.id] * wanted)
                case History(id):
                    wanted = id in seen
                case Recorded(id):
                    wanted = id in answers
                case Tombstone():
                    wanted = False
            if wanted:
                yield entry

    def load(self, items: Iterable[Item], *, replace: bool = False) -> LoadReport:  # noqa: ARG002
        raise of_the_whole()

    def check(self, *, full: bool = False) -> CheckReport:  # noqa: ARG002
        raise of_the_whole()

    def refresh(self, *, rebuild: bool = False, filter: Filter = EVERYTHING) -> None:
        if rebuild:
            raise of_the_whole()
        self._engine.admin.refresh(filter=filter._replace(within=self._names.view))

    def models(self) -> dict[str, int]:
        return dict(self._engine.stats(self._inside).vectors)

    def twins(self, model: str, keys: Sequence[int]) -> dict[int, ports.Twin]:
        found = self._engine.passages(keys)
        seen = [one.key for one in found if self._names.sees(one.document)]
        return self._engine.admin.twins(model, seen)

    def drop_vectors(self, model: str) -> int:  # noqa: ARG002
        raise of_the_whole()

    def behind(self) -> ReplicaLag | None:
        return self._engine.admin.behind()


def of_the_whole() -> UsageError:
    """The error for what would tell or change something of the other side."""
    return UsageError(
        "this is about the store as a whole, and the caller sees a part of it",
        hint="whoever runs the store does it without search.owner and search.scopes",
    )
