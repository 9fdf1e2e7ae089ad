"""Reciprocal rank fusion of the arms.

    score(d) = Σ_arm weight(arm) / (k + rank(arm, d))      k = 60

Cormack, Clarke & Büttcher, SIGIR 2009. Ranks, not scores, are fused: the arms' scores are on
scales that have nothing to do with each other.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.types import Arm, Candidate, Contribution


def fuse(arms: Sequence[Arm], k: int, limit: int) -> tuple[list[Candidate], int]:
    """The best *limit* candidates, and how many there were; ties stay in the arms' order."""
    scores: dict[int, float] = {}
    for arm in arms:
        weight = arm.weight
        for rank, hit in enumerate(arm.hits, k + 1):
            scores[hit.document] = scores.get(hit.document, 0.0) + weight / rank
    best = sorted(scores, key=scores.__getitem__, reverse=True)[:limit]
    parts: dict[int, list[Contribution]] = {document: [] for document in best}
    passages: dict[int, tuple[int, int]] = {}
    for arm in arms:
        for rank, hit in enumerate(arm.hits, 1):
            if hit.document not in parts:
                continue
            value = arm.weight / (k + rank)
            parts[hit.document].append(Contribution(arm.name, rank, hit.score, arm.weight, value))
            # The passage to show is that of the arm which was surest; a title says nothing
            # about which passage is meant, so it decides only when it is alone.
            surety = rank + (1_000_000 if arm.name == "title" else 0)
            if hit.document not in passages or surety < passages[hit.document][0]:
                passages[hit.document] = (surety, hit.passage)
    found = [Candidate(d, passages[d][1], scores[d], tuple(parts[d])) for d in best]
    return found, len(scores)
