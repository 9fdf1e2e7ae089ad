"""The head of the list, read again by a model that sees question and passage together.

    score = log-odds + fused · (fused score / the best of them) + cosine · cosine

The first stage keeps a say: it has seen the whole store, and it is right where the reranker has
not learned the language or the subject. What lies behind the head gets the head's lowest odds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter

from recollect.errors import RecollectError
from recollect.ports import Reranker
from recollect.text.lexical import indexed_text
from recollect.trace import Trace
from recollect.types import Arm, Candidate, Contribution, Policy, StoredPassage

STAGES = frozenset({"cosine", "rerank"})
"""The contributions that come from here, not from an arm."""


def rerank(
    question: str, candidates: list[Candidate], passages: Mapping[int, StoredPassage],
    arms: Sequence[Arm], policy: Policy, reranker: Reranker | None, trace: Trace, why_not: str = "",
) -> list[Candidate]:  # fmt: skip
    """The candidates in their new order; as they were if there is no need or no way."""
    head = [c for c in candidates[: policy.rerank] if c.passage in passages]
    reason = _reason(question, head, policy, reranker, why_not)
    if reason or reranker is None:
        trace.skipped("rerank", reason)
        return candidates
    since = perf_counter()
    texts = [_text(passages[c.passage]) for c in head]
    try:
        odds = reranker.score(question, texts)
    except RecollectError as error:
        trace.failed("rerank", error.message)
        return candidates
    order = sorted(range(len(head)), key=lambda n: -odds[n])
    ranks = {head[n].document: rank for rank, n in enumerate(order, 1)}
    said = {c.document: odd for c, odd in zip(head, odds, strict=True)}
    cosines = {hit.document: hit.score for arm in arms if arm.name == "vector" for hit in arm.hits}
    least, far = min(odds), min(cosines.values(), default=0.0)
    scale = policy.rerank_fused / candidates[0].score
    made = []
    for c in candidates:
        odd, cosine = said.get(c.document, least), cosines.get(c.document, far)
        parts = [part._replace(value=part.value * scale) for part in c.contributions]
        weight = policy.rerank_cosine
        parts.append(Contribution("cosine", 0, cosine, weight, weight * cosine))
        parts.append(Contribution("rerank", ranks.get(c.document, 0), odd, 1.0, odd))
        made.append(Candidate(c.document, c.passage, sum(p.value for p in parts), tuple(parts)))
    made.sort(key=lambda c: -c.score)
    moved = sum(a.document != b.document for a, b in zip(candidates, made, strict=True))
    trace.ran("rerank", since, found=len(head), reason=f"{moved} changed places")
    return made


def _reason(
    question: str, head: Sequence[Candidate], policy: Policy, reranker: Reranker | None, why: str
) -> str:
    """Why there is nothing to be done, or nothing to do it with."""
    if policy.by != "hybrid":
        return f"the search is {'by keyword' if policy.by == 'keyword' else policy.by}"
    if not policy.rerank:
        return "switched off"
    if reranker is None:
        return why
    if len(head) < 2:
        return "there is nothing to put in order"
    if not reranker.reads(question):
        return f"{reranker.key.partition('@')[0]} does not know this script"
    return ""


def _text(stored: StoredPassage) -> str:
    return indexed_text(stored.document.title, stored.passage.heading, stored.passage.text)
