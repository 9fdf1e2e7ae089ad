"""Statements of one thing with different values: which of them holds now, and what held before.

The first statement that is shown is compared with those of another time:

    by words     it shares half of its words with the other, which has the question's words as
                 well, or a number of the same unit
    by turn      the other says that something is otherwise now, or the first was only proposed, and
                 it has, with its title and the sentences beside it, most of the question's words
                 that the first has by itself
    by meaning   z(statement, passage) + z(passage, passage)
                   + (z(question, sentence) + z(statement, sentence)) / 2 ≥ SURE;
                 the other says that something is otherwise, where the first has only the time of
                 its file: files are made of many days

A z-score is a cosine in standard deviations from the mean of the pool, so that neither the model
nor the store sets its scale. The *guard* is for both: each has a value of the same kind (a number,
a name, a negation), and the other is not the same said of something else. What only comes near is
shown with it if it is later, named if it is earlier, and nothing is said of it. Dates are those of
:mod:`recollect.text.stated`; in a session a later turn is later.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import chain, pairwise
from math import fsum, inf, sqrt
from operator import itemgetter

from recollect import ports
from recollect.facts import KIND, from_document
from recollect.named_tuple import NamedTuple
from recollect.nouns import SPOKEN, Candidate, Document, Earlier, Hit, StoredPassage, Stretch
from recollect.ports import Embedder
from recollect.reading.nearness import nearness
from recollect.reading.pool import (
    Pool,
    best_by_document,
    by_document,
    raised,
    share,
)
from recollect.reading.statement import (
    SHARED,
    Moment,
    Statement,
    agree,
    content,
    is_rival,
    is_twin,
    names_in,
    particulars_in,
    shares_kind,
    words_in,
)
from recollect.text.headings import HEADING
from recollect.text.questions.asking import is_question
from recollect.text.sentences import units
from recollect.text.stated import undated
from recollect.text.statements.turning import BACK, TURN, asked_as, turns
from recollect.text.stopwords import language
from recollect.text.terms import stems

SURE, NEAR = 6.5, 3.5
"""Scores from which a statement replaces another, or is only shown with it, read with the encoder
that ships (``python -m bench.in_force``): a correction that is hidden costs more than a sentence.
In a talk that goes on, what is near is seldom the same thing: nothing in it replaces anything by
meaning alone; nor is anything replaced that may not even answer."""
POSSIBLE = 0.45
"""How sure what is only shown with an answer is at most, unless it was found by itself."""
NEARLY = 0.1
"""By how much a later fact may be less sure than what it comes before."""
LIKELY, EARLIER = 2.0, 3.0
"""The first two scores of a passage that is looked at, and of one that is named as earlier."""
LATER, SENTENCES, BEFORE = 2, 4, 3
"""So many later passages, and sentences of each, are compared; so many earlier ones are named."""
CHANGES = 4
"""What is said alike of more things than this is a list ("berth 1 is free", "berth 2 is free"), and
no value that changed."""
FEW = 20
"""Documents without which a mean and a deviation say nothing."""
LOOKED_AT = 20
"""So many of the best are compared by words."""
FEW_WORDS = 0.3
"""The share of the question's words that a statement has by which it is known to be asked for."""
TURNED, SOME_OF, MOST_OF = 2, 0.15, 0.6
"""Words of the question that a statement has at least, with its title, of which another may turn;
what those without its title are worth of all; and the share that the other has with what stands
around it. A name in a title says of what a note is, and not what is asked of it."""
IN_COMMON = 2
"""Words of the question or the statement that a later one has which is shown with it."""
BESIDE = 100
"""Characters before and after a statement that may say what it is about."""
Documents = Sequence[Sequence[Statement]]
"""The statements of the best passage of each of the best documents."""


class Group(NamedTuple):
    """Statements of one thing."""

    latest: Statement
    earlier: tuple[Statement, ...] = ()
    """Those that it replaced, last first."""
    later: tuple[Statement, ...] = ()
    """Others that may be of the same thing, and were said after the one that is shown."""
    before: tuple[Statement, ...] = ()
    """The same of those that were said before it."""
    alike: tuple[Statement, ...] = ()
    """Later ones that only share words with it."""
    is_by_meaning: bool = False
    """Whether nothing but what they mean tells that it replaced them."""


