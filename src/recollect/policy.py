"""The modes: presets of :class:`~recollect.types.Policy`, and how a call departs from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.errors import UsageError
from recollect.types import Policy

MODES: Mapping[str, Policy] = {
    "conservative": Policy("conservative", limit=5, budget=4_000),
    "balanced": Policy("balanced", limit=10, budget=12_000),
    "tokenmax": Policy("tokenmax", limit=50, budget=None),
}


def policy_for(
    mode: str, *, limit: int | None = None, budget: int | None = None, by: str | None = None
) -> Policy:
    """The preset *mode*, with what the caller or the configuration set instead."""
    if mode not in MODES:
        raise UsageError(f"there is no mode {mode!r}", hint=f"modes: {', '.join(MODES)}")
    wanted: dict[str, Any] = {"limit": limit, "budget": budget, "by": by}
    policy = MODES[mode]._replace(**{k: v for k, v in wanted.items() if v is not None})
    policy.check()
    return policy
