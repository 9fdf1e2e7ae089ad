"""What a run was made with: code, commit, machine; and what has changed since.

The code is known by the hashes of its files, so that an installed wheel can tell as well as a
checkout. A ledger keeps the list of files once for each version of the code
(``code/HASH.json``), and a run names it.
"""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import recollect
from recollect.nouns import hashed

READS_ONLY = ("reading", "surfaces", "testing", "samples")
"""Packages that have no say in what a store holds."""
_NO_SAY = ("surfaces", "testing", "samples", "aio.py", "__main__.py", "py.typed")
"""What has no say in what comes back."""


@cache
def code(*but: str) -> str:
    """A name for the code that is measured, another after any change to it; without the packages
    that are named."""
    home = Path(recollect.__file__).parent
    files = (f for f in sorted(home.rglob("*.py")) if f.relative_to(home).parts[0] not in but)
    return hashed(b"\0".join(file.read_bytes() for file in files), 6).hex()


@cache
def files() -> Mapping[str, str]:
    """Every file that has a say in an answer (modules, weights, rules), with its hash."""
    home = Path(recollect.__file__).parent
    found = {}
    for file in sorted(home.rglob("*")):
        name = file.relative_to(home)
        if file.is_file() and name.parts[0] not in _NO_SAY and "__pycache__" not in name.parts:
            found[name.as_posix()] = hashed(file.read_bytes(), 6).hex()
    return found


@cache
def commit() -> str | None:
    """The commit that is checked out, with ``+`` where files differ from it; None where the
    package is not in a checkout."""
    home = Path(recollect.__file__).parent
    if not any((folder / ".git").exists() for folder in home.parents[:3]):
        return None
    try:
        head = _git(home, "rev-parse", "--short=12", "HEAD").strip()
        changed = _git(home, "status", "--porcelain", "--", ".").strip()
    except (OSError, subprocess.SubprocessError):
        return None
    return f"{head}+" if changed else head


def _git(home: Path, *arguments: str) -> str:
    return subprocess.run(
        ("git", *arguments), cwd=home, check=True, capture_output=True, text=True, timeout=10
    ).stdout


def machine() -> dict[str, Any]:
    return {
        "system": platform.system(), "architecture": platform.machine(),
        "cpus": os.cpu_count(), "python": platform.python_version(),
    }  # fmt: skip


class Drift(NamedTuple):
    """What is not as it was at a run."""

    run: str
    at: str
    changed: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    files: int

    @property
    def any(self) -> bool:
        return bool(self.changed or self.added or self.removed)

    def as_json(self) -> dict[str, Any]:
        lists = {name: list(getattr(self, name)) for name in ("changed", "added", "removed")}
        return {"run": self.run, "at": self.at, "drifted": self.any, "files": self.files, **lists}


def drift(run: str, at: str, then: Mapping[str, str]) -> Drift:
    """The files that have changed since a run had *then*."""
    now = files()
    return Drift(
        run,
        at,
        tuple(name for name in now if name in then and now[name] != then[name]),
        tuple(name for name in now if name not in then),
        tuple(name for name in then if name not in now),
        len(now),
    )
