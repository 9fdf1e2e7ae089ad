"""A session as a document: what of it is kept, and under which names.

Left out, and counted: what recollect itself said (its calls and their results, by its tools or by
its command), which would come back as if somebody had said it; what the model thought, unless it is
wanted; and of a tool's long output the middle, with the whole of a secret at its edge.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator

from recollect.named_tuple import NamedTuple
from recollect.nouns import Document, Message
from recollect.sources.sessions.base import Format, Session
from recollect.sources.sessions.own import is_own
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
    """Yields the messages without our own calls and their results. Where a client does not say
    which call a result is of, results come in the order of the calls."""
    waiting: deque[bool] = deque()
    for message in messages:
        if message.role == "user":
            waiting.clear()
        if message.role != "tool":
            yield message
            continue
        own, line = is_own(message.text), message.text.strip()
        if is_call(line) or (own and not _RESULT.match(line)):
            waiting.extend([own] * ("\n" not in line))  # else its result is in the same message
        elif waiting:
            own |= waiting.popleft()
        left_out[OWN] += own
        if not own:
            yield message


def _shortened(message: Message, left_out: Counter[str]) -> Message:
    if message.role != "tool" or len(message.text) <= MAX_TOOL:
        return message
    left_out[SHORTENED] += 1
    text, half = message.text, MAX_TOOL // 2
    start, end = secret_around(text, half)[0], secret_around(text, len(text) - half)[1]
    kept = f"{text[:start]}\n[… {end - start:,} characters …]\n{text[end:]}"
    return message._replace(text=kept)
