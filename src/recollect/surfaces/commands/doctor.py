"""``recollect doctor``: whether all is well, and the command that mends what is not."""

from __future__ import annotations

import argparse
from textwrap import wrap
from typing import Any

from recollect import arguments
from recollect import config as settings
from recollect import doctor as checks
from recollect.errors import RecollectError
from recollect.surfaces import terminal
from recollect.surfaces.commands import evals
from recollect.surfaces.commands.shared import Options, absolute_store, open_whole, progress, show
from recollect.surfaces.install import changes, launch
from recollect.surfaces.install import clients as mcp_clients
from recollect.surfaces.warm import holders

INDENT = 18


def declare_doctor(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--full", action="store_true", help="read every document and compare every index entry"
    )
    parser.add_argument(
        "--fix",
        action="store_true",
        help="mend what is safe: modes of files, indexes, pending embeddings",
    )


def doctor(options: Options) -> int:
    found = report(options)
    show(options, found.as_json(), lambda style: told(found, style))
    return int(found.state == "fail")


def report(options: Options) -> checks.Report:
    given: dict[str, Any] = {
        "full": options.full,
        "fix": options.fix,
        "clients": clients(options.store),
        "evaluated": evals.evaluated(),
        "holder": holders.told(_location(options)),
    }
    try:
        memory = open_whole(options)
    except RecollectError as error:
        return checks.examine(None, error=error, location=_location(options), **given)
    with memory, progress(options) as bar:
        return checks.examine(memory, tell=bar, **given)


def _location(options: Options) -> str:
    try:
        return arguments.store_of(settings.load({"store": options.store}))
    except RecollectError:
        return ""


def clients(store: str | None) -> tuple[checks.Client, ...]:
    """The agents of this machine, and how each is connected for this user."""

    start = launch.this_program(absolute_store(store))
    return tuple(
        checks.Client(
            one.name, one.is_here(), changes.state(one, "user", start), str(one.file("user") or "")
        )
        for one in mcp_clients.CLIENTS
    )


# ------------------------------------------------------------------ as text


def told(found: checks.Report, style: terminal.Style) -> str:
    lines = [line for check in found.checks for line in _lines(check, style)]
    counts = ", ".join(f"{count} {state}" for state, count in found.counts.items() if count)
    return "\n".join([*lines, "", f"{style.bold}{counts}{style.off}"])


def _lines(check: checks.Check, style: terminal.Style) -> list[str]:
    colour = {"warn": style.warn, "fail": style.mark, "ok": "", "skip": style.dim}[check.state]
    head = f"{colour}{check.state:4}{style.off if colour else ''}  {check.name:11} "
    text = wrap(check.text, terminal.width() - INDENT, break_on_hyphens=False) or [""]
    lines = [head + text[0], *(" " * INDENT + more for more in text[1:])]
    if check.fixed:
        lines.append(f"{' ' * INDENT}mended: {check.fixed}")
    if check.state in ("warn", "fail"):
        lines += [f"{' ' * INDENT}{style.dim}{one}{style.off}" for one in check.details]
        if check.mend:
            lines.append(f"{' ' * INDENT}→ {style.bold}{check.mend}{style.off}")
    return lines
