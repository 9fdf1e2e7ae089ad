"""The arms: each finds passages its own way, under the same filter, before anything is scored."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from recollect import ports
from recollect.nouns import Arm, Hit, TextQuery, words
from recollect.ports import Embedder, VectorResult
from recollect.reading.pool import Pass, best_by_document, of_passages
from recollect.text.lexical import index_passage, matches
from recollect.trace import degrade, say, skip, stage, unreported

RELAXED = "relaxed"
"""How the reason begins where a question had to be."""


NO_WORDS, NO_TITLE = Arm("lexical", 0.0, ()), Arm("title", 0.0, ())
NO_VECTOR, NO_WINDOW = Arm("vector", 0.0, ()), Arm("window", 0.0, ())
"""Arms that did not run."""


@stage("lexical", otherwise=NO_WORDS)
def lexical(asked: Pass) -> Arm:
    """Returns passages with all the words that carry meaning first, then those with any (BM25)."""
    if asked.policy.by == "semantic":
        return skip("the search is semantic", NO_WORDS)
    parsed = asked.parsed
    queries = [parsed.text]
    if len(parsed.content) > 1:
        queries.insert(0, parsed.text._replace(any=words(parsed.content), strict=True))
    *strict, relaxed = asked.view.search_text(queries, asked.filter, limit=asked.policy.pool)
    every = tuple(chain.from_iterable(found.hits for found in (*strict, relaxed)))
    hits = _by_document(every)
    notes = [_all_the_words(len(found.hits)) for found in strict]
    if parsed.clipped:
        notes.append(f"{parsed.clipped} words beyond the first were left out")
    say("; ".join(notes), found=len(hits))
    return Arm("lexical", asked.policy.lexical_weight, hits, every, relaxed.idf)


def _all_the_words(count: int) -> str:
    if not count:
        return f"{RELAXED}: nothing has all the words, so any of them count"
    return f"{count} with all the words first, then with any"


@stage("title", otherwise=NO_TITLE)
def title(asked: Pass) -> Arm:
    """Returns documents whose title or path has words of the question."""
    if asked.policy.by == "semantic":
        return skip("the search is semantic", NO_TITLE)
    if not asked.parsed.content:
        return skip("no word to look for", NO_TITLE)
    text = asked.parsed.text
    titled = TextQuery(
        any=words(asked.parsed.content), must=text.must, never=text.never, field="title"
    )
    found = asked.view.search_text([titled], asked.filter, limit=asked.policy.pool)[0]
    hits = _by_document(found.hits)
    say(found=len(hits))
    return Arm("title", asked.policy.title_weight, hits)


@stage("vector", otherwise=NO_VECTOR)
def vector(asked: Pass) -> Arm:
    """Returns the passages that are nearest in meaning."""
    if asked.policy.by == "keyword":
        return skip("the search is by keyword", NO_VECTOR)
    embedder, note = _embedder(asked)
    if note:
        degrade("vector", note)
    if embedder is None:
        return skip(note or "no embedding model is in use", NO_VECTOR)
    found = _nearest(asked, embedder)
    documents = _by_document(found.hits)
    weight, notes = _weight(asked, embedder)
    say("; ".join([*_unembedded(found), *notes]), found=len(documents))
    return Arm("vector", weight, documents, tuple(found.hits), among=found.vectors)


def _embedder(asked: Pass) -> tuple[Embedder | None, str]:
    """Returns the embedder if it reads the question, and what is to be said of it."""
    embedder, note = asked.models.embedder, asked.models.embedder_note
    if embedder is None or embedder.reads(asked.parsed.prose):
        return embedder, note
    return None, f"{_name(embedder)} does not know this script"


def _nearest(asked: Pass, embedder: Embedder) -> VectorResult:
    """Returns the nearest passages that meet the conditions of the question: a quoted phrase and
    an excluded word bind every arm."""
    found, text = _looked_up(asked, embedder), asked.parsed.text
    found = found._replace(hits=found.hits[: asked.policy.pool])
    if not (text.must or text.never):
        return found
    conditions = TextQuery(must=text.must, never=text.never)
    return found._replace(hits=_meeting(found.hits, conditions, asked))


def _looked_up(asked: Pass, embedder: Embedder) -> VectorResult:
    """Returns the nearest passages, as many as a second, wider pass wants: to look farther takes
    little more, to look again takes all of it."""
    policy, key = asked.policy, (asked.parsed.prose, asked.filter)
    known = asked.lookups.nearest if asked.lookups else {}
    if key not in known:
        vector = _embedded(asked, embedder)
        limit = policy.pool * policy.wider if asked.lookups and policy.escalate else policy.pool
        known[key] = asked.view.search_vector(embedder.key, vector, asked.filter, limit=limit)
    return known[key]


def _embedded(asked: Pass, embedder: Embedder) -> ports.Vector:
    """Returns the vector of the question; what is held against sentences comes with it."""
    known, text = asked.lookups.vectors if asked.lookups else {}, asked.parsed.prose
    if text not in known:
        known[text] = _embed(embedder, text)
    return known[text].vector


@stage("embed")
def _embed(embedder: Embedder, text: str) -> ports.QuestionVectors:
    return ports.question_vectors(embedder, text)


def _unembedded(found: VectorResult) -> Sequence[str]:
    """Says how many passages have no vector yet, where some have none."""
    if found.vectors >= found.passages:
        return ()
    lacking = found.passages - found.vectors
    note = f"{lacking:,} of {found.passages:,} passages have no vector yet"
    degrade("vector", note)
    return (note,)


def _weight(asked: Pass, embedder: Embedder) -> tuple[float, Sequence[str]]:
    weight = asked.policy.vector_weight
    if embedder.speaks(asked.parsed.prose):
        return weight, ()
    note = f"weighs less, for {_name(embedder)} has not learned this language"
    return min(weight, asked.policy.foreign_weight), (note,)


def _name(embedder: Embedder) -> str:
    return embedder.key.partition("@")[0]


@stage("window", otherwise=NO_WINDOW)
def window(asked: Pass) -> Arm:
    """Returns what is from the time that the question names: by meaning if it may, else by
    words."""
    window, (embedder, _) = asked.window, _embedder(asked)
    if window is None:
        return unreported(NO_WINDOW)
    since, until = window.reach
    then = asked.filter._replace(since=since, until=until)
    hits: Sequence[Hit]
    if embedder is not None and asked.policy.by != "keyword":
        vector = _embedded(asked, embedder)
        hits = asked.view.search_vector(embedder.key, vector, then, limit=asked.policy.pool).hits
    else:
        hits = asked.view.search_text([asked.parsed.text], then, limit=asked.policy.pool)[0].hits
    found = _by_document(hits)
    say(f"“{window.said}” is {window.days}: what is from then counts for more", found=len(found))
    return Arm("window", asked.policy.window_weight, found)


def _meeting(hits: Sequence[Hit], conditions: TextQuery, asked: Pass) -> list[Hit]:
    """Returns the hits whose passages meet the conditions."""
    kept = set()
    for stored in asked.view.passages([hit.passage for hit in hits]):
        document, passage = stored.document, stored.passage
        row = index_passage(document.title, document.path, passage.heading, passage.text)
        if matches(conditions, row):
            kept.add(stored.key)
    return list(of_passages(hits, kept))


def together(one: Arm, other: Arm) -> Arm:
    """Returns an arm with what it found in two ways."""
    hits = _by_document((*one.hits, *other.hits))
    return one._replace(hits=hits, every=(*one.every, *other.every))


def _by_document(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    return tuple(best_by_document(hits).values())
