"""SQLite's own text index: any of the question's words, best by BM25, ten of them."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from bench.peers.peer import Document, Found, Question, pieces
from bench.peers.vectors import Vectors

_WORD = re.compile(r"\w+")


class Adapter:
    def __init__(self, folder: Path, vectors: Vectors) -> None:  # noqa: ARG002
        self._db = sqlite3.connect(folder / "fts5.db")
        self._db.execute(
            "CREATE VIRTUAL TABLE pieces "
            "USING fts5(document UNINDEXED, body, tokenize = 'porter unicode61')"
        )

    def ingest(self, documents: Sequence[Document]) -> None:
        with self._db:
            self._db.executemany("INSERT INTO pieces VALUES (?, ?)", pieces(documents))

    def query(self, question: Question, k: int | None) -> Found:
        match = " OR ".join(f'"{word}"' for word in _WORD.findall(question.text))
        rows = self._db.execute(
            "SELECT document, body FROM pieces WHERE pieces MATCH ? ORDER BY rank LIMIT ?",
            (match or '""', k or 10),
        ).fetchall()
        return Found(tuple(row[0] for row in rows), tuple(row[1] for row in rows))

    def close(self) -> None:
        self._db.close()
