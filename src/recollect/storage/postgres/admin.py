"""The PostgreSQL engine for those who run it: transfers, checks, upkeep of the indexes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from recollect import ports
from recollect.nouns import Filter
from recollect.ports import (
    EVERYTHING,
    CheckReport,
    DocumentStamp,
    DumpEntry,
    Finding,
    Item,
    LoadReport,
    ReplicaLag,
)
from recollect.storage.postgres import checking, dump, partitions, text_index
from recollect.storage.postgres.connection import Db, firsts, only_row, steady
from recollect.storage.postgres.owners import Owners
from recollect.storage.postgres.record import RecordReader
from recollect.storage.postgres.servers import Servers

_FEW = 1000
"""Passages that no plan goes wrong with."""


class PostgresAdmin:
    def __init__(self, servers: Servers, owners: Owners, record: RecordReader) -> None:
        self._servers = servers
        self._connections = servers.primary.connections
        self._vectors = servers.primary.vectors
        self._owners = owners
        self._record = record

    def stamps(self, source: str, *, gone: bool = False) -> list[DocumentStamp]:
        return self._connections.read(lambda db: self._record.stamps(db, source, gone=gone))

    def dump(self, *, after: str = "", vectors: bool = True) -> Iterator[DumpEntry]:
        with self._connections.unhurried() as db, steady(db):
            yield from dump.dumped(db, self._owners, self._record, after, vectors)

    def load(self, items: Iterable[Item], *, replace: bool = False) -> LoadReport:
        given = list(items)
        for model, dimensions in dump.dimensions(given).items():
            self._vectors.make(model, dimensions)

        def work(db: Db) -> LoadReport:
            return dump.PostgresLoader(db, self._owners, self._record, self._vectors, replace).load(
                given
            )

        return self._servers.write(work)

    def check(self, *, full: bool = False) -> CheckReport:
        address = self._connections.address
        with self._connections.unhurried() as db, steady(db):
            if lacking := partitions.missing(db, address.schema):
                said, mend = partitions.told(lacking), partitions.attaching(db, address)
                found = (Finding("record", said), Finding("server", f"{said}; {mend}"))
                return CheckReport(found)
            report = checking.checked(db, self._owners, self._record, full)
        server, troubles = self._servers.looked_at()
        findings = (*report.findings, *(Finding("server", one) for one in troubles))
        return report._replace(findings=findings, server=server)

    def models(self) -> dict[str, int]:
        return self._connections.read(lambda db: self._vectors.counts(db, EVERYTHING))

    def twins(self, model: str, keys: Sequence[int]) -> dict[int, ports.Twin]:
        return self._connections.read(lambda db: self._vectors.twins(db, model, keys))

    def drop_vectors(self, model: str) -> int:
        return self._servers.write(lambda db: self._vectors.drop(db, model))

    def behind(self) -> ReplicaLag | None:
        return self._servers.behind()

    def refresh(
        self,
        *,
        rebuild: bool = False,
        filter: Filter = EVERYTHING,  # noqa: ARG002  an owner's index serves every view
    ) -> None:
        work = text_index.rebuild if rebuild else text_index.catch_up
        for owner in self._connections.read(self._writing_owners):
            work(self._connections, self._owners.schema, owner)
        self._vectors.build_graphs(rebuild=rebuild)
        self._connections.read(_analyze)

    def _writing_owners(self, db: Db) -> list[int]:
        rows = db.execute(
            f"SELECT owner FROM state WHERE owner = ANY({self._owners.seen}) AND version > 0 "
            "ORDER BY owner"
        )
        return firsts(rows)


def _analyze(db: Db) -> None:
    """After much has changed the server plans better when it is told at once."""
    there, known = only_row(
        db,
        "SELECT (SELECT COALESCE(SUM(passages), 0) FROM state), (SELECT COALESCE(SUM(GREATEST("
        "c.reltuples, 0)), 0) FROM pg_class c JOIN pg_partition_tree('passages') t "
        "ON t.relid = c.oid WHERE t.isleaf)",
    )
    if there > _FEW and not there / 2 < known < there * 2:
        for table in ("documents", "passages", "messages"):
            db.execute(f"ANALYZE {table}")  # where it may not, the server only warns
