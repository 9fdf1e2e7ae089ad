"""What a model needs to write an answer: whole sections of what was found, within a budget.

The same retrieval as a search, read as an open question. A section is what one document has to say:
its passages that were found, joined where they follow each other, and what stands next to them
as far as there is room. A section is there whole or not at all, but for the first, which is cut
rather than left out. What else was found is told by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain, combinations, filterfalse, islice
from typing import Any

from recollect.facts import KIND, Fact
from recollect.moments import iso
from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    SCHEMA_VERSION,
    Budget,
    Candidate,
    Document,
    Named,
    Query,
    Stage,
    StoredPassage,
    dict_list,
    json_list,
    without,
)
from recollect.ports import StorageEngine
from recollect.reading import age
from recollect.reading.answering import named
from recollect.reading.cut import fold, within
from recollect.reading.fact_results import SURE, likely
from recollect.reading.hints import lacking
from recollect.reading.named import Mention, facts_in_sight, named_facts
from recollect.reading.pool import Models, Pool
from recollect.reading.question import Question, understand
from recollect.reading.retrieval import (
    Retrieval,
    hidden,
    ordered,
    retrieve,
    successors,
    worthwhile,
)
from recollect.reading.spans import selected
from recollect.text.pairs import Judge, relation
from recollect.text.sentences import units
from recollect.text.terms import stems
from recollect.text.tokens import clip_tokens, count_tokens
from recollect.trace import say, stage, tracing

LIMIT = 50
"""Documents that are looked at."""
WEAK = 3
"""So many are given when none of them is good enough to be an answer."""
FEW = 3
"""Fewer sections are worth a hint."""
WIDENED = 5
"""Of so many sections what stands next to them is added, if there is room."""
ELSE = 10
"""Things that are named besides."""
COMPARED = 6
"""So many sections are held against each other, by one sentence of each."""
CONFLICTS = 3
"""So many pairs that disagree are named."""
AROUND = 60
"""Tokens that are left for what a surface says around the sections: the fingerprint alone may take
thirty. Of a small budget it is half."""
OVER = "over the token budget"
FAINT = 0.001
"""Whatever is less likely to have to do with the question is not named."""
OLD = timedelta(days=365)
GAP = "\n[…]\n"
SPOKEN = frozenset({"", "user", "assistant", "summary"})
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
    ids: tuple[str, ...]
    """Of the passages, in the order of the text."""
    text: str
    confidence: float
    tokens: int = 0
    """Of all that :meth:`rendered` sends."""
    truncated: bool = False
    gone: bool = False
    """Whether its source no longer has it."""

    def rendered(self) -> str:
        date = f", {self.date:%Y-%m-%d}" if self.date else ""
        date += ", no longer in its source" if self.gone else ""
        where = self.source if self.kind == "session" else self.path or self.source
        about = f"({self.kind}, {where}{date}) [{_ranges(self.ids)}]"
        title = f"{self.title} " if self.title else ""
        # Not by # signs: a note's own headings have those.
        return f"=== {title}{about}\n{self.text.strip()}\n"

    def counted(self) -> Section:
        return self._replace(tokens=count_tokens(self.rendered()))

    def as_json(self) -> dict[str, Any]:
        about = {**self._asdict(), "date": iso(self.date), "ids": list(self.ids)}
        about = without(about, () if self.gone else ("gone",))
        return {**about, "confidence": round(self.confidence, 4)}


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
    ``missing``, ``cut``."""

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


def gather(query: Query, view: StorageEngine, models: Models, token_budget: int) -> Bundle:
    """Gathers what is known about a question into sections, within so many tokens."""
    with tracing() as trace:
        question = understand(query).in_state_of(view)
        facts = facts_in_sight(question, view)
        known = named_facts(question, facts).mentions
        mentions = likely(known, question.policy.min_confidence)
        found = retrieve(_wide(question), view, models, facts.sees)
        found = found._replace(pool=successors(found)[0])
        placed = _placed(found, mentions, token_budget)
        asked = found.pool.of._replace(parsed=question.parsed)
        unseen = hidden(asked, asked.filter.limits)
        age.aged(view)
        return Bundle(
            query=query.text,
            fingerprint=question.fingerprint,
            sections=tuple(placed.sections),
            budget=placed.budget(),
            confidence=placed.confidence,
            follow_up_hints=tuple(_hints(found, placed, unseen)),
            manifest=(
                *map(_unplaced, placed.unplaced),
                *(named(c, found.pool, reason) for c, reason in placed.others[:ELSE]),
            ),
            total_found=found.pool.total,
            hidden=unseen,
            degraded=tuple(trace.degraded),
            stages=tuple(trace.stages),
            timing_ms=trace.elapsed_ms,
        )


