"""Dates as people and programs write them, to aware UTC moments."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.moments import aware

_AGO = r"(?i:(\d{1,6})\s*(h|d|w|m|y))"
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "m": 24 * 30, "y": 24 * 365}
_EPOCH = r"\d{9,13}(\.\d+)?"
_COMPACT = re.compile(r"(?:19|20)\d{10}(?:\d\d)?")
"""A day with hours, minutes and perhaps seconds, in digits alone."""
_WEEKDAY = r"\s*\((?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?\)"
_FORMATS = (
    *("%Y/%m/%d %H:%M:%S", "%Y/%m/%d %H:%M", "%Y/%m/%d", "%Y-%m", "%Y"),
    *("%d-%b-%Y", "%d %b %Y", "%d %B %Y", "%B %d, %Y", "%b %d, %Y"),
    *("%a, %d %b %Y %H:%M:%S %z", "%a %b %d %H:%M:%S %Y %z"),
)


def _reader(form: str) -> Callable[[str], datetime]:
    def read(text: str) -> datetime:
        return datetime.strptime(text, form)

    return read


_READERS = (datetime.fromisoformat, *map(_reader, _FORMATS))


def parse_date(value: Any) -> datetime:
    """A moment from ISO 8601, epoch seconds or milliseconds, or a common written form, such as
    ``202311151030``.

    A date without a time is its midnight, a time without a zone is UTC. Raises ValueError.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"not a date: {value!r}")
    if isinstance(value, int | float):
        try:
            return _from_epoch(float(value))
        except OverflowError as error:
            raise ValueError("not a date: a number that large") from error
    text = re.sub(_WEEKDAY, "", value.strip(), flags=re.IGNORECASE)
    compact = _compact(text) if _COMPACT.fullmatch(text) else None
    if compact is None and re.fullmatch(_EPOCH, text):
        return _from_epoch(float(text))
    moment = compact or _written(text)
    if moment is None:
        raise ValueError(f"not a date: {value!r}")
    return moment


def _compact(text: str) -> datetime | None:
    """Returns a moment in digits alone; None where the digits are none."""
    try:
        return _aware(datetime.strptime(text, "%Y%m%d%H%M%S"[: len(text) - 2]))
    except ValueError:
        return None


def _written(text: str) -> datetime | None:
    """Returns a moment in ISO form or another common one; None where there is none."""
    for read in _READERS:
        try:
            return _aware(read(text))
        except ValueError:
            continue
    return None


def parse_moment(value: str, now: datetime) -> datetime:
    """A date, or how long ago: ``24h``, ``7d``, ``2w``, ``3m``, ``1y``. Raises ValueError."""
    ago = re.fullmatch(_AGO, value.strip())
    if ago:
        try:
            return now - timedelta(hours=int(ago[1]) * _HOURS[ago[2].lower()])
        except OverflowError as error:
            raise ValueError(f"not a date: {value!r}") from error
    return parse_date(value)


def _from_epoch(number: float) -> datetime:
    if abs(number) > 1e11:  # seconds reach the year 5138 there; milliseconds are in 1973
        number /= 1000
    try:
        return datetime.fromtimestamp(number, UTC)
    except (OverflowError, OSError, ValueError) as error:
        raise ValueError(f"not a date: {number!r}") from error


def _aware(moment: datetime) -> datetime:
    try:
        return aware(moment).astimezone(UTC)
    except OverflowError as error:
        raise ValueError("a date outside the calendar") from error
