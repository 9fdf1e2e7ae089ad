"""Where a text has another, places that overlap among them."""

from __future__ import annotations

from collections.abc import Iterator


def occurrences(part: str, text: str) -> Iterator[int]:
    """Yields each place at which *text* has *part*, first to last."""
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)
