"""What quotes a document elsewhere, and has to be written anew when it is forgotten."""

from __future__ import annotations

from recollect.facts import FROM, KIND, as_put, from_document, handle, read_from
from recollect.nouns import Change, Document, Expect, stable_id
from recollect.ports import Store
from recollect.tree import page_key, page_of
from recollect.writing.curation import receipts


def unquoted(store: Store, document: Document) -> list[Change]:
    """Returns the changes that take a document, before it is forgotten, out of receipts and
    out of the provenance of facts that were read from it."""
    gone = {document.id}
    changes: list[Change] = []
    if document.kind == KIND:
        gone.add(page_key(document.owner, page_of(from_document(document))))
    for held in store.by_handle([handle(document.owner, f"{FROM}{document.id}")]):
        fact = from_document(held.document)
        entries = tuple(
            entry._replace(quote="") if read_from(entry) == document.id else entry
            for entry in fact.provenance
        )
        if entries != fact.provenance and fact.key != document.id:
            clean = fact._replace(provenance=entries, stamp=stable_id(fact.stamp, "unquoted"))
            changes += [Expect(fact.key, fact.stamp), as_put(clean)]
            gone.add(fact.key)
    return [*changes, *receipts.forgotten(store, document.owner, gone)]
