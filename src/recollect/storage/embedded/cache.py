"""Answers that may be served again, in an SQLite file of their own beside the record.

The file can be deleted at any time. Nobody waits for it: what another process is writing just now
is not written here, and a file that is torn is made anew. Only who empties it waits, for what was
forgotten must not stay; where that fails, the file itself is deleted.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from itertools import starmap
from pathlib import Path
from typing import TypeVar

from recollect import permissions
from recollect.errors import StoreError
from recollect.nouns import optional_names
from recollect.ports import CachedAnswer, CacheStats, PastRequest
from recollect.storage.embedded.sqlite_file import HeldConnection, transaction, translated

T = TypeVar("T")
FILE = "cache.db"
_SCHEMA = 1
_WAIT = 5.0
"""Seconds to wait for others before the file is deleted."""
_FRESH = "delete the file; nothing depends on it"
_QUESTIONS = 4
"""So many times as many questions as answers are remembered."""
_TABLES = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, space TEXT NOT NULL, asked TEXT NOT NULL, question TEXT NOT NULL,
    made REAL NOT NULL, lasts REAL NOT NULL, answer TEXT NOT NULL, used REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS answers_space ON answers (space, used);
CREATE INDEX IF NOT EXISTS answers_used ON answers (used);
CREATE INDEX IF NOT EXISTS answers_end ON answers (made + lasts);
CREATE TABLE IF NOT EXISTS questions (
    key TEXT PRIMARY KEY, question TEXT NOT NULL, space TEXT NOT NULL, owner TEXT NOT NULL,
    sources TEXT NOT NULL, confidence REAL NOT NULL, model TEXT NOT NULL, vector BLOB NOT NULL,
    used REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS questions_used ON questions (used);
"""
_HEAD = "key, space, asked, question, made, lasts"


class EmbeddedCache(HeldConnection):
    def __init__(self, folder: Path, size: int) -> None:
        super().__init__()
        self.path = folder / FILE
        self.size = size
        self._uses = 0.0

    # -------------------------------------------------------------- the file

    def _open(self) -> sqlite3.Connection:
        with suppress(OSError):  # SQLite says it better
            permissions.touch(self.path)
        db = sqlite3.connect(self.path, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            found = db.execute("PRAGMA user_version").fetchone()[0]
            if found != _SCHEMA:
                if found:  # of another version: nothing in it is worth a migration
                    db.close()
                    self._delete()
                    return self._open()
                db.execute("PRAGMA journal_mode = WAL")
                db.executescript(f"BEGIN IMMEDIATE;{_TABLES}PRAGMA user_version = {_SCHEMA};COMMIT")
            db.execute("PRAGMA synchronous = OFF")
            db.execute("PRAGMA secure_delete = ON")
        except BaseException:
            db.close()
            raise
        return db

    def _delete(self) -> None:
        for end in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.unlink(f"{self.path}{end}")

    def _with(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do it; if the file turns out torn, with a new one."""
        with self._lock, translated(self.path, torn=_FRESH, failed=_FRESH):
            for _ in range(2):
                try:
                    if self._db is None:
                        self._db = self._open()
                    return work(self._db)
                except sqlite3.OperationalError:
                    raise  # busy, full, not ours to write: the file itself is well
                except sqlite3.DatabaseError:
                    self._close()
                    self._delete()
            raise sqlite3.DatabaseError(f"{self.path} cannot be made anew")

    def _written(self, work: Callable[[sqlite3.Connection], int]) -> int:
        def whole(db: sqlite3.Connection) -> int:
            with transaction(db):
                return work(db)

        return self._with(whole)

    def _now(self) -> float:
        """Strictly rising, so that uses have an order."""
        self._uses = max(time.time(), self._uses + 1e-6)
        return self._uses

    # -------------------------------------------------------------- what it does

    def get(self, key: str) -> CachedAnswer | None:
        def find(db: sqlite3.Connection) -> CachedAnswer | None:
            row = db.execute(f"SELECT {_HEAD}, answer FROM answers WHERE key = ?", (key,))
            found = row.fetchone()
            if found is None:
                return None
            with suppress(sqlite3.OperationalError):  # another process is writing
                db.execute("UPDATE answers SET used = ? WHERE key = ?", (self._now(), key))
            return CachedAnswer(*found)

        return self._with(find)

    def alike(self, space: str, *, limit: int) -> list[CachedAnswer]:
        select = f"SELECT {_HEAD} FROM answers WHERE space = ? ORDER BY used DESC LIMIT ?"
        return self._with(
            lambda db: list(starmap(CachedAnswer, db.execute(select, (space, limit))))
        )

    def put(self, kept: CachedAnswer) -> None:
        def write(db: sqlite3.Connection) -> int:
            _expire(db, kept.made)
            db.execute(
                f"INSERT OR REPLACE INTO answers ({_HEAD}, answer, used) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (*kept, self._now()),
            )
            return _trim(db, "answers", self.size)

        self._written(write)

    def note(self, asked: PastRequest) -> None:
        def write(db: sqlite3.Connection) -> int:
            db.execute(
                "INSERT OR REPLACE INTO questions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*asked._replace(sources=json.dumps(asked.sources)), self._now()),  # type: ignore[arg-type]
            )
            return _trim(db, "questions", _QUESTIONS * self.size)

        self._written(write)

    def noted(self, keys: Collection[str]) -> dict[str, PastRequest]:
        select = (
            f"SELECT {', '.join(PastRequest._fields)} FROM questions "
            f"WHERE key IN ({','.join('?' * len(keys))})"
        )

        def find(db: sqlite3.Connection) -> dict[str, PastRequest]:
            rows = starmap(PastRequest, db.execute(select, list(keys)))
            return {row.key: row._replace(sources=_sources(row.sources)) for row in rows}

        return self._with(find)

    def stats(self) -> CacheStats:
        select = "SELECT COUNT(*), MIN(made), MAX(made) FROM answers"
        count, oldest, newest = self._with(lambda db: db.execute(select).fetchone())
        size = sum(
            os.path.getsize(path)
            for end in ("", "-wal")
            if os.path.exists(path := f"{self.path}{end}")
        )
        return CacheStats(count, self.size, size, oldest, newest)

    def prune(self, now: float) -> int:
        return self._written(lambda db: _expire(db, now))

    def clear(self) -> int:
        def empty(db: sqlite3.Connection) -> int:
            db.execute(f"PRAGMA busy_timeout = {int(_WAIT * 1000)}")
            try:
                with transaction(db):
                    db.execute("DELETE FROM questions")
                    done = db.execute("DELETE FROM answers").rowcount
            finally:
                db.execute("PRAGMA busy_timeout = 0")
            with suppress(sqlite3.Error):  # a reader may hold the old pages yet
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            return done

        try:
            return self._with(empty)
        except StoreError:  # the disk is full, or a process that writes was stopped
            with self._lock, translated(self.path, torn=_FRESH, failed=_FRESH):
                self._close()
                self._delete()
            return 0


def _expire(db: sqlite3.Connection, now: float) -> int:
    return db.execute("DELETE FROM answers WHERE made + lasts <= ?", (now,)).rowcount


def _trim(db: sqlite3.Connection, table: str, most: int) -> int:
    return db.execute(
        f"DELETE FROM {table} WHERE key IN "
        f"(SELECT key FROM {table} ORDER BY used DESC LIMIT -1 OFFSET ?)",
        (most,),
    ).rowcount


def _sources(written: object) -> tuple[str, ...] | None:
    return optional_names(json.loads(str(written)))
