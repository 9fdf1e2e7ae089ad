"""Small drawings: bars whose lengths are attributes of SVG, for a style in the markup is not let
through. Numbers stand beside them as text, so that nothing has to be seen to be read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log10

from recollect.markup import Html, el

_WIDE, _HIGH = 200, 8
_DECADES = 4
"""Confidence is drawn from 1 in 10,000 to 1 on a logarithmic scale: a cut is made among small
numbers."""


def share(value: float) -> str:
    """A probability in words of few letters."""
    percent = value * 100
    if percent >= 99.95:
        return "100%"
    if percent >= 10:
        return f"{percent:.0f}%"
    if percent >= 1:
        return f"{percent:.1f}%"
    return f"{percent:.2f}%" if percent >= 0.005 else "<0.01%"


def _drawn(*shapes: Html, kind: str = "bar") -> Html:
    return el(
        "svg",
        *shapes,
        viewBox=f"0 0 {_WIDE} {_HIGH}",
        preserveAspectRatio="none",
        class_=kind,
        aria_hidden="true",
        focusable="false",
    )


def _rect(x: float, wide: float, kind: str) -> Html:
    return el("rect", x=f"{x:.2f}", y="0", width=f"{max(wide, 0):.2f}", height=_HIGH, class_=kind)


def bar(part: float, kind: str = "fill") -> Html:
    """Returns a bar that is filled to this share."""
    return _drawn(_rect(0, _WIDE, "rail"), _rect(0, _WIDE * min(max(part, 0.0), 1.0), kind))


def confidence_bar(value: float, kind: str = "fill") -> Html:
    return bar(1 + log10(max(value, 10**-_DECADES)) / _DECADES, kind)


def both_ways(value: float, most: float) -> Html:
    """To the right of the middle what speaks for it, to the left what speaks against it."""
    middle, half = _WIDE / 2, _WIDE / 2 * min(abs(value) / most, 1.0) if most else 0.0
    return _drawn(
        _rect(0, _WIDE, "rail"),
        _rect(middle, half, "fill") if value >= 0 else _rect(middle - half, half, "against"),
        _rect(middle - 0.5, 1, "axis"),
    )


def stacked(parts: Sequence[float], whole: float) -> Html:
    """Parts one after the other, against the whole."""
    shapes, at = [_rect(0, _WIDE, "rail")], 0.0
    scale = _WIDE / max(whole, sum(parts), 1)
    for place, part in enumerate(parts):
        wide = part * scale
        shapes.append(_rect(at, max(wide - 0.6, 0.4), "fill" if place % 2 == 0 else "fill other"))
        at += wide
    return _drawn(*shapes, kind="bar thick")


def rows(lines: Iterable[tuple[object, Html, object]]) -> Html:
    """A name, a bar and what it amounts to in each row."""
    made = [
        el(
            "tr",
            el("th", name, scope="row"),
            el("td", drawn, class_="drawn"),
            el("td", number, class_="number"),
        )
        for name, drawn, number in lines
    ]
    return el("table", el("tbody", made), class_="bars")
