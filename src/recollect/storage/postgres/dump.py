"""All of a store as items, and items as rows: what goes out comes in as it was.

A cursor names the part and the last key of it that was given out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from recollect.errors import UsageError
from recollect.nouns import ChangeSet, Event, Passage, Put, Recorded, Register, Source
from recollect.ports import DumpEntry, History, Item, LoadReport, Tombstone, WholeDocument
from recollect.storage.content import unknown
from recollect.storage.postgres import answers, bulk, vectors
from recollect.storage.postgres.connection import Db
from recollect.storage.postgres.owners import Owners
from recollect.storage.postgres.record import RecordReader
from recollect.storage.postgres.rows import given, owner_of, stored
from recollect.storage.postgres.writer import Action, Changes, Writing

_PARTS = "sdtha"
"""Sources, documents, tombstones, histories, answers: the order in which they can be loaded."""
_MANY = 500


def dumped(
    db: Db, owners: Owners, record: RecordReader, after: str, with_vectors: bool
) -> Iterator[Any]:
    """Everything behind the cursor; the caller holds a snapshot."""
    part, _, key = after.partition(":")
    if after and (part not in _PARTS or (part in "sd" and not key.isdecimal())):
        raise UsageError(f"{after!r} is not a cursor", hint="use the one of an item before")
    start = _PARTS.index(part) if after else 0
    for n, name in enumerate(_PARTS[start:], start):
        behind = key if n == start else ""
        if name == "s":
            yield from _sources(db, record, behind)
        elif name == "d":
            yield from _documents(db, owners, record, int(behind or 0), with_vectors)
        elif name == "t":
            yield from _tombstones(db, owners, behind)
        elif name == "h":
            yield from _histories(db, owners, behind)
        else:
            for one in answers.every(db, owners, behind):
                yield DumpEntry(f"a:{one.id}", one)


def _sources(db: Db, record: RecordReader, after: str) -> Iterator[DumpEntry]:
    for n, one in enumerate(record.sources(db), 1):
        if n > int(after or 0):
            source = Source(one.name, one.kind, one.uri, one.stamp, one.places)
            yield DumpEntry(f"s:{n}", source)


def _documents(
    db: Db, owners: Owners, record: RecordReader, after: int, with_vectors: bool
) -> Iterator[DumpEntry]:
    while True:
        keys = [
            key
            for (key,) in db.execute(
                f"SELECT key FROM documents WHERE owner = ANY({owners.seen}) AND key > %s "
                f"ORDER BY key LIMIT {_MANY}",
                (after,),
            )
        ]
        if not keys:
            return
        for key, whole in zip(keys, wholes(db, record, keys, with_vectors), strict=True):
            yield DumpEntry(f"d:{key}", whole)
        after = keys[-1]


def wholes(
    db: Db, record: RecordReader, keys: Sequence[int], with_vectors: bool
) -> list[WholeDocument]:
    """These documents with their passages, handles and vectors."""
    place = (sorted({owner_of(key) for key in keys}), list(keys))
    among = "owner = ANY(%s) AND document = ANY(%s)"
    passages: dict[int, list[Passage]] = {}
    for key, n, text, heading, turn, role in db.execute(
        f"SELECT document, n, text, heading, turn, role FROM passages WHERE {among} "
        "ORDER BY document, n",
        place,
    ):
        one = Passage(n, given(text), given(heading), turn, given(role))
        passages.setdefault(key, []).append(one)
    handles: dict[int, list[str]] = {}
    for key, handle in db.execute(
        f"SELECT document, handle FROM handles WHERE {among} ORDER BY handle", place
    ):
        handles.setdefault(key, []).append(given(handle))
    made = _vectors(db, place) if with_vectors else {}
    return [
        WholeDocument(
            Put(document, tuple(passages.get(key, ())), tuple(handles.get(key, ()))),
            made.get(key, {}),
        )
        for key, document in zip(keys, record.whole(db, keys), strict=True)
    ]


def _vectors(db: Db, place: Any) -> dict[int, dict[str, dict[int, bytes]]]:
    found: dict[int, dict[str, dict[int, bytes]]] = {}
    for model in vectors.models(db):
        for document, n, vector in db.execute(
            f"SELECT p.document, p.n, v.v::text FROM passages p JOIN {model.table} v "
            "ON v.owner = p.owner AND v.passage = p.key "
            "WHERE p.owner = ANY(%s) AND p.document = ANY(%s) ORDER BY p.document, p.n",
            place,
        ):
            numbers = np.array(vector[1:-1].split(","), np.float32).astype("<f2")
            found.setdefault(document, {}).setdefault(model.key, {})[n] = numbers.tobytes()
    return found


def _tombstones(db: Db, owners: Owners, after: str) -> Iterator[DumpEntry]:
    for id, at in db.execute(
        f"SELECT id, at FROM tombstones WHERE owner = ANY({owners.seen}) AND id > %s ORDER BY id",
        (stored(after),),
    ).fetchall():
        yield DumpEntry(f"t:{given(id)}", Tombstone(given(id), datetime.fromtimestamp(at, UTC)))


def _histories(db: Db, owners: Owners, after: str) -> Iterator[DumpEntry]:
    with db.cursor(name="recollect_events") as cursor:
        cursor.execute(
            "SELECT id, seq, action, at FROM events "
            f"WHERE owner = ANY({owners.seen}) AND id > %s ORDER BY id, seq",
            (stored(after),),
        )
        id, events = "", list[Event]()
        for name, seq, action, at in cursor:
            if given(name) != id and events:
                yield DumpEntry(f"h:{id}", History(id, tuple(events)))
                events = []
            id = given(name)
            events.append(Event(seq, datetime.fromtimestamp(at, UTC), action, id))
        if events:
            yield DumpEntry(f"h:{id}", History(id, tuple(events)))


# ------------------------------------------------------------------ loading


def dimensions(items: Sequence[Item]) -> dict[str, int]:
    """The models whose vectors are among the items, and how long those are."""
    return {
        model: len(blob) // 2
        for item in items
        if isinstance(item, WholeDocument)
        for model, by_number in item.vectors.items()
        for blob in by_number.values()
    }


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
        wholes = [item for item in items if isinstance(item, WholeDocument)]
        buried = [item for item in items if isinstance(item, Tombstone)]
        puts = Changes(ChangeSet(tuple(whole.put for whole in wholes)), self._owners)
        numbers, known, forgotten = puts.begin(self._db, [one.id for one in buried])
        have = {id: one.digest for id, one in known.items()}
        writing = Writing(self._db, self._owners, numbers, puts.terms, logged=False)
        done = LoadReport()
        actions: list[Action] = []
        kept: list[WholeDocument] = []
        for whole, made in zip(wholes, puts.digests, strict=True):
            id = whole.put.document.id
            if id not in have and id in forgotten:
                done += LoadReport(forgotten=1)
                continue
            if have.get(id) == made:
                done += LoadReport(unchanged=1)
            elif id in have and not self._replace:
                done += LoadReport(different=1)
                continue
            else:
                did = "changed" if id in have else "added"
                actions.append(Action(did, id, whole.put, made))
                have[id] = made
                done += LoadReport(documents=1)
            kept.append(whole)
        for one in buried:
            if one.id in forgotten:
                continue
            if one.id in have and not self._replace:
                done += LoadReport(different=1)
                continue
            did = "forgotten" if have.pop(one.id, None) else ""
            actions.append(Action(did, one.id, forget=True, at=one.at.timestamp()))
            done += LoadReport(tombstones=1)
        writing.write_all(actions, known, puts)
        done += LoadReport(vectors=self._vectors(kept))
        for item in items:
            if isinstance(item, Source):
                done += self._source(item, writing)
            elif isinstance(item, Recorded):
                done += self._answer(item)
        done += self._events([item for item in items if isinstance(item, History)])
        writing.finish()
        return done

    def _vectors(self, wholes: Sequence[WholeDocument]) -> int:
        rows = self._db.execute(
            "SELECT d.id, p.n, p.key FROM documents d JOIN passages p ON p.owner = d.owner "
            f"AND p.document = d.key WHERE d.owner = ANY({self._owners.seen}) AND d.id = ANY(%s)",
            ([whole.put.document.id for whole in wholes if whole.vectors],),
        )
        keys = {(id, n): key for id, n, key in rows}
        by_model: dict[str, dict[int, bytes]] = {}
        for whole in wholes:
            for model, by_number in whole.vectors.items():
                for n, blob in by_number.items():
                    key = keys.get((whole.put.document.id, n))
                    if key is not None:
                        by_model.setdefault(model, {})[key] = blob
        return sum(self._tables.load(self._db, m, blobs) for m, blobs in by_model.items())

    def _source(self, source: Source, writing: Writing) -> LoadReport:
        for one in self._record.sources(self._db):
            if one.name == source.name:
                known = Source(one.name, one.kind, one.uri, one.stamp, one.places)
                if known == source or not self._replace:
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
        if known is not None and (known == answer or not self._replace):
            return LoadReport()
        answers.keep(self._db, self._owners, answer)
        return LoadReport(answers=1)
