"""The nouns, as frozen values. Nothing here does any I/O.

They are named tuples because a command starts in the time it takes to define them: a frozen
data class takes five times as long. For the same reason annotations are no texts here, each of
which a named tuple would compile.

A Document goes in, a Query goes down the stack, an Answer comes out. Each signal of a Candidate
keeps its own field; no label is ever made from a blend of them. What a language model wrote and
what the web says are in ``written.py`` and ``web.py``.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

try:
    from _blake2 import blake2b
except ImportError:  # hashlib has it for certain, and loads all of OpenSSL with it
    from hashlib import blake2b

from recollect.errors import UsageError
from recollect.moments import iso
from recollect.web import WebFound
from recollect.written import Written

SCHEMA_VERSION = 1
"""Of the JSON that leaves the library."""

MAX_LIMIT = 1000
MAX_BUDGET = 10_000_000
MAX_REWRITES = 3
MAX_SECONDS = 600.0

UNIVERSAL = "universal"
"""The scope of whatever is stored without one; a scope like any other, inherited by nothing."""

LOCAL = "local"
"""The owner of whatever is stored without one: the person whose machine this is."""

ROLES = ("user", "assistant", "tool", "context", "summary", "system", "rewound")
"""Who speaks in a message, as the readers of session logs tell it; others may be stored."""

Status = Literal["cached_answer", "direct_passages", "needs_synthesis", "no_results", "synthesized"]
Detail = Literal["auto", "snippet", "passage", "document"]
JsonObject = Mapping[str, Any]
NO_META: JsonObject = {}


def hashed(content: bytes, size: int) -> bytes:
    """So many bytes that stand for the content."""
    return blake2b(content, digest_size=size).digest()


def stable_id(*parts: str) -> str:
    """A short name for *parts*, the same on every machine and after every re-import."""
    return hashed("\x1f".join(parts).encode("utf-8", "surrogatepass"), 8).hex()


# ------------------------------------------------------------------ what is kept


class Place(NamedTuple):
    """A file or folder that a source gathers, and how it was added last."""

    uri: str
    redact: bool | None = None
    """Whether secrets are taken out; where nothing was said, as it is configured."""
    history: bool = True
    """Whether a repository's commits come with it."""


class Source(NamedTuple):
    """Where things came from: the unit of isolation and of re-import."""

    name: str
    kind: str = "caller"
    uri: str = ""
    stamp: str = ""
    places: tuple[Place, ...] = ()


class Message(NamedTuple):
    """One turn of a session."""

    role: str
    text: str
    id: str = ""
    date: datetime | None = None


class Document(NamedTuple):
    """A note, page, session, commit, issue: one thing somebody would name.

    ``external`` is the id its source gives it and comes back as ``document`` in every result.
    A session has ``messages`` and no ``text``; everything else has ``text`` and no messages.
    """

    external: str
    source: str
    text: str = ""
    messages: tuple[Message, ...] = ()
    kind: str = "note"
    title: str = ""
    path: str = ""
    date: datetime | None = None
    owner: str = LOCAL
    scopes: tuple[str, ...] = (UNIVERSAL,)
    meta: JsonObject = NO_META
    origin: str = ""
    """The file inside the source that it came from, where one file holds many documents."""
    stamp: str = ""
    """What the source says of the version (such as mtime and size); not part of the content."""

    @property
    def id(self) -> str:
        return stable_id(self.owner, self.source, self.origin, self.external)

    def segments(self) -> Iterator[tuple[int, str, str]]:
        """(turn, role, text) of each stretch of text that passages must not cross."""
        if not self.messages:
            yield 0, "", self.text
        for turn, message in enumerate(self.messages):
            yield turn, message.role, message.text

    def rendered(self) -> str:
        """The whole document as a person reads it."""
        if not self.messages:
            return self.text
        return "\n\n".join(f"{m.role}: {m.text}" for m in self.messages)

    def as_json(self, *, body: bool = True) -> dict[str, Any]:
        about: dict[str, Any] = {
            "id": self.id,
            "document": self.external,
            "kind": self.kind,
            "source": self.source,
            "title": self.title,
            "path": self.path,
            "date": iso(self.date),
            "owner": self.owner,
            "scopes": list(self.scopes),
            "meta": dict(self.meta),
        }
        if body and self.messages:
            about["turns"] = [
                {"role": m.role, "text": m.text, "id": m.id or None, "date": iso(m.date)}
                for m in self.messages
            ]
        elif body:
            about["text"] = self.text
        return about


