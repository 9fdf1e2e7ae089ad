"""The spans of the candidates that carry evidence: what is shown.

    log-odds(unit) = prior + Σ weight · feature

A unit is a sentence of prose or a line of anything else; a small block of code is one, and so is a
passage that is short. What tells a unit that holds the evidence is how near its passage comes to
the best one, in score and in rank, in which place its document stands, and how many of the
question's words it has beside the best unit of its passage, and how near it comes to the question
beside the nearest of all, where the store has the signs of its sentences
(:mod:`recollect.reading.nearness`). The weights, with nearness and without (``spans.json``), are
fitted on many domains (``python -m bench.unseen --fit FOLDER``).

Units are taken best first, until what is left is not worth its tokens (``Policy.worth_span``) or
they are as many as a share of what the ten best passages would cost (``Policy.share``), or the
budget. So a question whose sentences lie close together gets more text than one whose best stands
out, and a budget cuts around the evidence. Where it is doubtful that anything answers, the share
is one of a few hundred tokens at most; where it is not, one of a few hundred at least: short texts
are cheap, and what was left out of them was often the answer. Neighbouring units are joined, and a
gap that is too short to be worth a sign is filled. The best turns of a talk come with the short
ones around them, if there is room, and what an assistant said last with the few words by which the
user takes it or does not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from itertools import chain
from math import inf, log, log1p, sqrt
from operator import attrgetter
from pathlib import Path
from statistics import median
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    REGISTRY,
    Candidate,
    Document,
    Policy,
    StoredPassage,
    Stretch,
    group_by,
    partition,
)
from recollect.reading.nearness import Nearness, nearness
from recollect.reading.pool import Pool, probability, share
from recollect.text.questions.asking import asks_how_to, is_question
from recollect.text.terms import stems
from recollect.text.tokens import count_tokens
from recollect.text.units import MARKS, SHORT, first_row, has_code, units_of

HEADER = 6
"""Tokens that naming a document takes beside its id, title, path and heading."""
REPLY = 25
"""Tokens of a turn that may need the one before it, or decide about that."""
_NUMBER = re.compile(r"[\s>]*(?:[-*+•–]\s+)?\d{1,3}[.)]?\s*")
"""The number of an item, which says nothing without it."""
TURNS, AROUND = 2, 2
"""So many of the best turns of talks are shown with so many turns before and after them."""
GAP = 12
"""Tokens of a gap between two spans that is filled."""
RECORDS = frozenset({"discussion", "decision", "audit", "file", "commit"})
BRIEF = 60
"""Tokens of a project record that are shown: there are many of them, and each says one thing."""
PLAIN = 10
"""Passages that a share is a share of."""
DOUBTED = 600
"""Tokens that it is a share of at most where it is doubtful that any of it answers."""
LITTLE = 500
"""Elsewhere, tokens that it is a share of at least."""
FAINT, LAST = 0.4, 100
"""Documents so many times as unlikely as the least sentence may be (``Policy.worth_span``), beside
the likeliest document, have no more than so many tokens together, whatever words their lines
have."""
MUCH = 0.6
"""The share of what a few words are worth, of the most that any document has of them, from which on
a document is shown: a word may be there in another form."""
BY_MUCH = 0.5
"""The share of the best sentence's likelihood from which on one is shown for a few words though it
has none of them, where none has all: the sentence beside them often tells what is looked for."""
FEATURES = (
    "gap", "rank", "coverage", "behind", "units", "place", "behind_units", "near_gap",
)  # fmt: skip
KINDS: Mapping[str, int] = {"words": 7, "sentences": 8}
"""How many of the features there are without the nearness of sentences, and with it."""


class Unit(NamedTuple):
    """A sentence, a line or a short passage, and how likely it holds evidence."""

    document: int
    passage: int
    start: int
    end: int
    tokens: int
    features: tuple[float, ...]
    value: float = 0.0

    @property
    def coverage(self) -> float:
        """What its words of the question are worth, of what all are worth."""
        return self.features[FEATURES.index("coverage")]

    @property
    def has_words(self) -> bool:
        return self.coverage > 0


class Selected(NamedTuple):
    """What is shown of the candidates."""

    stretches: Mapping[int, tuple[Stretch, ...]]
    """By document, best first; of each in the order of its text."""
    added: Mapping[int, StoredPassage]
    """Turns that are shown because the one after them answers them, because they stand beside the
    best ones, or because they decide about the one before them."""
    left: int
    """How many units were worth it and did not fit."""
    over: frozenset[int]
    """The documents of these, where it is the budget that they did not fit."""

    @property
    def spans(self) -> int:
        return sum(map(len, self.stretches.values()))


class Weights(NamedTuple):
    """Those of one kind of evidence."""

    prior: float
    of: tuple[float, ...]


@cache
def _weights() -> Mapping[int, Weights]:
    data = json.loads(Path(__file__).with_name("spans.json").read_text("utf-8"))
    return read(data)


def read(data: Mapping[str, Any]) -> Mapping[int, Weights]:
    """Returns the weights of each kind as the file has them, by how many features it has."""
    return {
        many: Weights(
            data[kind]["prior"], tuple(data[kind]["weights"][name] for name in FEATURES[:many])
        )
        for kind, many in KINDS.items()
    }


def selected(candidates: Sequence[Candidate], pool: Pool) -> Selected:
    """Returns the spans of these documents, which come best first, that are worth their tokens."""
    policy = pool.of.policy
    places = _places(candidates, pool)
    every = valued(_measured(places, pool))
    if asks_how_to(pool.of.parsed.prose):
        every = _code_first(every, pool)
    worth = _share(places, pool)
    room = worth if policy.budget is None else min(worth, policy.budget)
    brief = {c.document for c in candidates if _is_record(pool.stored(c).document)}
    least = _least(every, policy.worth_span) if policy.cut else 0.0
    if pool.of.parsed.terse:  # what has the words is wanted, wherever they occur
        least, every = 0.0, _with_words(every, least, pool)
    headers = {c.document: _header(pool, c.passage) for c in candidates}
    if policy.cut and pool.by_meaning:  # words alone cannot tell
        every = _less_faint(every, _faint(candidates, policy), headers)
    chosen, left = _taken(every, least, room, brief, headers)
    over = frozenset(unit.document for unit in left if room < worth)
    chosen += _first_rows(chosen, pool)
    stretches, added = _with_questions(_stretches(chosen, pool), pool)
    if policy.cut and not pool.of.parsed.terse:
        spent = sum(unit.tokens for unit in chosen) + sum(headers[key] for key in stretches)
        stretches, added = _with_turns(stretches, added, chosen, room - spent, pool)
        if not pool.doubtful:
            spent += sum(count_tokens(one.passage.text) for one in added.values())
            left_over = float("inf") if policy.budget is None else policy.budget - spent
            stretches, added = _with_decisions(stretches, added, left_over, pool)
    return Selected(stretches, added, len(left), over)


def _is_record(document: Document) -> bool:
    """Whether it was recorded as one thing; a file itself is a text like others, and so is a
    decision that stands in one."""
    return document.kind in RECORDS and (document.origin == REGISTRY or not document.path)


# ------------------------------------------------------------------ what is known of a unit


class _Place(NamedTuple):
    """A passage among the others."""

    candidate: Candidate
    document: int
    """The place of its document."""
    score: float


def _places(candidates: Sequence[Candidate], pool: Pool) -> list[_Place]:
    """Returns the passages of the candidates with their fused scores, best first. What came in on
    another way (a hop, a successor) has no such score, and takes that of the one before it."""
    fused = {c.passage: c.score for c in pool.fused}
    least = max(fused.values(), default=0.0)
    found = []
    for place, candidate in enumerate(candidates):
        own = fused.get(candidate.passage)
        least = min(least, own) if own else least
        found.append(_Place(candidate, place, own or least))
        others = pool.others.get(candidate.document, ())
        found += [_Place(o, place, o.score) for o in others if o.passage != candidate.passage]
    return sorted(found, key=lambda one: -one.score)


def measured(candidates: Sequence[Candidate], pool: Pool) -> list[Unit]:
    """Returns the units of the candidates' passages, with their features."""
    return _measured(_places(candidates, pool), pool)


