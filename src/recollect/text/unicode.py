"""Makes a text storable."""

from __future__ import annotations


def whole(text: str) -> str:
    """Without the halves of characters that are left where somebody cut a text: nothing can
    store them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def clean(text: str) -> str:
    """Returns the text with a replacement character for each half of a surrogate pair, which no
    store or file could hold and no terminal show."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def clipped(text: str, most: int) -> str:
    """Returns a text of at most so many characters; the last is a sign where it was cut."""
    return text if len(text) <= most else text[: most - 1] + "…"
