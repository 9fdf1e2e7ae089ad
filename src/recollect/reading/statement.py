"""A sentence with what it can be compared by: its words, its values, its place in time.

A value is a number, a name or a negation. Two sentences are *rivals* where each has a value of the
same kind and they are of different times; they are *twins* where they say the same of different
things ("Mira's lesson is on Monday", "Leo's lesson is on Friday").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from functools import cache, cached_property
from itertools import chain

from recollect.nouns import Candidate, StoredPassage, Stretch, filled
from recollect.text import heads
from recollect.text.code import is_code
from recollect.text.questions.time_words import WORDS
from recollect.text.questions.when import entries
from recollect.text.stated import Stated, is_page, of_document, of_statement, undated
from recollect.text.statements.in_force import is_idle, is_proposed
from recollect.text.statements.turning import now_or_again
from recollect.text.stopwords import stopwords
from recollect.text.support.tables import UNITS
from recollect.text.terms import fold, stems, terms

ALIKE, SOMEWHAT = 0.6, 0.3
"""The shares of words that twins have in common: where a common word tells them apart, and where
a name does."""
SHARED = 0.5
"""The share of its words that a statement has in common with one that says the same."""
AT_ONCE, COPIED = timedelta(hours=1), timedelta(days=1)
"""What is nearer in time was recorded together; the same of files that go by their mtimes."""
_NUMBER = re.compile(r"([$€£¥])?(\d[\d.,:]*\d|\d)(?:\s?([^\W\d_]+|[%°€$£]))?")
_HEAD = re.compile(r"\A(?:\s*#{1,6}[ \t].*\n)*(?:\s*[-*+•][ \t]+)?")
"""The headings above a sentence, and the mark of a list."""
_WORD = re.compile(r"[^\W_][\w'’-]*")
_NOW = "now|jetzt|nun|ahora|maintenant"
_IS = re.compile(
    r"\W*(?P<who>[^\W\d_][\w.+#-]*(?: [^\W\d_][\w.+#-]*)??) (?:is|are|ist|sind|es|son|est|sont)"
    rf" (?:(?:{_NOW}) )?(?:the|our|my|d[eia][res]|unser\w*|mein\w*|el|las?|los|nuestr\w+|mis?|les?"
    r"|notre|nos)\b",
    re.IGNORECASE,
)
"""What begins with who or what is the one: "Postgres is our …"; who is one of many is none."""
_COPULA = re.compile(rf"\b(?:is|are|ist|sind|es|son|est|sont)\b(?: (?:{_NOW})\b)?", re.IGNORECASE)
_REPLACED = re.compile(
    r"\b(?:instead of|rather than|(?:up|down) from|(?:an)?statt|anstelle|en (?:lugar|vez) de"
    r"|au lieu d[eu’'])\W[^,.;:!?\n]*(?:[.,:]\d+)*",
    re.IGNORECASE,
)
"""What a sentence says no longer to be."""
_NEGATION = re.compile(
    r"(?P<not>\b(?:not|no|never|nobody|nothing|without|forbidden|nicht|kein\w*|nie|verboten|sin|nunca"
    r"|prohibido|ne|pas|jamais|interdit)\b|n['’]t\b)|\b(?:(?P<only>only|nur|solo)|(?P<must>must)"
    r"|(?P<may>may|allowed|fine|darf|erlaubt))\b",
    re.IGNORECASE,
)


class Statement:
    """A sentence of a passage, with what it is compared by."""

    def __init__(self, candidate: Candidate, stored: StoredPassage, start: int, end: int) -> None:
        self.candidate, self.stored = candidate, stored
        self.stretch = Stretch(stored.key, start, end)
        self.text = _HEAD.sub("", stored.passage.text[start:end]).strip()

    @property
    def is_head(self) -> bool:
        """Whether it is a line above a text, and says nothing: its title, who was there."""
        if heads.is_head(self.text):
            return True
        text = self.stored.passage.text
        if self.stored.passage.n or text[: self.stretch.start].strip():
            return False
        if not text[self.stretch.end :].lstrip(" ").startswith("\n"):
            return False
        more = self.words - self.title
        return bool(self.title) and self.title <= self.words and len(more) < len(self.title)

    @property
    def is_code(self) -> bool:
        """Whether it is a command or a piece of a program, which say nothing that turns."""
        lines = [line for line in self.text.splitlines() if line.strip()]
        return self.text.startswith(("```", "~~~")) or (bool(lines) and is_code(lines))

    @cached_property
    def told(self) -> str:
        """What it says, without the date that it begins with: two that were said on days of one
        month have no more in common than others."""
        return undated(self.text)

    @cached_property
    def title(self) -> frozenset[str]:
        """The words of its document's title."""
        return _without_numbers(content(self.stored.document.title))

    @cached_property
    def said(self) -> Stated:
        """When it was said, or from when on it holds, which is no day for what is only proposed."""
        said = of_statement(self.stored, self.stretch.start, self.stretch.end)
        if is_page(self.stored.document) and said.by not in ("text", "heading"):
            return Stated(None)
        wanted_from = said.by == "text" and self.is_proposed
        return of_document(self.stored.document) if wanted_from else said

    @cached_property
    def is_proposed(self) -> bool:
        """Whether it says what is wanted, planned or open, and not what holds."""
        return is_proposed(self.text)

    @cached_property
    def holds(self) -> bool:
        """Whether it says what holds, so that it may replace something: what is proposed, asked,
        wished, supposed or refused does not."""
        return not (self.is_proposed or is_idle(self.text))

    @cached_property
    def words(self) -> frozenset[str]:
        return _without_numbers(content(self.told))

    @cached_property
    def values(self) -> Mapping[str, frozenset[str]]:
        """The numbers, names and negations in it, by kind; kinds that it has none of are left out,
        and so are those of what it says no longer to be ("Postgres instead of Redis")."""
        text = _REPLACED.sub("", self.told)
        numbers = {match[2].rstrip(".,:") for match in _NUMBER.finditer(text)}
        numbers |= _counts().intersection(map(fold, re.findall(r"\w+", text)))
        negations = (str(match.lastgroup) for match in _NEGATION.finditer(self.told))
        kinds = {"number": numbers, "name": self.names, "negation": negations}
        return filled({kind: frozenset(some) for kind, some in kinds.items()})

    @cached_property
    def names(self) -> frozenset[str]:
        """The names in it; a first word is one where it says who or what is the one."""
        subject = _IS.match(self.told)
        first = words_in(subject["who"]) if subject else []
        known = first if first and content(first[0]) else []
        return frozenset(chain(names_in(_REPLACED.sub("", self.told)), known))

    @cached_property
    def predicate(self) -> frozenset[str]:
        """Its words, where it says what something is: "The database is …"."""
        told, count = _COPULA.subn("", self.told)
        return content(told) if count else frozenset()

    @cached_property
    def units(self) -> frozenset[str]:
        """What its numbers count."""
        return frozenset(terms(unit).stem or unit for unit in self._counted())

    @cached_property
    def measures(self) -> frozenset[str]:
        """The dimensions of what its numbers count: time, money, size."""
        known = (UNITS.get(fold(unit)) for unit in self._counted())
        return frozenset(unit.dimension for unit in known if unit)

    def _counted(self) -> Iterator[str]:
        found = (match[1] or match[3] for match in _NUMBER.finditer(self.told))
        yield from (unit for unit in found if unit)

    def after(self, other: Statement) -> bool | None:
        """Whether it was said after the other; None where nobody knows."""
        one, two = self.stored, other.stored
        if one.document.id == two.document.id and one.document.kind == "session":
            return one.passage.n > two.passage.n
        mine, its = self.said, other.said
        if mine.date is None or its.date is None or mine.date == its.date:
            return None
        span = mine.date - its.date
        later, sooner = (mine, its) if mine.date > its.date else (its, mine)
        copied = later.by == "file" and (sooner.by != "file" or abs(span) < COPIED)
        if copied or abs(span) < AT_ONCE:
            return None
        return later is mine

    def outdates(self, other: Statement) -> bool:
        """Whether it has a date that was said, and the other only that of its file, which may be a
        copy: what it says to be otherwise now turned from that."""
        return bool(self.said.date and other.said.by == "file" and self.said.by != "file")


