"""A session as a document: what of it is kept, and under which names.

Left out, and counted: what recollect itself said (its calls and their results, by its tools or by
its command), which would come back as if somebody had said it; what the model thought, unless it is
wanted; and of a tool's long output the middle, with the whole of a secret at its edge.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence

from recollect.named_tuple import NamedTuple
from recollect.nouns import Document, Message
from recollect.sources.sessions.base import Format, Session
from recollect.sources.sessions.own import is_own, is_own_output, may_be_own, server_of
from recollect.sources.values import nonempty
from recollect.text.calls import is_call
from recollect.text.redact import secret_around

MAX_TOOL = 4_000
"""Characters of a tool's output that are kept: its beginning and its end."""
OWN, THOUGHTS, SHORTENED = "recollect's own", "thoughts", "tool outputs shortened"
"""What is left out, as a receipt counts it."""
_RESULT = re.compile(r"\S{1,80}:(?:\s|$)")
"""How the result of a tool of ours begins, where a client names it."""


class FileDestination(NamedTuple):
    """Where the documents of a file go."""

    source: str
    owner: str
    scopes: tuple[str, ...]
    path: str
    origin: str = ""


class Kept(NamedTuple):
    document: Document
    left_out: Counter[str]


def document(
    session: Session, form: Format, whose: FileDestination, *, thoughts: bool = False
) -> Kept:
    """Returns a session as it is kept, with the *thoughts* of the model if they are wanted."""
    left_out: Counter[str] = Counter()
    about = nonempty(
        format=form.name,
        parent=session.parent,
        relation=session.relation,
        folder=session.folder,
        branch=session.branch,
        model=session.model,
        unattended=not any(m.role == "user" for m in session.messages),
        **session.meta,
    )
    said = session.messages if thoughts else _said(session.messages, left_out)
    messages = tuple(_shortened(m, left_out) for m in _without_own(said, left_out))
    dates = [m.date for m in messages if m.date is not None]
    made = Document(
        external=session.id,
        source=whose.source,
        messages=messages,
        kind="session",
        title=session.title,
        path=whose.path,
        date=session.date or min(dates, default=None),
        owner=whose.owner,
        scopes=whose.scopes,
        meta=about,
        origin=whose.origin,
    )
    return Kept(made, left_out)


def _said(messages: Iterable[Message], left_out: Counter[str]) -> Iterator[Message]:
    for message in messages:
        left_out[THOUGHTS] += message.role == "thought"
        if message.role != "thought":
            yield message


def _without_own(messages: Iterable[Message], left_out: Counter[str]) -> Iterator[Message]:
    """Yields the messages without our own calls and their results. A server that printed what only
    we do is ours, whatever it is called."""
    every = list(messages)
    ours = frozenset(server_of(every[n].text) for n in _own(every, frozenset())) - {""}
    own = _own(every, ours)
    left_out[OWN] += len(own)
    yield from (message for n, message in enumerate(every) if n not in own)


def _own(messages: Sequence[Message], servers: frozenset[str]) -> set[int]:
    """Returns which messages are our calls, also of these *servers*, and their results. Where a
    client does not say which call a result is of, results come in the order of the calls."""
    own = set[int]()
    waiting: deque[int] = deque()
    for n, message in enumerate(messages):
        if message.role == "user":
            waiting.clear()
        if message.role != "tool":
            continue
        line = message.text.strip()
        is_ours = is_own(line) or server_of(line) in servers
        is_bare = bool(server_of(line)) and len(line.split()) == 1
        if is_call(line) or is_bare or (is_ours and not _RESULT.match(line)):
            own.update([n] * is_ours)
            waiting.extend([n] * ("\n" not in line))  # else its result is in the same message
            continue
        called = waiting.popleft() if waiting else None
        looks = is_own_output(line)
        if looks and called is not None and may_be_own(messages[called].text):
            own.add(called)
        own.update([n] * (is_ours or looks or called in own))
    return own


def _shortened(message: Message, left_out: Counter[str]) -> Message:
    if message.role != "tool" or len(message.text) <= MAX_TOOL:
        return message
    left_out[SHORTENED] += 1
    text, half = message.text, MAX_TOOL // 2
    start, end = secret_around(text, half)[0], secret_around(text, len(text) - half)[1]
    kept = f"{text[:start]}\n[… {end - start:,} characters …]\n{text[end:]}"
    return message._replace(text=kept)
