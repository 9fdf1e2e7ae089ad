"""The read path on one screen:
route → candidates → fuse → rerank → grade (→ hop, escalate) → cut → budget → answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import NamedTuple

from recollect.ports import Store
from recollect.reading.answering import hints, rejected, result, status
from recollect.reading.attempt import Attempt, Models
from recollect.reading.budget import fit
from recollect.reading.cut import cut, fold
from recollect.reading.further import with_further
from recollect.reading.recency import by_date
from recollect.text.query import Parsed, parse
from recollect.text.route import Route, route
from recollect.text.when import vague
from recollect.trace import Trace
from recollect.types import Answer, Filter, Policy, Query, TextQuery, Window, stable_id, words

WIDER = 3
"""How many times the pool a second pass looks at."""


class Retrieved(NamedTuple):
    """What a question is, and what was found for it: graded, and nothing cut yet."""

    parsed: Parsed
    asked: Filter
    way: Route
    policy: Policy
    found: Attempt
    spelling: Mapping[str, str]


def retrieve(query: Query, store: Store, models: Models, trace: Trace) -> Retrieved:
    """The way from a question to graded candidates, the same for whatever is made of them."""
    with trace.stage("parse"):
        parsed = parse(query.text)
        asked = parsed.narrowed(query.filter)
    way = _route(parsed, trace)
    policy = _nudged(query.policy, way)
    hop = policy.hop and way.shape == "open" and policy.by == "hybrid"
    window = _window(query, asked, trace)
    found = Attempt(parsed, asked, policy, store, models, trace, window=window, hop=hop)
    spelling: Mapping[str, str] = {}
    if found.confidence >= policy.escalate:
        trace.skipped("escalate", f"graded {found.confidence:.2f}")
    else:
        found, spelling = _escalated(found, hop, trace)
    return Retrieved(parsed, asked, way, policy, found, spelling)


def search(query: Query, store: Store, models: Models) -> Answer:
    trace = Trace()
    parsed, asked, way, policy, found, spelling = retrieve(query, store, models, trace)
    since = perf_counter()
    ordered = by_date(found.best, found.passages, _recency(policy, way))
    good, why = cut(ordered, policy, by_words=found.by.kind == "words")
    kept, folded = fold(good, found.passages)
    worth = {word: found.idf.get(word, 1.0) for word in found.parsed.content}
    room = policy.limit - len(kept)
    kept = with_further(kept, found.passages, found.spare, worth, store, room)
    trace.ran("cut", since, found=len(kept), reason=why)
    with trace.stage("budget"):
        shown = [
            result(c, found.passages, folded.get(c.passage, ()), found.parsed, policy.detail, store)
            for c in kept
        ]
        results, budget = fit(shown, policy.budget)
    unseen = hidden(parsed, asked, store, trace, asked.limits)
    left = kept[len(results) :] + [c for c in ordered if c not in good]
    said = status(results, found.confidence, policy)
    return Answer(
        query=query.text,
        status=said,
        tier=3,
        mode=policy.mode,
        intent=way.intent,
        shape=way.shape,
        confidence=found.confidence,
        results=results,
        rejected=rejected(left, found.passages, why, budget.dropped),
        total_found=found.total,
        hidden=unseen,
        degraded=tuple(trace.degraded),
        budget=budget,
        fingerprint=stable_id(query.key(), store.fingerprint(asked)),
        stages=tuple(trace.stages),
        timing_ms=trace.elapsed_ms,
        hints=hints(said, left, found.passages, spelling, unseen),
    )


def _route(parsed: Parsed, trace: Trace) -> Route:
    since = perf_counter()
    way = route(parsed.prose)
    trace.ran("route", since, reason=f"{way.intent}, {way.shape}: {way.why}")
    return way


def _nudged(policy: Policy, way: Route) -> Policy:
    """With a little more weight for the arm that is good at such questions."""
    if way.intent in ("entity", "event"):
        return policy._replace(lexical_weight=policy.lexical_weight * policy.nudge)
    if way.intent == "concept":
        return policy._replace(vector_weight=policy.vector_weight * policy.nudge)
    return policy


def _recency(policy: Policy, way: Route) -> float:
    """How much newness counts: what the caller says, else a little when the latest is asked for."""
    if policy.recency is not None:
        return policy.recency
    return policy.newest if way.newest else 0.0


def _window(query: Query, asked: Filter, trace: Trace) -> Window | None:
    """The time that the question speaks of, unless the caller has said or wants none."""
    if query.window is None:
        said = vague(query.text)
        if said:
            trace.skipped("window", f"“{said}” names no date")
        return None
    if not query.policy.window_weight:
        trace.skipped("window", f"“{query.window.said}” does not count: switched off")
        return None
    if asked.since or asked.until:
        trace.skipped("window", f"“{query.window.said}” does not count: the caller's dates do")
        return None
    return query.window


def _escalated(first: Attempt, hop: bool, trace: Trace) -> tuple[Attempt, Mapping[str, str]]:
    """One rewritten and wider pass, and the better graded of the two; besides, what is misspelt."""
    from recollect.reading.rewrite import rewritten

    since = perf_counter()
    again = rewritten(first.parsed, first.filter, first.store)
    low = f"graded {first.confidence:.2f}"
    if not again.why:
        trace.skipped("escalate", f"{low}, and there is no other way to ask")
        return first, again.spelling
    policy = first.policy._replace(pool=WIDER * first.policy.pool)
    inner = Trace()
    second = Attempt(
        again.parsed, first.filter, policy, first.store, first.models, inner, window=first.window,
        hop=hop,
    )  # fmt: skip
    better = second.confidence > first.confidence
    verdict = f"{again.why}: {second.confidence:.2f}, {'taken' if better else 'not better'}"
    trace.ran("escalate", since, found=len(second.best), reason=f"{low}; {verdict}")
    trace.degraded += [said for said in inner.degraded if said not in trace.degraded]
    return second if better else first, again.spelling


def hidden(
    parsed: Parsed, filter: Filter, store: Store, trace: Trace, limits: Sequence[str]
) -> Mapping[str, int]:
    """For each of these limits, how many passages match the words and fail only that limit."""
    if not limits:
        return {}
    with trace.stage("hidden"):
        query = TextQuery(
            any=words(parsed.content) or parsed.text.any,
            must=parsed.text.must,
            never=parsed.text.never,
        )

        def total(under: Filter) -> int:
            return store.search_text(query, under, limit=1, count=True).total

        seen = total(filter)
        counts = {name: total(filter.without(name)) - seen for name in limits}
    return {name: count for name, count in counts.items() if count > 0}
