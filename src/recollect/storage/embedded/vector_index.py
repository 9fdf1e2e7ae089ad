"""The derived vector index: flat memory-mapped files and numpy, no graph.

A segment holds the vectors of a range of changes: labels as columns, int8 codes with one scale
a vector, and the signs of the mean-centred vectors as bit columns. A search turns the filter
into a mask, takes the passages whose signs differ least from the query's, and rescores those
from the codes; a filter can therefore never starve it. Vectors newer than the segments are
compared exactly, from the record.

Segments are never changed. A new one is written beside the old, then a manifest that names the
ones in use replaces the last; whoever crashes before that has changed nothing.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from recollect import permissions
from recollect.errors import StoreError
from recollect.storage.embedded import sums
from recollect.storage.embedded.record import Record
from recollect.storage.embedded.rows import LabelFilter, VectorRow
from recollect.storage.embedded.segments import (
    FORMAT,
    TORN,
    SegmentManifest,
    manifest_file,
    read_manifest,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEGMENT_ROWS = 4096
"""So many vectors may wait in the record before they are worth a segment."""
EXACT_ROWS = 8192
"""A segment, or what a filter leaves of it, is compared whole up to this size."""
SURVIVORS, SURVIVING = 8000, 25
"""How many the signs let through to be rescored, over all segments together: so many, or one in so
many, for of ever more vectors a fixed number would hold ever fewer of the nearest
(``python -m bench.nearest``)."""
_LONGEST = 2.0
"""Vectors that are stored are of length one, but for what sixteen bits a number lose."""
_DEAD_SHARE = 0.25
_SMALL_SEGMENT = 50_000
"""Rewriting so many takes a second, embedding them took an hour: they are always merged."""
_UNDATED = np.iinfo(np.int64).min
_FAR = np.iinfo(np.uint16).max
_SAMPLE = 16_384
"""How many distances tell where to draw the line; an exact count would cost as much as half
the scan."""
_ROUNDING = 1e-3
"""More than single precision, and half precision of a stored vector, can put a cosine off."""
_BLOCK = 65_536
"""Rows that are compared at a time: what they take stays in the processor's cache."""


