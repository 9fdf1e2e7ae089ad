"""One question and what came back, as it is kept; and what many of them say together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from recollect.errors import InputError
from recollect.nouns import Answer, Result
from recollect.text.tokens import count_tokens
from recollect_evals import metrics
from recollect_evals.baselines import Read
from recollect_evals.evidence import Evidence, is_shown
from recollect_evals.glossary import MEASURES
from recollect_evals.questions import Question
from recollect_evals.statistics import bootstrap, paired_bootstrap

ANSWERED = ("direct_passages", "cached_answer", "synthesized")
"""Statuses that serve an answer; the others leave the question open."""
FIRST = 3
"""An answer is right when some of the gold is among its first so many results: that is what its
confidence is about."""
Render = Callable[[Answer], str]
"""Makes of an answer the text that a caller gets."""
SERVED = (0.8, 0.9)
"""Shares of the answerable questions at which it is told how many of the others are refused."""
_FINGERPRINT = "0123456789abcdef" * 2
"""Stands for an answer's fingerprint, which is another in every store: as many digits as it has on
average, so that the same answers have the same tokens."""


def texts(answer: Answer) -> str:
    """Returns the texts of the results with nothing around them: what is counted where no surface
    says how it renders an answer."""
    return "\n".join(result.text for result in answer.results)


def tokens_of(answer: Answer, render: Render) -> int:
    """Returns how many tokens the text has that a caller gets."""
    fingerprint = _FINGERPRINT if answer.fingerprint else ""
    return count_tokens(render(answer._replace(fingerprint=fingerprint)))


class Row(NamedTuple):
    """What is kept of one question."""

    id: str
    half: str
    category: str
    answerable: bool
    status: str
    confidence: float
    right: bool
    documents: tuple[str, ...]
    degraded: bool
    measures: Mapping[str, float]
    baselines: Mapping[str, Mapping[str, float | None]]
    graded: tuple[metrics.Pair, ...] = ()
    """Of each single result its confidence, and whether it is right."""

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Row:
        try:
            row = cls(**content)
        except TypeError as error:
            raise InputError(f"a row of another version: {error}") from error
        graded = tuple((p, right) for p, right in row.graded)
        return row._replace(documents=tuple(row.documents), graded=graded)


def measured(
    question: Question, answer: Answer, baselines: Mapping[str, Read], names: Mapping[str, str],
    render: Render = texts,
) -> Row:  # fmt: skip
    """What an answer is worth to its question. *names* are what the ids in it stand for; the tokens
    are those of the text that *render* makes of it."""
    answer = _named(answer, names)
    found = tuple(dict.fromkeys(result.document for result in answer.results))
    right = bool(question.gold) and bool(metrics.any_hit_at(found, question.gold, FIRST))
    values = _ranked(found, question.gold) if question.gold else {}
    left_open = float(answer.status not in ANSWERED)
    values |= inside(question.evidence, answer.results) | {
        "set_size": len(found),
        "false_abstained" if question.gold else "abstained": left_open,
        "brier": metrics.brier([(answer.confidence, right)]),
        "tokens": tokens_of(answer, render),
        "ms": answer.timing_ms,
    }
    return Row(
        question.id, question.half, question.category, bool(question.gold), answer.status,
        answer.confidence, right, found, bool(answer.degraded),
        {name: round(value, 6) for name, value in values.items()},
        {name: read._asdict() for name, read in baselines.items()},
        tuple((round(one.confidence, 6), is_right(one, question)) for one in answer.results),
    )  # fmt: skip


def _named(answer: Answer, names: Mapping[str, str]) -> Answer:
    """Returns the answer with the documents' own ids."""
    results = (one._replace(document=names[one.document]) for one in answer.results)
    return answer._replace(results=tuple(results))


def inside(evidence: Evidence, results: Sequence[Result]) -> dict[str, float]:
    """Whether the caller gets the evidence itself, and whether its documents are named."""
    if not evidence.units:
        return {}
    shown: dict[str, str] = {}
    for one in results:
        shown[one.document] = f"{shown.get(one.document, '')}\n{one.text}"
    return {
        "evidence_shown": metrics.evidence_shown(evidence, shown),
        "evidence_named": metrics.evidence_named(evidence, list(shown)),
    }


def is_right(one: Result, question: Question) -> bool:
    """Whether a result shows a unit of the evidence; where a set names none, whether it is of the
    gold."""
    if not question.evidence.units:
        return one.document in question.gold
    shown = {one.document: one.text}
    return any(is_shown(unit, shown) for unit in question.evidence.units)


def _ranked(found: Sequence[str], gold: Mapping[str, float]) -> dict[str, float]:
    some = metrics.returned(found, gold)
    return {
        "hit@1": metrics.any_hit_at(found, gold, 1),
        "any@5": metrics.any_hit_at(found, gold, 5),
        "any@10": metrics.any_hit_at(found, gold, 10),
        "all@5": metrics.all_evidence_at(found, gold, 5),
        "all@10": metrics.all_evidence_at(found, gold, 10),
        "recall@10": metrics.recall_at(found, gold, 10),
        "precision@5": metrics.precision_at(found, gold, 5),
        "mrr": metrics.reciprocal_rank(found, gold),
        "ndcg@10": metrics.ndcg_at(found, gold, 10),
        "set_precision": some.precision,
        "set_recall": some.recall,
        "set_all": some.everything,
    }


