"""What is measured, each measure with its formula and where it comes from. Pure functions.

A *ranking* is the ids that came back, best first; an id that comes twice counts once, at its
first place. *Gold* is the ids that should have come back: G. The first k of a ranking are R@k,
fewer where fewer came back. A question without gold has no precision, recall or rank; whether
it was left unanswered is measured by :func:`abstention`.

Confidences are pairs (p, right): how sure an answer was, and whether it was right.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from recollect.errors import UsageError
from recollect_evals.evidence import Evidence, is_named, is_shown

Pair = tuple[float, bool]
LEAST_SAVED = 0.8
"""The share of a baseline's tokens that is to be saved, at no less recall."""


def _first(ranking: Iterable[str], k: int | None) -> list[str]:
    if k is not None and k < 1:
        raise UsageError(f"k is {k}", hint="a measure at k looks at the first 1 or more")
    return list(dict.fromkeys(ranking))[:k]


def _gold(gold: Collection[str]) -> set[str]:
    if not gold:
        raise UsageError("a question without gold has no precision, recall or rank")
    return set(gold)


# ------------------------------------------------------------------ of a ranking


def precision_at(ranking: Iterable[str], gold: Collection[str], k: int) -> float:
    """``|R@k ∩ G| / k``: k is the denominator however few came back, so that an empty place
    counts as a wrong one (Manning, Raghavan & Schütze, 2008, §8.4; trec_eval's ``P_k``)."""
    return len(_gold(gold).intersection(_first(ranking, k))) / k


def recall_at(ranking: Iterable[str], gold: Collection[str], k: int) -> float:
    """``|R@k ∩ G| / |G|``: the share of the evidence (Manning et al., 2008, §8.3; trec_eval's
    ``recall_k``)."""
    wanted = _gold(gold)
    return len(wanted.intersection(_first(ranking, k))) / len(wanted)


def any_hit_at(ranking: Iterable[str], gold: Collection[str], k: int) -> float:
    """``1 if R@k ∩ G ≠ ∅ else 0``: one piece of the evidence is enough. trec_eval calls it
    ``success_k``; papers that call it recall@k mean this only where ``|G| = 1``."""
    return float(not _gold(gold).isdisjoint(_first(ranking, k)))


def all_evidence_at(ranking: Iterable[str], gold: Collection[str], k: int) -> float:
    """``1 if G ⊆ R@k else 0``: what a question needs whose evidence is in several places
    (``recall_all@k`` of LongMemEval, Wu et al., 2025). Where ``|G| > k`` it cannot be 1."""
    return float(_gold(gold).issubset(_first(ranking, k)))


def reciprocal_rank(ranking: Iterable[str], gold: Collection[str]) -> float:
    """``1 / rank of the first right one``, 0 without one; its mean is MRR (Voorhees, 1999)."""
    wanted = _gold(gold)
    places = (place for place, one in enumerate(_first(ranking, None), 1) if one in wanted)
    return 1 / next(places, math.inf)


def ndcg_at(ranking: Iterable[str], gold: Collection[str] | Mapping[str, float], k: int) -> float:
    """``DCG@k / the best possible DCG@k`` with ``DCG@k = Σ gain(i) / log2(i + 1)`` over the places
    i = 1…k (Järvelin & Kekäläinen, 2002). A mapping gives gains, anything else 1 for each. Gains
    count as they are (trec_eval's ``ndcg_cut_k``), not as ``2^gain - 1`` (Burges et al., 2005)."""
    gains = dict(gold) if isinstance(gold, Mapping) else dict.fromkeys(gold, 1.0)
    if any(gain < 0 for gain in gains.values()):
        raise UsageError("a gain is below 0", hint="gains are 0 or more")
    wanted = [gain for gain in sorted(gains.values(), reverse=True) if gain > 0]
    _gold([one for one, gain in gains.items() if gain > 0])
    got = [gains.get(one, 0.0) for one in _first(ranking, k)]
    return _dcg(got) / _dcg(wanted[:k])


def _dcg(gains: Iterable[float]) -> float:
    return math.fsum(gain / math.log2(place + 1) for place, gain in enumerate(gains, 1))


# ------------------------------------------------------------------ of the returned set


class Returned(NamedTuple):
    """The set S that was returned: no k, the engine has chosen how much to return."""

    precision: float
    """``|S ∩ G| / |S|``; nothing returned is 0."""
    recall: float
    """``|S ∩ G| / |G|``."""
    everything: float
    """``1 if G ⊆ S else 0``."""
    size: int
    """``|S|``."""


def returned(ranking: Iterable[str], gold: Collection[str]) -> Returned:
    """Precision and recall of a set (van Rijsbergen, 1979, ch. 7), with its size, without which
    neither can be judged."""
    wanted, some = _gold(gold), set(ranking)
    right = len(wanted & some)
    precision = right / len(some) if some else 0.0
    return Returned(precision, right / len(wanted), float(wanted <= some), len(some))


