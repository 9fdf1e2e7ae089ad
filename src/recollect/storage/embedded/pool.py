"""The connections of one process to a record: one a thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect.errors import StoreError
from recollect.storage.embedded import record_file
from recollect.storage.embedded.record import Record


class RecordPool:
    """Opens a connection for each thread that asks for one. A connection is closed when nobody
    refers to it any more: by its thread when that ends, or, where the pool is closed while the
    thread reads, when that has finished. SQLite crashes if one thread closes what another uses."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._local: threading.local | None = threading.local()
        self._local.record = Record(folder)
        self._file = record_file.standing(folder)

    def mine(self) -> Record:
        """Returns the connection of this thread."""
        local = self._local
        if local is None:
            raise StoreError(f"{self.folder}: the store was closed", hint="open it again")
        self._file.check(self.folder)
        if not hasattr(local, "record"):
            local.record = Record(self.folder)
        record: Record = local.record
        return record

    @contextmanager
    def snapshot(self) -> Iterator[Record]:
        """Gives this thread's connection, for reads that see one state of the record."""
        record = self.mine()
        with record.snapshot():
            yield record

    def close(self) -> None:
        """Closes this thread's connection, and opens nothing from now on; what other threads are
        reading they read to its end."""
        local, self._local = self._local, None
        if local is not None and hasattr(local, "record"):
            local.record.close()
