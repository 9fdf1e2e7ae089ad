"""What an agent should know before it answers: facts in groups, under one budget.

- pinned: every pinned fact in scope and in force, whatever the question;
- questions: every pinned open question, and those that the question names;
- relevant: the facts that it names or, when it names none, those whose content answers it;
- a prelude: who the user is, from what holds in every scope;
- lately: what was observed in conversations, what was changed and what is open, with its day.

No fact is in two groups. The limit and the budget bound the relevant facts and are ceilings; what
is pinned has a share of the budget of its own, and what does not fit into that is reported.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, filterfalse

from recollect.errors import QueryError
from recollect.facts import (
    KIND,
    PINNED,
    SOURCE,
    USER,
    Context,
    Fact,
    FactFilter,
    describes_user,
    from_document,
)
from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    Candidate,
    Document,
    Filter,
    Policy,
    Result,
    by_id,
    stable_id,
)
from recollect.ports import Store
from recollect.reading import turned
from recollect.reading.by_content import PERHAPS, speaking
from recollect.reading.fact_results import fact_result, standing_result
from recollect.reading.grade import as_fact
from recollect.reading.named import Facts, mentioned
from recollect.reading.pool import Models, Pass, Pool
from recollect.reading.preferences import preferred
from recollect.reading.retrieval import ranked
from recollect.text.questions.overview import is_overview
from recollect.text.questions.parse import parse
from recollect.text.tokens import clip_tokens, count_tokens
from recollect.trace import skip, stage, tracing, unreported
from recollect.tree import log

PINNED_SHARE = 0.5
"""Of the budget, at most."""
PRELUDE_SHARE = 0.2
LATELY = 300
"""Tokens of what happened lately, at most."""
NEWEST, MOST_LOGS = 60, 20
"""Facts and logs that are looked at for it."""
PRELUDE = 200
"""Tokens of the prelude, at most."""


class ContextQuery(NamedTuple):
    """What a context is asked for. The limit and the budget are ceilings for the relevant facts."""

    text: str
    asked: FactFilter
    policy: Policy
    limit: int
    token_budget: int | None = None


def context(query: ContextQuery, view: Store, models: Models) -> Context:
    """Returns what to know before answering a question."""
    with tracing() as trace:
        facts = Facts(view, query.asked)
        standing = _seen(facts, PINNED)
        found = mentioned(query.text, facts)
        said = turned.told(found.mentions, facts, view)
        results = list(said.results)
        if not results and query.text.strip():
            limits = Filter(owner=query.asked.owner, scopes=query.asked.scopes)
            said = turned.beside(answering(query, facts, view, models), facts, view, limits)
            results = list(said.results)
        results += _preferences(query.text, facts, view, results)
        named = [mention.fact for mention in found.mentions]
        questions = list(filter(_is_question, by_id([*standing, *named]).values()))
        pinned = filterfalse(_is_question, standing)
        apart = by_id([*standing, *questions])
        relevant = [r for r in results if r.document not in apart]
        pinned_kept, overflow = _within(map(standing_result, pinned), query.token_budget)
        questions_kept = list(map(standing_result, questions))
        kept = _fitting(relevant[: query.limit], query.token_budget)
        prelude = _prelude(view, query.asked, query.token_budget)
        shown = (*pinned_kept, *questions_kept, *kept)
        lately = _lately(facts, view, query, {r.text for r in shown})
        asked_for = (query.text, query.asked[:4], query.limit, query.token_budget)
        state = view.fingerprint(Filter(sources=(SOURCE,)))
        return Context(
            query=query.text,
            prelude=prelude,
            pinned=tuple(pinned_kept),
            questions=tuple(questions_kept),
            relevant=tuple(kept),
            hidden=dict(found.hidden),
            overflow=tuple(overflow),
            dropped=len(relevant) - len(kept),
            tokens=sum(r.tokens for r in shown) + count_tokens("\n".join([prelude, *lately])),
            degraded=tuple(trace.degraded),
            stages=tuple(trace.stages),
            fingerprint=stable_id(repr(asked_for), state),
            timing_ms=trace.elapsed_ms,
            hints=(*_empty_scopes(view, query.asked), *said.hints),
            lately=lately,
        )


def _preferences(text: str, facts: Facts, view: Store, found: Sequence[Result]) -> Iterator[Result]:
    """The preferences of whom a request for advice names, that are not found already."""
    known = {result.document for result in found}
    for fact in preferred(text, facts, view):
        if fact.id not in known:
            yield fact_result(fact, PERHAPS, "preference")


def _empty_scopes(store: Store, asked: FactFilter) -> Iterator[str]:
    """A scope that nobody has used may be a slip."""
    for scope in asked.scopes or ():
        limits = Filter(owner=asked.owner, scopes=(scope,), kinds=(KIND,))
        if not store.scan(limits, limit=1).items:
            yield f"no fact is in the scope {scope!r}"


def _seen(facts: Facts, name: str) -> list[Fact]:
    """The facts of a handle that may be seen, in the order in which they got it."""
    return [fact for _, fact in facts.held([name]) if not facts.asked.hides(fact)]


def _is_question(fact: Fact) -> bool:
    return fact.type == "open_question"


def _prelude(store: Store, asked: FactFilter, budget: int | None) -> str:
    """Who the user is: what holds for them in every scope, pinned first; of what is in dispute the
    latest, with what says otherwise."""
    everywhere = Facts(store, asked._replace(scopes=None, types=None))
    live = list(filter(describes_user, _seen(everywhere, USER)))
    rivals = turned.latest(live)
    first = sorted((f for f in live if f.id in rivals), key=lambda fact: not fact.pinned)
    told = " ".join(chain.from_iterable(_stated(fact, rivals[fact.id]) for fact in first))
    return clip_tokens(told, _room(PRELUDE, budget)) if live else ""


def _stated(fact: Fact, rivals: Sequence[Fact]) -> Iterator[str]:
    yield _sentence(fact.text.strip())
    if rivals:
        yield f"(Not settled; said before: {' '.join(other.text.strip() for other in rivals)})"


def _sentence(text: str) -> str:
    """The text with a full stop where it ends in a word, so that what follows stands apart."""
    return f"{text}." if text[-1:].isalnum() else text


def _room(most: int, budget: int | None) -> int:
    """So many tokens, or the share of the budget that each of these parts may have."""
    return most if budget is None else min(most, int(budget * PRELUDE_SHARE))


def _newest(store: Store, limits: Filter, most: int) -> list[Document]:
    """The newest documents, whole."""
    heads = store.scan(limits, limit=most).items
    return [one for head in heads for one in store.get(head.id)]


def _lately(
    facts: Facts, store: Store, query: ContextQuery, shown: Collection[str]
) -> tuple[str, ...]:
    """What was observed in conversations, changed or left open, that is not *shown* already: as
    much as there is room for, the newest first."""
    asked, budget = query.asked, query.token_budget
    if asked.types is not None:
        return ()
    limits = Filter(
        owner=asked.owner, scopes=asked.scopes, sources=(log.SOURCE,), kinds=(log.KIND,)
    )
    logs = map(log.from_document, _newest(store, limits, MOST_LOGS))
    entries = [entry for one in logs for entry in one.entries if entry.at <= asked.at]
    entries += _news(facts, store)
    unseen = (one for one in entries if one.text not in shown)
    told = log.compacted(unseen, _room(LATELY, budget), told=True)
    return tuple(entry.line for entry in reversed(told))


def _news(facts: Facts, store: Store) -> Iterator[log.Observation]:
    """The newest facts that replaced others, and open questions; what was replaced is told where
    nothing but its time hides it."""
    asked = facts.asked
    limits = Filter(owner=asked.owner, scopes=asked.scopes, sources=(SOURCE,), kinds=(KIND,))
    for fact in [from_document(one) for one in _newest(store, limits, NEWEST)]:
        if not (fact.supersedes or _is_question(fact)) or asked.hides(fact):
            continue
        known = filter(None, map(facts.get, fact.supersedes[:1]))
        was = [f" (before: {one.text})" for one in known if turned.may_be_told(one, facts)]
        text = " ".join("".join([fact.text, *was]).split())
        yield log.Observation(fact.start, fact.type, text, fact.key)


def _within(results: Iterable[Result], budget: int | None) -> tuple[list[Result], list[str]]:
    """Returns the pinned facts that fit into their share of the budget, the first in any case,
    and the ids of the others."""
    kept: list[Result] = []
    over: list[str] = []
    room = None if budget is None else int(budget * PINNED_SHARE)
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


def answering(query: ContextQuery, facts: Facts, view: Store, models: Models) -> list[Result]:
    """Returns the facts whose content answers the question, though it names none of them. One that
    only belongs to the same field does not."""
    if _overview(query.text):
        return []
    try:
        parsed = parse(query.text)
    except QueryError:
        return []
    asked, policy = facts.asked, query.policy._replace(hop=False)
    limits = Filter(owner=asked.owner, scopes=asked.scopes, kinds=(KIND,))
    pool = ranked(Pass(parsed, limits, policy, view, models, sees=facts.sees))
    spoken = [speaking(as_fact(c, pool), pool) for c in pool.best]
    return [
        fact_result(_of(c, pool), c.confidence, "content", c.contributions)
        for c in sorted(filter(None, spoken), key=lambda c: -c.score)
    ]


@stage("content")
def _overview(question: str) -> bool:
    if is_overview(question):
        return skip("it asks for an overview, which no single fact is", True)
    return unreported(False)


def _of(candidate: Candidate, pool: Pool) -> Fact:
    stored = pool.stored(candidate)
    return from_document(stored.document, stored.passage.text)
