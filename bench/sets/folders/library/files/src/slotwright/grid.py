"""The candidate grid: which starts are possible at all for a session."""

from __future__ import annotations

from datetime import date, timedelta

from .model import MINUTES_PER_DAY, Plan, Room, Session, Slot

DEFAULT_STEP = 15
DEFAULT_HORIZON_DAYS = 14


class Grid:
    def __init__(self, first: date, days: int = DEFAULT_HORIZON_DAYS, step: int = DEFAULT_STEP,
                 opens: int = 8 * 60, closes: int = 19 * 60 + 30):
        if step not in (5, 10, 15, 20, 30, 60):
            raise ValueError("step must divide an hour")
        self.first = first
        self.days = days
        self.step = step
        self.opens = opens
        self.closes = closes
        self.blocked: set[tuple[date, int]] = set()
        self.holidays: set[date] = set()

    def day_list(self) -> list[date]:
        out = []
        for n in range(self.days):
            d = self.first + timedelta(days=n)
            if d.weekday() == 6 or d in self.holidays:
                continue
            out.append(d)
        return out

    def block(self, day: date, start: int, end: int) -> None:
        t = start - start % self.step
        while t < end:
            self.blocked.add((day, t))
            t += self.step

    def unblock(self, day: date) -> int:
        mine = {c for c in self.blocked if c[0] == day}
        self.blocked -= mine
        return len(mine)

    def _open(self, day: date, start: int, minutes: int) -> bool:
        t = start
        while t < start + minutes:
            if (day, t - t % self.step) in self.blocked:
                return False
            t += self.step
        return True

    def starts(self, session: Session) -> list[Slot]:
        if session.pinned is not None:
            return [session.pinned]
        found = []
        for day in self.day_list():
            last = self.closes - session.minutes
            t = self.opens
            while t <= last:
                if self._open(day, t, session.minutes):
                    found.append(Slot(day, t, t + session.minutes))
                t += self.step
        return found

    def lunch(self, minutes: int = 45, at: int = 12 * 60 + 15) -> None:
        for day in self.day_list():
            if day.weekday() == 5:
                continue
            self.block(day, at, at + minutes)

    def tightness(self, sessions: list[Session], rooms: list[Room]) -> float:
        """Share of the room minutes that the sessions would eat. Above 0.85 it gets hard."""
        per_day = self.closes - self.opens
        cells = len(self.blocked) * self.step
        supply = (per_day * len(self.day_list()) - cells) * max(1, len(rooms))
        if supply <= 0:
            return float("inf")
        return sum(s.minutes for s in sessions) / supply


def snap(minute: int, step: int = DEFAULT_STEP) -> int:
    down = minute - minute % step
    up = down + step
    # ties go to the earlier cell
    return up if up - minute < minute - down else down


def week_of(day: date) -> tuple[date, date]:
    monday = day - timedelta(days=day.weekday())
    return monday, monday + timedelta(days=6)


def clip(slot: Slot, opens: int, closes: int) -> Slot | None:
    start, end = max(slot.start, opens), min(slot.end, closes)
    if end - start < 5:
        return None
    return Slot(slot.day, start, end)


def heat(plan: Plan, step: int = 60) -> dict[int, int]:
    cells: dict[int, int] = {t: 0 for t in range(0, MINUTES_PER_DAY, step)}
    for p in plan:
        t = p.slot.start - p.slot.start % step
        while t < p.slot.end and t < MINUTES_PER_DAY:
            cells[t] += 1
            t += step
    return cells
