"""A store for each of many owners, of which some are open: for a service on one machine.

Each owner's store is a folder of its own, so that nothing of one can be found from another, and
one owner's is backed up, moved or deleted by itself. All share the models; open is what was used
last, up to a number that bounds memory, connections and files.

A store is *lent*: it is closed neither while somebody uses it nor, if it can be helped, soon after.
Whoever wants one while all that may be open are in use waits for the first that is given back. A
thread that gives one back leaves its connection to the next: a store has as many as threads use it
at once.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from threading import Condition, Lock
from time import monotonic
from typing import Any, Self

from recollect import storage
from recollect.arguments import place
from recollect.errors import StoreBusy, StoreError, UsageError
from recollect.memory.core import config_of, parts_of, view_of
from recollect.memory.memory import Memory
from recollect.memory.models import embedder_for, model_or_why, pairs_for, reranker_for
from recollect.named_tuple import NamedTuple
from recollect.nouns.documents import hashed

_FILES, _OTHERS = 8, 128
"""Files that a store has open at most while one thread uses it, and those that are left for what
else the process does."""

if sys.platform == "win32":

    def _room() -> float:
        return inf
else:
    import resource

    def _room() -> float:
        """Returns how many stores the process has files for."""
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return inf if files == resource.RLIM_INFINITY else max(1, (files - _OTHERS) // _FILES)


class PoolCounts(NamedTuple):
    """What a pool has done so far, and how many of its stores are open and lent."""

    open: int
    lent: int
    opened: int
    reused: int
    closed: int


class _Lent:
    """An owner's store from its first use until it is closed."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.memory: Memory | None = None
        self.opening = Lock()
        self.users = 0
        self.used = monotonic()


class MemoryPool:
    """The stores of many owners below one folder, with shared models. At most *most* are open, or
    as many as the process may have files for (``ulimit -n``); one that nobody used for *idle*
    seconds is closed when the next is asked for. Safe to share between threads. *overrides* are
    settings by name, as :meth:`Memory.open` takes them; figures of use are not kept unless
    ``telemetry`` is true."""

    def __init__(
        self,
        folder: str | Path,
        *,
        most: int = 100,
        idle: float = 600.0,
        wait: float = 30.0,
        **overrides: Any,
    ) -> None:
        if most < 1:
            raise UsageError(f"most is {most}", hint="give 1 or more stores")
        self.folder = place(folder)
        self._most, self._idle, self._wait = min(most, _room()), idle, wait
        self._config = config_of(None, {"telemetry": False, **overrides})
        self._embedder = embedder_for(self._config)
        self._reranker = reranker_for(self._config)
        self._pairs = pairs_for(self._config, model_or_why(self._embedder)[0])
        self._changed = Condition()
        self._stores: OrderedDict[str, _Lent] = OrderedDict()
        """By owner, the one that was used last at the end."""
        self._closed = False
        self._opened = self._reused = self._ended = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def place(self, owner: str) -> Path:
        """Returns the folder of an owner's store, whether there is one or not. Its name is a hash:
        no name of an owner leads outside, or is another's on a file system that folds case."""
        if not owner or not isinstance(owner, str):
            raise UsageError("an owner has no name", hint="give the owner whose store it is")
        name = hashed(owner.encode("utf-8", "surrogatepass"), 16).hex()
        return self.folder / name[:2] / name

    @contextmanager
    def open(self, owner: str) -> Iterator[Memory]:
        """Lends the owner's store, and makes it where there is none. Raises ``StoreBusy`` if all
        that may be open are in use for too long."""
        self.place(owner)
        lent = self._taken(owner)
        try:
            with lent.opening:
                if lent.memory is None:
                    lent.memory = self._memory(owner)
            yield lent.memory
        finally:
            if lent.memory is not None:
                storage.give_back(lent.memory.core.engine)
            self._given_back(lent)

    def counts(self) -> PoolCounts:
        """Returns how many stores are open and lent, and how often one was opened, used again and
        closed."""
        with self._changed:
            lent = sum(one.users > 0 for one in self._stores.values())
            return PoolCounts(len(self._stores), lent, self._opened, self._reused, self._ended)

    def close(self) -> None:
        """Closes the stores that nobody uses; the others are closed as they are given back."""
        with self._changed:
            self._closed = True
            ended = self._ended_of(idle=0, most=0)
            self._changed.notify_all()
        _close(ended)

    # -------------------------------------------------------------- lending

    def _taken(self, owner: str) -> _Lent:
        deadline = monotonic() + self._wait
        while True:
            with self._changed:
                room = self._most - (owner not in self._stores)
                ended = self._ended_of(idle=self._idle, most=room)
                lent = self._lent(owner)
                if lent is None and not self._changed.wait(deadline - monotonic()):
                    raise StoreBusy(
                        f"all {self._most} stores that may be open are in use",
                        hint="try again, or give the pool a larger number (most=)",
                    )
            _close(ended)
            if lent is not None:
                return lent

    def _lent(self, owner: str) -> _Lent | None:
        """Returns the owner's store with one user more; None where there is no room for it."""
        if self._closed:
            raise StoreError(f"{self.folder}: the pool was closed", hint="make another")
        lent = self._stores.get(owner)
        if lent is None and len(self._stores) >= self._most:
            return None
        self._reused += lent is not None
        lent = self._stores.setdefault(owner, lent or _Lent(owner))
        lent.users += 1
        self._stores.move_to_end(owner)
        return lent

    def _given_back(self, lent: _Lent) -> None:
        with self._changed:
            lent.users -= 1
            lent.used = monotonic()
            failed = lent.memory is None and not lent.users
            if failed:
                self._stores.pop(lent.owner, None)
            ended = self._ended_of(idle=0, most=0) if self._closed else []
            self._changed.notify()
        _close(ended)

    def _ended_of(self, *, idle: float, most: float) -> list[_Lent]:
        """Takes out stores that nobody uses: those idle for so long, and the longest unused of the
        others until there are no more than *most*. They are closed after the lock is let go."""
        unused = [one for one in self._stores.values() if not one.users]
        since = monotonic() - idle
        ended = [
            one for n, one in enumerate(unused) if one.used < since or n < len(self._stores) - most
        ]
        for one in ended:
            del self._stores[one.owner]
        self._ended += len(ended)
        return ended

    def _memory(self, owner: str) -> Memory:
        folder = self.place(owner)
        config = self._config.with_value("store", str(folder)).with_value("import.owner", owner)
        made = Memory(**parts_of(config, view_of(config), self._embedder, self._reranker))
        made.core.pairs = self._pairs
        with self._changed:
            self._opened += 1
        return made


def _close(stores: list[_Lent]) -> None:
    for one in stores:
        if one.memory is not None:
            one.memory.close()
