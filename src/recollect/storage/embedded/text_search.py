"""Text search in the embedded engine: an index kept near the record, and the rest read directly.

Who keeps the index fresh: whoever notices. A search that finds it more than ``TAIL`` passages
behind brings it up to date if no other process is doing so; what is still missing is searched
directly, so that a write is always visible to the next read. No index error ever reaches a writer.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from typing import TypeVar

from recollect import permissions
from recollect.errors import StoreBusy, StoreError
from recollect.named_tuple import NamedTuple
from recollect.nouns import Filter, Hit, TextQuery, View, not_among
from recollect.ports import Finding, TextResult
from recollect.storage.embedded import allocator, audit, folders
from recollect.storage.embedded.lock import file_lock
from recollect.storage.embedded.pool import RecordPool
from recollect.storage.embedded.record import Record
from recollect.storage.embedded.rows import LabelFilter, RecordState, Row
from recollect.storage.embedded.text_index import (
    IndexHits,
    Position,
    Snapshot,
    TextIndex,
    TornIndex,
)
from recollect.storage.filters import folded_path
from recollect.text import lexical

TAIL = 256
"""The text index may be so many passages behind before a search brings it up to date."""
VIEWS = "views"
"""The folder of the indexes of what lies within walls."""
LONG_TAIL = 4096
"""So many are searched directly when another process is busy with the index."""
BATCH = 200_000
"""Passages in one commit of the text index: bounds memory and what a crash repeats."""
WAIT_SECONDS = 60.0
_ANEW = "make room on the disk, then `recollect rebuild`; the record is not touched by it"

T = TypeVar("T")


class _TailPassage(NamedTuple):
    """A passage that the text index has not seen yet."""

    row: Row
    indexed: lexical.Indexed


class _View(NamedTuple):
    """One state of the record's text: an index commit, what is gone from it, what is new."""

    state: RecordState
    text: TextIndex
    snapshot: Snapshot
    dead: frozenset[int]
    tail: dict[int, _TailPassage]


