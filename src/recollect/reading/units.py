"""The units that a passage falls into: sentences, lines, or the whole of it where it is short."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.text.code import is_code
from recollect.text.sentences import joined, units
from recollect.text.tokens import count_tokens

SHORT, CODE = 60, 200
"""Tokens of a passage that is one unit; and of one of code, of which a part is of little use."""
MARKS = ("?", "？", "؟")


def units_of(text: str, begin: int) -> list[tuple[int, int, int]]:
    """Returns (start, end, tokens) of each unit; a short passage is one."""
    whole = count_tokens(text[begin:])
    if whole <= SHORT or (whole <= CODE and _is_code(text[begin:])):
        return [(begin, len(text), whole)]
    return [
        (begin + start, begin + end, count_tokens(text[begin + start : begin + end]))
        for start, end in _with_replies(text[begin:])
    ]


def _is_code(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) > 1 and is_code(lines)


def _with_replies(text: str) -> Iterator[tuple[int, int]]:
    """Yields where each unit begins and ends; a question goes with what follows it, for by itself
    it answers nothing."""
    last = len(text.rstrip())
    return joined(units(text), lambda _, end: end != last and text.startswith(MARKS, end - 1))
