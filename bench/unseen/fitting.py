"""The light parts of the read path, fitted on some domains: fusion, grade, temperature, cut, gate.

Everything is fitted on the fit halves of the sets that may be fitted; a domain counts as much as
any other, a set as much as the others of its domain, a question as the others of its set. The heavy
parts (embedder, reranker) are as they ship: what they were trained on, they have seen.

The order: (1) the vector arm's weight by nDCG@10 of the plain fusion; (2) logistic regressions for
each kind of evidence at hand, a candidate and a set at a time (:mod:`recollect.reading.grade`); (3)
a temperature for the set's log-odds, on predictions for domains that the regression did not see;
(4) the cut, as sharp as it can be at :data:`COSTS` of the evidence; (5) the least confidence at
which anything is returned, and that from which an answer is served as it stands.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.unseen.sets import SETS
from recollect.nouns import Candidate, Policy, Signals
from recollect.policy import MODES
from recollect.reading import grade
from recollect.reading.cut import cut
from recollect.reading.fuse import SEATS
from recollect.reading.pool import probability
from recollect_evals import metrics

SHIPPED = Path(grade.__file__).with_name("grade.json")
SIGNS = {
    "odds": 1, "odds_gap": -1, "cosine": 1, "cosine_gap": -1, "lexical": 1, "vector": 1,
    "title": 1, "coverage": 1, "coverage_gap": -1, "rarest": 1, "no_name": -1, "no_number": -1,
    "no_year": -1, "other_time": -1, "hop": 1, "bridge": 0, "words": 0,
}  # fmt: skip
"""A signal that comes out with another sign than this is left out: a passage that lacks a name is
not the better for it."""
TOGETHER = {
    "first": 1, "lead": 1, "rivals": -1, "coverage": 1, "no_name": -1, "no_number": -1,
    "no_year": -1, "other_time": -1, "words": 0,
}  # fmt: skip
KINDS = {
    "odds+cosine": (),
    "odds": ("cosine", "cosine_gap"),
    "words": ("odds", "odds_gap", "cosine", "cosine_gap", "vector", "hop", "bridge"),
    "terse": ("hop", "bridge"),
}
"""Kinds of evidence, and the signals that each is without."""
FEWEST = 60
"""Questions of a kind below which the shipped weights stay."""
WEIGHTS = (1.0, 2.0, 4.0, 8.0)
SHARPER = (0.1, 0.3, 1.0, 3.0, 10.0)
COSTS = 0.01
"""The share of questions whose evidence the cut may cost, the mean over domains."""
KEEPS = (0.003, 0.01, 0.03, 0.1)
TURNED_AWAY = 0.01
"""Of the answerable questions of any domain, by the least confidence."""


class Wide(NamedTuple):
    """What the read path knows of a question before anything is cut."""

    set: str
    id: str
    half: str
    kind: str
    """Which grader it was graded by."""
    is_open: bool
    gold: tuple[str, ...]
    documents: tuple[str, ...]
    signals: tuple[Mapping[str, float], ...]

    @property
    def domain(self) -> str:
        return SETS[self.set].domain


class Fold(NamedTuple):
    """What was fitted, as the read path takes it."""

    graders: Mapping[str, Any]
    policy: Mapping[str, Any]
    fitted_on: tuple[str, ...]
    """Sets."""

    def data(self) -> Mapping[str, Any]:
        """In the form of ``grade.json``."""
        return {**shipped(), "graders": {**shipped()["graders"], **self.graders}}


@cache
def shipped() -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = json.loads(SHIPPED.read_text(encoding="utf-8"))
    return loaded


def fitted(rows: Sequence[Wide], without: str = "") -> Fold:
    """Fit everything on the rows of the other domains. Raises ValueError where a row is of a set
    that is read-only."""
    if barred := sorted({row.set for row in rows if not SETS[row.set].fits}):
        raise ValueError(f"nothing is fitted on {', '.join(barred)}")
    some = [trimmed(row) for row in rows if row.half == "fit" and row.domain != without]
    vector = _vector_weight(some)
    graders = {}
    for kind in KINDS:
        here = [row for row in some if row.kind == kind]
        if len(here) >= FEWEST and len({row.domain for row in here}) > 1:
            graders[kind] = _grader(here, kind)
    policy = _policy(some, graders, vector)
    return Fold(graders, policy, tuple(sorted({row.set for row in some})))


def trimmed(row: Wide) -> Wide:
    """The candidates that the default looks at, and those that have a seat or are named by them."""
    policy = MODES["balanced"]
    order = sorted(range(len(row.signals)), key=lambda n: -_fused(row.signals[n], policy))
    kept = {*order[: policy.limit], *(n for n in order if _has_seat(row.signals[n]))}
    return row._replace(
        documents=tuple(d for n, d in enumerate(row.documents) if n in kept),
        signals=tuple(s for n, s in enumerate(row.signals) if n in kept),
    )


def _fused(known: Mapping[str, float], policy: Policy, vector: float | None = None) -> float:
    weight = policy.vector_weight if vector is None else vector
    return (
        policy.lexical_weight * known["lexical"]
        + weight * known["vector"]
        + policy.title_weight * known["title"]
    )


def _has_seat(known: Mapping[str, float]) -> bool:
    by_rank = any(known.get(arm, 0.0) >= 61 / (60 + seats) for arm, seats in SEATS.items())
    return by_rank or bool(known.get("bridge"))


def balanced(rows: Sequence[Wide]) -> Any:
    """A weight for each row, so that domains weigh the same, and sets inside a domain."""
    sets = Counter(row.set for row in rows)
    domains = Counter(SETS[name].domain for name in sets)
    weights = [1 / (sets[row.set] * domains[row.domain]) for row in rows]
    return np.array(weights) * len(rows) / sum(weights)


def by_domain(rows: Sequence[Wide], values: Iterable[float]) -> dict[str, float]:
    """The mean over the questions of each domain."""
    found: dict[str, list[float]] = defaultdict(list)
    for row, value in zip(rows, values, strict=True):
        found[row.domain].append(value)
    return {domain: sum(some) / len(some) for domain, some in found.items()}


def _mean(values: Mapping[str, float]) -> float:
    return sum(values.values()) / len(values)


# ------------------------------------------------------------------ fusion


def _vector_weight(rows: Sequence[Wide]) -> float:
    some = [row for row in rows if row.gold]

    def quality(weight: float) -> float:
        def ndcg(row: Wide) -> float:
            scores = [_fused(known, MODES["balanced"], weight) for known in row.signals]
            order = sorted(range(len(scores)), key=lambda n: -scores[n])
            return metrics.ndcg_at([row.documents[n] for n in order], row.gold, 10)

        return _mean(by_domain(some, map(ndcg, some)))

    return max(WEIGHTS, key=quality)


# ------------------------------------------------------------------ grade


def _grader(rows: Sequence[Wide], kind: str) -> dict[str, Any]:
    each, together = _regressions(rows, kind)
    heat = _temperature(rows, kind)
    return {
        "prior": round(each.pop("prior"), 4),
        "weights": {name: round(value, 4) for name, value in each.items()},
        "together_prior": round(heat * together.pop("prior"), 4),
        "together": {name: round(heat * value, 4) for name, value in together.items()},
    }


def _regressions(rows: Sequence[Wide], kind: str) -> tuple[dict[str, float], dict[str, float]]:
    names = [name for name in SIGNS if name not in KINDS[kind]]
    found = [row for row in rows if row.documents]
    weights = balanced(found)
    x = np.array([[known[n] for n in names] for row in found for known in row.signals])
    y = np.array([float(d in row.gold) for row in found for d in row.documents])
    w = np.array([v for row, v in zip(found, weights, strict=True) for _ in row.documents])
    each = logistic(x, y, w, names, SIGNS, 0.3)
    orders = [ranked(row, each) for row in found]
    columns = list(TOGETHER)
    x = np.array([[grade.set_signals([c for c, _ in one])[n] for n in columns] for one in orders])
    y = np.array([float(_is_right(row, one)) for row, one in zip(found, orders, strict=True)])
    return each, logistic(x, y, weights, columns, TOGETHER, 3.0)


def _temperature(rows: Sequence[Wide], kind: str) -> float:
    """What the log-odds of a set are multiplied by, so that they hold in a domain that the
    regression has not seen: fitted on such predictions."""
    odds, right, weights = [], [], []
    for domain in sorted({row.domain for row in rows}):
        inside = [row for row in rows if row.domain != domain]
        outside = [row for row in rows if row.domain == domain and row.documents]
        if len({row.domain for row in inside}) < 2 or len(inside) < FEWEST or not outside:
            continue
        each, together = _regressions(inside, kind)
        for row in outside:
            order = ranked(row, each)
            known = grade.set_signals([c for c, _ in order])
            odds.append(_score(known, together))
            right.append(_is_right(row, order))
            weights.append(1 / len(outside))
    if not odds:
        return 1.0
    x, y, w = np.array(odds), np.array(right, float), np.array(weights)

    def loss(heat: float) -> float:
        z = np.clip(heat * x, -30, 30)
        return float((w * (np.log1p(np.exp(z)) - y * z)).sum())

    return min((n / 20 for n in range(4, 31)), key=loss)


def logistic(
    x: Any, y: Any, w: Any, names: list[str], signs: Mapping[str, int], ridge: float = 0.3
) -> dict[str, float]:
    """Weights by name (and "prior"), on the scale of the signals themselves."""
    chosen = [n for n in names if x[:, names.index(n)].std() > 1e-9]
    while True:
        at = [names.index(n) for n in chosen]
        mean, scale = x[:, at].mean(0), x[:, at].std(0)
        made = _newton(np.column_stack([(x[:, at] - mean) / scale, np.ones(len(x))]), y, w, ridge)
        wrong = [(abs(made[i]), n) for i, n in enumerate(chosen) if made[i] * signs.get(n, 0) < 0]
        if not wrong:
            raw = made[:-1] / scale
            told = dict(zip(chosen, raw.tolist(), strict=True))
            return {**told, "prior": float(made[-1] - (raw * mean).sum())}
        chosen.remove(max(wrong)[1])


def _newton(x: Any, y: Any, w: Any, ridge: float) -> Any:
    """Weighted logistic regression by Newton's method; the last column is not shrunk."""
    b = np.zeros(x.shape[1])
    shrink = np.eye(len(b)) * ridge * w.sum() / len(w)
    shrink[-1, -1] = 0
    for _ in range(60):
        p = 1 / (1 + np.exp(-np.clip(x @ b, -30, 30)))
        gradient = x.T @ (w * (p - y)) + shrink @ b
        curve = (x * (w * p * (1 - p))[:, None]).T @ x + shrink + 1e-9 * np.eye(len(b))
        step = np.linalg.solve(curve, gradient)
        b -= step
        if abs(step).max() < 1e-8:
            break
    return b


