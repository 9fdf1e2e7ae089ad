"""A trace collects what each stage of one request did, and how long it took."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from recollect.types import Stage


class Trace:
    """The stages of one request, in order. One per request, used by one thread."""

    def __init__(self) -> None:
        self.started = perf_counter()
        self.stages: list[Stage] = []
        self.degraded: list[str] = []

    @property
    def elapsed_ms(self) -> float:
        return (perf_counter() - self.started) * 1000

    def ran(self, name: str, since: float, *, found: int | None = None, reason: str = "") -> None:
        ms = (perf_counter() - since) * 1000
        self.stages.append(Stage(name, "ran", reason, found, ms))

    def skipped(self, name: str, reason: str) -> None:
        self.stages.append(Stage(name, "skipped", reason))

    def failed(self, name: str, reason: str) -> None:
        """The stage could not do its work: the answer is the poorer for it and says so."""
        self.stages.append(Stage(name, "failed", reason))
        self.degraded.append(f"{name}: {reason}")

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
            self.failed(name, str(error).partition("\n")[0] or type(error).__name__)
