"""``python -m bench.unseen``: what a reader gets on domains that nothing was fitted on.

    python -m bench.unseen                 the sets that may be fitted, each domain left out in turn
    python -m bench.unseen --own           the sets that were written by hand
    python -m bench.unseen --sets friends covid --most 50
    python -m bench.unseen --all           every question over every document: hours
    python -m bench.unseen --read-only     the read-only sets, once a decision has been made: the
                                           figures are appended to bench/unseen/read-only.jsonl
    python -m bench.unseen --kept          the paraphrases that nobody looks at, likewise

Exit code 1: the default is below plain fusion by more than noise on a left-out domain, or something
fell after it was asked before. Stores, vectors and answers are kept in .cache/bench/unseen; an
interrupted run goes on.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench import corpus
from bench.unseen import asking, echo, grepping, own, report, sets, transcripts
from bench.unseen.asking import Job
from bench.unseen.engines import ENGINES, Row
from bench.unseen.fitting import Fold, fitted
from recollect.errors import RecollectError

LOG = Path(__file__).with_name("read-only.jsonl")


def main(arguments: Sequence[str]) -> int:
    given = _parser().parse_args(arguments)
    if corpus.data_folder() is None:
        sys.exit("this bench needs the data folder (RECOLLECT_DATA)")
    if given.own:
        return hand_written()
    if given.kept:
        print("## paraphrase-kept\n\n" + own.paraphrase("paraphrase-kept"))
        _log({"what": "paraphrase-kept", "table": own.paraphrase("paraphrase-kept")})
        return 0
    names = given.sets or [
        one.name for one in sets.SETS.values() if one.fits is not given.read_only
    ]
    names = _sound(names)
    most, documents = (None, None) if given.all else (given.most, sets.MOST_DOCUMENTS)
    jobs = [Job(name, most=most, documents=documents) for name in names]
    if given.read_only:
        return read_only(jobs)
    return left_out(jobs)


def _parser() -> argparse.ArgumentParser:
    ask = argparse.ArgumentParser(prog="python -m bench.unseen")
    ask.add_argument("--sets", nargs="+", choices=list(sets.SETS), help="these sets alone")
    ask.add_argument("--most", type=int, default=sets.MOST, help="questions of a set")
    ask.add_argument("--processes", type=int, default=2, help="sets that are asked at once")
    ask.add_argument("--all", action="store_true", help="all questions over all documents")
    ask.add_argument("--own", action="store_true", help="the sets that were written by hand")
    ask.add_argument("--read-only", action="store_true", help="read them, and log the figures")
    ask.add_argument("--kept", action="store_true", help="read paraphrase-kept, and log it")
    return ask


def _sound(names: Sequence[str]) -> list[str]:
    """The sets that are there and whole; the others are named, and fail the run."""
    fine, wrong = [], []
    for name in names:
        try:
            sets.loaded(name)
            fine.append(name)
        except RecollectError as error:
            wrong.append(f"{name}: {error.message}")
    if wrong:
        sys.exit("these sets cannot be read:\n" + "\n".join(wrong))
    return fine


def left_out(jobs: Sequence[Job]) -> int:
    """Every domain read with what was fitted on the others, beside the plain ones."""
    if wrong := [job.name for job in jobs if not sets.SETS[job.name].fits]:
        sys.exit(f"read-only, and read by --read-only alone: {', '.join(wrong)}")
    every = list(asking.rows(jobs))
    known = asking.wide(jobs)
    folds = {domain: fitted(known, domain) for domain in {row.domain for row in known}}
    every += asking.rows([job._replace(fold=folds[sets.SETS[job.name].domain]) for job in jobs])
    engines = ("default", "refit", *(name for name in ENGINES if name != "default"))
    _print_tables(every, engines)
    print("## What was fitted, without each domain\n")
    print(own.table(("without", "policy", "weights of the set's grade"), _told(folds)))
    return _judged(every, ("default", "refit"))


def _told(folds: dict[str, Fold]) -> list[tuple[str, str, str]]:
    def rounded(values: Any) -> str:
        return ", ".join(f"{name} {value:.3g}" for name, value in values.items())

    return [
        (
            domain,
            rounded(fold.policy),
            rounded(fold.graders.get("odds+cosine", {}).get("together", {})),
        )
        for domain, fold in sorted(folds.items())
    ]


def read_only(jobs: Sequence[Job]) -> int:
    """As shipped, beside the plain ones; what was read is logged."""
    every = list(asking.rows(jobs))
    _print_tables(every, list(ENGINES))
    figures = {
        name: {
            engine: {
                measure: round(own.mean(row.get(measure) for row in report.of(some, engine)), 4)
                for measure in (*report.JUDGED, "tokens")
            }
            for engine in ENGINES
        }
        for name, some in report.by_set(every).items()
    }
    _log({"what": "read-only sets", "questions": len(every) // len(ENGINES), "figures": figures})
    return _judged(every, ("default",))


def _log(content: dict[str, Any]) -> None:
    """Append what was read, with the day and the commit, to a file that is tracked."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    line = {"at": f"{datetime.now(UTC):%Y-%m-%d}", "commit": commit, **content}
    with open(LOG, "a", encoding="utf-8") as out:
        out.write(json.dumps(line, ensure_ascii=False) + "\n")
    print(f"appended to {LOG.name}")


def _print_tables(rows: Sequence[Row], engines: Sequence[str]) -> None:
    print(f"## What a reader gets: {' / '.join(engines)}\n")
    print(report.quality(rows, engines))
    print("## Over the domains\n")
    print(report.overall(rows, engines))
    ours = [engine for engine in engines if engine in ("default", "refit")]
    print("## Against plain fusion, by domain (paired bootstrap, 95 %; ** is harm)\n")
    print(report.harm(report.differences(rows, ours)))
    print("## How sure\n")
    print(report.confidence(rows, ours))


def _judged(rows: Sequence[Row], engines: Sequence[str]) -> int:
    harms = [one for one in report.differences(rows, engines) if one.harms]
    for one in harms:
        print(f"harm: {one.engine} on {one.domain}, {report.WORDS[one.measure]}: {one}")
    print("do no harm: " + ("failed" if harms else "passed"))
    return bool(harms)


def hand_written() -> int:
    print("## Paraphrase\n\n" + own.paraphrase("paraphrase-open"), flush=True)
    print("## Changed values\n\n" + own.changed_values(), flush=True)
    print("## Near misses\n\n" + own.near_misses(), flush=True)
    print("## Tokens against grep\n\n" + grepping.against_grep(), flush=True)
    print("## Agent sessions\n\n" + transcripts.agent_sessions(), flush=True)
    told, fine = echo.asked_before()
    print("## Asked before\n\n" + told)
    print("nothing falls: " + ("passed" if fine else "failed"))
    return not fine


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
