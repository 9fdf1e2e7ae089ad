"""The JSON objects in what a model says, each as soon as it is complete.

Models wrap them in fences and lists, add a word before and after, spread one over several lines,
or put all into one object; none of that matters. One that is broken costs itself: the next begins
at the next line that starts with a brace.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_THOUGHT, _THOUGHT_END = "<think>", "</think>"
MOST = 200_000
"""Characters that are read."""


class Objects:
    """Is fed pieces of a text, and gives the objects in it."""

    def __init__(self) -> None:
        self._text = ""
        self._read = 0
        self.broken = 0

    def feed(self, piece: str) -> Iterator[dict[str, Any]]:
        self._read += len(piece)
        if self._read > MOST:
            return
        self._text += piece
        if self._is_thought():
            return
        while (begins := self._text.find("{")) >= 0:
            self._text = self._text[begins:]
            length, whole = _extent(self._text)
            if not length:
                return
            part, self._text = self._text[:length], self._text[length:]
            found = _loaded(part) if whole else None
            if found is None:
                self.broken += 1
            else:
                yield from _flat(found)
        self._text = ""

    def end(self) -> None:
        """There is no more of it."""
        self.broken += bool(self._text.strip())

    def _is_thought(self) -> bool:
        """Whether all of it so far is what some models say to themselves first."""
        said = self._text.lstrip()
        if not said.startswith(_THOUGHT[: len(said)]) or not said:
            return False
        if _THOUGHT_END not in said:
            return True
        self._text = said.partition(_THOUGHT_END)[2]
        return False


def _extent(text: str) -> tuple[int, bool]:
    """How long the object is that *text* begins with, and whether it is whole; 0 while its end
    has not come."""
    depth, quoted, escaped = 0, False, False
    for place, sign in enumerate(text):
        if sign == "{" and place and text[place - 1] == "\n":
            return place, False  # an object begins on a line of its own: this one never ended
        if quoted:
            quoted = escaped or sign != '"'
            escaped = sign == "\\" and not escaped
        elif sign == '"':
            quoted = True
        elif sign in "{}":
            depth += 1 if sign == "{" else -1
            if not depth:
                return place + 1, True
    return 0, False


def _loaded(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _flat(found: Any) -> Iterator[dict[str, Any]]:
    """The object, or those inside of one that only holds them together."""
    if isinstance(found, list):
        for one in found:
            yield from _flat(one)
    elif isinstance(found, dict):
        if "sentence" in found or "useful" in found or "relevant" in found:
            yield found
        else:
            for one in found.values():
                yield from _flat(one)
