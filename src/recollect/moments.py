"""How a moment is written in the JSON that leaves the library, and read again."""

from datetime import UTC, datetime


def iso(moment: datetime | None) -> str | None:
    """UTC, to the second unless there is a fraction; midnight stays a full timestamp."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def day(moment: datetime | None, by: str = "") -> str:
    """Returns the day of a moment for a person to read, and what says it where that is no word of
    a text or its source: "file of 2026-03-03"."""
    said = (iso(moment) or "")[:10]
    return f"{by} of {said}" if said and by in ("file", "commit") else said


def from_iso(written: str | None) -> datetime | None:
    """Reads what :func:`iso` has written; None for an empty text, too. Others may have left out the
    zone: it is UTC."""
    if not written:
        return None
    return aware(datetime.fromisoformat(written))


def aware(moment: datetime) -> datetime:
    """Returns a moment with its zone: UTC where it has none."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
