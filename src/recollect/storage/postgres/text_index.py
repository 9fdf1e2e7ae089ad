"""Keeping the text index near the record.

A segment covers a range of keys of one owner. What is newer than the last one is searched
directly; when it is more than a few passages, whoever notices makes a segment of it, together
with the small ones before it. A segment much of which is gone is made anew. One process does that
for an owner at a time, in a transaction of its own, and writers do not wait for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from recollect.named_tuple import NamedTuple
from recollect.storage.postgres.bulk import insert
from recollect.storage.postgres.connection import Connections, Db, scalar
from recollect.storage.postgres.postings import MOST, write

_DEAD_SHARE = 0.25
_SMALL = 4
"""A segment is merged into the next as long as it is not so many times as large."""
_WAITING = "SELECT 1 FROM passages WHERE owner = %s AND key > %s"


class Part(NamedTuple):
    """A segment as it is listed."""

    segment: int
    high: int
    passages: int


class _Range(NamedTuple):
    """Keys after *low*, up to *high* if there is one, to be made a segment in place of others."""

    low: int
    high: int | None
    instead: tuple[int, ...]


def parts(db: Db, owner: int) -> list[Part]:
    rows = db.execute(
        "SELECT segment, high, passages FROM segments WHERE owner = %s ORDER BY high", (owner,)
    )
    return [Part(*row) for row in rows]


def waiting(db: Db, seen: str) -> int:
    """Returns how many passages of these owners (an array in SQL) are in no segment yet."""
    select = (
        "SELECT COALESCE(SUM(n), 0)::bigint FROM state s, LATERAL (SELECT COUNT(*) AS n "
        "FROM passages p WHERE p.owner = s.owner AND p.key > COALESCE((SELECT MAX(g.high) "
        f"FROM segments g WHERE g.owner = s.owner), 0)) w WHERE s.owner = ANY({seen})"
    )
    return int(scalar(db, select))


def catch_up(connections: Connections, schema: str, owner: int, *, least: int = 1) -> bool:
    """Index what waits of this owner, if it is *least* passages; False when another process is
    doing so."""
    walled = connections.server.walled
    while True:
        done = connections.write(lambda db: _step(db, walled, schema, owner, least))
        if done is not True:
            return done is None


def rebuild(connections: Connections, schema: str, owner: int) -> bool:
    """Make the text index of an owner anew; the old one serves until it is done."""

    walled = connections.server.walled

    def whole(db: Db) -> bool:
        if not _turn(db, schema, owner):
            return False
        db.execute("DELETE FROM segments WHERE owner = %s", (owner,))
        db.execute("DELETE FROM postings WHERE owner = %s", (owner,))
        dead = _gone(db, owner)
        low = 0
        while (high := _segment(db, walled, owner, _Range(low, None, ()))) is not None:
            low = high
        _bury(db, owner, dead)
        return True

    return connections.write(whole)


def _turn(db: Db, schema: str, owner: int) -> bool:
    db.execute("SET LOCAL statement_timeout = 0")
    lock = "SELECT pg_try_advisory_xact_lock(hashtextextended(%s, %s))"
    return bool(scalar(db, lock, (f"{schema} text", owner)))


def _step(db: Db, walled: bool, schema: str, owner: int, least: int) -> bool | None:
    """One more segment. None when there is nothing to do, False when it is another's turn."""
    if not _turn(db, schema, owner):
        return False
    there, dead = parts(db, owner), _gone(db, owner)
    chosen = _choose(db, owner, there, dead, least)
    if chosen is None:
        return None
    high = _segment(db, walled, owner, chosen)
    upto = chosen.high if chosen.high is not None else high
    inside = dead[dead > chosen.low]
    _bury(db, owner, inside if upto is None else inside[inside <= upto])
    return True


def _choose(
    db: Db, owner: int, there: list[Part], dead: np.ndarray[Any, Any], least: int
) -> _Range | None:
    low = there[-1].high if there else 0
    count = scalar(db, f"SELECT COUNT(*) FROM ({_WAITING} LIMIT {MOST}) waiting", (owner, low))
    if count >= max(1, least):
        instead = []
        while there and count + there[-1].passages <= min(MOST, (_SMALL + 1) * count):
            last = there.pop()
            instead.append(last.segment)
            count += last.passages
            low = there[-1].high if there else 0
        return _Range(low, None, tuple(instead))
    before = 0
    for part in there:
        gone = int(np.count_nonzero((dead > before) & (dead <= part.high)))
        if gone > _DEAD_SHARE * part.passages:
            return _Range(before, part.high, (part.segment,))
        before = part.high
    return None


def _segment(db: Db, walled: bool, owner: int, chosen: _Range) -> int | None:
    """Write one segment of a range; the last key in it."""
    instead = list(chosen.instead)
    if instead:
        for table in ("segments", "postings"):
            db.execute(
                f"DELETE FROM {table} WHERE owner = %s AND segment = ANY(%s)", (owner, instead)
            )
    made = write(_rows(db, owner, chosen))
    if made.passages:
        segment = scalar(db, "SELECT nextval('segment_numbers')")
        high = made.high if chosen.high is None else chosen.high
        db.execute(
            "INSERT INTO segments VALUES (%s, %s, %s, %s, %s)",
            (owner, segment, high, made.passages, made.members),
        )
        insert(
            db,
            walled,
            "postings",
            "owner, segment, field, term, entries",
            ((owner, segment, *posting) for posting in made.postings),
            ["int4", "int8", "text", "text", "bytea"],
        )
    db.execute("UPDATE state SET generation = generation + 1 WHERE owner = %s", (owner,))
    return made.high if made.passages else None


def _rows(db: Db, owner: int, chosen: _Range) -> Iterator[tuple[int, str, str]]:
    until = "" if chosen.high is None else "AND key <= %(high)s"
    with db.cursor(name="recollect_rows") as cursor:
        cursor.itersize = 4096
        cursor.execute(
            "SELECT key, exact, named FROM passages WHERE owner = %(owner)s AND key > %(low)s "
            f"{until} ORDER BY key LIMIT {MOST}",
            {"owner": owner, "low": chosen.low, "high": chosen.high},
        )
        yield from cursor


def _gone(db: Db, owner: int) -> np.ndarray[Any, Any]:
    rows = db.execute("SELECT passage FROM gone WHERE owner = %s ORDER BY passage", (owner,))
    return np.array([row[0] for row in rows], np.int64)


def _bury(db: Db, owner: int, dead: np.ndarray[Any, Any]) -> None:
    """No segment has these any more."""
    if len(dead):
        db.execute(
            "DELETE FROM gone WHERE owner = %s AND passage = ANY(%s)", (owner, dead.tolist())
        )
