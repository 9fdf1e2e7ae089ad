"""How far a passage answers the question, from what it contains.

The grade is the IDF-weighted share of the question's meaningful words that the passage has:

    coverage(p, q) = Σ_{t ∈ q ∩ p} idf(t) / Σ_{t ∈ q} idf(t)

It is one signal with one meaning, not yet a calibrated probability, and never a cosine.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence


def coverage(content: Sequence[str], idf: Mapping[str, float], has: Collection[str]) -> float:
    total = sum(idf.get(word, 1.0) for word in content)
    if total <= 0:
        return 0.0
    return sum(idf.get(word, 1.0) for word in has) / total