def _wide(question: Question) -> Question:
    """Returns the question as a search for many documents, without a budget."""
    policy = question.policy
    wide = policy._replace(limit=LIMIT, budget=None, share=LIMIT, keep=policy.keep / 2)
    return question._replace(query=question.query._replace(policy=wide))


@stage("gather")
def _placed(found: Retrieval, mentions: Sequence[Mention], token_budget: int) -> _Gathered:
    """Places the facts that are named and the passages that are worth it, and widens them."""
    among = ordered(found)
    good, why = worthwhile(found, among)
    sure = {mention.fact.key: SURE[mention.how] for mention in mentions}
    weak, _ = within(among[:WEAK], found.question.policy)
    others = [c for c in good or weak if _id(found.pool, c) not in sure]
    kept, _ = fold(others, found.pool.passages)
    made = _Gathered(found.pool, token_budget)
    made.weak = not good
    made.confidence = max([found.pool.confidence, *sure.values()])
    made.place_facts([_fact(m.fact, sure[m.fact.key]) for m in mentions])
    made.place_passages(kept)
    made.widen()
    shown = {section.document_id for section in made.sections}
    shown |= {_id(found.pool, c) for c in made.left}
    made.others = [(c, OVER) for c in made.left]
    made.others += [
        (c, why) for c in among if _id(found.pool, c) not in shown and c.confidence >= FAINT
    ]
    say(why, found=len(made.sections))
    return made


class _Gathered:
    """Sections, as they are put together."""

    def __init__(self, pool: Pool, most: int) -> None:
        self.pool = pool
        self._given = most
        self._most = most - min(AROUND, most // 2)
        self._parts: dict[int, dict[int, StoredPassage]] = {}
        self.sections: list[Section] = []
        self.left: list[Candidate] = []
        self.unplaced: list[Section] = []
        """What would not fit: passages, and facts that are named."""
        self.others: list[tuple[Candidate, str]] = []
        """What else was found, and why it is not here."""
        self.weak = False
        """None of it is good enough to be an answer."""
        self.confidence = 0.0

    @property
    def _used(self) -> int:
        return sum(section.tokens for section in self.sections)

    def budget(self) -> Budget:
        cut = sum(section.truncated for section in self.sections)
        dropped = len(self.left) + len(self.unplaced)
        return Budget(self._given, self._used, len(self.sections), dropped, cut)

    def place(self, section: Section) -> bool:
        """Take it in, if it fits; the first of all in any case."""
        room = self._most - self._used
        if section.tokens > room:
            if self.sections:
                return False
            section = _clipped(section, room)
        self.sections.append(section)
        return True

    def place_facts(self, facts: Iterable[Section]) -> None:
        self.unplaced = list(filterfalse(self.place, facts))

    def place_passages(self, kept: Sequence[Candidate]) -> None:
        found = selected(kept, self.pool).stretches
        for candidate in kept:
            shown = {stretch.passage for stretch in found.get(candidate.document, ())}
            some = [self.pool.passages[key] for key in shown & self.pool.passages.keys()]
            parts = {one.passage.n: one for one in some if one.passage.role in SPOKEN}
            best = self.pool.stored(candidate)
            parts[best.passage.n] = best
            if self.place(_section(parts, self.pool, candidate.confidence)):
                self._parts[len(self.sections) - 1] = parts
            else:
                self.left.append(candidate)

    def widen(self) -> None:
        """Add what stands next to the passages of the first sections, while there is room."""
        for place, parts in list(self._parts.items())[:WIDENED]:
            section = self.sections[place]
            if section.truncated:
                continue
            beside = {one.passage.n: one for one in self._beside(parts.values())}
            wider = _section({**beside, **parts}, self.pool, section.confidence)
            if self._used - section.tokens + wider.tokens <= self._most:
                self.sections[place] = wider

    def _beside(self, parts: Iterable[StoredPassage]) -> Iterator[StoredPassage]:
        """Yields the passages before and after these that may be shown."""
        asked = self.pool.of
        for stored in parts:
            for one in asked.view.passages([stored.key], before=1, after=1):
                if one.passage.role in SPOKEN and asked.admits(one):
                    yield one


def _section(parts: Mapping[int, StoredPassage], pool: Pool, confidence: float) -> Section:
    some = [parts[n] for n in sorted(parts)]
    document = some[0].document
    return Section(
        document=document.external,
        document_id=document.id,
        kind=document.kind,
        source=document.source,
        title=document.title,
        path=document.path,
        date=document.date,
        ids=tuple(stored.id for stored in some),
        text=_joined(some, pool),
        confidence=confidence,
        gone=document.gone,
    ).counted()


def _joined(some: Sequence[StoredPassage], pool: Pool) -> str:
    """The passages as one text, with a sign where something is left out between them."""
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
        parts.append(passage.text[pool.begin(stored) :])
        last = passage
    return "".join(parts)


def _fact(fact: Fact, confidence: float) -> Section:
    return Section(
        document=fact.id,
        document_id=fact.key,
        kind=KIND,
        source="facts",
        title=fact.title,
        path="",
        date=fact.start,
        ids=(f"{fact.key}:0",),
        text=fact.text,
        confidence=confidence,
    ).counted()


def _clipped(section: Section, room: int) -> Section:
    """Returns the section cut to the room that there is, and no token more."""
    around = section.tokens - count_tokens(section.text)
    for spare in range(room - around, 0, -1):
        cut = section._replace(text=clip_tokens(section.text, spare), truncated=True).counted()
        if cut.tokens <= room:
            return cut
    return section._replace(text=clip_tokens(section.text, 1), truncated=True).counted()


def _id(pool: Pool, candidate: Candidate) -> str:
    return pool.stored(candidate).document.id


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
        gone=section.gone,
    )


