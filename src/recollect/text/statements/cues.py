"""Cues: for a pattern, words of which one is in whatever it matches.

A question is tried with many patterns, and compiling them all takes longer than a search. Where
no word of the text begins as one of the cues does, the pattern need not be tried.
"""

from __future__ import annotations

import re
from functools import cache

WIDTH = 4
"""Letters that are compared: "decided" and "decision" are one cue."""
_WORD = re.compile(r"\w+")


def beginnings(text: str) -> set[str]:
    """How the words of a text in lower case begin."""
    words = _WORD.findall(text)
    found = {word[:WIDTH] for word in words}
    if not text.isascii():  # a cue in Arabic has three letters, and any ending
        found.update([word[: WIDTH - 1] for word in words])
    return found


@cache
def cued(cues: str) -> frozenset[str]:
    return frozenset(word[:WIDTH] for word in cues.split())
