"""What the indexes are made from: passages and vectors in the order of their changes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import starmap
from typing import Any

from recollect.errors import StoreError
from recollect.nouns import Filter, View
from recollect.storage.embedded.connection import translated
from recollect.storage.embedded.documents import Documents
from recollect.storage.embedded.queries import among, column_of, scalar
from recollect.storage.embedded.rows import RecordState, Row, VectorRow
from recollect.text.lexical import indexed_text

_DROPPED = 10_000
"""Vectors that are deleted in one transaction."""
_ROW = """p.key, p.document, d.title, d.path, p.heading, p.text, d.owner, d.scopes, d.source,
    d.kind, p.role, d.issue, d.event, d.date"""


class Feeding(Documents):
    # -------------------------------------------------------------- for the indexes

    def state_within(self, view: View) -> RecordState:
        """Returns the state of what lies within a wall: what happens outside never changes it."""
        conditions, labels = self._where(self.allowed(Filter(within=view)), "w")
        seq, passages, characters = self._db.execute(
            "SELECT COALESCE(MAX(seq), 0), COALESCE(SUM(passages), 0), "
            f"COALESCE(SUM(characters), 0) FROM walls w WHERE {conditions}",
            labels,
        ).fetchone()
        return RecordState(self.state().epoch, seq, 0, passages, characters)

    def _passages_within(self, columns: str, view: View | None) -> tuple[str, list[Any]]:
        """Returns a statement on the passages within a wall, open for one more condition, and the
        values of it."""
        if view is None:
            return f"SELECT {columns} FROM passages p WHERE", []
        conditions, labels = self._where(self.allowed(Filter(within=view)))
        tables = "passages p JOIN documents d ON d.key = p.document"
        return f"SELECT {columns} FROM {tables} WHERE {conditions} AND", labels

    def has_more_than(self, count: int, after: int, view: View | None = None) -> bool:
        select, labels = self._passages_within("1", view)
        rows = self._db.execute(f"{select} p.key > ? LIMIT 1 OFFSET ?", (*labels, after, count))
        return rows.fetchone() is not None

    def text_behind(self, seq: int) -> int:
        """How many passages were written or deleted after *seq*."""
        select = (
            "SELECT (SELECT COUNT(*) FROM passages WHERE key > ?) + "
            "(SELECT COUNT(*) FROM deletions WHERE seq > ?)"
        )
        return int(scalar(self._db, select, (seq, seq)))

    def nth_key_after(self, seq: int, n: int, view: View | None = None) -> int | None:
        select, labels = self._passages_within("p.key", view)
        select += " p.key > ? ORDER BY p.key LIMIT 1 OFFSET ?"
        key: int | None = scalar(self._db, select, (*labels, seq, n - 1))
        return key

    def rows_between(self, low: int, high: int, view: View | None = None) -> Iterator[Row]:
        """Passages written in (low, high], in order."""
        select, labels = self._passages_within(_ROW, view or View())
        values = (*labels, low, high)
        rows = self._db.execute(f"{select} p.key > ? AND p.key <= ? ORDER BY p.key", values)
        yield from starmap(Row, rows)

    def keys_after(self, seq: int, view: View | None = None) -> list[int]:
        select, labels = self._passages_within("p.key", view)
        return column_of(self._db, f"{select} p.key > ? ORDER BY p.key", (*labels, seq))

    def rows(self, keys: Sequence[int]) -> Iterator[Row]:
        select = (
            f"SELECT {_ROW} FROM passages p JOIN documents d ON d.key = p.document "
            "WHERE p.key IN ({})"
        )
        return starmap(Row, among(self._db, select, keys))

    def deleted_after(self, seq: int) -> list[int]:
        return column_of(self._db, "SELECT passage FROM deletions WHERE seq > ?", (seq,))

    # -------------------------------------------------------------- vectors

    def models(self) -> dict[str, int]:
        with translated(self.folder):
            rows = self._db.execute("SELECT key, vectors FROM models WHERE vectors > 0 ORDER BY id")
            return dict(rows.fetchall())

    def pending(self, model: str, limit: int, view: View | None = None) -> list[tuple[int, str]]:
        columns = "p.key, d.title, p.heading, p.text"
        select, labels = self._passages_within(columns, view or View())
        rows = self._db.execute(
            f"{select} NOT EXISTS (SELECT 1 FROM vectors v "
            "WHERE v.passage = p.key AND v.model = (SELECT id FROM models WHERE key = ?)) "
            "ORDER BY p.key DESC LIMIT ?",
            (*labels, model, limit),
        ).fetchall()
        return [(key, indexed_text(title, heading, text)) for key, title, heading, text in rows]

    def twins(self, model: str, keys: Sequence[int]) -> dict[int, tuple[bytes, bytes]]:
        """Returns the vectors of passages with the same text as these, and the signs of their
        sentences, by the keys of these. The few are looked up for each of the many: one pass over
        the texts."""
        rows = self._db.execute(
            "WITH wanted AS MATERIALIZED (SELECT p.key, p.heading, p.text, d.title, d.owner, "
            "d.scopes FROM passages p JOIN documents d ON d.key = p.document "
            "WHERE p.key IN (SELECT value FROM json_each(?))) "
            "SELECT w.key, v.vector, v.sentences FROM passages p CROSS JOIN wanted w "
            "ON w.text = p.text AND w.heading = p.heading JOIN documents d ON d.key = p.document "
            "AND d.title = w.title AND d.owner = w.owner AND d.scopes = w.scopes "
            "JOIN vectors v ON v.passage = p.key "
            "AND v.model = (SELECT id FROM models WHERE key = ?)",
            (json.dumps(list(keys)), model),
        )
        return {key: (vector, sentences or b"") for key, vector, sentences in rows.fetchall()}

    def put_vectors(
        self,
        model: str,
        dimensions: int,
        keys: Sequence[int],
        blobs: Sequence[bytes],
        sentences: Sequence[bytes],
    ) -> int:
        with self.transaction():
            self._db.execute(
                "INSERT INTO models (key, dimensions) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (model, dimensions),
            )
            id, known = self._db.execute(
                "SELECT id, dimensions FROM models WHERE key = ?", (model,)
            ).fetchone()
            if known != dimensions:
                raise StoreError(
                    f"{model}: a vector has {dimensions} dimensions, the stored ones {known}",
                    hint="these are different models; give the new one a name of its own",
                )
            found = among(
                self._db,
                "SELECT p.key, d.owner, d.scopes, d.source FROM passages p "
                "JOIN documents d ON d.key = p.document "
                "WHERE p.key IN ({}) AND NOT EXISTS (SELECT 1 FROM vectors v "
                "WHERE v.passage = p.key AND v.model = ?)",
                keys,
                id,
            )
            walls = {key: tuple(wall) for key, *wall in found}
            given = zip(keys, blobs, sentences, strict=True)
            new = [(key, blob, signs or None) for key, blob, signs in given if key in walls]
            last = self.state().seq
            seq = last + len(new)
            rows = [(at, id, *one) for at, one in enumerate(new, last + 1)]
            self._db.executemany(
                "INSERT INTO vectors (seq, model, passage, vector, sentences) "
                "VALUES (?, ?, ?, ?, ?)",
                rows,
            )
            self._db.execute(
                "UPDATE models SET vectors = vectors + ? WHERE id = ?", (len(rows), id)
            )
            self._db.execute("UPDATE state SET seq = ?", (seq,))
            touched = set(walls.values())
            self._db.executemany(
                "UPDATE sources SET seq = ? WHERE id = ?",
                [(seq, source) for _, _, source in touched],
            )
            self._db.executemany(
                "UPDATE walls SET seq = ? WHERE owner = ? AND scopes = ? AND source = ?",
                [(seq, *wall) for wall in touched],
            )
        return len(rows)

    def drop_vectors(self, model: str) -> int:
        """In transactions of bounded size, so that nobody who writes meanwhile waits long."""
        gone, some = 0, 1
        while some:
            with self.transaction():
                found = self._db.execute("SELECT id FROM models WHERE key = ?", (model,)).fetchone()
                if found is None:
                    return gone
                some = self._db.execute(
                    "DELETE FROM vectors WHERE seq IN "
                    "(SELECT seq FROM vectors WHERE model = ? LIMIT ?)",
                    (found[0], _DROPPED),
                ).rowcount
                self._db.execute(
                    "UPDATE models SET vectors = vectors - ? WHERE id = ?", (some, found[0])
                )
                if not some:
                    self._db.execute("DELETE FROM models WHERE id = ?", found)
            gone += some
        return gone

    def vectors_between(self, model: str, low: int, high: int) -> Iterator[VectorRow]:
        """Live vectors of a model written in (low, high], in order."""
        yield from starmap(
            VectorRow,
            self._db.execute(
                "SELECT v.seq, v.passage, p.document, d.owner, d.scopes, d.source, d.kind, p.role, "
                "d.issue, d.event, d.date, v.vector FROM vectors v "
                "JOIN passages p ON p.key = v.passage "
                "JOIN documents d ON d.key = p.document WHERE v.seq > ? AND v.seq <= ? "
                "AND v.model = (SELECT id FROM models WHERE key = ?) ORDER BY v.seq",
                (low, high, model),
            ),
        )

    def vectors_of(self, model: str, passages: Sequence[int]) -> dict[int, bytes]:
        """Returns the vectors of the passages that have one."""
        select = (
            "SELECT passage, vector FROM vectors WHERE passage IN ({}) "
            "AND model = (SELECT id FROM models WHERE key = ?)"
        )
        return dict(among(self._db, select, passages, model))

    def sentences_of(self, model: str, passages: Sequence[int]) -> dict[int, bytes]:
        """Returns the signs of the sentences of the passages that have any."""
        select = (
            "SELECT passage, sentences FROM vectors WHERE passage IN ({}) "
            "AND model = (SELECT id FROM models WHERE key = ?) AND typeof(sentences) = 'blob'"
        )
        return dict(among(self._db, select, passages, model))

    def vectors_waiting(self, model: str, after: int, most: int) -> int:
        """How many vectors were written after *after*, counted up to *most*."""
        select = (
            "SELECT COUNT(*) FROM (SELECT 1 FROM vectors WHERE seq > ? "
            "AND model = (SELECT id FROM models WHERE key = ?) LIMIT ?)"
        )
        return int(scalar(self._db, select, (after, model, most)))
