"""Time as a part of the order: the topic has to match first, and then time orders.

A question of time ("when did we first …?") wants the first or the last of what speaks of a topic,
and not what is most like its words. Whether a document speaks of it is told by how near its best
passage comes to that of the best document, and by how many of the topic's words it has
altogether: one that mentions the topic in passing stays behind, but for where the first time of a
name is asked for, and so does one that is graded far below another: time orders what answers. The
period that a question names is a filter, where something from then speaks of the topic about as
much as anything else does, and is not graded far below it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain, filterfalse, islice
from operator import gt, lt
from typing import TypeVar

from recollect.named_tuple import NamedTuple
from recollect.nouns import (
    SPOKEN,
    Candidate,
    Contribution,
    Filter,
    Order,
    StoredPassage,
    Stretch,
    TimeRoute,
    Window,
    partition,
)
from recollect.reading.pool import Pass, Pool, not_of_documents, of_documents, share
from recollect.text import stated
from recollect.text.ordinary import commonness
from recollect.text.terms import fold, stems

ENOUGH, FEW, MORE, MOST = 0.65, 5, 0.05, 0.9
"""The share of the best document's score from which a document speaks of the topic; the more words
beyond a few the topic has, the fewer documents are about all of it."""
WORDS = 0.5
"""What all the words of the topic, anywhere in a document, add to the score of its best passage."""
WITHIN = 0.5
"""The share of the best document's score that the best of a period has, for the period to be a
filter."""
BELIEVED, FAR = 0.1, 0.02
"""The shares of the confidence of the best that what speaks of the topic has, and what is from a
period, for that to be a filter."""
MENTIONS, READ = 0.1, 200
"""The share of a document's passages that speak of the topic, of so many of the first."""
TOLD = 0.5
"""The share of the words of an event from which on a document tells when it was."""
_WORD = re.compile(r"[^\W\d_]+")
_PLAIN = ("ordinary", "foreign")
"""Words that name nothing by themselves."""
SESSION = "session"
ARM = "time"
_NEVER = datetime.min.replace(tzinfo=UTC)
_SIDES: dict[str, Callable[[datetime, datetime], bool]] = {"before": lt, "after": gt}
"""How what came before an event, or after it, compares with it."""
T = TypeVar("T")


def by_date(
    candidates: Sequence[Candidate], passages: Mapping[int, StoredPassage], alpha: float
) -> list[Candidate]:
    """The candidates by (1 − alpha) · relevance + alpha · newness, each by rank from 1 to 0.

    0 leaves the order as it is, 1 is newest first; what has no date is oldest. The grades stay.
    """
    if not alpha or len(candidates) < 2:
        return list(candidates)
    dates = [passages[c.passage].document.date or _NEVER for c in candidates]
    last = len(candidates) - 1
    newest = sorted(range(len(candidates)), key=lambda n: (dates[n], -n), reverse=True)
    newness = {n: 1 - place / last for place, n in enumerate(newest)}
    value = {n: (1 - alpha) * (1 - n / last) + alpha * newness[n] for n in newness}
    order = sorted(value, key=lambda n: (-value[n], n))
    return [
        candidates[n]._replace(
            contributions=(
                *candidates[n].contributions,
                Contribution("recency", newest.index(n) + 1, newness[n], alpha, 0.0),
            )
        )
        for n in order
    ]


# ------------------------------------------------------------------ what speaks of the topic


class Timeline(NamedTuple):
    """The candidates of a question of time."""

    speaking: tuple[Candidate, ...]
    """Those that speak of the topic, in the order that the question wants."""
    others: tuple[Candidate, ...]
    """The rest, best first."""
    within: bool
    """Whether the period that the question names is a filter."""

    @property
    def all(self) -> list[Candidate]:
        return [*self.speaking, *self.others]


def timeline(
    candidates: Sequence[Candidate],
    pool: Pool,
    asked: TimeRoute,
    window: Window | None,
    event: datetime | None = None,
) -> Timeline:
    """Puts the candidates that speak of the topic in the order of time, before the others."""
    worth = speaking_of(candidates, pool)
    dated = {c.document: _said(c, pool) for c in candidates}
    best = max(worth.values(), default=0.0)
    inside = [c for c in candidates if _is_within(c, dated[c.document], pool, window)]
    sure = FAR * _surest(candidates)
    within = _most(worth, inside) >= WITHIN * best > 0 and _surest(inside) >= sure
    meant = inside if within else list(candidates)
    among = _sided(meant, dated, asked, event)
    least = _most(worth, among) * min(MOST, ENOUGH + MORE * max(0, len(pool.worth) - FEW))
    sure = BELIEVED * _surest(among)
    near = [c for c in among if worth[c.document] >= least and c.confidence >= sure]
    enough = {c.document for c in (*_more_than_mentions(near, pool), *_naming(among, pool, asked))}
    spoken = _ours(list(of_documents(among, enough)), pool, asked)
    days = _days(spoken, pool)
    speaking = in_order(spoken, asked.order, lambda c: days[c.document])
    first = {c.document for c in speaking}
    return Timeline(
        tuple(told(c, place, worth[c.document]) for place, c in enumerate(speaking, 1)),
        tuple(not_of_documents(meant, first)),
        within,
    )


