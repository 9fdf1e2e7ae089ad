"""When a fact that is not named answers by its content: the weights ``fact`` of the grade.

    python -m training.facts

asks questions of small collections of facts, with and without one that answers: statements about
people (``supersession/beliefs-v05``), project notes, and the collections that the tests use; fits
a logistic regression on the fit halves, writes it into ``grade.json`` and reports on the test
halves. Ranks are left out: to be the first of ten says nothing.
"""

from __future__ import annotations

import hashlib
import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from bench import corpus
from bench.reading import calibration_error
from bench.unseen.fitting import SIGNS, logistic

from recollect import Memory
from recollect.facts import KIND
from recollect.memory.requests import facts_asked
from recollect.nouns import Filter
from recollect.reading.named import Facts, named
from recollect.reading.pool import Pass
from recollect.reading.retrieval import ranked
from recollect.text.questions.overview import is_overview
from recollect.text.questions.parse import parse
from training.grade import TARGET, score

FIXTURES = Path(__file__).resolve().parents[1] / "tests" / "fixtures" / "facts"
SIGNALS = ("odds", "odds_gap", "cosine", "cosine_gap", "coverage", "coverage_gap", "rarest",
           "no_name", "words")  # fmt: skip
HEAD = 3
SIZE = 30
"""Facts of one collection."""


class Case(NamedTuple):
    set: str
    id: str
    query: str
    owner: str
    scopes: tuple[str, ...] | None
    gold: frozenset[str]
    as_of: str | None = None


class Row(NamedTuple):
    case: Case
    right: tuple[bool, ...]
    signals: tuple[dict[str, float], ...]


def half(id: str) -> str:
    return "fit" if int(hashlib.sha1(id.encode()).hexdigest(), 16) % 2 == 0 else "test"


def beliefs(folder: Path, memory: Memory) -> Iterator[Case]:
    rows = list(corpus.lines(folder / "supersession" / "beliefs-v05_combined_300.jsonl"))
    told = []
    for row in rows:
        for question in row["questions"]:
            wanted = [w.lower() for w in question.get("expected_current_contains", ())]
            gold = [p["text"] for p in row["propositions"]
                    if wanted and any(w in p["text"].lower() for w in wanted)]  # fmt: skip
            if gold:
                told.append((row["id"], question["q"], gold[-1]))
    random.Random(3).shuffle(told)
    for n, (id, query, text) in enumerate(told):
        scope = f"b{n // SIZE}"
        memory.remember(text, id=f"{id}-{n}", owner="beliefs", scopes=[scope], standing="active",
                        embed=False)  # fmt: skip
        yield Case("beliefs", id, query, "beliefs", (scope,), frozenset({f"{id}-{n}"}))
        other = f"b{(n // SIZE + 1) % (len(told) // SIZE)}"
        yield Case("beliefs (no answer)", id, query, "beliefs", (other,), frozenset())


