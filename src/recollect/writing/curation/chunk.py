"""A text in pieces that are read one at a time.

What it guarantees, for every text
- The pieces, joined, are the text exactly; none is empty, and so none is contained in another.
- None is longer than the limit, and there are no more than were planned.
- A piece ends at a turn or a heading where one is in its second half, else at a blank line; a code
  fence stays whole unless it alone is over the limit; then at a line, then anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from recollect.writing.curation.outline import Stretch, outline
from recollect.writing.curation.recon import LIMIT, Survey

_BLANK = re.compile(r"\n[ \t\r]*\n\s*")


class CurationPiece(NamedTuple):
    start: int
    """Where it begins in the text."""
    text: str
    parts: tuple[Stretch, ...]
    """What it is made of, with offsets in the text."""

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class _Atom(NamedTuple):
    """A stretch that wants to stay whole; a strong one is a good place to begin a piece."""

    start: int
    end: int
    strong: bool = False


def pieces(text: str, survey: Survey, limit: int = LIMIT) -> list[CurationPiece]:
    parts = outline(text, survey.turns)
    found: list[CurationPiece] = []
    n = 0
    for start, end in _packed(text, parts, limit):
        while n and parts[n].start > start:
            n -= 1
        inside = []
        while n < len(parts) and parts[n].start < end:
            part = parts[n]
            inside.append(part._replace(start=max(start, part.start), end=min(end, part.end)))
            n += 1
        found.append(CurationPiece(start, text[start:end], tuple(inside)))
        n = max(0, n - 1)  # a stretch may go on in the next piece
    return found


def _packed(text: str, parts: list[Stretch], limit: int) -> Iterator[tuple[int, int]]:
    """Atoms joined up to the limit. Where one no longer fits, the piece ends before it, or
    before the last strong one if that leaves more than half of the limit, and what is left over
    fits together with the one that did not."""
    start = end = strong = 0
    for atom in _atoms(text, parts, limit):
        if atom.end - start > limit:
            back = strong if (strong - start) * 2 > limit and atom.end - strong <= limit else end
            if back > start:
                yield start, back
                start = back
            strong = start
        if atom.strong:
            strong = atom.start
        end = atom.end
    if start < end:
        yield start, end


def _atoms(text: str, parts: list[Stretch], limit: int) -> Iterator[_Atom]:
    for part in parts:
        strong = part.sort in ("mark", "heading")
        for start, end in _blocks(text, part):
            for begin in _cuts(text, start, end, limit):
                yield _Atom(begin[0], begin[1], strong and begin[0] == part.start)


def _blocks(text: str, part: Stretch) -> Iterator[tuple[int, int]]:
    """Paragraphs with the blank lines after them; what is not words stays whole."""
    at = part.start
    if part.sort in ("words", "tool"):
        for match in _BLANK.finditer(text, part.start, part.end):
            yield at, match.end()
            at = match.end()
    if at < part.end:
        yield at, part.end


def _cuts(text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
    """A block that is over the limit, cut at its last line that fits, else anywhere."""
    while end - start > limit:
        line = text.rfind("\n", start + 1, start + limit)
        cut = line + 1 if line >= 0 else start + limit
        yield start, cut
        start = cut
    if start < end:
        yield start, end
