"""The doctor's view: what is looked at, what was found, and what to do about it."""

from __future__ import annotations

from recollect import __version__
from recollect import doctor as checks
from recollect.errors import StoreError
from recollect.markup import Html, el, joined
from recollect.surfaces.commands import doctor as doctor_command
from recollect.surfaces.page.layout import (
    PageContent,
    PageRequest,
    about,
    badge,
    command,
    counted,
    heading,
    item_list,
    message,
)
from recollect.surfaces.phrases import byte_size, when

STATES = {
    "ok": ("ok", "good"),
    "warn": ("look", "fair"),
    "fail": ("fault", "bad"),
    "skip": ("not looked", "plain"),
}


def doctor(request: PageRequest) -> PageContent:
    store = request.memory.config["store"]
    found = checks.examine(
        request.memory, clients=doctor_command.clients(None if store is None else str(store))
    )
    body = joined(
        heading("Doctor", el("p", _verdict(found), role="status")),
        item_list(map(_check, found.checks), class_="checks card"),
        _holdings(request),
    )
    return PageContent("Doctor", body, at="/doctor")


def _holdings(request: PageRequest) -> Html | None:
    """Returns what the store holds; nothing of one that cannot be read, for the checks say why."""
    try:
        status = request.memory.status()
    except StoreError:
        return None
    holds = status.store
    return el(
        "section",
        el("h2", "This store"),
        about(
            ("Where", el("code", holds.location)),
            ("Engine", holds.engine),
            ("Size", byte_size(holds.bytes)),
            ("Documents", f"{holds.documents:,}"),
            ("Passages", f"{holds.passages:,}"),
            ("Kinds", counted(holds.kinds)),
            ("Forgotten for good", when(holds.tombstones, f"{holds.tombstones:,}")),
            ("Embedder", el("code", status.model)),
            ("Version", __version__),
        ),
    )


def _check(one: checks.Check) -> Html:
    said, kind = STATES[one.state]
    details = [joined(" ", el("small", it)) for it in one.details if one.state != "ok"]
    return joined(
        badge(said, kind),
        el("b", one.name.capitalize()),
        el("span", message(one.text), *details),
        one.mend and _mending(one.mend),
    )


def _mending(mend: str) -> Html:
    """A command to copy, or what else is to be done."""
    return command(mend) if mend.startswith("recollect ") else el("span", message(mend))


def _verdict(found: checks.Report) -> str:
    counts = found.counts
    faults, looks = counts["fail"], counts["warn"]
    if not faults + looks:
        return "Nothing is the matter."
    told = [when(faults, f"{faults} at fault"), when(looks, f"{looks} to look at")]
    return f"Of {len(found.checks)} checks: {', '.join(filter(None, told))}."
