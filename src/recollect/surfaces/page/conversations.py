"""The sessions view: find conversations, page through them, read how they began and ended."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from recollect.errors import UsageError
from recollect.surfaces.commands.usage_text import duration
from recollect.surfaces.page import charts
from recollect.surfaces.page.layout import (
    PageContent,
    PageRequest,
    badge,
    choice,
    command,
    day,
    dotted,
    empty,
    heading,
    hidden_by,
    minute,
    notes,
    passage,
    text_field,
    wrong,
)
from recollect.surfaces.page.markup import Html, el, joined, url


def sessions(request: PageRequest) -> PageContent:
    session, around = request.get("session"), request.get("around")
    if session:
        found = request.call("sessions", session=session, around=[around] if around else None)
        return _scrolled(request, found) if around else _read(found)
    status = 200
    try:
        found = request.call(
            "sessions",
            query=request.get("q"),
            limit=None if request.get("q") else 50,
            sort=request.get("sort"),
            after=request.get("after"),
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
    return el(
        "form",
        el("label", "Find a conversation", for_="q", class_="unseen"),
        el(
            "div",
            el(
                "input",
                id="q",
                name="q",
                type="search",
                value=request.get("q"),
                data_search=True,
                placeholder="Where did we leave off with …",
                autocomplete="off",
            ),
            el("button", "Find", class_="main"),
            class_="asking",
        ),
        el(
            "details",
            el("summary", "Limits"),
            el(
                "div",
                choice("Order", "sort", request.get("sort"), orders),
                text_field("Begun after", "after", request.get("after"), placeholder="7d"),
                text_field("Begun before", "before", request.get("before")),
                class_="fields",
            ),
            class_="limits",
            open=any(map(request.get, ("sort", "after", "before"))),
        ),
        role="search",
        action="/sessions",
        method="get",
        class_="search",
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
    lines = [
        el(
            "li",
            el(
                "article",
                el(
                    "h2",
                    el(
                        "a",
                        line.session.title or line.goal or line.session.session_id,
                        href=_place(line.session),
                        data_item=True,
                        dir="auto",
                    ),
                ),
                line.goal and el("p", el("span", "asked", class_="role"), line.goal, dir="auto"),
                line.resolution
                and el("p", el("span", "ended", class_="role"), line.resolution, dir="auto"),
                dotted(
                    *_about(line.session),
                    _last(line),
                    f"{line.messages:,} messages",
                    f"{line.lineage} more in its lineage" if line.lineage else "",
                ),
                class_="card",
            ),
        )
        for line in found.sessions
    ]
    return joined(
        el("ul", lines, class_="list"), notes("hint", (*found.notes, *hidden_by(found.hidden)))
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
    lines = [el("li", _hit(hit)) for hit in found.hits]
    verdict = el(
        "div",
        badge("Found", "good"),
        el("span", f"{len(found.hits)} of {found.found:,} conversations"),
        el("span", el("b", charts.share(found.confidence)), " sure"),
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


def _hit(hit: Any) -> Html:
    name = hit.session.title or hit.session.session_id
    more = [
        el(
            "a",
            one.session_id,
            href=url("/sessions", session=one.session_id, around=one.match_message_id),
        )
        for one in hit.also
    ]
    return el(
        "article",
        el(
            "header",
            el(
                "h2",
                el(
                    "a",
                    name,
                    href=_place(hit.session, hit.match_message_id),
                    data_item=True,
                    dir="auto",
                ),
            ),
            el("span", charts.share(hit.confidence), class_="sure"),
        ),
        dotted(*_about(hit.session), _by(hit.evidence)),
        el("p", hit.snippet.replace("**", ""), class_="snippet", dir="auto"),
        el(
            "details",
            el("summary", "Around it"),
            _messages(hit.opening),
            hit.opening and el("p", "…", class_="gap"),
            _messages(hit.messages),
            hit.closing and el("p", "…", class_="gap"),
            _messages(hit.closing),
        ),
        more and el("p", "Also in its lineage: ", more, class_="fine"),
        notes("hint", hidden_by(hit.hidden)),
        class_="card",
    )


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
    back = window.previous and el(
        "a",
        "Earlier",
        href=_place(window.session, window.previous),
        rel="prev",
        class_="button",
        data_item=True,
    )
    on = window.next and el(
        "a",
        "Later",
        href=_place(window.session, window.next),
        rel="next",
        class_="button",
        data_item=True,
    )
    turning = el(
        "nav",
        back or el("span", "This is the beginning"),
        on or el("span", "This is the end"),
        class_="turning",
        aria_label="Messages",
    )
    body = joined(
        _head(window.session, el("a", "Beginning and end", href=_place(window.session))),
        notes("warn", [window.warning] if window.warning else []),
        _messages(window.messages),
        turning,
        notes("hint", (*found.notes, *hidden_by(window.hidden))),
    )
    return PageContent(window.session.title or "Session", body, at="/sessions")


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
        parent and el("a", "where it came from", href=url("/sessions", session=parent)),
        badge("automated") if session.automated else "",
    ]


def _messages(some: Iterable[Any], session: Any = None) -> Html | None:
    made = [
        el(
            "li",
            el(
                "p",
                el("span", one.role, class_=f"role {one.role}"),
                minute(one.date),
                session and el("a", "around it", href=_place(session, one.id), data_item=True),
                class_="meta",
            ),
            passage(one.text),
            one.truncated
            and el("p", f"{len(one.text):,} of {one.size:,} characters", class_="fine"),
            class_=f"message {'anchor' if one.anchor else ''} {_side(one.role)}".strip(),
        )
        for one in some
    ]
    return el("ol", made, class_="messages") if made else None


def _side(role: str) -> str:
    return role if role in ("user", "assistant") else "other"


def _place(session: Any, around: str = "") -> str:
    return url("/sessions", session=session.session_id, around=around)


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple | set) else str(value)
