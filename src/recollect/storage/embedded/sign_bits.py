"""Signs of vectors as bits, and how near a question is to a vector by them alone.

Of a vector ``x`` in a cell around ``c`` the signs of ``x - c`` are kept, and one number, its
*spread* ``|x - c|² / Σ|x - c|``. Then ``q·x`` is about ``q·c + spread · Σ ±q``, each number of the
question with the vector's sign (RaBitQ, Gao and Long 2024). The larger half of the question's
numbers are taken to be equal and the others zero, so that the sum is a count of bits: where the
question is near zero, a sign says little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SMALL = 0.45
"""The share of a question's numbers that are taken to be zero."""


class Rounded(NamedTuple):
    """A question's vector for comparing with signs."""

    signs: NDArray[np.uint64]
    counted: NDArray[np.uint64]
    """Which of its numbers are not zero."""
    nonzero: int
    each: float
    """The size of these numbers."""


def packed(rows: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """One row of words a 64 dimensions, one column a vector; padded with zeros."""
    bits = np.packbits(rows, axis=1)
    padded = np.zeros((len(bits), -(-bits.shape[1] // 8) * 8), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(padded.view(np.uint64).T)


def spread(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Of vectors less their centroid."""
    sums = np.maximum(np.abs(rows).sum(axis=1), 1e-12)
    spreads: NDArray[np.float32] = ((rows * rows).sum(axis=1) / sums).astype(np.float32)
    return spreads


def rounded(query: NDArray[np.float32]) -> Rounded:
    size = np.abs(query)
    counted = size >= np.quantile(size, _SMALL)
    signs, words = (packed(one[None, :])[:, 0] for one in (query > 0, counted))
    return Rounded(signs, words, int(counted.sum()), float(size[counted].mean()))


def agreement(signs: NDArray[np.uint64], asked: Rounded) -> NDArray[np.float32]:
    """Σ ±q for each column of signs. Three words differ in 192 bits at most, so that most of it is
    counted in bytes."""
    differ = np.zeros(signs.shape[1], np.uint16)
    bits, count = np.empty(len(differ), np.uint64), np.empty(len(differ), np.uint8)
    for low in range(0, len(signs), 3):
        part = np.zeros(len(differ), np.uint8)
        for word in range(low, min(low + 3, len(signs))):
            np.bitwise_xor(signs[word], asked.signs[word], out=bits)
            np.bitwise_and(bits, asked.counted[word], out=bits)
            part += np.bitwise_count(bits, out=count)
        differ += part
    found: NDArray[np.float32] = differ.astype(np.float32)
    found *= -2 * asked.each
    found += asked.nonzero * asked.each
    return found