def led(candidates: Sequence[Candidate], pool: Pool) -> tuple[Candidate, ...]:
    """Puts a fact that answers as well as the first before it, if it is later: it was written down
    as what holds."""
    first = candidates[0]
    when = pool.stored(first).document.date
    for fact in candidates[1:]:
        document = pool.stored(fact).document
        if (
            document.kind == KIND
            and when
            and _looked_at(document) > when
            and fact.confidence >= max(pool.of.policy.direct_confidence, first.confidence - NEARLY)
        ):
            return (
                raised(fact, first.score + 1, "in force", first.confidence),
                first,
                *(one for one in candidates[1:] if one is not fact),
            )
    return tuple(candidates)


def _looked_at(document: Document) -> datetime:
    """Returns when somebody wrote a fact down, or last changed it by hand."""
    fact = from_document(document)
    by_hand = (one.at for one in fact.provenance if one.action == "changed" and not one.channel)
    return max((document.date or fact.created_at, *by_hand))


def group(first: Candidate, stretches: Sequence[Stretch], pool: Pool, now: datetime) -> Group:
    """Returns what is known of other times to the first thing that is shown."""
    own = [
        Statement(first, pool.passages[s.passage], s.start + start, s.start + end)
        for s in stretches
        for start, end in units(pool.passages[s.passage].passage.text[s.start : s.end])
    ]
    asked = frozenset(pool.of.parsed.content)
    shown = _asked_for([one for one in own if not one.is_head] or own, asked, pool)
    speaks = (shown.values or not shown.holds) and not (shown.is_head or shown.is_code)
    if not speaks or not shown.said.date:
        return Group(shown)
    embedder = pool.of.models.embedder
    best = [_statements(c, pool.stored(c), shown, pool) for c in pool.best[:LOOKED_AT]]
    named = particulars_in(pool.of.parsed.prose) & _around(shown)
    turned = _turned_from(shown, own, best, named, pool)
    rivals = [*{one.stretch: one for one in (*_rivals(shown, best, named, pool), *turned)}.values()]
    if len(rivals) > CHANGES:
        return Group(shown)
    later: list[Statement] = []
    before: list[Statement] = []
    by_meaning = not rivals
    if by_meaning and embedder and pool.by_meaning:
        scored, before = _by_meaning(shown, asked, pool, embedder)
        least = SURE if first.confidence >= pool.of.policy.direct_confidence else inf
        sure = (one for score, one in scored if score >= least and not _in_talk(one))
        said = [one for one in sure if shown.said.by != "file" or turns(one.text)]
        rivals = [one for one in said if _may_replace(one, shown, named)]
        later = [one for score, one in scored if score >= NEAR and one not in rivals]
    known = [one for one in (shown, *rivals) if _is_said_by(now, one)] or [shown]
    line = _turned(sorted(known, key=Moment), shown)
    line = [one for one in line if one.holds] or line
    line = _followed(line, best, named, pool, now)
    alike = _beside(line[-1], best, pool, now)
    return Group(
        line[-1],
        tuple(reversed(line[:-1])),
        tuple(later),
        tuple(before),
        tuple(alike),
        is_by_meaning=by_meaning,
    )


def _rivals(
    shown: Statement, best: Documents, named: frozenset[str], pool: Pool
) -> list[Statement]:
    """Returns the statements of other times that are of the same thing by their words."""
    aspect = _aspect(shown, pool)
    if not aspect:
        return []
    found = chain(_by_words(shown, best, aspect, pool), _by_turn(shown, best, aspect, pool))
    said = {one.stretch: one for one in found}.values()
    return [one for one in said if _same_speaker(one, shown) and _may_replace(one, shown, named)]


def _may_replace(one: Statement, shown: Statement, named: frozenset[str]) -> bool:
    """Whether it has what the question names, and holds, or both do not."""
    return (one.holds or not shown.holds) and named <= _around(one)


def _aspect(shown: Statement, pool: Pool) -> frozenset[str]:
    """Returns the words of the question that say what is asked of a thing: those that a statement
    has by itself and not in its title; all that it has, if these are most of them. Where there are
    none the statement is not what is asked for, and nothing that turned from it is. That something
    is new, or was changed, is said of many things."""
    asked = frozenset(pool.of.parsed.content) - content(asked_as(pool.of.parsed.prose))
    has = asked & shown.words
    whole = has if share(pool.worth, has) >= MOST_OF else frozenset[str]()
    names = _names(pool)
    return has - shown.title - names or whole - names


