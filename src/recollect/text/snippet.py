"""The part of a passage that shows why it was found."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import chain, filterfalse, groupby

from recollect.named_tuple import NamedTuple
from recollect.text.terms import is_run, stems

Mark = tuple[int, int]
"""Where something that matches begins and ends."""

_WORD = re.compile(r"\S+")
_AROUND = "\"'()[]{}<>,;:!?*_`~|.…“”‘’«»「」『』（）【】、。，！？：；・"
"""Signs around a word that are not marked with it."""
_PIECE = re.compile(r"[^()\[\]{}<>/|=,;:\"'`]+")
"""What may be a word by itself in a link, a path or a call."""
_NEAR = 40
"""A window is moved to a word's edge if there is one so near; else it cuts through."""


class MarkedText(NamedTuple):
    """A stretch of text; ``marks`` are (start, end) of what matches, inside it."""

    text: str
    marks: tuple[Mark, ...]
    before: bool
    after: bool


def snippet(text: str, wanted: Collection[str], width: int = 320) -> MarkedText:
    """The window of about *width* characters with the most wanted words in it."""
    matching = _matches(text, wanted)
    start, end = 0, len(text)
    if len(text) > width:
        start = _edge(text, max(0, _best_start(matching, width) - width // 6))
        end = start + width
        if end < len(text):
            end = max(_edge(text, end) - 1, start + width - _NEAR)
    inside = ((s - start, e - start) for s, e in matching if start <= s and e <= end)
    return MarkedText(text[start:end], joined(inside), start > 0, end < len(text))


def marks(text: str, wanted: Collection[str]) -> tuple[Mark, ...]:
    """Returns where the wanted words stand in the text, in order and without overlap."""
    return joined(_matches(text, wanted))


def joined(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """Returns the marks in order, those that overlap or touch as one."""
    whole: list[Mark] = []
    for start, end in sorted(marks):
        if whole and start <= whole[-1][1]:
            whole[-1] = whole[-1][0], max(end, whole[-1][1])
        else:
            whole.append((start, end))
    return tuple(whole)


def parted(text: str, marks: Iterable[Mark]) -> Iterator[tuple[str, bool]]:
    """Yields the text in parts, each with whether it is marked; every character once."""
    at = 0
    for start, end in joined(marks):
        yield text[at:start], False
        yield text[start:end], True
        at = end
    yield text[at:], False


def _matches(text: str, wanted: Collection[str]) -> list[Mark]:
    """Returns each match: a word without the signs around it; two characters of a script without
    spaces, which may share one with the next."""
    words = set(filterfalse(is_run, wanted))
    found = set(chain.from_iterable(_in_chunk(match, words) for match in _WORD.finditer(text)))
    for run in filter(is_run, wanted):
        found.update(map(re.Match.span, re.finditer(re.escape(run), text)))
    return sorted(found)


def _in_chunk(match: re.Match[str], words: set[str]) -> Iterator[Mark]:
    """Yields the stretches of a chunk that are of one script and have one of the words: the pieces
    of it that do by themselves, else the whole."""
    start = match.start()
    for run, letters in groupby(match[0], is_run):
        part = "".join(letters)
        if not run and _has_any(part, words):
            pieces = [(one.start(), one[0]) for one in _PIECE.finditer(part)]
            for at, piece in [one for one in pieces if _has_any(one[1], words)] or [(0, part)]:
                bare = piece.lstrip(_AROUND)
                first = start + at + len(piece) - len(bare)
                yield first, first + len(bare.rstrip(_AROUND) or bare)
        start += len(part)


def _has_any(part: str, words: set[str]) -> bool:
    return not words.isdisjoint(stems(part))


def _best_start(matches: list[Mark], width: int) -> int:
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
    if at >= len(text):
        return len(text)
    places = range(at, at - min(_NEAR, at), -1)
    return next((place for place in places if text[place - 1].isspace()), at)
