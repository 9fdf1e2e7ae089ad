"""The two light parts beside search: the order of past conversations, and facts by their content.

Conversations: two constants decide which are ordered by their grades and which by nearness
(:mod:`recollect.reading.sessions.discover`). They are chosen on the other domains and read on the
one left out, from what the read path knows of each question, by the product's own function.

Facts: a regression says when a fact that is not named answers (``training.facts`` collects what is
known of such questions). It is fitted on the other collections and read on the one left out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from bench import corpus
from bench.unseen import stores
from bench.unseen.fitting import SIGNS, Fold, Wide, logistic, ranked, shipped, trimmed
from bench.unseen.own import mean, table
from recollect import Memory
from recollect.reading.sessions import discover
from recollect_evals import metrics

TALKS = ("friends", "meetings", "mentor-sessions", "longmemeval", "personas")
LIKELY, NEAR = (0.03, 0.1, 0.3), (1.0, 3.0, 6.0)
SHOWN = 5
SIGNALS = ("odds", "odds_gap", "cosine", "cosine_gap", "coverage", "coverage_gap", "rarest",
           "no_name", "words")  # fmt: skip
NO_ANSWER = " (no answer)"


# ------------------------------------------------------------------ conversations


def conversations(rows: Sequence[Wide], folds: Mapping[str, Fold]) -> str:
    """Every session that answers among the first five, as shipped and as chosen elsewhere."""
    talks = [trimmed(row) for row in rows if row.set in TALKS and row.gold and row.documents]
    lines = []
    for domain in dict.fromkeys(row.domain for row in talks):
        fold = folds[domain]
        others = [row for row in talks if row.domain != domain and row.half == "fit"]
        if not others:
            continue
        chosen = max(product(LIKELY, NEAR), key=lambda pair: _recall(others, fold, pair))
        for name in dict.fromkeys(row.set for row in talks if row.domain == domain):
            here = [row for row in talks if row.set == name]
            shipped_pair = discover.LIKELY, discover.NEAR
            lines.append((
                domain, name, len(here), _recall(here, None, shipped_pair),
                _recall(here, fold, chosen), f"{chosen[0]:g}, {chosen[1]:g}",
            ))  # fmt: skip
    head = ("domain", "set", "questions", "all@5, as shipped", "as fitted without the domain",
            "likely from, near by")  # fmt: skip
    return table(head, lines)


def _recall(rows: Sequence[Wide], fold: Fold | None, pair: tuple[float, float]) -> float:
    graders = fold.data()["graders"] if fold else shipped()["graders"]
    with patch.object(discover, "LIKELY", pair[0]), patch.object(discover, "NEAR", pair[1]):
        return mean(_all_five(row, graders[row.kind]) for row in rows)


def _all_five(row: Wide, grader: Mapping[str, Any]) -> float:
    best = ranked(row, {**grader["weights"], "prior": grader["prior"]})
    ordered = discover._filled([candidate for candidate, _ in best])
    found = [row.documents[candidate.document] for candidate in ordered]
    return metrics.all_evidence_at(found, row.gold, SHOWN)


# ------------------------------------------------------------------ facts


class Known(NamedTuple):
    """What is known of the best facts for one question."""

    set: str
    half: str
    right: tuple[bool, ...]
    signals: tuple[Mapping[str, float], ...]

    @property
    def collection(self) -> str:
        return self.set.removesuffix(NO_ANSWER)


def facts() -> str:
    """Whether a fact answers, told by weights that were fitted on the other collections."""
    known = list(_known())
    before = shipped()["graders"]["fact"]
    lines = []
    for left in dict.fromkeys(one.collection for one in known):
        own = fitted([one for one in known if one.collection != left and one.half == "fit"])
        here = [one for one in known if one.collection == left]
        for how, weights in (
            ("shipped", {**before["weights"], "prior": before["prior"]}),
            ("without it", own),
        ):
            lines.append((left, how, len(here), *figures(here, weights)))
    head = ("collection", "weights", "questions", "AUROC with an answer or none",
            "calibration error", "right from .6 on", "returned where none answers")  # fmt: skip
    return table(head, lines)


def _known() -> Iterator[Known]:
    file = stores.WORK / "facts.jsonl"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        made = [json.dumps(one._asdict()) + "\n" for one in _collected()]
        file.write_text("".join(made), encoding="utf-8")
    for line in file.read_text(encoding="utf-8").splitlines():
        content = json.loads(line)
        yield Known(content["set"], content["half"], tuple(content["right"]),
                    tuple(content["signals"]))  # fmt: skip


def _collected() -> Iterator[Known]:
    from training import facts as collecting

    folder = corpus.data_folder()
    assert folder is not None
    os.environ["RECOLLECT_HOME"] = str(stores.WORK / "home")
    with Memory.open("memory://") as memory:
        cases = [
            *collecting.ours(memory), *collecting.beliefs(folder, memory),
            *collecting.notes(folder, memory),
        ]  # fmt: skip
        memory.models.embed()
        for row in collecting.rows(memory, cases):
            yield Known(row.case.set, collecting.half(row.case.id), row.right, row.signals)


def fitted(some: Sequence[Known]) -> dict[str, float]:
    counts = {name: sum(one.set == name for one in some) for name in {one.set for one in some}}
    flat = [(one, n) for one in some for n in range(len(one.right))]
    x = np.array([[one.signals[n][name] for name in SIGNALS] for one, n in flat])
    y = np.array([float(one.right[n]) for one, n in flat])
    w = np.array([1 / counts[one.set] for one, _ in flat])
    return logistic(x, y, w, list(SIGNALS), SIGNS, 1.0)


def figures(here: Sequence[Known], weights: Mapping[str, float]) -> tuple[float, ...]:
    def sure(known: Mapping[str, float]) -> float:
        value = sum(v * known[name] for name, v in weights.items() if name != "prior")
        return float(1 / (1 + np.exp(-np.clip(value + weights["prior"], -12, 12))))

    graded = [[(sure(k), r) for k, r in zip(one.signals, one.right, strict=True)] for one in here]
    best = [max(some) for some in graded]
    answers = [b for b, one in zip(best, here, strict=True) if not one.set.endswith(NO_ANSWER)]
    none = [b for b, one in zip(best, here, strict=True) if one.set.endswith(NO_ANSWER)]
    return (
        metrics.auroc([p for p, _ in answers], [p for p, _ in none]),
        metrics.calibration_error([pair for some in graded for pair in some]),
        mean(p >= 0.6 and right for p, right in answers), mean(p >= 0.6 for p, _ in none),
    )  # fmt: skip
