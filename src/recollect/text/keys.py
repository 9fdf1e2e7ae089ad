"""Names as keys: what a name is looked up by, and where a text says it.

A key is a name with everything taken away that does not matter: case, width, accents,
possessives, plurals, and hyphens, underscores, points and spaces between its words. A text says
a name where a run of its words has the same key; a script that is written without spaces is
taken character by character. A slip of one letter is forgiven where the word that has it is no
ordinary word.

A store finds names by *handles*. Those of a name are its key and, for the slips, its first and its
second half: whatever one letter is wrong, one of the two halves is right.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from recollect.text.ordinary import commonness
from recollect.text.stopwords import language, stopwords
from recollect.text.terms import fold, is_run, stem

LONGEST = 8
"""Words of a name that are looked up at once."""
FORGIVEN = 4
"""Names shorter than this have no slips; at this length a letter may only be added or swapped."""
MOST_WORDS = 4000
"""Words of a text that are looked at."""

_WORD = re.compile(r"\d+(?:[.,]\d+)+|#\d+|\w+(?:['’ʼ]\w+)*(?:\+\+|#(?!\w))?")
_BREAK = re.compile(r"[.!?;:,]\s|[,;()\[\]{}\"“”„«»|\n…—–。、，！？；：]")
_RUN_OR_WORD = re.compile(r"[A-Za-z0-9+#]+|\w")
_POSSESSIVE = re.compile(r"['’ʼ](?:s|S)?$")
_IRREGULAR = {
    "children": "child", "people": "person", "men": "man", "women": "woman", "mice": "mouse",
    "feet": "foot", "teeth": "tooth", "geese": "goose", "indices": "index", "indexes": "index",
    "matrices": "matrix", "vertices": "vertex", "criteria": "criterion", "leaves": "leaf",
    "lives": "life", "knives": "knife", "wives": "wife", "shelves": "shelf", "halves": "half",
    "selves": "self", "wolves": "wolf", "analyses": "analysis", "crises": "crisis",
    "theses": "thesis", "news": "news", "series": "series",
    "species": "species", "hypotheses": "hypothesis", "phenomena": "phenomenon",
}  # fmt: skip
_ENDINGS = {
    "de": ("innen", "ern", "en", "er", "es", "em", "n", "e", "s"),
    "es": ("es",),
    "fr": ("x", "e", "es"),
}
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})


class Word(NamedTuple):
    """A word of a text: where it is, as it is written, and as it is compared."""

    start: int
    end: int
    written: str
    folded: str
    forms: tuple[str, ...]
    """What it may be a form of; the first is how a name has it."""
    joined: bool
    """Whether nothing parts it from the word before."""


class Span(NamedTuple):
    """A run of words of a text that says a name."""

    first: int
    last: int
    key: str
    slip: bool = False

    def inside(self, other: Span) -> bool:
        """Whether it lies in the other, which is longer."""
        longer = other.last - other.first > self.last - self.first
        return longer and other.first <= self.first and self.last <= other.last


# ------------------------------------------------------------------ words


def words(text: str) -> list[Word]:
    """The words of a text, as far as they are looked at."""
    text = unicodedata.normalize("NFKC", text)
    tongue = "" if text.isascii() and len(text) < 40 else language(text)
    found: list[Word] = []
    end = 0
    for match in _WORD.finditer(text):
        short = bool(found) and len(found[-1].folded) <= 3 and text[end : end + 2] == ". "
        joined = bool(found) and (short or not _BREAK.search(text, end, match.start() + 1))
        end = match.end()
        for start, part in _parts(match.start(), match.group()):
            found.append(_word(start, part, tongue, joined))
            joined = True
        if len(found) >= MOST_WORDS:
            break
    return found


def _parts(start: int, word: str) -> Iterator[tuple[int, str]]:
    """Words at their underscores, and what has no spaces character by character."""
    for piece in re.finditer(r"[^_]+", word):
        at, rest = start + piece.start(), piece.group()
        if rest.isascii() or not any(is_run(char) for char in rest):
            yield at, rest
            continue
        for part in _RUN_OR_WORD.finditer(rest):
            yield at + part.start(), part.group()


def _word(start: int, written: str, tongue: str, joined: bool) -> Word:
    bare = _POSSESSIVE.sub("", written)
    folded = fold(bare).replace("'", "").replace("’", "")
    return Word(start, start + len(written), bare, folded, _forms(bare, folded, tongue), joined)


@lru_cache(maxsize=8192)
def _forms(bare: str, folded: str, tongue: str) -> tuple[str, ...]:
    if not folded.isalpha():
        return (folded.replace(",", ""),)
    if not folded.isascii():
        return (folded,) if is_run(folded) else (stem(folded),)
    forms = [_singular(folded)]
    forms.append(_singular(fold(_spelt_out(bare))))
    forms += [
        _singular(folded.removesuffix(ending))
        for ending in _ENDINGS.get(tongue, ())
        if folded.endswith(ending) and len(folded) - len(ending) >= 4
    ]
    return tuple(dict.fromkeys(forms))


def _spelt_out(text: str) -> str:
    """Umlauts as two letters."""
    text = unicodedata.normalize("NFC", text).casefold()
    return text if text.isascii() else text.translate(_UMLAUTS)


def _singular(word: str) -> str:
    """One form for a word and its plural; not always a word."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 3 or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    if word.endswith("s"):
        word = word[:-1]
    if word.endswith("ie") and len(word) > 4:
        return f"{word[:-2]}y"
    return word.removesuffix("e") if word.endswith(("che", "she")) and len(word) > 4 else word


