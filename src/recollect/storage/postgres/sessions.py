"""Reading sessions: messages by their turn, without the rest of the session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.nouns import Filter, Message, grouped
from recollect.ports import OUTLINED, Outline, Spot, Turn
from recollect.storage.postgres import filters
from recollect.storage.postgres.connection import Connections, Db, scalar
from recollect.storage.postgres.owners import Owners
from recollect.storage.postgres.rows import (
    DOCUMENT,
    document,
    given,
    hashed,
    owner_of,
    stored,
)
from recollect.storage.times import moment

_LAST = 2**31 - 1


class PostgresSessions:
    def __init__(self, connections: Connections, owners: Owners) -> None:
        self._connections = connections
        self._owners = owners

    def holders(self, messages: Sequence[str], *, within: str = "") -> dict[str, list[Spot]]:
        return self._connections.read(lambda db: self._holders(db, messages, within))

    def turns(
        self, id: str, *, start: int, count: int, roles: Sequence[str] | None = None
    ) -> list[Turn]:
        return self._connections.snapshot(lambda db: self._turns(db, id, start, count, roles))

    def tally(self, id: str, *, first: int = 0, last: int | None = None) -> dict[str, int]:
        return self._connections.read(lambda db: self._tally(db, id, first, last))

    def recent(self, filter: Filter, *, limit: int) -> list[Outline]:
        return self._connections.read(lambda db: self._recent(db, filter, limit))

    def _holders(self, db: Db, messages: Sequence[str], within: str) -> dict[str, list[Spot]]:
        rows = db.execute(
            "SELECT m.id, d.id, m.turn FROM messages m JOIN documents d "
            "ON d.owner = m.owner AND d.key = m.document "
            f"WHERE m.owner = ANY({self._owners.seen}) AND m.id <> '' "
            "AND md5(m.id) = ANY(%(hashes)s) "
            f"AND m.id = ANY(%(ids)s) {'AND d.id = %(within)s' if within else ''} "
            "ORDER BY d.key, m.turn",
            {
                "ids": list(map(stored, messages)),
                "hashes": [hashed(stored(id)) for id in messages],
                "within": stored(within),
            },
        )
        return grouped((given(id), Spot(*place)) for id, *place in rows)

    def _turns(
        self, db: Db, id: str, start: int, count: int, roles: Sequence[str] | None
    ) -> list[Turn]:
        key = self._key(db, id)
        if key is None or not count:
            return []
        way, order = (">=", "ASC") if count >= 0 else ("<=", "DESC")
        which = "" if roles is None else "AND role = ANY(%(roles)s)"
        rows = db.execute(
            "SELECT turn, role, id, date FROM messages WHERE owner = %(owner)s "
            f"AND document = %(key)s AND turn {way} %(start)s {which} "
            f"ORDER BY turn {order} LIMIT %(count)s",
            {
                "owner": owner_of(key),
                "key": key,
                "start": max(-1, min(start, _LAST)),
                "count": abs(count),
                "roles": list(map(stored, roles or ())),
            },
        ).fetchall()
        rows.sort()
        texts = self._texts(db, key, [row[0] for row in rows])
        return [
            Turn(turn, Message(given(role), texts.get(turn, ""), given(name), moment(date)))
            for turn, role, name, date in rows
        ]

    def _key(self, db: Db, id: str) -> int | None:
        where = f"owner = ANY({self._owners.seen}) AND id = %s"
        key: int | None = scalar(db, f"SELECT key FROM documents WHERE {where}", (stored(id),))
        return key

    def _texts(self, db: Db, key: int, turns: Sequence[int]) -> dict[int, str]:
        """The text of each of these turns, and of none between them."""
        rows = db.execute(
            "SELECT turn, text FROM passages WHERE owner = %s AND document = %s "
            "AND turn = ANY(%s) ORDER BY n",
            (owner_of(key), key, list(turns)),
        )
        texts: dict[int, str] = {}
        for turn, text in rows:
            texts[turn] = texts.get(turn, "") + given(text)
        return texts

    def _tally(self, db: Db, id: str, first: int, last: int | None) -> dict[str, int]:
        rows = db.execute(
            "SELECT m.role, COUNT(*) FROM messages m JOIN documents d "
            "ON d.owner = m.owner AND d.key = m.document "
            f"WHERE d.owner = ANY({self._owners.seen}) AND d.id = %s AND m.turn >= %s "
            "AND m.turn <= %s GROUP BY m.role",
            (stored(id), max(0, min(first, _LAST)), _LAST if last is None else min(last, _LAST)),
        )
        return {given(role): count for role, count in rows}

    def _recent(self, db: Db, filter: Filter, limit: int) -> list[Outline]:
        if filters.nothing(filter):
            return []
        where = filters.where(filter)
        values: dict[str, Any] = {**where.values, "limit": limit, "outlined": OUTLINED}
        among = self._owners.among(filter, "d.owner", values)
        rows = db.execute(
            f"SELECT (SELECT COUNT(*) FROM messages m WHERE m.owner = d.owner "
            f"AND m.document = d.key), d.last, {_beginning('user', 'ASC')}, "
            f"{_beginning('assistant', 'DESC')}, {DOCUMENT} FROM (SELECT * FROM documents d "
            f"WHERE {among} AND {where.document or 'TRUE'} "
            "ORDER BY d.last DESC NULLS LAST, d.key DESC LIMIT %(limit)s) d "
            "JOIN owners o ON o.owner = d.owner ORDER BY d.last DESC NULLS LAST, d.key DESC",
            values,
        )
        return [
            Outline(document(about), count, moment(last), _cut(goal), _cut(resolution))
            for count, last, goal, resolution, *about in rows
        ]


def _cut(text: str | None) -> str:
    return given(text or "")[:OUTLINED]


def _beginning(role: str, order: str) -> str:
    """How the first (or last) message of that role begins; escapes may make it longer."""
    return (
        "(SELECT LEFT(p.text, 2 * %(outlined)s) FROM passages p WHERE p.owner = d.owner "
        "AND p.document = d.key AND p.turn = (SELECT m.turn FROM messages m "
        f"WHERE m.owner = d.owner AND m.document = d.key AND m.role = '{role}' "
        f"ORDER BY m.turn {order} LIMIT 1) ORDER BY p.n LIMIT 1)"
    )
