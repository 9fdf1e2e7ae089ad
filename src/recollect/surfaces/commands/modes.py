"""``recollect modes``: every knob of the read path, its value, what it does, and where the value
comes from."""

from __future__ import annotations

import argparse
from typing import Any

from recollect import config as settings
from recollect.errors import UsageError
from recollect.memory import costs
from recollect.named_tuple import NamedTuple
from recollect.nouns import Policy, attributes, dict_list, without
from recollect.policy import KNOBS, MODES
from recollect.surfaces import terminal
from recollect.surfaces.commands.shared import Options, show
from recollect.surfaces.phrases import when

_UNSET = {"budget": "no cap", "recency": "as asked", "reranker": "configured"}


class Knob(NamedTuple):
    name: str
    value: Any
    origin: str
    """``mode NAME``, ``default``, or where in the configuration."""
    does: str


def declare_modes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("mode", nargs="?", help="one mode; else the one in use")
    parser.add_argument(
        "--reset", action="store_true", help="remove what your config.toml sets of these"
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would be removed")


def modes(options: Options) -> int:
    if options.reset:
        return _reset(options)
    if options.dry_run:
        raise UsageError("--dry-run goes with --reset")
    config = settings.load()
    mode = options.mode or config["mode"]
    if mode not in MODES:
        raise UsageError(f"there is no mode {mode!r}", hint=f"modes: {', '.join(MODES)}")
    knobs = [_knob(name, mode, config) for name in KNOBS]
    content = {
        "mode": mode,
        "origin": _origin(config, "mode") if not options.mode else "call",
        "modes": {name: _shown(preset) for name, preset in MODES.items()},
        "typical_tokens": dict(costs.TYPICAL),
        "knobs": dict_list(knobs),
        "warning": costs.misfit(mode, config["downstream"]) or None,
    }
    show(options, content, lambda style: _table(mode, knobs, config["downstream"], style))
    return 0


def _knob(name: str, mode: str, config: settings.Config) -> Knob:
    setting = f"search.{name}"
    if setting in settings.SETTINGS and config[setting] is not None:
        return Knob(name, config[setting], _origin(config, setting), KNOBS[name])
    value = getattr(MODES[mode], name)
    given = name not in Policy._field_defaults or value != Policy._field_defaults[name]
    return Knob(name, value, f"mode {mode}" if given else "default", KNOBS[name])


def _origin(config: settings.Config, name: str) -> str:
    found = config.values[name]
    return f"{found.origin} {found.where}".strip()


def _shown(policy: Policy) -> dict[str, Any]:
    return attributes(policy, KNOBS)


def _table(mode: str, knobs: list[Knob], downstream: str | None, style: terminal.Style) -> str:
    lines = [f"{style.bold}{mode}{style.off}, about {costs.TYPICAL[mode]:,} tokens an answer", ""]
    for name, value, origin, does in knobs:
        said = _UNSET.get(name, "") if value is None else value
        key = when(f"search.{name}" in settings.SETTINGS, f"search.{name}")
        lines.append(f"{name:18} {said!s:>10}   {style.dim}{origin:24} {key}{style.off}".rstrip())
        lines.append(f"  {does}")
    others = ", ".join(_other(one) for one in costs.mode_costs() if one.mode != mode)
    warning = costs.misfit(mode, downstream)
    advice = when(warning, f"{style.warn}{warning}{style.off}") or costs.DIRECTION
    return "\n".join([*lines, "", f"others: {others}", advice])


def _other(one: costs.ModeCost) -> str:
    cap = "no cap" if one.cap is None else f"at most {one.cap:,}"
    return f"{one.mode} (about {one.typical:,} tokens, {cap}, in up to {one.limit} results)"


def _reset(options: Options) -> int:
    path = settings.user_file()
    known = settings.read_file(path)
    ours = {"mode", *(f"search.{name}" for name in KNOBS)}
    gone = sorted(ours & known.keys())
    if gone and not options.dry_run:
        settings.write_file(path, without(known, gone))
    verb = "would remove" if options.dry_run else "removed"
    show(
        options,
        {"removed": [] if options.dry_run else gone, "would_remove": gone, "file": str(path)},
        lambda _: f"{verb} {', '.join(gone)} in {path}" if gone else f"{path} sets none of them",
    )
    return 0
