"""The home view: where work was left off, what to know, what changed, what waits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from recollect import memory as facade
from recollect.markup import Html, el, joined, url
from recollect.surfaces.commands import demo
from recollect.surfaces.page import links, markdown
from recollect.surfaces.page.layout import (
    PageRequest,
    command,
    counted,
    day,
    dotted,
    form,
    item_list,
)
from recollect.surfaces.page.remembered import written_sources
from recollect.surfaces.phrases import only, plural, when

if TYPE_CHECKING:
    from recollect.nouns import Document, StoreStats

FEW = 5
"""Lines of each list."""
PINNED = 2_000
"""Tokens of pinned facts that are looked at."""
RECENT = timedelta(days=7)


def home(request: PageRequest) -> Html:
    stats = request.memory.store.stats()
    title = el("h1", "Search", class_="unseen")
    if not stats.documents:
        return joined(title, _first(request))
    parts = [
        *_waiting(request),
        _sessions(request),
        *_facts(request),
        _changed(request),
    ]
    return joined(
        title,
        el("div", [one for one in parts if one], class_="home"),
        _holds(stats),
    )


def _section(title: str, listed: Any, more: Html | None = None, kind: str = "") -> Html:
    head = el("header", el("h2", title), more)
    return el("section", head, listed, class_=f"card {kind}".strip())


# ------------------------------------------------------------------ an empty store


def _first(request: PageRequest) -> Html:
    """Returns what can be imported with one click, where files may be read."""
    typed = el("p", "Or in a terminal: ", command("recollect add ~/notes"), class_="fine")
    return el(
        "section",
        el("h2", "There is nothing to find yet. What shall be imported?"),
        only(request.local, _offers(request)),
        typed,
        class_="card first",
    )


def _offers(request: PageRequest) -> Html:
    """Returns the conversations on this machine, a field for a folder, and the samples."""
    logs = [
        _offer(
            request,
            f"{one.label}: {plural(one.files, 'file')}, {one.megabytes:,.1f} MB of conversations",
            one.label,
            path=str(one.place),
            source=one.format,
        )
        for one in facade.found_logs()
    ]
    shipped = "Only to look around: the notes of an invented company, 31 files"
    field = form(
        "/imports/begin",
        request.csrf,
        el("label", "A folder of notes, a repository, an export", for_="import-path"),
        el(
            "div",
            el("input", id="import-path", name="path", placeholder="~/notes", required=True),
            el("button", "Import", class_="main"),
            class_="asking",
        ),
    )
    sample = _offer(
        request, shipped, "the samples", path=str(demo.SAMPLES / "vault"), source="samples"
    )
    return joined(field, el("ul", logs, sample, class_="offers"))


def _offer(request: PageRequest, said: str, what: str, **given: str) -> Html:
    button = el("button", "Import", el("span", f" {what}", class_="unseen"), data_item=True)
    return el("li", el("span", said), form("/imports/begin", request.csrf, button, **given))


# ------------------------------------------------------------------ a store with something in it


def _waiting(request: PageRequest) -> list[Html]:
    """Returns what is under way, and what waits for a decision."""
    running = [one for one in request.call("imports") if one.under_way]
    pending = [each for kept in request.memory.curation.to_review() for each in kept.pending]
    made = []
    if running:
        paths = [joined(one.path, " ", el("small", f"{one.stored:,} stored")) for one in running]
        link = el("a", "Imports", href="/imports")
        made.append(_section("Being imported", item_list(paths[:FEW]), link))
    if pending:
        said = [el("span", markdown.line(one.text), dir="auto") for one in pending[:FEW]]
        link = el("a", f"Decide about {len(pending):,}", href="/review", data_item=True)
        made.append(_section("Contradicts what was known", item_list(said), link, "alerting"))
    return made


def _sessions(request: PageRequest) -> Html | None:
    found = request.call("sessions", limit=FEW)
    lines = [_session(one) for one in found.sessions]
    more = el("a", "All sessions", href="/sessions")
    return only(lines, _section("Where you left off", item_list(lines), more, "tall"))


def _session(line: Any) -> Html:
    name = line.session.title or line.goal or line.session.session_id
    place = url("/sessions", session=line.session.session_id)
    end = el("p", markdown.line(line.resolution), class_="fine ended", dir="auto")
    return joined(
        el("a", markdown.line(name), href=place, data_item=True, dir="auto"),
        when(line.resolution, end),
        dotted(day(line.last or line.session.date), line.session.folder),
    )


def _facts(request: PageRequest) -> list[Html | None]:
    pinned = request.memory.context(token_budget=PINNED).pinned
    asked = request.memory.facts(limit=FEW, types=["open_question"]).items
    return [
        _stated("Pinned", [(one.document, one.title, one.text) for one in pinned], "/memory"),
        _stated(
            "Open questions",
            [(one.id, one.name, one.text) for one in asked],
            url("/memory", type="open_question"),
        ),
    ]


def _stated(title: str, facts: list[tuple[str, str, str]], more: str) -> Html | None:
    lines = [_fact(*one) for one in facts[:FEW]]
    return only(lines, _section(title, item_list(lines), el("a", "All", href=more)))


def _fact(id: str, name: str, text: str) -> Html:
    """Returns a link to a fact, and what it says where that is not its name."""
    is_named = bool(name) and not text.startswith(name.rstrip(" …"))
    shown = markdown.line(name if is_named else text)
    link = el("a", shown, href=url("/fact", id=id), data_item=True, dir="auto")
    return joined(link, when(is_named, el("p", markdown.line(text), dir="auto")))


def _changed(request: PageRequest) -> Html | None:
    """Returns the documents of the last week, newest first by their own dates."""
    since = datetime.now(UTC) - RECENT
    sources = written_sources(request)
    if not sources:
        return None
    seen = request.memory.query("x", since=since, sources=sources).filter
    found = request.memory.store.scan(seen, limit=4 * FEW, dated=True).items
    notes = [one for one in found if one.kind != "session"][:FEW]
    more = el("a", "All documents", href=url("/documents", since="7d"))
    return only(notes, _section("New this week", item_list(map(_document, notes)), more))


def _document(one: Document) -> Html:
    link = el("a", markdown.line(one.headline()), href=links.place(one), data_item=True, dir="auto")
    return joined(link, dotted(day(one.date), one.source))


def _holds(stats: StoreStats) -> Html:
    return el(
        "p",
        f"{counted(stats.kinds)}. Also understood: ",
        [joined(el("code", one), " ") for one in ('"a phrase"', "-without", "path:runbooks")],
        class_="fine holds",
    )
