"""A read replica that searches are sent to, and how far behind it may be.

Once a second the primary is asked for the end of its log, and the replica for how much of the log
it has: all that was committed before the last such question that it has caught up with is there.
The replica is asked only while that is not longer ago than ``staleness``, and not before it has
what this process has written or has read from the primary, so that nothing that was seen once is
missing later. Whenever it fails, the primary is asked instead.
"""

from __future__ import annotations

import threading
import time
from collections import deque

from recollect.errors import StoreError, UsageError
from recollect.named_tuple import NamedTuple
from recollect.ports import ReplicaLag
from recollect.storage.postgres.address import ServerAddress, parse
from recollect.storage.postgres.connection import Connections, Db, connect
from recollect.storage.postgres.owners import Owners
from recollect.storage.postgres.text import TextSearch
from recollect.storage.postgres.text_views import TextViews
from recollect.storage.postgres.vectors import VectorTables

LOOK_SECONDS = 1.0
"""So often it is asked how far the replica is."""
_CATCH_UP = 0.05
"""Seconds for which it is waited for what was written just now."""
AWAY_SECONDS = 5.0
"""So often a replica that failed is tried again."""
_CONNECT = 3.0
"""Seconds within which a replica has to be reached."""
_PAGE, _HEADER = 8192, 40
"""Bytes of a page of the log, and of the header of one."""


class Reader(NamedTuple):
    """A server to search with."""

    connections: Connections
    views: TextViews
    text: TextSearch
    vectors: VectorTables

    @classmethod
    def of(cls, connections: Connections, owners: Owners, *, writes: bool) -> Reader:
        views = TextViews(connections, connections.address.schema, writes=writes)
        tables = VectorTables(connections, owners)
        return cls(connections, views, TextSearch(views, owners), tables)


class Replica:
    """Thread-safe. Times are those of this process."""

    def __init__(self, address: ServerAddress, primary: Connections, owners: Owners) -> None:
        there = parse(address.replica)
        at = address._replace(dsn=there.dsn, shown=there.shown, patience=0)
        self._primary = primary
        self._shown = there.shown
        self._most = address.staleness
        self.reader = Reader.of(Connections(at, primary.server, _CONNECT), owners, writes=False)
        self._lock = threading.Lock()
        self._ends: deque[tuple[int, float]] = deque(maxlen=1000)
        """Where the log ended, and when, that the replica has not caught up with."""
        self._has = self._looked = self._told = float("-inf")
        self._same = False
        self._trouble = ""
        self._served = False
        try:
            self.serves()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self.reader.connections.close()

    def serves(self) -> bool:
        """Whether it may be asked now."""
        with self._lock:
            pause = AWAY_SECONDS if self._trouble else LOOK_SECONDS
            if time.monotonic() - self._looked >= pause:
                self._look()
            least = max(time.monotonic() - self._most, self._told)
            self._served = not self._trouble and self._has >= least
            return self._served

    def told(self) -> None:
        """Something was written to the primary, or read there: the replica has to have it."""
        self._told = time.monotonic()

    def failed(self, reason: str) -> None:
        """Do without it until it is looked at again."""
        with self._lock:
            self._trouble, self._served, self._looked = reason, False, time.monotonic()

    def behind(self) -> ReplicaLag:
        """What is to be said of the last search."""
        if self._served:
            seconds = max(0.0, time.monotonic() - self._has)
            said = f"what was written in the last {seconds:.1f} s may be missing"
            return ReplicaLag(seconds, f"a replica answered: {said}")
        why = self._trouble or "it has not caught up yet"
        return ReplicaLag(0.0, f"the primary answered instead of the replica: {why}")

    def looked_at(self) -> tuple[str, str]:
        """Returns its state in words, looking now, and what is wrong with it."""
        with self._lock:
            self._look()
            late = time.monotonic() - self._has
            trouble = self._trouble
        if trouble:
            return "a replica that is not asked", f"the replica cannot be asked: {trouble}"
        if late == float("inf"):
            return "a replica that is not asked", "the replica has not caught up yet"
        if late > self._most:
            said = f"the replica lacks what was written in the last {late:.0f} s"
            return "a replica that is not asked", f"{said}, and staleness= allows {self._most}"
        return f"a replica that has all but the last {late:.1f} s", ""

    # -------------------------------------------------------------- looking

    def _look(self) -> None:
        self._looked = at = time.monotonic()
        try:
            if self._trouble or not self._same:
                connect(self.reader.connections.address).close()  # fails sooner than the pool does
            self._same = self._same or self._compare()
            if not self._same:
                return
            self._ends.append((self._primary.read(_end), at))
            while True:
                replayed = self.reader.connections.read(_replayed)
                while self._ends and self._ends[0][0] <= replayed:
                    self._has = self._ends.popleft()[1]
                if not self._ends or time.monotonic() - at > _CATCH_UP:
                    break
                time.sleep(0.002)
            self._trouble = ""
        except StoreError as error:
            self._trouble = error.message

    def _compare(self) -> bool:
        """Whether it has this store yet; what is no replica of it is refused."""
        if not self.reader.connections.read(_recovers):
            raise UsageError(
                f"replica={self._shown} is no replica: it takes writes itself",
                hint="give the URL of a hot standby of the server",
            )
        theirs = self.reader.connections.read(_epoch)
        if theirs and theirs != self._primary.read(_epoch):
            raise UsageError(
                f"replica={self._shown} is not a replica of this store",
                hint="give the URL of a hot standby of the server",
            )
        return bool(theirs)


def _value(db: Db, statement: str) -> str:
    row = db.execute(statement.encode()).fetchone()
    return "" if row is None or row[0] is None else str(row[0])


def _end(db: Db) -> int:
    """Behind the last record: what is committed is before it, written to the disk or not. Where the
    next one would begin behind the header of a page, the last one ends before that."""
    end = _number(_value(db, "SELECT pg_current_wal_insert_lsn()"))
    return end - end % _PAGE if end % _PAGE <= _HEADER else end


def _replayed(db: Db) -> int:
    return _number(_value(db, "SELECT pg_last_wal_replay_lsn()"))


def _recovers(db: Db) -> bool:
    return _value(db, "SELECT pg_is_in_recovery()") == "True"


def _epoch(db: Db) -> str:
    known = _value(db, "SELECT to_regclass('meta')")
    return _value(db, "SELECT epoch FROM meta") if known else ""


def _number(position: str) -> int:
    """``16/B374D848`` as one number; a missing position is the lowest."""
    high, _, low = position.partition("/")
    return (int(high, 16) << 32) + int(low, 16) if low else -1
