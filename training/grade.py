"""The weights of the grade: ``src/recollect/reading/grade.json`` and its report.

    export RECOLLECT_RERANK_MODEL=FOLDER
    python -m training.grade collect     asks every question, keeps the signals of what is found
    python -m training.grade fit         fits on them, writes the weights, reports on test

Only the kinds that a reranker's odds belong to, for the reranker in that folder; the others, which
the default is graded by, are fitted with domains left out by ``python -m bench.unseen --fit`` and
stay as they are. The weights that are there were fitted with the cross-encoder that shipped up to
0.2.0.

Logistic regressions, one for each kind of evidence at hand. Each set counts the same, however
many questions it has, and each question of a set the same. Fitted on questions of the fit half
that neither model was trained on; the report is on the test half. A signal that comes out with
the wrong sign (a passage that lacks a name is not the better for it) is left out and the rest
fitted again.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from bench.corpus import data_folder
from bench.plot import reliability
from bench.reading import ALL, ITEMS, MODEL, Row, calibration_error, parallel, questions, rows
from bench.unseen.fitting import SIGNS, TOGETHER, logistic

from recollect import config
from recollect.memory.models import NoModel, reranker_for
from recollect.models.catalog import EMBED
from recollect.nouns import Candidate, Signals
from recollect.policy import MODES
from recollect.reading.grade import FIRST, Surroundings, bound, set_signals
from recollect_evals.metrics import aurc
from training.halves import fingerprint

OUT = Path(__file__).resolve().parent / "out" / "grade"
TARGET = Path(__file__).resolve().parents[1] / "src" / "recollect" / "reading" / "grade.json"
PLOT = Path(__file__).resolve().parents[1] / "docs" / "reliability.svg"
FOREIGN = ("xquad-de", "xquad-es")
UNREAD = ("xquad-zh", "xquad-ru", "xquad-ar")
WAYS = {"hybrid": {}, "keyword": {"by": "keyword"}}
WIDE = {"cut": False, "escalate": 0.0, "limit": 60, "budget": None}
SEATS = {"lexical": 6, "title": 2}
KINDS = {
    "odds+cosine": (),
    "odds": ("cosine", "cosine_gap"),
    "terse": ("hop", "bridge"),
}
"""Kinds of evidence, and the signals that each is without; ``terse`` are few words, no question."""


def is_unseen(name: str, question: str) -> bool:
    """Whether a question, by its set and id, is of the fit half and no model was trained on it
    (``training.first_stage.is_dev``)."""
    number = int(hashlib.sha1(question.encode()).hexdigest(), 16)
    whole = name in ("2wiki", "peps") or name.endswith(ITEMS)
    return number % 2 == 0 and (whole or number // 2 % 3 == 0)


def unseen(row: Row) -> bool:
    return is_unseen(row.set, row.id)


def fitted_on(folder: Path) -> str:
    """A hash of every question that the grade is fitted on."""
    used = {
        f"{name} {question['id']} {fingerprint(question['query'])}"
        for name in ALL
        for question in questions(folder, name)
        if is_unseen(name, question["id"])
    }
    return hashlib.sha256("\n".join(sorted(used)).encode()).hexdigest()


def reranker() -> str:
    """The key of the reranker whose odds are fitted."""
    found = reranker_for(config.load())
    if isinstance(found, NoModel):
        sys.exit(f"{found.why}: RECOLLECT_RERANK_MODEL names the reranker's folder")
    return found.key


def collect() -> None:
    print("odds of", reranker(), flush=True)
    OUT.mkdir(parents=True, exist_ok=True)
    for way, changes in WAYS.items():
        for name in ALL:
            if way == "hybrid" and name in UNREAD:
                continue
            path = OUT / f"{name}.{way}.jsonl"
            if path.exists():
                continue
            jobs = [
                partial(rows, name, {**WIDE, **changes}, share=(n, 2), signals=True)
                for n in range(2)
            ]
            found = [row for some in parallel(jobs) for row in some]
            path.write_text("".join(json.dumps(row) + "\n" for row in found))
            print(name, way, len(found), flush=True)


def collected(way: str) -> list[Row]:
    return [
        trimmed(Row(*json.loads(line)))
        for path in sorted(OUT.glob(f"*.{way}.jsonl"))
        for line in path.open()
    ]


def seated(known: Mapping[str, float]) -> bool:
    """Whether it is looked at whatever its place in the fusion."""
    by_rank = any(known.get(arm, 0.0) >= 61 / (60 + seats) for arm, seats in SEATS.items())
    return by_rank or bool(known.get("bridge"))


def trimmed(row: Row) -> Row:
    """As many candidates as the default looks at, and those that the best of them name."""
    policy = MODES["balanced"]

    def fused(known: Mapping[str, float]) -> float:
        return (
            policy.lexical_weight * known["lexical"]
            + policy.vector_weight * known["vector"]
            + policy.title_weight * known["title"]
        )

    order = sorted(range(len(row.signals)), key=lambda n: -fused(row.signals[n]))
    kept = set(order[: policy.limit]) | {n for n in order if seated(row.signals[n])}
    return row._replace(
        documents=tuple(d for n, d in enumerate(row.documents) if n in kept),
        confidences=tuple(c for n, c in enumerate(row.confidences) if n in kept),
        signals=tuple({"bridge": 0.0, **s} for n, s in enumerate(row.signals) if n in kept),
    )


# ------------------------------------------------------------------ fitting


def group(row: Row) -> str:
    """What counts the same as any other: a set, or its questions without an answer."""
    name = "xquad-foreign" if row.set in FOREIGN + UNREAD else row.set
    return name if row.gold else f"{name} (no answer)"


def weights_of(some: list[Row]) -> list[float]:
    counts = Counter(group(row) for row in some)
    return [1 / counts[group(row)] for row in some]


def candidates(some: list[Row], names: list[str]) -> tuple[Any, Any, Any]:
    x, y, w = [], [], []
    for row, weight in zip(some, weights_of(some), strict=True):
        for document, known in zip(row.documents, row.signals, strict=True):
            x.append([known[n] for n in names])
            y.append(float(document in row.gold))
            w.append(weight)
    return np.array(x), np.array(y), np.array(w)


def score(known: Any, fitted: dict[str, float]) -> float:
    return float(fitted["prior"] + sum(v * known[n] for n, v in fitted.items() if n != "prior"))


def ranked(row: Row, fitted: dict[str, float]) -> list[tuple[Candidate, str]]:
    """The row's candidates as the fitted grade would have them."""
    made = []
    for document, known in zip(row.documents, row.signals, strict=True):
        value = score(known, fitted)
        p = float(1 / (1 + np.exp(-np.clip(value, -12, 12))))
        one = Candidate(0, 0, value, (), Signals(**known), p)
        made.append((one, document))
    return sorted(made, key=lambda pair: -pair[0].score)