# ------------------------------------------------------------------ of the evidence inside


def evidence_shown(evidence: Evidence, shown: Mapping[str, str]) -> float:
    """``1 if every unit of the evidence is inside the shown text else 0``; *shown* is the text
    that the caller gets, by document. A right document without the sentence that answers is 0."""
    wanted = evidence.alternatives
    return float(any(all(is_shown(unit, shown) for unit in some) for some in wanted))


def evidence_named(evidence: Evidence, documents: Sequence[str]) -> float:
    """``1 if the document of every unit is shown or named else 0``: the caller can ask for it."""
    wanted = evidence.alternatives
    return float(any(all(is_named(unit, documents) for unit in some) for some in wanted))


# ------------------------------------------------------------------ abstention


class Abstention(NamedTuple):
    """Over questions with an answer in the store and without; None where there are none."""

    correct: float | None
    """``unanswered / all`` of the questions without an answer: higher is better."""
    false: float | None
    """``unanswered / all`` of the questions with one: lower is better."""
    unanswerable: int
    answerable: int


def abstention(questions: Iterable[tuple[bool, bool]]) -> Abstention:
    """How often it is left open what cannot be answered, and what can (the true and the false
    positive rate of refusing; Rajpurkar, Jia & Liang, 2018). Each question is (can be answered,
    was answered)."""
    counts = {True: [0, 0], False: [0, 0]}
    for answerable, answered in questions:
        counts[answerable][0] += 1
        counts[answerable][1] += not answered

    def share(answerable: bool) -> float | None:
        every, left = counts[answerable]
        return left / every if every else None

    return Abstention(share(False), share(True), counts[False][0], counts[True][0])


def auroc(right: Sequence[float], wrong: Sequence[float]) -> float:
    """How often a confidence of the first is above one of the second, ties counting half: the area
    under the curve of the true against the false positive rate (Hanley & McNeil, 1982)."""
    if not right or not wrong:
        raise UsageError("an area needs confidences of both kinds")
    ordered = sorted(wrong)
    below = math.fsum(bisect_left(ordered, p) + bisect_right(ordered, p) for p in right)
    return below / (2 * len(right) * len(wrong))


def refused_at(answerable: Sequence[float], unanswerable: Sequence[float], served: float) -> float:
    """The share of unanswerable questions that are refused at the highest threshold at which the
    share *served* of the answerable ones is still served (the true negative rate at a fixed
    true positive rate)."""
    if not answerable or not unanswerable or not 0 < served <= 1:
        raise UsageError("refusal needs confidences of both kinds, and a share above 0")
    threshold = sorted(answerable, reverse=True)[math.ceil(served * len(answerable)) - 1]
    return sum(p < threshold for p in unanswerable) / len(unanswerable)


class Risk(NamedTuple):
    """A point of the risk-coverage curve."""

    coverage: float
    """The share of the questions that are answered at this threshold."""
    risk: float
    """The share of those that are answered wrongly."""
    threshold: float
    """Answers that are this sure are given."""


def risk_coverage(pairs: Sequence[Pair]) -> list[Risk]:
    """The risk at each coverage that some threshold gives: ``wrong(p ≥ t) / |p ≥ t|`` against
    ``|p ≥ t| / n`` (El-Yaniv & Wiener, 2010)."""
    points: list[Risk] = []
    given = wrong = 0
    for p, count, some in _tied(pairs):
        given, wrong = given + count, wrong + some
        points.append(Risk(given / len(pairs), wrong / given, p))
    return points


def aurc(pairs: Sequence[Pair]) -> float:
    """``(1/n) Σ risk(i / n)`` over i = 1…n: the mean risk when only the surest i answers are
    given (Geifman, Uziel & El-Yaniv, 2019). Among answers that are as sure as each other the
    wrong ones count as evenly spread, so that the order of the pairs does not matter."""
    given, wrong, area = 0, 0, []
    for _, count, some in _tied(pairs):
        area += [(wrong + some * n / count) / (given + n) for n in range(1, count + 1)]
        given, wrong = given + count, wrong + some
    return math.fsum(area) / len(pairs)


def _tied(pairs: Sequence[Pair]) -> list[tuple[float, int, int]]:
    """(p, how many answers have it, how many of those are wrong), the surest first."""
    every, wrong = (
        Counter(p for p, _ in _sound(pairs)),
        Counter(p for p, right in pairs if not right),
    )
    return [(p, every[p], wrong[p]) for p in sorted(every, reverse=True)]


def _sound(pairs: Sequence[Pair]) -> Sequence[Pair]:
    if not pairs:
        raise UsageError("there is no answer to judge the confidence of")
    for p, _ in pairs:
        if not 0 <= p <= 1:
            raise UsageError(f"a confidence is {p}", hint="they are probabilities, from 0 to 1")
    return pairs


