"""What is kept: sources, documents, messages, passages, and where each came from."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from recollect.named_tuple import NamedTuple

try:
    from _blake2 import blake2b
except ImportError:  # hashlib has it for certain, and loads all of OpenSSL with it
    from hashlib import blake2b

from recollect.moments import iso

SCHEMA_VERSION = 1
"""Of the JSON that leaves the library."""

UNIVERSAL = "universal"
"""The scope of whatever is stored without one; a scope like any other, inherited by nothing."""

LOCAL = "local"
"""The owner of whatever is stored without one: the person whose machine this is."""

ROLES = ("user", "assistant", "tool", "context", "summary", "system", "rewound", "thought")
"""Who speaks in a message, as the readers of session logs tell it; others may be stored."""
PAGE, TREE = "page", "tree"
"""The kind and the source of the pages that are made of facts."""
SPOKEN = ("user", "assistant")
"""Roles that speak to each other, and are no names of people."""
UNHEARD = frozenset({"tool", "context", "system", "rewound", "thought"})
"""Roles that nobody replies to; they are searched where a caller asks for them."""

GONE = "\tgone"
"""What the stamp of a document ends with once its source no longer has it."""

REGISTRY = "registry"
"""The origin of what a repository's files are described by, a line or two each."""

JsonObject = Mapping[str, Any]

NO_META: JsonObject = {}


def hashed(content: bytes, size: int) -> bytes:
    """So many bytes that stand for the content."""
    return blake2b(content, digest_size=size).digest()


def stable_id(*parts: str) -> str:
    """A short name for *parts*, the same on every machine and after every re-import."""
    return hashed("\x1f".join(parts).encode("utf-8", "surrogatepass"), 8).hex()


HEADLINE = 72
"""Characters of a headline that is made of a text."""


def first_words(text: str, most: int = HEADLINE) -> str:
    """Returns how a text begins, in one line, without the marks of a heading or a list."""
    words = text[: 4 * most].split()
    while words and not any(map(str.isalnum, words[0])):
        del words[0]
    line = " ".join(words)
    if len(line) <= most and len(text) <= 4 * most:
        return line
    cut = line[: most - 1]
    return f"{cut.rpartition(' ')[0] if ' ' in cut[most // 2 :] else cut} …"


class Place(NamedTuple):
    """A file or folder that a source gathers, and how it was added last."""

    uri: str
    redact: bool | None = None
    """Whether secrets are taken out; where nothing was said, as it is configured."""
    history: bool = True
    """Whether a repository's commits come with it."""


class Source(NamedTuple):
    """Where things came from: the unit of isolation and of re-import."""

    name: str
    kind: str = "caller"
    uri: str = ""
    stamp: str = ""
    places: tuple[Place, ...] = ()


class Message(NamedTuple):
    """One turn of a session."""

    role: str
    text: str
    id: str = ""
    date: datetime | None = None


class Document(NamedTuple):
    """A note, page, session, commit, issue: one thing somebody would name.

    ``external`` is the id its source gives it and comes back as ``document`` in every result.
    A session has ``messages`` and no ``text``; everything else has ``text`` and no messages.
    """

    external: str
    source: str
    text: str = ""
    messages: tuple[Message, ...] = ()
    kind: str = "note"
    title: str = ""
    path: str = ""
    date: datetime | None = None
    owner: str = LOCAL
    scopes: tuple[str, ...] = (UNIVERSAL,)
    meta: JsonObject = NO_META
    origin: str = ""
    """The file inside the source that it came from, where one file holds many documents."""
    stamp: str = ""
    """What the source says of the version (such as mtime and size); not part of the content, but
    for :attr:`gone`."""

    @property
    def gone(self) -> bool:
        """Whether the last import found that its source no longer has it."""
        return self.stamp.endswith(GONE)

    @property
    def id(self) -> str:
        return stable_id(self.owner, self.source, self.origin, self.external)

    def segments(self) -> Iterator[tuple[int, str, str]]:
        """(turn, role, text) of each stretch of text that passages must not cross."""
        if not self.messages:
            yield 0, "", self.text
        for turn, message in enumerate(self.messages):
            yield turn, message.role, message.text

    def headline(self, text: str = "") -> str:
        """Returns its title; of what has none, how its first paragraph begins, or that of *text*,
        which is a part of it; of a session what its user says first."""
        whole = text or self._opening()
        first = whole.strip().partition("\n\n")[0]
        return self.title or first_words(first) or first_words(whole) or self.external

    def _opening(self) -> str:
        users = (m.text for m in self.messages if m.role == "user")
        return next(users, "") or (self.messages[0].text if self.messages else self.text)

    def rendered(self) -> str:
        """The whole document as a person reads it."""
        if not self.messages:
            return self.text
        return "\n\n".join(f"{m.role}: {m.text}" for m in self.messages)

    def as_json(self, *, body: bool = True) -> dict[str, Any]:
        about: dict[str, Any] = {
            "id": self.id,
            "document": self.external,
            "kind": self.kind,
            "source": self.source,
            "title": self.title,
            "path": self.path,
            "date": iso(self.date),
            "owner": self.owner,
            "scopes": list(self.scopes),
            "meta": dict(self.meta),
        }
        if self.gone:
            about["gone"] = True
        if not self.title:
            about["headline"] = self.headline()
        if body and self.messages:
            about["turns"] = [
                {"role": m.role, "text": m.text, "id": m.id or None, "date": iso(m.date)}
                for m in self.messages
            ]
        elif body:
            about["text"] = self.text
        return about


class Passage(NamedTuple):
    """A piece of a document that can be returned.

    The passages of one turn, joined in order, are that turn's text exactly.
    """

    n: int
    text: str
    heading: str = ""
    """What it is found under: its headings, with " > " between them; before these, of a turn, what
    it is heard after, a line each."""
    turn: int = 0
    role: str = ""

    @property
    def trail(self) -> str:
        """Its headings alone, as people see them."""
        return self.heading.rpartition("\n")[2]


class StoredPassage(NamedTuple):
    """A passage with the document it belongs to, as the store hands it out."""

    key: int
    id: str
    passage: Passage
    document: Document
    said: datetime | None = None
    """When its turn was said, where that has a time of its own."""


class Page(NamedTuple):
    """A stretch of a listing; ``cursor`` asks for the next one and is empty on the last."""

    items: tuple[Document, ...]
    cursor: str

    def as_json(self) -> dict[str, Any]:
        return {
            "items": [document.as_json(body=False) for document in self.items],
            "cursor": self.cursor or None,
        }
