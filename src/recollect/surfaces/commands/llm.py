"""``recollect llm``: which language model is configured, whether it answers, what it has cost."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from recollect.surfaces.commands.shared import Options, open_memory, show
from recollect.surfaces.phrases import plural, some, when

if TYPE_CHECKING:
    from recollect.memory.llm import LlmStatus, LlmTest
    from recollect.surfaces.terminal import Style


def declare_llm(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        choices=("status", "test"),
        default="status",
        help="what is configured and what was spent (status); ask it for one word, which costs as "
        "much (test)",
    )
    parser.add_argument(
        "--days", type=int, default=30, metavar="N", help="what the last N days cost (30)"
    )


def llm(options: Options) -> int:
    with open_memory(options) as memory:
        if options.action == "test":
            tried: LlmTest = memory.models.test_llm()
            show(options, tried.as_json(), lambda _: _tried(tried))
            return 0
        found: LlmStatus = memory.models.llm_status(options.days)
    show(options, found.as_json(), lambda style: _status(found, style))
    return int(bool(found.problem))


def _tried(tried: LlmTest) -> str:
    cost = "at a price that is not known" if tried.dollars is None else f"for ${tried.dollars:.6f}"
    return (
        f"{tried.model} answered {tried.text!r} in {tried.ms / 1000:.1f} s: {tried.input} tokens "
        f"in, {tried.output} out, {cost}"
    )


def _money(dollars: float) -> str:
    """Returns dollars and cents; what is less than a cent as it is."""
    return f"${dollars:g}" if 0 < dollars < 0.01 else f"${dollars:.2f}"


def _status(found: LlmStatus, style: Style) -> str:
    lines = [f"{style.bold}{found.model}{style.off}" + when(found.url, f" at {found.url}")]
    lines += some(
        when(found.model == "none", "no language model is configured; nothing here needs one"),
        when(found.problem, f"{style.warn}{found.problem}{style.off}"),
    )
    if found.key:
        lines.append(f"key from {found.key}")
    elif found.wanted:
        lines.append(f"no key; it would be in {' or '.join(found.wanted)}")
    if found.url and found.price is None:
        lines.append("what it costs is not known (llm.price says it)")
    elif found.price is not None:
        lines.append(f"${found.price.input:g} for a million tokens in, ${found.price.output:g} out")
    limits = {"a day": found.limits.daily, "a command": found.limits.command}
    lines += [f"at most {_money(most)} {name}" for name, most in limits.items() if most is not None]
    lines += ["", f"today ${found.dollars_today:.4f}; since {found.first} ${found.dollars:.4f}"]
    for row in found.spent:
        beside = when(row.unpriced, f", {row.unpriced} of unknown price")
        lines.append(
            f"{style.dim}{row.day}{style.off} {row.model}: {plural(row.calls, 'call')}, "
            f"{row.input:,} tokens in ({row.cached:,} cached), {row.output:,} out, "
            f"${row.nanos / 1e9:.4f}{beside}"
        )
    return "\n".join(lines)
