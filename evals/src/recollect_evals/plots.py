"""Pictures of runs as SVG, drawn here: no library, no script, colours by class, so that a page
gives them for light and for dark. Each says in words what it shows, for those who do not see it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple

WIDTH = 560
LEFT, RIGHT, TOP, BOTTOM = 54, 16, 12, 46
SIDES = ("a", "b")


class Axis(NamedTuple):
    """From values to places; by powers of ten where it is logarithmic."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        low, high = self._as(self.low), self._as(self.high)
        share = (self._as(value) - low) / ((high - low) or 1)
        return round(self.start + share * (self.end - self.start), 1)

    def _as(self, value: float) -> float:
        return math.log10(max(value, 1e-9)) if self.log else value

    def ticks(self, most: int = 6) -> list[float]:
        """Round values inside it."""
        if self.log:
            first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
            powers = [10.0**n for n in range(first, last + 1)]
            return [p for p in powers if self.low <= p <= self.high]
        step = nice((self.high - self.low) / most)
        first = math.ceil(self.low / step - 1e-9)
        count = int((self.high - first * step) / step + 1e-9) + 1
        return [round((first + n) * step, 10) for n in range(count)]


def nice(step: float) -> float:
    """The least of 1, 2, 2.5 and 5 times a power of ten that is no smaller."""
    power = 10.0 ** math.floor(math.log10(step)) if step > 0 else 1.0
    return next(power * n for n in (1, 2, 2.5, 5, 10) if power * n >= step * (1 - 1e-9))


class Series(NamedTuple):
    name: str
    side: str
    points: Sequence[tuple[float, float]]
    weights: Sequence[int] = ()
    """How many answers each point stands for."""


# ------------------------------------------------------------------ pieces


def _svg(height: float, says: str, parts: Iterable[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escape(says)}">'
        + "".join(parts)
        + "</svg>"
    )


