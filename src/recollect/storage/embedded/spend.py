"""What language models cost: ``spend.db`` in the user's data folder, for all stores together,
because a limit is on the user's money and not on a store.

Money is set aside before a call and settled after it, each in one transaction that excludes all
others: however many processes call at once, a day's limit holds. What a killed process had set
aside counts as spent when its time is over, for it may have been.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from itertools import starmap
from pathlib import Path

from recollect import permissions
from recollect.ports import Expense
from recollect.storage.embedded.sqlite_file import transaction, translated, version

NAME = "spend.db"
WAIT = 5.0
"""Seconds to wait for another process."""
_VERSION = 1
_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS spent (
    day TEXT NOT NULL, model TEXT NOT NULL, calls INTEGER NOT NULL, input INTEGER NOT NULL,
    output INTEGER NOT NULL, cached INTEGER NOT NULL, nanos INTEGER NOT NULL,
    unpriced INTEGER NOT NULL, PRIMARY KEY (day, model)
) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS held (
    id INTEGER PRIMARY KEY AUTOINCREMENT, day TEXT NOT NULL, model TEXT NOT NULL,
    nanos INTEGER NOT NULL, until REAL NOT NULL
)""",
)
_ADD = """INSERT INTO spent VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    calls = calls + excluded.calls, input = input + excluded.input,
    output = output + excluded.output, cached = cached + excluded.cached,
    nanos = nanos + excluded.nanos, unpriced = unpriced + excluded.unpriced"""


class EmbeddedSpending:
    def __init__(self, folder: Path) -> None:
        self._file = folder / NAME

    def hold(self, day: str, model: str, nanos: int, cap: int | None, seconds: float) -> int | None:
        now = time.time()
        with self._writing() as db:
            for held, when, name, lost in db.execute(
                "SELECT id, day, model, nanos FROM held WHERE until < ?", (now,)
            ).fetchall():
                db.execute(_ADD, Expense(when, name, 1, nanos=lost))
                db.execute("DELETE FROM held WHERE id = ?", (held,))
            if cap is not None and self._day(db, day) + nanos > cap:
                return None
            made = db.execute(
                "INSERT INTO held (day, model, nanos, until) VALUES (?, ?, ?, ?)",
                (day, model, nanos, now + seconds),
            )
            return made.lastrowid

    def settle(self, held: int, spent: Expense) -> None:
        with self._writing() as db:
            gone = db.execute("DELETE FROM held WHERE id = ?", (held,)).rowcount
            if gone and spent.calls:
                db.execute(_ADD, spent)

    def rows(self, since: str) -> list[Expense]:
        if not self._file.exists():
            return []
        with self._translated(), closing(self._connected()) as db:
            if _version(db) == 0:  # it is being made
                return []
            found = db.execute("SELECT * FROM spent WHERE day >= ? ORDER BY day, model", (since,))
            return list(starmap(Expense, found))

    def _day(self, db: sqlite3.Connection, day: str) -> int:
        """Spent and set aside; what was set aside yesterday and is still open counts today."""
        (spent,) = db.execute("SELECT sum(nanos) FROM spent WHERE day = ?", (day,)).fetchone()
        (held,) = db.execute("SELECT sum(nanos) FROM held").fetchone()
        return int(spent or 0) + int(held or 0)

    def _connected(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file, timeout=WAIT, isolation_level=None)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A connection for one transaction: calls to a model are seldom, and a connection is cheap
        beside one."""
        with self._translated():
            permissions.folder(self._file.parent)
            permissions.touch(self._file)
            with closing(self._connected()) as db:
                made = _version(db) == 0
                with transaction(db):
                    if made:
                        for statement in _SCHEMA:
                            db.execute(statement)
                        db.execute(f"PRAGMA user_version = {_VERSION}")
                    yield db

    def _translated(self) -> AbstractContextManager[None]:
        return translated(self._file, torn="delete it: what was spent so far is forgotten")


def _version(db: sqlite3.Connection) -> int:
    return version(db, NAME, _VERSION, "update recollect")
