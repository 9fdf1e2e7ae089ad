"""How many to return: one more is kept while what it may add is worth what it costs.

What it may add is its probability. What it costs is a reader's patience: more where the set is
sure already, for there one answer stands out; less where the evidence is spread over several
passages; most beyond the tenth. Where nothing is good nothing is returned. A gap in raw scores
never decides: after a weak first hit it is no cliff. Near-duplicates are folded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from recollect.nouns import Candidate, Policy, StoredPassage

READ = 10
"""How many are read as a matter of course; what comes after must be likely."""
DOUBTFUL = 3
FEW = 3
"""Below three times the confidence at which nothing is returned, no more than so many are."""
ALL = "all that was found"
ALIKE = 0.9
"""The share of words in common from which two passages say the same."""
_SIGNS = b".,;:!?\"'()[]*_`"
_PARTICULAR = re.compile(r"\d[\d.,:/-]*|\b[A-Z]\w+|\b(?:not|never|no|n't|without)\b|n't\b")


def cut(
    candidates: Sequence[Candidate],
    policy: Policy,
    confidence: float,
    *,
    is_open: bool = False,
    by_words: bool = False,
) -> tuple[list[Candidate], str]:
    """The candidates that are kept, in their order, and what decided. *confidence* is that of the
    set; *is_open* is a question whose evidence is likely in several places. Words alone cannot tell
    that nothing is there: where there was nothing else to go *by*, the best are kept, if
    words found any of them."""
    if not candidates:
        return [], "nothing was found"
    best = sorted(candidates, key=lambda c: -c.score)
    has_words = any(c.signals.lexical or c.signals.title for c in candidates)
    blind = (by_words and has_words) or max(c.signals.coverage for c in candidates) >= 1
    doubt = 0.0 if blind else policy.keep
    near, why = best, ALL
    if policy.cut:
        near, why = _worth_keeping(best, policy, confidence, is_open=is_open)
    if policy.cut and confidence < DOUBTFUL * doubt and len(near) > FEW:
        near, why = near[:FEW], f"graded {confidence:.2g}: only the nearest {FEW}"
    if policy.cut and confidence < doubt:
        near, why = [], f"graded {confidence:.2g}, below {policy.keep:g}"
    good = [c for c in near if c.confidence >= policy.min_confidence]
    if len(good) < len(near):
        why = f"the rest is below {policy.min_confidence:g}"
    kept = {c.document for c in good}
    good = [c for c in candidates if c.document in kept]
    if len(good) > policy.limit:
        return good[: policy.limit], f"the limit is {policy.limit}"
    return good, why


def _worth_keeping(
    best: list[Candidate], policy: Policy, confidence: float, *, is_open: bool
) -> tuple[list[Candidate], str]:
    """The first of *best* as far as each is worth it, and the first of them in any case."""
    worth = policy.worth_open if is_open else policy.worth
    if any(c.signals.no_year for c in best):  # it names one, and some do not speak of it
        worth = min(worth, policy.worth_dated)
    least = confidence * worth
    for place, candidate in enumerate(best):
        needed = least if place < READ else max(least, policy.worth_far)
        if place and candidate.confidence < needed:
            return best[:place], f"the rest is below {needed:.2g}"
    return best, ALL


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
