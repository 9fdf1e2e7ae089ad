"""The signs of sentence vectors, as they are stored beside the vector of a passage.

A vector of length 1 whose numbers are about equal in size is told by their signs: ``x`` is about
``sign(x) / sqrt(n)``. So 128 numbers take 16 bytes, and ``q·x`` is about ``q · sign(x) / sqrt(n)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTH = 128
"""Numbers of a sentence vector."""
SIZE = WIDTH // 8
"""Bytes of their signs."""
FAR = -1.0
"""The score of a sentence that the model did not reach: no other is lower."""


def packed(rows: NDArray[Any]) -> bytes:
    """Returns the signs of vectors, one row each: a bit is set where a number is positive. A row
    of zeros, which stands for a sentence without a vector, has none."""
    return np.packbits(rows > 0, axis=1).tobytes()


def merged(
    parts: Sequence[tuple[int, int]], sentences: Sequence[tuple[int, int]], rows: NDArray[Any]
) -> bytes:
    """Returns the signs of each part of a text, by the vectors of what stands in it (*rows*, one of
    each of *sentences*): their mean. Nothing where no part has any."""
    made = np.zeros((len(parts), WIDTH), np.float32)
    for n, (first, last) in enumerate(parts):
        inside = [start < last and first < end for start, end in sentences]
        made[n] = rows[inside].sum(axis=0)
    return packed(made) if made.any() else b""


def scores(asks: NDArray[Any], signs: bytes) -> list[float]:
    """Returns for each sentence of a passage, in their order, about the cosine of its vector with
    that of a question."""
    bits = np.unpackbits(np.frombuffer(signs, np.uint8).reshape(-1, SIZE), axis=1)
    found = (2.0 * bits - 1.0) @ asks.astype(np.float64) / np.sqrt(WIDTH)
    found[~bits.any(axis=1)] = FAR
    return [float(score) for score in found]
