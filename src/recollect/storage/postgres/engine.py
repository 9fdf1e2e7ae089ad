"""The PostgreSQL engine: the port, method by method."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from recollect.errors import StoreError
from recollect.nouns import (
    ChangeSet,
    Document,
    Event,
    Filter,
    Hit,
    Page,
    Receipt,
    Recorded,
    StoredPassage,
    StoreStats,
    TextQuery,
    stable_id,
)
from recollect.ports import (
    Behind,
    Checked,
    Dumped,
    Held,
    Item,
    Loaded,
    Outline,
    Spot,
    Stamped,
    TextFound,
    Turn,
    VectorFound,
)
from recollect.storage.content import parse_cursor
from recollect.storage.postgres import answers, checking, dump, text_index
from recollect.storage.postgres.address import Address
from recollect.storage.postgres.connection import Connections, Db, steady
from recollect.storage.postgres.notify import Listener
from recollect.storage.postgres.owners import Owners
from recollect.storage.postgres.record import Record
from recollect.storage.postgres.replica import Reader, Replica
from recollect.storage.postgres.schema import prepare
from recollect.storage.postgres.turns import Turns
from recollect.storage.postgres.writer import Changes

if TYPE_CHECKING:
    from recollect.ports import Vector, Vectors

T = TypeVar("T")
_OFTEN = 20
"""A process that has seen so many changes of others is one that lives long."""
_FEW = 1000
"""Passages that no plan goes wrong with."""
_SOME = 4
"""More documents than this are read before their owner's row is locked."""


