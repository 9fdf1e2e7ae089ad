"""A session as a document: what of it is kept, and under which names."""

from __future__ import annotations

from recollect.nouns import Document, Message
from recollect.sources.sessions.base import Format, Session
from recollect.sources.values import nonempty

MAX_TOOL = 4_000
"""Characters of a tool's output that are kept: its beginning and its end."""


def document(
    session: Session, form: Format, source: str, owner: str, scopes: tuple[str, ...], path: str
) -> Document:
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
    messages = tuple(map(_kept, session.messages))
    dates = [m.date for m in messages if m.date is not None]
    return Document(
        external=session.id,
        source=source,
        messages=messages,
        kind="session",
        title=session.title,
        path=path,
        date=session.date or min(dates, default=None),
        owner=owner,
        scopes=scopes,
        meta=about,
    )


def _kept(message: Message) -> Message:
    if message.role != "tool" or len(message.text) <= MAX_TOOL:
        return message
    half = MAX_TOOL // 2
    left_out = len(message.text) - 2 * half
    text = f"{message.text[:half]}\n[… {left_out:,} characters …]\n{message.text[-half:]}"
    return message._replace(text=text)