# ------------------------------------------------------------------ keys


def _joined(parts: Sequence[str]) -> str:
    """One word of several, for its plural too; figures that meet are kept apart."""
    out = ""
    for part in parts:
        out += f"·{part}" if out[-1:].isdigit() and part[:1].isdigit() else part
    return _singular(out) if out.isascii() and out[-1:] == "s" else out


@lru_cache(maxsize=8192)
def keys(name: str) -> tuple[str, ...]:
    """What a name is looked up by: its key first, then others that are as good. None for a name
    that has no word in it."""
    some = words(name)
    if not some:
        return ()
    found = [_joined([word.forms[0] for word in some])]
    found += [_joined([*(w.forms[0] for w in some[:-1]), form]) for form in some[-1].forms[1:]]
    spelt = _spelt_out(name)
    if spelt != name.casefold():
        found.append(_joined([word.forms[0] for word in words(spelt)]))
    for pair, letter in (("ae", "a"), ("oe", "o"), ("ue", "u")):
        if pair in found[0] and found[0].isalpha() and not found[0].endswith(pair):
            short = found[0].replace(pair, letter)
            if "ordinary" not in (commonness(short), commonness(found[0])):
                found.append(short)
    return tuple(dict.fromkeys(found))


def handles(name: str) -> tuple[str, ...]:
    """What a store is to find the name under."""
    some = words(name)
    if len(some) > LONGEST:
        return (_joined([word.forms[0] for word in some[:LONGEST]]),)
    found = list(keys(name))
    for key in found[:1]:
        if len(key) >= FORGIVEN and key.isascii():
            half = len(key) // 2
            found += [f"<{len(key)}:{key[:half]}", f">{len(key)}:{key[half:]}"]
    return tuple(found)


def is_common(name: str, tongue: str = "en") -> bool:
    """Whether a name is one ordinary word, or words of grammar alone, so that a text (in this
    language) may well say it and mean something else."""
    some = words(name)
    if len(some) == 1 and some[0].written[1:] in (
        some[0].written[1:].lower(), some[0].written[1:].upper()
    ):  # fmt: skip
        common = commonness(some[0].folded)
        ours = common in ("ordinary", "rare") or (common == "foreign" and tongue not in ("", "en"))
        return ours or some[0].folded.isdigit()
    return len(some) > 1 and all(stem(word.folded) in stopwords() for word in some)


