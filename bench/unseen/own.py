"""Sets that were written by hand (``bench/sets``), each with what it is there to show.

``paraphrase``      questions without a content word of what answers: facts, notes, turns
``requests``        requests that something said about oneself matters for, without a common word
``changed values``  a later note changes a value: is it first, is it shown, is the older one served
``near misses``     twins of answerable questions that nothing answers: are they served as direct

Beside it: :mod:`bench.unseen.grepping`, :mod:`bench.unseen.transcripts`, :mod:`bench.unseen.echo`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench.unseen import stores
from bench.unseen.engines import ENGINES, Row, measured
from recollect import Memory
from recollect.nouns import Answer
from recollect_evals import suites
from recollect_evals.files import records
from recollect_evals.questions import Group, Question

SETS = Path(__file__).resolve().parents[1] / "sets"
ENGINES_SHOWN = ("default", "rrf-10")


class Asked(NamedTuple):
    """A question, what came back from one engine, and what is measured of it."""

    question: Question
    record: Mapping[str, Any]
    answer: Answer
    row: Row


def suite(path: Path) -> Group:
    (group,) = suites.load("jsonl", path).groups()
    return group


def queries(path: Path) -> dict[str, Mapping[str, Any]]:
    """The lines of the questions, with the fields that only one set has."""
    return {record["id"]: record for _, record in records(path / "queries.jsonl")}


def ask(group: Group, path: Path, name: str, engine: str) -> list[Asked]:
    said = queries(path)
    with stores.opened(group) as opened:
        found = []
        for question in group.questions:
            answer = opened.named(ENGINES[engine](opened.memory, question))
            row = measured(name, engine, question, answer)
            found.append(Asked(question, said[question.id], answer, row))
        return found


def mean(values: Iterable[float | bool | None]) -> float:
    some = [float(value) for value in values if value is not None]
    return sum(some) / len(some) if some else float("nan")


def table(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(_cell(one) for one in row)} |" for row in rows) + "\n"


def _cell(value: object) -> str:
    if isinstance(value, float):
        if value != value:
            return "–"
        return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.3f}"
    return str(value)


# ------------------------------------------------------------------ paraphrase


def paraphrase(folder: str) -> str:
    lines = []
    for kind in ("facts", "notes", "turns"):
        path = SETS / folder / kind
        group = suite(path)
        for engine in ENGINES_SHOWN:
            as_facts = (kind, engine) == ("facts", "default")
            found = _remembered(group, path) if as_facts else ask(group, path, kind, engine)
            rows = [asked.row for asked in found]
            lines.append((
                kind, engine, len(rows), mean(row.first for row in rows),
                mean(row.get("shown") for row in rows), mean(row.get("named") for row in rows),
                mean(row.status == "direct_passages" for row in rows),
                mean(row.get("tokens") for row in rows),
            ))  # fmt: skip
    head = ("kind", "engine", "questions", "right one first", "evidence shown", "named",
            "served as direct", "tokens")  # fmt: skip
    return table(head, lines)


def _remembered(group: Group, path: Path) -> list[Asked]:
    """The statements kept as facts, and asked for by what they say."""
    place = stores.WORK / "facts" / stores.place_of(group).name
    said, found = queries(path), []
    os.environ["RECOLLECT_HOME"] = str(stores.WORK / "home")
    fresh = not (place / "complete").exists()
    if fresh:
        shutil.rmtree(place, ignore_errors=True)
    with Memory.open(place / "store") as memory:
        if fresh:
            for document in group.documents:
                memory.remember(document.text, id=document.external, embed=False)
            memory.models.embed()
            (place / "complete").touch()
        for question in group.questions:
            answer = ENGINES["default"](memory, question)
            found.append(Asked(question, said[question.id], answer,
                               measured("facts", "default", question, answer)))  # fmt: skip
    return found


def facts_by_content() -> str:
    """Facts that are asked for by what they say: how often one speaks, and is the right one."""
    path = SETS / "facts-by-content"
    lines = []
    found = _remembered(suite(path), path)
    for kind in ("plain", "other-words", "abstain"):
        some = [one for one in found if one.record["category"] == kind]
        speaking = [one for one in some if one.answer.tier == 2]
        right = sum(one.row.first for one in speaking)
        named = mean(one.row.get("named") for one in some) if kind != "abstain" else ""
        lines.append((kind, len(some), len(speaking), right, len(speaking) - right, named,
                      mean(one.answer.status == "no_results" for one in some)))  # fmt: skip
    head = ("questions", "asked", "a fact speaks", "right", "wrong", "shown or named",
            "told nothing")  # fmt: skip
    return table(head, lines)


# ------------------------------------------------------------------ requests


def requests(folder: str) -> str:
    lines = []
    for kind in ("statements", "turns"):
        path = SETS / folder / kind
        group = suite(path)
        for engine in ENGINES_SHOWN:
            found = ask(group, path, kind, engine)
            for name in dict.fromkeys(_asked_for(one) for one in found):
                some = [one.row for one in found if _asked_for(one) == name]
                lines.append((
                    kind, engine, name, len(some), mean(row.first for row in some),
                    mean(row.get("shown") for row in some), mean(row.get("named") for row in some),
                    mean(row.status == "direct_passages" for row in some),
                    mean(row.status == "no_results" for row in some),
                    mean(row.get("tokens") for row in some),
                ))  # fmt: skip
    head = ("kind", "engine", "asked", "number", "right one first", "evidence shown", "named",
            "served as direct", "told nothing", "tokens")  # fmt: skip
    return table(head, lines)


def _asked_for(one: Asked) -> str:
    """Says what it asks for; of what nothing answers, why that is so."""
    return str(one.record.get("abstain") or one.question.category)


# ------------------------------------------------------------------ changed values


def changed_values() -> str:
    path = SETS / "changed-values"
    group, lines = suite(path), []
    for engine in ENGINES_SHOWN:
        every = ask(group, path, "changed-values", engine)
        for category in ("older", "newer", "both", "neither", "other"):
            some = [one for one in every if one.question.category == category]
            lines.append((
                category, engine, len(some), mean(one.row.first for one in some),
                mean(_is_first(one, "gold") < _is_first(one, "superseded") for one in some),
                mean(one.row.get("shown") for one in some),
                mean(_stale(one) for one in some), mean(one.row.confidence for one in some),
            ))  # fmt: skip
    head = ("asked in the words of", "engine", "questions", "the newer first",
            "the newer above the older", "the newer shown", "the older served without the newer",
            "confidence")  # fmt: skip
    return table(head, lines)


def _is_first(one: Asked, field: str) -> float:
    wanted = set(one.question.gold) if field == "gold" else {
        entry["document"] for entry in one.record.get("superseded", ())
    }  # fmt: skip
    places = (n for n, result in enumerate(one.answer.results) if result.document in wanted)
    return next(places, float("inf"))


def _stale(one: Asked) -> bool:
    """Served as direct with the older note and without the newer."""
    told = {result.document for result in one.answer.results}
    older = {entry["document"] for entry in one.record.get("superseded", ())}
    served = one.answer.status == "direct_passages"
    return served and bool(told & older) and not told & set(one.question.gold)


# ------------------------------------------------------------------ near misses


def near_misses() -> str:
    lines = []
    for kind in ("notes", "sessions"):
        path = SETS / "near-misses" / kind
        every = ask(suite(path), path, f"near-misses-{kind}", "default")
        for name, some in (
            ("answerable", [one for one in every if one.question.gold]),
            ("twins", [one for one in every if not one.question.gold]),
        ):
            lines.append((
                kind, name, len(some),
                mean(one.answer.status == "direct_passages" for one in some),
                mean(one.answer.status == "no_results" for one in some),
                mean(one.row.confidence for one in some),
                mean(one.row.get("shown") for one in some),
                mean(one.row.get("tokens") for one in some),
            ))  # fmt: skip
    head = ("set", "questions", "number", "served as direct", "nothing returned", "confidence",
            "evidence shown", "tokens")  # fmt: skip
    return table(head, lines)