def _measured(places: Sequence[_Place], pool: Pool) -> list[Unit]:
    top = places[0].score if places else 0.0
    units = (_units(place, n, top - place.score, pool) for n, place in enumerate(places))
    every = list(chain.from_iterable(units))
    near = nearness(pool, {unit.passage for unit in every})
    return _with_nearness(every, near) if near else every


def _with_nearness(every: Sequence[Unit], near: Nearness) -> list[Unit]:
    """Returns the units with how far they are behind the nearest. One of which nothing is known is
    as far as most are."""
    known = [near.of(unit.passage, unit.start, unit.end) for unit in every]
    told = [score for score in known if score is not None]
    if not told:
        return list(every)
    usual, most = median(told), max(told)
    return [
        unit._replace(features=(*unit.features, most - (usual if score is None else score)))
        for unit, score in zip(every, known, strict=True)
    ]


def _units(place: _Place, rank: int, gap: float, pool: Pool) -> Iterator[Unit]:
    """Yields the units of one passage."""
    stored, worth = pool.passages[place.candidate.passage], pool.worth
    text = stored.passage.text
    ranges = pool.entries.get(stored.key) or [(pool.begin(stored), len(text))]
    parts = [one for start, end in ranges for one in units_of(text[:end], start, blocks=True)]
    covered = [share(worth, words) for words in _said_in(text, parts, worth)]
    best, many = max(covered, default=0.0), log(max(1, len(parts)))
    for (start, end, tokens), own in zip(parts, covered, strict=True):
        if _NUMBER.fullmatch(text, start, end):
            continue
        behind = best - own
        features = (
            gap, log1p(rank), own, behind, many, log1p(place.document), many * behind
        )  # fmt: skip
        yield Unit(place.candidate.document, stored.key, start, end, tokens, features)


