"""``recollect eval``: ask a suite, compare two runs, and refuse a regression."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.surfaces.shared import Options, common_options, say, show

if TYPE_CHECKING:
    from recollect.evals.ledger import Ledger

_SUITES = ("beir", "jsonl", "longmemeval", "locomo", "precisionmembench")


def declare_eval(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    common = common_options()
    common.add_argument("--results", metavar="FOLDER", help="where runs are (.recollect-evals)")
    run = actions.add_parser("run", help="ask the questions of a suite", parents=[common])
    run.add_argument("suite", choices=_SUITES, metavar="SUITE", help=", ".join(_SUITES))
    run.add_argument("path", type=Path, metavar="PATH", help="the file or folder it is in")
    run.add_argument("--mode", help="conservative, balanced or tokenmax")
    run.add_argument(
        "--ablate", action="append", default=[], metavar="KNOB=VALUE",
        help="ask with this knob changed (`recollect modes` shows them); may be repeated",
    )  # fmt: skip
    run.add_argument(
        "--limit-fixed", type=int, metavar="K", help="always K results, whatever their grades"
    )
    run.add_argument("--half", choices=("test", "fit", "all"), help="which questions (test)")
    run.add_argument("--keep", action="store_true", help="keep the stores for the next run")
    compare = actions.add_parser("compare", help="two runs, question by question", parents=[common])
    compare.add_argument("run_a", metavar="RUN", help="the name of a run, or `latest`")
    compare.add_argument("run_b", metavar="RUN", help="the one that it is compared with")
    gate = actions.add_parser("gate", help="fail if a run is worse, beyond noise", parents=[common])
    gate.add_argument("run_a", metavar="RUN", help="the name of a run, or `latest`")
    gate.add_argument("--baseline", required=True, metavar="RUN", help="what it is held against")
    gate.add_argument(
        "--measure", action="append", default=[], metavar="NAME", help="only this one"
    )  # fmt: skip


def eval_(options: Options) -> int:
    return {"run": _run, "compare": _compare, "gate": _gate}[options.action](options)


def _ledger(options: Options) -> Ledger:
    from recollect.evals.ledger import FOLDER, Ledger

    return Ledger(Path(getattr(options, "results", None) or FOLDER))


def _run(options: Options) -> int:
    from recollect.evals.comparing import run_markdown
    from recollect.evals.running import Plan, ablations, run
    from recollect.surfaces.terminal import ProgressBar

    half = options.half or ("all" if options.suite == "precisionmembench" else "test")
    plan = Plan(options.mode, ablations(options.ablate, options.limit_fixed), half, options.keep)
    with ProgressBar(quiet=options.quiet or options.json) as bar:
        record = run(options.suite, options.path, plan, _ledger(options), bar)
    show(options, record, lambda _: run_markdown(record))
    return 0


def _compare(options: Options) -> int:
    from recollect.evals.comparing import compared, markdown

    found = compared(_ledger(options), options.run_a, options.run_b)
    show(options, found.as_json(), lambda _: markdown(found))
    return 0


def _gate(options: Options) -> int:
    from recollect.evals.comparing import gate, markdown

    found = gate(_ledger(options), options.run_a, options.baseline, options.measure)
    show(options, found.as_json(), lambda _: markdown(found.comparison))
    for name in found.untold:
        say(options, f"note: too few questions to tell of {name}")
    if found.regressions:
        say(options, f"worse beyond noise: {', '.join(found.regressions)}")
    return 1 if found.regressions else 0
