"""The sessions view: find conversations, page through them, read how they began and ended."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from recollect.errors import UsageError
from recollect.markup import Html, el, joined
from recollect.surfaces.commands.usage_text import duration
from recollect.surfaces.page import chats, markdown
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
    notes,
    search_form,
    sure,
    wrong,
)
from recollect.surfaces.phrases import only, plural, when
from recollect.text.questions.parse import parse
from recollect.text.snippet import marks


def sessions(request: PageRequest) -> PageContent:
    if request.get("session"):
        return chats.chat(request)
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
    link = el("a", markdown.line(name), href=chats.place(line.session), data_item=True, dir="auto")
    goal = el("p", el("span", "asked", class_="role"), markdown.line(line.goal), dir="auto")
    end = el("p", el("span", "ended", class_="role"), markdown.line(line.resolution), dir="auto")
    lineage = when(line.lineage, f"{line.lineage} more in its lineage")
    return el(
        "article",
        el("h2", link),
        when(line.goal, goal),
        when(line.resolution, end),
        dotted(*chats.about(line.session), _last(line), plural(line.messages, "message"), lineage),
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
    lines = [el("li", _hit(hit, found.query)) for hit in found.hits]
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


def _hit(hit: Any, query: str) -> Html:
    wanted = parse(query).content
    name = hit.session.title or hit.session.session_id
    here = chats.place(hit.session, hit.match_message_id, query)
    link = el("a", markdown.line(name), href=here, data_item=True, dir="auto")
    more = [
        el("a", one.session_id, href=chats.place(one, one.match_message_id)) for one in hit.also
    ]
    gap = el("p", "…", class_="gap")
    around = el(
        "details",
        el("summary", "Around it"),
        chats.excerpts(hit.opening),
        when(hit.opening, gap),
        chats.excerpts(hit.messages),
        when(hit.closing, gap),
        chats.excerpts(hit.closing),
    )
    return el(
        "article",
        el("header", el("h2", link), sure(hit.confidence)),
        dotted(*chats.about(hit.session), _by(hit.evidence)),
        el("p", _excerpt(hit.snippet, wanted), class_="snippet", dir="auto"),
        around,
        when(more, el("p", "Also in its lineage: ", more, class_="fine")),
        [el("p", line, class_="fine") for line in hidden_by(hit.hidden)],
        class_="card",
    )


def _excerpt(text: str, wanted: Collection[str]) -> Html:
    return markdown.line(text, marks(text, wanted))


def _by(evidence: Iterable[str]) -> str:
    known = {"lexical": "words", "vector": "meaning"}
    return "by " + ", ".join(known.get(one, one) for one in evidence)


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple | set) else str(value)