def _turned(line: Sequence[Statement], shown: Statement) -> list[Statement]:
    """Returns a line of statements without those that the next one bears out; what is shown stands
    for what only repeats it."""
    kept = [line[-1]]
    for one in reversed(line[:-1]):
        if not one.holds or not agree(one, kept[0]):
            kept.insert(0, one)
        elif one is shown:
            kept[0] = one
    return kept


def _is_said_by(now: datetime, one: Statement) -> bool:
    return one.said.date is None or one.said.date <= now


def _followed(
    line: list[Statement], best: Documents, named: frozenset[str], pool: Pool, now: datetime
) -> list[Statement]:
    """Returns a line of statements with those that turned from its last one in their turn: who had
    a post, who took it over, and who has it now."""
    if not 1 < len(line) <= CHANGES:
        return line
    known = [[one for one in some if _is_said_by(now, one)] for some in best]
    while len(line) <= CHANGES:
        last = line[-1]
        rivals = _rivals(last, known, named, pool)
        later = [one for one in rivals if one.after(last) and not agree(one, last)]
        if not later:
            break
        line = [*line, min(later, key=Moment)]
    return line


def _asked_for(own: Sequence[Statement], asked: frozenset[str], pool: Pool) -> Statement:
    """Returns the statement that the question asks for: the one with most of its words, first of
    those that the title lacks; of several, or where none has more than a few of them, the
    nearest."""

    def worth(one: Statement) -> tuple[int, int, bool]:
        has = one.words & asked
        return len(has - one.title), len(has), bool(one.values)

    best = max(own, key=worth)
    few = share(pool.worth, best.words & asked) < FEW_WORDS
    most = worth(best)
    some = [one for one in own if one.values and (few or worth(one) == most)][:SENTENCES]
    if len(some) < 2 or not pool.by_meaning:
        return best
    near = nearness(pool, {one.stored.key for one in some})
    known = [near.of(one.stored.key, *one.stretch[1:]) for one in some]
    scores = [score for score in known if score is not None]
    if len(scores) < len(some):  # of some the store has no signs
        scores = _cosines(some, pool)
    return max(zip(some, scores, strict=True), key=itemgetter(1))[0] if scores else best


def _cosines(some: Sequence[Statement], pool: Pool) -> list[float]:
    """Returns how near these come to the question, encoded now; nothing without an embedder."""
    embedder = pool.of.models.embedder
    if embedder is None:
        return []
    question = embedder.embed_query(pool.of.parsed.prose)
    return [float(question @ one) for one in embedder.embed_passages([s.text for s in some])]


def _same_speaker(one: Statement, shown: Statement) -> bool:
    """Whether both are said by the same person, or not by one who has a name: what Ana wants of her
    team does not replace what Ben wants of his."""
    roles = {one.stored.passage.role, shown.stored.passage.role}
    return len(roles) == 1 or roles <= {"", *SPOKEN}


def _around(one: Statement) -> frozenset[str]:
    """The words of its title and of what stands around it, as they are written. Where one that is
    replaced has a name or a number that was asked for, the other must have it: what one doctor
    prescribes does not replace what another does, nor what room 240 holds what room 204 does."""
    text, (_, start, end) = one.stored.passage.text, one.stretch
    beside = text[max(0, start - BESIDE) : end + BESIDE]
    return frozenset(words_in(f"{one.stored.document.title}\n{beside}"))


def _in_talk(one: Statement) -> bool:
    return one.stored.document.kind == "session"


def _earlier(found: Group) -> tuple[Earlier, ...]:
    """Returns what was replaced, each with the time until which it held."""
    line = (found.latest, *found.earlier)
    return tuple(
        Earlier(
            one.stored.id,
            one.stored.document.external,
            one.stored.document.headline(one.text),
            " ".join(one.text.split()),
            one.said.date,
            after.said.date,
            one.said.by,
        )
        for after, one in pairwise(line)
    )


