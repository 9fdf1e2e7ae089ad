"""What a search returns: results, what was left out and why, the stages, the budget."""

from collections.abc import Mapping
from datetime import datetime
from math import exp, floor
from typing import Any, Literal

from recollect.moments import day, iso
from recollect.named_tuple import NamedTuple
from recollect.nouns.candidates import Contribution, Signals
from recollect.nouns.documents import NO_META, SCHEMA_VERSION, JsonObject, first_words
from recollect.nouns.synthesis import Synthesis
from recollect.nouns.values import filled, json_list, json_or_none, without
from recollect.nouns.web import WebFound

Status = Literal["cached_answer", "direct_passages", "needs_synthesis", "no_results", "synthesized"]


SURE, LIKELY = 0.8, 0.6
"""From these probabilities on a person is told "sure" or "likely"."""
_FAR = 20.0
"""Log-odds beyond this say no more."""
TOLD = 160
"""Characters of a statement that was replaced, where it is told."""


def in_words(probability: float) -> str:
    """Says a probability as people do: sure, likely, possible."""
    if probability >= SURE:
        return "sure"
    return "likely" if probability >= LIKELY else "possible"


def in_figures(probability: float) -> str:
    """Says a probability in two digits, which are never those of a word that it does not reach."""
    return f"{floor(100 * probability + 1e-6) / 100:.2f}"


def of_odds(score: float) -> str:
    """Says the probability that log-odds give by themselves."""
    return in_figures(1 / (1 + exp(-max(-_FAR, min(_FAR, score)))))


class Span(NamedTuple):
    """Neighbouring sentences, lines or turns of a passage that carry evidence, as they are read."""

    id: str
    """Of the passage; where several in a row are shown as one, of the first."""
    text: str
    role: str = ""
    """Who speaks, in a session."""
    start: int = 0
    """Where it begins in the passage, in characters."""
    marks: tuple[tuple[int, int], ...] = ()
    """(start, end) of the question's words in the text."""

    def as_json(self) -> dict[str, Any]:
        return {**self._asdict(), "marks": list(map(list, self.marks))}


class Earlier(NamedTuple):
    """What was said of the same thing before."""

    id: str
    """Of its passage."""
    document: str
    title: str
    text: str
    date: datetime | None
    until: datetime | None
    """When the next was said."""
    dated: str = ""

    def told(self) -> str:
        """Returns the line that tells it: until when it held, and what it said."""
        return f"until {day(self.until)}: {first_words(self.text, TOLD)} [{self.id}]"

    def as_json(self) -> dict[str, Any]:
        return {**self._asdict(), "date": iso(self.date), "until": iso(self.until)}


class Named(NamedTuple):
    """A document that may matter and is not shown: one line, and ``get`` opens it."""

    id: str
    """Of its best passage."""
    document: str
    kind: str
    title: str
    path: str
    date: datetime | None
    matched: tuple[str, ...]
    """The words of the question that it has, rarest first."""
    confidence: float
    reason: str = ""
    """Why it is not shown."""
    dated: str = ""
    """What says the date (:mod:`recollect.text.stated`)."""
    excerpt: str = ""
    """A few of its words, where nothing is shown: a title does not tell whether it answers."""
    gone: bool = False
    """Whether its source no longer has it."""

    def as_json(self) -> dict[str, Any]:
        return {
            **without(self._asdict(), () if self.gone else ("gone",)),
            "date": iso(self.date),
            "matched": list(self.matched),
            "confidence": round(self.confidence, 4),
        }

    def rejected_json(self) -> dict[str, Any]:
        """Returns it in the form of schema version 1."""
        every = self.as_json()
        return {name: every[name] for name in ("id", "title", "confidence", "reason")}


class Result(NamedTuple):
    """A document that is shown, by the spans of it that carry evidence."""

    id: str
    document: str
    document_id: str
    kind: str
    source: str
    title: str
    path: str
    heading: str
    role: str
    date: datetime | None
    text: str
    score: float
    confidence: float
    evidence: tuple[str, ...]
    contributions: tuple[Contribution, ...]
    tokens: int
    truncated: bool = False
    detail: str = "passage"
    folded: tuple[str, ...] = ()
    """Ids of passages that say the same, and are not shown for it."""
    signals: Signals = Signals()
    fact: JsonObject = NO_META
    """What else is known of a fact: its type, scopes, names, time."""
    spans: tuple[Span, ...] = ()
    """What is shown of it, in the order of the text; :attr:`text` is all of them."""
    dated: str = ""
    """What says the date (:mod:`recollect.text.stated`)."""
    earlier: tuple[Earlier, ...] = ()
    """What this has replaced, last first."""
    gone: bool = False
    """Whether its source no longer has it."""

    def shown_json(self) -> dict[str, Any]:
        """Returns what a reader needs of it and no more."""
        return {
            "id": self.id,
            "kind": self.kind,
            "title": self.title,
            "heading": self.heading,
            "path": self.path,
            "date": iso(self.date),
            "dated": self.dated,
            "confidence": round(self.confidence, 4),
            "said": in_words(self.confidence),
            "spans": json_list(self.spans),
            **filled({"gone": self.gone, "earlier": json_list(self.earlier)}),
        }

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "document": self.document,
            "document_id": self.document_id,
            "kind": self.kind,
            "source": self.source,
            "title": self.title,
            "path": self.path,
            "heading": self.heading,
            "role": self.role,
            "date": iso(self.date),
            "dated": self.dated,
            "text": self.text,
            "score": round(self.score, 9),
            "confidence": round(self.confidence, 4),
            "evidence": list(self.evidence),
            "explanation": json_list(self.contributions),
            "signals": {k: round(v, 4) for k, v in self.signals._asdict().items() if v},
            "tokens": self.tokens,
            "truncated": self.truncated,
            "detail": self.detail,
            "folded": list(self.folded),
            **filled({"gone": self.gone, "fact": dict(self.fact)}),
            **filled({"earlier": json_list(self.earlier)}),
        }


