"""What a curation did, kept so that it can be looked at, taken back in part, or undone.

A receipt is a document of the kind ``receipt`` without passages, so that no search finds it. It
holds every document that the curation changed, as it was before and as it was after. Undoing puts
back what was there, byte for byte, unless somebody changed it since. What was forgotten stays
forgotten, and the receipts forget it too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from recollect import tree
from recollect.errors import NotFound, UsageError
from recollect.facts import KIND as FACT
from recollect.facts import Fact, ProvenanceEntry, as_put, from_document, handle
from recollect.moments import from_iso, iso
from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    UNIVERSAL,
    Change,
    Document,
    Expect,
    Filter,
    Put,
    Register,
    Remove,
    Source,
    attributes,
    filled,
    json_list,
    of_type,
    stable_id,
)
from recollect.ports import Store
from recollect.text.chunk import passages
from recollect.writing.facts import stored_fact

KIND = "receipt"
SOURCE = "curation"
TOUCHES, REVIEW = "!touches ", "!review"
Verdict = Literal["pending", "accepted", "rejected"]


class DocumentChange(NamedTuple):
    """A document before a curation and after it; None where it was not there."""

    before: Document | None
    after: Document | None

    @property
    def document(self) -> Document:
        found = self.after or self.before
        assert found is not None
        return found

    @property
    def id(self) -> str:
        return self.document.id


class ReceiptItem(NamedTuple):
    """The decision about one fact."""

    id: str
    kind: str
    text: str
    others: tuple[str, ...] = ()
    why: str = ""
    verdict: Verdict | None = None
    """None where nobody has to look at it."""

    def as_json(self) -> dict[str, Any]:
        return {**self._asdict(), "others": list(self.others)}


class CurationReceipt(NamedTuple):
    """The stored receipt of a curation."""

    id: str
    owner: str
    at: datetime
    about: str
    """What was curated."""
    items: tuple[ReceiptItem, ...]
    touched: tuple[DocumentChange, ...]
    undone: datetime | None = None
    scopes: tuple[str, ...] = (UNIVERSAL,)
    """Where it is seen: it quotes what was touched, so that it is in no scope which that is not
    in."""

    @property
    def pending(self) -> tuple[ReceiptItem, ...]:
        return tuple(item for item in self.items if item.verdict == "pending")

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "at": iso(self.at),
            "about": self.about,
            "items": json_list(self.items),
            "changed": len(self.touched),
            "undone": iso(self.undone),
        }


# ------------------------------------------------------------------ as a document


def new_id(owner: str, about: str, at: datetime) -> str:
    return stable_id(KIND, owner, about, at.isoformat())


def key_of(kept: CurationReceipt) -> str:
    return stable_id(kept.owner, SOURCE, "", kept.id)


def as_changes(kept: CurationReceipt) -> list[Change]:
    meta = {
        "items": json_list(kept.items),
        "touched": [[_written(one.before), _written(one.after)] for one in kept.touched],
        "undone": iso(kept.undone),
    }
    document = Document(
        external=kept.id,
        source=SOURCE,
        kind=KIND,
        title=kept.about,
        date=kept.at,
        owner=kept.owner,
        scopes=kept.scopes,
        meta=meta,
    )
    names = [f"{TOUCHES}{one.id}" for one in kept.touched]
    if kept.pending and kept.undone is None:
        names.append(REVIEW)
    handles = tuple(handle(kept.owner, name) for name in dict.fromkeys(names))
    return [Register(Source(SOURCE, SOURCE)), Put(document, (), handles)]


def from_receipt(document: Document) -> CurationReceipt:
    meta = document.meta
    return CurationReceipt(
        id=document.external,
        owner=document.owner,
        at=document.date or datetime.now(UTC),
        about=document.title,
        items=tuple(
            ReceiptItem(**{**one, "others": tuple(one["others"])}) for one in meta["items"]
        ),
        touched=tuple(
            DocumentChange(_read(before), _read(after)) for before, after in meta["touched"]
        ),
        undone=from_iso(meta.get("undone")),
        scopes=document.scopes,
    )


_TEXTS = ("external", "source", "text", "kind", "title", "path", "owner", "origin", "stamp")


def _written(document: Document | None) -> dict[str, Any] | None:
    if document is None:
        return None
    texts = attributes(document, _TEXTS)
    more = {"scopes": list(document.scopes), "date": iso(document.date), "meta": document.meta}
    return filled({**texts, **more})


def _read(written: Mapping[str, Any] | None) -> Document | None:
    if written is None:
        return None
    return Document(
        **{name: written.get(name, "") for name in _TEXTS},
        scopes=tuple(written.get("scopes", ())),
        date=from_iso(written.get("date")),
        meta=written.get("meta", {}),
    )


def put_again(document: Document) -> Put:
    """The document as it was put first, with its passages and handles."""
    if document.kind == FACT:
        return as_put(from_document(document))
    if document.kind == tree.KIND and document.source == tree.SOURCE:
        return tree.as_put(tree.from_document(document))._replace(document=document)
    return Put(document, passages(document))


def touched(store: Store, changes: Iterable[Change]) -> Iterator[DocumentChange]:
    """What the changes do to the documents that they put."""
    for put in of_type(changes, Put):
        before = next(iter(store.get(put.document.id)), None)
        if before != put.document:
            yield DocumentChange(before, put.document)


# ------------------------------------------------------------------ looking


def receipts(store: Store, owner: str, *, limit: int = 20) -> list[CurationReceipt]:
    """Of this owner, newest first."""
    limits = Filter(owner=owner, sources=(SOURCE,), kinds=(KIND,))
    some = (store.get(document.id) for document in store.scan(limits, limit=limit).items)
    found = [from_receipt(one[0]) for one in some if one]
    return sorted(found, key=lambda kept: kept.at, reverse=True)


def receipt(store: Store, owner: str, id: str) -> CurationReceipt:
    found = [d for d in store.get(id) if d.kind == KIND and d.owner == owner]
    if not found:
        raise NotFound(
            f"there is no receipt {id!r}", hint="`recollect undo --list` shows what can be undone"
        )
    return from_receipt(found[0])


def last(store: Store, owner: str) -> CurationReceipt:
    """The newest receipt that is not undone yet."""
    found = next((one for one in receipts(store, owner, limit=100) if not one.undone), None)
    if found is None:
        raise NotFound(
            "there is nothing to undo", hint="`recollect undo --list` shows what was done"
        )
    return found


def waiting(store: Store, owner: str) -> list[CurationReceipt]:
    """Receipts with something to look at, oldest first."""
    held = store.by_handle([handle(owner, REVIEW)])
    return sorted((from_receipt(one.document) for one in held), key=lambda kept: kept.at)


# ------------------------------------------------------------------ taking back


def undone(store: Store, kept: CurationReceipt, now: datetime) -> list[Change]:
    """What brings back the state before the receipt, exactly."""
    if kept.undone is not None:
        raise UsageError(
            f"the receipt {kept.id} is undone already",
            hint="`recollect undo --list` shows what can be undone",
        )
    return [*_restored(store, kept.touched), *as_changes(kept._replace(undone=now))]


def _restored(store: Store, some: Sequence[DocumentChange]) -> Iterator[Change]:
    for one in reversed(some):
        document = one.document
        there = next(iter(store.get(document.id)), None)
        if there is None:
            continue  # forgotten or removed since, and stays so
        if there != one.after:
            raise UsageError(
                f"{document.title or document.external!r} was changed since",
                hint="undo what changed it first; `recollect history` shows what happened",
            )
        yield Expect(document.id, there.stamp)
        yield Remove(document.id) if one.before is None else put_again(one.before)


def accepted(kept: CurationReceipt, ids: Sequence[str]) -> tuple[CurationReceipt, list[Change]]:
    """The receipt after these decisions were accepted: what was done stays, and nobody has to look
    at it any more."""
    done = _judged(kept, ids, "accepted")
    return done, as_changes(done)


def rejected(
    store: Store, kept: CurationReceipt, ids: Sequence[str], now: datetime, by: str
) -> tuple[CurationReceipt, list[Change]]:
    """The receipt after these decisions were taken back, and what that takes: the new facts go, and
    what they replaced holds again."""
    done = _judged(kept, ids, "rejected")
    changes: list[Change] = []
    for item in _named(kept, ids):
        new = stored_fact(store, kept.owner, item.id)
        for other in item.others if item.kind == "supersedes" else ():
            old = stored_fact(store, kept.owner, other)
            if old is not None and item.id in old.superseded_by:
                changes += _changed(old, _holding_again(old, item.id, now, by))
        if new is not None:
            changes += [Expect(new.key, new.stamp), Remove(new.key)]
            changes += _off_page(store, new)
    return done, [*changes, *as_changes(done)]


def _named(kept: CurationReceipt, ids: Sequence[str]) -> list[ReceiptItem]:
    found = [item for item in kept.pending if not ids or item.id in ids]
    if missing := set(ids) - {item.id for item in found}:
        raise NotFound(
            f"nothing of {kept.id} waits for review under {sorted(missing)[0]!r}",
            hint="`recollect review` shows what does",
        )
    return found


def _judged(kept: CurationReceipt, ids: Sequence[str], verdict: Verdict) -> CurationReceipt:
    named = {item.id for item in _named(kept, ids)}
    items = (item._replace(verdict=verdict) if item.id in named else item for item in kept.items)
    return kept._replace(items=tuple(items))


def _holding_again(old: Fact, new: str, now: datetime, by: str) -> Fact:
    left = tuple(id for id in old.superseded_by if id != new)
    entry = ProvenanceEntry(now, f"{new} was rejected", by)
    return old._replace(
        superseded_by=left, ended=old.ended if left else None, provenance=(*old.provenance, entry)
    )


def _changed(old: Fact, new: Fact) -> list[Change]:
    stamp = stable_id(old.stamp, repr(new))
    return [Expect(old.key, old.stamp), as_put(new._replace(stamp=stamp))]


def _off_page(store: Store, fact: Fact) -> Iterator[Change]:
    """Its page without it; a page that nothing is left of goes."""
    key = tree.page_key(fact.owner, tree.page_of(fact))
    for document in store.get(key):
        page = tree.from_document(document)
        if fact.id in page.facts:
            left = tuple(id for id in page.facts if id != fact.id)
            there = left or page.notes or page.snippets
            yield tree.as_put(page._replace(facts=left)) if there else Remove(key)


# ------------------------------------------------------------------ forgetting


def forgotten(store: Store, owner: str, ids: Collection[str]) -> list[Change]:
    """The receipts that hold these documents, without them: what is forgotten is quoted nowhere."""
    held = store.by_handle([handle(owner, f"{TOUCHES}{id}") for id in ids])
    changes: list[Change] = []
    for document in {one.document.id: one.document for one in held}.values():
        changes += as_changes(_without(from_receipt(document), ids))
    return changes


def _without(kept: CurationReceipt, ids: Collection[str]) -> CurationReceipt:
    gone = {(one.document.external, one.document.kind) for one in kept.touched if one.id in ids}
    names, kinds = ({pair[n] for pair in gone} for n in (0, 1))
    left = kept._replace(
        touched=tuple(one for one in kept.touched if one.id not in ids),
        items=tuple(item for item in kept.items if item.id not in names),
    )
    if kinds <= {FACT, tree.KIND}:
        return left
    return left._replace(about="a text that was forgotten")
