"""Answers that callers wrote, in a table."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import UTC, datetime

from recollect.nouns import Recorded, filled, optional_names
from recollect.storage.postgres.connection import Db
from recollect.storage.postgres.owners import Owners
from recollect.storage.postgres.rows import given, stored
from recollect.storage.postgres.servers import Servers
from recollect.storage.times import micros, moment

_COLUMNS = "id, query, answer, fingerprint, at, sources, whose, confidence, stale, space, within"
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


class PostgresAnswers:
    def __init__(self, servers: Servers, owners: Owners) -> None:
        self._servers = servers
        self._owners = owners

    def keep(self, answer: Recorded) -> None:
        self._servers.primary.connections.write(lambda db: keep(db, self._owners, answer))

    def find(
        self, *, fingerprint: str = "", space: str = "", limit: int, before: datetime | None = None
    ) -> list[Recorded]:
        wanted = {"fingerprint = %s": fingerprint, "space = %s": space, "at < %s": micros(before)}
        wanted = filled(wanted)
        conditions = " AND ".join((f"owner = ANY({self._owners.seen})", *wanted))
        select = f"SELECT {_COLUMNS} FROM answers WHERE {conditions} ORDER BY at DESC, id LIMIT %s"
        return self._servers.primary.connections.read(
            lambda db: [_read(*row) for row in db.execute(select, [*wanted.values(), limit])]
        )

    def drop(self, ids: Collection[str]) -> int:
        return self._servers.write(lambda db: drop(db, self._owners, ids))


def keep(db: Db, owners: Owners, one: Recorded) -> None:
    name = one.owner or owners.bound
    owner = owners.numbers(db, [name])[name] if name else owners.home(db)
    drop(db, owners, [one.id])
    db.execute(
        f"INSERT INTO answers (owner, {_COLUMNS}) "
        "VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
        (
            owner,
            stored(one.id),
            stored(one.query),
            stored(one.answer),
            one.fingerprint,
            micros(one.at),
            json.dumps(one.sources),
            stored(one.owner),
            one.confidence,
            one.stale,
            one.space,
            json.dumps(one.within),
        ),
    )


def every(db: Db, owners: Owners, after: str) -> list[Recorded]:
    """All behind this id, by their ids."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM answers WHERE owner = ANY({owners.seen}) AND id > %s ORDER BY id",
        (stored(after),),
    )
    return [_read(*row) for row in rows]


def one(db: Db, owners: Owners, id: str) -> Recorded | None:
    row = db.execute(
        f"SELECT {_COLUMNS} FROM answers WHERE owner = ANY({owners.seen}) AND id = %s",
        (stored(id),),
    ).fetchone()
    return _read(*row) if row else None


def _read(
    id: str,
    query: str,
    answer: str,
    fingerprint: str,
    at: int,
    sources: str,
    whose: str,
    confidence: float,
    stale: bool,
    space: str,
    within: str,
) -> Recorded:
    return Recorded(
        given(id),
        given(query),
        given(answer),
        fingerprint,
        moment(at) or _BEGINNING,
        tuple(json.loads(sources)),
        given(whose),
        confidence,
        stale,
        space,
        optional_names(json.loads(within)),
    )


def drop(db: Db, owners: Owners, ids: Collection[str]) -> int:
    return db.execute(
        f"DELETE FROM answers WHERE owner = ANY({owners.seen}) AND id = ANY(%s)",
        (list(map(stored, ids)),),
    ).rowcount
