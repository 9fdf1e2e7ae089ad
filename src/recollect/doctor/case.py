"""What is examined: a store with its settings, and what the caller knows besides."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from recollect import config as settings
from recollect.errors import RecollectError
from recollect.memory import Memory
from recollect.named_tuple import NamedTuple
from recollect.ports import CheckReport


class Client(NamedTuple):
    """A program that could use the store, and how it is connected."""

    name: str
    here: bool
    state: str
    """``installed``, ``other`` (from elsewhere), ``absent``, ``unreadable``."""
    file: str = ""


class LastEvaluation(NamedTuple):
    """The last measurement, and whether the code is still that which was measured."""

    run: str
    at: str
    same_code: bool


class Case:
    def __init__(
        self,
        memory: Memory | None,
        error: RecollectError | None = None,
        *,
        full: bool = False,
        clients: tuple[Client, ...] | None = None,
        evaluated: LastEvaluation | None = None,
        location: str = "",
        holder: str = "",
    ) -> None:
        self._memory = memory
        self.error = error
        self.full = full
        self.clients = clients
        self.evaluated = evaluated
        self.now = datetime.now(UTC)
        self._location = location
        self.holder = holder
        """Who answers for others on the store, in words."""
        self._seen: CheckReport | None = None

    @property
    def memory(self) -> Memory:
        """The open store; raises what kept it from being opened."""
        if self._memory is None:
            raise self.error or RecollectError("there is no store to look at")
        return self._memory

    @property
    def opened(self) -> bool:
        return self._memory is not None

    @property
    def config(self) -> settings.Config:
        return settings.load() if self._memory is None else self._memory.config

    @property
    def folder(self) -> Path | None:
        """Where the store is, if it is a folder."""
        told = self._memory.store.stats().location if self._memory else self._location
        return None if not told or "://" in told else Path(told)

    @property
    def seen(self) -> CheckReport:
        """What looking the store over has shown; it is looked over once."""
        if self._seen is None:
            self._seen = self.memory.admin.check(full=self.full)
        return self._seen

    @property
    def damaged(self) -> bool:
        """Whether the record is, so that nothing can be said of what is made from it."""
        return bool(self.found("record"))

    def found(self, part: str) -> list[str]:
        """Returns the faults of a part of the store."""
        return [one.text for one in self.seen.findings if one.part == part]

    def look_again(self) -> None:
        self._seen = None
