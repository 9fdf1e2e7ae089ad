"""The light parts of the read path, fitted on some domains: the grade, the gate, the spans.

Everything is fitted on the fit halves of the sets that may be fitted, and on questions of another
domain, of which nothing is stored; a domain counts as much as any other, a set as much as the
others of its domain, a question as the others of its set. Vectors are those of encoders
that have not seen the domain, where there are such (:mod:`bench.unseen.stores`).

The order: (1) logistic regressions for each kind of evidence at hand, a candidate and a set at a
time, and the gate (:mod:`recollect.reading.grade`); (2) one for the sentences that hold evidence
(:mod:`recollect.reading.spans`); (3) one that tells questions whose answer was found from twins
with a word exchanged (:mod:`bench.unseen.twins`). A temperature for the set's log-odds, fitted on
domains left out, made answers of easy domains too unsure.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.unseen.sets import SETS, domain_of
from bench.unseen.twins import MARK
from recollect.nouns import Candidate, Signals
from recollect.reading import grade, spans
from recollect.reading.pool import probability
from recollect.reading.stated import Stated

SHIPPED = Path(grade.__file__).with_name("grade.json")
SIGNS = {
    "cosine": 1, "cosine_gap": -1, "title": 1, "fused_gap": -1, "worded": 1, "coverage_gap": -1,
    "rarest": 1, "no_name": -1, "no_number": -1, "no_year": -1, "other_time": -1, "hop": 1,
    "bridge": 0,
}  # fmt: skip
"""A signal that comes out with another sign than this is left out: a passage that lacks a name is
not the better for it. Ranks in the arms are not among them: with them, domains that were left out
are ordered worse."""
TOGETHER = {
    "margin": 1, "cosine": 1, "coverage": 1, "rivals": -1, "no_name": -1, "no_number": -1,
    "no_year": -1, "other_time": -1, "mass": 1, "sentence": 1, "scattered": -1,
    "exchanged": -1,
}  # fmt: skip
"""More signals make the error of domains left out larger."""
STORED = {"cosine": 1, "best_coverage": 1, "absent": -1, "among": -1}
SPANS = {"gap": -1, "rank": -1, "coverage": 1, "behind": 0, "units": 0, "place": -1,
         "behind_units": 0, "near_gap": -1}  # fmt: skip
KINDS: Mapping[str, tuple[str, ...]] = {
    "cosine": (),
    "words": ("cosine", "cosine_gap", "hop", "bridge", "among"),
}
"""Kinds of evidence, and the signals that each is without."""
STATED = {"sentence": 1, "scattered": -1, "exchanged": -1, "asked": 1}
SPARED = 0.08
"""The share of the questions whose answer was found that twins may cost their status."""
LOOKED_AT = 25
"""Candidates of a question that are fitted on."""
FEWEST = 60
"""Questions of a kind below which the shipped weights stay."""


class Part(NamedTuple):
    """A sentence or line, and whether it holds evidence."""

    features: tuple[float, ...]
    right: bool


class Wide(NamedTuple):
    """What the read path knows of a question before anything is cut."""

    set: str
    id: str
    half: str
    kind: str
    """Which grader it was graded by."""
    gold: tuple[str, ...]
    documents: tuple[str, ...]
    signals: tuple[Mapping[str, float], ...]
    parts: tuple[Part, ...] = ()
    foreign: str = ""
    """The set that a question is from which nothing is stored for."""
    around: grade.Surroundings = grade.Surroundings()

    @property
    def twin_of(self) -> str:
        """The id of the question that it is a twin of, which nothing answers."""
        first, mark, _ = self.id.partition(MARK)
        return first if mark else ""

    @property
    def domain(self) -> str:
        return domain_of(self.set)

    @property
    def domains(self) -> tuple[str, ...]:
        return tuple(domain_of(name) for name in (self.set, self.foreign) if name)


class Fold(NamedTuple):
    """What was fitted, as the read path takes it."""

    graders: Mapping[str, Any]
    spans: Mapping[str, Any]
    stated: Mapping[str, Any]
    fitted_on: tuple[str, ...]
    """Sets."""

    def data(self) -> Mapping[str, Any]:
        """In the form of ``grade.json``."""
        graders = {**shipped()["graders"], **self.graders}
        return {**shipped(), "graders": graders, "stated": self.stated}


@cache
def shipped() -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = json.loads(SHIPPED.read_text(encoding="utf-8"))
    return loaded


def fitted(rows: Sequence[Wide], without: str = "") -> Fold:
    """Fit everything on the rows of the other domains. Raises ValueError where a row is of a set
    that is read-only."""
    if barred := sorted({row.set for row in rows if row.set in SETS and not SETS[row.set].fits}):
        raise ValueError(f"nothing is fitted on {', '.join(barred)}")
    fit = [trimmed(row) for row in rows if row.half == "fit" and without not in row.domains]
    some = [row for row in fit if not row.twin_of]
    graders = {}
    for kind in KINDS:
        here = [row for row in some if row.kind == kind]
        if len(here) >= FEWEST and len({row.domain for row in here}) > 1:
            graders[kind] = _grader(here, kind)
    names = tuple(sorted({row.set for row in some}))
    return Fold(graders, _spans(some), _stated(fit, graders), names)


def trimmed(row: Wide) -> Wide:
    """The candidates that are fitted on: the best of them."""
    return row._replace(
        documents=row.documents[:LOOKED_AT],
        signals=row.signals[:LOOKED_AT],
    )


def balanced(rows: Sequence[Wide]) -> Any:
    """A weight for each row, so that domains weigh the same, and sets inside a domain."""
    sets = Counter(row.set for row in rows)
    domains = Counter(map(domain_of, sets))
    weights = [1 / (sets[row.set] * domains[row.domain]) for row in rows]
    return np.array(weights) * len(rows) / sum(weights)


# ------------------------------------------------------------------ spans


def _spans(rows: Sequence[Wide]) -> dict[str, Any]:
    """The weights of a sentence's features for each kind of evidence, where there is enough of it;
    else those that ship."""
    made: dict[str, Any] = json.loads(SHIPPED.with_name("spans.json").read_text("utf-8"))
    for kind, many in spans.KINDS.items():
        some = [row for row in rows if row.parts and len(row.parts[0].features) >= many]
        if len(some) >= FEWEST:
            made[kind] = _of_sentences(some, spans.FEATURES[:many])
    return made


def _of_sentences(some: Sequence[Wide], names: Sequence[str]) -> dict[str, Any]:
    """The weights of these features, each question as much as any other."""
    weights = balanced(some)
    x = np.array([part.features[: len(names)] for row in some for part in row.parts])
    y = np.array([float(part.right) for row in some for part in row.parts])
    each = [w / len(row.parts) for row, w in zip(some, weights, strict=True) for _ in row.parts]
    w = np.array(each) * len(each) / sum(each)
    found = logistic(x, y, w, list(names), SPANS)
    prior = round(found.pop("prior"), 4)
    return {"prior": prior, "weights": {n: round(found.get(n, 0.0), 4) for n in names}}


# ------------------------------------------------------------------ twins


def _stated(rows: Sequence[Wide], graders: Mapping[str, Any]) -> Mapping[str, Any]:
    """The weights that tell questions whose answer was found from their twins, and the score that
    nearly all of the former have."""
    by = {**shipped()["graders"], **graders}["cosine"]
    each = {**by["weights"], "prior": by["prior"]}
    asked = [row for row in rows if row.kind == "cosine" and not row.twin_of and row.documents]
    asked = [row for row in asked if row.around.taught]
    right = [row for row in asked if _is_right(row, ranked(row, each))]
    known = {(row.set, row.id) for row in right}
    twins = [row for row in rows if (row.set, row.twin_of) in known and row.documents]
    if min(len(right), len(twins)) < FEWEST:
        stays: Mapping[str, Any] = shipped()["stated"]
        return stays
    x = np.array([row.around.stated for row in (*right, *twins)])
    y = np.array([1.0] * len(right) + [0.0] * len(twins))
    sides = [balanced(right) / len(right) * 0.7, balanced(twins) / len(twins) * 0.3]
    made = logistic(x, y, np.concatenate(sides) * len(y), list(Stated._fields), STATED, 3.0)
    weights = {name: round(made[name], 4) for name in Stated._fields if name in made}
    values = x[: len(right)] @ np.array([made.get(name, 0.0) for name in Stated._fields])
    order = np.argsort(values)
    heaped = np.cumsum(sides[0][order])
    least = values[order][np.searchsorted(heaped, SPARED * heaped[-1])]
    return {"weights": weights, "least": round(float(least), 4)}


# ------------------------------------------------------------------ grade


def _grader(rows: Sequence[Wide], kind: str) -> dict[str, Any]:
    each, together = _regressions(rows, kind)
    stored = _gate(rows, kind, each)
    return {
        "prior": round(each.pop("prior"), 4),
        "weights": {name: round(value, 4) for name, value in each.items()},
        "together_prior": round(together.pop("prior"), 4),
        "together": {name: round(value, 4) for name, value in together.items()},
        "stored_prior": round(stored.pop("prior"), 4),
        "stored": {name: round(value, 4) for name, value in stored.items()},
    }


def _gate(rows: Sequence[Wide], kind: str, each: Mapping[str, float]) -> dict[str, float]:
    """Of questions whose answer was found, and of those of another domain; others share the topic,
    and the gate does not judge them. Both weigh the same."""
    found = [row for row in rows if row.documents]
    sure = [row for row in found if row.foreign or set(row.documents) & set(row.gold)]
    foreign = np.array([bool(row.foreign) for row in sure])
    weights = np.zeros(len(sure))
    for side in (foreign, ~foreign):
        weights[side] = balanced([row for row, here in zip(sure, side, strict=True) if here])
        weights[side] /= weights[side].sum()
    names = [name for name in STORED if name not in KINDS[kind]]
    x = np.array([_values(_known(row, each), names) for row in sure])
    return logistic(x, (~foreign).astype(float), weights * len(sure), names, STORED, 3.0)


def _values(known: Mapping[str, float], names: Sequence[str]) -> list[float]:
    return [known[name] for name in names]


def _known(row: Wide, each: Mapping[str, float]) -> dict[str, float]:
    return grade.set_signals([c for c, _ in ranked(row, each)], row.around)


def _regressions(rows: Sequence[Wide], kind: str) -> tuple[dict[str, float], dict[str, float]]:
    names = [name for name in SIGNS if name not in KINDS[kind]]
    found = [row for row in rows if row.documents]
    weights = balanced(found)
    x = np.array([[known[n] for n in names] for row in found for known in row.signals])
    y = np.array([float(d in row.gold) for row in found for d in row.documents])
    w = np.array([v for row, v in zip(found, weights, strict=True) for _ in row.documents])
    each = logistic(x, y, w, names, SIGNS, 0.3)
    near = [row for row in found if not row.foreign]  # the gate tells the others
    columns = [name for name in TOGETHER if name not in KINDS[kind]]
    x = np.array([_values(_known(row, each), columns) for row in near])
    y = np.array([float(_is_right(row, ranked(row, each))) for row in near])
    return each, logistic(x, y, balanced(near), columns, TOGETHER, 3.0)


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


def openness(row: Wide, weights: Mapping[str, Any]) -> float:
    """The log-odds with which the gate lets a question through, by a grader's weights."""
    known = _known(row, {**weights["weights"], "prior": weights["prior"]})
    return _score(known, {**weights["stored"], "prior": weights["stored_prior"]})


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
