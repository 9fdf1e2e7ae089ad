"""A trace collects what each stage of one request did, and how long it took.

Whoever asked may look on (:func:`watched`): it is told of every stage, and may stop the request
there by raising :class:`Stopped`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter

from recollect.errors import in_a_line
from recollect.nouns import Stage

Watcher = Callable[[str], None]
"""Is told the name of each stage that has ended."""

_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


class Stopped(BaseException):
    """Nobody waits for the answer any more. It is no error of the request, and nothing that
    survives errors survives it."""


@contextmanager
def watched(by: Watcher) -> Iterator[None]:
    """The requests of this thread, as long as this lasts, are told to *by*."""
    before = _WATCHER.set(by)
    try:
        yield
    finally:
        _WATCHER.reset(before)


class Trace:
    """The stages of one request, in order. One per request, used by one thread."""

    def __init__(self) -> None:
        self.started = perf_counter()
        self.stages: list[Stage] = []
        self.degraded: list[str] = []
        self._watcher = _WATCHER.get()

    def look_up(self, doing: str) -> None:
        """Between two steps of long work: whoever looks on may stop it here."""
        if self._watcher is not None:
            self._watcher(doing)

    def _add(self, stage: Stage) -> None:
        self.stages.append(stage)
        self.look_up(stage.name)

    @property
    def elapsed_ms(self) -> float:
        return (perf_counter() - self.started) * 1000

    def ran(self, name: str, since: float, *, found: int | None = None, reason: str = "") -> None:
        ms = (perf_counter() - since) * 1000
        self._add(Stage(name, "ran", reason, found, ms))

    def skipped(self, name: str, reason: str) -> None:
        self._add(Stage(name, "skipped", reason))

    def failed(self, name: str, reason: str) -> None:
        """The stage could not do its work: the answer is the poorer for it and says so."""
        self.degraded.append(f"{name}: {reason}")
        self._add(Stage(name, "failed", reason))

    @contextmanager
    def stage(self, name: str, reason: str = "") -> Iterator[None]:
        since = perf_counter()
        yield
        self.ran(name, since, reason=reason)

    @contextmanager
    def surviving(self, name: str) -> Iterator[None]:
        """Work whose failure, whatever it is, is reported and leaves the rest to answer."""
        try:
            yield
        except Exception as error:  # noqa: BLE001  stores and models may be anybody's
            self.failed(name, in_a_line(error))
