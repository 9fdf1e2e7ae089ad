"""The sessions view: find conversations, page through them, read how they began and ended."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from recollect.errors import UsageError
from recollect.markup import Html, el, joined, url
from recollect.surfaces.commands.usage_text import duration
from recollect.surfaces.page import markdown
from recollect.surfaces.page.layout import (
    PERIODS,
    PageContent,
    PageRequest,
    badge,
    choice,
    command,
    date_field,
    day,
    dotted,
    empty,
    heading,
    hidden_by,
    item_list,
    minute,
    notes,
    search_form,
    sure,
    wrong,
)
from recollect.surfaces.phrases import only, some, when
from recollect.text.questions.parse import parse
from recollect.text.snippet import marks

SPOKEN = markdown.Style(breaks=True)
"""What is said in a chat keeps its lines."""


def sessions(request: PageRequest) -> PageContent:
    session, around = request.get("session"), request.get("around")
    if session:
        found = request.call("sessions", session=session, around=some(around))
        return _scrolled(request, found) if around else _read(found)
    status = 200
    try:
        found = request.call(
            "sessions",
            query=request.get("q"),
            limit=only(not request.get("q"), 50),
            sort=request.get("sort"),
            after=request.get("after") or request.get("period"),
            before=request.get("before"),
        )
        shown = _discovered(found) if found.shape == "discovery" else _browsed(found)
    except UsageError as error:
        shown, status = wrong(error), 400
    body = joined(heading("Sessions"), _form(request), shown)
    return PageContent(request.get("q") or "Sessions", body, status, at="/sessions")


def _form(request: PageRequest) -> Html:
    orders = [
        ("", "as the question says"),
        ("relevance", "by relevance"),
        ("newest", "newest"),
        ("oldest", "oldest"),
    ]
    filters = {
        "sort": choice("Order", "sort", request.get("sort"), orders),
        "period": choice("When", "period", request.get("period"), PERIODS),
        "after": date_field("Begun after", "after", request.get("after")),
        "before": date_field("Begun before", "before", request.get("before")),
    }
    return search_form(
        request,
        ("/sessions", "Find a conversation", "Find"),
        filters,
        placeholder="Where did we leave off with …",
        autocomplete="off",
    )


# ------------------------------------------------------------------ many


def _browsed(found: Any) -> Html:
    if not found.sessions:
        return joined(
            empty(
                "No conversations are stored.",
                joined(
                    "Import those of the agents on this machine: ",
                    command("recollect add sessions"),
                ),
            ),
            notes("hint", hidden_by(found.hidden)),
        )
    told = (*found.notes, *hidden_by(found.hidden))
    return joined(item_list(map(_session, found.sessions), class_="list"), notes("hint", told))


def _session(line: Any) -> Html:
    name = line.session.title or line.goal or line.session.session_id
    link = el("a", markdown.line(name), href=_place(line.session), data_item=True, dir="auto")
    goal = el("p", el("span", "asked", class_="role"), markdown.line(line.goal), dir="auto")
    end = el("p", el("span", "ended", class_="role"), markdown.line(line.resolution), dir="auto")
    lineage = when(line.lineage, f"{line.lineage} more in its lineage")
    return el(
        "article",
        el("h2", link),
        when(line.goal, goal),
        when(line.resolution, end),
        dotted(*_about(line.session), _last(line), f"{line.messages:,} messages", lineage),
        class_="card",
    )


def _last(line: Any) -> Html | None:
    """When something was said last, if that was on another day."""
    begun, last = line.session.date, line.last
    if last is None or (begun is not None and begun.date() == last.date()):
        return None
    return joined("last ", day(last))


def _discovered(found: Any) -> Html:
    if not found.hits:
        looked = "; ".join(f"{name} {_plain(value)}" for name, value in found.searched.items())
        return joined(
            empty("No conversation is about this.", f"Looked through: {looked}."),
            notes("hint", (*found.notes, *hidden_by(found.hidden))),
        )
    wanted = parse(found.query).content
    lines = [el("li", _hit(hit, wanted)) for hit in found.hits]
    verdict = el(
        "div",
        badge("Found", "good"),
        el("span", f"{len(found.hits)} of {found.found:,} conversations"),
        sure(found.confidence),
        el("span", duration(found.timing_ms)),
        class_="verdict",
        role="status",
    )
    return joined(
        verdict,
        notes("warn", (f"Degraded: {reason}" for reason in found.degraded)),
        el("ol", lines, class_="list"),
        notes("hint", (*found.notes, *hidden_by(found.hidden))),
    )


def _hit(hit: Any, wanted: Collection[str]) -> Html:
    name = hit.session.title or hit.session.session_id
    here = _place(hit.session, hit.match_message_id)
    link = el("a", markdown.line(name), href=here, data_item=True, dir="auto")
    more = [el("a", one.session_id, href=_place(one, one.match_message_id)) for one in hit.also]
    gap = el("p", "…", class_="gap")
    around = el(
        "details",
        el("summary", "Around it"),
        _messages(hit.opening),
        when(hit.opening, gap),
        _messages(hit.messages),
        when(hit.closing, gap),
        _messages(hit.closing),
    )
    return el(
        "article",
        el("header", el("h2", link), sure(hit.confidence)),
        dotted(*_about(hit.session), _by(hit.evidence)),
        el("p", _excerpt(hit.snippet, wanted), class_="snippet", dir="auto"),
        around,
        when(more, el("p", "Also in its lineage: ", more, class_="fine")),
        notes("hint", hidden_by(hit.hidden)),
        class_="card",
    )


def _excerpt(text: str, wanted: Collection[str]) -> Html:
    return markdown.line(text, marks(text, wanted))


def _by(evidence: Iterable[str]) -> str:
    known = {"lexical": "words", "vector": "meaning"}
    return "by " + ", ".join(known.get(one, one) for one in evidence)


# ------------------------------------------------------------------ one


def _read(found: Any) -> PageContent:
    between = found.left_out > 0 and el(
        "p",
        el(
            "a",
            f"{found.left_out:,} messages in between",
            href=_place(found.session, found.first[-1].id if found.first else ""),
            data_item=True,
        ),
        class_="gap",
    )
    body = joined(
        _head(found.session, f"{found.total:,} messages"),
        _messages(found.first, found.session),
        between,
        _messages(found.last, found.session),
        notes("hint", (*found.notes, *hidden_by(found.hidden))),
    )
    return PageContent(found.session.title or "Session", body, at="/sessions")


def _scrolled(request: PageRequest, found: Any) -> PageContent:
    (window,) = found.windows
    if window.session is None:
        body = joined(
            heading("Sessions"),
            empty(
                window.error or "There is no such message.",
                el("a", "The whole session", href=url("/sessions", session=request.get("session"))),
            ),
        )
        return PageContent("Session", body, 404, at="/sessions")
    turning = el(
        "nav",
        _turn("Earlier", "prev", window.session, window.previous, "This is the beginning"),
        _turn("Later", "next", window.session, window.next, "This is the end"),
        class_="turning",
        aria_label="Messages",
    )
    body = joined(
        _head(window.session, el("a", "Beginning and end", href=_place(window.session))),
        notes("warn", some(window.warning)),
        _messages(window.messages),
        turning,
        notes("hint", (*found.notes, *hidden_by(window.hidden))),
    )
    return PageContent(window.session.title or "Session", body, at="/sessions")


def _turn(said: str, rel: str, session: Any, message: str, end: str) -> Html:
    """The link to the next messages in one direction, or that there are none."""
    if not message:
        return el("span", end)
    here = _place(session, message)
    return el("a", said, href=here, rel=rel, class_="button", data_item=True)


def _head(session: Any, *more: Any) -> Html:
    return joined(
        heading(
            session.title or session.session_id, el("p", el("a", "All sessions", href="/sessions"))
        ),
        dotted(*_about(session), *more),
    )


def _about(session: Any) -> list[Any]:
    parent = session.parent_session_id
    return [
        day(session.date),
        session.folder,
        session.source,
        session.relation,
        when(parent, el("a", "where it came from", href=url("/sessions", session=parent))),
        when(session.automated, badge("automated")),
    ]


def _messages(several: Iterable[Any], session: Any = None) -> Html | None:
    made = [_message(one, session) for one in several]
    return only(made, el("ol", made, class_="messages"))


def _message(one: Any, session: Any) -> Html:
    link = el("a", "around it", href=_place(session, one.id), data_item=True) if session else ""
    role = el("span", one.role, class_=f"role {one.role}")
    cut = el("p", f"{len(one.text):,} of {one.size:,} characters", class_="fine")
    return el(
        "li",
        el("p", role, minute(one.date), link, class_="meta"),
        markdown.rendered(one.text, SPOKEN).html,
        when(one.truncated, cut),
        class_=f"message {when(one.anchor, 'anchor')} {_side(one.role)}".strip(),
    )


def _side(role: str) -> str:
    return role if role in ("user", "assistant") else "other"


def _place(session: Any, around: str = "") -> str:
    return url("/sessions", session=session.session_id, around=around)


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple | set) else str(value)
