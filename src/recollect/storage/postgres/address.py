"""The URL of a store: what is libpq's, and what is ours.

postgresql://user@host/database?schema=recollect&owner=ana&exact=yes&…
postgresql+shards://user@one,two/database   owners are spread over all of them
postgresql://user@one,two/database          whichever of them takes writes, also after a failover

schema      the schema that everything is in (recollect)
owner       only this owner's: nobody else's can be seen or written
exact       yes: vectors are compared one by one, no graph is used
replica     the URL of a read replica that searches are sent to, with %26 for its &
staleness   seconds that the replica may be behind before the primary is asked instead (30)
partitions  of each table, when the store is made; 0 is for Citus (8)
pool        the most connections of one process (10)
timeout     seconds that one statement may take (60)
patience    seconds for which a server that is away is tried again (20)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from recollect.errors import UsageError
from recollect.named_tuple import NamedTuple

_EXAMPLE = "for example postgresql://user@host/database?schema=recollect"
_Reader = Callable[[str, str], Any]
_YES = {"yes": True, "1": True, "true": True, "no": False, "0": False, "false": False}


class ServerAddress(NamedTuple):
    dsn: str
    """What libpq is given."""
    shown: str
    """The same for people: without a password."""
    schema: str = "recollect"
    owner: str = ""
    exact: bool = False
    replica: str = ""
    """The URL of a read replica."""
    staleness: int = 30
    partitions: int = 8
    pool: int = 10
    timeout: int = 60
    patience: int = 20
    shard: int = 0
    """Which of the servers of a sharded store it is, from 0 on."""
    shards: int = 1
    """How many servers keep the store."""


def parse(location: str) -> ServerAddress:
    """The address; whatever cannot be meant is refused, with what can."""
    try:
        parts = urlsplit(location)
        given = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        for host in _hosts(parts.netloc):
            _ = urlsplit(f"//{host}").port
    except ValueError as error:
        raise UsageError(f"the store's URL cannot be read: {error}", hint=_EXAMPLE) from error
    ours = {name: value for name, value in given if name in _OURS}
    theirs = [(name, value) for name, value in given if name not in _OURS]
    if _several(parts.netloc, theirs):
        theirs.append(_PRIMARY)
    shown = [(name, value) for name, value in theirs if "password" not in name]
    return ServerAddress(
        dsn=_url(parts.netloc, parts.path, theirs),
        shown=_url(_without_password(parts.netloc), parts.path, shown),
        **{name: _OURS[name](name, value) for name, value in ours.items()},
    )


SHARDED = "postgresql+shards"
_PRIMARY = ("target_session_attrs", "read-write")


def _hosts(netloc: str) -> list[str]:
    return netloc.rpartition("@")[2].split(",")


def _several(netloc: str, query: list[tuple[str, str]]) -> bool:
    """Whether several servers are named, and not which of them is meant: then that one is which
    takes writes."""
    named = dict(query)
    several = len(_hosts(netloc)) > 1 or "," in named.get("host", "")
    return several and _PRIMARY[0] not in named


def is_postgres(location: str) -> bool:
    return location.partition("://")[0] in ("postgresql", "postgres", SHARDED)


def shards(location: str) -> list[ServerAddress]:
    """The addresses of all servers that keep a store, in the order in which they are named: the
    hosts of a ``postgresql+shards://`` URL, or the one of another."""
    scheme, _, rest = location.partition("://")
    if scheme != SHARDED:
        return [parse(location)]
    parts = urlsplit(f"postgresql://{rest}")
    user, at, _ = parts.netloc.rpartition("@")
    hosts: list[tuple[str, list[tuple[str, str]]]]
    hosts = [(f"{user}{at}{host}", []) for host in _hosts(parts.netloc)]
    query = parse_qsl(parts.query, keep_blank_values=True)
    named = {name: value.split(",") for name, value in query if name in ("host", "port")}
    if "host" in named:
        ports = named.get("port", [""])
        ports = ports * len(named["host"]) if len(ports) == 1 else ports
        hosts = [
            (parts.netloc, [("host", host), ("port", port)])
            for host, port in zip(named["host"], ports, strict=False)
        ]
    if len(hosts) < 2:
        raise UsageError(
            f"{SHARDED}:// names one server", hint="name several: host1,host2; or use postgresql://"
        )
    others = [(name, value) for name, value in query if name not in named]
    every = [
        parse(_url(netloc, parts.path, [*filter(lambda one: one[1], where), *others]))
        for netloc, where in hosts
    ]
    return [one._replace(shard=number, shards=len(every)) for number, one in enumerate(every)]


def _url(netloc: str, path: str, query: list[tuple[str, str]]) -> str:
    told = urlencode(query, quote_via=quote, safe="/")
    return f"postgresql://{netloc}{path}{'?' if told else ''}{told}"


def _without_password(netloc: str) -> str:
    user, at, host = netloc.rpartition("@")
    return f"{user.partition(':')[0]}{at}{host}"


def _schema(name: str, value: str) -> str:
    if not re.fullmatch(r"[a-z_][a-z0-9_]{0,39}", value):
        raise UsageError(
            f"{name}={value} is no name of a schema", hint="use lower-case letters, digits and _"
        )
    return value


def _text(name: str, value: str) -> str:
    if not value:
        raise UsageError(f"{name}= is empty in the store's URL", hint="leave it out, or say which")
    return value


def _server(name: str, value: str) -> str:
    if value.partition("://")[0] not in ("postgresql", "postgres"):
        raise UsageError(
            f"{name}= in the store's URL is no URL of a server",
            hint=f"{_EXAMPLE}&replica=postgresql://user@other/database",
        )
    return value


def _yes(name: str, value: str) -> bool:
    if value.lower() not in _YES:
        raise UsageError(f"{name}={value} in the store's URL", hint="say yes or no")
    return _YES[value.lower()]


def _number(low: int, high: int) -> _Reader:
    def read(name: str, value: str) -> int:
        if not value.isdecimal() or not low <= int(value) <= high:
            raise UsageError(
                f"{name}={value} in the store's URL", hint=f"give a number from {low} to {high}"
            )
        return int(value)

    return read


_OURS: dict[str, _Reader] = {
    "schema": _schema,
    "owner": _text,
    "exact": _yes,
    "replica": _server,
    "staleness": _number(1, 86_400),
    "partitions": _number(0, 1024),
    "pool": _number(1, 1000),
    "timeout": _number(1, 86_400),
    "patience": _number(0, 3600),
}
