"""Checks of the machine: free space, permissions and the clock."""

from __future__ import annotations

import shutil
from datetime import timedelta
from itertools import chain
from pathlib import Path

from recollect import config as settings
from recollect import permissions as files
from recollect.doctor.case import Case
from recollect.doctor.report import Check
from recollect.moments import iso
from recollect.nouns import Filter

SHOWN = 5
LEAST, ROOM = 100_000_000, 500_000_000
"""Bytes below which writes will soon fail; that should be left beside what the store takes, for an
index that is made anew or a backup."""
DAY = timedelta(days=1)


def disk(case: Case) -> Check:
    folder = case.folder
    if folder is None:
        return Check("skip", "the store is not on this machine's disk")
    there = next(filter(Path.exists, (folder, *folder.parents)))
    free = shutil.disk_usage(there).free
    size = case.memory.status().store.bytes if case.opened else 0
    told = f"{_size(free)} free, the store takes {_size(size)}"
    if free < LEAST:
        return Check("fail", told, "make room on this disk")
    if free < size + ROOM:
        return Check("warn", f"{told}: a rebuild or a backup may not fit", "make room on this disk")
    return Check("ok", told)


def _size(count: int) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6)):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count / 1e3:,.0f} kB"


def permissions(case: Case) -> Check:
    """Nobody else may read the store, the settings or the backups."""
    places = _private(case)
    open_to_others = list(chain.from_iterable(map(_exposed, places)))

    def close() -> str:
        for path in open_to_others:
            path.chmod(files.FOLDER if path.is_dir() else files.FILE)
        return f"{len(open_to_others):,} files and folders closed to others"

    if not open_to_others:
        return Check("ok", "only you may read the store and your settings")
    first = open_to_others[0]
    text = f"others may read or write {len(open_to_others):,} of your files and folders"
    return Check(
        "warn",
        text,
        f"recollect doctor --fix, or chmod -R go= {first}",
        tuple(map(str, open_to_others[:SHOWN])),
        fix=close,
    )


def _private(case: Case) -> list[Path]:
    data, config = settings.data_folder(), settings.user_file().parent
    places = [case.folder, config, data / "backups", data]
    return list(dict.fromkeys(p for p in places if p is not None and p.exists()))


def _exposed(place: Path) -> list[Path]:
    """All below it; of the data folder only its own files: what else is there (models, other
    stores) is no secret, or looked at when it is in use."""
    if place != settings.data_folder():
        return files.exposed(place)
    return [
        p
        for p in (place, *place.iterdir())
        if (p == place or p.is_file()) and p.lstat().st_mode & 0o077
    ]


def clock(case: Case) -> Check:
    """Now is after what was written, and what is dated is not dated later."""
    last = case.seen.last_write
    if last is not None and last > case.now + timedelta(minutes=1):
        text = f"the last write was at {iso(last)}, and now is {iso(case.now)}: the clock went back"
        return Check("warn", text, "set the clock; what is kept is in order whatever it says")
    newest = next(
        (d.date for d in case.memory.store.scan(Filter(), limit=1, dated=True).items), None
    )
    if newest is not None and newest > case.now + DAY:
        text = f"something is dated {iso(newest)}, which is to come"
        return Check("warn", text, f"recollect list --since {iso(case.now + DAY)}")
    return Check("ok", "nothing is written or dated after now")
