"""Questions kept as they are asked, for those who want to ask them again: off unless it is set.

What is kept is the question without the secrets in it, what it was limited to, and when: one line
each in a file of this user alone (mode 0600) in the data folder. What came back is not kept. The
file stops growing at a size, and a search never fails by it.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recollect import config as settings
from recollect import permissions
from recollect.moments import iso
from recollect.named_tuple import NamedTuple
from recollect.nouns import Query, attributes, stable_id
from recollect.text import redact

MOST_BYTES = 8_000_000


class CaptureStatus(NamedTuple):
    """What is kept of what was asked."""

    on: bool
    store: str
    """The name under which those asked of this store are kept."""
    file: Path
    questions: int
    bytes: int
    last: tuple[str, ...] = ()
    """The last few, oldest first."""

    @property
    def full(self) -> bool:
        return self.bytes >= MOST_BYTES

    def as_json(self) -> dict[str, Any]:
        made = {**self._asdict(), "file": str(self.file), "last": list(self.last)}
        return {**made, "full": self.full, "most_bytes": MOST_BYTES}


def captured_file() -> Path:
    return settings.data_folder() / "captured.jsonl"


def store_name(config: settings.Config) -> str:
    """A name for the store that is asked, which does not say where it is."""
    return stable_id(str(config["store"] or settings.data_folder() / "store"))


def capture(query: Query, config: settings.Config) -> None:
    limits = attributes(query.filter, query.filter.limits)
    row = {
        "at": iso(datetime.now(UTC).replace(microsecond=0)),
        "store": store_name(config),
        "query": redact.redact(query.text).text,
        "mode": query.policy.mode,
        "limits": {n: iso(v) if isinstance(v, datetime) else v for n, v in limits.items()},
    }
    with suppress(OSError):
        _append(captured_file(), json.dumps(row, ensure_ascii=False) + "\n")


def _append(file: Path, line: str) -> None:
    permissions.folder(file.parent)
    out = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        if os.fstat(out).st_size < MOST_BYTES:
            os.fchmod(out, 0o600)
            os.write(out, line.encode("utf-8", "replace"))
    finally:
        os.close(out)


def captured(config: settings.Config) -> CaptureStatus:
    file = captured_file()
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return CaptureStatus(bool(config["capture"]), store_name(config), file, 0, 0)
    last = []
    for line in lines[-10:]:
        with suppress(json.JSONDecodeError):
            last.append(str(json.loads(line).get("query", "")))
    size = file.stat().st_size
    return CaptureStatus(
        bool(config["capture"]), store_name(config), file, len(lines), size, tuple(last)
    )


def forget_captured() -> int:
    """Delete the file; how many questions were in it."""
    file = captured_file()
    try:
        count = len(file.read_bytes().splitlines())
        file.unlink()
    except FileNotFoundError:
        return 0
    return count
