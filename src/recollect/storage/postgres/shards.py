"""Several servers as one store: each owner is on one of them, by a hash of the name.

Whatever names an owner (a document, a filter, ``owner=`` in the URL) goes to one server. What names
none goes to all, and their answers are put together: lists by when a document was first written,
texts and vectors by their score. A word is weighed (idf) on each server by what is there.

The number of an owner says on which server he is, so that keys are unique among all of them. A
server that was made as another shard, or for another count of shards, is refused. A change set is
one transaction on each server that it concerns: it is tried on all of them first, and one that was
cut off between two servers is finished by applying it again.
"""

from __future__ import annotations

import heapq
import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import cached_property, reduce
from hashlib import blake2b
from itertools import chain
from typing import Any, TypeVar

from recollect import ports
from recollect.errors import StoreError, UsageError
from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    Change,
    ChangeSet,
    Document,
    DropAnswers,
    Event,
    Filter,
    Hit,
    Page,
    Put,
    Receipt,
    Recorded,
    Register,
    Source,
    StoredPassage,
    StoreStats,
    TextQuery,
    grouped,
    of_type,
    stable_id,
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
    TextResult,
    Tombstone,
    Turn,
    VectorResult,
    WholeDocument,
)
from recollect.storage.content import check, passage_number, stays
from recollect.storage.postgres.address import ServerAddress
from recollect.storage.postgres.connection import connect, only_row
from recollect.storage.postgres.engine import PostgresStore
from recollect.storage.postgres.rows import owner_of
from recollect.storage.postgres.trouble import translated

T = TypeVar("T")

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_NO_SOURCES = "s:999999999"
"""The cursor behind all sources of a dump."""
_RANKS = {WholeDocument: 0, Tombstone: 1, History: 2, Recorded: 3}


def shard_of(owner: str, count: int) -> int:
    """Returns which of so many servers an owner is on. What is nobody's is on the first."""
    if not owner:
        return 0
    return int.from_bytes(blake2b(owner.encode(), digest_size=8).digest()) % count


def open_shards(addresses: Sequence[ServerAddress]) -> ShardedStore | PostgresStore:
    """Opens all servers; of a store that is opened for one owner, only his."""
    count = len(addresses)
    owner = addresses[0].owner
    if owner:
        return _opened(addresses[shard_of(owner, count)], shard_of(owner, count), count)
    shards: list[PostgresStore] = []
    try:
        for number, address in enumerate(addresses):
            shards.append(_opened(address, number, count))
    except BaseException:
        for one in shards:
            one.close()
        raise
    return ShardedStore(shards)


def _opened(address: ServerAddress, number: int, count: int) -> PostgresStore:
    store = PostgresStore(address)
    try:
        _number(address, number, count)
    except BaseException:
        store.close()
        raise
    return store


def _number(address: ServerAddress, number: int, count: int) -> None:
    """Makes a new store this shard of so many; refuses one that is another."""
    sequence = f"{address.schema}.owner_numbers"
    with connect(address) as db, translated(address.shown), db.transaction():
        db.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 13))", (address.schema,))
        start, step, used = only_row(
            db,
            "SELECT seqstart, seqincrement, (SELECT COUNT(*) FROM "
            f"{address.schema}.owners WHERE owner > 0) FROM pg_sequence "
            "WHERE seqrelid = %s::regclass",
            (sequence,),
        )
        if (start % step, step) == (number, count):
            return
        if used or step > 1:
            made = f"shard {start % step + 1} of {step}" if step > 1 else "no shard"
            raise StoreError(
                f"{address.shown} was made as {made}, and is named as shard {number + 1} of "
                f"{count}",
                hint="name the servers as they were when the store was made; to have more of "
                "them, copy it: recollect migrate-store",
            )
        db.execute(
            f"ALTER SEQUENCE {sequence} INCREMENT BY {count} START WITH {count + number} RESTART"
        )


