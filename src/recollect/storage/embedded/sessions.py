"""Reading sessions: which has a message, some of its turns, how it began and ended."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from itertools import islice
from operator import itemgetter

from recollect.nouns import Filter, Message, grouped
from recollect.ports import OUTLINED, Outline, Spot, Turn
from recollect.storage.embedded.documents import DOCUMENT
from recollect.storage.embedded.pool import RecordPool
from recollect.storage.embedded.queries import among, marks, scalar
from recollect.storage.times import moment

_LAST = 2**63 - 1


class EmbeddedSessions:
    def __init__(self, pool: RecordPool) -> None:
        self._pool = pool

    def holders(self, messages: Sequence[str], *, within: str = "") -> dict[str, list[Spot]]:
        with self._pool.snapshot() as record:
            rows = among(
                record.db,
                "SELECT m.id, d.id, m.turn FROM messages m JOIN documents d ON d.key = m.document "
                "WHERE m.id IN ({}) AND m.id != '' AND ? IN ('', d.id) ORDER BY d.key, m.turn",
                messages,
                within,
            )
            return grouped((id, Spot(*place)) for id, *place in rows)

    def turns(
        self, id: str, *, start: int, count: int, roles: Sequence[str] | None = None
    ) -> list[Turn]:
        which = "" if roles is None else f"AND role IN ({marks(len(roles))})"
        way, order = (">=", "ASC") if count >= 0 else ("<=", "DESC")
        with self._pool.snapshot() as record:
            key = _key(record.db, id)
            rows = record.db.execute(
                f"SELECT turn, role, id, date FROM messages WHERE document = ? AND turn {way} ? "
                f"{which} ORDER BY turn {order} LIMIT ?",
                (key, start, *(roles or ()), abs(count)),
            ).fetchall()
            rows.sort()
            texts = _texts(record.db, key, list(map(itemgetter(0), rows)))
        return [
            Turn(turn, Message(role, texts.get(turn, ""), name, moment(date)))
            for turn, role, name, date in rows
        ]

    def tally(self, id: str, *, first: int = 0, last: int | None = None) -> dict[str, int]:
        with self._pool.snapshot() as record:
            rows = record.db.execute(
                "SELECT role, COUNT(*) FROM messages WHERE document = ? AND turn >= ? "
                "AND turn <= ? GROUP BY role",
                (_key(record.db, id), first, _LAST if last is None else last),
            )
            return dict(rows.fetchall())

    def recent(self, filter: Filter, *, limit: int) -> list[Outline]:
        with self._pool.snapshot() as record:
            seen = record.seen(
                filter,
                "COALESCE((SELECT m.date FROM messages m WHERE m.document = d.key AND "
                f"m.date IS NOT NULL ORDER BY m.turn DESC LIMIT 1), d.date) AS last, {DOCUMENT}",
                "TRUE ORDER BY last DESC NULLS LAST, d.key DESC",
            )
            with closing(seen):
                rows = list(islice(seen, limit))
            return [
                Outline(
                    record.document_of(about),
                    _count(record.db, key),
                    moment(last),
                    _beginning(record.db, key, "user", "ASC"),
                    _beginning(record.db, key, "assistant", "DESC"),
                )
                for key, last, *about in rows
            ]


def _key(db: sqlite3.Connection, id: str) -> int | None:
    key: int | None = scalar(db, "SELECT key FROM documents WHERE id = ?", (id,))
    return key


def _count(db: sqlite3.Connection, key: int) -> int:
    return int(scalar(db, "SELECT COUNT(*) FROM messages WHERE document = ?", (key,)))


def _texts(db: sqlite3.Connection, document: int | None, turns: Sequence[int]) -> dict[int, str]:
    """The text of each of these turns, which are in order, and of none between them."""
    if not turns:
        return {}
    texts: dict[int, str] = {}
    first, last = (_first_passage(db, document, at) for at in (turns[0], turns[-1] + 1))
    for turn, text in among(
        db,
        "SELECT turn, text FROM passages WHERE turn IN ({}) AND document = ? AND n >= ? AND n < ? "
        "ORDER BY n",
        turns,
        document,
        first,
        last,
    ):
        texts[turn] = texts.get(turn, "") + text
    return texts


def _first_passage(db: sqlite3.Connection, document: int | None, turn: int) -> int:
    """The number of the first passage of *turn* or of a later one. Passages are in the order
    of turns, so that it is found by halving, however long the session."""
    last = "SELECT COALESCE(MAX(n), 0) FROM passages WHERE document = ?"
    low, high = 0, scalar(db, last, (document,)) + 1
    while low < high:
        middle = (low + high) // 2
        n, at = db.execute(
            "SELECT n, turn FROM passages WHERE document = ? AND n >= ? ORDER BY n LIMIT 1",
            (document, middle),
        ).fetchone() or (high, turn)
        if at < turn:
            low = n + 1
        else:
            high = middle
    return low


def _beginning(db: sqlite3.Connection, key: int, role: str, order: str) -> str:
    """How the first (or last) message of that role begins."""
    turn = scalar(
        db,
        f"SELECT turn FROM messages WHERE document = ? AND role = ? ORDER BY turn {order} LIMIT 1",
        (key, role),
    )
    if turn is None:
        return ""
    text = scalar(
        db,
        f"SELECT SUBSTR(text, 1, {OUTLINED}) FROM passages WHERE document = ? AND n = ? "
        "AND turn = ?",
        (key, _first_passage(db, key, turn), turn),
    )
    return text or ""
