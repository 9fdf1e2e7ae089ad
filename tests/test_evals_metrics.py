"""Measures: by hand, as formulas; against trec_eval on random rankings; and what must hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log2
from random import Random
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.errors import UsageError
from recollect_evals import metrics as m

RANKING = ["a", "x", "b", "y", "c"]
GOLD = {"a", "b", "d"}
Bins = Literal["mass", "width"]
BINS: tuple[Bins, ...] = ("mass", "width")


def near(value: float) -> float:
    return pytest.approx(value, abs=1e-12)  # type: ignore[return-value]


# ------------------------------------------------------------------ by hand


def test_precision_has_k_in_the_denominator() -> None:
    assert m.precision_at(RANKING, GOLD, 3) == 2 / 3
    assert m.precision_at(RANKING, GOLD, 10) == 2 / 10
    assert m.precision_at([], GOLD, 5) == 0


def test_recall_any_hit_and_all_evidence_are_three_things() -> None:
    assert m.recall_at(RANKING, GOLD, 5) == 2 / 3
    assert m.any_hit_at(RANKING, GOLD, 1) == 1
    assert m.any_hit_at(["x", "a"], GOLD, 1) == 0
    assert m.all_evidence_at(RANKING, GOLD, 5) == 0
    assert m.all_evidence_at([*RANKING, "d"], GOLD, 6) == 1
    assert m.all_evidence_at([*RANKING, "d"], GOLD, 5) == 0


def test_the_rank_of_the_first_right_one() -> None:
    assert m.reciprocal_rank(["x", "y", "b"], GOLD) == 1 / 3
    assert m.reciprocal_rank(["x"], GOLD) == 0


def test_ndcg_binary_and_graded() -> None:
    best = 1 / log2(2) + 1 / log2(3) + 1 / log2(4)
    assert m.ndcg_at(RANKING, GOLD, 5) == near((1 / log2(2) + 1 / log2(4)) / best)
    gains = {"a": 1.0, "b": 3.0}
    got = 1 / log2(2) + 3 / log2(4)
    assert m.ndcg_at(RANKING, gains, 5) == near(got / (3 / log2(2) + 1 / log2(3)))
    assert m.ndcg_at(RANKING, gains, 1) == near(1 / 3)


def test_what_comes_twice_counts_once() -> None:
    assert m.precision_at(["a", "a", "b"], GOLD, 2) == 2 / 2
    assert m.reciprocal_rank(["x", "x", "a"], GOLD) == 1 / 2
    assert m.returned(["a", "a"], GOLD).size == 1


def test_the_returned_set() -> None:
    assert m.returned(RANKING, GOLD) == (2 / 5, 2 / 3, 0.0, 5)
    assert m.returned(["d", "b", "a"], GOLD) == (1, 1, 1, 3)
    assert m.returned([], GOLD) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    "measure", [m.precision_at, m.recall_at, m.any_hit_at, m.all_evidence_at, m.ndcg_at]
)
def test_no_gold_and_no_k_are_refused(measure: Callable[..., float]) -> None:
    with pytest.raises(UsageError, match="without gold"):
        measure(RANKING, set(), 5)
    with pytest.raises(UsageError, match="k is 0"):
        measure(RANKING, GOLD, 0)


def test_gains_that_are_no_gains_are_refused() -> None:
    with pytest.raises(UsageError, match="below 0"):
        m.ndcg_at(RANKING, {"a": -1.0}, 5)
    with pytest.raises(UsageError, match="without gold"):
        m.ndcg_at(RANKING, {"a": 0.0}, 5)


def test_abstention_of_both_kinds() -> None:
    asked = [(False, False), (False, False), (False, True), (True, True), (True, False)]
    assert m.abstention(asked) == (2 / 3, 1 / 2, 3, 2)
    assert m.abstention([(True, True)]) == (None, 0.0, 0, 1)


def test_risk_and_coverage() -> None:
    pairs = [(0.9, True), (0.8, False), (0.8, True), (0.1, False)]
    assert m.risk_coverage(pairs) == [
        (1 / 4, 0 / 1, 0.9),
        (3 / 4, 1 / 3, 0.8),
        (4 / 4, 2 / 4, 0.1),
    ]
    assert m.aurc(pairs) == near((0 / 1 + 0.5 / 2 + 1 / 3 + 2 / 4) / 4)
    assert m.aurc([(0.9, True), (0.2, False)]) == near((0 / 1 + 1 / 2) / 2)
    assert m.aurc([(0.9, False), (0.2, True)]) == near((1 / 1 + 1 / 2) / 2)


def test_calibration_in_both_kinds_of_bins() -> None:
    pairs = [(0.05, False), (0.15, True), (0.95, True), (1.0, True)]
    wide = m.reliability(pairs, 10, "width")
    assert wide == [(1, 0.05, 0), (1, 0.15, 1), (2, near((0.95 + 1.0) / 2), 1)]
    error = (0.05 + 0.85 + 2 * (1 - 0.975)) / 4
    assert m.calibration_error(pairs, 10, "width") == near(error)
    assert m.reliability(pairs, 2) == [(2, 0.1, 1 / 2), (2, near(0.975), 1)]
    assert m.calibration_error(pairs, 2) == near((2 * 0.4 + 2 * 0.025) / 4)
    assert m.brier(pairs) == near((0.05**2 + 0.85**2 + 0.05**2 + 0) / 4)


def test_few_answers_are_never_quite_calibrated() -> None:
    few = [(0.5 + place / 100, True) for place in range(40)]
    assert m.calibration_by_chance(few) == m.calibration_by_chance(few)
    assert m.calibration_by_chance(few * 50) < 0.03 < m.calibration_by_chance(few)
    assert m.calibration_by_chance([(1.0, False)] * 10) == 0


def test_equal_confidences_share_a_bin_of_equal_mass() -> None:
    pairs = [(0.5, n % 2 == 0) for n in range(10)]
    assert m.reliability(pairs, 5) == [(10, 0.5, 0.5)]


def test_a_confidence_that_is_no_probability_is_refused() -> None:
    for pairs in ([], [(1.2, True)], [(float("nan"), True)]):
        for measure in (m.aurc, m.brier, m.calibration_error, m.risk_coverage):
            with pytest.raises(UsageError):
                measure(pairs)


def test_stability_between_two_runs() -> None:
    assert m.jaccard_at(["a", "b", "c"], ["b", "a", "d"], 3) == 2 / 4
    assert m.jaccard_at(["a", "b"], ["a", "c"], 1) == 1
    assert m.jaccard_at([], [], 3) == 1
    assert m.jaccard_at(["a"], [], 3) == 0
    assert m.same_first(["a", "b"], ["a", "c"]) == 1
    assert m.same_first(["a"], []) == 0
    assert m.same_first([], []) == 1


def test_tokens_saved_over_all_questions_together() -> None:
    found = m.token_savings([100, 50, 50], [1000, 0, 1000], recall=0.9, baseline_recall=0.9)
    assert found.saved == near(1 - 200 / 2000)
    assert found.met
    assert not found._replace(baseline_recall=0.91).met
    assert not m.token_savings([300], [1000]).met
    assert m.token_savings([200], [100]).saved == near(-1)
    with pytest.raises(UsageError, match="reads nothing"):
        m.token_savings([1], [0])
    with pytest.raises(UsageError, match="2 questions against 1"):
        m.token_savings([1, 2], [3])


def test_percentiles_are_values_that_were_measured() -> None:
    values = [15.0, 20.0, 35.0, 40.0, 50.0]
    assert [m.percentile(values, s) for s in (0, 0.05, 0.3, 0.4, 0.5, 1)] == [
        15, 15, 20, 20, 35, 50,
    ]  # fmt: skip


# ------------------------------------------------------------------ against trec_eval

IDS = [f"d{n}" for n in range(12)]
ranked = st.permutations(IDS).flatmap(
    lambda ids: st.integers(1, len(ids)).map(lambda size: ids[:size])
)
golds = st.dictionaries(st.sampled_from([*IDS, "elsewhere"]), st.integers(0, 4), min_size=1).filter(
    lambda gains: any(gains.values())
)


@pytest.fixture
def trec_eval() -> Any:
    return pytest.importorskip(
        "pytrec_eval", reason="pytrec_eval-terrier has no wheel for this platform"
    )


_SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@_SHARED
@given(ranked, golds, st.sampled_from([1, 3, 5, 10]))
def test_rankings_score_as_trec_eval_scores_them(
    trec_eval: Any, ranking: Sequence[str], gains: dict[str, int], k: int
) -> None:
    wanted = {f"P.{k}", f"recall.{k}", f"success.{k}", f"ndcg_cut.{k}", "recip_rank"}
    judge = trec_eval.RelevanceEvaluator({"q": gains}, wanted)
    run = {one: float(len(ranking) - place) for place, one in enumerate(ranking)}
    theirs = judge.evaluate({"q": run})["q"]
    gold = {one for one, gain in gains.items() if gain}
    ours = {
        f"P_{k}": m.precision_at(ranking, gold, k),
        f"recall_{k}": m.recall_at(ranking, gold, k),
        f"success_{k}": m.any_hit_at(ranking, gold, k),
        f"ndcg_cut_{k}": m.ndcg_at(ranking, gains, k),
        "recip_rank": m.reciprocal_rank(ranking, gold),
    }
    assert ours == pytest.approx(theirs, abs=1e-9)


@_SHARED
@given(ranked, golds)
def test_the_returned_set_scores_as_trec_eval_scores_sets(
    trec_eval: Any, ranking: Sequence[str], gains: dict[str, int]
) -> None:
    judge = trec_eval.RelevanceEvaluator({"q": gains}, {"set_P", "set_recall"})
    theirs = judge.evaluate({"q": dict.fromkeys(ranking, 1.0)})["q"]
    ours = m.returned(ranking, {one for one, gain in gains.items() if gain})
    assert ours.precision == pytest.approx(theirs["set_P"], abs=1e-9)
    assert ours.recall == pytest.approx(theirs["set_recall"], abs=1e-9)


# ------------------------------------------------------------------ what must hold

pairs = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40)
crowded = st.lists(
    st.tuples(st.sampled_from([0.0, 0.2, 0.5, 1.0]), st.booleans()), min_size=1, max_size=40
)


@given(ranked, golds, st.integers(1, 12))
def test_all_evidence_implies_any_hit_and_everything_is_a_share(
    ranking: Sequence[str], gains: dict[str, int], k: int
) -> None:
    gold = {one for one, gain in gains.items() if gain}
    every, share = m.all_evidence_at(ranking, gold, k), m.recall_at(ranking, gold, k)
    assert every <= share <= m.any_hit_at(ranking, gold, k)
    assert 0 <= m.ndcg_at(ranking, gains, k) <= 1 + 1e-12


@given(st.one_of(pairs, crowded), st.randoms(use_true_random=False))
def test_the_order_of_the_answers_does_not_matter(some: list[m.Pair], chance: Random) -> None:
    other = list(some)
    chance.shuffle(other)
    assert m.aurc(other) == pytest.approx(m.aurc(some))
    for by in BINS:
        assert m.calibration_error(other, 5, by) == pytest.approx(m.calibration_error(some, 5, by))


@given(st.one_of(pairs, crowded), st.integers(1, 15), st.sampled_from(BINS))
def test_every_answer_is_in_one_bin(some: list[m.Pair], bins: int, by: Bins) -> None:
    found = m.reliability(some, bins, by)
    assert sum(b.answers for b in found) == len(some)
    assert len(found) <= bins
    assert [b.confidence for b in found] == sorted(b.confidence for b in found)
    assert m.calibration_error(some, bins, by) <= 1


@given(st.one_of(pairs, crowded))
def test_the_curve_ends_at_the_risk_of_answering_everything(some: list[m.Pair]) -> None:
    last = m.risk_coverage(some)[-1]
    assert last.coverage == 1
    assert last.risk == pytest.approx(sum(not right for _, right in some) / len(some))
