"""The derived vector index: flat memory-mapped files and numpy, no graph.

A segment holds the vectors of a range of changes, those of a cell side by side: labels as columns,
int8 codes with one scale a vector, and the signs of what the vector is beyond its cell's centroid
as bit columns. A search reads the nearest cells, then every further one that may hold something
nearer than the hundredth that it has (:mod:`~recollect.storage.embedded.cells`). In a cell it
leaves out what the filter does, takes the passages that may be nearer by their signs, and compares
those by their codes; a filter can therefore never starve it. Vectors newer than the segments are
compared exactly, from the record, and so are those that the codes cannot tell from the last one.

Segments are never changed. A new one is written beside the old, then a manifest that names the
ones in use replaces the last; whoever crashes before that has changed nothing.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from recollect import permissions
from recollect.errors import StoreError
from recollect.nouns import by_name
from recollect.storage.embedded import cells, sign_bits, sums
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
SURVIVORS, SURVIVING, DOUBTED = 8000, 66, 3
"""How many the signs let through to be compared by their codes, over all segments together: so
many, or one in so many, for of ever more vectors a fixed number would hold ever fewer of the
nearest; and so many times as many at most where it is known what they have to be better than."""
BLUR = 2.6
"""How far an estimate by signs is off, in distances from the centroid by the root of the
dimensions: of a few in a hundred of the nearest it is farther (``python -m bench million``)."""
NEAR = 100
"""A cell is read if it may hold something nearer than the so-manieth nearest so far."""
REACH = 0.29
"""How far beyond its centroid a cell is taken to reach towards a question, in mean distances of its
vectors: of one in a thousand vectors it is farther (``python -m bench million``)."""
_FIRST = 32
"""Of the rows of a segment one in so many, in the nearest cells, are read before the others."""
_LONGEST = 2.0
"""Vectors that are stored are of length one, but for what sixteen bits a number lose."""
_DEAD_SHARE = 0.25
_SMALL_SEGMENT = 50_000
"""Rewriting so many takes a second, embedding them took an hour: they are always merged."""
_UNDATED = np.iinfo(np.int64).min
_SAMPLE = 16_384
"""How many estimates tell where to draw the line; an exact count would cost as much as half
the scan."""
_ROUNDING = 1e-3
"""More than single precision, and half precision of a stored vector, can put a cosine off."""
_UNSURE = 4e-3
"""What eight bits a number put a cosine off at most, nearly always; usually it is an eighth of it.
Within 1.5e-3 one in a hundred of the nearest ten among a million was lost."""
_BLOCK = 65_536
"""Rows that are compared at a time: what they take stays in the processor's cache."""


class TornSegments(Exception):
    """A large index cannot be read: searching all of it in the record takes more memory than there
    may be, so that it is better written anew."""


class LabelColumns(NamedTuple):
    """What filters ask about, a row a vector."""

    labels: NDArray[np.int32]
    dates: NDArray[np.int64]
    documents: NDArray[np.int64]


class LabelLimits(NamedTuple):
    """What a filter lets through."""

    allowed: LabelFilter
    on_paths: NDArray[np.int64] | None = None

    def mask(
        self, of: LabelColumns, taken: Callable[[NDArray[Any]], NDArray[Any]] = np.asarray
    ) -> NDArray[np.bool_] | None:
        """Which of the rows that are *taken* of each column it lets through; None for all."""
        allowed, masks = self.allowed, []
        for i, ids in enumerate(allowed.labels):
            if ids is not None:
                masks.append(_among(taken(of.labels[:, i]), ids))
        if allowed.since is not None:
            masks.append(taken(of.dates) >= allowed.since)
        if allowed.until is not None:
            dates = taken(of.dates)
            masks.append((dates < allowed.until) & (dates != _UNDATED))
        if self.on_paths is not None:
            masks.append(np.isin(taken(of.documents), self.on_paths))
        return np.logical_and.reduce(masks) if masks else None


