"""Whom and what a question is about, by name and by number, and whether a text speaks of it.

A passage may have every ordinary word of a question and still be about somebody else, or about
another year. Names are words that are written as names (a capital, a possessive, an identifier);
a question typed without capitals has none that can be told, and then nothing is missing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import filterfalse

from recollect.named_tuple import NamedTuple
from recollect.text.occurrences import occurrences
from recollect.text.stopwords import stopwords
from recollect.text.terms import fold, query_terms, stem, stems

_TOKEN = re.compile(r"(?P<word>[^\W\d_][\w.&/-]*(?:['’][^\W\d_]+)*)|(?P<number>\d[\d.,:]*)")
_POSSESSIVE = re.compile(r"['’][sS]?$")
_YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|20[0-9]{2})(?!\d)")
_INSIDE = re.compile(r"(?<=[\w,;:] )[^\W\d_][\w'’-]+")
"""A word that does not begin a sentence."""
_END = re.compile(r"[.?!:;\n\"(]\s*$")
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_LONG = 2000
_IDENTIFIER = re.compile(r"\b(?:[^\W_]+_\w*[^\W_]|[A-Z]{2,}-?\d+)\b")
_THEIRS = re.compile(
    r"\b([^\W\d_]\w*)['’]s?\s(?:\w+\s)?((?:grand)?(?:mother|father|parent|son|daughter|child)|mum|mom|dad"
    r"|wife|husband|spouse|partner|brother|sister|uncle|aunt|nephew|niece|cousin|friend|boss|manager"
    r"|colleague|landlord|neighbou?r)(?:s|ren)?\b",
    re.IGNORECASE,
)
"""Somebody, and who they are somebody's."""


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
    """Returns the names, numbers and years that a question speaks of."""
    question = question[:_LONG]
    tokens = list(_TOKEN.finditer(question))
    numbers = (_number(match["number"]) for match in tokens if match["number"])
    names = (_name(tokens, n, question) for n in range(len(tokens)) if not tokens[n]["number"])
    return Subjects(
        frozenset(filter(None, names)),
        frozenset(filterfalse(_YEAR.fullmatch, numbers)),
        tuple(sorted(years_in(question))),
    )


def years_in(text: str) -> set[int]:
    """Returns the years that are written in a text."""
    return set(map(int, _YEAR.findall(text)))


def _number(written: str) -> str:
    return written.strip(".,:").replace(",", "")


def _name(tokens: Sequence[re.Match[str]], place: int, question: str) -> str:
    """Returns the word at this place, folded, if it is a name; else nothing."""
    word = tokens[place]["word"].rstrip(".-/&")
    bare = _POSSESSIVE.sub("", word)
    if not _is_uncommon(bare):
        return ""
    begins = place == 0 or _END.search(question[: tokens[place].start()])
    plain = bare[1:].islower() and not _POSSESSIVE.search(word)
    if begins and plain and not _is_uncommon(_after(tokens, place)):
        return ""  # the capital may be that of the sentence
    return fold(bare)


def _after(tokens: Sequence[re.Match[str]], place: int) -> str:
    """Returns the word after this place; empty for a number, and at the end."""
    return "".join(following.groupdict("")["word"] for following in tokens[place + 1 : place + 2])


def _is_uncommon(word: str) -> bool:
    """Whether it is written as a name, and is no stop word."""
    return any(map(_marks_name, word)) and stem(fold(word)) not in stopwords()


def _marks_name(letter: str) -> bool:
    return letter.isupper() or letter.isdigit() or letter in "_/"


def missing(asked: Subjects, text: str) -> MissingSubjects:
    """What *text* (a passage under its title) lacks."""
    folded = fold(text) if asked.names or asked.numbers else ""
    numbers = _share(asked.numbers, _GROUPED.sub("", folded))
    return MissingSubjects(_share(asked.names, folded), numbers, *_years(asked.years, text))


def rivals(asked: Subjects, text: str) -> tuple[bool, bool, bool]:
    """Returns whether *text* has names, numbers and years that were not asked about."""
    names = {fold(name) for name in _INSIDE.findall(text) if name[0].isupper()}
    numbers = {_number(match["number"]) for match in _TOKEN.finditer(text) if match["number"]}
    plain = set(filterfalse(_YEAR.fullmatch, numbers))
    return (
        bool(names - asked.names),
        bool(plain - asked.numbers),
        bool(years_in(text) - set(asked.years)),
    )


def _share(wanted: Collection[str], text: str) -> float:
    return sum(not _stands(word, text) for word in wanted) / max(1, len(wanted))


def _stands(word: str, text: str) -> bool:
    """Whether the word is there by itself, and not only as a part of a longer one."""
    for at in occurrences(word, text):
        end = at + len(word)
        if not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
            return True
    return False


def _years(wanted: tuple[int, ...], text: str) -> tuple[float, float]:
    if not wanted:
        return 0.0, 0.0
    said = years_in(text)
    unsaid = sum(year not in said for year in wanted) / len(wanted)
    if not said:
        return unsaid, 0.0
    low, high = wanted[0], wanted[-1]
    near = any(low - 1 <= year <= high + 1 for year in said)
    return unsaid, float(not near)


def is_unnamed(question: str, found: Collection[str]) -> bool:
    """Whether a question names something by a key (LEDGER_POOL_MAX), a number (INC-7) or a code
    (HAM2), and none of these is among the terms that were *found*; a code may be in parts."""
    named = [query_terms(one)[0] for one in _IDENTIFIER.findall(question[:_LONG])]
    return bool(named) and not any(_is_found(*terms, found=found) for terms in named)


def _is_found(whole: str, *parts: str, found: Collection[str]) -> bool:
    return whole in found or (whole.isalnum() and all(part in found for part in parts))


def less_owners(said: str, asked: Collection[str]) -> str:
    """Returns a sentence without those who are named only as whose relative or friend somebody is
    that is not asked about, by the stems of the question."""
    return _THEIRS.sub(
        lambda match: match[2] if stems(match[2]).isdisjoint(asked) else match[0], said
    )
