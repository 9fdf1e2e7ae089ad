"""The recent conversations, a line each, from outlines: no message is loaded whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from recollect.named_tuple import NamedTuple
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


class Recent(NamedTuple):
    """The latest conversations, and what is not among them."""

    lines: list[Outline]
    behind: Mapping[str, int]
    """By the id of the session that is shown: how many others of its lineage there are."""
    hidden: Mapping[str, int]


def recent(visible: Visible, limit: int) -> Recent:
    """One session a lineage: the latest that is no subagent's. Those without a human come last,
    and only where there is room."""
    most = max(_LEAST, limit * _DEEPER)
    while True:
        found = visible.store.sessions.recent(visible.filter, limit=most)
        lineages: dict[str, list[Outline]] = {}
        hidden: Counter[str] = Counter()
        for one in found:
            if visible.end(one.document.id) < END:
                hidden[visible.reason(one.document.id, END)] += 1
            else:
                lineages.setdefault(visible.lineages.root(one.document).key, []).append(one)
        if len(lineages) > limit or len(found) < most or most >= _DEEPEST:
            break
        most *= _DEEPER
    shown = [_latest(some) for some in lineages.values()]
    spoken = [one for one in shown if not is_automated(one.document)]
    alone = [one for one in shown if is_automated(one.document)]
    lines = [*spoken, *alone][:limit]
    behind = {_latest(some).document.id: len(some) - 1 for some in lineages.values()}
    hidden[LINEAGE] = sum(behind[one.document.id] for one in lines)
    hidden[AUTOMATION] = sum(1 for one in alone if one not in lines)
    return Recent(lines, behind, {reason: count for reason, count in hidden.items() if count})


def _latest(some: list[Outline]) -> Outline:
    return next((one for one in some if not is_subagent(one.document)), some[0])


def browse(request: SessionsRequest, visible: Visible) -> Browse:
    found = recent(visible, request.limit)
    lines = tuple(
        SessionLine(
            visible.named(one.document),
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
