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
from recollect_evals.evidence import Unit
from recollect_evals.loaders.folders import SAMPLE
from recollect_evals.questions import Group, Question

NAMES = ("notes", "personas")
"""Sets that are asked again beside the sample, unless others are named."""
SEEN = 60
"""Characters of a reply that tell that it is shown."""


LEAST = 0.9
"""The share of replies that must be shown where nothing else answers."""


def asked_before(names: Sequence[str] = NAMES, limit: int = 40) -> tuple[str, bool]:
    """Each suite a second time, after its questions were asked and answered in sessions that were
    imported: one session each, many in one, and one each with nothing else to answer from. Whether
    nothing fell: a reply that quotes the evidence is as right as what it quotes."""
    lines, fine = [], True
    for name, group in _suites(names, limit):
        before = first_right(group, group)
        for how in ("one each", "many in one", "alone"):
            after = first_right(with_sessions(group, how), quoted(group, how))
            lines.append((
                name, how, len(group.questions), before.first, after.first, before.shown,
                after.shown, after.replied, after.echoed, before.confidence, after.confidence,
            ))  # fmt: skip
            fell = after.first < before.first or after.shown < before.shown
            fine = fine and (after.replied >= LEAST if how == "alone" else not fell)
    head = ("suite", "sessions", "questions", "right first", "after", "evidence shown", "after",
            "the reply shown", "the question alone first", "confidence", "after")  # fmt: skip
    return table(head, lines), fine


class Before(NamedTuple):
    first: float
    shown: float
    replied: float
    echoed: float
    confidence: float


def _suites(names: Sequence[str], limit: int) -> Iterator[tuple[str, Group]]:
    (sample,) = suites.load("sample", SAMPLE).groups()
    yield "sample", sample._replace(questions=tuple(q for q in sample.questions if q.gold))
    for name in names:
        some = [question for question in sets.asked(name) if question.gold][:limit]
        # under a name of its own, so that before and after are read with the same embedder
        yield name, sets.stored(name, limit)._replace(name=f"{name}-once", questions=tuple(some))


def with_sessions(group: Group, how: str) -> Group:
    """The documents, and sessions in which the questions were asked and answered by quotation; the
    latter alone without what they quote."""
    turns = [
        (Message("user", question.text), Message("assistant", reply))
        for question, reply in _replies(group)
    ]
    several = [turns] if how == "many in one" else [[pair] for pair in turns]
    made = tuple(
        Document(_name(number, how), "eval", "", kind="session",
                 messages=tuple(turn for pair in some for turn in pair))
        for number, some in enumerate(several)
    )  # fmt: skip
    gold = {id for question in group.questions for id in question.gold if how == "alone"}
    kept = (document for document in group.documents if document.external not in gold)
    return group._replace(name=f"{group.name}-asked", documents=(*kept, *made))


def _name(number: int, how: str) -> str:
    return "asked-0" if how == "many in one" else f"asked-{number}"


def _replies(group: Group) -> list[tuple[Question, str]]:
    texts = {document.external: document for document in group.documents}
    return [(question, _quoted(question, texts)) for question in group.questions]


def quoted(group: Group, how: str) -> Group:
    """The questions, with the reply in a session as good as the evidence that it quotes."""
    made = []
    for number, (question, reply) in enumerate(_replies(group)):
        name, units = _name(number, how), question.evidence.units
        if units:
            same = units[0]._replace(others=(*units[0].others, Unit(name, (reply,))))
            units = (same, *units[1:])
        gold = {**question.gold, name: 1.0}
        evidence = question.evidence._replace(units=units)
        made.append(question._replace(gold=gold, evidence=evidence))
    return group._replace(questions=tuple(made))


def _quoted(question: Question, texts: Mapping[str, Document]) -> str:
    """What the assistant said: the evidence, or the beginning of the gold."""
    for unit in question.evidence.units:
        return unit.texts[0][:600]
    document = texts[next(iter(question.gold))]
    return " ".join(document.rendered().split())[:400]


def first_right(group: Group, asked: Group) -> Before:
    rows, echoed, replied = [], 0, 0
    with stores.opened(group) as opened:
        for question, reply in _replies(asked):
            answer = opened.named(ENGINES["default"](opened.memory, question))
            shown = [one.text for one in answer.results if one.document.startswith("asked-")]
            has = [evidence.flat(reply)[:SEEN] in evidence.flat(text) for text in shown]
            first = answer.results[0].document if answer.results else ""
            echoed += first.startswith("asked-") and not has[0]
            replied += any(has)
            rows.append(measured("asked", "default", question, answer))
    return Before(
        mean(row.first for row in rows), mean(row.get("shown") for row in rows),
        replied / len(rows), echoed / len(rows), mean(row.confidence for row in rows),
    )  # fmt: skip
