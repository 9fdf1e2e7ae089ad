"""Connections to the server: a pool of them, and work that survives losing one.

A read is simply done again. A write is a transaction that knows its own number: when the answer
to COMMIT is lost with the connection, the server is asked what became of that number, so that
nothing is done twice and nothing is reported that was not done.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, TypeVar

import psycopg
import psycopg_pool
from psycopg import errors

from recollect import suspend
from recollect.errors import StoreBusy
from recollect.named_tuple import NamedTuple
from recollect.storage.postgres.address import ServerAddress
from recollect.storage.postgres.trouble import GONE, LOST, may_pass, translated

T = TypeVar("T")
Db = psycopg.Connection[tuple[Any, ...]]

_BREADTH = 400
"""How many of the nearest so far a search by graph goes on from: more find more, and take longer.
Among a million passages 200 find .90 of the exact ten and 400 .95, and the three hundred nearest,
which a search wants, take as long with either."""
_ATTEMPTS = 12
"""So often a transaction that lost against another is tried again."""


_TIMELINE = "left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)"
"""The history of the server's log: each promotion of a standby begins another."""


class Server(NamedTuple):
    """What the server can do."""

    version: int
    vector: tuple[int, ...]
    """The version of pgvector; empty where it is not installed in the database."""
    vector_schema: str
    walled: bool = False
    """Whether row-level security holds for this role."""

    @property
    def half(self) -> bool:
        """Whether vectors can be stored at half precision."""
        return self.vector >= (0, 7)

    @property
    def iterative(self) -> bool:
        """Whether a search by graph goes on until its filter has let enough through."""
        return self.vector >= (0, 8)


@contextmanager
def steady(db: Db) -> Iterator[None]:
    """Statements that see one state of the store, and change nothing."""
    db.execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    try:
        yield
    finally:
        if not db.closed:
            db.execute("ROLLBACK")


def scalar(db: Db, statement: str, values: Any = None) -> Any:
    """Returns the first column of the first row, or None without a row."""
    row = db.execute(statement, values).fetchone()
    return row[0] if row else None


def only_row(db: Db, statement: str, values: Any = None) -> tuple[Any, ...]:
    """Returns the row of a statement that has exactly one."""
    (row,) = db.execute(statement, values).fetchall()
    return tuple(row)


def firsts(rows: Iterable[Sequence[Any]]) -> list[Any]:
    """Returns the first column of the rows."""
    return [row[0] for row in rows]


def probe(db: Db) -> Server:
    row = db.execute(
        "SELECT e.extversion, n.nspname FROM pg_extension e "
        "JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'"
    ).fetchone()
    version, schema = row or ("", "")
    numbers = tuple(int(part) for part in version.split(".") if part.isdigit())
    return Server(db.info.server_version, numbers, schema)


def connect(address: ServerAddress, wait: int = 10) -> Db:
    """One connection by itself, within so many seconds; what is wrong with it is told at once."""
    with translated(address.shown):
        return psycopg.connect(
            address.dsn, autocommit=True, connect_timeout=wait, application_name="recollect"
        )


class Connections:
    """The pool of one process. Nothing is left open in a transaction."""

    def __init__(self, address: ServerAddress, server: Server, wait: float = 30.0) -> None:
        """*wait* is for how many seconds a connection is waited for."""
        self.address = address
        self.server = server
        self._pool = psycopg_pool.ConnectionPool(
            address.dsn,
            kwargs={"autocommit": True, "application_name": "recollect", "connect_timeout": 10},
            min_size=0,
            max_size=address.pool,
            timeout=max(wait, address.patience),
            configure=self._configure,
            open=True,
        )

    def close(self) -> None:
        self._pool.close()

    def _configure(self, db: Db) -> None:
        path = f"{self.address.schema}, {self.server.vector_schema or 'public'}"
        settings = {
            "search_path": path,
            "statement_timeout": f"{self.address.timeout}s",
            "idle_in_transaction_session_timeout": "300s",
            "recollect.owner": self.address.owner,
            "jit": "off",
            "hnsw.ef_search": str(_BREADTH),
        }
        if self.server.iterative:
            settings["hnsw.iterative_scan"] = "relaxed_order"
        called = ", ".join(["set_config(%s, %s, false)"] * len(settings))
        db.execute(f"SELECT {called}", list(chain.from_iterable(settings.items())))

    # -------------------------------------------------------------- reading

    def read(self, work: Callable[[Db], T]) -> T:
        """Do it; with another connection if this one is lost."""
        return self._patiently(lambda: self._once(work))

    def snapshot(self, work: Callable[[Db], T]) -> T:
        """Statements that see one state of the store."""

        def looking(db: Db) -> T:
            with steady(db):
                return work(db)

        return self.read(looking)

    def _once(self, work: Callable[[Db], T]) -> T:
        with self._pool.connection() as db:
            return work(db)

    def _patiently(self, work: Callable[[], T]) -> T:
        with translated(self.address.shown):
            until = time.monotonic() + self.address.patience
            for attempt in range(1_000_000):
                try:
                    return work()
                except psycopg_pool.PoolTimeout:
                    connect(
                        self.address, wait=2
                    ).close()  # says why, unless the others are only busy
                    raise
                except GONE as error:
                    if not may_pass(error) or time.monotonic() > until:
                        raise
                    self._pool.check()  # the others are gone as well, if the server was
                    time.sleep(min(1.0, 0.02 * 2**attempt))
            raise AssertionError("unreachable")

    # -------------------------------------------------------------- writing

    def write(self, work: Callable[[Db], T]) -> T:
        """One transaction, done once, however often it has to be tried."""
        for attempt in range(_ATTEMPTS):
            try:
                return self._patiently(lambda: self._transaction(work))
            except StoreBusy as error:
                if not isinstance(error.__cause__, LOST) or attempt == _ATTEMPTS - 1:
                    raise
                time.sleep(random.uniform(0, 0.01 * 2 ** min(attempt, 6)))
        raise AssertionError("unreachable")

    def _transaction(self, work: Callable[[Db], T]) -> T:
        number: str | None = None
        timeline = ""
        done: list[T] = []
        try:
            with self._pool.connection() as db, suspend.put_off(), db.transaction():
                done.append(work(db))
                number, timeline = only_row(
                    db, f"SELECT pg_current_xact_id_if_assigned()::text, {_TIMELINE}"
                )
        except GONE as error:
            if number is None or not may_pass(error) or not self._committed(number, timeline):
                raise
        return done[0]

    def _committed(self, number: str, timeline: str) -> bool:
        """What became of a transaction whose connection was lost while it was committed. A server
        that has been promoted since gives the number to another transaction, or has yet to: there
        it counts as lost, and is applied again, which changes nothing where it was kept."""

        def ask(db: Db) -> bool:
            if scalar(db, f"SELECT {_TIMELINE}") != timeline:
                return False
            for _ in range(600):
                row = db.execute("SELECT pg_xact_status(%s::xid8)", (number,)).fetchone()
                if row != ("in progress",):
                    return row == ("committed",)
                time.sleep(0.1)
            raise errors.LockNotAvailable(f"transaction {number} has not ended")

        return self._patiently(lambda: self._once(ask))

    # -------------------------------------------------------------- alone

    @contextmanager
    def unhurried(self) -> Iterator[Db]:
        """A connection of its own, whose statements may take as long as they need."""
        with translated(self.address.shown), connect(self.address) as db:
            self._configure(db)
            db.execute("SET statement_timeout = 0")
            yield db
