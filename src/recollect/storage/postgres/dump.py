"""All of a store as items, and items as rows: what goes out comes in as it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    ChangeSet,
    Event,
    Passage,
    Put,
    Recorded,
    Register,
    Source,
    grouped,
    of_type,
)
from recollect.ports import DumpEntry, History, Item, LoadReport, Tombstone, WholeDocument
from recollect.storage.content import burying, dump_from, loading, stays, unknown
from recollect.storage.postgres import answers, bulk, vectors
from recollect.storage.postgres.connection import Db, firsts
from recollect.storage.postgres.owners import Owners
from recollect.storage.postgres.record import RecordReader
from recollect.storage.postgres.rows import given, owners_of, stored
from recollect.storage.postgres.writer import Action, Changes, Writing

_MANY = 500


class _Dump(NamedTuple):
    """A store that is dumped, within a snapshot of it."""

    db: Db
    owners: Owners
    record: RecordReader
    vectors: bool


def dumped(
    db: Db, owners: Owners, record: RecordReader, after: str, with_vectors: bool
) -> Iterator[DumpEntry]:
    """Yields everything behind the cursor; the caller holds a snapshot."""
    parts, key = dump_from(after)
    for part in parts:
        yield from _DUMPED[part](_Dump(db, owners, record, with_vectors), key)
        key = ""


def _sources(dump: _Dump, after: str) -> Iterator[DumpEntry]:
    start = int(after or 0)
    for n, one in enumerate(dump.record.sources(dump.db)[start:], start + 1):
        source = Source(one.name, one.kind, one.uri, one.stamp, one.places)
        yield DumpEntry(f"s:{n}", source)


def _documents(dump: _Dump, after: str) -> Iterator[DumpEntry]:
    last = int(after or 0)
    while keys := _keys(dump, last):
        found = wholes(dump.db, dump.record, keys, dump.vectors)
        for key, whole in zip(keys, found, strict=True):
            yield DumpEntry(f"d:{key}", whole)
        last = keys[-1]


def _keys(dump: _Dump, after: int) -> list[int]:
    rows = dump.db.execute(
        f"SELECT key FROM documents WHERE owner = ANY({dump.owners.seen}) AND key > %s "
        f"ORDER BY key LIMIT {_MANY}",
        (after,),
    )
    return firsts(rows)


def _tombstones(dump: _Dump, after: str) -> Iterator[DumpEntry]:
    for id, at in dump.db.execute(
        f"SELECT id, at FROM tombstones WHERE owner = ANY({dump.owners.seen}) AND id > %s "
        "ORDER BY id",
        (stored(after),),
    ).fetchall():
        yield DumpEntry(f"t:{given(id)}", Tombstone(given(id), datetime.fromtimestamp(at, UTC)))


def _histories(dump: _Dump, after: str) -> Iterator[DumpEntry]:
    with dump.db.cursor(name="recollect_events") as cursor:
        cursor.execute(
            "SELECT id, seq, action, at FROM events "
            f"WHERE owner = ANY({dump.owners.seen}) AND id > %s ORDER BY id, seq",
            (stored(after),),
        )
        for name, rows in groupby(cursor, key=itemgetter(0)):
            id = given(name)
            events = [Event(n, datetime.fromtimestamp(at, UTC), did, id) for _, n, did, at in rows]
            yield DumpEntry(f"h:{id}", History(id, tuple(events)))


def _answers(dump: _Dump, after: str) -> Iterator[DumpEntry]:
    for one in answers.every(dump.db, dump.owners, after):
        yield DumpEntry(f"a:{one.id}", one)


_DUMPED: Mapping[str, Callable[[_Dump, str], Iterator[DumpEntry]]] = {
    "s": _sources,
    "d": _documents,
    "t": _tombstones,
    "h": _histories,
    "a": _answers,
}


def wholes(
    db: Db, record: RecordReader, keys: Sequence[int], with_vectors: bool
) -> list[WholeDocument]:
    """These documents with their passages, handles and vectors."""
    place = (owners_of(keys), list(keys))
    among = "owner = ANY(%s) AND document = ANY(%s)"
    passages: dict[int, list[Passage]] = {}
    for key, n, text, heading, turn, role in db.execute(
        f"SELECT document, n, text, heading, turn, role FROM passages WHERE {among} "
        "ORDER BY document, n",
        place,
    ):
        one = Passage(n, given(text), given(heading), turn, given(role))
        passages.setdefault(key, []).append(one)
    select = f"SELECT document, handle FROM handles WHERE {among} ORDER BY handle"
    handles = grouped((key, given(handle)) for key, handle in db.execute(select, place))
    made = _vectors(db, place) if with_vectors else {}
    return [
        WholeDocument(
            Put(document, tuple(passages.get(key, ())), tuple(handles.get(key, ()))),
            *made.get(key, ({}, {})),
        )
        for key, document in zip(keys, record.whole(db, keys), strict=True)
    ]


_ByModel = dict[str, dict[int, bytes]]


def _vectors(db: Db, place: Any) -> dict[int, tuple[_ByModel, _ByModel]]:
    """The vectors of each document and the signs of their sentences, by model and number."""
    found: dict[int, tuple[_ByModel, _ByModel]] = {}
    for model in vectors.models(db):
        for document, n, vector, signs in db.execute(
            f"SELECT p.document, p.n, v.v::text, v.sentences FROM passages p JOIN {model.table} v "
            "ON v.owner = p.owner AND v.passage = p.key "
            "WHERE p.owner = ANY(%s) AND p.document = ANY(%s) ORDER BY p.document, p.n",
            place,
        ):
            made, sentences = found.setdefault(document, ({}, {}))
            numbers = np.array(vector[1:-1].split(","), np.float32).astype("<f2")
            made.setdefault(model.key, {})[n] = numbers.tobytes()
            if signs is not None:
                sentences.setdefault(model.key, {})[n] = signs
    return found


# ------------------------------------------------------------------ loading


def dimensions(items: Sequence[Item]) -> dict[str, int]:
    """The models whose vectors are among the items, and how long those are."""
    return {
        model: len(blob) // 2
        for whole in of_type(items, WholeDocument)
        for model, by_number in whole.vectors.items()
        for blob in by_number.values()
    }


class _Planned:
    """What is to be written of the documents and tombstones that are loaded."""

    def __init__(self, have: dict[str, bytes], forgotten: Collection[str], replace: bool) -> None:
        self._have = have
        self._forgotten = forgotten
        self._replace = replace
        self.actions: list[Action] = []
        self.kept: list[WholeDocument] = []
        self.done = LoadReport()

    def document(self, whole: WholeDocument, made: bytes) -> None:
        id = whole.put.document.id
        known, buried = self._have.get(id), id in self._forgotten
        done = loading(known, made, buried=buried, replace=self._replace)
        self.done += done
        if done.documents:
            did = "changed" if known else "added"
            self.actions.append(Action(did, id, whole.put, made))
            self._have[id] = made
        if done.documents or done.unchanged:
            self.kept.append(whole)

    def tombstone(self, tombstone: Tombstone) -> None:
        id = tombstone.id
        there, buried = id in self._have, id in self._forgotten
        done = burying(buried=buried, there=there, replace=self._replace)
        self.done += done
        if done.tombstones:
            did = "forgotten" if self._have.pop(id, None) else ""
            self.actions.append(Action(did, id, forget=True, at=tombstone.at.timestamp()))


class PostgresLoader:
    """Items as rows, in one transaction."""

    def __init__(
        self,
        db: Db,
        owners: Owners,
        record: RecordReader,
        tables: vectors.VectorTables,
        replace: bool,
    ) -> None:
        self._db = db
        self._owners = owners
        self._record = record
        self._tables = tables
        self._replace = replace

    def load(self, items: Sequence[Item]) -> LoadReport:
        wholes = of_type(items, WholeDocument)
        buried = of_type(items, Tombstone)
        puts = Changes(ChangeSet(tuple(whole.put for whole in wholes)), self._owners)
        numbers, known, forgotten = puts.begin(self._db, [one.id for one in buried])
        have = {id: one.digest for id, one in known.items()}
        writing = Writing(self._db, self._owners, numbers, puts.terms, logged=False)
        planned = _Planned(have, forgotten, self._replace)
        for whole, made in zip(wholes, puts.digests, strict=True):
            planned.document(whole, made)
        for one in buried:
            planned.tombstone(one)
        writing.write_all(planned.actions, known, puts)
        done = planned.done + LoadReport(vectors=self._vectors(planned.kept))
        done = sum((self._source(one, writing) for one in of_type(items, Source)), done)
        done = sum(map(self._answer, of_type(items, Recorded)), done)
        done += self._events(of_type(items, History))
        writing.finish()
        return done

    def _vectors(self, wholes: Sequence[WholeDocument]) -> int:
        rows = self._db.execute(
            "SELECT d.id, p.n, p.key FROM documents d JOIN passages p ON p.owner = d.owner "
            f"AND p.document = d.key WHERE d.owner = ANY({self._owners.seen}) AND d.id = ANY(%s)",
            ([whole.put.document.id for whole in wholes if whole.vectors],),
        )
        keys = {(id, n): key for id, n, key in rows}
        made: dict[str, dict[int, bytes]] = {}
        sentences: dict[str, dict[int, bytes]] = {}
        for whole in wholes:
            id = whole.put.document.id
            for every, by_model in ((made, whole.vectors), (sentences, whole.sentences)):
                for model, by_number in by_model.items():
                    found = {keys[id, n]: blob for n, blob in by_number.items() if (id, n) in keys}
                    every.setdefault(model, {}).update(found)
        return sum(
            self._tables.load(self._db, model, blobs, sentences.get(model, {}))
            for model, blobs in made.items()
        )

    def _source(self, source: Source, writing: Writing) -> LoadReport:
        known = {
            one.name: Source(one.name, one.kind, one.uri, one.stamp, one.places)
            for one in self._record.sources(self._db)
        }
        if stays(known.get(source.name), source, replace=self._replace):
            return LoadReport()
        writing.register(Register(source))
        return LoadReport(sources=1)

    def _events(self, histories: Sequence[History]) -> LoadReport:
        """What is not known yet of these, with the owner of the document, if it is there."""
        if not histories:
            return LoadReport()
        ids = [stored(history.id) for history in histories]
        known: dict[str, Counter[tuple[str, datetime]]] = {}
        for id, action, at in self._db.execute(
            "SELECT id, action, at FROM events "
            f"WHERE owner = ANY({self._owners.seen}) AND id = ANY(%s)",
            (ids,),
        ):
            had = known.setdefault(given(id), Counter())
            had[action, datetime.fromtimestamp(at, UTC)] += 1
        new: list[Event] = []
        for history in histories:
            had = known.setdefault(history.id, Counter())
            some = unknown(history.events, had)
            had.update((event.action, event.at) for event in some)
            new += some
        if new:
            self._insert(new, ids)
        return LoadReport(events=len(new))

    def _insert(self, events: Sequence[Event], ids: Sequence[str]) -> None:
        owners: dict[str, int] = dict(
            self._db.execute(
                "SELECT id, owner FROM documents "
                f"WHERE owner = ANY({self._owners.seen}) AND id = ANY(%s)",
                (list(ids),),
            ).fetchall()
        )
        home = self._owners.home(self._db)
        numbers = self._db.execute(
            "SELECT nextval('changes') FROM generate_series(1, %s)", (len(events),)
        ).fetchall()
        rows = (
            (owners.get(id, home), seq, id, event.action, event.at.timestamp())
            for (seq,), event in zip(numbers, events, strict=True)
            for id in (stored(event.id),)
        )
        bulk.insert(self._db, self._owners.walled, "events", "owner, seq, id, action, at", rows)

    def _answer(self, answer: Recorded) -> LoadReport:
        known = answers.one(self._db, self._owners, answer.id)
        if stays(known, answer, replace=self._replace):
            return LoadReport()
        answers.keep(self._db, self._owners, answer)
        return LoadReport(answers=1)
