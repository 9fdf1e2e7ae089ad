"""``recollect init``: the first command. It imports what it found and the user agrees to, writes
the chosen mode to the user's config.toml, and ends with questions that the store answers.

At a terminal it asks. Who does not answer within half a minute gets the recommended mode, and
nothing is imported. For a program it prints what the modes cost and what could be imported;
``--json`` changes nothing without ``--yes``.
"""

from __future__ import annotations

import argparse
import os
import select
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from recollect import config as settings
from recollect import memory as facade
from recollect import nouns
from recollect.memory import costs
from recollect.named_tuple import NamedTuple
from recollect.nouns import dict_list
from recollect.policy import MODES
from recollect.surfaces import render, terminal
from recollect.surfaces.commands import importing, llm, suggestions
from recollect.surfaces.commands.config import plain
from recollect.surfaces.commands.shared import (
    Options,
    absolute_store,
    open_memory,
    progress,
    say,
    show,
)
from recollect.surfaces.commands.usage import revert
from recollect.surfaces.phrases import byte_size, plural, some

RELAY = (
    "Nothing was changed: the choice is the user's. A program should show this to its user,\n"
    "then run what they choose: `recollect init --yes`, with `--mode MODE` and `--add PATH`"
)
_SECONDS_PER_MB = 300
"""Processor time for the vectors of a megabyte of notes, on one ARM core."""


def declare_init(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--yes", action="store_true", help="do what the options say, and ask nothing"
    )
    parser.add_argument("--mode", help=f"choose the mode: {', '.join(MODES)}")
    parser.add_argument(
        "--downstream",
        metavar="MODEL",
        help="the model that will read the answers: a name, small, medium, large or none",
    )
    parser.add_argument(
        "--add",
        nargs="+",
        default=[],
        metavar="PATH",
        help="import these paths; `sessions`: the agents' sessions on this machine",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=30.0,
        metavar="SECONDS",
        help="seconds to wait for each answer (30)",
    )


class SetupOffer(NamedTuple):
    """The recommendation and the sources found: what the user can choose from."""

    advised: facade.Advised
    downstream: str | None
    store: str
    logs: tuple[facade.Logs, ...]
    notes: facade.Logs | None
    servers: tuple[facade.LlmServer, ...] = ()
    """Of language models, where none is configured."""


class SetupPlan(NamedTuple):
    """The user's choice: settings to write, and places to import."""

    chosen: Mapping[str, Any]
    add: tuple[str, ...]


class SettingChange(NamedTuple):
    setting: str
    value: Any
    was: Any
    revert: str


class Imported(NamedTuple):
    """What the imports did, and questions that the store answers now."""

    receipt: nouns.Receipt
    questions: tuple[suggestions.Suggestion, ...]


def init(options: Options) -> int:
    given = _given(options)
    config = settings.load()
    offer = offer_of(config, given.get("downstream"))
    plan = _planned(options, SetupPlan(given, tuple(options.add)), offer)
    changed = _write(plan.chosen)
    done = _import(options, plan, offer)
    content = {
        "recommended": offer.advised._asdict(),
        "costs": _costs_json(offer.downstream),
        "store": offer.store,
        "sources": list(map(_source_json, _sources(offer))),
        "llm_servers": [one.as_json() for one in offer.servers],
        "changed": dict_list(changed),
        "overridden": list(_overridden(plan.chosen, config)),
        "warning": _misfit(SetupPlan({**given, **plan.chosen}, ()), config) or None,
        "added": done.receipt.as_json() if done else None,
        "questions": dict_list(done.questions) if done else [],
        "note": None if plan.chosen or plan.add else RELAY,
    }

    def text(style: terminal.Style) -> str:
        lines = [] if _person(options) else [*_shown(offer, style), ""]
        told = _told(plan, changed, done, config, style)
        return "\n".join([*lines, *told, *_writers(offer)])

    show(options, content, text)
    return int(bool(done and done.receipt.failed))


def _planned(options: Options, plan: SetupPlan, offer: SetupOffer) -> SetupPlan:
    """The plan with what is recommended or asked for; an empty one for a program that only looks
    (``--json`` without ``--yes``)."""
    if options.yes:
        return plan._replace(chosen=_with_mode(plan.chosen, offer.advised))
    if options.json:
        return SetupPlan({}, ())
    return _asked(options, plan, offer) if _person(options) else plan


