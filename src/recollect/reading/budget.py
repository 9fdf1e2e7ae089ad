"""Results within a number of tokens: greedy in rank order, never empty-handed."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.nouns import Budget, Result
from recollect.text.tokens import clip_tokens, count_tokens


def fit(results: Sequence[Result], budget: int | None) -> tuple[tuple[Result, ...], Budget]:
    """As many as fit, in order; the first is cut short rather than dropped."""
    kept: list[Result] = []
    used = 0
    for result in results:
        if budget is not None and used + result.tokens > budget:
            if not kept:
                kept.append(_cut(result, budget))
                used = kept[0].tokens
            break
        kept.append(result)
        used += result.tokens
    truncated = sum(r.truncated for r in kept)
    return tuple(kept), Budget(budget, used, len(kept), len(results) - len(kept), truncated)


def _cut(result: Result, budget: int) -> Result:
    around = result.tokens - count_tokens(result.text)
    text = clip_tokens(result.text, max(1, budget - around))
    return result._replace(text=text, truncated=True, tokens=around + count_tokens(text))
