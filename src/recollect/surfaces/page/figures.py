"""Stats, settings and status: what was done, what holds, and what is the matter."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recollect import __version__
from recollect.config import SETTINGS
from recollect.surfaces.config_commands import plain
from recollect.surfaces.page.layout import (
    Asked,
    View,
    about,
    badge,
    command,
    counted,
    empty,
    heading,
    notes,
    table,
)
from recollect.surfaces.page.markup import Html, drawing, el, joined, url
from recollect.surfaces.usage_picture import picture
from recollect.surfaces.usage_text import STATUSES, duration, short

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recollect.memory import Status
    from recollect.telemetry import Figures

SPANS = ((7, "A week"), (30, "30 days"), (90, "90 days"), (365, "A year"))


def stats(asked: Asked) -> View:
    given = asked.get("days") or "30"
    days = int(given) if given.isascii() and given.isdigit() else 30
    usage = asked.memory.stats(days)
    links = [
        el("a", name, href=url("/stats", days=count),
           aria_current="page" if count == days else None)
        for count, name in SPANS
    ]  # fmt: skip
    total = usage.total
    shown = [el("figure", drawing(picture(usage)), class_="picture"), _figures(total)]
    private = "Searches are counted on this machine only, without a word of them."
    nothing = empty("No search was counted in this time.", private)
    off = "Searches are not counted now: `recollect config set telemetry true` changes that."
    body = joined(
        heading("Stats", el("nav", links, class_="tabs", aria_label="How far back")),
        notes("warn", [off] if not usage.recording else []),
        notes("warn", [f"Some are not counted yet: {usage.problem}"] if usage.problem else []),
        shown if total.calls else nothing,
    )
    return View("Stats", body, at="/stats")


def _figures(total: Figures) -> Html:
    cache = "never asked" if total.hit_rate is None else f"{total.hit_rate:.0%}"
    rows = [
        ("Searches", f"{total.calls:,}"),
        *((f"… {STATUSES.get(name, name)}", f"{count:,}")
          for name, count in total.under("status").items()),
        ("Answered from the cache", cache),
        ("Half take up to", duration(total.percentile(0.5))),
        ("95% take up to", duration(total.percentile(0.95))),
        ("Tokens returned", short(total.used)),
        ("Tokens saved (estimated)", short(total.saved)),
        ("Degraded", f"{total.counts['degraded']:,}"),
    ]  # fmt: skip
    shown = table(("Figure", "Value"), rows, class_="numbers", aria_label="In numbers")
    return el("section", el("h2", "In numbers"), shown)


# ------------------------------------------------------------------ settings


def settings(asked: Asked) -> View:
    config = asked.memory.config
    rows = []
    for name, spec in SETTINGS.items():
        found = config.values[name]
        kind = "" if found.origin == "default" else "good"
        rows.append((
            el("code", name), el("code", plain(found.value)),
            joined(badge(found.origin, kind), found.where and el("small", f" {found.where}")),
            spec.help,
        ))  # fmt: skip
    body = joined(
        heading("Settings"),
        el("p", "Set them with ", command("recollect config set NAME VALUE"),
           "; what runs already keeps what it began with. A flag wins over the environment, that "
           "over the project's file, that over yours.", class_="lead"),
        notes("warn", config.ignored),
        table(("Setting", "Value", "From", "What it does"), rows, class_="settings",
              aria_label="Settings"),
    )  # fmt: skip
    return View("Settings", body, at="/settings")


# ------------------------------------------------------------------ status


class Check(NamedTuple):
    good: bool
    about: str
    said: str
    todo: str = ""


def status(asked: Asked) -> View:
    found = asked.memory.status()
    store = found.store
    checks = [
        el("li", badge("ok" if one.good else "look", "good" if one.good else "fair"),
           el("b", one.about), el("span", one.said), one.todo and command(one.todo))
        for one in _checks(asked, found)
    ]  # fmt: skip
    sources = [(one.name, one.kind, one.documents, one.uri) for one in store.sources]
    body = joined(
        heading("Status"),
        el("ul", checks, class_="checks"),
        about(
            ("Store", el("code", store.location)),
            ("Engine", store.engine),
            ("Size", _size(store.bytes)),
            ("Documents", f"{store.documents:,}"),
            ("Passages", f"{store.passages:,}"),
            ("Kinds", counted(store.kinds)),
            ("Forgotten for good", f"{store.tombstones:,}" if store.tombstones else ""),
            ("Embedder", el("code", found.model)),
            ("Version", __version__),
        ),
        el("section", el("h2", "Sources"),
           table(("Name", "Kind", "Documents", "Where"), sources, aria_label="Sources")
           if sources else empty("Nothing was added yet.", command("recollect add ~/notes"))),
    )  # fmt: skip
    return View("Status", body, at="/status")


def _checks(asked: Asked, found: Status) -> Iterator[Check]:
    """What can be seen from here; each with what to do where something is the matter."""
    yield Check(True, "Store", f"answers, {found.store.seq:,} changes")
    behind = found.store.indexes.get("text", {}).get("behind")
    if behind is None:
        yield Check(found.store.engine != "embedded", "Text index",
                    "the next search builds it" if found.store.engine == "embedded" else "none",
                    )  # fmt: skip
    else:
        said = (
            f"{behind:,} passages behind; searches see them all the same"
            if behind
            else "up to date"
        )
        yield Check(True, "Text index", said)
    ready = found.model_state == "ready"
    yield Check(ready, "Embedder", "ready" if ready else found.model_state,
                "" if ready else "recollect models list")  # fmt: skip
    if ready:
        share = 1 - found.pending / found.store.passages if found.store.passages else 1.0
        said = f"{share:.0%} of the passages have one" + (
            f"; {found.pending:,} are pending" if found.pending else ""
        )
        yield Check(not found.pending, "Vectors", said, "recollect add" if found.pending else "")
    yield _reranker(asked)
    ignored = len(asked.memory.config.ignored)
    if ignored:
        yield Check(False, "Settings", f"{ignored} are ignored", "recollect config list")


def _reranker(asked: Asked) -> Check:
    from recollect.memory import model_states

    name = asked.memory.config["rerank.model"]
    if name == "none":
        return Check(True, "Reranker", "switched off")
    here = any(one.here for one in model_states(asked.memory.config) if one.name == name)
    return Check(here, "Reranker", f"{name}, ready" if here else f"{name} is not on this machine",
                 "" if here else f"recollect models fetch {name}")  # fmt: skip


def _size(count: int) -> str:
    number = float(count)
    for unit in ("B", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"
