"""The grade: how likely a candidate answers the question, and how likely they do together.

    log-odds(candidate) = prior + Σ weight · signal          p = 1 / (1 + exp(−log-odds))

A second regression grades the candidates as a set. The confidence of each is its p, scaled so that
the best is as sure as the set: what is said of an answer and of its best result is one number. No
answer is surer than that anything about what is asked is stored (the gate, next).

A third one is the gate: whether anything about what is asked is stored at all. A hard question
whose answer is hard to find is another thing than one of which nothing is known; the first two look
for the difference between candidates, the gate for how near the nearest is, and for words that
nothing has.

A fourth one holds the answer back where no sentence speaks of what is asked, but of its like: of
another person, another year, the opposite (:mod:`recollect.reading.stated`). It was taught by
questions with one word exchanged. Where a sentence does, it says nothing.

The weights are data (``grade.json``), fitted on questions with known answers and on questions
without one (``python -m bench.unseen --fit FOLDER``; those for a reranker, ``training/grade.py``).
There is a set of them for each kind of evidence at hand, for odds and cosines mean what they mean
only where they come from the models that were there when they were fitted.

The log-odds are the score, so that what a result is ranked by and what is said of it agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log

from recollect.named_tuple import NamedTuple
from recollect.nouns import Candidate, Contribution, Signals, in_figures
from recollect.reading import fitted
from recollect.reading.pool import SURE, WORDED, Pass, Pool, probability, share
from recollect.reading.signals import signals
from recollect.reading.stated import Stated, is_taught, is_unmet, stated
from recollect.text.questions.subjects import is_unnamed
from recollect.trace import say, stage, surviving

EXACT = 12.0
"""What being asked for by its very name adds; structure is not for a model to overrule."""
INSIDE = 1.0
"""What being from the time that is asked about adds: a nudge, for people misdate things."""
_FAR = 20.0
"""Log-odds beyond this say no more."""
_STORED = 2.0
"""So much likelier is it, for weights without a gate, that something is stored than that it was
found; at twice, the threshold of the gate shows what is found with a probability of a tenth."""
_UNNAMED = 0.55
"""How sure an answer is at most that has none of the identifiers that are asked for, or speaks of
another name or year."""
_SCATTERED = "no sentence has all that is asked"
_LACKED = {
    "unnamed": "nothing that was found has what it names",
    "unmet": "what was found has too few of its words",
    "another": "what comes nearest is of another name, number or year",
    "exchanged": "the nearest sentence has another name, number or year",
}
"""What the signals say that hold an answer back, the first that is there."""
_NAMED = frozenset({"hop", "bridge"})
"""What being named by another adds."""
_PLACES = {name: place for place, name in enumerate(Signals._fields)}


class Grader(NamedTuple):
    kind: str
    prior: float
    weights: Mapping[str, float]
    together_prior: float
    together: Mapping[str, float]
    """The weights of what is known about the candidates as a set."""
    stored_prior: float = SURE
    stored: Mapping[str, float] = {}
    """Those of the gate; without any, it follows from how sure the candidates are."""


def grader(*, odds: bool, cosine: bool, terse: bool = False) -> Grader:
    """The one for the evidence at hand. A few words without grammar are no question, and what
    has them is judged by other weights, or by its words alone."""
    kind = "+".join(name for name, here in (("odds", odds), ("cosine", cosine)) if here) or "words"
    if terse and (cosine or not odds):
        kind = "terse" if odds else "words"
    return _grader(kind)


def _grader(kind: str) -> Grader:
    about = fitted.weights()["graders"][kind]
    return Grader(kind, **about)


@stage("grade")
def grade(pool: Pool) -> Pool:
    """Chooses the weights for the evidence at hand, and grades the pool by them."""
    asked = pool.of
    embedder, cosines = asked.models.embedder, asked.models.cosines
    speaks = embedder is not None and embedder.speaks(asked.parsed.prose)
    calibrated = cosines is not None or (embedder is not None and fitted.knows(embedder.key))
    cosine = pool.by_meaning and speaks
    by_words = any(part.arm == "lexical" for c in pool.fused for part in c.contributions)
    terse = asked.parsed.terse and by_words
    by = grader(odds=bool(pool.odds), cosine=cosine and calibrated, terse=terse)
    strange = _uncalibrated(asked, cosine=cosine and not calibrated, odds=bool(pool.odds))
    said = f"from {by.kind.replace('+', ' and ')}"
    if strange:
        said += f"; uncalibrated: {', '.join(strange)}"
    made = again(pool._replace(grader=by.kind))
    if made.best:
        said += f"; {_judged(made)}"
    say(said)
    return made


def _judged(pool: Pool) -> str:
    """Says how sure the answer is, and what decided that beside the grades."""
    enough = pool.of.policy.direct_confidence
    sure = f"{in_figures(pool.confidence)} that it is among the first {FIRST}"
    said = f"{sure}, {enough:.2f} is enough; {in_figures(pool.answerable)} that anything is stored"
    if pool.ceiling <= min(pool.confidence, enough):
        said += f"; held back: {pool.held}"
    return said


def _uncalibrated(asked: Pass, *, cosine: bool, odds: bool) -> list[str]:
    """Returns the models whose scores the weights were not fitted with."""
    embedder, reranker = asked.models.embedder, asked.models.reranker
    strange = []
    if cosine and embedder is not None:
        strange.append(f"{embedder.key} (`recollect models calibrate`)")
    if odds and reranker is not None and not fitted.knows(reranker.key):
        strange.append(reranker.key)
    return strange


def again(pool: Pool) -> Pool:
    """Grades the candidates of the pool, by the weights that were chosen for it."""
    new = [c.passage for c in pool.fused if c.passage not in pool.matched]
    with surviving("coverage"):
        found = pool.of.view.matched(pool.of.parsed.content, new) if new else {}
        pool = pool._replace(matched={**pool.matched, **found})
    by = _grader(pool.grader)
    best = _behind(graded(pool.fused, signals(pool), by), pool.named_by)
    known = set_signals(best, surroundings(pool, best))
    sure, ceiling = together(best, known, by), held_back(known, by)
    gate = answerable(known, by) if by.stored else min(1.0, _STORED * sure)
    pool = pool._replace(answerable=gate, ceiling=ceiling, held=_lacked(known))
    return _told(pool, best, min(sure, ceiling))


def _told(pool: Pool, best: Sequence[Candidate], confidence: float) -> Pool:
    """Returns the pool with these candidates, whose first is as sure as they are together: the
    answer is as sure as the best that it shows."""
    first = max((c.confidence for c in best), default=1.0)
    scaled = (c._replace(confidence=confidence * c.confidence / first) for c in best)
    return pool._replace(best=tuple(scaled), confidence=confidence)


def promoted(pool: Pool, best: Sequence[Candidate]) -> Pool:
    """Returns the pool with these as its candidates, in this order: some stand for others, and are
    as sure as they were."""
    known, by = set_signals(best, surroundings(pool, best)), _grader(pool.grader)
    sure = min(together(best, known, by), held_back(known, by))
    return _told(pool, best, max(pool.confidence, sure))


def as_fact(candidate: Candidate, pool: Pool) -> Candidate:
    """The candidate graded as a fact that is not named: ranks among a few facts say nothing, so
    other weights are for those. They know what the models say; by words alone it is as sure as it
    is by itself, for facts alike are no reason to doubt each."""
    signals, about = candidate.signals, fitted.weights()["graders"]["fact"]
    if pool.grader == "words":
        return candidate._replace(confidence=probability(candidate.score))
    if not signals.cosine:
        return candidate
    by = Grader("fact", about["prior"], about["weights"], 0.0, {})
    bare = candidate._replace(contributions=())
    return _graded(bare, signals, by)


def graded(
    candidates: Sequence[Candidate], signals: Sequence[Signals], by: Grader
) -> list[Candidate]:
    """The candidates with their grades, best first; ties stay as they were."""
    made = [_graded(c, s, by) for c, s in zip(candidates, signals, strict=True)]
    return sorted(made, key=lambda c: -c.score)


def _graded(candidate: Candidate, signals: Signals, by: Grader) -> Candidate:
    parts = []
    arms = set()
    for arm in candidate.contributions:
        signal = signals[_PLACES[arm.arm]] if arm.arm in _PLACES else 0.0
        weight = by.weights.get(arm.arm, 0.0)
        parts.append(Contribution(arm.arm, arm.rank, arm.raw, weight, weight * signal))
        arms.add(arm.arm)
    for name, weight in by.weights.items():
        signal = signals[_PLACES[name]]
        if signal and name not in arms:
            parts.append(Contribution(name, 0, signal, weight, weight * signal))
    if signals.exact:
        parts.append(Contribution("exact", 0, 1.0, EXACT, EXACT))
    if signals.inside:
        parts.append(Contribution("inside", 0, 1.0, INSIDE, INSIDE))
    parts.append(Contribution("prior", 0, 1.0, by.prior, by.prior))
    score = sum([part.value for part in parts])
    document, passage = candidate.document, candidate.passage
    return Candidate(document, passage, score, tuple(parts), signals, probability(score))


def _behind(best: Sequence[Candidate], named_by: Mapping[int, int]) -> list[Candidate]:
    """Returns the candidates, best first. What another names gains no more by that than to come
    behind it: it is looked for because that one may answer."""
    own = {one.document: one.score - _lent(one) for one in best}

    def bounded(one: Candidate) -> Candidate:
        alone = own[one.document]
        parent = named_by.get(one.document, one.document)
        return _at_most(one, max(alone, own.get(parent, alone)))

    made = map(bounded, best) if named_by else best
    return sorted(made, key=lambda one: (-one.score, one.document in named_by))


def _lent(candidate: Candidate) -> float:
    """Returns what it gains by being named."""
    return sum(part.value for part in candidate.contributions if part.arm in _NAMED)


def _at_most(candidate: Candidate, most: float) -> Candidate:
    """Returns the candidate with no more gained by being named than brings it to this score."""
    over = candidate.score - most
    if over <= 0:
        return candidate
    lent = _lent(candidate)
    parts = tuple(
        part._replace(value=part.value * (1 - over / lent)) if part.arm in _NAMED else part
        for part in candidate.contributions
    )
    return candidate._replace(score=most, confidence=probability(most), contributions=parts)


FIRST = 3
"""The answer's confidence is the probability that something right is among so many."""


