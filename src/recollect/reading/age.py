"""How old what is searched may be."""

from __future__ import annotations

from recollect.ports import StorageEngine
from recollect.trace import degrade, say, stage, unreported

LATE = 1.0
"""Seconds of what was written last that may be missing before an answer is called the poorer."""


@stage("replica")
def aged(view: StorageEngine) -> None:
    """Says how old what was searched may be, where it is a copy."""
    behind = view.admin.behind()
    if behind is None:
        return unreported(None)
    if behind.seconds >= LATE:
        degrade("replica", behind.text)
    return say(behind.text)
