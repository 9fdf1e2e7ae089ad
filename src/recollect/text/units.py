"""The units that a passage falls into: sentences, lines, small blocks of code, or the whole of it
where it is short."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from recollect.text import blocks as text_blocks
from recollect.text.code import is_code
from recollect.text.sentences import KNOWN, PASSAGE, joined, units
from recollect.text.tokens import count_tokens

SHORT, CODE = 60, 200
"""Tokens of a passage that is one unit; and of one of code, of which a part is of little use."""
BLOCK = 100
"""Tokens of a block within a passage that is one unit."""
CHARACTERS = 10
"""No token of a text has more than so many characters, on the whole."""
MARKS = ("?", "？", "؟")
FENCES = ("```", "~~~")
_FENCE = re.compile(r"^\s{0,3}(?:`{3}|~{3})", re.MULTILINE)


def units_of(text: str, begin: int, *, blocks: bool = False) -> Sequence[tuple[int, int, int]]:
    """Returns (start, end, tokens) of each unit; a short passage is one, and so is a small block
    where *blocks* are what is wanted: to be shown, not to tell what one sentence says."""
    return (_known if len(text) <= PASSAGE else _units_of)(text, begin, blocks)


def _units_of(text: str, begin: int, blocks: bool) -> Sequence[tuple[int, int, int]]:
    whole = count_tokens(text[begin:])
    if whole <= SHORT or (whole <= CODE and _is_code(text[begin:])):
        return ((begin, len(text), whole),)
    return tuple(
        (begin + start, begin + end, count_tokens(text[begin + start : begin + end]))
        for start, end in useful(text[begin:], BLOCK if blocks else 0)
    )


_known = lru_cache(KNOWN)(_units_of)


def _is_code(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) > 1 and is_code(lines)


def has_code(text: str) -> bool:
    """Whether there is code between fences in it."""
    return _FENCE.search(text) is not None


def useful(text: str, most: int) -> Iterator[tuple[int, int]]:
    """Yields where each unit begins and ends; blocks of at most so many tokens are whole. A
    question goes with what follows it, for by itself it answers nothing; and so does a sentence
    that ends in a colon with the code it announces."""
    last = len(text.rstrip())
    whole = list(_small_blocks(text, most)) if most else []
    fenced = {start for start, _ in whole if text.startswith(FENCES, start)}

    def leads(_: int, end: int) -> bool:
        if any(start < end < stop for start, stop in whole):
            return True
        if text.startswith(":", end - 1):
            return len(text) - len(text[end:].lstrip()) in fenced
        return end != last and text.startswith(MARKS, end - 1)

    return joined(units(text), leads)


def _small_blocks(text: str, most: int) -> Iterator[tuple[int, int]]:
    """Yields the blocks that are shown whole, of nested ones the outermost."""
    last = 0
    for start, end in text_blocks.blocks(text):
        brief = start >= last and end - start <= most * CHARACTERS
        if brief and count_tokens(text[start:end]) <= most:
            yield start, end
            last = end


def first_row(text: str, end: int) -> tuple[int, int]:
    """Returns where the first row stands of the table that a row which ends there is of; nothing
    where none does."""
    found, start = (end, end), text.rfind("\n", 0, end) + 1
    while text.startswith("|", start):
        found = start, start + len(text[start:end].partition("\n")[0])
        if not start:
            break
        start = text.rfind("\n", 0, start - 1) + 1
    return found