class Passage(NamedTuple):
    """A piece of a document that can be returned.

    The passages of one turn, joined in order, are that turn's text exactly.
    """

    n: int
    text: str
    heading: str = ""
    turn: int = 0
    role: str = ""


class StoredPassage(NamedTuple):
    """A passage with the document it belongs to, as the store hands it out."""

    key: int
    id: str
    passage: Passage
    document: Document


# ------------------------------------------------------------------ writing


class Put(NamedTuple):
    """Store this document, replacing any earlier version of it."""

    document: Document
    passages: tuple[Passage, ...]
    handles: tuple[str, ...] = ()
    """Further names that it is to be found under, whole."""


class Forget(NamedTuple):
    """Remove the document for good: a re-import does not bring it back."""

    id: str


class Remove(NamedTuple):
    """Take the document out, because its source no longer has it: a later import of it may
    bring it back."""

    id: str


class Register(NamedTuple):
    """Make a source known, or note its new stamp."""

    source: Source


class Expect(NamedTuple):
    """Do nothing at all unless the document is still of this version: what was decided from it
    holds no more."""

    id: str
    stamp: str | None
    """None when it is not to be there."""


Change = Put | Forget | Remove | Register | Expect


class ChangeSet(NamedTuple):
    """What a write will do. Applied whole, in one transaction, or not at all."""

    changes: tuple[Change, ...]


class Problem(NamedTuple):
    """Something that was not imported (or, as a warning, not wholly), and where it is."""

    where: str
    reason: str
    level: Literal["failed", "skipped", "warning"] = "failed"

    def as_json(self) -> dict[str, Any]:
        return {"where": self.where, "reason": self.reason}


