"""Plain data for plans: slots, sessions, rooms, people.

Nothing in here talks to the disk or to the solver. Keep it that way,
the web export depends on this file being importable on its own.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Iterable, Iterator

MINUTES_PER_DAY = 24 * 60

_SPAN = re.compile(r"^\s*(\d{1,2})[:.h](\d{2})\s*(?:-|–|to)\s*(\d{1,2})[:.h](\d{2})\s*$")


class SpanError(ValueError):
    pass


@dataclass(frozen=True, order=True)
class Slot:
    day: date
    start: int          # minutes after midnight
    end: int

    def __post_init__(self):
        if self.end <= self.start:
            raise SpanError(f"slot ends before it begins: {self.start}..{self.end}")

    @property
    def minutes(self) -> int:
        return self.end - self.start

    def overlaps(self, other: "Slot") -> bool:
        if self.day != other.day:
            return False
        return self.start < other.end and other.start < self.end

    def shifted(self, minutes: int) -> "Slot":
        start = self.start + minutes
        days, start = divmod(start, MINUTES_PER_DAY)
        return Slot(self.day + timedelta(days=days), start, start + self.minutes)

    def gap_to(self, other: "Slot") -> int:
        first, second = sorted((self, other))
        if first.day != second.day:
            return -1
        return max(0, second.start - first.end)


def parse_span(text: str) -> tuple[int, int]:
    m = _SPAN.match(text)
    if not m:
        raise SpanError(f"not a span: {text!r}")
    h1, m1, h2, m2 = (int(g) for g in m.groups())
    start, end = h1 * 60 + m1, h2 * 60 + m2
    if end <= start:
        # 22:00-06:00, night shifts of the bus people
        end += MINUTES_PER_DAY
    return start, end


@dataclass(frozen=True)
class Room:
    key: str
    seats: int = 0
    tags: frozenset[str] = frozenset()
    building: str = ""

    def fits(self, session: "Session") -> bool:
        return self.seats >= session.headcount and session.needs <= self.tags


@dataclass(frozen=True)
class Person:
    key: str
    name: str = ""
    max_minutes_week: int = 1500
    away: tuple[date, ...] = ()

    def available_on(self, day: date) -> bool:
        return day not in self.away


@dataclass(frozen=True)
class Session:
    key: str
    minutes: int
    people: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    headcount: int = 0
    pinned: Slot | None = None
    series: str = ""


@dataclass(frozen=True)
class Placement:
    session: Session
    slot: Slot
    room: str


@dataclass
class Plan:
    title: str
    placements: dict[str, Placement] = field(default_factory=dict)
    revision: int = 0

    def put(self, placement: Placement) -> None:
        self.placements[placement.session.key] = placement
        self.revision += 1

    def drop(self, key: str) -> Placement | None:
        gone = self.placements.pop(key, None)
        if gone is not None:
            self.revision += 1
        return gone

    def __iter__(self) -> Iterator[Placement]:
        return iter(sorted(self.placements.values(), key=lambda p: (p.slot, p.room)))

    def of_person(self, person: str) -> list[Placement]:
        return [p for p in self if person in p.session.people]

    def load(self, person: str, week_start: date) -> int:
        week_end = week_start + timedelta(days=7)
        return sum(
            p.slot.minutes
            for p in self.of_person(person)
            if week_start <= p.slot.day < week_end
        )

    def fingerprint(self) -> str:
        h = hashlib.blake2s(digest_size=10)
        for p in self:
            h.update(f"{p.session.key}|{p.slot.day}|{p.slot.start}|{p.room}\n".encode())
        return h.hexdigest()

    def without(self, keys: Iterable[str]) -> "Plan":
        drop = set(keys)
        rest = {k: p for k, p in self.placements.items() if k not in drop}
        return replace(self, placements=rest)


def free_rooms(plan: Plan, rooms: Iterable[Room], slot: Slot) -> list[Room]:
    taken = {p.room for p in plan if p.slot.overlaps(slot)}
    left = [r for r in rooms if r.key not in taken]
    left.sort(key=lambda r: (r.seats, r.key))
    return left


def busiest_day(plan: Plan) -> date | None:
    tally: dict[date, int] = {}
    for p in plan:
        tally[p.slot.day] = tally.get(p.slot.day, 0) + p.slot.minutes
    if not tally:
        return None
    return max(tally, key=lambda d: (tally[d], -d.toordinal()))
