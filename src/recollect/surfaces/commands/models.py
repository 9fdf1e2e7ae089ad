"""``recollect models``: see, download, check, choose and measure them."""

from __future__ import annotations

import argparse
from pathlib import Path

from recollect import config as settings
from recollect import memory as facade
from recollect.errors import UsageError
from recollect.memory import model_bench
from recollect.nouns import dict_list, json_list
from recollect.surfaces import terminal
from recollect.surfaces.commands.config import set_setting, write_setting
from recollect.surfaces.commands.shared import Options, open_memory, open_whole, progress, say, show
from recollect.surfaces.phrases import listing, plural, some, when


def declare_models(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        choices=tuple(_RUN),
        help="see them; download one; read every byte of one; search with one from now on; the "
        "same, and embed everything with it now; delete vectors that no longer serve; find out "
        "what the scores of those in use mean; measure them on your own store",
    )
    parser.add_argument("name", nargs="?", help="a model, a folder, or URL#MODEL (the one in use)")
    parser.add_argument(
        "--threads", type=int, metavar="N", help="threads that compute vectors (chosen by default)"
    )
    parser.add_argument(
        "--sample", type=int, metavar="N", help="questions for bench (200) and calibrate (100)"
    )


def models(options: Options) -> int:
    return _RUN[options.action](options)


def _models_use(options: Options) -> int:
    if not options.name:
        raise UsageError("use which model?", hint="`recollect models list` shows them")
    options.key, options.value = facade.usable_model(settings.load(), options.name)
    return set_setting(options)


def _models_fetch(options: Options) -> int:
    config = settings.load()
    name = _named(options, config)
    place = facade.fetch_model(config, name, lambda line: say(options, line))
    return _models_verified(options, name, place)


def _models_verify(options: Options) -> int:
    config = settings.load()
    name = _named(options, config)
    return _models_verified(options, name, facade.verify_model(config, name))


def _named(options: Options, config: settings.Config) -> str:
    """The model that is named, else the one in use."""
    return facade.named_on_the_spot(options.name or "") or str(config["embed.model"])


def _models_verified(options: Options, name: str, place: Path) -> int:
    content = {"model": name, "path": str(place), "verified": True}
    show(options, content, lambda _: f"{name} is at {place}, and every byte is as it should be")
    return 0


def _models_switch(options: Options) -> int:
    """The setting is written before the first vector is made: whoever is cut off goes on with the
    same command, or with anything else that embeds."""

    name = options.name or settings.load()["embed.model"]
    key, value = facade.usable_model(settings.load(), name)
    if key == "embed.model" and settings.load()[key] != value:
        write_setting(key, value)
    with open_whole(options) as memory:
        origin = memory.config.origin(key)
        if key == "embed.model" and memory.config[key] != value:
            say(options, f"warning: embed.model is set by the {origin}, which counts for more")
        with progress(options) as bar:
            done = memory.models.switch(name, bar, threads=options.threads)

    def text(style: terminal.Style) -> str:
        lines = [f"{done.model} serves: {done.vectors:,} vectors, {done.embedded:,} of them new"]
        lines += [
            f"{style.dim}{count:,} of {other} are no longer needed: `recollect models prune` "
            f"deletes them{style.off}"
            for other, count in done.older.items()
        ]
        lines += some(when(done.note, f"the grade does not count its scores: {done.note}"))
        return "\n".join(lines)

    show(options, done.as_json(), text)
    return 0


def _models_calibrate(options: Options) -> int:
    with open_memory(options) as memory, progress(options) as bar:
        found = memory.models.calibrate(count=options.sample or 100, report=bar)
    said = [
        f"{one.model}: {one.slope:.3g} · score {one.offset:+.3g}, from {one.questions} questions "
        f"of your own store (agreement {one.agreement:.2f}); the grade counts it from now on"
        for one in found
    ]
    text = listing(said, "nothing to do: the grade knows the models in use")
    show(options, {"calibrated": json_list(found)}, lambda _: text)
    return 0


def _models_prune(options: Options) -> int:
    with open_whole(options) as memory:
        gone = memory.models.prune()
    said = [f"deleted {plural(count, 'vector')} of {key}" for key, count in gone.items()]
    show(options, {"deleted": dict(gone)}, lambda _: listing(said, "there is nothing to delete"))
    return 0


def _models_bench(options: Options) -> int:
    with open_memory(options) as memory, progress(options) as bar:
        scores = memory.models.bench(*some(options.name), sample=options.sample or 200, report=bar)
    best = model_bench.recommended(scores)
    content = {"scores": json_list(scores), "recommended": best}

    def text(style: terminal.Style) -> str:
        head = f"{'':24} {'MRR':>6} {'hit@1':>6} {'hit@10':>7} {'passages/s':>11} {'query ms':>9}"
        lines = [head]
        for s in scores:
            speed = f"{s.passages_a_second:11.1f} {s.query_ms:9.2f}" if s.query_ms else ""
            lines.append(
                f"{s.name[-24:]:24} {s.mrr:6.3f} {s.hit_at_1:6.3f} {s.hit_at_10:7.3f} {speed}"
            )
        said = f"{scores[0].questions} questions from your own store; recommended: {best}"
        return "\n".join([*lines, f"{style.dim}{said}{style.off}"])

    show(options, content, text)
    return 0


def _job(state: facade.ModelState) -> str:
    names = {"rerank": "reranker", "llm": "language model"}
    return names.get(state.job, f"{state.dimensions} dimensions")


def _models_list(options: Options) -> int:
    config = settings.load()
    states = facade.model_states(config)
    content = {"in_use": config["embed.model"], "models": dict_list(states)}

    def text(_: terminal.Style) -> str:
        lines = [
            f"{'*' if s.used else ' '} {s.name:20} {_job(s):14} {s.licence:12} "
            f"{'here' if s.here else f'not fetched, {s.megabytes} MB'}"
            f"{when(s.used and not s.calibrated, ', uncalibrated')}"
            for s in states
        ]
        known = any(s.used and s.job == "embed" for s in states)
        lines += some(
            when(not known, f"* {config['embed.model']}"),
            when(config["rerank.model"] == "none", "no reranker is in use"),
        )
        return "\n".join(lines)

    show(options, content, text)
    return 0


_RUN = {
    "list": _models_list,
    "fetch": _models_fetch,
    "verify": _models_verify,
    "use": _models_use,
    "switch": _models_switch,
    "prune": _models_prune,
    "calibrate": _models_calibrate,
    "bench": _models_bench,
}
