"""The part of a passage that shows why it was found."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from recollect.text.terms import terms

_WORD = re.compile(r"\S+")


class Snippet(NamedTuple):
    """A stretch of text; ``marks`` are (start, end) of the words that match, inside it."""

    text: str
    marks: tuple[tuple[int, int], ...]
    before: bool
    after: bool


def snippet(text: str, wanted: Collection[str], width: int = 320) -> Snippet:
    """The window of about *width* characters with the most wanted words in it."""
    wanted = set(wanted)
    words = [(m.start(), m.end(), m[0]) for m in _WORD.finditer(text)]
    matching = [(s, e) for s, e, w in words if wanted.intersection(terms(w).stem.split())]
    start = _best_start([s for s, _ in matching], width) if len(text) > width else 0
    if start:
        start = max((s for s, _, _ in words if s <= max(0, start - width // 6)), default=0)
    end = min(len(text), start + width)
    if end < len(text):
        end = max((e for _, e, _ in words if start < e <= end), default=end)
    marks = tuple((s - start, e - start) for s, e in matching if start <= s and e <= end)
    return Snippet(text[start:end], marks, start > 0, end < len(text))


def _best_start(starts: list[int], width: int) -> int:
    best, at = 0, 0
    low = 0
    for high, position in enumerate(starts):
        while position - starts[low] > width:
            low += 1
        if high - low + 1 > best:
            best, at = high - low + 1, starts[low]
    return at
