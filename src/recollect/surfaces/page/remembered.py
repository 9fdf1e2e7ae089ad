"""The memory view: facts with their time and provenance, and documents."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from recollect.errors import UsageError
from recollect.facts import Asked as Visible
from recollect.surfaces.page.layout import (
    Asked,
    To,
    View,
    about,
    badge,
    choice,
    command,
    confirmed,
    day,
    done,
    dotted,
    empty,
    form,
    heading,
    minute,
    more_link,
    passage,
    table,
    text_field,
    wrong,
)
from recollect.surfaces.page.markup import Html, el, joined, url
from recollect.surfaces.tools import TYPES
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


def tabs(asked: Asked, at: str) -> Html:
    """What there is of each sort of memory."""
    held: Counter[str] = Counter()
    for source in asked.memory.store.stats().sources:
        held[source.kind if source.kind in MADE else ""] += source.documents
    counts = (
        ("/memory", "Facts", held["facts"]),
        ("/tree", "Tree", held["tree"]),
        ("/documents", "Documents", held[""]),
        ("/review", "Review", sum(len(kept.pending) for kept in asked.memory.to_review())),
        ("/receipts", "Curations", held["curation"]),
    )
    links = [
        el("a", name, " ", el("small", f"{count:,}"), href=path,
           aria_current="page" if path == at else None)
        for path, name, count in counts
    ]  # fmt: skip
    return el("nav", links, class_="tabs", aria_label="What is remembered")


# ------------------------------------------------------------------ facts


def facts(asked: Asked) -> View:
    every, kind = asked.get("every") == "1", asked.get("type")
    page = asked.memory.facts(
        limit=PAGE, cursor=asked.get("cursor"), every=every, types=[kind] if kind else None
    )
    limits = el(
        "form",
        choice("Type", "type", kind, [("", "all"), *((t, t.replace("_", " ")) for t in TYPES)]),
        choice("Show", "every", "1" if every else "",
               [("", "those in force"), ("1", "also what was replaced")]),
        el("button", "Show"),
        class_="filter", method="get", action="/memory",
    )  # fmt: skip
    listed = el("ul", [el("li", fact_line(fact)) for fact in page.items], class_="list")
    example = command('recollect remember "We deploy on Fridays" --name "deploy day"')
    nothing = empty("No facts here.", joined("Keep one: ", example))
    more = page.cursor and more_link(
        "/memory", cursor=page.cursor, every="1" if every else "", type=kind
    )
    body = joined(
        heading("Memory", tabs(asked, "/memory")), done(asked), limits,
        listed if page.items else nothing, more,
    )  # fmt: skip
    return View("Facts", body, at="/memory")


def fact_line(fact: Fact) -> Html:
    return el(
        "article",
        el("h2", el("a", fact.title, href=url("/fact", id=fact.id), data_item=True)),
        el("p", fact.text, class_="said", dir="auto") if fact.name else None,
        dotted(*_badges(fact), badge(fact.type.replace("_", " ")), day(fact.start),
               ", ".join(fact.scopes)),
        class_="card",
    )  # fmt: skip


def _badges(fact: Fact) -> list[Html]:
    out = Visible(fact.owner).out_of_force(fact)
    made = [badge("pinned", "good")] if fact.pinned else []
    return [*made, badge(out, "poor")] if out else made


def fact(asked: Asked) -> View:
    chain = asked.memory.timeline(asked.get("id"))
    one = _meant(chain, asked.get("id"))
    events = asked.memory.history(one.id, owner=one.owner)
    body = joined(
        heading(one.title, el("p", el("a", "All facts", href="/memory"))),
        done(asked),
        el("div", el("p", one.text, class_="statement", dir="auto"),
           dotted(*_badges(one), badge(one.type.replace("_", " "))), class_="card"),
        _fact_actions(asked, one),
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
    )  # fmt: skip
    return View(one.title, body, at="/memory")


def _on_page(one: Fact) -> Html:
    address = page_of(one)
    return el("a", address, href=url("/topic", at=address))


def _meant(chain: Sequence[Fact], name: str) -> Fact:
    """The one of a chain that was asked for, by its id or else by its name."""
    by_id = [one for one in chain if one.id == name]
    return by_id[0] if by_id else next(
        (one for one in reversed(chain) if name in one.names), chain[-1]
    )  # fmt: skip


def _fact_actions(asked: Asked, one: Fact) -> Html:
    pin = form(
        "/fact/pin", asked.csrf, el("button", "Unpin" if one.pinned else "Pin"), id=one.id,
        pinned="" if one.pinned else "1",
    )  # fmt: skip
    edit = el(
        "details",
        el("summary", "Edit", class_="button"),
        form("/fact/reword", asked.csrf,
             el("label", "What it says", for_="text"),
             el("textarea", one.text, id="text", name="text", rows="4", required=True, dir="auto"),
             el("p", "What it says now is not kept. When it has changed rather than been wrong, "
                     "remember the new statement instead: it replaces this one, and both stay on "
                     "the timeline.", class_="fine"),
             el("button", "Save", class_="main"), id=one.id),
        class_="editing",
    )  # fmt: skip
    forget = confirmed(
        "It is removed for good, and no later import brings it back.", "Forget", "/fact/forget",
        asked.csrf, id=one.id,
    )  # fmt: skip
    return el("div", pin, edit, forget, class_="actions")


def _timeline(chain: Sequence[Fact], at: Fact) -> Html:
    """What replaced what, oldest first."""
    made = []
    for one in chain:
        held = joined(minute(one.start), " – ", minute(one.end) or "now")
        href = None if one.id == at.id else url("/fact", id=one.id)
        said = el("a" if href else "b", one.text or "(forgotten)", href=href, dir="auto")
        made.append(el("li", el("p", el("span", held), class_="meta"), el("p", said),
                       class_="past" if Visible(one.owner).out_of_force(one) else "current",
                       aria_current="true" if one.id == at.id else None))  # fmt: skip
    alone = el("p", "It replaced nothing, and nothing replaced it.", class_="fine")
    return el("section", el("h2", "Timeline"), el("ol", made, class_="timeline"),
              alone if len(chain) == 1 else None)  # fmt: skip


def _provenance(events: Sequence[Event]) -> Html:
    """Who did what to which statement; a column that nobody filled is left out."""
    rows = [(minute(e.at), e.action, e.text, e.by, e.why, e.source, e.quote) for e in events]
    heads = ("When", "What", "To", "By", "Why", "Read in", "In the words")
    kept = [n for n in range(len(heads)) if any(row[n] for row in rows)]
    shown = [[row[n] for n in kept] for row in rows]
    return el("section", el("h2", "Provenance"),
              table([heads[n] for n in kept], shown, aria_label="Provenance"))  # fmt: skip


def pin(asked: Asked) -> To:
    pinned = asked.get("pinned") == "1"
    asked.call("pin", fact=asked.get("id"), pinned=pinned, by="page")
    return To(url("/fact", id=asked.get("id"), done="pinned" if pinned else "unpinned"))


def reword(asked: Asked) -> To:
    text = asked.params.get("text", "").replace("\r\n", "\n").strip()
    asked.call("reword", fact=asked.get("id"), text=text, by="page")
    return To(url("/fact", id=asked.get("id"), done="reworded"))


def forget_fact(asked: Asked) -> To:
    asked.call("forget", id=asked.get("id"))
    return To(url("/memory", done="forgotten"))


# ------------------------------------------------------------------ documents


def documents(asked: Asked) -> View:
    stats = asked.memory.store.stats()
    names = ("kind", "source", "since", "until")
    kinds = sorted(stats.kinds.keys() - {"fact", "receipt"})
    sources = [one.name for one in stats.sources if one.kind not in MADE]
    limits = el(
        "form",
        choice("Kind", "kind", asked.get("kind"),
               [("", "all"), *((k, k) for k in kinds)]),
        choice("Source", "source", asked.get("source"), [("", "all"), *((s, s) for s in sources)]),
        text_field("Since", "since", asked.get("since"), placeholder="2026-03-01 or 7d"),
        text_field("Until", "until", asked.get("until")),
        el("button", "Show"),
        class_="filter", method="get", action="/documents",
    )  # fmt: skip
    shown, status = _listed([]), 200
    try:
        page = asked.call(
            "list", kinds=[asked.get("kind")] if asked.get("kind") else None,
            sources=[asked.get("source")] if asked.get("source") else sources,
            since=asked.get("since"), until=asked.get("until"), limit=PAGE,
            cursor=asked.get("cursor"),
        )  # fmt: skip
        if sources:  # else all there is was made here
            given = {name: asked.get(name) for name in names}
            more = page.cursor and more_link("/documents", cursor=page.cursor, **given)
            shown = joined(_listed(page.items), more)
    except UsageError as error:
        shown, status = wrong(error), 400
    body = joined(heading("Memory", tabs(asked, "/documents")), done(asked), limits, shown)
    return View("Documents", body, status, at="/memory")


def _listed(items: Sequence[Document]) -> Html:
    if not items:
        return empty("No documents here.", joined("Add some: ", command("recollect add ~/notes")))
    rows = [
        (el("a", one.title or one.external, href=_read(one), data_item=True, dir="auto"),
         one.kind, day(one.date) or "", one.source, one.path)
        for one in items
    ]  # fmt: skip
    heads = ("Title", "Kind", "Date", "Source", "Path")
    return table(heads, rows, class_="documents", aria_label="Documents")


def _read(one: Document) -> str:
    if one.kind == "session":
        return url("/sessions", session=one.external)
    return url("/document", id=one.id)


MOST = 200_000
"""Characters of a document that are shown at once."""


def document(asked: Asked) -> View:
    found: Document = asked.call("get", id=asked.get("id"))
    if found.kind == "fact":
        return fact(asked._replace(params={**asked.params, "id": found.external}))
    if found.kind == "page" and found.source == TREE:
        from recollect.surfaces.page.topics import topic

        return topic(asked._replace(params={"at": found.external}))
    start = asked.number("from")
    whole = found.rendered()
    part = whole[start : start + MOST]
    more = start + MOST < len(whole) and more_link(
        "/document", id=found.id, **{"from": str(start + MOST)}
    )
    body = joined(
        heading(found.title or found.external,
                el("p", el("a", "All documents", href="/documents"))),
        about(
            ("Kind", found.kind),
            ("Date", minute(found.date)),
            ("Path", found.path),
            ("Source", found.source),
            ("Scopes", ", ".join(found.scopes)),
            ("Owner", found.owner),
            ("Id", el("code", found.id)),
        ),
        el("div", passage(part), class_="card") if part.strip() else empty("It has no text."),
        more,
        _history(asked.memory.history(found.id)),
        el("div", confirmed(
            "It is removed for good, and no later import brings it back.", "Forget",
            "/document/forget", asked.csrf, id=found.id,
        ), class_="actions"),
    )  # fmt: skip
    return View(found.title or found.external, body, at="/memory")


def _history(events: Sequence[Event]) -> Html | None:
    rows = [(minute(e.at), e.action) for e in events]
    if not rows:
        return None
    return el("section", el("h2", "History"), table(("When", "What"), rows, aria_label="History"))


def forget_document(asked: Asked) -> To:
    asked.call("forget", id=asked.get("id"))
    return To(url("/documents", done="forgotten"))


def forget_page(asked: Asked) -> To:
    asked.call("forget", id=asked.get("id"))
    return To(url("/tree", done="forgotten"))
