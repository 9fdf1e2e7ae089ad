"""The units that a passage falls into: sentences, lines, or the whole of it where it is short."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.text.sentences import joined, units
from recollect.text.tokens import count_tokens

SHORT = 60
"""Tokens of a passage that is one unit."""
MARKS = ("?", "？", "؟")


def units_of(text: str, begin: int) -> list[tuple[int, int, int]]:
    """Returns (start, end, tokens) of each unit; a short passage is one."""
    whole = count_tokens(text[begin:])
    if whole <= SHORT:
        return [(begin, len(text), whole)]
    return [
        (begin + start, begin + end, count_tokens(text[begin + start : begin + end]))
        for start, end in _with_replies(text[begin:])
    ]


def _with_replies(text: str) -> Iterator[tuple[int, int]]:
    """Yields where each unit begins and ends; a question goes with what follows it, for by itself
    it answers nothing."""
    last = len(text.rstrip())
    return joined(units(text), lambda _, end: end != last and text.startswith(MARKS, end - 1))
