"""The lines above a text that say nothing of their own: who was there, and the head of a mail."""

from __future__ import annotations

import re

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
