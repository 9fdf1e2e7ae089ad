"""What is shown around a message: those before and after it, and how its session began and ended.

A window is the message, and at most so many on either side that may be seen; the message itself
is there whatever its role. Bookends are the first and last things that were said and are not in
the window. Nothing crosses into another session.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.named_tuple import NamedTuple
from recollect.ports import Turn
from recollect.reading.sessions.request import SPOKEN
from recollect.reading.sessions.visibility import END, Visible

BOOKENDS = 3
_TRIED = 12
"""Messages that are looked at for a few with text in them."""


class Around(NamedTuple):
    """A message and its neighbours, in order."""

    before: list[Turn]
    anchor: Turn
    after: list[Turn]
    more_before: bool
    more_after: bool

    @property
    def all(self) -> list[Turn]:
        return [*self.before, self.anchor, *self.after]


def around(visible: Visible, id: str, anchor: Turn, window: int) -> Around:
    """One more than is shown is asked for, to know whether there is more."""
    before = visible.messages(id, anchor.turn - 1, -window - 1)
    after = visible.messages(id, anchor.turn + 1, window + 1)
    return Around(
        before[-window:],
        anchor,
        after[:window],
        len(before) > window,
        len(after) > window,
    )


def bookends(visible: Visible, id: str, shown: Sequence[Turn]) -> tuple[list[Turn], list[Turn]]:
    """The first and the last messages with text in them, without those *shown*."""
    first = shown[0].turn if shown else END
    last = shown[-1].turn if shown else -1
    opening = [t for t in _said(visible, id, 0, BOOKENDS) if t.turn < first]
    closing = [t for t in _said(visible, id, END, -BOOKENDS) if t.turn > last]
    told = {t.turn for t in opening}
    return opening, [t for t in closing if t.turn not in told]


def _said(visible: Visible, id: str, start: int, count: int) -> list[Turn]:
    """So many messages of the user and the assistant that say something."""
    step = _TRIED if count > 0 else -_TRIED
    found: list[Turn] = []
    while len(found) < abs(count):
        some = visible.messages(id, start, step, SPOKEN)
        new = [t for t in some if t.message.text.strip()]
        found = found + new if count > 0 else new + found
        if len(some) < _TRIED:
            break
        start = some[-1].turn + 1 if count > 0 else some[0].turn - 1
    return found[:count] if count > 0 else found[count:]


def names(visible: Visible, id: str, turns: Sequence[Turn]) -> dict[int, str]:
    """What leads back to each of these messages: its id, or its number where it has none of its
    own."""
    ids = list({t.message.id for t in turns if t.message.id})
    held = visible.store.sessions.holders(ids, within=id) if ids else {}
    firsts = {name: places[0].turn for name, places in held.items()}
    return {
        t.turn: t.message.id if firsts.get(t.message.id) == t.turn else f"#{t.turn}" for t in turns
    }