class Shards:
    """The servers, and what goes to which of them."""

    def __init__(self, stores: Sequence[PostgresStore]) -> None:
        self.stores = stores
        self._threads = ThreadPoolExecutor(len(stores), thread_name_prefix="recollect-shards")

    def close(self) -> None:
        self._threads.shutdown()
        for store in self.stores:
            store.close()

    def each(self, work: Callable[[PostgresStore], T], filter: Filter = EVERYTHING) -> list[T]:
        """Does it on every server that the filter may find something on, at the same time."""
        among = self.among(filter)
        if len(among) == 1:
            return [work(among[0])]
        return list(self._threads.map(work, among))

    def among(self, filter: Filter) -> Sequence[PostgresStore]:
        named = filter.owner if filter.owner is not None else None
        if named is None and filter.within:
            named = filter.within.owner
        return self.stores if named is None else [self.of(named)]

    def of(self, owner: str) -> PostgresStore:
        return self.stores[shard_of(owner, len(self.stores))]

    def by_key(self, keys: Iterable[int]) -> dict[int, list[int]]:
        """Returns keys by the number of the server that they are on."""
        return grouped((owner_of(key) % len(self.stores), key) for key in keys)

    def holding(self, ids: Collection[str]) -> dict[str, int]:
        """Returns the numbers of the servers that have, or had, these documents, by id."""
        if not ids:
            return {}
        found = self.each(lambda store: store.known_ids(ids))
        return {id: number for number, some in enumerate(found) for id in some}

    def merged(self, lists: Sequence[Sequence[T]], id_of: Callable[[T], str]) -> list[T]:
        """Puts lists that are newest first together, by when each document was first written."""
        full = [one for one in lists if one]
        if len(full) < 2:
            return list(chain.from_iterable(full))
        times = self.written({id_of(item) for some in full for item in some})
        return list(heapq.merge(*full, key=lambda item: times.get(id_of(item), 0), reverse=True))

    def written(self, ids: Collection[str]) -> Mapping[str, float]:
        found: dict[str, float] = {}
        for some in self.each(lambda store: store.written(ids)):
            found |= some
        return found