class Shown(NamedTuple):
    """The candidates that are shown, in order, and the parts of each."""

    candidates: tuple[Candidate, ...]
    stretches: Mapping[int, Sequence[Stretch]]

    def beside(self, first: Candidate, some: Iterable[Statement]) -> Shown:
        """Adds what was said later of the same thing behind the first."""
        some = list(some)
        score, sure = first.score - 1, min(first.confidence, POSSIBLE)
        more = [raised(one, score, "in force", sure) for one in self._new(some)]
        return Shown((first, *more, *self.candidates[1:]), self._with(some))

    def still_telling(self, gone: Collection[int], pool: Pool) -> Shown:
        """Leaves out those documents of which something was replaced (*gone*) where nothing is left
        that speaks of what is asked: neither the question that it replied to nor a turn beside it
        answers by itself. What is left of another is only possible, unless it has most of the
        words: the sentence by which it was found is no longer there."""
        asked = frozenset(pool.of.parsed.content)

        def told(part: Stretch) -> frozenset[str]:
            text = pool.passages[part.passage].passage.text[part.start : part.end]
            return frozenset() if is_question(text, typed=True) else asked & stems(text)

        def graded(one: Candidate) -> Candidate | None:
            parts = self.stretches.get(one.document, ()) if one.document in gone else ()
            left = [told(part) for part in parts if part.passage in pool.passages]
            most = max((share(pool.worth, words) for words in left), default=0.0)
            if not parts or most >= MOST_OF:
                return one
            sure = min(one.confidence, POSSIBLE)
            return one._replace(confidence=sure) if any(left) else None

        return self._replace(candidates=tuple(filter(None, map(graded, self.candidates))))

    def settled(
        self, turns: Iterable[tuple[Statement, Statement]], pool: Pool
    ) -> tuple[Shown, dict[int, tuple[Earlier, ...]]]:
        """Puts what is in force in the place of each statement that it is known to have replaced,
        and returns those with it, by its document."""
        order, stretches = list(self.candidates), dict(self.stretches)
        earlier: dict[int, tuple[Earlier, ...]] = {}
        gone: set[int] = set()
        for said, heir in turns:
            old, key = said.candidate.document, heir.candidate.document
            at = next(n for n, one in enumerate(order) if one.document == old)
            stretches[old] = _without(stretches[old], said)
            stretches[key] = _with(stretches.get(key, ()), heir.stretch)
            told = [one.text for one in earlier.get(key, ())]
            new = [one for one in _earlier(Group(heir, (said,))) if one.text not in told]
            earlier[key] = (*earlier.get(key, ()), *new)
            if old == key:
                continue
            gone.add(old)
            if key not in [one.document for one in order[:at]]:
                here = order[at]
                order = [one for one in order if one.document != key]
                order.insert(at, _in_place_of(here, heir))
        left = tuple(one for one in order if stretches.get(one.document, True))
        return Shown(left, stretches).still_telling(gone - earlier.keys(), pool), earlier

    def followed(self, some: Iterable[Statement]) -> Shown:
        """Adds what may have been said later of the same thing behind all else."""
        some = list(some)
        return Shown((*self.candidates, *self._new(some)), self._with(some))

    def _new(self, some: Sequence[Statement]) -> Collection[Candidate]:
        """Returns the documents of statements that are not shown yet."""
        known = {c.document for c in self.candidates}
        new = {s.candidate.document: s.candidate for s in some}
        return [one for document, one in new.items() if document not in known]

    def _with(self, some: Sequence[Statement]) -> dict[int, Sequence[Stretch]]:
        """Returns what is shown of each document, with these statements of it."""
        made = dict(self.stretches)
        for one in some:
            document = one.candidate.document
            made[document] = _with(made.get(document, ()), one.stretch)
        return made

    def instead(self, first: Candidate, found: Group) -> tuple[Shown, tuple[Earlier, ...]]:
        """Puts the latest in the place of what it replaced, which is returned as well. What else
        the documents of that say stays; all of it where only its meaning tells of the change."""
        if not found.earlier and found.latest.candidate.document == first.document:
            return self, ()
        key, own = found.latest.candidate.document, found.latest.stretch
        left = {**self.stretches, key: _with(self.stretches.get(key, ()), own)}
        for one in () if found.is_by_meaning else found.earlier:
            document = one.candidate.document
            left[document] = _without(left.get(document, ()), one)
        heir = _in_place_of(first, found.latest)
        rest = (c for c in self.candidates if c.document != key and left.get(c.document, True))
        return Shown((heir, *rest), left), _earlier(found)


