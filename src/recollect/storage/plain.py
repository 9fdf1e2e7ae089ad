"""The dict engine: the executable specification of a store, and the model that tests compare
every other engine with. Nothing is derived, nothing is on disk; a lock makes each call atomic.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from copy import deepcopy
from datetime import UTC, datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from recollect.nouns import (
    ChangeSet,
    Document,
    Event,
    Expect,
    Filter,
    Forget,
    Hit,
    Page,
    Passage,
    Put,
    Receipt,
    Recorded,
    Register,
    Remove,
    Source,
    SourceStats,
    StoredPassage,
    StoreStats,
    TextQuery,
    stable_id,
)
from recollect.ports import (
    OUTLINED,
    Checked,
    Dumped,
    Finding,
    Held,
    History,
    Item,
    Loaded,
    Outline,
    Spot,
    Stamped,
    TextFound,
    Tombstone,
    Turn,
    VectorFound,
    Whole,
)
from recollect.storage.content import check, digest, expect, parse_cursor, picked
from recollect.storage.filters import allows
from recollect.text import lexical

if TYPE_CHECKING:
    from recollect.ports import Vector, Vectors


class _Row(NamedTuple):
    """A stored passage with its terms."""

    key: int
    document: int
    passage: Passage
    indexed: lexical.Indexed
    to_embed: str


class _Kept(NamedTuple):
    """A stored document."""

    key: int
    document: Document
    digest: bytes
    passages: tuple[int, ...]
    handles: frozenset[str]


def _outline(document: Document) -> Outline:
    messages = document.messages
    dates = (m.date for m in reversed(messages) if m.date is not None)
    asked = (m.text for m in messages if m.role == "user")
    answered = (m.text for m in reversed(messages) if m.role == "assistant")
    return Outline(
        document._replace(text="", messages=()),
        len(messages),
        next(dates, document.date),
        next(asked, "")[:OUTLINED],
        next(answered, "")[:OUTLINED],
    )


M = TypeVar("M", bound=Callable[..., Any])


def _atomic(method: M) -> M:
    @wraps(method)
    def locked(self: PlainStore, *args: Any, **kwargs: Any) -> Any:
        with self._lock:
            return method(self, *args, **kwargs)

    return cast(M, locked)


class PlainStore:
    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._seq = 0
        self._sources: dict[str, Source] = {}
        self._source_seq: dict[str, int] = {}
        self._documents: dict[str, _Kept] = {}
        self._by_key: dict[int, str] = {}
        self._rows: dict[int, _Row] = {}
        self._vectors: dict[str, dict[int, Any]] = {}
        self._tombstones: dict[str, datetime] = {}
        self._events: list[Event] = []
        self._answers: dict[str, Recorded] = {}

    # -------------------------------------------------------------- writing

    @_atomic
    def apply(self, changes: ChangeSet, *, dry_run: bool = False) -> Receipt:
        if dry_run:
            return self._copy().apply(changes)
        for change in changes.changes:
            if isinstance(change, Put):
                check(change)
            elif isinstance(change, Expect):
                kept = self._documents.get(change.id)
                expect(change, kept.document.stamp if kept else None)
        receipt = Receipt()
        for change in changes.changes:
            if isinstance(change, Register):
                self._register(change.source)
            elif isinstance(change, Forget):
                self._tombstones.setdefault(change.id, datetime.now(UTC))
                receipt += self._remove(change.id, "forgotten")
            elif isinstance(change, Remove):
                receipt += self._remove(change.id, "removed")
            elif isinstance(change, Put):
                receipt += self._put(change)
        return receipt

    def _copy(self) -> PlainStore:
        other = PlainStore()
        state = {k: deepcopy(v) for k, v in vars(self).items() if k != "_lock"}
        vars(other).update(state)
        return other

    def _next(self) -> int:
        self._seq += 1
        return self._seq

    def _register(self, source: Source) -> None:
        self._sources[source.name] = source
        self._source_seq.setdefault(source.name, 0)

    def _put(self, put: Put, *, logged: bool = True) -> Receipt:
        document = put.document._replace(scopes=tuple(sorted(set(put.document.scopes))))
        if document.id in self._tombstones:
            return Receipt(tombstoned=1)
        made = digest(put)
        old = self._documents.get(document.id)
        if old and old.digest == made:
            self._documents[document.id] = old._replace(document=document)
            return Receipt(unchanged=1)
        self._sources.setdefault(document.source, Source(document.source))
        vectors = self._drop(old) if old else {}
        key = old.key if old else self._next()
        keys = []
        for passage in put.passages:
            pid = self._next()
            keys.append(pid)
            text = lexical.indexed_text(document.title, passage.heading, passage.text)
            terms = lexical.index_passage(
                document.title, document.path, passage.heading, passage.text
            )
            self._rows[pid] = _Row(pid, key, passage, terms, text)
            for model, by_text in vectors.items():
                if text in by_text:
                    self._vectors[model][pid] = by_text[text]
        self._documents[document.id] = _Kept(
            key, document, made, tuple(keys), frozenset(put.handles)
        )
        self._by_key[key] = document.id
        self._log(document.id, "changed" if old else "added", document.source, logged)
        return Receipt(changed=1) if old else Receipt(added=1)

    def _drop(self, kept: _Kept) -> dict[str, dict[str, Any]]:
        """Remove the passages; their vectors come back, by model and text, to be used again."""
        saved: dict[str, dict[str, Any]] = {model: {} for model in self._vectors}
        for pid in kept.passages:
            row = self._rows.pop(pid)
            for model, vectors in self._vectors.items():
                if pid in vectors:
                    saved[model][row.to_embed] = vectors.pop(pid)
        return saved

    def _remove(self, id: str, action: str, *, logged: bool = True) -> Receipt:
        kept = self._documents.pop(id, None)
        if kept is None:
            return Receipt()
        self._drop(kept)
        del self._by_key[kept.key]
        self._log(id, action, kept.document.source, logged)
        return Receipt(forgotten=1) if action == "forgotten" else Receipt(removed=1)

    def _log(self, id: str, action: str, source: str, logged: bool) -> None:
        seq = self._next()
        self._source_seq[source] = seq
        if logged:
            self._events.append(Event(seq, datetime.now(UTC), action, id))

    # -------------------------------------------------------------- reading

    @_atomic
    def get(self, name: str) -> list[Document]:
        if name in self._documents:
            return [self._documents[name].document]
        return [k.document for k in self._newest_first() if k.document.external == name]

    @_atomic
    def find(self, name: str, filter: Filter) -> list[Document]:
        found = (d._replace(text="", messages=()) for d in self.get(name))
        return [document for document in found if allows(filter, document)]

    def _newest_first(self) -> list[_Kept]:
        return sorted(self._documents.values(), key=lambda k: -k.key)

    @_atomic
    def held(self, handles: Collection[str]) -> list[Held]:
        return [
            Held(handle, kept.document)
            for kept in reversed(self._newest_first())
            for handle in sorted(kept.handles.intersection(handles))
        ]

    def _stored(self, row: _Row) -> StoredPassage:
        document = self._documents[self._by_key[row.document]].document
        id = f"{document.id}:{row.passage.n}"
        return StoredPassage(row.key, id, row.passage, document._replace(text="", messages=()))

    @_atomic
    def passages(self, keys: Sequence[int]) -> list[StoredPassage]:
        return [self._stored(self._rows[key]) for key in keys if key in self._rows]

    @_atomic
    def passage(self, id: str) -> StoredPassage | None:
        kept = self._documents.get(id.rpartition(":")[0])
        stored = [self._stored(self._rows[key]) for key in kept.passages] if kept else []
        return next((one for one in stored if one.id == id), None)

    @_atomic
    def scan(self, filter: Filter, *, limit: int, cursor: str = "") -> Page:
        before = parse_cursor(cursor)
        found = [
            kept
            for kept in self._newest_first()
            if (before is None or kept.key < before) and allows(filter, kept.document)
        ]
        page = found[:limit]
        more = len(found) > limit
        return Page(
            tuple(k.document._replace(text="", messages=()) for k in page),
            str(page[-1].key) if more else "",
        )

    @_atomic
    def newest(self, filter: Filter, count: int) -> datetime | None:
        dates = [k.document.date for k in self._documents.values() if allows(filter, k.document)]
        dated = sorted((d for d in dates if d is not None), reverse=True)[:count]
        return dated[-1] if dated else None

    @_atomic
    def stamps(self, source: str) -> list[Stamped]:
        found = (k.document for k in self._newest_first() if k.document.source == source)
        return [
            Stamped(d.external, source, d.path, d.origin, d.stamp, d.owner, d.scopes) for d in found
        ]

    def _visible(self, filter: Filter) -> list[_Row]:
        seen: dict[int, Document] = {
            k.key: k.document for k in self._documents.values() if allows(filter, k.document)
        }
        return [
            row
            for row in self._rows.values()
            if row.document in seen and allows(filter, seen[row.document], row.passage.role)
        ]

    @_atomic
    def search_text(
        self, query: TextQuery, filter: Filter, *, limit: int, count: bool = False
    ) -> TextFound:
        rows = self._rows.values()
        words = [c.term for c in query.any if c.kind == "word"]
        frequencies = lexical.document_frequencies(words, query.field, (r.indexed for r in rows))
        weights = {w: lexical.idf(frequencies[w], len(rows)) for w in words}
        title = query.field == "title"
        lengths = [r.indexed.title_length if title else r.indexed.length for r in rows]
        average = sum(lengths) / len(lengths) if lengths else 0.0
        hits = [
            Hit(row.key, row.document, lexical.score(query, row.indexed, weights, average))
            for row in self._visible(filter)
            if lexical.matches(query, row.indexed)
        ]
        hits.sort(key=lambda h: (-h.score, h.passage))
        return TextFound(hits[:limit], weights, len(hits) if count else 0)

    def search_texts(
        self, queries: Sequence[TextQuery], filter: Filter, *, limit: int
    ) -> list[list[Hit]]:
        return [self.search_text(query, filter, limit=limit).hits for query in queries]

    @_atomic
    def matched(self, words: Sequence[str], keys: Sequence[int]) -> dict[int, set[str]]:
        return {
            key: set(words).intersection(self._rows[key].indexed.body)
            for key in keys
            if key in self._rows
        }

    @_atomic
    def search_vector(
        self, model: str, vector: Vector, filter: Filter, *, limit: int
    ) -> VectorFound:
        vectors = self._vectors.get(model, {})
        hits = [
            Hit(row.key, row.document, float(vectors[row.key] @ vector))
            for row in self._visible(filter)
            if row.key in vectors
        ]
        hits.sort(key=lambda h: (-h.score, h.passage))
        return VectorFound(hits[:limit], len(vectors), len(self._rows))

    @_atomic
    def models(self) -> dict[str, int]:
        return {model: len(vectors) for model, vectors in self._vectors.items() if vectors}

    @_atomic
    def neighbours(self, key: int, *, before: int, after: int) -> list[StoredPassage]:
        row = self._rows.get(key)
        if row is None:
            return []
        n = row.passage.n
        kept = self._documents[self._by_key[row.document]]
        around = [
            self._rows[p] for p in kept.passages if -before <= self._rows[p].passage.n - n <= after
        ]
        return [self._stored(r) for r in around]

    @_atomic
    def holders(self, messages: Sequence[str], *, within: str = "") -> dict[str, list[Spot]]:
        wanted, found = set(messages), dict[str, list[Spot]]()
        for kept in reversed(self._newest_first()):
            if within not in ("", kept.document.id):
                continue
            for turn, message in enumerate(kept.document.messages):
                if message.id and message.id in wanted:
                    found.setdefault(message.id, []).append(Spot(kept.document.id, turn))
        return found

    @_atomic
    def turns(
        self, id: str, *, start: int, count: int, roles: Sequence[str] | None = None
    ) -> list[Turn]:
        kept = self._documents.get(id)
        every = [
            Turn(turn, message)
            for turn, message in enumerate(kept.document.messages if kept else ())
            if roles is None or message.role in roles
        ]
        if count < 0:
            return [one for one in every if one.turn <= start][count:]
        return [one for one in every if one.turn >= start][:count]

    @_atomic
    def tally(self, id: str, *, first: int = 0, last: int | None = None) -> dict[str, int]:
        kept = self._documents.get(id)
        messages = kept.document.messages if kept else ()
        upto = len(messages) if last is None else last + 1
        return dict(Counter(m.role for m in messages[max(0, first) : max(0, upto)]))

    @_atomic
    def recent(self, filter: Filter, *, limit: int) -> list[Outline]:
        found = [_outline(k.document) for k in self._newest_first() if allows(filter, k.document)]
        found.sort(key=lambda o: o.last.timestamp() if o.last else float("-inf"), reverse=True)
        return found[:limit]

    @_atomic
    def history(self, id: str) -> list[Event]:
        return [event for event in self._events if event.id == id]

    # -------------------------------------------------------------- vectors

    @_atomic
    def pending(self, model: str, *, limit: int) -> list[tuple[int, str]]:
        have = self._vectors.get(model, {})
        keys = sorted((k for k in self._rows if k not in have), reverse=True)
        return [(k, self._rows[k].to_embed) for k in keys[:limit]]

    @_atomic
    def put_vectors(self, model: str, keys: Sequence[int], vectors: Vectors) -> int:
        kept = self._vectors.setdefault(model, {})
        stored = 0
        for key, vector in zip(keys, vectors, strict=True):
            if key in self._rows and key not in kept:
                kept[key] = vector.astype("float16").astype("float32")
                source = self._stored(self._rows[key]).document.source
                self._source_seq[source] = self._next()
                stored += 1
        return stored

    @_atomic
    def drop_vectors(self, model: str) -> int:
        return len(self._vectors.pop(model, {}))

    # -------------------------------------------------------------- the rest

    @_atomic
    def stats(self) -> StoreStats:
        kinds: dict[str, int] = {}
        owned: dict[str, int] = dict.fromkeys(self._sources, 0)
        for kept in self._documents.values():
            kinds[kept.document.kind] = kinds.get(kept.document.kind, 0) + 1
            owned[kept.document.source] += 1
        return StoreStats(
            location="memory://",
            engine="plain",
            seq=self._seq,
            documents=len(self._documents),
            passages=len(self._rows),
            kinds=kinds,
            sources=[
                SourceStats(s.name, s.kind, s.uri, owned[s.name], s.stamp, s.places)
                for s in self._sources.values()
            ],
            vectors=self.models(),
            tombstones=len(self._tombstones),
            bytes=0,
        )

    @_atomic
    def behind(self) -> None:
        return None

    def fingerprint(self, filter: Filter) -> str:
        seen = [
            f"{name}={seq}"
            for name, seq in sorted(self._source_seq.items())
            if allows(Filter(sources=filter.sources), Document("", name))
        ]
        return stable_id(*seen)

    @_atomic
    def keep_answer(self, answer: Recorded) -> None:
        self._answers[answer.id] = answer

    @_atomic
    def answers(
        self, *, fingerprint: str = "", space: str = "", limit: int, before: datetime | None = None
    ) -> list[Recorded]:
        found = [
            one
            for one in self._answers.values()
            if fingerprint in ("", one.fingerprint)
            and space in ("", one.space)
            and (before is None or one.at < before)
        ]
        found.sort(key=lambda one: one.id)
        return sorted(found, key=lambda one: one.at, reverse=True)[:limit]

    @_atomic
    def drop_answers(self, ids: Collection[str]) -> int:
        return sum(self._answers.pop(id, None) is not None for id in set(ids))

    # -------------------------------------------------------------- all of it

    def dump(self, *, after: str = "", vectors: bool = True) -> Iterator[Dumped]:
        with self._lock:
            items = [Dumped(str(n), item) for n, item in enumerate(self._items(vectors), 1)]
        yield from items[parse_cursor(after) or 0 :]

    def _items(self, vectors: bool) -> Iterator[Item]:
        yield from self._sources.values()
        for kept in reversed(self._newest_first()):
            rows = [self._rows[key] for key in kept.passages]
            yield Whole(
                Put(kept.document, tuple(r.passage for r in rows), tuple(sorted(kept.handles))),
                {
                    model: {
                        r.passage.n: known[r.key].astype("<f2").tobytes()
                        for r in rows
                        if r.key in known
                    }
                    for model, known in self._vectors.items()
                    if vectors and any(r.key in known for r in rows)
                },
            )
        yield from (Tombstone(id, at) for id, at in sorted(self._tombstones.items()))
        for id in sorted({event.id for event in self._events}):
            yield History(id, tuple(self.history(id)))
        yield from sorted(self._answers.values(), key=lambda one: one.id)

    @_atomic
    def load(self, items: Iterable[Item], *, replace: bool = False) -> Loaded:
        copy, done = self._copy(), Loaded()
        for item in items:
            done += copy._load(item, replace)
        vars(self).update({k: v for k, v in vars(copy).items() if k != "_lock"})
        return done

    def _load(self, item: Item, replace: bool) -> Loaded:
        if isinstance(item, Source):
            known = self._sources.get(item.name)
            if known == item or (known and not replace):
                return Loaded()
            self._register(item)
            return Loaded(sources=1)
        if isinstance(item, Whole):
            return self._load_document(item, replace)
        if isinstance(item, Tombstone):
            if item.id in self._tombstones:
                return Loaded()
            if item.id in self._documents and not replace:
                return Loaded(different=1)
            self._tombstones[item.id] = item.at
            self._remove(item.id, "forgotten", logged=False)
            return Loaded(tombstones=1)
        if isinstance(item, History):
            given = Counter((e.action, e.at) for e in item.events)
            missing = given - Counter((e.action, e.at) for e in self.history(item.id))
            new = list(picked(item.events, missing))
            self._events += [event._replace(seq=self._next()) for event in new]
            return Loaded(events=len(new))
        if item.id in self._answers and (self._answers[item.id] == item or not replace):
            return Loaded()
        self.keep_answer(item)
        return Loaded(answers=1)

    def _load_document(self, whole: Whole, replace: bool) -> Loaded:
        check(whole.put)
        id, made = whole.put.document.id, digest(whole.put)
        old = self._documents.get(id)
        done = Loaded(unchanged=1)
        if old is None and id in self._tombstones:
            return Loaded(forgotten=1)
        if old is None or old.digest != made:
            if old and not replace:
                return Loaded(different=1)
            self._put(whole.put, logged=False)
            done = Loaded(documents=1)
        import numpy as np

        keys = {self._rows[key].passage.n: key for key in self._documents[id].passages}
        for model, by_number in whole.vectors.items():
            numbers = sorted(by_number.keys() & keys.keys())
            blobs = [np.frombuffer(by_number[n], "<f2").astype(np.float32) for n in numbers]
            if blobs:
                stored = self.put_vectors(model, [keys[n] for n in numbers], np.array(blobs))
                done += Loaded(vectors=stored)
        return done

    @_atomic
    def check(self, *, full: bool = False) -> Checked:
        bad = []
        for kept in self._documents.values() if full else ():
            cut = tuple(self._rows[key].passage for key in kept.passages)
            if digest(Put(kept.document, cut, tuple(kept.handles))) != kept.digest:
                bad.append(Finding("record", f"{kept.document.external} is not as it was stored"))
        last = max((event.at for event in self._events), default=None)
        return Checked(tuple(bad), len(self._documents) if full else 0, last_write=last)

    def refresh(self, *, rebuild: bool = False) -> None:
        """There is nothing derived to refresh."""

    def close(self) -> None:
        """There is nothing to close."""
