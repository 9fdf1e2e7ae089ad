"""Output for a person at a terminal: colour where it is wanted, progress where it is seen."""

from __future__ import annotations

import json
import os
import sys
import time
from types import TracebackType
from typing import IO

from recollect.nouns import Progress
from recollect.surfaces.commands.parser import columns


def wants_colour(stream: IO[str]) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


class Style:
    """The few styles there are; empty when colour is not wanted."""

    def __init__(self, on: bool) -> None:
        self.bold, self.dim, self.mark, self.warn, self.off = (
            ("\033[1m", "\033[2m", "\033[1;33m", "\033[33m", "\033[0m") if on else ("",) * 5
        )


def style_of(stream: IO[str]) -> Style:
    """Returns the styles that a stream can show."""
    return Style(wants_colour(stream))


def width() -> int:
    return max(40, min(columns(), 110))


class ProgressBar:
    """One line on stderr, only when a person is looking; gone when the work is done."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._stream = sys.stderr
        self._on = self._stream.isatty() and not quiet
        self._last = 0.0
        self._started: dict[str, float] = {}

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._on and self._started:
            self._stream.write("\r\033[K")
            self._stream.flush()

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        started = self._started.setdefault(progress.doing, now)
        if not self._on or (now - self._last < 0.1 and progress.done != progress.total):
            return
        self._last = now
        self._stream.write("\r\033[K" + self._line(progress, now - started))
        self._stream.flush()

    def _line(self, progress: Progress, seconds: float) -> str:
        if not progress.total:
            return f"{progress.doing} {progress.done:,}"
        share = min(1.0, progress.done / progress.total)
        filled = int(share * 24)
        bar = "█" * filled + "░" * (24 - filled)
        left = seconds / share - seconds if share and seconds > 2 else 0
        rest = f"  about {_span(left)} left" if left else ""
        return f"{progress.doing} {bar} {progress.done:,} of {progress.total:,}{rest}"


class ProgressLines:
    """How far it is as lines of JSON on stderr, for a program that waits."""

    EVERY = 0.2

    def __init__(self) -> None:
        self._last = 0.0

    def __enter__(self) -> ProgressLines:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._last >= self.EVERY:
            self._last = now
            sys.stderr.write(json.dumps(progress._asdict()) + "\n")
            sys.stderr.flush()


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
