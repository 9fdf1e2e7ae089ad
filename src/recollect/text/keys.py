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
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain, takewhile
from operator import attrgetter

from recollect.named_tuple import NamedTuple
from recollect.text.ordinary import commonness
from recollect.text.stopwords import language, stopwords
from recollect.text.terms import fold, is_run, stem

LONGEST = 8
"""Words of a name that are looked up at once."""
FORGIVEN = 4
"""Names shorter than this have no slips; at this length a letter may only be added or swapped."""
MOST_WORDS = 4000
"""Words of a text that are looked at."""
_TELLING = re.compile(f"[A-Za-z]{{{FORGIVEN},}}")
"""A word with letters enough for a slip to be told."""

_WORD = re.compile(r"\d+(?:[.,]\d+)+|#\d+|\w+(?:['’ʼ]\w+)*(?:\+\+|#(?!\w))?")
_BREAK = re.compile(r"[.!?;:,]\s|[,;()\[\]{}\"“”„«»|\n…—–。、，！？；：]")
_RUN_OR_WORD = re.compile(r"[A-Za-z0-9+#]+|\w")
_POSSESSIVE = re.compile(r"['’ʼ](?:s|S)?$")
# fmt: off
_IRREGULAR = {
    "children": "child", "people": "person", "men": "man", "women": "woman", "mice": "mouse",
    "feet": "foot", "teeth": "tooth", "geese": "goose", "indices": "index", "indexes": "index",
    "matrices": "matrix", "vertices": "vertex", "criteria": "criterion", "leaves": "leaf",
    "lives": "life", "knives": "knife", "wives": "wife", "shelves": "shelf", "halves": "half",
    "selves": "self", "wolves": "wolf", "analyses": "analysis", "crises": "crisis",
    "theses": "thesis", "news": "news", "series": "series",
    "species": "species", "hypotheses": "hypothesis", "phenomena": "phenomenon",
}
_PLURALS = (
    ("ies", 5, 3, "y"), ("ies", 0, 1, ""),
    ("sses", 0, 2, ""), ("shes", 0, 2, ""), ("ches", 0, 2, ""), ("xes", 0, 2, ""),
    ("zzes", 0, 2, ""),
    ("s", 0, 1, ""), ("ie", 5, 2, "y"), ("che", 5, 1, ""), ("she", 5, 1, ""),
)
# fmt: on
"""An ending, the letters that a word with it has at least, how many go away, and what comes."""
_ENDINGS = {
    "de": ("innen", "ern", "en", "er", "es", "em", "n", "e", "s"),
    "es": ("es",),
    "fr": ("x", "e", "es"),
}
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})


class TextWord(NamedTuple):
    """A word of a text: where it is, as it is written, and as it is compared."""

    start: int
    end: int
    written: str
    folded: str
    forms: tuple[str, ...]
    """What it may be a form of; the first is how a name has it."""
    joined: bool
    """Whether nothing parts it from the word before."""


class NameSpan(NamedTuple):
    """A run of words of a text that says a name."""

    first: int
    last: int
    key: str
    slip: bool = False

    def inside(self, other: NameSpan) -> bool:
        """Whether it lies in the other, which is longer."""
        longer = other.last - other.first > self.last - self.first
        return longer and other.first <= self.first and self.last <= other.last


# ------------------------------------------------------------------ words


@lru_cache(maxsize=512)
def words(text: str) -> tuple[TextWord, ...]:
    """The words of a text, as far as they are looked at."""
    text = unicodedata.normalize("NFKC", text)
    tongue = "" if text.isascii() and len(text) < 40 else language(text)
    found: list[TextWord] = []
    end = 0
    for match in _WORD.finditer(text):
        joined = bool(found) and _is_joined(text, found[-1], end, match.start())
        end = match.end()
        for start, part in _parts(match.start(), match.group()):
            found.append(_word(start, part, tongue, joined))
            joined = True
        if len(found) >= MOST_WORDS:
            break
    return tuple(found)


def _is_joined(text: str, before: TextWord, end: int, start: int) -> bool:
    """Whether nothing parts two words; a point after a short one is that of an abbreviation."""
    abbreviated = len(before.folded) <= 3 and text[end : end + 2] == ". "
    return abbreviated or not _BREAK.search(text, end, start + 1)


