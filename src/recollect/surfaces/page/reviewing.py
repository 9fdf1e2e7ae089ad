"""The views of curations: those that wait for review, and all of them, each with its undo."""

from __future__ import annotations

from collections import Counter
from typing import Any

from recollect import memory as facade
from recollect.errors import RecollectError
from recollect.markup import Html, el, joined, url
from recollect.surfaces.page.layout import (
    PageContent,
    PageRequest,
    Redirect,
    badge,
    command,
    confirmed,
    done,
    dotted,
    empty,
    form,
    heading,
    minute,
)
from recollect.surfaces.page.remembered import tabs
from recollect.surfaces.phrases import counts, only, some, when

SAID = {
    "new": "new",
    "same": "known",
    "refines": "finer",
    "supersedes": "replaces",
    "superseded": "older than what is known",
    "contradicts": "contradicts",
    "ended": "no longer said",
}
SHOWN = 100


def review(request: PageRequest) -> PageContent:
    found = request.memory.curation.to_review()
    listed = el("ul", [el("li", _receipt(request, kept)) for kept in found], class_="list")
    first = joined("What ", command("recollect curate"), " replaces or contradicts is shown here.")
    shown = listed if found else empty("Nothing waits for review.", first)
    body = joined(heading("Memory", tabs(request, "/review")), done(request), shown)
    return PageContent("Review", body, at="/memory")


def _receipt(request: PageRequest, kept: facade.CurationReceipt) -> Html:
    every = el("div", _verdicts(request, kept.id, "", " all"), class_="actions")
    return el(
        "article",
        el("h2", kept.about or "A text"),
        dotted(minute(kept.at), el("code", kept.id)),
        el(
            "ul", [el("li", _item(request, kept.id, one)) for one in kept.pending], class_="changes"
        ),
        only(len(kept.pending) > 1, every),
        class_="card",
    )


def _item(request: PageRequest, receipt: str, one: Any) -> Html:
    olds = [el("p", el("del", _text(request, id), dir="auto")) for id in one.others]
    return joined(
        dotted(badge(SAID.get(one.kind, one.kind), "fair"), one.why),
        olds,
        el("p", el("ins", one.text, dir="auto")),
        el(
            "div",
            _verdicts(request, receipt, one.id),
            el("a", "The fact", href=url("/fact", id=one.id)),
            class_="actions",
        ),
    )


def _text(request: PageRequest, id: str) -> str:
    try:
        return request.memory.curation.fact(id).text or "(forgotten)"
    except RecollectError:
        return "(forgotten)"


def _verdicts(request: PageRequest, receipt: str, fact: str, more: str = "") -> list[Html]:
    return [
        form(
            "/review/decide",
            request.csrf,
            el("button", said + more, data_item=not more),
            receipt=receipt,
            fact=fact,
            accept=accept,
        )
        for said, accept in (("Accept", "1"), ("Reject", ""))
    ]


def decide(request: PageRequest) -> Redirect:
    accept = request.get("accept") == "1"
    facts = some(request.get("fact"))
    request.call("review", receipt=request.get("receipt"), facts=facts, accept=accept, by="page")
    return Redirect(url("/review", done="accepted" if accept else "rejected"))


# ------------------------------------------------------------------ all of them


def receipts(request: PageRequest) -> PageContent:
    found = request.call("receipts", limit=SHOWN)
    listed = el("ul", [el("li", _done(request, kept)) for kept in found], class_="list")
    first = joined("Keep what a text says: ", command("recollect curate FILE"))
    body = joined(
        heading("Memory", tabs(request, "/receipts")),
        done(request),
        listed if found else empty("Nothing was curated yet.", first),
        when(
            len(found) == SHOWN,
            el(
                "p",
                f"These are the newest {SHOWN}; ",
                command("recollect undo --list"),
                " has all.",
                class_="fine",
            ),
        ),
    )
    return PageContent("Curations", body, at="/memory")


def _done(request: PageRequest, kept: facade.CurationReceipt) -> Html:
    kinds = Counter(SAID.get(one.kind, one.kind) for one in kept.items)
    told = counts(kinds)
    facts = [
        el(
            "li",
            badge(SAID.get(one.kind, one.kind)),
            " ",
            el("a", one.text, href=url("/fact", id=one.id), dir="auto"),
            when(one.verdict, el("small", f" {one.verdict}")),
        )
        for one in kept.items
    ]
    back = confirmed(
        "All is put back as it was before this text was curated.",
        "Take back",
        "/receipts/undo",
        request.csrf,
        receipt=kept.id,
    )
    return el(
        "article",
        el("h2", kept.about or "A text"),
        dotted(
            when(kept.undone, badge("taken back", "poor")),
            minute(kept.at),
            told,
            el("code", kept.id),
        ),
        when(
            facts,
            el(
                "details",
                el("summary", f"What was decided: {len(kept.items):,}"),
                el("ul", facts, class_="decided"),
            ),
        ),
        None if kept.undone else el("div", back, class_="actions"),
        class_="card",
    )


def undo(request: PageRequest) -> Redirect:
    request.call("undo", receipt=request.get("receipt"))
    return Redirect(url("/receipts", done="undone"))