def by_measure(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """measure → question → value, in the order of :data:`MEASURES`."""
    found = {
        name: {row.id: row.measures[name] for row in rows if name in row.measures}
        for name in MEASURES
    }
    return {name: values for name, values in found.items() if values}


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """What the rows say together, as JSON; means with 95 % intervals (bootstrap)."""
    about: dict[str, Any] = {
        "questions": len(rows),
        "answerable": sum(row.answerable for row in rows),
        "measures": {
            name: bootstrap(list(values.values())).as_json()
            for name, values in by_measure(rows).items()
        },
    }
    if not all("brier" in row.measures for row in rows):
        return about
    pairs = [(row.confidence, row.right) for row in rows]
    times = [row.measures["ms"] for row in rows]
    return {
        **about,
        "statuses": dict(Counter(row.status for row in rows).most_common()),
        "degraded": sum(row.degraded for row in rows),
        "abstention": {
            **metrics.abstention((r.answerable, r.status in ANSWERED) for r in rows)._asdict(),
            **_refusal(rows),
        },
        "aurc": round(metrics.aurc(pairs), 6),
        "risk_coverage": _thinned(pairs),
        "calibration": {
            "ece_mass": round(metrics.calibration_error(pairs), 6),
            "ece_width": round(metrics.calibration_error(pairs, by="width"), 6),
            "brier": round(metrics.brier(pairs), 6),
            **_results_calibration(rows),
            "reliability": [list(map(_rounded, b)) for b in metrics.reliability(pairs)],
        },
        "latency_ms": {f"p{s}": round(metrics.percentile(times, s / 100), 3) for s in (50, 95, 99)},
        "savings": {name: _saved(rows, name) for name in rows[0].baselines},
    }


def _refusal(rows: Sequence[Row]) -> dict[str, float]:
    """How well the confidence tells questions with an answer from those without, where there are
    both."""
    able = [row.confidence for row in rows if row.answerable]
    unable = [row.confidence for row in rows if not row.answerable]
    if not able or not unable:
        return {}
    refused = {f"refused@{share}": metrics.refused_at(able, unable, share) for share in SERVED}
    told = {"auroc": metrics.auroc(able, unable), **refused}
    return {name: round(value, 6) for name, value in told.items()}


def _results_calibration(rows: Sequence[Row]) -> dict[str, float]:
    """How far the confidences of single results are off, where anything came back."""
    pairs = [pair for row in rows for pair in row.graded]
    return {"results_ece": round(metrics.calibration_error(pairs), 6)} if pairs else {}


def _thinned(pairs: Sequence[metrics.Pair]) -> list[list[float]]:
    """The curve at about each tenth of the coverage."""
    points, shown = metrics.risk_coverage(pairs), dict[int, metrics.Risk]()
    for point in points:
        shown[int(point.coverage * 10 + 1e-9)] = point
    return [list(map(_rounded, point)) for point in shown.values()]


def _rounded(value: float) -> float:
    return round(value, 4)


def _saved(rows: Sequence[Row], name: str) -> dict[str, Any] | None:
    """Against a baseline, over the questions that have an answer, where recall is known."""
    asked = [row for row in rows if row.answerable]
    ours = [int(row.measures["tokens"]) for row in asked]
    theirs = [int(row.baselines[name]["tokens"] or 0) for row in asked]
    if not sum(theirs):
        return None
    recalls = [float(row.baselines[name]["recall"] or 0) for row in asked]
    mine = [row.measures["set_recall"] for row in asked]
    found = metrics.token_savings(ours, theirs, sum(mine) / len(asked), sum(recalls) / len(asked))
    return {
        "tokens": sum(ours), "baseline_tokens": sum(theirs), "saved": round(found.saved, 6),
        "recall": round(found.recall, 6), "baseline_recall": round(found.baseline_recall, 6),
        "recall_difference": paired_bootstrap(mine, recalls).as_json(),
        "where_both_have_all": _matched(mine, recalls, ours, theirs),
        "bar": f"at least {metrics.LEAST_SAVED:.0%} saved at no less recall", "met": found.met,
    }  # fmt: skip


def _matched(
    mine: Sequence[float], recalls: Sequence[float], ours: Sequence[int], theirs: Sequence[int]
) -> dict[str, Any]:
    """What is saved on questions for which both have all the evidence: at the same recall."""
    both = [
        n for n, (one, other) in enumerate(zip(mine, recalls, strict=True)) if one == other == 1
    ]
    read = sum(theirs[n] for n in both)
    saved = round(1 - sum(ours[n] for n in both) / read, 6) if read else None
    return {"questions": len(both), "saved": saved}
