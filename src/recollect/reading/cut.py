"""Whether anything is returned, and what may be: what is good enough to be looked at for evidence.

Below the floor nothing is. A gap in raw scores never decides: after a weak first hit it is no
cliff. Near-duplicates are folded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from recollect.named_tuple import NamedTuple
from recollect.nouns import Candidate, Policy, StoredPassage
from recollect.reading.pool import of_documents
from recollect.text.stopwords import stopwords
from recollect.text.support.tables import NEGATIONS
from recollect.text.terms import query_terms

FEW = 3
"""Where it is doubtful that anything answers, no more than so many documents are kept whole."""
ALL = "all that was found"
ALIKE = 0.9
"""The share of words in common from which two passages say the same."""
BRIEF = 24
"""A turn of fewer words that was said twice was said on two occasions, with other things around."""
_SIGNS = b".,;:!?\"'()[]*_`"
_PARTICULAR = re.compile(r"\d[\d.,:/-]*|\b[A-Z]\w+|n['’]t\b")


class Kept(NamedTuple):
    """The candidates that may be shown, and what decided."""

    good: list[Candidate]
    why: str
    over: Sequence[Candidate] = ()
    """Those that are as good, and outside the caller's limits."""


class Grade(NamedTuple):
    """How sure the candidates are as a set."""

    confidence: float
    """That something right is among the first."""
    answerable: float
    """That anything about what is asked is stored."""
    by_words: bool = False
    """There was nothing but words to go by, which cannot tell that nothing is there."""
    is_said: bool = False
    """Something has all the words of the question, or what it quotes."""


def cut(candidates: Sequence[Candidate], policy: Policy, sure: Grade, few: int = FEW) -> Kept:
    """Returns the candidates that are kept, in their order, and what decided; no more than *few*
    where it is doubtful that any answers. Where there is nothing but words to go by, the best are
    kept, if words found any of them."""
    if not candidates:
        return Kept([], "nothing was found")
    good, why = _above_the_floor(candidates, policy, sure, few)
    kept, limited = within(good, policy)
    return Kept(kept, limited or why, [one for one in good if one not in kept] if limited else ())


def within(some: Sequence[Candidate], policy: Policy) -> tuple[list[Candidate], str]:
    """Returns those that the caller's limits allow, and which of these left others out, if any."""
    kept, why = [c for c in some if c.confidence >= policy.min_confidence], ""
    if len(kept) < len(some):
        why = f"the rest is below {policy.min_confidence:.1%}"
    if len(kept) > policy.limit:
        why = f"the limit is {policy.limit}"
    return kept[: policy.limit], why


def _above_the_floor(
    candidates: Sequence[Candidate], policy: Policy, sure: Grade, few: int
) -> tuple[Sequence[Candidate], str]:
    answerable = sure.answerable
    if not policy.cut:
        return candidates, ALL
    worded = [c for c in candidates if c.signals.lexical or c.signals.title]
    by_words = sure.by_words and bool(worded)
    blind = by_words or sure.is_said
    if answerable < policy.keep and not blind:
        return [], f"{answerable:.1%} sure that anything of it is stored, below {policy.keep:.1%}"
    if policy.doubts(answerable) and not blind:
        best = {c.document for c in sorted(candidates, key=lambda c: -c.score)[:few]}
        near = list(of_documents(candidates, best))
        least = policy.worth * max(c.confidence for c in near)
        near = [c for c in near if c.confidence >= least]
        return near, f"{answerable:.1%} sure that anything of it is stored: only the nearest"
    if by_words:
        return worded, "what has the words"
    least = sure.confidence * policy.worth
    near = [c for c in candidates if c.confidence >= least]
    below = f"the rest is below {max(least, 0.0001):.2%}"
    return near, below if len(near) < len(candidates) else ALL


def fold(
    kept: Sequence[Candidate], passages: Mapping[int, StoredPassage]
) -> tuple[list[Candidate], dict[int, list[int]]]:
    """Without near-duplicates; and for each that has some, which they are (by passage).

    Passages are alike when nearly all their words are the same and those that differ say nothing,
    and their numbers, dates and names are exactly the same.
    """
    shown: list[tuple[Candidate, str, frozenset[str]]] = []
    folded: dict[int, list[int]] = {}
    for candidate in kept:
        passage = passages[candidate.passage].passage
        text = passage.text
        # As bytes, which takes a tenth of the time that letters take.
        plain = text.lower().encode("utf-8", "replace").translate(None, _SIGNS)
        words = frozenset(plain.decode().split())
        brief = passage.role and len(words) < BRIEF
        for other, said, its_words in () if brief else shown:
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
    if not both or both < ALIKE * (len(one) + len(other) - both):
        return False
    return all(map(_says_nothing, one ^ other))


def _says_nothing(word: str) -> bool:
    """Whether a word is one of grammar, and no negation."""
    terms, _ = query_terms(word)
    return bool(terms) and stopwords().issuperset(terms) and word not in NEGATIONS


def _particulars(text: str) -> frozenset[str]:
    return frozenset(_PARTICULAR.findall(text))
