"""``recollect stats`` and ``recollect tune``: what searches did, and what to set for it."""

from __future__ import annotations

import argparse
from pathlib import Path
from shlex import quote
from typing import Any

from recollect import config as settings
from recollect import telemetry
from recollect.errors import InputError, UsageError
from recollect.memory import tuning
from recollect.named_tuple import NamedTuple
from recollect.nouns import dict_list
from recollect.surfaces import terminal
from recollect.surfaces.commands import usage_picture, usage_text
from recollect.surfaces.commands.config import plain
from recollect.surfaces.commands.shared import Options, exit_code, open_memory, show
from recollect.surfaces.phrases import some, when

PICTURE = "recollect-stats.svg"


def _declare_days(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--days", type=int, default=30, metavar="N", help="the last N days, with today (30)"
    )


# ------------------------------------------------------------------ stats


def declare_stats(parser: argparse.ArgumentParser) -> None:
    _declare_days(parser)
    parser.add_argument(
        "--plot",
        nargs="?",
        const=PICTURE,
        metavar="FILE.svg",
        help=f"also draw a picture ({PICTURE} in this folder)",
    )
    parser.add_argument("--clear", action="store_true", help="delete all figures")


def stats(options: Options) -> int:
    if options.clear:
        return _clear(options)
    if options.plot and not options.plot.lower().endswith(".svg"):
        raise UsageError(
            f"{options.plot}: the picture is SVG", hint="give a name that ends in .svg"
        )
    with open_memory(options) as memory:
        found: telemetry.Usage = memory.admin.stats(options.days)
    drawn = _draw(found, Path(options.plot)) if options.plot else None

    def text(style: terminal.Style) -> str:
        return usage_text.table(found, style) + when(drawn, f"\n\ndrawn in {drawn}")

    content = {**found.as_json(), "picture": drawn, "glossary": usage_text.GLOSSARY}
    show(options, content, text)
    return exit_code(found.tallies)


def _draw(found: telemetry.Usage, file: Path) -> str:
    try:
        file.write_text(usage_picture.picture(found), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}", hint="name another file") from error
    return str(file)


def _clear(options: Options) -> int:
    if options.plot:
        raise UsageError("--clear leaves nothing to --plot")
    with open_memory(options) as memory:
        memory.admin.clear_stats()
    show(options, {"cleared": True}, lambda _: "all figures are deleted")
    return 0


# ------------------------------------------------------------------ tune


def declare_tune(parser: argparse.ArgumentParser) -> None:
    _declare_days(parser)
    parser.add_argument(
        "--apply", action="store_true", help="set it in your config.toml; says how to go back"
    )


class Applied(NamedTuple):
    """A setting that was written, and the command that takes it back."""

    setting: str
    value: Any
    revert: str


def tune(options: Options) -> int:
    with open_memory(options) as memory:
        found: tuning.Tuning = memory.admin.tune(options.days)
    applied = _apply(found) if options.apply else []
    content = {**found.as_json(), "applied": dict_list(applied)}
    show(options, content, lambda style: _advice(found, applied, style, done=options.apply))
    return 0


def _apply(found: tuning.Tuning) -> list[Applied]:
    """Write what can be set, all at once. What is overridden would have no effect, and is left."""
    path = settings.user_file()
    before = settings.read_file(path)
    after, applied = dict(before), []
    for one in found.recommendations:
        if not one.setting or one.overridden:
            continue
        if one.value is None:
            after.pop(one.setting, None)
        else:
            after[one.setting] = settings.parsed(one.setting, one.value, "the advice")
        applied.append(Applied(one.setting, one.value, revert(one.setting, before)))
    if applied:
        settings.write_file(path, after)
    return applied


def revert(name: str, before: dict[str, Any]) -> str:
    """The command that makes the user's file say again what it said *before*."""
    if name not in before:
        return f"recollect config unset {name}"
    return f"recollect config set {name} {quote(plain(before[name]))}"


def _advice(
    found: tuning.Tuning, applied: list[Applied], style: terminal.Style, *, done: bool
) -> str:
    seen = f"{usage_text.searches(found.calls)}, {found.first} to {found.last}"
    if not found.enough:
        return f"{seen}: too few to advise anything, which takes {tuning.ENOUGH}"
    if not found.recommendations:
        return f"{seen}: nothing to change"
    lines = [f"from {seen}", ""]
    reverts = {one.setting: one.revert for one in applied}
    for one in found.recommendations:
        lines += [*_one(one, style, reverts.get(one.setting, "")), ""]
    open_ones = [one for one in found.recommendations if one.setting and not one.overridden]
    how = "`recollect tune --apply` sets these in your config.toml"
    return "\n".join([*lines, when(open_ones and not done, how)]).rstrip()


def _one(found: tuning.Recommendation, style: terminal.Style, revert: str) -> list[str]:
    to = "not set" if found.value is None else plain(found.value)
    head = f"{found.setting}: {plain(found.now)} → {to}" if found.setting else found.why
    return some(
        f"{style.bold}{head}{style.off}",
        when(found.setting, f"    {found.why}"),
        f"    {style.dim}{found.evidence}{style.off}",
        when(found.overridden, f"    not applied by --apply: {found.overridden} decides it here"),
        when(revert, f"    done; to go back: {revert}"),
    )
