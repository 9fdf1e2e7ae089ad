"""What is known about a candidate, each signal under its own name; nothing here is a blend.

Signals are written so that 0 is neutral, which makes an absent one (no model, no name in the
question) cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from math import log1p

from recollect.nouns import Contribution, Document, Signals, StoredPassage
from recollect.reading.pool import Pool
from recollect.text.lexical import indexed_text
from recollect.text.questions.subjects import NOTHING, Missing, missing, subjects
from recollect.text.terms import phrase_terms

GRACE = timedelta(days=7)
"""People write down on Wednesday what they did last weekend."""


def signals(pool: Pool) -> list[Signals]:
    """Returns those of each candidate of the pool, in the order of the fusion."""
    asked, candidates, odds = pool.of, pool.fused, pool.odds
    parsed, window, scale = asked.parsed, asked.window, asked.models.cosines
    worth = pool.worth
    total = sum(worth.values()) or 1.0
    rarest = max(worth, key=worth.__getitem__, default="")
    stored = [pool.stored(c) for c in candidates]
    arms = [{part.arm: part for part in c.contributions} for c in candidates]
    covered = [pool.matched.get(c.passage, ()) for c in candidates]
    coverage = [sum([worth[w] for w in worth if w in here]) / total for here in covered]
    cosines = [of["vector"].raw if "vector" in of else 0.0 for of in arms]
    if scale is not None:
        cosines = [scale.of(x) if x else 0.0 for x in cosines]
    far = min([x for x in cosines if x], default=0.0)
    cosines = [x or far for x in cosines]
    least = min(odds.values(), default=0.0)
    read = [odds.get(c.document, least) for c in candidates]
    lacks = _lacking(parsed.prose, stored)
    typed, length = phrase_terms(parsed.prose), len(parsed.prose)
    columns: dict[str, list[float]] = {
        "odds": read,
        "odds_gap": _behind(read),
        "cosine": cosines,
        "cosine_gap": _behind(cosines),
        "lexical": _nearness(arms, "lexical"),
        "vector": _nearness(arms, "vector"),
        "title": _nearness(arms, "title"),
        "coverage": coverage,
        "coverage_gap": _behind(coverage),
        "rarest": [float(rarest in here) for here in covered],
        "no_name": [of.names for of in lacks],
        "no_number": [of.numbers for of in lacks],
        "no_year": [of.years for of in lacks],
        "other_time": [of.period for of in lacks],
        "exact": [float(_is_name(typed, length, one.document)) for one in stored],
        "inside": [
            float(window is not None and window.has(p.document.date, GRACE)) for p in stored
        ],
        "hop": [of["hop"].raw if "hop" in of else 0.0 for of in arms],
        "bridge": [float(of.keys() == {"hop"}) for of in arms],
        "words": [log1p(len(worth))] * len(arms),
    }
    rows = zip(*(columns[name] for name in Signals._fields), strict=True)
    return [Signals(*row) for row in rows]


def _lacking(question: str, stored: Sequence[StoredPassage]) -> list[Missing]:
    asked = subjects(question)
    if not any(asked):
        return [NOTHING] * len(stored)
    texts = [indexed_text(p.document.title, p.passage.heading, p.passage.text) for p in stored]
    return [missing(asked, text) for text in texts]


def _behind(values: list[float]) -> list[float]:
    """How far each is behind the best, which tells a lone hit from one of many."""
    best = max(values, default=0.0)
    return [best - value for value in values]


def _nearness(arms: Sequence[Mapping[str, Contribution]], name: str) -> list[float]:
    return [61 / (60 + of[name].rank) if name in of else 0.0 for of in arms]


def _is_name(typed: tuple[str, ...], length: int, document: Document) -> bool:
    """Whether the question is exactly what the document is called."""
    path = document.path
    for name in (document.title, path, path.rpartition("/")[2]) if path else (document.title,):
        if abs(len(name) - length) <= 8 and phrase_terms(name) == typed:
            return True
    return False
