"""Sessions that begin with a copy of another: each message is kept once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from recollect.nouns import Document, Message, not_among
from recollect.ports import StorageEngine
from recollect.sources.sessions.titles import ARROW
from recollect.sources.sessions.turns import title_of
from recollect.text import redact


class Forks:
    """Knows which session keeps a message, of the sessions in the store and of those not yet
    written."""

    def __init__(
        self,
        store: StorageEngine,
        is_forgotten: Callable[[str, str], bool],
    ) -> None:
        self._store = store
        self._is_forgotten = is_forgotten
        """Tells whether a session of an owner, by its name, was forgotten."""
        self._holders: dict[str, tuple[str, int]] = {}
        """The document that has a message, and a hash of that: of those not stored yet."""
        self._names: dict[str, str] = {}

    def stored(self) -> None:
        """Drops the sessions so far: they are in the store now."""
        self._holders.clear()
        self._names.clear()

    def own(self, document: Document) -> Document | str:
        """Returns a session without the messages that another one has. If no message of a user or
        an assistant is left, returns the name of that other session."""
        others = {**self._forgotten(document), **self._shared(document)}
        if others:
            parent = Counter(others.values()).most_common(1)[0][0]
            name = self._names[parent]
            messages = tuple(m for m in document.messages if m.id not in others)
            if not any(m.role in ("user", "assistant") for m in messages):
                return name
            meta = {"parent": name, "relation": "fork", **document.meta}
            title = _own_title(document, messages)
            document = document._replace(messages=messages, title=title, meta=meta)
        for message in document.messages:
            if message.id:
                self._holders[message.id] = document.id, _hash(document, message)
        self._names[document.id] = document.external
        return document

    def _forgotten(self, document: Document) -> dict[str, str]:
        """Returns the messages that the stored version of a fork does not have, because it left
        them to a session that was forgotten since, and the name of that session."""
        stored = next(iter(self._store.get(document.id)), document)
        parent = str(stored.meta.get("parent", ""))
        if stored is document or stored.meta.get("relation") != "fork":
            return {}
        if self._store.get(parent) or not self._is_forgotten(document.owner, parent):
            return {}
        self._names[parent] = parent
        held = {message.id for message in stored.messages}
        ids = [message.id for message in document.messages]
        last = max((at for at, id in enumerate(ids) if id in held), default=0)
        return dict.fromkeys(not_among(filter(None, ids[:last]), held), parent)

    def _shared(self, document: Document) -> dict[str, str]:
        """Returns the messages (by id) that another session has with the same text, owner and
        scopes, and the document of that session. One of the same name in another source is no
        other session, but a copy of this."""
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
                if elder.external == document.external:
                    continue
                self._names[elder.id] = elder.external
                for copy in elder.messages:
                    if stored.get(copy.id) == elder.id and _is_same(messages[copy.id], copy):
                        shared[copy.id] = elder.id
        return shared


def _own_title(document: Document, messages: Sequence[Message]) -> str:
    """Returns the title of a session of which these messages are left: one that was made of a
    message is made of those."""
    made = title_of(document.messages, "user", "context")
    topic, _, _ = made.partition(ARROW)
    is_made = document.title.partition(ARROW)[0] == topic
    return title_of(messages, "user", "context") if is_made else document.title


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
