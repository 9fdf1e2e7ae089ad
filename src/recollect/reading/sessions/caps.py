"""Messages within bounds: each has a cap of its own, and all together have one. None is left out
for it, so that paging stays exact: where there is too much, the longest are cut shorter."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.named_tuple import NamedTuple
from recollect.ports import Turn
from recollect.reading.sessions.results import SessionMessage

MESSAGE = 2_000
"""Characters of a message around the one that was found, and of that one."""
ASIDE = 600
"""Of a message that only shows where a conversation came from or went, or a lower hit."""
RESPONSE = 40_000
"""Of all messages of one answer."""
_NEAR = 40


class Excerpt(NamedTuple):
    """A message that is to be shown."""

    id: str
    turn: Turn
    cap: int = MESSAGE
    focus: str = ""
    """The part of it that must be seen."""
    anchor: bool = False


def fitted(pieces: Sequence[Excerpt], most: int = RESPONSE) -> list[SessionMessage]:
    """The messages as they are shown, in the same order."""
    cap = _common([min(len(p.turn.message.text), p.cap) for p in pieces], most)
    return [_shown(piece, min(piece.cap, cap)) for piece in pieces]


def _common(sizes: Sequence[int], most: int) -> int:
    """The largest cap under which these sizes take no more than *most* together."""
    left = most
    for place, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - place)
        if size > share:
            return share
        left -= size
    return most


def _shown(piece: Excerpt, cap: int) -> SessionMessage:
    message = piece.turn.message
    text = clip(message.text, cap, piece.focus)
    return SessionMessage(
        piece.id,
        message.role,
        message.date,
        text,
        len(message.text),
        len(message.text) > cap,
        piece.anchor,
    )


def clip(text: str, cap: int, focus: str = "") -> str:
    """At most *cap* characters of *text*, with ``…`` for what is cut off: its beginning, or the
    part that has *focus* in it."""
    if len(text) <= cap:
        return text
    room = max(0, cap - 2)
    at = text.find(focus) if focus else 0
    spare = max(0, room - len(focus)) // 2 if focus else 0
    start = max(0, min(at - spare, len(text) - room))
    end = start + room
    if start:
        start = _edge(text, start, start + _NEAR)
    if end < len(text):
        space = text.rfind(" ", max(start, end - _NEAR), end)
        end = space if space > start else end
    return f"{'…' if start else ''}{text[start:end].rstrip()}{'…' if end < len(text) else ''}"


def _edge(text: str, low: int, high: int) -> int:
    space = text.find(" ", low, high)
    return space + 1 if space >= 0 else low
