"""What could be tidied: proposals with reasons, and the command for each. Nothing is done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain, combinations
from typing import Any

from recollect.facts import Fact, FactFilter
from recollect.named_tuple import NamedTuple
from recollect.nouns import grouped
from recollect.ports import Store
from recollect.text.keys import keys
from recollect.text.pairs import Judge, relation
from recollect.tree import TopicPage, page_of
from recollect.writing.facts import every_fact
from recollect.writing.pages import pages_of

OLD = timedelta(days=365)
SHARED = 3
"""Keywords that two pages have in common from which on they may be related."""


class Proposal(NamedTuple):
    kind: str
    """``merge``, ``replace``, ``link`` or ``prune``."""
    text: str
    why: str
    command: str = ""
    """What does it."""

    def as_json(self) -> dict[str, Any]:
        return self._asdict()


def proposals(store: Store, owner: str, judge: Judge | None = None) -> list[Proposal]:
    facts = list(every_fact(store, owner))
    pages = pages_of(store, owner)
    return [*_merges(facts, owner, judge), *_links(pages), *_prunes(facts, pages, owner)]


def _merges(facts: list[Fact], owner: str, judge: Judge | None) -> Iterator[Proposal]:
    """Facts in force under one name or on one page that say the same, or cannot both hold."""
    for one, other in _pairs(facts, owner):
        same_key = not _keys(one).isdisjoint(_keys(other))
        verdict = relation(one.text, other.text, judge, same_name=same_key)
        if verdict.kind == "same":
            yield Proposal(
                "merge",
                f"“{one.text}” is there twice ({one.id}, {other.id})",
                verdict.why,
                f"recollect forget {other.id}",
            )
        elif verdict.kind == "changed":
            yield Proposal(
                "replace",
                f"“{other.text}” may replace “{one.text}”",
                verdict.why,
                f"recollect supersede {one.id} {other.id}",
            )


def _pairs(facts: list[Fact], owner: str) -> Iterable[tuple[Fact, Fact]]:
    """Returns the pairs of facts in force that share a name or a page and a scope."""
    asked = FactFilter(owner)
    held = (fact for fact in facts if not asked.out_of_force(fact))
    near = grouped((key, fact) for fact in held for key in {*_keys(fact), page_of(fact)})
    groups = (sorted(some[:100], key=lambda f: (f.start, f.id)) for some in near.values())
    pairs = chain.from_iterable(combinations(group, 2) for group in groups)
    found = {(one.id, other.id): (one, other) for one, other in pairs}
    return (pair for pair in found.values() if set(pair[0].scopes) & set(pair[1].scopes))


def _keys(fact: Fact) -> set[str]:
    return set(chain.from_iterable(map(keys, fact.names)))


def _links(pages: list[TopicPage]) -> Iterator[Proposal]:
    for one, other in combinations(pages, 2):
        shared = set(one.keywords) & set(other.keywords)
        linked = other.address in one.related or one.address in other.related
        if len(shared) >= SHARED and not linked:
            yield Proposal(
                "link",
                f"{one.address} and {other.address}",
                f"both are about {', '.join(sorted(shared)[:5])}",
            )


def _prunes(facts: list[Fact], pages: list[TopicPage], owner: str) -> Iterator[Proposal]:
    asked, now = FactFilter(owner), datetime.now(UTC)
    for fact in facts:
        gone = asked.out_of_force(fact)
        ended = fact.end or fact.resolved_at
        if gone in ("expired", "resolved") and ended is not None and ended < now - OLD:
            yield Proposal(
                "prune",
                f"“{fact.text}”",
                f"{gone} since {ended:%Y-%m-%d}",
                f"recollect forget {fact.id}",
            )
    used = set(map(page_of, facts))
    for page in pages:
        if page.address not in used and not page.notes and not page.snippets:
            yield Proposal(
                "prune", page.address, "no fact is on it any more", f"recollect forget {page.key}"
            )
