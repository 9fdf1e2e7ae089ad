"""The options that calls of the facade take by name, and the values that they return.

Each TypedDict is one value: what a call may be told, spelt as keywords (``**options``). An option
that is left out, or None, departs in nothing from the configuration.

Annotations are no texts here (as in the nouns): a TypedDict compiles each of those.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict

from recollect.named_tuple import NamedTuple
from recollect.nouns import JsonObject, StoreStats

if TYPE_CHECKING:
    from recollect.nouns.web import WebResult
    from recollect.writing.curation.slots import Extractor


class Limits(TypedDict, total=False):
    """What may be seen. A name may be given alone or in a sequence; dates also as ``7d``."""

    owner: str | None
    scopes: Sequence[str] | None
    sources: Sequence[str] | None
    kinds: Sequence[str] | None
    paths: Sequence[str] | None
    roles: Sequence[str] | None
    issues: Sequence[str] | None
    events: Sequence[str] | None
    since: str | datetime | None
    until: str | datetime | None


class SearchOptions(Limits, total=False):
    """How a search departs from the mode, each None where it does not."""

    mode: str | None
    limit: int | None
    budget: int | None
    by: str | None
    detail: str | None
    recency: float | None
    """0 by relevance, 1 newest first."""
    sort: str | None
    """``oldest`` or ``newest`` orders what speaks of the topic, ``relevance`` leaves time out of
    it; else as the question says."""
    min_confidence: float | str | None
    """A number, or what hangs on the answer: ``low`` (0.4), ``medium`` (0.6), ``high`` (0.8)."""
    last_n: int | None
    """Look at the newest so many documents only, and at those of the same moment as the last of
    them."""
    relax: Sequence[str] | None
    """Limits (``since``, ``until``, ``kinds``, ``sources``, ``paths``, ``roles``, ``issues``,
    ``events``) that may be given up when too little is found under them; the answer says which
    were."""
    now: datetime | None
    """What "last week" is meant from."""
    as_of: str | datetime | None
    """The time whose facts are asked for; else now."""
    facts: bool | None
    """False searches passages even where facts are named."""
    reranker: str | None
    """Another than the configured one, named as ``rerank.model`` is; ``none`` is none."""
    expand: int | None
    """How many rewrites of a question that is graded low a language model is asked for: 0 to 3."""
    hyde: bool | None
    """Whether it also writes a passage as the answer might read, to search by."""
    think: bool | None
    """Whether it writes an answer where the grade is low."""
    expand_seconds: float | None
    think_seconds: float | None
    """For which a search waits for the one and for the other."""


class ThinkOptions(SearchOptions, total=False):
    """How an answer is thought about, besides how it is searched for."""

    force: bool
    """Write an answer even if one was written before, or passages say it in so many words."""
    time_box: float
    """Seconds after which what was gathered is returned instead: 60."""
    token_budget: int
    """Tokens of what the model reads: 6,000."""
    web: "bool | Sequence[WebResult]"
    """Pages that may be cited besides; true lets the web be asked where memory does not answer, if
    the user allows it."""


class ContextOptions(TypedDict, total=False):
    """Whose facts a context has, and how many."""

    scopes: Sequence[str] | None
    owner: str | None
    types: Sequence[str] | None
    as_of: str | datetime | None
    """The time whose facts are asked for; else now."""
    limit: int | None
    """A ceiling for the relevant ones."""
    token_budget: int | None
    """A ceiling for the tokens of the relevant ones."""
    mode: str | None


class FactListOptions(TypedDict, total=False):
    """Which facts are listed."""

    limit: int
    """1 to 1,000; 20 if nothing is said."""
    cursor: str
    every: bool
    """Also those that are superseded or expired."""
    scopes: Sequence[str] | None
    owner: str | None
    types: Sequence[str] | None
    as_of: str | datetime | None


class SessionOptions(TypedDict, total=False):
    """What is asked of past conversations, each None where nothing is said; the shape of the
    answer follows from what is given (:mod:`recollect.reading.sessions`)."""

    session: str | None
    around: str | Sequence[str] | None
    """One message, or several, of the session."""
    window: int | None
    """Messages on either side: 5, at most 20."""
    limit: int | None
    """Conversations: 3, at most 10; of a list 10, at most 50."""
    sort: str | None
    """``relevance``, ``newest`` or ``oldest``; else as the question says."""
    after: str | datetime | None
    """Sessions that began then or later; also as ``7d``, ``24h``, ``2w``."""
    before: str | datetime | None
    exclude_sessions: str | Sequence[str] | None
    roles: str | Sequence[str] | None
    """Whose words: the user's and the assistant's, unless others or ``all`` are named."""
    detail: str | None
    """``adaptive``: a window around the first hit; ``full``: around each."""
    live_session: str | None
    """The caller's own: what of it the caller still has in its context is hidden."""
    owner: str | None
    scopes: Sequence[str] | None
    sources: Sequence[str] | None
    now: datetime | None
    """What "last week" is meant from."""


