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
from functools import partial
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar
from unittest.mock import patch

from bench.unseen import sets, stores, twins
from bench.unseen.engines import ENGINES, Row, default, measured
from bench.unseen.fitting import KINDS, Fold, Part, Wide
from recollect.errors import QueryError
from recollect.nouns import Answer, stable_id
from recollect.reading import fitted, grade, spans
from recollect.reading.pool import Pool
from recollect.reading.question import understand
from recollect.reading.retrieval import first_pass, ranked
from recollect.reading.stated import Stated
from recollect_evals import provenance
from recollect_evals.questions import Question, half_of

PROCESSES = 2
KEPT = stores.WORK / "rows"
_NO_SAY = ("surfaces", "testing", "samples")
"""Packages that have no say in an answer."""
_ARMS = {"cosine": "hybrid", "words": "keyword"}
"""How a question is asked for each kind of evidence."""
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


def foreign(jobs: Sequence[Job]) -> list[Row]:
    """What the default gives for questions of another domain, of which nothing is stored."""
    with ProcessPoolExecutor(PROCESSES) as pool:
        return [row for found in pool.map(_foreign, jobs) for row in found]


def _foreign(job: Job) -> list[Row]:
    def ask(opened: stores.Opened, question: Question) -> Row:
        answer = opened.named(default(opened.memory, question))
        return measured(job.name, "default", question, answer)

    return _Asking(job, "default-foreign", _row_of, sets.foreign(job.name)).rows(ask)


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
    """What the read path knows of each question before anything is cut: by words and by meaning, by
    words alone; of questions of another domain; and of twins that nothing answers."""
    asked = [
        *((f"wide-{kind}", kind, sets.asked(job.name, job.most)) for kind in KINDS),
        *((f"foreign-{kind}", kind, sets.foreign(job.name)) for kind in KINDS),
        ("twins", "cosine", twins.twins(job.name, job.most)),
    ]
    return [
        row
        for name, kind, questions in asked
        for row in _Asking(job, name, _wide_of, questions).rows(partial(_looked, job.name, kind))
    ]


def _looked(set: str, kind: str, opened: stores.Opened, question: Question) -> Wide:
    first, _, rest = question.id.partition("/")
    other = first if rest and first in sets.SETS else ""
    half = half_of(question.id.partition(twins.MARK)[0])
    blank = Wide(set, question.id, half, kind, (), (), (), (), other)
    embedder = opened.memory.core.embedder
    if kind == "cosine" and embedder is not None and not embedder.reads(question.text):
        return blank  # its vector says nothing, and words grade what is found
    try:
        pool = _pool(opened, question, _ARMS[kind])
    except QueryError:
        return blank
    documents = [opened.names[pool.stored(c).document.external] for c in pool.best]
    return blank._replace(
        gold=tuple(question.gold),
        documents=tuple(documents),
        signals=tuple(c.signals._asdict() for c in pool.best),
        around=grade.surroundings(pool, pool.best),
        parts=tuple(_parts(opened, question, pool)) if kind == "cosine" and question.gold else (),
    )


def _pool(opened: stores.Opened, question: Question, by: str) -> Pool:
    memory = opened.memory
    query = memory.query(
        question.text, by=by, now=question.date, owner=question.owner, scopes=question.scopes
    )
    models = memory.core.models(query.policy)
    return ranked(first_pass(understand(query), memory.store, models))


def _parts(opened: stores.Opened, question: Question, pool: Pool) -> Iterator[Part]:
    """The sentences of the pool, and which of them are evidence."""
    wanted: dict[str, list[str]] = {}
    for unit in question.evidence.units:
        for one in (unit, *unit.others):
            wanted.setdefault(one.document, []).extend(one.texts)
    for part in spans.measured(pool.best, pool) if wanted else ():
        stored = pool.passages[part.passage]
        texts = wanted.get(opened.names[stored.document.external], ())
        said = stored.passage.text
        yield Part(part.features, any(_holds(said, part.start, part.end, text) for text in texts))


def _holds(text: str, start: int, end: int, evidence: str) -> bool:
    """Whether a stretch of a text is evidence, or half of it at least."""
    said = text[start:end].strip()
    if said in evidence or evidence in said:
        return bool(said)
    at = text.find(evidence)
    inside = min(at + len(evidence), end) - max(at, start)
    return at >= 0 and 2 * inside >= min(len(evidence), end - start)


def _answer(opened: stores.Opened, question: Question, engine: str, fold: Fold | None) -> Answer:
    if fold is None:
        return ENGINES[engine](opened.memory, question)
    return default(opened.memory, question)


@contextmanager
def _in_place(fold: Fold | None) -> Iterator[None]:
    """Have the grade read these weights."""
    if fold is None:
        yield
        return
    data, weights = fold.data(), spans.read(fold.spans)
    ours = patch.object(fitted, "weights", lambda: data)
    with ours, patch.object(spans, "_weights", lambda: weights):
        yield


class _Asking(Generic[Kept]):
    """One engine over one set: what is known, and what is missing."""

    def __init__(
        self,
        job: Job,
        engine: str,
        made: Callable[[dict[str, Any]], Kept],
        questions: Sequence[Question] | None = None,
    ) -> None:
        self._group = sets.stored(job.name, job.most, job.documents)
        self._questions = sets.asked(job.name, job.most) if questions is None else questions
        plain = engine in ENGINES and engine != "default"
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


def _around(
    absent: float, among: float, stated: Sequence[float], *known: bool
) -> grade.Surroundings:
    return grade.Surroundings(absent, among, Stated(*stated), *known)


def _wide_of(content: Mapping[str, Any]) -> Wide:
    made = Wide(**content)
    return made._replace(
        gold=tuple(made.gold),
        documents=tuple(made.documents),
        signals=tuple(made.signals),
        around=_around(*made.around),
        parts=tuple(Part(tuple(features), right) for features, right in made.parts),
    )