class EmbeddedText:
    """The text of a store, or of what lies within a wall: that has an index of its own, which knows
    of nothing else and is brought up to date by nothing else."""

    def __init__(self, pool: RecordPool, within: View | None = None) -> None:
        self.folder = pool.folder if within is None else pool.folder / VIEWS / within.key
        self._pool = pool
        self._within = within
        self._lock = threading.RLock()
        self._text: TextIndex | None = None
        self._tail: dict[int, _TailPassage] = {}
        self._view: _View | None = None

    def close(self) -> None:
        with self._lock:  # another thread may be opening it
            self._text = self._view = None

    # -------------------------------------------------------------- searching

    def search(
        self, queries: Sequence[TextQuery], filter: Filter, limit: int, *, count: bool
    ) -> list[TextResult]:
        return self._retried(lambda: self._search(queries, filter, limit, count))

    def _search(
        self, queries: Sequence[TextQuery], filter: Filter, limit: int, count: bool
    ) -> list[TextResult]:
        view, allowed = self._current(), self._allowed(filter)
        return [_search(view, query, allowed, limit, count=count) for query in queries]

    def matched(self, words: Sequence[str], keys: Sequence[int]) -> dict[int, set[str]]:
        return self._retried(lambda: self._matched(words, keys))

    def _matched(self, words: Sequence[str], keys: Sequence[int]) -> dict[int, set[str]]:
        view = self._current()
        fresh = {key: view.tail[key].indexed.body for key in keys if key in view.tail}
        found = view.snapshot.matched(words, keys)
        return found | {key: set(words).intersection(body) for key, body in fresh.items()}

    def _retried(self, search: Callable[[], T]) -> T:
        """Do it; if the index turns out torn, look again (it may have been replaced meanwhile),
        and if it still is, make it anew."""
        for attempt in range(4):
            try:
                return search()
            except TornIndex as torn:
                error = torn
                with self._lock:
                    self._text = self._view = None
                if attempt:
                    self._replaced()
        raise StoreError(f"{self.folder}: the text index is torn: {error}", hint=_ANEW)

    def _replaced(self) -> None:
        """Makes the index anew, unless another process does."""
        try:
            with self._turn(WAIT_SECONDS) as held:
                if held:
                    self._build()
        except (OSError, ValueError, TornIndex) as error:
            said = f"{self.folder}: the text index is torn, and cannot be made anew: {error}"
            raise StoreError(said, hint=_ANEW) from error

    def _allowed(self, filter: Filter) -> LabelFilter:
        filter = filter._replace(within=None)  # nothing else is in the index
        if filter.everything:
            return LabelFilter()
        with self._pool.snapshot() as record:
            return record.allowed(filter)

    # -------------------------------------------------------------- the view

    def _current(self) -> _View:
        """The text of the record as it is now. Nothing is looked up twice for one state."""
        view = self._view
        state = self._state(self._pool.mine())
        if view and view.state == state and view.text.is_current(view.snapshot):
            return view
        index = self._fresh()
        with self._pool.snapshot() as record:
            state = self._state(record)
            try:
                snapshot = index.reload()
            except (OSError, ValueError) as error:  # replaced by a newer generation just now
                raise TornIndex(str(error)) from error
            dead = frozenset(record.deleted_after(snapshot.seq))
            tail = self._tail_after(record, snapshot.seq)
        self._view = _View(state, index, snapshot, dead, tail)
        return self._view

    def _tail_after(self, record: Record, seq: int) -> dict[int, _TailPassage]:
        keys = record.keys_after(seq, self._within)
        with self._lock:
            known = self._tail
            missing = list(not_among(keys, known))
            new = {
                row.key: _TailPassage(
                    row, lexical.index_passage(row.title, row.path, row.heading, row.text)
                )
                for row in record.rows(missing)
            }
            tail = {key: known.get(key) or new[key] for key in keys}
            self._tail = tail
        return tail

    def _fresh(self) -> TextIndex:
        """The current index, near enough to the record to search the rest directly."""
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            index, behind = self._look()
            if index and behind <= TAIL:
                return index
            reason = "another process is building it"
            try:
                with self._turn() as held:
                    if held:
                        return self._update(index)
            except (OSError, ValueError, TornIndex) as error:
                held, reason = True, str(error)  # a full disk is no reason not to answer
            if index and behind <= LONG_TAIL:
                return index
            if held or time.monotonic() > deadline:
                what = f"is over {LONG_TAIL} passages behind" if index else "is not there yet"
                raise StoreBusy(
                    f"{self.folder}: the text index {what}: {reason}",
                    hint="try again, or `recollect rebuild`",
                )
            time.sleep(0.05)

    def _look(self) -> tuple[TextIndex | None, int]:
        """The index if it can be used, and about how many passages it has not seen."""
        with self._pool.snapshot() as record:
            index = self._open(self._state(record))
            seen = index.reload().seq if index else 0
            if not record.has_more_than(TAIL, seen, self._within):
                return index, 0
            more = record.has_more_than(LONG_TAIL, seen, self._within)
            return index, LONG_TAIL + 1 if more else LONG_TAIL

    # -------------------------------------------------------------- the index

    def _state(self, record: Record) -> RecordState:
        """The state of what is indexed here; behind a wall the newest index is the current one."""
        if self._within is None:
            return record.state()
        named = (one.name.removeprefix("text-") for one in self.folder.glob("text-*"))
        newest = max(map(int, filter(str.isdecimal, named)), default=0)
        return record.state_within(self._within)._replace(generation=newest)

    def _open(self, state: RecordState) -> TextIndex | None:
        """The index of the current generation; None if it is missing, torn or of another
        history."""
        folder = self.folder / f"text-{state.generation}"
        with self._lock:
            if self._text and self._text.folder != folder:
                self._text = None
            try:
                if self._text is None:
                    self._text = TextIndex(folder)
                position = self._text.reload().position
            except (OSError, ValueError, TornIndex):
                self._text = None
                return None
            if position is None or position.epoch != state.epoch or position.seq > state.seq:
                return None
            return self._text

    def _turn(self, wait: float = 0.0) -> AbstractContextManager[bool]:
        """The lock of whoever changes the index."""
        permissions.folder(self.folder)
        return file_lock(self.folder / "text.lock", wait=wait)

    def _update(self, index: TextIndex | None) -> TextIndex:
        """Bring the index up to date, or build it. The caller holds the lock."""
        if index is None:
            with self._pool.snapshot() as record:
                index = self._open(self._state(record))  # perhaps another process has just built it
        if index is None:
            return self._build()
        try:
            self._feed(index)
        except (ValueError, TornIndex):
            return self._build()
        return index

    def _build(self) -> TextIndex:
        """A new generation beside the old one, which serves until this one is whole."""
        fresh = TextIndex(self.folder / "text-new", create=True)
        self._feed(fresh)
        record = self._pool.mine()
        folder = self.folder / f"text-{self._state(record).generation + 1}"
        folders.remove(folder)
        os.replace(fresh.folder, folder)
        if self._within is None:
            record.next_generation()
        with self._lock:
            self._text = index = TextIndex(folder)
        for old in self.folder.glob("text-*"):
            if old != folder and re.fullmatch(r"text-\d+", old.name):
                folders.remove(old)
        return index

    def _feed(self, index: TextIndex) -> None:
        """Everything the index has not seen, in commits of bounded size and memory."""
        with self._pool.snapshot() as mine:
            state, position = self._state(mine), index.reload().position
        if position and position.seq >= state.seq:
            return
        with closing(Record(self._pool.folder, once=True)) as record:
            while True:
                with record.snapshot():
                    state, snapshot = self._state(record), index.reload()
                    position, seen = snapshot.position, snapshot.seq
                    if position and seen >= state.seq:
                        return
                    upto = record.nth_key_after(seen, BATCH, self._within) or state.seq
                    dead = record.deleted_after(seen) if position else []
                    rows = record.rows_between(seen, upto, self._within)
                    with self._spared() if upto - seen > LONG_TAIL else nullcontext():
                        index.write(rows, dead, Position(state.epoch, upto))

    @contextmanager
    def _spared(self) -> Iterator[None]:
        """What takes much memory gets what others hold for later, and leaves none behind."""
        self._pool.mine().shrink()
        allocator.give_back()
        yield
        allocator.give_back()

    # -------------------------------------------------------------- upkeep

    def refresh(self, *, rebuild: bool) -> None:
        with self._turn(WAIT_SECONDS if rebuild else 0.0) as held:
            if held and rebuild:
                self._build()
            elif held:
                self._update(None)
            elif rebuild:
                raise StoreBusy(
                    f"{self.folder}: another process is busy with the text index",
                    hint="try again when it has finished",
                )

    def position(self, state: RecordState) -> Position | None:
        """Returns how far the current index has come, if there is one that can be used."""
        index = self._open(state)
        return index.reload().position if index else None

    def check(self, record: Record, full: bool) -> list[Finding]:
        index = self._open(record.state())
        if index is None:  # perhaps it is of a moment after this snapshot
            with self._pool.snapshot() as latest:
                now = latest.state()
                index = self._open(now)
        if index is None:
            if not (self.folder / f"text-{now.generation}").exists():
                return []  # the next search makes it
            return [Finding("text", "it is torn, or of another history")]
        try:
            torn = [Finding("text", f"{name} is torn") for name in index.damaged(full=full)]
            return torn or list(audit.text(record, record.db, index.reload(), full=full))
        except (OSError, ValueError, LookupError, TornIndex) as error:
            return [Finding("text", f"it is torn: {error}")]


