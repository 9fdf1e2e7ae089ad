"""What a regular expression can match, told from how Python reads it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from recollect.text.statements.cues import beginnings, cued

_MOST = 5000
_EDGE, _UNKNOWN = "|", "_"
"""Where a word begins or ends; and a letter that is not known."""


def without_cue(pattern: str, cues: str) -> list[str]:
    """Alternatives of a pattern, matched where a word begins, that may match without a cue."""
    parsed = list(parser.parse(pattern, re.VERBOSE))
    while len(parsed) == 1 and parsed[0][0] is kinds.SUBPATTERN:
        parsed = list(parsed[0][1][-1])
    several = len(parsed) == 1 and parsed[0][0] is kinds.BRANCH
    ways = parsed[0][1][1] if several else [parsed]
    return [str(list(way))[:300] for way in ways if not _Reader(cues).is_cued(way, _EDGE)]


class _Reader:
    def __init__(self, cues: str) -> None:
        self.cues = cued(cues)

    def is_cued(self, items: Iterable[Any], before: str) -> bool:
        """Whether whatever it matches has a cue, with this before it and anything after it."""
        has, texts = self.read(items, before)
        return has or (texts is not None and self.has_cue(before, texts))

    def has_cue(self, before: str, texts: list[str]) -> bool:
        whole = [before + text + _UNKNOWN for text in texts]
        return not any(self.cues.isdisjoint(beginnings(text)) for text in whole)

    def read(self, items: Iterable[Any], before: str) -> tuple[bool, list[str] | None]:
        """Whether it has a cue for certain; and all that it can match, if that is not much."""
        has, whole, texts = False, True, [""]
        for item in items:
            edge = before if texts == [""] else _EDGE
            if not all(re.search(r"\W$", edge + text) for text in texts):
                edge = _UNKNOWN
            inner, more = self.one(item, edge)
            if more is None or len(more) * len(texts) > _MOST:
                has = has or inner or self.has_cue(before, texts)
                has = has or (more is not None and self.has_cue(edge, more))
                whole, before, texts = False, _UNKNOWN, [""]
            else:
                has, texts = has or inner, [text + other for text in texts for other in more]
        if whole:
            return has, texts
        return has or self.has_cue(before, texts), None

    def one(self, item: Any, before: str) -> tuple[bool, list[str] | None]:
        kind, about = item
        if kind is kinds.LITERAL:
            return False, [chr(about)]
        if kind is kinds.IN and about == [(kinds.CATEGORY, kinds.CATEGORY_SPACE)]:
            return False, [" "]
        if kind is kinds.IN and all(one is kinds.LITERAL for one, _ in about):
            return False, [chr(code) for _, code in about]
        if kind is kinds.AT:
            return False, [_EDGE]
        if kind is kinds.ASSERT_NOT:
            return False, [""]
        if kind is kinds.ASSERT:
            ahead, inside = about
            return ahead > 0 and self.is_cued(inside, before), [""]
        if kind is kinds.SUBPATTERN:
            return self.read(about[-1], before)
        if kind is kinds.BRANCH:
            ways = [self.read(way, before) for way in about[1]]
            if any(texts is None for _, texts in ways):
                return all(self.is_cued(way, before) for way in about[1]), None
            return all(has for has, _ in ways), [text for _, texts in ways for text in texts or ()]
        if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT):
            least, most, inside = about
            has, texts = self.read(inside, before)
            if least and most > 1:
                return self.is_cued(inside, before), None
            once = texts if most == 1 else None
            return (has, once) if least else (False, once and ["", *once])
        return False, None