class Segment:
    """One immutable range of vectors, mapped into memory."""

    def __init__(self, folder: Path, *, full: bool = False) -> None:
        """Maps the files, after a look at their checksums: at all of them if *full*."""

        def column(name: str) -> Any:
            # A plain view: the memmap class itself makes every slice an object with a finalizer.
            return np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r"))

        about = sums.unsealed((folder / "segment.json").read_text())
        for name in sums.damaged(str(folder), about.get("sums", {}), full=full):
            raise ValueError(f"{name} is not as it was written")
        self.name = folder.name
        self.low: int = about["low"]
        self.high: int = about["high"]
        self.passages = column("passages")
        self.documents = column("documents")
        self.labels = column("labels")
        self.dates = column("dates")
        self.codes = column("codes")
        self.scales = column("scales")
        self.signs = column("signs")
        self.mean = column("mean")
        self.alive: NDArray[np.bool_] | None = None
        self.dead = 0

    def __len__(self) -> int:
        return len(self.passages)

    def bury(self, deleted: NDArray[np.int64]) -> None:
        """Leave out passages that were deleted since the segment was written."""
        if len(deleted):
            gone = np.isin(self.passages, deleted)
            if gone.any():
                alive = ~gone if self.alive is None else self.alive & ~gone
                self.alive = alive
                self.dead = len(self) - int(alive.sum())

    def count(self, allowed: LabelFilter) -> int:
        """Counts the live vectors with these labels."""
        if allowed.nothing:
            return 0
        mask = _mask(self.labels, self.dates, self.documents, allowed, None)
        live = [one for one in (mask, self.alive) if one is not None]
        return int(np.logical_and.reduce(live).sum()) if live else len(self)

    def candidates(
        self, query: NDArray[np.float32], mask: NDArray[np.bool_] | None, limit: int
    ) -> NDArray[np.int64]:
        """Returns the rows that may be among the nearest, by the codes and by how far these can be
        off: half a step in every dimension."""
        live = [one for one in (mask, self.alive) if one is not None]
        rows = np.flatnonzero(np.logical_and.reduce(live)) if live else np.arange(len(self))
        if len(rows) <= limit:
            return rows
        scores = _products(self.codes[rows], query) * self.scales[rows]
        off = self.scales[rows] * (np.abs(query).sum() / 2) + _ROUNDING
        least = np.partition(scores - off, len(rows) - limit)[len(rows) - limit]
        best: NDArray[np.int64] = rows[scores + off >= least]
        return best

    def search(
        self,
        query: NDArray[np.float32],
        mask: NDArray[np.bool_] | None,
        limit: int,
        survivors: int,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Positions and cosines of the best rows, out of those that the signs let through."""
        if self.alive is not None:
            mask = self.alive if mask is None else mask & self.alive
        rows = self._survivors(query, mask, max(survivors, 8 * limit))
        scores = _products(self.codes[rows], query) * self.scales[rows]
        best = _top(scores, limit)
        return rows[best], scores[best]

    def _survivors(
        self, query: NDArray[np.float32], mask: NDArray[np.bool_] | None, wanted: int
    ) -> NDArray[np.int64]:
        if mask is not None:
            allowed = np.flatnonzero(mask)
            if len(allowed) <= EXACT_ROWS:
                return allowed
        elif len(self) <= EXACT_ROWS:
            return np.arange(len(self))
        centred = query - self.mean
        strong = np.abs(centred) >= np.median(np.abs(centred))
        asked, counted = (_signs(one[None, :])[:, 0] for one in (centred, strong))
        distance = self._distance(asked, counted)
        if mask is not None:
            distance[~mask] = _FAR
        sample = distance[:: max(1, len(self) // _SAMPLE)]
        rank = min(len(sample) - 1, wanted * len(sample) // len(self))
        nearest = min(np.partition(sample, rank)[rank], _FAR - 1)  # never what the mask keeps out
        return np.flatnonzero(distance <= nearest)

    def _distance(
        self, asked: NDArray[np.uint64], counted: NDArray[np.uint64]
    ) -> NDArray[np.uint16]:
        """In how many signs each row differs, of the stronger half of the question's: where it is
        near the mean, a sign says little. Three words differ in 192 at most, so that most of the
        sum is done in bytes; and by blocks, which stay in the processor's cache."""
        total = np.zeros(len(self), np.uint16)
        buffer, counts = np.empty(_BLOCK, np.uint64), np.empty((2, _BLOCK), np.uint8)
        for low in range(0, len(self), _BLOCK):
            signs, out = self.signs[:, low : low + _BLOCK], total[low : low + _BLOCK]
            bits, (part, count) = buffer[: len(out)], counts[:, : len(out)]
            for word in range(len(asked)):
                np.bitwise_xor(signs[word], asked[word], out=bits)
                bits &= counted[word]
                if word % 3 == 0:
                    np.bitwise_count(bits, out=part)
                else:
                    part += np.bitwise_count(bits, out=count)
                if word % 3 == 2 or word == len(asked) - 1:
                    out += part
        return total


class VectorIndex:
    """The vectors of one model, as this process sees them. Thread-safe."""

    def __init__(self, folder: Path, model: str) -> None:
        self.folder = folder
        self.model = model
        self._lock = threading.RLock()
        self._read: tuple[tuple[int, int], SegmentManifest] | None = None
        self._torn = False
        self._manifest: SegmentManifest | None = None
        self._segments: list[Segment] = []
        self._buried = 0
        self._tail = _Tail(0)

    # -------------------------------------------------------------- reading

    def search(
        self,
        record: Record,
        epoch: str,
        seq: int,
        query: NDArray[np.float32],
        allowed: LabelFilter,
        limit: int,
        *,
        exact: bool = False,
    ) -> list[tuple[int, int, float]]:
        """(passage, document, cosine) of the nearest; *record* is in a snapshot at *seq*. Where it
        is to be *exact*, all that are allowed are compared, and the nearest as the record has them:
        what else is in the index has no part in it."""
        parts, tail = self.load(record, epoch, seq)
        if allowed.nothing:
            return []
        on_paths = None
        if allowed.paths is not None:
            on_paths = np.array(record.documents_on_paths(allowed.paths), np.int64)
        found: list[tuple[int, int, float]] = []
        rows_in_all = sum(map(len, parts))
        survivors = max(SURVIVORS, rows_in_all // SURVIVING)
        for segment in parts:
            mask = _mask(segment.labels, segment.dates, segment.documents, allowed, on_paths)
            share = survivors * len(segment) // rows_in_all
            if exact:
                rows = segment.candidates(query, mask, limit)
                keys = segment.passages[rows].tolist()
                known = record.vectors_of(self.model, keys)
                blobs = [known[key] for key in keys]
                scores = _products(rows_of(blobs), query) if blobs else np.zeros(0, np.float32)
            else:
                rows, scores = segment.search(query, mask, limit, share)
            found += zip(
                segment.passages[rows].tolist(),
                segment.documents[rows].tolist(),
                scores.tolist(),
                strict=True,
            )
        found += tail.search(query, allowed, on_paths, limit)
        found.sort(key=lambda hit: (-hit[2], hit[0]))
        return found[:limit]

    def load(self, record: Record, epoch: str, seq: int) -> tuple[list[Segment], _Tail]:
        """Returns what there is as of *seq*, in which *record* is in a snapshot."""
        with self._lock:
            self._load(record, epoch, seq)
            return list(self._segments), self._tail

    def count(self, allowed: LabelFilter) -> int:
        """Counts the live vectors with these labels that the last search saw."""
        return sum(one.count(allowed) for one in self._segments) + self._tail.count(allowed)

    @property
    def size(self) -> int:
        """How many live vectors the last search saw."""
        return sum(len(s) - s.dead for s in self._segments) + len(self._tail)

    @property
    def wants_a_segment(self) -> bool:
        """Whether the last search had to read more from the record than is good."""
        return self._torn or len(self._tail) >= SEGMENT_ROWS

    def waiting(self, record: Record, epoch: str) -> bool:
        """Whether there are vectors enough for another segment, or a torn one to replace."""
        with self._lock:
            manifest = self._read_manifest(epoch)
            if self._torn:
                return True
        return record.vectors_waiting(self.model, manifest.seq, SEGMENT_ROWS) >= SEGMENT_ROWS

    def torn(self, epoch: str, *, full: bool) -> str:
        """What is wrong with the files of the segments in use; nothing where they are whole."""
        with self._lock:
            manifest = self._read_manifest(epoch)
        for name in manifest.segments:
            try:
                segment = Segment(self.folder / name, full=full)
                lengths = {
                    len(segment),
                    len(segment.codes),
                    len(segment.scales),
                    segment.signs.shape[1],
                }
            except TORN as error:
                return f"{name} cannot be read: {error}"
            if len(lengths) != 1:
                return f"{name} is torn"
        return ""

    def blocks(self, record: Record, seq: int) -> Iterable[tuple[list[int], NDArray[np.float32]]]:
        """All vectors as the record has them, with their passages, some at a time."""
        for rows in _blocks(record.vectors_between(self.model, 0, seq), 8192):
            yield [row.passage for row in rows], _matrix(rows)

    def manifest(self, epoch: str) -> SegmentManifest:
        with self._lock:
            return self._read_manifest(epoch)

    def _load(self, record: Record, epoch: str, seq: int) -> None:
        """Segments, deletions and tail as of *seq*."""
        manifest = self._read_manifest(epoch)
        if manifest != self._manifest:
            self._manifest, manifest = self._open_segments(manifest, epoch)
            self._buried = min((s.high for s in self._segments), default=seq)
            self._tail = _Tail(manifest.seq)
        if self._segments and self._buried < seq:
            deleted = np.array(record.deleted_after(self._buried), np.int64)
            for segment in self._segments:
                segment.bury(deleted)
        self._buried = seq
        self._tail = self._tail.upto(record, self.model, seq)

    def _open_segments(
        self, manifest: SegmentManifest, epoch: str
    ) -> tuple[SegmentManifest, SegmentManifest]:
        """Map what the manifest names, or a newer one if that has replaced it meanwhile: which it
        was, and what of it can be used. What is torn counts for nothing: all is searched from the
        record until a flush replaces it."""
        kept = {s.name: s for s in self._segments}
        while True:
            try:
                self._segments = [
                    kept.get(name) or Segment(self.folder / name) for name in manifest.segments
                ]
            except TORN:
                newer = self._read_manifest(epoch, anew=True)
                if newer != manifest:
                    manifest = newer
                    continue
                self._segments, self._torn = [], True
                return manifest, SegmentManifest(epoch)
            self._torn = False
            return manifest, manifest

    def _read_manifest(self, epoch: str, *, anew: bool = False) -> SegmentManifest:
        try:
            stat = os.stat(manifest_file(self.folder))
        except OSError:
            return SegmentManifest(epoch)
        seen = (stat.st_mtime_ns, stat.st_ino)
        if not anew and self._read and self._read[0] == seen and self._read[1].epoch == epoch:
            return self._read[1]
        manifest = read_manifest(self.folder, epoch)
        self._read = seen, manifest
        return manifest

    # -------------------------------------------------------------- writing

    def flush(self, record: Record, epoch: str, seq: int, *, rebuild: bool = False) -> None:
        """Write what waits as a segment. The caller holds the lock; *record* is in a snapshot
        at *seq*. Small or half-dead segments are merged into the new one."""
        manifest = SegmentManifest(epoch) if rebuild else self._read_manifest(epoch)
        kept: list[Segment] = []
        try:
            kept = [Segment(self.folder / name) for name in manifest.segments]
        except TORN:
            manifest = SegmentManifest(epoch)
        for segment in kept:
            segment.bury(np.array(record.deleted_after(segment.high), np.int64))
        low, waiting = manifest.seq, record.vectors_waiting(self.model, manifest.seq, 1 << 30)
        while kept and (
            len(kept[-1]) <= max(4 * waiting, _SMALL_SEGMENT)
            or kept[-1].dead > _DEAD_SHARE * len(kept[-1])
        ):
            last = kept.pop()
            low, waiting = last.low, waiting + len(last) - last.dead
        names = [s.name for s in kept]
        if waiting:
            names.append(self._write_segment(record, low, seq))
        self._commit(SegmentManifest(epoch, seq, tuple(names)))

    def _write_segment(self, record: Record, low: int, high: int) -> str:
        columns = _columns(record.vectors_between(self.model, low, high))
        name = f"segment-{os.urandom(6).hex()}"
        folder = self.folder / name
        permissions.folder(folder)
        for key, array in columns.items():
            with open(folder / f"{key}.npy", "wb", opener=permissions.opener) as file:
                np.save(file, array)
                file.flush()
                os.fsync(file.fileno())
        made = {f"{key}.npy": sums.sum_of(str(folder / f"{key}.npy")) for key in columns}
        _write_json(folder / "segment.json", {"low": low, "high": high, "sums": made})
        _sync(folder)
        return name

    def _commit(self, manifest: SegmentManifest) -> None:
        permissions.folder(self.folder)
        about = {"format": FORMAT, "model": self.model, **manifest._asdict()}
        fresh = self.folder / "manifest.json.new"
        _write_json(fresh, about)
        os.replace(fresh, manifest_file(self.folder))
        _sync(self.folder)
        for old in self.folder.glob("segment-*"):
            if old.name not in manifest.segments:
                shutil.rmtree(old, ignore_errors=True)


def _write_json(path: Path, about: dict[str, Any]) -> None:
    with open(path, "w", opener=permissions.opener) as file:
        file.write(sums.sealed(about))
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """The names in a folder, on disk: what they replace is removed only then."""
    with suppress(OSError):  # not every system opens folders
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


class _Tail:
    """Vectors that are in no segment yet, kept exactly as the record has them."""

    def __init__(self, low: int) -> None:
        self._low = low
        self._high = low
        self._rows: list[VectorRow] = []
        self._matrix: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def upto(self, record: Record, model: str, seq: int) -> _Tail:
        if seq <= self._high:  # a segment may have been written after the snapshot was taken
            return self
        tail = _Tail(self._low)
        gone = set(record.deleted_after(self._high)) if self._rows else set()
        tail._rows = [row for row in self._rows if row.passage not in gone]
        tail._rows += record.vectors_between(model, self._high, seq)
        tail._high = seq
        if tail._rows:
            tail._matrix = _matrix(tail._rows)
        return tail

    def count(self, allowed: LabelFilter) -> int:
        """Counts the vectors with these labels."""
        if allowed.nothing or not self._rows:
            return 0
        mask = self._mask(allowed, None)
        return len(self) if mask is None else int(mask.sum())

    def _mask(
        self, allowed: LabelFilter, on_paths: NDArray[np.int64] | None
    ) -> NDArray[np.bool_] | None:
        if allowed.everything:
            return None
        labels = np.array([r.labels for r in self._rows], np.int32)
        documents = np.array([r.document for r in self._rows], np.int64)
        return _mask(labels, _dates(self._rows), documents, allowed, on_paths)

    def search(
        self,
        query: NDArray[np.float32],
        allowed: LabelFilter,
        on_paths: NDArray[np.int64] | None,
        limit: int,
    ) -> list[tuple[int, int, float]]:
        if self._matrix is None:
            return []
        scores = _products(self._matrix, query)
        mask = self._mask(allowed, on_paths)
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        best = _top(scores, limit)
        return [
            (self._rows[i].passage, self._rows[i].document, float(scores[i]))
            for i in best.tolist()
            if scores[i] > -np.inf
        ]


# ------------------------------------------------------------------ arrays


def _products(rows: NDArray[Any], query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Of each row with the query. Not by ``@``: for a product this small BLAS wakes threads on
    every core, and waits for them as long as the machine has other things to do."""
    if rows.shape[1] != len(query):
        raise StoreError(
            f"the question's vector has {len(query)} dimensions, the stored ones {rows.shape[1]}",
            hint="the model is another one now; `recollect models switch` goes to one for good",
        )
    products: NDArray[np.float32] = np.einsum("ij,j->i", rows, query, dtype=np.float32)
    return products


def _top(scores: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
    """Where the best are, best first; of those that are as good as the last of them, all."""
    if len(scores) <= limit:
        return np.argsort(-scores)
    least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    best = np.flatnonzero(scores >= least)
    return best[np.argsort(-scores[best])]


def _mask(
    labels: NDArray[np.int32],
    dates: NDArray[np.int64],
    documents: NDArray[np.int64],
    allowed: LabelFilter,
    on_paths: NDArray[np.int64] | None,
) -> NDArray[np.bool_] | None:
    """Which rows the filter lets through; None when it lets everything through."""
    masks = []
    for i, ids in enumerate(allowed.labels):
        if ids is not None:
            masks.append(np.isin(labels[:, i], np.array(sorted(ids), np.int32)))
    if allowed.since is not None:
        masks.append(dates >= allowed.since)
    if allowed.until is not None:
        masks.append((dates < allowed.until) & (dates != _UNDATED))
    if on_paths is not None:
        masks.append(np.isin(documents, on_paths))
    return np.logical_and.reduce(masks) if masks else None


def _matrix(rows: Sequence[VectorRow]) -> NDArray[np.float32]:
    return rows_of([row.vector for row in rows])


def rows_of(blobs: Sequence[bytes]) -> NDArray[np.float32]:
    """Returns the vectors that the record has as bytes. One that is far from a unit vector was
    garbled on the disk, and is near to nothing."""
    with np.errstate(invalid="ignore", over="ignore"):
        rows = np.frombuffer(b"".join(blobs), "<f2").reshape(len(blobs), -1).astype(np.float32)
        rows[~(np.linalg.norm(rows, axis=1) < _LONGEST)] = 0  # not a number is not less
    return rows


def _dates(rows: Sequence[VectorRow]) -> NDArray[np.int64]:
    return np.array([_UNDATED if r.date is None else r.date for r in rows], np.int64)


def _signs(centred: NDArray[np.float32] | NDArray[np.bool_]) -> NDArray[np.uint64]:
    """One row of words a 64 dimensions, one column a vector; padded with zeros."""
    bits = np.packbits(centred > 0, axis=1)
    padded = np.zeros((len(bits), -(-bits.shape[1] // 8) * 8), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(padded.view(np.uint64).T)


def _columns(rows: Iterable[VectorRow]) -> dict[str, NDArray[Any]]:
    """Everything a segment holds. Blocks keep the peak of memory near the result's size."""
    every: dict[str, list[NDArray[Any]]] = {}
    total = 0
    for block in _blocks(rows, 16_384):
        matrix = _matrix(block)
        scales = np.maximum(np.abs(matrix).max(axis=1), 1e-12).astype(np.float32) / 127
        codes = np.round(matrix / scales[:, None]).astype(np.int8)
        parts = {
            "passages": np.array([r.passage for r in block], np.int64),
            "documents": np.array([r.document for r in block], np.int64),
            "labels": np.array([r.labels for r in block], np.int32),
            "dates": _dates(block),
            "codes": codes,
            "scales": scales,
            "sum": matrix.sum(axis=0, dtype=np.float64)[None, :],
        }
        for key, part in parts.items():
            every.setdefault(key, []).append(part)
        total += len(block)
    columns = {key: np.concatenate(parts) for key, parts in every.items()}
    mean = (columns.pop("sum").sum(axis=0) / total).astype(np.float32)
    columns["mean"] = mean
    signs = []
    for start in range(0, total, 16_384):
        stop = start + 16_384
        vectors = columns["codes"][start:stop] * columns["scales"][start:stop, None]
        signs.append(_signs(vectors - mean))
    columns["signs"] = np.concatenate(signs, axis=1)
    return columns


def _blocks(rows: Iterable[VectorRow], size: int) -> Iterable[list[VectorRow]]:
    block: list[VectorRow] = []
    for row in rows:
        block.append(row)
        if len(block) == size:
            yield block
            block = []
    if block:
        yield block
