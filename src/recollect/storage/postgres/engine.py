"""The PostgreSQL store: the port, method by method."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Any

from psycopg import sql

from recollect import ports
from recollect.errors import StoreError
from recollect.nouns import (
    ChangeSet,
    Document,
    Event,
    Filter,
    Page,
    Receipt,
    Source,
    StoredPassage,
    StoreStats,
    TextQuery,
    stable_id,
)
from recollect.ports import EVERYTHING, HandleMatch, TextResult, VectorResult
from recollect.storage.content import inside
from recollect.storage.postgres import text_index
from recollect.storage.postgres.address import ServerAddress
from recollect.storage.postgres.admin import PostgresAdmin
from recollect.storage.postgres.answers import PostgresAnswers
from recollect.storage.postgres.connection import Db, scalar
from recollect.storage.postgres.notify import Listener
from recollect.storage.postgres.owners import Owners
from recollect.storage.postgres.record import RecordReader
from recollect.storage.postgres.schema import prepare
from recollect.storage.postgres.servers import Servers
from recollect.storage.postgres.sessions import PostgresSessions
from recollect.storage.postgres.writer import Changes

_OFTEN = 20
"""A process that has seen so many changes of others is one that lives long."""
_SOME = 4
"""More documents than this are read before their owner's row is locked."""


_MARK = "a shard of the store "


def _mark(db: Db) -> str:
    return str(scalar(db, "SELECT obj_description('owner_numbers'::regclass, 'pg_class')") or "")


