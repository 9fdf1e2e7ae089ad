"""The questions of the sets, asked of each engine; what was asked is kept and not asked again.

Two processes, a set each: the reranker takes nearly all of the time, and its answers are kept
(:mod:`bench.unseen.stores`), so that an interrupted run goes on where it was.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from bench.unseen import sets, stores
from bench.unseen.engines import ENGINES, Row, measured
from recollect.evals import provenance

KEPT = stores.WORK / "rows"
_NO_SAY = ("surfaces", "evals", "testing", "samples")
"""Packages that have no say in an answer."""


class Job(NamedTuple):
    """A set, what is asked of it, and how much of it is stored."""

    name: str
    engines: tuple[str, ...]
    most: int | None = sets.MOST
    documents: int | None = sets.MOST_DOCUMENTS
    half: str = ""


def rows(jobs: Sequence[Job], processes: int = 2) -> Iterator[Row]:
    with ProcessPoolExecutor(processes) as pool:
        for found in pool.map(asked, jobs):
            yield from found


def asked(job: Job) -> list[Row]:
    """What each engine gives for each question of the set."""
    group = sets.stored(job.name, job.most, job.documents)
    questions = sets.asked(job.name, job.most, job.half)
    place = stores.place_of(group)
    files = {engine: _file(place, engine) for engine in job.engines}
    known = {engine: dict(_known(file)) for engine, file in files.items()}
    missing = {q.id for q in questions for engine in job.engines if q.id not in known[engine]}
    if missing:
        with stores.opened(group) as open_:
            for question in (q for q in questions if q.id in missing):
                for engine in job.engines:
                    if question.id in known[engine]:
                        continue
                    answer = open_.named(ENGINES[engine](open_.memory, question))
                    row = measured(job.name, engine, question, answer)
                    known[engine][question.id] = row
                    _keep(files[engine], row)
    sys.stderr.write(f"{job.name}: {len(questions)} questions\n")
    return [known[engine][q.id] for engine in job.engines for q in questions]


def _file(place: Path, engine: str) -> Path:
    """The default is asked anew after a change of code; the plain ones have hardly any."""
    code = provenance.code(*_NO_SAY) if engine == "default" else "plain"
    return KEPT / f"{place.name}-{engine}-{code}.jsonl"


def _known(file: Path) -> Iterable[tuple[str, Row]]:
    if not file.exists():
        return
    for line in file.read_text(encoding="utf-8").splitlines():
        row = _row(json.loads(line))
        yield row.id, row


def _row(content: dict[str, Any]) -> Row:
    graded = tuple((p, right) for p, right in content.pop("graded"))
    return Row(**content, graded=graded)


def _keep(file: Path, row: Row) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "a", encoding="utf-8") as out:
        out.write(json.dumps(row._asdict()) + "\n")
