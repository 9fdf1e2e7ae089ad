"""The headings of Markdown, and which of them a place in a text stands under."""

from __future__ import annotations

import re

HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(\S.*)$", re.MULTILINE)
_DEEPER = 7
"""Than any heading."""


def headings(text: str, end: int) -> list[str]:
    """Returns the headings that what ends there stands under, nearest first."""
    found, least = [], _DEEPER
    for heading in reversed([*HEADING.finditer(text, 0, end)]):
        if len(heading[1]) < least:
            least = len(heading[1])
            found.append(heading[2])
    return found