def _in_place_of(former: Candidate, heir: Statement) -> Candidate:
    """Returns the candidate of a statement that stands for another one, as sure as that was."""
    one = raised(heir.candidate, former.score, "in force", former.confidence)
    return one._replace(confidence=max(one.confidence, former.confidence))


def _with(parts: Sequence[Stretch], own: Stretch) -> Sequence[Stretch]:
    """Returns parts of a document with one more, where they do not have it."""
    if any(_covers(part, own) for part in parts):
        return parts
    return tuple(sorted([*parts, own], key=lambda s: (s.passage, s.start)))


def _without(parts: Sequence[Stretch], said: Statement) -> tuple[Stretch, ...]:
    """Returns parts of a document without a statement, and without what is only a heading or a
    mark then."""
    own, text = said.stretch, said.stored.passage.text
    kept: list[Stretch] = []
    for part in parts:
        if part.passage != own.passage or own.end <= part.start or part.end <= own.start:
            kept.append(part)
            continue
        sides = ((part.start, own.start), (own.end, part.end))
        kept += [Stretch(part.passage, a, b) for a, b in sides if a < b and _says(text[a:b])]
    return tuple(kept)


def _says(text: str) -> bool:
    """Whether a text has more than headings, marks and a date."""
    return re.search(r"\w", undated(HEADING.sub("", text).strip())) is not None


def _covers(part: Stretch, own: Stretch) -> bool:
    return part.passage == own.passage and part.start <= own.start and own.end <= part.end


# ------------------------------------------------------------------ by words


def _by_words(
    shown: Statement, best: Documents, aspect: frozenset[str], pool: Pool
) -> Iterator[Statement]:
    """Yields the statement of each of the best documents that says it in nearly the same words."""
    asked = frozenset(pool.of.parsed.content)
    names = content(" ".join(_named(shown.names, shown.text)))
    for some in best:
        alike = [
            one
            for one in _without_twins(some, shown, pool)
            if (aspect & one.words or shown.units & one.units)
            and (
                (
                    len(shown.words & one.words) >= max(2, SHARED * len(shown.words))
                    and shown.words & one.words - names
                )
                or _is_the_same(one, shown, asked)
            )
            and len(asked & (shown.words | one.words)) >= SHARED * len(asked)
            and (asked & shown.words <= one.words or shown.units & one.units)
            and is_rival(shown, one)
            and not _goes_on(one, shown)
        ]
        if alike:
            yield max(alike, key=lambda one: len(shown.words & one.words))


def _is_the_same(one: Statement, shown: Statement, asked: frozenset[str]) -> bool:
    """Whether both say what the same thing is, in words that differ by names alone, and neither
    is under a title that was asked for and the other is not."""
    names = content(" ".join(one.names | shown.names))
    same = one.predicate & shown.predicate & asked and one.predicate ^ shown.predicate <= names
    return bool(same) and asked & (shown.words | shown.title) <= one.words | one.title


def _goes_on(one: Statement, shown: Statement) -> bool:
    """Whether neither turns from the other, and one only goes on from it: in the same talk, or with
    all its numbers and more of them."""
    if TURN.search(one.text) or TURN.search(shown.text):
        return False
    these, those = _numbers(one), _numbers(shown)
    same = one.stored.document.id == shown.stored.document.id and _in_talk(one)
    return same or (bool(these and those) and (these < those or those < these))


def _numbers(one: Statement) -> frozenset[str]:
    return one.values.get("number", frozenset())


def _by_turn(
    shown: Statement, best: Documents, aspect: frozenset[str], pool: Pool
) -> Iterator[Statement]:
    """Yields the later statement that says of what was asked that it is otherwise now: "Key safe:
    new combination 3358." in the minutes of the house that was asked about; or, of what was only
    proposed or left open, what it came to. Of several it is the one with most of the words, or else
    the last."""
    asked = frozenset(pool.of.parsed.content)
    wanted = asked & (shown.words | shown.title)
    if len(wanted) < TURNED or share(pool.worth, asked & shown.words) < SOME_OF:
        return
    turned: list[tuple[int, Moment]] = []
    for some in best:
        for n, one in enumerate(some):
            if (
                not _in_talk(one)
                and _is_of(aspect, n, some, shown)
                and (not shown.holds or _turns(one, shown, pool))
                and (one.after(shown) or _counts_anew(one, shown))
            ):
                turned.append((len(wanted & _words_at(n, some)), Moment(one)))
    most = max(turned, default=None)
    if most and most[0] >= MOST_OF * len(wanted):
        yield most[1].statement


