"""Whether a text has the words that are quoted from it.

White space, letter case, the shape of quotation marks, dashes and apostrophes, and the ways Unicode
has to write the same letter do not count. Everything else does: no word may be missing, added or
another one, and a quote begins and ends where words do.
"""

from __future__ import annotations

import re
import unicodedata

from recollect.text.occurrences import occurrences
from recollect.text.terms import is_run

LEAST = 6
"""Bytes of letters and digits that a quote has at least: six letters, or two characters of a
script that needs three bytes for each. Less would be found in any text."""
CONTROLS = "".join(map(chr, [*range(32), *range(127, 160)]))
_SAME = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys(CONTROLS, " "),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None),
    }
)


def normal(text: str) -> str:
    """The text without what does not count."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_SAME)
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def plain(text: str) -> str:
    """Returns what a model wrote as one line that can be stored and shown: without control
    characters, which a terminal would obey, and without halves of surrogate pairs."""
    whole = text.encode("utf-8", "replace").decode()
    return " ".join(whole.translate(dict.fromkeys(map(ord, CONTROLS), " ")).split())


def enough(quote: str) -> bool:
    """Whether a quote (:func:`normal`) says anything at all."""
    return len("".join(filter(str.isalnum, quote)).encode("utf-8", "replace")) >= LEAST


def quoted(quote: str, text: str) -> bool:
    """Whether *text* has the *quote*; both are :func:`normal`."""
    for at in occurrences(quote, text):
        end = at + len(quote)
        if not (_joined(text[at - 1 : at], quote[0]) or _joined(quote[-1], text[end : end + 1])):
            return True
    return False


def place_of(quote: str, text: str) -> tuple[int, int] | None:
    """Returns where a text has a quote as it is written, white space aside."""
    said = quote.split()
    match = re.search(r"\s+".join(map(re.escape, said)), text) if said else None
    return match.span() if match else None


def _joined(left: str, right: str) -> bool:
    """Whether two characters next to each other are of one word."""
    if not (left.isalnum() and right.isalnum()):
        return False
    return not any(map(is_run, (left, right)))
