"""The lines above a text: who was there, the head of a mail, its title and when it was written."""

from __future__ import annotations

import re
from datetime import datetime

from recollect.text import stated
from recollect.text.support import tables
from recollect.text.terms import fold

HEAD = 600
"""Characters at the beginning of a text that its head is in."""

_THERE = (
    r"(?:present|absent|attend\w+|in attendance|participants|apologies|anwesend\w*|entschuldigt"
    r"|teilnehm\w+|presentes|asistentes|présents)(?: \([^)]*\))?"
)
_MAIL = r"(?:from|to|cc|subject|date|von|an|betreff|datum|de|para|asunto|fecha|objet)"
_ATTENDANCE = re.compile(rf"{_THERE}\s?:", re.IGNORECASE)
_HEAD = re.compile(rf"(?:{_THERE}|{_MAIL})\s?:", re.IGNORECASE)


def is_attendance(line: str) -> bool:
    """Whether a line says who was at a meeting."""
    return _ATTENDANCE.match(line) is not None


def is_head(line: str) -> bool:
    """Whether a line is of the head of minutes or of a mail."""
    return _HEAD.match(line) is not None


# ------------------------------------------------------------------ what a text says of itself

_TITLE = re.compile(
    r"^#(?: +|(?=\w))(\S[^\n]{0,120})|^(?:title|Title|Subject): *(\S[^\n]{0,120})", re.MULTILINE
)
_SHORT = 60
"""Characters of a line that is no sentence."""
_MARKS = " \t#*_>-[(|"
_FIELD = re.compile(r"(?:[^\W\d_]+(?: \w+){0,2}:[*_]*\s*)?(?:([^\W\d_]+)\.?,? )?")


def title_of(text: str) -> str:
    """Returns what a text calls itself: its heading, or the field of its head."""
    said = _TITLE.search(text[:HEAD])
    return (said[1] or said[2]).strip(" \"'\r") if said else ""


def written_on(text: str, now: datetime) -> datetime | None:
    """Returns the first date in the head of a text, not after *now*, on which it was written: one
    in a heading, behind the name of a field or in a brief line above others, or one that a line
    begins with. A date within a sentence is that of what it tells."""
    lines = [line for line in text[:HEAD].splitlines() if line.strip()]
    for n, line in enumerate(lines):
        plain = line.strip(_MARKS)
        brief = len(plain) <= _SHORT and n + 1 < len(lines) and plain[-1:] not in ".!?"
        for one in stated.written(plain)[:1]:
            apart = brief or line.startswith("#") or _opens(plain[: one.start])
            if apart and one.date <= now:
                return one.date
    return None


def _opens(before: str) -> bool:
    """Whether nothing stands before a date but the name of a field and a day of the week."""
    said = _FIELD.fullmatch(before)
    return said is not None and (not said[1] or fold(said[1]) in tables.WEEKDAYS)