class Receipt(NamedTuple):
    """What a write did. Counts are of documents."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    forgotten: int = 0
    removed: int = 0
    tombstoned: int = 0
    """Not stored, because the user forgot them earlier."""
    skipped: tuple[Problem, ...] = ()
    """Left out on purpose."""
    warnings: tuple[Problem, ...] = ()
    """Imported, but not wholly as it was meant."""
    missing: tuple[Problem, ...] = ()
    """Stored earlier, and no longer in its source; only pruning removes it."""
    failed: tuple[Problem, ...] = ()
    """Should have been imported and could not be."""
    embedded: int = 0
    pending: int = 0
    redacted: Counter[str] = Counter()  # noqa: RUF012  receipts are summed, never changed
    """Secrets that were taken out, by the rule that found them."""
    sources: tuple[str, ...] = ()

    def __add__(self, other: "Receipt") -> "Receipt":  # type: ignore[override]  # sums, not joins
        pairs: Iterable[tuple[Any, Any]] = zip(self, other, strict=True)
        return Receipt(*(mine + theirs for mine, theirs in pairs))

    @property
    def seen(self) -> int:
        return self.added + self.changed + self.unchanged + self.tombstoned

    def as_json(self) -> dict[str, Any]:
        out = self._asdict()
        for name in ("skipped", "warnings", "missing", "failed"):
            out[name] = [p.as_json() for p in out[name]]
        out["sources"] = sorted(set(self.sources))
        return out


# ------------------------------------------------------------------ asking


class Filter(NamedTuple):
    """Hard limits on what may be seen, applied before anything is scored.

    ``None`` means no limit of that kind; an empty tuple lets nothing through. ``since`` is
    inclusive, ``until`` exclusive; something without a date passes neither.
    """

    owner: str | None = None
    scopes: tuple[str, ...] | None = None
    sources: tuple[str, ...] | None = None
    kinds: tuple[str, ...] | None = None
    paths: tuple[str, ...] | None = None
    roles: tuple[str, ...] | None = None
    issues: tuple[str, ...] | None = None
    events: tuple[str, ...] | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def limits(self) -> tuple[str, ...]:
        """The names of the limits that are set."""
        return tuple(
            name for name, limit in zip(self._fields, self, strict=True) if limit is not None
        )

    @classmethod
    def relaxable(cls) -> tuple[str, ...]:
        """The limits that a caller may allow to be given up: those on what is looked for, never
        those on who may see it."""
        return tuple(name for name in cls._fields if name not in ("owner", "scopes"))

    def without(self, *names: str) -> "Filter":
        return self._replace(**dict.fromkeys(names))


class Window(NamedTuple):
    """A stretch of time that a question speaks of: ``since`` inclusive, ``until`` exclusive."""

    since: datetime | None
    until: datetime | None
    said: str
    """The words of it."""

    def has(self, moment: datetime | None, grace: timedelta = timedelta()) -> bool:
        """Whether the moment is in it, or less than *grace* after it."""
        if moment is None or (self.since is not None and moment < self.since):
            return False
        return self.until is None or moment < self.until + grace


class Policy(NamedTuple):
    """Every tunable of the read path.

    A mode is a preset; an experiment is ``policy._replace(…)``. Evaluation and production run
    the same function on such a value, so that a variant cannot behave differently in the two.
    """

    mode: str
    limit: int
    """The most results an answer may have."""
    budget: int | None
    """The most tokens the results may take together; None is no cap."""
    by: Literal["hybrid", "keyword", "semantic"] = "hybrid"
    """Which arms may search."""
    pool: int = 50
    """How many passages each arm brings before fusion."""
    rrf_k: int = 60
    """Cormack, Clarke & Büttcher (2009): ranks are fused as weight / (k + rank)."""
    lexical_weight: float = 1.0
    vector_weight: float = 4.0
    title_weight: float = 0.25
    foreign_weight: float = 0.25
    """What the vector arm weighs at most in a language that the model has not learned."""
    nudge: float = 1.0
    """How much more an arm weighs when the intent is one it is good at; at most 1.25. Off: 1.15
    changed nothing on the test halves."""
    recency: float | None = None
    """0 is by relevance alone, 1 newest first among what was found; None is 0, or *newest* when
    the question asks for the latest."""
    newest: float = 0.1
    rerank: int = 20
    """How many of the best the reranker reads; 0 is none."""
    rerank_ms: int = 2_000
    """Reading stops when it would take longer; what was not read keeps its place behind."""
    window_weight: float = 1.0
    """What the arm weighs that looks only at the time named in the question ("last March"); 0
    is none, and then the time does not count at all."""
    hop: bool = True
    """Whether an open question gets one more search for what its first hits name."""
    cut: bool = True
    """Whether the grades decide how many results are kept; else the limit and budget do."""
    keep: float = 0.03
    """The least confidence of an answer. Below it nothing is returned, and below three times that
    only the nearest few, unless something has all the words of the question, or words are all
    there is to go by. The largest that turns away no more than 1 in 100 answerable questions of
    any set, among those of the fit halves that no model was trained on."""
    worth: float = 0.005
    """The least probability of a result, as far as the answer is sure: a sure answer takes this,
    one at 0.5 half of it."""
    worth_open: float = 0.001
    """The same for an open question, whose evidence is likely in several places,"""
    worth_dated: float = 0.0002
    """and for one that names a year: of other years much the same is said, and better."""
    worth_far: float = 0.02
    """The least beyond the tenth result."""
    escalate: float = 0.6
    """Below this grade there is one rewritten and wider pass; 0 is never."""
    wider: int = 3
    """How many times as many passages each arm brings in the second pass."""
    feedback: int = 0
    """How many words that the best hits share the second pass looks for besides. Off: with 8
    nDCG@10 changed by −0.1 points (−0.3 … +0.2) on the low-graded questions of the fit halves."""
    feedback_weight: float = 0.5
    neighbours: int = 0
    """Of how many of the best hits the second pass reads the passages before and after. Off: with
    5 it changed by −0.1 points (−0.4 … +0.1), and 2 of 51 questions without an answer were then
    served one."""
    min_confidence: float = 0.0
    """Results below it are left out, whatever the cut would keep."""
    direct_confidence: float = 0.6
    """From here on an answer is served as it stands; below it needs synthesis."""
    facts: bool = True
    """Whether facts that the question names are the answer, before anything is searched."""
    fact_confidence: float = 0.6
    """The least probability of a fact that is not named and answers by its content."""
    detail: Detail = "auto"
    """How much of each result is sent: a marked snippet, the passage, or the document.
    ``auto`` is a snippet of records and the passage of everything else."""
    reranker: str | None = None
    """The reranker of this search, named as ``rerank.model`` is; None is the configured one."""
    expand: int = 0
    """How many rewrites of a question that is graded below *direct_confidence* the language model
    may be asked for, at most 3, all in one call; 0 is none."""
    hyde: bool = False
    """Whether it also writes, in that call, a passage as the answer might read, to look for what is
    near it in meaning (Gao et al., 2023)."""
    expand_seconds: float = 4.0
    """For which a search waits for that."""
    think: bool = False
    """Whether the language model writes an answer from what was found, where that is graded below
    *direct_confidence*."""
    think_seconds: float = 20.0

    def check(self) -> None:
        """Refuse values that no search could honour."""
        if self.by not in ("hybrid", "keyword", "semantic"):
            raise UsageError(f"there is no search by {self.by!r}",
                             hint="search by hybrid, keyword or semantic")  # fmt: skip
        if not 1 <= self.limit <= MAX_LIMIT:
            raise UsageError(f"limit is {self.limit}", hint=f"ask for 1 to {MAX_LIMIT} results")
        if self.budget is not None and not 1 <= self.budget <= MAX_BUDGET:
            raise UsageError(
                f"budget is {self.budget} tokens",
                hint=f"give 1 to {MAX_BUDGET}, or leave it out for the mode's own",
            )
        for name in ("recency", "newest", "min_confidence", "keep", "worth", "worth_open",
                     "worth_dated", "worth_far", "escalate", "direct_confidence"):  # fmt: skip
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise UsageError(f"{name} is {value}", hint="give a number from 0 to 1")
        if self.nudge > 1.25:
            raise UsageError(
                f"nudge is {self.nudge}", hint="give at most 1.25: a nudge, no takeover"
            )
        if not 0 <= self.expand <= MAX_REWRITES:
            raise UsageError(f"expand is {self.expand}", hint=f"give 0 to {MAX_REWRITES} rewrites")
        for name in ("expand_seconds", "think_seconds"):
            if not 0 < getattr(self, name) <= MAX_SECONDS:
                raise UsageError(f"{name} is {getattr(self, name)}",
                                 hint=f"give more than 0 and at most {MAX_SECONDS:g}")  # fmt: skip
        if self.detail not in ("auto", "snippet", "passage", "document"):
            raise UsageError(f"there is no detail {self.detail!r}",
                             hint="snippet, passage or document")  # fmt: skip


class Query(NamedTuple):
    """The whole resolved request: what goes down the stack instead of sixteen parameters."""

    text: str
    filter: Filter
    policy: Policy
    window: Window | None = None
    """The time that the text speaks of, resolved when the question was asked."""
    as_of: datetime | None = None
    """The time whose facts are asked for; None is now."""
    relax: tuple[str, ...] = ()
    """Limits that may be given up when too little is found under them."""

    def key(self) -> str:
        """A name for the request made from every field of it, so that a new field changes it."""
        return stable_id(repr(self))

    def space(self) -> str:
        """A name for all of it but the words."""
        window = self.window and self.window._replace(said="")
        return self._replace(text="", window=window).key()


class Clause(NamedTuple):
    """One condition on a passage's words: a stemmed word, the beginning of one as written, or
    words as written in a row."""

    kind: Literal["word", "prefix", "phrase"]
    terms: tuple[str, ...]

    @property
    def term(self) -> str:
        return self.terms[0]


def words(terms: Iterable[str]) -> tuple[Clause, ...]:
    return tuple(Clause("word", (term,)) for term in terms)


class TextQuery(NamedTuple):
    """What the text index is asked.

    ``any`` (words and prefixes) is scored, and all of it must match when ``strict``; ``must``
    and ``never`` are conditions. ``field`` says where words are looked for: in the ``body``
    (title, headings and text of a passage) or in the ``title`` (and path) alone.
    """

    any: tuple[Clause, ...] = ()
    must: tuple[Clause, ...] = ()
    never: tuple[Clause, ...] = ()
    strict: bool = False
    field: Literal["body", "title"] = "body"


class Hit(NamedTuple):
    """A passage found by one arm. Keys are the store's own and live as long as the passage."""

    passage: int
    document: int
    score: float


