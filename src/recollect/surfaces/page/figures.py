"""Stats and settings: what was done, and what holds."""

from __future__ import annotations

from recollect import telemetry
from recollect.config import SETTINGS
from recollect.markup import Html, drawing, el, joined, url
from recollect.surfaces.commands.config import plain
from recollect.surfaces.commands.usage_picture import picture
from recollect.surfaces.commands.usage_text import STATUSES, duration, short
from recollect.surfaces.page.layout import (
    PageContent,
    PageRequest,
    badge,
    command,
    current,
    empty,
    heading,
    notes,
    table,
)
from recollect.surfaces.phrases import some, when

SPANS = ((7, "A week"), (30, "30 days"), (90, "90 days"), (365, "A year"))


def stats(request: PageRequest) -> PageContent:
    days = request.number("days", 30)
    usage = request.memory.stats(days)
    links = [
        el(
            "a",
            name,
            href=url("/stats", days=count),
            aria_current=current(count == days),
        )
        for count, name in SPANS
    ]
    total = usage.total
    shown = [_drawn(usage), _figures(total)]
    private = "Searches are counted on this machine only, without a word of them."
    nothing = empty("No search was counted in this time.", private)
    off = "Searches are not counted now: `recollect config set telemetry true` changes that."
    body = joined(
        heading("Stats", el("nav", links, class_="tabs", aria_label="How far back")),
        notes("warn", some(when(not usage.recording, off))),
        notes("warn", some(when(usage.problem, f"Some are not counted yet: {usage.problem}"))),
        shown if total.calls else nothing,
    )
    return PageContent("Stats", body, at="/stats")


def _drawn(usage: telemetry.Usage) -> Html:
    return el(
        "figure",
        drawing(picture(usage)),
        class_="picture",
        tabindex="0",
        role="group",
        aria_label="Drawn, day by day",
    )


def _figures(total: telemetry.Figures) -> Html:
    cache = "never asked" if total.hit_rate is None else f"{total.hit_rate:.0%}"
    rows = [
        ("Searches", f"{total.calls:,}"),
        *(
            (f"… {STATUSES.get(name, name)}", f"{count:,}")
            for name, count in total.under("status").items()
        ),
        ("Answered from the cache", cache),
        ("Half take up to", duration(total.percentile(0.5))),
        ("95% take up to", duration(total.percentile(0.95))),
        ("Tokens returned", short(total.used)),
        ("Tokens saved (estimated)", short(total.saved)),
        ("Degraded", f"{total.counts['degraded']:,}"),
    ]
    shown = table(("Figure", "Value"), rows, class_="numbers", aria_label="In numbers")
    return el("section", el("h2", "In numbers"), shown)


# ------------------------------------------------------------------ settings


def settings(request: PageRequest) -> PageContent:
    config = request.memory.config
    rows = []
    for name, spec in SETTINGS.items():
        found = config.values[name]
        kind = when(found.origin != "default", "good")
        rows.append(
            (
                el("code", name),
                el("code", plain(found.value)),
                joined(
                    badge(found.origin, kind), when(found.where, el("small", f" {found.where}"))
                ),
                spec.help,
            )
        )
    body = joined(
        heading("Settings"),
        el(
            "p",
            "Set them with ",
            command("recollect config set NAME VALUE"),
            "; what runs already keeps what it began with. A flag wins over the environment, that "
            "over the project's file, that over yours.",
            class_="lead",
        ),
        notes("warn", config.ignored),
        table(
            ("Setting", "Value", "From", "What it does"),
            rows,
            class_="settings",
            aria_label="Settings",
        ),
    )
    return PageContent("Settings", body, at="/settings")
