"""A statement read as clauses: whom each is about, what it says of them, and with what values.

The reading is of the surface, by word lists (``changes.py``); it serves comparing two statements
and promises no grammar. In a clause's ``text`` the words are folded, contractions are written
out, number words are digits, and the subject is the sign ``§``: "My sister's flat is in Rome" is
owned by "sister" and says "my flat is in rome"; "I've moved to Lisbon" is owned by "me" and says
"§ have moved to lisbon". The same text always reads the same way, and no text raises.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from recollect.text.statements import changes
from recollect.text.stopwords import stopwords
from recollect.text.terms import fold, stem

READ = 4000
"""Characters that are looked at: a longer statement is a page."""
_CLAUSES = 24
_SUBJECT = 9
"""Words that a subject has at most."""

ME = "me"
UNKNOWN = "?"

_CONTRACTIONS = (
    (r"\bwon't\b", "will not"),
    (r"\b(?:can't|cannot)\b", "can not"),
    (r"n't\b", " not"),
    (r"'m\b", " am"),
    (r"'re\b", " are"),
    (r"'ve\b", " have"),
    (r"'ll\b", " will"),
    (r"'d\b", " would"),
    (r"\b(it|that|there|here|he|she|what|who|where)'s\b", r"\1 is"),
    (r"(?<=\w)'s\b", " 's"),
    (r"(?<=s)'(?=\s)", " 's"),
)
_TOKEN = (
    r"(?:(?<!\w)[-+](?=\d))?[$€£]?\w+(?:[-_./:@+&=#',]+\w+)*[%+#°]*|'s\b|[.;!?,()—–:\n]"
    r"|[^\s\w\"“”„'`«»*\[\]{}…-]"
)
_ABBREVIATED = frozenset("dr mr mrs ms prof st vs etc approx no nr sr sra".split())
_LEAD = (
    r"\A\s*(?:correction|update|note|fyi|edit|reminder|korrektur|hinweis|correcci[oó]n|nota)"
    r"\b[^:.\n]{0,60}:\s*"
)


_BEING = tuple([word] for word in "is are was were has have had ist sind war es son".split())
"""After them a word that may be a verb is a noun: "the limit is"."""


class ClaimValue(NamedTuple):
    """Something exact in a clause: of two values of one sort only one can be right."""

    sort: str
    """``clock``, ``weekday``, ``date``, ``id``, ``version``, or ``number`` and its unit."""
    value: str
    at: int
    """The place of its word in the clause."""


class StatementClause(NamedTuple):
    owner: str
    """Whom or what it is about: ``me``, a name or noun, ``?`` for a pronoun, or empty."""
    said: str
    """All its words as they stand."""
    text: str
    words: tuple[str, ...]
    """Those of ``text``."""
    names: frozenset[str]
    """The words that are written as names."""
    values: tuple[ClaimValue, ...]
    predicate: int
    """The place of the first word after the subject."""

    @property
    def content(self) -> frozenset[str]:
        """Stems of the words that carry meaning; values and cues are not among them."""
        return _content(self)


class Statement(NamedTuple):
    plain: tuple[str, ...]
    """Every word in order, less articles and fillers, and without the s of plurals."""
    clauses: tuple[StatementClause, ...]

    @property
    def content(self) -> frozenset[str]:
        return frozenset().union(*(clause.content for clause in self.clauses))

    @property
    def values(self) -> tuple[ClaimValue, ...]:
        return tuple(value for clause in self.clauses for value in clause.values)


class _Patterns(NamedTuple):
    contractions: tuple[tuple[re.Pattern[str], str], ...]
    token: re.Pattern[str]
    lead: re.Pattern[str]
    iso: re.Pattern[str]
    clock: re.Pattern[str]
    number: re.Pattern[str]
    version: re.Pattern[str]
    identifier: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    return _Patterns(
        tuple((re.compile(old, re.IGNORECASE), new) for old, new in _CONTRACTIONS),
        re.compile(_TOKEN),
        re.compile(_LEAD, re.IGNORECASE),
        re.compile(r"\d{4}-\d\d(?:-\d\d)?|\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d\d)"),
        re.compile(r"(\d{1,2})(?::(\d\d))?(am|pm)|(\d{1,2}):(\d\d)(?::\d\d)?"),
        re.compile(r"([$€£]?)([-+]?\d+(?:[.,]\d+)*)-?([a-z%°]*)"),
        re.compile(r"v?\d+(?:\.\d+){2,}|v\d+(?:\.\d+)*"),
        re.compile(r"(?=.*\d)(?=.*[a-z]).+|.+[_/@=#:].+|.+\..+|(?:[\w]+-){2,}.+|\d+(?:[-/]\d+)+"),
    )


@lru_cache(maxsize=256)
def read(text: str) -> Statement:
    """The clauses of a statement, in order."""
    patterns = _patterns()
    text = text[:READ].replace("’", "'")
    for pattern, put in patterns.contractions:
        text = pattern.sub(put, text)
    clauses: list[StatementClause] = []
    for part in _parts(patterns.token.findall(patterns.lead.sub("", text)))[:_CLAUSES]:
        before = clauses[-1].owner if clauses else ""
        clauses.append(_clause(part, before, text.islower()))
    return Statement(_plain(patterns.token.findall(text)), tuple(clauses))


def _plain(tokens: list[str]) -> tuple[str, ...]:
    """Its words; a name is kept as it is written, an article or filler is not kept."""
    found: list[str] = []
    for place, token in enumerate(tokens):
        word = _word(token)
        if _is_name(token, place):
            found.append(word)
        elif word not in changes.FILLERS and token not in ".;!?,()—–:\n":
            found.append(singular(word))
    return tuple(found)


def _word(token: str) -> str:
    """Folded; a number word becomes its digits."""
    word = fold(token) or token  # a joiner alone folds to nothing
    if word == ":":
        return "is"
    if "-" in word:
        tens, _, ones = word.partition("-")
        if tens in changes.NUMBERS and ones in changes.NUMBERS:
            return str(int(changes.NUMBERS[tens]) + int(changes.NUMBERS[ones]))
    return changes.NUMBERS.get(word, word)


def singular(word: str) -> str:
    """Without the s of a plural or of the third person, and in one spelling."""
    if not word.isalpha() or len(word) < 4:
        return word
    if word in changes.PLURALS:
        return changes.PLURALS[word]
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word.replace("isation", "ization").replace("ise", "ize").replace("our", "or")


def _parts(tokens: list[str]) -> list[list[str]]:
    """The tokens clause by clause."""
    parts: list[list[str]] = [[]]
    for place, token in enumerate(tokens):
        after = fold(tokens[place + 1]) if place + 1 < len(tokens) else ""
        now = parts[-1]
        if token in ".;!?()—–\n":
            if token == "." and now and fold(now[-1]) in _ABBREVIATED:
                continue
            parts.append([])
        elif token == "," and (
            after in changes.BEGINS
            or (now and fold(now[0]) in changes.ADVERBIAL and "," not in now)
        ):
            parts.append([])
        elif fold(token) in changes.JOINS and (after in changes.BEGINS or _begins(tokens, place)):
            if any(fold(before) in changes.verbs() for before in now):
                parts.append([])
            else:
                now.append(token)  # "Sam and I"
        else:
            now.append(token)
    return [part for part in parts if any(token != "," for token in part)]


def _begins(tokens: list[str], place: int) -> bool:
    """A name and what it does follow: "… and Sara is our new lead"."""
    after = tokens[place + 1 : place + 3]
    return len(after) == 2 and after[0][0].isupper() and fold(after[1]) in changes.verbs()


def _clause(tokens: list[str], before: str, lower: bool) -> StatementClause:
    """The clause of these words, after one about *before*, in a text that may be all *lower*."""
    words = [_word(token) for token in tokens]
    names = frozenset(
        word
        for place, (token, word) in enumerate(zip(tokens, words, strict=True))
        if (_is_name(token, place) or (lower and _may_be_name(word)))
        and word not in changes.NO_NAMES
    )
    owner, said = _subject(words, names)
    if owner == "" and said and (said[0] in changes.PAST or said[0].endswith("ed")):
        owner, said = before or ME, ["§", *said]  # "Sold the car. Bought a bike."
    said = ["my" if w in changes.MY else w for w in said]
    predicate = next((n for n, w in enumerate(said) if w in changes.verbs()), 0)
    return StatementClause(
        owner, " ".join(words), " ".join(said), tuple(said), names, _values(said), predicate
    )


def _is_name(token: str, place: int) -> bool:
    if not token[0].isalpha():
        return False
    odd = any(c.isupper() for c in token[1:]) or any(c.isdigit() for c in token)
    return odd or (token[0].isupper() and (place > 0 or fold(token) not in stopwords()))


def _may_be_name(word: str) -> bool:
    """In text without capitals a name cannot be told from another word."""
    return word.isalpha() and stem(word) not in stopwords() and word not in changes.verbs()


def _subject(words: list[str], names: frozenset[str]) -> tuple[str, list[str]]:
    """(owner, what is said of it)."""
    start = 0
    while start < len(words) and words[start] in changes.OPENERS:
        start += 1
    words = words[start:]
    if not words:
        return "", []
    first = words[0]
    if first in changes.ME:
        return ME, ["§", *words[1:]]
    if first in changes.I_DO:
        return ME, ["§", *words]
    for place in range(1, min(len(words) - 1, 5)):  # "Sam and I", "meine Frau und ich"
        if words[place] in changes.JOINS and words[place + 1] in changes.ME:
            return ME, ["§", *words[place + 2 :], "with", *words[:place]]
    if first in changes.PRONOUNS:
        return UNKNOWN, ["§", *words[1:]]
    if first in changes.ORDERS:
        return "", words
    verbs = changes.verbs()
    begin = 2 if first in changes.ARTICLES or first in changes.MY else 1
    places = range(begin, min(len(words), _SUBJECT))
    end = next((n for n in places if words[n] in verbs and words[n + 1 : n + 2] not in _BEING), 0)
    if not end and first in changes.MY:
        return ME, words
    if not end:
        return (first, ["§", *words[1:]]) if first in names - verbs else ("", words)
    phrase = [w for w in words[:end] if w not in changes.ARTICLES]
    rest = words[end:]
    if rest[1:2] in (["me"], ["us"], ["mich"], ["uns"]):  # "my doctor switched me to"
        return ME, ["§", rest[0], *rest[2:]]
    if "'s" in phrase:
        at = phrase.index("'s")
        return _owner(phrase[:at]), ["my", *phrase[at + 1 :], *rest]
    if phrase and phrase[0] in changes.MY:
        if any(singular(w) in changes.PERSONS for w in phrase):
            return _owner(phrase), ["§", *rest]
        return ME, ["my", *phrase[1:], *rest]
    return _owner(phrase), ["§", *rest]


def _owner(phrase: list[str]) -> str:
    dropped = changes.MY | changes.QUALIFIERS | changes.FILLERS
    return " ".join(w for w in phrase if w not in dropped)


def _values(words: list[str]) -> tuple[ClaimValue, ...]:
    found: list[ClaimValue] = []
    for place, word in enumerate(words):
        value = _value(words, place, word)
        if value is not None:
            found.append(ClaimValue(*value, place))
    return tuple(found)


def _value(words: list[str], place: int, word: str) -> tuple[str, str] | None:
    """(sort, value) of the word at a place, if it is exact."""
    after = words[place + 1] if place + 1 < len(words) else ""
    if word in changes.ORDINALS and _unit_after(after) and after not in changes.UNITS:
        return f"ordinal {_unit_after(after)}", changes.ORDINALS[word]
    if word in changes.WEEKDAYS:
        return "weekday", changes.WEEKDAYS[word]
    if word in changes.MONTHS and (word != "may" or after.isdigit()):
        return "date", f"{changes.MONTHS[word]} {after if after.isdigit() else ''}"
    if not any(c.isdigit() or c in "-_./@=#:" for c in word):
        return None
    return _written(word, words[place - 1] if place else "", after)


def _written(word: str, before: str, after: str) -> tuple[str, str] | None:
    """(sort, value) of a word with digits or signs in it."""
    patterns = _patterns()
    if patterns.iso.fullmatch(word):
        return "date", word
    clock = patterns.clock.fullmatch(word + after if after in ("am", "pm") else word)
    if clock:
        hour = int(clock[1] or clock[4]) % 24
        hour = hour % 12 + 12 if clock[3] == "pm" else hour
        return "clock", f"{hour:02}:{clock[2] or clock[5] or '00'}"
    if patterns.version.fullmatch(word):
        return "version", word.removeprefix("v")
    number = patterns.number.fullmatch(word)
    if not number:
        return ("id", word) if patterns.identifier.fullmatch(word) else None
    if before in changes.MONTHS or after in changes.MONTHS:
        return None  # a day, told with its month
    sign, digits, unit = number[1], number[2].replace(",", ""), singular(number[3])
    if _is_year(digits, before) and not (sign or unit):
        return "date", digits
    unit = sign or unit or _unit_after(after)
    return f"number {changes.UNITS.get(unit, unit)}".strip(), digits


def _is_year(digits: str, before: str) -> bool:
    return len(digits) == 4 and "1900" <= digits <= "2099" and before in changes.WHEN


def _unit_after(word: str) -> str:
    if not word.isalpha() or word in changes.NO_UNITS or stem(word) in stopwords():
        return ""
    return singular(word)


@lru_cache(maxsize=512)
def _content(clause: StatementClause) -> frozenset[str]:
    common = stopwords()
    exact = {value.at for value in clause.values}
    return frozenset(
        stem(word)
        for place, word in enumerate((*clause.owner.split(), *clause.words))
        if place - len(clause.owner.split()) not in exact
        and word[0].isalpha()
        and stem(word) not in common
        and word not in changes.CUES
        and word not in (ME,)
    )