def _parts(start: int, word: str) -> Iterator[tuple[int, str]]:
    """Words at their underscores, and what has no spaces character by character."""
    for piece in re.finditer(r"[^_]+", word):
        at, rest = start + piece.start(), piece.group()
        if not rest.isascii() and any(map(is_run, rest)):
            yield from ((at + part.start(), part[0]) for part in _RUN_OR_WORD.finditer(rest))
        else:
            yield at, rest


def _word(start: int, written: str, tongue: str, joined: bool) -> TextWord:
    bare = _POSSESSIVE.sub("", written)
    folded = fold(bare).replace("'", "").replace("’", "")
    return TextWord(start, start + len(written), bare, folded, _forms(bare, folded, tongue), joined)


@lru_cache(maxsize=8192)
def _forms(bare: str, folded: str, tongue: str) -> tuple[str, ...]:
    if not folded.isalpha():
        return (folded.replace(",", ""),)
    if not folded.isascii():
        return (stem(folded),)
    stems = map(folded.removesuffix, _ENDINGS.get(tongue, ()))
    shorter = (short for short in stems if 4 <= len(short) < len(folded))
    forms = (folded, fold(_spelt_out(bare)), *shorter)
    return tuple(dict.fromkeys(map(_singular, forms)))


def _spelt_out(text: str) -> str:
    """Umlauts as two letters."""
    return unicodedata.normalize("NFC", text).casefold().translate(_UMLAUTS)


