"""How many tokens a text costs the model that will read it.

An estimate of what byte-pair tokenizers of current models give, without shipping one: letters
in words of up to seven count as one token and longer words as more, digits go in threes, other
visible characters count one each.
"""

from __future__ import annotations

import re

_PIECE = re.compile(r"[A-Za-z]+|\d+|[^\sA-Za-z\d]|\n+")


def count_tokens(text: str) -> int:
    total = 0
    for piece in _PIECE.findall(text):
        first = piece[0]
        if first.isascii() and first.isalpha():
            total += 1 + (len(piece) - 1) // 7
        elif first.isdigit():
            total += (len(piece) + 2) // 3
        else:
            total += 1
    return total


def clip_tokens(text: str, tokens: int) -> str:
    """The longest beginning of *text* that fits in *tokens*, ended between words if it can be."""
    if count_tokens(text) <= tokens:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(text[:middle]) <= tokens:
            low = middle
        else:
            high = middle - 1
    cut = text[:low]
    space = max(cut.rfind(" "), cut.rfind("\n"))
    return cut[:space] if space > len(cut) // 2 else cut
