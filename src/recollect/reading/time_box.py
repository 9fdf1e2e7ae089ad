"""How long a request waits for a language model, and who may end it sooner."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from recollect.ports import StopToken
from recollect.trace import Stopped


class TimeBox:
    """A token for so many seconds. It is stopped when they are over, and when nobody waits any
    more: the caller's own *token* is stopped, or *look* (:meth:`Trace.look_up`) says so."""

    def __init__(
        self,
        seconds: float,
        token: StopToken | None = None,
        look: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.seconds = seconds
        self._clock = clock
        self._until = clock() + seconds
        self._token = token
        self._look = look

    @property
    def given_up(self) -> bool:
        """Whether nobody waits any more."""
        try:
            self._look()
        except Stopped:
            return True
        return self._token is not None and self._token.stopped

    @property
    def left(self) -> float:
        mine = max(0.0, self._until - self._clock())
        return mine if self._token is None else min(mine, self._token.left)

    @property
    def stopped(self) -> bool:
        return self.left <= 0 or self.given_up
