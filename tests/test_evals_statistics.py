"""Statistics on distributions that are known, from fixed seeds: what they claim is what happens."""

from __future__ import annotations

import math
from itertools import product
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import UsageError
from recollect_evals import statistics as s

QUICK = 1_000  # resamples where thousands of intervals are made
Method = Literal["percentile", "bca"]
METHODS: tuple[Method, ...] = ("percentile", "bca")


def by_id(values: list[float]) -> dict[str, float]:
    return {f"q{n}": value for n, value in enumerate(values)}


# ------------------------------------------------------------------ intervals


@pytest.mark.parametrize("method", METHODS)
def test_the_interval_covers_the_true_mean_as_often_as_it_says(method: Method) -> None:
    chance, covered, times = np.random.default_rng(7), 0, 600
    for _ in range(times):
        values = chance.normal(0.3, 1.0, 60).tolist()
        found = s.bootstrap(values, method=method, resamples=QUICK)
        covered += found.low <= 0.3 <= found.high
    assert covered / times == pytest.approx(0.95, abs=3 * math.sqrt(0.95 * 0.05 / times))


def test_the_corrected_interval_follows_the_skew() -> None:
    chance, high = np.random.default_rng(8), {"percentile": 0, "bca": 0}
    for _ in range(300):
        values = chance.exponential(1.0, 30).tolist()
        for method in METHODS:
            high[method] += s.bootstrap(values, method=method, resamples=QUICK).high < 1.0
    assert high["bca"] < high["percentile"]  # too low less often, where the long tail is above


def test_a_mean_and_its_interval_by_hand() -> None:
    found = s.bootstrap([0.0, 1.0])  # the mean of two draws is 0, 1/2, 1 with 1/4, 1/2, 1/4
    assert found == (0.5, 0.0, 1.0, 2)
    assert s.bootstrap([0.0, 1.0], level=0.4) == (0.5, 0.5, 0.5, 2)
    assert s.bootstrap([0.7] * 5) == (0.7, 0.7, 0.7, 5)
    assert s.bootstrap([3.0]) == (3.0, 3.0, 3.0, 1)


@pytest.mark.parametrize("method", METHODS)
def test_a_large_sample_agrees_with_the_normal_interval(method: Method) -> None:
    values = np.random.default_rng(9).normal(2, 3, 2_000)
    found = s.bootstrap(values.tolist(), method=method)
    half = 1.96 * values.std(ddof=1) / math.sqrt(len(values))
    assert found.low == pytest.approx(values.mean() - half, abs=0.01)
    assert found.high == pytest.approx(values.mean() + half, abs=0.01)


def test_the_same_seed_gives_the_same_interval_and_another_one_nearly() -> None:
    values = np.random.default_rng(10).random(100).tolist()
    assert s.bootstrap(values) == s.bootstrap(values)
    assert s.bootstrap(values, seed=1) != s.bootstrap(values)
    assert s.bootstrap(values, seed=1).low == pytest.approx(s.bootstrap(values).low, abs=0.005)


def test_pairs_take_out_what_both_have_in_common() -> None:
    chance = np.random.default_rng(11)
    hard = chance.normal(0, 5, 200)
    ours, theirs = (hard + 0.2).tolist(), (hard + chance.normal(0, 0.1, 200)).tolist()
    found = s.paired_bootstrap(ours, theirs)
    assert 0.15 < found.low < found.mean < found.high < 0.25


# ------------------------------------------------------------------ the permutation test


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=7))
def test_a_small_permutation_test_is_exact(gains: list[int]) -> None:
    signs = list(product((1, -1), repeat=len(gains)))
    large = sum(
        abs(sum(a * b for a, b in zip(one, gains, strict=True))) >= abs(sum(gains)) for one in signs
    )
    found = s.permutation([float(g) for g in gains], [0.0] * len(gains))
    assert found == pytest.approx(large / len(signs))


def test_drawn_signs_agree_with_all_of_them() -> None:
    gains = np.random.default_rng(12).normal(0.4, 1, 13).tolist()
    zeros = [0.0] * len(gains)
    exact = s.permutation(gains, zeros)  # 8,192 ways, all of them
    assert s.permutation(gains, zeros, resamples=8_000) == pytest.approx(exact, abs=0.02)


def test_no_difference_is_no_evidence() -> None:
    assert s.permutation([1.0, 2.0], [1.0, 2.0]) == 1.0


def test_a_p_is_never_zero() -> None:
    assert s.permutation([1.0] * 50, [0.0] * 50) == 1 / 10_001


# ------------------------------------------------------------------ errors of both kinds


def test_without_a_difference_a_winner_is_named_about_as_often_as_alpha_says() -> None:
    chance, times = np.random.default_rng(13), 600
    called = boot = perm = 0
    for _ in range(times):
        ours, theirs = chance.normal(0, 1, (2, 50)).tolist()
        found = s.compare(by_id(ours), by_id(theirs), resamples=QUICK)
        called += found.winner is not None
        boot += not found.difference.low <= 0 <= found.difference.high
        perm += found.p < 0.05
    noise = 3 * math.sqrt(0.05 * 0.95 / times)
    assert boot / times == pytest.approx(0.05, abs=noise)
    assert perm / times == pytest.approx(0.05, abs=noise)
    assert called <= min(boot, perm)


