"""What a segment of the text index looks like: the passages in it, and who has which term.

A segment has at most 65,536 passages, in the order of their keys; inside it a passage is the
number of its place, in two bytes. ``members`` is the keys and the lengths of all of them. The
entries of a term are places and, but for words as written, how often each has it.

    b   stems of the passage with its title and headings
    t   stems of title and path
    x   words as written, for prefixes and phrases

Lengths are kept in one byte, as Lucene and tantivy do: exact up to 40, then in steps of at most an
eighth. So the scores are those of the embedded engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from recollect.named_tuple import NamedTuple
from recollect.text.terms import stem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.uint16]

MOST = 1 << 16
"""Passages in a segment."""
_FREE = 24
"""Lengths below this are their own code."""


class _Stems(dict[str, str]):
    def __missing__(self, word: str) -> str:
        if len(self) >= 1 << 19:
            self.clear()
        found = self[word] = stem(word)
        return found


_stems = _Stems()


def stems(exact: str) -> list[str]:
    """The stems of words as written; nothing is left of some."""
    return [found for word in exact.split() if (found := _stems[word])]


# ------------------------------------------------------------------ lengths


def _decoded(code: int) -> int:
    if code < _FREE:
        return code
    bits, shift = (code - _FREE) & 7, ((code - _FREE) >> 3) - 1
    return _FREE + (bits if shift < 0 else (bits | 8) << shift)


LENGTHS = np.array(list(map(_decoded, range(256))), np.float64)
"""What each code stands for."""


def coded(lengths: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The code of the greatest length that is not greater."""
    return (np.searchsorted(LENGTHS, lengths, side="right") - 1).astype(np.uint8)


def rounded(length: int) -> int:
    return int(LENGTHS[coded(np.array([length]))[0]])


# ------------------------------------------------------------------ a segment, written


class SegmentData(NamedTuple):
    members: bytes
    passages: int
    high: int
    """The last key in it."""
    postings: Iterator[tuple[str, str, bytes]]
    """Field, term and entries, in order."""


class _Numbers(dict[str, int]):
    """Words to numbers, as they come."""

    def __missing__(self, word: str) -> int:
        found = self[word] = len(self)
        return found


class _NumberedWords(NamedTuple):
    words: list[str]
    ids: NDArray[np.int64]
    places: NDArray[np.int64]


def _read(texts: Iterable[str]) -> _NumberedWords:
    """Every word of the texts, by its number, with the place of its text."""
    numbers = _Numbers()
    counts: list[int] = []

    def words() -> Iterator[list[str]]:
        for text in texts:
            split = text.split()
            counts.append(len(split))
            yield split

    ids = np.fromiter(map(numbers.__getitem__, chain.from_iterable(words())), np.int64)
    return _NumberedWords(list(numbers), ids, np.repeat(np.arange(len(counts)), counts))


def _stemmed(field: _NumberedWords) -> _NumberedWords:
    numbers = _Numbers()
    made = [numbers[found] if (found := _stems[word]) else -1 for word in field.words]
    ids = np.array(made, np.int64)[field.ids] if made else field.ids
    kept = ids >= 0
    return _NumberedWords(list(numbers), ids[kept], field.places[kept])


def _entries(name: str, field: _NumberedWords, *, often: bool) -> Iterator[tuple[str, str, bytes]]:
    """The entries of each word, in the order of words."""
    pairs, counts = np.unique(field.ids << 16 | field.places, return_counts=True)
    places = (pairs & 0xFFFF).astype("<u2")
    counts = np.minimum(counts, 0xFFFF).astype("<u2")
    ends = np.searchsorted(pairs, np.arange(1, len(field.words) + 1) << 16).tolist()
    for n in sorted(range(len(field.words)), key=field.words.__getitem__):
        part = slice(ends[n - 1] if n else 0, ends[n])
        entries = places[part].tobytes()
        yield name, field.words[n], entries + counts[part].tobytes() if often else entries


def write(rows: Iterable[tuple[int, str, str]]) -> SegmentData:
    """A segment of passages in the order of their keys: key, words of it, words of its title."""
    keys: list[int] = []
    titles: list[str] = []

    def texts() -> Iterator[str]:
        for key, exact, named in rows:
            keys.append(key)
            titles.append(named)
            yield exact

    exact = _read(texts())
    body, title = _stemmed(exact), _stemmed(_read(titles))
    lengths = [coded(np.bincount(field.places, minlength=len(keys))) for field in (body, title)]
    members = np.array(keys, "<i8").tobytes() + b"".join(one.tobytes() for one in lengths)
    postings = chain(
        _entries("b", body, often=True),
        _entries("t", title, often=True),
        _entries("x", exact, often=False),
    )
    return SegmentData(members, len(keys), keys[-1] if keys else 0, postings)


# ------------------------------------------------------------------ a segment, read


class Members(NamedTuple):
    keys: NDArray[np.int64]
    lengths: NDArray[np.uint8]
    title_lengths: NDArray[np.uint8]

    def places(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Returns the places of those keys that are in it."""
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        found: NDArray[np.int64] = at[self.keys[at] == keys] if len(self.keys) else at[:0]
        return found


def members(content: bytes, passages: int) -> Members:
    keys = np.frombuffer(content, "<i8", passages)
    lengths = np.frombuffer(content, np.uint8, 2 * passages, 8 * passages)
    return Members(keys, lengths[:passages], lengths[passages:])


class Entries(NamedTuple):
    places: Places
    counts: Any


def entries(content: bytes, field: str) -> Entries:
    numbers = np.frombuffer(content, "<u2")
    if field == "x":
        return Entries(numbers, None)
    half = len(numbers) // 2
    return Entries(numbers[:half], numbers[half:])
