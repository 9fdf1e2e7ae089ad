"""The sentences of a stretch of words, with where they stand; code, tables and quotations are none.

What it guarantees
- The sentences are in order and do not overlap; each is ``text[start:end]`` without the space
  around it.
- A line that is wrapped goes on in the next one; an item of a list, a line of its own such as
  ``port: 5433``, a brief one above a paragraph, which is its heading, and a blank line end a
  sentence.
- It takes time in proportion to the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.named_tuple import NamedTuple

LONGEST = 400
"""Characters of a sentence that is read."""
_SHORTEST = 4

_LINE = re.compile(r"[^\n]+")
_SKIPPED = re.compile(
    r"\s*(?:>|\||[$%❯➜ℹ⚠✅❌⏭📊] ?|</?\w|<!--|\[[^\]]*\]:|[-=*_~^#`.+]{3,}\s*$|\d+[→\t]|@@"
    r"|[-+]{2,3} |\.\. |!\[|//|/\*|#!)"
)
_HEADER = re.compile(r"(?:From|To|Cc|Bcc|Date|Sent|Subject|Reply-To|Message-ID): ")
"""A line of a mail's head, which says nothing that anybody would note."""
_INDENTED = re.compile(r" {4,}\S|\t")
_ITEM = re.compile(r"\s*(?:(?P<task>[-*+] \[ \] )|[-*+•–] |\(?\d{1,3}[.)] |[a-zA-Z][.)] |\[ \] )")
_DONE = re.compile(r"\s*(?:[-*+] )?\[[xX]\] ")
_ENTRY = re.compile(r"\s*[\w(][\w .()/'-]{0,40}\s?[:=]\s+\S")
_HEADING = re.compile(r"[^\n]{0,39}[^\W_]\)?[ \t\r]*\n(?=[A-ZÀ-Þ][^\n]{40})")
"""A brief line that ends no sentence, above a longer one that begins one."""
_END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’)\]*_]*(?=\s)|;(?=\s)")
_BEGIN = re.compile(
    r"\s+(?:[\"'“‘(\[*_`¿¡]*[A-ZÀ-Þ0-9`¿¡]|(?:i|we|but|so|also|let's|the|my)\b)|\s*\Z"
)
_ASIDE = re.compile(r"(?<=\w)(?:,| -+| –| —)(?= (?:and |but )?(?:by the way|btw)\b)")
_ABBREVIATED = re.compile(
    r"\b(?:e\.g|i\.e|etc|vs|approx|ca|bzw|inc|ltd|z\.B|M[rs]|Mrs|Dr|Prof|Fa|St|No|Nr|[A-Z])\Z"
)
_DAY = re.compile(r"\d\.\s+(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)")


class SentenceSpan(NamedTuple):
    start: int
    end: int
    task: bool = False
    """An item of a list of things to do."""
    first: bool = False
    """Nothing in its paragraph stands before it."""


def sentences(text: str, start: int, end: int, wrapped: bool = True) -> Iterator[SentenceSpan]:
    """Those between two offsets. Where lines are not *wrapped*, each ends its last sentence."""
    for begin, stop, task in _blocks(text, start, end, wrapped):
        at = begin
        for cut in _cuts(text, begin, stop):
            yield from _trimmed(text, at, cut, task, at == begin)
            at = cut
        yield from _trimmed(text, at, stop, task, at == begin)


def _cuts(text: str, begin: int, stop: int) -> list[int]:
    """Where sentences end between two offsets, but for the last."""
    found = [
        match.end()
        for match in _END.finditer(text, begin, stop)
        if match[0] == ";" or _is_end(text, begin, stop, match)
    ]
    if text.find("by the way", begin, stop) >= 0 or text.find("btw", begin, stop) >= 0:
        found += [match.end() for match in _ASIDE.finditer(text, begin, stop)]
        found.sort()
    return found


def _is_end(text: str, begin: int, stop: int, match: re.Match[str]) -> bool:
    if _BEGIN.match(text, match.end(), stop) is None:
        return False
    return match[0] != "." or not _goes_on(text, begin, match.start())


def _goes_on(text: str, begin: int, dot: int) -> bool:
    """Whether the point at an offset ends an abbreviation or an ordinal, and no sentence."""
    before = text[max(begin, dot - 8) : dot]
    return _ABBREVIATED.search(before) is not None or _DAY.match(text, dot - 1) is not None


def _trimmed(text: str, start: int, end: int, task: bool, first: bool) -> Iterator[SentenceSpan]:
    while start < end and text[start] in " \t\r\n;,–—":
        start += 1
    while start < end and text[end - 1] in " \t\r\n;,":
        end -= 1
    if _SHORTEST <= end - start <= LONGEST:
        yield SentenceSpan(start, end, task, first)


def _blocks(text: str, start: int, end: int, wrapped: bool) -> Iterator[tuple[int, int, bool]]:
    """(start, end, task) of what is read as running words."""
    at = stop = -1
    task = item = entry = headed = False
    after = start
    for line in _LINE.finditer(text, start, end):
        first, last = line.span()
        blank = first - after > 1 and text.count("\n", after, first) > 1
        after = last
        plain = text[first].isalpha() and text[first + 1 : first + 2] not in (".", ")")
        mark = None if plain else _ITEM.match(text, first, last)
        empty = not plain and not line[0].strip()
        skip = (
            _HEADER.match(text, first, last)
            if plain
            else (
                _DONE.match(text, first, last)
                or (not mark and _SKIPPED.match(line[0]))
                or (not mark and (blank or at < 0) and not item and _INDENTED.match(line[0]))
            )
        )
        entry = _is_entry(line[0]) and (entry or at < 0 or text[stop - 1] in ".!?:;")
        if at >= 0 and (skip or mark or blank or empty or entry or headed or not wrapped):
            yield at, stop, task
            at = -1
        headed = at < 0 and not mark and _HEADING.match(text, first, end) is not None
        if skip or empty:
            item = False
            continue
        if at < 0:
            item = mark is not None
            task = mark is not None and mark["task"] is not None
            at = mark.end() if mark else first
        stop = last
    if at >= 0:
        yield at, stop, task


def _is_entry(line: str) -> bool:
    return (":" in line or "=" in line) and _ENTRY.match(line) is not None
