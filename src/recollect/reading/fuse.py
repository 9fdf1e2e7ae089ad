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

from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    Arm,
    Candidate,
    Contribution,
    Hit,
    Policy,
    StoredPassage,
    grouped,
    partition,
)
from recollect.reading.pool import (
    Pass,
    Pool,
    best_by_document,
    by_key,
    grouped_by_document,
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
    """Fuses what the arms found, and loads the passages that may be seen and heard."""
    policy, arms = asked.policy, [arm for arm in found if arm.hits]
    ranked = fuse(found, policy)
    places = max(policy.limit + policy.named, policy.rerank)
    best = _loaded(asked, ranked, places)
    full = any(len(arm.found) >= policy.pool for arm in arms)
    say(f"by scores; left out: {best.unheard} that nobody said" if best.unheard else "by scores")
    return Pool(
        asked,
        best.kept,
        best.passages,
        _idf(found),
        len(best_by_document(ranked)),
        full,
        others=grouped_by_document(best.further),
        by_meaning=any(arm.name == "vector" for arm in arms),
        among=max(arm.among for arm in found),
        crowded=full and len(best.kept) < places and best.unheard >= policy.pool // 2,
    )


class _Loaded(NamedTuple):
    kept: tuple[Candidate, ...]
    """The best passage of each of the best documents."""
    further: tuple[Candidate, ...]
    """The next best of these documents."""
    passages: Mapping[int, StoredPassage]
    unheard: int
    """How many have no place because of who speaks in them."""


def _loaded(asked: Pass, ranked: Sequence[Candidate], places: int) -> _Loaded:
    """Loads the best; what may not be seen, or heard, leaves its place to the next."""
    stored: dict[int, StoredPassage] = {}
    left, unheard = list(ranked), 0
    while True:
        kept = tuple(best_by_document(left).values())[:places]
        further = tuple(_others(left, kept))
        new = [c.passage for c in (*kept, *further) if c.passage not in stored]
        if not new:
            return _Loaded(kept, further, stored, unheard)
        found = asked.view.passages(new)
        seen = list(filter(asked.sees, found))
        heard = by_key(filter(asked.admits, seen))
        unheard += len(seen) - len(heard)
        stored |= heard
        hidden = {key for key in new if key not in heard}
        left = [c for c in left if c.passage not in hidden]


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
