"""Stats and settings: what was done, and what holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from recollect import config as user_config
from recollect import telemetry
from recollect.config import SETTINGS
from recollect.errors import UsageError
from recollect.markup import Html, el, joined, url
from recollect.surfaces.commands.config import plain, unset_settings, write_setting
from recollect.surfaces.commands.usage_picture import period, pictures
from recollect.surfaces.commands.usage_text import STATUSES, duration, searches, short
from recollect.surfaces.page import activity, charts
from recollect.surfaces.page.layout import (
    PageContent,
    PageRequest,
    Redirect,
    badge,
    choice,
    command,
    current,
    done,
    empty,
    form,
    heading,
    message,
    notes,
    table,
    text_field,
)
from recollect.surfaces.phrases import only, some, when

if TYPE_CHECKING:
    from recollect.nouns import StoreStats

SPANS = ((7, "A week"), (30, "30 days"), (90, "90 days"), (365, "A year"))


def stats(request: PageRequest) -> PageContent:
    days = request.number("days", 30)
    usage = request.memory.admin.stats(days)
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
        activity.calendar(request),
        _holdings(request.memory.store.stats()),
    )
    return PageContent("Stats", body, at="/stats")


def _drawn(usage: telemetry.Usage) -> Html:
    drawn = [el("figure", one, class_="card") for one in pictures(usage)]
    return el(
        "section",
        el("h2", f"{searches(usage.total.calls)}, {period(usage)}"),
        el("div", drawn, class_="picture", role="group", aria_label="Drawn, day by day"),
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


BARS = 12
"""Kinds and sources that are drawn, those that hold the most."""


def _holdings(held: StoreStats) -> Html | None:
    """Returns how much there is of each kind, and from each source, as bars."""
    sources = {one.name: one.documents for one in held.sources}
    drawn = [
        _bars("By kind", {f"{kind}s": count for kind, count in held.kinds.items()}),
        _bars("By source", sources),
    ]
    return only(
        held.documents,
        el("section", el("h2", "What is kept"), el("div", drawn, class_="explanation")),
    )


def _bars(title: str, counts: Mapping[str, int]) -> Html:
    most = sorted(counts.items(), key=lambda one: -one[1])
    highest = max(counts.values(), default=1)
    lines = [(name, charts.bar(count / highest), f"{count:,}") for name, count in most[:BARS]]
    left = len(most) - BARS
    more = el("p", f"and {left:,} more", class_="fine")
    return el("section", el("h2", title), charts.rows(lines), only(left > 0, more), class_="card")


# ------------------------------------------------------------------ settings

WALLS = ("search.owner", "search.scopes")
"""Settings that say what may be seen: whoever is behind them does not move them."""
GROUPS = {"": "General", "llm": "Language model", "embed": "Embeddings", "import": "Imports"}
"""What a group of settings is called, where that is not its own name."""


def settings(request: PageRequest) -> PageContent:
    config = request.memory.config
    body = joined(
        heading("Settings"),
        done(request),
        el(
            "p",
            "What is changed here is written to your own file, and holds from the next start on. "
            "A flag wins over the environment, that over the project's file, that over yours. What "
            "is not changed here is set with ",
            command("recollect config set NAME VALUE"),
            ".",
            class_="lead",
        ),
        notes("warn", config.ignored),
        [_group(request, group) for group in dict.fromkeys(map(_group_of, SETTINGS))],
    )
    return PageContent("Settings", body, at="/settings")


def _group_of(name: str) -> str:
    return name.rpartition(".")[0]


def _group(request: PageRequest, group: str) -> Html:
    title = GROUPS.get(group, group.capitalize())
    written = user_config.read_file(user_config.user_file())
    names = (name for name in SETTINGS if _group_of(name) == group)
    rows = [_setting(request, name, written) for name in names]
    heads = ("Setting", "Value", "From", "What it does")
    return el(
        "section",
        el("h2", title),
        table(heads, rows, class_="settings", aria_label=f"Settings: {title}"),
    )


def _setting(request: PageRequest, name: str, written: Mapping[str, Any]) -> tuple[Any, ...]:
    found = request.memory.config.values[name]
    origin = badge(found.origin, when(found.origin != "default", "good"))
    later = plain(written[name]) if name in written else ""
    waits = el("p", "from the next start: ", el("code", later), class_="fine")
    return (
        el("code", name),
        joined(
            el("code", plain(found.value)),
            when(later and later != plain(found.value), waits),
            only(_may_change(request, name), _change(request, name, later)),
        ),
        joined(origin, when(found.where, el("small", f" {found.where}"))),
        message(SETTINGS[name].help),
    )


def _may_change(request: PageRequest, name: str) -> bool:
    """Whether a setting can be changed here: it says neither where things are, nor what leaves
    this machine, nor what may be seen. Whoever is behind a wall changes none: others have them
    too."""
    free = request.local and not request.memory.core.view.walled
    return free and SETTINGS[name].reach == "plain" and name not in WALLS


def _change(request: PageRequest, name: str, written: str) -> Html:
    """Returns the form that changes a setting, and the one that takes it back."""
    wanted = _wanted(name)
    choices = wanted.removeprefix("one of ").split(", ") if wanted.startswith("one of ") else []
    choices = ["true", "false"] if wanted == "true or false" else choices
    value = written or plain(request.memory.config[name])
    field = (
        choice(wanted, f"set-{name}", value, [(one, one) for one in choices])
        if choices
        else text_field(wanted, f"set-{name}", written)
    )
    # The field has the name of its setting, so that no two of the page are the same.
    return el(
        "details",
        el("summary", "Change", el("span", f" {name}", class_="unseen")),
        form("/settings/change", request.csrf, field, el("button", "Save"), key=name),
        when(
            written,
            form("/settings/change", request.csrf, el("button", "Back to the default"), key=name),
        ),
        class_="changing",
    )


def _wanted(name: str) -> str:
    """Returns what a setting takes, as its parser says it to whoever gives something else."""
    try:
        SETTINGS[name].parse(None)
    except (ValueError, TypeError) as error:
        return str(error)
    return "a text"


def change(request: PageRequest) -> Redirect:
    name = request.get("key")
    user_config.setting(name)
    if not _may_change(request, name):
        raise UsageError(
            f"{name} is not changed here", hint=f"run `recollect config set {name} VALUE`"
        )
    value = request.get(f"set-{name}")
    if value:
        write_setting(name, value)
    else:
        unset_settings(name)
    return Redirect(url("/settings", done="set" if value else "unset"))
