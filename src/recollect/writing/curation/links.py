"""Links between pages: by names that both have, and by meaning.

What it guarantees
- A page links only to pages that are there, at most to :data:`MOST`, and each of the two links to
  the other.
- A link that was made once and is gone was taken out by somebody, and is not made again
  (``meta["linked"]``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from recollect.facts import Fact
from recollect.tree import TopicPage
from recollect.writing.curation.group import is_name, spoken
from recollect.writing.curation.subjects import names

MOST = 5
SHARED, FEW = 0.34, 2
"""A name that more pages have than this share of them all, and more than a few, tells nothing."""
NEAR = 0.93
"""The least cosine of two pages that are about related things."""


class Library(Protocol):
    """The pages that are there."""

    def near(self, page: TopicPage) -> Mapping[str, float]:
        """Addresses of those that are nearest in meaning, with their cosines."""
        ...

    def naming(self, names: Sequence[str]) -> Sequence[Collection[str]]:
        """For each name, the addresses of those with a fact that says it."""
        ...


def linked(
    touched: Mapping[str, TopicPage],
    others: Mapping[str, TopicPage],
    facts: Mapping[str, Sequence[Fact]],
    library: Library,
) -> list[TopicPage]:
    """Returns the pages in *touched*, and those of the *others* that they are linked with now.
    *facts* are those that are new on each page."""
    pages = {**others, **touched}
    said = {address: _said(page, facts.get(address, ())) for address, page in pages.items()}
    changed = dict(touched)
    for address in sorted(touched):
        found = _related(touched[address], facts[address], said, library, len(pages))
        for target in [other for other in found if other in pages][:MOST]:
            for one, two in ((address, target), (target, address)):
                changed[one] = _with_link(changed.get(one, pages[one]), two)
    return list(changed.values())


def _said(page: TopicPage, facts: Iterable[Fact]) -> str:
    return spoken(". ".join((page.title, *(fact.text for fact in facts))))


def _related(
    page: TopicPage,
    facts: Sequence[Fact],
    said: Mapping[str, str],
    library: Library,
    pages: int,
) -> list[str]:
    """Addresses of the pages that share most names with a page, then of those near in meaning."""
    shared: Counter[str] = Counter()
    names = _names(page, facts)
    for key, there in zip(names, library.naming(list(names.values())), strict=True):
        having = {*there, *(other for other in said if key in said[other])} - {page.address}
        if len(having) <= max(FEW, SHARED * pages):
            shared.update(having)
    by_name = sorted(shared, key=lambda other: (-shared[other], other))
    near = library.near(page)
    alike = [other for other in near if near[other] >= NEAR and other != page.address]
    return [*dict.fromkeys([*by_name, *sorted(alike, key=lambda other: (-near[other], other))])]


def _names(page: TopicPage, facts: Sequence[Fact]) -> dict[str, str]:
    """What a page and its new facts name, by how it is compared."""
    said = [page.title, *(name for fact in facts for name in names(fact.text))]
    return {spoken(name): name for name in said if is_name(name)}


def _with_link(page: TopicPage, target: str) -> TopicPage:
    made = page.meta.get("linked", [])
    if target in made or target in page.related or len(page.related) >= 2 * MOST:
        return page
    return page._replace(
        related=(*page.related, target), meta={**page.meta, "linked": [*made, target]}
    )
