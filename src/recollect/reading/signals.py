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
from recollect.text.subjects import missing, subjects
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
    typed = phrase_terms(parsed.prose)
    content = set(parsed.content)
    worth = {word: idf.get(word, 1.0) for word in content}
    total = sum(worth.values()) or 1.0
    rarest = max(worth, key=worth.__getitem__, default="")
    cosines = [_raw(c, "vector") for c in candidates]
    far = min((x for x in cosines if x), default=0.0)
    least = min(odds.values(), default=0.0)
    made = []
    for candidate, cosine in zip(candidates, cosines, strict=True):
        stored = passages[candidate.passage]
        text = indexed_text(stored.document.title, stored.passage.heading, stored.passage.text)
        here = matched.get(candidate.passage, ())
        lacks = missing(asked, text)
        part = {c.arm: 61 / (60 + c.rank) for c in candidate.contributions}
        made.append(
            Signals(
                odds=odds.get(candidate.document, least),
                cosine=cosine or far,
                lexical=part.get("lexical", 0.0),
                vector=part.get("vector", 0.0),
                title=part.get("title", 0.0),
                coverage=sum(worth[w] for w in here) / total,
                rarest=float(rarest in here),
                no_name=lacks.names,
                no_number=lacks.numbers,
                no_year=lacks.years,
                other_time=lacks.period,
                exact=float(_is_name(typed, len(parsed.prose), stored.document)),
                inside=float(window is not None and window.has(stored.document.date, GRACE)),
                hop=_raw(candidate, "hop"),
                bridge=float(part.keys() == {"hop"}),
                words=log1p(len(content)),
            )
        )
    return _with_gaps(made)


def _with_gaps(made: list[Signals]) -> list[Signals]:
    """Each with how far it is behind the best, which tells a lone hit from one of many."""
    best_odds = max((s.odds for s in made), default=0.0)
    best_cosine = max((s.cosine for s in made), default=0.0)
    best_coverage = max((s.coverage for s in made), default=0.0)
    return [
        s._replace(
            odds_gap=best_odds - s.odds,
            cosine_gap=best_cosine - s.cosine,
            coverage_gap=best_coverage - s.coverage,
        )
        for s in made
    ]


def _is_name(typed: tuple[str, ...], length: int, document: Document) -> bool:
    """Whether the question is exactly what the document is called."""
    names = (document.title, document.path, document.path.rpartition("/")[2])
    near = (name for name in names if abs(len(name) - length) <= 8)
    return any(phrase_terms(name) == typed for name in near)


def _raw(candidate: Candidate, arm: str) -> float:
    return next((c.raw for c in candidate.contributions if c.arm == arm), 0.0)
