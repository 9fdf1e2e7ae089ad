"""What the SQLite files of this engine have in common: transactions, versions, and errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

from recollect.errors import StoreBusy, StoreCorrupt, StoreError, StoreTooNew


def is_busy(error: Exception) -> bool:
    """Tells whether another process holds the lock."""
    said = str(error)
    return isinstance(error, sqlite3.OperationalError) and ("locked" in said or "busy" in said)


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Commits what is done in it, or rolls all of it back."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def version(db: sqlite3.Connection, name: str, newest: int, hint: str) -> int:
    """Returns the version of a file's schema, 0 for a new file; refuses one that is too new."""
    found = int(db.execute("PRAGMA user_version").fetchone()[0])
    if found > newest:
        raise StoreTooNew(f"{name} was written by a later version of recollect", hint=hint)
    return found


@contextmanager
def translated(file: Path, *, torn: str, failed: str = "") -> Iterator[None]:
    """Raises SQLite's errors as ours. *torn* and *failed* are the hints for a file that is damaged,
    and for an operation that failed."""
    try:
        yield
    except sqlite3.Error as error:
        if is_busy(error):
            raise StoreBusy(f"{file}: another process is writing", hint="try again") from error
        if isinstance(error, sqlite3.OperationalError):
            raise StoreError(f"{file}: {error}", hint=failed) from error
        raise StoreCorrupt(f"{file}: {error}", hint=torn) from error
    except OSError as error:
        raise StoreError(f"{file}: {error.strerror}") from error


class HeldConnection:
    """A connection that is kept between uses, and closed when its file is to be replaced."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._db: sqlite3.Connection | None = None

    def close(self) -> None:
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._db is not None:
            with suppress(sqlite3.Error):
                self._db.close()
            self._db = None
