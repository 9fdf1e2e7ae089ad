"""Parts of a sentence that are there or not."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TypeVar

from recollect.moments import iso

T = TypeVar("T")


def when(condition: object, text: str) -> str:
    """Returns the text where the condition holds, else an empty one."""
    return text if condition else ""


def only(condition: object, value: T) -> T | None:
    """Returns the value where the condition holds, else None."""
    return value if condition else None


def plural(count: int, noun: str) -> str:
    """Returns "1 message", "1,200 messages"."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def minute(moment: datetime | None) -> str:
    """Returns a moment to the minute, as people write it; nothing for none."""
    return (iso(moment) or "")[:16].replace("T", " ")


def listing(lines: list[str], nothing: str) -> str:
    """Returns the lines as one text, or what to say without any."""
    return "\n".join(lines) or nothing


def counts(numbers: Mapping[str, int]) -> str:
    """Returns "3 new, 1,200 as before": the counts that are not zero, with their names."""
    return ", ".join(f"{number:,} {name}" for name, number in numbers.items() if number)


def some(*parts: str) -> list[str]:
    """Returns the parts that are not empty."""
    return list(filter(None, parts))


def dotted(*parts: str | None) -> str:
    """Returns the parts that are not empty, in one line."""
    return " · ".join(filter(None, parts))


def byte_size(count: int) -> str:
    """Returns a count of bytes in the unit that suits it."""
    number = float(count)
    for unit in ("B", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"
