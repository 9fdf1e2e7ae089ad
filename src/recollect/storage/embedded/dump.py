"""All of a record as items, and items as rows of a record: what goes out comes in as it was.

A cursor names the table and the last key of it that was given out.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from recollect.errors import StoreError, UsageError
from recollect.nouns import Event, Passage, Place, Put, Recorded, Source
from recollect.ports import DumpEntry, History, Item, LoadReport, Tombstone, WholeDocument
from recollect.storage.content import check, digest, unknown
from recollect.storage.embedded import answers
from recollect.storage.embedded.writer import RecordWriter

if TYPE_CHECKING:
    from recollect.storage.embedded.record import Record

_PARTS = "sdtha"
"""Sources, documents, tombstones, histories, answers: the order in which they can be loaded."""


def dumped(
    record: Record, db: sqlite3.Connection, after: str, vectors: bool
) -> Iterator[DumpEntry]:
    """Everything behind the cursor; the caller holds a snapshot."""
    part, _, key = after.partition(":")
    if after and (part not in _PARTS or (part in "sd" and not key.isdecimal())):
        raise UsageError(f"{after!r} is not a cursor", hint="use the one of an item before")
    models = dict(db.execute("SELECT id, key FROM models").fetchall())
    if part in ("", "s"):
        yield from _sources(db, int(key or 0))
        key = ""
    if part in ("", "s", "d"):
        for number in _keys(db, int(key or 0)):
            yield DumpEntry(f"d:{number}", whole(record, db, number, models if vectors else {}))
        key = ""
    if part in ("", "s", "d", "t"):
        for id, at in db.execute("SELECT id, at FROM tombstones WHERE id > ? ORDER BY id", (key,)):
            yield DumpEntry(f"t:{id}", Tombstone(id, datetime.fromtimestamp(at, UTC)))
        key = ""
    if part != "a":
        yield from _histories(db, key)
        key = ""
    for answer in answers.every(db, key):
        yield DumpEntry(f"a:{answer.id}", answer)


def _sources(db: sqlite3.Connection, after: int) -> Iterator[DumpEntry]:
    for id, name, kind, uri, stamp, places in db.execute(
        "SELECT id, name, kind, uri, stamp, places FROM sources WHERE id > ? ORDER BY id", (after,)
    ):
        gathered = tuple(Place(*place) for place in json.loads(places))
        yield DumpEntry(f"s:{id}", Source(name, kind, uri, stamp, gathered))


def _keys(db: sqlite3.Connection, after: int) -> Iterator[int]:
    for (key,) in db.execute("SELECT key FROM documents WHERE key > ? ORDER BY key", (after,)):
        yield key


def whole(
    record: Record, db: sqlite3.Connection, key: int, models: dict[int, str]
) -> WholeDocument:
    """A document with its passages, handles, and vectors of these models."""
    rows = db.execute(
        "SELECT key, n, text, heading, turn, role FROM passages WHERE document = ? ORDER BY n",
        (key,),
    ).fetchall()
    passages = tuple(
        Passage(n, text, head, turn, record.label(r)) for _, n, text, head, turn, r in rows
    )
    handles = db.execute("SELECT handle FROM handles WHERE document = ? ORDER BY 1", (key,))
    put = Put(record.document(key), passages, tuple(handle for (handle,) in handles))
    vectors: dict[str, dict[int, bytes]] = {}
    for passage, n, *_ in rows if models else ():
        for model, blob in db.execute(
            "SELECT model, vector FROM vectors WHERE passage = ? ORDER BY model", (passage,)
        ):
            vectors.setdefault(models[model], {})[n] = blob
    return WholeDocument(put, vectors)


def _histories(db: sqlite3.Connection, after: str) -> Iterator[DumpEntry]:
    id, events = "", list[Event]()
    for name, seq, action, at in db.execute(
        "SELECT id, seq, action, at FROM events WHERE id > ? ORDER BY id, seq", (after,)
    ):
        if name != id and events:
            yield DumpEntry(f"h:{id}", History(id, tuple(events)))
            events = []
        id = name
        events.append(Event(seq, datetime.fromtimestamp(at, UTC), action, id))
    if events:
        yield DumpEntry(f"h:{id}", History(id, tuple(events)))


# ------------------------------------------------------------------ loading


class EmbeddedLoader:
    """Items as rows, within the transaction of its writer."""

    def __init__(
        self,
        db: sqlite3.Connection,
        writer: RecordWriter,
        history: Callable[[str], list[Event]],
        replace: bool,
    ) -> None:
        self._db = db
        self._writer = writer
        self._history = history
        self._replace = replace
        self._models: dict[str, tuple[int, int]] = {}

    def load(self, item: Item) -> LoadReport:
        if isinstance(item, WholeDocument):
            return self._document(item)
        if isinstance(item, Source):
            return self._source(item)
        if isinstance(item, Tombstone):
            return self._tombstone(item)
        if isinstance(item, History):
            return self._events(item)
        return self._answer(item)

    def _one(self, sql: str, *values: Any) -> Any:
        return self._db.execute(sql, values).fetchone()

    def _source(self, source: Source) -> LoadReport:
        row = self._one("SELECT kind, uri, stamp, places FROM sources WHERE name = ?", source.name)
        if row and (not self._replace or row == (*source[1:4], json.dumps(source.places))):
            return LoadReport()
        self._writer.register(source)
        return LoadReport(sources=1)

    def _document(self, whole: WholeDocument) -> LoadReport:
        check(whole.put)
        id, made = whole.put.document.id, digest(whole.put)
        row = self._one("SELECT digest FROM documents WHERE id = ?", id)
        done = LoadReport(unchanged=1)
        if row is None and self._one("SELECT 1 FROM tombstones WHERE id = ?", id):
            return LoadReport(forgotten=1)
        if row is None or row[0] != made:
            if row and not self._replace:
                return LoadReport(different=1)
            self._writer.put(whole.put, made, logged=False)
            done = LoadReport(documents=1)
        if not whole.vectors:
            return done
        self._writer.flush()
        keys = dict(
            self._db.execute(
                "SELECT n, key FROM passages WHERE document = "
                "(SELECT key FROM documents WHERE id = ?)",
                (id,),
            ).fetchall()
        )
        for model, by_number in whole.vectors.items():
            for n, blob in by_number.items():
                if n in keys:
                    done += LoadReport(vectors=self._vector(model, keys[n], blob))
        if done.vectors:
            self._writer.touch(id)
        return done

    def _vector(self, model: str, passage: int, blob: bytes) -> int:
        if model not in self._models:
            self._db.execute(
                "INSERT INTO models (key, dimensions) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (model, len(blob) // 2),
            )
            self._models[model] = self._one(
                "SELECT id, dimensions FROM models WHERE key = ?", model
            )
        id, dimensions = self._models[model]
        if len(blob) != 2 * dimensions:
            raise StoreError(
                f"{model}: a vector has {len(blob) / 2:g} dimensions, the stored ones {dimensions}",
                hint="these are different models; load it without its vectors",
            )
        return self._writer.vector(id, passage, blob)

    def _tombstone(self, tombstone: Tombstone) -> LoadReport:
        if self._one("SELECT 1 FROM tombstones WHERE id = ?", tombstone.id):
            return LoadReport()
        if self._one("SELECT 1 FROM documents WHERE id = ?", tombstone.id):
            if not self._replace:
                return LoadReport(different=1)
            self._writer.remove(tombstone.id, logged=False)
        self._db.execute(
            "INSERT INTO tombstones VALUES (?, ?)", (tombstone.id, tombstone.at.timestamp())
        )
        return LoadReport(tombstones=1)

    def _events(self, history: History) -> LoadReport:
        known = [(event.action, event.at) for event in self._history(history.id)]
        new = unknown(history.events, known)
        for event in new:
            self._writer.event(event.id, event.action, event.at.timestamp())
        return LoadReport(events=len(new))

    def _answer(self, answer: Recorded) -> LoadReport:
        known = answers.one(self._db, answer.id)
        if known is not None and (known == answer or not self._replace):
            return LoadReport()
        answers.keep(self._db, answer)
        return LoadReport(answers=1)
