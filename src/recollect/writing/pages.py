"""What a write of facts does to pages, in the same transaction.

A page whose facts change is described anew, so that its summary never says what no longer holds;
and no page links to one that is not there. This is so for every write, whoever makes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, filterfalse
from operator import attrgetter

from recollect.facts import PAGE, Fact, from_document, handle
from recollect.nouns import Change, Expect, Filter, Forget, Put, Register, Remove, Source, index_by
from recollect.ports import Store, scanned
from recollect.tree import (
    KIND,
    LOOSE,
    SOURCE,
    TopicPage,
    as_put,
    describe,
    linked,
    page_key,
    page_of,
)
from recollect.tree import from_document as page_from

SCANNED = 1000


def pages_of(store: Store, owner: str, scopes: tuple[str, ...] | None = None) -> list[TopicPage]:
    """All pages of an owner, by address."""
    limits = Filter(owner=owner, scopes=scopes, sources=(SOURCE,), kinds=(KIND,))
    found = map(page_from, scanned(store, limits, size=SCANNED))
    return sorted(found, key=lambda page: page.address)


def page_at(store: Store, owner: str, address: str) -> TopicPage | None:
    """The page at this address, if it is stored."""
    found = store.get(page_key(owner, address))
    return page_from(found[0]) if found else None


def with_pages(
    store: Store,
    owner: str,
    facts: Mapping[str, tuple[Fact | None, Fact | None]],
    more: Sequence[Change],
) -> list[Change]:
    """The changes in *more*, with every page that they put, or that a changed fact is or was on,
    as it is after them. *facts* are those that change: before, and after."""
    given = _by_address(filter(None, map(_page_in, more)))
    others = list(filterfalse(_page_in, more))
    gone = {change.id for change in others if isinstance(change, Remove | Forget)}
    touched = set(given).union(*(map(page_of, filter(None, pair)) for pair in facts.values()))
    if given or gone:
        return [*others, *_relinked(store, owner, facts, given, gone, touched)]
    there = filter(None, (page_at(store, owner, address) for address in sorted(touched)))
    before = _by_address(there)
    after = [_described(store, page, facts) for page in before.values()]
    return [*others, *_puts(before, after)]


def _by_address(pages: Iterable[TopicPage]) -> dict[str, TopicPage]:
    return index_by(attrgetter("address"), pages)


def _after(facts: Mapping[str, tuple[Fact | None, Fact | None]]) -> Iterator[Fact]:
    """Yields the facts that change, as they are afterwards."""
    return filter(None, (after for _, after in facts.values()))


def _page_in(change: Change) -> TopicPage | None:
    if not isinstance(change, Put):
        return None
    document = change.document
    return page_from(document) if (document.kind, document.source) == (KIND, SOURCE) else None


def _relinked(
    store: Store,
    owner: str,
    facts: Mapping[str, tuple[Fact | None, Fact | None]],
    given: Mapping[str, TopicPage],
    gone: set[str],
    touched: set[str],
) -> list[Change]:
    """Writes all links anew, because the set of pages changes."""
    before = _by_address(pages_of(store, owner))
    there = {**before, **given}
    left = [page for page in there.values() if page.key not in gone]
    targets = set(chain.from_iterable(page.related for page in left)) - there.keys()
    some = [_described(store, p, facts) if p.address in touched else p for p in left]
    return _puts(before, linked(some, _with_facts(store, owner, facts, targets)))


def _with_facts(
    store: Store,
    owner: str,
    facts: Mapping[str, tuple[Fact | None, Fact | None]],
    addresses: Iterable[str],
) -> set[str]:
    """Which of these have facts, and so are pages, though nobody has written them."""
    handles = {handle(owner, f"{PAGE}{address}"): address for address in addresses}
    held = [h for h in store.by_handle(handles) if h.document.external not in facts]
    new = set(map(page_of, _after(facts)))
    return {handles[one.handle] for one in held} | new.intersection(handles.values())


def _described(
    store: Store, page: TopicPage, facts: Mapping[str, tuple[Fact | None, Fact | None]]
) -> TopicPage:
    if page.address.startswith(LOOSE):  # nothing follows from what is there by chance
        return page
    held = store.by_handle([handle(page.owner, f"{PAGE}{page.address}")])
    stored = [from_document(one.document) for one in held if one.document.external not in facts]
    new = [fact for fact in _after(facts) if fact.text and page_of(fact) == page.address]
    return describe(page, [*stored, *new])


def _puts(before: Mapping[str, TopicPage], after: Iterable[TopicPage]) -> list[Change]:
    changes: list[Change] = []
    for page in after:
        old = before.get(page.address)
        put = as_put(page)
        if old is None or page_from(put.document) != page_from(as_put(old).document):
            changes += (Expect(page.key, old.stamp if old else None), put)
    return [Register(Source(SOURCE, SOURCE)), *changes] if changes else []
