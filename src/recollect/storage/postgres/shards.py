"""Several servers as one store: each owner is on one of them, by a hash of the name.

Whatever names an owner (a document, a filter, ``owner=`` in the URL) goes to one server. What names
none goes to all, and their answers are put together: lists by when a document was first written,
texts and vectors by their score. A word is weighed (idf) on each server by what is there.

The number of an owner says on which server he is, so that keys are unique among all of them. A
server that was made as another shard, for another count of shards, or for another store is refused,
and so is one that is opened by itself. A change set is
one transaction on each server that it concerns: it is tried on all of them first, and one that was
cut off between two servers is finished by applying it again.
"""

from __future__ import annotations

import heapq
import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from functools import cached_property, reduce
from hashlib import blake2b
from itertools import chain, groupby, islice
from operator import attrgetter, or_
from typing import Any, TypeVar

from recollect import ports
from recollect.errors import StoreError, UsageError
from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    Change,
    ChangeSet,
    Document,
    Event,
    Filter,
    Hit,
    Page,
    Put,
    Receipt,
    Recorded,
    Source,
    SourceStats,
    StoredPassage,
    StoreStats,
    TextQuery,
    among,
    by_id,
    by_name,
    group_by,
    grouped,
    index_by,
    not_among,
    not_none,
    of_type,
    stable_id,
    values_of,
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
from recollect.storage.postgres.engine import PostgresStore
from recollect.storage.postgres.rows import owner_of

K = TypeVar("K")
T = TypeVar("T")
S = TypeVar("S", Source, SourceStats)

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_NO_SOURCES = "s:999999999"
"""The cursor behind all sources of a dump."""
_EVERYWHERE = -1
"""The number that stands for all servers."""
_RANKS = {WholeDocument: 0, Tombstone: 1, History: 2, Recorded: 3}


def shard_of(owner: str, count: int) -> int:
    """Returns which of so many servers an owner is on. What is nobody's is on the first."""
    if not owner:
        return 0
    return int.from_bytes(blake2b(owner.encode(), digest_size=8).digest()) % count


def open_shards(addresses: Sequence[ServerAddress]) -> ShardedStore | PostgresStore:
    """Opens all servers; of a store that is opened for one owner, only his."""
    owner = addresses[0].owner
    if owner:
        return PostgresStore(addresses[shard_of(owner, len(addresses))])
    with ExitStack() as until_all_are_open:
        shards = [
            until_all_are_open.enter_context(closing(PostgresStore(address)))
            for address in addresses
        ]
        _require_one_store(shards)
        until_all_are_open.pop_all()
    return ShardedStore(shards)


