"""How long a language model is waited for, and when it is given up."""

from __future__ import annotations

from recollect.errors import Cancelled
from recollect.named_tuple import NamedTuple
from recollect.ports import StopToken

POLL = 0.02
"""Seconds between two looks at the token while something is waited for."""


class Timeouts(NamedTuple):
    """In seconds."""

    connect: float = 10.0
    first: float = 60.0
    """Until a stream begins, and between two pieces of it."""
    total: float = 300.0
    """For all attempts together, and so for an answer that comes in one piece."""


USUAL = Timeouts()


def check_token(token: StopToken | None) -> None:
    """Raises Cancelled when the token was stopped."""
    if token is not None and token.stopped:
        raise Cancelled("it was cancelled, or its time is over")
