"""The embedded store: the record, with its two indexes kept near it."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from recollect import permissions, ports
from recollect.errors import StoreError
from recollect.nouns import (
    ChangeSet,
    Document,
    Event,
    Filter,
    Page,
    Receipt,
    StoredPassage,
    StoreStats,
    TextQuery,
    View,
    stable_id,
)
from recollect.ports import EVERYTHING, HandleMatch, TextResult, VectorResult
from recollect.storage.content import inside, parse_cursor
from recollect.storage.embedded import admin, answers, connection, sessions
from recollect.storage.embedded.pool import RecordPool
from recollect.storage.embedded.text_search import EmbeddedText
from recollect.storage.embedded.vector_search import EmbeddedVectors


class EmbeddedStore:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            permissions.store_folder(folder)
        except OSError as error:
            raise StoreError(
                f"{folder}: cannot make the store here: {error.strerror}",
                hint=connection.advice(
                    error, "give another folder with --store or RECOLLECT_STORE"
                ),
            ) from error
        if not os.access(folder, os.W_OK):
            raise StoreError(
                f"{folder} cannot be written, which a store needs even to be searched",
                hint="give yourself the right to, or copy it to a place where you have it",
            )
        self.pool = RecordPool(folder)
        self.text = EmbeddedText(self.pool)
        self._texts: dict[View, EmbeddedText] = {}
        self.vectors = EmbeddedVectors(self.pool)

    @cached_property
    def sessions(self) -> sessions.EmbeddedSessions:
        return sessions.EmbeddedSessions(self.pool)

    @cached_property
    def answers(self) -> answers.EmbeddedAnswers:
        return answers.EmbeddedAnswers(self.pool)

    @cached_property
    def admin(self) -> admin.EmbeddedAdmin:
        return admin.EmbeddedAdmin(self.pool, self.text_within, self.vectors)

    def close(self) -> None:
        self.pool.close()
        for text in (self.text, *self._texts.values()):
            text.close()
        self.vectors.close()

    # -------------------------------------------------------------- the record

    def apply(self, changes: ChangeSet, *, dry_run: bool = False) -> Receipt:
        return self.pool.mine().apply(changes, dry_run)

    def get(self, name: str, filter: Filter = EVERYTHING, *, body: bool = True) -> list[Document]:
        with self.pool.snapshot() as record:
            return record.get(name, filter, body)

    def by_handle(self, handles: Collection[str]) -> list[HandleMatch]:
        with self.pool.snapshot() as record:
            return record.by_handle(list(dict.fromkeys(handles)))

    def scan(self, filter: Filter, *, limit: int, cursor: str = "", dated: bool = False) -> Page:
        with self.pool.snapshot() as record:
            start = parse_cursor(cursor, record.key_of)
            if dated:
                return record.scan_dated(filter, limit)
            return record.scan(filter, limit, start)

    def passages(
        self, names: Sequence[int | str], *, before: int = 0, after: int = 0
    ) -> list[StoredPassage]:
        with self.pool.snapshot() as record:
            return record.passages(names, before, after)

    def history(self, id: str) -> list[Event]:
        with self.pool.snapshot() as record:
            return record.history(id)

    def fingerprint(self, filter: Filter) -> str:
        seen = self.pool.mine().source_seqs(filter)
        return stable_id(*(f"{name}={seq}" for name, seq in seen))

    def stats(self, filter: Filter = EVERYTHING) -> StoreStats:
        if filter.within:
            return self._stats_within(filter.within)
        with self.pool.snapshot() as record:
            state, counts, vectors = record.state(), record.counts(), record.models()
            position = self.text.position(state)
            behind = None if position is None else record.text_behind(position.seq)
        text = {"text": {"generation": state.generation, "behind": behind}}
        return StoreStats(
            location=str(self.folder),
            engine="embedded",
            seq=state.seq,
            passages=state.passages,
            vectors=vectors,
            bytes=_bytes_in(self.folder),
            indexes=text | self.vectors.describe(list(vectors), state),
            **counts,
        )

    def _stats_within(self, view: View) -> StoreStats:
        with self.pool.snapshot() as record:
            counts, every = record.counts(view), record.documents_by_source()
            passages = record.state_within(view).passages
            vectors = self.vectors.counts(record, view)
        place: Any = {"location": str(self.folder), "engine": "embedded", "seq": 0, "bytes": 0}
        return inside(StoreStats(passages=passages, vectors=vectors, **place, **counts), every)

    # -------------------------------------------------------------- the indexes

    def search_text(
        self, queries: Sequence[TextQuery], filter: Filter, *, limit: int, count: bool = False
    ) -> list[TextResult]:
        return self.text_within(filter.within).search(queries, filter, limit, count=count)

    def matched(
        self, words: Sequence[str], keys: Sequence[int], filter: Filter = EVERYTHING
    ) -> dict[int, set[str]]:
        return self.text_within(filter.within).matched(words, keys)

    def text_within(self, view: View | None) -> EmbeddedText:
        """Returns the text index of what lies within a wall: BM25 weighs words by what is in the
        index, so that each view has one of its own."""
        if view is None:
            return self.text
        if view not in self._texts:
            self._texts[view] = EmbeddedText(self.pool, view)
        return self._texts[view]

    def search_vector(
        self, model: str, near: ports.Vector | int, filter: Filter, *, limit: int
    ) -> VectorResult:
        return self.vectors.search(model, near, filter, limit)

    def pending(
        self, model: str, *, limit: int, filter: Filter = EVERYTHING
    ) -> list[tuple[int, str]]:
        with self.pool.snapshot() as record:
            return record.pending(model, limit, filter.within)

    def put_vectors(
        self,
        model: str,
        keys: Sequence[int],
        vectors: ports.Vectors,
        sentences: Sequence[bytes] | None = None,
    ) -> int:
        return self.vectors.put(model, keys, vectors, sentences)

    def sentences(self, model: str, keys: Sequence[int]) -> dict[int, bytes]:
        return self.vectors.sentences(model, keys)


def _bytes_in(folder: Path) -> int:
    """The size of everything in it; files that go away meanwhile do not count."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.stat(os.path.join(place, name)).st_size
    return total
