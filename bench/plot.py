"""A reliability plot as SVG: how often an answer was right, against how sure it said it was."""

from __future__ import annotations

from collections.abc import Sequence

_SIZE, _MARGIN = 360, 44


def reliability(pairs: Sequence[tuple[float, bool]], title: str, bins: int = 10) -> str:
    """*pairs* are (confidence, was it right). Dots are as large as their bin is full."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_SIZE + 2 * _MARGIN}" '
        f'height="{_SIZE + 2 * _MARGIN}" font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{_MARGIN}" y="20" font-size="14">{title}</text>',
        _line(0, 0, 1, 1, "#bbb", "4 4"),
        _line(0, 0, 1, 0, "#333"),
        _line(0, 0, 0, 1, "#333"),
    ]
    for tick in range(0, 11, 2):
        at = tick / 10
        parts.append(f'<text x="{_x(at) - 8}" y="{_y(0) + 16}">{at:g}</text>')
        parts.append(f'<text x="{_x(0) - 26}" y="{_y(at) + 4}">{at:g}</text>')
    parts.append(f'<text x="{_x(0.35)}" y="{_y(0) + 34}">confidence</text>')
    parts.append(
        f'<text transform="translate({_x(0) - 32},{_y(0.3)}) rotate(-90)">share right</text>'
    )
    for low in range(bins):
        some = [(p, y) for p, y in pairs if low <= min(p * bins, bins - 1e-9) < low + 1]
        if not some:
            continue
        sure = sum(p for p, _ in some) / len(some)
        right = sum(y for _, y in some) / len(some)
        radius = 3 + 14 * (len(some) / len(pairs)) ** 0.5
        parts.append(
            f'<circle cx="{_x(sure):.1f}" cy="{_y(right):.1f}" r="{radius:.1f}" '
            f'fill="#2b6cb0" fill-opacity="0.7"><title>{len(some)} answers</title></circle>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _x(share: float) -> float:
    return _MARGIN + share * _SIZE


def _y(share: float) -> float:
    return _MARGIN + (1 - share) * _SIZE


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, dash: str = "") -> str:
    extra = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{_x(x1)}" y1="{_y(y1)}" x2="{_x(x2)}" y2="{_y(y2)}" stroke="{colour}"{extra}/>'
    )
