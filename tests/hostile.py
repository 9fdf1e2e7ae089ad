"""Texts that make a regular expression work hard, made from the expression itself.

For every repetition in a pattern: a way to it, what it repeats many times over, and something that
fits nothing, so that whatever was matched has to be given back. That is how backtracking is made to
show, if there is any to show.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

STOP = "\x00\x00"
_CATEGORIES = {
    kinds.CATEGORY_DIGIT: "1", kinds.CATEGORY_SPACE: " ", kinds.CATEGORY_WORD: "a",
    kinds.CATEGORY_NOT_DIGIT: "a", kinds.CATEGORY_NOT_SPACE: "a", kinds.CATEGORY_NOT_WORD: "-",
}  # fmt: skip
_TRIED = "a1 -_.\n\"'/\\:#*=<A\t{[(é|`~"


def hostile(pattern: str, flags: int) -> Iterator[tuple[str, str, str]]:
    """(before, what to repeat, after) for each repetition of the pattern, in several ways."""
    parsed = parser.parse(pattern, flags & ~re.DEBUG)
    seen = set()
    for before, pump in _repeats(list(parsed), ""):
        for one in pump:
            for after in (STOP, ""):
                if one and (before, one, after) not in seen:
                    seen.add((before, one, after))
                    yield before, one, after


def _repeats(items: list[Any], before: str) -> Iterator[tuple[str, list[str]]]:
    """Each repetition with a text that leads to it, and what can be repeated."""
    for n, (kind, about) in enumerate(items):
        here = before + _sample(items[:n])
        if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            _, most, inside = about
            if most > 20:
                rest = _sample(items[n + 1 : n + 3])
                yield here, [*_samples(list(inside)), _sample(list(inside)) + rest]
                yield "", _samples(list(inside))
            yield from _repeats(list(inside), here)
        elif kind is kinds.SUBPATTERN:
            yield from _repeats(list(about[-1]), here)
        elif kind is kinds.BRANCH:
            for way in about[1]:
                yield from _repeats(list(way), here)
        elif kind in (kinds.ASSERT, kinds.ASSERT_NOT):
            yield from _repeats(list(about[1]), here)
        elif kind is kinds.ATOMIC_GROUP:
            yield from _repeats(list(about), here)


def _samples(items: list[Any]) -> list[str]:
    """Several texts that fit: one of each kind of character that a single set allows."""
    if len(items) == 1 and items[0][0] in (kinds.IN, kinds.ANY, kinds.NOT_LITERAL):
        return [c for c in _TRIED if _fits(items[0], c)] or [_sample(items)]
    if len(items) == 1 and items[0][0] is kinds.SUBPATTERN:
        return _samples(list(items[0][1][-1]))
    if len(items) == 1 and items[0][0] is kinds.BRANCH:
        return [_sample(list(way)) for way in items[0][1][1][:12]]
    return [_sample(items)]


def _fits(item: Any, c: str) -> bool:
    kind, about = item
    if kind is kinds.ANY:
        return c != "\n"
    if kind is kinds.NOT_LITERAL:
        return bool(ord(c) != about)
    negated = bool(about) and about[0][0] is kinds.NEGATE
    return _among(about, c) is not negated


def _among(about: Any, c: str) -> bool:
    for kind, one in about:
        if kind is kinds.LITERAL and ord(c) == one:
            return True
        if kind is kinds.RANGE and one[0] <= ord(c) <= one[1]:
            return True
        if kind is kinds.CATEGORY and _in_category(one, c):
            return True
    return False


def _in_category(category: Any, c: str) -> bool:
    name = str(category).lower()
    has = c.isdigit() if "digit" in name else c.isspace() if "space" in name else (
        c.isalnum() or c == "_"
    )  # fmt: skip
    return has is not ("not_" in name)


def _sample(items: Any) -> str:
    """A text that fits, or nearly."""
    return "".join(map(_one, items))


def _one(item: Any) -> str:
    kind, about = item
    if kind is kinds.LITERAL:
        return chr(about)
    if kind in (kinds.IN, kinds.ANY, kinds.NOT_LITERAL):
        if kind is kinds.IN and about[0][0] in (kinds.LITERAL, kinds.RANGE):
            first = about[0][1]
            return chr(first if about[0][0] is kinds.LITERAL else first[0])
        return next((c for c in _TRIED if _fits(item, c)), "a")
    if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
        return _sample(about[2]) * int(max(1, min(about[0], 3)))
    if kind is kinds.SUBPATTERN:
        return _sample(about[-1])
    if kind is kinds.ATOMIC_GROUP:
        return _sample(about)
    if kind is kinds.BRANCH:
        return _sample(about[1][0])
    return ""


# ------------------------------------------------------------------ how much work it is


class TooMuchWork(AssertionError):
    pass


@contextmanager
def processor_seconds(most: float) -> Iterator[None]:
    """Raises TooMuchWork when the process has used *most* seconds of processor time: in the midst
    of a match, too, for ``re`` looks for signals. What else the machine does counts for nothing,
    and a text that would take hours ends the test at once."""

    def ring(*_: object) -> None:
        raise TooMuchWork(f"over {most:g} s of processor time")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, most)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
