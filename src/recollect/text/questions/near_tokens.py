"""The words of a question as ``near.py`` compares them, and the language they are of.

A word is without what stands around it, in lower case; contractions are written out, a possessive
is a mark on its word, compounds of plain words are their parts. What belongs to the query language
(quotes, exclusions, prefixes, filters) and every identifier stays as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache
from typing import NamedTuple

from recollect.text.ordinary import commonness
from recollect.text.questions import near_words as data
from recollect.text.terms import fold


class Word(NamedTuple):
    text: str
    name: bool = False
    """Has a capital that tells something, or is no word at all: compared as it is."""
    owner: bool = False
    stop: bool = False
    """A comma or such stands after it."""
    tied: bool = False
    """A hyphen ties it to the word before."""


class Key(NamedTuple):
    key: str
    form: str = "-"
    begins: bool = False
    """A word of grammar or a stop stands before it."""
    owner: str = ""
    """``'`` for one that is said to own, ``|`` where it need not be said."""
    name: bool = False
    place: bool = False


class Reading:
    """What is known of a question while it is read."""

    def __init__(self, language: str, words: list[Word]) -> None:
        self.language = language
        self.words = words
        """What is still to be read."""
        self.ask = self.subject = self.verb = ""
        self.tense: set[str] = set()
        self.keys: list[Key] = []
        self.embedded = False
        """A frame took the question in, and may have changed its order."""
        self.was = False
        """What is asked was asked with "was" or "were"."""
        self.framed = False
        self.dropped = False
        """Whether any word of grammar was there: key words have none."""


