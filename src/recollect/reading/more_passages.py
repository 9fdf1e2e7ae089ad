"""Further passages of a document that is kept: only those that add something.

A session may answer half of a question in one turn and half in another. A further passage is
worth its tokens when it has words of the question that what is shown of its document lacks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from recollect.nouns import Candidate, Contribution, StoredPassage
from recollect.reading.pool import Pool
from recollect.text.lexical import indexed_text
from recollect.text.terms import terms

MOST = 2
"""Further passages of one document."""
LOOKED_AT = 4
ADDS = 0.2
"""The least share of the question, by its words' worth, that a further passage must add."""


def extended(kept: Sequence[Candidate], pool: Pool, room: int) -> tuple[Sequence[Candidate], Pool]:
    """Returns the candidates, each followed by further passages of its document that add to it,
    *room* of them at most; and the pool with the passages of these."""
    worth = pool.worth
    if not sum(worth.values()) or room < 1:
        return kept, pool
    others = {c.document: _others(c, pool) for c in kept}
    unread = [key for some in others.values() for key in some if key not in pool.passages]
    if unread:
        stored = pool.of.view.passages(unread)
        pool = pool._replace(passages={**pool.passages, **{p.key: p for p in stored}})
    made: list[Candidate] = []
    for candidate in kept:
        more = list(_adding(candidate, others[candidate.document], pool, worth))[:room]
        made += [candidate, *more]
        room -= len(more)
    return made, pool


def _others(candidate: Candidate, pool: Pool) -> list[int]:
    """Returns other passages of its document that were found, the best ones."""
    found = pool.others.get(candidate.document, ())
    return [key for key in found if key != candidate.passage][:LOOKED_AT]


def _adding(
    candidate: Candidate, keys: Sequence[int], pool: Pool, worth: Mapping[str, float]
) -> Iterator[Candidate]:
    """Yields those of the passages that have enough of the question that what is shown lacks."""
    lacking = dict(worth)
    total, added = sum(worth.values()), 0
    shown = _words(pool.stored(candidate)) if keys else set()
    for key in keys:
        lacking = {word: value for word, value in lacking.items() if word not in shown}
        there = _words(pool.passages[key]) if key in pool.passages else set()
        gain = sum(value for word, value in lacking.items() if word in there) / total
        if gain >= ADDS and added < MOST:
            part = Contribution("adds", 0, gain, 0.0, 0.0)
            yield candidate._replace(passage=key, contributions=(*candidate.contributions, part))
            shown, added = there, added + 1


def _words(stored: StoredPassage) -> set[str]:
    text = indexed_text("", stored.passage.heading, stored.passage.text)
    return set(terms(text).stem.split())
