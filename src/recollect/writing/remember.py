"""Facts by name, and what a new one is to those that are known."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from operator import attrgetter
from typing import Any
from uuid import uuid4

from recollect.errors import NotFound, UsageError
from recollect.facts import (
    KIND,
    SOURCE,
    Conflict,
    Fact,
    FactFilter,
    FactPage,
    Participant,
    ProvenanceEntry,
    Remembered,
    Rival,
    fact_key,
    from_document,
    from_json,
    handle,
)
from recollect.named_tuple import NamedTuple
from recollect.nouns import Document, Event, Filter, among, by_id, stable_id, without
from recollect.ports import PairModel, Store
from recollect.text.guard import overlap
from recollect.text.keys import keys, words
from recollect.text.lexical import indexed_text
from recollect.text.pairs import RELATED, Judge, relation
from recollect.text.questions.parse import words_of
from recollect.text.redact import redact as redact_text
from recollect.text.redact import redact_value
from recollect.text.statements.in_force import standing
from recollect.text.stopwords import stopwords
from recollect.text.terms import stems
from recollect.writing.curation import receipts
from recollect.writing.facts import FactPlan, WrittenFacts, is_forgotten, put, stored_fact

NEAREST = 0.75
"""The share of the nearest's words that another fact has in common with what replaces both."""
LIKE = 8
"""Facts that each new one is compared with besides those that share its names: so many that share
its words, and so many that are near in meaning: "we live in Graz" and "they moved to Linz" share
none."""


def new_id(store: Store, new: NewFact, scopes: Sequence[str], name: str, text: str) -> str:
    """An id that can be read and is nobody else's. It follows from what is said: of several who
    remember the same at once, the store refuses all but one, and they find what that one wrote."""
    first = slug(name or text)
    if new.walled:
        return f"{first}-{uuid4().hex[:6]}"
    for n in itertools.count():
        id = f"{first}-{stable_id(new.owner, *sorted(scopes), name, text, str(n))[:6]}"
        key = fact_key(new.owner, id)
        if not store.get(key, body=False) and not is_forgotten(store, key):
            break
    return id


def slug(text: str) -> str:
    """The first words of a text, as ids have them."""
    some = "-".join(word.folded for word in words(text)[:5])
    return re.sub(r"[^a-z0-9-]+", "", some)[:40].strip("-") or "fact"


def find(store: Store, owner: str, name: str) -> Fact:
    """A fact by its id, the id of its document or passage, or else by a name that is its alone."""
    names = filter(None, (fact_key(owner, name), name, name.rpartition(":")[0]))
    documents = itertools.chain.from_iterable(map(store.get, names))
    found = next((d for d in documents if (d.kind, d.owner) == (KIND, owner)), None)
    if found is not None:
        return from_document(found)
    active = list(map(from_document, called(store, owner, name)))
    if len(active) == 1:
        return active[0]
    if active:
        ids = ", ".join(fact.id for fact in active[:5])
        raise UsageError(
            f"{name!r} names {len(active)} facts: {ids}",
            hint="give the id of the one that is meant",
        )
    raise NotFound(f"there is no fact {name!r}", hint="`recollect facts` lists what there is")


def called(store: Store, owner: str, name: str) -> list[Document]:
    """The facts in force that have this name."""
    asked = FactFilter(owner)
    return [d for d in _having(store, owner, name) if not asked.out_of_force(from_document(d))]


def _having(store: Store, owner: str, name: str) -> list[Document]:
    """All facts that have this name."""
    held = store.by_handle([handle(owner, key) for key in keys(name)])
    return list({one.document.id: one.document for one in held}.values())


def replaced(store: Store, owner: str, name: str) -> Fact | None:
    """The newest fact of this name that something of another name has replaced."""
    found = filter(attrgetter("superseded_by"), map(from_document, _having(store, owner, name)))
    return max(found, key=lambda fact: fact.start, default=None)


def chain(store: Store, fact: Fact) -> list[Fact]:
    """Returns the chain of supersessions that a fact is in, oldest first."""
    found = {fact.id: fact}
    waiting = [fact]
    while waiting:
        one = waiting.pop()
        for id in (*one.supersedes, *one.superseded_by):
            if id not in found and (other := stored_fact(store, fact.owner, id)) is not None:
                found[id] = other
                waiting.append(other)
    return sorted(found.values(), key=lambda f: f.start)


def history(store: Store, facts: Iterable[Fact]) -> list[Event]:
    """Who did what to the chains that the facts are part of, when and why; oldest first."""
    chains = itertools.chain.from_iterable(chain(store, fact) for fact in facts)
    entries = [(entry, one) for one in by_id(chains).values() for entry in one.provenance]
    entries.sort(key=lambda pair: pair[0].at)
    return [
        Event(n, e.at, e.action, one.id, e.by, e.why, e.source, one.text, e.quote)
        for n, (e, one) in enumerate(entries, 1)
    ]


