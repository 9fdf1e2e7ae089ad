"""How a moment is written in the JSON that leaves the library."""

from datetime import UTC, datetime


def iso(moment: datetime | None) -> str | None:
    """UTC, to the second unless there is a fraction; midnight stays a full timestamp."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