# ------------------------------------------------------------------ answering


class Arm(NamedTuple):
    """What one arm found: documents, best first, each by its best passage."""

    name: str
    weight: float
    hits: tuple[Hit, ...]
    every: tuple[Hit, ...] = ()
    """All passages it found, also the second best of a document."""


class Contribution(NamedTuple):
    """What one arm or stage added to a score."""

    arm: str
    rank: int
    raw: float
    weight: float
    value: float

    def as_json(self) -> dict[str, Any]:
        return {
            "arm": self.arm,
            "rank": self.rank,
            "raw": round(self.raw, 6),
            "weight": self.weight,
            "contribution": round(self.value, 9),
        }


class Scale(NamedTuple):
    """A line that puts the scores of one model on the scale of another."""

    slope: float = 1.0
    offset: float = 0.0

    def of(self, score: float) -> float:
        return self.slope * score + self.offset


class Signals(NamedTuple):
    """What is known about a candidate. 0 is neutral, so that an absent signal costs nothing."""

    odds: float = 0.0
    """The reranker's log-odds."""
    odds_gap: float = 0.0
    """How far these are behind the best; the same for the other gaps."""
    cosine: float = 0.0
    cosine_gap: float = 0.0
    lexical: float = 0.0
    """61 / (60 + its rank in that arm): 1 for the first, 0 if the arm did not find it."""
    vector: float = 0.0
    title: float = 0.0
    coverage: float = 0.0
    """The share of the question's words that the passage has, by their worth (idf)."""
    coverage_gap: float = 0.0
    rarest: float = 0.0
    """Whether it has the rarest of them."""
    no_name: float = 0.0
    """The share of the names in the question that the passage does not have."""
    no_number: float = 0.0
    no_year: float = 0.0
    other_time: float = 0.0
    """1 when the passage speaks of years, and of none near those in the question."""
    exact: float = 0.0
    """1 when the question is nothing but the title, the path or the name of the file."""
    inside: float = 0.0
    """1 when it is from the time that the question names."""
    hop: float = 0.0
    """The confidence in the best hit that names this document by its title."""
    bridge: float = 0.0
    """1 when it was found in no other way."""
    words: float = 0.0
    """ln(1 + how many words of the question carry meaning)."""


