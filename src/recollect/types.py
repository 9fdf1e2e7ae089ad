"""The nouns, as frozen values. Nothing here does any I/O or imports anything but errors.

A Document goes in, a Query goes down the stack, an Answer comes out. Each signal of a Candidate
keeps its own field; no label is ever made from a blend of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, Literal, NamedTuple

from recollect.errors import UsageError

SCHEMA_VERSION = 1
"""Of the JSON that leaves the library."""

MAX_LIMIT = 1000
MAX_BUDGET = 10_000_000

UNIVERSAL = "universal"
"""The scope of whatever is stored without one; a scope like any other, inherited by nothing."""

LOCAL = "local"
"""The owner of whatever is stored without one: the person whose machine this is."""

Status = Literal[
    "cached_answer", "direct_passages", "needs_synthesis", "no_results", "synthesized"
]
JsonObject = Mapping[str, Any]


def stable_id(*parts: str) -> str:
    """A short name for *parts*, the same on every machine and after every re-import."""
    joined = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return blake2b(joined, digest_size=8).hexdigest()


# ------------------------------------------------------------------ what is kept


@dataclass(frozen=True, slots=True)
class Source:
    """Where things came from: the unit of isolation and of re-import."""

    name: str
    kind: str = "caller"
    uri: str = ""
    stamp: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a session."""

    role: str
    text: str
    id: str = ""
    date: datetime | None = None


@dataclass(frozen=True, slots=True)
class Document:
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
    meta: JsonObject = field(default_factory=dict)
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


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document that can be returned.

    The passages of one turn, joined in order, are that turn's text exactly.
    """

    n: int
    text: str
    heading: str = ""
    turn: int = 0
    role: str = ""


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A passage with the document it belongs to, as the store hands it out."""

    key: int
    id: str
    passage: Passage
    document: Document


# ------------------------------------------------------------------ writing


@dataclass(frozen=True, slots=True)
class Put:
    """Store this document, replacing any earlier version of it."""

    document: Document
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Forget:
    """Remove the document for good: a re-import does not bring it back."""

    id: str


@dataclass(frozen=True, slots=True)
class Register:
    """Make a source known, or note its new stamp."""

    source: Source


Change = Put | Forget | Register


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """What a write will do. Applied whole, in one transaction, or not at all."""

    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that was not imported (or, as a warning, not wholly), and where it is."""

    where: str
    reason: str
    level: Literal["failed", "skipped", "warning"] = "failed"

    def as_json(self) -> dict[str, Any]:
        return {"where": self.where, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a write did. Counts are of documents."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    forgotten: int = 0
    tombstoned: int = 0
    """Not stored, because the user forgot them earlier."""
    skipped: tuple[Problem, ...] = ()
    """Left out on purpose."""
    warnings: tuple[Problem, ...] = ()
    """Imported, but not wholly as it was meant."""
    failed: tuple[Problem, ...] = ()
    """Should have been imported and could not be."""
    embedded: int = 0
    pending: int = 0
    sources: tuple[str, ...] = ()

    def __add__(self, other: Receipt) -> Receipt:
        return Receipt(
            **{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        )

    @property
    def seen(self) -> int:
        return self.added + self.changed + self.unchanged + self.tombstoned

    def as_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in ("skipped", "warnings", "failed"):
            out[name] = [p.as_json() for p in out[name]]
        out["sources"] = sorted(set(self.sources))
        return out


# ------------------------------------------------------------------ asking


@dataclass(frozen=True, slots=True)
class Filter:
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
    since: datetime | None = None
    until: datetime | None = None

    @property
    def limits(self) -> tuple[str, ...]:
        """The names of the limits that are set."""
        return tuple(f.name for f in fields(self) if getattr(self, f.name) is not None)

    def without(self, name: str) -> Filter:
        return replace(self, **{name: None})


@dataclass(frozen=True, slots=True)
class Policy:
    """Every tunable of the read path.

    A mode is a preset; an experiment is ``replace(policy, …)``. Evaluation and production run
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
    vector_weight: float = 1.0
    title_weight: float = 0.5
    direct_confidence: float = 0.6
    """From here on an answer is served as it stands; below it needs synthesis."""

    def __post_init__(self) -> None:
        if self.by not in ("hybrid", "keyword", "semantic"):
            raise UsageError(f"there is no search by {self.by!r}",
                             hint="search by hybrid, keyword or semantic")  # fmt: skip
        if not 1 <= self.limit <= MAX_LIMIT:
            raise UsageError(
                f"limit is {self.limit}", hint=f"ask for 1 to {MAX_LIMIT} results"
            )
        if self.budget is not None and not 1 <= self.budget <= MAX_BUDGET:
            raise UsageError(
                f"budget is {self.budget} tokens",
                hint=f"give 1 to {MAX_BUDGET}, or leave it out for the mode's own",
            )


