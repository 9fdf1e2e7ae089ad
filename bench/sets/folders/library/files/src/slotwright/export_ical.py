from __future__ import annotations

from datetime import datetime, timezone

from .calendar_rules import to_utc
from .model import Placement, Plan

PRODID = "-//slotwright//export 3//EN"


def escape(text: str) -> str:
    return (text.replace("\\", "\\\\").replace(";", "\\;")
                .replace(",", "\\,").replace("\n", "\\n"))


def fold(line: str) -> str:
    raw = line.encode("utf-8")
    if len(raw) <= 75:
        return line
    parts, cur = [], b""
    for ch in line:
        b = ch.encode("utf-8")
        if len(cur) + len(b) > (75 if not parts else 74):
            parts.append(cur)
            cur = b""
        cur += b
    parts.append(cur)
    return "\r\n ".join(p.decode("utf-8") for p in parts)


def stamp(t: datetime) -> str:
    return t.strftime("%Y%m%dT%H%M%SZ")


def uid(p: Placement, host: str) -> str:
    # stable over room and time changes, so that phones update instead of doubling
    return f"{p.session.key.replace(' ', '_')}@{host}"


def event(p: Placement, zone: str, host: str, seq: int, now: datetime) -> list[str]:
    lines = [
        "BEGIN:VEVENT",
        f"UID:{uid(p, host)}",
        f"SEQUENCE:{seq}",
        f"DTSTAMP:{stamp(now)}",
        f"DTSTART:{stamp(to_utc(p.slot.day, p.slot.start, zone))}",
        f"DTEND:{stamp(to_utc(p.slot.day, p.slot.end, zone))}",
        f"SUMMARY:{escape(p.session.key)}",
        f"LOCATION:{escape(p.room)}",
    ]
    if p.session.people:
        lines.append("DESCRIPTION:" + escape(", ".join(sorted(p.session.people))))
    lines.append("END:VEVENT")
    return lines


def calendar(plan: Plan, zone: str, host: str = "slotwright.invalid",
             person: str | None = None, refresh_minutes: int = 240) -> str:
    now = datetime.now(timezone.utc)
    items = plan.of_person(person) if person else list(plan)
    out = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        f"PRODID:{PRODID}",
        f"X-WR-CALNAME:{escape(plan.title)}",
        f"REFRESH-INTERVAL;VALUE=DURATION:PT{refresh_minutes}M",
    ]
    for p in items:
        out += event(p, zone, host, plan.revision, now)
    out.append("END:VCALENDAR")
    return "\r\n".join(fold(l) for l in out) + "\r\n"
