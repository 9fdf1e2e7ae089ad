"""A connection to the record: transactions, and SQLite's errors as ours."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from recollect import suspend
from recollect.errors import StoreBusy, StoreCorrupt, StoreError
from recollect.storage.embedded import record_file
from recollect.storage.embedded.lock import holders
from recollect.storage.embedded.record_file import RECORD
from recollect.storage.embedded.rows import RecordState
from recollect.storage.embedded.schema import migrate
from recollect.storage.embedded.sqlite_file import is_busy

T = TypeVar("T")

BUSY_SECONDS = 60.0
_LOOK = 0.002
"""Seconds between two looks at whether another process has ended its transaction."""
_STATE = "SELECT epoch, seq, generation, passages, characters FROM state"


class Connection:
    """Used by one thread. Reads that belong together run in one ``snapshot``; a write is one
    ``BEGIN IMMEDIATE`` transaction and is on disk when it returns."""

    def __init__(self, folder: Path, *, once: bool = False) -> None:
        """A connection, which keeps little in memory if all is read *once* and in order."""
        self.folder = folder
        with translated(folder):
            record_file.made(folder)
            self._db = sqlite3.connect(
                folder / RECORD,
                timeout=BUSY_SECONDS,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=256,
            )
            try:
                self._db.execute("PRAGMA synchronous = FULL")
                self._db.execute("PRAGMA secure_delete = ON")
                self._db.execute(f"PRAGMA cache_size = {-2048 if once else -32768}")
                self._db.execute(f"PRAGMA mmap_size = {0 if once else 268435456}")
                migrate(self._db, folder)
            except BaseException:
                self._db.close()
                raise

    def close(self) -> None:
        self._db.close()

    def __del__(self) -> None:
        if hasattr(self, "_db"):  # else it could not be opened
            self.close()

    @property
    def db(self) -> sqlite3.Connection:
        """The connection itself, for what looks at every table."""
        return self._db

    # -------------------------------------------------------------- transactions

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Reads that see one state of the record."""
        with translated(self.folder):
            self._db.execute("BEGIN")
            try:
                yield
            finally:
                self._roll_back()

    def _roll_back(self) -> None:
        if self._db.in_transaction:  # an error of the disk may have ended it
            self._db.execute("ROLLBACK")

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """A transaction that writes, begun when it is our turn. SQLite itself comes to look every
        tenth of a second only; between processes that write one after the other that is seldom
        the right moment."""
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            with suspend.put_off():
                if self._begun(last=time.monotonic() > deadline):
                    yield
                    return
            time.sleep(_LOOK + os.getpid() % 5 / 1000)  # not all at one moment

    def _begun(self, *, last: bool) -> bool:
        """Whether the turn was ours; an error if it was not and this was the *last* try."""
        self._db.execute("PRAGMA busy_timeout = 0")
        try:
            self._db.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if last or "locked" not in str(error):
                raise
            return False
        finally:
            self._db.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
        return True

    @contextmanager
    def transaction(self, *, keep: bool = True) -> Iterator[None]:
        """A transaction, which is undone at its end unless it is to be kept."""
        with translated(self.folder), self._turn():
            try:
                yield
                self._db.execute("COMMIT" if keep else "ROLLBACK")
                if not keep:
                    self._undone()
            except BaseException:
                self._roll_back()
                self._undone()
                raise

    def _undone(self) -> None:
        """What was learned in a transaction that was undone is not so."""

    def shrink(self) -> None:
        """Give back the memory that is not needed now."""
        with translated(self.folder):
            self._db.execute("PRAGMA shrink_memory")

    def state(self) -> RecordState:
        with translated(self.folder):
            return RecordState._make(self._db.execute(_STATE).fetchone())

    def next_generation(self) -> int:
        with self.transaction():
            self._db.execute("UPDATE state SET generation = generation + 1")
            return self.state().generation

    def renew(self) -> None:
        """Another history, in a file that readers and a writer may have open at once."""
        with translated(self.folder):
            self._db.execute("PRAGMA journal_mode = WAL")
        with self.transaction():
            self._db.execute("UPDATE state SET epoch = ?", (os.urandom(16).hex(),))


@contextmanager
def translated(folder: Path) -> Iterator[None]:
    """SQLite's errors as ours, with what to do about each."""
    try:
        yield
    except sqlite3.OperationalError as error:
        text = str(error)
        if is_busy(error):
            told = f"another process has been writing for over {BUSY_SECONDS:.0f} s"
            raise StoreBusy(
                f"{folder}: {told}{holders(folder)}",
                hint="try again; end that process if it is stuck: what it had finished is kept",
            ) from error
        for said, hint in _HINTS.items():
            if said in text:
                raise StoreError(f"{folder}: {text}", hint=hint) from error
        if "decode" in text or "no such table" in text:
            raise damaged(folder, error) from error
        raise StoreError(f"{folder}: {text}") from error
    except sqlite3.DatabaseError as error:
        if "malformed" in str(error) or "not a database" in str(error):
            raise damaged(folder, error) from error
        raise StoreError(f"{folder}: {error}") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:  # also of SQLite's own message
        raise damaged(folder, error) from error
    except OSError as error:
        otherwise = _HINTS["gone" if isinstance(error, FileNotFoundError) else "readonly"]
        raise StoreError(f"{folder}: {error.strerror}", hint=advice(error, otherwise)) from error


def advice(error: OSError, otherwise: str) -> str:
    """Returns what to do about an error of the system: about files that are used up, else this."""
    return _MORE_FILES if error.errno in (errno.EMFILE, errno.ENFILE) else otherwise


_MORE_FILES = "let the process have more files open (`ulimit -n`), or open fewer stores at once"


_HINTS = {
    "gone": "the folder was moved or deleted while it was in use; `recollect restore BACKUP` makes "
    "it again from a backup",
    "unable to open": "check that the folder is there, that it is yours to write, and that the "
    "process may have more files open (`ulimit -n`)",
    "readonly": "check that it is yours to write",
    "disk is full": "make room on the disk and try again; what was kept before is safe",
    "disk I/O error": "what was kept before is safe, what was being written may be kept or not; "
    "look at the disk (room, quota, its log), then `recollect doctor`",
}


def damaged(folder: Path, error: object) -> StoreCorrupt:
    """Something is in the record that nobody has written, or is not there any more."""
    return StoreCorrupt(
        f"{folder / RECORD}: {error}",
        hint="`recollect repair` makes a new store of what can be read and keeps this one aside; "
        "`recollect restore BACKUP` goes back to a backup",
    )
