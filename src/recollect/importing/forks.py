"""Sessions that begin with a copy of another: each message is kept once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from recollect.nouns import Document, Message, not_among
from recollect.ports import StorageEngine
from recollect.text import redact


class Forks:
    """Knows which session keeps a message, of the sessions in the store and of those not yet
    written."""

    def __init__(self, store: StorageEngine, file_of: Callable[[Document], str]) -> None:
        self._store = store
        self._file_of = file_of
        """Tells which file a stored document came from."""
        self._holders: dict[str, tuple[str, int]] = {}
        """The document that has a message, and a hash of that: of those not stored yet."""
        self._names: dict[str, str] = {}

    def stored(self) -> None:
        """Drops the sessions so far: they are in the store now."""
        self._holders.clear()
        self._names.clear()

    def own(self, document: Document, place: str) -> Document | str:
        """Returns the session of the file at *place* without the messages that another session
        has. If no message of a user or an assistant is left, returns the name of that other
        session."""
        others = self._shared(document, place)
        if others:
            parent = Counter(others.values()).most_common(1)[0][0]
            name = self._names[parent]
            messages = tuple(m for m in document.messages if m.id not in others)
            if not any(m.role in ("user", "assistant") for m in messages):
                return name
            meta = {"parent": name, "relation": "fork", **document.meta}
            document = document._replace(messages=messages, meta=meta)
        for message in document.messages:
            if message.id:
                self._holders[message.id] = document.id, _hash(document, message)
        self._names[document.id] = document.external
        return document

    def _shared(self, document: Document, place: str) -> dict[str, str]:
        """Returns the messages (by id) that another session has with the same text, owner and
        scopes, and the document of that session. A document of the same file in another source is
        no other session: it goes once it is pruned."""
        messages = {m.id: m for m in document.messages if m.id}
        shared: dict[str, str] = {}
        for id, message in messages.items():
            holder, said = self._holders.get(id, ("", 0))
            if holder not in ("", document.id) and said == _hash(document, message):
                shared[id] = holder
        held = self._store.sessions.holders(list(not_among(messages, shared)))
        stored = {id: places[0].document for id, places in held.items()}
        for holder in sorted(set(stored.values()) - {document.id}):
            for elder in self._store.get(holder):
                if (elder.owner, elder.scopes) != (document.owner, _sorted(document.scopes)):
                    continue
                if elder.external == document.external and self._file_of(elder) == place:
                    continue
                self._names[elder.id] = elder.external
                for copy in elder.messages:
                    if stored.get(copy.id) == elder.id and _is_same(messages[copy.id], copy):
                        shared[copy.id] = elder.id
        return shared


def _is_same(message: Message, stored: Message) -> bool:
    if message.role != stored.role:
        return False
    one, other = message.text, stored.text
    return one == other or redact.redact(one).text == redact.redact(other).text


def _hash(document: Document, message: Message) -> int:
    """Returns the same number for messages with the same role, text, owner and scopes."""
    return hash((document.owner, document.scopes, message.role, message.text))


def _sorted(scopes: tuple[str, ...]) -> tuple[str, ...]:
    """Returns scopes in the order in which a store returns them."""
    return tuple(sorted(set(scopes)))
