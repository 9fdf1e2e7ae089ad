"""What an examination found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from recollect.named_tuple import NamedTuple
from recollect.nouns import among, json_list

State = Literal["ok", "warn", "fail", "skip"]


class Check(NamedTuple):
    """What one check found. ``skip``: there was nothing to look at, or no way to."""

    state: State
    text: str
    mend: str = ""
    """The command that mends it, or what to do."""
    details: tuple[str, ...] = ()
    fix: Callable[[], str] | None = None
    """Mends it without asking, and says what it did."""
    fixed: str = ""
    """What was done."""
    name: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "check": self.name,
            "state": self.state,
            "text": self.text,
            "mend": self.mend or None,
            "details": list(self.details),
            "fixed": self.fixed or None,
        }


class Report(NamedTuple):
    checks: tuple[Check, ...]

    @property
    def state(self) -> State:
        """The worst there is."""
        states = {check.state for check in self.checks}
        worst: tuple[State, ...] = ("fail", "warn")
        return next(among(worst, states), "ok")

    @property
    def counts(self) -> dict[str, int]:
        states: tuple[State, ...] = ("ok", "warn", "fail", "skip")
        return {state: sum(c.state == state for c in self.checks) for state in states}

    def as_json(self) -> dict[str, Any]:
        return {
            "state": self.state,
            "counts": self.counts,
            "checks": json_list(self.checks),
        }
