"""The C library's heap, of which threads that have ended may hold a good deal."""

from __future__ import annotations

import ctypes
from contextlib import suppress


def give_back() -> None:
    """Return what was freed to the system, where the C library can (glibc): each writer of the
    text index has threads of its own, and what they freed is of no use to the next."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