@dataclass(frozen=True, slots=True)
class Query:
    """The whole resolved request: what goes down the stack instead of sixteen parameters."""

    text: str
    filter: Filter
    policy: Policy

    def key(self) -> str:
        """A name for the request made from every field of it, so that a new field changes it."""
        return stable_id(repr(self))


@dataclass(frozen=True, slots=True)
class Word:
    term: str


@dataclass(frozen=True, slots=True)
class Prefix:
    term: str


@dataclass(frozen=True, slots=True)
class Phrase:
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextQuery:
    """What the text index is asked.

    ``any`` is scored, and all of it must match when ``strict``; ``must`` and ``never`` are
    conditions. ``field`` is ``body`` (title, heading and text of a passage) or ``title``.
    """

    any: tuple[Word | Prefix, ...] = ()
    must: tuple[Phrase, ...] = ()
    never: tuple[Word | Prefix | Phrase, ...] = ()
    strict: bool = False
    field: Literal["body", "title"] = "body"


class Hit(NamedTuple):
    """A passage found by one arm. Keys are the store's own and live as long as the passage."""

    passage: int
    document: int
    score: float


# ------------------------------------------------------------------ answering


@dataclass(frozen=True, slots=True)
class Arm:
    """What one arm found: documents, best first, each by its best passage."""

    name: str
    weight: float
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one arm added to a score: ``weight / (k + rank)``."""

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


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document that may be returned, by its best passage, and what each arm had to say."""

    document: int
    passage: int
    score: float
    contributions: tuple[Contribution, ...]
    """They sum to the score."""


@dataclass(frozen=True, slots=True)
class Result:
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
            "tokens": self.tokens,
            "truncated": self.truncated,
        }


@dataclass(frozen=True, slots=True)
class Stage:
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


@dataclass(frozen=True, slots=True)
class Budget:
    """Tokens allowed (``None``: no cap) and used; results kept, dropped and cut short."""

    budget: int | None
    used: int
    kept: int
    dropped: int
    truncated: int

    def as_json(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}


@dataclass(frozen=True, slots=True)
class CacheReport:
    status: Literal["hit", "miss", "off"] = "off"
    similarity: float | None = None
    age_seconds: float | None = None

    def as_json(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}


@dataclass(frozen=True, slots=True)
class Answer:
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

    def as_json(self) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA_VERSION,
            "query": self.query,
            "status": self.status,
            "tier": self.tier,
            "mode": self.mode,
            "intent": self.intent,
            "confidence": round(self.confidence, 4),
            "cache": self.cache.as_json(),
            "results": [r.as_json() for r in self.results],
            "total_found": self.total_found,
            "hidden": dict(self.hidden),
            "degraded": list(self.degraded),
            "budget": self.budget.as_json(),
            "fingerprint": self.fingerprint,
            "stages": [s.as_json() for s in self.stages],
            "hints": list(self.hints),
            "timing_ms": round(self.timing_ms, 3),
        }


# ------------------------------------------------------------------ looking around


@dataclass(frozen=True, slots=True)
class Page:
    """A stretch of a listing; ``cursor`` asks for the next one and is empty on the last."""

    items: tuple[Document, ...]
    cursor: str


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of a document's history."""

    seq: int
    at: datetime
    action: str
    id: str

    def as_json(self) -> dict[str, Any]:
        return {"seq": self.seq, "at": iso(self.at), "action": self.action, "id": self.id}


@dataclass(frozen=True, slots=True)
class SourceStats:
    name: str
    kind: str
    uri: str
    documents: int
    stamp: str = ""

    def as_json(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}


@dataclass(frozen=True, slots=True)
class StoreStats:
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
    indexes: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}
        out["sources"] = [s.as_json() for s in self.sources]
        return out


def iso(moment: datetime | None) -> str | None:
    """UTC, to the second unless there is a fraction; midnight stays a full timestamp."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
