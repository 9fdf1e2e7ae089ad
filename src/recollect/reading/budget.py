"""Results within a number of tokens: greedy in rank order, never empty-handed."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.nouns import Budget, Result
from recollect.text.brief import NOTHING, Asked, least, shortened
from recollect.text.tokens import count_tokens


def fit(
    results: Sequence[Result], budget: int | None, asked: Asked = NOTHING
) -> tuple[tuple[Result, ...], Budget]:
    """Returns as many as fit, in order; the first is cut short rather than dropped, around what is
    asked."""
    kept: list[Result] = []
    used = 0
    for whole in results:
        result = whole if budget is None else _briefer(whole, budget - used)
        if budget is not None and used + result.tokens > budget:
            if not kept:
                kept.append(_cut(result, budget, asked))
                used = kept[0].tokens
            break
        kept.append(result)
        used += result.tokens
    truncated = sum(r.truncated for r in kept)
    return tuple(kept), Budget(budget, used, len(kept), len(results) - len(kept), truncated)


def _briefer(result: Result, room: int) -> Result:
    """Returns a result with no more of what it replaced than there is room for: what held before
    is left out before any word of what holds is."""
    while result.earlier and result.tokens > room:
        *others, last = result.earlier
        tokens = result.tokens - count_tokens(f"{last.id}\n{last.text}")
        result = result._replace(earlier=tuple(others), tokens=tokens, truncated=True)
    return result


def _cut(result: Result, budget: int, asked: Asked) -> Result:
    """Cuts a result around what answers. Where that leaves no room to say what it is from, it
    is the text alone that is counted."""
    about = result.tokens - count_tokens(result.text)
    about = about if least(result, budget) <= budget - about else 0
    short = shortened(result, budget - about, asked)
    return short._replace(tokens=about + count_tokens(short.text), truncated=True)
