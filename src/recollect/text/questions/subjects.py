"""Whom and what a question is about, by name and by number, and whether a text speaks of it.

A passage may have every ordinary word of a question and still be about somebody else, or about
another year. Names are words that are written as names (a capital, a possessive, an identifier);
a question typed without capitals has none that can be told, and then nothing is missing.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from recollect.text.stopwords import stopwords
from recollect.text.terms import fold, stem

_TOKEN = re.compile(r"(?P<word>[^\W\d_][\w.&/-]*(?:['’][^\W\d_]+)*)|(?P<number>\d[\d.,:]*)")
_POSSESSIVE = re.compile(r"['’][sS]?$")
_YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|20[0-9]{2})(?!\d)")
_END = re.compile(r"[.?!:;\n\"(]\s*$")
_LONG = 2000


class Subjects(NamedTuple):
    names: frozenset[str]
    """The words of names, folded."""
    numbers: frozenset[str]
    """Numbers that are no years."""
    years: tuple[int, ...]


class MissingSubjects(NamedTuple):
    """What a text lacks of what was asked about, each from 0 (nothing) to 1 (all of it)."""

    names: float
    numbers: float
    years: float
    """Years that are not written in the text."""
    period: float
    """1 when no year in the text is near the years asked about, though it has years."""


NOTHING = MissingSubjects(0.0, 0.0, 0.0, 0.0)


def subjects(question: str) -> Subjects:
    question = question[:_LONG]
    names: set[str] = set()
    numbers: set[str] = set()
    common = stopwords()
    tokens = list(_TOKEN.finditer(question))
    for place, match in enumerate(tokens):
        if match["number"]:
            number = match["number"].strip(".,:").replace(",", "")
            if not _YEAR.fullmatch(number):
                numbers.add(number)
            continue
        word = match["word"].rstrip(".-/&")
        if not _written_as_name(word):
            continue
        owner = _POSSESSIVE.search(word)
        bare = _POSSESSIVE.sub("", word)
        folded = fold(bare)
        if not _written_as_name(bare) or stem(folded) in common:
            continue
        first = place == 0 or bool(_END.search(question[: match.start()]))
        if first and not owner and bare[1:].islower():
            after = tokens[place + 1]["word"] if place + 1 < len(tokens) else None
            if not (after and _written_as_name(after) and stem(fold(after)) not in common):
                continue
        names.add(folded)
    return Subjects(
        frozenset(names),
        frozenset(numbers),
        tuple(sorted({int(y) for y in _YEAR.findall(question)})),
    )


def _written_as_name(word: str) -> bool:
    if word.isalpha() and word.islower():  # as most words are
        return False
    return word[0].isupper() or any(c.isdigit() or c.isupper() or c in "_/" for c in word)


def missing(asked: Subjects, text: str) -> MissingSubjects:
    """What *text* (a passage under its title) lacks."""
    if not any(asked):
        return NOTHING
    folded = fold(text) if asked.names or asked.numbers else ""
    return MissingSubjects(
        _share(asked.names, folded), _share(asked.numbers, folded), *_years(asked.years, text)
    )


def _share(wanted: Collection[str], text: str) -> float:
    if not wanted:
        return 0.0
    return sum([word not in text or not _stands(word, text) for word in wanted]) / len(wanted)


def _stands(word: str, text: str) -> bool:
    """Whether the word is there by itself, and not only as a part of a longer one."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
            return True
        at = text.find(word, at + 1)
    return False


def _years(wanted: tuple[int, ...], text: str) -> tuple[float, float]:
    if not wanted:
        return 0.0, 0.0
    said = {int(year) for year in _YEAR.findall(text)}
    unsaid = sum(year not in said for year in wanted) / len(wanted)
    if not said:
        return unsaid, 0.0
    low, high = wanted[0], wanted[-1]
    near = any(low - 1 <= year <= high + 1 for year in said)
    return unsaid, float(not near)
