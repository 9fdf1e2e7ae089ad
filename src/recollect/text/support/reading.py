"""A text as tokens of known kinds, in clauses: what a sentence and its spans are compared by.

Read from the surface, by the tables. The same text always reads the same way; no text raises.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Literal

from recollect.named_tuple import NamedTuple
from recollect.text.ordinary import commonness
from recollect.text.stopwords import language, stopwords
from recollect.text.support import tables
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


class ClauseReading(NamedTuple):
    tokens: tuple[ClauseToken, ...]
    clauses: int
    language: str
    joined: frozenset[int]
    """The clauses that go on from the one before by "and"."""
    lists: frozenset[int]
    """How many things its lists have."""

    def of(self, *kinds: Kind) -> list[ClauseToken]:
        return [token for token in self.tokens if token.kind in kinds]

    def keys(self, *kinds: Kind) -> set[str]:
        return {token.key for token in self.of(*kinds)}

    def in_clause(self, n: int) -> list[ClauseToken]:
        return [token for token in self.tokens if token.clause == n]


class _RawWord(NamedTuple):
    text: str
    folded: str
    clause: int
    starts: bool
    """It is the first word of a sentence."""


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    word = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?%?|\w+(?:[-_.:/@+&#]+\w+)*[%°]?|[%°]"
    return (re.compile(rf"[$€£]?(?:{word})|[$€£]|[.,;:!?()—–\n]"),)


_CONTRACTIONS = (
    (r"(?i)\bwon't\b", "will not"),
    (r"(?i)\bcan(?:'t|not)\b", "can not"),
    (r"(?i)n't\b", " not"),
    (r"(?i)\b(?:no one)\b", "nobody"),
    (r"(?i)\b(\w+)'(?:m|re|ve|ll|d|s)\b", r"\1"),
    (r"(?i)\b(?:[ldjmtnsc]|qu|un|dell|all|nell)'(?=\w)", ""),
    (r"(?<=s)'(?=\s)", ""),
    (r"(?<=\d)[\s\u202f\u00a0](?=\d{3}\b)", ""),
    (r"(\d)\s*°\s*C\b", r"\1 celsius"),
    (r"(\d)(?:st|nd|rd|th)\b", r"\1"),
    (r"(\d)-(?=[a-z])", r"\1 "),
)
_APOSTROPHES = str.maketrans("’‘ʼ`´", "'''''")
_SPLITS = frozenset(
    """but while whereas because although though since so aber weil wahrend obwohl denn mais parce
    pero porque ma perche mas ale bo но а потому without ohne sans sin senza sem bez без""".split()
)
_JOINS = frozenset("and und et y e oraz i и".split())
_CLOCK = re.compile(r"(\d{1,2})[:.h](\d\d)(?::\d\d)?(am|pm)?|(\d{1,2})(am|pm)")
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_NUMBER = re.compile(r"([$€£]?)([-+]?\d+(?:[.,]\d+)*)([a-z%°µ]{0,4})")
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_MONTHS = tuple(dict.fromkeys(tables.MONTHS.values()))


@lru_cache(maxsize=512)
def read(text: str) -> ClauseReading:
    text = text[:LONGEST].translate(_APOSTROPHES)
    for pattern, put in _CONTRACTIONS:
        text = re.sub(pattern, put, text)
    raws, joined = _raw(text)
    spoken = language(text)
    names = text != text.lower() and spoken != "de"
    tokens: list[ClauseToken] = []
    at = 0
    while at < len(raws):
        token, used = _token(raws, at, names)
        if token is not None:
            tokens.extend(token)
        at += used
    last = max((raw.clause for raw in raws), default=0)
    return ClauseReading(tuple(tokens), last + 1, spoken, joined, _lists(text))


def _lists(text: str) -> frozenset[int]:
    """How many items the lists of a text have: what commas and an "and" part."""
    parts = (re.split(r",|\b(?:and|und|et|y|e)\b", part) for part in re.split(r"[.:;!?\n]", text))
    return frozenset(sum(bool(item.strip(" ()")) for item in part) for part in parts) - {0, 1, 2}


def _raw(text: str) -> tuple[list[_RawWord], frozenset[int]]:
    """The words, each with its clause, and the clauses that go on from the one before."""
    found = _patterns()[0].findall(text)
    out: list[_RawWord] = []
    joined: set[int] = set()
    clause, starts = 0, True
    for n, word in enumerate(found):
        if not word[0].isalnum() and word[0] not in "$€£%°":
            clause += 1
            starts = starts or word in ".!?:\n"
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
    return out, frozenset(joined)


def _pairs(run: str) -> list[str]:
    return [run[n : n + 2] for n in range(len(run) - 1)] or [run]


def _two_sides(found: list[str], n: int) -> bool:
    """Whether what stands on each side of a conjunction may be a clause."""
    left, right = found[max(0, n - 3) : n], found[n + 1 : n + 4]
    whole = [word for word in (*left, *right) if word[0].isalnum()]
    return len(whole) == 6


def _token(raws: list[_RawWord], at: int, names: bool) -> tuple[list[ClauseToken] | None, int]:
    """The tokens that begin at a place, and how many words they take."""
    for reader in (_date, _time, _figure):
        made = reader(raws, at)
        if made is not None:
            return made
    return _named(raws[at], at, raws, names), 1


def _date(raws: list[_RawWord], at: int) -> tuple[list[ClauseToken], int] | None:
    raw = raws[at]
    iso = _ISO.fullmatch(raw.folded)
    if not iso:
        return None
    month = _MONTHS[min(int(iso[2]), 12) - 1]
    year, day = float(iso[1]), float(iso[3])
    return [
        ClauseToken("month", month, raw.text, raw.clause, at),
        ClauseToken("number", iso[1], raw.text, raw.clause, at, year),
        ClauseToken("number", f"{day:g}", raw.text, raw.clause, at, day, after=month),
    ], 1


def _time(raws: list[_RawWord], at: int) -> tuple[list[ClauseToken], int] | None:
    raw, follows = raws[at], _follows(raws, at)
    joined = follows in ("am", "pm", "uhr") and raw.folded.replace(":", "").isdigit()
    text = raw.folded + (follows if joined and follows != "uhr" else "")
    clock = _CLOCK.fullmatch(text)
    if not clock or ("." in text and follows != "uhr"):
        return None
    hour = int(clock[1] or clock[4])
    half = clock[3] or clock[5]
    hour = hour % 12 + 12 * (half == "pm") if half else hour
    value = 60 * hour + int(clock[2] or 0)
    return [ClauseToken("time", str(value), raw.text, raw.clause, at, value)], 1 + joined


def _follows(raws: list[_RawWord], at: int) -> str:
    return raws[at + 1].folded if at + 1 < len(raws) else ""


def _figure(raws: list[_RawWord], at: int) -> tuple[list[ClauseToken], int] | None:
    """A number in digits or words, with its unit."""
    raw, follows = raws[at], _follows(raws, at)
    word = raw.folded
    value: float | None = None
    unit, used = "", 1
    written = _NUMBER.fullmatch(word)
    if written and written[2].count(".") < 2:
        value = _value(written[2])
        unit = written[1] or written[3]
        if unit in tables.MAGNITUDES:
            value, unit = value * tables.MAGNITUDES[unit], ""
        elif unit and unit not in tables.UNITS:
            return None
    elif word in tables.NUMBERS and not (word == "sei" or len(word) < 2):
        value = float(tables.NUMBERS[word])
    elif word in tables.ORDINALS:
        value = float(tables.ORDINALS[word])
    if value is None:
        return None
    if follows in tables.MAGNITUDES:
        value, used = value * tables.MAGNITUDES[follows], 2
    after, more = _unit(raws, at + used) if not unit else (unit, 0)
    unit = after if after in tables.UNITS else ""
    beside = _month_beside(raws, at, used)
    before = _noun(raws[at - 1].folded) if at else ""
    fields = (f"{value:g}", raw.text, raw.clause, at, value, unit, beside or after, before)
    tokens = [ClauseToken("number", *fields)]
    return tokens, used + (more if unit else 0)


def _unit(raws: list[_RawWord], at: int) -> tuple[str, int]:
    """The word after a number, and how many words it takes with it: "square metres" are one."""
    if at >= len(raws):
        return "", 0
    word = raws[at].folded
    if word in ("square", "cubic") and at + 1 < len(raws):
        unit, used = _unit(raws, at + 1)
        return unit, used + 1
    unit = word if word in tables.UNITS and word not in ("in", "a", "an", "t", "h", "m") else ""
    unit = word if word in ("h", "m", "t") else unit
    return (unit, 1) if unit else (_noun(word), 0)


def _noun(word: str) -> str:
    return "" if stem(word) in stopwords() or not word.isalpha() else stem(word)


def _month_beside(raws: list[_RawWord], at: int, used: int) -> str:
    near = [raws[n].folded for n in (at + used, at - 1, at + used + 1) if 0 <= n < len(raws)]
    near = near[:2] if near[2:] and near[0] not in ("of", "de") else near
    return next((tables.MONTHS[word] for word in near if word in tables.MONTHS), "")


def _value(digits: str) -> float:
    if _THOUSANDS.fullmatch(digits):
        return float(re.sub("[.,]", "", digits))
    return float(re.sub(",(?=.*[.,])", "", digits).replace(",", "."))


def _named(raw: _RawWord, at: int, raws: list[_RawWord], names: bool) -> list[ClauseToken] | None:
    """What is no number: a part of a date, a name, a negation or a word of meaning."""
    word = raw.folded
    capital = raw.text[:1].isupper()
    kind, key = _known(raw, at, raws)
    if kind is None:
        return None
    if kind == "word":
        if any(c.isdigit() for c in word) or re.search(r"\w[._/:@]\w", word):
            return [ClauseToken("id", word, raw.text, raw.clause, at)]
        if "-" in word:
            parts = [part for part in re.split(r"[-+&#]+", raw.text) if part]
            made = [_RawWord(part, fold(part), raw.clause, raw.starts) for part in parts]
            return [t for one in made for t in _named(one, at, raws, names) or ()]
        empty = stem(word) in stopwords() or word in tables.FILLERS or len(word) < 2
        if empty and not (names and not raw.starts and raw.text.isupper() and len(word) > 1):
            return None
        if names and capital and (not raw.starts or commonness(word) in ("name", "foreign", "")):
            kind, key = "name", word
    return [ClauseToken(kind, key, raw.text, raw.clause, at)]


def _known(raw: _RawWord, at: int, raws: list[_RawWord]) -> tuple[Kind | None, str]:
    """The kind of a word that is in a table; ``word`` where it is in none."""
    word = raw.folded
    before = raws[at - 1].folded if at else ""
    if word in tables.MONTHS and _is_month(raw, at, raws):
        return "month", tables.MONTHS[word]
    if word in tables.WEEKDAYS and (len(word) > 3 or raw.text[:1].isupper()):
        return "weekday", tables.WEEKDAYS[word]
    if word in tables.SEASONS and not (word == "fall" and raw.text.islower() and before != "the"):
        return "season", tables.SEASONS[word]
    if word in tables.RATES and (word not in tables.UNITS or before in tables.PER):
        return "rate", tables.RATES[word]
    if word in tables.UNITS and before in tables.PER and len(word) > 2:
        return "rate", tables.RATES.get(word, stem(word))
    if word in tables.NEGATIONS:
        return "not", "not"
    return "word", stem(word)


def _is_month(raw: _RawWord, at: int, raws: list[_RawWord]) -> bool:
    """Not "may" and "march" as verbs, nor "mar" and "mai" as other words."""
    if raw.folded not in ("may", "march", "mar", "mai", "jun", "dec", "sep", "mars", "marca"):
        return True
    near = [raws[n].text for n in (at - 1, at + 1) if 0 <= n < len(raws)]
    return raw.text[:1].isupper() and (not raw.starts or any(w[0].isdigit() for w in near))
