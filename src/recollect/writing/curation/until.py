"""The day until which a sentence holds, or by which something is to be done, where it says so."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from recollect.text import stated
from recollect.text.support import tables
from recollect.text.terms import fold

_CUE = re.compile(
    r"\b(?:until|till|through|thru|up to|by|before|due(?: on| by| at)?|deadline\b[^.]{0,40}?|"
    r"(?:ends?(?!\s+of\b)|expires?|runs out|closes|valid)(?: on| in| at)?|no later than|to the)\s+"
    r"(?:the\s+)?(?:end of\s+)?",
    re.IGNORECASE,
)
_LASTS = re.compile(
    r"\b(?:until|till|through|thru|up to|ends?(?!\s+of\b)|expires?|runs out|valid)\b", re.I
)
_WORD = r"([^\W\d_]{3,})\b\.?"
_DAY = re.compile(
    rf"(\d\d?)(?:st|nd|rd|th)?\s+(?:of\s+)?{_WORD}|{_WORD}(?:\s+(\d\d?)(?:st|nd|rd|th)?\b)?"
)
_YEAR = re.compile(r",?\s+((?:19|20)\d\d)\b")
_MONTH = re.compile(rf"{_WORD},?\s+((?:19|20)\d\d)\b")


def until(text: str, now: datetime) -> datetime | None:
    """Returns the last day that a sentence names behind a word such as "until" or "by"."""
    for cue in _CUE.finditer(text):
        rest = text[cue.end() : cue.end() + 40]
        whole = [one.date for one in stated.written(rest)[:1]]
        if found := (_month(rest) or (whole[0] if whole else _near(rest, now))):
            return found
    return None


def _month(rest: str) -> datetime | None:
    """The last day of a month with its year."""
    match = _MONTH.match(rest)
    number = tables.month_number(fold(match[1])) if match else 0
    return _made(int(match[2]), number, 0) if match and number else None


def lasts(text: str) -> bool:
    """Whether what a sentence says ends on its day, and is not merely to be done by then."""
    return _LASTS.search(text) is not None


def _near(rest: str, now: datetime) -> datetime | None:
    """A day without its year, from *now* on."""
    match = _DAY.match(rest)
    if match is None:
        return None
    today = datetime(now.year, now.month, now.day, tzinfo=UTC)
    before, name, other, behind = match.groups("")
    word = fold(name + other)
    if word in tables.WEEKDAYS and len(word) > 5:  # "wed" and "mon" may be anything
        ahead = tables.WEEKDAY_NUMBERS[tables.WEEKDAYS[word]] - now.weekday()
        return today + timedelta(days=ahead % 7 or 7)
    month, day = tables.month_number(word), int(before or behind or 0)
    if not month:
        return None
    year = _YEAR.match(rest, match.end())
    made = _made(int(year[1]) if year else now.year, month, day)
    return _made(now.year + 1, month, day) if made and made < today and not year else made


def _made(year: int, month: int, day: int) -> datetime | None:
    """A day; without its number the last of the month."""
    if not day:
        return datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC) - timedelta(days=1)
    try:
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return None