class Candidate(NamedTuple):
    """A document that may be returned, by its best passage, and what each arm had to say."""

    document: int
    passage: int
    score: float
    contributions: tuple[Contribution, ...]
    """They sum to the score."""
    signals: Signals = Signals()
    confidence: float = 0.0
    """The probability that it answers the question, or part of it."""


class Result(NamedTuple):
    """One thing that is returned."""

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
            "text": self.text,
            "score": round(self.score, 9),
            "confidence": round(self.confidence, 4),
            "evidence": list(self.evidence),
            "explanation": [c.as_json() for c in self.contributions],
            "signals": {k: round(v, 4) for k, v in self.signals._asdict().items() if v},
            "tokens": self.tokens,
            "truncated": self.truncated,
            "detail": self.detail,
            "folded": list(self.folded),
            **({"fact": dict(self.fact)} if self.fact else {}),
        }


class Rejected(NamedTuple):
    """Something that was found and is not returned, and why."""

    id: str
    title: str
    confidence: float
    reason: str

    def as_json(self) -> dict[str, Any]:
        return {**self._asdict(), "confidence": round(self.confidence, 4)}


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
        shown = {k: v for k, v in self._asdict().items() if k not in ("space", "within")}
        return {**shown, "at": iso(self.at), "sources": list(self.sources)}


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
    rejected: tuple[Rejected, ...] = ()
    """The best of what was found and is not returned, best first."""
    relaxed: tuple[str, ...] = ()
    """The limits that were given up, as the caller allowed, for these results."""
    answer: Recorded | None = None
    """What was written for this question, earlier or just now, and nothing has changed since."""
    written: Written | None = None
    """How a language model came to write it just now, where it did."""
    web: WebFound | None = None
    """What the web says, where that was allowed and memory did not answer. It changes nothing
    else in here."""

    def as_json(self) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA_VERSION,
            "query": self.query,
            "status": self.status,
            "answer": self.answer.as_json() if self.answer else None,
            "written": self.written.as_json() if self.written else None,
            "tier": self.tier,
            "mode": self.mode,
            "intent": self.intent,
            "shape": self.shape,
            "confidence": round(self.confidence, 4),
            "cache": self.cache.as_json(),
            "results": [r.as_json() for r in self.results],
            "rejected": [r.as_json() for r in self.rejected],
            "web": self.web.as_json() if self.web else None,
            "total_found": self.total_found,
            "hidden": dict(self.hidden),
            "relaxed": list(self.relaxed),
            "degraded": list(self.degraded),
            "budget": self.budget.as_json(),
            "fingerprint": self.fingerprint,
            "stages": [s.as_json() for s in self.stages],
            "hints": list(self.hints),
            "timing_ms": round(self.timing_ms, 3),
        }


