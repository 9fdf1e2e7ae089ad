"""Cells of a large segment: vectors that are near each other, side by side in its files.

A segment of :data:`ROWS` vectors or more is written in the order of its cells, which are learned
from a sample of it (k-means in two levels, by Lloyd's rounds from evenly drawn beginnings: the same
vectors give the same cells). A smaller one is one cell around its mean. A search reads the cells
that may hold something nearer than what it has, each one stretch of the files; because a segment is
never changed, merging it with what came later learns its cells anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROWS = 50_000
"""A segment of fewer vectors is one cell."""
EACH = 256
"""Vectors in a cell, on average."""
_SAMPLED = 24
"""Vectors of the sample that a cell is learned from, on average."""
_ROUNDS = 6
_BLOCK = 16_384


class Cells(NamedTuple):
    """Where the vectors of one segment lie."""

    centroids: NDArray[np.float32]
    order: NDArray[np.int64]
    """The rows, those of the first cell first."""
    offsets: NDArray[np.int64]
    """Where each cell begins in that order, and where the last one ends."""


def learned(codes: NDArray[np.int8], scales: NDArray[np.float32]) -> Cells:
    """Returns the cells of vectors that are stored as these codes."""
    rows = len(codes)
    wanted = rows // EACH if rows >= ROWS else 1
    if wanted == 1:
        return Cells(_mean(codes, scales)[None, :], np.arange(rows), np.array([0, rows]))
    sample = _decoded(codes, scales, np.arange(0, rows, max(1, rows // (wanted * _SAMPLED))))
    coarse = _kmeans(sample, round(wanted**0.5))
    nearest = _nearest(sample, coarse)
    fine = [
        _kmeans(sample[nearest == n], int((nearest == n).sum()) // _SAMPLED)
        for n in range(len(coarse))
    ]
    blocks = np.array_split(np.arange(rows), -(-rows // _BLOCK))
    cell = np.concatenate([_assigned(_decoded(codes, scales, b), coarse, fine) for b in blocks])
    centroids, order = np.concatenate(fine), np.argsort(cell, kind="stable")
    sizes = np.bincount(cell, minlength=len(centroids))
    offsets = np.concatenate(([0], sizes.cumsum()))
    _centre(centroids, codes, scales, order, offsets)
    return Cells(centroids, order, offsets)


def _centre(
    centroids: NDArray[np.float32],
    codes: NDArray[np.int8],
    scales: NDArray[np.float32],
    order: NDArray[np.int64],
    offsets: NDArray[np.int64],
) -> None:
    """Moves the centroids, which were learned from a sample, to the mean of all that is in their
    cells: how far vectors are from it follows from its length."""
    some = np.flatnonzero(np.diff(offsets))
    for few in np.array_split(some, -(-len(order) // _BLOCK)):
        if len(few):
            begin, end = offsets[few[0]], offsets[few[-1] + 1]
            rows = _decoded(codes, scales, order[begin:end])
            sums = np.add.reduceat(rows, offsets[few] - begin, axis=0)
            centroids[few] = sums / np.diff(offsets)[few, None]


def _mean(codes: NDArray[np.int8], scales: NDArray[np.float32]) -> NDArray[np.float32]:
    """Of all vectors, some at a time."""
    total = np.zeros(codes.shape[1])
    for some in np.array_split(np.arange(len(codes)), -(-len(codes) // _BLOCK)):
        total += _decoded(codes, scales, some).sum(axis=0, dtype=np.float64)
    mean: NDArray[np.float32] = (total / len(codes)).astype(np.float32)
    return mean


def _decoded(
    codes: NDArray[np.int8], scales: NDArray[np.float32], rows: NDArray[np.int64]
) -> NDArray[np.float32]:
    decoded: NDArray[np.float32] = codes[rows] * scales[rows, None]
    return decoded


def _kmeans(rows: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """Lloyd's algorithm. A centre that nothing is nearest to stays where it is."""
    centres = rows[:: max(1, len(rows) // max(1, count))][: max(1, count)].copy()
    for _ in range(_ROUNDS):
        nearest = _nearest(rows, centres)
        sizes = np.bincount(nearest, minlength=len(centres))
        used = np.flatnonzero(sizes)
        begins = np.concatenate(([0], sizes.cumsum()))[used]
        sums = np.add.reduceat(rows[np.argsort(nearest, kind="stable")], begins, axis=0)
        centres[used] = sums / sizes[used, None]
    return centres


def _nearest(rows: NDArray[np.float32], centres: NDArray[np.float32]) -> NDArray[np.int64]:
    far = (centres * centres).sum(axis=1) / 2
    parts = [
        np.argmax(rows[low : low + _BLOCK] @ centres.T - far, axis=1)
        for low in range(0, len(rows), _BLOCK)
    ]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _assigned(
    rows: NDArray[np.float32],
    coarse: NDArray[np.float32],
    fine: Sequence[NDArray[np.float32]],
) -> NDArray[np.int64]:
    """The number of each row's cell: of the fine ones in the nearest coarse one."""
    nearest = _nearest(rows, coarse)
    first = np.concatenate(([0], np.cumsum(list(map(len, fine)))))
    cell = np.zeros(len(rows), np.int64)
    for n in np.unique(nearest).tolist():
        inside = nearest == n
        cell[inside] = first[n] + _nearest(rows[inside], fine[n])
    return cell


class Stretches:
    """The rows of some cells, in the order of the files. They are numbered from the first on."""

    def __init__(self, cells: NDArray[np.int64], offsets: NDArray[np.int64]) -> None:
        cells = np.sort(cells)
        sizes = offsets[cells + 1] - offsets[cells]
        self.cells, self.sizes = cells[sizes > 0], sizes[sizes > 0]
        begins = offsets[self.cells]
        ends = begins + self.sizes
        apart = np.flatnonzero(begins[1:] != ends[:-1])  # cells side by side are one stretch
        self._begins = begins[np.concatenate(([0], apart + 1))] if len(begins) else begins
        self._ends = ends[np.concatenate((apart, [-1]))] if len(ends) else ends
        self._first = np.concatenate(([0], (self._ends - self._begins).cumsum()))

    def __len__(self) -> int:
        return int(self._first[-1])

    def rows(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where in the files those are that have these numbers."""
        stretch = np.searchsorted(self._first, numbers, side="right") - 1
        found: NDArray[np.int64] = numbers + (self._begins - self._first[:-1])[stretch]
        return found

    def of(self, column: NDArray[Any]) -> NDArray[Any]:
        """Their part of a column."""
        pairs = zip(self._begins.tolist(), self._ends.tolist(), strict=True)
        return np.concatenate([column[begin:end] for begin, end in pairs])

    def each(self, values: NDArray[Any]) -> NDArray[Any]:
        """For each row what its cell has."""
        return np.repeat(values[self.cells], self.sizes)

    def groups(self, most: int) -> Iterator[list[slice]]:
        """Yields the rows so many at a time, long stretches in parts."""
        group: list[slice] = []
        size = 0
        for begin, end in zip(self._begins.tolist(), self._ends.tolist(), strict=True):
            for low in range(begin, end, most):
                high = min(low + most, end)
                if size + high - low > most:
                    yield group
                    group, size = [], 0
                group.append(slice(low, high))
                size += high - low
        if group:
            yield group