def _score(known: Mapping[str, float], weights: Mapping[str, float]) -> float:
    parts = (value * known[name] for name, value in weights.items() if name != "prior")
    return weights["prior"] + sum(parts)


def ranked(row: Wide, weights: Mapping[str, float]) -> list[tuple[Candidate, str]]:
    """The candidates as these weights would have them, best first."""
    made = []
    for n, (document, known) in enumerate(zip(row.documents, row.signals, strict=True)):
        value = _score(known, weights)
        signals = Signals(**{name: known.get(name, 0.0) for name in Signals._fields})
        made.append((Candidate(n, n, value, (), signals, probability(value)), document))
    return sorted(made, key=lambda pair: -pair[0].score)


def _is_right(row: Wide, order: Sequence[tuple[Candidate, str]]) -> bool:
    return any(document in row.gold for _, document in order[: grade.FIRST])


# ------------------------------------------------------------------ cut and gate


def _policy(rows: Sequence[Wide], graders: Mapping[str, Any], vector: float) -> dict[str, float]:
    read = [(row, *_read(row, graders)) for row in rows if row.documents]
    base = MODES["balanced"]._replace(vector_weight=vector)
    keep = max((k for k in KEEPS if _turned_away(read, k) <= TURNED_AWAY), default=KEEPS[0])
    base = base._replace(keep=keep)
    whole = _everything(read, base._replace(cut=False))
    sharp = max(
        (m for m in SHARPER if whole - _everything(read, _sharper(base, m)) <= COSTS),
        default=SHARPER[0],
    )
    base = _sharper(base, sharp)
    names = ("vector_weight", "keep", "worth", "worth_open", "worth_dated", "worth_far")
    return {**{n: getattr(base, n) for n in names}, "direct_confidence": _direct(read)}