class Stage(NamedTuple):
    """What one stage of the read path did: nothing is skipped or fails in silence."""

    name: str
    state: Literal["ran", "skipped", "failed"]
    reason: str = ""
    found: int | None = None
    ms: float = 0.0

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "state": self.state,
            "reason": self.reason,
            "found": self.found,
            "ms": round(self.ms, 3),
        }


class Budget(NamedTuple):
    """Tokens allowed (``None``: no cap) and used; results kept, dropped and cut short."""

    budget: int | None
    used: int
    kept: int
    dropped: int
    truncated: int

    def as_json(self) -> dict[str, Any]:
        return self._asdict()


class CacheReport(NamedTuple):
    """Whether the question was answered before, and what decided."""

    status: Literal["hit", "miss", "off"] = "off"
    reason: str = ""
    question: str = ""
    """The earlier question, where it is not the same: the one that serves, or that was refused."""
    similarity: float | None = None
    """How near the two are: the overlap of their words, or the cosine where that decided."""
    age_seconds: float | None = None

    def as_json(self) -> dict[str, Any]:
        return self._asdict()


class Recorded(NamedTuple):
    """An answer that a caller wrote from what was found, and what it holds for."""

    id: str
    query: str
    answer: str
    fingerprint: str
    at: datetime
    sources: tuple[str, ...] = ()
    """Ids of the documents and passages that it is from, as the caller named them."""
    owner: str = ""
    confidence: float = 0.0
    """How sure the search was that it had found the evidence."""
    stale: bool = False
    """What it is from had changed already when it was recorded."""
    space: str = ""
    """The name of all that it holds for but the words of the question (:meth:`Query.space`, and
    the state of what it could see)."""
    within: tuple[str, ...] | None = None
    """The sources that the question was limited to."""

    def as_json(self) -> dict[str, Any]:
        shown = without(self._asdict(), ("space", "within"))
        return {**shown, "at": iso(self.at), "sources": list(self.sources)}


class TimeFound(NamedTuple):
    """What a question of time was taken for, and the days that answer it."""

    kind: str
    order: str
    topic: str
    said: str
    """The words of the question that told."""
    date: datetime | None
    """Of the first result; where it is asked when something was, the day that it tells, if any."""
    dates: tuple[datetime, ...] = ()
    """Of all that is shown and speaks of the topic, in its order."""
    since: datetime | None = None
    until: datetime | None = None
    """The period that was a filter."""

    def as_json(self) -> dict[str, Any]:
        moments = {name: iso(getattr(self, name)) for name in ("date", "since", "until")}
        return {**self._asdict(), **moments, "dates": list(map(iso, self.dates))}


class Answer(NamedTuple):
    """What a search returns: the results, how good they are, and what happened on the way."""

    query: str
    status: Status
    tier: int
    mode: str
    intent: str
    confidence: float
    results: tuple[Result, ...]
    total_found: int
    hidden: Mapping[str, int]
    degraded: tuple[str, ...]
    budget: Budget
    fingerprint: str
    stages: tuple[Stage, ...]
    timing_ms: float
    cache: CacheReport = CacheReport()
    hints: tuple[str, ...] = ()
    shape: str = "lookup"
    named: tuple[Named, ...] = ()
    """The best of what was found and is not shown, best first, a line each."""
    relaxed: tuple[str, ...] = ()
    """The limits that were given up, as the caller allowed, for these results."""
    answer: Recorded | None = None
    """What was written for this question, earlier or just now, and nothing has changed since."""
    written: Synthesis | None = None
    """How a language model came to write it just now, where it did."""
    time: TimeFound | None = None
    """What was made of a question of time."""
    web: WebFound | None = None
    """What the web says, where that was allowed and memory did not answer. It changes nothing
    else in here."""

    def as_json(self) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA_VERSION,
            "query": self.query,
            "status": self.status,
            "answer": json_or_none(self.answer),
            "written": json_or_none(self.written),
            "tier": self.tier,
            "mode": self.mode,
            "intent": self.intent,
            "shape": self.shape,
            "confidence": round(self.confidence, 4),
            "said": in_words(self.confidence) if self.results or self.answer else "nothing",
            "time": json_or_none(self.time),
            "cache": self.cache.as_json(),
            "shown": list(map(Result.shown_json, self.results)),
            "named": json_list(self.named),
            "results": json_list(self.results),
            "rejected": list(map(Named.rejected_json, self.named[:5])),
            "web": json_or_none(self.web),
            "total_found": self.total_found,
            "hidden": dict(self.hidden),
            "relaxed": list(self.relaxed),
            "degraded": list(self.degraded),
            "budget": self.budget.as_json(),
            "fingerprint": self.fingerprint,
            "stages": json_list(self.stages),
            "hints": list(self.hints),
            "timing_ms": round(self.timing_ms, 3),
        }


class Recording(NamedTuple):
    """What became of an answer that was to be recorded."""

    recorded: bool
    reason: str = ""
    """Why it was not; or what is to be said of it."""
    id: str = ""
    stale: bool = False

    def as_json(self) -> dict[str, Any]:
        return self._asdict()
