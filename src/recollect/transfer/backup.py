"""Backs up a store, restores a backup, and repairs a damaged store."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from itertools import filterfalse
from pathlib import Path
from typing import TYPE_CHECKING

from recollect import config as settings
from recollect import permissions, storage
from recollect.arguments import is_there, place, store_of
from recollect.errors import InputError, UsageError
from recollect.nouns import Progress, Report
from recollect.storage.embedded import swap

if TYPE_CHECKING:
    from recollect.storage.embedded.backup import BackupReport as BackupReport
    from recollect.storage.embedded.backup import RestoreReport as RestoreReport
    from recollect.storage.embedded.repair import RepairReport as RepairReport


def backups_folder() -> Path:
    return settings.data_folder() / "backups"


def backup(location: str, file: str | Path | None, *, force: bool, report: Report) -> BackupReport:
    if file is not None and not str(file):
        raise UsageError("the file is empty", hint="name a file, or leave it out")
    to = _unused() if file is None else place(file)
    return storage.back_up(location, to, force=force, tell=_told(report))


def _unused() -> Path:
    """Returns a path in the folder of backups that is named by the time and not taken."""
    folder = permissions.folder(backups_folder())
    name = f"recollect-{datetime.now():%Y%m%d-%H%M%S}"
    files = (folder / f"{one}.tar.gz" for one in swap.numbered(name))
    return next(filterfalse(Path.exists, files))


def restore_store(
    file: str | Path,
    to: str | Path | None = None,
    *,
    force: bool = False,
    report: Report = lambda _: None,
) -> RestoreReport:
    """Make the store of a backup at *to*, else where the configured store is to be. A store that
    is there is refused, or with *force* moved aside. What is put in place has been looked over,
    every document of it; a store of an older version is brought up to date."""
    if not is_there(place(file)):
        said = f"{file}: there is no such file"
        raise InputError(said, hint="give a file that `recollect backup` wrote")
    at = store_of(settings.load()) if to is None else where(to)
    return storage.restore(place(file), at, force=force, tell=_told(report))


def repair_store(
    location: str | Path | None = None, *, report: Report = lambda _: None
) -> RepairReport:
    """Make the store there (else the configured one) anew from what can be read of it. The old one
    is kept aside."""
    at = store_of(settings.load()) if location is None else where(location)
    return storage.repair(at, tell=_told(report))


def where(given: str | Path) -> str:
    if not str(given):
        raise UsageError("the place is empty", hint="name a folder")
    return str(given) if "://" in str(given) else str(place(given))


def _told(report: Report) -> Callable[[str, int, int], None]:
    return lambda doing, done, total: report(Progress(doing, done, total))
