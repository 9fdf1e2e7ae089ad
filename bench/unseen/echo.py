"""The same questions after they were asked and answered in sessions that were imported.

With hooks, every prompt becomes a passage: a question must not come back as its own answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from bench.unseen import sets, stores
from bench.unseen.engines import ENGINES, measured
from bench.unseen.own import mean, table
from recollect.nouns import Document, Message
from recollect_evals import evidence, suites
from recollect_evals.loaders.folders import SAMPLE
from recollect_evals.questions import Group, Question

NAMES = ("notes", "personas")
"""Sets that are asked again beside the sample, unless others are named."""


def asked_before(names: Sequence[str] = NAMES, limit: int = 40) -> tuple[str, bool]:
    """Each suite a second time, after its questions were asked and answered in sessions that were
    imported: one session each, and many in one. Whether nothing fell."""
    lines, fine = [], True
    for name, group in _suites(names, limit):
        before = first_right(group, group)
        for how in ("one each", "many in one"):
            after = first_right(with_sessions(group, how), group)
            lines.append((
                name, how, len(group.questions), before.first, after.first, before.shown,
                after.shown, after.echoed, before.confidence, after.confidence,
            ))  # fmt: skip
            fine = fine and after.first >= before.first and after.shown >= before.shown
    head = ("suite", "sessions", "questions", "right first", "after", "evidence shown", "after",
            "the question itself first", "confidence", "after")  # fmt: skip
    return table(head, lines), fine


class Before(NamedTuple):
    first: float
    shown: float
    echoed: float
    confidence: float


def _suites(names: Sequence[str], limit: int) -> Iterator[tuple[str, Group]]:
    (sample,) = suites.load("sample", SAMPLE).groups()
    yield "sample", sample._replace(questions=tuple(q for q in sample.questions if q.gold))
    for name in names:
        some = [question for question in sets.asked(name) if question.gold][:limit]
        yield name, sets.stored(name, limit)._replace(questions=tuple(some))


def with_sessions(group: Group, how: str) -> Group:
    """The documents, and sessions in which the questions were asked and answered by quotation."""
    texts = {document.external: document for document in group.documents}
    turns = [
        (Message("user", question.text), Message("assistant", _quoted(question, texts)))
        for question in group.questions
    ]
    several = [turns] if how == "many in one" else [[pair] for pair in turns]
    made = tuple(
        Document(f"asked-{number}", "eval", "", kind="session",
                 messages=tuple(turn for pair in some for turn in pair))
        for number, some in enumerate(several)
    )  # fmt: skip
    return group._replace(name=f"{group.name}-asked", documents=(*group.documents, *made))


def _quoted(question: Question, texts: Mapping[str, Document]) -> str:
    """What the assistant said: the evidence, or the beginning of the gold."""
    for unit in question.evidence.units:
        return unit.texts[0][:600]
    document = texts[next(iter(question.gold))]
    return " ".join(document.rendered().split())[:400]


def first_right(group: Group, asked: Group) -> Before:
    rows, echoed = [], 0
    with stores.opened(group) as opened:
        for question in asked.questions:
            answer = opened.named(ENGINES["default"](opened.memory, question))
            first = answer.results[0] if answer.results else None
            echoed += bool(first and evidence.flat(question.text) in evidence.flat(first.text)
                           and first.document.startswith("asked-"))  # fmt: skip
            rows.append(measured("asked", "default", question, answer))
    return Before(
        mean(row.first for row in rows), mean(row.get("shown") for row in rows),
        echoed / len(rows), mean(row.confidence for row in rows),
    )  # fmt: skip
