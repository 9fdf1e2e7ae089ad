"""Parts of a sentence that are there or not."""

from __future__ import annotations


def when(condition: object, text: str) -> str:
    """Returns the text where the condition holds, else an empty one."""
    return text if condition else ""


def plural(count: int, noun: str) -> str:
    """Returns "1 message", "1,200 messages"."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def minute(iso: str | None) -> str:
    """Returns an ISO 8601 moment to the minute, as people write it; nothing for none."""
    return (iso or "")[:16].replace("T", " ")


def some(*parts: str) -> list[str]:
    """Returns the parts that are not empty."""
    return list(filter(None, parts))


def dotted(*parts: str | None) -> str:
    """Returns the parts that are not empty, in one line."""
    return " · ".join(filter(None, parts))
