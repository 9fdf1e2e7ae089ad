"""Moments as engines keep them: microseconds or seconds since 1970, in UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(number: int | None) -> datetime | None:
    return None if number is None else _EPOCH + timedelta(microseconds=number)


def micros(date: datetime | None) -> int | None:
    return None if date is None else (date - _EPOCH) // timedelta(microseconds=1)


def from_seconds(at: float | None) -> datetime | None:
    return None if at is None else datetime.fromtimestamp(at, UTC)
