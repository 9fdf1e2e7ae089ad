"""The modes: presets of :class:`~recollect.nouns.Policy`, and how a call departs from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.errors import UsageError
from recollect.nouns import Policy

MODES: Mapping[str, Policy] = {
    "conservative": Policy(
        "conservative", limit=10, budget=4_000, named=5, share=0.4, worth_span=0.01, keep=0.15
    ),
    "balanced": Policy("balanced", limit=25, budget=12_000),
    "tokenmax": Policy(
        "tokenmax",
        limit=50,
        budget=None,
        named=40,
        share=2.0,
        worth_span=0.001,
        keep=0.05,
        pool=200,
        expand=3,
    ),
}


KNOBS = tuple(name for name in Policy._fields if name != "mode")
"""Everything about a policy that a caller or the configuration can set."""
STAKES: Mapping[str, float] = {"high": 0.8, "medium": 0.6, "low": 0.4}
"""The least confidence, by what hangs on the answer."""


def policy_for(mode: str, *overrides: Mapping[str, Any]) -> Policy:
    """The preset *mode*, with what *overrides* say instead: the first that says something (is
    not None) wins."""
    if mode not in MODES:
        raise UsageError(f"there is no mode {mode!r}", hint=f"modes: {', '.join(MODES)}")
    wanted: dict[str, Any] = {}
    for some in reversed(overrides):
        wanted |= {name: value for name, value in some.items() if value is not None}
    policy = MODES[mode]._replace(**wanted)
    policy.check()
    return policy


def stakes(value: float | str | None) -> float | None:
    """A least confidence, from a number or from what hangs on the answer."""
    if isinstance(value, str):
        if value in STAKES:
            return STAKES[value]
        try:
            return float(value)
        except ValueError:
            raise UsageError(
                f"min_confidence is {value!r}",
                hint=f"give a number from 0 to 1, or {', '.join(STAKES)}",
            ) from None
    return value
