"""The file of the record, as a process found it: nobody goes on with another one unnoticed, and
none is made where one has been lost."""

from __future__ import annotations

import os
from pathlib import Path

from recollect import permissions
from recollect.errors import StoreCorrupt, StoreError
from recollect.named_tuple import NamedTuple

RECORD = "record.db"
_BACK = (
    "put back what was there, or `recollect restore BACKUP --force`: what is left is moved aside"
)
_CUT = (
    "end what has it open, then `recollect repair` saves what its log has, or `recollect restore "
    "BACKUP --force` goes back to a backup"
)


class RecordFile(NamedTuple):
    device: int
    inode: int
    size: int

    def check(self, folder: Path) -> None:
        """Raises where the file of the store is not this one any more. A file that SQLite has open
        never gets shorter: one that has was cut, and reading it may end the process."""
        now = standing(folder)
        if now[:2] != self[:2]:
            raise StoreError(
                f"{folder}: another store is in its place since this process has opened it",
                hint="start this process again; what it had written is in the store that was there",
            )
        if now.size < self.size:
            raise StoreCorrupt(
                f"{folder / RECORD} was cut from {self.size:,} to {now.size:,} bytes", hint=_CUT
            )


def standing(folder: Path) -> RecordFile:
    """Returns the file that is there now."""
    try:
        about = os.stat(folder / RECORD)
    except FileNotFoundError as error:
        raise StoreError(
            f"{folder / RECORD} is gone: the store was moved or deleted", hint=_BACK
        ) from error
    if not about.st_size:
        raise StoreCorrupt(f"{folder / RECORD} is empty: it was cut to 0 bytes", hint=_CUT)
    return RecordFile(about.st_dev, about.st_ino, about.st_size)


def made(folder: Path) -> None:
    """Has a file there, an empty one for a store that begins; refuses to begin one over what is
    left of another."""
    if remnants(folder):
        standing(folder)
    permissions.touch(folder / RECORD)


def remnants(folder: Path) -> bool:
    """Whether something lies in the folder that is made from a record."""
    try:
        if os.stat(folder / f"{RECORD}-wal").st_size:
            return True
    except OSError:
        pass
    return any(name == "vectors" or name.startswith("text-") for name in os.listdir(folder))
