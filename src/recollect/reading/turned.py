"""Facts whose values changed: what a named fact replaced, and what says otherwise in force.

What was replaced, or was over when the other began to hold, is told under the fact with the time
until which it held. A rival that nobody has settled is returned beside it, the later first: what
was found to say otherwise when it was written, or says so in the same words. Of facts that are
found by what they say it is told as well. No model is asked, for a fact is read many times. Only
what may be seen is told, whatever its time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cmp_to_key
from itertools import chain

from recollect.facts import KIND, Fact, from_document
from recollect.named_tuple import NamedTuple
from recollect.nouns import Earlier, Filter, Result, by_id
from recollect.ports import Store
from recollect.reading.answering import replacing
from recollect.reading.fact_results import fact_result, named_result
from recollect.reading.named import Facts, Mention
from recollect.text import pairs
from recollect.text.keys import keys
from recollect.text.questions.parse import words_of

MOST = 3
"""Facts of the past that are told with one that holds."""
COMPARED = 10
"""Named facts, the first ones, of which other times are told: a name may stand for a thousand."""
LIKE = 8
"""Facts that share words with a named one, and are compared with it."""
PAST = ("superseded", "expired")


class Told(NamedTuple):
    """The facts that a question names, with what is to be told of other times."""

    results: tuple[Result, ...]
    disputed: tuple[tuple[str, str], ...] = ()
    """Pairs of facts that say otherwise of the same thing, by title or by what they say where that
    is the same, the later first."""

    @property
    def hints(self) -> tuple[str, ...]:
        return tuple(f"“{one}” says otherwise than “{other}”" for one, other in self.disputed)


def told(mentions: Sequence[Mention], facts: Facts, view: Store) -> Told:
    """Returns the named facts as results, each with its rivals and what it replaced."""
    compared = {mention.fact.id: mention for mention in mentions[:COMPARED]}
    results: dict[str, Result] = {}
    disputed: list[tuple[str, str]] = []
    limits = Filter(owner=facts.asked.owner, scopes=facts.asked.scopes)
    for mention in compared.values():
        if mention.fact.id in results:
            continue
        rivals = [r for r in _rivals(mention.fact, facts, view, limits) if r.id not in results]
        line = sorted([mention.fact, *rivals], key=_AGE, reverse=True)
        sure = named_result(mention).confidence
        for fact in line:
            also = compared.get(fact.id)
            one = named_result(also) if also else fact_result(fact, sure, "rival")
            earlier = list(_earlier(fact, facts))[:MOST] if also else []
            results[fact.id] = replacing(one, earlier)
        disputed += [_told_apart(*_later_first(mention.fact, rival)) for rival in rivals]
    rest = [m for m in mentions[COMPARED:] if m.fact.id not in results]
    return Told((*results.values(), *map(named_result, rest)), tuple(disputed))


def beside(results: Sequence[Result], facts: Facts, view: Store, limits: Filter) -> Told:
    """Returns results with the later of two facts that say otherwise before the earlier, and as
    sure, also where only the earlier is among them. Rivals are looked for within the limits."""
    ids = [result.document for result in results if result.kind == KIND][:MOST]
    pairs: dict[frozenset[str], tuple[Fact, Fact]] = {}
    for fact in filter(None, map(facts.get, ids)):
        for rival in _rivals(fact, facts, view, limits):
            pairs[frozenset((fact.id, rival.id))] = _later_first(fact, rival)
    for later, earlier in pairs.values():
        results = _ahead(results, later, earlier)
    return Told(tuple(results), tuple(_told_apart(*pair) for pair in pairs.values()))


def _ahead(results: Sequence[Result], later: Fact, earlier: Fact) -> Sequence[Result]:
    """Returns the results with a fact before another one, where that is among them."""
    at = {result.document: n for n, result in enumerate(results)}
    end = len(results)
    place = at.get(earlier.id, end)
    if place == end or at.get(later.id, end) < place:
        return results
    sure = results[place].confidence
    moved = results[at[later.id]] if later.id in at else fact_result(later, sure, "rival")
    moved = moved._replace(confidence=max(sure, moved.confidence))
    rest = [result for result in results if result.document != later.id]
    return [*rest[:place], moved, *rest[place:]]


def latest(facts: Iterable[Fact]) -> dict[str, list[Fact]]:
    """Returns the ids of facts, each with the earlier ones that it was found to disagree with; the
    ids of those are not among them."""
    found: dict[str, list[Fact]] = {}
    left = sorted(facts, key=_AGE, reverse=True)
    while left:
        fact, *left = left
        found[fact.id] = [other for other in left if _is_recorded(fact, other)]
        left = [other for other in left if other not in found[fact.id]]
    return found


def _compared(one: Fact, other: Fact) -> int:
    """Compares when two facts begin to hold, where both say it, else when they were written: a day
    that is past may be given to what is new."""
    mine, its = one.created_at, other.created_at
    if one.valid_from and other.valid_from:
        mine, its = one.valid_from, other.valid_from
    return (mine > its) - (mine < its)


_AGE = cmp_to_key(_compared)


def _later_first(one: Fact, other: Fact) -> tuple[Fact, Fact]:
    return (one, other) if _compared(one, other) >= 0 else (other, one)


def _told_apart(one: Fact, other: Fact) -> tuple[str, str]:
    return (one.text, other.text) if one.title == other.title else (one.title, other.title)


def _earlier(fact: Fact, facts: Facts) -> Iterator[Earlier]:
    """Yields what held before, last first."""
    found: dict[str, Fact] = {}
    waiting = [fact]
    while waiting:
        for id in waiting.pop().supersedes:
            other = facts.get(id)
            if other is not None and id not in found:
                found[id] = other
                waiting.append(other)
    called = chain.from_iterable(facts.held(keys(name)) for name in fact.names)
    found |= by_id(other for _, other in called if _ends_by(other, fact))
    past = [one for one in found.values() if one.id != fact.id and may_be_told(one, facts)]
    for one in sorted(past, key=lambda one: one.start, reverse=True):
        until = one.end or fact.start
        yield Earlier(f"{one.key}:0", one.id, one.title, one.text, one.start, until, "record")


def _ends_by(one: Fact, fact: Fact) -> bool:
    """Whether it was over when the fact began to hold."""
    return one.end is not None and one.end <= fact.start


def may_be_told(one: Fact, facts: Facts) -> bool:
    """Whether nothing but its time hides a fact."""
    return bool(one.text) and facts.asked.hides(one) in PAST


def _rivals(fact: Fact, facts: Facts, view: Store, limits: Filter) -> Iterator[Fact]:
    """Yields the facts in force within the limits that say otherwise than this one."""
    limits = limits._replace(kinds=(KIND,))
    query = words_of(fact.text)
    hits = view.search_text([query], limits, limit=LIKE)[0].hits if query.any else []
    known = set(chain.from_iterable(map(keys, fact.names)))
    for stored in view.passages([hit.passage for hit in hits]):
        other = from_document(stored.document, stored.passage.text)
        if other.id == fact.id or facts.asked.hides(other) or other.id in fact.supersedes:
            continue
        same = not known.isdisjoint(chain.from_iterable(map(keys, other.names)))
        if _is_recorded(fact, other) or _is_said(fact, other, same_name=same):
            yield other


def _is_recorded(one: Fact, other: Fact) -> bool:
    both = (one, other), (other, one)
    return any(a.disputes and b.mark in a.disputes for a, b in both)  # a mark is a hash


def _is_said(one: Fact, other: Fact, *, same_name: bool) -> bool:
    """Whether one says the other with another value."""
    newer, older = _later_first(one, other)
    return pairs.relation(older.text, newer.text, None, same_name=same_name).kind == "changed"
