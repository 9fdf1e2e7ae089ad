"""What a write of facts changes, worked out before anything is written (:mod:`.path` writes it).

A supersession is written on both sides, so that forgetting the newer fact does not bring the older
one back. Links are only ever added; what replaced what can be told for good. Several processes
may write at once: what was decided from a version that is no longer there is decided again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from uuid import uuid4

from recollect import tree
from recollect.errors import NotFound, UsageError
from recollect.facts import (
    IS,
    KIND,
    REPLACED,
    REPLACES,
    SOURCE,
    SUPERSEDED_BY,
    Fact,
    ProvenanceEntry,
    as_put,
    checked,
    fact_key,
    from_document,
    handle,
)
from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    Change,
    Expect,
    Filter,
    Forget,
    Put,
    Receipt,
    Register,
    Remove,
    Source,
    not_among,
    stable_id,
)
from recollect.ports import Store, scanned_pages
from recollect.writing import pages


class Signature(NamedTuple):
    """Who writes, when, why, and from where it was read."""

    at: datetime
    by: str = ""
    why: str = ""
    source: str = ""
    channel: str = ""

    def entry(self, action: str) -> ProvenanceEntry:
        return ProvenanceEntry(self.at, action, self.by, self.why, self.source, self.channel)


class FactChange(NamedTuple):
    """A fact before a write and after it; None where it is not there."""

    before: Fact | None
    after: Fact | None


class WrittenFacts(NamedTuple):
    """What a write of facts did."""

    receipt: Receipt
    facts: tuple[Fact, ...]
    """Those that it was about, as they are now."""
    changed: tuple[FactChange, ...] = ()
    """All that changed, those that it was about and others."""


class FactPlan:
    """One write in the making: facts of one owner, read as they are needed."""

    def __init__(self, store: Store, owner: str, signed: Signature) -> None:
        self._store = store
        self._owner = owner
        self._signed = signed
        self._stored: dict[str, Fact | None] = {}
        self.facts: dict[str, Fact] = {}
        self.forgotten: dict[str, Fact] = {}
        self.removed: dict[str, Fact] = {}

    def get(self, id: str) -> Fact | None:
        if id not in self._stored:
            self.load([id])
        return self.facts.get(id)

    def load(self, ids: Iterable[str]) -> None:
        """Read these, all at once."""
        new = list(not_among(ids, self._stored))
        self._stored |= dict.fromkeys(new)
        for held in self._store.by_handle([handle(self._owner, f"{IS}{id}") for id in new]):
            fact = from_document(held.document)
            self._stored[fact.id] = fact
            self.facts.setdefault(fact.id, fact)

    def one(self, id: str) -> Fact:
        found = self.get(id)
        if found is None:
            raise NotFound(f"there is no fact {id!r}", hint="`recollect facts` lists what there is")
        return found

    def put(self, given: Fact) -> None:
        """Add the fact, or change it to what is given."""
        old = self.get(given.id)
        row = _row(given)
        if old is not None and old.row == row:
            return
        if old is None:
            self.facts[given.id] = given._replace(
                row=row, provenance=(*given.provenance, self._signed.entry("added"))
            )
            return
        new = given._replace(
            row=row,
            created_at=old.created_at,
            aliases=_union(given.aliases, old.aliases),
            supersedes=_union(old.supersedes, given.supersedes),
            superseded_by=_union(old.superseded_by, given.superseded_by),
            ended=old.ended,
            provenance=old.provenance,
        )
        if _row(new) != _row(old):
            self.change(new, "changed")

    def reserve(self, id: str, at: datetime) -> Fact:
        """An empty place for a fact that is not here yet, so that it is superseded if it comes."""
        place = self.facts[id] = Fact(id, "", at, owner=self._owner, ended=at)
        return place

    def change(self, fact: Fact, action: str, entry: ProvenanceEntry | None = None) -> None:
        """The fact as it is from now on, with an entry that says so if that is anything new."""
        if entry is not None or fact != self.facts[fact.id]:
            entries = (*fact.provenance, entry or self._signed.entry(action))
            self.facts[fact.id] = fact._replace(provenance=entries)

    def reject(self, id: str) -> None:
        """Take the fact out, if it is there: what it replaced is replaced by what replaced it, or
        else holds again."""
        gone = self.get(id)
        stored = self._stored.get(id)
        if gone is None or stored is None:
            return
        self.removed[id] = stored
        said = f"{id} was rejected"
        for old in filter(None, map(self.get, _union(gone.supersedes, self._naming(REPLACED, id)))):
            left = _union(_less(old.superseded_by, id), gone.superseded_by)
            ended = old.ended if left else None
            self.change(old._replace(superseded_by=left, ended=ended), said)
        newer = _union(gone.superseded_by, self._naming(REPLACES, id))
        for new in filter(None, map(self.get, newer)):
            self.change(
                new._replace(supersedes=_union(_less(new.supersedes, id), gone.supersedes)), said
            )

    def _naming(self, link: str, id: str) -> list[str]:
        """The stored facts that have this link to a fact, but for those that are taken out."""
        held = self._store.by_handle([handle(self._owner, f"{link}{id}")])
        return list(not_among((one.document.external for one in held), self.removed))

    def link(self, ids: Sequence[str]) -> None:
        """What replaces what, on both sides, for these facts and those they are linked with."""
        self._add_known_links(ids)
        for id in ids:
            fact = self.facts[id]
            for old in fact.supersedes:
                self._link(old, id)
            for new in fact.superseded_by:
                self._link(id, new)
        for id in list(self.facts):
            self._end(id)
        for id in ids:
            self._refuse_cycle(id)

    def _add_known_links(self, ids: Sequence[str]) -> None:
        """Adds the links that stored facts name."""
        told: dict[str, tuple[str, bool]] = {}
        for id in ids:
            told[handle(self._owner, f"{REPLACES}{id}")] = (id, True)
            told[handle(self._owner, f"{REPLACED}{id}")] = (id, False)
        for held in self._store.by_handle(told):
            (id, newer), other = told[held.handle], (held.document.external,)
            self.load(other)
            fact = self.facts[id]
            if newer:
                fact = fact._replace(superseded_by=_union(fact.superseded_by, other))
            else:
                fact = fact._replace(supersedes=_union(fact.supersedes, other))
            self.facts[id] = fact

    def _link(self, old: str, new: str) -> None:
        before, after = self.get(old), self.get(new)
        if before is None and after is not None and self._is_forgotten(new):
            # The newer one is not kept, so that it can tell nobody what it replaced.
            before = self.reserve(old, after.start)
        if before is not None:
            linked = before._replace(superseded_by=_union(before.superseded_by, (new,)))
            self.change(linked, f"{SUPERSEDED_BY} {new}")
        if after is not None:
            self.facts[new] = after._replace(supersedes=_union(after.supersedes, (old,)))

    def _is_forgotten(self, id: str) -> bool:
        stored = self._stored.get(id) is not None
        return not stored and is_forgotten(self._store, fact_key(self._owner, id))

    def _newer(self, id: str) -> Iterable[str]:
        """Returns the facts that replaced a fact; for a fact that is not stored, those whose
        ``supersedes`` names it."""
        fact = self.get(id)
        if fact is not None:
            return fact.superseded_by
        held = self._store.by_handle([handle(self._owner, f"{REPLACES}{id}")])
        planned = (one.id for one in self.facts.values() if id in one.supersedes)
        return dict.fromkeys([*(one.document.external for one in held), *planned])

    def _end(self, id: str) -> None:
        """A fact ends when the first of what replaced it begins; if one of these is not here
        (forgotten, or not imported yet), not later than it was said to."""
        fact = self.facts[id]
        if not fact.superseded_by:
            return
        newer = list(map(self.get, fact.superseded_by))
        starts = [one.start for one in newer if one is not None]
        if None in newer:
            starts.append(fact.ended or self._signed.at)
        self.facts[id] = fact._replace(ended=min(starts))

    def _refuse_cycle(self, id: str) -> None:
        """Raises an error where a fact would replace itself. It follows the newer facts, of which
        there are few."""
        came_from: dict[str, str] = {}
        waiting = [id]
        while waiting:
            older = waiting.pop()
            for newer in not_among(self._newer(older), came_from):
                came_from[newer] = older
                waiting.append(newer)
        if direct := set(self.facts[id].supersedes).intersection(self.facts[id].superseded_by):
            came_from |= {id: min(direct), min(direct): id}
        if id in came_from:
            path = [id]
            while (before := came_from[path[-1]]) != id:
                path.append(before)
            said = " → ".join([*path, id])
            raise UsageError(
                f"fact {id!r}: it would supersede itself: {said}",
                hint="to go back to what was said before, remember it anew: that supersedes",
            )

    def changed(self) -> list[FactChange]:
        return [
            FactChange(stored, fact._replace(stamp=uuid4().hex))
            for id, fact in self.facts.items()
            if fact != (stored := self._stored.get(id)) and id not in self.removed
        ]

    def gone(self) -> list[FactChange]:
        """What is there and will not be."""
        some = (*self.forgotten.values(), *self.removed.values())
        return [FactChange(fact, None) for fact in some]

    def is_shown(self, change: FactChange) -> bool:
        """Whether a page may tell of a change: a fact that was forgotten is not kept again."""
        new = change.after if change.before is None else None
        return new is None or not new.meta.get("page") or not self._is_forgotten(new.id)


def _changes(changed: Sequence[FactChange]) -> Iterator[Change]:
    for before, after in changed:
        if after is not None:
            yield Expect(after.key, before.stamp if before else None)
            yield as_put(after)


def _union(some: Sequence[str], more: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*some, *more)))


def _less(some: Sequence[str], one: str) -> tuple[str, ...]:
    return tuple(other for other in some if other != one)


def _row(fact: Fact) -> str:
    """A hash of what the caller says of the fact."""
    said = fact.as_json()
    for own in ("created_at", "provenance", "ended"):
        del said[own]
    return stable_id(repr(sorted(said.items())))


class Beside(NamedTuple):
    """What is written in the same transaction as facts."""

    more: Callable[[Sequence[FactChange]], Iterable[Change]] = lambda _: ()
    """Makes changes of the facts that change; pages follow from them too."""
    seal: Callable[[Sequence[Change]], Iterable[Change]] = lambda _: ()
    """Makes the last changes, of all the others: the receipt of a curation."""


ALONE = Beside()


class Edit(NamedTuple):
    """What becomes of a fact, and the word for it."""

    to: Callable[[Fact], Fact]
    action: str = "changed"
    entry: ProvenanceEntry | None = None
    """What its provenance says of it, if there is more to say."""


def _placed(fact: Fact) -> Fact:
    """The fact with the address of its page as pages have it."""
    if not isinstance(fact.meta.get("page"), str):
        return fact
    address = tree.page_of(fact)
    return fact if fact.meta["page"] == address else tree.on_page(fact, address)


def _with_pages(
    store: Store, owner: str, changed: Sequence[FactChange], more: list[Change]
) -> list[Change]:
    """What else is changed, and the pages of these facts."""
    on = any(fact is not None and fact.meta.get("page") for pair in changed for fact in pair)
    if not on and not any(isinstance(change, Put | Remove | Forget) for change in more):
        return more
    facts = {fact.id: pair for pair in changed if (fact := pair.after or pair.before) is not None}
    return pages.with_pages(store, owner, facts, more)


# ------------------------------------------------------------------ what may be written

Work = Callable[[FactPlan], Iterable[str]]
"""Changes a plan; returns the ids of the facts that it was about."""


def put(facts: Sequence[Fact]) -> Work:
    """Adds these facts, or changes them to what is given."""
    given = {fact.id: _placed(checked(fact)) for fact in facts}
    if len(given) < len(facts):
        twice = next(f.id for n, f in enumerate(facts) if f.id in {g.id for g in facts[:n]})
        raise UsageError(f"fact {twice!r} is given twice", hint="give each fact its own id")

    def work(plan: FactPlan) -> Iterable[str]:
        plan.load(given)
        for fact in given.values():
            plan.put(fact)
        return given

    return work


def change(id: str, to: Callable[[Fact], Fact], action: str) -> Work:
    """Changes one stored fact."""
    return edit([], {id: Edit(to, action)})


def edit(new: Sequence[Fact], edits: Mapping[str, Edit]) -> Work:
    """Adds some facts, and changes others that are there."""

    def work(plan: FactPlan) -> Iterable[str]:
        plan.load([*(fact.id for fact in new), *edits])
        for fact in new:
            plan.put(_placed(checked(fact)))
        for id, one in edits.items():
            plan.change(_placed(checked(one.to(plan.one(id)))), one.action, one.entry)
        return dict.fromkeys([*(fact.id for fact in new), *edits])

    return work


def supersede(old: str, new: str) -> Work:
    """Lets one fact replace another; both are there."""

    def work(plan: FactPlan) -> Iterable[str]:
        older, newer = plan.one(old), plan.one(new)
        linked = newer._replace(supersedes=_union(newer.supersedes, (older.id,)))
        plan.change(linked, f"supersedes {old}")
        return (new, old)

    return work


def forget(id: str) -> Work:
    """Removes a fact for good. What it had replaced stays replaced, by what replaced it."""

    def work(plan: FactPlan) -> Iterable[str]:
        gone = plan.forgotten[id] = plan.one(id)
        for old in gone.supersedes:
            older = plan.get(old) or plan.reserve(old, gone.start)
            newer = _union(older.superseded_by, (id, *gone.superseded_by))
            plan.change(older._replace(superseded_by=newer), f"{id} was forgotten")
        return ()

    return work


def reject(ids: Sequence[str]) -> Work:
    """Takes facts out because somebody does not want what was made of a text."""

    def work(plan: FactPlan) -> Iterable[str]:
        plan.load(ids)
        for id in ids:
            plan.reject(id)
        return ()

    return work


class FactChanges(NamedTuple):
    """What a write of facts will do: all of it is decided, nothing is written."""

    changes: tuple[Change, ...]
    facts: tuple[Fact, ...]
    """Those that it is about, as they will be."""
    changed: tuple[FactChange, ...]
    """All that will change, those that it is about and others."""
    forgets: bool

    def counted(self, receipt: Receipt) -> Receipt:
        """The receipt with how many facts stay as they were."""
        if self.forgets:
            return receipt
        return receipt._replace(unchanged=max(0, len(self.facts) - len(self.changed)))


def planned(
    store: Store, owner: str, work: Work, signed: Signature, beside: Beside = ALONE
) -> FactChanges:
    """Works out what is written: the facts, what replaces what on both sides, the pages that they
    are on, and what is written *beside* them in the same transaction."""
    plan = FactPlan(store, owner, signed)
    ids = list(work(plan))
    plan.link(ids)
    changed = [*plan.changed(), *plan.gone()]
    changes = [*_changes(changed)]
    changes += [Forget(fact_key(owner, id)) for id in plan.forgotten]
    for fact in plan.removed.values():
        changes += (Expect(fact.key, fact.stamp), Remove(fact.key))
    if changes:
        changes.insert(0, Register(Source(SOURCE, SOURCE)))
    shown = list(filter(plan.is_shown, changed))
    changes += _with_pages(store, owner, shown, list(beside.more(shown)))
    changes += beside.seal(changes)
    about = tuple(plan.facts[id] for id in ids)
    return FactChanges(tuple(changes), about, tuple(changed), bool(plan.forgotten))


def is_forgotten(store: Store, key: str) -> bool:
    """Whether a document of this id, which is not there, was forgotten."""
    return any(event.action == "forgotten" for event in store.history(key))


def stored_fact(store: Store, owner: str, id: str) -> Fact | None:
    """The fact of this id, if it is there."""
    held = store.by_handle([handle(owner, f"{IS}{id}")])
    return from_document(held[0].document) if held else None


def every_fact(store: Store, owner: str, scopes: tuple[str, ...] | None = None) -> Iterator[Fact]:
    """Yields every fact of an owner, in force or not, newest first."""
    limits = Filter(owner=owner, scopes=scopes, sources=(SOURCE,), kinds=(KIND,))
    for page in scanned_pages(store, limits):
        held = store.by_handle([handle(owner, f"{IS}{head.external}") for head in page.items])
        documents = (one.document for one in reversed(held))
        yield from (from_document(document) for document in documents if document.text)
