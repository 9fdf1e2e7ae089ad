"""Which arm to trust: scores fused instead of ranks, and a weight of the vector for each question.

    python -m training.encoder.fusion --data DIR --hits HITS [--model teacher] [--out FILE]

A passage's score is its BM25 score as a share of the question's summed idf, plus a times its
cosine. Both say how good a hit is, not only which is the better one, so that rare words that are
found, or one vector that stands out, decide by themselves. The factor a is one number for all
(the best for the domains that are not read), or one for each question: a place in SLOPES, given by
the logistic function of a weighted sum of features of the question and of the two rankings, whose
weights are found by the mean nDCG@10 over the domains that are not read. Rankings come from models
that had left the domain out too.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from training.encoder.reading import Judge, by_scores, fused, hits_of, load, shown
from training.encoder.sets import domain

SLOPES = (0.5, 1.0, 2.0, 3.0, 4.5, 6.0, 9.0, 14.0, 40.0)
GRID = tuple(n / (len(SLOPES) - 1) for n in range(len(SLOPES)))
PENALTY = 0.002
UNREAD = ("xquad-zh", "xquad-ru", "xquad-ar")
"""Scripts that the vocabulary spells letter by letter: words alone are asked there."""
_CODE = re.compile(r"[\w./:-]*[\d_/.:][\w./:-]*\w|[\"“«„'`][^\"”»“'`]+[\"”»“'`]")
_NAME = re.compile(r"(?<!^)(?<![.?!] )\b[A-Z][\w-]+")


class Row(NamedTuple):
    """One question: its features, and its nDCG@10 for each factor of SLOPES and for words alone,
    the vector alone, and reciprocal ranks 1:1 and 1:3."""

    set: str
    features: dict[str, float]
    gains: Any
    plain: tuple[float, ...]


def features(question: str, found: dict[str, Any], ranking: Any, scores: Any) -> dict[str, float]:
    """What a question and its two rankings say, each about between 0 and 1."""
    idf = np.array(found["idf"] or [0.0])
    known = np.array(found["known"] or [0])
    total = max(1e-9, float(idf.sum()))
    covered = [np.array(c) for c in found["covered"]] or [np.zeros(len(idf), bool)]
    share = [float((idf * c).sum()) / total for c in covered]
    words = found["scores"]
    first = float(words[0]) if len(words) else 0.0
    tenth = float(words[min(9, len(words) - 1)]) if len(words) else 0.0
    near = scores.astype(float)
    top = found["best"][:10].tolist()
    agree = len(set(top) & set(ranking[:10].tolist())) / 10
    at = found["best"].tolist()
    place = at.index(int(ranking[0])) if int(ranking[0]) in at else 100
    best = int(top[0]) if top else -1
    order = ranking.tolist()
    back = order.index(best) if best in order else 100
    spread = float(near[:50].std()) + 1e-6
    return {
        "coverage": share[0],
        "uncovered": float(np.max(np.where(covered[0], 0.0, idf), initial=0.0)) / 10,
        "rarest": float(idf.max()) / 10,
        "unknown": float((known == 0).mean()),
        "strength": first / total / 2,
        "margin": (first - tenth) / max(first, 1e-9),
        "nearest": float(near[0]),
        "lead": float(near[0] - near[min(9, len(near) - 1)]) * 10,
        "stands out": float(near[0] - near[:50].mean()) / spread / 5,
        "agreement": agree,
        "vector's first by words": 1 / (1 + np.log1p(place)),
        "words' first by vector": 1 / (1 + np.log1p(back)),
        "length": min(1.0, len(question.split()) / 20),
        "codes": min(1.0, len(_CODE.findall(question)) / 2),
        "names": min(1.0, len(_NAME.findall(question)) / 3),
    }


def rows(texts: Any, words: Any, hits: dict[str, Any]) -> list[Row]:
    """All questions of all sets, with what each weight would have found."""
    out = []
    for name, held in texts.items():
        if name not in hits or name in UNREAD:
            continue
        judge = Judge(held)
        ranked, scores = hits[name]["vector"]
        for n, found in enumerate(words[name]["rows"]):
            best, near = found["best"].tolist(), ranked[n].tolist()
            both, share, cosines = by_scores(found, ranked[n], scores[n])
            order = [np.argsort(-(share + a * cosines), kind="stable") for a in SLOPES]
            gains = np.array([judge(n, both[o].tolist()).ndcg for o in order])
            rankings = (
                best, near, fused([(1, best), (1, near)]), fused([(1, best), (3, near)])
            )  # fmt: skip
            plain = tuple(judge(n, r).ndcg for r in rankings)
            asked = judge.questions[n].text
            told = features(asked, found, ranked[n], scores[n])
            out.append(Row(name, told, gains, plain))
    return out


class Table:
    """Rows as arrays, with weights under which domains count alike and sets within them."""

    def __init__(self, many: Sequence[Row], names: Sequence[str]) -> None:
        self.sets = np.array([r.set for r in many])
        self.domains = np.array([domain(r.set) for r in many])
        self.x = np.array([[1.0, *(r.features[n] for n in names)] for r in many])
        self.gains = np.stack([r.gains for r in many])
        self.plain = np.array([r.plain for r in many])

    def weights(self, which: Any) -> Any:
        out = np.zeros(len(self.sets))
        domains = sorted(set(self.domains[which]))
        for one in domains:
            inside = sorted(set(self.sets[which & (self.domains == one)]))
            for name in inside:
                rows = which & (self.sets == name)
                out[rows] = 1 / len(domains) / len(inside) / rows.sum()
        return out


def value(table: Table, theta: Any, weights: Any) -> tuple[float, Any]:
    """The mean gain (between grid points on a straight line) and its slope in theta."""
    w = 1 / (1 + np.exp(-np.clip(table.x @ theta, -12, 12)))
    grid = np.array(GRID)
    at = np.clip(np.searchsorted(grid, w) - 1, 0, len(grid) - 2)
    rows = np.arange(len(w))
    low, high = table.gains[rows, at], table.gains[rows, at + 1]
    step = grid[at + 1] - grid[at]
    gain = low + (high - low) * (w - grid[at]) / step
    slope = ((high - low) / step * w * (1 - w) * weights) @ table.x
    lost = PENALTY * (theta[1:] ** 2).sum()
    slope[1:] -= 2 * PENALTY * theta[1:]
    return float((gain * weights).sum() - lost), slope


def smoothed(gains: Any) -> Any:
    """Each gain with part of its neighbours', so that the slope leads past small steps."""
    padded = np.pad(gains, ((0, 0), (1, 1)), mode="edge")
    return 0.25 * padded[:, :-2] + 0.5 * padded[:, 1:-1] + 0.25 * padded[:, 2:]


