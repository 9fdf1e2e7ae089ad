"""The connections of one process to a record: one a thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect.storage.embedded.record import Record


class RecordPool:
    """Opens a connection for each thread that asks for one. Those of threads that have ended are
    closed when a new one is opened: a process that lives long has many threads, and each a few
    at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._local = threading.local()
        self._records: list[tuple[threading.Thread, Record]] = []
        self._lock = threading.Lock()

    def mine(self) -> Record:
        """Returns the connection of this thread."""
        record: Record | None = getattr(self._local, "record", None)
        if record is None:
            record = self._local.record = Record(self.folder)
            self._add(record)
        return record

    def _add(self, record: Record) -> None:
        with self._lock:
            ended = [(t, r) for t, r in self._records if not t.is_alive()]
            self._records = [one for one in self._records if one not in ended]
            self._records.append((threading.current_thread(), record))
        for _, old in ended:
            old.close()

    @contextmanager
    def snapshot(self) -> Iterator[Record]:
        """Gives this thread's connection, for reads that see one state of the record."""
        record = self.mine()
        with record.snapshot():
            yield record

    def close(self) -> None:
        with self._lock:
            for _, record in self._records:
                record.close()
            self._records.clear()
        self._local = threading.local()
