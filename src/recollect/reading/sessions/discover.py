"""Conversations about something: the read path that serves every search, over messages.

What it finds are documents by their best passage. Here they become conversations: one hit a
lineage, those first whose title has all the words, what no human took part in last. The first
hit comes with a window and bookends, the others with the message that was found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from math import inf
from typing import Any

from recollect.moments import iso
from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    Candidate,
    Document,
    Query,
    StoredPassage,
    TimeRoute,
    attributes,
    not_among,
    not_none,
    partition,
)
from recollect.ports import StorageEngine, Turn
from recollect.reading.answering import SNIPPET, marked
from recollect.reading.candidates import RELAXED
from recollect.reading.hints import without
from recollect.reading.pool import Models, Pool, by_document
from recollect.reading.question import Question, understand
from recollect.reading.retrieval import (
    Retrieval,
    absent,
    asks_for_questions,
    dated,
    escalated,
    first_pass,
    hidden,
    ordered,
    ranked,
    with_asking,
    worthwhile,
)
from recollect.reading.sessions import browse as browsing
from recollect.reading.sessions.caps import ASIDE, MESSAGE, Excerpt, clip, fitted
from recollect.reading.sessions.request import MAX_LIMIT, REWOUND, SessionsRequest
from recollect.reading.sessions.results import Also, Discovery, SessionHit, SessionMessage
from recollect.reading.sessions.visibility import (
    AUTOMATION,
    END,
    LINEAGE,
    SeenStore,
    Visible,
    is_automated,
    is_subagent,
)
from recollect.reading.sessions.windows import around, bookends, names
from recollect.text.questions.asking import is_courtesy, is_question
from recollect.text.questions.parse import Parsed, parse
from recollect.text.questions.time_route import asks_decision
from recollect.text.terms import stems
from recollect.trace import Trace, surviving, tracing

DEPTH = 50
"""Sessions that are ranked."""
LINEAGES = 20
"""Conversations that each arm should bring, if there are as many."""
LIKELY, NEAR, FAR = 0.1, 3.0, 12.0
"""From this confidence on, or this near to the best in log-odds, the grades decide the order; what
is so far below it takes no place."""
ARMS = ("lexical", "vector", "hop", "time")
"""What may be told to have found a conversation, or put it in its place."""
ENDINGS = ("leave-off", "state")
"""Kinds of questions of time that want to know how each conversation ended."""


class Match(NamedTuple):
    """A session by a passage of it."""

    document: Document
    turn: int
    text: str
    """The passage."""
    confidence: float
    evidence: tuple[str, ...]


class Line(NamedTuple):
    """A conversation: the session that stands for it, and others of its lineage."""

    match: Match
    others: tuple[Match, ...] = ()

    @property
    def aside(self) -> bool:
        return is_subagent(self.match.document)


def discover(request: SessionsRequest, visible: Visible, models: Models) -> Discovery:
    """Returns the conversations about something, a hit for each."""
    with tracing() as trace:
        if request.route.listed and not request.route.event:
            return _latest(request, visible, trace)
        return _about(request, visible, models, trace)


def _about(request: SessionsRequest, visible: Visible, models: Models, trace: Trace) -> Discovery:
    store, seen = SeenStore.over(visible, request.policy, LINEAGES)
    asked = visible.filter._replace(roles=visible.roles)
    policy = request.policy._replace(limit=DEPTH)
    query = Query(request.query, asked, policy, request.time, time=request.route)
    found = dated(_retrieved(understand(query), store, models))
    matches = _timed(found) if request.route.ordered else _matches(found)
    lines, folded = conversations(matches, visible)
    if len(lines) < request.limit:
        lines, folded = conversations([*matches, *_asking(found)], visible)
    chosen, automated = _chosen(lines, request.limit)
    hits = _hits(chosen, request, visible, found.question.parsed)
    unseen = _unseen(found, visible) + Counter(seen.hidden)
    unseen += Counter(
        {LINEAGE: folded, AUTOMATION: automated, "no messages": len(chosen) - len(hits)}
    )
    return Discovery(
        query=request.query,
        sort=request.route.order,
        routed=_why(request.route),
        confidence=found.pool.confidence,
        hits=tuple(hits),
        found=len(lines),
        hidden=unseen,
        searched=searched(request, visible, empty=not hits),
        notes=(
            *request.notes,
            *visible.notes,
            *_notes(found, visible, trace, empty=not hits),
            *_beside(hits, request.route),
        ),
        degraded=tuple(trace.degraded),
        stages=tuple(trace.stages),
        timing_ms=trace.elapsed_ms,
    )


def _retrieved(question: Question, store: StorageEngine, models: Models) -> Retrieval:
    """Returns what is found of a question: what answers it, and no repetition of it."""
    asked = first_pass(question, store, models)
    return escalated(question, ranked(asked._replace(questions=asks_for_questions(question))))


def _asking(found: Retrieval) -> list[Match]:
    """Returns the conversations in which no more was found than a question, as near as those that
    answer, and no surer: what was asked tells what one is about."""
    if not found.pool.asking or found.question.query.time.ordered:
        return []
    with surviving("exchanges"), tracing():
        pool = with_asking(found.pool)
        good = worthwhile(found._replace(pool=pool), pool.best).good
        near = _worth_a_place(pool) if good else []
        sure = min([c.confidence for c in found.pool.best[:1]], default=1.0)
        known = by_document(found.pool.best)
        said = ((c, pool.stored(c)) for c in near if c.document not in known)
        return [
            _match(c._replace(confidence=min(sure, c.confidence)), stored, titled=False)
            for c, stored in said
            if is_question(stored.passage.text, typed=stored.passage.role == "user")
        ]
    return []


# ------------------------------------------------------------------ from passages to conversations


def _why(route: TimeRoute) -> str:
    """Returns why time has a say, where the question said so."""
    return f"{route.kind}: “{route.said}”" if route.ordered and route.said else ""


def _timed(found: Retrieval) -> list[Match]:
    """What was found, with what speaks of the topic first, in the order of time."""
    good = worthwhile(found, ordered(found)).good
    return [_match(c, found.pool.stored(c), titled=False) for c in good]


def _matches(found: Retrieval) -> list[Match]:
    """What was found, best first; those whose title has all the words before the others. A few
    conversations cost little, so that the less likely fill the places that are left, but for
    where nothing is likely, or where another order would put them first."""
    pool, wanted = found.pool, set(found.question.parsed.content)
    good = worthwhile(found, pool.best).good
    if good:
        good = _worth_a_place(pool)
    first = {c.document for c in good if _has_all(pool.stored(c).document.title, wanted)}
    ordered = sorted(good, key=lambda c: c.document not in first)
    return [_match(c, _telling(c, pool), titled=c.document in first) for c in ordered]


def _telling(best: Candidate, pool: Pool) -> StoredPassage:
    """Returns the passage of a document that was found best; not one that only thanks or agrees,
    which was found by what it follows."""
    found = (best, *pool.others.get(best.document, ()))
    stored = [pool.stored(c) for c in found if c.passage in pool.passages]
    return next((one for one in stored if not is_courtesy(one.passage.text)), stored[0])


def _worth_a_place(pool: Pool) -> list[Candidate]:
    """Returns what may be shown; by words alone nothing is known to be far below the best."""
    return _filled(pool.best, FAR if pool.by_meaning else inf)


def _filled(best: Sequence[Candidate], far: float = FAR) -> list[Candidate]:
    """The likely ones by their grades, then those not far below the best, by how near they are in
    meaning: a low grade says that a session does not answer the question, not which of two is
    about it."""
    top = best[0].score
    likely, others = partition(lambda c: c.confidence >= LIKELY or c.score >= top - NEAR, best)
    near = (c for c in others if c.score >= top - far)
    return likely + sorted(near, key=lambda c: -c.signals.cosine)


def _has_all(title: str, wanted: set[str]) -> bool:
    """Whether a title has all the words, and is not itself a question."""
    return bool(wanted) and wanted <= stems(title) and not is_question(title, typed=True)


def _match(candidate: Candidate, stored: StoredPassage, *, titled: bool) -> Match:
    evidence = [c.arm for c in candidate.contributions if c.arm in ARMS]
    passage = stored.passage
    return Match(
        stored.document,
        passage.turn,
        passage.text,
        candidate.confidence,
        ("title", *evidence) if titled else tuple(evidence),
    )


def conversations(matches: Sequence[Match], visible: Visible) -> tuple[list[Line], int]:
    """One line a lineage, in the order of the best of each, and how many sessions stand behind
    others. The conversation itself stands for its lineage, if it was found at all."""
    lines: dict[str, Line] = {}
    for match in matches:
        key = visible.lineages.root(match.document).key
        line = lines.get(key)
        if line is None:
            lines[key] = Line(match)
        elif line.aside and not is_subagent(match.document):
            lines[key] = Line(match, (line.match, *line.others))
        else:
            lines[key] = line._replace(others=(*line.others, match))
    return list(lines.values()), sum(len(line.others) for line in lines.values())


def _chosen(lines: Sequence[Line], limit: int) -> tuple[list[Line], int]:
    """As many as are wanted, in order, and how many automated ones are left out. Where nothing
    but a subagent's run was found of a lineage, that takes one place at most while there are
    conversations for the others; what no human took part in takes none."""
    alone, spoken = partition(lambda line: is_automated(line.match.document), lines)
    first = _seated(spoken, limit)
    rest = alone[: limit - len(first)]
    return [*first, *rest], len(alone) - len(rest)


def _seated(spoken: Sequence[Line], limit: int) -> list[Line]:
    """The first of these, with at most one aside among them while there are conversations."""
    places = [n for n, line in enumerate(spoken) if not line.aside]
    asides = [n for n, line in enumerate(spoken) if line.aside]
    early = asides[: int(limit > 1)]
    chosen = sorted([*places, *early])[:limit]
    spare = list(not_among(asides, chosen))[: limit - len(chosen)]
    return [spoken[n] for n in sorted([*chosen, *spare])]


# ------------------------------------------------------------------ what is shown of them


class _HitDraft(NamedTuple):
    """A hit before its messages are cut to fit."""

    line: Line
    messages: list[Turn]
    opening: list[Turn]
    closing: list[Turn]
    named: Mapping[int, str]
    windowed: bool


def _hits(
    lines: Sequence[Line], request: SessionsRequest, visible: Visible, parsed: Parsed
) -> list[SessionHit]:
    ends = request.route.kind in ENDINGS or asks_decision(request.query)
    made = (
        _draft(line, request, visible, window=request.detail == "full" or not place, ends=ends)
        for place, line in enumerate(lines)
    )
    drafts = list(filter(None, made))
    shown = iter(fitted(list(chain.from_iterable(map(_pieces, drafts)))))
    return [_hit(draft, visible, parsed, shown) for draft in drafts]


def _draft(
    line: Line, request: SessionsRequest, visible: Visible, *, window: bool, ends: bool
) -> _HitDraft | None:
    match = line.match
    id = match.document.id
    anchor = next(iter(visible.store.sessions.turns(id, start=match.turn, count=1)), None)
    if anchor is None:  # a text that is called a session, or gone since it was found
        return None
    messages = around(visible, id, anchor, request.window).all if window else [anchor]
    opening, closing = bookends(visible, id, messages) if window or ends else ([], [])
    if not window:  # of a lower hit only how it ended
        opening, closing = [], closing[-1:]
    every = [*opening, *messages, *closing]
    return _HitDraft(line, messages, opening, closing, names(visible, id, every), window)


def _pieces(draft: _HitDraft) -> list[Excerpt]:
    match = draft.line.match
    pieces = []
    for turn in draft.messages:
        anchor = turn.turn == match.turn
        cap = MESSAGE if draft.windowed else ASIDE
        pieces.append(
            Excerpt(draft.named[turn.turn], turn, cap, match.text if anchor else "", anchor)
        )
    ends = [*draft.opening, *draft.closing]
    return pieces + [Excerpt(draft.named[turn.turn], turn, ASIDE) for turn in ends]


def _hit(draft: _HitDraft, visible: Visible, parsed: Parsed, shown: Any) -> SessionHit:
    match, id = draft.line.match, draft.line.match.document.id

    def take(turns: Sequence[Turn]) -> tuple[SessionMessage, ...]:
        return tuple(next(shown) for _ in turns)

    messages, opening, closing = take(draft.messages), take(draft.opening), take(draft.closing)
    first, last = draft.messages[0].turn, draft.messages[-1].turn
    return SessionHit(
        session=visible.named(match.document),
        match_message_id=draft.named[match.turn],
        confidence=match.confidence,
        evidence=match.evidence,
        snippet=_snippet(match.text, parsed),
        messages=messages,
        opening=opening,
        closing=closing,
        hidden=visible.unseen(id, first, last, len(messages)) if last > first else {},
        also=tuple(also(other, visible) for other in draft.line.others),
    )


def _snippet(text: str, parsed: Parsed) -> str:
    """What matches between marks; the beginning where nothing was looked for."""
    return marked(text, parsed) if parsed.content else clip(" ".join(text.split()), SNIPPET)


def also(match: Match, visible: Visible) -> Also:
    id = match.document.id
    turns = visible.store.sessions.turns(id, start=match.turn, count=1)
    name = names(visible, id, turns).get(match.turn, f"#{match.turn}")
    return Also(visible.lineages.name(match.document), name)


# ------------------------------------------------------------------ without a topic


def _latest(request: SessionsRequest, visible: Visible, trace: Trace) -> Discovery:
    """The latest conversations (or the first), each by the last thing that was said in it: where
    the question names nothing to look for."""
    sort = request.route.order
    found = browsing.recent(visible, request.limit, oldest=sort == "oldest")
    lines: list[Line] = []
    for line in found.lines:
        said = visible.messages(line.document.id, END, -1)
        matches = (Match(line.document, t.turn, t.message.text, 1.0, ("recent",)) for t in said)
        lines += map(Line, matches)
    parsed = parse(request.query)._replace(content=())
    hits = _hits(lines, request, visible, parsed)
    return Discovery(
        query=request.query,
        sort=sort,
        routed=_why(request.route),
        confidence=1.0 if hits else 0.0,
        hits=tuple(hits),
        found=found.found,
        hidden=found.hidden,
        searched=searched(request, visible, empty=not hits),
        notes=(*request.notes, *visible.notes, _listed(request, len(hits), found.found)),
        degraded=(),
        stages=tuple(trace.stages),
        timing_ms=trace.elapsed_ms,
    )


def _listed(request: SessionsRequest, shown: int, found: int) -> str:
    """Returns what was listed for a question that names nothing to look for, in the words of its
    period; with how many there are of that, where not all are shown."""
    period = f" “{request.time.said}”" if request.time else ""
    if not found:
        return f"it names nothing to look for, and there are no sessions{period}"
    which = "first" if request.route.order == "oldest" else "latest"
    some = f"{which} {shown} of {found}" if period and shown < found else which
    more = "; a higher limit shows more" if period and shown < min(found, MAX_LIMIT) else ""
    return f"it names nothing to look for, so these are the {some} sessions{period}{more}"


# ------------------------------------------------------------------ what was not seen


def _unseen(found: Retrieval, visible: Visible) -> Counter[str]:
    """Counts messages that match the words and are hidden: taken back, of other roles, from
    another time, of others."""
    question = found.question
    asked = found.pool.of._replace(
        parsed=question.parsed, filter=question.filter, view=visible.store
    )
    limits = [name for name in asked.filter.limits if name != "kinds"]
    counts = Counter(hidden(asked, limits))
    if counts["roles"]:
        taken_back = asked.filter._replace(roles=(REWOUND,))
        text = question.parsed.text
        counts[REWOUND] = visible.store.search_text([text], taken_back, limit=1, count=True)[
            0
        ].total
        counts["roles"] -= counts[REWOUND]
    return +counts


def _notes(found: Retrieval, visible: Visible, trace: Trace, *, empty: bool) -> Iterator[str]:
    """Yields what a caller should know of how it was read; where nothing is likely, which words no
    conversation has, and what is nearest."""
    for wrong, right in found.spelling.items():
        yield f"nothing has “{wrong}”; did you mean “{right}”?"
    if not empty:
        read = (stage.reason for stage in trace.stages if stage.reason.startswith(RELAXED))
        yield from dict.fromkeys(read)
        return
    pool = found.pool
    yield from without("nothing here", absent(pool.of, pool.idf, ()))
    for best in pool.best[:1]:
        near = pool.stored(best).document
        name = visible.lineages.name(near)
        yield f"nearest: “{near.title}” ({name})" if near.title else f"nearest: {name}"


def _beside(hits: Sequence[SessionHit], route: TimeRoute) -> Iterator[str]:
    """Yields which of the conversations the order of time does not hold for."""
    told = sum("time" in hit.evidence for hit in hits)
    if route.ordered and route.order != "relevance" and told < len(hits):
        yield f"{route.order} first are {told} of these; the others only come near the topic"


def searched(request: SessionsRequest, visible: Visible, *, empty: bool) -> dict[str, Any]:
    """What was looked through; how much that was, where nothing was found in it."""
    made: dict[str, Any] = {"roles": list(visible.roles)}
    made |= not_none(attributes(visible.filter, ("owner", "scopes", "sources")))
    made |= not_none({"after": iso(visible.filter.since), "before": iso(visible.filter.until)})
    if request.exclude:
        made["without"] = list(request.exclude)
    if empty:
        made["sessions"] = visible.store.stats().kinds.get("session", 0)
    return made
