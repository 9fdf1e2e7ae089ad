"""The plain store: reading, searching and writing its dicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cached_property
from operator import itemgetter

from recollect import ports
from recollect.nouns import (
    ChangeSet,
    Document,
    Event,
    Filter,
    Hit,
    Page,
    Put,
    Receipt,
    SourceStats,
    StoredPassage,
    StoreStats,
    TextQuery,
    filled,
    of_type,
    only,
    stable_id,
)
from recollect.ports import EVERYTHING, HandleMatch, TextResult, VectorResult
from recollect.storage.content import check, expect, inside, parse_cursor
from recollect.storage.filters import allows, role_allows, source_allows
from recollect.storage.plain import admin
from recollect.storage.plain.answers import PlainAnswers
from recollect.storage.plain.sessions import PlainSessions
from recollect.storage.plain.tables import PassageEntry, Tables, atomic, bodiless
from recollect.text import lexical


class PlainStore:
    def __init__(self) -> None:
        self.tables = Tables()
        self.sessions = PlainSessions(self.tables)
        self.answers = PlainAnswers(self.tables)

    @cached_property
    def admin(self) -> admin.PlainAdmin:
        return admin.PlainAdmin(self.tables)

    @atomic
    def apply(self, changes: ChangeSet, *, dry_run: bool = False) -> Receipt:
        for put in of_type(changes.changes, Put):
            check(put)
        expect(changes, self.tables.stamp)
        tables = self.tables.copy() if dry_run else self.tables
        return sum(map(tables.write, changes.changes), Receipt())

    # -------------------------------------------------------------- reading

    @atomic
    def get(self, name: str, filter: Filter = EVERYTHING, *, body: bool = True) -> list[Document]:
        by_id = self.tables.documents.get(name)
        called = (d for d in self.tables.seen(EVERYTHING) if d.external == name)
        found = [by_id.document] if by_id else called
        return [d if body else bodiless(d) for d in found if allows(filter, d)]

    @atomic
    def by_handle(self, handles: Collection[str]) -> list[HandleMatch]:
        return [
            HandleMatch(handle, entry.document)
            for entry in reversed(self.tables.newest_first())
            for handle in sorted(entry.handles.intersection(handles))
        ]

    @atomic
    def passages(
        self, names: Sequence[int | str], *, before: int = 0, after: int = 0
    ) -> list[StoredPassage]:
        found = map(self.tables.passage, names)
        return [
            self.tables.stored(beside)
            for entry in found
            if entry is not None
            for beside in self.tables.siblings(entry)
            if -before <= beside.passage.n - entry.passage.n <= after
        ]

    @atomic
    def scan(self, filter: Filter, *, limit: int, cursor: str = "", dated: bool = False) -> Page:
        if dated:
            times = [(d.date.timestamp(), d) for d in self.tables.seen(filter) if d.date]
            times.sort(key=itemgetter(0), reverse=True)
            return Page(tuple(bodiless(d) for _, d in times[:limit]), "")
        start = parse_cursor(cursor, self._key_of)
        entries = [
            entry
            for entry in self.tables.newest_first()
            if (start is None or entry.key < start) and allows(filter, entry.document)
        ]
        page = entries[:limit]
        more = len(entries) > limit
        return Page(tuple(bodiless(e.document) for e in page), str(page[-1].key) if more else "")

    def _key_of(self, id: str) -> int | None:
        entry = self.tables.documents.get(id)
        return entry.key if entry else None

    @atomic
    def history(self, id: str) -> list[Event]:
        return [event for event in self.tables.events if event.id == id]

    # -------------------------------------------------------------- searching

    def _visible(self, filter: Filter) -> list[PassageEntry]:
        seen = {
            entry.key for entry in self.tables.documents.values() if allows(filter, entry.document)
        }
        return [
            entry
            for entry in self.tables.passages.values()
            if entry.document in seen and role_allows(filter.roles, entry.passage.role)
        ]

    @atomic
    def search_text(
        self, queries: Sequence[TextQuery], filter: Filter, *, limit: int, count: bool = False
    ) -> list[TextResult]:
        return [self._search_text(query, filter, limit, count) for query in queries]

    def _search_text(self, query: TextQuery, filter: Filter, limit: int, count: bool) -> TextResult:
        entries = self._visible(Filter(within=filter.within))
        words = lexical.words(query)
        frequencies = lexical.document_frequencies(words, query.field, (e.indexed for e in entries))
        weights = {w: lexical.idf(frequencies[w], len(entries)) for w in words}
        lengths = [entry.indexed.length_of(query.field) for entry in entries]
        average = sum(lengths) / max(1, len(lengths))
        hits = [
            Hit(entry.key, entry.document, lexical.score(query, entry.indexed, weights, average))
            for entry in self._visible(filter)
            if lexical.matches(query, entry.indexed)
        ]
        hits.sort(key=lambda h: (-h.score, h.passage))
        return TextResult(hits[:limit], weights, len(hits) if count else 0)

    @atomic
    def matched(
        self,
        words: Sequence[str],
        keys: Sequence[int],
        filter: Filter = EVERYTHING,  # noqa: ARG002  what a passage has is in the passage
    ) -> dict[int, set[str]]:
        found = self.tables.passages
        return {
            key: set(words).intersection(found[key].indexed.body) for key in keys if key in found
        }

    @atomic
    def search_vector(
        self, model: str, near: ports.Vector | int, filter: Filter, *, limit: int
    ) -> VectorResult:
        vectors = self.tables.vectors.get(model, {})
        vector = vectors.get(near) if isinstance(near, int) else near
        hits = [
            Hit(entry.key, entry.document, float(vectors[entry.key] @ vector))
            for entry in self._visible(filter)
            if entry.key in vectors and vector is not None
        ]
        hits.sort(key=lambda h: (-h.score, h.passage))
        there = {entry.key for entry in self._visible(Filter(within=filter.within))}
        return VectorResult(hits[:limit], len(there & vectors.keys()), len(there))

    # -------------------------------------------------------------- vectors

    @atomic
    def pending(
        self, model: str, *, limit: int, filter: Filter = EVERYTHING
    ) -> list[tuple[int, str]]:
        have = self.tables.vectors.get(model, {})
        there = {entry.key for entry in self._visible(Filter(within=filter.within))}
        keys = sorted(there - have.keys(), reverse=True)
        return [(key, self.tables.passages[key].to_embed) for key in keys[:limit]]

    @atomic
    def put_vectors(
        self,
        model: str,
        keys: Sequence[int],
        vectors: ports.Vectors,
        sentences: Sequence[bytes] | None = None,
    ) -> int:
        signs = {} if sentences is None else dict(zip(keys, sentences, strict=True))
        return self.tables.put_vectors(model, dict(zip(keys, vectors, strict=True)), signs)

    @atomic
    def sentences(self, model: str, keys: Sequence[int]) -> dict[int, bytes]:
        return only(self.tables.sentences.get(model, {}), keys)

    # -------------------------------------------------------------- the rest

    @atomic
    def stats(self, filter: Filter = EVERYTHING) -> StoreStats:
        wall = Filter(within=filter.within)
        every = Counter(entry.document.source for entry in self.tables.documents.values())
        documents = self.tables.seen(wall)
        owned = Counter(document.source for document in documents)
        there = {entry.key for entry in self._visible(wall)}
        vectors = {model: len(there & some.keys()) for model, some in self.tables.vectors.items()}
        counted = StoreStats(
            location="memory://",
            engine="plain",
            seq=self.tables.seq,
            documents=len(documents),
            passages=len(there),
            kinds=dict(Counter(document.kind for document in documents)),
            sources=[
                SourceStats(s.name, s.kind, s.uri, owned[s.name], s.stamp, s.places)
                for s in self.tables.sources.values()
            ],
            vectors=filled(vectors),
            tombstones=len(self.tables.tombstones),
            bytes=0,
        )
        return counted if wall.everything else inside(counted, every)

    @atomic
    def fingerprint(self, filter: Filter) -> str:
        seen = sorted(self.tables.wall_seq.items())
        return stable_id(
            self.tables.secret,
            *(
                f"{source} {owner} {scopes}={seq}"
                for (source, owner, scopes), seq in seen
                if source_allows(filter.sources, source)
                and (filter.within is None or filter.within.sees(owner, scopes))
            ),
        )

    def close(self) -> None:
        """There is nothing to close."""
