"""The head of the list, read again by a model that sees question and passage together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter

from recollect.nouns import Candidate, Policy, StoredPassage
from recollect.ports import Reranker
from recollect.text.lexical import indexed_text
from recollect.trace import Trace

FIRST = 8
"""Read before the clock is looked at."""


def rerank(
    question: str, candidates: Sequence[Candidate], passages: Mapping[int, StoredPassage],
    policy: Policy, reranker: Reranker | None, trace: Trace, why_not: str = "",
) -> dict[int, float]:  # fmt: skip
    """Log-odds by document, for as many of the best as the policy wants read and there is time
    for; nothing when there is no need or no way."""
    head = [c for c in candidates[: policy.rerank] if c.passage in passages]
    reason = _reason(question, head, policy, reranker, why_not)
    if reason or reranker is None:
        trace.skipped("rerank", reason)
        return {}
    since = perf_counter()
    texts = [_text(passages[c.passage]) for c in head]
    with trace.surviving("rerank"):
        odds = reranker.score(question, texts[:FIRST])
        trace.look_up("rerank")
        spent = (perf_counter() - since) * 1000
        room = int((policy.rerank_ms - spent) / max(spent / len(odds), 1e-6))
        rest = texts[FIRST : FIRST + max(0, room)]
        odds += reranker.score(question, rest) if rest else []
        unread = len(head) - len(odds)
        said = f"{unread} left unread: out of time" if unread else ""
        trace.ran("rerank", since, found=len(odds), reason=said)
        return {c.document: odd for c, odd in zip(head, odds, strict=False)}
    return {}


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
    if not head:
        return "nothing was found"
    if not reranker.reads(question):
        return f"{reranker.key.partition('@')[0]} does not know this script"
    return ""


def _text(stored: StoredPassage) -> str:
    return indexed_text(stored.document.title, stored.passage.heading, stored.passage.text)
