"""Decisions as changes: the text, the facts, their pages, the receipt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from recollect import tree
from recollect.facts import Fact
from recollect.nouns import Change, Put, Register, Source
from recollect.ports import Store
from recollect.text.chunk import passages
from recollect.writing.curation import receipts
from recollect.writing.curation.decide import Decision
from recollect.writing.curation.receipts import CurationReceipt, DocumentChange, ReceiptItem
from recollect.writing.curation.recon import is_text
from recollect.writing.curation.slots import (
    CurationWrite,
    Decisions,
    SourceText,
    TextState,
    document_of,
)
from recollect.writing.facts import Beside, Edit, FactChange, WrittenFacts, stored_fact

SAID_AGAIN = "said again"


class CurationPlan:
    """What a curation writes: the facts that are new, what becomes of others, and beside them the
    text, the pages that are new, and the receipt."""

    def __init__(self, store: Store, text: SourceText, decisions: Decisions) -> None:
        self._store = store
        self._text = text
        self._id = receipts.new_id(text.owner, text.about, text.now)
        self._items = tuple(map(_item, decisions.items))
        self._touched: tuple[DocumentChange, ...] = ()
        self._kept, self._put = _text_change(store, text)
        self.new = [_linked(decision) for decision in decisions.items if decision.kind != "same"]
        self.edits = dict(self._said_again(decisions.items))
        self.beside = Beside(self._more, self._seal)

    def done(self, written: WrittenFacts, *, dry_run: bool) -> CurationWrite:
        """What was written, or would be."""
        items = self._items
        if written.receipt.tombstoned and not dry_run:  # forgotten earlier, and stays so
            owner = self._text.owner
            there = {fact.id for fact in written.facts if stored_fact(self._store, owner, fact.id)}
            items = tuple(item for item in items if item.id in there or item.kind == "same")
        id = self._id if self._touched else ""
        return CurationWrite(id, items, self._touched, self._kept)

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

    def _said_again(self, items: Iterable[Decision]) -> Iterator[tuple[str, Edit]]:
        """Notes in the provenance of known facts where they were said again, once each place."""
        for decision in items:
            if decision.kind != "same":
                continue
            (said,) = decision.fact.provenance
            known = stored_fact(self._store, self._text.owner, decision.others[0])
            if known is None or any(
                (one.source, one.quote) == (said.source, said.quote) for one in known.provenance
            ):
                continue
            yield known.id, Edit(lambda fact: fact, SAID_AGAIN, said._replace(action=SAID_AGAIN))

    def _pages(self, changed: Sequence[FactChange]) -> Iterable[Change]:
        """The pages that the new facts are the first of."""
        wanted = {
            tree.page_of(pair.after): pair.after
            for pair in changed
            if pair.after is not None and pair.after.meta.get("page")
        }
        for address, fact in wanted.items():
            if not self._store.get(tree.page_key(self._text.owner, address)):
                page = tree.implied(address, [fact], self._text.owner)
                yield tree.as_put(page)


def _text_change(store: Store, text: SourceText) -> tuple[TextState, list[Change]]:
    """Returns what becomes of the text itself, which is kept whatever was read from it."""
    document = document_of(text)
    there = next(iter(store.get(document.id)), None)
    if not is_text(text.text):
        return "", []
    if there is not None and there.text == document.text:
        return "known", []
    if there is None and any(e.action == "forgotten" for e in store.history(document.id)):
        return "forgotten earlier", []
    put: list[Change] = [Register(Source(text.source)), Put(document, passages(document))]
    return "new" if there is None else "changed", put


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


def _item(decision: Decision) -> ReceiptItem:
    return ReceiptItem(
        decision.others[0] if decision.kind == "same" else decision.fact.id,
        decision.kind,
        decision.fact.text,
        decision.others,
        decision.why,
        "pending" if decision.for_review else None,
    )
