"""Small documents for tests, with the parts that matter spelt out and the rest filled in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import starmap
from typing import Any

from recollect.nouns import (
    ChangeSet,
    Clause,
    Document,
    Event,
    Filter,
    Hit,
    Message,
    Put,
    Receipt,
    TextQuery,
    words,
)
from recollect.ports import Item, StorageEngine, Store
from recollect.text.chunk import passages


def note(external: str, text: str = "", **fields: Any) -> Document:
    fields.setdefault("source", "tests")
    return Document(external, text=text, **fields)


def session(external: str, *turns: tuple[str, str], **fields: Any) -> Document:
    fields.setdefault("source", "tests")
    messages = tuple(starmap(Message, turns))
    return Document(external, messages=messages, kind="session", **fields)


def put(store: Store, *documents: Document) -> Receipt:
    """Cut the documents into passages and store them, in one transaction."""
    return store.apply(puts(*documents))


def puts(*documents: Document) -> ChangeSet:
    return ChangeSet(tuple(Put(document, passages(document)) for document in documents))


def any_of(*terms: str, **fields: Any) -> TextQuery:
    return TextQuery(any=words(terms), **fields)


def phrase(*terms: str) -> Clause:
    return Clause("phrase", terms)


def prefix(term: str) -> Clause:
    return Clause("prefix", (term,))


def ids(store: Store, keys: Iterable[int]) -> list[str]:
    """Passages by the names that are the same in every store: ``external:n``."""
    return [f"{p.document.external}:{p.passage.n}" for p in store.passages(list(keys))]


def hit_ids(store: Store, hits: Iterable[Hit]) -> list[str]:
    return ids(store, [hit.passage for hit in hits])


def hit_documents(store: Store, hits: Iterable[Hit]) -> list[str]:
    return [name.rpartition(":")[0] for name in hit_ids(store, hits)]


def externals(documents: Iterable[Document]) -> list[str]:
    return [document.external for document in documents]


def actions(events: Iterable[Event]) -> list[str]:
    return [event.action for event in events]


def pending_keys(store: StorageEngine, model: str, limit: int) -> list[int]:
    """The passages that wait for a vector of the model."""
    return [key for key, _ in store.pending(model, limit=limit)]


def dump_items(store: StorageEngine, *, vectors: bool = True) -> Iterator[Item]:
    return (entry.item for entry in store.admin.dump(vectors=vectors))


def found(
    store: Store, query: TextQuery, filter: Filter | None = None, limit: int = 100
) -> list[str]:
    """The documents a text search finds, best first."""
    hits = store.search_text([query], filter or Filter(), limit=limit)[0].hits
    return hit_documents(store, hits)
