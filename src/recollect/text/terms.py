"""Text to index terms: one pure function for documents and queries.

What it guarantees
- The terms of a text are the terms of its chunks (stretches without white space) in order, and
  a chunk's terms depend on that chunk alone. A phrase of whole chunks is therefore a
  contiguous run of terms wherever it occurs.
- Case, width, accents and typographic variants are folded; possessives and the apostrophes of
  contractions go away; thousands separators go away.
- Compound chunks (``src/main.py``, ``dead_letter_queue``, ``getUserName``, ``a@b.org``,
  ``#123``, ``50%``) give the folded whole and, after it, the parts.
- Scripts written without spaces give overlapping bigrams; a run's last character is added as a
  term of its own so that a single character can be found by prefix wherever it stands.
- ``stem`` terms are stemmed by script (Snowball English for Latin, Russian for Cyrillic, Arabic
  for Arabic); ``exact`` terms are not, and serve phrases and prefixes.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from itertools import filterfalse
from operator import itemgetter

import Stemmer

from recollect.named_tuple import NamedTuple

RUNS = (  # scripts written without spaces between words, and Hangul with its particles
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003ffff"
)
_MARKS = (  # combining signs that are part of a word, which \w leaves out
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff\u0f00-\u0fff\u200c\u200d"
)
_PICTURES = "\u2190-\u2bff\U0001f000-\U0001faff"
_WORD = rf"\w{_MARKS}"

_CORE = re.compile(r"[#$@.]?\w+(?:[-_./:@'+&=,\\]+\w+)*(?:%|\+\++|#)?", re.ASCII)
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", re.ASCII)


class _Wide(NamedTuple):
    """The patterns for text that is not ASCII."""

    core: re.Pattern[str]
    part: re.Pattern[str]


@cache
def _wide() -> _Wide:
    """Compiled when first needed."""
    core = rf"[#$@€£.]?[{_WORD}]+(?:[-_./:@'+&=,\\]+[{_WORD}]+)*(?:%|\+\++|#)?|[{_PICTURES}]"
    part = rf"[A-Z]+(?![a-z{_MARKS}])|[A-Z]?[a-z]+|\d+|(?:[^\W\d_A-Za-z]|[{_MARKS}])+"
    return _Wide(re.compile(core), re.compile(part))


@cache
def _chunk() -> re.Pattern[str]:
    """Compiled when first needed: the large classes take longer than a whole search."""
    return re.compile(rf"[{RUNS}]+|[^\s{RUNS}]+")


_RANGES = tuple(zip(RUNS[::3], RUNS[2::3], strict=True))


def is_run(text: str) -> bool:
    """Whether *text* begins with a script that is written without spaces."""
    first = text[:1]
    return first >= "\u0e00" and any(low <= first <= high for low, high in _RANGES)


_THOUSANDS = re.compile(r"(?<![\d.])\d{1,3}(?:,\d{3})+(?![\d,])")
_TYPOGRAPHY = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'", "\u2010": "-", "\u2011": "-"})
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae",
                          "œ": "oe", "ı": "i", "ĸ": "k", "ŧ": "t", "ħ": "h"})  # fmt: skip

_MARGIN = "\"'()[]{}<>,;:!?*_`~|"
"""What may stand around a plain word and means nothing to it; a dot or a sign may mean more."""

MAX_TERM = 80
"""Longer compounds (data URIs) are indexed by their parts only, longer words by so much."""

MEMO_SIZE = 1 << 18
SENTENCE, SENTENCES = 1_000, 4_096
"""Characters of a text whose stems are kept in memory, and how many such texts."""


class Terms(NamedTuple):
    """Two parallel readings of a text, each a string of terms separated by one space."""

    stem: str
    exact: str


_english = Stemmer.Stemmer("english", 0)
_russian = Stemmer.Stemmer("russian", 0)
_STEMMERS = {0x04: _russian, 0x05: _russian, 0x06: Stemmer.Stemmer("arabic", 0)}
"""By the block of 256 characters that a word begins in; English for all others."""


def fold(text: str) -> str:
    """Case, width and accents removed; marks stay where they are letters of their script."""
    if text.isascii():
        return text.lower()
    if is_run(unicodedata.normalize("NFKC", text[:32])):  # a letter with all its marks
        return unicodedata.normalize("NFKC", text).casefold()
    parts: list[str] = []
    at = 0
    for match in _FOREIGN.finditer(text):
        parts += (text[at : match.start()].lower(), _folded(match[0]))
        at = match.end()
    return "".join([*parts, text[at:].lower()])


@lru_cache(maxsize=1024)
def _folded(text: str) -> str:
    """Of a stretch without ASCII. What stands around it has no part in it: a mark on an ASCII
    letter goes away, as it does by itself."""
    out: list[str] = []
    text = unicodedata.normalize("NFKC", text).casefold()
    for char in unicodedata.normalize("NFKD", text):
        if unicodedata.combining(char) and not "\u0900" <= char < "\u1000":
            if char == "\u0306" and out[-1:] == ["и"]:
                out[-1] = "й"  # a letter of its own, and the stemmer's
            continue
        if char.isdigit():
            char = str(unicodedata.digit(char, 0))
        out.append(char)
    return "".join(out).replace("\u200c", "").replace("\u200d", "").translate(_LETTERS)


def _unaccented(text: str) -> str:
    """Latin letters without their accents, in their case; anything else as it is."""
    bare = "".join(filterfalse(unicodedata.combining, unicodedata.normalize("NFKD", text)))
    return bare if bare.isascii() else text


def stem(word: str) -> str:
    """The stem of a folded word."""
    if len(word) < 3 or not word.isalpha():
        return word
    return str(_STEMMERS.get(ord(word[0]) >> 8, _english).stemWord(word))


def _core_words(core: str) -> list[str]:
    """The words of one core: the whole when it is a compound, then its parts; folded."""
    if "'" in core:
        core = core.removesuffix("'s").removesuffix("'S").replace("'", "")
    if "," in core:
        core = _THOUSANDS.sub(lambda m: m[0].replace(",", ""), core)
    if not core.isascii():
        core = _unaccented(core)
    whole = fold(core)
    if whole.isalpha() and (core[1:].islower() or core.isupper() or len(core) == 1):
        return [whole[:MAX_TERM]]
    parts = (_PART if core.isascii() else _wide().part).findall(core)
    if len(parts) == 1 and len(parts[0]) == len(core):
        return [whole[:MAX_TERM]]
    words = [whole] if len(whole) <= MAX_TERM else []
    words += [fold(p)[:MAX_TERM] for p in parts if len(p) > 1 or not p.isascii() or p.isdigit()]
    return words or [whole[:MAX_TERM]]


def _chunk_terms(chunk: str) -> tuple[str, str]:
    """(stem, exact) of one chunk that has no white space in it."""
    if is_run(chunk):
        pairs = [chunk[i : i + 2] for i in range(len(chunk) - 1)]
        run = " ".join([*pairs, chunk[-1]])
        return run, run
    plain = chunk[:-1] if chunk.endswith(".") else chunk.strip(_MARGIN)
    if plain.isascii() and plain.isalnum():  # nine of ten chunks, without a regular expression
        if plain.isalpha() and (plain[1:].islower() or plain.isupper()):
            word = plain[:MAX_TERM].lower()
            stemmed = stem(word)
            return (word, word) if stemmed == word else (stemmed, word)
        if plain.isdigit() and "_" not in chunk:
            return plain[:MAX_TERM], plain[:MAX_TERM]
    words: list[str] = []
    chunk = chunk.translate(_TYPOGRAPHY)
    for core in (_CORE if chunk.isascii() else _wide().core).findall(chunk):
        words += _core_words(core)
    words = list(filter(None, words))
    return " ".join(map(stem, words)), " ".join(words)


class _Memo(dict[str, tuple[str, str]]):
    """Chunk to terms, remembered; text repeats its chunks, so this is most of the speed."""

    def __missing__(self, chunk: str) -> tuple[str, str]:
        if len(self) >= MEMO_SIZE:
            self.clear()
        found = _chunk_terms(chunk)
        if len(chunk) <= MAX_TERM:
            self[chunk] = found
        return found


_memo = _Memo()


def chunks(text: str) -> list[str]:
    if text.isascii():
        return text.split()
    text = unicodedata.normalize("NFKC", text)
    return _chunk().findall(text) if any(map(is_run, set(text))) else text.split()


def terms(text: str) -> Terms:
    """The terms of *text*, as a document has them."""
    pairs = list(map(_memo.__getitem__, chunks(text)))
    # Nothing is left of some words, such as a stroke in Arabic.
    stems = filter(None, map(itemgetter(0), pairs))
    exact = filter(None, map(itemgetter(1), pairs))
    return Terms(" ".join(stems), " ".join(exact))


def _stems(text: str) -> frozenset[str]:
    return frozenset(" ".join([_memo[chunk][0] for chunk in chunks(text)]).split())


_known_stems = lru_cache(SENTENCES)(_stems)


def stems(text: str) -> frozenset[str]:
    """The stems of *text*, each once. A search asks it of a sentence several times."""
    return _known_stems(text) if len(text) <= SENTENCE else _stems(text)


def fold_prefix(text: str) -> str:
    """The beginning of a word as the exact terms have it."""
    return fold(text.translate(_TYPOGRAPHY).strip(_MARGIN).replace("'", ""))


def phrase_terms(text: str) -> tuple[str, ...]:
    """The exact terms of words in a row. They may end inside a longer run, so only the last
    run loses the helper term that ends it."""
    found = chunks(text)
    terms = " ".join(_memo[chunk][1] for chunk in found).split()
    if found and len(found[-1]) > 1 and is_run(found[-1]):
        del terms[-1]
    return tuple(terms)


def query_terms(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(stem, exact) terms that *text* asks for: as a document's, less the helper term that ends
    a run of two characters or more."""
    stems: list[str] = []
    exact: list[str] = []
    for chunk in chunks(text):
        stem_part, exact_part = _memo[chunk]
        found, plain = stem_part.split(), exact_part.split()
        if len(chunk) > 1 and is_run(chunk):
            del found[-1], plain[-1]
        stems += found
        exact += plain
    return tuple(stems), tuple(exact)
