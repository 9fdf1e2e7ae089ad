"""The lineage of a session, drawn: what it goes on from, forked from or was started by, and what
came of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from recollect import svg
from recollect.markup import Html, el
from recollect.named_tuple import NamedTuple
from recollect.nouns import Document, grouped
from recollect.surfaces.page import links, markdown
from recollect.surfaces.page.layout import PageRequest, current, day
from recollect.surfaces.phrases import plural, when

LOOKED = 2_000
"""Sessions of a source among which those of a lineage are looked for, the newest."""
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
    rows = _family(request, session)
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


def _family(request: PageRequest, session: Document) -> list[Branch]:
    """Returns the sessions of a lineage, each behind the one that it came from."""
    seen = request.memory.query("x", kinds=["session"], sources=[session.source]).filter
    among = request.memory.store.scan(seen, limit=LOOKED, dated=True).items
    known = {one.id: one for one in (*among, session)}
    parents = _parents(request, known)
    first = session.id
    met = {first}
    while (above := parents.get(first)) is not None and above not in met:
        first = above
        met.add(first)
    children = grouped((parent, known[id]) for id, parent in parents.items() if id != first)
    rows: list[Branch] = []
    waiting: list[tuple[str, int, int | None]] = [(first, 0, None)]
    while waiting:
        id, column, parent = waiting.pop()
        below = sorted(children.get(id, ()), key=_moment, reverse=True)
        side = min(column + (len(below) > 1), DEEPEST)
        waiting += [(one.id, side, len(rows)) for one in below]
        rows.append(Branch(known[id], column, parent))
    return rows


def _moment(one: Document) -> datetime:
    return one.date or datetime.max.replace(tzinfo=UTC)


def _parents(request: PageRequest, known: Mapping[str, Document]) -> dict[str, str]:
    """Returns the id of the session that each one came from: by its name, or by a message that it
    goes on from."""
    named = {one.external: id for id, one in known.items()} | {id: id for id in known}
    continued = {id: _text(one, "continues") for id, one in known.items()}
    holders = request.memory.store.sessions.holders([*filter(None, continued.values())])
    spots = {
        message: [spot.document for spot in some if spot.document in known]
        for message, some in holders.items()
    }
    found = {
        id: named.get(_text(one, "parent")) or next(iter(spots.get(continued[id], ())), id)
        for id, one in known.items()
    }
    return {id: parent for id, parent in found.items() if parent != id}


def _text(one: Document, name: str) -> str:
    value = one.meta.get(name)
    return value if isinstance(value, str) else ""