def _given(options: Options) -> dict[str, Any]:
    """The settings that the call itself names, checked."""
    given = {"mode": options.mode, "downstream": options.downstream, "store": options.store}
    made = {n: settings.parsed(n, v, f"--{n}") for n, v in given.items() if v is not None}
    if "store" in made:
        made["store"] = absolute_store(str(made["store"]))
    return made


def _person(options: Options) -> bool:
    return not (options.json or options.yes) and sys.stdin.isatty() and sys.stderr.isatty()


def offer_of(config: settings.Config, downstream: str | None) -> SetupOffer:
    model = downstream or config["downstream"]
    store = str(config["store"] or settings.data_folder() / "store")
    return SetupOffer(
        costs.advised(model),
        model,
        store,
        tuple(facade.found_logs()),
        next(filter(None, map(facade.found_notes, facade.note_folders())), None),
        tuple(facade.found_llm_servers()) if config["llm.model"] == "none" else (),
    )


def _with_mode(given: Mapping[str, Any], advised: facade.Advised) -> dict[str, Any]:
    """Adds the recommended mode where neither the call nor the user has chosen one."""
    return {"mode": _own_mode() or advised.mode, **given}


def _own_mode() -> str | None:
    """Returns the mode in the user's config.toml, whatever overrides it here."""
    own = settings.read_file(settings.user_file()).get("mode")
    return None if own is None else str(own)


# ------------------------------------------------------------------ asking


class Questionnaire:
    """Questions on stderr, answers from stdin. Whoever does not answer one is gone, and is not
    asked the others."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._gone = False

    def __call__(self, question: str, default: str, read: Callable[[str], str]) -> str:
        """Returns *read* of the answer; *read* raises ``ValueError`` for one that it does not
        accept. No answer, and an empty one, is the default."""
        while True:
            sys.stderr.write(f"{question} [{default}] ")
            sys.stderr.flush()
            line = self._line()
            if line is None:
                sys.stderr.write("\n  no answer\n")
                return default
            if not line.strip():
                return default
            try:
                return read(line.strip())
            except ValueError as error:
                sys.stderr.write(f"  {error}\n")

    @property
    def gone(self) -> bool:
        return self._gone

    def _line(self) -> str | None:
        if not self._gone:
            ready, _, _ = select.select([sys.stdin], [], [], self._seconds)
            line = sys.stdin.readline() if ready else ""
            self._gone = not line
        return None if self._gone else line

    def agrees(self, question: str) -> bool:
        """Enter says yes; nobody says no."""
        return self(question, "yes", _yes_or_no) == "yes" and not self._gone


def _yes_or_no(said: str) -> str:
    return _beginning(said, {"yes": "yes", "no": "no"}, "yes or no")


def _a_mode(said: str) -> str:
    """By its name, the beginning of that, or its place in the list."""
    numbers = map(str, range(1, len(MODES) + 1))
    names = {name: name for name in MODES}
    return _beginning(
        said, names | dict(zip(numbers, MODES, strict=True)), f"one of {', '.join(MODES)}"
    )


def _beginning(said: str, answers: Mapping[str, str], hint: str) -> str:
    """Returns the first answer whose name begins with what was said."""
    meant = [answer for name, answer in answers.items() if name.startswith(said.lower())]
    if not meant:
        raise ValueError(hint)
    return meant[0]


def _asked(options: Options, plan: SetupPlan, offer: SetupOffer) -> SetupPlan:
    """The plan, with a person's answers to what the call has left open."""

    ask, chosen, add = Questionnaire(options.timeout), dict(plan.chosen), list(plan.add)
    for line in (f"Everything is kept on this machine, in {offer.store}.", *_found(offer), ""):
        say(options, line)
    if not add:
        if offer.logs and ask.agrees(f"Import your past sessions with {_clients(offer)}?"):
            add.append("sessions")
        folder = str(offer.notes.place) if offer.notes else "none"
        notes = ask("Which folder are your notes in? Type a path, or none.", folder, _folder)
        add += [notes] * (notes != "none" and not ask.gone)
    if "mode" not in chosen:
        for line in _lengths():
            say(options, line)
        own = _own_mode() or offer.advised.mode
        chosen["mode"] = ask("How long may an answer be? Type 1, 2 or 3.", own, _a_mode)
    return SetupPlan(chosen, tuple(add))


