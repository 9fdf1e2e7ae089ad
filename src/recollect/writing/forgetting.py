"""A document that is forgotten, with all that quotes it, in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from recollect.facts import FROM, KIND, from_document, handle, read_from
from recollect.nouns import Change, Document, DropAnswers, Forget
from recollect.ports import Store
from recollect.tree import KIND as PAGE
from recollect.tree import page_key, page_of
from recollect.writing import facts, prelude
from recollect.writing.curation import receipts


class Forgetting:
    """The changes that remove a document for good: itself, what receipts and the provenance of
    facts quote of it, and the recorded answers that are from it."""

    def __init__(self, store: Store, document: Document, answers: Sequence[str]) -> None:
        self._store = store
        self._document = document
        self._answers = answers
        self._quoting: set[str] = set()
        self.beside = facts.Beside(self._linked, self._rest)

    def work(self, plan: facts.FactPlan) -> Iterable[str]:
        """Takes the document out of the facts that were read from it."""
        document = self._document
        asked = [handle(document.owner, f"{FROM}{document.id}")]
        quoting = [from_document(held.document) for held in self._store.by_handle(asked)]
        plan.load(fact.id for fact in quoting)
        for fact in quoting:
            entries = tuple(
                entry._replace(quote="") if read_from(entry) == document.id else entry
                for entry in fact.provenance
            )
            if entries != fact.provenance and fact.key != document.id:
                plan.facts[fact.id] = fact._replace(provenance=entries)
        self._quoting = {fact.key for fact in quoting}
        return facts.forget(document.external)(plan) if document.kind == KIND else ()

    def _linked(self, _: Sequence[facts.FactChange]) -> Iterator[Change]:
        """A page: what links to it does no more."""
        if self._document.kind == PAGE:
            yield Forget(self._document.id)

    def _rest(self, changes: Sequence[Change]) -> Iterator[Change]:
        document = self._document
        gone = {document.id, *self._quoting}
        if document.kind == KIND:
            gone.add(page_key(document.owner, page_of(from_document(document))))
        if not any(isinstance(change, Forget) for change in changes):
            yield Forget(document.id)
        yield from receipts.forgotten(self._store, document.owner, gone)
        yield from prelude.forgotten(self._store, document.owner, {document.id})
        if self._answers:
            yield DropAnswers(tuple(self._answers))
