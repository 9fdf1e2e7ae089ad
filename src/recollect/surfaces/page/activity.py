"""The calendar of a year: how much was written on each day, by the dates of the documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta

from recollect import svg
from recollect.markup import Html, el, url
from recollect.surfaces.page.layout import PageRequest, table
from recollect.surfaces.page.remembered import written_sources
from recollect.surfaces.phrases import plural

WEEKS = 53
MOST = 5_000
"""Documents whose dates are looked at, the newest: more take longer to list than a page may."""
CELL, GAP, LEFT, TOP = 11, 3, 34, 18
"""Pixels of a day, between days, and beside them for their names."""
LEVELS = 4


def calendar(request: PageRequest, today: date | None = None) -> Html | None:
    """Returns the calendar with a table of its months, or nothing where nothing is dated."""
    last = today or datetime.now(UTC).date()
    first = last - timedelta(days=last.weekday() + 7 * (WEEKS - 1))
    counts = _counts(request, first, last)
    if not counts:
        return None
    total = sum(counts.values())
    newest = "the newest " if total == MOST else ""
    named = f"{newest}{plural(total, 'document')} of the last year, by day"
    return el(
        "section",
        el("h2", "Activity"),
        el(
            "div",
            el("div", _drawn(counts, first, last), class_="calendar"),
            class_="card scrolled",
            tabindex="0",
            role="group",
            aria_label=named,
        ),
        el("p", f"{named[0].upper()}{named[1:]}.", class_="fine"),
        el("details", el("summary", "Month by month"), _months(counts)),
    )


def _counts(request: PageRequest, first: date, last: date) -> Counter[date]:
    sources = written_sources(request)
    if not sources:
        return Counter()
    seen = request.memory.query("x", sources=sources, since=first.isoformat()).filter
    found = request.memory.store.scan(seen, limit=MOST, dated=True).items
    days = (one.date.astimezone(UTC).date() for one in found if one.date)
    return Counter(day for day in days if first <= day <= last)


def _drawn(counts: Mapping[date, int], first: date, last: date) -> Html:
    step = CELL + GAP
    weeks = [first + timedelta(weeks=n) for n in range(WEEKS)]
    empty = [
        svg.line(
            (LEFT + n * step + CELL / 2, TOP),
            (LEFT + n * step + CELL / 2, TOP + min((last - week).days + 1, 7) * step - GAP),
            class_="none",
        )
        for n, week in enumerate(weeks)
    ]
    months = [
        svg.text(LEFT + n * step, TOP - 6, f"{week:%b}")
        for n, week in enumerate(weeks)
        if week.day <= 7 and n < WEEKS - 2
    ]
    names = [
        svg.text(0, TOP + n * step + CELL - 1, name)
        for n, name in ((0, "Mon"), (2, "Wed"), (4, "Fri"))
    ]
    most = max(counts.values())
    days = [_day(day, count, most, (day - first).days) for day, count in sorted(counts.items())]
    return svg.svg(LEFT + WEEKS * step, TOP + 7 * step, *empty, *months, *names, *days)


def _day(day: date, count: int, most: int, place: int) -> Html:
    """Returns the square of a day, which leads to what was written on it. It is for the pointer:
    who uses keys has the months."""
    week, weekday = divmod(place, 7)
    x, y = LEFT + week * (CELL + GAP), TOP + weekday * (CELL + GAP)
    said = f"{day.isoformat()}: {plural(count, 'document')}"
    level = 1 + (LEVELS - 1) * count.bit_length() // most.bit_length()
    square = svg.rect(x, y, CELL, CELL, said, rx=2, class_=f"level-{min(level, LEVELS)}")
    return el("a", square, href=_place(day, day), tabindex="-1", aria_label=said)


def _place(first: date, last: date) -> str:
    return url("/documents", since=first.isoformat(), until=last.isoformat())


def _months(counts: Mapping[date, int]) -> Html:
    held: Counter[date] = Counter()
    for day, count in counts.items():
        held[day.replace(day=1)] += count
    rows = [
        (el("a", f"{month:%B %Y}", href=_place(month, _end(month)), data_item=True), held[month])
        for month in sorted(held, reverse=True)
    ]
    return table(("Month", "Documents"), rows, class_="numbers", aria_label="Month by month")


def _end(month: date) -> date:
    return (month + timedelta(days=31)).replace(day=1) - timedelta(days=1)
