"""The dict ledger: figures that last as long as the process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from threading import Lock

from recollect.telemetry import Tally


class PlainLedger:
    def __init__(self) -> None:
        self._sums: dict[tuple[str, str, str], Counter[str]] = {}
        self._lock = Lock()

    def add(self, tallies: Iterable[Tally]) -> None:
        with self._lock:
            for day, mode, intent, counts in tallies:
                self._sums.setdefault((day, mode, intent), Counter()).update(counts)

    def rows(self, since: str) -> list[Tally]:
        with self._lock:
            found = sorted(self._sums.items())
        return [Tally(*key, Counter(counts)) for key, counts in found if key[0] >= since]

    def clear(self) -> None:
        with self._lock:
            self._sums.clear()

    def close(self) -> None:
        pass
