"""Reciprocal rank fusion of the arms.

    score(d) = Σ_arm weight(arm) / (k + rank(arm, d))      k = 60

Cormack, Clarke & Büttcher, SIGIR 2009. Ranks, not scores, are fused: the arms' scores are on
scales that have nothing to do with each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from recollect.nouns import Arm, Candidate, Contribution, Hit
from recollect.reading.pool import Pass, Pool
from recollect.trace import say, stage

SEATS: Mapping[str, int] = {"lexical": 6, "title": 2}
"""How many of an arm's first hits are among the head whatever the others weigh: an arm of four
times the weight would else fill it alone, and what has all the words would not even be read."""


@stage("fuse")
def pool(asked: Pass, found: Sequence[Arm]) -> Pool:
    """Fuses what the arms found, and loads the passages that may be seen."""
    policy, arms = asked.policy, [arm for arm in found if arm.hits]
    depth = max(policy.limit, policy.rerank)
    fused, total = fuse(arms, policy.rrf_k, depth, policy.rerank or depth)
    stored = asked.view.passages([c.passage for c in fused])
    passages = {one.key: one for one in stored if asked.sees(one)}
    say(f"reciprocal rank fusion, k = {policy.rrf_k}")
    return Pool(
        asked,
        tuple(c for c in fused if c.passage in passages),
        passages,
        next((arm.idf for arm in found if arm.idf), {}),
        total,
        full=any(len(arm.every or arm.hits) >= policy.pool for arm in arms),
        others=_passages_of(hit for arm in arms for hit in arm.every),
        by_meaning=any(arm.name == "vector" for arm in arms),
    )


def _passages_of(hits: Iterable[Hit]) -> dict[int, tuple[int, ...]]:
    """Returns the passages of each document that was hit in several."""
    found: dict[int, dict[int, None]] = {}
    for hit in hits:
        found.setdefault(hit.document, {})[hit.passage] = None
    return {document: tuple(some) for document, some in found.items() if len(some) > 1}


def fuse(arms: Sequence[Arm], k: int, limit: int, head: int = 0) -> tuple[list[Candidate], int]:
    """Returns the best *limit* candidates, and how many there were; ties stay in the arms' order.
    The first hits of each arm have seats among the first *head*."""
    scores = _scores(arms, k)
    best = _seated(sorted(scores, key=scores.__getitem__, reverse=True), arms, head)[:limit]
    parts: dict[int, list[tuple[Contribution, int]]] = {document: [] for document in best}
    for arm in arms:
        for rank, hit in enumerate(arm.hits, 1):
            value = arm.weight / (k + rank)
            part = Contribution(arm.name, rank, hit.score, arm.weight, value)
            parts.setdefault(hit.document, []).append((part, hit.passage))
    return [_candidate(d, scores[d], parts[d]) for d in best], len(scores)


def _scores(arms: Sequence[Arm], k: int) -> dict[int, float]:
    """Returns the fused score of each document."""
    scores: dict[int, float] = {}
    for arm in arms:
        for rank, hit in enumerate(arm.hits, k + 1):
            scores[hit.document] = scores.get(hit.document, 0.0) + arm.weight / rank
    return scores


def _candidate(document: int, score: float, parts: Sequence[tuple[Contribution, int]]) -> Candidate:
    """Returns a candidate by the passage of the arm which was surest. A title says nothing about
    which passage is meant, so it decides only when it is alone."""
    _, passage = min(parts, key=lambda pair: (pair[0].arm == "title", pair[0].rank))
    return Candidate(document, passage, score, tuple(part for part, _ in parts))


def _seated(ranked: list[int], arms: Sequence[Arm], head: int) -> list[int]:
    """*ranked*, with those that have a seat moved up into the head."""
    seated = {hit.document: None for arm in arms for hit in arm.hits[: SEATS.get(arm.name, 0)]}
    front = ranked[:head]
    late = [d for d in seated if d not in front]
    spare = set([d for d in reversed(front) if d not in seated][: len(late)])
    chosen = dict.fromkeys([d for d in front if d not in spare] + late[: len(spare)])
    return [*chosen, *(d for d in ranked if d not in chosen)]
