"""What callers hand in, as the core wants it: clean names, places, moments."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recollect import asker
from recollect.config import Config, data_folder
from recollect.errors import InputError, UsageError
from recollect.moments import aware
from recollect.nouns import not_among
from recollect.text import dates
from recollect.text.unicode import clean as clean


def names(values: Sequence[str] | None) -> tuple[str, ...] | None:
    if values is None:
        return None
    given = (values,) if isinstance(values, str) else tuple(values)
    if not all(given):
        raise UsageError("a name is empty", hint="leave the option out instead")
    return tuple(map(clean, given))


def checked(given: Mapping[str, Any], options: type) -> dict[str, Any]:
    """*given*, which may only have what *options* (a TypedDict) declares: an option that is
    misspelt must not be passed over, least of all one that limits."""
    for name in not_among(given, options.__annotations__):
        there_are = ", ".join(options.__annotations__)
        raise TypeError(f"there is no option {name!r}; there are {there_are}")
    return dict(given)


def place(path: str | Path) -> Path:
    """Where a path leads, however it is spelt; ``~`` is the home folder unless there is a file
    of that name."""
    text = str(path)
    if text.startswith("~") and not os.path.lexists(text):
        text = os.path.expanduser(text)
        if text.startswith("~"):
            raise InputError(f"{path}: there is no such user")
    return Path(os.path.abspath(os.path.join(asker.folder(), text)))


def is_there(path: Path) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:  # a NUL in it
        return False


def moment(value: str | datetime | None, name: str) -> datetime | None:
    if value is None:
        return None
    if isinstance(value, datetime):
        return aware(value)
    try:
        return dates.parse_moment(value, datetime.now(UTC))
    except ValueError as error:
        raise UsageError(
            f"{name}: {error}", hint="give a date (2026-03-01) or how long ago (24h, 7d, 2w)"
        ) from error


def store_of(settings: Config) -> str:
    """Where the configured store is: a URL, or a whole path."""
    location = str(settings["store"] or data_folder() / "store")
    return location if "://" in location else str(place(location))


MAX_QUESTION = 4000
"""Characters of a question that are read. Who asks with a whole page wants what it begins with."""
_MORE = "…"


def question(text: str) -> str:
    """Returns a question as it is read: without what no text has, and with an ellipsis where the
    rest of it is left out."""
    said = clean(text[: 2 * MAX_QUESTION])
    return said if len(said) <= MAX_QUESTION else said[:MAX_QUESTION] + _MORE


def left_out(read: str) -> tuple[str, ...]:
    """Returns what is to be said of a question that :func:`question` has cut; nothing of others."""
    if len(read) <= MAX_QUESTION:
        return ()
    return (f"only the first {MAX_QUESTION:,} characters of the question were read",)
