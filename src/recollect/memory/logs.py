"""The session logs that clients keep on this machine, found without reading them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from recollect.sources.sessions import formats


class Logs(NamedTuple):
    """The place where a client keeps its sessions, and how many files are there."""

    format: str
    label: str
    place: Path
    files: int
    megabytes: float


def found_logs() -> Iterator[Logs]:
    for form in formats():
        for home in form.homes():
            if home.is_file():
                sizes = [home.stat().st_size]
            elif home.is_dir():
                sizes = [p.stat().st_size for p in home.glob(form.pattern) if p.is_file()]
            else:
                continue
            if sizes:
                yield Logs(form.name, form.label, home, len(sizes), sum(sizes) / 1e6)
