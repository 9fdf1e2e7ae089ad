"""Hard and soft constraints.

A hard constraint answers with a list of clashes (empty = fine).
A soft constraint answers with a number, zero = fine, more = worse.
See docs/constraints.md for the prose.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date

from .grid import week_of
from .model import Person, Placement, Plan, Room


@dataclass(frozen=True)
class Clash:
    rule: str
    keys: tuple[str, ...]
    note: str = ""


class Hard:
    name = "hard"

    def check(self, plan: Plan) -> list[Clash]:
        raise NotImplementedError


class Soft:
    name = "soft"
    weight = 1

    def cost(self, plan: Plan) -> float:
        raise NotImplementedError


class NoDoubleRoom(Hard):
    name = "room-twice"

    def check(self, plan):
        by_room = defaultdict(list)
        for p in plan:
            by_room[p.room].append(p)
        out = []
        for room, items in by_room.items():
            for a, b in zip(items, items[1:]):
                if a.slot.overlaps(b.slot):
                    out.append(Clash(self.name, (a.session.key, b.session.key), room))
        return out


class NoDoublePerson(Hard):
    name = "person-twice"

    def check(self, plan):
        by_person = defaultdict(list)
        for p in plan:
            for who in p.session.people:
                by_person[who].append(p)
        out = []
        for who, items in by_person.items():
            for a, b in zip(items, items[1:]):
                if a.slot.overlaps(b.slot):
                    out.append(Clash(self.name, (a.session.key, b.session.key), who))
        return out


class RoomFits(Hard):
    name = "room-too-small"

    def __init__(self, rooms: dict[str, Room], tolerance: float = 0.0):
        self.rooms = rooms
        self.tolerance = tolerance

    def check(self, plan):
        out = []
        for p in plan:
            room = self.rooms.get(p.room)
            if room is None:
                out.append(Clash("room-unknown", (p.session.key,), p.room))
                continue
            limit = room.seats * (1 + self.tolerance)
            if p.session.headcount > limit or not p.session.needs <= room.tags:
                out.append(Clash(self.name, (p.session.key,), p.room))
        return out


class WeeklyLoad(Hard):
    name = "weekly-load"

    def __init__(self, people: dict[str, Person]):
        self.people = people

    def check(self, plan):
        minutes: dict[tuple[str, date], int] = defaultdict(int)
        for p in plan:
            monday, _ = week_of(p.slot.day)
            for who in p.session.people:
                minutes[who, monday] += p.slot.minutes
        out = []
        for (who, monday), total in minutes.items():
            person = self.people.get(who)
            if person and total > person.max_minutes_week:
                out.append(Clash(self.name, (who,), f"{total} min in week of {monday}"))
        return out


class RestBetweenDays(Hard):
    name = "rest"

    def __init__(self, hours: int = 11):
        self.hours = hours

    def check(self, plan):
        out = []
        by_person: dict[str, list[Placement]] = defaultdict(list)
        for p in plan:
            for who in p.session.people:
                by_person[who].append(p)
        for who, items in by_person.items():
            for a, b in zip(items, items[1:]):
                if (b.slot.day - a.slot.day).days != 1:
                    continue
                pause = 24 * 60 - a.slot.end + b.slot.start
                if pause < self.hours * 60:
                    out.append(Clash(self.name, (a.session.key, b.session.key), who))
        return out


class Gaps(Soft):
    name = "gaps"
    weight = 4

    def __init__(self, free: int = 30):
        self.free = free

    def cost(self, plan):
        total = 0.0
        by_group = defaultdict(list)
        for p in plan:
            for g in p.session.groups:
                by_group[g, p.slot.day].append(p.slot)
        for slots in by_group.values():
            slots.sort()
            for a, b in zip(slots, slots[1:]):
                hole = a.gap_to(b) - self.free
                if hole > 0:
                    total += hole / 15
        return total


class BuildingHop(Soft):
    name = "building-hop"
    weight = 2

    def __init__(self, rooms: dict[str, Room], walk: int = 12):
        self.rooms = rooms
        self.walk = walk

    def cost(self, plan):
        hops = 0
        for who in {w for p in plan for w in p.session.people}:
            mine = plan.of_person(who)
            for a, b in zip(mine, mine[1:]):
                if a.slot.day != b.slot.day:
                    continue
                ra, rb = self.rooms.get(a.room), self.rooms.get(b.room)
                if ra and rb and ra.building != rb.building and a.slot.gap_to(b.slot) < self.walk:
                    hops += 1
        return hops * hops


class LateFriday(Soft):
    name = "late-friday"
    weight = 3
    after = 15 * 60

    def cost(self, plan):
        return sum(1 for p in plan if p.slot.day.weekday() == 4 and p.slot.end > self.after)


class SameRoomSeries(Soft):
    name = "series-room"
    weight = 1

    def cost(self, plan):
        rooms = defaultdict(set)
        for p in plan:
            if p.session.series:
                rooms[p.session.series].add(p.room)
        return sum(len(r) - 1 for r in rooms.values())


def hard_clashes(plan: Plan, rules: list[Hard]) -> list[Clash]:
    seen, out = set(), []
    for rule in rules:
        for c in rule.check(plan):
            mark = (c.rule, frozenset(c.keys))
            if mark not in seen:
                seen.add(mark)
                out.append(c)
    return out


def soft_total(plan: Plan, rules: list[Soft]) -> float:
    return sum(r.weight * r.cost(plan) for r in rules)