def listed(store: Store, asked: FactFilter, *, limit: int, cursor: str, every: bool) -> FactPage:
    """Facts of an owner, newest first; those not in force only when *every* one is wanted."""
    limits = Filter(owner=asked.owner, scopes=asked.scopes, sources=(SOURCE,), kinds=(KIND,))
    hides = asked.hides_type if every else asked.hides
    found: list[Fact] = []
    while True:
        page = store.scan(limits, limit=limit - len(found), cursor=cursor)
        whole = itertools.chain.from_iterable(store.get(head.id) for head in page.items)
        facts = map(from_document, whole)
        found += [fact for fact in facts if fact.text and not hides(fact)]
        cursor = page.cursor
        if len(found) >= limit or not cursor:
            return FactPage(tuple(found), cursor)


def _handles(owner: str, names: Iterable[str]) -> set[str]:
    """Returns the handles under which a store finds facts of these names."""
    return {handle(owner, key) for key in itertools.chain.from_iterable(map(keys, names))}


class KnownFacts:
    """What is known, for a new fact to be compared with."""

    def __init__(self, store: Store, pairs: PairModel | None = None) -> None:
        self._store = store
        self._pairs = pairs
        self.judge: Judge | None = pairs.judge if pairs else None

    def has(self, fact: Fact) -> bool:
        """Whether this very fact is kept already, in force or not."""
        return bool(self._store.get(fact.key))

    def refuses(self, fact: Fact) -> bool:
        """Whether somebody has taken out this very fact, so that it stays out: it was forgotten, or
        rejected in a review."""
        return is_forgotten(self._store, fact.key) or receipts.is_rejected(self._store, fact)

    def expect(self, facts: Sequence[Fact]) -> None:
        """Has the encoder read facts together that are about to be compared."""
        if self._pairs:
            self._pairs.vectors(list(map(_embedded, facts)))

    def rivals(self, fact: Fact) -> list[Rival]:
        asked = FactFilter(fact.owner, fact.scopes)
        found: dict[str, Rival] = {}
        for held in self._store.by_handle(_handles(fact.owner, fact.names)):
            found[held.document.external] = Rival(from_document(held.document), True)
        limits = Filter(owner=fact.owner, scopes=fact.scopes, kinds=(KIND,))
        query = words_of(fact.text)
        hits = self._store.search_text([query], limits, limit=LIKE)[0].hits if query.any else []
        near = [*self._near(fact, limits), *(hit.passage for hit in hits)]
        for stored in self._store.passages(list(dict.fromkeys(near))):
            other = from_document(stored.document, stored.passage.text)
            found.setdefault(other.id, Rival(other, False))
        return [r for r in found.values() if r.fact.text and not asked.hides(r.fact)]

    def _near(self, fact: Fact, limits: Filter) -> list[int]:
        """The passages of the facts that are nearest in meaning, where they have vectors."""
        if self._pairs is None:
            return []
        (vector,) = self._pairs.vectors([_embedded(fact)])
        found = self._store.search_vector(self._pairs.encoder, vector, limits, limit=LIKE)
        return [hit.passage for hit in found.hits]


def _embedded(fact: Fact) -> str:
    return indexed_text(fact.heading, "", fact.text)


class Compared(NamedTuple):
    """What a new fact is to those in force."""

    same: Fact | None = None
    """One that says the same."""
    conflicts: tuple[Conflict, ...] = ()
    """Those that say otherwise."""
    others: tuple[Fact, ...] = ()
    """Those that do neither."""


def compared(store: Store, fact: Fact, pairs: PairModel | None) -> Compared:
    same: Fact | None = None
    found: list[Conflict] = []
    others: list[Fact] = []
    known = KnownFacts(store, pairs)
    for other, same_key, _ in known.rivals(fact):
        if other.id in (fact.id, *fact.supersedes):
            continue
        apart = not same_key and _are_named_apart(other, fact)
        verdict = relation(
            other.text, fact.text, known.judge, same_name=same_key, named_apart=apart
        )
        if verdict.kind == "same" and set(fact.scopes) <= set(other.scopes):
            same = same or other
        elif verdict.kind == "changed":
            found.append(Conflict(other, verdict.why, verdict.sure))
        elif verdict.kind == "neither":
            others.append(other)
    return Compared(same, tuple(found), tuple(others))


def _are_named_apart(one: Fact, other: Fact) -> bool:
    """Whether both have a name, and no word of one is in the other's names."""
    mine, its = (stems(" ".join(fact.names)) - stopwords() for fact in (one, other))
    return bool(one.name and other.name) and mine.isdisjoint(its)


