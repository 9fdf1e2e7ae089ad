"""How many to return: one more is kept while what it may add is worth what it costs.

A result that answers is worth 1, one that does not costs *keep*; so a candidate stays when its
probability is above that. Near-duplicates of what is kept are folded into it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from recollect.types import Candidate, Policy, StoredPassage

ALIKE = 0.9
"""The share of words in common from which two passages say the same."""
_PARTICULAR = re.compile(r"\d[\d.,:/-]*|\b[A-Z]\w+|\b(?:not|never|no|n't|without)\b|n't\b")


def cut(candidates: Sequence[Candidate], policy: Policy) -> tuple[list[Candidate], str]:
    """The candidates that are kept, in their order, and what decided."""
    least = max(policy.min_confidence, policy.keep if policy.cut else 0.0)
    good = [c for c in candidates if c.confidence >= least]
    kept = good[: policy.limit]
    if len(kept) == len(candidates):
        return kept, "all that was found"
    if len(kept) < len(good):
        return kept, f"the limit is {policy.limit}"
    return kept, f"the rest is below {least:.2g}"


def fold(
    kept: Sequence[Candidate], passages: Mapping[int, StoredPassage]
) -> tuple[list[Candidate], dict[int, list[int]]]:
    """Without near-duplicates; and for each that has some, which they are (by passage).

    Passages are alike when nearly all their words are the same, and their numbers, dates, names
    and negations are exactly the same.
    """
    shown: list[tuple[Candidate, str, frozenset[str]]] = []
    folded: dict[int, list[int]] = {}
    for candidate in kept:
        text = passages[candidate.passage].passage.text
        words = frozenset(text.split())
        for other, said, its_words in shown:
            if _alike(words, its_words) and _particulars(text) == _particulars(said):
                folded.setdefault(other.passage, []).append(candidate.passage)
                break
        else:
            shown.append((candidate, text, words))
    return [candidate for candidate, _, _ in shown], folded


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    if not ALIKE * len(one) <= len(other) <= len(one) / ALIKE:
        return False
    both = len(one & other)
    return both > 0 and both >= ALIKE * (len(one) + len(other) - both)


def _particulars(text: str) -> frozenset[str]:
    return frozenset(_PARTICULAR.findall(text))
