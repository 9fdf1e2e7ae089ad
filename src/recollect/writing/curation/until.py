"""The day until which a sentence holds, or by which something is to be done, where it says so."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from recollect.named_tuple import NamedTuple
from recollect.text import stated
from recollect.text.support import tables
from recollect.text.terms import fold

_CUE = re.compile(
    r"\b(?:until|till|through|thru|up to|by|before|due(?: on| by| at)?|deadline\b[^.]{0,40}?|"
    r"(?:ends?(?!\s+of\b)|expires?|runs out|closes|valid)(?: on| in| at)?|no later than|to the)\s+"
    r"(?:the\s+)?(?:end of\s+)?",
    re.IGNORECASE,
)
_LASTS = re.compile(r"(?:until|till|through|thru|up to|ends?|expires?|runs out|valid)\b", re.I)
_APART = re.compile(r"(?:deadline|due|expires?|valid)\b", re.I)
"""Cues that a day may follow after other words: "The deadline for the grant is 3 May 2027"."""
_BEGINS = re.compile(r"\b(?:from|since|after)\s", re.I)
_OF_THE_PAST = re.compile(
    r"\b(?:who|that|which)\s+(?:\w+ed|paid|bought|came)\b[^,.;]{0,20}\Z", re.I
)
"""What stands before a cue in a clause that tells which are meant: "who signed up before June"."""
_WORD = r"([^\W\d_]{3,})\b\.?"
_DAY = re.compile(
    rf"(\d\d?)(?:st|nd|rd|th)?\s+(?:of\s+)?{_WORD}|{_WORD}(?:\s+(\d\d?)(?:st|nd|rd|th)?\b)?"
)
_YEAR = re.compile(r",?\s+((?:19|20)\d\d)\b")
_MONTH = re.compile(rf"{_WORD},?\s+((?:19|20)\d\d)\b")


class LastDay(NamedTuple):
    """A day, and whether what a sentence says ends on it, and is not merely to be done by then."""

    date: datetime
    ends: bool


def until(text: str, now: datetime) -> LastDay | None:
    """Returns the last day that a sentence names behind a word such as "until" or "by"."""
    for cue in _CUE.finditer(text):
        if _OF_THE_PAST.search(text, 0, cue.start()):
            continue
        rest = text[cue.end() : cue.end() + 40]
        apart = _APART.match(cue[0]) is not None
        if found := _month(rest) or _whole(rest, apart) or _near(rest, now):
            return LastDay(found, _LASTS.match(cue[0]) is not None)
    return None


def _whole(rest: str, apart: bool) -> datetime | None:
    """A day with its year, which comes first, but for a day of the week, or after other words where
    it may stand *apart* and does not say when something begins."""
    for one in stated.written(rest)[:1]:
        before = rest[: one.start]
        if fold(before.strip(" ,.")) in ("", *tables.WEEKDAYS) or (
            apart and not _BEGINS.search(before)
        ):
            return one.date
    return None


def _month(rest: str) -> datetime | None:
    """The last day of a month with its year."""
    match = _MONTH.match(rest)
    number = tables.month_number(fold(match[1])) if match else 0
    return _made(int(match[2]), number, 0) if match and number else None


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
