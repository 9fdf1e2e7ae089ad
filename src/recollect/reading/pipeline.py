"""The read path on one screen:
route → candidates → fuse → rerank → grade (→ hop, escalate, expand) → cut → budget → answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import NamedTuple

from recollect.facts import KIND, SOURCE
from recollect.facts import Asked as Visible
from recollect.nouns import (
    LOCAL,
    Answer,
    Candidate,
    Filter,
    Policy,
    Query,
    StoredPassage,
    Window,
    words,
)
from recollect.ports import Store
from recollect.reading.answering import rejected, result, status
from recollect.reading.attempt import Attempt, Models
from recollect.reading.budget import fit
from recollect.reading.cut import cut, fold
from recollect.reading.fact_results import answers, named_result, said
from recollect.reading.grade import as_fact
from recollect.reading.hints import Told, hints, lacking
from recollect.reading.more_passages import with_further
from recollect.reading.named import Facts, Named, named
from recollect.reading.recency import by_date
from recollect.text.questions.overview import is_overview
from recollect.text.questions.parse import Parsed, parse
from recollect.text.questions.route import Route, route
from recollect.text.questions.when import vague
from recollect.trace import Trace


class Asked(NamedTuple):
    """A question, understood."""

    parsed: Parsed
    filter: Filter
    way: Route


class Retrieved(NamedTuple):
    """What a question is, and what was found for it: graded, and nothing cut yet."""

    parsed: Parsed
    asked: Filter
    way: Route
    policy: Policy
    found: Attempt
    spelling: Mapping[str, str]
    again: bool
    """Whether it was found by the second pass."""

    def ordered(self) -> list[Candidate]:
        """What was found, best first: without facts that do not answer, and with newness as it
        counts."""
        sure = _without_unsure_facts(self.found, self.policy)
        return by_date(sure, self.found.passages, _recency(self.policy, self.way))

    def cut(self, ordered: Sequence[Candidate]) -> tuple[list[Candidate], str]:
        """As many of these as are worth it, and what decided."""
        return cut(
            ordered, self.policy, self.found.confidence,
            is_open=self.way.shape == "open", by_words=self.found.by.kind in ("words", "terse"),
        )  # fmt: skip


def understand(query: Query, trace: Trace) -> Asked:
    with trace.stage("parse"):
        parsed = parse(query.text)
        asked = parsed.narrowed(query.filter)
    return Asked(parsed, asked, _route(parsed, trace))


def retrieve(
    query: Query, understood: Asked, store: Store, models: Models, trace: Trace,
    sees: Callable[[StoredPassage], bool] = lambda _: True,
) -> Retrieved:  # fmt: skip
    """The way from a question to graded candidates, the same for whatever is made of them."""
    parsed, asked, way = understood
    policy = _nudged(query.policy, way)
    hop = policy.hop and way.shape == "open" and policy.by == "hybrid"
    window = _window(query, asked, trace)
    first = Attempt(parsed, asked, policy, store, models, trace, window=window, hop=hop, sees=sees)
    found, spelling = _escalated(first, hop, query.relax, trace)
    return Retrieved(parsed, asked, way, policy, found, spelling, found is not first)


def search(query: Query, store: Store, models: Models) -> Answer:
    trace = Trace()
    understood = parsed, asked, way = understand(query, trace)
    state = fingerprint(query, asked, store)  # before anything is read: what comes later is new
    facts = visible_facts(query, asked, store)
    known = named_facts(parsed, asked, query.policy, facts, trace)
    if known.mentions:
        return _known(query, way, known, state, trace)
    got = retrieve(query, understood, store, models, trace, facts.sees)
    found, policy = got.found, got.policy
    _expand(found, trace)
    gave_way = give_way(query, found, trace)
    since = perf_counter()
    good, why = got.cut(got.ordered())
    kept, folded = fold(good, found.passages)
    kept = with_further(
        kept, found.passages, found.spare, found.worth, store, policy.limit - len(kept)
    )
    trace.ran("cut", since, found=len(kept), reason=why)
    with trace.stage("budget"):
        shown = [
            result(c, found.passages, folded.get(c.passage, ()), found.parsed, policy.detail, store)
            for c in kept
        ]
        results, budget = fit(shown, policy.budget)
    unseen = hidden(parsed, found.filter, store, trace, found.filter.limits)
    taken = {c.document for c in good}
    left = kept[len(results) :] + [c for c in found.best if c.document not in taken]
    said = status(results, found.confidence, policy)
    told = Told(got.spelling, got.again, _given_up(asked, found), unseen, gave_way)
    if said == "needs_synthesis":
        told = told._replace(lacking=_lacking(found, kept[: len(results)], trace))
    return Answer(
        query=query.text,
        status=said,
        tier=2 if results and all(r.kind == KIND for r in results) else 3,
        mode=policy.mode,
        intent=way.intent,
        shape=way.shape,
        confidence=found.confidence,
        results=results,
        rejected=rejected(left, found.passages, why, budget.dropped),
        total_found=found.total,
        hidden=unseen,
        relaxed=told.relaxed,
        degraded=tuple(trace.degraded),
        budget=budget,
        fingerprint=state,
        stages=tuple(trace.stages),
        timing_ms=trace.elapsed_ms,
        hints=hints(said, told, left, found.passages),
    )


def fingerprint(query: Query, asked: Filter, store: Store) -> str:
    """A name for the whole request, and for the state of all that it may see."""
    return query.key() + store.fingerprint(asked.without(*query.relax))


def visible_facts(query: Query, asked: Filter, store: Store) -> Facts:
    return Facts(store, Visible(asked.owner or LOCAL, asked.scopes, as_of=query.as_of))


def named_facts(parsed: Parsed, asked: Filter, policy: Policy, facts: Facts, trace: Trace) -> Named:
    """The facts that the question names, unless it asks for something else."""
    since = perf_counter()
    why = _why_no_facts(asked, policy)
    if why:
        trace.skipped("facts", why)
        return Named((), {})
    with trace.surviving("facts"):
        known = named(parsed.prose, facts)
        trace.ran("facts", since, found=len(known.mentions), reason=said(known.mentions))
        return known
    return Named((), {})


def _why_no_facts(asked: Filter, policy: Policy) -> str:
    if not policy.facts:
        return "switched off"
    if policy.by == "semantic":
        return "the search is semantic"
    if asked.kinds is not None and KIND not in asked.kinds:
        return "other kinds are asked for"
    if asked.sources is not None and SOURCE not in asked.sources:
        return "other sources are asked for"
    limits = set(asked.limits) - {"owner", "scopes", "kinds", "sources"}
    return f"facts have no {', '.join(sorted(limits))}" if limits else ""


def _known(query: Query, way: Route, known: Named, state: str, trace: Trace) -> Answer:
    """The answer when facts are named: these, and nothing else."""
    trace.skipped("passages", "the facts that are named are the answer")
    with trace.stage("budget"):
        most = query.policy.limit
        results, budget = fit([named_result(m) for m in known.mentions][:most], query.policy.budget)
    return Answer(
        query=query.text,
        status="direct_passages",
        tier=2,
        mode=query.policy.mode,
        intent=way.intent,
        shape=way.shape,
        confidence=max(r.confidence for r in results),
        results=results,
        total_found=len(known.mentions),
        hidden=known.hidden,
        degraded=tuple(trace.degraded),
        budget=budget,
        fingerprint=state,
        stages=tuple(trace.stages),
        timing_ms=trace.elapsed_ms,
    )


def _without_unsure_facts(found: Attempt, policy: Policy) -> list[Candidate]:
    """What was found, less the facts that do not answer by what they say."""
    kept = []
    broad = is_overview(found.parsed.prose)
    for candidate in found.best:
        if found.passages[candidate.passage].document.kind == KIND:
            candidate = as_fact(candidate)
            if broad or not answers(candidate, policy):
                continue
        kept.append(candidate)
    return sorted(kept, key=lambda c: -c.score)


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


def _expand(found: Attempt, trace: Trace) -> None:
    """Have a language model ask in other words, if it may and that is worth it."""
    policy, models = found.policy, found.models
    if not (policy.expand or policy.hyde):
        trace.skipped("expand", "switched off")
    elif found.confidence >= policy.direct_confidence:
        trace.skipped("expand", f"graded {found.confidence:.2f}")
    elif models.llm is None:
        trace.skipped("expand", models.llm_note)
    else:
        from recollect.reading.expand import expanded

        with trace.surviving("expand"):
            expanded(found, trace)


def give_way(query: Query, found: Attempt, trace: Trace) -> Mapping[str, str]:
    """Have what is in force stand for what it superseded, unless the past is asked about; the
    titles of those that gave way, each with the other's."""
    if not any(found.passages[c.passage].document.meta for c in found.best):
        trace.skipped("superseded", "nothing is said of what was found")
        return {}
    from recollect.reading.superseded import in_their_place, is_about_the_past

    if query.window or is_about_the_past(query.text):
        trace.skipped("superseded", "it asks about the past")
        return {}
    since, gone = perf_counter(), dict[str, str]()
    with trace.surviving("superseded"):
        gone = in_their_place(found, query.as_of)
        said = [f"“{old}” by “{new}”" for old, new in gone.items()]
        trace.ran("superseded", since, found=len(gone), reason=", ".join(said))
    return gone


def _given_up(asked: Filter, found: Attempt) -> tuple[str, ...]:
    return tuple(name for name in asked.limits if name not in found.filter.limits)


def _lacking(found: Attempt, kept: Sequence[Candidate], trace: Trace) -> tuple[str, ...]:
    with trace.surviving("hints"):
        keys = [c.passage for c in kept]
        return lacking(found.parsed, found.idf, found.store.matched(found.parsed.content, keys))
    return ()


def hidden(
    parsed: Parsed, filter: Filter, store: Store, trace: Trace, limits: Sequence[str]
) -> Mapping[str, int]:
    """For each of these limits, how many passages match the words and fail only that limit."""
    if not limits:
        return {}
    since = perf_counter()
    query = parsed.text._replace(any=words(parsed.content) or parsed.text.any)

    def total(under: Filter) -> int:
        return store.search_text(query, under, limit=1, count=True).total

    with trace.surviving("hidden"):
        seen = total(filter)
        counts = {name: total(filter.without(name)) - seen for name in limits}
        trace.ran("hidden", since)
        return {name: count for name, count in counts.items() if count > 0}
    return {}