class VectorQuery(NamedTuple):
    """A question's vector, and the same rounded for comparing with signs."""

    vector: NDArray[np.float32]
    rounded: sign_bits.Rounded


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
        self.labels = LabelColumns(column("labels"), column("dates"), column("documents"))
        self.codes = column("codes")
        self.scales = column("scales")
        self.signs = column("signs")
        self.celled = (folder / "centroids.npy").exists()
        if self.celled:
            self.spread, self.centroids = column("spread"), np.array(column("centroids"))
            self.offsets = np.array(column("offsets"))
        else:  # as they were written before there were cells
            self.spread, self.centroids = np.ones(1, np.float32), column("mean")[None, :]
            self.offsets = np.array([0, len(self)])
        beyond = np.sqrt(np.maximum(0, 1 - (self.centroids**2).sum(axis=1)))
        self.reach = REACH * beyond if len(beyond) > 1 else np.full(1, np.inf)
        off = BLUR * float(beyond.mean()) / self.centroids.shape[1] ** 0.5
        self.blur = off if self.celled else np.inf
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
        live = self._live(LabelLimits(allowed))
        return _count(live, len(self))

    def hits(
        self, rows: NDArray[np.int64], scores: NDArray[np.float32]
    ) -> list[tuple[int, int, float]]:
        """(passage, document, cosine) of these rows."""
        passages, documents = self.passages[rows].tolist(), self.labels.documents[rows].tolist()
        return list(zip(passages, documents, scores.tolist(), strict=True))

    def _live(
        self, limits: LabelLimits, taken: Callable[[NDArray[Any]], NDArray[Any]] = np.asarray
    ) -> NDArray[np.bool_] | None:
        """Which of the rows that are *taken* are alive and within the limits; None for all."""
        mask = limits.mask(self.labels, taken)
        if self.alive is None:
            return mask
        alive = taken(self.alive)
        return alive if mask is None else mask & alive

    def candidates(
        self, query: NDArray[np.float32], limits: LabelLimits, limit: int
    ) -> NDArray[np.int64]:
        """Returns the rows that may be among the nearest, by the codes and by how far these can be
        off: half a step in every dimension."""
        live = self._live(limits)
        rows = np.arange(len(self)) if live is None else np.flatnonzero(live)
        if len(rows) <= limit:
            return rows
        scores = _products(self.codes[rows], query) * self.scales[rows]
        off = self.scales[rows] * (np.abs(query).sum() / 2) + _ROUNDING
        least = np.partition(scores - off, len(rows) - limit)[len(rows) - limit]
        best: NDArray[np.int64] = rows[scores + off >= least]
        return best

    def search(
        self, query: VectorQuery, limits: LabelLimits, limit: int, survivors: int, floor: float
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Positions and cosines of the best rows: of the nearest cells, then of each that may hold
        one better than the best of these, and than *floor*."""
        near = _products(self.centroids, query.vector)
        bound = near + self.reach
        order = np.argsort(-bound)
        until = np.searchsorted(np.diff(self.offsets)[order].cumsum(), len(self) // _FIRST)
        first, others = order[: until + 1], order[until + 1 :]
        few = survivors // 2 if len(others) else survivors
        rows, scores = self._best(first, near, query, limits, limit, few, floor)
        floor = max(floor, scores[NEAR - 1] if len(scores) >= NEAR else -np.inf)
        others = others[bound[others] >= floor]
        if not len(others):
            return rows, scores
        many = survivors if floor == -np.inf else DOUBTED * survivors
        more, theirs = self._best(others, near, query, limits, limit, many, floor)
        rows, scores = np.concatenate((rows, more)), np.concatenate((scores, theirs))
        best = _top(scores, limit)
        return rows[best], scores[best]

    def _best(
        self,
        among: NDArray[np.int64],
        near: NDArray[np.float32],
        query: VectorQuery,
        limits: LabelLimits,
        limit: int,
        wanted: int,
        floor: float,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Positions and cosines of the best rows in some cells."""
        stretches = cells.Stretches(among, self.offsets)
        if not len(stretches):
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        live = self._live(limits, stretches.of)
        wanted = max(wanted, 8 * limit)
        if _count(live, len(stretches)) <= max(EXACT_ROWS, wanted):
            chosen = np.arange(len(stretches)) if live is None else np.flatnonzero(live)
        else:
            chosen = self._survivors(stretches, near, query.rounded, live, wanted, floor)
        rows = stretches.rows(chosen)
        scores = _products(np.take(self.codes, rows, axis=0), query.vector) * self.scales[rows]
        best = _top(scores, limit)
        return rows[best], scores[best]

    def _survivors(
        self,
        stretches: cells.Stretches,
        near: NDArray[np.float32],
        asked: sign_bits.Rounded,
        live: NDArray[np.bool_] | None,
        wanted: int,
        floor: float,
    ) -> NDArray[np.int64]:
        """Which of these rows are nearest by their signs: about so many at most, of those that may
        be better than *floor*."""
        estimates = self._estimates(stretches, near, asked)
        if live is not None:
            estimates[~live] = -np.inf
        sample = estimates[:: max(1, len(estimates) // _SAMPLE)]
        rank = max(0, len(sample) - 1 - wanted * len(sample) // len(estimates))
        least = max(np.partition(sample, rank)[rank], floor - self.blur)
        return np.flatnonzero(estimates >= max(least, np.finfo(np.float32).min))

    def _estimates(
        self, stretches: cells.Stretches, near: NDArray[np.float32], asked: sign_bits.Rounded
    ) -> NDArray[np.float32]:
        found = np.empty(len(stretches), np.float32)
        done = 0
        for some in stretches.groups(_BLOCK):
            signs = np.concatenate([self.signs[:, part] for part in some], axis=1)
            found[done : done + signs.shape[1]] = sign_bits.agreement(signs, asked)
            done += signs.shape[1]
        if self.celled:
            found *= stretches.of(self.spread)
            found += stretches.each(near)
        return found


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
        query: NDArray[np.float32] | None,
        allowed: LabelFilter,
        limit: int,
        *,
        exact: bool = False,
        torn: bool = True,
    ) -> list[tuple[int, int, float]]:
        """(passage, document, cosine) of those nearest to the query, none if there is none;
        *record* is in a snapshot at *seq*. Where it is to be *exact*, all that are allowed are
        compared, and the nearest as the record has them: what else is in the index has no part in
        it. A large index that is torn is searched in the record only if *torn* says so."""
        parts, tail = self.load(record, epoch, seq, torn=torn)
        if query is None or allowed.nothing:
            return []
        on_paths = None
        if allowed.paths is not None:
            on_paths = np.array(record.documents_on_paths(allowed.paths), np.int64)
        limits = LabelLimits(allowed, on_paths)
        if exact:
            found = self._exact(record, parts, query, limits, limit)
        else:
            found = self._told_apart(
                record, _approximate(parts, query, limits, limit), query, limit
            )
        found += tail.search(query, limits, limit)
        found.sort(key=lambda hit: (-hit[2], hit[0]))
        return found[:limit]

    def _told_apart(
        self,
        record: Record,
        found: list[tuple[int, int, float]],
        query: NDArray[np.float32],
        limit: int,
    ) -> list[tuple[int, int, float]]:
        """The same, best first, with the cosines of the record for those that the codes cannot tell
        from the last that is wanted."""
        found.sort(key=lambda hit: -hit[2])
        if len(found) <= limit:
            return found
        last = found[limit - 1][2]
        unsure = [hit for hit in found if abs(hit[2] - last) <= _UNSURE]
        known = record.vectors_of(self.model, list(map(itemgetter(0), unsure)))
        scores = _products(rows_of(list(known.values())), query) if known else np.zeros(0)
        told = dict(zip(known, scores.tolist(), strict=True))
        return [(key, document, told.get(key, score)) for key, document, score in found]

    def _exact(
        self,
        record: Record,
        parts: Sequence[Segment],
        query: NDArray[np.float32],
        limits: LabelLimits,
        limit: int,
    ) -> list[tuple[int, int, float]]:
        found = []
        for segment in parts:
            rows = segment.candidates(query, limits, limit)
            keys = segment.passages[rows].tolist()
            known = record.vectors_of(self.model, keys)
            blobs = [known[key] for key in keys]
            scores = _products(rows_of(blobs), query) if blobs else np.zeros(0, np.float32)
            found += segment.hits(rows, scores)
        return found

    def load(
        self, record: Record, epoch: str, seq: int, *, torn: bool = True
    ) -> tuple[list[Segment], _Tail]:
        """Returns what there is as of *seq*, in which *record* is in a snapshot."""
        with self._lock:
            self._load(record, epoch, seq)
            if self._torn and not torn and self._large(record):
                raise TornSegments
            self._tail = self._tail.upto(record, self.model, seq)
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
            if self._torn and manifest == self._manifest:
                return True
        if manifest.segments and not manifest.celled and self._large(record):
            return True
        return record.vectors_waiting(self.model, manifest.seq, SEGMENT_ROWS) >= SEGMENT_ROWS

    def _large(self, record: Record) -> bool:
        return record.models().get(self.model, 0) >= cells.ROWS

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
                    int(segment.offsets[-1]),
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
        """Segments and deletions as of *seq*."""
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

    def _open_segments(
        self, manifest: SegmentManifest, epoch: str
    ) -> tuple[SegmentManifest, SegmentManifest]:
        """Map what the manifest names, or a newer one if that has replaced it meanwhile: which it
        was, and what of it can be used. What is torn counts for nothing: all is searched from the
        record until a flush replaces it."""
        kept = by_name(self._segments)
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
            or any(len(one) >= cells.ROWS and not one.celled for one in kept)
        ):
            last = kept.pop()
            low, waiting = last.low, waiting + len(last) - last.dead
        names = [s.name for s in kept]
        if waiting:
            names.append(self._write_segment(record, low, seq))
        self._commit(SegmentManifest(epoch, seq, tuple(names), True))

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
        mask = self._mask(LabelLimits(allowed))
        return _count(mask, len(self))

    def _mask(self, limits: LabelLimits) -> NDArray[np.bool_] | None:
        if limits.allowed.everything:
            return None
        labels = np.array([r.labels for r in self._rows], np.int32)
        documents = np.array([r.document for r in self._rows], np.int64)
        return limits.mask(LabelColumns(labels, _dates(self._rows), documents))

    def search(
        self, query: NDArray[np.float32], limits: LabelLimits, limit: int
    ) -> list[tuple[int, int, float]]:
        if self._matrix is None:
            return []
        scores = _products(self._matrix, query)
        mask = self._mask(limits)
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


def _among(values: NDArray[np.int32], ids: frozenset[int]) -> NDArray[np.bool_]:
    """Which are one of these. For few, comparing with each is quicker than looking them up."""
    if 0 < len(ids) <= 8:
        found: NDArray[np.bool_] = np.logical_or.reduce([values == id for id in ids])
        return found
    return np.isin(values, np.array(sorted(ids), np.int32))


def _approximate(
    parts: Iterable[Segment], query: NDArray[np.float32], limits: LabelLimits, limit: int
) -> list[tuple[int, int, float]]:
    """The nearest of all segments, the largest first: what it has is what cells of the others must
    be better than."""
    by_size = sorted(parts, key=len, reverse=True)
    every = sum(map(len, by_size))
    survivors, most = max(SURVIVORS, every // SURVIVING), max(limit, NEAR)
    asked = VectorQuery(query, sign_bits.rounded(query))
    found: list[tuple[int, int, float]] = []
    floor = -np.inf
    for segment in by_size:
        share = survivors * len(segment) // every
        found += segment.hits(*segment.search(asked, limits, most, share, floor))
        found.sort(key=lambda hit: -hit[2])
        floor = found[most - 1][2] if len(found) >= most else -np.inf
    return found


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


def _columns(rows: Iterable[VectorRow]) -> dict[str, NDArray[Any]]:
    """Everything a segment holds. Blocks keep the peak of memory near the result's size."""
    every: dict[str, list[NDArray[Any]]] = {}
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
        }
        for key, part in parts.items():
            every.setdefault(key, []).append(part)
    columns = {key: np.concatenate(parts) for key, parts in every.items()}
    return _in_cells(columns)


def _in_cells(columns: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The columns in the order of cells that are learned from them, with these cells, and with the
    signs of each vector beyond its centroid."""
    learned = cells.learned(columns["codes"], columns["scales"])
    for key in columns:
        columns[key] = columns[key][learned.order]
    signs, spread = [], []
    of = np.repeat(np.arange(len(learned.centroids)), np.diff(learned.offsets))
    for low in range(0, len(of), 16_384):
        some = slice(low, low + 16_384)
        vectors = columns["codes"][some] * columns["scales"][some, None]
        vectors -= learned.centroids[of[some]]
        signs.append(sign_bits.packed(vectors > 0))
        spread.append(sign_bits.spread(vectors))
    columns["labels"] = np.asfortranarray(columns["labels"])  # filters read it by columns
    return columns | {
        "centroids": learned.centroids,
        "offsets": learned.offsets,
        "signs": np.concatenate(signs, axis=1),
        "spread": np.concatenate(spread),
    }


def _blocks(rows: Iterable[VectorRow], size: int) -> Iterable[list[VectorRow]]:
    block: list[VectorRow] = []
    for row in rows:
        block.append(row)
        if len(block) == size:
            yield block
            block = []
    if block:
        yield block


def _count(chosen: NDArray[np.bool_] | None, rows: int) -> int:
    """Returns how many of so many rows are chosen; None chooses all."""
    return rows if chosen is None else int(chosen.sum())
