"""All of a plain store as items, and items as entries of its dicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from typing import Any

import numpy as np

from recollect.nouns import Filter, Put, Recorded, Source, filled
from recollect.ports import (
    EVERYTHING,
    CheckReport,
    DocumentStamp,
    DumpEntry,
    Finding,
    History,
    Item,
    LoadReport,
    Tombstone,
    Twin,
    WholeDocument,
)
from recollect.storage.content import (
    burying,
    check,
    digest,
    loading,
    parse_cursor,
    stays,
    unknown,
)
from recollect.storage.plain.tables import DocumentEntry, Tables, atomic


class PlainAdmin:
    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    @atomic
    def stamps(self, source: str, *, gone: bool = False) -> list[DocumentStamp]:
        found = (entry.document for entry in self.tables.newest_first())
        return [
            DocumentStamp(d.external, source, d.path, d.origin, d.stamp, d.owner, d.scopes)
            for d in found
            if d.source == source and d.gone >= gone
        ]

    def dump(self, *, after: str = "", vectors: bool = True) -> Iterator[DumpEntry]:
        with self.tables.lock:
            items = [DumpEntry(str(n), item) for n, item in enumerate(self._items(vectors), 1)]
        yield from items[parse_cursor(after) or 0 :]

    def _items(self, vectors: bool) -> Iterator[Item]:
        tables = self.tables
        yield from tables.sources.values()
        for entry in reversed(tables.newest_first()):
            made = (self._vectors(entry), self._sentences(entry)) if vectors else ({}, {})
            yield WholeDocument(self._put(entry), *made)
        yield from starmap(Tombstone, sorted(tables.tombstones.items()))
        for id in sorted({event.id for event in tables.events}):
            yield History(id, tuple(event for event in tables.events if event.id == id))
        yield from sorted(tables.answers.values(), key=lambda one: one.id)

    def _put(self, entry: DocumentEntry) -> Put:
        passages = tuple(self.tables.passages[key].passage for key in entry.passages)
        return Put(entry.document, passages, tuple(sorted(entry.handles)))

    def _vectors(self, entry: DocumentEntry) -> dict[str, dict[int, bytes]]:
        found = {
            model: {
                self.tables.passages[key].passage.n: known[key].astype("<f2").tobytes()
                for key in entry.passages
                if key in known
            }
            for model, known in self.tables.vectors.items()
        }
        return filled(found)

    def _sentences(self, entry: DocumentEntry) -> dict[str, dict[int, bytes]]:
        found = {
            model: {
                self.tables.passages[key].passage.n: known[key]
                for key in entry.passages
                if key in known
            }
            for model, known in self.tables.sentences.items()
        }
        return filled(found)

    @atomic
    def load(self, items: Iterable[Item], *, replace: bool = False) -> LoadReport:
        loading = _Loading(self.tables.copy(), replace)
        done = sum(map(loading.load, items), LoadReport())
        self.tables.become(vars(loading.tables))
        return done

    @atomic
    def check(self, *, full: bool = False) -> CheckReport:
        looked = list(self.tables.documents.values()) if full else []
        bad = tuple(
            Finding("record", f"{entry.document.external} is not as it was stored")
            for entry in looked
            if digest(self._put(entry)) != entry.digest
        )
        last = max((event.at for event in self.tables.events), default=None)
        return CheckReport(bad, len(looked), last_write=last)

    def refresh(self, *, rebuild: bool = False, filter: Filter = EVERYTHING) -> None:
        """There is nothing derived to refresh."""

    @atomic
    def models(self) -> dict[str, int]:
        return self.tables.vector_counts()

    @atomic
    def twins(self, model: str, keys: Sequence[int]) -> dict[int, Twin]:
        tables, signs = self.tables, self.tables.sentences.get(model, {})
        known = {
            _twin_of(tables, key): Twin(vector, signs.get(key, b""))
            for key, vector in tables.vectors.get(model, {}).items()
        }
        wanted = {key: _twin_of(tables, key) for key in keys if key in tables.passages}
        return {key: known[twin] for key, twin in wanted.items() if twin in known}

    @atomic
    def drop_vectors(self, model: str) -> int:
        self.tables.sentences.pop(model, None)
        return len(self.tables.vectors.pop(model, {}))

    def behind(self) -> None:
        return None


class _Loading:
    """Items as entries of tables that nobody else sees yet."""

    def __init__(self, tables: Tables, replace: bool) -> None:
        self.tables = tables
        self.replace = replace
        self._loaders: Mapping[type, Callable[[Any], LoadReport]] = {
            Source: self._source,
            WholeDocument: self._document,
            Tombstone: self._tombstone,
            History: self._events,
            Recorded: self._answer,
        }

    def load(self, item: Item) -> LoadReport:
        return self._loaders[type(item)](item)

    def _source(self, source: Source) -> LoadReport:
        if stays(self.tables.sources.get(source.name), source, replace=self.replace):
            return LoadReport()
        self.tables.register(source)
        return LoadReport(sources=1)

    def _document(self, whole: WholeDocument) -> LoadReport:
        check(whole.put)
        id = whole.put.document.id
        old, buried = self.tables.documents.get(id), id in self.tables.tombstones
        known = old.digest if old else None
        done = loading(known, digest(whole.put), buried=buried, replace=self.replace)
        if done.forgotten or done.different:
            return done
        if done.documents:
            self.tables.put(whole.put, logged=False)
        vectors = sum(
            self._vectors(id, model, some, whole.sentences.get(model, {}))
            for model, some in whole.vectors.items()
        )
        return done._replace(vectors=vectors)

    def _vectors(
        self, id: str, model: str, by_number: Mapping[int, bytes], signs: Mapping[int, bytes]
    ) -> int:
        keys = self.tables.documents[id].passages
        numbered = {self.tables.passages[key].passage.n: key for key in keys}
        return self.tables.put_vectors(
            model,
            {
                numbered[n]: np.frombuffer(by_number[n], "<f2").astype(np.float32)
                for n in sorted(by_number.keys() & numbered.keys())
            },
            {numbered[n]: blob for n, blob in signs.items() if n in numbered},
        )

    def _tombstone(self, tombstone: Tombstone) -> LoadReport:
        done = burying(
            buried=tombstone.id in self.tables.tombstones,
            there=tombstone.id in self.tables.documents,
            replace=self.replace,
        )
        if done.tombstones:
            self.tables.tombstones[tombstone.id] = tombstone.at
            self.tables.remove(tombstone.id, "forgotten", logged=False)
        return done

    def _events(self, history: History) -> LoadReport:
        known = [(e.action, e.at) for e in self.tables.events if e.id == history.id]
        new = unknown(history.events, known)
        self.tables.events += [event._replace(seq=self.tables.next()) for event in new]
        return LoadReport(events=len(new))

    def _answer(self, answer: Recorded) -> LoadReport:
        if stays(self.tables.answers.get(answer.id), answer, replace=self.replace):
            return LoadReport()
        self.tables.answers[answer.id] = answer
        return LoadReport(answers=1)


def _twin_of(tables: Tables, key: int) -> tuple[Any, ...]:
    """Returns what two passages must have alike to share a vector."""
    entry = tables.passages[key]
    document = tables.holder(entry).document
    passage = entry.passage
    return document.owner, frozenset(document.scopes), document.title, passage.heading, passage.text