def _turned_from(
    shown: Statement, own: Sequence[Statement], best: Documents, named: frozenset[str], pool: Pool
) -> list[Statement]:
    """Returns the earlier statements from which the one that is shown turned: "Back to Kolber for
    the jetty pump." may be found before those that say for what."""
    if not turns(shown.text):
        return []
    asked = frozenset(pool.of.parsed.content)

    def is_before(one: Statement) -> bool:
        if not shown.after(one) or len(asked & one.words) < TURNED:
            return False
        turned = _by_turn(one, [own], _aspect(one, pool), pool)
        return any(later.stretch == shown.stretch for later in turned)

    earlier = filter(is_before, chain.from_iterable(best))
    return [one for one in earlier if _same_speaker(one, shown) and named <= _around(one)]


def _is_of(aspect: frozenset[str], n: int, some: Sequence[Statement], shown: Statement) -> bool:
    """Whether a statement has half of the words that say what is asked of a thing; "We went back to
    60 minutes" where what stands around it has all of them, and it counts the same or has one of
    the numbers."""
    one = some[n]
    if len(aspect & one.words) >= SHARED * len(aspect):
        return True
    same = one.units & shown.units or _numbers(one) & _numbers(shown)
    back = same and BACK.search(one.text) is not None
    return bool(back) and aspect <= _words_at(n, some)


def _counts_anew(one: Statement, shown: Statement) -> bool:
    """Whether it counts the same and has a date that was said, where the other has only that of its
    file, which may be a copy: nobody knows which is the later, and a plan or a remark often is the
    earlier."""
    return one.outdates(shown) and not one.units.isdisjoint(shown.units)


def _turns(one: Statement, shown: Statement, pool: Pool) -> bool:
    return turns(one.text) and shares_kind(shown, one) and not _is_twin(one, shown, pool)


def _beside(shown: Statement, best: Documents, pool: Pool, now: datetime) -> list[Statement]:
    """Returns the later statements, one of a document, that may be of the same thing by their
    words: more of them where none says that something is otherwise now. Talks have such words
    again and again. What has only the time of a copied file may be older than what has a date."""
    asked = frozenset(pool.of.parsed.content)
    about, topic = shown.words | asked, asked - _names(pool)
    found: list[tuple[int, Statement]] = []
    for some in best:
        counted = ((len(one.words & about), one) for one in some if one.words & topic)
        likely = [
            (count, one)
            for count, one in counted
            if (count > IN_COMMON or (count == IN_COMMON and TURN.search(one.text)))
            and not _in_talk(one)
            and shares_kind(shown, one)
            and (one.after(shown) or one.outdates(shown))
            and _is_said_by(now, one)
        ]
        found += [max(likely, key=itemgetter(0))] if likely else []
    found.sort(key=lambda pair: (bool(pair[1].after(shown)), pair[0]), reverse=True)
    return [one for _, one in found[:LATER]]


def _words_at(n: int, some: Sequence[Statement]) -> frozenset[str]:
    """The words of a statement, of those beside it and of the title of its document."""
    beside = chain.from_iterable(one.words for one in some[max(0, n - 1) : n + 2])
    return some[n].title.union(beside)


def _statements(
    candidate: Candidate, stored: StoredPassage, shown: Statement, pool: Pool
) -> list[Statement]:
    """Returns the sentences of another passage."""
    text, begin = stored.passage.text, pool.begin(stored)
    every = [Statement(candidate, stored, begin + a, begin + b) for a, b in units(text[begin:])]
    says = (one for one in every if one.text and not (one.is_head or one.is_code))
    return [one for one in says if one.stretch != shown.stretch]


def _without_twins(some: Sequence[Statement], shown: Statement, pool: Pool) -> Sequence[Statement]:
    """Returns the statements of a passage; where one says the same of something else, those alone
    that have all that was asked for of what is shown."""
    asked, names = frozenset(pool.of.parsed.content), _names(pool)
    left = [one for one in some if not is_twin(shown, one, asked, names)]
    if len(left) == len(some):
        return some
    wanted = shown.words & asked
    return [one for one in left if wanted <= one.words]


