"""The arms: each finds passages its own way, under the same filter, before anything is scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import NamedTuple

from recollect.nouns import Arm, Filter, Hit, Policy, TextQuery, Window, words
from recollect.ports import Embedder, Store
from recollect.text.lexical import index_passage, matches
from recollect.text.questions.parse import Parsed
from recollect.trace import Trace

RELAXED = "relaxed"
"""How the reason begins where a question had to be."""


class Found(NamedTuple):
    arms: tuple[Arm, ...]
    idf: Mapping[str, float]
    """What each word of the query is worth in this store."""


def gather(
    parsed: Parsed, filter: Filter, policy: Policy, store: Store, embedder: Embedder | None,
    trace: Trace, note: str = "", window: Window | None = None, more: Sequence[str] = (),
) -> Found:  # fmt: skip
    """What each arm finds; *more* are words that are looked for besides those of the question."""
    arms: list[Arm] = []
    idf: Mapping[str, float] = {}
    if policy.by == "semantic":
        trace.skipped("lexical", "the search is semantic")
        trace.skipped("title", "the search is semantic")
    else:
        lexical, idf = _lexical(parsed, filter, policy, store, trace)
        arms += [lexical, _title(parsed, filter, policy, store, trace)]
    if policy.by == "keyword":
        trace.skipped("vector", "the search is by keyword")
    elif embedder is None:
        _degrade(trace, "vector", note)
    elif not embedder.reads(parsed.prose):
        _degrade(trace, "vector", f"{embedder.key.partition('@')[0]} does not know this script")
    else:
        if note:
            trace.degraded.append(f"vector: {note}")
        arms.append(_vector(parsed, filter, policy, store, embedder, trace))
    if more:
        arms.append(_more(parsed, more, filter, policy, store, trace))
    if window is not None:
        arms.append(_from_then(parsed, filter, window, policy, store, arms, embedder, trace))
    return Found(tuple(arm for arm in arms if arm.hits), idf)


def _from_then(
    parsed: Parsed, filter: Filter, window: Window, policy: Policy, store: Store,
    arms: Sequence[Arm], embedder: Embedder | None, trace: Trace,
) -> Arm:  # fmt: skip
    """What is from the time that the question names: by meaning if that arm ran, else by words."""
    since = perf_counter()
    limited = filter._replace(since=window.since, until=window.until)
    dates = " to ".join(f"{d:%Y-%m-%d}" if d else "…" for d in (window.since, window.until))
    with trace.surviving("window"):
        if embedder is not None and any(arm.name == "vector" for arm in arms):
            vector = embedder.embed_query(parsed.prose)
            hits = store.search_vector(embedder.key, vector, limited, limit=policy.pool).hits
        else:
            hits = store.search_text(parsed.text, limited, limit=policy.pool).hits
        found = _by_document(hits)
        said = f"“{window.said}” is {dates}: what is from then counts for more"
        trace.ran("window", since, found=len(found), reason=said)
        return Arm("window", policy.window_weight, found)
    return Arm("window", 0.0, ())


def _degrade(trace: Trace, name: str, reason: str) -> None:
    trace.skipped(name, reason)
    trace.degraded.append(f"{name}: {reason}")


def _lexical(
    parsed: Parsed, filter: Filter, policy: Policy, store: Store, trace: Trace
) -> tuple[Arm, Mapping[str, float]]:
    """Passages with all the words that carry meaning first, then those with any."""
    since = perf_counter()
    with trace.surviving("lexical"):
        strict, note = _strict(parsed, filter, policy, store)
        relaxed = store.search_text(parsed.text, filter, limit=policy.pool)
        every = [*strict, *relaxed.hits]
        hits = _by_document(every)
        if parsed.clipped:
            note = f"{note}; {parsed.clipped} words beyond the first were left out".strip("; ")
        trace.ran("lexical", since, found=len(hits), reason=note)
        return Arm("lexical", policy.lexical_weight, hits, tuple(every)), relaxed.idf
    return Arm("lexical", 0.0, ()), {}


def _strict(parsed: Parsed, filter: Filter, policy: Policy, store: Store) -> tuple[list[Hit], str]:
    """Hits on every word at once, and what to say about them."""
    if len(parsed.content) < 2:
        return [], ""
    every = parsed.text._replace(any=words(parsed.content), strict=True)
    hits = store.search_text(every, filter, limit=policy.pool).hits
    if not hits:
        return [], f"{RELAXED}: nothing has all the words, so any of them count"
    return hits, f"{len(hits)} with all the words first, then with any"


def _title(parsed: Parsed, filter: Filter, policy: Policy, store: Store, trace: Trace) -> Arm:
    since = perf_counter()
    if not parsed.content:
        trace.skipped("title", "no word to look for")
        return Arm("title", 0.0, ())
    query = TextQuery(
        any=words(parsed.content), must=parsed.text.must, never=parsed.text.never, field="title"
    )
    with trace.surviving("title"):
        hits = _by_document(store.search_text(query, filter, limit=policy.pool).hits)
        trace.ran("title", since, found=len(hits))
        return Arm("title", policy.title_weight, hits)
    return Arm("title", 0.0, ())


def _more(
    parsed: Parsed, more: Sequence[str], filter: Filter, policy: Policy, store: Store, trace: Trace
) -> Arm:
    """By the words of the question and of what answered it best so far."""
    since = perf_counter()
    asked = dict.fromkeys((*parsed.text.any, *words(more)))
    with trace.surviving("feedback"):
        query = parsed.text._replace(any=tuple(asked))
        hits = _by_document(store.search_text(query, filter, limit=policy.pool).hits)
        trace.ran("feedback", since, found=len(hits))
        return Arm("feedback", policy.feedback_weight, hits)
    return Arm("feedback", 0.0, ())


def _vector(
    parsed: Parsed, filter: Filter, policy: Policy, store: Store, embedder: Embedder, trace: Trace
) -> Arm:
    since = perf_counter()
    with trace.surviving("vector"):
        vector = embedder.embed_query(parsed.prose)
        trace.ran("embed", since)
        since = perf_counter()
        found = store.search_vector(embedder.key, vector, filter, limit=policy.pool)
        hits = found.hits
        if parsed.text.must or parsed.text.never:
            conditions = TextQuery(must=parsed.text.must, never=parsed.text.never)
            hits = _meeting_conditions(hits, conditions, store)
        notes = []
        if found.vectors < found.passages:
            share, lacking = found.vectors / found.passages, found.passages - found.vectors
            notes.append(f"{share:.0%} of the passages are embedded, {lacking} are not")
            trace.degraded.append(f"vector: {notes[0]}")
        weight = policy.vector_weight
        if not embedder.speaks(parsed.prose):
            weight = min(weight, policy.foreign_weight)
            name = embedder.key.partition("@")[0]
            notes.append(f"weighs less, for {name} has not learned this language")
        documents = _by_document(hits)
        trace.ran("vector", since, found=len(documents), reason="; ".join(notes))
        return Arm("vector", weight, documents, tuple(hits))
    return Arm("vector", 0.0, ())


def _meeting_conditions(hits: list[Hit], conditions: TextQuery, store: Store) -> list[Hit]:
    """A quoted phrase and an excluded word bind every arm, whatever it was found by."""
    kept = set()
    for stored in store.passages([hit.passage for hit in hits]):
        document, passage = stored.document, stored.passage
        row = index_passage(document.title, document.path, passage.heading, passage.text)
        if matches(conditions, row):
            kept.add(stored.key)
    return [hit for hit in hits if hit.passage in kept]


def _by_document(hits: list[Hit]) -> tuple[Hit, ...]:
    """The first, and so the best, hit of each document."""
    best: dict[int, Hit] = {}
    for hit in hits:
        best.setdefault(hit.document, hit)
    return tuple(best.values())
