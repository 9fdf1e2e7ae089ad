"""The dicts of the plain engine, and how documents are written to them and taken out."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from copy import deepcopy
from datetime import UTC, datetime
from functools import wraps
from typing import Any, TypeVar, cast

from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    Change,
    Document,
    DropAnswers,
    Event,
    Filter,
    Forget,
    Passage,
    Put,
    Receipt,
    Recorded,
    Register,
    Remove,
    Source,
    StoredPassage,
    only,
    without,
)
from recollect.ports import Twin
from recollect.storage.content import digest
from recollect.storage.filters import allows
from recollect.text import lexical

M = TypeVar("M", bound=Callable[..., Any])


def atomic(method: M) -> M:
    """Makes a method of whatever has ``tables`` hold their lock."""

    @wraps(method)
    def locked(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self.tables.lock:
            return method(self, *args, **kwargs)

    return cast(M, locked)


def bodiless(document: Document) -> Document:
    return document._replace(text="", messages=())


class PassageEntry(NamedTuple):
    """A stored passage with its terms."""

    key: int
    document: int
    passage: Passage
    indexed: lexical.Indexed
    to_embed: str


class DocumentEntry(NamedTuple):
    """A stored document, and the keys of its passages."""

    key: int
    document: Document
    digest: bytes
    passages: tuple[int, ...]
    handles: frozenset[str]


class Tables:
    """All that a plain store keeps. Numbers are given out in the order of changes."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.seq = 0
        self.sources: dict[str, Source] = {}
        self.wall_seq: dict[tuple[str, str, tuple[str, ...]], int] = {}
        """The last change of what each source has of an owner in the same scopes."""
        self.secret = os.urandom(16).hex()
        self.documents: dict[str, DocumentEntry] = {}
        self.passages: dict[int, PassageEntry] = {}
        self.vectors: dict[str, dict[int, Any]] = {}
        self.sentences: dict[str, dict[int, bytes]] = {}
        self.tombstones: dict[str, datetime] = {}
        self.events: list[Event] = []
        self.answers: dict[str, Recorded] = {}
        self._by_key: dict[int, str] = {}

    def copy(self) -> Tables:
        """Returns tables of their own with the same content, to try changes out on."""
        other = Tables()
        other.become(deepcopy(without(vars(self), ["lock"])))
        return other

    def become(self, content: dict[str, Any]) -> None:
        vars(self).update(without(content, ["lock"]))

    def next(self) -> int:
        self.seq += 1
        return self.seq

    # -------------------------------------------------------------- reading

    def newest_first(self) -> list[DocumentEntry]:
        return sorted(self.documents.values(), key=lambda entry: -entry.key)

    def seen(self, filter: Filter) -> list[Document]:
        """Returns the documents that the filter lets through, newest first by time of writing."""
        return [e.document for e in self.newest_first() if allows(filter, e.document)]

    def holder(self, entry: PassageEntry) -> DocumentEntry:
        """Returns the document of a passage."""
        return self.documents[self._by_key[entry.document]]

    def siblings(self, entry: PassageEntry) -> list[PassageEntry]:
        """Returns all passages of a passage's document, in order."""
        return [self.passages[key] for key in self.holder(entry).passages]

    def stamp(self, id: str) -> str | None:
        """Returns the stamp of a document, if there is one."""
        entry = self.documents.get(id)
        return entry.document.stamp if entry else None

    def passage(self, name: int | str) -> PassageEntry | None:
        """Returns the passage with this key or id, if there is one."""
        if isinstance(name, int):
            return self.passages.get(name)
        entry = self.documents.get(name.rpartition(":")[0])
        passages = [self.passages[key] for key in entry.passages] if entry else []
        return next((one for one in passages if self.stored(one).id == name), None)

    def vector_counts(self) -> dict[str, int]:
        return {model: len(vectors) for model, vectors in self.vectors.items() if vectors}

    def stored(self, entry: PassageEntry) -> StoredPassage:
        document = self.holder(entry).document
        id = f"{document.id}:{entry.passage.n}"
        turns = document.messages
        said = turns[entry.passage.turn].date if turns else None
        return StoredPassage(entry.key, id, entry.passage, bodiless(document), said)

    # -------------------------------------------------------------- writing

    def write(self, change: Change) -> Receipt:
        match change:
            case Put():
                return self.put(change)
            case Remove(id):
                return self.remove(id, "removed")
            case Forget(id):
                self.tombstones.setdefault(id, datetime.now(UTC))
                return self.remove(id, "forgotten")
            case Register(source):
                self.register(source)
            case DropAnswers(ids):
                for id in ids:
                    self.answers.pop(id, None)
        return Receipt()

    def register(self, source: Source) -> None:
        self.sources[source.name] = source

    def put(self, put: Put, *, logged: bool = True) -> Receipt:
        document = put.document._replace(scopes=tuple(sorted(set(put.document.scopes))))
        if document.id in self.tombstones:
            return Receipt(tombstoned=1)
        made = digest(put)
        old = self.documents.get(document.id)
        if old and old.digest == made:
            self.documents[document.id] = old._replace(document=document)
            return Receipt(unchanged=1)
        self.sources.setdefault(document.source, Source(document.source))
        vectors = self._drop(old) if old else {}
        if old:
            self._touch(old.document)
        key = old.key if old else self.next()
        keys = tuple(self._add(key, document, passage, vectors) for passage in put.passages)
        handles = frozenset(put.handles)
        self.documents[document.id] = DocumentEntry(key, document, made, keys, handles)
        self._by_key[key] = document.id
        self._log(document, "changed" if old else "added", logged)
        return Receipt(changed=1) if old else Receipt(added=1)

    def _add(
        self, key: int, document: Document, passage: Passage, vectors: dict[str, dict[str, Twin]]
    ) -> int:
        """Stores a passage, with the vectors that the same text had before."""
        about = (document.title, document.path, passage.heading, passage.text)
        text = lexical.indexed_text(document.title, passage.heading, passage.text)
        number = self.next()
        indexed = lexical.index_passage(*about)
        self.passages[number] = PassageEntry(number, key, passage, indexed, text)
        for model, by_text in vectors.items():
            if text in by_text:
                self._keep(model, number, by_text[text])
        return number

    def _keep(self, model: str, key: int, made: Twin) -> None:
        self.vectors[model][key] = made.vector
        if made.sentences:
            self.sentences.setdefault(model, {})[key] = made.sentences

    def _drop(self, entry: DocumentEntry) -> dict[str, dict[str, Twin]]:
        """Removes the passages and returns their vectors by model and text, to be used again."""
        saved: dict[str, dict[str, Twin]] = {model: {} for model in self.vectors}
        for key in entry.passages:
            passage = self.passages.pop(key)
            for model, vectors in self.vectors.items():
                if key in vectors:
                    signs = self.sentences.get(model, {}).pop(key, b"")
                    saved[model][passage.to_embed] = Twin(vectors.pop(key), signs)
        return saved

    def remove(self, id: str, action: str, *, logged: bool = True) -> Receipt:
        entry = self.documents.pop(id, None)
        if entry is None:
            return Receipt()
        self._drop(entry)
        del self._by_key[entry.key]
        self._log(entry.document, action, logged)
        return Receipt(forgotten=1) if action == "forgotten" else Receipt(removed=1)

    def _log(self, document: Document, action: str, logged: bool) -> None:
        seq = self._touch(document)
        if logged:
            self.events.append(Event(seq, datetime.now(UTC), action, document.id))

    def _touch(self, document: Document) -> int:
        """Lets it be seen that something about a document has changed."""
        seq = self.next()
        self.wall_seq[document.source, document.owner, document.scopes] = seq
        return seq

    def put_vectors(
        self, model: str, vectors: dict[int, Any], sentences: Mapping[int, bytes]
    ) -> int:
        """Stores vectors by the keys of their passages, with the signs of their sentences, where
        there is none."""
        known = self.vectors.setdefault(model, {})
        new = without(only(vectors, self.passages), known)
        for key, vector in new.items():
            made = vector.astype("float16").astype("float32")
            self._keep(model, key, Twin(made, sentences.get(key, b"")))
            self._touch(self.holder(self.passages[key]).document)
        return len(new)
