"""The cache of a store that lasts as long as the process: the specification of the others."""

from __future__ import annotations

import threading
from collections.abc import Collection

from recollect.ports import CachedAnswer, CacheStats, PastRequest


class PlainCache:
    def __init__(self, size: int) -> None:
        self.size = size
        self._lock = threading.RLock()
        self._answers: dict[str, CachedAnswer] = {}  # last used last
        self._questions: dict[str, PastRequest] = {}

    def get(self, key: str) -> CachedAnswer | None:
        with self._lock:
            found = self._answers.pop(key, None)
            if found is not None:
                self._answers[key] = found
            return found

    def alike(self, space: str, *, limit: int) -> list[CachedAnswer]:
        with self._lock:
            found = [kept for kept in reversed(self._answers.values()) if kept.space == space]
            return [kept._replace(answer="") for kept in found[:limit]]

    def put(self, kept: CachedAnswer) -> None:
        with self._lock:
            self.prune(kept.made)
            self._answers.pop(kept.key, None)
            self._answers[kept.key] = kept
            while len(self._answers) > self.size:
                del self._answers[next(iter(self._answers))]

    def note(self, asked: PastRequest) -> None:
        with self._lock:
            self._questions.pop(asked.key, None)
            self._questions[asked.key] = asked
            while len(self._questions) > 4 * self.size:
                del self._questions[next(iter(self._questions))]

    def noted(self, keys: Collection[str]) -> dict[str, PastRequest]:
        with self._lock:
            return {key: self._questions[key] for key in keys if key in self._questions}

    def stats(self) -> CacheStats:
        with self._lock:
            made = [kept.made for kept in self._answers.values()]
            size = sum(len(kept.answer.encode()) for kept in self._answers.values())
            return CacheStats(
                len(made), self.size, size, min(made, default=None), max(made, default=None)
            )

    def prune(self, now: float) -> int:
        with self._lock:
            old = [kept.key for kept in self._answers.values() if kept.made + kept.lasts <= now]
            for key in old:
                del self._answers[key]
            return len(old)

    def clear(self) -> int:
        with self._lock:
            count = len(self._answers)
            self._answers.clear()
            self._questions.clear()
            return count

    def close(self) -> None:
        """There is nothing to close."""
