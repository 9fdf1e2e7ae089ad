"""Recorded answers in a dict."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from recollect.nouns import Recorded
from recollect.storage.plain.tables import Tables, atomic


class PlainAnswers:
    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    @atomic
    def keep(self, answer: Recorded) -> None:
        self.tables.answers[answer.id] = answer

    @atomic
    def find(
        self, *, fingerprint: str = "", space: str = "", limit: int, before: datetime | None = None
    ) -> list[Recorded]:
        found = [
            one
            for one in self.tables.answers.values()
            if fingerprint in ("", one.fingerprint)
            and space in ("", one.space)
            and (before is None or one.at < before)
        ]
        found.sort(key=lambda one: one.id)
        return sorted(found, key=lambda one: one.at, reverse=True)[:limit]

    @atomic
    def drop(self, ids: Collection[str]) -> int:
        return sum(self.tables.answers.pop(id, None) is not None for id in set(ids))
