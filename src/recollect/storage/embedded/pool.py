"""The connections of one process to a record: one for each thread that uses it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from recollect.errors import StoreError
from recollect.storage.embedded import record_file
from recollect.storage.embedded.record import Record


class RecordPool:
    """Gives each thread that asks a connection: one that another thread has given back, else a new
    one. A connection is closed when nobody refers to it any more: by its thread when that ends, or,
    where the pool is closed while the thread reads, when that has finished. SQLite crashes if one
    thread closes what another uses."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._local: threading.local | None = threading.local()
        self._local.record = Record(folder)
        self._idle: list[Record] = []
        self._file = record_file.standing(folder)

    def mine(self) -> Record:
        """Returns the connection of this thread."""
        local = self._local
        if local is None:
            raise StoreError(f"{self.folder}: the store was closed", hint="open it again")
        self._file.check(self.folder)
        if not hasattr(local, "record"):
            local.record = self._given_back() or Record(self.folder)
        record: Record = local.record
        return record

    @contextmanager
    def snapshot(self) -> Iterator[Record]:
        """Gives this thread's connection, for reads that see one state of the record."""
        record = self.mine()
        with record.snapshot():
            yield record

    def give_back(self) -> None:
        """Leaves this thread's connection to the next thread that asks for one."""
        local = self._local
        if local is not None and hasattr(local, "record") and not local.record.db.in_transaction:
            self._idle.append(local.record)
            del local.record

    def _given_back(self) -> Record | None:
        with suppress(IndexError):  # another thread may take the last one first
            return self._idle.pop()
        return None

    def close(self) -> None:
        """Closes this thread's connection and those that were given back, and opens nothing from
        now on; what other threads are reading they read to its end."""
        local, self._local = self._local, None
        while (idle := self._given_back()) is not None:
            idle.close()
        if local is not None and hasattr(local, "record"):
            local.record.close()