def _text(x: float, y: float, said: str, anchor: str = "middle", kind: str = "") -> str:
    name = f' class="{kind}"' if kind else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{name}>{escape(said)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" class="{kind}"/>'


def _dot(x: float, y: float, radius: float, side: str, says: str) -> str:
    shape = f'<circle cx="{x:g}" cy="{y:g}" r="{radius:.1f}" class="dot {side}">'
    if side == "b":  # not by colour alone
        r = radius * 0.9
        shape = (
            f'<rect x="{x - r:.1f}" y="{y - r:.1f}" width="{2 * r:.1f}" height="{2 * r:.1f}" '
            f'class="dot {side}">'
        )
    return f"{shape}<title>{escape(says)}</title></{'rect' if side == 'b' else 'circle'}>"


def short(value: float) -> str:
    if abs(value) >= 10_000:
        return f"{value / 1000:,.0f}k"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _frame(x: Axis, y: Axis, x_name: str, y_name: str) -> Iterable[str]:
    for tick in y.ticks(5):
        yield _line(x.start, y.at(tick), x.end, y.at(tick), "grid")
        yield _text(x.start - 8, y.at(tick) + 4, short(tick), "end")
    for tick in x.ticks(5):
        yield _text(x.at(tick), y.start + 18, short(tick))
    yield _line(x.start, y.start, x.end, y.start, "axis")
    yield _text((x.start + x.end) / 2, y.start + 38, x_name, kind="name")
    middle = (y.start + y.end) / 2
    yield (
        f'<text transform="translate(14 {middle:g}) rotate(-90)" text-anchor="middle" '
        f'class="name">{escape(y_name)}</text>'
    )


def _square(height: float) -> tuple[Axis, Axis]:
    """Shares on both axes."""
    x = Axis(0, 1, LEFT, WIDTH - RIGHT)
    return x, Axis(0, 1, height - BOTTOM, TOP)


# ------------------------------------------------------------------ the pictures


def reliability(series: Sequence[Series]) -> str:
    """How often answers are right against how sure they are; the diagonal is as it should be."""
    x, y = _square(360)
    parts = [*_frame(x, y, "confidence", "share right")]
    parts.append(_line(x.at(0), y.at(0), x.at(1), y.at(1), "ideal"))
    for one in series:
        total = sum(one.weights) or 1
        path = " ".join(f"{x.at(px)},{y.at(py)}" for px, py in one.points)
        parts.append(f'<polyline points="{path}" class="thin {one.side}"/>')
        for (px, py), count in zip(one.points, one.weights, strict=True):
            says = f"{one.name}: {count} answers, confidence {px:.2f}, right {py:.2f}"
            parts.append(_dot(x.at(px), y.at(py), 3 + 10 * (count / total) ** 0.5, one.side, says))
    return _svg(360, "Reliability: confidence against the share of answers that are right", parts)


def coverage_risk(series: Sequence[Series]) -> str:
    """The share of wrong answers against how many are given, the surest first."""
    most = max((py for one in series for _, py in one.points), default=0)
    x, y = _square(360)
    y = y._replace(high=min(1.0, nice(most * 1.05) if most else 0.1))
    parts = [*_frame(x, y, "coverage: share of questions answered", "risk: share wrong")]
    for one in series:
        path = " ".join(f"{x.at(px)},{y.at(py)}" for px, py in one.points)
        parts.append(f'<polyline points="{path}" class="curve {one.side}"/>')
    return _svg(360, "Coverage against risk, the surest answers first", parts)


class Difference(NamedTuple):
    """Of one measure; towards + is better for run a."""

    name: str
    middle: float
    low: float
    high: float
    winner: str | None
    says: str


def differences(rows: Sequence[Difference], unit: str, least: float) -> str:
    """Intervals of paired differences around 0, on an axis that reaches to *least* both ways, so
    that next to nothing looks like that."""
    if not rows:
        return ""
    height = TOP + 26 * len(rows) + BOTTOM
    reach = max(least, *(max(abs(row.low), abs(row.high)) for row in rows)) * 1.08
    x = Axis(-reach, reach, 130, WIDTH - RIGHT)
    bottom = height - BOTTOM
    parts = []
    for tick in x.ticks(5):
        parts.append(_line(x.at(tick), TOP, x.at(tick), bottom, "axis" if tick == 0 else "grid"))
        parts.append(_text(x.at(tick), bottom + 18, f"{tick:+g}" if tick else "0"))
    for number, row in enumerate(rows):
        at = TOP + 26 * number + 14
        side = row.winner or "none"
        parts.append(_text(120, at + 4, row.name, "end"))
        parts.append(_line(x.at(row.low), at, x.at(row.high), at, f"whisker {side}"))
        parts.append(_dot(x.at(row.middle), at, 5, side, row.says))
    parts.append(_text((130 + WIDTH - RIGHT) / 2, bottom + 38, unit, kind="name"))
    return _svg(height, f"Paired differences with intervals, in {unit}", parts)


class Mark(NamedTuple):
    """A value on a line of its own."""

    name: str
    value: float
    side: str
    says: str


def dots(rows: Sequence[tuple[str, Sequence[Mark]]], unit: str, *, log: bool = False) -> str:
    """Values in rows, on one axis."""
    values = [mark.value for _, marks in rows for mark in marks]
    if not values:
        return ""
    height = TOP + 34 * len(rows) + BOTTOM
    low = 10.0 ** math.floor(math.log10(max(1.0, min(values)))) if log else 0.0
    high = 10.0 ** math.ceil(math.log10(max(*values, 10.0))) if log else max(values) * 1.08 or 1.0
    x, bottom = Axis(low, high, 130, WIDTH - 40, log), height - BOTTOM
    parts = []
    for tick in x.ticks(5):
        parts.append(_line(x.at(tick), TOP, x.at(tick), bottom, "grid"))
        parts.append(_text(x.at(tick), bottom + 18, short(tick)))
    for number, (name, marks) in enumerate(rows):
        at = TOP + 34 * number + 17
        parts.append(_text(120, at + 4, name, "end"))
        parts.append(_line(x.start, at, x.end, at, "grid"))
        parts += [_dot(x.at(mark.value), at, 6, mark.side, mark.says) for mark in marks]
        if len(marks) == 1:
            parts.append(_text(x.at(marks[0].value) + 10, at - 6, short(marks[0].value), "start"))
    parts.append(_text((130 + WIDTH - 40) / 2, bottom + 38, unit, kind="name"))
    return _svg(height, f"{unit}, by row", parts)


def legend(names: Mapping[str, str]) -> str:
    """Which run is which, by colour and by shape."""
    marks = {"a": "●", "b": "■"}
    said = (
        f'<span class="key {side}">{marks[side]}</span> {escape(name)}'
        for side, name in names.items()
    )
    return f'<p class="legend">{" &nbsp; ".join(said)}</p>'