def _called(document: Document) -> str:
    return document.headline()


def _conflicts(sections: Sequence[Section], question: str, judge: Judge | None) -> Iterator[Hint]:
    """Yields what sections say differently of what is asked about."""
    asked = stems(question)
    told = [(one, _about(one.text, asked)) for one in sections[:COMPARED]]
    told.sort(key=lambda pair: pair[0].date or datetime.min.replace(tzinfo=UTC))
    for (old, before), (new, after) in combinations(told, 2):
        found = relation(before, after, judge)
        if found.kind == "changed":
            text = f"[{_ranges(old.ids)}] and [{_ranges(new.ids)}] disagree: {found.why}"
            yield Hint("conflict", text)


def _about(text: str, asked: set[str]) -> str:
    """The sentence that has most of the words that are asked about; of several the first."""
    sentences = [text[start:end] for start, end in units(text)]
    return max(sentences, key=lambda one: len(stems(one) & asked), default="")


def _hints(found: Retrieval, placed: _Gathered, unseen: Mapping[str, int]) -> Iterator[Hint]:
    pool, sections = placed.pool, placed.sections
    judge = pool.of.models.judge
    yield from islice(_conflicts(sections, found.question.query.text, judge), CONFLICTS)
    if len(sections) < FEW:
        said = ("nothing was found", "only one document was found", "only two documents were found")
        spelt = [f"“{wrong}” may be “{right}”" for wrong, right in found.spelling.items()]
        nearest = ", ".join(_called(pool.stored(c).document) for c, _ in placed.others[:3])
        more = [f"nearest otherwise: {nearest}"] if nearest else []
        yield Hint("few", "; ".join([said[len(sections)], *spelt, *more]))
    unsure = placed.confidence < pool.of.policy.direct_confidence
    if sections and (placed.weak or unsure):
        yield Hint("weak", "it is not sure that this is enough")
    for word in _missing(pool, sections):
        yield Hint("missing", f"none of this has “{word}”")
    for name, count in unseen.items():
        yield Hint("filtered", f"the limit on {name} hides {count} that match")
    dates = [section.date for section in sections if section.date is not None]
    if dates and max(dates) < datetime.now(UTC) - OLD:
        yield Hint(
            "stale", f"the newest of this is from {max(dates):%Y-%m-%d}; it may have changed"
        )


def _missing(pool: Pool, sections: Sequence[Section]) -> tuple[str, ...]:
    """Returns the rarest words of the question that none of the sections has."""
    if not sections:
        return ()
    shown = set(chain.from_iterable(section.ids for section in sections))
    keys = [stored.key for stored in pool.passages.values() if stored.id in shown]
    matched = pool.of.view.matched(pool.of.parsed.content, keys)
    return lacking(pool.of.parsed, pool.idf, matched.values())
