"""The JSON objects in what a model says, each as soon as it is complete.

Models wrap them in fences and lists, add a word before and after, spread one over several lines,
or put all into one object; none of that matters. One that is broken costs itself: the next begins
at the next line that starts with a brace.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

_THOUGHT, _THOUGHT_END = "<think>", "</think>"
MOST = 200_000
"""Characters that are read."""


class Objects:
    """Is fed pieces of a text, and gives the objects in it. Each character is looked at once."""

    def __init__(self) -> None:
        self._read = 0
        self._waiting: str | None = ""
        """What came so far, as long as it may be what some models say to themselves first."""
        self._line = ""
        self._begin()
        self.broken = 0

    def _begin(self) -> None:
        self._held: list[str] = []
        self._depth = 0
        self._quoted = self._escaped = False

    def feed(self, piece: str) -> Iterator[dict[str, Any]]:
        self._read += len(piece)
        if self._read > MOST:
            return
        for sign in self._said(piece):
            if sign == "{" and self._line == "\n" and self._depth:
                self.broken += 1  # an object begins on a line of its own: the last never ended
                self._begin()
            self._line = sign
            if self._take(sign):
                found = _loaded("".join(self._held))
                self._begin()
                if found is None:
                    self.broken += 1
                else:
                    yield from _flat(found)

    def _take(self, sign: str) -> bool:
        """Whether an object ends with it."""
        if not self._depth and sign != "{":
            return False
        self._held.append(sign)
        if self._quoted:
            self._quoted = self._escaped or sign != '"'
            self._escaped = sign == "\\" and not self._escaped
        elif sign == '"':
            self._quoted = True
        elif sign in "{}":
            self._depth += 1 if sign == "{" else -1
        return not self._depth

    def end(self) -> None:
        """There is no more of it."""
        self.broken += bool(self._depth)

    def _said(self, piece: str) -> str:
        """The piece, without what a model says to itself."""
        if self._waiting is None:
            return piece
        self._waiting += piece
        said = self._waiting.lstrip()
        if said.startswith(_THOUGHT) or _THOUGHT.startswith(said):
            if _THOUGHT_END not in said:
                return ""
            said = said.partition(_THOUGHT_END)[2]
        self._waiting = None
        return said


def _loaded(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _flat(found: Any) -> Iterator[dict[str, Any]]:
    """The object, or those inside of one that only holds them together."""
    if isinstance(found, list):
        yield from chain.from_iterable(map(_flat, found))
    elif isinstance(found, dict):
        if "sentence" in found or "useful" in found or "relevant" in found:
            yield found
        else:
            yield from chain.from_iterable(map(_flat, found.values()))
