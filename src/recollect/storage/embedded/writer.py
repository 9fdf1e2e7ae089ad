"""The changes of one transaction, as rows."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.nouns import Document, Put, Receipt, Source
from recollect.storage.embedded.queries import scalar
from recollect.storage.embedded.rows import RecordState
from recollect.storage.filters import label_of
from recollect.storage.times import micros
from recollect.text.lexical import indexed_text


class _Wall(NamedTuple):
    """What a source has of an owner in the same scopes, by labels."""

    owner: int
    scopes: int
    source: int


_SavedVector = tuple[int, bytes, bytes | None]
"""Model, vector, and the signs of its sentences, of a passage that is gone."""


class RecordWriter:
    """The changes of one transaction. Numbers are taken from the sequence as they are needed
    and written back once, at the end; so are rows that nothing reads before."""

    def __init__(
        self, db: sqlite3.Connection, label: Callable[[str, str], int], state: RecordState
    ) -> None:
        self._db = db
        self._label = label
        self._seq = state.seq
        self._count = state.passages
        self._characters = state.characters
        self._touched: dict[int, int] = {}
        self._walls: dict[_Wall, Counter[str]] = {}
        self._moved: list[_Wall] = []
        """Where documents came or went whose change has no number yet."""
        self._sources: dict[str, int] = {}
        self._scope_sets: dict[tuple[str, ...], int] = {}
        self._passages: list[tuple[Any, ...]] = []
        self._events: list[tuple[Any, ...]] = []
        self._vectors: dict[int, int] = {}
        self._now = time.time()
        self._tombstones = db.execute("SELECT 1 FROM tombstones LIMIT 1").fetchone() is not None
        self._done: dict[str, Any] = {
            "added": 0,
            "changed": 0,
            "unchanged": 0,
            "forgotten": 0,
            "removed": 0,
            "tombstoned": 0,
        }

    @property
    def receipt(self) -> Receipt:
        return Receipt(**self._done)

    def _next(self) -> int:
        self._seq += 1
        return self._seq

    def finish(self) -> None:
        self.flush()
        self._db.executemany("INSERT INTO events VALUES (?, ?, ?, ?)", self._events)
        self._db.executemany(
            "UPDATE sources SET seq = ? WHERE id = ?",
            [(seq, source) for source, seq in self._touched.items()],
        )
        self._db.executemany(
            "INSERT INTO walls VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
            "seq = excluded.seq, documents = documents + excluded.documents, "
            "passages = passages + excluded.passages, "
            "characters = characters + excluded.characters",
            [
                (*wall, more["seq"], more["documents"], more["passages"], more["characters"])
                for wall, more in self._walls.items()
            ],
        )
        self._db.executemany(
            "UPDATE models SET vectors = vectors + ? WHERE id = ?",
            [(more, model) for model, more in self._vectors.items()],
        )
        self._db.execute(
            "UPDATE state SET seq = ?, passages = ?, characters = ?",
            (self._seq, self._count, self._characters),
        )

    def flush(self) -> None:
        """Write the passages that wait."""
        self._db.executemany(
            "INSERT INTO passages (key, document, n, turn, role, heading, text) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            self._passages,
        )
        self._passages.clear()

    def register(self, source: Source) -> None:
        self._db.execute(
            "INSERT INTO sources (name, kind, uri, stamp, places) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, uri = excluded.uri, "
            "stamp = excluded.stamp, places = excluded.places",
            (*source[:4], json.dumps(source.places)),
        )

    def _source(self, name: str) -> int:
        if name not in self._sources:
            self._db.execute(
                "INSERT INTO sources (name, kind, uri, stamp) VALUES (?, 'caller', '', '') "
                "ON CONFLICT (name) DO NOTHING",
                (name,),
            )
            select = "SELECT id FROM sources WHERE name = ?"
            self._sources[name] = scalar(self._db, select, (name,))
        return self._sources[name]

    def put(self, put: Put, made: bytes, *, logged: bool = True) -> None:
        document, id = put.document, put.document.id
        old = self._db.execute(
            "SELECT key, digest, stamp FROM documents WHERE id = ?", (id,)
        ).fetchone()
        if old and old[1] == made:
            if old[2] != document.stamp:
                self._db.execute(
                    "UPDATE documents SET stamp = ? WHERE key = ?", (document.stamp, old[0])
                )
            self._done["unchanged"] += 1
            return
        if self._tombstones and not old and self._is_forgotten(id):
            self._done["tombstoned"] += 1
            return
        saved = self._drop(old[0]) if old else {}
        key = old[0] if old else self._next()
        source = self._source(document.source)
        wall = _Wall(self._label("owner", document.owner), self._scopes(document.scopes), source)
        self._put_document(key, id, wall, document, made)
        self._put_passages(key, put, saved)
        self._count_wall(wall, 1, [p.text for p in put.passages])
        self._db.executemany(
            "INSERT INTO handles VALUES (?, ?)", [(handle, key) for handle in set(put.handles)]
        )
        self._log(id, "changed" if old else "added", source, logged)

    def _scopes(self, scopes: tuple[str, ...]) -> int:
        if scopes not in self._scope_sets:
            label = self._label("scopes", json.dumps(sorted(set(scopes))))
            self._scope_sets[scopes] = label
        return self._scope_sets[scopes]

    def _is_forgotten(self, id: str) -> bool:
        row = self._db.execute("SELECT 1 FROM tombstones WHERE id = ?", (id,)).fetchone()
        return row is not None

    def _count_wall(self, wall: _Wall, sign: int, texts: Sequence[str]) -> None:
        """A document with these texts came, or went."""
        counts = self._walls.setdefault(wall, Counter())
        counts["documents"] += sign
        counts["passages"] += sign * len(texts)
        counts["characters"] += sign * sum(map(len, texts))
        self._moved.append(wall)

    def _put_document(
        self, key: int, id: str, wall: _Wall, document: Document, made: bytes
    ) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO documents (key, id, source, external, origin, owner, kind, "
            "scopes, issue, event, title, path, date, meta, stamp, digest) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                key,
                id,
                wall.source,
                document.external,
                document.origin,
                wall.owner,
                self._label("kind", document.kind),
                wall.scopes,
                self._label("issue", label_of(document, "issue")),
                self._label("event", label_of(document, "event")),
                document.title,
                document.path,
                micros(document.date),
                json.dumps(document.meta, ensure_ascii=False) if document.meta else "{}",
                document.stamp,
                made,
            ),
        )
        if document.messages:
            self._db.executemany(
                "INSERT INTO messages (document, turn, role, id, date) VALUES (?, ?, ?, ?, ?)",
                [
                    (key, turn, m.role, m.id, micros(m.date))
                    for turn, m in enumerate(document.messages)
                ],
            )

    def _put_passages(self, key: int, put: Put, saved: dict[str, list[_SavedVector]]) -> None:
        for p in put.passages:
            passage = self._next()
            role = self._label("role", p.role)
            self._passages.append((passage, key, p.n, p.turn, role, p.heading, p.text))
            self._count += 1
            self._characters += len(p.text)
            if saved:
                text = indexed_text(put.document.title, p.heading, p.text)
                for model, blob, sentences in saved.get(text, ()):
                    self.vector(model, passage, blob, sentences)

    def vector(self, model: int, passage: int, blob: bytes, sentences: bytes | None) -> int:
        """Keep a vector with the signs of its sentences, unless the passage has one; how many were
        kept."""
        kept = self._db.execute(
            "INSERT OR IGNORE INTO vectors (seq, model, passage, vector, sentences) "
            "VALUES (?, ?, ?, ?, ?)",
            (self._next(), model, passage, blob, sentences),
        ).rowcount
        self._vectors[model] = self._vectors.get(model, 0) + kept
        return kept

    def _drop(self, key: int) -> dict[str, list[_SavedVector]]:
        """Remove a document's passages; the vectors of each come back by the text they were
        made from, to be used again for what did not change."""
        self.flush()
        saved: dict[str, list[_SavedVector]] = {}
        title, *labels = self._db.execute(
            "SELECT title, owner, scopes, source FROM documents WHERE key = ?", (key,)
        ).fetchone()
        texts: list[str] = []
        for passage, heading, text in self._db.execute(
            "SELECT key, heading, text FROM passages WHERE document = ? ORDER BY n", (key,)
        ).fetchall():
            vectors = self._db.execute(
                "SELECT model, vector, sentences FROM vectors WHERE passage = ?", (passage,)
            ).fetchall()
            for model, *_ in vectors:
                self._vectors[model] = self._vectors.get(model, 0) - 1
            if vectors:
                saved.setdefault(indexed_text(title, heading, text), vectors)
            self._db.execute(
                "INSERT INTO deletions (seq, passage) VALUES (?, ?)", (self._next(), passage)
            )
            self._db.execute("DELETE FROM vectors WHERE passage = ?", (passage,))
            self._count -= 1
            self._characters -= len(text)
            texts.append(text)
        self._count_wall(_Wall(*labels), -1, texts)
        self._db.execute("DELETE FROM passages WHERE document = ?", (key,))
        self._db.execute("DELETE FROM messages WHERE document = ?", (key,))
        self._db.execute("DELETE FROM handles WHERE document = ?", (key,))
        return saved

    def forget(self, id: str) -> None:
        self._db.execute("INSERT OR IGNORE INTO tombstones VALUES (?, ?)", (id, self._now))
        self._tombstones = True
        self.remove(id, "forgotten")

    def remove(self, id: str, action: str = "removed", *, logged: bool = True) -> None:
        row = self._db.execute("SELECT key, source FROM documents WHERE id = ?", (id,)).fetchone()
        if row is not None:
            self._drop(row[0])
            self._db.execute("DELETE FROM documents WHERE key = ?", (row[0],))
            self._log(id, action, row[1], logged)

    def touch(self, id: str) -> None:
        """Let it be seen that something about a document has changed."""
        wall = _Wall._make(
            self._db.execute(
                "SELECT owner, scopes, source FROM documents WHERE id = ?", (id,)
            ).fetchone()
        )
        self._touched[wall.source] = seq = self._next()
        self._walls.setdefault(wall, Counter())["seq"] = seq

    def event(self, id: str, action: str, at: float) -> int:
        """Note what happened; the number it got."""
        seq = self._next()
        self._events.append((seq, id, action, at))
        return seq

    def _log(self, id: str, action: str, source: int, logged: bool) -> None:
        seq = self.event(id, action, self._now) if logged else self._next()
        self._touched[source] = seq
        while self._moved:
            self._walls[self._moved.pop()]["seq"] = seq
        self._done[action] += 1
