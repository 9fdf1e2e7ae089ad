"""The head of the list, read again by a model that sees question and passage together."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

from recollect.nouns import Candidate, StoredPassage
from recollect.ports import Reranker
from recollect.reading.pool import Pass, Pool
from recollect.text.lexical import indexed_text
from recollect.trace import current, say, skip, stage

FIRST = 8
"""Passages that are read before the clock is looked at."""


def read(pool: Pool, candidates: Sequence[Candidate]) -> Pool:
    """Returns the pool with the log-odds of these candidates, as many of the best as the policy
    wants read and there is time for."""
    head = [c for c in candidates[: pool.of.policy.rerank] if c.passage in pool.passages]
    before = pool.of.known_odds
    known = {c.document: before[c.passage] for c in head if c.passage in before}
    unread = [c for c in head if c.document not in known]
    found = _read(pool, unread, known=len(known))
    return pool._replace(odds={**pool.odds, **known, **found})


@stage("rerank", otherwise={})
def _read(pool: Pool, unread: Sequence[Candidate], *, known: int) -> dict[int, float]:
    """Returns the log-odds by document; none where there is no need or no way."""
    reranker, asked = pool.of.models.reranker, pool.of
    reason = "all of it was read before" if known and not unread else _why_not(asked, unread)
    if reason or reranker is None:
        return skip(reason, {})
    texts = [_text(pool.stored(c)) for c in unread]
    odds = _scored(reranker, asked, texts)
    lost = len(texts) - len(odds)
    say(f"{lost} left unread: out of time" if lost else "", found=len(odds))
    scale = asked.models.odds
    scaled = odds if scale is None else [scale.of(odd) for odd in odds]
    return {c.document: odd for c, odd in zip(unread, scaled, strict=False)}


def _scored(reranker: Reranker, asked: Pass, texts: Sequence[str]) -> list[float]:
    """Reads the first, and of the others as many as there seems to be time for."""
    since = perf_counter()
    odds = reranker.score(asked.parsed.prose, texts[:FIRST])
    current().look_up("rerank")
    spent = (perf_counter() - since) * 1000
    room = int((asked.policy.rerank_ms - spent) / max(spent / len(odds), 1e-6))
    rest = texts[FIRST : FIRST + max(0, room)]
    return odds + (reranker.score(asked.parsed.prose, rest) if rest else [])


def _why_not(asked: Pass, head: Sequence[Candidate]) -> str:
    """Says why there is nothing to be done, or nothing to do it with; empty when there is."""
    policy, reranker = asked.policy, asked.models.reranker
    if policy.by != "hybrid":
        return f"the search is {'by keyword' if policy.by == 'keyword' else policy.by}"
    if not policy.rerank:
        return "switched off"
    if reranker is None:
        return asked.models.reranker_note
    if not head:
        return "nothing was found"
    if not reranker.reads(asked.parsed.prose):
        return f"{reranker.key.partition('@')[0]} does not know this script"
    return ""


def _text(stored: StoredPassage) -> str:
    return indexed_text(stored.document.title, stored.passage.heading, stored.passage.text)