Read = tuple[Wide, list[tuple[Candidate, str]], float]


def _read(row: Wide, graders: Mapping[str, Any]) -> tuple[list[tuple[Candidate, str]], float]:
    about = graders.get(row.kind) or shipped()["graders"][row.kind]
    order = ranked(row, {**about["weights"], "prior": about["prior"]})
    by = grade.Grader(row.kind, 0.0, {}, about["together_prior"], about["together"])
    return order, grade.together([c for c, _ in order], by)


def _sharper(policy: Policy, times: float) -> Policy:
    return policy._replace(
        worth=policy.worth * times, worth_open=policy.worth_open * times,
        worth_dated=policy.worth_dated * times, worth_far=min(0.5, policy.worth_far * times),
    )  # fmt: skip


def _everything(read: Sequence[Read], policy: Policy) -> float:
    """The mean over domains of how often all the gold is in the set."""
    some = [one for one in read if one[0].gold]
    values = []
    for row, order, confidence in some:
        kept, _ = cut([c for c, _ in order], policy, confidence, is_open=row.is_open,
                      by_words=row.kind in ("words", "terse"))  # fmt: skip
        found = {row.documents[c.document] for c in kept}
        values.append(float(found >= set(row.gold)))
    return _mean(by_domain([one[0] for one in some], values))


def _turned_away(read: Sequence[Read], keep: float) -> float:
    """The worst domain's share of answerable questions that are found and below the threshold."""
    some = [one for one in read if one[0].gold and _is_right(one[0], one[1])]
    return max(by_domain([one[0] for one in some], [float(p < keep) for _, _, p in some]).values())


def _direct(read: Sequence[Read]) -> float:
    """The threshold with the fewest mistakes, served wrongly or left open wrongly, over domains."""

    def mistakes(threshold: float) -> float:
        values = [float((p >= threshold) != _is_right(row, order)) for row, order, p in read]
        return _mean(by_domain([one[0] for one in read], values))

    return min((n / 20 for n in range(8, 18)), key=mistakes)