# ------------------------------------------------------------------ one view, one query


def _search(
    view: _View, query: TextQuery, allowed: LabelFilter, limit: int, *, count: bool
) -> TextResult:
    if allowed.nothing:
        return TextResult([], {}, 0)
    found = view.snapshot.search(query, allowed, limit, count, view.dead)
    hits = found.hits
    weights = view.snapshot.idf(found.frequencies)
    total = found.total
    if view.tail:
        fresh, weights = _search_tail(query, allowed, view, found)
        hits = hits + fresh
        total += len(fresh)
    # The index has its segments in the order of their names, which are drawn at random.
    hits = sorted(hits, key=lambda h: (-h.score, h.passage))
    return TextResult(hits[:limit], weights, total)


def _search_tail(
    query: TextQuery, allowed: LabelFilter, view: _View, found: IndexHits
) -> tuple[list[Hit], dict[str, float]]:
    """Hits among passages that are in the record and not in the index, scored on its scale."""
    tail, state = view.tail.values(), view.state
    words = lexical.words(query)
    here = lexical.document_frequencies(words, query.field, (t.indexed for t in tail))
    total = view.snapshot.passages + len(tail)
    weights = {w: lexical.idf(found.frequencies.get(w, 0) + here[w], total) for w in words}
    if query.field == "title":
        average = sum(t.indexed.title_length for t in tail) / len(tail)
    else:
        # The record knows the average in characters; the tail tells characters from terms.
        characters = sum(len(t.row.text) for t in tail) or 1
        per_character = sum(t.indexed.length for t in tail) / characters
        average = state.characters / max(1, state.passages) * per_character
    hits = [
        Hit(
            t.row.key,
            t.row.document,
            lexical.score(query, t.indexed, weights, average),
        )
        for t in tail
        if _allows(allowed, t.row) and lexical.matches(query, t.indexed)
    ]
    return hits, weights


def _allows(allowed: LabelFilter, row: Row) -> bool:
    limits = zip(allowed.labels, row.labels, strict=True)
    if not all(ids is None or id in ids for ids, id in limits):
        return False
    path = folded_path(row.path)
    on_path = allowed.paths is None or any(re.fullmatch(p, path, re.DOTALL) for p in allowed.paths)
    return on_path and allowed.has_date(row.date)
