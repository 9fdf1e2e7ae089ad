"""What is known about a candidate, each signal under its own name; nothing here is a blend.

Signals are written so that 0 is neutral, which makes an absent one (no model, no name in the
question) cost nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import timedelta
from math import log1p

from recollect.named_tuple import NamedTuple
from recollect.nouns import Candidate, Contribution, Document, Signals, StoredPassage
from recollect.reading.pool import Pool, share
from recollect.text.lexical import indexed_text
from recollect.text.questions.asking import is_question
from recollect.text.questions.subjects import NOTHING, MissingSubjects, Subjects, missing, subjects
from recollect.text.terms import phrase_terms

TRUSTED = 0.3
"""The share of the question's words that something must have for words to count in full, where
there is a vector to go by."""
GRACE = timedelta(days=7)
"""People write down on Wednesday what they did last weekend."""


class _Yardstick(NamedTuple):
    """What the candidates of a pool are measured by."""

    worth: Mapping[str, float]
    rarest: str
    subjects: Subjects
    typed: tuple[str, ...]
    """The words of the question, as a name has them."""
    whole: float
    """What all the words of the question would give together."""
    least: float
    """The lowest log-odds: what was not read is as low as what the reranker liked least."""


def signals(pool: Pool) -> list[Signals]:
    """Returns those of each candidate of the pool, in the order of the fusion."""
    worth, question = pool.worth, pool.of.parsed.prose
    by = _Yardstick(
        worth,
        rarest=max(worth, key=worth.__getitem__, default=""),
        subjects=subjects(question),
        typed=phrase_terms(question),
        whole=sum(pool.idf.values()) or 1.0,
        least=min(pool.odds.values(), default=0.0),
    )
    measured = _with_gaps([_measured(candidate, pool, by) for candidate in pool.fused])
    return _trusted(measured) if pool.grader == "cosine" else measured


def _trusted(measured: list[Signals]) -> list[Signals]:
    """Returns the signals of words for as much as these are to be trusted."""
    most = max((one.coverage for one in measured), default=0.0)
    trust = min(1.0, most / TRUSTED) ** 2
    return [
        one._replace(
            worded=trust * one.coverage,
            coverage_gap=trust * one.coverage_gap,
            rarest=trust * one.rarest,
            fused_gap=trust * one.fused_gap,
        )
        for one in measured
    ]


def _with_gaps(measured: list[Signals]) -> list[Signals]:
    """Adds how far each is behind the best, which tells a lone hit from one of many. What the
    vector arm has not found is as far as what it found last."""
    far = min((one.cosine for one in measured if one.cosine), default=0.0)
    near = [one._replace(cosine=one.cosine or far) for one in measured]
    odds = max((one.odds for one in near), default=0.0)
    cosine = max((one.cosine for one in near), default=0.0)
    coverage = max((one.coverage for one in near), default=0.0)
    fused = max((one.fused_gap for one in near), default=0.0)
    return [
        one._replace(
            odds_gap=odds - one.odds,
            cosine_gap=cosine - one.cosine,
            coverage_gap=coverage - one.coverage,
            fused_gap=fused - one.fused_gap,
        )
        for one in near
    ]


def _measured(candidate: Candidate, pool: Pool, by: _Yardstick) -> Signals:
    """Returns what is known of one candidate by itself."""
    stored, window, scale = pool.stored(candidate), pool.of.window, pool.of.models.cosines
    arms = candidate.by_arm
    words: Collection[str] = pool.matched.get(candidate.passage, ())
    cosine = arms["vector"].raw if "vector" in arms else 0.0
    lacks = _lacking(stored, by.subjects)
    return Signals(
        odds=pool.odds.get(candidate.document, by.least),
        cosine=scale.of(cosine) if scale and cosine else cosine,
        lexical=_rank(arms.get("lexical")),
        vector=_rank(arms.get("vector")),
        title=_rank(arms.get("title")),
        share=arms["lexical"].raw / by.whole if "lexical" in arms else 0.0,
        fused_gap=candidate.score,
        coverage=(covered := share(by.worth, words)),
        worded=covered,
        rarest=float(by.rarest in words),
        no_name=lacks.names,
        no_number=lacks.numbers,
        no_year=lacks.years,
        other_time=lacks.period,
        exact=float(
            _is_name(by.typed, len(pool.of.parsed.prose), stored.document)
            or _is_numbered(pool.of.parsed.prose, stored.document)
        ),
        inside=float(window is not None and window.has(stored.document.date, GRACE)),
        hop=arms["hop"].raw if "hop" in arms else 0.0,
        bridge=float(arms.keys() == {"hop"}),
        words=log1p(len(by.worth)),
    )


def _rank(part: Contribution | None) -> float:
    return 0.0 if part is None else 61 / (60 + part.rank)


def _lacking(stored: StoredPassage, asked: Subjects) -> MissingSubjects:
    """Returns which names, numbers and times of the question the passage does not speak of."""
    if not any(asked):
        return NOTHING
    passage = stored.passage
    return missing(asked, indexed_text(stored.document.title, passage.heading, passage.text))


def _is_name(typed: tuple[str, ...], length: int, document: Document) -> bool:
    """Whether the question is exactly what the document is called. A session that is called by the
    question it began with has asked it as well, and may know no more."""
    path = document.path
    if document.kind == "session" and is_question(document.title, typed=True):
        return False
    names = (document.title, path, path.rpartition("/")[2]) if path else (document.title,)
    near = (name for name in names if abs(len(name) - length) <= 8)
    return any(phrase_terms(name) == typed for name in near)


_NUMBER = re.compile(r"\badr[-_ #]*0*(\d+)\b", re.IGNORECASE)


def _is_numbered(question: str, document: Document) -> bool:
    """Whether the question names a decision record by its number: "ADR 12", "adr-0012"."""
    number = document.meta.get("number") if document.kind == "decision" else None
    return bool(number) and str(number) in _NUMBER.findall(question)