def _folder(said: str) -> str:
    """A folder or a file that is there, or ``none``."""
    path = Path(said).expanduser()
    if said.lower() != "none" and not path.exists():
        raise ValueError(f"there is no file or folder {path}: type another path, or none")
    return "none" if said.lower() == "none" else str(path.absolute())


def _lengths() -> Iterator[str]:
    for number, mode in enumerate(costs.mode_costs(), 1):
        most = "no limit" if mode.cap is None else f"at most {mode.cap:,}"
        yield f"  {number} {mode.mode:13} about {mode.typical:,} tokens, {most}"


def _clients(offer: SetupOffer) -> str:
    return ", ".join(dict.fromkeys(one.label for one in offer.logs))


# ------------------------------------------------------------------ doing


def _write(chosen: Mapping[str, Any]) -> list[SettingChange]:
    """Set what is not set so already, all at once."""
    path = settings.user_file()
    before = settings.read_file(path)
    changed = [
        SettingChange(name, value, before.get(name), revert(name, before))
        for name, value in chosen.items()
        if before.get(name) != value
    ]
    if changed:
        settings.write_file(path, {**before, **{one.setting: one.value for one in changed}})
    return changed


def _import(options: Options, plan: SetupPlan, offer: SetupOffer) -> Imported | None:
    if not plan.add:
        return None
    options.store = plan.chosen.get("store")
    done = nouns.Receipt()
    with open_memory(options) as memory:
        with progress(options) as bar:
            for path in plan.add:
                for place, source in _places(path, offer):
                    done += memory.add(place, source=source, embed=False, report=bar)
        done = _embedded(options, memory, done)
        return Imported(done, tuple(suggestions.suggested(memory)))


def _embedded(options: Options, memory: facade.Memory, done: nouns.Receipt) -> nouns.Receipt:
    """The receipt, with the vectors that were made. To interrupt this loses nothing: words find
    everything already, and the next import goes on."""
    if not done.pending:
        return done
    say(options, importing.searchable(done.pending))
    try:
        with progress(options) as bar:
            return done._replace(embedded=memory.models.embed(report=bar), pending=0)
    except KeyboardInterrupt:
        return done._replace(pending=memory.status().pending)


def _places(path: str, offer: SetupOffer) -> Iterator[tuple[str | Path, str | None]]:
    if path == "sessions" and not os.path.lexists(path):
        yield from ((one.place, one.format) for one in offer.logs)
    else:
        yield path, None


def _overridden(chosen: Mapping[str, Any], config: settings.Config) -> Iterator[str]:
    for name in chosen:
        _, origin, where = config.values[name]
        if origin in ("environment", "project"):
            yield f"{name} has no effect here: {origin} {where} decides it"


def _misfit(plan: SetupPlan, config: settings.Config) -> str:
    """Says that the mode is too large for the model, whether chosen now or set before."""
    mode, model = (plan.chosen.get(name, config[name]) for name in ("mode", "downstream"))
    return costs.misfit(mode, model)


# ------------------------------------------------------------------ showing


def _prices(downstream: str | None) -> dict[str, float]:
    """A price for each class of models, and for the one that is named."""

    prices: dict[str, float] = {size: price for size, (_, price) in costs.class_prices().items()}
    own = costs.price_of(downstream or "")
    return prices if own is None or downstream is None else {**prices, downstream: own}


def _costs_json(downstream: str | None) -> dict[str, Any]:
    prices = _prices(downstream)
    return {
        "queries": costs.QUERIES,
        "prices_checked": costs.CHECKED,
        "dollars_per_million_input_tokens": prices,
        "price_of_class": {size: model for size, (model, _) in costs.class_prices().items()},
        "modes": [mode.as_json(prices) for mode in costs.mode_costs()],
    }


def _shown(offer: SetupOffer, style: terminal.Style) -> Iterator[str]:
    yield from _cost_table(offer.downstream, style)
    yield ""
    yield f"recommended: {style.bold}{offer.advised.mode}{style.off}"
    yield f"  {offer.advised.why}"
    yield f"  {costs.DIRECTION}"
    yield f"store: {offer.store}"
    yield from _found(offer)


