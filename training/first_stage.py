"""Our first stage on the GPU: keyword lists made by the product, fused with a model's vectors."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

RRF = 60
WORDS, MEANING = 1.0, 2.0
POOL = 50


def fused(lexical: Sequence[int], dense: Sequence[int]) -> list[tuple[int, float]]:
    """Rows by reciprocal rank fusion, best first."""
    scores: dict[int, float] = {}
    for weight, rows in ((WORDS, lexical), (MEANING, dense)):
        for rank, row in enumerate(rows):
            scores[row] = scores.get(row, 0.0) + weight / (RRF + rank + 1)
    return sorted(scores.items(), key=lambda item: -item[1])


def nearest(queries: Tensor, passages: Tensor, rows: Tensor, count: int = POOL) -> list[list[int]]:
    """For each query the nearest passages, as row numbers."""
    found: list[list[int]] = []
    for start in range(0, len(queries), 2048):
        top = (queries[start : start + 2048] @ passages.T).topk(min(count, len(rows)), dim=1)
        found += rows[top.indices].tolist()
    return found


def ndcg(documents: Sequence[str], gold: Sequence[str]) -> float:
    ranked = list(dict.fromkeys(documents))[:10]
    wanted = set(gold)
    gain = sum(1 / math.log2(n + 2) for n, d in enumerate(ranked) if d in wanted)
    return gain / sum(1 / math.log2(n + 2) for n in range(min(10, len(wanted))))


def is_dev(question: dict[str, Any]) -> bool:
    """Kept for choosing among models: a third of the fit half; of 2wiki all of it, which has
    training questions of its own."""
    if question["use"] == "train":
        return False
    number = int(hashlib.sha1(question["id"].encode()).hexdigest(), 16)
    return question["set"] == "2wiki" or number // 2 % 3 == 0


class Evaluation:
    """The questions of every set that are not learned from, and how well a model's vectors
    answer them."""

    def __init__(self, passages: Sequence[dict[str, str]], asked: Sequence[dict[str, Any]]) -> None:
        self.passages = passages
        self.asked = [q for q in asked if is_dev(q) and q["gold"]]
        self.sets: dict[str, list[int]] = {}
        for n, row in enumerate(passages):
            if "d" in row:
                self.sets.setdefault(row["s"], []).append(n)

    def scores(self, queries: Tensor, vectors: Tensor) -> dict[str, tuple[float, float]]:
        """Per set nDCG@10 of the dense arm and of the fusion; *queries* as in ``asked``,
        *vectors* as in ``passages``."""
        result = {}
        for name, rows in self.sets.items():
            mine = [n for n, q in enumerate(self.asked) if q["set"] == name]
            at = torch.tensor(rows, device=vectors.device)
            dense = nearest(queries[mine], vectors[at], at)
            alone = both = 0.0
            for n, found in zip(mine, dense, strict=True):
                q = self.asked[n]
                alone += ndcg([self.passages[r]["d"] for r in found], q["gold"])
                mixed = [r for r, _ in fused(q["lex"], found)]
                both += ndcg([self.passages[r]["d"] for r in mixed], q["gold"])
            result[name] = alone / len(mine), both / len(mine)
        return result
