"""Retrieval: from a question to a graded pool of candidates, for whatever is made of them.

    find → fuse → rerank → grade → hop, and once more, wider, where the grade is low

A search (which a bundle for a model is made of), the facts of a context and the discovery of
sessions all come through here. The stages know nothing of each other; what one found is handed to
the next as a :class:`~recollect.reading.pool.Pool`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain

from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    SPOKEN,
    UNHEARD,
    Arm,
    Candidate,
    Contribution,
    Filter,
    Hit,
    Query,
    StoredPassage,
    TextQuery,
    TimeRoute,
    Window,
    among,
    not_among,
    partition,
    words,
)
from recollect.ports import StorageEngine
from recollect.reading import (
    candidates,
    chronology,
    codes,
    cut,
    exchanges,
    expand,
    fuse,
    grade,
    hop,
    period,
    rerank,
    rewrite,
    superseded,
)
from recollect.reading.by_content import nearest, speaking
from recollect.reading.chronology import Listing, Outline, Timeline
from recollect.reading.hop import Bridge
from recollect.reading.own_words import is_fact, own_words
from recollect.reading.pool import (
    SURE,
    WORDED,
    Lookups,
    Models,
    Pass,
    Pool,
    as_typed,
    best_by_document,
    by_document,
    by_key,
    of_passages,
    sees_all,
)
from recollect.reading.question import Question
from recollect.text.calls import is_call
from recollect.text.questions.asking import asked_with, is_about_questions
from recollect.text.questions.overview import is_overview
from recollect.text.questions.parse import Parsed, parse
from recollect.text.questions.route import is_personal
from recollect.text.questions.when import vague
from recollect.trace import current, fail, say, skip, stage, surviving, tracing, unreported

DELETED = 4.0
"""So much better, in log-odds, must what its source no longer has be to stand first: a file that
was deleted or renamed is mostly replaced."""
UNSAID = 4.0
"""And so much better what no person and no assistant said, where that is asked for as well."""

BARE = "the question has no word that says what is asked"


class Retrieval(NamedTuple):
    """What was found for a question: graded, and nothing cut yet."""

    question: Question
    pool: Pool
    spelling: Mapping[str, str]
    """Words that occur nowhere, each with one that does."""
    again: bool
    """Whether the second pass found it."""
    event: datetime | None = None
    """When that was what the question asks for what came before or after."""


def retrieve(
    question: Question,
    view: StorageEngine,
    models: Models,
    sees: Callable[[StoredPassage], bool] = sees_all,
) -> Retrieval:
    """Returns the better graded of one pass and, where its grade is low, a second one."""
    return escalated(question, ranked(first_pass(question, view, models, sees)))


def first_pass(
    question: Question,
    view: StorageEngine,
    models: Models,
    sees: Callable[[StoredPassage], bool] = sees_all,
) -> Pass:
    """Returns the pass that a question begins with."""
    policy = question.policy
    hops = policy.hop and question.route.shape == "open" and policy.by == "hybrid"
    window, asks = _window(question), wants_questions(question)
    return Pass(
        question.parsed,
        question.filter,
        policy,
        view,
        models,
        window,
        hops,
        sees,
        asks,
        lookups=Lookups({}, {}, {}),
    )


def wants_questions(question: Question) -> bool:
    """Whether what was asked is looked for: the question says so, nobody who replies may be heard,
    or it is a few words, and whatever has them is wanted."""
    return question.parsed.terse or asks_for_questions(question)


def asks_for_questions(question: Question) -> bool:
    """Whether the question says that what was asked is looked for, or nobody who replies may be
    heard."""
    roles = question.filter.roles
    silent = roles is not None and "assistant" not in roles
    return silent or is_about_questions(question.parsed.prose)


def ranked(asked: Pass) -> Pool:
    """Makes one pass: what the arms find, fused, read, graded, with what the best hits name."""
    asked = codes.without_numbers(asked)
    arms = (
        candidates.lexical(asked),
        candidates.title(asked),
        candidates.vector(asked),
        candidates.window(asked),
    )
    pool = exchanges.answered(_uncrowded(fuse.pool(asked, arms), arms))
    pool = grade.grade(rerank.read(pool, pool.fused))
    if asked.policy.hop:
        with surviving("hop"):
            pool = _with_bridges(pool, hop.bridges(pool))
    return _with_exchanges(pool) if pool.asked else pool


def _with_bridges(pool: Pool, found: Sequence[Bridge]) -> Pool:
    """Takes in what the best hits name."""
    named = {one.document: one.parent.document for one in found}
    return taken(pool._replace(named_by=named), [one.hit for one in found], "hop")


def with_asking(pool: Pool) -> Pool:
    """Returns the pool with what only asks among its candidates, graded like the others."""
    asking = tuple(best_by_document(pool.asking).values())
    every = pool._replace(asking=()).regrouped([*pool.every(), *pool.asking])
    return grade.again(rerank.read(every, asking) if pool.odds else every)


def _uncrowded(pool: Pool, arms: Sequence[Arm]) -> Pool:
    """Returns the pool; where what may not be heard took the places of others, with what the arms
    find in notes and in what a user or an assistant said."""
    if not pool.crowded:
        return pool
    asked = pool.of
    with tracing():  # what these arms did was told once
        spoken = _arms(asked._replace(filter=asked.filter._replace(roles=SPOKEN)))
        return fuse.pool(asked, list(map(candidates.together, arms, spoken)))


def _arms(asked: Pass) -> tuple[Arm, ...]:
    return (
        candidates.lexical(asked),
        candidates.title(asked),
        candidates.vector(asked),
        candidates.window(asked),
    )


def _with_exchanges(alone: Pool) -> Pool:
    """Has the questions of exchanges help to find what was replied, where nothing else is likely to
    answer; elsewhere behind that."""
    with surviving("exchanges"):
        joined = exchanges.hedged(grade.again(exchanges.joined(alone)))
        if not alone.best or alone.of.policy.doubts(alone.answerable):
            return joined
        return exchanges.placed(alone, joined)
    return alone


def taken(pool: Pool, hits: Sequence[Hit], arm: str) -> Pool:
    """Takes in what was found in another way, and grades all of it anew against the question."""
    if not hits:
        return pool
    fused = by_document(pool.fused)
    for rank, hit in enumerate(hits, 1):
        part = Contribution(arm, rank, hit.score, 0.0, 0.0)
        known = fused.get(hit.document)
        fused[hit.document] = _credited(known, part) if known else _new(hit, part)
    new = list(fused.values())[len(pool.fused) :]
    stored = pool.of.view.passages([c.passage for c in new])
    passages = {**pool.passages, **by_key(filter(pool.of.shows, stored))}
    seen = tuple(of_passages(fused.values(), passages))
    pool = pool._replace(fused=seen, passages=passages)
    added = list(of_passages(new, passages))
    if pool.odds and added:
        pool = rerank.read(pool, added)
    return grade.again(pool)


def _new(hit: Hit, part: Contribution) -> Candidate:
    return Candidate(hit.document, hit.passage, 0.0, (part,))


def _credited(candidate: Candidate, part: Contribution) -> Candidate:
    """Notes that another arm found it as well, once."""
    if part.arm in [known.arm for known in candidate.contributions]:
        return candidate
    return candidate._replace(contributions=(*candidate.contributions, part))


@stage("window")
def _window(question: Question) -> Window | None:
    """Returns the time that the question speaks of, unless the caller has said or wants none."""
    query, window = question.query, question.query.window
    if window is None:
        said = vague(query.text)
        return skip(f"“{said}” names no date", None) if said else unreported(None)
    if not query.policy.window_weight:
        return skip(f"“{window.said}” does not count: switched off", None)
    if question.filter.since or question.filter.until:
        return skip(f"“{window.said}” does not count: the caller's dates do", None)
    return unreported(window)


# ------------------------------------------------------------------ in which order, how many


def ordered(found: Retrieval) -> list[Candidate]:
    """Returns the candidates best first: without facts that do not answer (an overview is none, and
    a word that only a correction of the spelling found is no evidence), unless words are all there
    is to go by and no text has as many; with newness as it counts, and what its source no longer
    has behind what is about as good."""
    pool, policy, newest = found.pool, found.question.policy, found.question.route.newest
    broad = is_overview(pool.of.parsed.prose)
    by_content = not broad and not (found.again and found.spelling)
    facts, sure = partition(lambda c: is_fact(c, pool), pool.best)
    facts = [grade.as_fact(c, pool) for c in facts]
    spoken = [*filter(None, (speaking(c, pool) for c in facts))] if by_content else []
    if by_content and not spoken and pool.grader in WORDED:
        spoken = nearest(facts, sure, pool)
    sure += spoken
    alpha = policy.recency if policy.recency is not None else policy.newest * newest
    best = sorted(sure, key=lambda c: _behind(pool.stored(c)) - c.score)
    if found.question.query.time.ordered:
        return _in_time(found, best).all
    return chronology.by_date(best, pool.passages, alpha)


def _behind(stored: StoredPassage) -> float:
    """Returns how far a passage stands behind others that are as good, in log-odds. A command that
    was run is what an assistant did."""
    said = stored.passage
    unsaid = said.role in UNHEARD and not is_call(said.text)
    return DELETED * stored.document.gone + UNSAID * unsaid


@stage("time")
def _in_time(found: Retrieval, best: Sequence[Candidate]) -> Timeline:
    """Puts what speaks of the topic in the order of time, before the rest."""
    time, window = found.question.query.time, found.pool.of.window
    made = chronology.timeline(best, found.pool, time, window, found.event)
    period = f", from “{window.said}”" if made.within and window else ""
    say(f"{time.kind}, {time.order}{period}", found=len(made.speaking))
    return made


def worthwhile(found: Retrieval, among: Sequence[Candidate], few: int = cut.FEW) -> cut.Kept:
    """Returns those of these that are good enough, and what decided; no more than *few* where it is
    doubtful that any answers."""
    pool = found.pool
    if pool.of.parsed.bare and not any(c.signals.exact for c in among):
        return cut.Kept([], BARE)
    if found.question.query.time.ordered and pool.of.policy.doubts(pool.answerable):
        among = among[: cut.FEW]  # the first in time, not the best
    by_words = pool.grader in WORDED
    facts = (c.confidence for c in among if is_fact(c, pool))  # which would not be among them
    sure = cut.Grade(pool.confidence, max([pool.answerable, *facts]), by_words, pool.is_said)
    return cut.cut(among, pool.of.policy, sure, few)


def of_oneself(found: Retrieval) -> tuple[Retrieval, Sequence[Candidate]]:
    """Returns what people said of themselves, to be shown whole and alone, where advice is asked
    for or something told of which nothing seems to be stored; else nothing."""
    pool, policy = found.pool, found.pool.of.policy
    doubted = policy.cut and policy.doubts(pool.answerable)
    said = own_words(pool) if doubted and is_personal(pool.of.parsed.prose) else ()
    if not said:
        return found, ()
    whole = pool.of._replace(policy=policy._replace(cut=False, share=1.0))
    more = {first.document: tuple(others) for first, *others in said}
    made = pool._replace(of=whole, others={**pool.others, **more})
    return found._replace(pool=made), [first for first, *_ in said]


# ------------------------------------------------------------------ once more


def escalated(question: Question, first: Pool) -> Retrieval:
    """Returns what the first pass found, or a second one where that is graded better."""
    pool, spelling = _once_more(first, question.query.relax)
    return Retrieval(question, pool, spelling, pool is not first)


@stage("escalate", otherwise=lambda first: (first, {}))
def _once_more(first: Pool, relax: tuple[str, ...]) -> tuple[Pool, Mapping[str, str]]:
    """Makes a second pass where the first is graded low: corrected, wider, and without the limits
    that the caller allows to be given up. Returns the better graded of the two; besides, the words
    that occur nowhere, each with one that does."""
    sure = min(first.confidence, first.answerable)
    asked, policy, low = first.of, first.of.policy, f"graded {sure:.2f}"
    if sure >= policy.escalate:
        return skip(low, (first, {}))
    given_up = tuple(among(relax, asked.filter.limits))
    filter = asked.filter.without(*given_up)
    joined = rewrite.joined(asked.parsed, first.idf, filter, asked.view)
    parsed = rewrite.with_joined(asked.parsed, joined)
    spelling = rewrite.spelling(parsed, first.idf, filter, asked.view)
    ways = [f"“{said}” read as “{way}”" for said, way in (joined | spelling).items()]
    if given_up:
        ways.append(f"without the limit on {' and '.join(given_up)}")
    if first.full and policy.wider > 1 and policy.by != "keyword":
        ways.append(f"{policy.wider} times as wide")
    quoted = bool(asked.parsed.text.must) and not first.best
    if quoted:
        ways.append("without the quotes, for nothing has these words in a row")
    if not ways:
        return skip(f"{low}, and there is no other way to ask", (first, spelling))
    with tracing() as inner:
        second = ranked(
            asked._replace(
                parsed=_rewritten(parsed, spelling, quoted=quoted),
                filter=filter,
                policy=policy._replace(pool=policy.wider * policy.pool, wider=1),
                known_odds={} if joined or spelling else _odds_by_passage(first),
            )
        )
    better = second.confidence > first.confidence
    verdict = f"{second.confidence:.2f}, {'taken' if better else 'not better'}"
    said = f"{low}; {', '.join(ways)}: {verdict}"
    say(said, found=len(second.best), after=inner.renamed("again "))
    current().join((), inner.degraded)
    return (second if better else first), spelling


def _rewritten(parsed: Parsed, spelling: Mapping[str, str], *, quoted: bool) -> Parsed:
    return rewrite.corrected(rewrite.unquoted(parsed) if quoted else parsed, spelling)


def _odds_by_passage(pool: Pool) -> dict[int, float]:
    return {c.passage: pool.odds[c.document] for c in pool.fused if c.document in pool.odds}


# ------------------------------------------------------------------ before and after something


@stage("event", otherwise=lambda found: found)
def dated(found: Retrieval) -> Retrieval:
    """Finds when that was what the question asks for what came before or after."""
    time, asked = found.question.query.time, found.pool.of
    if not time.event or not time.ordered:
        return unreported(found)
    with tracing():  # what its own stages did is not told
        pool = ranked(asked._replace(parsed=parse(time.event)._replace(terse=False)))
        moment = chronology.moment(pool, found.pool)
    say(f"“{time.event}” was {moment:%Y-%m-%d}" if moment else f"no date of “{time.event}”")
    return found._replace(event=moment)


@stage("period", otherwise=lambda found: found)
def of_period(found: Retrieval) -> Retrieval:
    """Has the entries of logs that are from the period asked for stand for these."""
    time, window = found.question.query.time, found.pool.of.window
    if window is None or time.kind != "in-period" or not time.ordered:
        return unreported(found)
    pool = period.entries(found.pool, window)
    say(f"entries from “{window.said}”", found=len(pool.entries))
    return found._replace(pool=pool)


@stage("listing", otherwise=Listing())
def listing(asked: Pass, query: Query) -> Listing:
    """Returns what is from the time that the question names, by time alone; nothing that came after
    the time that is asked about."""
    seen, window, time = asked.filter, asked.window, query.time
    if window:
        since, until = window.reach
        seen = seen._replace(since=since, until=until)
    if time.event:
        with tracing():  # what its own stages did is not told
            # the session that tells of an event is not one before it
            event = chronology.moment(ranked(asked), begun=time.kind == "before")
        if event is None:
            return skip(f"no date of “{time.event}”", Listing())
        seen = _beside(seen, time, event)
    if query.as_of:
        after = query.as_of + timedelta(seconds=1)
        seen = seen._replace(until=min(after, seen.until or after))
    found = chronology.listing(asked, seen, time)
    say(f"{time.kind}, no topic", found=found.total)
    return found


def _beside(seen: Filter, time: TimeRoute, event: datetime) -> Filter:
    """Returns the filter with what is from before an event, or after it."""
    if time.kind == "before":
        return seen._replace(until=event)
    return seen._replace(since=event + timedelta(seconds=1))


def outlined(asked: Pass, found: Sequence[Outline]) -> Pool:
    """Returns a pool of documents that time alone has found: they are certain."""
    passages = by_key(chain.from_iterable(one.passages for one in found))
    best = tuple(
        chronology.told(Candidate(one.first.key, one.first.key, SURE, (), confidence=1.0), place)
        for place, one in enumerate(found, 1)
    )
    return Pool(asked, (), passages, {}, len(best), False, {}, False, best=best, confidence=1.0)


# ------------------------------------------------------------------ in other words


@stage("expand", otherwise=lambda pool: pool)
def expanded(pool: Pool) -> Pool:
    """Adds what a language model's rewrites of the question find, where the grade is low, and the
    user allows it."""
    why = expand.why_not(pool)
    if why:
        return skip(why, pool)
    try:
        made = expand.ask(pool)
    except expand.TooSlow as error:
        return fail(str(error), pool)
    with tracing() as inner:  # what the rewrites' own stages did is not told
        hits = list(chain.from_iterable(map(_first_of, expand.passes(pool, made))))
        hits += expand.nearest(pool, made.passage)
    current().join((), inner.degraded)
    wider = taken(pool, hits, "rewrite")
    said = "; ".join(f"“{one}”" for one in made.queries) or "no rewrite"
    if made.passage:
        said += "; by a passage as the answer might read"
    model = pool.of.models.llm.name if pool.of.models.llm else ""
    verdict = f"graded {pool.confidence:.2f}, then {wider.confidence:.2f}"
    say(f"{model} asked {said}: {verdict}", found=len(wider.fused) - len(pool.fused))
    return wider


def _first_of(asked: Pass) -> list[Hit]:
    """Returns what a rewrite finds, best first."""
    best = fuse.pool(asked, _arms(asked)).fused[: expand.BROUGHT]
    return [Hit(c.passage, c.document, c.score) for c in best]


# ------------------------------------------------------------------ what is in force


@stage("superseded", otherwise=lambda found: (found.pool, {}))
def successors(found: Retrieval) -> tuple[Pool, Mapping[str, str]]:
    """Has what is in force stand for what it superseded, unless the past is asked about. Returns
    also the titles of those that gave way, each with that of what took its place."""
    pool, query = found.pool, found.question.query
    why = superseded.why_not(pool, query)
    if why:
        return skip(why, (pool, {}))
    heirs = superseded.successors(pool, query.as_of)
    pool = taken(pool, list(heirs.hits.values()), "successor")
    titles = heirs.titles()
    if titles:
        pool = grade.promoted(pool, superseded.in_their_place(pool, heirs))
    said = [f"“{old}” by “{new}”" for old, new in titles.items()]
    say(", ".join(said), found=len(titles))
    return pool, titles


# ------------------------------------------------------------------ what the limits hide


@stage("hidden", otherwise={})
def hidden(asked: Pass, limits: Sequence[str]) -> Mapping[str, int]:
    """Counts for each of these limits how many passages match the words and fail only that one."""
    if not limits:
        return unreported({})
    query = asked.parsed.text._replace(any=words(asked.parsed.content) or asked.parsed.text.any)

    def total(under: Filter) -> int:
        return asked.view.search_text([query], under, limit=1, count=True)[0].total

    seen = total(asked.filter)
    counts = {name: total(asked.filter.without(name)) - seen for name in limits}
    return {name: count for name, count in counts.items() if count > 0}


ABSENT = 3
"""Words of a question that are looked up by themselves."""


def absent(asked: Pass, idf: Mapping[str, float], had: Collection[str]) -> tuple[str, ...]:
    """Returns the rarest words of a question that nothing in sight has, as they were typed; without
    those that a question only asks with. *had*: the words that are in names of facts."""
    unmet = not_among(asked.parsed.content, asked_with().union(had))
    rare = sorted(unmet, key=lambda word: -idf.get(word, 0.0))[:ABSENT]
    queries = [TextQuery(any=words([word])) for word in rare]
    found = asked.view.search_text(queries, asked.filter, limit=1) if queries else []
    missing = [word for word, one in zip(rare, found, strict=True) if not one.hits]
    return as_typed(missing, asked.parsed, idf)