# ------------------------------------------------------------------ looking around


class Page(NamedTuple):
    """A stretch of a listing; ``cursor`` asks for the next one and is empty on the last."""

    items: tuple[Document, ...]
    cursor: str

    def as_json(self) -> dict[str, Any]:
        return {
            "items": [document.as_json(body=False) for document in self.items],
            "cursor": self.cursor or None,
        }


class Event(NamedTuple):
    """One entry of a document's history; of a fact's also by whom, why, and from what."""

    seq: int
    at: datetime
    action: str
    id: str
    by: str = ""
    why: str = ""
    source: str = ""
    text: str = ""
    quote: str = ""

    def as_json(self) -> dict[str, Any]:
        more = {k: v for k, v in zip(self._fields[4:], self[4:], strict=True) if v}
        return {"seq": self.seq, "at": iso(self.at), "action": self.action, "id": self.id, **more}


class SourceStats(NamedTuple):
    name: str
    kind: str
    uri: str
    documents: int
    stamp: str = ""
    places: tuple[Place, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {**self._asdict(), "places": [place._asdict() for place in self.places]}


class StoreStats(NamedTuple):
    """What a store holds. ``vectors`` counts passages that have one, by model."""

    location: str
    engine: str
    seq: int
    documents: int
    passages: int
    kinds: Mapping[str, int]
    sources: Sequence[SourceStats]
    vectors: Mapping[str, int]
    tombstones: int
    bytes: int
    indexes: JsonObject = NO_META

    def as_json(self) -> dict[str, Any]:
        out = self._asdict()
        out["sources"] = [s.as_json() for s in self.sources]
        return out
