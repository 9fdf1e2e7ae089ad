"""What a curation did, kept so that it can be looked at, taken back in part, or undone.

A receipt is a document of the kind ``receipt`` without passages, so that no search finds it. It
holds every document that the curation changed, as it was before and as it was after. Undoing puts
back what was there, byte for byte, unless somebody changed it since. What was forgotten stays
forgotten, and the receipts forget it too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from recollect import tree
from recollect.errors import NotFound, UsageError
from recollect.facts import KIND as FACT
from recollect.facts import PAGE, Fact, as_put, fact_key, from_document, handle
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
from recollect.writing import facts
from recollect.writing.pages import page_at

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

    @property
    def rejected(self) -> tuple[str, ...]:
        """The ids of the facts that somebody did not want."""
        return tuple(item.id for item in self.items if item.verdict == "rejected")

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
    rejected = (fact_key(kept.owner, id) for id in kept.rejected)
    names = [f"{TOUCHES}{id}" for id in (*(one.id for one in kept.touched), *rejected)]
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


def touched(store: Store, changes: Sequence[Change]) -> Iterator[DocumentChange]:
    """What the changes do to the documents that they put or remove."""
    after: dict[str, Document | None] = {
        one.document.id: one.document for one in of_type(changes, Put)
    }
    after |= {one.id: None for one in of_type(changes, Remove)}
    for id, document in after.items():
        before = next(iter(store.get(id)), None)
        if before != document:
            yield DocumentChange(before, document)


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


class Rejection:
    """Decisions that are taken back: the new facts go, what they replaced holds again, their pages
    tell nothing of them, and the receipt has the documents as they are then, so that it can still
    be undone."""

    def __init__(self, store: Store, kept: CurationReceipt, ids: Sequence[str]) -> None:
        self._store = store
        self._kept = self.judged = _judged(kept, ids, "rejected")
        self.work = facts.reject([item.id for item in _named(kept, ids)])
        self.beside = facts.Beside(self._emptied, self._sealed)

    def _emptied(self, changed: Sequence[facts.FactChange]) -> Iterator[Change]:
        """Pages that nothing is left of go, too."""
        owner = self._kept.owner
        gone = {fact.id: tree.page_of(fact) for fact, after in changed if fact and not after}
        for address in sorted(set(gone.values())):
            page = page_at(self._store, owner, address)
            held = self._store.by_handle([handle(owner, f"{PAGE}{address}")])
            left = {one.document.external for one in held} - gone.keys()
            if page and not (left or page.notes or page.snippets):
                yield Remove(page.key)

    def _sealed(self, changes: Sequence[Change]) -> list[Change]:
        after = {one.id: one for one in self._kept.touched}
        for one in touched(self._store, changes):
            known = after.get(one.id, one)
            if known is one or known.after == one.before:  # else it was changed by others since
                after[one.id] = DocumentChange(known.before, one.after)
        some = tuple(one for one in after.values() if one.before != one.after)
        self.judged = self._kept._replace(touched=some)
        return as_changes(self.judged)


def is_rejected(store: Store, fact: Fact) -> bool:
    """Whether somebody rejected this very fact, in a receipt that is not undone."""
    held = store.by_handle([handle(fact.owner, f"{TOUCHES}{fact.key}")])
    found = (from_receipt(one.document) for one in held)
    return any(fact.id in kept.rejected for kept in found if kept.undone is None)


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
    quoting = tuple(item for item in left.items if item.verdict != "rejected")
    return left._replace(about="a text that was forgotten", items=quoting)
