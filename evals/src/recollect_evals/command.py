"""``recollect eval``: ask suites, compare runs, refuse a regression, say what has changed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from recollect import config as settings
from recollect import doctor
from recollect.errors import UsageError
from recollect.surfaces import tool_text
from recollect.surfaces.commands.shared import (
    Options,
    common_options,
    open_memory,
    print_json,
    progress,
    say,
    show,
)
from recollect_evals import comparing, glossary, ledger, page, planning, provenance, running

SUITES = (
    "beir",
    "longmemeval",
    "locomo",
    "beam",
    "jsonl",
    "folder",
    "sample",
    "abstention",
    "supersession",
    "precisionmembench",
    "precisionmembench-rest",
    "replay",
)
_WHOLE = ("precisionmembench", "precisionmembench-rest", "sample", "replay")
"""Suites that are asked whole unless told otherwise."""


def declare_eval(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    common = common_options()
    common.add_argument("--results", metavar="FOLDER", help="where runs are (.recollect-evals)")
    _declare_run(actions.add_parser("run", help="ask the questions of suites", parents=[common]))
    compare = actions.add_parser("compare", help="two runs, question by question", parents=[common])
    compare.add_argument("run_a", metavar="RUN", help="the name of a run, or `latest`")
    compare.add_argument("run_b", metavar="RUN", help="the one that it is compared with")
    compare.add_argument("--html", type=Path, metavar="FILE", help="write a page with plots there")
    gate = actions.add_parser("gate", help="fail if a run is worse, beyond noise", parents=[common])
    gate.add_argument("run_a", metavar="RUN", help="the name of a run, or `latest`")
    gate.add_argument("--baseline", required=True, metavar="RUN", help="what it is held against")
    gate.add_argument(
        "--measure", action="append", default=[], metavar="NAME", help="only this one"
    )
    drift = actions.add_parser(
        "drift", help="which files that decide answers changed since a run", parents=[common]
    )
    drift.add_argument("run_a", nargs="?", default="latest", metavar="RUN", help="(latest)")
    actions.add_parser("list", help="the runs that are kept", parents=[common])
    capture = actions.add_parser(
        "capture", help="keep what is asked, to ask it again", parents=[common]
    )
    capture.add_argument("what", choices=("on", "off", "show", "clear"))


def _declare_run(run: argparse.ArgumentParser) -> None:
    run.add_argument("suite", choices=SUITES, metavar="SUITE", help=", ".join(SUITES))
    run.add_argument("path", type=Path, nargs="*", metavar="PATH", help="files or folders it is in")
    run.add_argument(
        "--mode",
        action="append",
        default=[],
        metavar="MODE[,MODE…]",
        help="conservative, balanced, tokenmax; a run for each",
    )
    run.add_argument(
        "--ablate",
        action="append",
        default=[],
        metavar="KNOB=VALUE",
        help="ask with this knob changed (`recollect modes` shows them); may be repeated",
    )
    run.add_argument(
        "--limit-fixed", type=int, metavar="K", help="always K results, whatever their grades"
    )
    run.add_argument("--half", choices=("test", "fit", "all"), help="which questions (test)")
    run.add_argument("--most", type=int, metavar="N", help="at most N of the questions")
    run.add_argument(
        "--questions", type=Path, metavar="FILE", help="for jsonl, folder, sample and abstention"
    )
    run.add_argument(
        "--shuffle-gold",
        action="store_true",
        help="draw the gold at random; fail unless the score is that of chance",
    )
    run.add_argument(
        "--max-dollars", type=float, metavar="D", help="stop when a run has cost so much"
    )
    run.add_argument("--url", help="the engine that precisionmembench-rest drives, if not ours")
    run.add_argument("--keep", action="store_true", help="keep the stores for the next run")


def eval_(options: Options) -> int:
    return {
        "run": _run,
        "compare": _compare,
        "gate": _gate,
        "drift": _drift,
        "list": _list,
        "capture": _capture,
    }[options.action](options)


def _ledger(options: Options) -> ledger.Ledger:
    return ledger.Ledger(Path(getattr(options, "results", None) or ledger.FOLDER))


# ------------------------------------------------------------------ running


def _run(options: Options) -> int:
    records = []
    for path in options.path or (None,):
        for plan in _plans(options):
            with progress(options) as bar:
                found = running.run(options.suite, path, plan, _ledger(options), bar, _confirm())
            records.append(found)
            if not options.json:
                sys.stdout.write(
                    ("\n" if len(records) > 1 else "") + comparing.run_markdown(found) + "\n"
                )
                sys.stdout.flush()
    if options.json:
        bare = [{k: v for k, v in one.items() if k != "glossary"} for one in records]
        names = {name for one in records for name in one["measures"]}
        print_json({"runs": bare, "glossary": glossary.explained(names)})
    above = [
        f"{one['run']} {name}"
        for one in records
        for name, told in one.get("shuffled", {}).items()
        if not told["at_chance"]
    ]
    if above:
        say(options, f"shuffled gold, and better than chance: {', '.join(above)}")
    return 1 if above else 0


def _plans(options: Options) -> list[planning.Plan]:
    """Returns one plan for each mode."""
    plan = planning.Plan(
        changes=planning.ablations(options.ablate, options.limit_fixed),
        half=options.half or ("all" if options.suite in _WHOLE else "test"),
        keep=options.keep,
        most=options.most,
        shuffle=options.shuffle_gold,
        questions=options.questions,
        dollars=options.max_dollars,
        store=options.store,
        url=options.url,
        render=lambda answer: tool_text.answer(answer, {}),
    )
    modes = [mode for some in options.mode for mode in some.split(",") if mode]
    return [plan._replace(mode=mode) for mode in modes or (None,)]


def _confirm() -> Any:
    """Returns what asks the person at the terminal; None where nobody is there."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None

    def ask(what: str) -> bool:
        sys.stderr.write(f"{what}. Go on? [y/N] ")
        sys.stderr.flush()
        return sys.stdin.readline().strip().lower() in ("y", "yes")

    return ask


