"""Which server is asked: the primary, or the replica for what it may answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from recollect.errors import StoreError
from recollect.ports import ReplicaLag
from recollect.storage.postgres import health
from recollect.storage.postgres.address import ServerAddress
from recollect.storage.postgres.connection import Connections, Db, Server
from recollect.storage.postgres.owners import Owners
from recollect.storage.postgres.partitions import Watch
from recollect.storage.postgres.replica import Reader, Replica

T = TypeVar("T")


class Servers:
    def __init__(self, address: ServerAddress, server: Server, owners: Owners) -> None:
        connections = Connections(address, server)
        self.primary = Reader.of(connections, owners, writes=True)
        self._watch = Watch(address)
        self._replica: Replica | None = None
        if address.replica:
            try:
                self._replica = Replica(address, connections, owners)
            except BaseException:
                connections.close()
                raise

    def close(self) -> None:
        if self._replica is not None:
            self._replica.close()
        self.primary.connections.close()

    def search(self, work: Callable[[Reader], T]) -> T:
        """Searches on the replica, if there is one and its lag is small enough."""
        if self._watch.due:
            self.primary.connections.read(self._watch.require)
        if self._replica is None:
            return work(self.primary)
        if self._replica.serves():
            try:
                return work(self._replica.reader)
            except StoreError as error:
                self._replica.failed(error.message)
        found = work(self.primary)
        self.told()
        return found

    def read(self, work: Callable[[Db], T]) -> T:
        return self.search(lambda reader: reader.connections.read(work))

    def write(self, work: Callable[[Db], T]) -> T:
        done = self.primary.connections.write(work)
        self.told()
        return done

    def told(self) -> None:
        """The replica has to have what the primary has now before it is asked again."""
        if self._replica is not None:
            self._replica.told()

    def looked_at(self) -> tuple[str, list[str]]:
        """Returns the servers in words, and what is wrong with them."""
        connections = self.primary.connections
        every = health.hosts(connections.address)
        told = [f"{one.name} {one.role}" for one in every if one.role]
        troubles = [f"{one.name} cannot be reached: {one.trouble}" for one in every if one.trouble]
        if self._replica is not None:
            said, trouble = self._replica.looked_at()
            told.append(said)
            troubles += filter(None, [trouble])
        return f"{_version(connections.server)}: {', '.join(told)}", troubles

    def behind(self) -> ReplicaLag | None:
        return None if self._replica is None else self._replica.behind()


def _version(server: Server) -> str:
    major, minor = divmod(server.version, 10_000)
    return f"PostgreSQL {major}.{minor}, pgvector {'.'.join(map(str, server.vector))}"
