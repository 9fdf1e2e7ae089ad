"""The servers of an address, looked at one by one, for whoever runs them."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from recollect.named_tuple import NamedTuple
from recollect.storage.postgres.address import ServerAddress

_CONNECT = 3
"""Seconds within which a server has to be reached."""
_ROLES = {False: "takes writes", True: "is a standby"}


class Host(NamedTuple):
    """One server: its role, or why it cannot be reached."""

    name: str
    role: str = ""
    trouble: str = ""


def hosts(address: ServerAddress) -> list[Host]:
    """Returns all servers that the address names, in its order."""
    return [_look(name, dsn) for name, dsn in _each(address.dsn)]


def _each(dsn: str) -> Iterator[tuple[str, str]]:
    """Yields the servers by name, each with a DSN of its own; one port may stand for all."""
    given = {name: str(value) for name, value in conninfo_to_dict(dsn).items()}
    names = given.get("host", "").split(",")
    ports = given.get("port", "").split(",")
    ports = ports * len(names) if len(ports) == 1 else ports
    for host, port in zip(names, ports, strict=False):
        one = {**given, "host": host, "port": port, "target_session_attrs": "any"}
        dsn = make_conninfo(**{name: value for name, value in one.items() if value})
        yield ":".join(filter(None, (host, port))) or "the default server", dsn


def _look(name: str, dsn: str) -> Host:
    try:
        with psycopg.connect(dsn, autocommit=True, connect_timeout=_CONNECT) as db:
            row = db.execute("SELECT pg_is_in_recovery()").fetchone()
    except psycopg.Error as error:
        return Host(name, trouble=str(error).strip().partition("\n")[0])
    return Host(name, _ROLES[bool(row and row[0])])
