"""What the reranker's number means, and how it is mixed with the first stage.

``python -m training.calibrate`` reads the candidates that ``training.rerank`` wrote for questions
kept out of training. It prints the slope and offset that make log-odds of the model's output
(each set weighs the same), the calibration error before and after, and the nDCG@10 gained over
the first stage for weights of the fused score and of the cosine. Scripts that the model does not
know are left out.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
from bench.quality import scores

from training.documents import OUT

UNKNOWN = ("xquad-zh", "xquad-ru", "xquad-ar")


def fitted(x: Any, right: Any, weight: Any) -> tuple[float, float]:
    """Slope and offset of a weighted logistic regression, by Newton's method."""
    slope, offset = 0.0, 0.0
    for _ in range(100):
        p = 1 / (1 + np.exp(-(slope * x + offset)))
        off, bend = weight * (p - right), weight * p * (1 - p)
        gradient = np.array([(off * x).sum(), off.sum()])
        cross = (bend * x).sum()
        curve = np.array([[(bend * x * x).sum(), cross], [cross, bend.sum()]])
        slope, offset = np.array([slope, offset]) - np.linalg.solve(curve, gradient)
    return float(slope), float(offset)


def error(p: Any, right: Any, weight: Any) -> float:
    """Expected calibration error over ten bins (Naeini et al., 2015)."""
    total = 0.0
    for low in np.arange(0, 1, 0.1):
        some = (p >= low) & (p < low + 0.1)
        if some.any():
            off = np.average(p[some] - right[some], weights=weight[some])
            total += weight[some].sum() / weight.sum() * abs(off)
    return float(total)


def gain(question: dict[str, Any], fused: float, cosine: float, slope: float) -> float:
    """nDCG@10 after less before."""
    found, gold = question["found"], set(question["gold"])
    top = found[0][1]
    order = sorted(found, key=lambda f: -(slope * f[4] + fused * f[1] / top + cosine * f[2]))
    return scores([f[0] for f in order], gold)[3] - scores([f[0] for f in found], gold)[3]


def main() -> None:
    asked = json.loads((OUT / "weights" / "rerank.json").read_text())
    asked = [q for q in asked if q["set"] not in UNKNOWN and q["found"]]
    counts = Counter(q["set"] for q in asked)
    rows = [(f[4], f[0] in q["gold"], 1 / counts[q["set"]]) for q in asked for f in q["found"]]
    x, right, weight = (np.array(column, float) for column in zip(*rows, strict=True))
    slope, offset = fitted(x, right, weight)
    before, after = 1 / (1 + np.exp(-x)), 1 / (1 + np.exp(-(slope * x + offset)))
    errors = error(before, right, weight), error(after, right, weight)
    print(f"slope {slope:.3f}, offset {offset:.3f}")
    print(f"calibration error {errors[0]:.3f} before, {errors[1]:.3f} after")
    for fused in (3.0, 6.5, 10.0, 15.0):
        for cosine in (0.0, 6.0, 11.0, 18.0, 30.0):
            told = []
            for name in counts:
                some = [q for q in asked if q["set"] == name and q["gold"]]
                mean = np.mean([gain(q, fused, cosine, slope) for q in some])
                told.append(f"{name} {100 * mean:+.1f}")
            print(f"fused {fused:4} cosine {cosine:4}: {' '.join(told)}")


if __name__ == "__main__":
    main()
