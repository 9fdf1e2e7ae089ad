"""Partitions that are attached. A table that lacks one answers as if its rows had never been: so
the store is refused until it is attached again, and nothing is missing in silence."""

from __future__ import annotations

import time

from recollect.errors import StoreError
from recollect.storage.postgres.address import ServerAddress
from recollect.storage.postgres.connection import Db, firsts

LOOK_SECONDS = 30.0
"""So often a store that is open looks again."""
# What is not there any more is named all the same: partitions are made by number.
_MISSING = """
SELECT c.relname || '_p' || n
FROM {schema}.meta m, pg_class c, generate_series(0, m.partitions - 1) n
WHERE c.relnamespace = '{schema}'::regnamespace AND c.relkind = 'p' AND NOT EXISTS (
    SELECT 1 FROM pg_inherits i JOIN pg_class part ON part.oid = i.inhrelid
    WHERE i.inhparent = c.oid AND NOT i.inhdetachpending AND part.relname = c.relname || '_p' || n)
ORDER BY c.relname, n
"""


def missing(db: Db, schema: str) -> list[str]:
    """Returns the names of the partitions that are not attached to their tables."""
    return firsts(db.execute(_MISSING.format(schema=schema).encode()))


def require(db: Db, address: ServerAddress) -> None:
    """Refuses a store that lacks partitions, and names them."""
    if lacking := missing(db, address.schema):
        raise StoreError(
            f"{address.shown}: {told(lacking)}", hint=f"attach it again: {attaching(db, address)}"
        )


def told(lacking: list[str]) -> str:
    more = f" and {len(lacking) - 3} more" if len(lacking) > 3 else ""
    return f"partitions are detached or gone: {', '.join(lacking[:3])}{more}"


def attaching(db: Db, address: ServerAddress) -> str:
    """Returns the statement that attaches the first one that is missing."""
    name = missing(db, address.schema)[0]
    table, _, number = name.rpartition("_p")
    (parts,) = firsts(db.execute(f"SELECT partitions FROM {address.schema}.meta".encode()))
    return (
        f"ALTER TABLE {address.schema}.{table} ATTACH PARTITION {address.schema}.{name} "
        f"FOR VALUES WITH (MODULUS {parts}, REMAINDER {number});"
    )


class Watch:
    """Looks from time to time, for a process that keeps a store open. What was found missing is
    looked for every time, until it is there. Thread-safe: at worst two threads look at once."""

    def __init__(self, address: ServerAddress) -> None:
        self._address = address
        self._looked = time.monotonic()

    @property
    def due(self) -> bool:
        return time.monotonic() - self._looked >= LOOK_SECONDS

    def require(self, db: Db) -> None:
        require(db, self._address)
        self._looked = time.monotonic()