# ------------------------------------------------------------------ calibration


class Bin(NamedTuple):
    """Answers that are about as sure: a point of the reliability diagram."""

    answers: int
    confidence: float
    """Their mean confidence."""
    accuracy: float
    """The share of them that is right."""


def reliability(
    pairs: Sequence[Pair], bins: int = 10, by: Literal["mass", "width"] = "mass"
) -> list[Bin]:
    """Answers in bins of confidence, without the empty ones (DeGroot & Fienberg, 1983).

    ``width``: the bin of p is ``min(⌊p · bins⌋, bins - 1)``. ``mass``: as many answers in each
    as can be, where equal confidences stay in one bin (Nguyen & O'Connor, 2015)."""
    if bins < 1:
        raise UsageError(f"bins is {bins}", hint="give 1 or more")
    ordered = sorted(_sound(pairs))
    found: dict[int, list[Pair]] = {}
    begun: dict[float, int] = {}
    for place, (p, right) in enumerate(ordered):
        at = begun.setdefault(p, place) * bins // len(ordered)
        found.setdefault(at if by == "mass" else min(int(p * bins), bins - 1), []).append(
            (p, right)
        )
    return [
        Bin(len(some), sum(p for p, _ in some) / len(some), sum(y for _, y in some) / len(some))
        for some in found.values()
    ]


def calibration_error(
    pairs: Sequence[Pair], bins: int = 10, by: Literal["mass", "width"] = "mass"
) -> float:
    """``ECE = Σ (n_b / n) · |accuracy_b - confidence_b|`` over the bins b (Naeini, Cooper &
    Hauskrecht, 2015). Bins of equal mass are steadier where confidences crowd together (Nixon et
    al., 2019)."""
    parts = reliability(pairs, bins, by)
    return math.fsum(b.answers * abs(b.accuracy - b.confidence) for b in parts) / len(pairs)


def calibration_by_chance(pairs: Sequence[Pair], bins: int = 10, times: int = 30) -> float:
    """The mean calibration error of as many answers that are right as often as their confidence
    says, drawn ``times`` times with a fixed seed: few answers are never quite calibrated."""
    drawn = random.Random(0)
    return (
        math.fsum(
            calibration_error([(p, drawn.random() < p) for p, _ in pairs], bins)
            for _ in range(times)
        )
        / times
    )


def brier(pairs: Sequence[Pair]) -> float:
    """``(1/n) Σ (p - right)²`` (Brier, 1950). Proper: the least for who says what is so."""
    return math.fsum((p - right) ** 2 for p, right in _sound(pairs)) / len(pairs)


# ------------------------------------------------------------------ stability


def jaccard_at(one: Iterable[str], other: Iterable[str], k: int) -> float:
    """``|A ∩ B| / |A ∪ B|`` of the first k of two rankings (Jaccard, 1912): how much of what came
    back stays. Two empty ones are the same."""
    a, b = set(_first(one, k)), set(_first(other, k))
    return len(a & b) / len(a | b) if a | b else 1.0


def same_first(one: Sequence[str], other: Sequence[str]) -> float:
    """``1 if the two rankings begin alike else 0``; its mean is the stability of the top."""
    return float(list(one[:1]) == list(other[:1]))


# ------------------------------------------------------------------ cost


class Savings(NamedTuple):
    """Tokens against those of a baseline on the same questions."""

    saved: float
    """``1 - Σ ours / Σ theirs``; below 0 where ours are more."""
    recall: float
    baseline_recall: float

    @property
    def met(self) -> bool:
        """Whether the bar is: so much saved, at no less recall."""
        return self.saved >= LEAST_SAVED and self.recall >= self.baseline_recall


def token_savings(
    ours: Sequence[int], theirs: Sequence[int], recall: float = 1.0, baseline_recall: float = 1.0
) -> Savings:
    """The share of the baseline's tokens that is saved over all questions together, so that a
    question on which the baseline reads nothing counts for what it is: ours alone."""
    if len(ours) != len(theirs):
        raise UsageError(f"{len(ours)} questions against {len(theirs)}", hint="give the same")
    if sum(theirs) <= 0:
        raise UsageError("the baseline reads nothing, so nothing can be saved")
    return Savings(1 - sum(ours) / sum(theirs), recall, baseline_recall)


def percentile(values: Sequence[float], share: float) -> float:
    """The least value that at least this share of them do not exceed: the ``⌈share · n⌉``-th, the
    nearest rank (Hyndman & Fan, 1996, type 1). Always one that was measured."""
    if not values or not 0 <= share <= 1:
        raise UsageError("a percentile needs values and a share from 0 to 1")
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]
