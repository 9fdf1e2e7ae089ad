"""Control characters: none of a note's author reaches a terminal.

A terminal obeys what it is sent: a title could change the window, clear the screen or hide a line.
Everything that a command writes, errors included, goes through one filter that shows control
characters (C0, C1, DEL) and bidirectional overrides by their numbers, as JSON does, so that JSON
stays what it was. Sequences of our own (colour, progress) begin with a mark that is drawn anew in
each process: no text that is stored can contain it.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, cast

ESCAPE = f"\x1b{os.urandom(8).hex()}"
"""Stands for the escape character where a sequence is our own."""
_OURS = {ESCAPE: "\x1b", "\r\n": "\n"}
_CONTROLS = re.compile(rf"{ESCAPE}|\r\n|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def shown(text: str) -> str:
    """Returns the text with control characters by their numbers, and with our own sequences."""
    return _CONTROLS.sub(_replaced, text)


def _replaced(found: re.Match[str]) -> str:
    return _OURS.get(found[0]) or f"\\u{ord(found[0]):04x}"


class _Shown:
    """A stream of text that nothing but :func:`shown` is written to."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        return self._stream.write(shown(text))

    def writelines(self, lines: list[str]) -> None:
        self._stream.writelines(map(shown, lines))


_filtering = False


@contextmanager
def filtered() -> Iterator[None]:
    """Filters standard output and standard error. A command inside another one (``demo``) leaves
    that to the outer one."""
    global _filtering
    if _filtering:
        yield
        return
    out, error = sys.stdout, sys.stderr
    _filtering = True
    sys.stdout, sys.stderr = cast(Any, _Shown(out)), cast(Any, _Shown(error))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, error
        _filtering = False
