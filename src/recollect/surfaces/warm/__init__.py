"""One warm engine for all that ask.

The first long-lived process on a store (``mcp``, ``serve``, ``watch``) holds it: it listens on a
socket that only its owner can reach, and answers what short-lived processes of the same user ask.
They send the command line that they would have run, with their environment and folder, and get what
it would have written. :mod:`client` is their side, and loads nothing; :mod:`holder` the other;
:mod:`wire` is what they say.

Only what reads is asked of another. Whoever cannot reach the holder, is declined (another version,
another store, other settings than a holder can take on) or waits too long does the work itself:
nothing was written until an answer was there whole, so nothing is wrong and nothing is done twice.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from recollect import asker
from recollect import memory as facade


def opened(store: str | None, **overrides: Any) -> AbstractContextManager[facade.Memory]:
    """The store, opened for whoever asks: anew, or as the holder has it."""
    other = asker.current()
    if other is None:
        return facade.Memory.open(store, **overrides)
    return other.memory(store, overrides)
