"""Results within a number of tokens: greedy in rank order, never empty-handed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from recollect.nouns import Budget, Result, Span
from recollect.text.terms import stems
from recollect.text.tokens import clip_tokens, count_tokens


def fit(
    results: Sequence[Result], budget: int | None, wanted: Collection[str] = ()
) -> tuple[tuple[Result, ...], Budget]:
    """Returns as many as fit, in order; the first is cut short rather than dropped, around the
    stems that are *wanted*."""
    kept: list[Result] = []
    used = 0
    for whole in results:
        result = whole if budget is None else _briefer(whole, budget - used)
        if budget is not None and used + result.tokens > budget:
            if not kept:
                kept.append(_cut(result, budget, wanted))
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


def _cut(result: Result, budget: int, wanted: Collection[str]) -> Result:
    """Cuts a result around the words of the question: the span with most of them, and most often,
    from a little before the first."""

    def said(span: Span) -> tuple[int, int]:
        return len(stems(span.text).intersection(wanted)), len(span.marks)

    around = result.tokens - count_tokens(result.text)
    span = max(result.spans, key=said, default=Span(result.id, result.text))
    text = _around(span, max(1, budget - around))
    spans = (span._replace(text=text, marks=()),)
    tokens = around + count_tokens(text)
    return result._replace(text=text, spans=spans, truncated=True, tokens=tokens)


def _around(span: Span, room: int) -> str:
    """Returns as much of a span as there is room for, with its first marked word a quarter in."""
    text = clip_tokens(span.text, room)
    first = span.marks[0][0] if span.marks else 0
    if not text or first < len(text) - len(text) // 4:
        return text
    start = max(0, first - len(text) // 4)
    begin = span.text.find(" ", start) + 1 or start
    return clip_tokens(span.text[begin:], room)
