"""The known word that a mistyped one is most like."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Returns the known word with the highest similarity ratio, or an empty text where none has
    at least *cutoff*."""
    return next(iter(get_close_matches(word, list(known), 1, cutoff)), "")
