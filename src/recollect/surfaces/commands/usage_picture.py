"""The figures of ``recollect stats`` as one picture: four panels over the same days, as SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from itertools import chain
from math import ceil, floor, log10

from recollect import svg
from recollect.markup import Html, el
from recollect.named_tuple import NamedTuple
from recollect.surfaces.commands.usage_text import STATUSES, duration, searches, short
from recollect.telemetry import Figures, Usage, added

WIDTH, HEIGHT = 1080, 760
_MARGIN, _GAP, _TOP = 40, 40, 104
_LEFT, _RIGHT, _HEAD, _FOOT = 52, 16, 66, 30
"""Inside a panel: room for the numbers of the axis, half a date, the title and the dates."""
_INK, _SOFT, _GRID, _PAPER, _CARD = "#1f2733", "#6b7686", "#e6eaf0", "#f5f7fa", "#ffffff"
_BLUE, _PALE, _ORANGE = "#2f6fde", "#bcd2f7", "#e07b39"
_COLOURS = {
    "direct_passages": "#2f6fde",
    "cached_answer": "#2aa198",
    "synthesized": "#8a63d2",
    "needs_synthesis": "#f0b429",
    "no_results": "#c9d1dc",
}
_FONTS = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif"
_WEEKLY = 62
"""From so many days on a column is a week."""


class Column(NamedTuple):
    """What one place on the horizontal axis stands for."""

    label: str
    figures: Figures


class Panel(NamedTuple):
    """A rectangle to draw in, with columns side by side; values are given as shares of its
    height."""

    left: float
    top: float
    wide: float
    high: float
    columns: int

    def x(self, column: float) -> float:
        """The middle of a column."""
        return self.left + (column + 0.5) * self.wide / self.columns

    def y(self, share: float) -> float:
        return self.top + (1 - share) * self.high


def picture(usage: Usage) -> str:
    columns = _columns(usage)
    wide = (WIDTH - 2 * _MARGIN - _GAP) / 2
    high = (HEIGHT - _TOP - _MARGIN - _GAP) / 2
    parts = [
        el("title", "recollect: searches by day"),
        el("rect", width="100%", height="100%", fill=_PAPER),
        *_heading(usage),
    ]
    for place, draw in enumerate(_panels()):
        x = _MARGIN + place % 2 * (wide + _GAP)
        y = _TOP + place // 2 * (high + _GAP)
        parts.append(_card(x - 14, y - 14, wide + 28, high + 28))
        panel = Panel(
            x + _LEFT, y + _HEAD, wide - _LEFT - _RIGHT, high - _HEAD - _FOOT, len(columns)
        )
        parts += _dates(panel, columns)
        parts += draw(panel, columns, usage.total)
    return svg.svg(WIDTH, HEIGHT, *parts, font_family=_FONTS, font_size=12, fill=_INK) + "\n"


def pictures(usage: Usage) -> Iterator[Html]:
    """Yields the panels one by one, for a page that sets them side by side or below each other."""
    columns, wide, high = _columns(usage), 480, 290
    panel = Panel(_LEFT, _HEAD, wide - _LEFT - _RIGHT, high - _HEAD - _FOOT, len(columns))
    for draw in _panels():
        shapes = [*_dates(panel, columns), *draw(panel, columns, usage.total)]
        yield svg.svg(wide, high, *shapes, font_family=_FONTS, font_size=12, fill=_INK)


def _card(x: float, y: float, wide: float, high: float) -> Html:
    box = {"x": x, "y": y, "width": wide, "height": high}
    sides = {name: f"{side:g}" for name, side in box.items()}
    return el("rect", **sides, rx=10, fill=_CARD, stroke=_GRID)


def _columns(usage: Usage) -> list[Column]:
    """One for each day, also for those without a search; one for each week of a long time."""
    first, last = date.fromisoformat(usage.first), date.fromisoformat(usage.last)
    count = (last - first).days + 1
    step = 1 if count < _WEEKLY else 7
    by_day = usage.by("day")
    made = []
    for start in range(0, count, step):
        days = [first + timedelta(days=n) for n in range(start, min(start + step, count))]
        some = (by_day[(day.isoformat(),)] for day in days if (day.isoformat(),) in by_day)
        made.append(Column(f"{days[0]:%-d %b}", Figures(added(f.counts for f in some))))
    return made


# ------------------------------------------------------------------ the panels


def _panels() -> tuple[Callable[[Panel, Sequence[Column], Figures], Iterator[Html]], ...]:
    return _hit_rate, _statuses, _latency, _tokens


def period(usage: Usage) -> str:
    """Returns the days that are counted, in words."""
    first, last = date.fromisoformat(usage.first), date.fromisoformat(usage.last)
    return f"{first:%-d %B %Y} to {last:%-d %B %Y}"


def _heading(usage: Usage) -> Iterator[Html]:
    yield _text(_MARGIN - 14, 44, searches(usage.total.calls), 24, weight=600)
    yield _text(_MARGIN - 14, 68, period(usage), 14, _SOFT)


def _hit_rate(panel: Panel, columns: Sequence[Column], total: Figures) -> Iterator[Html]:
    said = "never asked" if total.hit_rate is None else f"{total.hit_rate:.0%} in all"
    yield from _title(panel, "Answered from the cache", said)
    yield from _axis(panel, 1.0, lambda share: f"{share:.0%}")
    rates = [column.figures.hit_rate for column in columns]
    if total.hit_rate is None:
        middle = panel.left + panel.wide / 2
        yield _text(middle, panel.y(0.5), "nothing asked the cache", 13, _SOFT, "middle")
    yield from _curve(
        panel,
        rates,
        _BLUE,
        [f"{column.label}: {rate or 0:.0%}" for column, rate in zip(columns, rates, strict=True)],
    )


def _statuses(panel: Panel, columns: Sequence[Column], total: Figures) -> Iterator[Html]:
    names = [name for name in _COLOURS if total.counts[f"status.{name}"]]
    direct = total.a_call("status.direct_passages") + total.a_call("status.cached_answer")
    yield from _title(panel, "Answers", f"{direct:.0%} served as they stand")
    yield from _legend(panel, [(STATUSES[name], _COLOURS[name]) for name in names])
    most = _round_up(max(column.figures.calls for column in columns))
    yield from _axis(panel, most, lambda count: f"{count:,.0f}", whole=True)
    for at, (label, figures) in enumerate(columns):
        parts = [
            (figures.counts[f"status.{name}"], _COLOURS[name], STATUSES[name]) for name in names
        ]
        yield from _stack(panel, at, most, parts, label)


def _latency(panel: Panel, columns: Sequence[Column], total: Figures) -> Iterator[Html]:
    half, most = total.percentile(0.5), total.percentile(0.95)
    said = f"{duration(half)} and {duration(most)} in all" if half and most else "no searches"
    yield from _title(panel, "Time of a search", said)
    yield from _legend(panel, [("half are within", _BLUE), ("95% are within", _ORANGE)])
    curves = [[column.figures.percentile(p) for column in columns] for p in (0.5, 0.95)]
    marks = _decades(list(filter(None, chain.from_iterable(curves))) or [1.0, 10.0])

    def share(ms: float) -> float:
        return log10(ms / marks[0]) / log10(marks[-1] / marks[0])

    for mark in marks:
        yield from _mark(panel, share(mark), duration(mark))
    for curve, colour in zip(curves, (_BLUE, _ORANGE), strict=True):
        shares = [None if ms is None else share(ms) for ms in curve]
        yield from _curve(
            panel,
            shares,
            colour,
            [f"{column.label}: {duration(ms)}" for column, ms in zip(columns, curve, strict=True)],
        )


def _tokens(panel: Panel, columns: Sequence[Column], total: Figures) -> Iterator[Html]:
    whole = total.counts["tokens.everything"]
    share = f"about {total.saved / whole:.0%} saved" if whole else "none"
    yield from _title(panel, "Tokens", share)
    yield from _legend(panel, [("returned", _BLUE), ("saved, estimated", _PALE)])
    most = _round_up(max(column.figures.counts["tokens.everything"] for column in columns))
    yield from _axis(panel, most, short)
    for at, (label, figures) in enumerate(columns):
        parts = [(figures.used, _BLUE, "returned"), (figures.saved, _PALE, "saved")]
        yield from _stack(panel, at, most, parts, label)


# ------------------------------------------------------------------ what they are drawn with


def _title(panel: Panel, title: str, said: str) -> Iterator[Html]:
    yield _text(panel.left - _LEFT + 4, panel.top - _HEAD + 20, title, 15, weight=600)
    right = panel.left + panel.wide + _RIGHT - 4
    yield _text(right, panel.top - _HEAD + 20, said, 13, _SOFT, "end")


def _legend(panel: Panel, entries: Sequence[tuple[str, str]]) -> Iterator[Html]:
    x = panel.left - _LEFT + 4
    for name, colour in entries:
        y = panel.top - 24
        place = {"x": f"{x:.1f}", "y": f"{y - 9:.1f}"}
        yield el("rect", **place, width=10, height=10, rx=2, fill=colour)
        yield _text(x + 15, y, name, 12, _SOFT)
        x += 34 + 6.2 * len(name)


def _axis(
    panel: Panel, most: float, said: Callable[[float], str], *, whole: bool = False
) -> Iterator[Html]:
    """Lines at quarters of it; fewer where a quarter would be no whole number."""
    parts = 4
    while whole and parts > 1 and most % parts:
        parts -= 1
    for part in range(parts + 1):
        yield from _mark(panel, part / parts, said(most * part / parts))


def _mark(panel: Panel, share: float, said: str) -> Iterator[Html]:
    y = panel.y(share)
    colour = _GRID if share else "#b8c1cd"
    yield svg.line((panel.left, y), (panel.left + panel.wide, y), stroke=colour)
    yield _text(panel.left - 8, y + 4, said, 11, _SOFT, "end")


def _dates(panel: Panel, columns: Sequence[Column]) -> Iterator[Html]:
    """At most six, the last one among them."""
    every = max(1, ceil(len(columns) / 6))
    for at in range(len(columns) - 1, -1, -every):
        yield _text(panel.x(at), panel.y(0) + 18, columns[at].label, 11, _SOFT, "middle")


def _stack(
    panel: Panel, at: int, most: float, parts: Sequence[tuple[int, str, str]], label: str
) -> Iterator[Html]:
    wide = min(26.0, 0.72 * panel.wide / panel.columns)
    below = 0
    for count, colour, name in parts:
        if count <= 0:
            continue
        top, bottom = panel.y((below + count) / most), panel.y(below / most)
        left, tip = panel.x(at) - wide / 2, f"{label}: {count:,} {name}"
        yield svg.rect(left, top, wide, bottom - top, tip, fill=colour)
        below += count


def _curve(
    panel: Panel, shares: Sequence[float | None], colour: str, tips: Sequence[str]
) -> Iterator[Html]:
    """A line from day to day, over days without a search as well, and a dot for each that has."""
    dots = {
        (panel.x(n), panel.y(share)): tips[n] for n, share in enumerate(shares) if share is not None
    }
    round_ = {"stroke_linejoin": "round", "stroke_linecap": "round"}
    yield svg.polyline(dots, stroke=colour, stroke_width=2, **round_)
    for at, tip in dots.items():
        yield svg.circle(at, 3.2, tip, fill=_CARD, stroke=colour, stroke_width=2)


def _text(
    x: float,
    y: float,
    said: str,
    size: int,
    colour: str = _INK,
    anchor: str = "start",
    weight: int = 400,
) -> Html:
    look = {"font_size": size, "fill": colour, "text_anchor": anchor, "font_weight": weight}
    return svg.text(x, y, said, **look)


def _round_up(number: float) -> float:
    """The next number that is easily read on an axis."""
    if number <= 4:
        return 4.0
    power = 10 ** floor(log10(number))
    return next(float(n * power) for n in (1, 2, 4, 5, 8, 10) if n * power >= number)


def _decades(known: Sequence[float]) -> list[float]:
    """Marks of a logarithmic axis that begins at a power of ten and has all of these below its
    last: at 1, 2 and 5, or only at 1 where that is enough."""
    low, high = floor(log10(min(known))), ceil(log10(max(known)))
    steps = (1, 2, 5) if high - low <= 3 else (1,)
    every = [step * 10.0**power for power in range(low, high + 2) for step in steps]
    last = min(n for n, mark in enumerate(every) if mark > max(known))
    return every[: last + 1]
