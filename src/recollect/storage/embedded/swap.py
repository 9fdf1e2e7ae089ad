"""One folder in place of another: made and looked over beside it, then put there in one step.
What was there before is kept, under a name that says since when."""

from __future__ import annotations

import ctypes
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from itertools import count, filterfalse
from pathlib import Path

from recollect import permissions
from recollect.errors import StoreBusy, StoreError, UsageError
from recollect.storage.embedded.lock import file_lock
from recollect.storage.embedded.record_file import RECORD, remnants
from recollect.storage.embedded.sqlite_file import is_busy

_WORKING = ".recollect-working"
"""In each folder of work in progress: locked as long as somebody works there."""


@contextmanager
def beside(place: Path) -> Iterator[Path]:
    """A folder for work in progress, on the disk that *place* is on; gone afterwards. What others
    who were killed have left there goes too."""
    try:
        permissions.folder(place.parent)
        _sweep(place.parent)
        scratch = Path(tempfile.mkdtemp(prefix=f".{place.name[:60]}.", dir=place.parent))
    except OSError as error:
        raise StoreError(
            f"{place.parent}: {error.strerror}", hint="name a place that you may write to"
        ) from error
    try:
        with file_lock(scratch / _WORKING, pausing=True):
            yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _sweep(folder: Path) -> None:
    for left in folder.glob(f".*/{_WORKING}"):
        with suppress(OSError):
            with file_lock(left) as abandoned:
                pass
            if abandoned:
                shutil.rmtree(left.parent, ignore_errors=True)


def free(place: Path, *, force: bool) -> None:
    """Refuse a place that something is in; with *force* only what is no store, or is in use."""
    if not os.path.lexists(place) or (place.is_dir() and not any(place.iterdir())):
        return
    if not (place / RECORD).is_file() and not (place.is_dir() and remnants(place)):
        raise UsageError(f"{place} is there already, and is no store", hint="name another place")
    if not force:
        raise UsageError(
            f"there is a store at {place}",
            hint="name another place with --to, or --force: the old store is moved aside then",
        )
    refuse_in_use(place)


def refuse_in_use(place: Path) -> None:
    """Refuse a store that another process has open: it would go on writing to what was moved."""
    file = place / RECORD
    if not file.is_file() or not file.stat().st_size:
        return  # SQLite would make one, or delete the log of one that was cut
    try:
        with closing(sqlite3.connect(file, timeout=1.0, isolation_level=None)) as db:
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
            db.execute("BEGIN IMMEDIATE")
            db.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        if is_busy(error):
            raise StoreBusy(
                f"{place} is open in another process",
                hint="end it first (`recollect mcp`, `serve`, `watch`, an import), then try again",
            ) from error
    except sqlite3.DatabaseError:
        pass  # damaged: whoever has it open cannot do much with it either


def put_in_place(made: Path, place: Path, why: str) -> Path | None:
    """Move *made* to *place*; where to what was there has gone, if anything was. Whoever is killed
    here leaves one of the two in the place, wherever the system can exchange two folders."""
    old = None
    try:
        if os.path.lexists(place) and any(place.iterdir()):
            old = _unused(place, why)
            os.replace(made, old)
            if not _exchanged(old, place):
                os.replace(old, made)
                _one_after_the_other(made, place, old)
        else:
            if os.path.lexists(place):
                place.rmdir()
            os.replace(made, place)
    except OSError as error:
        raise StoreError(f"{place}: {error.strerror}", hint="nothing was changed") from error
    permissions.sync(place.parent)
    return old


def _one_after_the_other(made: Path, place: Path, old: Path) -> None:
    os.replace(place, old)
    try:
        os.replace(made, place)
    except OSError:
        os.replace(old, place)
        raise


def _exchanged(one: Path, other: Path) -> bool:
    """Let two folders change names in one step, if system and disk can do that."""
    swap, here, there = 2, os.fsencode(one), os.fsencode(other)
    try:
        system = ctypes.CDLL(None)
        if sys.platform == "darwin":
            return bool(system.renamex_np(here, there, swap) == 0)
        at = -100  # AT_FDCWD: paths are as they are given
        return bool(system.renameat2(at, here, at, there, swap) == 0)
    except (AttributeError, OSError, TypeError):
        return False


def _unused(place: Path, why: str) -> Path:
    name = f"{place.name}.{why}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    return next(filterfalse(os.path.lexists, map(place.with_name, numbered(name))))


def numbered(name: str) -> Iterator[str]:
    """Yields a name as it is, then with 2, 3, … behind it."""
    yield name
    yield from (f"{name}-{n}" for n in count(2))
