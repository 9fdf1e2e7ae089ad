"""What was done to a question, and what a person or an agent could do next: a line each."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.nouns import Filter, Status, TimeFound, not_among
from recollect.ports import Store
from recollect.reading.pool import as_typed
from recollect.text.questions.asking import asked_with
from recollect.text.questions.parse import Parsed

LACKING = 3
NONE_OF = "none of these"
"""What lacks words, where something is shown."""


class Findings(NamedTuple):
    """What is known once a question has been answered."""

    spelling: Mapping[str, str] = {}
    """Words that occur nowhere, each with one that does."""
    corrected: bool = False
    """Whether the answer is to the question with these."""
    relaxed: tuple[str, ...] = ()
    """The limits that were given up for it."""
    hidden: Mapping[str, int] = {}
    """How many passages each of the other limits hides."""
    superseded: Mapping[str, str] = {}
    """What was found and is in force no longer, each with what took its place."""
    unquoted: bool = False
    """Whether words in quotes were looked for one by one, because nothing has them in a row."""
    lacking: tuple[str, ...] = ()
    """Words of the question that no result has; where there is none, that nothing has."""
    time: TimeFound | None = None
    beside: int = 0
    """How many of the results are behind those that time has put in order."""
    unknown: tuple[str, ...] = ()
    """What is said of limits that nothing in the store is within."""
    bare: bool = False
    """The question is a word of grammar."""
    unsure: int = 0
    """How many are less sure than the caller wants, where nothing else is shown."""


def hints(said: Status, told: Findings, has_nearest: bool) -> tuple[str, ...]:
    """An answer that is served as it stands only says what was done to the question."""
    done = [f"“{w}” was read as “{r}”" for w, r in told.spelling.items() if told.corrected]
    done += [f"“{old}” was superseded by “{new}”" for old, new in told.superseded.items()]
    if told.unquoted:
        done.append("nothing has the words in quotes in a row, so each was looked for")
    if told.relaxed:
        limits = " and ".join(told.relaxed)
        done.append(f"too little was found within the limit on {limits}, so this is without it")
    done += _timed(told.time, told.beside)
    if said == "direct_passages":
        return tuple(done)
    made = [f"nothing has “{w}”; did you mean “{r}”?" for w, r in told.spelling.items()]
    made = [] if told.corrected else made
    made += [hiding(name, count) for name, count in told.hidden.items()]
    if said == "needs_synthesis":
        made += without(NONE_OF, told.lacking)
        return (*done, *made)
    if told.bare:
        made.append("a word that is in any text asks for nothing; say what to look for")
    made += told.unknown
    if told.unsure:
        made.append(f"the limit on confidence hides {told.unsure} that may answer")
    made += [] if told.hidden or told.unsure else without("nothing here", told.lacking)
    if made or done or has_nearest:
        return (*done, *made)
    return ("nothing matches; try fewer or other words",)


def hiding(name: str, count: int) -> str:
    """Says how much a limit hides."""
    return f"the limit on {name} hides {count} that match"


_ORDERED = {"oldest": "oldest first", "newest": "newest first"}


def _timed(time: TimeFound | None, beside: int) -> list[str]:
    """Says what was made of a question of time, and how to have it otherwise."""
    if time is None or not time.dates:
        return []
    period = "within the time it names" if time.since or time.until else ""
    order = _ORDERED.get(time.order, "")
    rest = f"the last {beside} only come near it" if order and beside else ""
    how = ", ".join(filter(None, (order, rest, period)))
    said = f"“{time.said}”" if time.said else "the sort"
    return [f"{said} asks for {how}; sort relevance leaves time out of it"] if how else []


def without(what: str, missing: Sequence[str]) -> list[str]:
    """Says which words something has not, if any."""
    said = ", ".join(f"“{word}”" for word in missing)
    return [f"{what} has {said}"] if said else []


def unknown(view: Store, given: Filter, hiding: Container[str]) -> tuple[str, ...]:
    """Says which values of the limits that hide something nothing in sight has, and which there
    are instead, unless only a part of the store is in sight."""
    seen = given.without(*Filter.relaxable())
    there: dict[str, list[str]] = {}
    if not seen.limits:
        stats = view.stats(seen)
        there = {"kinds": list(stats.kinds), "sources": [one.name for one in stats.sources]}
    said = []
    for name in (name for name in _NAMES if name in hiding):
        others = ", ".join(there.get(name, ())[:LISTED])
        for value in getattr(given, name):
            alone: dict[str, Any] = {name: (value,)}
            if not view.scan(seen._replace(**alone), limit=1).items:
                known = f"; there are {others}" if others else ""
                said.append(f"there is no {_NAMES[name]} “{value}”{known}")
    return tuple(said)


_NAMES = {one: one.removesuffix("s") for one in ("kinds", "sources", "paths", "issues", "events")}
"""The limits that name something, and what each names."""
LISTED = 8
"""Kinds or sources that are named in place of one that there is not."""


def lacking(
    parsed: Parsed, idf: Mapping[str, float], matched: Iterable[Collection[str]]
) -> tuple[str, ...]:
    """Returns the rarest words of the question that are not among those *matched* by what is shown,
    as they were typed; without those that a question only asks with."""
    there = asked_with().union(*matched)
    return as_typed(not_among(parsed.content, there), parsed, idf)[:LACKING]