def fitted(table: Table, which: Any, steps: int = 150) -> Any:
    """Feature weights that gain most on some rows (Adam from no feature at all)."""
    theta = np.zeros(table.x.shape[1])
    weights = table.weights(which)
    kept, table.gains = table.gains, smoothed(table.gains)
    first, second = np.zeros_like(theta), np.zeros_like(theta)
    for n in range(1, steps + 1):
        _, slope = value(table, theta, weights)
        first = 0.9 * first + 0.1 * slope
        second = 0.99 * second + 0.01 * slope**2
        step = first / (1 - 0.9**n) / (np.sqrt(second / (1 - 0.99**n)) + 1e-8)
        theta = theta + 0.15 * (1 - n / steps) * step
    table.gains = kept
    return theta


def gained(table: Table, theta: Any) -> Any:
    """Each row's gain at the grid point nearest to its weight."""
    w = 1 / (1 + np.exp(-table.x @ theta))
    at = np.abs(w[:, None] - np.array(GRID)[None]).argmin(1)
    return table.gains[np.arange(len(w)), at]


def left_out(table: Table) -> Any:
    """Each row's gain under weights found without its domain."""
    out = np.zeros(len(table.sets))
    for one in sorted(set(table.domains)):
        theta = fitted(table, table.domains != one)
        rows = table.domains == one
        out[rows] = gained(table, theta)[rows]
    return out


def by_domain(table: Table, gains: Any) -> dict[str, float]:
    out = {}
    for one in sorted(set(table.domains)):
        inside = sorted(set(table.sets[table.domains == one]))
        out[one] = float(np.mean([gains[table.sets == name].mean() for name in inside]))
    return out


def one_for_all(table: Table) -> Any:
    """Each row's gain under the factor that is best for the other domains."""
    out = np.zeros(len(table.sets))
    for one in sorted(set(table.domains)):
        weights = table.weights(table.domains != one)
        best = int((table.gains * weights[:, None]).sum(0).argmax())
        out[table.domains == one] = table.gains[table.domains == one, best]
    return out


def chosen(many: Sequence[Row], names: Sequence[str], most: int) -> list[str]:
    """Features taken one by one while the mean over the domains of *many*, each left out in its
    turn, rises by enough."""
    taken: list[str] = []
    best = float(np.mean(list(by_domain(*_alone(many)).values())))
    while len(taken) < most:
        tried = {}
        for name in names:
            if name not in taken:
                table = Table(many, [*taken, name])
                tried[name] = float(np.mean(list(by_domain(table, left_out(table)).values())))
        name = max(tried, key=lambda n: tried[n])
        if tried[name] < best + 0.0005:
            break
        taken.append(name)
        best = tried[name]
        print(f"  + {name}: {best:.4f}", flush=True)
    return taken


def _alone(many: Sequence[Row]) -> tuple[Table, Any]:
    table = Table(many, [])
    return table, one_for_all(table)


def main() -> None:
    ask = argparse.ArgumentParser(description="a weight of the vector arm for each question")
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--hits", type=Path, required=True)
    ask.add_argument("--model", default="teacher")
    ask.add_argument("--most", type=int, default=5)
    ask.add_argument("--out", type=Path)
    given = ask.parse_args()
    texts, words = load(given.data)
    many = rows(texts, words, hits_of(given.hits, given.model))
    names = list(many[0].features)
    columns: dict[str, Any] = {}
    everything = Table(many, names)
    for n, name in enumerate(("words", "vector", "RRF 1:1", "RRF 1:3")):
        columns[name] = everything.plain[:, n]
    columns["scores, one factor"] = one_for_all(everything)
    columns["scores, all features"] = left_out(everything)
    taken = chosen(many[::3], names, given.most)
    table = Table(many, taken)
    columns["scores, few features"] = left_out(table)
    columns["oracle"] = everything.gains.max(1)
    theta = fitted(table, np.ones(len(many), bool))
    parts = {name: by_domain(table, gains) for name, gains in columns.items()}
    print("| domain | " + " | ".join(parts) + " |\n" + "|---" * (len(parts) + 1) + "|")
    for one in parts["words"]:
        print(f"| {one} | " + " | ".join(shown(p[one]) for p in parts.values()) + " |")
    means = [shown(float(np.mean(list(p.values())))) for p in parts.values()]
    print("| **mean** | " + " | ".join(means) + " |")
    flat = everything.weights(np.ones(len(many), bool))
    factor = SLOPES[int((everything.gains * flat[:, None]).sum(0).argmax())]
    made: dict[str, Any] = {"factor": factor, "slopes": SLOPES}
    made["weights"] = dict(
        zip(["constant", *taken], [round(float(t), 3) for t in theta], strict=True)
    )
    print(json.dumps(made))
    if given.out:
        given.out.write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main()
