"""Questions with one word exchanged, which nothing answers: what the grade learns to hold back on.

Of a question with evidence one name, number, year or other word that the evidence has is replaced
by another of its kind: in the first twin by one that is said near the evidence, in the second by
one that the right document says elsewhere, or another question does. Made by rule, they are no
measure of anything; those that are (``bench/sets/near-misses``) were written.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from bench.unseen import sets
from recollect.named_tuple import NamedTuple
from recollect.text.questions.subjects import subjects
from recollect.text.stopwords import stopwords
from recollect.text.terms import fold, stems
from recollect_evals.questions import Question

MARK = "~"
"""In the id of a twin, behind that of its question."""
NEAR = 400
"""Characters around the evidence."""
_WORD = re.compile(r"[^\W\d_][\w'’-]*|\d[\d.,:]*\d|\d")
_OWNED = re.compile(r"['’]s?$")
_YEAR = re.compile(r"1\d{3}|20\d{2}")
_INSIDE = re.compile(r"(?<=[a-z,] )[A-Za-z][a-z]{2,}")
SHORTEST = 4


class _Word(NamedTuple):
    """A word of a question that may be exchanged."""

    kind: str
    text: str
    start: int
    end: int


def twins(name: str, most: int | None = sets.MOST) -> Sequence[Question]:
    """Returns twins of the questions of a set; their ids are the questions' own, marked."""
    asked = [one for one in sets.asked(name, most) if one.gold and one.evidence.units]
    texts = {one.external: one.rendered() for one in sets.loaded(name).documents}
    said: dict[str, list[str]] = {}
    for one in asked:
        for word in _words(one.text, None):
            said.setdefault(word.kind, []).append(_OWNED.sub("", word.text))
    return [
        one._replace(id=f"{one.id}{MARK}{n}", text=text, gold={})
        for one in asked
        for n, others in enumerate((_near(one, texts), _anywhere(one, texts)))
        if (text := _exchanged(one, random.Random(f"{one.id} {n}"), others, said if n else {}))
    ]


def _near(one: Question, texts: Mapping[str, str]) -> str:
    """Returns what is said around the evidence."""
    units = [unit for unit in one.evidence.units if unit.texts]
    places = [
        (text, text.find(said))
        for unit in units
        for said in unit.texts
        for text in [texts.get(unit.document, "")]
    ]
    return " ".join(text[max(0, at - NEAR) : at + 2 * NEAR] for text, at in places if at >= 0)


def _anywhere(one: Question, texts: Mapping[str, str]) -> str:
    return " ".join(texts.get(id, "") for id in one.gold)


def _exchanged(
    one: Question, chance: random.Random, document: str, said: Mapping[str, Sequence[str]]
) -> str:
    """Returns the question with another word, of the document or what is *said* elsewhere; empty
    where it has none that can be exchanged."""
    evidence = " ".join(t for unit in one.evidence.units for t in unit.texts)
    words = _words(one.text, stems(evidence))
    if not words:
        return ""
    kind = chance.choice(sorted({word.kind for word in words}))
    word = chance.choice([word for word in words if word.kind == kind])
    known = fold(f"{one.text} {evidence}")
    others = (*_others(word, document), *said.get(kind, ()))
    new = sorted({other for other in others if fold(other) not in known})
    return f"{one.text[: word.start]}{chance.choice(new)}{one.text[word.end :]}" if new else ""


def _words(text: str, evidence: set[str] | frozenset[str] | None) -> list[_Word]:
    """Returns the words that may be exchanged; of ordinary ones those that the evidence has."""
    names = subjects(text).names
    found = (
        _Word(_kind(match[0], names, evidence), match[0], *match.span())
        for match in _WORD.finditer(text)
    )
    return [word for word in found if word.kind]


def _kind(word: str, names: frozenset[str], evidence: set[str] | frozenset[str] | None) -> str:
    if _YEAR.fullmatch(word):
        return "year"
    if word[0].isdigit():
        return "number"
    if fold(_OWNED.sub("", word)) in names:
        return "name"
    plain = stems(word) - stopwords()
    if not plain or len(word) < SHORTEST or not word.islower():
        return ""
    return "word" if evidence is None or plain & evidence else ""


def _others(word: _Word, document: str) -> Iterator[str]:
    """Yields words of the same kind, of the document where it has some."""
    if word.kind == "year":
        yield from (str(int(word.text) + far) for far in (-4, -3, -2, -1, 1, 2, 3, 4))
        return
    found = (match[0] for match in (_WORD if word.kind == "number" else _INSIDE).finditer(document))
    fits: Mapping[str, Callable[[str], bool]] = {
        "number": lambda other: other[0].isdigit() and len(other) == len(word.text),
        "name": lambda other: other[0].isupper(),
        "word": lambda other: other.islower() and len(other) >= SHORTEST,
    }
    yield from filter(fits[word.kind], found)