class ShardedStore(ports.StorageEngine):
    def __init__(self, stores: Sequence[PostgresStore]) -> None:
        self.shards = Shards(stores)

    @cached_property
    def sessions(self) -> ShardedSessions:
        return ShardedSessions(self.shards)

    @cached_property
    def answers(self) -> ShardedAnswers:
        return ShardedAnswers(self.shards)

    @cached_property
    def admin(self) -> ShardedAdmin:
        return ShardedAdmin(self.shards)

    def close(self) -> None:
        self.shards.close()

    # -------------------------------------------------------------- the record

    def apply(self, changes: ChangeSet, *, dry_run: bool = False) -> Receipt:
        parts = self._parts(changes.changes)
        if len(parts) > 1 and not dry_run:  # whatever one of them refuses, none of them does
            self._applied(parts, dry_run=True)
        return self._applied(parts, dry_run=dry_run)

    def _applied(self, parts: Mapping[int, list[Change]], *, dry_run: bool) -> Receipt:
        stores = self.shards.stores
        done = (
            stores[number].apply(ChangeSet(tuple(some)), dry_run=dry_run)
            for number, some in parts.items()
        )
        return sum(done, Receipt())

    def _parts(self, changes: Sequence[Change]) -> dict[int, list[Change]]:
        """Returns the changes of each server, in the order in which they first come."""
        count = len(self.shards.stores)
        puts = {p.document.id: shard_of(p.document.owner, count) for p in of_type(changes, Put)}
        named = {c.id for c in changes if not isinstance(c, Put | Register | DropAnswers)}
        where = puts | self.shards.holding(named - puts.keys())
        parts: dict[int, list[Change]] = {}
        for change in changes:
            for number in self._numbers(change, where):
                parts.setdefault(number, []).append(change)
        return parts or {0: []}

    def _numbers(self, change: Change, where: Mapping[str, int]) -> Iterable[int]:
        """What concerns a document goes where it is; what concerns none that is there, to all."""
        id = change.document.id if isinstance(change, Put) else getattr(change, "id", "")
        return [where[id]] if id in where else range(len(self.shards.stores))

    def get(self, name: str, filter: Filter = EVERYTHING, *, body: bool = True) -> list[Document]:
        lists = self.shards.each(lambda store: store.get(name, filter, body=body), filter)
        by_id = [one for some in lists for one in some if one.id == name]
        return by_id or self.shards.merged(lists, _id)

    def by_handle(self, handles: Collection[str]) -> list[HandleMatch]:
        lists = self.shards.each(lambda store: store.by_handle(handles)[::-1])
        return self.shards.merged(lists, lambda match: match.document.id)[::-1]

    def scan(self, filter: Filter, *, limit: int, cursor: str = "", dated: bool = False) -> Page:
        if dated:
            return self._dated(filter, limit)
        among = self.shards.among(filter)
        starts = self._starts(cursor, among)
        pages = [
            store.scan(filter, limit=limit, cursor=at)
            for store, at in zip(among, starts, strict=True)
        ]
        items = self.shards.merged([page.items for page in pages], _id)[:limit]
        taken = {one.id for one in items}
        ends = [
            _behind(store, page, taken, start)
            for store, page, start in zip(among, pages, starts, strict=True)
        ]
        more = any(page.cursor or not taken.issuperset(map(_id, page.items)) for page in pages)
        return Page(tuple(items), json.dumps(ends) if more else "")

    def _starts(self, cursor: str, among: Sequence[PostgresStore]) -> list[str]:
        """Returns where each server goes on: as a cursor of ours says, or behind a document."""
        if not cursor:
            return [""] * len(among)
        if cursor.startswith("@"):
            at = self.shards.written([cursor[1:]]).get(cursor[1:])
            if at is None:
                raise UsageError(
                    "the document that the page before ended with is gone", hint="begin anew"
                )
            return [store.cursor_behind(cursor[1:], at) for store in among]
        found = _listed(cursor)
        if len(found) != len(among):
            raise UsageError(f"{cursor!r} is not a cursor", hint="use the one of the page before")
        return found

    def _dated(self, filter: Filter, limit: int) -> Page:
        pages = self.shards.each(lambda store: store.scan(filter, limit=limit, dated=True), filter)
        merged = heapq.merge(
            *(page.items for page in pages), key=lambda one: one.date or _LONG_AGO, reverse=True
        )
        return Page(tuple(merged)[:limit], "")

    def passages(
        self, names: Sequence[int | str], *, before: int = 0, after: int = 0
    ) -> list[StoredPassage]:
        documents = {passage_number(name)[0] for name in names if isinstance(name, str)}
        where = self.shards.holding(documents)
        count = len(self.shards.stores)
        wanted: dict[int, list[int | str]] = {}
        for name in names:
            number = (
                owner_of(name) % count
                if isinstance(name, int)
                else where.get(passage_number(name)[0])
            )
            if number is not None:
                wanted.setdefault(number, []).append(name)
        if len(wanted) == 1:
            ((number, some),) = wanted.items()
            return self.shards.stores[number].passages(some, before=before, after=after)
        return self._each_passage(wanted, names, before, after)

    def _each_passage(
        self,
        wanted: Mapping[int, list[int | str]],
        names: Sequence[int | str],
        before: int,
        after: int,
    ) -> list[StoredPassage]:
        """Returns passages of several servers in the order of their names."""
        stores = self.shards.stores
        if not before and not after:
            some = chain.from_iterable(stores[n].passages(keys) for n, keys in wanted.items())
            by_name: dict[int | str, StoredPassage] = {}
            for one in some:
                by_name |= {one.key: one, one.id: one}
            return [by_name[name] for name in names if name in by_name]
        where = {name: number for number, keys in wanted.items() for name in keys}
        found = (
            stores[where[name]].passages([name], before=before, after=after)
            for name in names
            if name in where
        )
        return list(chain.from_iterable(found))

    def history(self, id: str) -> list[Event]:
        found = chain.from_iterable(self.shards.each(lambda store: store.history(id)))
        return sorted(found, key=lambda event: event.at)

    def fingerprint(self, filter: Filter) -> str:
        return stable_id(*self.shards.each(lambda store: store.fingerprint(filter), filter))

    def stats(self, filter: Filter = EVERYTHING) -> StoreStats:
        every = self.shards.each(lambda store: store.stats(filter), filter)
        shown = ", ".join(one.location for one in every)
        return reduce(_added, every)._replace(location=shown)

    # -------------------------------------------------------------- searching

    def search_text(
        self, queries: Sequence[TextQuery], filter: Filter, *, limit: int, count: bool = False
    ) -> list[TextResult]:
        def work(store: PostgresStore) -> tuple[list[TextResult], int]:
            found = store.search_text(queries, filter, limit=limit, count=count)
            wall = Filter(owner=filter.owner, within=filter.within)
            return found, store.search_vector("", -1, wall, limit=1).passages

        every = self.shards.each(work, filter)
        if len(every) == 1:
            return every[0][0]
        passages = [there for _, there in every]
        by_query = zip(*(found for found, _ in every), strict=True)
        return [_best_texts(results, passages, limit) for results in by_query]

    def matched(
        self, words: Sequence[str], keys: Sequence[int], filter: Filter = EVERYTHING
    ) -> dict[int, set[str]]:
        found: dict[int, set[str]] = {}
        for number, some in self.shards.by_key(keys).items():
            found |= self.shards.stores[number].matched(words, some, filter)
        return {key: found[key] for key in keys}

    def search_vector(
        self, model: str, near: ports.Vector | int, filter: Filter, *, limit: int
    ) -> VectorResult:
        vector = self._vector(model, near) if isinstance(near, int) else near
        every = self.shards.each(
            lambda store: store.search_vector(
                model, near if vector is None else vector, filter, limit=limit
            ),
            filter,
        )
        return VectorResult(
            _best([one.hits for one in every], limit),
            sum(one.vectors for one in every),
            sum(one.passages for one in every),
        )

    def _vector(self, model: str, key: int) -> ports.Vector | None:
        store = self.shards.stores[owner_of(key) % len(self.shards.stores)] if key >= 0 else None
        return store.vector_of(model, key) if store else None

    # -------------------------------------------------------------- vectors

    def pending(
        self, model: str, *, limit: int, filter: Filter = EVERYTHING
    ) -> list[tuple[int, str]]:
        every = self.shards.each(
            lambda store: store.pending(model, limit=limit, filter=filter), filter
        )
        return list(chain.from_iterable(every))[:limit]

    def put_vectors(self, model: str, keys: Sequence[int], vectors: ports.Vectors) -> int:
        places = {key: n for n, key in enumerate(keys)}
        return sum(
            self.shards.stores[number].put_vectors(
                model, some, vectors[[places[key] for key in some]]
            )
            for number, some in self.shards.by_key(keys).items()
        )


