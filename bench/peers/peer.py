"""What an engine has to do to be measured, and what it is given.

Nothing here imports anything but the standard library: it runs in every engine's environment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from bench.peers.vectors import Vectors


class Message(NamedTuple):
    role: str
    text: str


class Document(NamedTuple):
    """A note, or a conversation, which has messages and no text."""

    id: str
    title: str
    text: str
    messages: tuple[Message, ...]
    date: str

    @property
    def whole(self) -> str:
        """All of it as one text, for engines that split by themselves."""
        if self.messages:
            return "\n\n".join(f"{message.role}: {message.text}" for message in self.messages)
        return f"{self.title}\n\n{self.text}" if self.title else self.text


class Question(NamedTuple):
    id: str
    text: str
    date: str
    """When it is asked; empty is now."""


class Found(NamedTuple):
    """What came back, best first."""

    documents: tuple[str, ...]
    """The document of each result; one may come several times."""
    texts: tuple[str, ...]
    """The text that the engine returns of each: a passage, a chunk or the whole document."""
    left_open: bool = False
    """The engine says by itself that this is no answer."""
    rendered: str | None = None
    """All results as the engine writes them for a reader; None where it does not."""

    @property
    def read(self) -> tuple[str, ...]:
        """The texts that cost a reader tokens: the rendered one, else those of the results."""
        return self.texts if self.rendered is None else (self.rendered,)


class Piece(NamedTuple):
    """A text that is stored, and the document that it is of."""

    document: str
    text: str


class Peer(Protocol):
    """An engine with an empty store in a folder of its own, made as ``Adapter(folder, vectors)``.

    What it has on disk is counted after :meth:`close`.
    """

    def ingest(self, documents: Sequence[Document]) -> None:
        """Store them; they can be found when this returns."""

    def query(self, question: Question, k: int | None) -> Found:
        """The best *k* results; None is what the engine returns when nothing is said."""

    def close(self) -> None: ...


class Opener(Protocol):
    def __call__(self, folder: Path, vectors: Vectors) -> Peer: ...


def pieces(documents: Sequence[Document]) -> Iterator[Piece]:
    """What an engine is given that does not split by itself: a note whole, a conversation message
    by message."""
    for document in documents:
        if not document.messages:
            yield Piece(document.id, document.whole)
        for message in document.messages:
            if message.text.strip():
                yield Piece(document.id, message.text)


def asked_at(question: Question) -> datetime | None:
    return datetime.fromisoformat(question.date) if question.date else None
