"""The ledger of the embedded engine: ``usage.db`` beside the record, and nothing of it inside.

A row is one sum: so much of this name on that day, in that mode, for that intent. Adding is one
short transaction that never waits; it is not forced to disk, so that a crash of the machine may
cost the last sums, and a kill of the process costs only what it had not handed over.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable
from contextlib import AbstractContextManager, closing
from datetime import date, timedelta
from pathlib import Path

from recollect import permissions
from recollect.errors import StoreTooNew
from recollect.storage.embedded.sqlite_file import (
    HeldConnection,
    is_busy,
    transaction,
    translated,
    version,
)
from recollect.telemetry import Tally

NAME = "usage.db"
KEPT_DAYS = 400
"""Older days are dropped."""
READ_SECONDS = 2.0
"""So long whoever reads the sums waits for a writer."""
_VERSION = 1
_SCHEMA = """CREATE TABLE IF NOT EXISTS sums (
    day TEXT NOT NULL, mode TEXT NOT NULL, intent TEXT NOT NULL, name TEXT NOT NULL,
    value INTEGER NOT NULL, PRIMARY KEY (day, mode, intent, name)
) WITHOUT ROWID"""
_ADD = """INSERT INTO sums VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET value = value + excluded.value"""


class EmbeddedLedger(HeldConnection):
    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._file = folder / NAME
        self._pruned = ""

    def add(self, tallies: Iterable[Tally]) -> None:
        rows = [(t.day, t.mode, t.intent, *item) for t in tallies for item in t.counts.items()]
        with self._lock, self._translated():
            if self._db is None:
                self._db = self._opened()
            try:
                with transaction(self._db):
                    self._db.executemany(_ADD, rows)
                    self._prune(self._db, max((row[0] for row in rows), default=""))
            except sqlite3.Error as error:
                if not is_busy(error):  # the file may be replaced: look again next time
                    self._close()
                raise

    def _prune(self, db: sqlite3.Connection, newest: str) -> None:
        """Once a day: what is too old goes."""
        if newest > self._pruned:
            oldest = date.fromisoformat(newest) - timedelta(days=KEPT_DAYS)
            db.execute("DELETE FROM sums WHERE day < ?", (oldest.isoformat(),))
            self._pruned = newest

    def _opened(self) -> sqlite3.Connection:
        permissions.touch(self._file)
        db = self._connected(0.0)
        try:
            if _version(db) == 0:
                db.execute("PRAGMA journal_mode = WAL")
                with transaction(db):
                    db.execute(_SCHEMA)
                    db.execute(f"PRAGMA user_version = {_VERSION}")
            db.execute("PRAGMA synchronous = OFF")
        except BaseException:
            db.close()
            raise
        return db

    def _connected(self, wait: float) -> sqlite3.Connection:
        return sqlite3.connect(
            self._file, timeout=wait, isolation_level=None, check_same_thread=False
        )

    def rows(self, since: str) -> list[Tally]:
        if not self._file.exists():
            return []
        with self._translated(), closing(self._connected(READ_SECONDS)) as db:
            if _version(db) == 0:  # it is being made
                return []
            found: dict[tuple[str, str, str], Counter[str]] = {}
            for day, mode, intent, name, value in db.execute(
                "SELECT day, mode, intent, name, value FROM sums WHERE day >= ? "
                "ORDER BY day, mode, intent, name",
                (since,),
            ):
                found.setdefault((day, mode, intent), Counter())[name] = value
        return [Tally(*key, counts) for key, counts in found.items()]

    def clear(self) -> None:
        """Deletes the rows where that is possible, for another process may have the file open."""
        if not self._file.exists():
            return
        with self._lock, self._translated():
            try:
                with closing(self._connected(READ_SECONDS)) as db:
                    if _version(db):
                        db.execute("PRAGMA secure_delete = ON")
                        db.execute("DELETE FROM sums")
                        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            except (sqlite3.DatabaseError, StoreTooNew) as error:
                if is_busy(error):
                    raise
                self._close()
                for suffix in ("", "-wal", "-shm"):
                    self._file.with_name(NAME + suffix).unlink(missing_ok=True)

    def _translated(self) -> AbstractContextManager[None]:
        fresh = "`recollect stats --clear` begins a new one; nothing else depends on it"
        return translated(self._file, torn=fresh, failed=fresh)


def _version(db: sqlite3.Connection) -> int:
    return version(db, NAME, _VERSION, "update recollect, or `recollect stats --clear`")