def _singular(word: str) -> str:
    """One form for a word and its plural; not always a word."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 3 or word.endswith(("ss", "us", "is")):
        return word
    for ending, least, cut, added in _PLURALS:
        if word.endswith(ending) and len(word) >= least:
            return word[:-cut] + added
    return word


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
    start = _first_forms(some[:-1])
    found = [_joined([*start, form]) for form in some[-1].forms]
    spelt = _spelt_out(name)
    if spelt != name.casefold():
        found.append(_joined(_first_forms(words(spelt))))
    return tuple(dict.fromkeys([*found, *_without_umlauts(found[0])]))


def _first_forms(some: Sequence[TextWord]) -> list[str]:
    """The words as a name has them."""
    return [word.forms[0] for word in some]


def _without_umlauts(key: str) -> Iterator[str]:
    """The key with one letter for each spelt-out umlaut, unless either is an ordinary word."""
    for pair in ("ae", "oe", "ue"):
        if pair not in key or not key.isalpha() or key.endswith(pair):
            continue
        short = key.replace(pair, pair[0])
        if "ordinary" not in (commonness(short), commonness(key)):
            yield short


def handles(name: str) -> tuple[str, ...]:
    """What a store is to find the name under."""
    some = words(name)
    if len(some) > LONGEST:
        return (_joined(_first_forms(some[:LONGEST])),)
    found = keys(name)
    return (*found, *_halves(found[0])) if found else ()


def _halves(key: str) -> tuple[str, ...]:
    if len(key) < FORGIVEN or not key.isascii():
        return ()
    half = len(key) // 2
    return f"<{len(key)}:{key[:half]}", f">{len(key)}:{key[half:]}"


def is_common(name: str, tongue: str = "en") -> bool:
    """Whether a name is one ordinary word, or words of grammar alone, so that a text (in this
    language) may well say it and mean something else."""
    some = words(name)
    if len(some) == 1:
        return _is_plain(some[0].written) and _is_ordinary(some[0].folded, tongue)
    stems = {stem(word.folded) for word in some}
    return len(some) > 1 and stems <= stopwords()


def _is_plain(written: str) -> bool:
    """Whether a word has no capital inside, unless it is all capitals."""
    return written[1:] in (written[1:].lower(), written[1:].upper())


def _is_ordinary(word: str, tongue: str) -> bool:
    common = commonness(word)
    foreign = common == "foreign" and tongue not in ("", "en")
    return foreign or common in ("ordinary", "rare") or word.isdigit()


# ------------------------------------------------------------------ names in a text


def _runs(text: Sequence[TextWord], longest: int) -> Iterator[tuple[int, int, list[str], TextWord]]:
    """Yields each run of words that nothing parts: the places of its first and last word, how a
    name has all words but the last (in a list that grows), and the last."""
    for first, opening in enumerate(text):
        more = takewhile(attrgetter("joined"), text[first + 1 : first + longest])
        before: list[str] = []
        for last, word in enumerate((opening, *more), first):
            yield first, last, before, word
            before.append(word.forms[0])


def spoken(text: Sequence[TextWord]) -> dict[str, list[NameSpan]]:
    """Every key that the text may be saying, and where."""
    found: dict[str, list[NameSpan]] = {}
    for first, last, before, word in _runs(text, LONGEST):
        for form in word.forms:
            key = _joined([*before, form])
            found.setdefault(key, []).append(NameSpan(first, last, key))
    return found


def strange(text: Sequence[TextWord], taken: Sequence[NameSpan]) -> list[int]:
    """The places of the words that may be a slip of the pen."""
    said = set(chain.from_iterable(range(span.first, span.last + 1) for span in taken))
    return [n for n in range(len(text)) if n not in said and _is_strange(text[n])]


def _is_strange(word: TextWord) -> bool:
    """Whether a word is none, or one so rare that with a capital it is rather a name."""
    if not _TELLING.fullmatch(word.folded):
        return False
    common = commonness(word.folded)
    return not common or (common == "rare" and word.joined and word.written[0].isupper())


def slip_handles(text: Sequence[TextWord], odd: Sequence[int]) -> dict[str, list[NameSpan]]:
    """The halves under which names may be found that these words miss by a letter, and the runs
    of words that have them."""
    spans = _around(text, set(odd))
    found: dict[str, list[NameSpan]] = {}
    for span in spans:
        for handle in _slip_handles(span.key):
            found.setdefault(handle, []).append(span)
    return found


def _slip_handles(said: str) -> Iterator[str]:
    for length in range(max(FORGIVEN, len(said) - 1), len(said) + 2):
        half = length // 2
        yield f"<{length}:{said[:half]}"
        yield f">{length}:{said[half - length :]}"
    half = len(said) // 2
    swapped = said[: half - 1] + said[half : half + 1]  # in the very middle
    yield f"<{len(said)}:{swapped}"


def _around(text: Sequence[TextWord], odd: set[int]) -> Iterator[NameSpan]:
    """Runs of a few words with a strange one among them."""
    for first, last, before, word in _runs(text, LONGEST // 2):
        if not odd.isdisjoint(range(first, last + 1)):
            yield NameSpan(first, last, _joined([*before, word.forms[0]]), slip=True)


def slipped(span: NameSpan, key: str, text: Sequence[TextWord], odd: Sequence[int]) -> bool:
    """Whether the words are the name with one slip, and the slip is in a strange word."""
    at = slip(span.key, key)
    if at is None or _figures(span.key) != _figures(key):
        return False
    if len(key) == FORGIVEN and not _is_small_slip(span.key, key):
        return False
    before = _first_forms(text[span.first : span.last])
    starts = [0, *accumulate(map(len, before))]
    n = bisect_right(starts, at) - 1
    place = span.first + n
    return place in odd or (at == starts[n] and place - 1 in odd)


def _is_small_slip(said: str, key: str) -> bool:
    """Whether in a short name a letter is only added, or swapped with another."""
    return len(said) > len(key) or sorted(said) == sorted(key)


def _figures(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def slip(said: str, meant: str) -> int | None:
    """Where the one letter is that is missing, added, wrong, or swapped with the next; None when
    they are the same or differ in more."""
    if said == meant or abs(len(said) - len(meant)) > 1:
        return None
    at = _shared(said, meant)
    rest, wanted = said[at:], meant[at:]
    swapped = rest[1:2] + rest[:1] + rest[2:]
    one_letter = wanted in (rest[1:], swapped) or wanted[1:] in (rest, rest[1:])
    return at if one_letter else None


def _shared(left: str, right: str) -> int:
    """How many letters two words begin with that are the same."""
    pairs = zip(left, right, strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
