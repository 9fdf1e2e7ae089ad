"""Answers that callers wrote, in a table of the record."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from recollect.nouns import Recorded, filled, optional_names
from recollect.storage.embedded.queries import batches, marks
from recollect.storage.times import micros, moment

if TYPE_CHECKING:
    from recollect.storage.embedded.pool import RecordPool

_COLUMNS = "id, query, answer, fingerprint, at, sources, owner, confidence, stale, space, within"
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


class EmbeddedAnswers:
    def __init__(self, pool: RecordPool) -> None:
        self._pool = pool

    def keep(self, answer: Recorded) -> None:
        record = self._pool.mine()
        with record.transaction():
            keep(record.db, answer)

    def find(
        self, *, fingerprint: str = "", space: str = "", limit: int, before: datetime | None = None
    ) -> list[Recorded]:
        limits = {"fingerprint = ?": fingerprint, "space = ?": space, "at < ?": micros(before)}
        wanted = filled(limits)
        with self._pool.snapshot() as record:
            rows = record.db.execute(
                f"SELECT {_COLUMNS} FROM answers WHERE {' AND '.join(wanted) or '1'} "
                "ORDER BY at DESC, id LIMIT ?",
                [*wanted.values(), limit],
            )
            return [_read(Recorded(*row)) for row in rows]

    def drop(self, ids: Collection[str]) -> int:
        record = self._pool.mine()
        with record.transaction():
            return drop(record.db, ids)


def keep(db: sqlite3.Connection, given: Recorded) -> None:
    row = dict(given._asdict(), sources=json.dumps(given.sources), at=micros(given.at))
    row["within"] = json.dumps(given.within)
    values = ", ".join(f":{name}" for name in given._fields)
    db.execute(f"INSERT OR REPLACE INTO answers ({_COLUMNS}) VALUES ({values})", row)


def every(db: sqlite3.Connection, after: str) -> Iterator[Recorded]:
    """Yields the answers behind an id, in the order of their ids."""
    for row in db.execute(f"SELECT {_COLUMNS} FROM answers WHERE id > ? ORDER BY id", (after,)):
        yield _read(Recorded(*row))


def one(db: sqlite3.Connection, id: str) -> Recorded | None:
    row = db.execute(f"SELECT {_COLUMNS} FROM answers WHERE id = ?", (id,)).fetchone()
    return None if row is None else _read(Recorded(*row))


def _read(row: Recorded) -> Recorded:
    """A row as it is stored, with its values as they are meant."""
    stored: Any = row
    try:
        return row._replace(
            sources=tuple(json.loads(stored.sources)),
            at=moment(stored.at) or _BEGINNING,
            stale=bool(stored.stale),
            within=optional_names(json.loads(stored.within)),
        )
    except (TypeError, ValueError) as error:
        raise sqlite3.DatabaseError(f"a recorded answer is malformed: {error}") from error


def drop(db: sqlite3.Connection, ids: Collection[str]) -> int:
    return sum(_drop(db, some) for some in batches(list(ids)))


def _drop(db: sqlite3.Connection, ids: Sequence[str]) -> int:
    return db.execute(f"DELETE FROM answers WHERE id IN ({marks(len(ids))})", ids).rowcount
