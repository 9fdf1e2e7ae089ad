"""A text to passages that can be returned on their own.

What it guarantees, for every text
- The pieces, joined, are the text exactly; none is empty unless the text is.
- No piece is longer than the limit (:data:`MAX_SIZE`, less for scripts that cost more tokens).
- A heading stays with what follows it, a code fence and a paragraph stay whole, where the
  limit allows it; a longer one is split at a line, else a sentence, else a space.

A turn is found by more than it says: by who says it, and by what another said just before, if that
is short. A reply is so found by its question, and "the second one" by what was asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from sys import maxsize
from typing import Protocol

from recollect.named_tuple import NamedTuple
from recollect.nouns import SPOKEN, UNHEARD, Document, Passage

TARGET_SIZE = 1_200
MAX_SIZE = 2_000
SMALL = 240
"""A passage shorter than this is not closed only because a heading comes."""
SHORT = 30
"""A turn of so many words is context for the next one of another speaker."""

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(?=\S)")
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_SENTENCE = re.compile(r"(?<![.!?。！？])[.!?。！？]+[\"')\]]*\s+|[。！？]")
"""A run of stops is tried from its beginning alone: a line of a million dots is no sentence."""
_WIDE = re.compile("[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class Piece(NamedTuple):
    text: str
    heading: str


class _Block(NamedTuple):
    """A stretch that wants to stay whole; a heading has its level and its words."""

    start: int
    end: int
    level: int = 0
    words: str = ""


class _Unit(NamedTuple):
    """Headings and the block under them, with the trail of headings above and inside it."""

    start: int
    end: int
    above: str
    inside: str
    headed: bool


class TextSection(Protocol):
    """Where a part of a text begins that has no headings of its own, such as a definition."""

    @property
    def offset(self) -> int: ...
    @property
    def level(self) -> int: ...
    @property
    def title(self) -> str: ...


class _Unending(NamedTuple):
    offset: int = maxsize
    level: int = 0
    title: str = ""


_NO_SECTION = _Unending()
"""Stands behind the last section, and begins in no text."""


def passages(
    document: Document, sections: Sequence[TextSection] | None = None
) -> tuple[Passage, ...]:
    """The passages of a document, numbered through; turns are never joined or crossed. Where
    *sections* are given, they are the headings, and nothing in the text is."""
    found: list[Passage] = []
    contexts = _contexts(document) if document.messages else [""]
    for (turn, role, text), context in zip(document.segments(), contexts, strict=True):
        for piece in split(text, sections=sections):
            if piece.text or not document.messages:
                heading = context + piece.heading
                found.append(Passage(len(found), piece.text, heading, turn, role))
    return tuple(found)


def _contexts(document: Document) -> list[str]:
    """What each turn is found by besides itself, a line each: the last short turn of another
    speaker, and the speaker's name."""
    contexts, before, speaker = [], "", ""
    last: dict[str, str] = {}
    for _, role, text in document.segments():
        if role in UNHEARD:
            contexts.append("")
            continue
        if role != speaker:
            before, speaker = last.get(speaker, ""), role
        named = "" if role in SPOKEN else f"{role}: "
        contexts.append("".join(f"{line}\n" for line in (before, named.strip()) if line))
        said = text.split()
        last[role] = named + " ".join(said) if 0 < len(said) <= SHORT else ""
    return contexts


def split(
    text: str, target: int = TARGET_SIZE, limit: int = MAX_SIZE,
    sections: Sequence[TextSection] | None = None,
) -> list[Piece]:  # fmt: skip
    if len(text) > SMALL and not text.isascii():
        # A character of these scripts costs about as many tokens as four Latin ones.
        share = len(_WIDE.findall(text)) / len(text)
        target = max(16, int(target / (1 + 2 * share)))
        limit = max(32, int(limit / (1 + 2 * share)))
    if len(text) <= target:
        return [Piece(text, "")]
    blocks = _blocks(text) if sections is None else _sectioned(text, sections)
    return _packed(text, blocks, target, limit)


