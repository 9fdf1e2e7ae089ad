"""The record: all that is kept, in one SQLite database.

The statements of the embedded engine are here and in the modules that this class is made of:
what is read, and what the indexes are made from.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from itertools import starmap
from pathlib import Path
from typing import Any, TypeVar

from recollect.nouns import (
    Change,
    ChangeSet,
    DropAnswers,
    Expect,
    Filter,
    Forget,
    Place,
    Put,
    Receipt,
    Register,
    Remove,
    SourceStats,
    View,
    of_type,
)
from recollect.storage.content import check, digest, expect
from recollect.storage.embedded import answers
from recollect.storage.embedded.feeding import Feeding
from recollect.storage.embedded.queries import scalar
from recollect.storage.embedded.writer import RecordWriter

T = TypeVar("T")


class Record(Feeding):
    def __init__(self, folder: Path, *, once: bool = False) -> None:
        """A connection, which keeps little in memory if all is read *once* and in order."""
        super().__init__(folder, once=once)
        self._labels: dict[tuple[str, str], int] = {}

    def _undone(self) -> None:
        self._labels.clear()

    # -------------------------------------------------------------- writing

    def apply(self, changes: ChangeSet, dry_run: bool) -> Receipt:
        puts = of_type(changes.changes, Put)
        for put in puts:
            check(put)
        made = iter(list(map(digest, puts)))
        with self.transaction(keep=not dry_run):
            expect(changes, self._stamp)
            writer = self.writer()
            write: Mapping[type[Change], Callable[[Any], object]] = {
                Register: lambda change: writer.register(change.source),
                Forget: lambda change: writer.forget(change.id),
                Remove: lambda change: writer.remove(change.id),
                Put: lambda change: writer.put(change, next(made)),
                Expect: lambda _: None,
                DropAnswers: lambda change: answers.drop(self._db, change.ids),
            }
            for change in changes.changes:
                write[type(change)](change)
            writer.finish()
        return writer.receipt

    def writer(self) -> RecordWriter:
        """Returns what writes documents within the transaction that is open."""
        return RecordWriter(self._db, self._label, self.state())

    def _stamp(self, id: str) -> str | None:
        stamp: str | None = scalar(self._db, "SELECT stamp FROM documents WHERE id = ?", (id,))
        return stamp

    def _label(self, dimension: str, value: str) -> int:
        label = (dimension, value)
        if label not in self._labels:
            self._db.execute("INSERT OR IGNORE INTO labels (dimension, value) VALUES (?, ?)", label)
            select = "SELECT id FROM labels WHERE dimension = ? AND value = ?"
            self._labels[label] = scalar(self._db, select, label)
        return self._labels[label]

    def mended(self, work: Callable[[Record, sqlite3.Connection], T]) -> T:
        """What a repair does to the rows, in one transaction."""
        with self.transaction():
            done = work(self, self._db)
        self._forget_names()
        return done

    # -------------------------------------------------------------- counting

    def counts(self, within: View | None = None) -> dict[str, Any]:
        """Counts documents within a wall, in all and by kind and source."""
        inside, labels = self._where(self.allowed(Filter(within=within)))
        one = self._db.execute
        return {
            "documents": scalar(
                self._db, f"SELECT COUNT(*) FROM documents d WHERE {inside}", labels
            ),
            "tombstones": scalar(self._db, "SELECT COUNT(*) FROM tombstones"),
            "kinds": dict(
                one(
                    "SELECT l.value, c FROM (SELECT kind, COUNT(*) AS c FROM documents d "
                    f"WHERE {inside} GROUP BY kind) JOIN labels l ON l.id = kind ORDER BY l.value",
                    labels,
                ).fetchall()
            ),
            "sources": [
                SourceStats(name, kind, uri, count, stamp, _places(places))
                for name, kind, uri, count, stamp, places in one(
                    "SELECT s.name, s.kind, s.uri, (SELECT COUNT(*) FROM documents d "
                    f"WHERE d.source = s.id AND {inside}), s.stamp, s.places FROM sources s "
                    "ORDER BY s.name",
                    labels,
                )
            ],
        }

    def documents_by_source(self) -> dict[str, int]:
        """Counts the documents of each source, on both sides of every wall."""
        return dict(
            self._db.execute(
                "SELECT s.name, SUM(w.documents) FROM walls w JOIN sources s ON s.id = w.source "
                "GROUP BY s.id"
            ).fetchall()
        )


def _places(written: str) -> tuple[Place, ...]:
    return tuple(starmap(Place, json.loads(written)))
