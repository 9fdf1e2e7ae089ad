"""Decisions into the store, in one transaction: the text, the facts, their pages, the receipt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect import tree
from recollect.facts import Fact
from recollect.nouns import Change, Put, Register, Source
from recollect.ports import Store
from recollect.text.chunk import passages
from recollect.writing.curation import receipts
from recollect.writing.curation.decide import Decision
from recollect.writing.curation.receipts import Item, Kept, Touched
from recollect.writing.curation.slots import Decisions, Done, Given, document_of
from recollect.writing.facts import Changed, Edit, FactWriter, Signed

SAID_AGAIN = "said again"


class Curator:
    """Writes what was decided, or only tells what it would write."""

    def __init__(self, store: Store, *, dry_run: bool) -> None:
        self._store = store
        self._dry_run = dry_run
        self.touched: tuple[Touched, ...] = ()
        self.items: tuple[Item, ...] = ()

    def write(self, given: Given, decisions: Decisions) -> Done:
        new = [_linked(decision) for decision in decisions.items if decision.kind != "same"]
        edits = dict(self._again(given, decisions.items))
        self.items = tuple(map(_item, decisions.items))
        writer = FactWriter(self._store, given.owner)
        signed = Signed(given.now, given.by, channel=given.channel)
        id = receipts.new_id(given.owner, given.about, given.now)

        def more(changed: Sequence[Changed]) -> Iterable[Change]:
            return [*_text(given), *self._pages(given, changed)] if changed else ()

        def seal(changes: Sequence[Change]) -> Iterable[Change]:
            self.touched = tuple(receipts.touched(self._store, changes))
            kept = Kept(id, given.owner, given.now, given.about, self._told(), self.touched)
            return receipts.as_changes(kept) if self.touched else ()

        done = writer.edit(new, edits, signed, dry_run=self._dry_run, more=more, seal=seal)
        if done.receipt.tombstoned and not self._dry_run:  # forgotten earlier, and stays so
            there = {fact.id for fact in done.facts if writer.get(fact.id)}
            self.items = tuple(i for i in self.items if i.id in there or i.kind == "same")
        return Done(id if self.touched else "", len(self.touched))

    def _told(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.kind != "same")

    def _again(self, given: Given, items: Iterable[Decision]) -> Iterable[tuple[str, Edit]]:
        """Of what is known already, where it was said again; once for each place."""
        writer = FactWriter(self._store, given.owner)
        for decision in items:
            if decision.kind != "same":
                continue
            (said,) = decision.fact.provenance
            known = writer.get(decision.others[0])
            if known is None or any(
                (one.source, one.quote) == (said.source, said.quote) for one in known.provenance
            ):
                continue
            yield known.id, Edit(lambda fact: fact, SAID_AGAIN, said._replace(action=SAID_AGAIN))

    def _pages(self, given: Given, changed: Sequence[Changed]) -> Iterable[Change]:
        """The pages that the new facts are the first of."""
        wanted = {
            tree.page_of(pair.after): pair.after
            for pair in changed
            if pair.after is not None and pair.after.meta.get("page")
        }
        for address, fact in wanted.items():
            if not self._store.get(tree.page_key(given.owner, address)):
                page = tree.implied(address, [fact], given.owner)
                yield tree.as_put(page)


def _text(given: Given) -> list[Change]:
    document = document_of(given)
    return [Register(Source(given.source)), Put(document, passages(document))]


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


def _item(decision: Decision) -> Item:
    return Item(
        decision.others[0] if decision.kind == "same" else decision.fact.id,
        decision.kind,
        decision.fact.text,
        decision.others,
        decision.why,
        "pending" if decision.for_review else None,
    )
