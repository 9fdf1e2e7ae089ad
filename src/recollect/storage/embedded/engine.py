"""The embedded engine: the record, with its two indexes kept near it.

Who keeps an index fresh: whoever notices. A search that finds the text index more than
``TAIL`` passages behind brings it up to date if no other process is doing so; what is still
missing is searched directly, so that a write is always visible to the next read. No index
error ever reaches a writer.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from recollect import permissions
from recollect.errors import StoreBusy, StoreError
from recollect.nouns import (
    ChangeSet,
    Document,
    Event,
    Filter,
    Hit,
    Page,
    Receipt,
    Recorded,
    StoredPassage,
    StoreStats,
    TextQuery,
    stable_id,
)
from recollect.ports import (
    Checked,
    Dumped,
    Finding,
    Held,
    Item,
    Loaded,
    Outline,
    Spot,
    Stamped,
    TextFound,
    Turn,
    VectorFound,
)
from recollect.storage.content import parse_cursor
from recollect.storage.embedded import audit
from recollect.storage.embedded.allocator import give_back
from recollect.storage.embedded.connection import translated
from recollect.storage.embedded.lock import file_lock
from recollect.storage.embedded.record import Record
from recollect.storage.embedded.rows import Allowed, Row, State
from recollect.storage.embedded.text_index import Found, Position, Snapshot, TextIndex, TornIndex
from recollect.storage.filters import folded_path
from recollect.text import lexical

if TYPE_CHECKING:
    from recollect.ports import Vector, Vectors
    from recollect.storage.embedded.vector_index import VectorIndex

TAIL = 256
"""The text index may be so many passages behind before a search brings it up to date."""
LONG_TAIL = 4096
"""So many are searched directly when another process is busy with the index."""
BATCH = 200_000
"""Passages in one commit of the text index: bounds memory and what a crash repeats."""
WAIT_SECONDS = 60.0
LOCK_SECONDS = 2.0
"""A writer that holds the record for longer is worth a word."""

T = TypeVar("T")


class _Tailed(NamedTuple):
    """A passage that the text index has not seen yet."""

    row: Row
    indexed: lexical.Indexed


class _View(NamedTuple):
    """One state of the record's text: an index commit, what is gone from it, what is new."""

    state: State
    text: TextIndex
    snapshot: Snapshot
    dead: frozenset[int]
    tail: dict[int, _Tailed]


