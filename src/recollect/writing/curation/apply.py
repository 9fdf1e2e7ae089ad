"""Decisions as changes: the text, the facts, their pages, the receipt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property, partial
from operator import attrgetter

from recollect import tree
from recollect.facts import FROM, PAGE, Fact, ProvenanceEntry, from_document, handle, read_from
from recollect.facts import KIND as FACT
from recollect.nouns import Change, Filter, Put, Register, Source, group_by, index_by, partition
from recollect.ports import PairModel, Store
from recollect.text.chunk import passages
from recollect.text.lexical import indexed_text
from recollect.text.questions.parse import words_of
from recollect.writing.curation import receipts
from recollect.writing.curation.decide import Decision
from recollect.writing.curation.group import OVERVIEW, KnownPage, spoken
from recollect.writing.curation.links import linked
from recollect.writing.curation.receipts import CurationReceipt, DocumentChange, ReceiptItem
from recollect.writing.curation.recon import is_text
from recollect.writing.curation.slots import (
    CurationWrite,
    Decisions,
    SourceText,
    TextState,
    document_of,
)
from recollect.writing.facts import Beside, Edit, FactChange, is_forgotten, stored_fact
from recollect.writing.pages import page_at, pages_of

SAID_AGAIN, NOT_SAID = "said again", "no longer said"
NEAR, NAMING = 8, 20
"""Pages that are looked at because they are near in meaning; facts, because they say a name."""


class StoredPages:
    """The pages that a text's facts may go on: those that the same people may see."""

    def __init__(self, store: Store, text: SourceText, pairs: PairModel | None = None) -> None:
        self._store = store
        self._pairs = pairs
        self._owner = text.owner
        self._scopes = tuple(sorted(text.scopes))

    @cached_property
    def all(self) -> Sequence[tree.TopicPage]:
        found = pages_of(self._store, self._owner)
        return [page for page in found if tree.is_about(page) and page.scopes == self._scopes]

    def by_address(self) -> dict[str, tree.TopicPage]:
        return index_by(attrgetter("address"), self.all)

    def pages(self) -> Sequence[KnownPage]:
        return [KnownPage(page.address, page.title) for page in self.all]

    def texts(self, address: str) -> Sequence[str]:
        return [fact.text for fact in self.facts(address)]

    def facts(self, address: str) -> list[Fact]:
        held = self._store.by_handle([handle(self._owner, f"{PAGE}{address}")])
        return [from_document(one.document) for one in held]

    def naming(self, names: Sequence[str]) -> list[set[str]]:
        """For each name, the addresses of the pages with a fact that says it."""
        limits = Filter(owner=self._owner, scopes=self._scopes, kinds=(FACT,))
        queries = list(map(words_of, names))
        arms = self._store.search_text(queries, limits, limit=NAMING) if names else ()
        found = []
        for name, arm in zip(names, arms, strict=True):
            stored = self._store.passages([hit.passage for hit in arm.hits])
            having = [one for one in stored if spoken(name) in spoken(one.passage.text)]
            found.append({tree.page_of(from_document(one.document)) for one in having})
        return found

    def near(self, page: tree.TopicPage) -> dict[str, float]:
        """Addresses of the pages that are nearest in meaning to a new one, with their cosines."""
        known = self.by_address()
        if (pairs := self._pairs) is None or not known or page.address in known:
            return {}  # it was compared when it was made
        limits = Filter(owner=self._owner, scopes=self._scopes, kinds=(tree.KIND,))
        (first, *_) = tree.as_put(page).passages
        (vector,) = pairs.vectors([indexed_text(page.title, first.heading, first.text)])
        hits = self._store.search_vector(pairs.encoder, vector, limits, limit=NEAR).hits
        score = {hit.passage: hit.score for hit in hits}
        found = self._store.passages(list(score))
        return {one.document.external: score[one.key] for one in found}


