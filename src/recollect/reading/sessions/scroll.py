"""The messages around one: pages of a conversation.

A window's last message is the middle of the next window, and that one's first message is the
middle of this: going forward and then back ends exactly where it began, and nothing is passed
over on the way.
"""

from __future__ import annotations

from recollect.errors import NotFound, RecollectError, UsageError
from recollect.named_tuple import NamedTuple
from recollect.nouns import Document
from recollect.ports import Turn
from recollect.reading.sessions.caps import Excerpt, fitted
from recollect.reading.sessions.lineage import FEW
from recollect.reading.sessions.request import REWOUND, SessionsRequest
from recollect.reading.sessions.results import MessageWindow, Scroll
from recollect.reading.sessions.visibility import Visible
from recollect.reading.sessions.windows import Around, around, names


class _Found(NamedTuple):
    """A message, and the session that really has it."""

    document: Document
    turn: Turn
    warning: str = ""


class _ScrollDraft(NamedTuple):
    name: str
    found: _Found | None
    page: Around | None
    error: str = ""


def scroll(request: SessionsRequest, visible: Visible) -> Scroll:
    """A window around each message. A bad one among several is told in its place; alone it is
    raised."""
    session = visible.session(request.session)
    drafts = []
    for name in request.around:
        try:
            found = _find(name, session, visible)
        except RecollectError as error:
            if len(request.around) == 1:
                raise
            drafts.append(_ScrollDraft(name, None, None, error.message))
            continue
        page = around(visible, found.document.id, found.turn, request.window)
        drafts.append(_ScrollDraft(name, found, page))
    return Scroll(tuple(_windows(drafts, visible)), (*request.notes, *visible.notes))


def _windows(drafts: list[_ScrollDraft], visible: Visible) -> list[MessageWindow]:
    pieces: list[Excerpt] = []
    for _, found, page, _ in drafts:
        if found and page:
            named = names(visible, found.document.id, page.all)
            pieces += [
                Excerpt(named[t.turn], t, anchor=t.turn == found.turn.turn) for t in page.all
            ]
    shown = iter(fitted(pieces))
    made = []
    for name, found, page, error in drafts:
        if found is None or page is None:
            made.append(MessageWindow(name, None, error=error))
            continue
        messages = tuple(next(shown) for _ in page.all)
        first, last = page.all[0].turn, page.all[-1].turn
        made.append(
            MessageWindow(
                name,
                visible.named(found.document),
                messages,
                previous=messages[0].id if page.more_before else "",
                next=messages[-1].id if page.more_after else "",
                hidden=visible.unseen(found.document.id, first, last, len(messages)),
                warning=found.warning,
            )
        )
    return made


def _find(name: str, session: Document, visible: Visible) -> _Found:
    turn = _turn(name, session, visible)
    if turn is not None:
        return _Found(session, _seen(turn, name, session, visible))
    root = visible.lineages.root(session).key
    elsewhere = visible.store.sessions.holders([name]).get(name, ())
    for held in elsewhere[:FEW]:
        for other in visible.store.get(held.document, visible.anywhen, body=False):
            if visible.lineages.root(other).key == root:
                own = visible.lineages.name(other)
                warning = f"{name!r} is in {own!r}, a session of the same lineage"
                turn = visible.store.sessions.turns(other.id, start=held.turn, count=1)[0]
                return _Found(other, _seen(turn, name, other, visible), warning)
    called = visible.lineages.name(session)
    if elsewhere and visible.store.get(elsewhere[0].document, visible.anywhen, body=False):
        raise UsageError(
            f"message {name!r} is of another conversation than {called!r}",
            hint="give the session that it came with",
        )
    raise NotFound(
        f"there is no message {name!r} in {called!r}",
        hint="give an id as it came with the session, or #0 for its first",
    )


def _turn(name: str, session: Document, visible: Visible) -> Turn | None:
    """The message of this id, or of this number, in the session."""
    held = visible.store.sessions.holders([name], within=session.id).get(name)
    if held:
        number = held[0].turn
    elif name.startswith("#") and name[1:].isascii() and name[1:].isdigit() and len(name) < 12:
        number = int(name[1:])
    else:
        return None
    found = visible.store.sessions.turns(session.id, start=number, count=1)
    return found[0] if found and found[0].turn == number else None


def _seen(turn: Turn, name: str, session: Document, visible: Visible) -> Turn:
    """The message, if it may be seen; its role alone hides no message that is asked for by name."""
    reason = visible.reason(session.id, turn.turn)
    if turn.message.role == REWOUND:
        raise UsageError(f"message {name!r} was taken back", hint="it is no part of the session")
    if reason:
        raise UsageError(f"message {name!r} is hidden: {reason}")
    return turn
