"""What is on record of the statements that are shown: facts that were read from them, and what took
the place of those.

A text stays as it was written. Where a fact that was read from it was replaced since, its statement
holds no longer either, and what the other fact was read from is told in its place; the fact itself
where that may not be seen. What nobody but a model has found to be replaced has to look like it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from recollect.facts import SUPERSEDED_BY, Fact, read_from
from recollect.named_tuple import NamedTuple
from recollect.nouns import Candidate, Stretch
from recollect.reading.named import Facts
from recollect.reading.pool import Pool, by_document
from recollect.reading.statement import SHARED, Statement
from recollect.text.questions.parse import words_of
from recollect.text.statements.quotes import place_of
from recollect.text.statements.turning import ends

LIKE = 8
"""Passages with the words of a fact that it may have been read from."""


class Turn(NamedTuple):
    """A statement that holds no longer, and what is in force in its place."""

    said: Statement
    heir: Statement


def turns(
    candidates: Sequence[Candidate],
    stretches: Mapping[int, Sequence[Stretch]],
    pool: Pool,
    facts: Facts,
) -> list[Turn]:
    """Returns what is shown and was replaced, by the facts that were met when it was looked for."""
    found: list[Turn] = []
    asked = frozenset(pool.of.parsed.content)
    for fact in tuple(facts.replaced.values()):  # to look for an heir may meet more
        said = list(_shown(fact, candidates, stretches, pool))
        heirs = [one for one in facts.in_force(fact) if one.id != fact.id] if said else []
        heir = next(filter(None, (_statement(one, pool) for one in heirs)), None)
        if heir is None:
            continue
        sure = _by_hand(fact)
        found += [Turn(one, heir) for one in said if sure or _bears_out(heir, one, asked)]
    return [turn for turn in found if turn.heir.stretch != turn.said.stretch]


def _by_hand(fact: Fact) -> bool:
    """Whether somebody said what took the place of a fact: what people do has no channel."""
    links = [one for one in fact.provenance if one.action.startswith(SUPERSEDED_BY)]
    return bool(links) and not links[-1].channel


def _bears_out(one: Statement, said: Statement, asked: frozenset[str]) -> bool:
    """Whether a statement looks as if it took the place of what was said: it says that something is
    otherwise, or has half of its words and all that it has of the question's. What a model has
    found of the two may be wrong."""
    both, least = one.words & said.words, min(len(one.words), len(said.words))
    return ends(one.text) or (len(both) >= max(1, SHARED * least) and asked & said.words <= both)


def _shown(
    fact: Fact,
    candidates: Sequence[Candidate],
    stretches: Mapping[int, Sequence[Stretch]],
    pool: Pool,
) -> Iterator[Statement]:
    """Yields the statements among what is shown that a fact was read from."""
    quotes = _quotes(fact)
    for one in candidates:
        for part in stretches.get(one.document, ()):
            stored = pool.passages[part.passage]
            for quote in quotes.get(stored.document.id, ()):
                at = place_of(quote, stored.passage.text)
                if at and part.start < at[1] and at[0] < part.end:
                    yield Statement(one, stored, *at)


def _statement(fact: Fact, pool: Pool) -> Statement | None:
    """Returns what a fact was read from, or the fact; None where neither may be seen."""
    view, quotes = pool.of.view, _quotes(fact)
    hits = view.search_text([words_of(fact.text)], pool.of.filter, limit=LIKE)[0].hits
    graded, itself = by_document(pool.best), None
    for hit, stored in zip(hits, view.passages([hit.passage for hit in hits]), strict=False):
        if hit.passage != stored.key or not pool.of.shows(stored):
            continue
        text = stored.passage.text
        candidate = graded.get(hit.document) or Candidate(hit.document, hit.passage, 0.0, ())
        for quote in quotes.get(stored.document.id, ()):
            if at := place_of(quote, text):
                return Statement(candidate, stored, *at)
        if stored.document.id == fact.key:
            itself = Statement(candidate, stored, 0, len(text))
    return itself


def _quotes(fact: Fact) -> dict[str, list[str]]:
    """Returns the words that a fact was read from, by the ids of the documents that have them."""
    found: dict[str, list[str]] = {}
    for entry in fact.provenance:
        if entry.source and entry.quote:
            found.setdefault(read_from(entry), []).append(entry.quote)
    return found
