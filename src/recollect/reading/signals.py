"""What is known about a candidate, each signal under its own name; nothing here is a blend.

Signals are written so that 0 is neutral, which makes an absent one (no model, no name in the
question) cost nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from math import log1p

from recollect.text.lexical import indexed_text
from recollect.text.query import Parsed
from recollect.text.subjects import NOTHING, missing, subjects
from recollect.text.terms import phrase_terms
from recollect.types import Candidate, Document, Signals, StoredPassage, Window

GRACE = timedelta(days=7)
"""People write down on Wednesday what they did last weekend."""


def signals(
    parsed: Parsed, candidates: Sequence[Candidate], passages: Mapping[int, StoredPassage],
    idf: Mapping[str, float], matched: Mapping[int, Collection[str]], odds: Mapping[int, float],
    window: Window | None,
) -> list[Signals]:  # fmt: skip
    """Those of each candidate. *matched* are the words of the question that each passage has;
    *odds* are the reranker's log-odds by document, if it ran."""
    asked = subjects(parsed.prose)
    named = any(asked)
    typed = phrase_terms(parsed.prose)
    worth = {word: idf.get(word, 1.0) for word in parsed.content}
    total = sum(worth.values()) or 1.0
    rarest = max(worth, key=worth.__getitem__, default="")
    covered = [matched.get(c.passage, ()) for c in candidates]
    coverage = [sum([worth[w] for w in worth if w in here]) / total for here in covered]
    cosines = [_raw(c, "vector") for c in candidates]
    far = min((x for x in cosines if x), default=0.0)
    cosines = [x or far for x in cosines]
    least = min(odds.values(), default=0.0)
    read = [odds.get(c.document, least) for c in candidates]
    best_odds, best_cosine = max(read, default=0.0), max(cosines, default=0.0)
    best_coverage = max(coverage, default=0.0)
    made = []
    for n, candidate in enumerate(candidates):
        stored = passages[candidate.passage]
        document, passage = stored.document, stored.passage
        lacks = NOTHING
        if named:
            lacks = missing(asked, indexed_text(document.title, passage.heading, passage.text))
        part = {c.arm: 61 / (60 + c.rank) for c in candidate.contributions}
        made.append(
            Signals(
                odds=read[n],
                odds_gap=best_odds - read[n],
                cosine=cosines[n],
                cosine_gap=best_cosine - cosines[n],
                lexical=part.get("lexical", 0.0),
                vector=part.get("vector", 0.0),
                title=part.get("title", 0.0),
                coverage=coverage[n],
                coverage_gap=best_coverage - coverage[n],
                rarest=float(rarest in covered[n]),
                no_name=lacks.names,
                no_number=lacks.numbers,
                no_year=lacks.years,
                other_time=lacks.period,
                exact=float(_is_name(typed, len(parsed.prose), document)),
                inside=float(window is not None and window.has(document.date, GRACE)),
                hop=_raw(candidate, "hop") if "hop" in part else 0.0,
                bridge=float(len(part) == 1 and "hop" in part),
                words=log1p(len(worth)),
            )
        )
    return made


def _is_name(typed: tuple[str, ...], length: int, document: Document) -> bool:
    """Whether the question is exactly what the document is called."""
    path = document.path
    for name in (document.title, path, path.rpartition("/")[2]) if path else (document.title,):
        if abs(len(name) - length) <= 8 and phrase_terms(name) == typed:
            return True
    return False


def _raw(candidate: Candidate, arm: str) -> float:
    for contribution in candidate.contributions:
        if contribution.arm == arm:
            return contribution.raw
    return 0.0
