"""What a model needs to write an answer: sections of what was found, within a budget.

A bundle is made of the answer of a search that is not bounded by its own budget: the same floor
below which nothing is known, the same order, the same that holds now before what it replaced. A
section is what one document has to say. First come the sentences that carry the evidence, of the
best documents; then the whole passages that these are from, further documents, and what stands
next to the best, as far as there is room. Only the first section is ever cut: to the sentences that
have most of the question. What else was found is told by name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain, combinations, islice, pairwise
from typing import Any

from recollect.facts import KIND
from recollect.moments import day, iso
from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    SCHEMA_VERSION,
    SPOKEN,
    Answer,
    Budget,
    Earlier,
    Named,
    Policy,
    Query,
    Result,
    Span,
    Stage,
    StoredPassage,
    dict_list,
    json_list,
    partition,
    without,
)
from recollect.ports import Embedder, StorageEngine
from recollect.reading import pipeline, turned
from recollect.reading.hints import NONE_OF, hiding, lacking
from recollect.reading.named import facts_in_sight
from recollect.reading.pool import Models, begin
from recollect.reading.question import Question, understand
from recollect.text import snippet
from recollect.text.headings import HEADING
from recollect.text.pairs import relation
from recollect.text.sentences import units
from recollect.text.terms import stems
from recollect.text.tokens import clip_tokens, count_tokens
from recollect.trace import say, stage, surviving, tracing

LIMIT = 50
"""Documents that are looked at."""
LOWERED = 0.5
"""Share of the floor below which nothing is known, for a reader who can tell."""
PLAIN = 500
"""Tokens that a share of what is worth showing is meant for: with more, more is."""
FEW = 3
"""Fewer sections are worth a hint."""
FIRST = 10
"""Of so many sections the evidence comes before what stands around any."""
WIDENED = 5
"""Of so many sections what stands next to them is added, if there is room."""
ELSE = 10
"""Things that are named besides."""
COMPARED = 6
"""So many sections are held against each other, by one sentence of each."""
CONFLICTS = 3
"""So many pairs that disagree are named; where sections alone make more, they are a list."""
AROUND, LEAST = 60, 36
"""Tokens that are left for what a surface says around the sections; and for how sure it is and the
fingerprint alone, which is what there is room for in a small budget."""
BRIEF = 10
"""Tokens of the title of a section that is cut."""
OVER = pipeline.OVER
OLD = timedelta(days=365)
GAP = "\n[…]\n"
LEFT_OUT = "\n…\n"
HEARD = frozenset({"", *SPOKEN, "summary"})
"""Whose words are added to those that were found."""


class Section(NamedTuple):
    """What one document has to say."""

    document: str
    document_id: str
    kind: str
    source: str
    title: str
    path: str
    date: datetime | None
    """That of the sentence which has most of the question's words."""
    ids: tuple[str, ...]
    """Of the passages, in the order of the text."""
    text: str
    confidence: float
    tokens: int = 0
    """Of all that :meth:`rendered` sends."""
    truncated: bool = False
    gone: bool = False
    """Whether its source no longer has it."""
    dated: str = ""
    """What says the date."""
    earlier: tuple[Earlier, ...] = ()
    """What this has replaced, last first."""

    def rendered(self) -> str:
        lines = [f"=== {self._heading()}", self.text.strip(), *map(Earlier.told, self.earlier)]
        return "\n".join(lines) + "\n"  # not by # signs: a note's own headings have those

    def _heading(self) -> str:
        """Says where it is from; of what is cut, in a few words."""
        where = self.source if self.kind == "session" else self.path or self.source
        date, gone = day(self.date, self.dated), "no longer in its source" if self.gone else ""
        about = [date or self.kind] if self.truncated else [self.kind, where, date]
        title = _brief(self.title) if self.truncated else self.title
        said = f"({', '.join(filter(None, [*about, gone]))}) [{_ranges(self.ids)}]"
        return f"{title} {said}" if title else said

    def counted(self) -> Section:
        return self._replace(tokens=count_tokens(self.rendered()))

    def as_json(self) -> dict[str, Any]:
        about = {**self._asdict(), "date": iso(self.date), "ids": list(self.ids)}
        about = {**about, "earlier": json_list(self.earlier)}
        about = without(about, [name for name in ("gone", "earlier") if not about[name]])
        return {**about, "confidence": round(self.confidence, 4)}


