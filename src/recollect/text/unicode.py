"""Text as it can be stored."""

from __future__ import annotations


def whole(text: str) -> str:
    """Without the halves of characters that are left where somebody cut a text: nothing can
    store them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
