"""From graded candidates to what is said: results, status, and what was left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from recollect.facts import KIND
from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    Candidate,
    Detail,
    Document,
    Earlier,
    Named,
    Passage,
    Policy,
    Query,
    Result,
    Span,
    Status,
    StoredPassage,
    Stretch,
    TimeFound,
    Window,
    first_words,
)
from recollect.reading.called import called
from recollect.reading.nearness import nearness
from recollect.reading.pool import Pool, as_typed
from recollect.text import blocks, brief, sentences, snippet, stated
from recollect.text.headings import HEADING
from recollect.text.questions import when
from recollect.text.questions.asking import asks_how_to
from recollect.text.questions.parse import Parsed
from recollect.text.support import tables
from recollect.text.terms import fold
from recollect.text.tokens import count_tokens

ARMS = ("lexical", "vector", "title", "hop", "rewrite", "successor")
SNIPPET = 160
"""Characters of a part of a text in one line."""
BRIEF = 40
"""Tokens of a result where snippets are wanted."""
EXCERPT = 60
"""Characters of what is named where nothing is shown."""
MATCHED = 4
"""Words of the question that a line names."""
LASTING = (KIND, "memory", "decision")
"""Kinds whose date is that of when they were kept or decided, not of what they tell."""
KEPT = ("file", "commit", "record")
"""What says when a text was kept."""
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_COMMA = re.compile(r"[;,]\s+(?!(?:19|20)\d\d\b)")
DAY = timedelta(days=1)


def cost(*parts: str) -> int:
    """Counts the tokens of everything that a reader is sent of one result."""
    return count_tokens("\n".join(parts))


def asked_of(parsed: Parsed) -> brief.Asked:
    """Returns what a question wants of a text that is cut."""
    return brief.Asked(parsed.content, asks_how_to(parsed.prose))


def result(
    candidate: Candidate, pool: Pool, stretches: Sequence[Stretch] = (), alike: Sequence[int] = ()
) -> Result:
    """Returns a candidate as it is shown: these parts of its passages, else the best one whole.
    *alike* are the passages that it stands for."""
    stored, detail = pool.stored(candidate), pool.of.policy.detail
    document, passage = stored.document, stored.passage
    spans = _DETAILS[detail](stored, pool, stretches)
    text = brief.joined(spans)
    if detail == "auto" and stretches:
        text = _with_signs(text, stretches, pool)
    date, dated = stated.of_statement(stored, *_best_unit(stored, spans))
    return Result(
        id=stored.id,
        document=document.external,
        document_id=stored.id.rpartition(":")[0],
        kind=document.kind,
        source=document.source,
        title=called(document, pool.of.view, pool.of.shows),
        path=document.path,
        heading=passage.trail,
        role=brief.role(passage.role, spans),
        date=date,
        text=text,
        score=candidate.score,
        confidence=candidate.confidence,
        evidence=tuple(c.arm for c in candidate.contributions if c.arm in ARMS),
        contributions=candidate.contributions,
        tokens=cost(stored.id, document.title, document.path, passage.trail, text),
        detail="spans" if detail == "auto" else detail,
        folded=tuple(pool.passages[key].id for key in alike),
        signals=candidate.signals,
        spans=spans,
        dated=dated,
        gone=document.gone,
    )


def replacing(one: Result, earlier: Sequence[Earlier]) -> Result:
    """Returns a result with what it has replaced, which a reader is sent with it. It is of the day
    of what holds, where a sentence of its own document has given way to that."""
    more = sum(cost(each.id, each.text) for each in earlier)
    own = (each for each in earlier if each.document == one.document and each.date == one.date)
    date = next((each.until for each in own if each.until), one.date)
    return one._replace(earlier=tuple(earlier), tokens=one.tokens + more, date=date)


def _best_unit(stored: StoredPassage, spans: Sequence[Span]) -> tuple[int, int]:
    """Returns where the sentence of a passage stands that has most of the question's words, of
    those that are shown."""
    own = [span for span in spans if span.id == stored.id]
    best = max(_units(own), key=lambda one: one.words, default=None)
    if best is None:
        return 0, len(stored.passage.text)
    return best.span.start + best.start, best.span.start + best.end


class _Unit(NamedTuple):
    """A sentence of a span, and how many of the question's words it has."""

    words: int
    span: Span
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.span.text[self.start : self.end]


