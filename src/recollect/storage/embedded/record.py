"""The record: all that is kept, in one SQLite database.

The statements of the embedded engine are here and in the modules that this class is made of:
what is read, what sessions are asked for, what the indexes are made from.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from recollect.nouns import (
    ChangeSet,
    Expect,
    Forget,
    Place,
    Put,
    Receipt,
    Recorded,
    Register,
    Remove,
    SourceStats,
)
from recollect.ports import Dumped, Finding, Item, Loaded
from recollect.storage.content import check, digest, expect
from recollect.storage.embedded import answers, audit
from recollect.storage.embedded.connection import batches, translated
from recollect.storage.embedded.dump import Loader, dumped
from recollect.storage.embedded.feeding import Feeding
from recollect.storage.embedded.rows import State
from recollect.storage.embedded.talks import Talks
from recollect.storage.embedded.writer import Writer

if TYPE_CHECKING:
    from recollect.storage.embedded.text_index import Snapshot
    from recollect.storage.embedded.vector_index import VectorIndex

T = TypeVar("T")


class Record(Talks, Feeding):
    def __init__(self, folder: Path, *, once: bool = False) -> None:
        """A connection, which keeps little in memory if all is read *once* and in order."""
        super().__init__(folder, once=once)
        self._labels: dict[tuple[str, str], int] = {}

    def _undone(self) -> None:
        self._labels.clear()

    # -------------------------------------------------------------- writing

    def apply(self, changes: ChangeSet, dry_run: bool) -> Receipt:
        digests = []
        for change in changes.changes:
            if isinstance(change, Put):
                check(change)
                digests.append(digest(change))
        made = iter(digests)
        with self._write(keep=not dry_run):
            for change in changes.changes:
                if isinstance(change, Expect):
                    expect(change, self._stamp(change.id))
            writer = Writer(self._db, self._label, self.state())
            for change in changes.changes:
                if isinstance(change, Register):
                    writer.register(change.source)
                elif isinstance(change, Forget):
                    writer.forget(change.id)
                elif isinstance(change, Remove):
                    writer.remove(change.id)
                elif isinstance(change, Put):
                    writer.put(change, next(made))
            writer.finish()
        return writer.receipt

    def load(self, items: Iterable[Item], replace: bool) -> Loaded:
        done = Loaded()
        with self._write():
            writer = Writer(self._db, self._label, self.state())
            loader = Loader(self._db, writer, self.history, replace)
            for item in items:
                done += loader.load(item)
            writer.finish()
        return done

    def _stamp(self, id: str) -> str | None:
        row = self._db.execute("SELECT stamp FROM documents WHERE id = ?", (id,)).fetchone()
        return None if row is None else str(row[0])

    def _label(self, dimension: str, value: str) -> int:
        found = self._labels.get((dimension, value))
        if found is None:
            row = self._db.execute(
                "SELECT id FROM labels WHERE dimension = ? AND value = ?", (dimension, value)
            ).fetchone()
            if row is None:
                row = self._db.execute(
                    "INSERT INTO labels (dimension, value) VALUES (?, ?) RETURNING id",
                    (dimension, value),
                ).fetchone()
            found = self._labels[dimension, value] = int(row[0])
        return found

    # -------------------------------------------------------------- recorded answers

    def keep_answer(self, given: Recorded) -> None:
        with self._write():
            answers.keep(self._db, given)

    def answers(
        self, fingerprint: str, space: str, limit: int, before: datetime | None
    ) -> list[Recorded]:
        with translated(self.folder):
            return answers.kept(self._db, fingerprint, space, limit, before)

    def drop_answers(self, ids: Sequence[str]) -> int:
        with self._write():
            return sum(answers.drop(self._db, some) for some in batches(ids))

    # -------------------------------------------------------------- looking it over

    def audit(self, full: bool) -> list[Iterator[Finding]]:
        """What is to be looked at; each is done when it is read."""
        looks = [audit.pages(self._db, full=full), audit.counts(self, self._db, full=full)]
        return [*looks, audit.orphans(self._db), self._changed()] if full else looks

    def _changed(self) -> Iterator[Finding]:
        for id in audit.changed(self, self._db):
            yield Finding("record", f"document {id} is not as it was stored")

    def audit_text(self, snapshot: Snapshot, full: bool) -> Iterator[Finding]:
        return audit.text(self, self._db, snapshot, full=full)

    def sampled(self, full: bool) -> int:
        return audit.sampled(self._db, full=full)

    def recall(self, index: VectorIndex, state: State, full: bool) -> float | None:
        return audit.recall(self, self._db, index, state.epoch, state.seq, full=full)

    def mended(self, work: Callable[[Record, sqlite3.Connection], T]) -> T:
        """What a repair does to the rows, in one transaction."""
        with self._write():
            done = work(self, self._db)
        self._forget_names()
        return done

    def last_write(self) -> datetime | None:
        return audit.last_write(self._db)

    def dump(self, after: str, vectors: bool) -> Iterator[Dumped]:
        return dumped(self, self._db, after, vectors)

    # -------------------------------------------------------------- counting

    def counts(self) -> dict[str, Any]:
        one = self._db.execute
        return {
            "documents": one("SELECT COUNT(*) FROM documents").fetchone()[0],
            "tombstones": one("SELECT COUNT(*) FROM tombstones").fetchone()[0],
            "kinds": dict(
                one(
                    "SELECT l.value, c FROM (SELECT kind, COUNT(*) AS c FROM documents "
                    "GROUP BY kind) JOIN labels l ON l.id = kind ORDER BY l.value"
                ).fetchall()
            ),
            "vectors": self.models(),
            "sources": [
                SourceStats(name, kind, uri, count, stamp, _places(places))
                for name, kind, uri, count, stamp, places in one(
                    "SELECT s.name, s.kind, s.uri, (SELECT COUNT(*) FROM documents d "
                    "WHERE d.source = s.id), s.stamp, s.places FROM sources s ORDER BY s.name"
                )
            ],
        }


def _places(written: str) -> tuple[Place, ...]:
    return tuple(Place(*place) for place in json.loads(written))