def test_over_many_comparisons_a_winner_is_named_no_more_often() -> None:
    chance, times, measures, called = np.random.default_rng(14), 120, 5, 0
    for _ in range(times):
        called += any(
            s.compare(
                by_id(chance.normal(0, 1, 40).tolist()), by_id(chance.normal(0, 1, 40).tolist()),
                comparisons=measures, resamples=QUICK,
            ).winner
            for _ in range(measures)
        )  # fmt: skip
    assert called / times <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / times)


def test_a_real_difference_is_found() -> None:
    chance, times, right = np.random.default_rng(15), 100, 0
    for _ in range(times):
        theirs = chance.normal(0, 1, 100)
        ours = theirs + chance.normal(0.5, 1, 100)  # d = 0.5: a t-test finds it 99.9 % of the time
        right += (
            s.compare(by_id(ours.tolist()), by_id(theirs.tolist()), resamples=QUICK).winner == "a"
        )
    assert right / times > 0.97


# ------------------------------------------------------------------ effects


def test_effects_by_hand() -> None:
    ours, theirs = [1.0, 2.0, 3.0, 4.0], [0.0, 2.0, 1.0, 5.0]
    gains = [1.0, 0.0, 2.0, -1.0]
    mean = sum(gains) / 4
    deviation = math.sqrt(sum((g - mean) ** 2 for g in gains) / 3)
    assert s.cohens_d(ours, theirs) == pytest.approx(mean / deviation)
    assert s.counts(ours, theirs) == (2, 1, 1)
    assert s.cohens_d([1.0, 1.0], [1.0, 1.0]) == 0
    assert s.cohens_d([0.3, 0.4], [0.2, 0.3]) is None
    assert s.cohens_d([1.0], [0.0]) is None


def test_bonferroni_counts_the_comparisons() -> None:
    assert s.bonferroni(0.02, 3) == pytest.approx(0.06)
    assert s.bonferroni(0.5, 10) == 1
    with pytest.raises(UsageError):
        s.bonferroni(0.5, 0)


# ------------------------------------------------------------------ the verdict


def test_no_winner_with_too_few_questions_however_clear_it_is() -> None:
    ones, zeros = [1.0] * 19, [0.0] * 19
    few = s.compare(by_id(ones), by_id(zeros))
    assert few.winner is None
    assert "19 questions are too few" in few.why
    enough = s.compare(by_id([*ones, 1.0]), by_id([*zeros, 0.0]))
    assert enough.winner == "a"
    assert enough.counts == (20, 0, 0)


def test_no_winner_when_the_interval_has_zero_in_it() -> None:
    chance = np.random.default_rng(16)
    ours, theirs = chance.normal(0, 1, (2, 40)).tolist()
    found = s.compare(by_id(ours), by_id(theirs))
    assert found.winner is None
    assert "0 in it" in found.why


def test_a_difference_that_is_significant_alone_may_not_be_among_many() -> None:
    gains = [1.0] * 13 + [-1.0] * 4 + [0.0] * 23
    zeros = [0.0] * len(gains)
    alone = s.compare(by_id(gains), by_id(zeros))
    assert alone.winner == "a"
    assert s.compare(by_id(gains), by_id(zeros), comparisons=12).winner is None


def test_lower_may_be_better() -> None:
    few, many = by_id([1.0 + n / 100 for n in range(30)]), by_id([2.0 + n / 90 for n in range(30)])
    found = s.compare(few, many, higher_is_better=False)
    assert found.winner == "a"
    assert found.difference.mean < 0
    assert found.counts == (30, 0, 0)
    assert s.compare(few, many).winner == "b"


def test_swapping_the_runs_swaps_the_verdict() -> None:
    chance = np.random.default_rng(17)
    a = by_id(chance.normal(1, 1, 60).tolist())
    b = by_id(chance.normal(0, 1, 60).tolist())
    one, other = s.compare(a, b), s.compare(b, a)
    assert (one.winner, other.winner) == ("a", "b")
    assert one.difference.mean == pytest.approx(-other.difference.mean)
    assert one.p == pytest.approx(other.p, abs=0.01)


def test_questions_of_only_one_run_are_counted_not_compared() -> None:
    a = by_id([1.0] * 25)
    b = {**by_id([1.0] * 24), "other": 0.0}
    found = s.compare(a, b)
    assert (found.n, found.unpaired) == (24, 2)
    with pytest.raises(UsageError, match="no question in common"):
        s.compare({"x": 1.0}, {"y": 1.0})


@pytest.mark.parametrize("wrong", [[], [float("nan")], [float("inf"), 1.0]])
def test_what_is_no_number_is_refused(wrong: list[float]) -> None:
    with pytest.raises(UsageError):
        s.bootstrap(wrong)


def test_a_verdict_is_plain_json() -> None:
    import json

    found = s.compare(by_id([1.0] * 20), by_id([0.0] * 20))
    assert json.loads(json.dumps(found.as_json(), allow_nan=False))["winner"] == "a"
