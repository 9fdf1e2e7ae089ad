"""The key tier: the facts that a question names, whatever else it says.

Names and aliases are whole keys; what is said about a fact never names it. Filters come first: a
fact that may not be seen has no names. A superseded fact leads to what is in force in its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from typing import Literal

from recollect.facts import IS, KIND, SOURCE, Fact, FactFilter, from_document, handle
from recollect.named_tuple import NamedTuple
from recollect.nouns import StoredPassage, by_id
from recollect.ports import HandleMatch, Store
from recollect.reading.question import Question
from recollect.text.keys import (
    LONGEST,
    NameSpan,
    TextWord,
    is_common,
    keys,
    slip_handles,
    slipped,
    spoken,
    strange,
    words,
)
from recollect.text.statements.sense import sense
from recollect.text.stopwords import language
from recollect.text.terms import stems
from recollect.trace import say, skip, stage

How = Literal["name", "alias", "slip", "relation"]


class Mention(NamedTuple):
    """A fact that is named, or comes with one that is."""

    fact: Fact
    how: How
    said: str
    """The words of the question; of a participant, the relation that brings it."""
    why: str


class Named(NamedTuple):
    mentions: tuple[Mention, ...]
    """Each fact once, in the order in which they are named."""
    hidden: Mapping[str, int]
    """How many facts that are named may not be seen, by reason."""


NOBODY = Named((), {})


class _NameUse(NamedTuple):
    """A name of a fact, where the text says it."""

    of: Fact
    name: str
    span: NameSpan
    to: tuple[Fact, ...]
    """What is in force in its place, and may be seen."""


class Facts:
    """The facts of a store as one question may see them."""

    def __init__(self, store: Store, asked: FactFilter) -> None:
        self.asked = asked
        self._store = store
        self._known: dict[str, Fact | None] = {}
        self.hidden: dict[str, str] = {}
        """Why each fact that was met may not be seen."""
        self.replaced: dict[str, Fact] = {}
        """The facts that were met and are not seen because another took their place."""

    def held(self, names: Iterable[str]) -> Iterator[tuple[str, Fact]]:
        """Facts by their handles."""
        prefix = handle(self.asked.owner, "")
        for one in self._store.by_handle([prefix + name for name in names]):
            yield one.handle.removeprefix(prefix), self._fact(one)

    def _fact(self, held: HandleMatch) -> Fact:
        fact = from_document(held.document)
        return self._known.setdefault(fact.id, fact) or fact

    def get(self, id: str) -> Fact | None:
        if id not in self._known:
            _, self._known[id] = next(self.held([f"{IS}{id}"]), ("", None))
        return self._known[id]

    def named(self) -> frozenset[str]:
        """Returns the words of the names of the facts that were met and may be seen, stemmed."""
        seen = (one for one in self._known.values() if one and not self.asked.hides(one))
        return stems(" ".join(chain.from_iterable(one.names for one in seen)))

    def sees(self, stored: StoredPassage) -> bool:
        """Whether a passage may be seen: anything but a fact that is hidden or not in force."""
        if stored.document.kind != KIND:
            return True
        fact = from_document(stored.document, stored.passage.text)
        reason = self.asked.hides(fact)
        if reason == "superseded":
            self.replaced[fact.id] = fact
        return not reason

    def in_force(self, fact: Fact) -> tuple[Fact, ...]:
        """The fact, or what is in force in its place; nothing if that may not be seen."""
        found: dict[str, Fact] = {}
        seen = {fact.id}
        waiting = [fact]
        while waiting:
            one = waiting.pop()
            if self.asked.out_of_force(one) == "superseded":
                newer = [self.get(id) for id in one.superseded_by if id not in seen]
                seen.update(one.superseded_by)
                waiting += filter(None, newer)
                if not any(newer):
                    self.hidden.setdefault(one.id, "superseded")
            elif reason := self.asked.hides(one):
                self.hidden[one.id] = reason
            else:
                found[one.id] = one
        return tuple(found.values())


def facts_in_sight(question: Question, view: Store) -> Facts:
    """Returns the facts of a store as the question may see them."""
    query, scopes = question.query, question.filter.scopes
    return Facts(view, FactFilter(query.holder, scopes, as_of=query.as_of))


@stage("facts", otherwise=NOBODY)
def named_facts(question: Question, facts: Facts) -> Named:
    """Returns the facts that the question names, unless it asks for something else."""
    why = why_no_facts(question)
    if why:
        return skip(why, NOBODY)
    return _told(named(question.parsed.prose, facts))


@stage("facts")
def mentioned(question: str, facts: Facts) -> Named:
    """Returns the facts that a text names."""
    return _told(named(question, facts))


def _told(known: Named) -> Named:
    say(_in_words(known.mentions), found=len(known.mentions))
    return known


def _in_words(mentions: Sequence[Mention]) -> str:
    if not mentions:
        return "no fact is named"
    parts = [f"“{m.said}” → {m.fact.id} ({m.how}: {m.why})" for m in mentions[:6]]
    return "; ".join(parts) + (" …" if mentions[6:] else "")


def why_no_facts(question: Question) -> str:
    """Returns why a question is not answered by facts; nothing where it may be."""
    policy, limits = question.policy, question.filter
    if not policy.facts:
        return "switched off"
    if policy.by == "semantic":
        return "the search is semantic"
    if limits.kinds is not None and KIND not in limits.kinds:
        return "other kinds are asked for"
    if limits.sources is not None and SOURCE not in limits.sources:
        return "other sources are asked for"
    others = set(limits.limits) - {"owner", "scopes", "kinds", "sources"}
    return f"facts have no {', '.join(sorted(others))}" if others else ""


def named(question: str, facts: Facts) -> Named:
    text = words(question)
    if not text or facts.asked.scopes == ():
        return NOBODY
    exact = list(_exact(text, facts))
    wrong = list(_slips(text, [one.span for one in exact], facts))
    said = _longest([one for one in [*exact, *wrong] if one.to])
    meant = _meant(text, said, language(question))
    mentions: dict[str, Mention] = {}
    for one, why in sorted(meant, key=lambda pair: pair[0].span):
        for fact in one.to:
            quoted = _quoted(question, text, one.span)
            mentions.setdefault(fact.id, Mention(fact, _how(one), quoted, why))
    for mention in list(mentions.values()):
        for other in _participants(mention.fact, facts):
            brought = Mention(other, "relation", mention.fact.title, "takes part in it")
            mentions.setdefault(other.id, brought)
    hidden = Counter(why for id, why in facts.hidden.items() if id not in mentions)
    return Named(tuple(mentions.values()), hidden)


def _quoted(question: str, text: Sequence[TextWord], span: NameSpan) -> str:
    return " ".join(word.written for word in text[span.first : span.last + 1]) or question


def _how(one: _NameUse) -> How:
    if one.span.slip:
        return "slip"
    return "name" if one.name == one.of.name else "alias"


def _exact(text: Sequence[TextWord], facts: Facts) -> Iterator[_NameUse]:
    places = spoken(text)
    held = by_id(fact for _, fact in facts.held(places))
    for fact in held.values():
        for name in fact.names:
            for span in _where(name, places, text):
                yield _NameUse(fact, name, span, facts.in_force(fact))


def _where(
    name: str, places: Mapping[str, Sequence[NameSpan]], text: Sequence[TextWord]
) -> Iterator[NameSpan]:
    """Where the text says the name."""
    for key in keys(name):
        yield from places.get(key, ())
    wanted = [word.forms[0] for word in words(name)]
    if len(wanted) > LONGEST:
        for first in range(len(text) - len(wanted) + 1):
            if [w.forms[0] for w in text[first : first + len(wanted)]] == wanted:
                yield NameSpan(first, first + len(wanted) - 1, name)


def _slips(text: Sequence[TextWord], taken: Sequence[NameSpan], facts: Facts) -> Iterator[_NameUse]:
    """Names that are said with one slip. A word that misses two different names equally is
    neither."""
    odd = strange(text, taken)
    if not odd:
        return
    places = slip_handles(text, odd)
    found: dict[NameSpan, dict[str, list[_NameUse]]] = {}
    for handle_, fact in facts.held(places):
        for name, span in product(fact.names, places.get(handle_, ())):
            for key in keys(name)[:1]:
                if slipped(span, key, text, odd):
                    one = _NameUse(fact, name, span, facts.in_force(fact))
                    found.setdefault(span, {}).setdefault(key, []).append(one)
    for meant in found.values():
        ids = {tuple(sorted(f.id for one in some for f in one.to)) for some in meant.values()}
        if len(ids) == 1:
            yield from chain.from_iterable(meant.values())


def _longest(said: Sequence[_NameUse]) -> list[_NameUse]:
    """Without the names that lie inside a longer one. A question is listed beside the facts, so
    its names hide none of theirs."""
    hiding = {one.span for one in said if any(f.type != "open_question" for f in one.to)}
    return [one for one in said if not any(map(one.span.inside, hiding))]


def _meant(
    text: Sequence[TextWord], said: Sequence[_NameUse], tongue: str
) -> Iterator[tuple[_NameUse, str]]:
    """Those that are meant, each with why: an ordinary word may mean something else."""
    common = [is_common(one.name, tongue) for one in said]
    fields: dict[tuple[int, bool, frozenset[str]], set[str]] = {}  # many facts may have one name
    for one, doubtful in zip(said, common, strict=True):
        place = (one.span.first, not doubtful, _scopes(one))
        fields.setdefault(place, set()).add(one.of.id)
    for one, doubtful in zip(said, common, strict=True):
        if not doubtful:
            yield one, "one letter off" if one.span.slip else "named whole"
            continue
        own = _scopes(one)
        beside = [
            (first, certain)
            for (first, certain, scopes), ids in fields.items()
            if not own.isdisjoint(scopes) and ids != {one.of.id}
        ]
        about = ". ".join((*one.of.names, one.of.text, one.of.why))
        verdict = sense(text, one.span.first, one.of.names, about, beside)
        if verdict.meant:
            yield one, verdict.why


def _scopes(one: _NameUse) -> frozenset[str]:
    return frozenset(chain.from_iterable(fact.scopes for fact in one.to))


def _participants(fact: Fact, facts: Facts) -> Iterator[Fact]:
    found = (facts.get(one.id) for one in fact.participants if fact.type == "relation")
    return chain.from_iterable(map(facts.in_force, filter(None, found)))
