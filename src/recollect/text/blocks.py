"""The blocks of a text of which a part is of little use: code between fences or indented, a command
that goes on over several lines, a key of YAML with what is indented below it.

It takes time in proportion to the text, times how deep its blocks are nested.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from recollect.named_tuple import NamedTuple

_ANY = re.compile(r"^(?:[ \t]|[-*+•–]\s|\||\d{1,3}[.)]\s)|`{3}|~{3}|\\\s*$", re.MULTILINE)
"""What is in every text that has a block."""
_LINE = re.compile(r"([ \t]*)(\S[^\n]*)?(?:\n|\Z)")
_FENCE = re.compile(r"(`{3,}|~{3,})(.*)", re.DOTALL)
_KEY = re.compile(r"(?!try:|else:|finally:)(?:- +)*[\"']?(?![A-Z][a-z])[\w./-]+[\"']?:(?:\s|\Z)")
_ITEM = re.compile(r"[-*+•–>|]|\d{1,3}[.)]\s")
"""What an indented line begins with that is an item of a list, and no code."""
_STEP = re.compile(r"\d{1,3}[.)]\s")
_WHOLE = re.compile(rf"[-*+•–]\s|\||{_STEP.pattern}")
"""What an item of a list begins with, or a row of a table."""
_APART = re.compile(rf"[#>]|{_WHOLE.pattern}|`{{3}}|~{{3}}")
"""What a line begins with in which an item does not go on, if it is indented no further."""
CODE = 4
"""Columns from which on an indented line is code."""
_TAB = 8

Bounds = tuple[int, int]


class _Line(NamedTuple):
    """A line without the white space around it, and how far it is indented; None if it is blank."""

    start: int
    text: str
    indent: int | None

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def is_below(self, indent: int) -> bool:
        return self.indent is not None and self.indent > indent


def blocks(text: str) -> Iterator[Bounds]:
    """Yields where each block begins and ends, in order, an outer one before those in it."""
    lines = list(_lines(text)) if _ANY.search(text) else []
    listed: dict[int, int] = {}
    for at, line in enumerate(lines):
        if _STEP.match(line.text) and at > listed.get(line.indent or 0, -1):
            last = listed[line.indent or 0] = _last_of_list(lines, at)
            yield line.start, lines[last].end
        last = _last(lines, at)
        if last > at or _WHOLE.match(line.text):
            yield line.start, lines[last].end


def is_inside(text: str, at: int) -> bool:
    """Whether a text that is cut *at* is cut in the middle of a block."""
    return any(start < at < end for start, end in blocks(text))


def _lines(text: str) -> Iterator[_Line]:
    for match in _LINE.finditer(text):
        words = (match[2] or "").rstrip()
        indent = len(match[1].expandtabs(_TAB)) if words else None
        yield _Line(match.end(1), words, indent)


def _last(lines: Sequence[_Line], at: int) -> int:
    """Returns the last line of the block that begins with this one; the line itself, if none
    does."""
    line, rest = lines[at], range(at + 1, len(lines))
    if line.indent is None:
        return at
    if fence := _FENCE.fullmatch(line.text):
        return _closing(lines, rest, fence[1]) or at
    if line.text.endswith("\\"):
        return next((n for n in rest if not lines[n].text.endswith("\\")), len(lines) - 1)
    if _KEY.match(line.text):
        return _run(lines, at, line.indent)
    if _WHOLE.match(line.text):
        return next((n - 1 for n in rest if _is_apart(lines[n])), len(lines) - 1)
    if _is_code(line) and (at == 0 or lines[at - 1].indent is None):
        return _run(lines, at, CODE - 1)
    return at


def _closing(lines: Sequence[_Line], rest: range, fence: str) -> int | None:
    """Returns the line that closes a fence. One that opens another comes first where this one has
    closed what a part of the text before had opened."""
    marks = ((n, found) for n in rest if (found := _FENCE.fullmatch(lines[n].text)))
    n, found = next(marks, (None, None))
    return n if found and found[1].startswith(fence) and not found[2] else None


def _last_of_list(lines: Sequence[_Line], at: int) -> int:
    """Returns the last line of the numbered list that begins with this one; a step may follow after
    blank lines, and after a block between fences."""
    indent, last, n = lines[at].indent or 0, at, at
    while n < len(lines):
        line = lines[n]
        own = line.is_below(indent) or (line.indent == indent and _STEP.match(line.text))
        if not (own or line.indent is None or _FENCE.fullmatch(line.text)):
            break
        n = _last(lines, n)
        last = n if own else last
        n += 1
    return last


def _is_apart(line: _Line) -> bool:
    """Whether an item of a list does not go on in a line after it."""
    return line.indent is None or _APART.match(line.text) is not None


def _is_code(line: _Line) -> bool:
    return line.is_below(CODE - 1) and not _ITEM.match(line.text)


def _run(lines: Sequence[_Line], at: int, indent: int) -> int:
    """Returns the last of the lines in a row that are indented further than that."""
    while at + 1 < len(lines) and lines[at + 1].is_below(indent):
        at += 1
    return at