class CurationPlan:
    """What a curation writes: the facts that are new, what becomes of others, and beside them the
    text, the pages that are new, and the receipt."""

    def __init__(
        self,
        store: Store,
        text: SourceText,
        decisions: Decisions,
        pairs: PairModel | None = None,
    ) -> None:
        self._store = store
        self._text = text
        self._titles = decisions.titles
        self._shelf = StoredPages(store, text, pairs)
        self._id = receipts.new_id(text.owner, text.about, text.now)
        self._touched: tuple[DocumentChange, ...] = ()
        self._kept, self._put = _text_change(store, text)
        again, new = partition(lambda decision: decision.kind == "same", decisions.items)
        self.new = list(map(_linked, new))
        gone = [] if decisions.unread else list(self._gone(decisions.items))
        self._items = (*map(_item, decisions.items), *map(_ended_item, gone))
        self.edits = {
            **dict(self._moved()),
            **{fact.id: self._ended(fact) for fact in gone},
            **dict(self._said_again(again)),
        }
        self.beside = Beside(self._more, self._seal)

    def done(self) -> CurationWrite:
        """What was written, or would be."""
        id = self._id if self._touched else ""
        return CurationWrite(id, self._items, self._touched, self._kept)

    def _more(self, changed: Sequence[FactChange]) -> Iterable[Change]:
        return [*self._put, *self._pages(changed)]

    def _seal(self, changes: Sequence[Change]) -> Iterable[Change]:
        text = self._text
        self._touched = tuple(receipts.touched(self._store, changes))
        told = tuple(item for item in self._items if item.kind != "same")
        shared = set(text.scopes).intersection(*(one.document.scopes for one in self._touched))
        kept = CurationReceipt(
            self._id,
            text.owner,
            text.now,
            text.about,
            told,
            self._touched,
            scopes=tuple(sorted(shared or text.scopes)),
        )
        return receipts.as_changes(kept) if self._touched else ()

    def _said_again(self, again: Iterable[Decision]) -> Iterator[tuple[str, Edit]]:
        """Notes in the provenance of known facts where they were said again, once each place. One
        that ended because its text no longer said it holds again."""
        for decision in again:
            (said,) = decision.fact.provenance
            known = stored_fact(self._store, self._text.owner, decision.others[0])
            if known is None:
                continue
            entry = said._replace(action=SAID_AGAIN)
            if _is_back(known, decision.fact):
                yield known.id, Edit(partial(_until, at=decision.fact.valid_to), entry=entry)
            elif not any(
                (one.source, one.quote) == (said.source, said.quote) for one in known.provenance
            ):
                yield known.id, Edit(lambda fact: fact, entry=entry)

    def _gone(self, decisions: Sequence[Decision]) -> Iterator[Fact]:
        """Yields the facts that were read from an earlier version of the text alone, and that this
        one no longer says, unless something else was decided of them."""
        if self._kept not in ("changed", "known"):
            return
        document = document_of(self._text).id
        told = " ".join(self._text.text.split())
        decided = {id for one in decisions if one.kind != "refines" for id in one.others}
        for held in self._store.by_handle([handle(self._text.owner, f"{FROM}{document}")]):
            fact = from_document(held.document)
            ended = fact.end or fact.resolved_at
            holds = ended is None or ended > self._text.now
            if holds and fact.id not in decided and _rests_on(fact, document, told):
                yield fact

    def _ended(self, fact: Fact) -> Edit:
        """Ends a fact when this version of the text was written, if it is later than the fact."""
        text = self._text
        end = text.said_at if text.said_at > fact.start else text.now
        source = document_of(text).id
        entry = ProvenanceEntry(text.now, NOT_SAID, text.by, "", source, text.channel)
        return Edit(partial(_until, at=end), entry=entry)

    def _moved(self) -> Iterator[tuple[str, Edit]]:
        """What is on the page of a subject, and belongs on a page that is made now."""
        there = self._shelf.by_address()
        made = {tree.page_of(fact) for fact in self.new if fact.meta.get("page")} - there.keys()
        for address in sorted(made & set(self._titles)):
            overview = f"{address.partition('/')[0]}/{OVERVIEW}"
            key = spoken(self._titles[address])
            for fact in self._shelf.facts(overview) if overview in there else ():
                if key in spoken(fact.text):
                    yield fact.id, Edit(partial(tree.on_page, address=address), f"filed: {address}")

    def _pages(self, changed: Sequence[FactChange]) -> Iterable[Change]:
        """The pages that the facts are on, and those that they are linked with, as far as new."""
        after = [pair.after for pair in changed if pair.after and pair.after.meta.get("page")]
        on = group_by(tree.page_of, after)
        pages = {address: self._page(address, some) for address, some in on.items()}
        others = self._shelf.by_address()
        for page in linked(pages, others, on, self._shelf):
            if page != others.get(page.address):
                yield tree.as_put(page)

    def _page(self, address: str, facts: Sequence[Fact]) -> tree.TopicPage:
        """The page as it is stored, or a new one of these facts."""
        owner = self._text.owner
        title = self._titles.get(address, "")
        return page_at(self._store, owner, address) or tree.implied(address, facts, owner, title)