def _is_within(one: Candidate, date: datetime | None, pool: Pool, window: Window | None) -> bool:
    return window is not None and (one.passage in pool.entries or window.has(date))


def _most(worth: Mapping[int, float], some: Iterable[Candidate]) -> float:
    return max((worth[c.document] for c in some), default=0.0)


def _surest(some: Iterable[Candidate]) -> float:
    return max((c.confidence for c in some), default=0.0)


def speaking_of(candidates: Sequence[Candidate], pool: Pool) -> dict[int, float]:
    """Returns how much each document speaks of the topic: the fused score of its best passage, and
    the share of the topic's words that it has."""
    fused = {c.document: c.score for c in pool.fused}
    said = _shares(candidates, pool)
    return {id: max(0.0, fused.get(id, 0.0)) + WORDS * said[id] for id in said}


def _shares(candidates: Sequence[Candidate], pool: Pool) -> dict[int, float]:
    """Returns the share of the topic's words that the passages of each document and its title have
    together."""
    beside = chain.from_iterable(pool.others.get(c.document, ()) for c in candidates)
    others = [other.passage for other in beside]
    matched = {**pool.matched, **pool.of.view.matched(pool.of.parsed.content, others)}
    worth = pool.worth

    def said(candidate: Candidate) -> float:
        passages = (candidate, *pool.others.get(candidate.document, ()))
        title = stems(pool.stored(candidate).document.title)
        return share(worth, title.union(*(matched.get(one.passage, ()) for one in passages)))

    return {c.document: said(c) for c in candidates}


def _more_than_mentions(near: Sequence[Candidate], pool: Pool) -> list[Candidate]:
    """Returns those that do more than mention the topic: in a tenth of their passages, or in half
    as many as any. What has none of its words was found by meaning, and stays."""
    view, ids = pool.of.view, {c.document: pool.stored(c).document.id for c in near}
    read = view.passages([f"{id}:0" for id in ids.values()], after=READ) if len(near) > 1 else []
    matched = view.matched(pool.of.parsed.content, [one.key for one in read])
    worth = pool.worth
    said: dict[str, list[float]] = {id: [] for id in ids.values()}
    for one in read:
        words = matched.get(one.key, set()) and stems(one.passage.text)  # not what it replies to
        said[one.document.id].append(share(worth, words))
    most = max(chain([0.0], *said.values()))
    counts = {
        id: sum(one >= most / 2 for one in shares) if most else 0 for id, shares in said.items()
    }
    half = max(counts.values(), default=0) / 2

    def speaks(id: str) -> bool:
        count = counts[id]
        return not count or count >= half or count >= MENTIONS * len(said[id])

    return [c for c in near if speaks(ids[c.document])]


def _naming(some: Sequence[Candidate], pool: Pool, asked: TimeRoute) -> list[Candidate]:
    """Returns those that have the name that is asked for the first time of, or since when: whoever
    mentions it has spoken of it. Of what has no name a mention says little."""
    words = map(fold, _WORD.findall(asked.topic))
    if asked.kind not in ("first", "since") or any(commonness(word) in _PLAIN for word in words):
        return []
    said = _shares(some, pool)
    return [c for c in some if said[c.document] >= 1]


def moment(event: Pool, topic: Pool | None = None, *, begun: bool = False) -> datetime | None:
    """Returns the date of the document that speaks most of an event, and of the topic with it, or
    when that was *begun*; None where it is doubtful that any does, and none has half of its
    words."""
    worth, said = speaking_of(event.best, event), _shares(event.best, event)
    beside = speaking_of(topic.best, topic) if topic else worth
    least = TOLD if event.of.policy.doubts(event.answerable) else 0.0
    some = [c for c in event.best if said[c.document] >= least]
    dated = [c for c in some if _said(c, event)]
    value = {c.document: worth[c.document] * beside.get(c.document, 0.0) for c in dated}
    best = max(dated, key=lambda c: value[c.document], default=None)
    if best is None:
        return None
    return event.stored(best).document.date if begun else _said(best, event)


def _said(one: Candidate, pool: Pool) -> datetime | None:
    """Returns when the turn of a session was said, else the date of the document."""
    stored = pool.stored(one)
    return stored.said or stored.document.date


