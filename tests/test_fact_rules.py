"""Whatever is written in whatever order, no search returns a fact that is superseded, expired,
forgotten, out of scope or another owner's, and none that is named and may be seen is missing.

The rules are told here a second time, as plainly as possible, and compared.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from recollect import Memory, config
from recollect.errors import UsageError
from recollect.storage.plain.engine import PlainStore

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
IDS = st.sampled_from(("f1", "f2", "f3", "f4", "f5"))
NAMES = ("Zorbax", "Quillon", "Vantrell", "Mipsotek")
DAYS = st.integers(0, 6)
OWNERS = st.sampled_from(("ana", "ben"))
SCOPES = st.lists(st.sampled_from(("work", "home", "club")), min_size=1, unique=True)


def day(number: int) -> datetime:
    return BEGIN + timedelta(days=number)


class Row(NamedTuple):
    names: frozenset[str]
    scopes: frozenset[str]
    start: datetime
    valid_to: datetime | None


class Rules(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.m = Memory(PlainStore(), config.load())
        self.rows: dict[tuple[str, str], Row] = {}
        self.links: set[tuple[str, str, str]] = set()
        """(owner, new, old), whether or not both are there."""
        self.passed: set[tuple[str, str, str]] = set()
        """Those that a fact handed on when it was forgotten."""
        self.starts: dict[tuple[str, str], datetime] = {}
        """Also of those that were forgotten."""
        self.forgotten: set[tuple[str, str]] = set()
        self.firsts: dict[tuple[str, str], str] = {}

    @rule(owner=OWNERS, id=IDS, names=st.sets(st.sampled_from(NAMES), min_size=1), scopes=SCOPES,
          start=DAYS, length=st.none() | st.integers(1, 3), old=st.none() | IDS)  # fmt: skip
    def remember(
        self, owner: str, id: str, names: set[str], scopes: list[str], start: int,
        length: int | None, old: str | None,
    ) -> None:  # fmt: skip
        first, *rest = sorted(names)
        until = None if length is None else day(start + length)
        supersedes = [old] if old else []
        try:
            self.m.remember(
                f"{id} says {start}.", id=id, name=first, aliases=rest, owner=owner, scopes=scopes,
                valid_from=day(start), valid_to=until, supersedes=supersedes, standing="active",
            )  # fmt: skip
        except UsageError:
            assert old is not None
            assert self._reaches(owner, old, id)
            return
        assert old is None or not self._reaches(owner, old, id)
        self.links.update((owner, id, o) for o in supersedes)
        if (owner, id) in self.forgotten:
            if supersedes:  # it stays forgotten, and yet says since when the older one is replaced
                self.starts[owner, id] = day(start)
            return
        was = self.rows.get((owner, id))
        known = frozenset(names)
        if was:  # the name goes when it is changed; aliases stay
            known |= was.names - {self.firsts[owner, id]}
        self.rows[owner, id] = Row(known, frozenset(scopes), day(start), until)
        self.firsts[owner, id] = first
        self.starts[owner, id] = day(start)

    def _reaches(self, owner: str, old: str, id: str) -> bool:
        """Whether *old* supersedes *id* already, over whatever there is between. A link is told by
        either side: it is lost when both were forgotten."""
        gone = {one for whose, one in self.forgotten if whose == owner}
        seen, waiting = set[str](), [old]
        while waiting:
            one = waiting.pop()
            if one == id:
                return True
            if one not in seen:
                seen.add(one)
                links = [o for w, new, o in self.links | self.passed if w == owner and new == one]
                waiting += [o for o in links if not {one, o} <= gone]
        return False

    @rule(owner=OWNERS, id=IDS)
    def forget(self, owner: str, id: str) -> None:
        if (owner, id) in self.rows:
            self.m.forget(id, owner=owner)
            every = {(new, old) for whose, new, old in self.links | self.passed if whose == owner}
            for old in (old for new, old in every if new == id):
                self.passed |= {(owner, new, old) for new, gone in every if gone == id}
            del self.rows[owner, id]
            self.forgotten.add((owner, id))

    @rule(owner=OWNERS, id=IDS, name=st.sampled_from(NAMES))
    def alias(self, owner: str, id: str, name: str) -> None:
        if (owner, id) in self.rows:
            self.m.curation.alias(id, name, owner=owner)
            row = self.rows[owner, id]
            self.rows[owner, id] = row._replace(names=row.names | {name})

    def _end(self, owner: str, id: str) -> datetime | None:
        newer = [new for w, new, old in self.links if w == owner and old == id]
        starts = [self.starts[owner, new] for new in newer if (owner, new) in self.starts]
        ends = [*starts, *filter(None, [self.rows[owner, id].valid_to])]
        return min(ends, default=None)

    @rule(owner=OWNERS, scopes=st.none() | st.just([]) | SCOPES, at=st.integers(0, 10),
          name=st.sampled_from(NAMES))  # fmt: skip
    def search(self, owner: str, scopes: list[str] | None, at: int, name: str) -> None:
        answer = self.m.search(f"what of {name} then", owner=owner, scopes=scopes, as_of=day(at))
        found = {r.document for r in answer.results}
        for id in found:
            row = self.rows[owner, id]
            end = self._end(owner, id)
            assert scopes is None or row.scopes & set(scopes)
            assert row.start <= day(at)
            assert end is None or day(at) < end
        for (whose, id), row in self.rows.items():
            if whose == owner and name in row.names and id not in found:
                end = self._end(owner, id)
                in_force = row.start <= day(at) and (end is None or day(at) < end)
                assert not (in_force and (scopes is None or row.scopes & set(scopes)))


def test_no_search_ever_returns_what_it_must_not() -> None:
    run_state_machine_as_test(
        Rules, settings=settings(max_examples=60, stateful_step_count=30, deadline=None)
    )


def test_a_circle_is_refused_over_a_fact_that_was_forgotten_or_is_yet_to_come() -> None:
    m = Memory(PlainStore(), config.load())
    m.remember("The gate opens at nine.", id="f1")
    m.forget("f1")
    m.remember("The gate opens at ten.", id="f1", supersedes=["f2"])
    with pytest.raises(UsageError, match="f2 → f1 → f2"):
        m.remember("The gate opens at eleven.", id="f2", supersedes=["f1"])
    m.remember("Ana opens the gate.", id="a", supersedes=["b"])
    m.remember("Cleo opens the gate.", id="c", supersedes=["a"])
    m.forget("a")
    with pytest.raises(UsageError, match="would supersede itself"):
        m.remember("Ben opens the gate.", id="b", supersedes=["c"])
    assert [fact.id for fact in m.facts(every=True).items] == ["c"]