def _found(offer: SetupOffer) -> Iterator[str]:
    if not any(_sources(offer)):
        return
    yield "Found on this machine, with the time that an import takes:"
    for one in _sources(offer):
        files = f"{plural(one.files, 'file')}, {byte_size(round(one.megabytes * 1e6))}"
        takes = terminal.span(one.megabytes * _SECONDS_PER_MB / (os.cpu_count() or 1))
        yield f"  {one.label:16} {files:22} about {takes:8} {one.place}"


def _cost_table(downstream: str | None, style: terminal.Style) -> Iterator[str]:
    prices = _prices(downstream)
    wide = {name: max(15, len(name) + 2) for name in prices}
    yield (
        f"{style.bold}What {costs.QUERIES:,} answers cost their reader{style.off}, typically "
        "(at most)"
    )
    heads = "".join(f"{name:>{wide[name]}}" for name in prices)
    yield f"{style.dim}{'':13}{'results':>7}{'tokens':>15}{heads}{style.off}"
    rates = "".join(f"{f'${price:.2f}/M':>{wide[name]}}" for name, price in prices.items())
    yield f"{style.dim}{'':35}{rates}{style.off}"
    for mode in costs.mode_costs():
        typical, most = mode.tokens(), mode.most()
        tokens = f"{_millions(typical)} ({_millions(most)})"
        money = "".join(
            f"{f'{_money(typical, price)} ({_money(most, price)})':>{wide[name]}}"
            for name, price in prices.items()
        )
        yield f"{mode.mode:13}{f'≤ {mode.limit}':>7}{tokens:>15}{money}"
    models = ", ".join(model for model, _ in costs.class_prices().values())
    yield f"{style.dim}Input prices of {models},"
    yield f"looked up on {costs.CHECKED}: check them before you rely on them."
    yield f"Typical is measured, on public data; at most is the mode's budget.{style.off}"


def _millions(tokens: int | None) -> str:
    return "no cap" if tokens is None else f"{tokens / 1_000_000:,.0f} M"


def _money(tokens: int | None, price: float) -> str:
    if tokens is None:
        return "–"
    cost = costs.dollars(tokens, price)
    return f"${cost:,.2f}" if cost < 10 else f"${cost:,.0f}"


def _sources(offer: SetupOffer) -> list[facade.Logs]:
    return [*offer.logs, *([offer.notes] if offer.notes else [])]


def _source_json(one: facade.Logs) -> dict[str, Any]:
    return {**one._asdict(), "place": str(one.place), "megabytes": round(one.megabytes, 3)}


def _told(
    plan: SetupPlan,
    changed: list[SettingChange],
    done: Imported | None,
    config: settings.Config,
    style: terminal.Style,
) -> Iterator[str]:
    """Yields the lines about what was done, and what comes next."""
    for one in changed:
        yield (
            f"{style.bold}{one.setting} = {plain(one.value)}{style.off} in {settings.user_file()} "
            f"(undo: {one.revert})"
        )
    yield from _overridden(plan.chosen, config)
    yield from some(_misfit(plan, config))
    if done:
        yield render.receipt(done.receipt, style)
        yield from render.problems(done.receipt, style)
        yield from _next(done, style)
    elif plan.chosen:
        yield from some("" if changed else "nothing to change: these settings are already set")
        yield 'next: recollect add ~/notes; recollect search "…"'
    else:
        yield RELAY


def _writers(offer: SetupOffer) -> Iterator[str]:
    """Yields the language models that could write answers here, which nothing needs."""
    if offer.servers:
        yield ""
        yield "Nothing needs a language model; `recollect think` can use one."
        yield from llm.server_lines(offer.servers)


def _next(done: Imported, style: terminal.Style) -> Iterator[str]:
    """Yields questions that the store answers, and the command that connects an agent."""
    if done.questions:
        yield ""
        yield "Try these. Each was asked just now, and finds what stands below it:"
    for one in done.questions:
        yield f"  recollect search {shlex.quote(one.question)}"
        yield f"    {style.dim}finds {one.finds}{style.off}"
    yield ""
    yield "Next, connect an agent: `recollect install` lists the agents on this machine."
