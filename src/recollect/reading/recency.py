"""Newness as a part of the order, as far as the caller wants it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from recollect.nouns import Candidate, Contribution, StoredPassage

_NEVER = datetime.min.replace(tzinfo=UTC)


def by_date(
    candidates: Sequence[Candidate], passages: Mapping[int, StoredPassage], alpha: float
) -> list[Candidate]:
    """The candidates by (1 − alpha) · relevance + alpha · newness, each by rank from 1 to 0.

    0 leaves the order as it is, 1 is newest first; what has no date is oldest. The grades stay.
    """
    if not alpha or len(candidates) < 2:
        return list(candidates)
    dates = [passages[c.passage].document.date or _NEVER for c in candidates]
    last = len(candidates) - 1
    newest = sorted(range(len(candidates)), key=lambda n: (dates[n], -n), reverse=True)
    newness = {n: 1 - place / last for place, n in enumerate(newest)}
    value = {n: (1 - alpha) * (1 - n / last) + alpha * newness[n] for n in newness}
    order = sorted(value, key=lambda n: (-value[n], n))
    return [
        candidates[n]._replace(
            contributions=(
                *candidates[n].contributions,
                Contribution("recency", newest.index(n) + 1, newness[n], alpha, 0.0),
            )
        )
        for n in order
    ]
