"""Fusion of the arms by their scores.

    score(p) = words(p) / Σ idf  +  a · (cosine(p) − the farthest that was found)

BM25 as a share of what the words of the question could give together, and the cosine, both say how
good a hit is and not only which of two is the better one. So rare words that are found, or one
vector that stands out, decide by themselves, which ranks cannot tell (reciprocal rank fusion is 1.8
to 2.3 points of nDCG@10 below this on domains left out, with every vector that was tried). The
title and the time that a question names add to all passages of a document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from recollect.nouns import Arm, Candidate, Contribution, Hit, Policy, grouped, partition
from recollect.reading.pool import (
    Pass,
    Pool,
    best_by_document,
    by_key,
    grouped_by_document,
    of_passages,
)
from recollect.trace import say, stage

MOST = 1.35
"""What the nearest vector adds at most: in a small store, or with another model, cosines may lie
far apart, and would leave the words nothing to say."""
INSIDE = 0.3
"""What being from the time that a question names adds, beside a word that is found."""
OF_DOCUMENTS = frozenset({"title", "window"})
"""Arms that speak of a document and not of one of its passages."""
READ = 40
"""Passages beyond the first of their documents that are kept, for what they may add."""


@stage("fuse")
def pool(asked: Pass, found: Sequence[Arm]) -> Pool:
    """Fuses what the arms found, and loads the passages that may be seen."""
    policy, arms = asked.policy, [arm for arm in found if arm.hits]
    ranked = fuse(found, policy)
    firsts = list(best_by_document(ranked).values())
    kept = firsts[: max(policy.limit + policy.named, policy.rerank)]
    further = _others(ranked, kept)
    stored = asked.view.passages([c.passage for c in (*kept, *further)])
    passages = by_key(filter(asked.sees, stored))
    say("by scores")
    return Pool(
        asked,
        tuple(of_passages(kept, passages)),
        passages,
        _idf(found),
        len(firsts),
        full=any(len(arm.found) >= policy.pool for arm in arms),
        others=grouped_by_document(of_passages(further, passages)),
        by_meaning=any(arm.name == "vector" for arm in arms),
        among=max(arm.among for arm in found),
    )


def documents(found: Sequence[Arm], policy: Policy) -> list[Candidate]:
    """Returns the documents that the arms found, each by its best passage, best first."""
    return list(best_by_document(fuse(found, policy)).values())


def _idf(found: Sequence[Arm]) -> Mapping[str, float]:
    """Returns how rare the words of the question are, as the arm that goes by words tells it."""
    return next((arm.idf for arm in found if arm.idf), {})


def _others(ranked: Sequence[Candidate], firsts: Sequence[Candidate]) -> list[Candidate]:
    """Returns the next best passages of the documents that are kept."""
    taken = {c.passage for c in firsts}
    documents = {c.document for c in firsts}
    others = (c for c in ranked if c.document in documents and c.passage not in taken)
    return list(others)[:READ]


def fuse(found: Sequence[Arm], policy: Policy) -> list[Candidate]:
    """Returns the passages that the arms found, best first; ties stay in the arms' order."""
    arms = [arm for arm in found if arm.hits]
    whole = sum(_idf(found).values()) or 1.0
    parts: dict[tuple[int, int], list[Contribution]] = {}
    of_documents, of_passages = partition(lambda arm: arm.name in OF_DOCUMENTS, arms)
    for arm in of_passages:
        for hit, part in _contributions(arm, whole):
            parts.setdefault((hit.document, hit.passage), []).append(part)
    for arm in of_documents:
        _credit(parts, arm, whole, policy)
    made = [
        Candidate(document, passage, sum(part.value for part in some), tuple(some))
        for (document, passage), some in parts.items()
    ]
    return sorted(made, key=lambda c: -c.score)


def _contributions(arm: Arm, whole: float) -> Iterable[tuple[Hit, Contribution]]:
    """Yields what an arm of passages adds to each of those it found."""
    hits = _once(arm.found)
    far, weight = 0.0, arm.weight / whole
    if arm.name == "vector":
        far = hits[-1].score
        weight = min(arm.weight, MOST / max(hits[0].score - far, 1e-6))
    for rank, hit in enumerate(hits, 1):
        value = weight * (hit.score - far)
        yield hit, Contribution(arm.name, rank, hit.score, weight, value)


def _once(hits: Sequence[Hit]) -> list[Hit]:
    """Returns each passage by its best hit: one that has all the words was found twice."""
    best: dict[int, Hit] = {}
    for hit in hits:
        known = best.setdefault(hit.passage, hit)
        best[hit.passage] = max(known, hit, key=lambda one: one.score)
    return sorted(best.values(), key=lambda hit: -hit.score)


def _credit(
    parts: dict[tuple[int, int], list[Contribution]], arm: Arm, whole: float, policy: Policy
) -> None:
    """Adds what an arm of documents says to all passages of each, or to its own if none was
    found in another way."""
    known = grouped((document, (document, passage)) for document, passage in parts)
    for rank, hit in enumerate(arm.hits, 1):
        value = policy.window_weight * INSIDE
        if arm.name == "title":
            value = arm.weight * hit.score / whole
        part = Contribution(arm.name, rank, hit.score, arm.weight, value)
        for key in known.get(hit.document, [(hit.document, hit.passage)]):
            parts.setdefault(key, []).append(part)
