"""The memory view: facts with their time and provenance, and documents."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from recollect.errors import UsageError
from recollect.facts import FactFilter
from recollect.markup import Html, el, joined, url
from recollect.surfaces import headlines
from recollect.surfaces.page import graph, links, markdown, topics
from recollect.surfaces.page.layout import (
    PageContent,
    PageRequest,
    Redirect,
    about,
    badge,
    choice,
    command,
    confirmed,
    current,
    date_field,
    day,
    done,
    dotted,
    empty,
    form,
    heading,
    item_list,
    minute,
    more_link,
    passage,
    table,
    through,
    wrong,
)
from recollect.surfaces.phrases import only, plural, some, when
from recollect.surfaces.tools import TYPES
from recollect.text.frontmatter import split
from recollect.tree import SOURCE as TREE
from recollect.tree import page_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.facts import Fact
    from recollect.nouns import Document, Event

PAGE = 50
MADE = ("facts", "tree", "curation")
"""The sources of what is kept here by itself: facts, pages of them, and receipts. All others are
of documents that somebody has written."""


def written_sources(request: PageRequest) -> list[str]:
    """Returns the names of the sources of documents."""
    return [one.name for one in request.memory.store.stats().sources if one.kind not in MADE]


def tabs(request: PageRequest, at: str) -> Html:
    """Returns the tabs of the memory view; what is counted by its documents has its count."""
    held: Counter[str] = Counter()
    for source in request.memory.store.stats().sources:
        held[source.kind if source.kind in MADE else ""] += source.documents
    counts = (
        ("/memory", "Facts", 0),  # a page of the view tells how many hold, and how many do not
        ("/tree", "Tree", 0),
        ("/documents", "Documents", held[""]),
        (
            "/review",
            "Review",
            sum(len(kept.pending) for kept in request.memory.curation.to_review()),
        ),
        ("/receipts", "Curations", held["curation"]),
    )
    links = [
        el(
            "a",
            name,
            " ",
            when(count, el("small", f"{count:,}")),
            href=path,
            aria_current=current(path == at),
        )
        for path, name, count in counts
    ]
    return el("nav", links, class_="tabs", aria_label="What is remembered")


# ------------------------------------------------------------------ facts


def facts(request: PageRequest) -> PageContent:
    every, kind = request.get("every") == "1", request.get("type")
    page = request.memory.facts(
        limit=PAGE, cursor=request.get("cursor"), every=every, types=some(kind) or None
    )
    limits = el(
        "form",
        choice("Type", "type", kind, [("", "all"), *((t, t.replace("_", " ")) for t in TYPES)]),
        choice(
            "Show",
            "every",
            when(every, "1"),
            [("", "those in force"), ("1", "also what was replaced")],
        ),
        el("button", "Show"),
        class_="filter",
        method="get",
        action="/memory",
    )
    listed = item_list(map(fact_line, page.items), class_="list")
    example = command('recollect remember "We deploy on Fridays" --name "deploy day"')
    nothing = empty("No facts here.", joined("Keep one: ", example))
    more = when(
        page.cursor, more_link("/memory", cursor=page.cursor, every=when(every, "1"), type=kind)
    )
    body = joined(
        heading("Memory", tabs(request, "/memory")),
        done(request),
        limits,
        listed if page.items else nothing,
        more,
        only(not (every or kind or request.get("cursor") or more), _replaced(request, page.items)),
    )
    return PageContent("Facts", body, at="/memory")


def _replaced(request: PageRequest, shown: Sequence[Fact]) -> Html | None:
    """Returns how many facts are kept and not listed."""
    sources = request.memory.store.stats().sources
    left = sum(one.documents for one in sources if one.kind == "facts") - len(shown)
    said = f"{plural(left, 'fact')} that no longer {'holds' if left == 1 else 'hold'}"
    return only(left > 0, el("p", el("a", said, href=url("/memory", every="1")), class_="more"))


def fact_line(fact: Fact) -> Html:
    return el(
        "article",
        el("h2", el("a", fact.title, href=url("/fact", id=fact.id), data_item=True)),
        when(fact.name, el("p", markdown.line(fact.text), class_="said", dir="auto")),
        dotted(
            *standing_badges(fact),
            badge(fact.type.replace("_", " ")),
            day(fact.start),
            ", ".join(fact.scopes),
        ),
        class_="card",
    )


def standing_badges(fact: Fact) -> list[Html]:
    """Returns badges: whether it is pinned, and why it does not hold."""
    out = FactFilter(fact.owner).out_of_force(fact)
    made = [only(fact.pinned, badge("pinned", "good")), only(out, badge(out, "poor"))]
    return list(filter(None, made))


def fact(request: PageRequest) -> PageContent:
    chain = request.memory.curation.timeline(request.get("id"))
    one = _meant(chain, request.get("id"))
    events = request.memory.history(one.id, owner=one.owner)
    body = joined(
        heading(one.title, el("p", el("a", "All facts", href="/memory"))),
        done(request),
        el(
            "div",
            el("div", _statement(request, one), class_="statement"),
            dotted(*standing_badges(one), badge(one.type.replace("_", " "))),
            class_="card",
        ),
        _fact_actions(request, one),
        about(
            ("Also called", ", ".join(one.aliases)),
            ("Why it matters", one.why),
            ("Scopes", ", ".join(one.scopes)),
            ("Owner", one.owner),
            ("Holds from", minute(one.start)),
            ("Until", minute(one.end)),
            ("Closed", minute(one.resolved_at)),
            ("On the page", _on_page(one)),
            ("Id", el("code", one.id)),
        ),
        _timeline(chain, one),
        _provenance(events),
    )
    return PageContent(one.title, body, at="/memory")


def _statement(request: PageRequest, one: Fact) -> Html:
    style = markdown.MarkdownStyle(links.table(request, one.text), breaks=True)
    return markdown.rendered(one.text, style).html


def _on_page(one: Fact) -> Html:
    address = page_of(one)
    return el("a", address, href=url("/topic", at=address))


def _meant(chain: Sequence[Fact], name: str) -> Fact:
    """The one of a chain that was asked for, by its id or else by its name."""
    by_name = next((one for one in reversed(chain) if name in one.names), chain[-1])
    return next((one for one in chain if one.id == name), by_name)


def _fact_actions(request: PageRequest, one: Fact) -> Html:
    pin = form(
        "/fact/pin",
        request.csrf,
        el("button", "Unpin" if one.pinned else "Pin"),
        id=one.id,
        pinned=when(not one.pinned, "1"),
    )
    edit = el(
        "details",
        el("summary", "Edit", class_="button"),
        form(
            "/fact/reword",
            request.csrf,
            el("label", "What it says", for_="text"),
            el("textarea", one.text, id="text", name="text", rows="4", required=True, dir="auto"),
            el(
                "p",
                "What it says now is not kept. When it has changed rather than been wrong, "
                "remember the new statement instead: it replaces this one, and both stay on "
                "the timeline.",
                class_="fine",
            ),
            el("button", "Save", class_="main"),
            id=one.id,
        ),
        class_="editing",
    )
    forget = confirmed(
        "It is removed for good, and no later import brings it back.",
        "Forget",
        "/fact/forget",
        request.csrf,
        id=one.id,
    )
    return el("div", pin, edit, forget, class_="actions")


def _timeline(chain: Sequence[Fact], at: Fact) -> Html:
    """Returns the chain of supersessions, oldest first."""
    made = []
    for one in chain:
        held = joined(minute(one.start), " – ", minute(one.end) or "now")
        href = None if one.id == at.id else url("/fact", id=one.id)
        said = el("a" if href else "b", one.text or "(forgotten)", href=href, dir="auto")
        made.append(
            el(
                "li",
                el("p", el("span", held), class_="meta"),
                el("p", said),
                class_="past" if FactFilter(one.owner).out_of_force(one) else "current",
                aria_current=only(one.id == at.id, "true"),
            )
        )
    alone = el("p", "It replaced nothing, and nothing replaced it.", class_="fine")
    return el(
        "section",
        el("h2", "Timeline"),
        el("ol", made, class_="timeline"),
        only(len(chain) == 1, alone),
    )


def _provenance(events: Sequence[Event]) -> Html:
    """Returns the provenance as a table; a column without any value is left out."""
    rows = [(minute(e.at), e.action, e.text, e.by, e.why, e.source, e.quote) for e in events]
    heads = ("When", "What", "To", "By", "Why", "Read in", "In the words")
    kept = [n for n in range(len(heads)) if any(row[n] for row in rows)]
    shown = [[row[n] for n in kept] for row in rows]
    return el(
        "section",
        el("h2", "Provenance"),
        table([heads[n] for n in kept], shown, aria_label="Provenance"),
    )


def pin(request: PageRequest) -> Redirect:
    pinned = request.get("pinned") == "1"
    request.call("pin", fact=request.get("id"), pinned=pinned, by="page")
    return Redirect(url("/fact", id=request.get("id"), done="pinned" if pinned else "unpinned"))


def reword(request: PageRequest) -> Redirect:
    text = request.params.get("text", "").replace("\r\n", "\n").strip()
    request.call("reword", fact=request.get("id"), text=text, by="page")
    return Redirect(url("/fact", id=request.get("id"), done="reworded"))


def forget_fact(request: PageRequest) -> Redirect:
    request.call("forget", id=request.get("id"))
    return Redirect(url("/memory", done="forgotten"))


# ------------------------------------------------------------------ documents


def documents(request: PageRequest) -> PageContent:
    stats = request.memory.store.stats()
    names = ("kind", "source", "since", "until")
    kinds = sorted(stats.kinds.keys() - {"fact", "receipt"})
    sources = written_sources(request)
    limits = el(
        "form",
        choice("Kind", "kind", request.get("kind"), [("", "all"), *((k, k) for k in kinds)]),
        choice(
            "Source", "source", request.get("source"), [("", "all"), *((s, s) for s in sources)]
        ),
        date_field("From", "since", request.get("since")),
        date_field("Until", "until", request.get("until")),
        el("button", "Show"),
        class_="filter",
        method="get",
        action="/documents",
    )
    shown, status = _listed([]), 200
    try:
        page = request.call(
            "list",
            kinds=some(request.get("kind")),
            sources=some(request.get("source")) or sources,
            since=request.get("since"),
            until=through(request.get("until")),
            limit=PAGE,
            cursor=request.get("cursor"),
        )
        if sources:  # else all there is was made here
            given = {name: request.get(name) for name in names}
            more = when(page.cursor, more_link("/documents", cursor=page.cursor, **given))
            shown = joined(_listed(page.items), more)
    except UsageError as error:
        shown, status = wrong(error), 400
    body = joined(heading("Memory", tabs(request, "/documents")), done(request), limits, shown)
    return PageContent("Documents", body, status, at="/memory")


def _listed(items: Sequence[Document]) -> Html:
    if not items:
        return empty("No documents here.", joined("Add some: ", command("recollect add ~/notes")))
    rows = [
        (
            el("a", one.headline(), href=links.place(one), data_item=True, dir="auto"),
            one.kind,
            day(one.date),
            one.source,
            one.path,
        )
        for one in items
    ]
    heads = ("Title", "Kind", "Date", "Source", "Path")
    listed = table(heads, rows, class_="documents", aria_label="Documents")
    return joined(el("p", "Those imported last come first.", class_="fine"), listed)


MOST = 200_000
"""Characters of a document that are shown at once."""


def document(request: PageRequest) -> PageContent:
    found: Document = request.call("get", id=request.get("id"))
    if found.kind == "fact":
        return fact(request._replace(params={**request.params, "id": found.external}))
    if found.kind == "page" and found.source == TREE:
        return topics.topic(request._replace(params={"at": found.external}))
    start = request.number("from")
    whole = found.rendered()
    more = when(
        start + MOST < len(whole),
        more_link("/document", id=found.id, **{"from": str(start + MOST)}),
    )
    text, headings = _body(request, found, whole[start : start + MOST])
    body = joined(
        heading(found.headline(), el("p", el("a", "All documents", href="/documents"))),
        dotted(
            badge(found.kind),
            day(found.date),
            found.path,
            found.source,
            when(found.gone, headlines.GONE),
        ),
        el(
            "div",
            el("div", el("article", text, class_="card reading"), more),
            el("aside", _outline(headings), _around(request, found, whole), _about(request, found)),
            class_="document",
        ),
    )
    return PageContent(found.headline(), body, at="/memory")


def _body(
    request: PageRequest, found: Document, text: str
) -> tuple[Html, Sequence[markdown.Heading]]:
    """Returns the text of a document as it is read, and its headings."""
    if not text.strip():
        return empty("It has no text."), ()
    if not links.is_markdown(found.path):
        return passage(text), ()
    _, begins = split(text)
    table = links.table(request, text, found.source, found.path)
    style = markdown.MarkdownStyle(table, level=2, skip=found.headline())
    return markdown.rendered(text[begins:], style)


OUTLINED = 3
"""Headings from which on a document has an outline."""


def _outline(headings: Sequence[markdown.Heading]) -> Html | None:
    lines = [
        el("li", el("a", one.text, href=f"#{one.id}"), class_=f"level-{one.level}")
        for one in headings
    ]
    nav = el("nav", el("ul", lines), aria_label="On this page")
    return only(len(lines) >= OUTLINED, el("section", el("h2", "On this page"), nav))


def _around(request: PageRequest, found: Document, text: str) -> Html | None:
    return graph.drawn(links.around(request, found, text))


def _about(request: PageRequest, found: Document) -> Html:
    header = ((name.capitalize(), _plain(value)) for name, value in found.meta.items())
    return el(
        "details",
        el("summary", "About this document"),
        about(
            ("Date", minute(found.date)),
            ("Path", found.path),
            ("Source", found.source),
            ("Scopes", ", ".join(found.scopes)),
            ("Owner", found.owner),
            ("Id", el("code", found.id)),
            *(pair for pair in header if pair[0] not in ("Title", "Links")),
        ),
        _history(request.memory.history(found.id)),
        el(
            "div",
            confirmed(
                "It is removed for good, and no later import brings it back.",
                "Forget",
                "/document/forget",
                request.csrf,
                id=found.id,
            ),
            class_="actions",
        ),
    )


def _plain(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _history(events: Sequence[Event]) -> Html | None:
    rows = [(minute(e.at), e.action) for e in events]
    listed = table(("When", "What"), rows, aria_label="History")
    return only(rows, el("section", el("h2", "History"), listed))


def forget_document(request: PageRequest) -> Redirect:
    request.call("forget", id=request.get("id"))
    return Redirect(url("/documents", done="forgotten"))


def forget_page(request: PageRequest) -> Redirect:
    request.call("forget", id=request.get("id"))
    return Redirect(url("/tree", done="forgotten"))