def _said_in(
    text: str, parts: Iterable[tuple[int, int, int]], wanted: Collection[str]
) -> Iterator[Set[str]]:
    """Yields the words of each unit; of a row of a table that has any that is wanted and not in the
    first row, those of the first row as well."""
    for start, end, _ in parts:
        words = stems(text[start:end])
        first, last = first_row(text, end)
        columns = stems(text[first:last]) if last <= start else frozenset()
        yield words if (words - columns).isdisjoint(wanted) else words | columns


def valued(every: Sequence[Unit]) -> list[Unit]:
    """Returns the units with their worth, best first: half their own, half that of the best of
    their passage, for evidence is often the sentence beside the one that has the words."""
    prior, weights = _weights()[len(every[0].features)] if every else Weights(0.0, ())
    own = [
        probability(prior + sum(w * f for w, f in zip(weights, unit.features, strict=True)))
        for unit in every
    ]
    best: dict[int, float] = {}
    for unit, value in zip(every, own, strict=True):
        best[unit.passage] = max(best.get(unit.passage, 0.0), value)
    made = [
        unit._replace(value=(value + best[unit.passage]) / 2)
        for unit, value in zip(every, own, strict=True)
    ]
    return sorted(made, key=lambda unit: -unit.value)


def _code_first(every: Sequence[Unit], pool: Pool) -> list[Unit]:
    """Returns the units with code worth what the best of its passage is, before that: the words
    around it tell what it does."""
    best: dict[int, float] = {}
    for unit in every:
        best.setdefault(unit.passage, unit.value)
    code, others = partition(lambda unit: _is_code(unit, pool), every)
    code = [unit._replace(value=best[unit.passage]) for unit in code]
    return sorted((*code, *others), key=lambda unit: -unit.value)


