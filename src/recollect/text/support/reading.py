"""A text as tokens of known kinds, in clauses: what a sentence and its spans are compared by.

Read from the surface, by the tables. The same text always reads the same way; no text raises.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from operator import attrgetter
from typing import Literal

from recollect.named_tuple import NamedTuple
from recollect.nouns import group_by, only, values_of, without
from recollect.text.ordinary import commonness
from recollect.text.stopwords import grammar_words, language, stopwords
from recollect.text.support import tables
from recollect.text.support.spelling import spelled
from recollect.text.terms import fold, is_run, stem

Kind = Literal["number", "time", "month", "weekday", "season", "rate", "id", "name", "not", "word"]
LONGEST = 6_000
"""Characters of a text that are read."""


class ClauseToken(NamedTuple):
    kind: Kind
    key: str
    """What is compared: a stem, a folded name, the first word of a row of a table."""
    word: str
    """As it is written."""
    clause: int
    place: int
    value: float = 0.0
    """Of a number, and of a time in minutes."""
    unit: str = ""
    after: str = ""
    """The word that follows a number, where it is no unit; the month of a day."""
    before: str = ""
    """The word before a number ("floor 5")."""
    bound: str = ""
    """``≥`` or ``≤`` before a number that is only a bound, ``≈`` before one that is near."""


def of_kinds(tokens: Iterable[ClauseToken], kinds: Collection[Kind]) -> list[ClauseToken]:
    """Returns the tokens of these kinds, in their order."""
    return [token for token in tokens if token.kind in kinds]


class SentenceClause(NamedTuple):
    """A part of a sentence that says one thing."""

    tokens: tuple[ClauseToken, ...]
    """Its tokens, without the negations."""
    negated: bool
    """It has a negation."""
    modals: frozenset[str] = frozenset()
    """Whether it says what ``must`` be, what ``may``, or what ``might`` be so."""
    all_words: frozenset[str] = frozenset()
    """Its words, also those of grammar, folded."""

    @property
    def denies(self) -> bool:
        """It says that something is not so, by a negation or as plainly."""
        return self.negated or not self.words.isdisjoint(tables.STRONG)

    @property
    def negative(self) -> bool:
        """It denies, or a word of it means that something is not so."""
        return self.denies or not self.words.isdisjoint(tables.NEGATIVE)

    @property
    def words(self) -> set[str]:
        return {fold(token.word) for token in self.tokens}

    def of(self, *kinds: Kind) -> list[ClauseToken]:
        return of_kinds(self.tokens, kinds)


class ClauseReading(NamedTuple):
    tokens: tuple[ClauseToken, ...]
    clauses: tuple[SentenceClause, ...]
    language: str
    joined: frozenset[int]
    """The clauses that go on from the one before by "and"."""
    lists: frozenset[int]
    """How many things its lists have."""

    def of(self, *kinds: Kind) -> list[ClauseToken]:
        return of_kinds(self.tokens, kinds)

    def keys(self, *kinds: Kind) -> set[str]:
        return {token.key for token in self.of(*kinds)}


class _RawWord(NamedTuple):
    text: str
    folded: str
    clause: int
    starts: bool
    """It is the first word of a sentence."""


_NO_WORD = _RawWord("", "", -1, False)
"""Two of them end every list of words: what is beside the first or the last word can be looked at
without asking whether it is there."""


_MARKS = ".,;:!?()—–\n"


@cache
def _words_and_marks() -> re.Pattern[str]:
    comma = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?%?|\d+(?:\.\d{3})*,\d\d?(?![\d,])%?"
    word = rf"{comma}|\w+(?:[-_.:/@+&#]+\w+)*[%°]?|[%°]"
    return re.compile(rf"[$€£¥]?(?:(?<![\w.)-])-(?=\d))?(?:{word})|[$€£¥≥≤≈]|[{_MARKS}]")


_SPLITS = frozenset(
    """but while whereas because although though since so aber weil wahrend obwohl denn mais parce
    pero porque ma perche mas ale bo но а потому without ohne sans sin senza sem bez без""".split()
)
_JOINS = frozenset("and und et y e oraz i и".split())
_CLOCK = re.compile(r"(\d{1,2})(?=\D)(?:[:.h](\d\d)(?::\d\d)?)?(am|pm)?")
_NUMBER = re.compile(r"([$€£¥]?)([-+]?\d+(?:[.,]\d+)*)([a-z%°µ]{0,4})")
_THOUSANDS = re.compile(r"-?\d{1,3}(?:[.,]\d{3})+")


@lru_cache(maxsize=512)
def read(text: str, *, any_language: bool = False) -> ClauseReading:
    """Returns the reading of a text. *any_language*: names are told by what is known of the words
    of other languages; without it German has none, and the capitals of others are names."""
    text = text[:LONGEST]
    spoken = language(text) or (_other_language(text) if any_language else "")
    names = text != text.lower() and (any_language or spoken != "de")
    is_name = _NAMES.get(spoken, _is_name) if any_language else _is_name
    text = spelled(text)
    raws, joined = _raw(text)
    tokens: list[ClauseToken] = []
    at = 0
    while raws[at] is not _NO_WORD:
        found, used = _token(raws, at, is_name if names else _is_no_name)
        tokens += found
        at += used
    last = max(0, *(raw.clause for raw in raws))
    clauses = _clauses(tokens, group_by(attrgetter("clause"), raws), last)
    return ClauseReading(tuple(tokens), clauses, spoken, joined, _lists(text))


def _is_modal(raw: _RawWord) -> bool:
    """Not "May", the month."""
    return raw.folded in tables.MODALS and (raw.text != "May" or raw.starts)


def _clauses(
    tokens: Sequence[ClauseToken], raws: Mapping[int, Sequence[_RawWord]], last: int
) -> tuple[SentenceClause, ...]:
    groups = group_by(attrgetter("clause"), tokens)
    return tuple(_clause(groups.get(n, []), raws.get(n, ())) for n in range(last + 1))


def _clause(tokens: Sequence[ClauseToken], raws: Sequence[_RawWord]) -> SentenceClause:
    kept = tuple(token for token in tokens if token.kind != "not")
    modal = (tables.MODALS[raw.folded].split() for raw in raws if _is_modal(raw))
    modals = frozenset(chain.from_iterable(modal))
    return SentenceClause(kept, len(kept) < len(tokens), modals, frozenset(r.folded for r in raws))


def _lists(text: str) -> frozenset[int]:
    """How many items the lists of a text have: what commas and an "and" part."""
    parts = (re.split(r",|\b(?:and|und|et|y|e)\b", part) for part in re.split(r"[.:;!?\n]", text))
    return frozenset(sum(bool(item.strip(" ()")) for item in part) for part in parts) - {0, 1, 2}


def _raw(text: str) -> tuple[list[_RawWord], frozenset[int]]:
    """The words, each with its clause, and the clauses that go on from the one before."""
    found = _words_and_marks().findall(text)
    out: list[_RawWord] = []
    joined: set[int] = set()
    clause, starts = 0, True
    for n, word in enumerate(found):
        if word in _MARKS:
            clause += not (word == ":" and _labels(out, clause, found, n))
            starts |= word in ".!?:\n"
            continue
        folded = fold(word)
        if folded in _SPLITS:
            clause += 1
        elif folded in _JOINS and _two_sides(found, n):
            clause += 1
            joined.add(clause)
        if is_run(word):
            out += [_RawWord(c, c, clause, False) for c in _pairs(word)]
        else:
            out.append(_RawWord(word, folded, clause, starts))
        starts = False
    return [*out, _NO_WORD, _NO_WORD], frozenset(joined)


_LABEL = 3
"""Words that what stands before a colon may have, to be of one clause with what follows."""


def _labels(out: Sequence[_RawWord], clause: int, found: Sequence[str], n: int) -> bool:
    """Whether the colon at a place parts a label from its value: "2024: 12"."""
    words = sum(raw.clause == clause for raw in out[-_LABEL - 1 :])
    return 0 < words <= _LABEL and found[n + 1 : n + 2] != ["\n"]


def _pairs(run: str) -> list[str]:
    return [run[n : n + 2] for n in range(max(1, len(run) - 1))]


def _two_sides(found: list[str], n: int) -> bool:
    """Whether what stands on each side of a conjunction may be a clause."""
    left, right = found[max(0, n - 3) : n], found[n + 1 : n + 4]
    whole = [word for word in (*left, *right) if word[0].isalnum()]
    return len(whole) == 6


Tokens = tuple[list[ClauseToken], int]
"""The tokens that begin at a place, and how many words they take."""


def _token(raws: list[_RawWord], at: int, is_name: IsName) -> Tokens:
    for reader in (_time, _figure):
        made = reader(raws, at)
        if made is not None:
            return made
    return _named(raws[at], at, raws, is_name), 1


def _time(raws: list[_RawWord], at: int) -> Tokens | None:
    raw, follows = raws[at], raws[at + 1].folded
    joined = follows in ("am", "pm", "uhr") and raw.folded.replace(":", "").isdigit()
    hours = ":00" if raw.folded.isdigit() else ""
    text = raw.folded + (hours if follows == "uhr" else follows) * joined
    clock = _CLOCK.fullmatch(text)
    if not clock or ("." in text and follows != "uhr"):
        return None
    hour, half = int(clock[1]), clock[3]
    hour = hour % 12 + 12 * (half == "pm") if half else hour
    value = 60 * hour + int(clock[2] or 0)
    return [ClauseToken("time", str(value), raw.text, raw.clause, at, value)], 1 + joined


def _figure(raws: list[_RawWord], at: int) -> Tokens | None:
    """A number in digits or words, with its unit."""
    raw, follows = raws[at], raws[at + 1].folded
    amount = _in_digits(raw.folded) or _IN_WORDS.get(raw.folded)
    if amount is None:
        return None
    value = amount.value * tables.MAGNITUDES.get(follows, 1)
    used = 1 + (follows in tables.MAGNITUDES)
    word = " ".join(one.text for one in raws[at : at + used])
    after, more = (amount.unit, 0) if amount.unit else _unit(raws, at + used)
    known = after in tables.UNITS
    token = ClauseToken(
        "number",
        f"{value:g}",
        word,
        raw.clause,
        at,
        value,
        unit=after if known else "",
        after=_month_beside(raws, at, used) or after,
        before=_noun(raws[at - 1].folded) if raws[at - 1].clause == raw.clause else "",
        bound=raws[at - 1].text if raws[at - 1].text in ("≥", "≤", "≈") else "",
    )
    return [token], used + more * known


class _Amount(NamedTuple):
    value: float
    unit: str = ""


_IN_WORDS = {
    word: _Amount(float(value)) for word, value in (tables.ORDINALS | tables.NUMBERS).items()
}


def _in_digits(word: str) -> _Amount | None:
    written = _NUMBER.fullmatch(word)
    if not written or written[2].count(".") > 1:
        return None
    value, unit = _value(written[2]), written[1] or written[3]
    if unit in tables.MAGNITUDES:
        return _Amount(value * tables.MAGNITUDES[unit])
    return _Amount(value, unit) if not unit or unit in tables.UNITS else None


_NO_UNITS = ("in", "an")
"""Units that are a word of another meaning after a number."""


def _unit(raws: list[_RawWord], at: int) -> tuple[str, int]:
    """The word after a number, and how many words it takes with it: "square metres" are one."""
    word = raws[at].folded
    if word in ("square", "cubic"):
        unit, used = _unit(raws, at + 1)
        return unit, used + 1
    if word in tables.UNITS and word not in _NO_UNITS:
        return word, 1
    goes_on = raws[at].clause == raws[at - 1].clause
    return (_noun(word) if goes_on else ""), 0


def _noun(word: str) -> str:
    return stem(word) if word.isalpha() and stem(word) not in stopwords() else ""


def _month_beside(raws: list[_RawWord], at: int, used: int) -> str:
    """The month of a day: "May 5", "5 May", "5 of May"."""
    follows = at + used + (raws[at + used].folded in ("of", "de"))
    near = (raws[at + used].folded, raws[at - 1].folded, raws[follows].folded)
    return next(values_of(tables.MONTHS, near), "")


def _value(digits: str) -> float:
    if _THOUSANDS.fullmatch(digits):
        return float(re.sub("[.,]", "", digits))
    return float(re.sub(",(?=.*[.,])", "", digits).replace(",", "."))


_ID = re.compile(r"\w[._/:@]\w")


def _named(raw: _RawWord, at: int, raws: list[_RawWord], is_name: IsName) -> list[ClauseToken]:
    """What is no number: a part of a date, a name, a negation or a word of meaning."""
    word = raw.folded
    kind, key = _known(raw, at, raws)
    if kind != "word":
        return [ClauseToken(kind, key, raw.text, raw.clause, at)]
    if (
        any(map(str.isdigit, word))
        or _ID.search(word)
        or (is_name is not _is_no_name and _is_letter(raw))
    ):
        return [ClauseToken("id", word, raw.text, raw.clause, at)]
    if "-" in word:
        parts = filter(None, re.split(r"[-+&#]+", raw.text))
        made = (_RawWord(part, fold(part), raw.clause, raw.starts) for part in parts)
        return list(chain.from_iterable(_named(one, at, raws, is_name) for one in made))
    if _is_empty(word) and not (is_name is not _is_no_name and _is_abbreviation(raw)):
        return []
    if is_name(raw, raws[at - 1]):
        return [ClauseToken("name", word, raw.text, raw.clause, at)]
    return [ClauseToken("word", key, raw.text, raw.clause, at)]


def _is_letter(raw: _RawWord) -> bool:
    """A letter that tells one thing from another ("hive B"), and not the word "a" or "I"."""
    known = "AI" if raw.starts else "I"
    return len(raw.text) == 1 and raw.text.isupper() and raw.text not in known


def _is_empty(word: str) -> bool:
    return len(word) < 2 or word in tables.FILLERS or word in grammar_words()


def _is_abbreviation(raw: _RawWord) -> bool:
    return raw.text.isupper() and len(raw.folded) > 1 and not raw.starts


IsName = Callable[[_RawWord, _RawWord], bool]
"""Whether a word is a name, by itself and by the word before it."""


def _is_no_name(_raw: _RawWord, _before: _RawWord) -> bool:
    """In a text without capitals nothing is known for a name."""
    return False


def _is_name(raw: _RawWord, _before: _RawWord) -> bool:
    unusual = not raw.starts or commonness(raw.folded) in ("name", "foreign", "")
    return raw.text[:1].isupper() and unusual


def _is_name_among_foreign(raw: _RawWord, _before: _RawWord) -> bool:
    unusual = not raw.starts or commonness(raw.folded) in ("name", "")
    return raw.text[:1].isupper() and unusual and commonness(raw.folded) != "foreign"


def _is_name_in_german(raw: _RawWord, before: _RawWord) -> bool:
    """Its nouns have capitals as well: a name is no word of the dictionary, nor made of such, and
    has no article."""
    if not raw.text[:1].isupper() or raw.folded in tables.FILLERS:
        return False
    known = commonness(raw.folded)
    if known == "name" or raw.text.isupper():
        return True
    noun = tables.GERMAN_NOUN.fullmatch(raw.folded) or _is_compound(raw.folded)
    return not (known or noun or before.folded in tables.GERMAN_ARTICLES)


_NAMES: Mapping[str, IsName] = {
    "de": _is_name_in_german,
    **dict.fromkeys(("es", "fr", "other"), _is_name_among_foreign),
}
"""How names are told in a language, where not as in English."""


def _is_compound(word: str) -> bool:
    """Whether a word is one of the dictionary after another: "Warteschlange"."""
    ends = range(3, len(word) - 3)
    return any(commonness(word[n:]) == "foreign" and _is_known(word[:n]) for n in ends)


def _is_known(word: str) -> bool:
    return commonness(word) in ("foreign", "ordinary") or commonness(word[:-1]) == "foreign"


_OTHER = 0.4
"""Share of words of other languages from which on a text is none in English."""


def _other_language(text: str) -> str:
    """``other`` for a text of which many words are words of other languages than English."""
    words = list(map(fold, re.findall(r"[^\W\d_]{3,}", text)))
    foreign = sum(commonness(word) == "foreign" for word in words)
    return "other" if foreign > 1 and foreign >= _OTHER * len(words) else ""


def _known(raw: _RawWord, at: int, raws: list[_RawWord]) -> tuple[Kind, str]:
    """The kind of a word that is in a table; ``word`` where it is in none."""
    word = raw.folded
    for kind, keys, is_meant in _TABLES:
        if word in keys and is_meant(raw, raws[at - 1], raws[at + 1]):
            return kind, keys[word]
    return "word", stem(word)


def _is_month(raw: _RawWord, before: _RawWord, after: _RawWord) -> bool:
    """Not "may" and "march" as verbs, nor "mar" and "mai" as other words."""
    if raw.folded not in ("may", "march", "mar", "mai", "jun", "dec", "sep", "mars", "marca"):
        return True
    dated = before.text[:1].isdigit() or after.text[:1].isdigit()
    return raw.text[:1].isupper() and (dated or not raw.starts)


def _is_weekday(raw: _RawWord, _before: _RawWord, _after: _RawWord) -> bool:
    """Not "sat" and "mon" as other words."""
    return len(raw.folded) > 3 or raw.text[:1].isupper()


def _is_season(raw: _RawWord, before: _RawWord, _after: _RawWord) -> bool:
    """Not "fall" as a verb."""
    return raw.text != "fall" or before.folded == "the"


def _is_rate(_raw: _RawWord, before: _RawWord, _after: _RawWord) -> bool:
    """Not an hour that is a length of time."""
    return before.folded in tables.PER


def _always(*_words: _RawWord) -> bool:
    return True


_RATES = without(tables.RATES, tables.UNITS)
_UNIT_RATES = {word: stem(word) for word in tables.UNITS if len(word) > 2}
_UNIT_RATES |= only(tables.RATES, tables.UNITS)
_TABLES: tuple[
    tuple[Kind, Mapping[str, str], Callable[[_RawWord, _RawWord, _RawWord], bool]], ...
] = (
    ("month", tables.MONTHS, _is_month),
    ("weekday", tables.WEEKDAYS, _is_weekday),
    ("season", tables.SEASONS, _is_season),
    ("rate", _RATES, _always),
    ("rate", _UNIT_RATES, _is_rate),
    ("not", dict.fromkeys(tables.NEGATIONS, "not"), _always),
)
"""Kinds of words that are told by a table, and by whether the words beside one (before, after)
let it be meant."""