def _brief(title: str) -> str:
    """The beginning of a title, with a sign where it is cut."""
    begun = clip_tokens(title, BRIEF)
    return begun if begun == title else f"{begun.rstrip()}…"


def _ranges(ids: Sequence[str]) -> str:
    """``4f2a:3-5, 4f2a:9`` for the passages of one document."""
    runs: list[list[int]] = []
    document = ids[0].rpartition(":")[0] if ids else ""
    for number in (int(id.rpartition(":")[2]) for id in ids):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    spans = (f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
    return ", ".join(f"{document}:{span}" for span in spans)


class Hint(NamedTuple):
    """What to mind, or to try next: ``conflict``, ``few``, ``weak``, ``filtered``, ``stale``,
    ``missing``, ``search`` (what was made of the question), ``nothing``, ``cut``."""

    kind: str
    text: str


class Bundle(NamedTuple):
    """What was gathered for a question."""

    query: str
    fingerprint: str
    """Under which :meth:`Memory.record_answer` keeps what is written from this."""
    sections: tuple[Section, ...]
    budget: Budget
    confidence: float
    follow_up_hints: tuple[Hint, ...]
    manifest: tuple[Named, ...]
    """The best of what else was found, and why it is not here."""
    total_found: int
    hidden: Mapping[str, int]
    degraded: tuple[str, ...]
    stages: tuple[Stage, ...]
    timing_ms: float

    def rendered(self) -> str:
        return "\n".join(map(Section.rendered, self.sections))

    def as_json(self) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA_VERSION,
            "query": self.query,
            "fingerprint": self.fingerprint,
            "confidence": round(self.confidence, 4),
            "sections": json_list(self.sections),
            "budget": self.budget.as_json(),
            "follow_up_hints": dict_list(self.follow_up_hints),
            "manifest": json_list(self.manifest),
            "total_found": self.total_found,
            "hidden": dict(self.hidden),
            "degraded": list(self.degraded),
            "stages": json_list(self.stages),
            "timing_ms": round(self.timing_ms, 3),
        }


def gather(
    query: Query,
    view: StorageEngine,
    models: Models,
    token_budget: int,
    *,
    doubtful: bool = False,
) -> Bundle:
    """Gathers what is known about a question into sections, within so many tokens. *doubtful*: also
    from a store that hardly has anything about it, for a reader who can tell."""
    with tracing() as trace:
        with tracing():  # the search tells what it made of the question
            question = understand(query).in_state_of(view)
        wide = _wide(query.policy, token_budget)
        wide = wide._replace(keep=wide.keep * LOWERED) if doubtful else wide
        found = _found(query._replace(policy=wide), view, models)
        trace.join(found.stages, found.degraded)
        every = list(_conflicts(found, question, view))
        told = [one.hint for one in every]
        placed = _placed(found, question, view, models, token_budget, told)
        conflicts = tuple(one.hint for one in every if one.is_of(placed.sections))
        return Bundle(
            query=query.text,
            fingerprint=question.fingerprint,
            sections=tuple(placed.sections),
            budget=placed.budget(token_budget),
            confidence=found.confidence,
            follow_up_hints=(*conflicts, *_hints(found, placed.sections, question, conflicts)),
            manifest=(*map(_unplaced, placed.left), *found.named[:ELSE]),
            total_found=found.total_found,
            hidden=found.hidden,
            degraded=tuple(trace.degraded),
            stages=tuple(trace.stages),
            timing_ms=trace.elapsed_ms,
        )


def _wide(policy: Policy, token_budget: int) -> Policy:
    """Returns the policy of a search for many documents, without a budget of its own; it asks no
    language model."""
    share = policy.share * max(1.0, token_budget / PLAIN)
    return policy._replace(
        limit=LIMIT, budget=None, share=share, detail="auto", worth_span=policy.worth_span / 8,
        expand=0, hyde=False, think=False,
    )  # fmt: skip


def _found(query: Query, view: StorageEngine, models: Models) -> Answer:
    """Returns what a search finds; where facts alone are the answer, with passages behind them."""
    found = pipeline.answer(query, view, models)
    if found.tier != 2 or not query.policy.facts:
        return found
    known = {one.document for one in found.results}
    known.update(each.document for one in found.results for each in one.earlier)
    policy = query.policy._replace(facts=False)
    more = pipeline.answer(query._replace(policy=policy), view, models)
    results = (*found.results, *(one for one in more.results if one.document not in known))
    return found._replace(
        results=results,
        named=tuple(one for one in more.named if one.document not in known),
        total_found=max(more.total_found, len(results)),
        hidden=more.hidden,
        stages=(*found.stages, *more.stages),
        degraded=tuple(dict.fromkeys((*found.degraded, *more.degraded))),
    )