def _units(spans: Sequence[Span]) -> Iterator[_Unit]:
    for span in spans:
        for start, end in sentences.units(span.text):
            yield _unit(span, start, end)


def _unit(span: Span, start: int, end: int) -> _Unit:
    return _Unit(sum(start <= mark < end for mark, _ in span.marks), span, start, end)


def _with_signs(text: str, stretches: Sequence[Stretch], pool: Pool) -> str:
    """Puts the sign of what is left out before and after a text that begins or ends in the middle
    of a block: the last lines of a command may be what it does."""
    first, last = stretches[0], stretches[-1]
    begun = blocks.is_inside(pool.passages[first.passage].passage.text, first.start)
    goes_on = blocks.is_inside(pool.passages[last.passage].passage.text, last.end)
    return "…\n" * begun + text + "\n…" * goes_on


def _spans(stored: StoredPassage, pool: Pool, stretches: Sequence[Stretch]) -> tuple[Span, ...]:
    """Returns the parts that carry evidence; the whole passage where none was chosen."""
    if not stretches:
        return _passage(stored, pool, stretches)
    return tuple(_span(pool.passages[s.passage], pool, s.start, s.end) for s in stretches)


def _passage(stored: StoredPassage, pool: Pool, _: Sequence[Stretch]) -> tuple[Span, ...]:
    return (_span(stored, pool, pool.begin(stored), len(stored.passage.text)),)


def _snippet(stored: StoredPassage, pool: Pool, stretches: Sequence[Stretch]) -> tuple[Span, ...]:
    """Returns a few tokens of what answers."""
    return brief.best(_spans(stored, pool, stretches), BRIEF, stored.id, asked_of(pool.of.parsed))


def _document(stored: StoredPassage, pool: Pool, _: Sequence[Stretch]) -> tuple[Span, ...]:
    """Returns the whole document, of a session the turns that may be heard."""
    whole = pool.of.view.get(stored.document.id)
    text = _heard(whole[0], stored, pool).rendered() if whole else stored.passage.text
    return (Span(stored.id, text, marks=_marks(text, pool)),)


def _heard(whole: Document, stored: StoredPassage, pool: Pool) -> Document:
    turns = ((m, Passage(0, m.text, role=m.role)) for m in whole.messages)
    heard = [m for m, turn in turns if pool.of.admits(stored._replace(passage=turn))]
    return whole._replace(messages=tuple(heard))


_DETAILS: Mapping[Detail, Callable[[StoredPassage, Pool, Sequence[Stretch]], tuple[Span, ...]]] = {
    "auto": _spans,
    "snippet": _snippet,
    "passage": _passage,
    "document": _document,
}


def _span(stored: StoredPassage, pool: Pool, start: int, end: int) -> Span:
    text = stored.passage.text[start:end]
    return Span(stored.id, text, stored.passage.role, start, _marks(text, pool))


def _marks(text: str, pool: Pool) -> tuple[tuple[int, int], ...]:
    """Returns where words of the question stand."""
    return snippet.snippet(text, set(pool.of.parsed.content), len(text) + 1).marks


def marked(text: str, parsed: Parsed) -> str:
    """The part of *text* that shows why it was found, in one line; who shows it marks the words."""
    found = snippet.snippet(text, set(parsed.content), SNIPPET)
    said = " ".join(found.text.split())
    return f"{'… ' * found.before}{said}{' …' * found.after}"


def status(results: Sequence[Result], confidence: float, policy: Policy) -> Status:
    if not results:
        return "no_results"
    return "direct_passages" if confidence >= policy.direct_confidence else "needs_synthesis"


def time_found(query: Query, results: Sequence[Result], said: Status) -> TimeFound | None:
    """Returns what a question of time was taken for, with the days of what is shown."""
    time, window = query.time, query.window
    if time.kind == "none" and not time.ordered:
        return None
    timed = [one for one in results if any(c.arm == "time" for c in one.contributions)]
    dates = tuple(one.date for one in timed if one.date)
    first = _DATES.get(time.kind, _date)(results[0], said) if results else None
    inside = window is not None and bool(dates) and all(map(window.has, dates))
    since, until = (window.since, window.until) if window and inside else (None, None)
    return TimeFound(time.kind, time.order, time.topic, time.said, first, dates, since, until)


