"""Sessions that begin with a copy of another: each message is kept once."""

from __future__ import annotations

from collections import Counter

from recollect.nouns import Document, Message
from recollect.ports import StorageEngine
from recollect.text import redact


class Forks:
    """Which session has a message: those of the store, and those that are on their way there."""

    def __init__(self, store: StorageEngine) -> None:
        self._store = store
        self._holders: dict[str, tuple[str, int]] = {}
        """The document that has a message, and a hash of that: of those not stored yet."""
        self._names: dict[str, str] = {}

    def stored(self) -> None:
        """All sessions so far are in the store, and need not be held here."""
        self._holders.clear()
        self._names.clear()

    def own(self, document: Document) -> Document | str:
        """The session without the messages that another has already, or the name of that one if
        nothing is left that was said."""
        others = self._shared(document)
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

    def _shared(self, document: Document) -> dict[str, str]:
        """Of the session's messages those that another has, and which that is: the same words
        under the same id, for the same eyes."""
        messages = {m.id: m for m in document.messages if m.id}
        shared: dict[str, str] = {}
        for id, message in messages.items():
            holder, said = self._holders.get(id, ("", 0))
            if holder not in ("", document.id) and said == _hash(document, message):
                shared[id] = holder
        held = self._store.sessions.holders([id for id in messages if id not in shared])
        stored = {id: places[0].document for id, places in held.items()}
        for holder in sorted(set(stored.values()) - {document.id}):
            for elder in self._store.get(holder):
                if (elder.owner, elder.scopes) != (document.owner, _sorted(document.scopes)):
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
    """The same for messages that say the same to the same eyes."""
    return hash((document.owner, document.scopes, message.role, message.text))


def _sorted(scopes: tuple[str, ...]) -> tuple[str, ...]:
    """As a store hands them out."""
    return tuple(sorted(set(scopes)))