def _require_one_store(shards: Sequence[PostgresStore]) -> None:
    """Refuses servers that are shards of different stores. Each is marked with the epoch of the
    first when they are opened together for the first time."""
    first = shards[0]
    epoch = first.epoch()
    for one in shards:
        if one.marked(epoch) != epoch:
            raise StoreError(
                f"{one.address.shown} is a shard of another store than {first.address.shown}",
                hint="name the servers as they were when the store was made",
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

    def all(
        self, work: Callable[[PostgresStore], Iterable[T]], filter: Filter = EVERYTHING
    ) -> Iterator[T]:
        """Does it like :meth:`each`; yields what the servers answer, one after the other."""
        return chain.from_iterable(self.each(work, filter))

    def on(
        self, parts: Mapping[int, list[K]], work: Callable[[PostgresStore, list[K]], T]
    ) -> list[T]:
        """Does it on each of these servers, given by number, with its own part."""
        return [work(self.stores[number], part) for number, part in parts.items()]

    def among(self, filter: Filter) -> Sequence[PostgresStore]:
        named = filter.owner
        if named is None and filter.within:
            named = filter.within.owner
        return self.stores if named is None else [self.of(named)]

    def of(self, owner: str) -> PostgresStore:
        return self.stores[self.number(owner)]

    def number(self, owner: str) -> int:
        return shard_of(owner, len(self.stores))

    def number_of_key(self, key: int) -> int:
        return owner_of(key) % len(self.stores)

    def by_key(self, keys: Iterable[int]) -> dict[int, list[int]]:
        """Returns keys by the number of the server that they are on."""
        return group_by(self.number_of_key, keys)

    def where(self, documents: Iterable[Document], ids: AbstractSet[str]) -> dict[str, int]:
        """Returns the numbers of the servers of documents, by id: of those that are written now by
        their owners, of the other ids by who has them."""
        written = {one.id: self.number(one.owner) for one in documents}
        return written | self.holding(ids - written.keys())

    def holding(self, ids: Collection[str]) -> dict[str, int]:
        """Returns the numbers of the servers that have, or had, these documents, by id."""
        if not ids:
            return {}
        found = self.each(lambda store: store.known_ids(ids))
        return _united(dict.fromkeys(some, number) for number, some in enumerate(found))

    def merged(self, lists: Iterable[Sequence[T]], id_of: Callable[[T], str]) -> list[T]:
        """Puts lists that are newest first together, by when each document was first written."""
        full = list(filter(None, lists))
        items = list(chain.from_iterable(full))
        if len(full) < 2:
            return items
        times = self.written({*map(id_of, items)})
        return list(heapq.merge(*full, key=lambda item: times.get(id_of(item), 0), reverse=True))

    def written(self, ids: Collection[str]) -> Mapping[str, float]:
        return _united(self.each(lambda store: store.written(ids)))


def _united(parts: Iterable[Mapping[K, T]]) -> dict[K, T]:
    """Returns what several servers have by a key, together."""
    found: dict[K, T] = {}
    return reduce(or_, parts, found)


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
        done = self.shards.on(
            parts, lambda store, some: store.apply(ChangeSet(tuple(some)), dry_run=dry_run)
        )
        return sum(done, Receipt())

    def _parts(self, changes: Sequence[Change]) -> dict[int, list[Change]]:
        """Returns the changes of each server, in the order in which they first come."""
        puts = (put.document for put in of_type(changes, Put))
        where = self.shards.where(puts, {*filter(None, map(_id_of, changes))})
        parts: dict[int, list[Change]] = {}
        for change in changes:
            for number in self._numbers(change, where):
                parts.setdefault(number, []).append(change)
        return parts or {0: []}

    def _numbers(self, change: Change, where: Mapping[str, int]) -> Iterable[int]:
        """What concerns a document goes where it is; what concerns none that is there, to all."""
        id = _id_of(change)
        return [where[id]] if id in where else range(len(self.shards.stores))

    def get(self, name: str, filter: Filter = EVERYTHING, *, body: bool = True) -> list[Document]:
        lists = self.shards.each(lambda store: store.get(name, filter, body=body), filter)
        of_id = group_by(_id, chain.from_iterable(lists))
        return of_id.get(name) or self.shards.merged(lists, _id)

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
        items = self.shards.merged((page.items for page in pages), _id)[:limit]
        taken = {*map(_id, items)}
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
        return _listed(cursor, len(among), "use the one of the page before")

    def _dated(self, filter: Filter, limit: int) -> Page:
        every = self.shards.each(
            lambda store: store.scan(filter, limit=limit, dated=True).items, filter
        )
        return Page(tuple(_newest(every, lambda one: one.date, limit)), "")

    def passages(
        self, names: Sequence[int | str], *, before: int = 0, after: int = 0
    ) -> list[StoredPassage]:
        numbers = self._numbers_of_names(names)
        there = list(among(names, numbers))
        wanted = group_by(numbers.__getitem__, there)
        if len(wanted) > 1 and (before or after):  # the neighbours of each name are beside it
            stores = self.shards.stores
            runs = (
                stores[numbers[name]].passages([name], before=before, after=after) for name in there
            )
            return list(chain.from_iterable(runs))
        found = self.shards.on(
            wanted, lambda store, some: store.passages(some, before=before, after=after)
        )
        return found[0] if len(found) == 1 else _in_order(chain.from_iterable(found), names)

    def _numbers_of_names(self, names: Iterable[int | str]) -> dict[int | str, int]:
        """Returns the numbers of the servers of passages, as far as they are known."""
        texts = of_type(names, str)
        documents = {name: passage_number(name)[0] for name in texts}
        where = self.shards.holding({*documents.values()})
        of_texts = {name: where.get(document) for name, document in documents.items()}
        of_keys = {key: self.shards.number_of_key(key) for key in of_type(names, int)}
        return of_keys | not_none(of_texts)

    def history(self, id: str) -> list[Event]:
        return sorted(self.shards.all(lambda store: store.history(id)), key=attrgetter("at"))

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
        found = self.shards.each(
            lambda store: store.search_text(queries, filter, limit=limit, count=count), filter
        )
        if len(found) == 1:
            return found[0]
        wall = Filter(owner=filter.owner, within=filter.within)
        passages = self.shards.each(
            lambda store: store.search_vector("", -1, wall, limit=1).passages, filter
        )
        by_query = zip(*found, strict=True)
        return [_best_texts(results, passages, limit) for results in by_query]

    def matched(
        self, words: Sequence[str], keys: Sequence[int], filter: Filter = EVERYTHING
    ) -> dict[int, set[str]]:
        parts = self.shards.by_key(keys)
        found = _united(
            self.shards.on(parts, lambda store, some: store.matched(words, some, filter))
        )
        return {key: found[key] for key in keys}

    def search_vector(
        self, model: str, near: ports.Vector | int, filter: Filter, *, limit: int
    ) -> VectorResult:
        vector = self._vector(model, near)
        every = self.shards.each(
            lambda store: store.search_vector(model, vector, filter, limit=limit), filter
        )
        hits, vectors, passages = zip(*every, strict=True)
        return VectorResult(_best(hits, limit), sum(vectors), sum(passages))

    def _vector(self, model: str, near: ports.Vector | int) -> ports.Vector | int:
        """Returns the vector of a passage, which only its own server knows; what is a vector, or
        has none, as it is."""
        if not isinstance(near, int) or near < 0:
            return near
        store = self.shards.stores[self.shards.number_of_key(near)]
        vector = store.vector_of(model, near)
        return near if vector is None else vector

    # -------------------------------------------------------------- vectors

    def pending(
        self, model: str, *, limit: int, filter: Filter = EVERYTHING
    ) -> list[tuple[int, str]]:
        every = self.shards.all(
            lambda store: store.pending(model, limit=limit, filter=filter), filter
        )
        return list(every)[:limit]

    def put_vectors(
        self,
        model: str,
        keys: Sequence[int],
        vectors: ports.Vectors,
        sentences: Sequence[bytes] | None = None,
    ) -> int:
        places = {key: n for n, key in enumerate(keys)}

        def put(store: PostgresStore, some: list[int]) -> int:
            rows = list(values_of(places, some))
            signs = None if sentences is None else [sentences[n] for n in rows]
            return store.put_vectors(model, some, vectors[rows], signs)

        return sum(self.shards.on(self.shards.by_key(keys), put))

    def sentences(self, model: str, keys: Sequence[int]) -> dict[int, bytes]:
        parts = self.shards.by_key(keys)
        return _united(self.shards.on(parts, lambda store, some: store.sentences(model, some)))


def _id_of(change: Change) -> str:
    """Returns the id of the document that a change concerns, if it concerns one."""
    return change.document.id if isinstance(change, Put) else getattr(change, "id", "")


def _in_order(found: Iterable[StoredPassage], names: Iterable[int | str]) -> list[StoredPassage]:
    """Returns passages in the order of their names, which are keys or ids."""
    some = list(found)
    return list(values_of({**by_id(some), **index_by(attrgetter("key"), some)}, names))


def _id(document: Document) -> str:
    return document.id


def _listed(cursor: str, count: int, hint: str) -> list[str]:
    """Returns the parts of a cursor of ours, which are so many."""
    try:
        found = json.loads(cursor)
    except ValueError:
        found = None
    if not isinstance(found, list) or [*map(type, found)] != [str] * count:
        raise UsageError(f"{cursor!r} is not a cursor", hint=hint)
    return found


def _behind(store: PostgresStore, page: Page, taken: Collection[str], start: str) -> str:
    """Returns where a server goes on: behind the last of its items that was taken."""
    last = next(among(map(_id, reversed(page.items)), taken), None)
    return start if last is None else store.cursor_behind(last, 0.0)


def _newest(
    lists: Iterable[Iterable[T]], moment: Callable[[T], datetime | None], limit: int
) -> list[T]:
    """Puts lists that are newest first together, by a moment that some items lack."""
    merged = heapq.merge(*lists, key=lambda one: moment(one) or _LONG_AGO, reverse=True)
    return list(merged)[:limit]


def _best(lists: Sequence[Sequence[Hit]], limit: int) -> list[Hit]:
    return list(heapq.merge(*lists, key=lambda hit: hit.score, reverse=True))[:limit]


def _best_texts(results: Sequence[TextResult], passages: Sequence[int], limit: int) -> TextResult:
    """Puts what the servers found together. What a word is worth among all of them follows from
    what it is worth on each: ``n = (N + 1) / e^idf - 0.5`` passages have it there."""
    every = sum(passages)
    hits, idfs, totals = zip(*results, strict=True)
    having: Counter[str] = Counter()
    for worths, there in zip(idfs, passages, strict=True):
        for word, worth in worths.items():
            having[word] += max(0, round((there + 1) / math.exp(worth) - 0.5))
    idf = {word: math.log(1 + (every - n + 0.5) / (n + 0.5)) for word, n in having.items()}
    return TextResult(_best(hits, limit), idf, sum(totals))


def _added(one: StoreStats, other: StoreStats) -> StoreStats:
    """Returns the counts of two servers together."""
    sources = by_name(one.sources)
    for source in other.sources:
        known = sources.get(source.name, source._replace(documents=0))
        total = known.documents + source.documents
        sources[source.name] = _better_told(known, source)._replace(documents=total)
    behind = sum(stats.indexes.get("text", {}).get("behind", 0) for stats in (one, other))
    return one._replace(
        indexes={**other.indexes, **one.indexes, "text": {"behind": behind}},
        seq=one.seq + other.seq,
        documents=one.documents + other.documents,
        passages=one.passages + other.passages,
        kinds=_summed(one.kinds, other.kinds),
        sources=sorted(sources.values(), key=lambda source: source.name),
        vectors=_summed(one.vectors, other.vectors),
        tombstones=one.tombstones + other.tombstones,
        bytes=one.bytes + other.bytes,
    )


def _better_told(known: S, other: S) -> S:
    """Returns what is known of a source, unless only the other one says of which kind it is."""
    return known if known.kind or not other.kind else other


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
        every = self._shards.all(
            lambda store: store.sessions.turns(id, start=start, count=count, roles=roles)
        )
        return list(every)

    def tally(self, id: str, *, first: int = 0, last: int | None = None) -> dict[str, int]:
        every = self._shards.each(lambda store: store.sessions.tally(id, first=first, last=last))
        return _united(every)

    def recent(self, filter: Filter, *, limit: int) -> list[Outline]:
        every = self._shards.each(lambda store: store.sessions.recent(filter, limit=limit), filter)
        return _newest(every, lambda one: one.last, limit)


class ShardedAnswers:
    def __init__(self, shards: Shards) -> None:
        self._shards = shards

    def keep(self, answer: Recorded) -> None:
        there = self._shards.of(answer.owner)
        for store in not_among(self._shards.stores, (there,)):
            store.answers.drop([answer.id])
        there.answers.keep(answer)

    def find(
        self, *, fingerprint: str = "", space: str = "", limit: int, before: datetime | None = None
    ) -> list[Recorded]:
        every = self._shards.all(
            lambda store: store.answers.find(
                fingerprint=fingerprint, space=space, limit=limit, before=before
            )
        )
        found = sorted(every, key=attrgetter("id"))
        return sorted(found, key=attrgetter("at"), reverse=True)[:limit]

    def drop(self, ids: Collection[str]) -> int:
        return sum(self._shards.each(lambda store: store.answers.drop(ids)))


class _DumpHead(NamedTuple):
    """An entry of one server's dump, and its place among those of the others."""

    place: tuple[Any, ...]
    shard: int
    entry: DumpEntry


class ShardedAdmin:
    def __init__(self, shards: Shards) -> None:
        self._shards = shards

    def stamps(self, source: str, *, gone: bool = False) -> list[DocumentStamp]:
        every = self._shards.each(lambda store: store.admin.stamps(source, gone=gone))
        return self._shards.merged(every, lambda stamp: stamp.id)

    # -------------------------------------------------------------- moving

    def dump(self, *, after: str = "", vectors: bool = True) -> Iterator[DumpEntry]:
        """A cursor is how many sources were given out, and that of each server."""
        done, *cursors = _dump_from(after, len(self._shards.stores))
        dumps = [_begun(self._heads(n, at, vectors)) for n, at in enumerate(cursors)]
        sources = self._sources()
        for n in range(int(done), len(sources)):
            yield DumpEntry(json.dumps([str(n + 1), *cursors]), sources[n])
        place = attrgetter("place")
        for _, heads in groupby(heapq.merge(*dumps, key=place), place):
            same = list(heads)
            for head in same:
                cursors[head.shard] = head.entry.cursor
            yield DumpEntry(json.dumps([str(len(sources)), *cursors]), _joined(same))

    def _heads(self, number: int, after: str, vectors: bool) -> Iterator[_DumpHead]:
        dump = self._shards.stores[number].admin.dump(after=after or _NO_SOURCES, vectors=vectors)
        for entry in dump:
            yield _DumpHead(self._place(entry.item, number), number, entry)

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
        for one in self._shards.all(lambda store: store.known_sources()):
            found[one.name] = _better_told(found.get(one.name, one), one)
        return list(found.values())

    def load(self, items: Iterable[Item], *, replace: bool = False) -> LoadReport:
        given = list(items)
        wholes = of_type(given, WholeDocument)
        for whole in wholes:
            check(whole.put)
        named = {one.id for one in given if isinstance(one, Tombstone | History)}
        where = self._shards.where((whole.put.document for whole in wholes), named)

        def number(item: Item) -> int:
            return _number_of(item, where, len(self._shards.stores))

        def load(store: PostgresStore, some: Sequence[Item]) -> LoadReport:
            return store.admin.load(some, replace=replace)

        parts = group_by(number, self._new(given, replace))
        everywhere = parts.pop(_EVERYWHERE, [])
        every = [load(store, everywhere) for store in self._shards.stores]
        done = LoadReport(*map(max, zip(*every, strict=True)))
        return sum(self._shards.on(dict(sorted(parts.items())), load), done)

    def _new(self, items: Sequence[Item], replace: bool) -> Iterator[Item]:
        """Yields all but the sources that stay as they are: each server knows those it needs."""
        known = by_name(self._sources())

        def is_new(item: Item) -> bool:
            return not isinstance(item, Source) or not stays(
                known.get(item.name), item, replace=replace
            )

        return filter(is_new, items)

    # -------------------------------------------------------------- upkeep

    def check(self, *, full: bool = False) -> CheckReport:
        every = self._shards.each(lambda store: store.admin.check(full=full))
        findings, documents, sampled, recalls, writes, servers = zip(*every, strict=True)
        shares = grouped(chain.from_iterable(recall.items() for recall in recalls))
        return CheckReport(
            tuple(chain.from_iterable(findings)),
            sum(documents),
            sum(sampled),
            {model: min(some) for model, some in shares.items()},
            max(filter(None, writes), default=None),
            "; ".join(filter(None, servers)),
        )

    def refresh(self, *, rebuild: bool = False, filter: Filter = EVERYTHING) -> None:
        self._shards.each(lambda store: store.admin.refresh(rebuild=rebuild, filter=filter), filter)

    def models(self) -> dict[str, int]:
        return reduce(_summed, self._shards.each(lambda store: store.admin.models()))

    def twins(self, model: str, keys: Sequence[int]) -> dict[int, ports.Twin]:
        parts = self._shards.by_key(keys)
        return _united(self._shards.on(parts, lambda store, some: store.admin.twins(model, some)))

    def drop_vectors(self, model: str) -> int:
        return sum(self._shards.each(lambda store: store.admin.drop_vectors(model)))

    def behind(self) -> ReplicaLag | None:
        told = self._shards.each(lambda store: store.admin.behind())
        return max(filter(None, told), key=lambda lag: lag.seconds, default=None)


def _dump_from(after: str, count: int) -> list[str]:
    if not after:
        return ["0"] + [""] * count
    hint = "use the one of an item before"
    found = _listed(after, count + 1, hint)
    if not found[0].isdecimal():
        raise UsageError(f"{after!r} is not a cursor", hint=hint)
    return found


def _begun(dump: Iterator[T]) -> Iterator[T]:
    """Reads the first item: the server's snapshot is taken now, whenever the rest is read."""
    first = list(islice(dump, 1))
    return chain(first, dump)


def _joined(same: Sequence[_DumpHead]) -> Item:
    """Returns one item for what several servers have: of a history all that happened."""
    first = same[0].entry.item
    if not isinstance(first, History) or len(same) == 1:
        return first
    events = chain.from_iterable(
        head.entry.item.events for head in same if isinstance(head.entry.item, History)
    )
    return History(first.id, tuple(sorted(events, key=lambda event: event.at)))


def _number_of(item: Item, where: Mapping[str, int], count: int) -> int:
    """Returns the number of an item's server. The history of a document that is gone is on the
    server that its id is hashed to."""
    if isinstance(item, WholeDocument):
        return where[item.put.document.id]
    if isinstance(item, Recorded):
        return shard_of(item.owner, count)
    if isinstance(item, History):
        return where.get(item.id, shard_of(item.id, count))
    return where.get(item.id, _EVERYWHERE) if isinstance(item, Tombstone) else _EVERYWHERE