def _closest(others: Sequence[Fact], fact: Fact, pairs: PairModel | None) -> Fact | None:
    """Returns the one of the facts that may be about the same thing as the new one, nearest in
    meaning, or else in words."""
    texts = [(other.text, fact.text) for other in others]
    if pairs:
        near = [one.cosine if one.cosine >= RELATED else 0.0 for one in pairs.judge(texts)]
    else:
        near = [overlap(*pair).share for pair in texts]
    most = max(near, default=0.0)
    return others[near.index(most)] if most else None


def _called_too(fact: Fact, others: Sequence[Fact]) -> Fact:
    """Returns a fact that goes by the names of others as well, and is called as the first of them
    where it has no name of its own."""
    called = [fact, *others]
    names = dict.fromkeys(itertools.chain.from_iterable(one.names for one in called))
    name = next((one.name for one in called if one.name), "")
    return fact._replace(name=name, aliases=tuple(one for one in names if one != name))


def _taught(known: Fact, told: Fact) -> Fact:
    """Returns a fact with what is told of it besides its text, and was not known."""
    return _called_too(known, [told])._replace(
        pinned=known.pinned or told.pinned,
        why=known.why or told.why,
    )


def _nearest(found: Sequence[Conflict], fact: Fact) -> list[Conflict]:
    """Returns those of the facts that surely say otherwise which have about as many words of the
    new one as the nearest has: what shares only what it is about is another thing."""
    words = stems(fact.text) - stopwords()
    sure = [one for one in found if one.sure]
    shared = [len(words & stems(one.fact.text)) for one in sure]
    least = NEAREST * max(shared, default=0)
    return [one for one, count in zip(sure, shared, strict=True) if count >= least]


def _namesakes(store: Store, fact: Fact) -> list[Conflict]:
    """The one other fact in force that goes by the name of this one; none if several do."""
    own = _handles(fact.owner, [fact.name])
    hides = FactFilter(fact.owner, fact.scopes).hides
    others = {held.document.external: from_document(held.document) for held in store.by_handle(own)}
    found = [one for one in others.values() if one.id != fact.id and not hides(one)]
    return [Conflict(one, "it goes by the same name") for one in found if len(found) == 1]


def _holds_too(store: Store, fact: Fact, found: Sequence[Conflict], known: Fact | None) -> str:
    """Returns what is said of a fact that goes by the same name, and is not known to be at odds
    with the new one, as one is that begins later."""
    if known or found:
        return ""
    return "".join(
        f"{other.fact.id} goes by the same name and holds as well: {other.fact.text}"
        for other in _namesakes(store, fact)
    )


class NewFact(NamedTuple):
    """A fact as a caller tells it, and how it is to be kept."""

    told: Mapping[str, Any]
    """As a line of JSON; with an id it changes the fact of that id, of which stays what is not
    told."""
    owner: str
    scopes: Sequence[str]
    """Of a fact that is new, where none are told."""
    by: str = ""
    source: str = ""
    replace: bool = False
    """Supersede the facts that it surely contradicts, or else the one that goes by its name."""
    redact: bool = True
    walled: bool = False
    """Whether there may be facts that are out of the caller's sight."""


class FactDecision(NamedTuple):
    """What is to be done with a new fact."""

    fact: Fact
    same: Fact | None = None
    """A fact in force that says the same, so that nothing is written."""
    conflicts: tuple[Conflict, ...] = ()
    note: str = ""
    named: bool = True
    """Whether its id was there before: the caller's, or that of a fact that is known."""
    replaced: tuple[Fact, ...] = ()
    nearest: Fact | None = None
    """Where it was to replace something and replaces nothing: what may have been meant."""

    def remembered(self, written: WrittenFacts) -> Remembered:
        """What came of writing it."""
        if self.same is not None:
            return Remembered(self.same, "duplicate", note=self.note)
        receipt = written.receipt
        if receipt.tombstoned:
            note = "it was forgotten, and stays so"
            return Remembered(self.fact, "forgotten earlier", note=note)
        action = "added" if receipt.added else "changed" if receipt.changed else "unchanged"
        return Remembered(
            written.facts[0], action, self.conflicts, self.note, self.replaced, self.nearest
        )


class Remembering:
    """The write of one new fact. It is decided anew whenever others were quicker, for they may have
    written the same."""

    def __init__(
        self, store: Store, new: NewFact, now: datetime, pairs: PairModel | None = None
    ) -> None:
        self._decide = partial(decide, store, new, now, pairs)
        self.decision: FactDecision

    def work(self, plan: FactPlan) -> Iterable[str]:
        decision = self._decide()
        while not decision.named and plan.get(decision.fact.id):  # written since it was compared
            decision = self._decide()
        self.decision = decision
        return put([] if decision.same else [decision.fact])(plan)


