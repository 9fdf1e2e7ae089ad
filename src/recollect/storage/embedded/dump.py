"""All of a record as items, and items as rows of a record: what goes out comes in as it was."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import groupby, starmap
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from recollect.errors import StoreError
from recollect.named_tuple import NamedTuple
from recollect.nouns import Event, Passage, Place, Put, Recorded, Source
from recollect.ports import DumpEntry, History, Item, LoadReport, Tombstone, WholeDocument
from recollect.storage.content import (
    burying,
    check,
    digest,
    dump_from,
    loading,
    stays,
    unknown,
)
from recollect.storage.embedded import answers
from recollect.storage.embedded.writer import RecordWriter

if TYPE_CHECKING:
    from recollect.storage.embedded.record import Record


class _RecordDump(NamedTuple):
    """A record that is dumped, within a snapshot of it."""

    record: Record
    models: dict[int, str]
    """Those whose vectors are given out, by their numbers."""

    def rows(self, select: str, after: int | str) -> sqlite3.Cursor:
        return self.record.db.execute(select, (after,))


def dumped(record: Record, after: str, vectors: bool) -> Iterator[DumpEntry]:
    """Yields everything behind the cursor; the caller holds a snapshot."""
    parts, key = dump_from(after)
    models = dict(record.db.execute("SELECT id, key FROM models").fetchall()) if vectors else {}
    for part in parts:
        yield from _DUMPED[part](_RecordDump(record, models), key)
        key = ""


def _sources(dump: _RecordDump, after: str) -> Iterator[DumpEntry]:
    select = "SELECT id, name, kind, uri, stamp, places FROM sources WHERE id > ? ORDER BY id"
    for id, name, kind, uri, stamp, places in dump.rows(select, int(after or 0)):
        gathered = tuple(starmap(Place, json.loads(places)))
        yield DumpEntry(f"s:{id}", Source(name, kind, uri, stamp, gathered))


def _documents(dump: _RecordDump, after: str) -> Iterator[DumpEntry]:
    select = "SELECT key FROM documents WHERE key > ? ORDER BY key"
    for (key,) in dump.rows(select, int(after or 0)):
        yield DumpEntry(f"d:{key}", whole(dump.record, dump.record.db, key, dump.models))


def _tombstones(dump: _RecordDump, after: str) -> Iterator[DumpEntry]:
    for id, at in dump.rows("SELECT id, at FROM tombstones WHERE id > ? ORDER BY id", after):
        yield DumpEntry(f"t:{id}", Tombstone(id, datetime.fromtimestamp(at, UTC)))


def _histories(dump: _RecordDump, after: str) -> Iterator[DumpEntry]:
    select = "SELECT id, seq, action, at FROM events WHERE id > ? ORDER BY id, seq"
    for id, rows in groupby(dump.rows(select, after), key=itemgetter(0)):
        events = [Event(seq, datetime.fromtimestamp(at, UTC), did, id) for _, seq, did, at in rows]
        yield DumpEntry(f"h:{id}", History(id, tuple(events)))


def _answers(dump: _RecordDump, after: str) -> Iterator[DumpEntry]:
    for answer in answers.every(dump.record.db, after):
        yield DumpEntry(f"a:{answer.id}", answer)


_DUMPED: Mapping[str, Callable[[_RecordDump, str], Iterator[DumpEntry]]] = {
    "s": _sources,
    "d": _documents,
    "t": _tombstones,
    "h": _histories,
    "a": _answers,
}


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
    sentences: dict[str, dict[int, bytes]] = {}
    for passage, n, *_ in rows if models else ():
        for model, blob, signs in db.execute(
            "SELECT model, vector, sentences FROM vectors WHERE passage = ? ORDER BY model",
            (passage,),
        ):
            if isinstance(blob, bytes):  # damage may make it anything; it is embedded again
                vectors.setdefault(models[model], {})[n] = blob
            if isinstance(blob, bytes) and isinstance(signs, bytes):
                sentences.setdefault(models[model], {})[n] = signs
    return WholeDocument(put, vectors, sentences)


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
        self._loaders: Mapping[type, Callable[[Any], LoadReport]] = {
            Source: self._source,
            WholeDocument: self._document,
            Tombstone: self._tombstone,
            History: self._events,
            Recorded: self._answer,
        }

    def load(self, item: Item) -> LoadReport:
        return self._loaders[type(item)](item)

    def _one(self, sql: str, *values: Any) -> Any:
        return self._db.execute(sql, values).fetchone()

    def _source(self, source: Source) -> LoadReport:
        row = self._one("SELECT kind, uri, stamp, places FROM sources WHERE name = ?", source.name)
        given = (*source[1:4], json.dumps(source.places))
        if stays(row, given, replace=self._replace):
            return LoadReport()
        self._writer.register(source)
        return LoadReport(sources=1)

    def _document(self, whole: WholeDocument) -> LoadReport:
        check(whole.put)
        id, made = whole.put.document.id, digest(whole.put)
        (known,) = self._one("SELECT digest FROM documents WHERE id = ?", id) or (None,)
        done = loading(known, made, buried=self._is_buried(id), replace=self._replace)
        if done.forgotten or done.different:
            return done
        if done.documents:
            self._writer.put(whole.put, made, logged=False)
        vectors = self._vectors(id, whole) if whole.vectors else 0
        return done._replace(vectors=vectors)

    def _is_buried(self, id: str) -> bool:
        return self._one("SELECT 1 FROM tombstones WHERE id = ?", id) is not None

    def _vectors(self, id: str, whole: WholeDocument) -> int:
        self._writer.flush()
        keys = dict(
            self._db.execute(
                "SELECT n, key FROM passages WHERE document = "
                "(SELECT key FROM documents WHERE id = ?)",
                (id,),
            ).fetchall()
        )
        added = sum(
            self._vector(model, keys[n], blob, whole.sentences.get(model, {}).get(n))
            for model, by_number in whole.vectors.items()
            for n, blob in by_number.items()
            if n in keys
        )
        if added:
            self._writer.touch(id)
        return added

    def _vector(self, model: str, passage: int, blob: bytes, sentences: bytes | None) -> int:
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
        return self._writer.vector(id, passage, blob, sentences or None)

    def _tombstone(self, tombstone: Tombstone) -> LoadReport:
        there = self._one("SELECT 1 FROM documents WHERE id = ?", tombstone.id) is not None
        buried = self._is_buried(tombstone.id)
        done = burying(buried=buried, there=there, replace=self._replace)
        if done.tombstones:
            self._writer.remove(tombstone.id, logged=False)
            row = (tombstone.id, tombstone.at.timestamp())
            self._db.execute("INSERT INTO tombstones VALUES (?, ?)", row)
        return done

    def _events(self, history: History) -> LoadReport:
        known = [(event.action, event.at) for event in self._history(history.id)]
        new = unknown(history.events, known)
        for event in new:
            self._writer.event(event.id, event.action, event.at.timestamp())
        return LoadReport(events=len(new))

    def _answer(self, answer: Recorded) -> LoadReport:
        if stays(answers.one(self._db, answer.id), answer, replace=self._replace):
            return LoadReport()
        answers.keep(self._db, answer)
        return LoadReport(answers=1)
