"""What curations did: what waits for somebody to look at it, and all of it, to be taken back."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from recollect.errors import RecollectError
from recollect.surfaces.page.layout import (
    Asked,
    To,
    View,
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
from recollect.surfaces.page.markup import Html, el, joined, url
from recollect.surfaces.page.remembered import tabs

if TYPE_CHECKING:
    from recollect.memory import Kept

SAID = {
    "new": "new", "same": "known", "refines": "finer", "supersedes": "replaces",
    "superseded": "older than what is known", "contradicts": "contradicts",
}  # fmt: skip
SHOWN = 100


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
    asked.call("review", receipt=asked.get("receipt"), facts=facts, accept=accept, by="page")
    return To(url("/review", done="accepted" if accept else "rejected"))


# ------------------------------------------------------------------ all of them


def receipts(asked: Asked) -> View:
    found = asked.call("receipts", limit=SHOWN)
    listed = el("ul", [el("li", _done(asked, kept)) for kept in found], class_="list")
    first = joined("Keep what a text says: ", command("recollect curate FILE"))
    body = joined(
        heading("Memory", tabs(asked, "/receipts")),
        done(asked),
        listed if found else empty("Nothing was curated yet.", first),
        el("p", f"These are the newest {SHOWN}; `recollect undo --list` has all.", class_="fine")
        if len(found) == SHOWN else None,
    )  # fmt: skip
    return View("Curations", body, at="/memory")


def _done(asked: Asked, kept: Kept) -> Html:
    kinds = Counter(SAID.get(one.kind, one.kind) for one in kept.items)
    told = ", ".join(f"{count:,} {name}" for name, count in kinds.items())
    facts = [
        el("li", badge(SAID.get(one.kind, one.kind)), " ",
           el("a", one.text, href=url("/fact", id=one.id), dir="auto"),
           one.verdict and el("small", f" {one.verdict}"))
        for one in kept.items
    ]  # fmt: skip
    back = confirmed(
        "All is put back as it was before this text was curated.", "Take back", "/receipts/undo",
        asked.csrf, receipt=kept.id,
    )  # fmt: skip
    return el(
        "article",
        el("h2", kept.about or "A text"),
        dotted(badge("taken back", "poor") if kept.undone else None, minute(kept.at), told,
               el("code", kept.id)),
        el("details", el("summary", f"What was decided: {len(kept.items):,}"),
           el("ul", facts, class_="decided")) if facts else None,
        None if kept.undone else el("div", back, class_="actions"),
        class_="card",
    )  # fmt: skip


def undo(asked: Asked) -> To:
    asked.call("undo", receipt=asked.get("receipt"))
    return To(url("/receipts", done="undone"))
