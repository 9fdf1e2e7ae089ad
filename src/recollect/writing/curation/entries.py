"""The dated entries of a text, such as a log: which day a place in it is of."""

from __future__ import annotations

import re
from bisect import bisect_right
from datetime import datetime

from recollect.named_tuple import NamedTuple
from recollect.text import stated

_LINE = re.compile(r"[^\n]+")
_MARKS = " \t#*_>-[("
_BEGINS = 40
"""Characters of a line in which a date may be that it begins with."""

_DAY = re.compile(rf"[^\n]{{4,{_BEGINS}}}?(?::|[ ][-–—])[ ]+")
"""What stands before the first colon or dash with a blank."""


class DatedEntry(NamedTuple):
    start: int
    date: datetime


class DatedEntries:
    """The entries of a text whose lines begin with a day, not after *now*; one alone is none."""

    def __init__(self, text: str, now: datetime) -> None:
        found = [entry for line in _LINE.finditer(text) if (entry := _entry(line))]
        self._entries = [entry for entry in found if entry.date <= now] if len(found) > 1 else []
        self._starts = [entry.start for entry in self._entries]
        self._text = text

    def date_at(self, place: int) -> datetime | None:
        """Returns the day of the entry that a place is in; of none where a heading came between."""
        entry = bisect_right(self._starts, place) - 1
        if entry < 0 or "\n#" in self._text[self._starts[entry] : place]:
            return None
        return self._entries[entry].date


def without_day(statement: str) -> str:
    """What a statement says behind the day that it begins with, if it is a sentence without it."""
    day = _DAY.match(statement)
    begins = [one for one in stated.written(day[0] if day else "")[:1] if not one.start]
    rest = statement[day.end() :] if day and begins else ""
    return rest[:1].upper() + rest[1:] if rest.count(" ") > 1 else statement


def _entry(line: re.Match[str]) -> DatedEntry | None:
    plain = line[0].strip(_MARKS)
    days = (one for one in stated.written(plain[:_BEGINS])[:1] if one.is_day and not one.start)
    return next((DatedEntry(line.start(), one.date) for one in days), None)
