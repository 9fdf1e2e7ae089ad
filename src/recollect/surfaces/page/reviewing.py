"""The review view: what a curation replaced or contradicts, and waits for somebody to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recollect.errors import RecollectError
from recollect.surfaces.page.layout import (
    Asked,
    To,
    View,
    badge,
    command,
    done,
    dotted,
    empty,
    form,
    heading,
    minute,
)
from recollect.surfaces.page.markup import Html, el, joined, url
from recollect.surfaces.page.remembered import tabs

if TYPE_CHECKING:
    from recollect.memory import Kept

SAID = {"supersedes": "replaces", "contradicts": "contradicts", "refines": "finer"}


def review(asked: Asked) -> View:
    found = asked.memory.to_review()
    listed = el("ul", [el("li", _receipt(asked, kept)) for kept in found], class_="list")
    first = joined("What ", command("recollect curate"), " replaces or contradicts is shown here.")
    shown = listed if found else empty("Nothing waits for review.", first)
    body = joined(heading("Memory", tabs(asked, "/review")), done(asked), shown)
    return View("Review", body, at="/memory")


def _receipt(asked: Asked, kept: Kept) -> Html:
    every = None
    if len(kept.pending) > 1:
        every = el("div", _verdicts(asked, kept.id, "", " all"), class_="actions")
    return el(
        "article",
        el("h2", kept.about or "A text"),
        dotted(minute(kept.at), el("code", kept.id)),
        el("ul", [el("li", _item(asked, kept.id, one)) for one in kept.pending], class_="changes"),
        every,
        class_="card",
    )


def _item(asked: Asked, receipt: str, one: Any) -> Html:
    olds = [el("p", el("del", _text(asked, id), dir="auto")) for id in one.others]
    return joined(
        dotted(badge(SAID.get(one.kind, one.kind), "fair"), one.why),
        olds,
        el("p", el("ins", one.text, dir="auto")),
        el("div", _verdicts(asked, receipt, one.id),
           el("a", "The fact", href=url("/fact", id=one.id)), class_="actions"),
    )  # fmt: skip


def _text(asked: Asked, id: str) -> str:
    try:
        return asked.memory.fact(id).text or "(forgotten)"
    except RecollectError:
        return "(forgotten)"


def _verdicts(asked: Asked, receipt: str, fact: str, more: str = "") -> list[Html]:
    return [
        form("/review/decide", asked.csrf, el("button", said + more, data_item=not more),
             receipt=receipt, fact=fact, accept=accept)
        for said, accept in (("Accept", "1"), ("Reject", ""))
    ]  # fmt: skip


def decide(asked: Asked) -> To:
    accept = asked.get("accept") == "1"
    facts = [asked.get("fact")] if asked.get("fact") else []
    asked.memory.review(asked.get("receipt"), *facts, accept=accept, by="page")
    return To(url("/review", done="accepted" if accept else "rejected"))
