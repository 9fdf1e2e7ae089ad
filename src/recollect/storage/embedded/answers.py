"""The record's table of answers that callers wrote."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from recollect.nouns import Recorded
from recollect.storage.embedded.rows import micros, moment

_COLUMNS = "id, query, answer, fingerprint, at, sources, owner, confidence, stale, space, within"
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


def keep(db: sqlite3.Connection, given: Recorded) -> None:
    row = dict(given._asdict(), sources=json.dumps(given.sources), at=micros(given.at))
    row["within"] = json.dumps(given.within)
    marks = ", ".join(f":{name}" for name in given._fields)
    db.execute(f"INSERT OR REPLACE INTO answers ({_COLUMNS}) VALUES ({marks})", row)


def kept(
    db: sqlite3.Connection, fingerprint: str, space: str, limit: int, before: datetime | None
) -> list[Recorded]:
    """Newest first; an empty limit is none."""
    wanted = {"fingerprint = ?": fingerprint, "space = ?": space, "at < ?": micros(before)}
    wanted = {condition: value for condition, value in wanted.items() if value}
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM answers WHERE {' AND '.join(wanted) or '1'} "
        "ORDER BY at DESC, id LIMIT ?",
        [*wanted.values(), limit],
    )
    return [_read(Recorded(*row)) for row in rows]


def every(db: sqlite3.Connection, after: str) -> Iterator[Recorded]:
    """By their ids, behind that one."""
    for row in db.execute(f"SELECT {_COLUMNS} FROM answers WHERE id > ? ORDER BY id", (after,)):
        yield _read(Recorded(*row))


def one(db: sqlite3.Connection, id: str) -> Recorded | None:
    row = db.execute(f"SELECT {_COLUMNS} FROM answers WHERE id = ?", (id,)).fetchone()
    return None if row is None else _read(Recorded(*row))


def _read(row: Recorded) -> Recorded:
    """A row as it is stored, with its values as they are meant."""
    stored: Any = row
    within = json.loads(stored.within)
    return row._replace(
        sources=tuple(json.loads(stored.sources)),
        at=moment(stored.at) or _BEGINNING,
        stale=bool(stored.stale),
        within=None if within is None else tuple(within),
    )


def drop(db: sqlite3.Connection, ids: Sequence[str]) -> int:
    marks = ",".join("?" * len(ids))
    return db.execute(f"DELETE FROM answers WHERE id IN ({marks})", ids).rowcount
