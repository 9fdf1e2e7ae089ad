"""Vector search in the embedded engine: one index of segments a model, fed from the record."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import starmap
from typing import Any

from recollect import ports
from recollect.nouns import Filter, Hit, View, filled
from recollect.ports import Finding, VectorResult
from recollect.storage.embedded import folders, segments, vector_audit, vector_index
from recollect.storage.embedded.lock import file_lock
from recollect.storage.embedded.pool import RecordPool
from recollect.storage.embedded.record import Record
from recollect.storage.embedded.rows import RecordState

WAIT_SECONDS = 60.0


class EmbeddedVectors:
    def __init__(self, pool: RecordPool) -> None:
        self.folder = pool.folder
        self._pool = pool
        self._lock = threading.RLock()
        self._indexes: dict[str, vector_index.VectorIndex] = {}

    def close(self) -> None:
        self._indexes.clear()

    def index(self, model: str) -> vector_index.VectorIndex:
        with self._lock:
            if model not in self._indexes:
                self._indexes[model] = self._new_index(model)
            return self._indexes[model]

    def _new_index(self, model: str) -> vector_index.VectorIndex:
        return vector_index.VectorIndex(segments.vector_folder(self.folder, model), model)

    def twins(self, model: str, keys: Sequence[int]) -> dict[int, ports.Twin]:
        with self._pool.snapshot() as record:
            found = record.twins(model, keys)
        rows = vector_index.rows_of([blob for blob, _ in found.values()]) if found else ()
        return {
            key: ports.Twin(row, signs)
            for (key, (_, signs)), row in zip(found.items(), rows, strict=True)
            if row.any()
        }

    def sentences(self, model: str, keys: Sequence[int]) -> dict[int, bytes]:
        with self._pool.snapshot() as record:
            return record.sentences_of(model, keys)

    def put(
        self,
        model: str,
        keys: Sequence[int],
        vectors: ports.Vectors,
        sentences: Sequence[bytes] | None,
    ) -> int:
        blobs = [vector.tobytes() for vector in vectors.astype("<f2")]
        signs = [b""] * len(blobs) if sentences is None else sentences
        kept = self._pool.mine().put_vectors(model, vectors.shape[1], keys, blobs, signs)
        with suppress(OSError):
            self.flush(model)
        return kept

    def search(
        self, model: str, near: ports.Vector | int, filter: Filter, limit: int
    ) -> VectorResult:
        try:
            return self._search(model, near, filter, limit)
        except vector_index.TornSegments:
            with suppress(OSError):
                self.flush(model, wait=WAIT_SECONDS)
            return self._search(model, near, filter, limit, torn=True)

    def _search(
        self,
        model: str,
        near: ports.Vector | int,
        filter: Filter,
        limit: int,
        *,
        torn: bool = False,
    ) -> VectorResult:
        index = self.index(model)
        view = filter.within
        with self._pool.snapshot() as record:
            state, allowed = record.state(), record.allowed(filter)
            hits = index.search(
                record,
                state.epoch,
                state.seq,
                _stored(record, model, near) if isinstance(near, int) else near,
                allowed,
                limit,
                exact=view is not None,
                torn=torn,
            )
            size, passages = index.size, state.passages
            if view is not None:
                size = index.count(record.allowed(Filter(within=view)))
                passages = record.state_within(view).passages
        if index.wants_a_segment:
            with suppress(OSError):
                self.flush(model)
        return VectorResult(list(starmap(Hit, hits)), size, passages)

    def counts(self, record: Record, view: View) -> dict[str, int]:
        """Counts the vectors of each model within a wall; *record* is in a snapshot."""
        state, allowed = record.state(), record.allowed(Filter(within=view))
        found = {}
        for model in record.models():
            index = self.index(model)
            index.load(record, state.epoch, state.seq)
            found[model] = index.count(allowed)
        return filled(found)

    def drop(self, model: str) -> int:
        gone = self._pool.mine().drop_vectors(model)
        with file_lock(self.folder / "vectors.lock", wait=WAIT_SECONDS) as held, self._lock:
            index = self._indexes.pop(model, None) or self._new_index(model)
            if held:  # else whoever holds it finds no vectors for its segments
                folders.remove(index.folder)
        return gone

    def flush(self, model: str, *, rebuild: bool = False, wait: float = 0.0) -> None:
        """Write a segment if enough vectors wait for one, unless another process is at it."""
        index = self.index(model)
        wait = WAIT_SECONDS if rebuild else wait
        with file_lock(self.folder / "vectors.lock", wait=wait) as held:
            if not held:
                return
            with self._pool.snapshot() as record:
                state = record.state()
                if rebuild or index.waiting(record, state.epoch):
                    index.flush(record, state.epoch, state.seq, rebuild=rebuild)

    def describe(self, models: Sequence[str], state: RecordState) -> dict[str, Any]:
        places = {model: segments.vector_folder(self.folder, model) for model in models}
        return {
            f"vectors {model}": segments.read_manifest(place, state.epoch).describe()
            for model, place in places.items()
        }

    def check(
        self, record: Record, model: str, full: bool, recall: dict[str, float]
    ) -> Iterator[Finding]:
        """Compares an index with the record; its recall on a sample is added to *recall*."""
        index, state = self.index(model), record.state()
        if torn := index.torn(state.epoch, full=full):
            yield Finding("vectors", f"{model}: {torn}")
            return
        try:
            share = vector_audit.recall(record, index, full=full)
        except (ValueError, LookupError, TypeError) as error:
            yield Finding("vectors", f"{model}: it cannot be searched: {error}")
            return
        if share is None:
            return
        recall[model] = round(share, 4)
        there = record.models()[model]
        if index.size != there:
            said = f"{model}: {index.size:,} of {there:,} vectors can be found"
            yield Finding("vectors", said)


def _stored(record: Record, model: str, key: int) -> ports.Vector | None:
    """Returns the vector of a passage, if it has one."""
    found = record.vectors_of(model, [key])
    return vector_index.rows_of(list(found.values()))[0] if found else None
