"""The units of a text that can be shown by themselves: sentences of prose, lines of all else.

What it guarantees, for every text
- The units are in order, do not overlap, and hold everything but white space.
- A wrapped line of prose goes on in the next; an item of a list, a row of a table, a line of code
  and an entry of a log are units of their own; a heading is part of what follows it.
- It takes time in proportion to the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from itertools import chain, islice

from recollect.text.support.tables import month_number
from recollect.text.terms import fold

LONGEST = 500
"""Characters from which on a unit is cut at a space: a log has lines without end."""
PASSAGE, KNOWN = 4_000, 2_000
"""Characters of a text whose units are kept in memory, and how many such texts."""
PARTS = 64
"""Sentences of a passage that have a vector of their own."""
_LINE = re.compile(r"[^\n]+")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_FENCE = re.compile(r"\s{0,3}(?:`{3,}|~{3,})")
_ALONE = re.compile(r"\s*(?:[-*+•–]\s|[>|#]|\d{1,3}[.)]\s|[\w ]{1,30}:\s)|\s{4,}\S|\t")
"""What a line begins with that does not go on from the one before."""
_ENTRY = re.compile(r"\s*(?:\d{4}-\d\d-\d\d|\d\d?(?:\.\d\d?\.|/\d\d?/?)(?:\d{4})?)(?![\w/-])")
"""What an entry of a log begins with, if the one before it does so, too."""
_ONE = re.compile(r"\s*[#|]|\s{4,}\S|\t")
"""Nor does the next line go on from this one."""
_END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’)\]*_]*\s+(?=[^\sa-z])|[。！？][”’」』）]*|[؟۔।]\s*")
"""A run of stops is tried from its beginning alone: a line of a million dots is no sentence."""
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|ca|bzw|z\.B|M[rs]|Mrs|Dr|Prof|St|No|Nr|Fig|[A-Z])|^\s*\d+)\Z"
)
_NUMBERED = re.compile(r"\b(?:nos?|nr|art|fig)\Z", re.IGNORECASE)
"""What is an abbreviation before a number alone: "file no. 25"."""
_NTH = re.compile(r"\b\d\d?\Z")
_MONTH = re.compile(r"(?!May\b)[^\W\d_]+")
"""What may be the month of a day with a full stop: "am 12. November"; "May" begins a question."""

Bounds = tuple[int, int]


def units(text: str) -> list[Bounds]:
    """Returns where each unit begins and ends. A search asks it of a passage several times, and of
    the passages of a store again and again."""
    return list(_known(text) if len(text) <= PASSAGE else _units(text))


def _units(text: str) -> tuple[Bounds, ...]:
    sentences = chain.from_iterable(_sentences(text, *block) for block in _blocks(text))
    found = chain.from_iterable(_cut(text, *sentence) for sentence in sentences)
    return tuple(joined(found, partial(_HEADING.match, text)))  # alone a heading says nothing


_known = lru_cache(KNOWN)(_units)


def parts_of(text: str) -> list[Bounds]:
    """Returns where each sentence begins and ends that has a vector of its own: the units of a text
    as it is embedded, the first :data:`PARTS` of them. Stored vectors are told apart by their
    places in this list alone, so a change here is one of what is stored."""
    return list(islice(joined(units(text), partial(_is_in_word, text)), PARTS))


def _is_in_word(text: str, _: int, end: int) -> bool:
    """Whether a unit ends within a word, whose halves would be other tokens than the whole."""
    around = text[end - 1 : end + 1]
    return len(around) > 1 and not any(c.isspace() or _is_punctuation(c) for c in around)


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character).startswith("P")


def is_line(text: str) -> bool:
    """Whether a text begins with a line that stands alone: an item, a row, a heading."""
    return _ALONE.match(text) is not None


def joined(found: Iterable[Bounds], leads: Callable[[int, int], object]) -> Iterator[Bounds]:
    """Joins each unit that only leads to the next one to that."""
    begin = -1
    for start, end in found:
        begin = start if begin < 0 else begin
        if not leads(start, end):
            yield begin, end
            begin = -1
    if begin >= 0:
        yield begin, end


def _blocks(text: str) -> Iterator[Bounds]:
    """Yields stretches of running words, and lines that stand alone."""
    start, end = -1, 0
    fenced = alone = False
    for line in _LINE.finditer(text):
        first, last = line.span()
        fence = _FENCE.match(text, first, last) is not None
        blank = text.count("\n", end, first) > 1
        begins = blank or alone or _ALONE.match(text, first, last) is not None
        begins = begins or (start >= 0 and _is_entry(text, start) and _is_entry(text, first))
        if fence:  # it opens a block with the line after it, or closes one with the line before
            begins = not fenced
        if start >= 0 and begins:
            yield start, end
            start = -1
        alone = fenced or (not fence and _ONE.match(text, first, last) is not None)
        fenced = fenced != fence
        start, end = (first if start < 0 else start), last
    if start >= 0:
        yield start, end


def _is_entry(text: str, start: int) -> bool:
    return _ENTRY.match(text, start) is not None


def _sentences(text: str, start: int, end: int) -> Iterator[Bounds]:
    at = start
    for match in _END.finditer(text, start, end):
        if not _goes_on(text, at, match):
            yield from _trimmed(text, at, match.end())
            at = match.end()
    yield from _trimmed(text, at, end)


def _goes_on(text: str, start: int, stop: re.Match[str]) -> bool:
    """Whether a sentence that begins there goes on behind this stop."""
    before, after = (max(start, stop.start() - 8), stop.start()), stop.end()
    if _ABBREVIATED.search(text, *before):
        return True
    if text[after : after + 1].isdigit():
        return _NUMBERED.search(text, *before) is not None
    month = _MONTH.match(text, after) if _NTH.search(text, *before) else None
    return month is not None and month_number(fold(month[0])) > 0


def _trimmed(text: str, start: int, end: int) -> Iterator[Bounds]:
    part = text[start:end]
    if part.strip():
        begin = start + len(part) - len(part.lstrip(" \n\r"))
        yield begin, start + len(part.rstrip())


def _cut(text: str, start: int, end: int) -> Iterator[Bounds]:
    while end - start > LONGEST:
        space = text.rfind(" ", start + LONGEST // 2, start + LONGEST)
        stop = space if space > 0 else start + LONGEST
        yield start, stop
        start = stop + (space > 0)
    yield start, end
