"""What a new fact is to those that are known: the same, finer, newer, an answer, or at odds.

Pure. What is known is handed in; identity is by key (a name that both have) or by what both say,
where the pair model and the guard agree. A lost true fact is worse than two that disagree: where
neither names what changed, both stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from recollect.facts import OPEN, Fact, Rival
from recollect.named_tuple import NamedTuple
from recollect.text import closing, guard
from recollect.text.pairs import Judge, plain, relation

Kind = Literal["new", "same", "refines", "supersedes", "superseded", "contradicts"]

SHARED = 0.34
"""Of the words of the shorter of two facts without a common name: the least that both have where
one replaces the other."""


class Decision(NamedTuple):
    """What is done with a new fact, and why."""

    fact: Fact
    kind: Kind
    others: tuple[str, ...] = ()
    """The ids of the facts that it is the same as, finer than, newer or older than, or at odds
    with."""
    why: str = ""

    @property
    def for_review(self) -> bool:
        """Whether somebody should look at it: something is replaced, or disagreed with."""
        return self.kind in ("supersedes", "contradicts")


def decide(
    fact: Fact, rivals: Sequence[Rival], said_at: datetime, judge: Judge | None = None
) -> Decision:
    """*said_at* is when the text was written that the fact is from."""
    found: dict[Kind, list[tuple[Fact, str]]] = {}
    for rival in rivals:
        kind, why = _relation(fact, rival, said_at, judge)
        if kind == "same":
            return Decision(fact, "same", (rival.fact.id,), why)
        if kind != "new":
            found.setdefault(kind, []).append((rival.fact, why))
    for kind in ("superseded", "contradicts", "supersedes", "refines"):
        if some := found.get(kind):
            if kind == "contradicts":
                fact = fact._replace(disputes=tuple(known.mark for known, _ in some))
            return Decision(fact, kind, tuple(known.id for known, _ in some), some[0][1])
    return Decision(fact, "new")


def _relation(fact: Fact, rival: Rival, said_at: datetime, judge: Judge | None) -> tuple[Kind, str]:
    known = rival.fact
    judge = judge if rival.same_key or not rival.here else None
    verdict = relation(known.text, fact.text, judge, same_name=rival.same_key)
    if verdict.kind == "same":
        seen_by_all = set(fact.scopes) <= set(known.scopes)
        return ("same", verdict.why) if seen_by_all else ("new", "")
    if closed := _closed(fact, rival, said_at, judge):
        return closed
    asks = "open_question" in (fact.type, known.type)
    if (
        verdict.kind == "changed"
        and not asks
        and (rival.same_key or _shares(known.text, fact.text))
    ):
        return _succession(fact, rival, said_at, verdict.why)
    if rival.same_key and _is_finer(known.text, fact.text):
        return "refines", "it says the same, and more"
    return "new", ""


def _closed(
    fact: Fact, rival: Rival, said_at: datetime, judge: Judge | None
) -> tuple[Kind, str] | None:
    """Says that one of two facts is a question or a task that the other one, which is of a later
    text, has answered or done."""
    known = rival.fact
    one_is_open = (fact.type in OPEN) != (known.type in OPEN)
    if rival.here or not one_is_open or "outdated" in (fact.standing, known.standing):
        return None
    was_open, later = (fact, known) if fact.type in OPEN else (known, fact)
    begun, told = (said_at, known.start) if later is known else (known.start, said_at)
    closes, why = _CLOSING[was_open.type]
    if told < begun or was_open.pinned or not closes(was_open.text, later.text, judge):
        return None
    return ("superseded" if later is known else "supersedes"), why


_CLOSING = {
    "open_question": (closing.answers, "it answers the question"),
    "task": (closing.is_done, "it is done"),
}


def _shares(old: str, new: str) -> bool:
    """Whether two facts without a common name have enough words in common for one to replace the
    other, or are of one person: notes of one house share a verb, and are about different things."""
    return guard.overlap(old, new).share >= SHARED or guard.of_oneself(old, new)


def _succession(fact: Fact, rival: Rival, said_at: datetime, why: str) -> tuple[Kind, str]:
    """Says which of two facts that cannot both hold replaces the other, if either may."""
    reasons: dict[str, tuple[Kind, bool]] = {
        "the same text says both": ("contradicts", rival.here),
        "it is pinned": ("contradicts", rival.fact.pinned),
        f"it is {fact.standing}": ("contradicts", fact.standing != "active"),
        "it was said earlier": ("superseded", said_at < rival.fact.start),
    }
    found = ((kind, f"{reason}: {why}") for reason, (kind, holds) in reasons.items() if holds)
    return next(found, ("supersedes", why))


def _is_finer(old: str, new: str) -> bool:
    """Whether the new statement has every word of the old one, in order, and others."""
    one, two = plain(old), plain(new)
    words = iter(two)
    return len(one) < len(two) and bool(one) and all(word in words for word in one)