class PostgresStore:
    def __init__(self, address: ServerAddress) -> None:
        self.address = address
        server = prepare(address)
        self._owners = Owners(address.schema, address.owner, walled=server.walled)
        self._record = RecordReader(self._owners)
        self._servers = Servers(address, server, self._owners)
        self._connections = self._servers.primary.connections
        self.views = self._servers.primary.views
        self._vectors = self._servers.primary.vectors
        self.sessions = PostgresSessions(self._connections, self._owners)
        self.answers = PostgresAnswers(self._servers, self._owners)
        self.admin = PostgresAdmin(self._servers, self._owners, self._record)
        self.listener: Listener | None = None
        self._lock = threading.Lock()

    def close(self) -> None:
        if self.listener is not None:
            self.listener.stop()
        self._servers.close()

    # -------------------------------------------------------------- the record

    def apply(self, changes: ChangeSet, *, dry_run: bool = False) -> Receipt:
        coming = Changes(changes, self._owners)
        if dry_run:
            return self._connections.snapshot(coming.try_out)
        if len(changes.changes) > _SOME:
            self._connections.read(coming.look_ahead)
        return self._servers.write(coming.apply)

    def get(self, name: str, filter: Filter = EVERYTHING, *, body: bool = True) -> list[Document]:
        read = self._connections.snapshot if body else self._connections.read
        return read(lambda db: self._record.get(db, name, filter, body))

    def by_handle(self, handles: Collection[str]) -> list[HandleMatch]:
        wanted = list(dict.fromkeys(handles))
        if not wanted:
            return []
        if not self._connections.read(lambda db: self._record.holds(db, wanted)):
            return []  # nearly always, and sooner told
        return self._connections.snapshot(lambda db: self._record.by_handle(db, wanted))

    def scan(self, filter: Filter, *, limit: int, cursor: str = "", dated: bool = False) -> Page:
        if dated:
            return self._servers.read(lambda db: self._record.scan_dated(db, filter, limit))
        return self._connections.read(lambda db: self._record.scan(db, filter, limit, cursor))

    def passages(
        self, names: Sequence[int | str], *, before: int = 0, after: int = 0
    ) -> list[StoredPassage]:
        if not names:
            return []
        return self._servers.read(lambda db: self._record.passages(db, names, before, after))

    def history(self, id: str) -> list[Event]:
        return self._connections.read(lambda db: self._record.history(db, id))

    def fingerprint(self, filter: Filter) -> str:
        return stable_id(*self._servers.read(lambda db: self._record.source_seqs(db, filter)))

    def stats(self, filter: Filter = EVERYTHING) -> StoreStats:
        def look(db: Db) -> StoreStats:
            counted = StoreStats(
                location=self.address.shown,
                engine="postgres",
                vectors=self._vectors.counts(db, filter),
                indexes={} if filter.within else self._indexes(db),
                **self._record.counts(db, filter),
            )
            every = self._record.documents_by_source(db)
            return inside(counted, every) if filter.within else counted

        return self._connections.snapshot(look)

    def _indexes(self, db: Db) -> dict[str, Any]:
        behind = text_index.waiting(db, self._owners.seen)
        return {"text": {"behind": behind}, **self._vectors.describe(db)}

    # -------------------------------------------------------------- one of several servers

    def epoch(self) -> str:
        """Returns what tells this server's tables from all others."""
        return str(self._connections.read(lambda db: scalar(db, "SELECT epoch FROM meta")))

    def marked(self, epoch: str) -> str:
        """Returns the epoch of the first server of the store that this is a shard of; where none is
        noted yet, and this role may, it is this one from now on."""
        noted = self._connections.read(_mark)
        if noted:
            return noted.rpartition(" ")[2]
        note = sql.SQL("COMMENT ON SEQUENCE owner_numbers IS {}").format(_MARK + epoch)
        with suppress(StoreError):
            self._connections.write(lambda db: db.execute(note))
        return epoch

    def written(self, ids: Collection[str]) -> dict[str, float]:
        """Returns when each of these documents that is there was first written."""
        return self._connections.read(lambda db: self._record.written(db, ids))

    def known_ids(self, ids: Collection[str]) -> set[str]:
        """Returns those of these documents that are there, or were."""
        return self._connections.read(lambda db: self._record.known_ids(db, ids))

    def cursor_behind(self, id: str, at: float) -> str:
        """Returns the cursor of a list that goes on behind this document, which may be on another
        server, by when it was first written."""
        return self._connections.read(lambda db: self._record.cursor_behind(db, id, at))

    def known_sources(self) -> list[Source]:
        """Returns the sources, in the order in which they became known."""
        found = self._connections.read(self._record.sources)
        return [Source(one.name, one.kind, one.uri, one.stamp, one.places) for one in found]

    def vector_of(self, model: str, key: int) -> ports.Vector | None:
        """Returns the vector of a passage, if it has one."""
        return self._connections.read(lambda db: self._vectors.stored(db, model, key))

    # -------------------------------------------------------------- searching

    def search_text(
        self, queries: Sequence[TextQuery], filter: Filter, *, limit: int, count: bool = False
    ) -> list[TextResult]:
        if self.listener is None and self.views.outdated > _OFTEN:
            self._listen()
        return self._servers.search(lambda on: on.text.search(queries, filter, limit, count=count))

    def _listen(self) -> None:
        with self._lock:
            if self.listener is None:
                self.listener = Listener(self.address, self.views.renew)

    def matched(
        self,
        words: Sequence[str],
        keys: Sequence[int],
        filter: Filter = EVERYTHING,  # noqa: ARG002  an owner's index is one
    ) -> dict[int, set[str]]:
        return self._servers.search(lambda on: on.text.matched(words, keys))

    def search_vector(
        self, model: str, near: ports.Vector | int, filter: Filter, *, limit: int
    ) -> VectorResult:
        return self._servers.read(lambda db: self._vectors.search(db, model, near, filter, limit))

    # -------------------------------------------------------------- vectors

    def pending(
        self, model: str, *, limit: int, filter: Filter = EVERYTHING
    ) -> list[tuple[int, str]]:
        return self._connections.read(lambda db: self._vectors.pending(db, model, limit, filter))

    def put_vectors(
        self,
        model: str,
        keys: Sequence[int],
        vectors: ports.Vectors,
        sentences: Sequence[bytes] | None = None,
    ) -> int:
        done = self._vectors.put(model, keys, vectors, sentences)
        self._servers.told()
        return done

    def sentences(self, model: str, keys: Sequence[int]) -> dict[int, bytes]:
        return self._servers.read(lambda db: self._vectors.sentences(db, model, keys))
