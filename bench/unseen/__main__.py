"""``python -m bench.unseen``: what a reader gets on domains that nothing was fitted on.

    python -m bench.unseen                 the sets that may be fitted, each domain left out once;
                                           then those that were written by hand
    python -m bench.unseen --as-shipped    without the refits: what ships beside the plain ones
    python -m bench.unseen --fit FOLDER    fit on all that may be fitted: grade.json, spans.json
    python -m bench.unseen --own           the latter alone
    python -m bench.unseen --sets friends covid --most 50
    python -m bench.unseen --asked-before --sets friends    a set before and after it was asked
    python -m bench.unseen --all           every question over every document: hours
    python -m bench.unseen --read-only     the read-only sets, once a decision has been made: the
                                           figures are appended to bench/unseen/read-only.jsonl
    python -m bench.unseen --kept NAME     paraphrase or requests, which nobody looks at, likewise

Exit code 1: the default is below plain fusion by more than noise on a left-out domain, or something
fell after it was asked before. Stores, vectors and answers are kept in .cache/bench/unseen; an
interrupted run goes on.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from bench import corpus
from bench.peers.table import Marks, write
from bench.unseen import (
    aside,
    asking,
    echo,
    grepping,
    of_folders,
    own,
    report,
    sets,
    transcripts,
)
from bench.unseen.asking import Job
from bench.unseen.engines import ENGINES, Row
from bench.unseen.fitting import Fold, fitted
from recollect.errors import RecollectError

LOG = Path(__file__).with_name("read-only.jsonl")
UNSEEN = Marks("<!-- unseen -->", "<!-- end of unseen -->")
OWN = Marks("<!-- own -->", "<!-- end of own -->")
BESIDE = Marks("<!-- beside -->", "<!-- end of beside -->")


def main(arguments: Sequence[str]) -> int:
    given = _parser().parse_args(arguments)
    if corpus.data_folder() is None:
        sys.exit("this bench needs the data folder (RECOLLECT_DATA)")
    if given.own:
        return hand_written(given.write)
    if given.asked_before:
        told, fine = echo.asked_before(_fitting(given.sets or echo.NAMES))
        print(told)
        return not fine
    if given.kept:
        name = f"{given.kept}-kept"
        told = {"paraphrase": own.paraphrase, "requests": own.requests}[given.kept](name)
        print(f"## {name}\n\n{told}")
        _log({"what": name, "table": told})
        return 0
    asking.PROCESSES = given.processes
    wanted = (one.name for one in sets.SETS.values() if one.fits is not given.read_only)
    names = _sound(given.sets or list(wanted))
    most, documents = (None, None) if given.all else (given.most, sets.MOST_DOCUMENTS)
    jobs = [Job(name, most=most, documents=documents) for name in names]
    if given.read_only:
        return read_only(jobs)
    if given.fit:
        fold = fitted([*asking.wide(jobs), *of_folders.wide(given.processes)])
        made = {"grade": {**fold.data(), "sets": fold.fitted_on}, "spans": fold.spans}
        given.fit.mkdir(parents=True, exist_ok=True)
        for name, data in made.items():
            file = given.fit / f"{name}.json"
            file.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        return 0
    if given.as_shipped:
        return as_shipped(jobs, given.write)
    harm = left_out(jobs, given.write)
    return harm if given.sets else harm | hand_written(given.write)


def _parser() -> argparse.ArgumentParser:
    ask = argparse.ArgumentParser(prog="python -m bench.unseen")
    ask.add_argument("--sets", nargs="+", choices=list(sets.SETS), help="these sets alone")
    ask.add_argument("--most", type=int, default=sets.MOST, help="questions of a set")
    ask.add_argument("--processes", type=int, default=2, help="sets that are asked at once")
    ask.add_argument("--all", action="store_true", help="all questions over all documents")
    ask.add_argument("--as-shipped", action="store_true", help="leave no domain out")
    ask.add_argument("--fit", type=Path, help="fit on all that may be fitted, into this folder")
    ask.add_argument("--own", action="store_true", help="the sets that were written by hand")
    ask.add_argument("--asked-before", action="store_true", help="ask the sets again after that")
    ask.add_argument("--read-only", action="store_true", help="read them, and log the figures")
    ask.add_argument(
        "--write", type=Path, metavar="PAGE", help="put the tables into docs/quality.md"
    )
    ask.add_argument("--kept", choices=("paraphrase", "requests"), help="read that set, and log it")
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


def _fitting(names: Sequence[str]) -> Sequence[str]:
    """These sets, unless one of them is read-only."""
    if wrong := [name for name in names if not sets.SETS[name].fits]:
        sys.exit(f"read-only, and read by --read-only alone: {', '.join(wrong)}")
    return names


def left_out(jobs: Sequence[Job], page: Path | None = None) -> int:
    """Every domain read with what was fitted on the others, beside the plain ones."""
    _fitting([job.name for job in jobs])
    every = list(asking.rows(jobs))
    known = [*asking.wide(jobs), *of_folders.wide(asking.PROCESSES)]
    folds = {domain: fitted(known, domain) for domain in {row.domain for row in known}}
    every += asking.rows([job._replace(fold=folds[sets.SETS[job.name].domain]) for job in jobs])
    engines = ("default", "refit", *(name for name in ENGINES if name != "default"))
    tables = _tables(every, engines)
    print(tables)
    print("### What was fitted, without each domain\n")
    print(own.table(("without", "weights of a sentence", "of the answer's grade"), _told(folds)))
    print("### The gate, without each domain\n")
    print(report.gate(known, folds))
    print("### A question of another domain\n")
    print(apart := report.foreign(asking.foreign(jobs)))
    tables += f"\n### A question of another domain\n\n{apart}"
    print("### Past conversations and facts\n")
    print(beside := f"{aside.conversations(known, folds)}\n{aside.facts()}")
    if page:
        write(page, tables, UNSEEN)
        write(page, beside, BESIDE)
    return _judged(every, ("default", "refit"))


def as_shipped(jobs: Sequence[Job], page: Path | None = None) -> int:
    """What ships, fitted on the fit halves of these sets, beside the plain ones."""
    _fitting([job.name for job in jobs])
    every = list(asking.rows(jobs))
    apart = report.foreign(asking.foreign(jobs))
    tables = f"{_tables(every, list(ENGINES))}\n### A question of another domain\n\n{apart}"
    print(tables)
    if page:
        write(page, tables, UNSEEN)
    return _judged(every, ("default",))


def _told(folds: dict[str, Fold]) -> list[tuple[str, str, str]]:
    def rounded(values: Any) -> str:
        return ", ".join(f"{name} {value:.3g}" for name, value in values.items())

    return [
        (
            domain,
            rounded(fold.spans["sentences"]["weights"]),
            rounded(fold.graders.get("cosine", {}).get("together", {})),
        )
        for domain, fold in sorted(folds.items())
    ]


def read_only(jobs: Sequence[Job]) -> int:
    """As shipped, beside the plain ones; what was read is logged."""
    every = list(asking.rows(jobs))
    print(_tables(every, list(ENGINES)))
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


def _tables(rows: Sequence[Row], engines: Sequence[str]) -> str:
    ours = [engine for engine in engines if engine in ("default", "refit")]
    parts = {
        f"What a reader gets: {' / '.join(engines)}": report.quality(rows, engines),
        "Over the domains": report.overall(rows, engines),
        "Against plain fusion, by domain": report.harm(report.differences(rows, ours)),
        "How sure": report.confidence(rows, ours),
    }
    return "\n".join(f"### {title}\n\n{told}" for title, told in parts.items())


def _judged(rows: Sequence[Row], engines: Sequence[str]) -> int:
    harms = [one for one in report.differences(rows, engines) if one.harms]
    for one in harms:
        print(f"harm: {one.engine} on {one.domain}, {report.WORDS[one.measure]}: {one}")
    print("do no harm: " + ("failed" if harms else "passed"))
    return bool(harms)


def hand_written(page: Path | None = None) -> int:
    parts: dict[str, Callable[[], str]] = {
        "Paraphrase": partial(own.paraphrase, "paraphrase-open"),
        "Requests": partial(own.requests, "requests-open"),
        "Facts by content": own.facts_by_content,
        "Changed values": own.changed_values,
        "Near misses": own.near_misses,
        "Tokens against grep": grepping.against_grep,
        "Agent sessions": transcripts.agent_sessions,
    }
    told = ""
    for title, ask in parts.items():
        told += (part := f"### {title}\n\n{ask()}\n")
        print(part, flush=True)
    asked, fine = echo.asked_before()
    told += (part := f"### Asked before\n\n{asked}")
    print(part)
    if page:
        write(page, told, OWN)
    print("nothing falls: " + ("passed" if fine else "failed"))
    return not fine


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
