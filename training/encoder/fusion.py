"""Which arm to trust: a weight of the vector arm for each question, from a handful of features.

    python -m training.encoder.fusion --data DIR --hits HITS [--model teacher] [--out FILE]

The weight w (0: words alone, 1: the vector alone) is the logistic function of a weighted sum of
features of the question and of the two rankings. The weights of the features are found by the
mean nDCG@10 over domains, with the domain that is read left out; rankings come from models that
had left it out too. Fused are reciprocal ranks, (1 - w) of words and w of vectors.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from training.encoder.reading import Judge, fused, hits_of, load, shown
from training.encoder.sets import domain

GRID = (0.0, 0.15, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
PENALTY = 0.002
UNREAD = ("xquad-zh", "xquad-ru", "xquad-ar")
"""Scripts that the vocabulary spells letter by letter: words alone are asked there."""
_CODE = re.compile(r"[\w./:-]*[\d_/.:][\w./:-]*\w|[\"“«„'`][^\"”»“'`]+[\"”»“'`]")
_NAME = re.compile(r"(?<!^)(?<![.?!] )\b[A-Z][\w-]+")


class Row(NamedTuple):
    """One question: its features, and its nDCG@10 for each weight of GRID."""

    set: str
    features: dict[str, float]
    gains: Any


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
            best = found["best"].tolist()
            near = ranked[n].tolist()
            gains = np.array([judge(n, fused([(1 - w, best), (w, near)])).ndcg for w in GRID])
            asked = judge.questions[n].text
            out.append(Row(name, features(asked, found, ranked[n], scores[n]), gains))
    return out


def set_relative(many: Sequence[Row]) -> list[Row]:
    """With the nearest score's percentile among the set's questions added: how usual it is."""
    held: dict[str, list[float]] = {}
    for row in many:
        held.setdefault(row.set, []).append(row.features["nearest"])
    means = {name: (np.mean(v), np.std(v) + 1e-6) for name, v in held.items()}
    out = []
    for row in many:
        mean, spread = means[row.set]
        usual = float((row.features["nearest"] - mean) / spread) / 3
        out.append(row._replace(features=row.features | {"usual": usual}))
    return out


class Table:
    """Rows as arrays, with weights under which domains count alike and sets within them."""

    def __init__(self, many: Sequence[Row], names: Sequence[str]) -> None:
        self.sets = np.array([r.set for r in many])
        self.domains = np.array([domain(r.set) for r in many])
        self.x = np.array([[1.0, *(r.features[n] for n in names)] for r in many])
        self.gains = np.stack([r.gains for r in many])

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


def fitted(table: Table, which: Any, steps: int = 500) -> Any:
    """Feature weights that gain most on some rows (Adam from no feature at all)."""
    theta = np.zeros(table.x.shape[1])
    theta[0] = 0.4
    weights = table.weights(which)
    kept, table.gains = table.gains, smoothed(table.gains)
    first, second = np.zeros_like(theta), np.zeros_like(theta)
    for n in range(1, steps + 1):
        _, slope = value(table, theta, weights)
        first = 0.9 * first + 0.1 * slope
        second = 0.99 * second + 0.01 * slope**2
        step = first / (1 - 0.9**n) / (np.sqrt(second / (1 - 0.99**n)) + 1e-8)
        theta = theta + 0.05 * (1 - n / steps) * step
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


def chosen(many: Sequence[Row], names: Sequence[str], most: int) -> list[str]:
    """Features taken one by one while the mean over domains left out rises."""
    taken: list[str] = []
    best = -1.0
    while len(taken) < most:
        tried = {}
        for name in names:
            if name not in taken:
                table = Table(many, [*taken, name])
                tried[name] = np.mean(list(by_domain(table, left_out(table)).values()))
        name = max(tried, key=lambda n: tried[n])
        if tried[name] < best + 0.0005:
            break
        taken.append(name)
        best = float(tried[name])
        print(f"  + {name}: {best:.4f}", flush=True)
    return taken


def main() -> None:
    ask = argparse.ArgumentParser(description="a weight of the vector arm for each question")
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--hits", type=Path, required=True)
    ask.add_argument("--model", default="teacher")
    ask.add_argument("--most", type=int, default=6)
    ask.add_argument("--out", type=Path)
    given = ask.parse_args()
    texts, words = load(given.data)
    many = set_relative(rows(texts, words, hits_of(given.hits, given.model)))
    names = [n for n in many[0].features if n != "usual"]
    taken = chosen(many, names, given.most)
    table = Table(many, taken)
    theta = fitted(table, np.ones(len(many), bool))
    grid = list(GRID)
    columns = {
        "words": table.gains[:, 0], "vector": table.gains[:, -1],
        "1:1": table.gains[:, grid.index(0.5)], "about 1:3": table.gains[:, grid.index(0.7)],
        "learned, left out": left_out(table), "learned on it": gained(table, theta),
        "oracle": table.gains.max(1),
    }  # fmt: skip
    parts = {name: by_domain(table, gains) for name, gains in columns.items()}
    print("| domain | " + " | ".join(parts) + " |\n" + "|---" * (len(parts) + 1) + "|")
    for one in parts["words"]:
        print(f"| {one} | " + " | ".join(shown(p[one]) for p in parts.values()) + " |")
    means = [shown(float(np.mean(list(p.values())))) for p in parts.values()]
    print("| **mean** | " + " | ".join(means) + " |")
    made = dict(zip(["constant", *taken], [round(float(t), 3) for t in theta], strict=True))
    print(json.dumps(made))
    if given.out:
        given.out.write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main()