TYPOGRAPHY = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "ʼ": "'",
        "`": "'",
        "´": "'",
        "“": '"',
        "”": '"',
        "„": '"',
        "«": '"',
        "»": '"',
        "\u2010": "-",
        "\u2011": "-",
        "–": "-",
        "\u2212": "-",
    }
)
_LATIN = re.compile(r"[^\W\d_]+")
_ENGLISH_TAIL = re.compile(r"(?<=\w)'(?:s|t|m|re|ve|ll|d)\b")
_QUOTED = re.compile(r'(?<!\S)-?"[^"]*"')
_TIE = "\ue000"
"""Stands for a space inside quotes."""
_BEFORE = "([{¿¡'\"«"
_AFTER = ")]}([{?!.,;:'\"»…？！。，؟،"
_STOPS = ",;:?!.—،؟"
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_TAILS = {"n't": "not", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would", "'m": "am"}
_UNIT = re.compile(r"(\d+(?:[.,:]\d+)*)(am|pm|k|km|kg|kb|mb|gb|tb|ms|min|mins|h|hr|hrs|cm|mm|ml)")
_INITIALS = re.compile(r"(?:[a-z]\.)+[a-z]")
_MONEY = {"$": "dollar", "€": "euro", "£": "pound"}


@cache
def _languages() -> dict[str, list[str]]:
    """The languages that a word of grammar may be of."""
    found: dict[str, list[str]] = {}
    for name, one in data.LANGUAGES.items():
        for word in dict.fromkeys(one.known_by.split()):
            found.setdefault(word, []).append(name)
    return found


def language_of(text: str) -> str:
    """The language whose words of grammar occur most; English also if there are none and all
    words are plain English ones; empty if that does not tell."""
    words = _LATIN.findall(_ENGLISH_TAIL.sub("", text.lower()))
    if not words:
        return ""
    if not text.isascii():
        for word in words:
            if "\u0400" <= word[0] < "\u0530":
                return "ru"
            if "\u0600" <= word[0] < "\u0700":
                return "ar"
    tails = _ENGLISH_TAIL.findall(text)
    languages = _languages()
    counts = Counter([name for word in words for name in languages.get(word, ())])
    counts["en"] += len(tails)
    most = max(counts.values())
    best = [name for name, count in counts.items() if count == most]
    if (most < 2 or "en" in best) and best != ["en"] and _english(text):
        return "en"  # one word of grammar tells little
    return best[0] if most and len(best) == 1 else ""


def _english(text: str) -> bool:
    """Whether the words are plain English ones, or names."""
    if not text.isascii():
        return False
    grammar = _languages()
    words = [word for word in _LATIN.findall(text) if word.islower() and word not in grammar]
    common = {commonness(word) for word in words}
    return "foreign" not in common and ("ordinary" in common or not common)


def words_of(text: str, language: str) -> list[Word]:
    """The words as they are compared, without what stands around them."""
    if '"' in text:
        text = _QUOTED.sub(lambda m: _TIE.join(m[0].split()), text)
    chunks = text.split()
    letters = [chunk for chunk in chunks if chunk[:1].isalpha()]
    capitals = sum([chunk[0].isupper() for chunk in letters])
    titled = len(letters) > 3 and capitals * 5 > len(letters) * 3
    tells = 0 if language == "de" else 1 if titled else 2
    found: list[Word] = []
    for chunk in chunks:
        found += _chunk(chunk, language, tells if found else 0)
    return found


@lru_cache(maxsize=8192)
def _chunk(chunk: str, language: str, capital_tells: int) -> list[Word]:
    """The words of one stretch without white space; shared, so nobody may change the list. A
    capital tells 0: nothing, 1: that it is a name if it is no word of grammar, 2: a name."""
    if _is_syntax(chunk):
        return [Word(fold(chunk), True)]
    core = chunk.lstrip(_BEFORE)
    bare = core.rstrip(_AFTER)
    stop = core[len(bare) :].strip("'\")]}") != "" or chunk == "-" or chunk == "—"
    if not bare.strip("-—·|") or all(c > "\u2190" and not c.isalnum() for c in bare):
        return []  # a dash, a smile
    if bare.isascii() and bare.isalpha():  # most of them
        name = capital_tells > 0 and bare[0].isupper() and bare != "I"
        if name and capital_tells == 1 and bare.lower() in _languages():
            name = False
        shouted = name and bare.isupper() and bare.lower() in data.MAYBE_NAMES
        if language == "en" and not name and (full := data.SHORT.get(bare.lower())):  # whats, dont
            return [Word(part) for part in full.split()]
        return [Word(bare if shouted else bare.lower(), name, stop=stop)]
    name = capital_tells > 0 and bare[:1].isupper()
    word = fold(bare) if language in ("en", "ru", "ar") else bare.casefold()
    if any(char.isdigit() for char in word):
        return [w._replace(stop=stop) for w in _number(word)]
    if not word.strip("-"):
        return []
    if "-" in word and all(part.isalpha() for part in word.split("-")):
        parts = [Word(part, name, tied=n > 0) for n, part in enumerate(word.split("-"))]
        return [*parts[:-1], parts[-1]._replace(stop=stop)]
    if "/" in word and all(part.isalpha() for part in word.split("/")):
        return [Word(part, True) for part in word.split("/")]
    if _INITIALS.fullmatch(word):  # u.s., e.g.
        word = word.replace(".", "")
    if "'" in word:
        return [w._replace(name=name, stop=stop) for w in _apostrophe(word, language)]
    return [Word(word, name or not word.isalpha(), stop=stop)]


def _is_syntax(chunk: str) -> bool:
    """Whether it is of the query language (quotes, exclusion, prefix, filter) or looks so."""
    first = chunk[0]
    if first == '"' or (
        first == "-" and len(chunk) > 1 and (chunk[1].isalpha() or chunk[1] in '-"')
    ):
        return True
    return chunk.endswith("*") or (":" in chunk[:-1] and not first.isdigit())


def _number(word: str) -> list[Word]:
    """A number, or an identifier with a digit in it."""
    if "," in word and _THOUSANDS.fullmatch(word.lstrip("$€£")):
        word = word.replace(",", "")
    if word[0] in _MONEY:
        return [Word(word[1:], True), Word(_MONEY[word[0]])]
    if word[-1] == "%":
        return [Word(word[:-1], True), Word("percent")]
    if word.endswith("'s"):
        return [Word(word[:-2], True, True)]
    if unit := _UNIT.fullmatch(word):  # 3pm, 5k, 16gb
        return [Word(unit[1], True), Word(unit[2], True)]
    if word[0] == "#" and word[1:].isdigit():
        word = word[1:]
    head, dash, rest = word.partition("-")
    if dash and head.isdigit() and rest.isalpha():  # 30-gallon
        return [Word(head, True), Word(rest)]
    return [Word(word, True)]


def _apostrophe(word: str, language: str) -> list[Word]:
    if language != "en":
        return [Word(part) for part in word.split("'") if part]
    whole = data.SHORT.get(word)
    if whole:
        return [Word(part) for part in whole.split()]
    for end, full in _TAILS.items():
        if word.endswith(end):
            return [Word(word[: -len(end)]), Word(full)]
    if word.endswith("'s"):
        return [Word(word[:-2].replace("'", ""), owner=True)]
    if word.endswith("'"):
        return [Word(word[:-1].replace("'", ""), owner=True)]
    return [Word(word.replace("'", ""))]


@cache
def places(language: str) -> frozenset[str]:
    return frozenset(data.LANGUAGES[language].places.split())


@cache
def fillers(language: str) -> frozenset[str]:
    return frozenset(data.LANGUAGES[language].fillers.split())


@cache
def numbers(language: str) -> dict[str, str]:
    return {w: str(n) for n, w in enumerate(data.LANGUAGES[language].numbers.split())}


@lru_cache(maxsize=4)
def openers(language: str) -> frozenset[str]:
    """First words of what several words say."""
    return frozenset(word.split()[0] for word in data.equal(language) if " " in word)


def several(words: list[Word], n: int, equal: dict[str, str], first: str = "") -> tuple[str, int]:
    """What several words from the *n*-th say as one, and how many they are."""
    first = first or words[n].text
    for size in (3, 2):
        if n + size <= len(words):
            rest = " ".join([word.text for word in words[n + 1 : n + size]])
            one = equal.get(f"{first} {rest}")
            if one and not any(word.stop for word in words[n : n + size - 1]):
                return one, size
    return "", 1
