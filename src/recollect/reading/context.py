"""What an agent should know before it answers: facts in groups, under one budget.

- pinned: every pinned fact in scope and in force, whatever the question;
- questions: every pinned open question, and those that the question names;
- relevant: the facts that it names or, when it names none, those whose content answers it;
- a prelude: who the user is, from what holds in every scope.

No fact is in two groups. The limit and the budget bound the relevant facts and are ceilings; what
is pinned has a share of the budget of its own, and what does not fit into that is reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter

from recollect.errors import QueryError
from recollect.facts import KIND, PINNED, SOURCE, USER, Asked, Context, Fact, from_document
from recollect.nouns import (
    Candidate,
    Filter,
    Policy,
    Result,
    stable_id,
)
from recollect.ports import Store
from recollect.reading.attempt import Attempt, Models
from recollect.reading.fact_results import answers, fact_result, named_result, said, standing_result
from recollect.reading.grade import as_fact
from recollect.reading.named import Facts, named
from recollect.text.questions.overview import is_overview
from recollect.text.questions.parse import parse
from recollect.text.tokens import clip_tokens, count_tokens
from recollect.trace import Trace

PINNED_SHARE = 0.5
"""Of the budget, at most."""
PRELUDE_SHARE = 0.2
PRELUDE = 200
"""Tokens of the prelude, at most."""


def context(
    question: str, asked: Asked, policy: Policy, store: Store, models: Models,
    *, limit: int, token_budget: int | None,
) -> Context:  # fmt: skip
    trace = Trace()
    facts = Facts(store, asked)
    standing = _pinned(facts)
    since = perf_counter()
    found = named(question, facts)
    trace.ran("facts", since, found=len(found.mentions), reason=said(found.mentions))
    results = [named_result(m) for m in found.mentions]
    if not results and question.strip():
        results = answering(question, facts, policy, store, models, trace)
    by_id = {fact.id: fact for fact in [*standing, *(m.fact for m in found.mentions)]}
    apart = {fact.id for fact in standing}
    questions = [f for f in by_id.values() if f.type == "open_question"]
    pinned = [f for f in standing if f.type != "open_question"]
    apart.update(fact.id for fact in questions)
    pinned_kept, overflow = _within(map(standing_result, pinned), token_budget, PINNED_SHARE)
    questions_kept = [standing_result(f) for f in questions]
    relevant = [r for r in results if r.document not in apart]
    kept = _fitting(relevant[:limit], token_budget)
    shown = (*pinned_kept, *questions_kept, *kept)
    prelude = _prelude(store, asked, token_budget)
    return Context(
        query=question,
        prelude=prelude,
        pinned=tuple(pinned_kept),
        questions=tuple(questions_kept),
        relevant=tuple(kept),
        hidden=dict(found.hidden),
        overflow=tuple(overflow),
        dropped=len(relevant) - len(kept),
        tokens=sum(r.tokens for r in shown) + count_tokens(prelude),
        degraded=tuple(trace.degraded),
        stages=tuple(trace.stages),
        fingerprint=stable_id(repr((question, asked[:4], limit, token_budget)),
                              store.fingerprint(Filter(sources=(SOURCE,)))),
        timing_ms=trace.elapsed_ms,
        hints=tuple(_empty_scopes(store, asked)),
    )  # fmt: skip


def _empty_scopes(store: Store, asked: Asked) -> Iterator[str]:
    """A scope that nobody has used may be a slip."""
    for scope in asked.scopes or ():
        limits = Filter(owner=asked.owner, scopes=(scope,), kinds=(KIND,))
        if not store.scan(limits, limit=1).items:
            yield f"no fact is in the scope {scope!r}"


def _pinned(facts: Facts) -> list[Fact]:
    """Those that may be seen, in the order in which they were pinned."""
    return [fact for _, fact in facts.held([PINNED]) if not facts.asked.hides(fact)]


def _prelude(store: Store, asked: Asked, budget: int | None) -> str:
    """Who the user is: what holds for them in every scope, pinned first."""
    everywhere = Facts(store, asked._replace(scopes=None, types=None))
    live = [fact for _, fact in everywhere.held([USER]) if not everywhere.asked.hides(fact)]
    live.sort(key=lambda fact: not fact.pinned)
    room = PRELUDE if budget is None else min(PRELUDE, int(budget * PRELUDE_SHARE))
    return clip_tokens(" ".join(fact.text.strip() for fact in live), room) if live else ""


def _within(
    results: Iterable[Result], budget: int | None, share: float
) -> tuple[list[Result], list[str]]:
    kept: list[Result] = []
    over: list[str] = []
    room = None if budget is None else int(budget * share)
    for result in results:
        used = sum(r.tokens for r in kept)
        if kept and room is not None and used + result.tokens > room:
            over.append(result.document)
        else:
            kept.append(result)
    return kept, over


def _fitting(results: Sequence[Result], budget: int | None) -> list[Result]:
    """As many as the budget holds, in order, each whole."""
    kept: list[Result] = []
    used = 0
    for result in results:
        used += result.tokens
        if budget is not None and used > budget:
            break
        kept.append(result)
    return kept


# ------------------------------------------------------------------ the semantic tier


def answering(
    question: str, facts: Facts, policy: Policy, store: Store, models: Models, trace: Trace
) -> list[Result]:
    """Facts whose content answers the question, though it names none of them. One that only
    belongs to the same field does not."""
    if is_overview(question):
        trace.skipped("content", "it asks for an overview, which no single fact is")
        return []
    try:
        parsed = parse(question)
    except QueryError:
        return []
    asked = facts.asked
    limits = Filter(owner=asked.owner, scopes=asked.scopes, kinds=(KIND,))
    found = Attempt(
        parsed, limits, policy._replace(hop=False), store, models, trace,
        window=None, hop=False, sees=facts.sees,
    )  # fmt: skip
    return [
        fact_result(_of(c, found), c.confidence, "content", c.contributions)
        for c in sorted(map(as_fact, found.best), key=lambda c: -c.score)
        if answers(c, policy)
    ]


def _of(candidate: Candidate, found: Attempt) -> Fact:
    stored = found.passages[candidate.passage]
    return from_document(stored.document, stored.passage.text)