def _text_change(store: Store, text: SourceText) -> tuple[TextState, list[Change]]:
    """Returns what becomes of the text itself, which is kept whatever was read from it."""
    document = document_of(text)
    there = next(iter(store.get(document.id)), None)
    if not is_text(text.text):
        return "", []
    if there is not None and there.text == document.text:
        return "known", []
    if there is None and is_forgotten(store, document.id):
        return "forgotten earlier", []
    if there is not None:
        said = {name: getattr(document, name) for name in ("text", "title", "date", "scopes")}
        document = there._replace(**said)
        return "changed", [Put(document, passages(document))]
    return "new", [Register(Source(text.source)), Put(document, passages(document))]


def _linked(decision: Decision) -> Fact:
    """The fact with what was decided of it."""
    fact, others = decision.fact, decision.others
    (said,) = fact.provenance
    fact = fact._replace(provenance=(said._replace(action=decision.kind, why=decision.why),))
    if decision.kind == "supersedes":
        return fact._replace(supersedes=others)
    if decision.kind == "superseded":
        return fact._replace(superseded_by=others)
    if decision.kind in ("contradicts", "refines"):
        return fact._replace(meta={**fact.meta, decision.kind: list(others)})
    return fact


def _until(fact: Fact, at: datetime | None) -> Fact:
    return fact._replace(valid_to=at)


def _rests_on(fact: Fact, document: str, told: str) -> bool:
    """Whether a fact was read from a document alone, which no longer has the words, and nobody has
    pinned or changed it since: what people do has no channel."""
    read = [one for one in fact.provenance if one.source]
    own = all(read_from(one) == document for one in read) and all(
        one.channel for one in fact.provenance
    )
    quotes = [" ".join(one.quote.split()) for one in read if one.action != NOT_SAID]
    return own and not fact.pinned and all(quote and quote not in told for quote in quotes)


def _is_back(known: Fact, again: Fact) -> bool:
    """Whether a fact that ended because its text no longer said it is said by it again, or by
    another text that was written later."""
    last, (said,) = known.provenance[-1], again.provenance
    if last.action != NOT_SAID or known.valid_to is None:
        return False
    return read_from(said) == read_from(last) or again.created_at > known.valid_to


def _ended_item(fact: Fact) -> ReceiptItem:
    return ReceiptItem(fact.id, "ended", fact.text, why="the text no longer says it")


def _item(decision: Decision) -> ReceiptItem:
    return ReceiptItem(
        decision.others[0] if decision.kind == "same" else decision.fact.id,
        decision.kind,
        decision.fact.text,
        decision.others,
        decision.why,
        "pending" if decision.for_review else None,
    )