def _is_code(unit: Unit, pool: Pool) -> bool:
    return has_code(pool.passages[unit.passage].passage.text[unit.start : unit.end])


# ------------------------------------------------------------------ how many


def _faint(candidates: Sequence[Candidate], policy: Policy) -> frozenset[int]:
    """Returns the documents that are far less likely to answer than the likeliest."""
    sure = max((one.confidence for one in candidates), default=0.0)
    least = FAINT * policy.worth_span * sure
    return frozenset(one.document for one in candidates if one.confidence < least)


def _less_faint(
    every: Sequence[Unit], faint: Collection[int], headers: Mapping[int, int]
) -> list[Unit]:
    """Returns the units without those of faint documents that are over what these have together."""
    kept: list[Unit] = []
    known: set[int] = set()
    room = LAST
    for unit in every:
        if unit.document in faint:
            cost = unit.tokens + (0 if unit.document in known else headers[unit.document])
            if cost > room:
                continue
            room -= cost
            known.add(unit.document)
        kept.append(unit)
    return kept


def _with_words(every: Sequence[Unit], least: float, pool: Pool) -> list[Unit]:
    """Returns the units that have words of the question and, if none has all of them, what is
    nearly as likely as the best; of a document in which none has words, all. They are of the
    documents that have about as much of the words as any, and of those that are worth it."""
    worth, said = pool.worth, _said(every, pool)
    shares = {document: share(worth, words) for document, words in said.items()}
    most = max(shares.values(), default=0.0)
    having = {unit.document for unit in every if unit.has_words}
    whole = any(unit.coverage >= 1 for unit in every)
    likely = inf if whole or not every else BY_MUCH * every[0].value
    return [
        unit
        for unit in every
        if (unit.has_words or unit.value >= likely or unit.document not in having)
        and (unit.value >= least or shares[unit.document] >= MUCH * most)
    ]


def _said(every: Sequence[Unit], pool: Pool) -> Mapping[int, Set[str]]:
    """Returns the words of the question that each document has, in its title or in its passages
    that were found."""
    said: dict[int, Set[str]] = {}
    for key, document in {unit.passage: unit.document for unit in every}.items():
        stored = pool.passages[key]
        known = said.get(document) or stems(stored.document.title)
        said[document] = known | stems(stored.passage.text)
    return said


def _least(every: Sequence[Unit], worth: float) -> float:
    """Returns the least worth of a unit that is shown: between a probability and a share of the
    best one's, for on text that nothing was fitted on the probabilities are off by a factor."""
    return worth * sqrt(every[0].value) if every else 0.0


def _share(places: Sequence[_Place], pool: Pool) -> float:
    """Returns how many tokens are worth showing."""
    policy = pool.of.policy
    plain = [place.candidate.passage for place in places[:PLAIN]]
    cost = sum(_header(pool, key) + count_tokens(pool.passages[key].passage.text) for key in plain)
    whole = cost * PLAIN / max(1, len(plain))
    if not policy.cut:
        return float("inf")
    return policy.share * (min(whole, DOUBTED) if pool.doubtful else max(whole, LITTLE))


def _header(pool: Pool, passage: int) -> int:
    """Returns how many tokens it takes to say where a passage is from."""
    stored = pool.passages[passage]
    document = stored.document
    about = (stored.id, document.title, document.path, stored.passage.trail)
    return HEADER + count_tokens("\n".join(about))


