"""Ctrl-Z when nothing is held that others wait for.

A process that is stopped in the middle of a write keeps every other writer waiting until it goes
on. A program that calls ``heed`` stops at the end of the transaction it is in, or when it gives
back the lock of an index, which is a moment later; one that does not is stopped wherever it is.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
else:
    import _signal as signal  # the module around it makes enumerations of its numbers: 3 ms

_counting = threading.Lock()
_writing = 0
"""Transactions and locks of this process that others may wait for."""
_asked = False
"""Whether it is to stop as soon as there is none."""


def heed() -> None:
    """From now on, stop when nothing is held. For the main thread."""
    if hasattr(signal, "SIGTSTP") and signal.getsignal(signal.SIGTSTP) == signal.SIG_DFL:
        signal.signal(signal.SIGTSTP, _pause)


@contextmanager
def put_off() -> Iterator[None]:
    """What is done in here is done before the process stops."""
    global _writing
    with _counting:
        _writing += 1
    try:
        yield
    finally:
        with _counting:
            _writing -= 1
        _stop_if_asked()


def _pause(_signal: int, _frame: object) -> None:
    global _asked
    _asked = True  # first: a transaction that ends just now looks at it after it has ended
    _stop_if_asked()


def _stop_if_asked() -> None:
    global _asked
    if _asked and not _writing:
        _asked = False
        os.kill(os.getpid(), signal.SIGSTOP)
