"""The lineage of a session, drawn: what it goes on from, forked from or was started by, and what
came of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from recollect import svg
from recollect.markup import Html, el
from recollect.named_tuple import NamedTuple
from recollect.nouns import Document, grouped
from recollect.surfaces.page import links, markdown
from recollect.surfaces.page.layout import PageRequest, current, day
from recollect.surfaces.phrases import plural, when

SHOWN = 30
"""Sessions of a lineage that are drawn."""
ROW, STEP, DEEPEST = 30, 16, 6
"""Pixels of a row and of a step to the side, and how many steps there are."""


class Branch(NamedTuple):
    """A session in its lineage."""

    session: Document
    column: int
    parent: int | None
    """The row of the session that it came from."""


def drawn(request: PageRequest, session: Document) -> Html | None:
    """Returns the lineage of a session, which is marked in it; nothing where it is alone."""
    rows = _rows(request, session)
    if len(rows) < 2:
        return None
    at = next(n for n, one in enumerate(rows) if one.session.id == session.id)
    start = max(0, min(at - SHOWN // 2, len(rows) - SHOWN))
    shown = rows[start : start + SHOWN]
    lines = [el("li", _line(one.session, one.session.id == session.id)) for one in shown]
    left = len(rows) - len(shown)
    return el(
        "details",
        el("summary", f"Its lineage: {plural(len(rows), 'session')}"),
        el("div", _rails(shown, start), el("ol", lines), class_="rails"),
        when(left, el("p", f"and {left:,} more", class_="fine")),
        class_="lineage",
        open=True,
    )


def _line(one: Document, is_here: bool) -> Html:
    name = markdown.line(one.headline())
    shown = el(
        "a", name, href=links.place(one), aria_current=current(is_here), data_item=True, dir="auto"
    )
    relation = str(one.meta.get("relation") or "")
    return el("span", shown, el("small", " ", relation, " ", day(one.date)))


def _rails(rows: Sequence[Branch], start: int) -> Html:
    wide = (max(one.column for one in rows) + 1) * STEP
    lines = [
        svg.polyline(_bent(rows[one.parent - start], one.parent - start, one, n))
        for n, one in enumerate(rows)
        if one.parent is not None and one.parent >= start
    ]
    dots = [svg.circle(_dot(one.column, n), 4.5) for n, one in enumerate(rows)]
    return svg.svg(wide, len(rows) * ROW, *lines, *dots, aria_hidden="true", focusable="false")


def _dot(column: int, row: int) -> svg.Point:
    return (column + 0.5) * STEP, (row + 0.5) * ROW


def _bent(parent: Branch, above: int, child: Branch, below: int) -> Iterator[svg.Point]:
    """Yields the way from a session down to one that came of it."""
    x, y = _dot(parent.column, above)
    to_x, to_y = _dot(child.column, below)
    yield from ((x, y), (x, to_y - ROW / 3), (to_x, to_y))


# ------------------------------------------------------------------ who came of whom


def _rows(request: PageRequest, session: Document) -> list[Branch]:
    """Returns the sessions of a lineage, each behind the one that it came from."""
    first, sessions, parents = request.memory.admin.lineage(session)
    children = grouped((parent, sessions[id]) for id, parent in parents.items())
    rows: list[Branch] = []
    waiting: list[tuple[str, int, int | None]] = [(first, 0, None)]
    while waiting:
        id, column, parent = waiting.pop()
        below = sorted(children.get(id, ()), key=_moment, reverse=True)
        side = min(column + (len(below) > 1), DEEPEST)
        waiting += [(one.id, side, len(rows)) for one in below]
        rows.append(Branch(sessions[id], column, parent))
    return rows


def _moment(one: Document) -> datetime:
    return one.date or datetime.max.replace(tzinfo=UTC)