def _taken(
    every: Sequence[Unit],
    least: float,
    room: float,
    brief: Collection[int],
    headers: Mapping[int, int],
) -> tuple[list[Unit], list[Unit]]:
    """Returns the units that are worth it, as many as there is room for (the first in any case),
    and those that did not fit. Of the documents that are kept *brief* only the best."""
    chosen: list[Unit] = []
    left: list[Unit] = []
    spent: dict[int, int] = {}
    used = 0.0
    for unit in every:
        if chosen and unit.value < least:
            break
        known = spent.get(unit.document)
        cost = unit.tokens + (headers[unit.document] if known is None else 0)
        over = known is not None and unit.document in brief and known + unit.tokens > BRIEF
        if chosen and (over or used + cost > room):
            left.append(unit)
            continue
        used += cost
        spent[unit.document] = (known or 0) + unit.tokens
        chosen.append(unit)
    return chosen, left


def _first_rows(chosen: Sequence[Unit], pool: Pool) -> list[Unit]:
    """Returns the first rows of the tables that these are of: a number says nothing without the
    name of its column."""
    found = {}
    for unit in chosen:
        text = pool.passages[unit.passage].passage.text
        start, end = first_row(text, unit.end)
        if start < end <= unit.start:
            tokens = count_tokens(text[start:end])
            found[unit.passage, start] = unit._replace(start=start, end=end, tokens=tokens)
    return list(found.values())


# ------------------------------------------------------------------ joined


def _stretches(chosen: Sequence[Unit], pool: Pool) -> dict[int, tuple[Stretch, ...]]:
    found = group_by(attrgetter("document"), chosen)
    return {document: tuple(_joined(some, pool)) for document, some in found.items()}


def _joined(some: Iterable[Unit], pool: Pool) -> Iterator[Stretch]:
    """Yields the units in the order of the text, neighbours as one."""

    def order(unit: Unit) -> tuple[int, int]:
        return pool.passages[unit.passage].passage.n, unit.start

    last: Stretch | None = None
    for unit in sorted(some, key=order):
        text = pool.passages[unit.passage].passage.text
        if last and last.passage == unit.passage and _is_near(text[last.end : unit.start]):
            last = last._replace(end=unit.end)
            continue
        if last:
            yield last
        last = Stretch(unit.passage, unit.start, unit.end)
    if last:
        yield last


def _with_questions(
    stretches: Mapping[int, tuple[Stretch, ...]], pool: Pool
) -> tuple[dict[int, tuple[Stretch, ...]], dict[int, StoredPassage]]:
    """Puts before a turn the question that it was found by, and before a short turn the question of
    another speaker that it follows: "Yes, on Friday." says nothing by itself. Returns also the
    turns that were added."""
    every = list(chain.from_iterable(stretches.values()))
    asked, shown = _questions(every, pool), {s.passage for s in every}
    added: dict[int, StoredPassage] = {}
    made: dict[int, tuple[Stretch, ...]] = {}
    for document, some in stretches.items():
        parts: list[Stretch] = []
        for stretch in some:
            before = asked.get(stretch.passage)
            if before and before.key not in shown | added.keys():
                added[before.key] = before
                parts.append(_whole(before))
            parts.append(stretch)
        made[document] = tuple(parts)
    return made, added


def _questions(stretches: Iterable[Stretch], pool: Pool) -> dict[int, StoredPassage]:
    """Returns the question that each passage needs, of those that need one."""
    short = [s.passage for s in stretches if _is_reply(s, pool)]
    turns = pool.of.view.passages(short, before=1) if short else []
    after = {(one.document.id, one.passage.n + 1): one for one in turns if _is_question(one, pool)}
    asked = {reply: pool.stored(one.question) for reply, one in pool.asked.items()}
    for key in short:
        reply = pool.passages[key]
        if before := after.get((reply.document.id, reply.passage.n)):
            asked[key] = before
    return asked


