"""Repeats, term weeks, holidays."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

WEEKDAYS = ["mo", "tu", "we", "th", "fr", "sa", "su"]


class RuleError(ValueError):
    pass


def easter(year: int) -> date:
    a = year % 19
    b, c = divmod(year, 100)
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    l = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * l) // 451
    month, day = divmod(h + l - 7 * m + 114, 31)
    return date(year, month, day + 1)


def movable_feasts(year: int) -> dict[str, date]:
    e = easter(year)
    return {
        "good-friday": e - timedelta(days=2),
        "easter-monday": e + timedelta(days=1),
        "ascension": e + timedelta(days=39),
        "whit-monday": e + timedelta(days=50),
    }


def parse_rule(text: str) -> dict:
    """'every 2 weeks on tu,th until 2026-07-03' and friends."""
    words = text.lower().replace(",", " ").split()
    rule = {"every": 1, "days": [], "until": None, "parity": None}
    i = 0
    while i < len(words):
        w = words[i]
        if w == "every" and i + 1 < len(words) and words[i + 1].isdigit():
            rule["every"] = int(words[i + 1])
            i += 1
        elif w in WEEKDAYS:
            rule["days"].append(WEEKDAYS.index(w))
        elif w == "until":
            i += 1
            rule["until"] = date.fromisoformat(words[i])
        elif w in ("odd", "even"):
            rule["parity"] = w
        elif w in ("every", "week", "weeks", "on"):
            pass
        else:
            raise RuleError(f"do not understand {w!r} in {text!r}")
        i += 1
    if not rule["days"]:
        raise RuleError("a rule needs at least one weekday")
    return rule


def expand(rule: dict, first: date, last: date, skip: set[date] | None = None) -> list[date]:
    skip = skip or set()
    stop = min(last, rule["until"]) if rule["until"] else last
    anchor = first - timedelta(days=first.weekday())
    out = []
    d = first
    while d <= stop:
        weeks = (d - anchor).days // 7
        if d.weekday() in rule["days"] and weeks % rule["every"] == 0 and d not in skip:
            odd = d.isocalendar().week % 2 == 1
            if rule["parity"] is None or (rule["parity"] == "odd") == odd:
                out.append(d)
        d += timedelta(days=1)
    if len(out) > 520:
        raise RuleError("more than 520 repeats, that is surely a mistake")
    return out


def term_week(day: date, term_start: date, breaks: list[tuple[date, date]]) -> int | None:
    if day < term_start:
        return None
    for a, b in breaks:
        if a <= day <= b:
            return None
    lost = sum((b - a).days // 7 + 1 for a, b in breaks if b < day)
    return (day - term_start).days // 7 + 1 - lost


def to_utc(day: date, minute: int, zone: str) -> datetime:
    local = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone))
    wall = local.replace(hour=minute // 60 % 24, minute=minute % 60)
    if minute >= 1440:
        wall += timedelta(days=1)
    if not _exists(wall):
        # in the spring gap: push to the first real minute
        wall += timedelta(hours=1)
    return wall.astimezone(timezone.utc)


def _exists(wall: datetime) -> bool:
    back = wall.astimezone(timezone.utc).astimezone(wall.tzinfo)
    return back.replace(tzinfo=None) == wall.replace(tzinfo=None)


def load_holidays(path: str) -> set[date]:
    days = set()
    with open(path, encoding="utf-8") as f:
        for line in f:
            line = line.split("#")[0].strip()
            if not line:
                continue
            if ".." in line:
                a, b = (date.fromisoformat(x.strip()) for x in line.split(".."))
                while a <= b:
                    days.add(a)
                    a += timedelta(days=1)
            else:
                days.add(date.fromisoformat(line))
    return days
