"""The read path on one screen: query → candidates → fuse → rerank → grade → budget → answer."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import NamedTuple

from recollect.errors import RecollectError
from recollect.ports import Embedder, Reranker, Store
from recollect.reading.budget import cost, fit
from recollect.reading.candidates import Found, gather
from recollect.reading.fuse import fuse
from recollect.reading.grade import coverage
from recollect.reading.rerank import STAGES, rerank
from recollect.text.query import Parsed, parse
from recollect.trace import Trace
from recollect.types import (
    Answer,
    Candidate,
    Filter,
    Query,
    Result,
    Status,
    StoredPassage,
    TextQuery,
    stable_id,
    words,
)


class Models(NamedTuple):
    """What a search can call on, and for each what is to be said of it: why there is none, or
    that an older one serves meanwhile."""

    embedder: Embedder | None = None
    embedder_note: str = ""
    reranker: Reranker | None = None
    reranker_note: str = ""


def search(query: Query, store: Store, models: Models) -> Answer:
    trace = Trace()
    policy = query.policy
    with trace.stage("parse"):
        parsed = parse(query.text)
        filter = parsed.narrowed(query.filter)
    found = gather(parsed, filter, policy, store, models.embedder, trace, models.embedder_note)
    with trace.stage("fuse", f"reciprocal rank fusion, k = {policy.rrf_k}"):
        depth = max(policy.limit, policy.rerank)
        candidates, total = fuse(found.arms, policy.rrf_k, depth)
        passages = {p.key: p for p in store.passages([c.passage for c in candidates])}
    candidates = rerank(
        parsed.prose, candidates, passages, found.arms, policy, models.reranker, trace,
        models.reranker_note,
    )[: policy.limit]  # fmt: skip
    graded = _graded(candidates, passages, parsed, found, store, trace)
    with trace.stage("budget"):
        results, budget = fit(graded, policy.budget)
    hidden = _hidden(parsed, filter, store, trace) if filter.limits else {}
    confidence = max((r.confidence for r in results), default=0.0)
    return Answer(
        query=query.text,
        status=_status(results, confidence, policy.direct_confidence),
        tier=3,
        mode=policy.mode,
        intent="general",
        confidence=confidence,
        results=results,
        total_found=total,
        hidden=hidden,
        degraded=tuple(trace.degraded),
        budget=budget,
        fingerprint=stable_id(query.key(), store.fingerprint(filter)),
        stages=tuple(trace.stages),
        timing_ms=trace.elapsed_ms,
        hints=_hints(results, hidden),
    )


def _status(results: tuple[Result, ...], confidence: float, direct: float) -> Status:
    if not results:
        return "no_results"
    return "direct_passages" if confidence >= direct else "needs_synthesis"


def _graded(
    candidates: list[Candidate], passages: Mapping[int, StoredPassage], parsed: Parsed,
    found: Found, store: Store, trace: Trace,
) -> list[Result]:  # fmt: skip
    since = perf_counter()
    keys = [c.passage for c in candidates]
    matched: Mapping[int, set[str]] = {}
    try:
        matched = store.matched(parsed.content, keys) if keys else {}
        trace.ran("grade", since, reason="coverage of the question's words; not calibrated")
    except RecollectError as error:
        trace.failed("grade", error.message)
    return [
        _result(
            c, passages[c.passage], coverage(parsed.content, found.idf, matched.get(c.passage, ()))
        )
        for c in candidates
        if c.passage in passages
    ]


def _result(candidate: Candidate, stored: StoredPassage, confidence: float) -> Result:
    document, passage = stored.document, stored.passage
    return Result(
        id=stored.id,
        document=document.external,
        document_id=stored.id.rpartition(":")[0],
        kind=document.kind,
        source=document.source,
        title=document.title,
        path=document.path,
        heading=passage.heading,
        role=passage.role,
        date=document.date,
        text=passage.text,
        score=candidate.score,
        confidence=confidence,
        evidence=tuple(c.arm for c in candidate.contributions if c.arm not in STAGES),
        contributions=candidate.contributions,
        tokens=cost(stored.id, document.title, document.path, passage.heading, passage.text),
    )


def _hidden(parsed: Parsed, filter: Filter, store: Store, trace: Trace) -> Mapping[str, int]:
    """For each limit, how many passages match the words and fail only that limit."""
    with trace.stage("hidden"):
        query = TextQuery(
            any=words(parsed.content) or parsed.text.any,
            must=parsed.text.must,
            never=parsed.text.never,
        )

        def total(under: Filter) -> int:
            return store.search_text(query, under, limit=1, count=True).total

        seen = total(filter)
        counts = {name: total(filter.without(name)) - seen for name in filter.limits}
    return {name: count for name, count in counts.items() if count > 0}


def _hints(results: tuple[Result, ...], hidden: Mapping[str, int]) -> tuple[str, ...]:
    if results:
        return ()
    if hidden:
        return tuple(
            f"{count} passages match but are hidden by the limit on {name}"
            for name, count in hidden.items()
        )
    return ("nothing matches; try fewer or other words",)
