"""What a write does to a store (ChangeSet), and what it did (Receipt)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from recollect.moments import iso
from recollect.named_tuple import NamedTuple
from recollect.nouns.documents import NO_META, Document, JsonObject, Passage, Place, Source
from recollect.nouns.values import attributes, dict_list, filled, json_list


class Put(NamedTuple):
    """Store this document, replacing any earlier version of it."""

    document: Document
    passages: tuple[Passage, ...]
    handles: tuple[str, ...] = ()
    """Further names that it is to be found under, whole."""


class Forget(NamedTuple):
    """Remove the document for good: a re-import does not bring it back."""

    id: str


class Remove(NamedTuple):
    """Take the document out, because its source no longer has it: a later import of it may
    bring it back."""

    id: str


class Register(NamedTuple):
    """Make a source known, or note its new stamp."""

    source: Source


class Expect(NamedTuple):
    """Do nothing at all unless the document is still of this version: what was decided from it
    holds no more."""

    id: str
    stamp: str | None
    """None when it is not to be there."""


class DropAnswers(NamedTuple):
    """Remove recorded answers, because what they are from is removed."""

    ids: tuple[str, ...]


Change = Put | Forget | Remove | Register | Expect | DropAnswers


class ChangeSet(NamedTuple):
    """What a write will do. Applied whole, in one transaction, or not at all."""

    changes: tuple[Change, ...]


class Problem(NamedTuple):
    """Something that was not imported (or, as a warning, not wholly), and where it is."""

    where: str
    reason: str
    level: Literal["failed", "skipped", "warning"] = "failed"

    def as_json(self) -> dict[str, Any]:
        return {"where": self.where, "reason": self.reason}


class Receipt(NamedTuple):
    """What a write did. Counts are of documents."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    forgotten: int = 0
    removed: int = 0
    tombstoned: int = 0
    """Not stored, because the user forgot them earlier."""
    skipped: tuple[Problem, ...] = ()
    """Left out on purpose."""
    warnings: tuple[Problem, ...] = ()
    """Imported, but not wholly as it was meant."""
    missing: tuple[Problem, ...] = ()
    """Stored earlier, and no longer in its source; only pruning removes it."""
    failed: tuple[Problem, ...] = ()
    """Should have been imported and could not be."""
    embedded: int = 0
    pending: int = 0
    redacted: Counter[str] = Counter()  # noqa: RUF012  receipts are summed, never changed
    """Secrets that were taken out, by the rule that found them."""
    left_out: Counter[str] = Counter()  # noqa: RUF012  likewise
    """Messages of sessions that were left out or shortened, by what they are."""
    sources: tuple[str, ...] = ()

    def __add__(self, other: "Receipt") -> "Receipt":  # type: ignore[override]  # sums, not joins
        pairs: Iterable[tuple[Any, Any]] = zip(self, other, strict=True)
        return Receipt(*(mine + theirs for mine, theirs in pairs))

    @property
    def seen(self) -> int:
        return self.added + self.changed + self.unchanged + self.tombstoned

    def as_json(self) -> dict[str, Any]:
        out = self._asdict()
        for name in ("skipped", "warnings", "missing", "failed"):
            out[name] = json_list(out[name])
        out["sources"] = sorted(set(self.sources))
        return out


class Event(NamedTuple):
    """One entry of a document's history; of a fact's also by whom, why, and from what."""

    seq: int
    at: datetime
    action: str
    id: str
    by: str = ""
    why: str = ""
    source: str = ""
    text: str = ""
    quote: str = ""

    def as_json(self) -> dict[str, Any]:
        more = filled(attributes(self, self._fields[4:]))
        return {"seq": self.seq, "at": iso(self.at), "action": self.action, "id": self.id, **more}


class SourceStats(NamedTuple):
    name: str
    kind: str
    uri: str
    documents: int
    stamp: str = ""
    places: tuple[Place, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {**self._asdict(), "places": dict_list(self.places)}


class StoreStats(NamedTuple):
    """What a store holds. ``vectors`` counts passages that have one, by model."""

    location: str
    engine: str
    seq: int
    documents: int
    passages: int
    kinds: Mapping[str, int]
    sources: Sequence[SourceStats]
    vectors: Mapping[str, int]
    tombstones: int
    bytes: int
    indexes: JsonObject = NO_META

    def as_json(self) -> dict[str, Any]:
        out = self._asdict()
        out["sources"] = json_list(self.sources)
        return out
