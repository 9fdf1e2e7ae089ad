"""The head of the list, read again by a model that sees question and passage together."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.nouns import Candidate, StoredPassage
from recollect.reading.pool import Pass, Pool, not_of_documents, of_passages
from recollect.text.lexical import indexed_text
from recollect.trace import degrade, say, skip, stage


def read(pool: Pool, candidates: Sequence[Candidate]) -> Pool:
    """Returns the pool with the log-odds of these candidates, as many of the best as the policy
    wants read."""
    head = list(of_passages(candidates[: pool.of.policy.rerank], pool.passages))
    before = pool.of.known_odds
    known = {c.document: before[c.passage] for c in head if c.passage in before}
    unread = list(not_of_documents(head, known))
    found = _read(pool, unread, known=len(known))
    return pool._replace(odds={**pool.odds, **known, **found})


@stage("rerank", otherwise={})
def _read(pool: Pool, unread: Sequence[Candidate], *, known: int) -> dict[int, float]:
    """Returns the log-odds by document; none where there is no need or no way."""
    reranker, asked = pool.of.models.reranker, pool.of
    reason = "all of it was read before" if known and not unread else _why_not(asked, unread)
    if reason:
        return skip(reason, {})
    if reranker is None:
        return _without(asked.models.reranker_note)
    odds = reranker.score(asked.parsed.prose, [_text(pool.stored(c)) for c in unread])
    say(found=len(odds))
    return {c.document: odd for c, odd in zip(unread, odds, strict=True)}


def _without(note: str) -> dict[int, float]:
    """Goes on without a reranker: the answer is the poorer where one is wanted."""
    if note:
        degrade("rerank", note)
    return skip(note or "no reranker is in use", {})


def _why_not(asked: Pass, head: Sequence[Candidate]) -> str:
    """Says why there is nothing to be done, or nothing to do it with; empty when there is."""
    policy, reranker = asked.policy, asked.models.reranker
    if policy.by != "hybrid":
        return f"the search is {'by keyword' if policy.by == 'keyword' else policy.by}"
    if not policy.rerank:
        return "switched off"
    if not head:
        return "nothing was found"
    if reranker is not None and not reranker.reads(asked.parsed.prose):
        return f"{reranker.key.partition('@')[0]} does not know this script"
    return ""


def _text(stored: StoredPassage) -> str:
    return indexed_text(stored.document.title, stored.passage.heading, stored.passage.text)
