"""The read path: a request in, an answer out.

Theory of operation. A request is parsed and routed once, and named by a fingerprint of itself and
of the state of all that it may see (:class:`Question`). Then come the tiers, cheapest first, and
the first that has an answer gives it:

    0, 1  what was answered before, for this question or for one that asks the same   (cache/)
    2     the facts that the question names, unless it asks for more, and passages
          have that                                                                   (named.py)
    3     passages: candidates → fuse → rerank → grade → hop → escalate               (retrieval.py)
          → expand → superseded → in time → cut → spans → in force → fit
    4     what a language model writes from memory, and what the web says, where the
          user allows them and the answer is graded low                               (think/, web)

Each arrow hands on a frozen value: ``Question``, ``Pool``, ``Selection``, ``Answer``. The stages
do not know each other (a contract of the build), do not change what they are given, and report to
the trace that is open (:mod:`recollect.trace`); a stage that fails leaves the rest to answer, and
the answer says so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain

from recollect.facts import KIND
from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    Answer,
    Budget,
    Candidate,
    Earlier,
    Named,
    Query,
    Result,
    Stretch,
    Window,
    not_among,
    partition,
)
from recollect.ports import StorageEngine
from recollect.reading import (
    age,
    by_content,
    chronology,
    cut,
    in_force,
    on_record,
    retrieval,
    spans,
    superseded,
    turned,
)
from recollect.reading.answering import asked_of, named, replacing, result, status, time_found
from recollect.reading.budget import fit
from recollect.reading.cache.lookup import NO_CACHE, AnswerCache
from recollect.reading.fact_results import fact_result, likely
from recollect.reading.hints import Findings, hints, lacking, unknown
from recollect.reading.named import Facts, Mention, facts_in_sight, named_facts, why_no_facts
from recollect.reading.pool import (
    Models,
    Pass,
    Pool,
    by_key,
    not_of_documents,
    of_documents,
    of_passages,
)
from recollect.reading.preferences import preferred
from recollect.reading.question import Question, understand
from recollect.reading.statement import Statement
from recollect.text.stopwords import stopwords
from recollect.text.terms import stems
from recollect.trace import Trace, say, skip, stage, surviving, tracing, unreported

OVER = "over the token budget"
WORTH = "not worth its tokens"
BEFORE = "said before of what may be the same"
SAME = "says the same as what is shown"
OWN = "not of what people said of themselves the nearest"
SILENT = 0.45
"""How sure a fact is at most that is named and says nothing of what is asked."""
NEAREST, LIKELY = 3, 7
"""Documents that are named where nothing is known, and where little is likely."""
Beyond = Callable[[Question, Answer], Answer]
"""Adds what lies beyond memory to an answer: what a language model writes, what the web says."""


def answer(
    query: Query,
    view: StorageEngine,
    models: Models,
    cache: AnswerCache = NO_CACHE,
    beyond: Sequence[Beyond] = (),
) -> Answer:
    """Answers a request from what *view* holds."""
    with tracing() as trace:
        question = understand(query).in_state_of(view)
        served = cache.look_up(question, view, models)
        facts = facts_in_sight(question, view)
        known = None if served.answer else _named(question, facts, view)
        found = served.answer or (known.answer if known and known.is_whole else None)
        if found is None:
            asked = retrieval.first_pass(question, view, models, facts.sees)
            found = _listed(question, asked)
        if found is None:
            graded = retrieval.dated(retrieval.escalated(question, retrieval.ranked(asked)))
            graded = retrieval.of_period(graded)
            graded = graded._replace(pool=retrieval.expanded(graded.pool))
            pool, replaced = retrieval.successors(graded)
            kept = _in_force(_spans(_cut(graded._replace(pool=pool))), query, facts)
            results, budget = _fitted(_shown(kept), question)
            had = set(question.parsed.content) - known.more if known else set[str]()
            had |= facts.named()
            found = _answer(graded, kept, results, budget, replaced, had)
            found = _disputed(found, question, facts, kept.pool.of)
            found = _from_then(question, asked, found)
            found = known.beside(found, question) if known else found
        if not served.answer:
            found = _with_preferences(found, question, facts, view)
        age.aged(view)
        found = cache.keep(served, _traced(found, trace))
        for more in beyond:
            found = more(question, found)
        return _traced(found, trace)


def _traced(found: Answer, trace: Trace) -> Answer:
    """Returns the answer with what its stages did so far."""
    return found._replace(
        stages=tuple(trace.stages), degraded=tuple(trace.degraded), timing_ms=trace.elapsed_ms
    )


# ------------------------------------------------------------------ tier 2


class _ByName(NamedTuple):
    """The facts that a question names, as an answer."""

    answer: Answer
    more: frozenset[str]
    """The words of the question that none of them has."""
    silent: bool
    """Whether none of them speaks of what is asked of what it is called by."""
    unmet: bool
    """Whether they are of another kind than what is asked for, of another owner, or only ask."""

    @property
    def is_whole(self) -> bool:
        """Whether there is nothing else to look for."""
        return not self.more and not self.unmet

    def beside(self, found: Answer, question: Question) -> Answer:
        """Returns what was found instead, with these facts behind it, where it is an answer and has
        what they lack; else the facts, with what was found behind them where they say nothing of
        what is asked."""
        named = {result.document for result in self.answer.results}
        others = [result for result in found.results if result.document not in named]
        mine = self._weighed(found)
        if self._is_less_than(found, others, question):
            both = [*others, *mine]
        elif self.silent or self.unmet:
            both = [*mine, *others]
        else:
            return self.answer._replace(fingerprint=found.fingerprint)
        results, budget = _fitted(both[: question.policy.limit], question)
        sure = max(one.confidence for one in results)
        return found._replace(
            status=status(results, sure, question.policy),
            confidence=sure,
            results=results,
            total_found=max(found.total_found, len(results)),
            named=tuple(one for one in found.named if one.document not in named),
            budget=budget,
            hints=tuple(dict.fromkeys((*self.answer.hints, *found.hints))),
        )

    def _weighed(self, found: Answer) -> Sequence[Result]:
        """Returns the facts; where they say nothing of what is asked, each is possible, or likely
        if it was found near in meaning."""
        if not (self.silent or self.unmet):
            return self.answer.results
        close = (one for one in found.results if one.signals.cosine >= by_content.NEAR)
        near = set() if self.unmet else {one.document for one in close}
        return [
            one._replace(confidence=by_content.ALONE if one.document in near else SILENT)
            for one in self.answer.results
        ]

    def _is_less_than(self, found: Answer, others: Sequence[Result], question: Question) -> bool:
        """Whether something else answers, and has a word that these lack or is of the kind that is
        asked for. These are passed over for it where they say nothing of what is asked."""
        passed = others if self.silent or self.unmet else found.results
        first = next(iter(passed), None)
        if first is None or first not in others or found.status != "direct_passages":
            return False
        if first.confidence < question.policy.direct_confidence:
            return False
        told = f"{first.title}\n{first.heading}\n{first.text}"
        of_kind = self.unmet and not by_content.lacks_kind(first.text, question.parsed.prose)
        return of_kind or not self.more.isdisjoint(stems(told))


def _named(question: Question, facts: Facts, view: StorageEngine) -> _ByName | None:
    """Answers with the facts that the question names; None if it names none."""
    if question.query.time.past:
        return None
    known, policy = named_facts(question, facts), question.policy
    mentions = likely(known.mentions, policy.min_confidence)
    if not mentions:
        return None
    found = turned.told(mentions[: policy.limit], facts, view)
    asking = _asking(question, mentions)
    telling = [m for m in mentions if m.fact.id not in asking]
    told = " ".join(f"{m.fact.text} {m.fact.why}" for m in telling or mentions)
    names = chain.from_iterable((m.said, *m.fact.names) for m in mentions)
    rest = set(question.parsed.content) - stems(" ".join(names))
    more = frozenset(rest - stems(told))
    silent = bool(more) and by_content.is_silent(told, rest)
    ordered = _answers_first(found.results, asking)
    if silent:  # what is asked may be open
        ordered.sort(key=lambda one: -len(more & stems(one.text)))
    results, budget = _fitted(ordered[: policy.limit], question)
    answer = _blank(question)._replace(
        status="direct_passages",
        tier=2,
        confidence=max(r.confidence for r in results),
        results=results,
        total_found=len({*(m.fact.id for m in mentions), *(r.document for r in found.results)}),
        hidden=known.hidden,
        budget=budget,
        hints=found.hints,
    )
    unmet = not telling or _is_unmet(question, mentions, told, more)
    by_name = _ByName(answer, more, silent, unmet)
    if by_name.is_whole:
        _no_passages()
    return by_name


def _asking(question: Question, mentions: Sequence[Mention]) -> frozenset[str]:
    """Returns the ids of open questions that are named, unless questions are looked for."""
    if retrieval.wants_questions(question):
        return frozenset()
    return frozenset(m.fact.id for m in mentions if m.fact.type == "open_question")


def _answers_first(results: Sequence[Result], asking: Collection[str]) -> list[Result]:
    """Returns facts with the open questions among them (*asking*) last, and possible at most: what
    is open is no answer."""
    open_, answers = partition(lambda one: one.document in asking, results)
    return [
        *answers,
        *(one._replace(confidence=min(one.confidence, by_content.PERHAPS)) for one in open_),
    ]


def _is_unmet(
    question: Question, mentions: Sequence[Mention], told: str, more: Collection[str]
) -> bool:
    """Whether facts that are named are of another kind than what is asked for, or of another
    owner."""
    prose, names = question.parsed.prose, " ".join(mention.said for mention in mentions)
    if by_content.lacks_kind(told, prose) or by_content.is_strange(prose, names, more):
        return True
    said: dict[str, str] = {}
    for mention in mentions[: question.policy.limit]:
        fact = mention.fact
        said[mention.said] = " ".join((said.get(mention.said, ""), *fact.names, fact.text))
    return by_content.is_anothers(prose, said)


def _with_preferences(
    found: Answer, question: Question, facts: Facts, view: StorageEngine
) -> Answer:
    """Returns the answer with the preferences of whom a request for advice names behind what
    answers it first: possible, for they bound an answer and are none."""
    policy = question.policy
    if why_no_facts(question) or found.time or policy.min_confidence > by_content.PERHAPS:
        return found
    shown = {one.document for one in found.results}
    kept = [f for f in preferred(question.parsed.prose, facts, view) if f.id not in shown]
    if not kept:
        return found
    more = [fact_result(fact, by_content.PERHAPS, "preference") for fact in kept]
    first = int(any(r.confidence > by_content.PERHAPS for r in found.results[:1]))
    both = [*found.results[:first], *more, *found.results[first:]]
    results, budget = _fitted(both[: policy.limit], question)
    shown = {one.document for one in results}
    sure = max(one.confidence for one in results)
    return found._replace(
        status=status(results, sure, policy),
        confidence=sure,
        results=results,
        total_found=max(found.total_found, len(results)),
        named=tuple(one for one in found.named if one.document not in shown),
        budget=budget,
    )


# ------------------------------------------------------------------ tier 3: by time alone


def _listed(question: Question, asked: Pass) -> Answer | None:
    """Answers a question that names a time and no topic with what is from then; None for others,
    and where nothing is."""
    if not question.query.time.listed:
        return None
    found = retrieval.listing(asked, question.query)
    pool = retrieval.outlined(asked, found.outlines)
    candidates = pool.best[: question.policy.limit]
    if not candidates:
        return None
    stretches = {one.first.key: one.stretches for one in found.outlines}
    kept = Selection(pool, candidates, {}, (), stretches)
    results, budget = _fitted(_shown(kept), question)
    time = time_found(question.query, results, "direct_passages")
    return _blank(question)._replace(
        status="direct_passages",
        confidence=pool.confidence,
        results=results,
        total_found=found.total,
        budget=budget,
        time=time,
        hints=hints("direct_passages", Findings(time=time), False),
    )


def _from_then(question: Question, asked: Pass, found: Answer) -> Answer:
    """Returns the answer; where nothing of a period speaks of the topic, what is from then is
    named. Of a period that is over, what is from another time is possible at most."""
    time = question.query.time
    if time.kind != "in-period" or asked.window is None:
        return found
    if found.results:
        return _of_another_time(question, asked.window, found) if asked.window.over else found
    pool = retrieval.outlined(asked, retrieval.listing(asked, question.query).outlines)
    others = (c._replace(confidence=0.0) for c in pool.best[: question.policy.named])
    lines = tuple(named(c, pool, "of another topic") for c in others)
    said = _none_from(asked.window, time.topic)
    return found._replace(named=lines or found.named, hints=(*found.hints, said))


def _of_another_time(question: Question, window: Window, found: Answer) -> Answer:
    time, least = question.query.time, question.policy.min_confidence
    period = stems(window.said) - stopwords()

    def is_of_another(one: Result) -> bool:
        says = not time.listed and period <= stems(one.text)
        return not (says or window.has(one.date))

    others, then = partition(is_of_another, found.results)
    if not others:
        return found
    less = {one.id: one._replace(confidence=min(one.confidence, SILENT)) for one in others}
    bounded = (less.get(one.id, one) for one in found.results)
    results = tuple(one for one in bounded if one.confidence >= least)
    sure = max((one.confidence for one in results), default=0.0)
    return found._replace(
        status=status(results, sure, question.policy),
        confidence=sure,
        results=results,
        hints=found.hints if then else (*found.hints, _none_from(window, time.topic)),
    )


def _none_from(window: Window, topic: str = "") -> str:
    """Returns the hint that a period has nothing of a topic, or nothing at all."""
    said = f"nothing from then speaks of “{topic}”" if topic else "nothing is from then"
    return f"{said}: “{window.said}” is {window.days}"


@stage("passages")
def _no_passages() -> None:
    skip("the facts that are named are the answer", None)


def _blank(question: Question) -> Answer:
    """Returns an answer that says what was asked, and nothing yet."""
    return Answer(
        query=question.query.text,
        status="no_results",
        tier=3,
        mode=question.policy.mode,
        intent=question.route.intent,
        shape=question.route.shape,
        confidence=0.0,
        results=(),
        total_found=0,
        hidden={},
        degraded=(),
        budget=Budget(question.policy.budget, 0, 0, 0, 0),
        fingerprint=question.fingerprint,
        stages=(),
        timing_ms=0.0,
    )


# ------------------------------------------------------------------ tier 3: what is shown


class Selection(NamedTuple):
    """The candidates that are worth their tokens, in order, and those that are not."""

    pool: Pool
    candidates: tuple[Candidate, ...]
    folded: Mapping[int, Sequence[int]]
    """The near-duplicates that each of them stands for, by passage."""
    rest: tuple[tuple[Candidate, str], ...]
    """The others that may matter, and why each is not shown."""
    stretches: Mapping[int, Sequence[Stretch]] = {}
    """The parts of each document that carry evidence."""
    earlier: Mapping[int, tuple[Earlier, ...]] = {}
    """What some of them have replaced, by document."""


@stage("cut")
def _cut(found: retrieval.Retrieval) -> Selection:
    """Keeps what may answer, and folds near-duplicates."""
    found, said = retrieval.of_oneself(found)
    among = said or retrieval.ordered(found)
    # as many as there are: tokens bound what is shown
    good, why, over = retrieval.worthwhile(found, among, few=len(among))
    why = OWN if said else why
    kept, folded = cut.fold(good, found.pool.passages)
    taken = {c.document for c in good}
    least = found.question.policy.worth * found.pool.confidence if good else 0.0
    left = not_of_documents(found.pool.best, taken)
    if not found.pool.of.parsed.content:  # nothing but beginnings of words, which say no meaning
        left = (c for c in left if c.signals.lexical or c.signals.title)
    rest = tuple((c, why) for c in left if c.confidence >= least or c in over)
    copies = {*chain.from_iterable(folded.values())}
    again = tuple((c, SAME) for c in of_passages(good, copies))
    say(why, found=len(kept))
    return Selection(found.pool, tuple(kept), folded, again + rest)


@stage("spans", otherwise=lambda kept: kept)
def _spans(kept: Selection) -> Selection:
    """Finds the sentences that carry evidence; a candidate without one is not shown."""
    found = spans.selected(kept.candidates, kept.pool)
    shown = tuple(of_documents(kept.candidates, found.stretches))
    left = not_of_documents(kept.candidates, found.stretches)
    rest = tuple((c, OVER if c.document in found.over else WORTH) for c in left)
    say(f"{found.left} more did not fit" if found.left else "", found=found.spans)
    pool = kept.pool._replace(passages={**kept.pool.passages, **found.added})
    return kept._replace(
        pool=pool, candidates=shown, rest=rest + kept.rest, stretches=found.stretches
    )


@stage("in force", otherwise=lambda kept: kept)
def _in_force(kept: Selection, query: Query, facts: Facts) -> Selection:
    """Has the latest of what is said of one thing stand first, and names what it replaced; where
    the past is asked about, all of it is shown. What is on record of what is shown comes before
    what its words tell."""
    if not kept.stretches:
        return unreported(kept)
    if kept.pool.of.parsed.terse or query.time.past:
        return skip("it asks for no value", kept)
    past, now = superseded.of_the_past(query), query.as_of or datetime.now(UTC)
    earlier: dict[int, tuple[Earlier, ...]] = {}
    turns = on_record.turns(kept.candidates, kept.stretches, kept.pool, facts)
    heirs = [turn.heir for turn in turns]
    pool = _with_passages(kept.pool, heirs)
    shown = in_force.Shown(kept.candidates, kept.stretches)
    if not past:
        shown, earlier = shown.settled(turns, pool)
    shown = shown._replace(candidates=in_force.led(shown.candidates, pool))
    first = shown.candidates[0]
    found = in_force.group(first, shown.stretches[first.document], pool, now)
    if past:
        shown = shown.beside(first, (found.latest, *heirs, *found.earlier, *found.later))
    else:
        shown, line = shown.beside(first, found.later).instead(first, found)
        key = shown.candidates[0].document
        earlier[key] = (*line, *(one for one in earlier.get(key, ()) if one not in line))
        gone = set() if found.is_by_meaning else {s.candidate.document for s in found.earlier}
        shown = shown.still_telling(gone - {found.latest.candidate.document}, pool)
        shown = shown.followed(found.alike)
    told = list(chain.from_iterable(earlier.values()))
    say(", ".join(one.title for one in told), found=len(told))
    more = (found.latest, *found.later, *found.before, *found.alike)
    allowed, limited = cut.within(shown.candidates, kept.pool.of.policy)
    before = [(s.candidate, BEFORE) for s in found.before]
    before += [(c, limited) for c in shown.candidates]
    taken = {c.document for c in allowed}
    rest = {c.document: (c, why) for c, why in [*before, *kept.rest] if c.document not in taken}
    return kept._replace(
        pool=_with_passages(pool, more),
        candidates=tuple(allowed),
        stretches=shown.stretches,
        rest=tuple(rest.values()),
        earlier=earlier,
    )


def _with_passages(pool: Pool, some: Iterable[Statement]) -> Pool:
    """Returns the pool with the passages of these as well."""
    return pool._replace(passages={**pool.passages, **by_key(one.stored for one in some)})


def _shown(kept: Selection) -> list[Result]:
    """Returns what is kept as results."""

    def made(one: Candidate) -> Result:
        parts, same = kept.stretches.get(one.document, ()), kept.folded.get(one.passage, ())
        return replacing(result(one, kept.pool, parts, same), kept.earlier.get(one.document, ()))

    return list(map(made, kept.candidates))


@stage("budget")
def _fitted(results: Sequence[Result], question: Question) -> tuple[tuple[Result, ...], Budget]:
    """Fits the results into the budget, in order; the first is cut rather than dropped."""
    return fit(results, question.policy.budget, asked_of(question.parsed))


def _answer(
    found: retrieval.Retrieval,
    kept: Selection,
    results: tuple[Result, ...],
    budget: Budget,
    replaced: Mapping[str, str],
    had: Collection[str],
) -> Answer:
    """Puts the answer together: its status, what was left out and why, what to try next. *had*: the
    words of the question that names of facts have, or the facts that are shown beside it."""
    question, pool = found.question, kept.pool
    unseen = retrieval.hidden(pool.of._replace(parsed=question.parsed), pool.of.filter.limits)
    sure = _confidence(results, pool)
    said = status(results, sure, question.policy)
    left = [*((c, OVER) for c in kept.candidates[len(results) :]), *kept.rest]
    titles = {one.title for one in results}
    gone = {old: new for old, new in replaced.items() if titles & {old, new}}
    unquoted = bool(question.parsed.text.must) and not pool.of.parsed.text.must
    relaxed = _given_up(question, pool)
    time = time_found(question.query, results, said)
    told = Findings(found.spelling, found.again, relaxed, unseen, gone, unquoted, time=time)
    told = told._replace(
        beside=len(results) - len(time.dates) if time else 0, bare=question.parsed.bare
    )
    if said in _LACKING:
        told = told._replace(lacking=_LACKING[said](kept, len(results), had))
    if said == "no_results" and question.policy.min_confidence > question.policy.keep:
        told = told._replace(unsure=sum(c.confidence >= question.policy.keep for c, _ in left))
    if said == "no_results" and unseen:
        told = told._replace(unknown=_unknown(pool, unseen))
    return _blank(question)._replace(
        status=said,
        tier=2 if results and all(r.kind == KIND for r in results) else 3,
        confidence=sure,
        results=results,
        named=_named_rest(left, kept),
        total_found=pool.total,
        hidden=unseen,
        relaxed=told.relaxed,
        time=time,
        budget=budget._replace(dropped=sum(why == OVER for _, why in left)),
        hints=hints(said, told, bool(left)),
    )


def _disputed(found: Answer, question: Question, facts: Facts, asked: Pass) -> Answer:
    """Returns the answer with what contradicts the facts in it, the later first; where it is in an
    order of time, that is only told."""
    with surviving("hints"):
        told = turned.beside(found.results, facts, asked.view, asked.filter)
        found = found._replace(hints=(*found.hints, *told.hints))
        if told.results == found.results or found.time:
            return found
        results, budget = _fitted(told.results[: question.policy.limit], question)
        shown = {one.document for one in results}
        return found._replace(
            results=results,
            total_found=max(found.total_found, len(results)),
            named=tuple(one for one in found.named if one.document not in shown),
            budget=budget._replace(dropped=found.budget.dropped),
        )
    return found


def _confidence(results: Sequence[Result], pool: Pool) -> float:
    """Returns how sure the best of what is shown is; where time decides the order, how sure the
    first. Where nothing is, no surer than the floor: a fact may have been graded before it was
    found not to answer."""
    if not results:
        return min(pool.confidence, pool.answerable, pool.of.policy.keep)
    if any(part.arm == chronology.ARM for part in results[0].contributions):
        return results[0].confidence
    return max(one.confidence for one in results)


def _named_rest(left: Sequence[tuple[Candidate, str]], kept: Selection) -> tuple[Named, ...]:
    """Names what is not shown, fewer where it is doubtful that any of it answers; where nothing is
    shown, with some of their words."""
    policy, bare = kept.pool.of.policy, not kept.candidates
    doubted = LIKELY if policy.doubts(kept.pool.answerable) else policy.named
    most = min(policy.named, NEAREST if bare else doubted)
    return tuple(named(c, kept.pool, why, quoted=bare) for c, why in left[:most])


def _given_up(question: Question, pool: Pool) -> tuple[str, ...]:
    """Returns the limits that were given up for what was found."""
    return tuple(not_among(question.filter.limits, pool.of.filter.limits))


def _lacking(kept: Selection, shown: int, had: Collection[str]) -> tuple[str, ...]:
    """Returns words of the question that nothing of what is shown has."""
    pool, keys = kept.pool, [c.passage for c in kept.candidates[:shown]]
    with surviving("hints"):
        matched = pool.of.view.matched(pool.of.parsed.content, keys)
        return lacking(pool.of.parsed, pool.idf, [*matched.values(), had])
    return ()


def _absent(kept: Selection, _: int, had: Collection[str]) -> tuple[str, ...]:
    """Returns words of the question that nothing in sight has."""
    with surviving("hints"):
        return retrieval.absent(kept.pool.of, kept.pool.idf, had)
    return ()


def _unknown(pool: Pool, hiding: Mapping[str, int]) -> tuple[str, ...]:
    """Returns what is said of limits that nothing is within."""
    with surviving("hints"):
        return unknown(pool.of.view, pool.of.filter, hiding)
    return ()


_LACKING = {"needs_synthesis": _lacking, "no_results": _absent}