class EmbeddedStore:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            permissions.folder(folder)
        except OSError as error:
            raise StoreError(
                f"{folder}: cannot make the store here: {error.strerror}",
                hint="give another folder with --store or RECOLLECT_STORE",
            ) from error
        if not os.access(folder, os.W_OK):
            raise StoreError(
                f"{folder} cannot be written, which a store needs even to be searched",
                hint="give yourself the right to, or copy it to a place where you have it",
            )
        self._local = threading.local()
        self._records: list[tuple[threading.Thread, Record]] = []
        self._lock = threading.RLock()
        self._text: TextIndex | None = None
        self._tail: dict[int, _Tailed] = {}
        self._view: _View | None = None
        self._vectors: dict[str, VectorIndex] = {}
        self._record()

    def _record(self) -> Record:
        """This thread's connection. Those of threads that have ended are closed when a new one
        is opened: a process that lives long has many threads, and each a few at a time."""
        record: Record | None = getattr(self._local, "record", None)
        if record is None:
            record = self._local.record = Record(self.folder)
            with self._lock:
                ended = [(t, r) for t, r in self._records if not t.is_alive()]
                self._records = [one for one in self._records if one not in ended]
                self._records.append((threading.current_thread(), record))
            for _, old in ended:
                old.close()
        return record

    @contextmanager
    def _snapshot(self) -> Iterator[tuple[Record, State]]:
        record = self._record()
        with record.snapshot():
            yield record, record.state()

    # -------------------------------------------------------------- the record

    def apply(self, changes: ChangeSet, *, dry_run: bool = False) -> Receipt:
        return self._record().apply(changes, dry_run)

    def get(self, name: str) -> list[Document]:
        with self._snapshot() as (record, _):
            return record.get(name)

    def held(self, handles: Collection[str]) -> list[Held]:
        with self._snapshot() as (record, _):
            return record.held(list(dict.fromkeys(handles)))

    def passages(self, keys: Sequence[int]) -> list[StoredPassage]:
        return self._record().passages(keys)

    def passage(self, id: str) -> StoredPassage | None:
        return self._record().passage(id)

    def scan(self, filter: Filter, *, limit: int, cursor: str = "") -> Page:
        before = parse_cursor(cursor)
        with self._snapshot() as (record, _):
            return record.scan(filter, limit, before)

    def newest(self, filter: Filter, count: int) -> datetime | None:
        with self._snapshot() as (record, _):
            return record.newest(filter, count)

    def stamps(self, source: str) -> list[Stamped]:
        with self._snapshot() as (record, _):
            return record.stamps(source)

    def neighbours(self, key: int, *, before: int, after: int) -> list[StoredPassage]:
        with self._snapshot() as (record, _):
            return record.neighbours(key, before, after)

    def find(self, name: str, filter: Filter) -> list[Document]:
        with self._snapshot() as (record, _):
            return record.find(name, filter)

    def holders(self, messages: Sequence[str], *, within: str = "") -> dict[str, list[Spot]]:
        with self._snapshot() as (record, _):
            return record.holders(messages, within)

    def turns(
        self, id: str, *, start: int, count: int, roles: Sequence[str] | None = None
    ) -> list[Turn]:
        with self._snapshot() as (record, _):
            return record.turns(id, start, count, roles)

    def tally(self, id: str, *, first: int = 0, last: int | None = None) -> dict[str, int]:
        with self._snapshot() as (record, _):
            return record.tally(id, first, last)

    def recent(self, filter: Filter, *, limit: int) -> list[Outline]:
        with self._snapshot() as (record, _):
            return record.recent(filter, limit)

    def history(self, id: str) -> list[Event]:
        with self._snapshot() as (record, _):
            return record.history(id)

    def fingerprint(self, filter: Filter) -> str:
        seen = self._record().source_seqs(filter)
        return stable_id(*(f"{name}={seq}" for name, seq in seen))

    def behind(self) -> None:
        return None

    def keep_answer(self, answer: Recorded) -> None:
        self._record().keep_answer(answer)

    def answers(
        self, *, fingerprint: str = "", space: str = "", limit: int, before: datetime | None = None
    ) -> list[Recorded]:
        return self._record().answers(fingerprint, space, limit, before)

    def drop_answers(self, ids: Collection[str]) -> int:
        return self._record().drop_answers(list(ids))

    def dump(self, *, after: str = "", vectors: bool = True) -> Iterator[Dumped]:
        with closing(Record(self.folder, once=True)) as record, record.snapshot():
            yield from record.dump(after, vectors)

    def load(self, items: Iterable[Item], *, replace: bool = False) -> Loaded:
        return self._record().load(items, replace)

    def renew(self) -> None:
        """Make this another history: what was derived or cached of the old one is not of it."""
        self._record().renew()

    def close(self) -> None:
        with self._lock:
            for _, record in self._records:
                record.close()
            self._records.clear()
            self._text = self._view = None
            self._vectors.clear()
        self._local = threading.local()

    # -------------------------------------------------------------- text

    def search_text(
        self, query: TextQuery, filter: Filter, *, limit: int, count: bool = False
    ) -> TextFound:
        return self._retried(lambda: self._search_text(query, filter, limit, count))

    def _retried(self, search: Callable[[], T]) -> T:
        """Do it; if the index turns out torn, look again (it may have been replaced meanwhile),
        and if it still is, make it anew."""
        for attempt in range(3):
            try:
                return search()
            except TornIndex:
                with self._lock:
                    self._text = self._view = None
                if attempt:
                    with file_lock(self.folder / "text.lock", wait=WAIT_SECONDS) as held:
                        if held:
                            self._build_text()
        return search()

    def search_texts(
        self, queries: Sequence[TextQuery], filter: Filter, *, limit: int
    ) -> list[list[Hit]]:
        return self._retried(lambda: self._search_texts(queries, filter, limit))

    def _search_texts(
        self, queries: Sequence[TextQuery], filter: Filter, limit: int
    ) -> list[list[Hit]]:
        view, allowed = self._text_view(), self._allowed(filter)
        return [_search(view, query, allowed, limit, count=False).hits for query in queries]

    def _search_text(self, query: TextQuery, filter: Filter, limit: int, count: bool) -> TextFound:
        return _search(self._text_view(), query, self._allowed(filter), limit, count=count)

    def _allowed(self, filter: Filter) -> Allowed:
        if not filter.limits:
            return Allowed()
        with self._snapshot() as (record, _):
            return record.allowed(filter)

    def matched(self, words: Sequence[str], keys: Sequence[int]) -> dict[int, set[str]]:
        return self._retried(lambda: self._matched(words, keys))

    def _matched(self, words: Sequence[str], keys: Sequence[int]) -> dict[int, set[str]]:
        view = self._text_view()
        found = view.snapshot.matched(words, keys)
        for key in keys:
            if key in view.tail:
                found[key] = set(words).intersection(view.tail[key].indexed.body)
        return found

    def _text_view(self) -> _View:
        """The text of the record as it is now. Nothing is looked up twice for one state."""
        view = self._view
        if view and view.state == self._record().state() and view.text.is_current(view.snapshot):
            return view
        index = self._fresh_text()
        with self._snapshot() as (record, state):
            try:
                snapshot = index.reload()
            except (OSError, ValueError) as error:  # replaced by a newer generation just now
                raise TornIndex(str(error)) from error
            seen = snapshot.position.seq if snapshot.position else 0
            dead = frozenset(record.deleted_after(seen))
            tail = self._tail_after(record, seen)
        self._view = _View(state, index, snapshot, dead, tail)
        return self._view

    def _tail_after(self, record: Record, seq: int) -> dict[int, _Tailed]:
        keys = record.keys_after(seq)
        with self._lock:
            known = self._tail
            missing = [key for key in keys if key not in known]
            new = {
                row.key: _Tailed(
                    row, lexical.index_passage(row.title, row.path, row.heading, row.text)
                )
                for row in record.rows(missing)
            }
            tail = {key: known.get(key) or new[key] for key in keys}
            self._tail = tail
        return tail

    def _fresh_text(self) -> TextIndex:
        """The current index, near enough to the record to search the rest directly."""
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            index, behind = self._look_at_text()
            if index and behind <= TAIL:
                return index
            reason = "another process is building it"
            with file_lock(self.folder / "text.lock") as held:
                if held:
                    try:
                        return self._update_text(index)
                    except (OSError, ValueError, TornIndex) as error:
                        reason = str(error)  # a full disk is no reason not to answer
            if index and behind <= LONG_TAIL:
                return index
            if held or time.monotonic() > deadline:
                what = f"is over {LONG_TAIL} passages behind" if index else "is not there yet"
                raise StoreBusy(
                    f"{self.folder}: the text index {what}: {reason}",
                    hint="try again, or `recollect rebuild`",
                )
            time.sleep(0.05)

    def _look_at_text(self) -> tuple[TextIndex | None, int]:
        """The index if it can be used, and about how many passages it has not seen."""
        with self._snapshot() as (record, state):
            index = self._open_text(state)
            position = index.reload().position if index else None
            seen = position.seq if position else 0
            if not record.has_more_than(TAIL, seen):
                return index, 0
            behind = LONG_TAIL if not record.has_more_than(LONG_TAIL, seen) else LONG_TAIL + 1
            return index, behind

    def _open_text(self, state: State) -> TextIndex | None:
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

    def _update_text(self, index: TextIndex | None) -> TextIndex:
        """Bring the index up to date, or build it. The caller holds the lock."""
        if index is None:
            with self._snapshot() as (_, state):
                index = self._open_text(state)  # perhaps another process has just built it
        if index is None:
            return self._build_text()
        try:
            self._feed_text(index)
        except (ValueError, TornIndex):
            return self._build_text()
        return index

    def _build_text(self) -> TextIndex:
        """A new generation beside the old one, which serves until this one is whole."""
        import shutil

        fresh = TextIndex(self.folder / "text-new", create=True)
        self._feed_text(fresh)
        record = self._record()
        folder = self.folder / f"text-{record.state().generation + 1}"
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(fresh.folder, folder)
        record.next_generation()
        with self._lock:
            self._text = index = TextIndex(folder)
        for old in self.folder.glob("text-*"):
            if old != folder and re.fullmatch(r"text-\d+", old.name):
                shutil.rmtree(old, ignore_errors=True)
        return index

    def _feed_text(self, index: TextIndex) -> None:
        """Everything the index has not seen, in commits of bounded size and memory."""
        with self._snapshot() as (_, state):
            position = index.reload().position
        if position and position.seq >= state.seq:
            return
        with closing(Record(self.folder, once=True)) as record:
            while True:
                with record.snapshot():
                    state, position = record.state(), index.reload().position
                    seen = position.seq if position else 0
                    if position and seen >= state.seq:
                        return
                    upto = record.nth_key_after(seen, BATCH) or state.seq
                    dead = record.deleted_after(seen) if position else []
                    rows = record.rows_between(seen, upto)
                    with self._spared() if upto - seen > LONG_TAIL else nullcontext():
                        index.write(rows, dead, Position(state.epoch, upto))

    @contextmanager
    def _spared(self) -> Iterator[None]:
        """What takes much memory gets what others hold for later, and leaves none behind."""
        self._record().shrink()
        give_back()
        yield
        give_back()

    # -------------------------------------------------------------- vectors

    def pending(self, model: str, *, limit: int) -> list[tuple[int, str]]:
        with self._snapshot() as (record, _):
            return record.pending(model, limit)

    def put_vectors(self, model: str, keys: Sequence[int], vectors: Vectors) -> int:
        blobs = [vector.tobytes() for vector in vectors.astype("<f2")]
        kept = self._record().put_vectors(model, vectors.shape[1], keys, blobs)
        with suppress(OSError):
            self._flush_vectors(model)
        return kept

    def search_vector(
        self, model: str, vector: Vector, filter: Filter, *, limit: int
    ) -> VectorFound:
        index = self._vector_index(model)
        with self._snapshot() as (record, state):
            allowed = record.allowed(filter)
            if allowed.nothing:
                return VectorFound([], record.models().get(model, 0), state.passages)
            hits = index.search(record, state.epoch, state.seq, vector, allowed, limit)
        if index.wants_a_segment:
            with suppress(OSError):
                self._flush_vectors(model)
        return VectorFound([Hit(*hit) for hit in hits], index.size, state.passages)

    def drop_vectors(self, model: str) -> int:
        import shutil

        gone = self._record().drop_vectors(model)
        with file_lock(self.folder / "vectors.lock", wait=WAIT_SECONDS) as held, self._lock:
            index = self._vectors.pop(model, None) or self._new_index(model)
            if held:  # else whoever holds it finds no vectors for its segments
                shutil.rmtree(index.folder, ignore_errors=True)
        return gone

    def models(self) -> dict[str, int]:
        return self._record().models()

    def _vector_index(self, model: str) -> VectorIndex:
        with self._lock:
            if model not in self._vectors:
                self._vectors[model] = self._new_index(model)
            return self._vectors[model]

    def _new_index(self, model: str) -> VectorIndex:
        from recollect.storage.embedded.vector_index import VectorIndex, vector_folder

        return VectorIndex(vector_folder(self.folder, model), model)

    def _flush_vectors(self, model: str, *, rebuild: bool = False) -> None:
        """Write a segment if enough vectors wait for one, unless another process is at it."""
        index = self._vector_index(model)
        wait = WAIT_SECONDS if rebuild else 0.0
        with file_lock(self.folder / "vectors.lock", wait=wait) as held:
            if not held:
                return
            with self._snapshot() as (record, state):
                if rebuild or index.waiting(record, state.epoch):
                    index.flush(record, state.epoch, state.seq, rebuild=rebuild)

    # -------------------------------------------------------------- upkeep

    def refresh(self, *, rebuild: bool = False) -> None:
        try:
            self._refresh(rebuild)
        except (OSError, ValueError, TornIndex) as error:
            if rebuild:  # whoever only wants them fresh can do without
                raise StoreError(
                    f"{self.folder}: the indexes cannot be made: {error}",
                    hint="make room on the disk and try again; the record is not touched by it",
                ) from error

    def _refresh(self, rebuild: bool) -> None:
        with file_lock(self.folder / "text.lock", wait=WAIT_SECONDS if rebuild else 0.0) as held:
            if held:
                if rebuild:
                    self._build_text()
                else:
                    self._update_text(None)
            elif rebuild:
                raise StoreBusy(f"{self.folder}: another process is busy with the text index",
                                hint="try again when it has finished")  # fmt: skip
        for model in self._record().models():
            self._flush_vectors(model, rebuild=rebuild)

    def check(self, *, full: bool = False) -> Checked:
        found = list(audit.writable(self.folder, LOCK_SECONDS))
        with closing(Record(self.folder, once=True)) as record, record.snapshot():
            state = record.state()
            for findings in record.audit(full):
                found += _within(findings)
            if any(one.part == "record" for one in found):
                return Checked(tuple(found))
            found += self._check_text(record, state, full)
            recall: dict[str, float] = {}
            for model in record.models():
                found += self._check_vectors(record, state, model, full, recall)
            return Checked(
                tuple(found),
                documents=record.counts()["documents"] if full else 0,
                sampled=record.sampled(full),
                recall=recall,
                last_write=record.last_write(),
            )

    def _check_text(self, record: Record, state: State, full: bool) -> list[Finding]:
        index = self._open_text(state)
        if index is None:  # perhaps it is of a moment after this snapshot
            with self._snapshot() as (_, now):
                index = self._open_text(now)
        if index is None:
            if not (self.folder / f"text-{now.generation}").exists():
                return []  # the next search makes it
            return [Finding("text", "it is torn, or of another history")]
        try:
            return list(record.audit_text(index.reload(), full))
        except (OSError, ValueError, TornIndex) as error:
            return [Finding("text", f"it is torn: {error}")]

    def _check_vectors(
        self, record: Record, state: State, model: str, full: bool, recall: dict[str, float]
    ) -> Iterator[Finding]:
        index = self._vector_index(model)
        if torn := index.torn(state.epoch):
            yield Finding("vectors", f"{model}: {torn}")
            return
        share = record.recall(index, state, full)
        if share is not None:
            recall[model] = round(share, 4)
        if share is not None and index.size != record.models()[model]:
            yield Finding("vectors", f"{model}: {index.size:,} of {record.models()[model]:,} "
                                     "vectors can be found")  # fmt: skip

    def stats(self) -> StoreStats:
        with self._snapshot() as (record, state):
            counts = record.counts()
            models = record.models()
            index = self._open_text(state)
            position = index.reload().position if index else None
            behind = None if position is None else record.text_behind(position.seq)
        indexes: dict[str, Any] = {"text": {"generation": state.generation, "behind": behind}}
        for model in models:
            indexes[f"vectors {model}"] = self._vector_index(model).describe(state.epoch)
        return StoreStats(
            location=str(self.folder),
            engine="embedded",
            seq=state.seq,
            passages=state.passages,
            bytes=_bytes_in(self.folder),
            indexes=indexes,
            **counts,
        )


