"""The shapes that our SVG drawings are made of. Texts are escaped; coordinates have one decimal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from recollect.markup import Html, el

Point = tuple[float, float]


def svg(width: float, height: float, *shapes: Html, **attributes: Any) -> Html:
    """Returns a drawing that stands alone, one shape a line."""
    box = {"viewBox": f"0 0 {width:g} {height:g}", "width": f"{width:g}", "height": f"{height:g}"}
    lines = Html("\n" + "\n".join(shapes) + "\n")
    return el("svg", lines, xmlns="http://www.w3.org/2000/svg", **box, **attributes)


def text(x: float, y: float, said: str, **attributes: Any) -> Html:
    return el("text", said, x=_number(x), y=_number(y), **attributes)


def rect(x: float, y: float, width: float, height: float, tip: str = "", **attributes: Any) -> Html:
    box = {"x": x, "y": y, "width": width, "height": height}
    return el("rect", *_title(tip), **_numbers(box), **attributes)


def line(start: Point, end: Point, **attributes: Any) -> Html:
    ends = {"x1": start[0], "x2": end[0], "y1": start[1], "y2": end[1]}
    return el("line", **_numbers(ends), **attributes)


def circle(at: Point, radius: float, tip: str = "", **attributes: Any) -> Html:
    return el(
        "circle", *_title(tip), **_numbers({"cx": at[0], "cy": at[1], "r": radius}), **attributes
    )


def polyline(points: Iterable[Point], **attributes: Any) -> Html:
    path = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
    return el("polyline", points=path, fill="none", **attributes)


def arc(start: Point, end: Point, bend: float, **attributes: Any) -> Html:
    """Returns a curve between two points that reaches so far to the left of them."""
    turn = start[0] - bend / 0.75, end[0] - bend / 0.75  # a cubic goes three quarters of the way
    points = (start, (turn[0], start[1]), (turn[1], end[1]), end)
    first, *others = (f"{_number(x)} {_number(y)}" for x, y in points)
    return el("path", d=f"M{first}C{', '.join(others)}", fill="none", **attributes)


def _title(tip: str) -> list[Html]:
    """What a browser shows where the pointer rests."""
    return [el("title", tip)] if tip else []


def _numbers(given: dict[str, float]) -> dict[str, str]:
    return {name: _number(value) for name, value in given.items()}


def _number(value: float) -> str:
    return f"{value:.1f}"
