"""Which words are ordinary words of a language: a sorted list, searched where it lies.

Nothing is read before the first question, and then only the few pages that a bisection touches.
"""

from __future__ import annotations

import mmap
import os
from functools import cache, lru_cache

from recollect.text.stopwords import stopwords
from recollect.text.terms import stem

TYPE_CHECKING = False  # typing itself takes longer to load than all of this
if TYPE_CHECKING:
    from typing import Literal

    Commonness = Literal["ordinary", "rare", "foreign", "name", ""]

_FILE = os.path.join(os.path.dirname(__file__), "words.txt")
_MARKS: dict[bytes, Commonness] = {b"-": "rare", b"=": "foreign", b"+": "name"}


@cache
def _list() -> mmap.mmap:
    with open(_FILE, "rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


@lru_cache(maxsize=4096)
def commonness(word: str) -> Commonness:
    """``ordinary`` for a plain word of the English dictionary or a word of grammar, ``rare`` for
    one that is not often used, ``foreign`` for a common word of another language, ``name`` for a
    common name, empty for anything else. *word* is folded."""
    if stem(word) in stopwords():
        return "ordinary"
    wanted = word.encode()
    lines = _list()
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high) // 2
        start = lines.rfind(b"\n", 0, middle) + 1
        end = lines.find(b"\n", middle)
        line = lines[start:end]
        if line.rstrip(b"-=+") == wanted:
            return _MARKS.get(line[-1:], "ordinary")
        if line < wanted:
            low = end + 1
        else:
            high = start
    return ""
