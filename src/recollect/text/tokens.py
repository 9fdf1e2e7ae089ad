"""How many tokens a text costs the model that will read it.

An estimate of what byte-pair tokenizers of current models give, without shipping one: a word
counts one token for each seven letters begun, digits go in threes, any other visible character
and each run of line ends count one.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(r"[A-Za-z]{1,7}|\d{1,3}|[^\sA-Za-z\d]|\n+")


def count_tokens(text: str) -> int:
    return len(_TOKEN.findall(text))


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
