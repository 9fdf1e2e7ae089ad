"""A first look at a text: how large, of what kind, in which language, in how many pieces at most.

What it guarantees
- It takes time in proportion to the text, whatever the text is: one line of 5 MB, nothing at all,
  the bytes of a picture. What no fact can be read from is said so in ``note``.
- ``chunks`` is an upper bound: :func:`recollect.writing.curation.chunk.pieces` makes no more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from recollect.named_tuple import NamedTuple
from recollect.text.code import is_code
from recollect.text.stopwords import language
from recollect.writing.curation.outline import Form, form_of

HEAD, TAIL = 3_000, 1_000
LIMIT = 8_000
"""Characters of a piece."""

Kind = Literal["prose", "transcript", "code", "log"]
Note = Literal["", "empty", "binary"]

_SAMPLE = 20_000
_LONGEST_WORD = 25
"""Characters, on the average of a line."""
_LEAST_LINES, _MOST_LINES = 5, 200
_FENCED = re.compile(r"^ {0,3}(```|~~~).*?^ {0,3}\1", re.MULTILINE | re.DOTALL)
_LOG_LINE = re.compile(
    r"\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
    r"|(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b)"
    r"|\d{1,3}(?:\.\d{1,3}){3} \S+ \S+ \["
)


class Survey(NamedTuple):
    size: int
    """Characters."""
    kind: Kind
    language: str
    """As :func:`recollect.text.stopwords.language` has it; empty when it cannot be told."""
    head: str
    tail: str
    """What follows the head, at most the last 1,000 characters of it."""
    chunks: int
    """How many pieces there are at most."""
    turns: Form = ""
    note: Note = ""
    """Why nothing can be read from it."""


def is_text(text: str) -> bool:
    """Whether there is anything to keep: words, and not the bytes of a picture."""
    return not _note(text)


def _note(text: str) -> Note:
    return "empty" if not text.strip() else "binary" if _is_binary(text) else ""


def survey(text: str) -> Survey:
    size, note = len(text), _note(text)
    turns: Form = "" if note else form_of(text)
    kind: Kind = "transcript" if turns else "prose" if note else _kind(_sample(text))
    return Survey(
        size=size,
        kind=kind,
        language="" if note else _language(_sample(text)),
        head=text[:HEAD],
        tail=text[max(HEAD, size - TAIL) :],
        chunks=planned(size),
        turns=turns,
        note=note,
    )


def planned(size: int) -> int:
    """The most pieces of a text: of any two in a row, both together are over the limit."""
    return 2 * (size // (LIMIT + 1)) + 1 if size else 0


def _sample(text: str) -> str:
    """The beginning, and some of the middle."""
    if len(text) <= 2 * _SAMPLE:
        return text
    middle = len(text) // 2
    return f"{text[:_SAMPLE]}\n{text[middle : middle + _SAMPLE]}"


def _language(sample: str) -> str:
    """The language that most of the text is in: of a German mail that quotes an English one, and
    has an English head, German."""
    found: Counter[str] = Counter()
    for line in filter(_is_worded, _some(sample.splitlines())):
        found[language(line)] += len(line)
    del found[""]
    return max(found, key=found.__getitem__, default="")


def _is_worded(line: str) -> bool:
    """Whether a line may be in a language with blanks between its words, and no encoded data."""
    return len(line) <= _LONGEST_WORD * len(line.split())


def _is_binary(text: str) -> bool:
    """More than one character in fifty is none that a text has."""
    sample = _sample(text)
    odd = sum(map(sample.count, "\0\ufffd\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x10"))
    return odd * 50 > len(sample)


def _some(lines: Sequence[str]) -> list[str]:
    """Returns lines that are not blank, at most so many, from all over the text."""
    full = list(filter(str.strip, lines))
    return full[:: len(full) // _MOST_LINES + 1]


def _kind(sample: str) -> Kind:
    """By what most of its lines are; code in a fence is part of what it stands in."""
    lines = _some(_FENCED.sub("", sample).splitlines())
    if len(lines) < _LEAST_LINES:
        return "prose"
    logged = sum(_LOG_LINE.match(line) is not None for line in lines)
    if logged * 2 > len(lines):
        return "log"
    return "code" if is_code(lines) else "prose"
