"""How many to return: one more is kept while what it may add is worth what it costs.

What it may add is its probability, or, where nothing is likely, its odds against those of the
best. A clear answer stands alone, answers that are equally likely come together, and where
nothing is good nothing is returned. A gap in raw scores never decides: after a weak first hit it
is no cliff. Near-duplicates are folded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from recollect.types import Candidate, Policy, StoredPassage

ALIKE = 0.9
"""The share of words in common from which two passages say the same."""
_SIGNS = b".,;:!?\"'()[]*_`"
_PARTICULAR = re.compile(r"\d[\d.,:/-]*|\b[A-Z]\w+|\b(?:not|never|no|n't|without)\b|n't\b")


def cut(
    candidates: Sequence[Candidate], policy: Policy, *, by_words: bool = False
) -> tuple[list[Candidate], str]:
    """The candidates that are kept, in their order, and what decided. Words alone cannot tell
    that nothing is there: where there was nothing else to go *by*, the best is kept."""
    best = max(candidates, key=lambda c: c.score, default=None)
    if best is None:
        return [], "nothing was found"
    blind = by_words or max(c.signals.coverage for c in candidates) >= 1
    if policy.cut and best.confidence < policy.keep and not blind:
        return [], f"the best is at {best.confidence:.2g}, below {policy.keep:g}"
    least = best.score - policy.margin if policy.cut else float("-inf")
    near = [c for c in candidates if c.score >= least or c.confidence >= policy.worth]
    good = [c for c in near if c.confidence >= policy.min_confidence]
    if len(good) > policy.limit:
        return good[: policy.limit], f"the limit is {policy.limit}"
    if len(good) < len(near):
        return good, f"the rest is below {policy.min_confidence:g}"
    if len(near) < len(candidates):
        return good, f"the rest is below {policy.worth:g}, and far behind the best"
    return good, "all that was found"


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
        # As bytes, which takes a tenth of the time that letters take.
        plain = text.lower().encode("utf-8", "replace").translate(None, _SIGNS)
        words = frozenset(plain.decode().split())
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
