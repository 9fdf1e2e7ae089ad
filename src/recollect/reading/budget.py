"""Results within a number of tokens: greedy in rank order, never empty-handed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from recollect.text.tokens import clip_tokens, count_tokens
from recollect.types import Budget, Result


def cost(result: Result) -> int:
    """Tokens of everything a reader is sent of one result."""
    return count_tokens(
        "\n".join((result.id, result.title, result.path, result.heading, result.text))
    )


def fit(results: Sequence[Result], budget: int | None) -> tuple[tuple[Result, ...], Budget]:
    """As many as fit, in order; the first is cut short rather than dropped."""
    kept: list[Result] = []
    used = 0
    for result in results:
        tokens = cost(result)
        if budget is not None and used + tokens > budget:
            if not kept:
                kept.append(_cut(result, budget))
                used = kept[0].tokens
            break
        kept.append(replace(result, tokens=tokens))
        used += tokens
    truncated = sum(r.truncated for r in kept)
    return tuple(kept), Budget(budget, used, len(kept), len(results) - len(kept), truncated)


def _cut(result: Result, budget: int) -> Result:
    room = max(1, budget - cost(replace(result, text="")))
    short = replace(result, text=clip_tokens(result.text, room), truncated=True)
    return replace(short, tokens=cost(short))
