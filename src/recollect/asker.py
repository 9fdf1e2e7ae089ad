"""The environment, folder and streams of the process whose request is answered.

A process that answers for others (:mod:`recollect.surfaces.warm`) does so as the one that asks
would: with its environment, its working folder and its streams. Who reads any of these asks here.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from contextvars import ContextVar

TYPE_CHECKING = False  # typing itself takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager
    from typing import Any, TextIO


class Asker:
    """The process that asks: its environment and folder, where what is said to it goes, and how a
    store is opened for it."""

    def __init__(
        self,
        environment: Mapping[str, str],
        folder: str,
        out: TextIO,
        error: TextIO,
        memory: Callable[[str | None, Mapping[str, Any]], AbstractContextManager[Any]],
    ) -> None:
        self.environment, self.folder, self.out, self.error = environment, folder, out, error
        self.memory = memory


_asker: ContextVar[Asker | None] = ContextVar("asker", default=None)


@contextmanager
def answering(asker: Asker) -> Iterator[None]:
    """What this thread does in here, it does for that process."""
    before = _asker.set(asker)
    try:
        yield
    finally:
        _asker.reset(before)


def current() -> Asker | None:
    return _asker.get()


def environment() -> Mapping[str, str]:
    asker = _asker.get()
    return os.environ if asker is None else asker.environment


def folder() -> str:
    """The working folder of another process; nothing where this one asks itself."""
    asker = _asker.get()
    return "" if asker is None else asker.folder


def out() -> TextIO:
    asker = _asker.get()
    return sys.stdout if asker is None else asker.out


def error() -> TextIO:
    asker = _asker.get()
    return sys.stderr if asker is None else asker.error
