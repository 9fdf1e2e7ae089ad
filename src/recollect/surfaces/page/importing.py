"""The imports view: begin one, see how far it is, stop it, and bring up to date what was imported
before."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from recollect import memory as facade
from recollect.markup import Html, el, joined, url
from recollect.surfaces.http.imports import UNDER_WAY
from recollect.surfaces.page.layout import (
    PageContent,
    PageRequest,
    Redirect,
    badge,
    command,
    done,
    empty,
    form,
    heading,
    minute,
    notes,
    table,
    text_field,
)
from recollect.surfaces.phrases import counts, only, some, when

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from recollect.memory import Logs, Status
    from recollect.nouns import SourceStats
    from recollect.surfaces.http.imports import Import

SHOWN = 20
"""Problems of one import that are listed."""
STATES = {
    "waiting": ("Waiting", ""),
    "running": ("Importing", "fair"),
    "done": ("Done", "good"),
    "stopped": ("Stopped", "poor"),
    "failed": ("Failed", "bad"),
}


def imports(request: PageRequest) -> PageContent:
    found: Sequence[Import] = request.call("imports")
    status = request.memory.status()
    changing = any(one.under_way for one in found) or bool(found and status.pending)
    listed = [el("li", _import(request, one)) for one in found]
    live = el(
        "section",
        when(found, el("h2", "Of this session")),
        when(found, el("ul", listed, class_="list")),
        only(found, _vectors(status)),
        id="live",
        data_live=only(changing, "1000"),
    )
    body = joined(
        heading("Imports"),
        done(request),
        _asking(request) if request.local else _elsewhere(),
        live,
        _logs(request) if request.local else None,
        _sources(request, status.store.sources),
    )
    return PageContent("Imports", body, at="/imports", again=2 if changing else 0)


def _asking(request: PageRequest) -> Html:
    return form(
        "/imports/begin",
        request.csrf,
        el(
            "div",
            text_field(
                "File or folder on this machine",
                "path",
                request.get("path"),
                placeholder="~/notes",
                required=True,
                data_search=True,
            ),
            text_field(
                "Name of the source", "source", request.get("source"), placeholder="else its path"
            ),
            el("button", "Import", class_="main"),
            class_="importing",
        ),
        el(
            "p",
            "Notes, repositories, exports and session logs, each read as what it is. Secrets "
            "are taken out; what has not changed since the last time is not read again.",
            class_="fine",
        ),
    )


def _elsewhere() -> Html:
    return empty(
        "This server can be reached from other machines, and reads no files.",
        joined("Import on its own machine: ", command("recollect add ~/notes")),
    )


# ------------------------------------------------------------------ one import


def _import(request: PageRequest, one: Import) -> Html:
    said, kind = STATES[one.state]
    stop = form("/imports/stop", request.csrf, el("button", "Stop", id=f"stop-{one.id}"), id=one.id)
    return el(
        "article",
        el("header", el("h3", one.path), only(one.under_way, stop)),
        el(
            "p",
            badge(said, kind),
            el("span", _counts(one), class_="counts"),
            minute(one.asked),
            one.source,
            class_="meta",
        ),
        when(one.state == "running", el("progress", aria_label=f"Importing {one.path}")),
        notes("warn", some(one.error)),
        _problems(one.receipt) if one.receipt else None,
        class_="card import",
        id=f"import-{one.id}",
    )


def _counts(one: Import) -> str:
    if one.receipt is None:
        took = (one.ended or datetime.now(UTC)) - one.asked
        return f"{one.stored:,} stored, {took.total_seconds():.0f} s"
    done = one.receipt
    named = {
        "new": done["added"],
        "changed": done["changed"],
        "as before": done["unchanged"],
        "forgotten earlier": done["tombstoned"],
        "secrets taken out": sum(done["redacted"].values()),
        **done["left_out"],
        "left out": len(done["skipped"]),
        "failed": len(done["failed"]),
    }
    return counts(named) or "nothing to import"


def _problems(done: Mapping[str, Any]) -> Html:
    """Returns the problems of an import, failures first."""
    groups = (
        ("Could not be read", "failed"),
        ("Not wholly as meant", "warnings"),
        ("No longer in its source", "missing"),
        ("Left out", "skipped"),
    )
    made = [_group(name, done[some]) for name, some in groups if done[some]]
    return joined(made)


def _group(name: str, some: Sequence[Mapping[str, str]]) -> Html:
    lines = [el("li", el("code", one["where"]), " ", one["reason"]) for one in some[:SHOWN]]
    more = len(some) - SHOWN
    return el(
        "details",
        el("summary", f"{name}: {len(some):,}"),
        el("ul", lines, when(more > 0, el("li", f"and {more:,} more")), class_="notes plain"),
    )


def _vectors(status: Status) -> Html | None:
    """How many passages can be found by their meaning already."""
    if not status.pending or status.model_state != "ready":
        return None
    whole = status.store.passages
    return el(
        "p",
        el(
            "label",
            f"{status.pending:,} of {whole:,} passages wait for their vectors; they are "
            "found by their words meanwhile.",
            for_="vectors",
        ),
        el("progress", id="vectors", value=whole - status.pending, max=whole),
        class_="vectors",
    )


# ------------------------------------------------------------------ what could be imported


def _logs(request: PageRequest) -> Html | None:
    """The session logs of agents on this machine."""
    rows = [
        (
            one.label,
            f"{one.files:,}",
            f"{one.megabytes:,.1f} MB",
            el("code", str(one.place)),
            _button(request, "Import", str(one.place), one.format, one.label),
        )
        for one in _found()
    ]
    if not rows:
        return None
    heads = ("Agent", "Files", "Size", "Where", el("span", "Import", class_="unseen"))
    return el(
        "section",
        el("h2", "Conversations on this machine"),
        table(heads, rows, class_="offers", aria_label="Conversations on this machine"),
    )


def _found() -> list[Logs]:
    try:
        return list(facade.found_logs())
    except OSError:  # a log that went while it was looked at
        return []


_KINDS = {"caller": "put by a program", "facts": "remembered", "tree": "pages", "jsonl": "JSONL"}
"""Kinds of sources, in words."""


def _sources(request: PageRequest, known: Sequence[SourceStats]) -> Html:
    rows = [
        (
            one.name,
            _KINDS.get(one.kind, one.kind),
            one.documents,
            when(one.uri, joined(_joined(places or [_local(one.uri)]))),
            [_button(request, "Update", place, "", one.name) for place in places if request.local],
        )
        for one in known
        for places in [list(_places(one))]
    ]
    heads = ("Source", "Kind", "Documents", "Where", el("span", "Update", class_="unseen"))
    listed = table(heads, rows, class_="offers", aria_label="Sources")
    return el("section", el("h2", "Sources"), listed if rows else empty("Nothing was added yet."))


def _joined(places: Sequence[str]) -> Iterator[Html]:
    yield el("code", places[0])
    yield from (joined(el("br"), el("code", place)) for place in places[1:])


def _places(source: SourceStats) -> Iterator[str]:
    """Where its files are, if they may be read again as they were the first time."""
    for place in source.places:
        if place.redact is None and place.history and place.uri.startswith("file:"):
            yield _local(place.uri)


def _local(uri: str) -> str:
    return unquote(urlsplit(uri).path) if uri.startswith("file:") else uri


def _button(request: PageRequest, said: str, path: str, source: str, name: str) -> Html:
    what = el("span", f" {name}", class_="unseen")
    return form("/imports/begin", request.csrf, el("button", said, what), path=path, source=source)


# ------------------------------------------------------------------ changes


def begin(request: PageRequest) -> Redirect:
    request.call("import", path=request.get("path"), source=request.get("source"))
    return Redirect(url("/imports"))


def stop(request: PageRequest) -> Redirect:
    one = request.call("stop_import", id=request.get("id"))
    return Redirect(url("/imports", done=when(one.state in UNDER_WAY, "stopping")))
