"""What is known about a candidate, each signal under its own name; nothing here is a blend.

Signals are written so that 0 is neutral, which makes an absent one (no model, no name in the
question) cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from math import log1p

from recollect.nouns import Contribution, Document, Signals, StoredPassage, Window
from recollect.reading.pool import Pool
from recollect.text.lexical import indexed_text
from recollect.text.questions.subjects import NOTHING, missing, subjects
from recollect.text.terms import phrase_terms

GRACE = timedelta(days=7)
"""People write down on Wednesday what they did last weekend."""


def signals(pool: Pool) -> list[Signals]:
    """Returns those of each candidate of the pool, in the order of the fusion."""
    asked, candidates = pool.of, pool.fused
    stored = [pool.stored(c) for c in candidates]
    arms = [{part.arm: part for part in c.contributions} for c in candidates]
    columns = {
        **_read(pool),
        **_nearness(pool, arms),
        **_covered(pool),
        **_lacking(asked.parsed.prose, stored),
        "exact": _exact(asked.parsed.prose, stored),
        "inside": [float(_inside(asked.window, one.document)) for one in stored],
        "hop": [of["hop"].raw if "hop" in of else 0.0 for of in arms],
        "bridge": [float(of.keys() == {"hop"}) for of in arms],
        "words": [log1p(len(pool.worth))] * len(arms),
    }
    rows = zip(*(columns[name] for name in Signals._fields), strict=True)
    return [Signals(*row) for row in rows]


def _read(pool: Pool) -> dict[str, list[float]]:
    """Returns the reranker's log-odds; what it has not read is as low as what it liked least."""
    least = min(pool.odds.values(), default=0.0)
    odds = [pool.odds.get(c.document, least) for c in pool.fused]
    return {"odds": odds, "odds_gap": _behind(odds)}


def _nearness(pool: Pool, arms: Sequence[Mapping[str, Contribution]]) -> dict[str, list[float]]:
    """Returns the cosines, and how high each arm ranks a candidate. What the vector arm has not
    found is as far as what it found last."""
    scale = pool.of.models.cosines
    raw = [of["vector"].raw if "vector" in of else 0.0 for of in arms]
    scaled = raw if scale is None else [scale.of(x) if x else 0.0 for x in raw]
    far = min(filter(None, scaled), default=0.0)
    cosines = [x or far for x in scaled]
    ranks = {name: [_rank(of.get(name)) for of in arms] for name in ("lexical", "vector", "title")}
    return {"cosine": cosines, "cosine_gap": _behind(cosines), **ranks}


def _rank(part: Contribution | None) -> float:
    return 0.0 if part is None else 61 / (60 + part.rank)


def _covered(pool: Pool) -> dict[str, list[float]]:
    """Returns how much of the question each passage has, by what its words are worth."""
    worth = pool.worth
    total = sum(worth.values()) or 1.0
    rarest = max(worth, key=worth.__getitem__, default="")
    here = [pool.matched.get(c.passage) or set() for c in pool.fused]
    coverage = [sum([worth[w] for w in worth if w in words]) / total for words in here]
    has_rarest = [float(rarest in words) for words in here]
    return {"coverage": coverage, "coverage_gap": _behind(coverage), "rarest": has_rarest}


def _lacking(question: str, stored: Sequence[StoredPassage]) -> dict[str, list[float]]:
    """Returns which names, numbers and times of the question each passage does not speak of."""
    asked = subjects(question)
    lacks = [NOTHING] * len(stored)
    if any(asked):
        texts = [indexed_text(p.document.title, p.passage.heading, p.passage.text) for p in stored]
        lacks = [missing(asked, text) for text in texts]
    return {
        "no_name": [of.names for of in lacks],
        "no_number": [of.numbers for of in lacks],
        "no_year": [of.years for of in lacks],
        "other_time": [of.period for of in lacks],
    }


def _behind(values: list[float]) -> list[float]:
    """How far each is behind the best, which tells a lone hit from one of many."""
    best = max(values, default=0.0)
    return [best - value for value in values]


def _inside(window: Window | None, document: Document) -> bool:
    return window is not None and window.has(document.date, GRACE)


def _exact(question: str, stored: Sequence[StoredPassage]) -> list[float]:
    """Returns whether the question is exactly what a document is called."""
    typed, length = phrase_terms(question), len(question)
    return [float(_is_name(typed, length, one.document)) for one in stored]


def _is_name(typed: tuple[str, ...], length: int, document: Document) -> bool:
    """Whether the question is exactly what the document is called."""
    path = document.path
    names = (document.title, path, path.rpartition("/")[2]) if path else (document.title,)
    near = (name for name in names if abs(len(name) - length) <= 8)
    return any(phrase_terms(name) == typed for name in near)
