"""The same thing said several times, kept once.

What it guarantees
- Two facts are merged only when they are the same words in the same order, but for articles and
  fillers, or with the first words moved to the end: another number, date, negation, identifier or
  name is another word, and keeps them apart.
- Nothing is lost: what is kept cites every place that said it, and every merge is told with its
  reason.
- The order in which the facts are given makes no difference, and doing it again changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from recollect.named_tuple import NamedTuple
from recollect.nouns import group_by
from recollect.text.pairs import plain
from recollect.writing.curation.extract import Extracted

LONGEST = 200
"""Words of a statement whose order may be another: a longer one is a page."""


class Merged(NamedTuple):
    """A fact that was merged into another, and why."""

    fact: Extracted
    into: Extracted
    why: str


class Deduped(NamedTuple):
    kept: tuple[Extracted, ...]
    """By source and place in it."""
    merged: tuple[Merged, ...]


def dedup(facts: Iterable[Extracted]) -> Deduped:
    alike = group_by(lambda fact: _words(fact.statement), facts)
    kept: list[Extracted] = []
    merged: list[Merged] = []
    for some in alike.values():
        best, *others = sorted(set(some), key=_rank)
        cites = set(chain.from_iterable(fact.cites for fact in some)) - {best.cites[0]}
        best = best._replace(also=tuple(sorted(cites)))
        kept.append(best)
        merged += [Merged(other, best, _why(other, best)) for other in others]
    return Deduped(
        tuple(sorted(kept, key=place)), tuple(sorted(merged, key=lambda m: place(m.fact)))
    )


def _words(statement: str) -> tuple[str, ...]:
    """What a statement is compared by: of all that it may begin with, the first in order."""
    words = plain(statement)
    if not 0 < len(words) <= LONGEST:
        return ("", *statement.split())
    return min(words[n:] + words[:n] for n in range(len(words)))


def _rank(fact: Extracted) -> tuple[float, tuple[str, int, int, str]]:
    """The most certain first."""
    return -fact.confidence, place(fact)


def place(fact: Extracted) -> tuple[str, int, int, str]:
    """Returns where in the texts a fact was found, as an order of facts."""
    return fact.source, fact.start, fact.end, repr(fact)


def _why(fact: Extracted, kept: Extracted) -> str:
    same = fact.statement.split() == kept.statement.split()
    return "the same words" if same else "the same words but for fillers or their order"
