"""Sessions in dicts: messages by their turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from recollect.nouns import Document, Filter, Message
from recollect.ports import OUTLINED, Outline, Spot, Turn
from recollect.storage.plain.tables import Tables, atomic, bodiless


class PlainSessions:
    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def _messages(self, id: str) -> tuple[Message, ...]:
        entry = self.tables.documents.get(id)
        return entry.document.messages if entry else ()

    @atomic
    def holders(self, messages: Sequence[str], *, within: str = "") -> dict[str, list[Spot]]:
        wanted, found = set(messages) - {""}, dict[str, list[Spot]]()
        for entry in reversed(self.tables.newest_first()):
            if within not in ("", entry.document.id):
                continue
            for turn, message in enumerate(entry.document.messages):
                if message.id in wanted:
                    found.setdefault(message.id, []).append(Spot(entry.document.id, turn))
        return found

    @atomic
    def turns(
        self, id: str, *, start: int, count: int, roles: Sequence[str] | None = None
    ) -> list[Turn]:
        every = [
            Turn(turn, message)
            for turn, message in enumerate(self._messages(id))
            if roles is None or message.role in roles
        ]
        if count < 0:
            return [one for one in every if one.turn <= start][count:]
        return [one for one in every if one.turn >= start][:count]

    @atomic
    def tally(self, id: str, *, first: int = 0, last: int | None = None) -> dict[str, int]:
        messages = self._messages(id)
        upto = len(messages) if last is None else last + 1
        return dict(Counter(m.role for m in messages[max(0, first) : max(0, upto)]))

    @atomic
    def recent(self, filter: Filter, *, limit: int) -> list[Outline]:
        found = list(map(_outline, self.tables.seen(filter)))
        found.sort(key=lambda o: o.last.timestamp() if o.last else float("-inf"), reverse=True)
        return found[:limit]


def _outline(document: Document) -> Outline:
    messages = document.messages
    dates = (m.date for m in reversed(messages) if m.date is not None)
    asked = (m.text for m in messages if m.role == "user")
    answered = (m.text for m in reversed(messages) if m.role == "assistant")
    return Outline(
        bodiless(document),
        len(messages),
        next(dates, document.date),
        next(asked, "")[:OUTLINED],
        next(answered, "")[:OUTLINED],
    )