class ImportOptions(TypedDict, total=False):
    """How files and folders are imported."""

    source: str | None
    """The name of the source; else the one they were imported as, or that of the place."""
    owner: str | None
    scopes: Sequence[str] | None
    redact: bool | None
    """Whether secrets are taken out; else as configured (``import.redact``)."""
    history: bool
    """Whether the commits of a repository are imported with its files; they are."""
    prune: bool
    """Remove what is on disk no more."""
    dry_run: bool
    """Change nothing, and say what would be changed."""
    embed: bool
    """Whether vectors are made before the call returns; they are."""
    threads: int | None
    """Threads that make vectors, 1 to 64; else as many as pay."""


class RecordOptions(TypedDict, total=False):
    """What is known of a project record."""

    title: str
    author: str
    issue: str
    branch: str
    event: str
    path: str
    date: str | datetime | None
    content: Any
    """Anything that JSON can say, or a text that is JSON."""
    id: str
    owner: str | None
    scopes: Sequence[str] | None
    embed: bool


class FactOptions(TypedDict, total=False):
    """What is known of a fact besides its text."""

    name: str
    aliases: Sequence[str]
    type: str
    """``fact``, unless another type is named."""
    why: str
    owner: str | None
    scopes: Sequence[str] | None
    pinned: bool
    standing: str | None
    valid_from: str | datetime | None
    valid_to: str | datetime | None
    supersedes: Sequence[str]
    """What it replaces: ids, or names of facts that are theirs alone."""
    superseded_by: Sequence[str]
    created_at: str | datetime | None
    resolved_at: str | datetime | None
    participants: Sequence[Any]
    meta: JsonObject | None
    id: str
    """Changes the fact of this id instead of adding one; what is left out stays."""
    by: str
    """Who says so, for its provenance."""
    source: str
    """Where it was said, for its provenance."""
    replace: bool
    """Supersede the facts that it contradicts."""
    embed: bool
    """Whether its vector is made before the call returns; it is."""


class TextOptions(TypedDict, total=False):
    """What is known of a text that is curated, and how it is read."""

    name: str
    """What its source calls it; else it is called by its content."""
    title: str
    source: str
    """``curated``, unless another source is named."""
    project: str
    owner: str | None
    scopes: Sequence[str] | None
    date: str | datetime | None
    """When it was written: what is newer takes the place of what is older. Where it is not given,
    as the head of the text says, else now."""
    facts: Iterable[JsonObject | str] | None
    """What the caller has read from it already."""
    extractor: "Extractor | None"
    """What reads facts from it, instead of the sentence model."""
    llm: bool
    """Have the language model read it, instead of the sentence model."""
    by: str
    speaker: str
    """``user`` where somebody tells of themselves."""
    note: bool
    """It was written to be kept."""
    channel: str
    """Through what it came: ``text``, unless something else is named."""
    embed: bool
    """Whether vectors are made before the call returns; they are."""
    dry_run: bool
    """Change nothing, and say what would be changed."""


class Status(NamedTuple):
    """What the store holds, and what is still to be done."""

    store: StoreStats
    model: str
    model_state: str
    pending: int
    gone: int = 0
    """Documents that their sources no longer have."""

    def as_json(self) -> dict[str, Any]:
        return {
            **self.store.as_json(),
            "model": self.model,
            "model_state": self.model_state,
            "pending": self.pending,
            "gone": self.gone,
        }
