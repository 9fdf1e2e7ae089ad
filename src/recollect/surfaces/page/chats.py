"""One conversation, read like a chat: who says what, with what tools did folded away, long messages
that open in place, and the message that was found in sight."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from recollect.errors import NotFound
from recollect.markup import Html, el, joined, url
from recollect.named_tuple import NamedTuple
from recollect.nouns import Message, first_words, without
from recollect.surfaces.page import lineage, markdown
from recollect.surfaces.page.layout import (
    PageContent,
    PageRequest,
    badge,
    current,
    day,
    dotted,
    heading,
    hidden_by,
    marked,
    minute,
    notes,
)
from recollect.surfaces.phrases import only, plural, when
from recollect.text.questions.parse import parse
from recollect.text.snippet import marks

SPOKEN = markdown.MarkdownStyle(breaks=True)
"""What is said in a chat keeps its lines."""
PAGE = 60
"""Messages that are shown at once."""
LONG, CUT = 3_000, 1_800
"""Characters from which on a message is cut, and what is left of it."""
TALK = ("user", "assistant", "summary")
"""Roles that are not folded."""
SHOWS = (
    ("", "With tools folded", None),
    ("talk", "Talk only", TALK),
    ("asked", "What was asked", ("user",)),
)
"""What may be shown of a conversation, and the roles that are in it."""


class ShownTurn(NamedTuple):
    """A message, and which one of its session it is."""

    n: int
    message: Message
    is_found: bool = False
    """Whether it is the one that was asked for."""

    @property
    def is_folded(self) -> bool:
        return self.message.role not in TALK


class Chat(NamedTuple):
    """A conversation as it is shown."""

    session: Any
    turns: Sequence[ShownTurn]
    show: str
    query: str

    @property
    def found(self) -> int | None:
        """The place of the message that was asked for."""
        return next((place for place, one in enumerate(self.turns) if one.is_found), None)

    def address(self, **more: Any) -> str:
        """This conversation, with another part of it shown."""
        given = {"session": self.session.session_id, "show": self.show, "q": self.query}
        return url("/sessions", **{**given, **more})


def place(session: Any, around: str = "", query: str = "") -> str:
    """The view of a session, with one message in sight."""
    whole = url("/sessions", session=session.session_id, around=around, q=query)
    return f"{whole}#found" if around else whole


def about(session: Any) -> list[Any]:
    parent = session.parent_session_id
    return [
        day(session.date),
        session.folder,
        session.source,
        session.relation,
        when(parent, el("a", "where it came from", href=url("/sessions", session=parent))),
        when(session.automated, badge("automated")),
    ]


# ------------------------------------------------------------------ the whole of it


def chat(request: PageRequest) -> PageContent:
    read = request.call("sessions", session=request.get("session"))
    whole = request.memory.get(read.session.session_id)
    every = whole.messages
    if request.get("message"):
        return _alone(read.session, every, request.number("message"))
    one = _shown(request, read.session, every)
    start = request.number("from", (one.found or 0) // PAGE * PAGE)
    title = read.session.title or read.session.session_id
    body = joined(
        heading(markdown.line(title), el("p", el("a", "All sessions", href="/sessions"))),
        dotted(*about(read.session), plural(len(every), "message"), _jump(one)),
        lineage.drawn(request, whole),
        _switch(one),
        _messages(one, one.turns[start : start + PAGE]),
        _turning(one, start),
        notes("hint", (*read.notes, *hidden_by(without(read.hidden, ["roles"])))),  # all are here
    )
    return PageContent(title, body, at="/sessions")


def _shown(request: PageRequest, session: Any, every: Sequence[Message]) -> Chat:
    at = _asked(request, every)
    roles = next((roles for name, _, roles in SHOWS if name == request.get("show")), None)
    turns = [
        ShownTurn(n, message, n == at)
        for n, message in enumerate(every)
        if roles is None or message.role in roles or n == at
    ]
    return Chat(session, turns, request.get("show"), request.get("q"))


def _asked(request: PageRequest, every: Sequence[Message]) -> int | None:
    """Returns the number of the message that is asked for: by its id or number, or by a passage
    of it."""
    around, passage = request.get("around"), request.get("passage")
    if passage:
        return next((one.passage.turn for one in request.memory.store.passages([passage])), None)
    if not around:
        return None
    named = {f"#{n}": n for n in range(len(every))}
    named |= {one.id: n for n, one in reversed(list(enumerate(every))) if one.id}
    if around not in named:
        raise NotFound(
            f"there is no message {around!r} in this session", hint="read it from its beginning"
        )
    return named[around]


def _switch(one: Chat) -> Html:
    links = [
        el("a", said, href=one.address(show=name), aria_current=current(name == one.show))
        for name, said, _ in SHOWS
    ]
    return el("nav", links, class_="tabs", aria_label="What is shown")


def _jump(one: Chat) -> Html | None:
    last = (len(one.turns) - 1) // PAGE * PAGE
    to_end = el("a", "Go to the end", href=f"{one.address(**{'from': last})}#end")
    return only(len(one.turns) > 3, to_end)


def _turning(one: Chat, start: int) -> Html:
    more = start + PAGE < len(one.turns)
    earlier = _turn("Earlier", "prev", one, max(start - PAGE, 0))
    later = _turn("Later", "next", one, start + PAGE)
    return el(
        "nav",
        earlier if start else el("span", "This is the beginning"),
        later if more else el("span", "This is the end"),
        class_="turning",
        aria_label="Messages",
        id="end",
    )


def _turn(said: str, rel: str, one: Chat, start: int) -> Html:
    here = one.address(**{"from": str(start)})
    return el("a", said, href=here, rel=rel, class_="button", data_item=True)


# ------------------------------------------------------------------ messages


def _messages(one: Chat, turns: Iterable[ShownTurn]) -> Html:
    wanted = parse(one.query).content if one.query.strip() else ()
    return el("ol", list(_groups(one, turns, wanted)), class_="messages chat")


def _groups(one: Chat, turns: Iterable[ShownTurn], wanted: Collection[str]) -> Iterator[Html]:
    """Yields the messages, those of tools in one fold as long as nobody speaks."""
    for folded, some in groupby(turns, key=lambda turn: turn.is_folded):
        group = list(some)
        made = [_message(one, turn, wanted) for turn in group]
        if not folded:
            yield from made
            continue
        roles = ", ".join(dict.fromkeys(turn.message.role for turn in group))
        said = f"{plural(len(group), 'step')} ({roles}): {first_words(group[0].message.text, 90)}"
        yield el(
            "li",
            el(
                "details",
                el("summary", said),
                el("ol", made, class_="messages"),
                open=any(turn.is_found for turn in group),
            ),
            class_="fold",
        )


def _message(one: Chat, turn: ShownTurn, wanted: Collection[str]) -> Html:
    message = turn.message
    size = len(message.text)
    whole = el(
        "a",
        f"Show all {size:,} characters",
        href=one.address(message=str(turn.n)),
        class_="whole",
        data_item=True,
    )
    is_cut = size > LONG and not turn.is_found
    text = _cut(message.text) if is_cut else message.text
    return el(
        "li",
        _said_by(message.role, message.date),
        el("div", _text(message.role, text, wanted), class_="body"),
        when(is_cut, el("p", whole)),
        class_=f"message {when(turn.is_found, 'anchor')} {_side(message.role)}",
        id=only(turn.is_found, "found"),
    )


def _cut(text: str) -> str:
    """Returns how a text begins, up to the end of a line."""
    end = text.rfind("\n", CUT // 2, CUT)
    return text[: end if end > 0 else CUT].rstrip() + "\n\n…"


def _text(role: str, text: str, wanted: Collection[str] = ()) -> Html:
    found = marks(text, wanted) if wanted else ()
    if role in TALK or "```" in text:
        return markdown.rendered(text, SPOKEN, found).html
    return el("pre", marked(text, found), tabindex="0", dir="auto")


def _said_by(role: str, date: Any) -> Html:
    return el("p", el("span", role, class_=f"role {role}"), minute(date), class_="meta")


def _side(role: str) -> str:
    return role if role in ("user", "assistant") else "other"


def excerpts(several: Iterable[Any]) -> Html | None:
    """Returns messages of a session that was found."""
    made = [
        el(
            "li",
            _said_by(one.role, one.date),
            _text(one.role, one.text),
            class_=f"message {when(one.anchor, 'anchor')} {_side(one.role)}",
        )
        for one in several
    ]
    return only(made, el("ol", made, class_="messages"))


def _alone(session: Any, every: Sequence[Message], n: int) -> PageContent:
    """One message, whole."""
    if n >= len(every):
        raise NotFound(f"there is no message {n} in this session", hint="read the session")
    one = every[n]
    back = url("/sessions", session=session.session_id, around=f"#{n}")
    body = joined(
        heading(
            session.title or session.session_id,
            el("p", el("a", "The whole session", href=f"{back}#found")),
        ),
        el(
            "div",
            _said_by(one.role, one.date),
            el("div", _text(one.role, one.text), class_="body"),
            class_=f"message {_side(one.role)}",
            id="message",
        ),
    )
    return PageContent(session.title or "Session", body, at="/sessions")