def _with_turns(
    stretches: Mapping[int, tuple[Stretch, ...]],
    added: Mapping[int, StoredPassage],
    chosen: Sequence[Unit],
    room: float,
    pool: Pool,
) -> tuple[dict[int, tuple[Stretch, ...]], dict[int, StoredPassage]]:
    """Puts the short turns around the best ones with these, as many as there is room for: in a talk
    what answers often stands beside what has the words. The turn after a question comes in any
    case. Returns also all turns that were added."""
    spoken = {unit.passage: unit.document for unit in chosen if _is_spoken(unit, pool)}
    best = dict(list(spoken.items())[:TURNS])
    of = {pool.passages[key].document.id: document for key, document in best.items()}
    known = {stretch.passage for stretch in chain.from_iterable(stretches.values())}
    asking = (one for one in map(pool.passages.__getitem__, best) if _is_question(one, pool))
    replied = {(one.document.id, one.passage.n + 1) for one in asking}
    more: dict[int, StoredPassage] = {}
    around = pool.of.view.passages(list(best), before=AROUND, after=AROUND) if best else ()
    for one in around:
        tokens = count_tokens(one.passage.text)
        most = SHORT if (one.document.id, one.passage.n) in replied else min(SHORT, room)
        if one.key in known | more.keys() or tokens > most or not pool.of.shows(one):
            continue
        room -= tokens
        more[one.key] = one
    turns = {**added, **more}

    def order(stretch: Stretch) -> tuple[int, int]:
        stored = turns.get(stretch.passage) or pool.passages[stretch.passage]
        return stored.passage.n, stretch.start

    made = dict(stretches)
    for one in more.values():
        document = of[one.document.id]
        made[document] = tuple(sorted((*made[document], _whole(one)), key=order))
    return made, turns


def _with_decisions(
    stretches: Mapping[int, tuple[Stretch, ...]],
    added: Mapping[int, StoredPassage],
    room: float,
    pool: Pool,
) -> tuple[dict[int, tuple[Stretch, ...]], dict[int, StoredPassage]]:
    """Puts behind a talk that ends with what an assistant said the few words that the user replied,
    if they fit: what was proposed may have been refused. Returns also all turns that were added."""
    known = {**pool.passages, **added}
    last = {document: known[some[-1].passage] for document, some in stretches.items() if some}
    ends = {one.key: document for document, one in last.items() if one.passage.role == "assistant"}
    places = {(known[key].document.id, known[key].passage.n + 1): ends[key] for key in ends}
    made, turns = dict(stretches), dict(added)
    for one in pool.of.view.passages(list(ends), after=1) if ends else ():
        document = places.get((one.document.id, one.passage.n))
        if document is not None and len(turns) < len(added) + room // REPLY and _decides(one, pool):
            turns[one.key] = one
            made[document] = (*made[document], _whole(one))
    return made, turns


def _decides(stored: StoredPassage, pool: Pool) -> bool:
    """Whether a turn is a few words of a user that are no mere question."""
    text = stored.passage.text
    brief = stored.passage.role == "user" and count_tokens(text) <= REPLY
    return brief and pool.of.shows(stored) and not is_question(text, typed=True)


def _whole(stored: StoredPassage) -> Stretch:
    return Stretch(stored.key, 0, len(stored.passage.text))


def _is_spoken(unit: Unit, pool: Pool) -> bool:
    return bool(pool.passages[unit.passage].passage.role)


def _is_reply(stretch: Stretch, pool: Pool) -> bool:
    """Whether it is a whole turn of a few words that something may have been said before."""
    passage = pool.passages[stretch.passage].passage
    whole = stretch.start == 0 and stretch.end == len(passage.text)
    return bool(passage.role and passage.n and whole) and count_tokens(passage.text) <= REPLY


def _is_question(stored: StoredPassage, pool: Pool) -> bool:
    passage = stored.passage
    asks = passage.text.rstrip().endswith(MARKS)
    return asks and pool.of.admits(stored) and count_tokens(passage.text) <= SHORT


def _is_near(between: str) -> bool:
    return not between.strip() or count_tokens(between) <= GAP
