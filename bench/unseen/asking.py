"""The questions of the sets, asked of each engine; what was asked is kept and not asked again.

Two processes, a set each: the reranker takes nearly all of the time, and its answers are kept
(:mod:`bench.unseen.stores`), so that an interrupted run goes on where it was.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar
from unittest.mock import patch

from bench.unseen import sets, stores
from bench.unseen.engines import ENGINES, Row, default, measured
from bench.unseen.fitting import Fold, Wide
from recollect.nouns import Answer, stable_id
from recollect.policy import MODES
from recollect.reading import grade
from recollect_evals import provenance
from recollect_evals.questions import Question

PROCESSES = 2
KEPT = stores.WORK / "rows"
_NO_SAY = ("surfaces", "testing", "samples")
"""Packages that have no say in an answer."""
_WIDE: dict[str, Any] = {"cut": False, "escalate": 0.0, "limit": 60, "budget": None}
"""Everything that the read path looks at, with its signals."""
Kept = TypeVar("Kept", Row, Wide)


class Job(NamedTuple):
    """A set, what is asked of it, and how much of it is stored."""

    name: str
    engines: tuple[str, ...] = tuple(ENGINES)
    most: int | None = sets.MOST
    documents: int | None = sets.MOST_DOCUMENTS
    fold: Fold | None = None
    """What the default is read with, in place of what ships: then it is called ``refit``."""


def rows(jobs: Sequence[Job]) -> Iterator[Row]:
    """What the engines give, a set after the other."""
    with ProcessPoolExecutor(PROCESSES) as pool:
        for found in pool.map(asked, jobs):
            yield from found


def wide(jobs: Sequence[Job]) -> list[Wide]:
    """What there is to be fitted on."""
    with ProcessPoolExecutor(PROCESSES) as pool:
        return [row for found in pool.map(looked_at, jobs) for row in found]


def asked(job: Job) -> list[Row]:
    """What each engine gives for each question of the set."""
    engines = ("refit",) if job.fold else job.engines
    found: list[Row] = []
    for engine in engines:
        made = _Asking(job, engine, _row_of)

        def ask(opened: stores.Opened, question: Question, engine: str = engine) -> Row:
            answer = opened.named(_answer(opened, question, engine, job.fold))
            return measured(job.name, engine, question, answer)

        with _in_place(job.fold):
            found += made.rows(ask)
    sys.stderr.write(f"{job.name}: {len(found) // len(engines)} questions, {', '.join(engines)}\n")
    return found


def looked_at(job: Job) -> list[Wide]:
    """What the read path knows of each question before anything is cut."""

    def ask(opened: stores.Opened, question: Question) -> Wide:
        answer = opened.named(default(opened.memory, question, MODES["balanced"]._replace(**_WIDE)))
        return Wide(
            job.name, question.id, question.half, _kind(answer), answer.shape == "open",
            tuple(question.gold), tuple(one.document for one in answer.results),
            tuple(one.signals._asdict() for one in answer.results),
        )  # fmt: skip

    return _Asking(job, "wide", _wide_of).rows(ask)


def _answer(opened: stores.Opened, question: Question, engine: str, fold: Fold | None) -> Answer:
    if fold is None:
        return ENGINES[engine](opened.memory, question)
    return default(opened.memory, question, MODES["balanced"]._replace(**fold.policy))


@contextmanager
def _in_place(fold: Fold | None) -> Iterator[None]:
    """Have the grade read these weights."""
    if fold is None:
        yield
        return
    data = fold.data()
    with patch.object(grade, "_data", lambda: data):
        yield


def _kind(answer: Answer) -> str:
    """The grader that was used, from what the stage says of itself."""
    said = next((stage.reason for stage in answer.stages if stage.name == "grade"), "")
    return said.removeprefix("from ").replace(" and ", "+")


class _Asking(Generic[Kept]):
    """One engine over one set: what is known, and what is missing."""

    def __init__(self, job: Job, engine: str, made: Callable[[dict[str, Any]], Kept]) -> None:
        self._group = sets.stored(job.name, job.most, job.documents)
        self._questions = sets.asked(job.name, job.most)
        plain = engine not in ("default", "wide", "refit")
        code = "plain" if plain else provenance.code(*_NO_SAY)
        fold = stable_id(repr(job.fold)) if job.fold else ""
        place = stores.place_of(self._group)
        self._file = KEPT / f"{place.name}-{engine}{fold}-{code}.jsonl"
        self._known: dict[str, Kept] = {one["id"]: made(one) for one in lines(self._file)}

    def rows(self, ask: Callable[[stores.Opened, Question], Kept]) -> list[Kept]:
        missing = [q for q in self._questions if q.id not in self._known]
        if missing:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with stores.opened(self._group) as opened, open(self._file, "a") as out:
                for question in missing:
                    row: Any = ask(opened, question)
                    out.write(json.dumps(row._asdict()) + "\n")
                    out.flush()
                    self._known[question.id] = row
        return [self._known[question.id] for question in self._questions]


def lines(file: Path) -> Iterable[dict[str, Any]]:
    """The rows of a file; of a line that a kill cut off nothing is left."""
    if file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.endswith("}"):
                yield json.loads(line)


def _row_of(content: dict[str, Any]) -> Row:
    graded = tuple((p, right) for p, right in content.pop("graded"))
    return Row(**content, graded=graded)


def _wide_of(content: Mapping[str, Any]) -> Wide:
    made = Wide(**content)
    return made._replace(gold=tuple(made.gold), documents=tuple(made.documents),
                         signals=tuple(made.signals))  # fmt: skip