class PostgresStore:
    def __init__(self, address: Address) -> None:
        self.address = address
        server = prepare(address)
        self._connections = Connections(address, server)
        self._owners = Owners(address.schema, address.owner, walled=server.walled)
        self._record = Record(self._owners)
        self._turns = Turns(self._owners)
        self._primary = Reader.of(self._connections, self._owners, writes=True)
        self._views, self._vectors = self._primary.views, self._primary.vectors
        self._replica: Replica | None = None
        if address.replica:
            try:
                self._replica = Replica(address, self._connections, self._owners)
            except BaseException:
                self._connections.close()
                raise
        self._listener: Listener | None = None
        self._lock = threading.Lock()

    def close(self) -> None:
        if self._listener is not None:
            self._listener.stop()
        if self._replica is not None:
            self._replica.close()
        self._connections.close()

    def _search(self, work: Callable[[Reader], T]) -> T:
        """Do it on the replica, where there is one that is near enough."""
        if self._replica is None:
            return work(self._primary)
        if self._replica.serves():
            try:
                return work(self._replica.reader)
            except StoreError as error:
                self._replica.failed(error.message)
        found = work(self._primary)
        self._replica.told()
        return found

    def _read(self, work: Callable[[Db], T]) -> T:
        return self._search(lambda reader: reader.connections.read(work))

    def _write(self, work: Callable[[Db], T]) -> T:
        done = self._connections.write(work)
        if self._replica is not None:
            self._replica.told()
        return done

    def behind(self) -> Behind | None:
        return None if self._replica is None else self._replica.behind()

    # -------------------------------------------------------------- the record

    def apply(self, changes: ChangeSet, *, dry_run: bool = False) -> Receipt:
        coming = Changes(changes, self._owners)
        if dry_run:
            return self._connections.snapshot(coming.try_out)
        if len(changes.changes) > _SOME:
            self._connections.read(coming.look_ahead)
        return self._write(coming.apply)

    def get(self, name: str) -> list[Document]:
        return self._connections.snapshot(lambda db: self._record.get(db, name))

    def held(self, handles: Collection[str]) -> list[Held]:
        wanted = list(dict.fromkeys(handles))
        if not wanted:
            return []
        if not self._connections.read(lambda db: self._record.holds(db, wanted)):
            return []  # nearly always, and sooner told
        return self._connections.snapshot(lambda db: self._record.held(db, wanted))

    def find(self, name: str, filter: Filter) -> list[Document]:
        return self._connections.read(lambda db: self._record.find(db, name, filter))

    def passages(self, keys: Sequence[int]) -> list[StoredPassage]:
        if not keys:
            return []
        return self._read(lambda db: self._record.passages(db, keys))

    def passage(self, id: str) -> StoredPassage | None:
        return self._read(lambda db: self._record.passage(db, id))

    def scan(self, filter: Filter, *, limit: int, cursor: str = "") -> Page:
        before = parse_cursor(cursor)
        return self._connections.read(lambda db: self._record.scan(db, filter, limit, before))

    def newest(self, filter: Filter, count: int) -> datetime | None:
        return self._read(lambda db: self._record.newest(db, filter, count))

    def stamps(self, source: str) -> list[Stamped]:
        return self._connections.read(lambda db: self._record.stamps(db, source))

    def neighbours(self, key: int, *, before: int, after: int) -> list[StoredPassage]:
        return self._read(lambda db: self._record.neighbours(db, key, before, after))

    def holders(self, messages: Sequence[str], *, within: str = "") -> dict[str, list[Spot]]:
        return self._connections.read(lambda db: self._turns.holders(db, messages, within))

    def turns(
        self, id: str, *, start: int, count: int, roles: Sequence[str] | None = None
    ) -> list[Turn]:
        return self._connections.snapshot(lambda db: self._turns.turns(db, id, start, count, roles))

    def tally(self, id: str, *, first: int = 0, last: int | None = None) -> dict[str, int]:
        return self._connections.read(lambda db: self._turns.tally(db, id, first, last))

    def recent(self, filter: Filter, *, limit: int) -> list[Outline]:
        return self._connections.read(lambda db: self._turns.recent(db, filter, limit))

    def history(self, id: str) -> list[Event]:
        return self._connections.read(lambda db: self._record.history(db, id))

    def fingerprint(self, filter: Filter) -> str:
        return stable_id(*self._read(lambda db: self._record.source_seqs(db, filter)))

    # -------------------------------------------------------------- recorded answers

    def keep_answer(self, answer: Recorded) -> None:
        self._connections.write(lambda db: answers.keep(db, self._owners, answer))

    def answers(
        self, *, fingerprint: str = "", space: str = "", limit: int, before: datetime | None = None
    ) -> list[Recorded]:
        return self._connections.read(
            lambda db: answers.kept(db, self._owners, fingerprint, space, limit, before)
        )

    def drop_answers(self, ids: Collection[str]) -> int:
        return self._write(lambda db: answers.drop(db, self._owners, list(ids)))

    # -------------------------------------------------------------- all of it

    def dump(self, *, after: str = "", vectors: bool = True) -> Iterator[Dumped]:
        with self._connections.unhurried() as db, steady(db):
            yield from dump.dumped(db, self._owners, self._record, after, vectors)

    def load(self, items: Iterable[Item], *, replace: bool = False) -> Loaded:
        given = list(items)
        for model, dimensions in dump.dimensions(given).items():
            self._vectors.make(model, dimensions)

        def work(db: Db) -> Loaded:
            return dump.Loader(db, self._owners, self._record, self._vectors, replace).load(given)

        return self._write(work)

    def check(self, *, full: bool = False) -> Checked:
        with self._connections.unhurried() as db, steady(db):
            return checking.checked(db, self._owners, self._record, full)

    # -------------------------------------------------------------- searching

    def search_text(
        self, query: TextQuery, filter: Filter, *, limit: int, count: bool = False
    ) -> TextFound:
        if self._listener is None and self._views.outdated > _OFTEN:
            self._listen()
        return self._search(lambda on: on.text.search([query], filter, limit, count=count)[0])

    def _listen(self) -> None:
        with self._lock:
            if self._listener is None:
                self._listener = Listener(self.address, self._views.renew)

    def search_texts(
        self, queries: Sequence[TextQuery], filter: Filter, *, limit: int
    ) -> list[list[Hit]]:
        found = self._search(lambda on: on.text.search(queries, filter, limit))
        return [one.hits for one in found]

    def matched(self, words: Sequence[str], keys: Sequence[int]) -> dict[int, set[str]]:
        return self._search(lambda on: on.text.matched(words, keys))

    def search_vector(
        self, model: str, vector: Vector, filter: Filter, *, limit: int
    ) -> VectorFound:
        return self._read(lambda db: self._vectors.search(db, model, vector, filter, limit))

    # -------------------------------------------------------------- vectors

    def pending(self, model: str, *, limit: int) -> list[tuple[int, str]]:
        return self._connections.read(lambda db: self._vectors.pending(db, model, limit))

    def put_vectors(self, model: str, keys: Sequence[int], vectors: Vectors) -> int:
        done = self._vectors.put(model, keys, vectors)
        if self._replica is not None:
            self._replica.told()
        return done

    def drop_vectors(self, model: str) -> int:
        return self._write(lambda db: self._vectors.drop(db, model))

    def models(self) -> dict[str, int]:
        return self._connections.read(self._vectors.counts)

    # -------------------------------------------------------------- upkeep

    def refresh(self, *, rebuild: bool = False) -> None:
        work = text_index.rebuild if rebuild else text_index.catch_up
        for owner in self._connections.read(self._writing_owners):
            work(self._connections, self._owners.schema, owner)
        self._vectors.build_graphs(rebuild=rebuild)
        self._connections.read(self._analyze)

    def _analyze(self, db: Db) -> None:
        """After much has changed the server plans better when it is told at once."""
        row = db.execute(
            "SELECT (SELECT COALESCE(SUM(passages), 0) FROM state), (SELECT SUM(GREATEST("
            "c.reltuples, 0)) FROM pg_class c JOIN pg_partition_tree('passages') t "
            "ON t.relid = c.oid WHERE t.isleaf)"
        ).fetchone()
        there, known = row or (0, 0)
        if there > _FEW and not there / 2 < (known or 0) < there * 2:
            for table in ("documents", "passages", "messages"):
                db.execute(f"ANALYZE {table}")  # where it may not, the server only warns

    def _writing_owners(self, db: Db) -> list[int]:
        rows = db.execute(
            f"SELECT owner FROM state WHERE owner = ANY({self._owners.seen}) AND version > 0 "
            "ORDER BY owner"
        )
        return [row[0] for row in rows]

    def stats(self) -> StoreStats:
        def look(db: Db) -> StoreStats:
            return StoreStats(
                location=self.address.shown,
                engine="postgres",
                vectors=self._vectors.counts(db),
                indexes=self._vectors.describe(db),
                **self._record.counts(db),
            )

        return self._connections.snapshot(look)