# ------------------------------------------------------------------ names in a text


def spoken(text: Sequence[Word]) -> dict[str, list[Span]]:
    """Every key that the text may be saying, and where."""
    found: dict[str, list[Span]] = {}
    for first in range(len(text)):
        parts: list[str] = []
        for last in range(first, min(first + LONGEST, len(text))):
            if last > first and not text[last].joined:
                break
            for form in text[last].forms:
                key = _joined([*parts, form])
                found.setdefault(key, []).append(Span(first, last, key))
            parts.append(text[last].forms[0])
    return found


def strange(text: Sequence[Word], taken: Sequence[Span]) -> list[int]:
    """The places of the words that may be a slip of the pen."""
    said = {n for span in taken for n in range(span.first, span.last + 1)}
    return [
        n
        for n, word in enumerate(text)
        if n not in said and len(word.folded) >= FORGIVEN and word.folded.isalpha()
        and word.folded.isascii() and _is_strange(text, n)
    ]  # fmt: skip


def _is_strange(text: Sequence[Word], n: int) -> bool:
    """Whether a word is none, or one so rare that with a capital it is rather a name."""
    common = commonness(text[n].folded)
    return not common or (common == "rare" and text[n].joined and text[n].written[0].isupper())


def slip_handles(text: Sequence[Word], odd: Sequence[int]) -> dict[str, list[Span]]:
    """The halves under which names may be found that these words miss by a letter, and the runs
    of words that have them."""
    found: dict[str, list[Span]] = {}
    for span in _around(text, set(odd)):
        said = span.key
        for length in (len(said) - 1, len(said), len(said) + 1):
            half = length // 2
            if length < FORGIVEN:
                continue
            tail = length - half
            found.setdefault(f"<{length}:{said[:half]}", []).append(span)
            found.setdefault(f">{length}:{said[-tail:]}", []).append(span)
        half = len(said) // 2
        swapped = said[: half - 1] + said[half : half + 1]  # in the very middle
        found.setdefault(f"<{len(said)}:{swapped}", []).append(span)
    return found


def _around(text: Sequence[Word], odd: set[int]) -> Iterator[Span]:
    """Runs of a few words with a strange one among them."""
    for first in range(len(text)):
        parts: list[str] = []
        for last in range(first, min(first + LONGEST // 2, len(text))):
            if last > first and not text[last].joined:
                break
            parts.append(text[last].forms[0])
            if not odd.isdisjoint(range(first, last + 1)):
                yield Span(first, last, _joined(parts), slip=True)


def slipped(span: Span, key: str, text: Sequence[Word], odd: Sequence[int]) -> bool:
    """Whether the words are the name with one slip, and the slip is in a strange word."""
    said = span.key
    if _figures(said) != _figures(key):
        return False
    at = slip(said, key)
    if at is None or (len(key) == FORGIVEN and len(said) < len(key)):
        return False
    if len(key) == FORGIVEN and len(said) == len(key) and sorted(said) != sorted(key):
        return False
    passed = 0
    for n in range(span.first, span.last + 1):
        passed += len(text[n].forms[0])
        if at < passed or n == span.last:
            return n in odd or (at == passed - len(text[n].forms[0]) and n - 1 in odd)
    return False


def _figures(text: str) -> str:
    return "".join(char for char in text if char.isdigit())


def slip(said: str, meant: str) -> int | None:
    """Where the one letter is that is missing, added, wrong, or swapped with the next; None when
    they are the same or differ in more."""
    if said == meant or abs(len(said) - len(meant)) > 1:
        return None
    at = 0
    while at < min(len(said), len(meant)) and said[at] == meant[at]:
        at += 1
    rest, wanted = said[at:], meant[at:]
    if rest[1:] == wanted or rest == wanted[1:] or rest[1:] == wanted[1:]:
        return at
    swapped = rest[1:2] + rest[:1] + rest[2:]
    return at if len(rest) > 1 and swapped == wanted else None
