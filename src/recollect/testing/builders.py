"""Small documents for tests, with the parts that matter spelt out and the rest filled in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from recollect.nouns import (
    ChangeSet,
    Clause,
    Document,
    Filter,
    Message,
    Put,
    Receipt,
    TextQuery,
    words,
)
from recollect.ports import Store
from recollect.text.chunk import passages


def note(external: str, text: str = "", **fields: Any) -> Document:
    fields.setdefault("source", "tests")
    return Document(external, text=text, **fields)


def session(external: str, *turns: tuple[str, str], **fields: Any) -> Document:
    fields.setdefault("source", "tests")
    messages = tuple(Message(role, text) for role, text in turns)
    return Document(external, messages=messages, kind="session", **fields)


def put(store: Store, *documents: Document) -> Receipt:
    """Cut the documents into passages and store them, in one transaction."""
    return store.apply(ChangeSet(tuple(Put(d, passages(d)) for d in documents)))


def any_of(*terms: str, **fields: Any) -> TextQuery:
    return TextQuery(any=words(terms), **fields)


def phrase(*terms: str) -> Clause:
    return Clause("phrase", terms)


def prefix(term: str) -> Clause:
    return Clause("prefix", (term,))


def ids(store: Store, keys: Iterable[int]) -> list[str]:
    """Passages by the names that are the same in every store: ``external:n``."""
    return [f"{p.document.external}:{p.passage.n}" for p in store.passages(list(keys))]


def found(
    store: Store, query: TextQuery, filter: Filter | None = None, limit: int = 100
) -> list[str]:
    """The documents a text search finds, best first."""
    hits = store.search_text([query], filter or Filter(), limit=limit)[0].hits
    return [name.rpartition(":")[0] for name in ids(store, [h.passage for h in hits])]