# ------------------------------------------------------------------ what there is room for


@stage("gather")
def _placed(
    found: Answer,
    question: Question,
    view: StorageEngine,
    models: Models,
    token_budget: int,
    conflicts: Sequence[Hint],
) -> _Gathered:
    """Places the evidence, best first, and what stands around it as far as there is room."""
    around = max(LEAST, min(AROUND, token_budget // 5))
    told = sum(1 + count_tokens(f"{hint.kind}: {hint.text}") for hint in conflicts)
    room = token_budget - around
    made = _Gathered(room - min(told, room // 3), question, models.embedder)
    passages = _Passages(found.results, question, view)
    first, rest = found.results[:FIRST], found.results[FIRST:]
    for some in (first, rest):
        for one in some:
            made.place(one)
        for one in some:
            made.enlarge(one, passages.whole)
    for one in found.results[:WIDENED]:
        made.enlarge(one, passages.wider)
    say(found=len(made.sections))
    return made


class _Gathered:
    """Sections, as they are put together."""

    def __init__(self, room: int, question: Question, embedder: Embedder | None) -> None:
        self._room, self._question, self._embedder = room, question, embedder
        self._placed: dict[str, Section] = {}
        self.left: list[Section] = []
        """What would not fit."""

    @property
    def sections(self) -> Sequence[Section]:
        return tuple(self._placed.values())

    @property
    def _free(self) -> int:
        """Tokens that are left, with one for the line between two sections."""
        return self._room - sum(1 + section.tokens for section in self._placed.values()) - 1

    def budget(self, given: int) -> Budget:
        used = sum(section.tokens for section in self.sections)
        cut = sum(section.truncated for section in self.sections)
        return Budget(given, used, len(self.sections), len(self.left), cut)

    def place(self, one: Result) -> None:
        """Takes in the evidence of a result if it fits, of the first of all in any case."""
        section = _section(one, one.text, [span.id for span in one.spans] or [one.id])
        if section.tokens > self._free and not self._placed:
            section = _cut(one, self._question, self._embedder, self._free)
        while section.tokens > self._free and section.earlier:  # what holds comes first
            section = section._replace(earlier=section.earlier[:-1]).counted()
        if section.tokens <= self._free or not self._placed:
            self._placed[one.id] = section
        else:
            self.left.append(section)

    def enlarge(self, one: Result, text: Callable[[Result], _Text | None]) -> None:
        """Puts a longer text in the place of the evidence, if that fits."""
        section = self._placed.get(one.id)
        longer = text(one) if section and not section.truncated else None
        if section is None or longer is None:
            return
        wider = section._replace(ids=longer.ids, text=longer.text).counted()
        if wider.tokens - section.tokens <= self._free:
            self._placed[one.id] = wider


def _section(one: Result, text: str, ids: Iterable[str]) -> Section:
    under = one.heading if one.heading not in ("", one.title) else ""
    return Section(
        document=one.document,
        document_id=one.document_id,
        kind=one.kind,
        source=one.source,
        title=one.title,
        path=one.path,
        date=one.date,
        ids=tuple(dict.fromkeys(ids)),
        text=f"{under}\n{text}" if under and under not in text else text,
        confidence=one.confidence,
        gone=one.gone,
        dated=one.dated,
        earlier=one.earlier,
    ).counted()


def _unplaced(section: Section) -> Named:
    return Named(
        section.ids[0],
        section.document,
        section.kind,
        section.title,
        section.path,
        section.date,
        (),
        section.confidence,
        OVER,
        dated=section.dated,
        gone=section.gone,
    )


# ------------------------------------------------------------------ cut to the best sentences


class _Unit(NamedTuple):
    """A sentence or a line of a span."""

    span: int
    n: int
    start: int
    end: int
    words: int
    """The words of the question that it has, without its heading."""
    near: float
    """How near it comes to the question in meaning; nothing where no model tells."""


def _cut(one: Result, question: Question, embedder: Embedder | None, room: int) -> Section:
    """Returns a result with as much as there is room for: the sentences with most of the question's
    words first (of several the nearest in meaning), then what was replaced, then the sentences that
    stand next to the best; in the order of the text."""
    spans = one.spans or (Span(one.id, one.text),)
    every = _units(spans, question, embedder)
    best = max(every, key=lambda unit: (unit.words, unit.near))
    every.sort(
        key=lambda unit: (
            -unit.words,
            -unit.near * bool(unit.words),
            unit.span != best.span,
            abs(unit.n - best.n),
        )
    )
    having, lacking = partition(lambda unit: unit.words > 0, every)
    kept: list[_Unit] = []
    made = _clipped(one, spans[best.span], best, question.parsed.content, room)
    for unit in having or [best]:
        longer = _of_units(one, spans, [*kept, unit])
        if longer.tokens <= room:
            kept, made = [*kept, unit], longer
    for count in range(1, len(one.earlier) + 1):
        longer = made._replace(earlier=one.earlier[:count]).counted()
        made = longer if longer.tokens <= room else made
    for unit in lacking if kept else ():
        longer = _of_units(one, spans, [*kept, unit])._replace(earlier=made.earlier).counted()
        if longer.tokens <= room:
            kept, made = [*kept, unit], longer
    return made


def _units(spans: Sequence[Span], question: Question, embedder: Embedder | None) -> list[_Unit]:
    wanted = frozenset(question.parsed.content)
    found = [
        (at, n, start, end, HEADING.sub("", span.text[start:end]))
        for at, span in enumerate(spans)
        for n, (start, end) in enumerate(units(span.text) or [(0, len(span.text))])
    ]
    near = [0.0] * len(found)
    if embedder is not None and len(found) > 1:
        vectors = embedder.embed_passages([text for *_, text in found])
        near = [float(one) for one in vectors @ embedder.embed_query(question.parsed.prose)]
    return [
        _Unit(at, n, start, end, len(wanted & stems(text)), value)
        for (at, n, start, end, text), value in zip(found, near, strict=True)
    ]


def _of_units(one: Result, spans: Sequence[Span], kept: Iterable[_Unit]) -> Section:
    ordered = sorted(kept)
    text = ""
    for last, unit in pairwise([None, *ordered]):
        assert unit is not None
        span, follows = spans[unit.span], last and (last.span, last.n + 1) == (unit.span, unit.n)
        if last and follows:
            text += span.text[last.end : unit.end]
            continue
        role = f"{span.role}: " if span.role and not (last and last.span == unit.span) else ""
        text += f"{LEFT_OUT if last else ''}{role}{span.text[unit.start : unit.end].strip()}"
    return _briefly(one, text, [spans[unit.span].id for unit in ordered])


def _clipped(one: Result, span: Span, unit: _Unit, wanted: Collection[str], room: int) -> Section:
    """Returns a sentence that is too long by itself, cut around the question's words."""
    text = span.text[unit.start : unit.end].strip()
    width = len(text)
    while True:
        made = _briefly(one, snippet.snippet(text, wanted, width).text, [span.id])
        if made.tokens <= room or width <= 1:
            return made
        width = width * 3 // 4


def _briefly(one: Result, text: str, ids: Iterable[str]) -> Section:
    bare = one._replace(heading="", earlier=())
    return _section(bare, text, ids)._replace(truncated=True).counted()


# ------------------------------------------------------------------ what stands around it


class _Text(NamedTuple):
    ids: tuple[str, ...]
    text: str


class _Passages:
    """The passages that results are from, and those next to them that may be shown; no longer text
    of one in which something stands that was replaced, for that would be told as if it held."""

    def __init__(self, results: Sequence[Result], question: Question, view: StorageEngine) -> None:
        self._view, self._question = view, question
        self._replaced = {each.id for one in results for each in one.earlier}

    def whole(self, one: Result) -> _Text | None:
        """Returns the passages of a result; None where they are no longer than what is shown."""
        return self._joined(self._own(one))

    def wider(self, one: Result) -> _Text | None:
        """Returns them with those before and after that a person or an assistant said."""
        own = self._own(one)
        ids = [stored.id for stored in own]
        beside = self._view.passages(ids, before=1, after=1) if own else []
        heard = {stored.id: stored for stored in beside if self._is_heard(stored)}
        every = {**heard, **{stored.id: stored for stored in own}}
        return self._joined(sorted(every.values(), key=lambda stored: stored.passage.n))

    def _own(self, one: Result) -> list[StoredPassage]:
        ids = list(dict.fromkeys(span.id for span in one.spans))
        if one.kind == KIND or not self._replaced.isdisjoint(ids):
            return []
        return sorted(self._view.passages(ids), key=lambda stored: stored.passage.n)

    def _is_heard(self, stored: StoredPassage) -> bool:
        roles, role = self._question.filter.roles, stored.passage.role
        heard = not role or roles is None or role in roles
        return role in HEARD and heard and stored.id not in self._replaced

    def _joined(self, some: Sequence[StoredPassage]) -> _Text | None:
        """Returns passages as one text, with a sign where something is left out between them."""
        parts: list[str] = []
        last = None
        for stored in some:
            passage = stored.passage
            follows = last is not None and passage.n == last.n + 1
            if last is not None and not follows:
                parts.append(GAP)
            if passage.role and not (follows and last and passage.turn == last.turn):
                parts.append(f"{chr(10) if follows else ''}{passage.role}: ")
            elif passage.trail and not follows:
                parts.append(f"{passage.trail}\n")
            parts.append(passage.text[begin(stored, self._question.parsed.content) :])
            last = passage
        return _Text(tuple(stored.id for stored in some), "".join(parts)) if parts else None


# ------------------------------------------------------------------ what to mind


class _Conflict(NamedTuple):
    """Two that say otherwise of the same thing."""

    sides: tuple[str, str]
    """The id of a passage, or the title or the text of a fact, of each."""
    hint: Hint

    def is_of(self, sections: Iterable[Section]) -> bool:
        """Whether one of the two is among the sections."""
        told = chain.from_iterable((*one.ids, one.title, one.text) for one in sections)
        return not set(told).isdisjoint(self.sides)


def _conflicts(found: Answer, question: Question, view: StorageEngine) -> Iterator[_Conflict]:
    """Yields what says otherwise of the same thing and nobody has settled: facts in force, and
    sections whose words differ in one value alone. What was replaced stands below what holds."""
    facts = facts_in_sight(question, view)
    with surviving("conflicts"):
        told = turned.beside(found.results, facts, view, question.filter)
        open_ = zip(told.disputed, told.hints, strict=True)
        yield from islice(
            (_Conflict(one, Hint("conflict", said)) for one, said in open_), CONFLICTS
        )
    asked = stems(question.query.text)
    some = [(one, _about(one.text, asked)) for one in found.results[:COMPARED]]
    some.sort(key=lambda pair: pair[0].date or datetime.min.replace(tzinfo=UTC))
    apart = []
    for (old, before), (new, after) in combinations(some, 2):
        said = relation(before, after, None)
        if said.kind == "changed" and KIND not in (old.kind, new.kind):
            hint = Hint("conflict", f"[{old.id}] and [{new.id}] disagree: {said.why}")
            apart.append(_Conflict((old.id, new.id), hint))
    yield from apart if len(apart) <= CONFLICTS else ()


def _about(text: str, asked: Collection[str]) -> str:
    """The sentence that has most of the words that are asked about; of several the first."""
    sentences = [text[start:end] for start, end in units(text)]
    return max(sentences, key=lambda one: len(stems(one).intersection(asked)), default="")


def _hints(
    found: Answer, sections: Sequence[Section], question: Question, conflicts: Sequence[Hint]
) -> Iterator[Hint]:
    if not sections:
        yield from (Hint("nothing", said) for said in found.hints)
        return
    hidden = [hiding(name, count) for name, count in found.hidden.items()]
    known = {*hidden, *(hint.text for hint in conflicts)}
    done = [said for said in found.hints if said not in known and not said.startswith(NONE_OF)]
    yield from (Hint("search", said) for said in done)
    if len(found.results) < FEW:
        yield Hint(
            "few",
            f"only {('one document was', 'two documents were')[len(found.results) - 1]} found",
        )
    if found.status == "needs_synthesis":
        yield Hint("weak", "it is not sure that this is enough")
    yield from (
        Hint("missing", f"none of this has “{w}”") for w in _missing(found, sections, question)
    )
    yield from (Hint("filtered", said) for said in hidden)
    dates = [section.date for section in sections if section.date is not None]
    if dates and max(dates) < datetime.now(UTC) - OLD:
        yield Hint(
            "stale", f"the newest of this is from {max(dates):%Y-%m-%d}; it may have changed"
        )


def _missing(found: Answer, sections: Sequence[Section], question: Question) -> tuple[str, ...]:
    """Returns words of the question that none of the sections has, nor a name of their facts."""
    names = (str([one.fact.get("name"), one.fact.get("aliases")]) for one in found.results)
    told = chain(map(Section.rendered, sections), names)
    return lacking(question.parsed, {}, map(stems, told))