def decide(
    store: Store, new: NewFact, now: datetime, pairs: PairModel | None = None
) -> FactDecision:
    """Compares a new fact with those in force: is it known, and what does it contradict?"""
    fact, known = _told(store, new, now)
    note = ""
    if new.told.get("standing") is None and (known is None or known.text != fact.text):
        verdict = standing(fact.text)
        fact = fact._replace(standing=verdict.status)
        note = f"{verdict.status}: {verdict.why}" if verdict.status != "active" else ""
    same, found, others = (
        Compared() if fact.standing == "outdated" else compared(store, fact, pairs)
    )
    if same is not None and not new.told.get("id"):
        note = f"{same.id} says the same"
        if not fact.supersedes and not (new.replace and found):
            taught = _taught(same, fact)
            if taught == same:
                return FactDecision(fact, same, note=note)
            return FactDecision(taught, note=note)
        fact = same._replace(supersedes=(*same.supersedes, *fact.supersedes))  # it settles it
    named = same is not None or bool(new.told.get("id"))
    if new.replace:
        fact = _replacing(fact, _nearest(found, fact) or _namesakes(store, fact))
        if fact.supersedes:
            gone = _stored(store, fact)
            return FactDecision(fact, note=note, named=named, replaced=gone)
        note = "; ".join(filter(None, (note, "nothing was replaced")))
    note = "; ".join(filter(None, (note, _holds_too(store, fact, found, known))))
    fact = fact._replace(disputes=tuple(conflict.fact.mark for conflict in found))
    meant = _closest(others, fact, pairs) if new.replace and not found else None
    return FactDecision(fact, None, found, note, named, _stored(store, fact), meant)


def _replacing(fact: Fact, gone: Sequence[Conflict]) -> Fact:
    """Returns the fact in the place of others: it replaces them, goes by their names, and is pinned
    if one of them was."""
    older = [conflict.fact for conflict in gone]
    supersedes = dict.fromkeys((*fact.supersedes, *(one.id for one in older)))
    pinned = fact.pinned or any(one.pinned for one in older)
    return _called_too(fact, older)._replace(supersedes=tuple(supersedes), pinned=pinned)


def _stored(store: Store, fact: Fact) -> tuple[Fact, ...]:
    """The facts that it replaces, as they are."""
    return tuple(filter(None, (stored_fact(store, fact.owner, id) for id in fact.supersedes)))


def _told(store: Store, new: NewFact, now: datetime) -> tuple[Fact, Fact | None]:
    """The fact as it is told, and as it is known if it is changed: then the rest of it stays."""
    if not isinstance(new.told.get("text"), str):
        raise UsageError("a fact's text is not a text", hint="say what is to be remembered")
    id = new.told.get("id") or ""
    known = stored_fact(store, new.owner, id) if id else None
    stays = without(known.as_json(), ("created_at", "provenance", "ended")) if known else {}
    told = {"name": "", **stays, **new.told}
    scopes = told.pop("scopes", new.scopes)
    shown = [_hidden(told[one]) if new.redact else told[one] for one in ("name", "text")]
    told["id"] = id or new_id(store, new, scopes, *shown)
    fact = from_json(told, new.owner, scopes, now)
    linked: dict[str, Any] = {
        link: tuple(_id_of(store, new.owner, name, early=bool(id)) for name in getattr(fact, link))
        for link in among(("supersedes", "superseded_by"), new.told)
    }
    fact = fact._replace(**linked)
    return (redacted(fact) if new.redact else fact), known


def _id_of(store: Store, owner: str, name: str, *, early: bool) -> str:
    """The id of a fact that is told by its id or by name. Only whoever gives ids of their own may
    be *early* and name one that is not there yet: the order of writing is theirs."""
    try:
        return find(store, owner, name).id
    except NotFound:
        if not early:
            raise
        return name


def redacted(fact: Fact) -> Fact:
    """The fact without the secrets that its texts hold."""
    return fact._replace(
        text=_hidden(fact.text),
        why=_hidden(fact.why),
        name=_hidden(fact.name),
        aliases=tuple(map(_hidden, fact.aliases)),
        participants=tuple(Participant(*map(_hidden, one)) for one in fact.participants),
        provenance=tuple(map(_signed, fact.provenance)),
        meta=redact_value(dict(fact.meta), ""),
    )


def _signed(entry: ProvenanceEntry) -> ProvenanceEntry:
    by, why, source, quote = map(_hidden, (entry.by, entry.why, entry.source, entry.quote))
    return entry._replace(by=by, why=why, source=source, quote=quote)


def _hidden(text: str) -> str:
    return redact_text(text).text