def answered(row: Row, order: list[tuple[Candidate, str]]) -> bool:
    """Whether something right is among the first."""
    return any(document in row.gold for _, document in order[:FIRST])


def sets(some: list[Row], fitted: dict[str, float]) -> tuple[list[dict[str, float]], list[bool]]:
    x, y = [], []
    for row in some:
        order = ranked(row, fitted)
        if order:
            x.append(set_signals([c for c, _ in order], Surroundings()))
            y.append(answered(row, order))
    return x, y


def fit() -> None:
    rows_by_way = {way: collected(way) for way in WAYS}
    graders, report = {}, {}
    for kind, without in KINDS.items():
        some = rows_by_way["keyword" if kind == "words" else "hybrid"]
        if "cosine" in kind:
            some = [r for r in some if r.set not in FOREIGN]
        if kind != "words":
            some = [r for r in some if r.set.endswith(ITEMS) == (kind == "terse")]
        learn = [r for r in some if unseen(r)]
        names = [n for n in SIGNS if n not in without]
        fitted = logistic(*candidates(learn, names), names, SIGNS)
        x, y = sets(learn, fitted)
        columns = list(TOGETHER)
        here = [r for r in learn if r.documents]
        known = np.array([[one[n] for n in columns] for one in x])
        whole = logistic(
            known, np.array(y, float), np.array(weights_of(here)), columns, TOGETHER, 3.0
        )
        graders[kind] = {
            "prior": round(fitted.pop("prior"), 4),
            "weights": {n: round(v, 4) for n, v in fitted.items()},
            "together_prior": round(whole.pop("prior"), 4),
            "together": {n: round(v, 4) for n, v in whole.items()},
        }
        report[kind], pairs = reported([r for r in some if r.half == "test"], graders[kind])
        if kind == "odds+cosine":
            PLOT.write_text(reliability(pairs, "How sure, and how often right (test halves)"))
        print(kind, json.dumps(graders[kind], indent=1))
        for name, figures in report[kind].items():
            print(f"  {name:28}", " ".join(f"{k} {v}" for k, v in figures.items()))
    folder = data_folder()
    assert folder is not None
    before = json.loads(TARGET.read_text())
    data = {
        **before,
        "rerankers": [reranker()],
        "graders": {**before["graders"], **graders},
        "fitted_on": fitted_on(folder),
        "report": {**before["report"], **report},
    }
    TARGET.write_text(json.dumps(data, indent=1) + "\n")
    assert EMBED.name == MODEL


def reported(
    some: list[Row], grader: dict[str, Any]
) -> tuple[dict[str, dict[str, float]], list[tuple[float, bool]]]:
    """By set: the calibration error of each candidate's grade and of the set's, the area under
    the risk-coverage curve, and how many would be served as direct passages. Besides, for a plot,
    how sure the answers are and whether they are right."""
    fitted = {**grader["weights"], "prior": grader["prior"]}
    whole = {**grader["together"], "prior": grader["together_prior"]}
    told: dict[str, dict[str, float]] = {}
    every: dict[str, list[tuple[list[tuple[float, bool]], tuple[float, bool]]]] = {}
    for row in some:
        order = ranked(row, fitted)
        if not order:
            continue
        each = [(c.confidence, document in row.gold) for c, document in order]
        value = score(set_signals([c for c, _ in order], Surroundings()), whole)
        p = float(1 / (1 + np.exp(-np.clip(value, -12, 12))))
        p = min(p, bound([c for c, _ in order]))
        every.setdefault(group(row), []).append((each, (p, answered(row, order))))
    for name, found in every.items():
        pairs = [pair for each, _ in found for pair in each]
        together = [pair for _, pair in found]
        told[name] = {
            "questions": len(found),
            "error": round(calibration_error(pairs), 3),
            "set_error": round(calibration_error(together), 3),
            "aurc": round(aurc(together), 3),
            "direct": round(sum(p >= 0.6 for p, _ in together) / len(together), 3),
        }
    rng = np.random.default_rng(1)
    equal = [found[i] for found in every.values() for i in rng.integers(0, len(found), 400)]
    told["all, each set the same"] = {
        "error": round(calibration_error([p for each, _ in equal for p in each]), 3),
        "set_error": round(calibration_error([p for _, p in equal]), 3),
        "aurc": round(aurc([p for _, p in equal]), 3),
    }
    return told, [pair for _, pair in equal]


if __name__ == "__main__":
    {"collect": collect, "fit": fit}[sys.argv[1]]()