# ------------------------------------------------------------------ judging


def _compare(options: Options) -> int:
    found = comparing.compared(_ledger(options), options.run_a, options.run_b)
    if options.html:
        try:
            options.html.write_text(page.page(found), encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{options.html}: {error.strerror}") from error
        say(options, f"wrote {options.html}")
    show(options, found.as_json(), lambda _: comparing.markdown(found))
    return 0


def _gate(options: Options) -> int:
    found = comparing.gate(_ledger(options), options.run_a, options.baseline, options.measure)
    show(options, found.as_json(), lambda _: comparing.markdown(found.comparison))
    for name in found.untold:
        say(options, f"note: too few questions to tell of {name}")
    if found.regressions:
        say(options, f"worse beyond noise: {', '.join(found.regressions)}")
    return 1 if found.regressions else 0


def _drift(options: Options) -> int:
    """Returns 0 where nothing has changed, 1 where the figures are of other code."""
    kept = _ledger(options)
    record = kept.record(options.run_a)
    found = provenance.drift(record["run"], record["at"], kept.files(record["run"]))
    show(options, found.as_json(), lambda _: comparing.drift_text(found))
    return 1 if found.any else 0


def _list(options: Options) -> int:
    records = list(_ledger(options).records())
    fields = ("run", "suite", "at", "half", "mode", "changes", "questions", "version", "commit")
    rows = [{name: one.get(name) for name in fields} for one in records]
    show(options, {"runs": rows}, lambda _: comparing.list_markdown(records))
    return 0 if records else 3


# ------------------------------------------------------------------ for the doctor


def evaluated() -> doctor.LastEvaluation | None:
    """Returns the last run that is kept in this folder; None where there is none."""
    if not (ledger.FOLDER / "results.jsonl").exists():
        return None
    last = ledger.Ledger().record("latest")
    return doctor.LastEvaluation(last["run"], last["at"], last["code"] == provenance.code())


# ------------------------------------------------------------------ capturing


def _capture(options: Options) -> int:
    if options.what in ("on", "off"):
        path = settings.user_file()
        known = {**settings.read_file(path), "capture": options.what == "on"}
        settings.write_file(path, known)
    with open_memory(options) as memory:
        gone = memory.admin.forget_captured() if options.what == "clear" else None
        found = memory.admin.captured()
    content = {**found.as_json(), **({} if gone is None else {"forgotten": gone})}

    def text(_: Any) -> str:
        state = "on" if found.on else "off"
        lines = [f"capture is {state}; {found.questions} questions in {found.file}"]
        if gone is not None:
            lines = [f"forgot {gone} questions; capture is {state}"]
        if found.full:
            lines.append("the file is full: `recollect eval capture clear` begins anew")
        if options.what == "on":
            lines.append(
                "what is asked is kept without secrets, for you alone, on this machine; "
                "`recollect eval run replay` asks it again"
            )
        shown = found.last if options.what == "show" else ()
        return "\n".join([*lines, *(f"  {question}" for question in shown)])

    show(options, content, text)
    return 0