class Moment:
    """The place of a statement in time."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement

    def __lt__(self, other: Moment) -> bool:
        return bool(other.statement.after(self.statement))


@cache
def _counts() -> frozenset[str]:
    """Number words and the days of the week, in all languages."""
    found = chain.from_iterable(map(entries, WORDS.values()))
    kinds = ("count", "weekday")
    spoken = (some for kind, given, some in found if kind in kinds and not given)
    return frozenset(chain.from_iterable(spoken))


def content(text: str) -> frozenset[str]:
    return frozenset(stems(text) - stopwords())


def _without_numbers(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if not any(map(str.isdigit, word)))


def is_rival(one: Statement, other: Statement) -> bool:
    """Whether the other is of another time, and has a value of the same kind."""
    return shares_kind(one, other) and other.after(one) is not None


def shares_kind(one: Statement, other: Statement) -> bool:
    """Whether each has a value of the same kind. Where both deny something, none of them turned;
    nor did hours turn into a share."""
    kinds = set(one.values.keys() & other.values.keys())
    if one.measures and other.measures and one.measures.isdisjoint(other.measures):
        kinds.discard("number")
    return any(kind != "negation" or one.values[kind] != other.values[kind] for kind in kinds)


def agree(one: Statement, other: Statement) -> bool:
    """Whether they say the same: by the same values, or in much the same words where of each kind
    of value that both have one has all of the other's, and both deny the same."""
    mine, its = one.values, other.values
    if mine == its:
        return True
    if mine.get("negation") != its.get("negation"):
        return False
    alike = _share(one.words & other.words, one.words, other.words) >= SHARED
    kinds = mine.keys() & its.keys()
    return alike and all(mine[kind] <= its[kind] or its[kind] <= mine[kind] for kind in kinds)


def is_twin(one: Statement, other: Statement, asked: frozenset[str], names: frozenset[str]) -> bool:
    """Whether the other says the same of something else than what was asked about. Where both count
    the same, that it is so again, or now, is nothing else."""
    lacking = (asked & one.words) - other.words
    shared = _share(one.words & other.words, one.words, other.words)
    if not lacking or shared < (SOMEWHAT if lacking & names else ALIKE):
        return False
    again = now_or_again(other.told) if one.units & other.units else ""
    return bool(other.words - one.words - other.units - content(again))


def names_in(text: str) -> list[str]:
    """Returns the words with a capital, but for the first and for units of measure."""
    words = (word for word in words_in(text)[1:] if word[0].isupper())
    return [word for word in words if fold(word) not in UNITS]


def words_in(text: str) -> list[str]:
    return _WORD.findall(text)


def particulars_in(question: str) -> frozenset[str]:
    """Returns what a question names: words with a capital, and what has a digit."""
    numbers = (word for word in words_in(question) if any(map(str.isdigit, word)))
    return frozenset(chain(names_in(question), numbers))


def _share(both: frozenset[str], *sides: frozenset[str]) -> float:
    return len(both) / max(1, min(map(len, sides)))