def _id(document: Document) -> str:
    return document.id


def _listed(cursor: str) -> list[str]:
    """Returns the parts of a cursor of ours."""
    try:
        found = json.loads(cursor)
    except ValueError:
        found = None
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise UsageError(f"{cursor!r} is not a cursor", hint="use the one of the page before")
    return found


def _behind(store: PostgresStore, page: Page, taken: Collection[str], start: str) -> str:
    """Returns where a server goes on: behind the last of its items that was taken."""
    last = next((one.id for one in reversed(page.items) if one.id in taken), None)
    return start if last is None else store.cursor_behind(last, 0.0)


def _best(lists: Sequence[Sequence[Hit]], limit: int) -> list[Hit]:
    return list(heapq.merge(*lists, key=lambda hit: hit.score, reverse=True))[:limit]


def _best_texts(results: Sequence[TextResult], passages: Sequence[int], limit: int) -> TextResult:
    """Puts what the servers found together. What a word is worth among all of them follows from
    what it is worth on each: ``n = (N + 1) / e^idf - 0.5`` passages have it there."""
    every = sum(passages)
    having: Counter[str] = Counter()
    for result, there in zip(results, passages, strict=True):
        for word, worth in result.idf.items():
            having[word] += max(0, round((there + 1) / math.exp(worth) - 0.5))
    idf = {word: math.log(1 + (every - n + 0.5) / (n + 0.5)) for word, n in having.items()}
    return TextResult(
        _best([one.hits for one in results], limit), idf, sum(one.total for one in results)
    )


def _added(one: StoreStats, other: StoreStats) -> StoreStats:
    """Returns the counts of two servers together."""
    sources = {source.name: source for source in one.sources}
    for source in other.sources:
        known = sources.get(source.name, source._replace(documents=0))
        told = known if known.kind or not source.kind else source
        sources[source.name] = told._replace(documents=known.documents + source.documents)
    return one._replace(
        seq=one.seq + other.seq,
        documents=one.documents + other.documents,
        passages=one.passages + other.passages,
        kinds=_summed(one.kinds, other.kinds),
        sources=sorted(sources.values(), key=lambda source: source.name),
        vectors=_summed(one.vectors, other.vectors),
        tombstones=one.tombstones + other.tombstones,
        bytes=one.bytes + other.bytes,
    )


