"""The read path on one screen:
route → candidates → fuse → rerank → grade (→ hop, escalate) → cut → budget → answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter

from recollect.ports import Store
from recollect.reading.answering import rejected, result, status
from recollect.reading.attempt import Attempt, Models
from recollect.reading.budget import fit
from recollect.reading.cut import cut, fold
from recollect.reading.further import with_further
from recollect.reading.hints import Told, hints, lacking
from recollect.reading.recency import by_date
from recollect.text.query import Parsed, parse
from recollect.text.route import Route, route
from recollect.text.when import vague
from recollect.trace import Trace
from recollect.types import (
    Answer,
    Candidate,
    Filter,
    Policy,
    Query,
    Window,
    stable_id,
    words,
)


def search(query: Query, store: Store, models: Models) -> Answer:
    trace, policy = Trace(), query.policy
    with trace.stage("parse"):
        parsed = parse(query.text)
        asked = parsed.narrowed(query.filter)
    way = _route(parsed, trace)
    policy = _nudged(policy, way)
    hop = policy.hop and way.shape == "open" and policy.by == "hybrid"
    window = _window(query, asked, trace)
    first = Attempt(parsed, asked, policy, store, models, trace, window=window, hop=hop)
    found, spelling = _escalated(first, hop, query.relax, trace)
    since = perf_counter()
    ordered = by_date(found.best, found.passages, _recency(policy, way))
    good, why = cut(
        ordered, policy, found.confidence,
        is_open=way.shape == "open", by_words=found.by.kind in ("words", "terse"),
    )  # fmt: skip
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
    hidden = _hidden(parsed, found.filter, store, trace) if found.filter.limits else {}
    taken = {c.document for c in good}
    left = kept[len(results) :] + [c for c in found.best if c.document not in taken]
    said = status(results, found.confidence, policy)
    told = Told(spelling, found is not first, _given_up(asked, found), hidden)
    if said == "needs_synthesis":
        told = told._replace(lacking=_lacking(found, kept[: len(results)], trace))
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
        hidden=hidden,
        relaxed=told.relaxed,
        degraded=tuple(trace.degraded),
        budget=budget,
        fingerprint=stable_id(query.key(), store.fingerprint(asked.without(*query.relax))),
        stages=tuple(trace.stages),
        timing_ms=trace.elapsed_ms,
        hints=hints(said, told, left, found.passages),
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


def _escalated(
    first: Attempt, hop: bool, relax: tuple[str, ...], trace: Trace
) -> tuple[Attempt, Mapping[str, str]]:
    """Below a grade one more pass, and the better graded of the two; besides, what is misspelt."""
    if first.confidence >= first.policy.escalate:
        trace.skipped("escalate", f"graded {first.confidence:.2f}")
        return first, {}
    from recollect.reading.escalate import escalated

    with trace.surviving("escalate"):
        return escalated(first, hop, relax, trace)
    return first, {}


def _given_up(asked: Filter, found: Attempt) -> tuple[str, ...]:
    return tuple(name for name in asked.limits if name not in found.filter.limits)


def _lacking(found: Attempt, kept: Sequence[Candidate], trace: Trace) -> tuple[str, ...]:
    with trace.surviving("hints"):
        keys = [c.passage for c in kept]
        return lacking(found.parsed, found.idf, found.store.matched(found.parsed.content, keys))
    return ()


def _hidden(parsed: Parsed, filter: Filter, store: Store, trace: Trace) -> Mapping[str, int]:
    """For each limit, how many passages match the words and fail only that limit."""
    since = perf_counter()
    query = parsed.text._replace(any=words(parsed.content) or parsed.text.any)

    def total(under: Filter) -> int:
        return store.search_text(query, under, limit=1, count=True).total

    with trace.surviving("hidden"):
        seen = total(filter)
        counts = {name: total(filter.without(name)) - seen for name in filter.limits}
        trace.ran("hidden", since)
        return {name: count for name, count in counts.items() if count > 0}
    return {}