class Surroundings(NamedTuple):
    """What is known beyond the candidates."""

    absent: float = 0.0
    """What the words are worth that nothing found has, as a share of the question's."""
    among: float = 0.0
    """The logarithm of how many passages were compared."""
    stated: Stated = Stated()
    """What the sentence has that comes nearest to the question."""
    taught: bool = True
    """The question is in a language in which that was taught."""
    unnamed: bool = False
    """The question names something by an identifier, and nothing found has any that it names."""
    unmet: bool = False
    """There is nothing to go by but the words, in a language in which nothing was taught, and what
    was found has hardly any of them."""


def surroundings(pool: Pool, best: Sequence[Candidate]) -> Surroundings:
    found = set().union(*pool.matched.values())
    worth = pool.worth
    absent = share(worth, worth.keys() - found)
    among, asked = log(max(pool.among, 1)), pool.of.parsed.prose
    nearest, taught = stated(best, pool), is_taught(asked)
    unmet = not taught and pool.grader in WORDED and is_unmet(best, pool, nearest)
    return Surroundings(absent, among, nearest, taught, is_unnamed(asked, found), unmet)


def set_signals(best: Sequence[Candidate], around: Surroundings) -> dict[str, float]:
    """What is known about the candidates as a set; *best* are graded and in order."""
    if not best:
        return {}
    head = [c.signals for c in best[:FIRST]]
    first = max(-SURE, min(SURE, best[0].score))
    return {
        "first": first,
        "mass": _mass(best),
        "rivals": log(sum(c.score >= best[0].score - 5 for c in best)),
        "coverage": max(s.coverage for s in head),
        "no_name": min(s.no_name for s in head),
        "no_number": min(s.no_number for s in head),
        "no_year": min(s.no_year for s in head),
        "other_time": min(s.other_time for s in head),
        "words": head[0].words,
        "cosine": max(s.cosine for s in head),
        "share": max(s.share for s in head),
        "margin": _margin(best),
        "best_coverage": head[0].coverage,
        "absent": around.absent,
        "among": around.among,
        "taught": float(around.taught),
        "unnamed": float(around.unnamed),
        "unmet": float(around.unmet),
        **around.stated._asdict(),
    }