def _blocks(text: str) -> list[_Block]:
    """Paragraphs with the blank lines after them, headings, and code fences whole."""
    blocks: list[_Block] = []
    start = 0
    fence = ""
    ended = full = False  # the open block has had its blank line; it holds anything but blanks

    def close(at: int) -> None:
        nonlocal start, ended, full
        if full:
            blocks.append(_Block(start, at))
            start = at
        ended = full = False

    for match in _LINE.finditer(text):
        line, at = match[0], match.start()
        marker = _FENCE.match(line)
        if fence:
            if marker and marker[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
                ended = True  # what follows it is a block of its own
            continue
        heading = _HEADING.match(line)
        if heading:
            close(at)
            words = line[heading.end() :].strip().rstrip("#").rstrip()
            blocks.append(_Block(start, match.end(), len(heading[1]), words))
            start = match.end()
        elif line.strip():
            if ended or marker:
                close(at)
            full = True
            if marker:
                fence = marker[1]
        else:
            ended = full
    if start < len(text):
        blocks.append(_Block(start, len(text)))
    return blocks


def _sectioned(text: str, sections: Sequence[TextSection]) -> list[_Block]:
    """Paragraphs with the blank lines after them; each section opens with a heading that takes
    no room."""
    blocks: list[_Block] = []
    start = 0
    ended = full = False
    waiting = [_NO_SECTION, *sorted(sections, key=lambda s: -s.offset)]
    for match in _LINE.finditer(text):
        at, blank = match.start(), not match[0].strip()
        opens = waiting[-1].offset < match.end()
        if full and (opens or (ended and not blank)):
            blocks.append(_Block(start, at))
            start, full = at, False
        while waiting[-1].offset < match.end():
            section = waiting.pop()
            blocks.append(_Block(start, start, section.level, section.title))
        full, ended = full or not blank, blank
    if start < len(text):
        blocks.append(_Block(start, len(text)))
    return blocks


def _units(blocks: list[_Block]) -> Iterator[_Unit]:
    """Headings joined with the block they stand over, so that neither is returned alone."""
    trail: list[tuple[int, str]] = []
    start, above = -1, ""
    for block in blocks:
        while block.level and trail and trail[-1][0] >= block.level:
            trail.pop()
        if start < 0:
            start, above, headed = block.start, _trail(trail), block.level > 0
        if block.level:
            trail.append((block.level, block.words))
            if block.start == block.end:  # its words are not in the text, so they stand above it
                above = _trail(trail)
        else:
            yield _Unit(start, block.end, above, _trail(trail), headed)
            start = -1
    if start >= 0:
        yield _Unit(start, blocks[-1].end, above, _trail(trail), True)


def _packed(text: str, blocks: list[_Block], target: int, limit: int) -> list[Piece]:
    """Units joined up to the target; a heading opens a new piece once this one is not small."""
    pieces: list[Piece] = []
    start, end, heading, inside = 0, 0, "", ""
    for unit in _units(blocks):
        size = end - start
        if size and (unit.end - start > target or (unit.headed and size >= SMALL)):
            pieces += _cut(text[start:end], heading, inside, limit)
            start, heading = unit.start, unit.above
        end, inside = unit.end, unit.inside
    pieces += _cut(text[start:end], heading, inside, limit)
    return _without_blank(pieces, limit)


def _trail(trail: list[tuple[int, str]]) -> str:
    return " > ".join(words for _, words in trail)


def _without_blank(pieces: list[Piece], limit: int) -> list[Piece]:
    """A piece of nothing but white space belongs to its neighbour, if there is room."""
    out: list[Piece] = []
    for piece in pieces:
        if out and "" in (piece.text.strip(), out[-1].text.strip()):
            last = out[-1]
            if len(last.text) + len(piece.text) <= limit:
                out[-1] = Piece(last.text + piece.text, last.heading or piece.heading)
                continue
        out.append(piece)
    return out


def _cut(text: str, heading: str, inside: str, limit: int) -> list[Piece]:
    """*text* in pieces of at most *limit*, each ended at the best place in its second half; the
    first shows the headings it begins with, the others stand under them."""
    pieces = []
    while len(text) > limit:
        at = _best_end(text, limit)
        pieces.append(Piece(text[:at], heading))
        text, heading = text[at:], inside
    return [*pieces, Piece(text, heading)]


def _best_end(text: str, limit: int) -> int:
    half = limit // 2
    window = text[:limit]
    line = window.rfind("\n", half)
    if line >= 0:
        return line + 1
    ends = list(map(re.Match.end, _SENTENCE.finditer(window, half)))
    if ends:
        return ends[-1]
    space = window.rfind(" ", half)
    return space + 1 if space >= 0 else limit