def _summed(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {name: one.get(name, 0) + other.get(name, 0) for name in sorted({*one, *other})}


class ShardedSessions:
    def __init__(self, shards: Shards) -> None:
        self._shards = shards

    def holders(self, messages: Sequence[str], *, within: str = "") -> dict[str, list[Spot]]:
        every = self._shards.each(lambda store: store.sessions.holders(messages, within=within))
        names = dict.fromkeys(chain.from_iterable(every))
        return {
            name: self._shards.merged(
                [one.get(name, [])[::-1] for one in every], lambda spot: spot.document
            )[::-1]
            for name in names
        }

    def turns(
        self, id: str, *, start: int, count: int, roles: Sequence[str] | None = None
    ) -> list[Turn]:
        every = self._shards.each(
            lambda store: store.sessions.turns(id, start=start, count=count, roles=roles)
        )
        return list(chain.from_iterable(every))

    def tally(self, id: str, *, first: int = 0, last: int | None = None) -> dict[str, int]:
        every = self._shards.each(lambda store: store.sessions.tally(id, first=first, last=last))
        return reduce(lambda one, other: one | other, every)

    def recent(self, filter: Filter, *, limit: int) -> list[Outline]:
        every = self._shards.each(lambda store: store.sessions.recent(filter, limit=limit), filter)
        merged = heapq.merge(*every, key=lambda one: one.last or _LONG_AGO, reverse=True)
        return list(merged)[:limit]


class ShardedAnswers:
    def __init__(self, shards: Shards) -> None:
        self._shards = shards

    def keep(self, answer: Recorded) -> None:
        there = self._shards.of(answer.owner)
        for store in self._shards.stores:
            if store is not there:
                store.answers.drop([answer.id])
        there.answers.keep(answer)

    def find(
        self, *, fingerprint: str = "", space: str = "", limit: int, before: datetime | None = None
    ) -> list[Recorded]:
        every = self._shards.each(
            lambda store: store.answers.find(
                fingerprint=fingerprint, space=space, limit=limit, before=before
            )
        )
        found = sorted(chain.from_iterable(every), key=lambda one: one.id)
        return sorted(found, key=lambda one: one.at, reverse=True)[:limit]

    def drop(self, ids: Collection[str]) -> int:
        return sum(self._shards.each(lambda store: store.answers.drop(ids)))


class _Head(NamedTuple):
    """The next entry of one server's dump, and its place among those of the others."""

    place: tuple[Any, ...]
    shard: int
    entry: DumpEntry


class ShardedAdmin:
    def __init__(self, shards: Shards) -> None:
        self._shards = shards

    def stamps(self, source: str) -> list[DocumentStamp]:
        every = self._shards.each(lambda store: store.admin.stamps(source))
        return self._shards.merged(every, lambda stamp: stamp.id)

    # -------------------------------------------------------------- moving

    def dump(self, *, after: str = "", vectors: bool = True) -> Iterator[DumpEntry]:
        """A cursor is how many sources were given out, and that of each server."""
        done, *cursors = _dump_from(after, len(self._shards.stores))
        dumps = [
            store.admin.dump(after=at or _NO_SOURCES, vectors=vectors)
            for store, at in zip(self._shards.stores, cursors, strict=True)
        ]
        heads = [self._head(number, dump) for number, dump in enumerate(dumps)]
        sources = self._sources()
        for n in range(int(done), len(sources)):
            yield DumpEntry(json.dumps([str(n + 1), *cursors]), sources[n])
        while some := [head for head in heads if head is not None]:
            first = min(head.place for head in some)
            same = [head for head in some if head.place == first]
            for head in same:
                cursors[head.shard] = head.entry.cursor
                heads[head.shard] = self._head(head.shard, dumps[head.shard])
            yield DumpEntry(json.dumps([str(len(sources)), *cursors]), _joined(same))

    def _head(self, number: int, dump: Iterator[DumpEntry]) -> _Head | None:
        entry = next(dump, None)
        return None if entry is None else _Head(self._place(entry.item, number), number, entry)

    def _place(self, item: Item, number: int) -> tuple[Any, ...]:
        """Documents go by when they were written first, the others by their ids; what several
        servers have comes once."""
        rank = _RANKS[type(item)]
        if isinstance(item, WholeDocument):
            id = item.put.document.id
            return rank, self._shards.stores[number].written([id]).get(id, 0.0), number, id
        assert not isinstance(item, Source)
        return rank, item.id

    def _sources(self) -> list[Source]:
        """Those of all servers, in the order in which each became known."""
        found: dict[str, Source] = {}
        for store in self._shards.stores:
            for one in store.known_sources():
                known = found.get(one.name)
                found[one.name] = known if known and (known.kind or not one.kind) else one
        return list(found.values())

    def load(self, items: Iterable[Item], *, replace: bool = False) -> LoadReport:
        given = list(items)
        for whole in of_type(given, WholeDocument):
            check(whole.put)
        count = len(self._shards.stores)
        wholes = of_type(given, WholeDocument)
        where = {w.put.document.id: shard_of(w.put.document.owner, count) for w in wholes}
        named = {one.id for one in given if isinstance(one, Tombstone | History)}
        where |= self._shards.holding(named - where.keys())
        routed: dict[int, list[Item]] = {}
        everywhere: list[Item] = []
        for item in self._new(given, replace):
            number = _number_of(item, where, count)
            if number is None:
                everywhere.append(item)
            else:
                routed.setdefault(number, []).append(item)
        every = [s.admin.load(everywhere, replace=replace) for s in self._shards.stores]
        done = LoadReport(*map(max, zip(*every, strict=True)))
        for number, some in sorted(routed.items()):
            done += self._shards.stores[number].admin.load(some, replace=replace)
        return done

    def _new(self, items: Sequence[Item], replace: bool) -> Iterator[Item]:
        """Yields all but the sources that stay as they are: each server knows those it needs."""
        known = {source.name: source for source in self._sources()}
        for item in items:
            if not isinstance(item, Source) or not stays(
                known.get(item.name), item, replace=replace
            ):
                yield item

    # -------------------------------------------------------------- upkeep

    def check(self, *, full: bool = False) -> CheckReport:
        every = self._shards.each(lambda store: store.admin.check(full=full))
        recall = [item for one in every for item in one.recall.items()]
        return CheckReport(
            tuple(chain.from_iterable(one.findings for one in every)),
            sum(one.documents for one in every),
            sum(one.sampled for one in every),
            {model: min(shares) for model, shares in grouped(recall).items()},
            max((one.last_write for one in every if one.last_write), default=None),
            "; ".join(one.server for one in every if one.server),
        )

    def refresh(self, *, rebuild: bool = False, filter: Filter = EVERYTHING) -> None:
        self._shards.each(lambda store: store.admin.refresh(rebuild=rebuild, filter=filter), filter)

    def models(self) -> dict[str, int]:
        return reduce(_summed, self._shards.each(lambda store: store.admin.models()))

    def twins(self, model: str, keys: Sequence[int]) -> dict[int, ports.Vector]:
        found: dict[int, ports.Vector] = {}
        for number, some in self._shards.by_key(keys).items():
            found |= self._shards.stores[number].admin.twins(model, some)
        return found

    def drop_vectors(self, model: str) -> int:
        return sum(self._shards.each(lambda store: store.admin.drop_vectors(model)))

    def behind(self) -> ReplicaLag | None:
        told = [lag for store in self._shards.stores if (lag := store.admin.behind())]
        return max(told, key=lambda lag: lag.seconds, default=None)


def _dump_from(after: str, count: int) -> list[str]:
    if not after:
        return ["0"] + [""] * count
    found = _listed(after)
    if len(found) != count + 1 or not found[0].isdecimal():
        raise UsageError(f"{after!r} is not a cursor", hint="use the one of an item before")
    return found


def _joined(same: Sequence[_Head]) -> Item:
    """Returns one item for what several servers have: of a history all that happened."""
    first = same[0].entry.item
    if not isinstance(first, History) or len(same) == 1:
        return first
    events = chain.from_iterable(
        head.entry.item.events for head in same if isinstance(head.entry.item, History)
    )
    return History(first.id, tuple(sorted(events, key=lambda event: event.at)))


def _number_of(item: Item, where: Mapping[str, int], count: int) -> int | None:
    """Returns the server of an item; None for what all of them need to know. The history of a
    document that is gone is on the server that its id is hashed to."""
    if isinstance(item, WholeDocument):
        return where[item.put.document.id]
    if isinstance(item, Recorded):
        return shard_of(item.owner, count)
    if isinstance(item, History):
        return where.get(item.id, shard_of(item.id, count))
    return where.get(item.id) if isinstance(item, Tombstone) else None
