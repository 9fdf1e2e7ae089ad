"""Repair a published plan after something broke (teacher ill, room flooded)
with as few visible changes as we can."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from .constraints import Hard, hard_clashes
from .grid import Grid
from .model import Placement, Plan, Room, free_rooms

FREEZE_HOURS = 18
MAX_RIPPLE = 6


@dataclass
class Change:
    key: str
    before: Placement
    after: Placement | None

    @property
    def kind(self) -> str:
        if self.after is None:
            return "cancelled"
        if self.after.slot != self.before.slot:
            return "moved"
        if self.after.room != self.before.room:
            return "room"
        return "same"


def frozen(p: Placement, now: datetime, hours: int = FREEZE_HOURS) -> bool:
    starts = datetime.combine(p.slot.day, datetime.min.time()) + timedelta(minutes=p.slot.start)
    return starts - now < timedelta(hours=hours)


def disturbance(changes: list[Change]) -> int:
    points = {"same": 0, "room": 1, "moved": 4, "cancelled": 10}
    return sum(points[c.kind] for c in changes)


def person_out(plan: Plan, who: str, first: date, last: date) -> list[str]:
    return [p.session.key for p in plan.of_person(who) if first <= p.slot.day <= last]


def room_out(plan: Plan, room: str, first: date, last: date) -> list[str]:
    return [p.session.key for p in plan if p.room == room and first <= p.slot.day <= last]


def repair(plan: Plan, broken: list[str], rooms: list[Room], grid: Grid, hard: list[Hard],
           now: datetime, allow_ripple: bool = True) -> tuple[Plan, list[Change]]:
    work = plan.without(broken)
    changes: list[Change] = []
    queue = sorted(broken, key=lambda k: plan.placements[k].slot)
    ripple = 0
    while queue:
        key = queue.pop(0)
        old = plan.placements[key]
        new = _nearest(work, old, rooms, grid, hard, now)
        if new is None and allow_ripple and ripple < MAX_RIPPLE:
            bumped = _bump(work, old, rooms, grid, now)
            if bumped:
                work.drop(bumped)
                queue.append(bumped)
                ripple += 1
                new = _nearest(work, old, rooms, grid, hard, now)
        if new is None:
            changes.append(Change(key, old, None))
            continue
        work.put(new)
        changes.append(Change(key, old, new))
    return work, changes


def _nearest(work, old, rooms, grid, hard, now):
    # same time in another room first, then out from the old start in both directions
    def far(slot):
        return abs((slot.day - old.slot.day).days) * 1440 + abs(slot.start - old.slot.start)

    options = sorted([old.slot] + grid.starts(old.session), key=far)
    for slot in options:
        probe = Placement(old.session, slot, old.room)
        if frozen(probe, now) and slot != old.slot:
            continue
        for room in free_rooms(work, rooms, slot):
            if not room.fits(old.session):
                continue
            cand = Placement(old.session, slot, room.key)
            work.put(cand)
            bad = hard_clashes(work, hard)
            work.drop(old.session.key)
            if not bad:
                return cand
    return None


def _bump(work: Plan, old: Placement, rooms, grid, now) -> str | None:
    rivals = [
        p for p in work
        if p.slot.overlaps(old.slot) and p.session.pinned is None and not frozen(p, now)
    ]
    if not rivals:
        return None
    rivals.sort(key=lambda p: (p.session.headcount, p.session.minutes))
    return rivals[0].session.key


def summary_lines(changes: list[Change]) -> list[str]:
    out = []
    for c in changes:
        if c.kind == "same":
            continue
        if c.kind == "cancelled":
            out.append(f"- {c.key}: cancelled (was {c.before.slot.day:%a %d %b})")
        elif c.kind == "room":
            out.append(f"- {c.key}: now in {c.after.room}")
        else:
            out.append(f"- {c.key}: now {c.after.slot.day:%a %d %b}, {c.after.room}")
    return out
