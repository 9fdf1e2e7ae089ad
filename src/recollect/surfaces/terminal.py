"""Output for a person at a terminal: colour where it is wanted, progress where it is seen."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterable, Iterator
from functools import cache
from types import TracebackType
from typing import IO, Any
from unicodedata import east_asian_width

from recollect import asker
from recollect.nouns import Progress
from recollect.surfaces.commands.parser import columns
from recollect.surfaces.controls import ESCAPE
from recollect.text import snippet
from recollect.text.code import is_code


def wants_colour(stream: IO[str]) -> bool:
    variables = asker.environment()
    if variables.get("NO_COLOR"):
        return False
    return bool(variables.get("FORCE_COLOR")) or stream.isatty()


class Style:
    """The few styles there are; empty when colour is not wanted."""

    def shown(self, line: str) -> str:
        """Returns a line whose marks are styled."""
        return line.replace(OPENING, self.mark).replace(CLOSING, self.off)

    def __init__(self, on: bool) -> None:
        self.bold, self.dim, self.mark, self.warn, self.off = (
            [f"{ESCAPE}[{code}m" for code in ("1", "2", "1;33", "33", "0")] if on else [""] * 5
        )


def style_of(stream: IO[str]) -> Style:
    """Returns the styles that a stream can show."""
    return Style(wants_colour(stream))


def json_text(content: dict[str, Any], *, ascii: bool) -> str:
    return json.dumps(content, ensure_ascii=ascii, indent=2)


def width() -> int:
    return max(40, min(columns(), 110))


def line_width() -> int:
    """Returns the room of what is one line: without end where no person looks at a screen, for what
    a program reads would be lost."""
    piped = not asker.out().isatty() and not asker.environment().get("COLUMNS")
    return sys.maxsize if piped else width()


OPENING, CLOSING = "\x01", "\x02"
"""What stands for the beginning and the end of a mark until a line is styled: no width."""
_NO_MARKS = dict.fromkeys(map(ord, (OPENING, CLOSING)))
_CLEARED = f"{ESCAPE}[1G{ESCAPE}[K"


@cache
def _chunk(wide: bool) -> re.Pattern[str]:
    """What a line is not broken inside of: white space, a wide character, a word. The one for wide
    characters takes longer to compile than to load this module."""
    return re.compile(r"\s+|[\u2e80-\uffdc]|[^\s\u2e80-\uffdc]+" if wide else r"\s+|\S+")


_FENCE = re.compile(r"\s*(?:\w+: )?(?:```|~~~)")
_COMMAND = re.compile(r"\s*(?:\w+: )?\$ ")
_BULLET = re.compile(r"\s*(?:(?:[-*+>]|\d{1,2}[.)])\s+)?")
"""What stands before the first word of a line."""


def marked(text: str, marks: Iterable[snippet.Mark]) -> str:
    """Returns the text with its marks between :data:`OPENING` and :data:`CLOSING`."""
    parts = snippet.parted(text, marks)
    clean = ((part.translate(_NO_MARKS), mark) for part, mark in parts)
    return "".join(f"{OPENING}{part}{CLOSING}" if mark else part for part, mark in clean)


def columns_of(text: str) -> int:
    """Counts the columns that a text takes: two for a wide character."""
    if text.isascii():
        return len(text) - text.count(OPENING) - text.count(CLOSING)
    return sum(_WIDTHS.get(east_asian_width(char), 1) for char in text if char not in "\x01\x02")


_WIDTHS = {"W": 2, "F": 2}


def folded(text: str, room: int) -> list[str]:
    """Returns the lines of a text, without empty ones, broken where they are longer than *room*;
    what follows a break stands below the first word of its line."""
    return [part for line in text.splitlines() if line.strip() for part in _broken(line, room)]


def set_out(text: str, room: int) -> list[str]:
    """Returns the lines of a text as :func:`folded` does, but for code and commands: with a break
    in it a line can be neither copied nor found."""
    lines = [line for line in text.splitlines() if line.strip()]
    every, fenced = is_code(lines), False
    made: list[str] = []
    for line in lines:
        fence = _FENCE.match(line) is not None
        whole = every or fenced or fence or _COMMAND.match(line)
        made += [line.rstrip()] if whole else _broken(line, room)
        fenced = fenced != fence
    return made


def _broken(line: str, room: int) -> Iterator[str]:
    if columns_of(line) <= room:
        yield line.rstrip()
        return
    indent = " " * min(room // 2, len(_BULLET.match(line)[0]))  # type: ignore[index]
    made, used = "", 0
    for chunk in _chunk(not line.isascii()).findall(line):
        size = columns_of(chunk)
        if used + size > room and made.strip():
            yield made.rstrip()
            made, used = indent, len(indent)
            chunk = chunk.lstrip()
            size = columns_of(chunk)
        made, used = made + chunk, used + size
    if made.strip():
        yield made.rstrip()


class ProgressBar:
    """How far work is, on stderr: one line that is drawn anew and gone when the work is done. Where
    it cannot be drawn anew, a line now and then, of work that takes long."""

    EVERY = 10.0
    """Seconds between two lines where nobody is looking."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._stream = sys.stderr
        self._drawn = self._stream.isatty()
        self._quiet = quiet
        self._last = 0.0 if self._drawn else time.monotonic()
        self._started: dict[str, float] = {}

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._drawn and self._started and not self._quiet:
            self._stream.write(_CLEARED)
            self._stream.flush()

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        started = self._started.setdefault(progress.doing, now)
        every = 0.1 if self._drawn else self.EVERY
        ended = self._drawn and progress.done == progress.total
        if self._quiet or (now - self._last < every and not ended):
            return
        self._last = now
        line = self._line(progress, now - started)
        self._stream.write(_CLEARED + line if self._drawn else f"{line}\n")
        self._stream.flush()

    def _line(self, progress: Progress, seconds: float) -> str:
        if not progress.total:
            return f"{progress.doing} {progress.done:,}"
        share = min(1.0, progress.share or progress.done / progress.total)
        filled = int(share * 24)
        bar = "█" * filled + "░" * (24 - filled) + " " if self._drawn else ""
        left = seconds / share - seconds if share and seconds > 2 else 0
        rest = f"  about {span(left)} left" if left else ""
        return f"{progress.doing} {bar}{progress.done:,} of {progress.total:,}{rest}"


class ProgressLines:
    """Progress as lines of JSON on stderr, for a program that waits: whenever other work begins or
    some is done, and now and then between."""

    EVERY = 0.2

    def __init__(self) -> None:
        self._last = 0.0
        self._doing = ""

    def __enter__(self) -> ProgressLines:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        turns = progress.doing != self._doing or progress.done == progress.total
        if turns or now - self._last >= self.EVERY:
            self._last, self._doing = now, progress.doing
            sys.stderr.write(json.dumps(progress._asdict()) + "\n")
            sys.stderr.flush()


def span(seconds: float) -> str:
    """Returns a length of time as a person says it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
