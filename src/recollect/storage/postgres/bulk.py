"""Many rows at once: by COPY, or, for a role that rows are hidden from, by INSERT.

PostgreSQL takes no COPY into a table whose policies hold for the role that asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from recollect.storage.postgres.connection import Db


def insert(
    db: Db,
    walled: bool,
    table: str,
    columns: str,
    rows: Iterable[Sequence[Any]],
    types: Sequence[str] | None = None,
) -> None:
    """Write the rows; with *types* in binary, which is quicker for what is binary itself."""
    if walled:
        marks = ", ".join(["%s"] * (columns.count(",") + 1))
        db.cursor().executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)
        return
    form = " (FORMAT BINARY)" if types else ""
    with db.cursor().copy(f"COPY {table} ({columns}) FROM STDIN{form}") as copy:
        if types:
            copy.set_types(types)
        for row in rows:
            copy.write_row(row)