def _is_twin(one: Statement, shown: Statement, pool: Pool) -> bool:
    return is_twin(shown, one, frozenset(pool.of.parsed.content), _names(pool))


def _names(pool: Pool) -> frozenset[str]:
    """The words of the question that are names."""
    said = pool.of.parsed.prose
    return content(" ".join(_named(names_in(said), said)))


def _named(some: Iterable[str], text: str) -> Iterable[str]:
    """Returns those words with a capital that name somebody or something: in German every noun has
    one, and says no more than another word."""
    return () if language(text) == "de" else some


# ------------------------------------------------------------------ by meaning


class _Scores:
    """The cosines of passages to one vector."""

    def __init__(self, hits: Sequence[Hit]) -> None:
        self.hits = best_by_document(hits)
        scores = [hit.score for hit in self.hits.values()] or [0.0]
        self.mean, self.least = fsum(scores) / len(scores), min(scores)
        squares = fsum((score - self.mean) ** 2 for score in scores)
        self.deviation = sqrt(squares / len(scores)) or 1.0

    def z(self, cosine: float) -> float:
        return (cosine - self.mean) / self.deviation

    def of(self, document: int) -> float:
        return self.z(self.hits[document].score if document in self.hits else self.least)


def _by_meaning(
    shown: Statement, asked: frozenset[str], pool: Pool, embedder: Embedder
) -> tuple[list[tuple[float, Statement]], list[Statement]]:
    """Returns the best statement of the later passages that come nearest, with its score, and
    statements of the nearest earlier ones."""
    view, of, stored = pool.of.view, pool.of, shown.stored

    def scores(near: ports.Vector | int) -> _Scores:
        found = view.search_vector(embedder.key, near, of.filter, limit=of.policy.pool)
        return _Scores(found.hits)

    said = embedder.embed_query(shown.text)
    by_said = scores(said)
    if len(by_said.hits) < FEW:
        return [], []
    by_passage = scores(stored.key)
    if not by_passage.hits:
        return [], []
    both = {key: by_said.of(key) + by_passage.of(key) for key in by_said.hits}
    both.pop(shown.candidate.document, None)
    near = sorted(both, key=lambda key: -both[key])
    hits = [by_said.hits[key] for key in near if both[key] >= LIKELY]
    sides = _sides(shown, hits, pool)
    known = (some[0] for some in sides[False])
    before = [one for one in known if both[one.candidate.document] >= EARLIER][:BEFORE]
    near_words = partial(_nearest, words=asked | shown.words)
    rivals = list(chain.from_iterable(map(near_words, sides[True][:LATER])))
    if not rivals:
        return [], before
    question = embedder.embed_query(of.parsed.prose)
    by_question = scores(question)
    best: dict[int, tuple[float, Statement]] = {}
    vectors = embedder.embed_passages([one.text for one in rivals])
    for one, vector in zip(rivals, vectors, strict=True):
        nearness = by_question.z(float(question @ vector)) + by_said.z(float(said @ vector))
        score = both[one.candidate.document] + nearness / 2
        former = best.get(one.candidate.document, (-inf, one))
        best[one.candidate.document] = max(former, (score, one), key=itemgetter(0))
    return list(best.values()), before


def _nearest(some: Sequence[Statement], words: frozenset[str]) -> list[Statement]:
    return sorted(some, key=lambda one: -len(one.words & words))[:SENTENCES]


def _sides(
    shown: Statement, hits: Sequence[Hit], pool: Pool
) -> Mapping[bool, list[list[Statement]]]:
    """Returns the sentences of these passages that the guard lets through, of each passage that
    was said after the one that is shown, and of each that was said before it."""
    sides: dict[bool, list[list[Statement]]] = {True: [], False: []}
    graded = by_document(pool.best)
    for hit, stored in zip(hits, pool.of.view.passages([h.passage for h in hits]), strict=False):
        if hit.passage != stored.key or not pool.of.shows(stored):
            continue
        candidate = graded.get(hit.document) or Candidate(hit.document, hit.passage, 0.0, ())
        some = _without_twins(_statements(candidate, stored, shown, pool), shown, pool)
        rivals = [one for one in some if is_rival(shown, one)]
        if rivals:
            sides[bool(rivals[0].after(shown))].append(rivals)
        if len(sides[True]) >= LATER and len(sides[False]) >= BEFORE:
            break
    return sides
