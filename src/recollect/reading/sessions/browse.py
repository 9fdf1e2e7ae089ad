"""The recent conversations, a line each, from outlines: no message is loaded whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from recollect.named_tuple import NamedTuple
from recollect.nouns import filled, grouped
from recollect.ports import Outline
from recollect.reading.sessions import discover
from recollect.reading.sessions.caps import clip
from recollect.reading.sessions.request import SessionsRequest
from recollect.reading.sessions.results import Browse, SessionLine
from recollect.reading.sessions.visibility import (
    AUTOMATION,
    END,
    LINEAGE,
    Visible,
    is_automated,
    is_subagent,
)

LINE = 160
"""Characters of a goal or a resolution."""
_LEAST = 100
"""Sessions that are looked at, to know what stands behind those that are shown."""
_DEEPER = 4
_DEEPEST = 10_000
_FURTHEST = _DEEPEST // _DEEPER
"""Conversations that the first of all are looked for among, and that those of a period are counted
to, latest first."""


class Recent(NamedTuple):
    """The latest conversations, or the first, and what is not among them."""

    lines: list[Outline]
    behind: Mapping[str, int]
    """By the id of the session that is shown: how many others of its lineage there are."""
    hidden: Mapping[str, int]
    found: int
    """How many there are: all of a period, else of those that were looked at."""


def recent(visible: Visible, limit: int, *, oldest: bool = False) -> Recent:
    """One session a lineage: the latest that is no subagent's. Those without a human come last,
    and only where there is room."""
    bounded = visible.filter.since or visible.filter.until
    lineages, hidden = _by_lineage(visible, _FURTHEST if oldest or bounded else limit)
    lineages = lineages[::-1] if oldest else lineages
    behind = {_latest(some).document.id: len(some) - 1 for some in lineages}
    shown = sorted(map(_latest, lineages), key=lambda one: is_automated(one.document))
    lines = shown[:limit]
    hidden[LINEAGE] = sum(behind[one.document.id] for one in lines)
    hidden[AUTOMATION] = sum(is_automated(one.document) for one in shown[limit:])
    return Recent(lines, behind, filled(hidden), len(lineages))


def _by_lineage(visible: Visible, limit: int) -> tuple[list[list[Outline]], Counter[str]]:
    """Returns the recent sessions of more lineages than *limit*, as far as there are so many; and
    counts those that may not be seen, by the reason."""
    most = max(_LEAST, limit * _DEEPER)
    while True:
        found = visible.store.sessions.recent(visible.filter, limit=most)
        ids = [one.document.id for one in found]
        unseen = {id: visible.reason(id, END) for id in ids if visible.end(id) < END}
        seen = (one for one in found if one.document.id not in unseen)
        lineages = grouped((visible.lineages.root(one.document).key, one) for one in seen)
        if len(lineages) > limit or len(found) < most or most >= _DEEPEST:
            return list(lineages.values()), Counter(unseen.values())
        most *= _DEEPER


def _latest(some: list[Outline]) -> Outline:
    return next((one for one in some if not is_subagent(one.document)), some[0])


def browse(request: SessionsRequest, visible: Visible) -> Browse:
    found = recent(visible, request.limit)
    lines = tuple(
        SessionLine(
            visible.named(one.document, one.goal),
            one.last,
            one.messages,
            clip(" ".join(one.goal.split()), LINE),
            clip(" ".join(one.resolution.split()), LINE),
            found.behind[one.document.id],
        )
        for one in found.lines
    )
    return Browse(
        lines,
        found.hidden,
        discover.searched(request, visible, empty=not lines),
        (*request.notes, *visible.notes),
    )
