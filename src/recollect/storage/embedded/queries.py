"""Statements on the record by the shape of their result: a value, a column, many rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any, TypeVar

T = TypeVar("T")

_MANY = 500
"""How many values one statement is given: below every limit of every SQLite."""


def scalar(db: sqlite3.Connection, statement: str, values: Sequence[Any] = ()) -> Any:
    """Returns the first column of the first row, or None without a row."""
    row = db.execute(statement, values).fetchone()
    return row[0] if row else None


def column_of(db: sqlite3.Connection, statement: str, values: Sequence[Any] = ()) -> list[Any]:
    """Returns the first column of all rows."""
    return list(map(itemgetter(0), db.execute(statement, values)))


def among(
    db: sqlite3.Connection, statement: str, values: Sequence[Any], *others: Any
) -> Iterator[Any]:
    """Yields the rows of a statement whose ``IN ({})`` holds as many values as are given, in
    batches; the other values of the statement come after those."""
    for some in batches(values):
        yield from db.execute(statement.format(marks(len(some))), (*some, *others)).fetchall()


def marks(count: int) -> str:
    return ",".join("?" * count)


def batches(values: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(values), _MANY):
        yield values[start : start + _MANY]
