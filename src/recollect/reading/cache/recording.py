"""Answers that callers write: recorded, listed, and found stale."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from recollect.arguments import clean, names
from recollect.named_tuple import NamedTuple
from recollect.nouns import Document, Filter, Query, Recorded, Recording, not_among, stable_id
from recollect.ports import Cache, PastRequest, StorageEngine
from recollect.reading.cache.lookup import as_asked, space_of
from recollect.reading.question import understand
from recollect.text import redact as redaction
from recollect.trace import tracing

LONGEST = 100_000
"""Characters of an answer."""
MOST_SOURCES = 200
EVERY = 1_000_000
_KEY = 16


class WrittenAnswer(NamedTuple):
    """An answer as a caller hands it in."""

    query: Query
    answer: str
    fingerprint: str
    sources: Sequence[str] | None


def record(
    given: WrittenAnswer, store: StorageEngine, cache: Cache | None, *, redact: bool
) -> Recording:
    answer, print = clean(given.answer).strip(), given.fingerprint.strip().lower()
    if not answer:
        return Recording(False, "the answer is empty")
    if len(answer) > LONGEST:
        return Recording(False, f"the answer has {len(answer):,} characters, over {LONGEST:,}")
    if len(print) != 2 * _KEY or not set(print) <= set("0123456789abcdef"):
        return Recording(False, "this is no fingerprint; `search` and `gather` give one")
    asked = _asked(given.query, print[:_KEY], cache)
    if asked is None:
        return Recording(
            False,
            "this fingerprint is not of this question: search or gather again, with the same "
            "limits, and give its fingerprint",
        )
    state = store.fingerprint(Filter(sources=asked.sources))
    stale = state != print[_KEY:]
    within = given.query.filter.within
    seen = Filter(owner=asked.owner or None, sources=asked.sources, within=within)
    sources, unknown = _cited(given.sources, seen, store)
    if redact:
        answer = redaction.redact(answer).text
    made = Recorded(
        id=stable_id("answer", print),
        query=asked.question,
        answer=answer,
        fingerprint=print,
        at=datetime.now(UTC),
        sources=sources,
        owner=asked.owner,
        confidence=asked.confidence,
        stale=stale,
        space=space_of(asked.space, print[_KEY:]),
        within=asked.sources,
    )
    store.answers.keep(made)
    reasons = ["what it is from has changed since, so it is kept and not served"] if stale else []
    reasons += [f"“{name}” is not in the store, so it is not cited" for name in unknown]
    return Recording(True, "; ".join(reasons), made.id, stale)


def _cited(
    given: Sequence[str] | None, seen: Filter, store: StorageEngine
) -> tuple[tuple[str, ...], list[str]]:
    """Returns the sources that are in sight, by the id of a document or of passages, or are
    elsewhere, by their address; and those that are neither."""
    some = tuple(names(given) or ())[:MOST_SOURCES]
    unknown = [
        one
        for one in some
        if "://" not in one
        and not any(store.get(name, seen, body=False) for name in _documents(one))
    ]
    return tuple(not_among(some, unknown)), unknown


def _documents(source: str) -> tuple[str, ...]:
    """The names of the document that a source may be: itself, or what it is a passage of."""
    return tuple(filter(None, (source, source.rpartition(":")[0])))


def _asked(query: Query, key: str, cache: Cache | None) -> PastRequest | None:
    """The request of this key, if its words are those of the query."""
    noted = _noted(cache, key)
    if query.key() == key:
        with tracing():
            return noted or as_asked(understand(query), 0.0)
    same = noted is not None and _folded(noted.question) == _folded(query.text)
    return noted if same else None


def _noted(cache: Cache | None, key: str) -> PastRequest | None:
    if cache is None:
        return None
    try:
        return cache.noted([key]).get(key)
    except Exception:  # noqa: BLE001  a cache may be anybody's, and is never needed
        return None


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def with_state(some: Iterable[Recorded], store: StorageEngine) -> list[Recorded]:
    """The answers, each stale if what it is from has changed by now."""
    states: dict[tuple[str, ...] | None, str] = {}
    made = []
    for one in some:
        if one.within not in states:
            states[one.within] = store.fingerprint(Filter(sources=one.within))
        changed = one.fingerprint[_KEY:] != states[one.within]
        made.append(one._replace(stale=one.stale or changed))
    return made


def stale_ones(store: StorageEngine) -> list[str]:
    return [one.id for one in with_state(store.answers.find(limit=EVERY), store) if one.stale]


def of_document(document: Document, store: StorageEngine) -> list[str]:
    """The answers that are from a document."""
    its = {document.id, document.external}
    return [
        one.id
        for one in store.answers.find(limit=EVERY)
        if any(not its.isdisjoint(_documents(source)) for source in one.sources)
    ]
