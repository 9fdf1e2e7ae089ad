"""Reading sessions: which has a message, some of its turns, how it began and ended."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import islice

from recollect.nouns import Document, Filter, Message
from recollect.ports import OUTLINED, Outline, Spot, Turn
from recollect.storage.embedded.connection import batches, marks
from recollect.storage.embedded.documents import DOCUMENT, Documents
from recollect.storage.embedded.rows import moment

_LAST = 2**63 - 1


class Talks(Documents):
    def holders(self, messages: Sequence[str], within: str) -> dict[str, list[Spot]]:
        found: dict[str, list[Spot]] = {}
        key = (self._key(within),) if within else ()
        for some in batches(messages):
            for id, document, turn in self._db.execute(
                "SELECT m.id, d.id, m.turn FROM messages m JOIN documents d ON d.key = m.document "
                f"WHERE m.id IN ({marks(len(some))}) AND m.id != '' "
                f"{'AND m.document = ?' if within else ''} ORDER BY d.key, m.turn",
                (*some, *key),
            ):
                found.setdefault(id, []).append(Spot(document, turn))
        return found

    def turns(self, id: str, start: int, count: int, roles: Sequence[str] | None) -> list[Turn]:
        key = self._key(id)
        which = "" if roles is None else f"AND role IN ({marks(len(roles))})"
        way, order = (">=", "ASC") if count >= 0 else ("<=", "DESC")
        rows = self._db.execute(
            f"SELECT turn, role, id, date FROM messages WHERE document = ? AND turn {way} ? "
            f"{which} ORDER BY turn {order} LIMIT ?",
            (key, start, *(roles or ()), abs(count)),
        ).fetchall()
        rows.sort()
        texts = self._texts(key, [row[0] for row in rows])
        return [
            Turn(turn, Message(role, texts.get(turn, ""), name, moment(date)))
            for turn, role, name, date in rows
        ]

    def _key(self, id: str) -> int | None:
        row = self._db.execute("SELECT key FROM documents WHERE id = ?", (id,)).fetchone()
        return None if row is None else int(row[0])

    def _texts(self, document: int | None, turns: Sequence[int]) -> dict[int, str]:
        """The text of each of these turns, which are in order, and of none between them."""
        if not turns:
            return {}
        texts: dict[int, str] = {}
        first, last = (self._first_passage(document, at) for at in (turns[0], turns[-1] + 1))
        for some in batches(turns):
            for turn, text in self._db.execute(
                "SELECT turn, text FROM passages WHERE document = ? AND n >= ? AND n < ? "
                f"AND turn IN ({marks(len(some))}) ORDER BY n",
                (document, first, last, *some),
            ):
                texts[turn] = texts.get(turn, "") + text
        return texts

    def _first_passage(self, document: int | None, turn: int) -> int:
        """The number of the first passage of *turn* or of a later one. Passages are in the order
        of turns, so that it is found by halving, however long the session."""
        most = self._db.execute("SELECT MAX(n) FROM passages WHERE document = ?", (document,))
        low, high = 0, (most.fetchone()[0] or 0) + 1
        while low < high:
            middle = (low + high) // 2
            n, at = self._db.execute(
                "SELECT n, turn FROM passages WHERE document = ? AND n >= ? ORDER BY n LIMIT 1",
                (document, middle),
            ).fetchone() or (high, turn)
            if at < turn:
                low = n + 1
            else:
                high = middle
        return low

    def tally(self, id: str, first: int, last: int | None) -> dict[str, int]:
        rows = self._db.execute(
            "SELECT role, COUNT(*) FROM messages WHERE document = ? AND turn >= ? AND turn <= ? "
            "GROUP BY role",
            (self._key(id), first, _LAST if last is None else last),
        )
        return dict(rows.fetchall())

    def recent(self, filter: Filter, limit: int) -> list[Outline]:
        allowed = self.allowed(filter)
        if allowed.nothing:
            return []
        condition, values = self._where(allowed)
        keys = None if allowed.paths is None else set(self.documents_on_paths(allowed.paths))
        rows = self._db.execute(
            f"SELECT d.key, COALESCE((SELECT m.date FROM messages m WHERE m.document = d.key AND "
            f"m.date IS NOT NULL ORDER BY m.turn DESC LIMIT 1), d.date) AS last, {DOCUMENT} "
            f"FROM documents d WHERE {condition} ORDER BY last DESC NULLS LAST, d.key DESC",
            values,
        )
        chosen = list(islice((row for row in rows if keys is None or row[0] in keys), limit))
        return [
            self._outline(key, moment(last), self._document(*about)) for key, last, *about in chosen
        ]

    def _outline(self, key: int, last: datetime | None, document: Document) -> Outline:
        count = "SELECT COUNT(*) FROM messages WHERE document = ?"
        return Outline(
            document,
            self._db.execute(count, (key,)).fetchone()[0],
            last,
            self._beginning(key, "user", "ASC"),
            self._beginning(key, "assistant", "DESC"),
        )

    def _beginning(self, key: int, role: str, order: str) -> str:
        """How the first (or last) message of that role begins."""
        row = self._db.execute(
            f"SELECT turn FROM messages WHERE document = ? AND role = ? ORDER BY turn {order} "
            "LIMIT 1",
            (key, role),
        ).fetchone()
        if row is None:
            return ""
        text = self._db.execute(
            f"SELECT SUBSTR(text, 1, {OUTLINED}) FROM passages WHERE document = ? AND n = ? "
            "AND turn = ?",
            (key, self._first_passage(key, row[0]), row[0]),
        ).fetchone()
        return text[0] if text else ""