def _mass(best: Sequence[Candidate]) -> float:
    """Returns the logarithm of the share that the first have in the odds of all."""
    odds = [exp(max(-_FAR, min(_FAR, c.score))) for c in best]
    return log(sum(odds[:FIRST]) / sum(odds))


def _margin(best: Sequence[Candidate]) -> float:
    """Returns how far the fused score of the first document is ahead of that of the first that is
    not looked at."""
    gaps = sorted(c.signals.fused_gap for c in best)
    return min(gaps[FIRST], 1.0) if len(gaps) > FIRST else 1.0


def together(best: Sequence[Candidate], known: Mapping[str, float], by: Grader) -> float:
    """The probability that something right is among the first of these."""
    if not best:
        return 0.0
    return min(_weighed(known, by.together_prior, by.together), _bound(best, known, by))


def _bound(best: Sequence[Candidate], known: Mapping[str, float], by: Grader) -> float:
    """How sure the set may be at most: as the gate is; by words alone, which cannot tell that
    nothing is there, without a bound; for weights without a gate, what the grades allow."""
    if by.kind == "words":
        return 1.0
    return answerable(known, by) if by.stored else bound(best)


def held_back(known: Mapping[str, float], by: Grader) -> float:
    """How sure an answer may be at most, by what its nearest sentence has; a few words without
    grammar ask for no sentence. What is true of one key, house or year is not of another: where
    nothing has the one that is asked for, no answer is direct."""
    if known.get("unnamed") or known.get("unmet"):
        return _UNNAMED
    most = _UNNAMED if known.get("another") else 1.0
    if by.kind == "terse" or not known.get("taught"):
        return most
    weights = fitted.weights()["stated"]["weights"]
    score = sum(weight * known[name] for name, weight in weights.items())
    return min(most, probability(fitted.ceiling(score)))


def _lacked(known: Mapping[str, float]) -> str:
    """Says why an answer may be less sure than its grades."""
    return next((why for name, why in _LACKED.items() if known.get(name)), _SCATTERED)


def answerable(known: Mapping[str, float], by: Grader) -> float:
    """The probability that anything about what is asked is stored."""
    return _weighed(known, by.stored_prior, by.stored) if known else 0.0


def _weighed(known: Mapping[str, float], prior: float, weights: Mapping[str, float]) -> float:
    return probability(prior + sum(weight * known[name] for name, weight in weights.items()))


def bound(best: Sequence[Candidate]) -> float:
    """What the grades of the first allow at most: the set cannot be sure of what none is."""
    return min(1.0, 3 * sum(c.confidence for c in best[:FIRST]))