def _within(findings: Iterator[Finding]) -> Iterator[Finding]:
    """The findings up to where the file cannot be read any more, and that."""
    try:
        with translated(Path()):
            yield from findings
    except StoreError as error:
        yield Finding("record", error.message)


def _bytes_in(folder: Path) -> int:
    """The size of everything in it; files that go away meanwhile do not count."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.stat(os.path.join(place, name)).st_size
    return total


def _search(
    view: _View, query: TextQuery, allowed: Allowed, limit: int, *, count: bool
) -> TextFound:
    if allowed.nothing:
        return TextFound([], {}, 0)
    found = view.snapshot.search(query, allowed, limit, count, view.dead)
    hits = found.hits
    weights = view.snapshot.idf(found.frequencies)
    total = found.total
    if view.tail:
        fresh, weights = _search_tail(query, allowed, view, found)
        hits = sorted(hits + fresh, key=lambda h: (-h.score, h.passage))
        total += len(fresh)
    return TextFound(hits[:limit], weights, total)


def _search_tail(
    query: TextQuery, allowed: Allowed, view: _View, found: Found
) -> tuple[list[Hit], dict[str, float]]:
    """Hits among passages that are in the record and not in the index, scored on its scale."""
    tail, state = view.tail.values(), view.state
    words = [clause.term for clause in query.any if clause.kind == "word"]
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


def _allows(allowed: Allowed, row: Row) -> bool:
    limits = zip(allowed.labels, row.labels, strict=True)
    if any(ids is not None and id not in ids for ids, id in limits):
        return False
    if allowed.since is not None and (row.date is None or row.date < allowed.since):
        return False
    if allowed.until is not None and (row.date is None or row.date >= allowed.until):
        return False
    return allowed.paths is None or any(
        re.fullmatch(p, folded_path(row.path), re.DOTALL) for p in allowed.paths
    )
