"""How a statement speaks: of what is, of what is not decided, of what was."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple


class Standing(NamedTuple):
    status: Literal["active", "undecided", "outdated"]
    why: str


_CUES: tuple[tuple[Literal["undecided", "outdated"], str], ...] = (
    ("outdated", r"^(?:previously|formerly|historical(?:ly)?|was (?:evaluating|debating))\b"),
    ("undecided", r"\bnot (?:yet )?decided\b|^(?:evaluating|debating|considering)\b|\bTBD\b"),
)


def standing(statement: str) -> Standing:
    for status, cue in _CUES:
        found = re.search(cue, statement.strip(), re.IGNORECASE)
        if found:
            return Standing(status, f"“{found[0]}”")
    return Standing("active", "")