def _days(some: Sequence[Candidate], pool: Pool) -> dict[int, datetime | None]:
    """Returns the dates of what these say; where some say theirs, the mtime of a file is none."""
    content = pool.of.parsed.content
    told = {c.document: stated.of_words([pool.stored(c)], content) for c in some}
    said = any(one.date and one.by != "file" for one in told.values())
    return {id: None if said and one.by == "file" else one.date for id, one in told.items()}


def in_order(some: Sequence[T], order: Order, date: Callable[[T], datetime | None]) -> list[T]:
    """Returns these oldest or newest first, what has no date at the end; or as they are."""
    if order == "relevance":
        return list(some)
    dated, undated = partition(date, some)
    return sorted(dated, key=lambda one: date(one) or _NEVER, reverse=order == "newest") + undated


def _sided(
    some: Sequence[Candidate],
    dated: Mapping[int, datetime | None],
    asked: TimeRoute,
    event: datetime | None,
) -> Sequence[Candidate]:
    """Returns those from before the event, or after it; all where none is."""
    is_beyond = _SIDES.get(asked.kind)
    if event is None or is_beyond is None:
        return some
    return [c for c in some if is_beyond(dated[c.document] or event, event)] or some


def _ours(some: Sequence[Candidate], pool: Pool, asked: TimeRoute) -> Sequence[Candidate]:
    """Returns the sessions of these, where the question is what *we* said or did; all where none
    is one."""
    sessions = [c for c in some if pool.stored(c).document.kind == SESSION]
    return sessions if asked.ours and sessions else some


def told(candidate: Candidate, place: int, worth: float = 1.0) -> Candidate:
    """Returns a candidate that time has put in this place."""
    part = Contribution(ARM, place, worth, 0.0, 0.0)
    return candidate._replace(contributions=(*candidate.contributions, part))


# ------------------------------------------------------------------ without a topic

DEEP, DEEPEST, LISTED = 1000, 50_000, 10
"""Documents of a period that are looked at, newest first; where the oldest are asked for; and that
are shown."""
PERIODS = ("in-period", "since", "first")
"""Kinds of questions of time that notes and decisions answer as well as sessions."""
SHOWN = 400
"""Characters of how a document begins, and of how it ends."""
_LONG = 500
"""Passages of a document that are looked at for its end."""


class Outline(NamedTuple):
    """A document by how it begins and how it ends: a conversation by the last that was asked and
    the last that was answered, in their order."""

    first: StoredPassage
    last: tuple[StoredPassage, ...]

    @property
    def passages(self) -> tuple[StoredPassage, ...]:
        return self.first, *self.last

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        ends = {one.key: one.passage.text for one in self.passages}
        return tuple(Stretch(key, 0, _short(text)) for key, text in ends.items())


class Listing(NamedTuple):
    outlines: tuple[Outline, ...] = ()
    total: int = 0
    """How many documents there are, of which the first are outlined."""


def listing(of: Pass, seen: Filter, asked: TimeRoute) -> Listing:
    """Returns the documents that the filter lets through by time alone, and that may be seen, in
    the order that the question wants: sessions, where there is any, unless it is for what was done
    in a period; and nothing that only its file dates, where others say when they are of."""
    deep = DEEP if asked.order == "newest" else DEEPEST
    scanned = of.view.scan(seen, limit=deep, dated=True).items
    every = [one for one in scanned if of.window is None or of.window.has(one.date)]
    said = list(filterfalse(stated.is_mtime, every)) or every
    talks = asked.ours and asked.kind not in PERIODS
    found = [one for one in said if one.kind == SESSION and talks] or said
    order = "oldest" if asked.order == "relevance" else asked.order
    outlines = (_outline(of, one.id) for one in in_order(found, order, lambda one: one.date))
    first = tuple(islice(filter(None, outlines), min(of.policy.limit, LISTED)))
    return Listing(first, len(found) if first else 0)


def _outline(of: Pass, id: str) -> Outline | None:
    """Returns a document by those of its turns that may be seen; None where there is none."""
    roles = ("", *(SPOKEN if of.filter.roles is None else of.filter.roles))
    every = of.view.passages([f"{id}:0"], after=_LONG)
    heard = [one for one in every if one.passage.role in roles and of.sees(one)]
    said = [one for one in heard if one.passage.text.strip()]
    asked = [one for one in said if one.passage.role != "assistant"] or said
    answered = [one for one in said if one.passage.role == "assistant"]
    ends = [*asked[-1:], *answered[-1:]]
    return Outline(asked[0], tuple(sorted(ends, key=said.index))) if said else None


def _short(text: str) -> int:
    """Returns where a text is cut: at the end of a word."""
    return len(text) if len(text) <= SHOWN else max(text.rfind(" ", 0, SHOWN), SHOWN // 2)
