"""The part of a passage that shows why it was found."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from recollect.text.terms import is_run, terms

_WORD = re.compile(r"\S+")
_NEAR = 40
"""A window is moved to a word's edge if there is one so near; else it cuts through."""


class MarkedText(NamedTuple):
    """A stretch of text; ``marks`` are (start, end) of what matches, inside it."""

    text: str
    marks: tuple[tuple[int, int], ...]
    before: bool
    after: bool


def snippet(text: str, wanted: Collection[str], width: int = 320) -> MarkedText:
    """The window of about *width* characters with the most wanted words in it."""
    matching = _matches(text, set(wanted))
    start, end = 0, len(text)
    if len(text) > width:
        start = _edge(text, max(0, _best_start(matching, width) - width // 6))
        end = start + width
        if end < len(text):
            end = max(_edge(text, end) - 1, start + width - _NEAR)
    marks = tuple((s - start, e - start) for s, e in matching if start <= s and e <= end)
    return MarkedText(text[start:end], marks, start > 0, end < len(text))


def _matches(text: str, wanted: set[str]) -> list[tuple[int, int]]:
    found = {
        match.span()
        for match in _WORD.finditer(text)
        if not is_run(match[0]) and wanted.intersection(terms(match[0]).stem.split())
    }
    for run in filter(is_run, wanted):
        found.update(match.span() for match in re.finditer(re.escape(run), text))
    return sorted(found)


def _best_start(matches: list[tuple[int, int]], width: int) -> int:
    """Where the window begins that holds the most matches whole; the first of several."""
    best, at, low = 0, 0, 0
    for high, (_, end) in enumerate(matches):
        while low < high and end - matches[low][0] > width - width // 6:
            low += 1
        if high - low + 1 > best:
            best, at = high - low + 1, matches[low][0]
    return at


def _edge(text: str, at: int) -> int:
    """The beginning of the word at *at*, if it is near."""
    if at == 0 or at >= len(text):
        return min(at, len(text))
    places = range(at, at - min(_NEAR, at), -1)
    return next((place for place in places if text[place - 1].isspace()), at)