def notes(folder: Path, memory: Memory) -> Iterator[Case]:
    questions = list(corpus.lines(folder / "notes" / "queries.jsonl"))
    asked = {q["gold"][0] for q in questions}
    documents = list(corpus.lines(folder / "notes" / "docs.jsonl.xz"))
    random.Random(4).shuffle(documents)
    documents.sort(key=lambda d: d["id"] not in asked)
    spread = documents[: len(asked)] + documents[len(asked) : len(asked) * 4]
    groups = max(1, len(spread) // SIZE)
    home = {d["id"]: f"n{n % groups}" for n, d in enumerate(spread)}
    for d in spread:
        memory.remember(d["text"][:600], id=d["id"], owner="notes", scopes=[home[d["id"]]],
                        standing="active", embed=False)  # fmt: skip
    for q in questions:
        gold = q["gold"][0]
        if gold in home:
            yield Case("notes", q["id"], q["query"], "notes", (home[gold],), frozenset({gold}))
            other = f"n{(int(home[gold][1:]) + 1) % groups}"
            yield Case("notes (no answer)", q["id"], q["query"], "notes", (other,), frozenset())


def ours(memory: Memory) -> Iterator[Case]:
    for place in sorted(FIXTURES.iterdir()):
        lines = [json.loads(line) for line in (place / "facts.jsonl").read_text().splitlines()]
        owners = {line["owner"]: f"{place.name}-{line['owner']}" for line in lines}
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.writelines(json.dumps({**x, "owner": owners[x["owner"]]}) + "\n" for x in lines)
            file.flush()
            memory.add(file.name, embed=False)
        for case in map(json.loads, (place / "cases.jsonl").read_text().splitlines()):
            gold = frozenset(case["expect"].get("relevant", ()))
            scopes = None if case["scopes"] is None else tuple(case["scopes"])
            name = place.name if gold else f"{place.name} (no answer)"
            yield Case(name, f"{place.name} {case['id']}", case["query"],
                       owners.get(case["owner"], case["owner"]), scopes, gold,
                       case.get("as_of"))  # fmt: skip


def rows(memory: Memory, cases: list[Case]) -> Iterator[Row]:
    """What is known about the best facts, where none is named."""
    policy = memory.query("x").policy._replace(hop=False)
    models = memory.core.models(policy)
    for case in cases:
        asked = facts_asked(memory.core, case.owner, case.scopes, None, case.as_of)
        facts = Facts(memory.store, asked)
        if case.scopes == () or is_overview(case.query) or named(case.query, facts).mentions:
            continue
        limits = Filter(owner=case.owner, scopes=case.scopes, kinds=(KIND,))
        found = ranked(
            Pass(parse(case.query), limits, policy, memory.store, models, sees=facts.sees)
        )
        head = found.best[:HEAD]
        ids = [found.passages[c.passage].document.external for c in head]
        signals = tuple(c.signals._asdict() for c in head)
        if head:
            yield Row(case, tuple(id in case.gold for id in ids), signals)


def main() -> None:
    folder = corpus.data_folder()
    assert folder is not None
    with tempfile.TemporaryDirectory() as work, Memory.open(work) as memory:
        cases = [*ours(memory), *beliefs(folder, memory), *notes(folder, memory)]
        memory.models.embed()
        found = list(rows(memory, cases))
    learn = [row for row in found if half(row.case.id) == "fit"]
    counts = {name: sum(r.case.set == name for r in learn) for name in {r.case.set for r in learn}}
    x, y, w = [], [], []
    for row in learn:
        for right, known in zip(row.right, row.signals, strict=True):
            x.append([known[n] for n in SIGNALS])
            y.append(float(right))
            w.append(1 / counts[row.case.set])
    fitted = logistic(np.array(x), np.array(y), np.array(w), list(SIGNALS), SIGNS, 1.0)
    weights = {name: round(value, 4) for name, value in fitted.items()}
    data = json.loads(TARGET.read_text())
    data["graders"]["fact"] = {"prior": weights.pop("prior"), "weights": weights}
    data["report"]["fact"] = report([r for r in found if half(r.case.id) == "test"], fitted)
    TARGET.write_text(json.dumps(data, indent=1) + "\n")
    print(json.dumps(data["graders"]["fact"], indent=1))
    for name, figures in data["report"]["fact"].items():
        print(f"{name:22}", figures)


def report(some: list[Row], fitted: dict[str, float]) -> dict[str, dict[str, float]]:
    """By set: of how many questions something is returned from a probability on, and how many
    of these are right, of those that have an answer."""
    told: dict[str, dict[str, float]] = {}
    pairs = []
    for name in sorted({r.case.set for r in some}):
        of = [r for r in some if r.case.set == name]
        best = []
        for row in of:
            graded = [(_p(score(k, fitted)), right)
                      for k, right in zip(row.signals, row.right, strict=True)]  # fmt: skip
            pairs += graded
            best.append(max(graded))
        told[name] = {"questions": len(of)} | {
            f"{what} at {at}": round(sum(p >= at and (right or what == "returned")
                                         for p, right in best) / len(best), 3)
            for at in (0.4, 0.5, 0.6, 0.7)
            for what in (("right", "returned") if "(no" not in name else ("returned",))
        }  # fmt: skip
    told["all"] = {"error": round(calibration_error(pairs), 3)}
    return told


def _p(value: float) -> float:
    return float(1 / (1 + np.exp(-np.clip(value, -12, 12))))


if __name__ == "__main__":
    main()
