"""Reciprocal rank fusion of the arms.

    score(d) = Σ_arm weight(arm) / (k + rank(arm, d))      k = 60

Cormack, Clarke & Büttcher, SIGIR 2009. Ranks, not scores, are fused: the arms' scores are on
scales that have nothing to do with each other.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.types import Arm, Candidate, Contribution


def fuse(arms: Sequence[Arm], k: int) -> list[Candidate]:
    """Candidates, best first; ties go to the document written first."""
    found: dict[int, list[Contribution]] = {}
    passage: dict[int, tuple[int, int]] = {}
    for arm in arms:
        for rank, hit in enumerate(arm.hits, 1):
            found.setdefault(hit.document, []).append(
                Contribution(arm.name, rank, hit.score, arm.weight, arm.weight / (k + rank))
            )
            # The passage to show is that of the arm which was surest; a title says nothing
            # about which passage is meant, so it decides only when it is alone.
            surety = rank + (1_000_000 if arm.name == "title" else 0)
            if hit.document not in passage or surety < passage[hit.document][0]:
                passage[hit.document] = (surety, hit.passage)
    candidates = [
        Candidate(document, passage[document][1], tuple(parts))
        for document, parts in found.items()
    ]
    return sorted(candidates, key=lambda c: (-c.score, c.document))
