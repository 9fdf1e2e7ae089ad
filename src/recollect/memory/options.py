"""What the facade takes and tells, by name."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypedDict

from recollect.nouns import StoreStats


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


class Options(Limits, total=False):
    """How a search departs from the mode, each None where it does not."""

    mode: str | None
    limit: int | None
    budget: int | None
    by: str | None
    detail: str | None
    recency: float | None
    """0 by relevance, 1 newest first."""
    min_confidence: float | str | None
    """A number, or what hangs on the answer: ``low`` (0.4), ``medium`` (0.6), ``high`` (0.8)."""
    last_n: int | None
    """Look at the newest so many documents only."""
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


class Status(NamedTuple):
    """What the store holds, and what is still to be done."""

    store: StoreStats
    model: str
    model_state: str
    pending: int

    def as_json(self) -> dict[str, Any]:
        return {
            **self.store.as_json(),
            "model": self.model,
            "model_state": self.model_state,
            "pending": self.pending,
        }