def _date(one: Result, _: Status) -> datetime | None:
    return one.date


def _was(one: Result, said: Status) -> datetime | None:
    """Returns the date of what is found. That on which a fact was kept is not when it was: of one
    it is the day that the sentence names, if that was over by then."""
    if one.kind != KIND or one.dated != "header":
        return one.date
    told = _told(one, said)
    return told if told and one.date and told <= one.date else None


def _told(one: Result, said: Status) -> datetime | None:
    """Returns when that was what the sentence of a result tells: the day that the sentence names,
    or its heading; else that of the session or the dated note, of what was said and done then. None
    where the sentence names another time, such as a year, the end of a month or several days."""
    if said != "direct_passages":
        return None
    kept = one.kind in LASTING or one.dated in KEPT
    own = one.date if kept and one.dated not in ("text", "heading") else None
    at = None if one.dated == "file" else one.date
    for text in _best_texts(one):
        days = {each.date if each.is_day else None for each in stated.written(text, at)} - {own}
        if days or _YEAR.search(text):
            return days.pop() if len(days) == 1 else None
        if window := when.window(text, at):
            return _one_day(window) if at else None
    return None if own else one.date


def _one_day(window: Window) -> datetime | None:
    """Returns the day that a period is, or is a part of; None for a longer one, and for a day of
    the week, which may be the last or the next."""
    first, last = window.since, window.until
    weekday = not tables.WEEKDAYS.keys().isdisjoint(map(fold, re.findall(r"\w+", window.said)))
    return first if first and last and last - first <= DAY and not weekday else None


def _best_texts(one: Result) -> tuple[str, ...]:
    """Returns the part of a sentence that has most of the question's words, and the sentence, of
    those that are shown; each without a heading first."""
    best = max(_units(one.spans), key=lambda unit: unit.words, default=None)
    if best is None:
        return (one.text,)
    part = max(_parts(best), key=lambda part: part.words).text
    return HEADING.sub("", part), HEADING.sub("", best.text), best.text


def _parts(unit: _Unit) -> Iterator[_Unit]:
    """Yields what stands between the commas of a sentence."""
    ends = (unit.start + comma.end() for comma in _COMMA.finditer(unit.text))
    for start, end in pairwise((unit.start, *ends, unit.end)):
        yield _unit(unit.span, start, end)


_DATES: Mapping[str, Callable[[Result, Status], datetime | None]] = {
    "when": _told,
    **dict.fromkeys(("first", "last", "since"), _was),
}
"""How the date is found that answers a question of time; elsewhere it is that of what was found."""


def named(candidate: Candidate, pool: Pool, reason: str, *, quoted: bool = False) -> Named:
    """Returns a candidate as the line that names it, *quoted* with a few of its words."""
    stored = pool.stored(candidate)
    document = stored.document
    date, dated = stated.of_statement(stored, 0, 0)
    return Named(
        id=stored.id,
        document=document.external,
        kind=document.kind,
        title=called(document, pool.of.view, pool.of.shows)
        or document.headline(stored.passage.text),
        path=document.path,
        date=date,
        matched=matched_words(candidate, pool),
        confidence=candidate.confidence,
        reason=reason,
        dated=dated,
        excerpt=_excerpt(stored, pool) if quoted else "",
        gone=document.gone,
    )


def _excerpt(stored: StoredPassage, pool: Pool) -> str:
    """Returns the beginning of the sentence that comes nearest to the question; where nothing is
    known of that, of what has its words."""
    if nearest := nearness(pool, [stored.key]).nearest(stored.key):
        return first_words(stored.passage.text[nearest.start : nearest.end], EXCERPT)
    text = stored.passage.text[pool.begin(stored) :]
    return first_words(snippet.snippet(text, pool.of.parsed.content, EXCERPT).text, EXCERPT)


def matched_words(candidate: Candidate, pool: Pool) -> tuple[str, ...]:
    """Returns the rarest words of the question that its passage has, as they were typed."""
    there = pool.matched.get(candidate.passage, set())
    return as_typed(there, pool.of.parsed, pool.idf)[:MATCHED]
