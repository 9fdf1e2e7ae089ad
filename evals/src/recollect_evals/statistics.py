"""Whether a difference is more than chance. Pure; numpy is loaded when something is computed.

Two runs are compared question by question, so that a hard question is hard for both. A winner is
named only where there are enough questions, the interval of the difference leaves out 0, and a
test of another kind says the same; all of it after correction for how many comparisons were made.
The same numbers give the same verdict, always: every draw is from a fixed seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from recollect.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RESAMPLES = 10_000
SEED = 42
ALPHA = 0.05
LEAST = 20
"""Questions below which no winner is named, whatever the figures."""
_AT_ONCE = 4_000_000  # draws that are held in memory together
_SAME = 1e-12  # sums in another order may differ by so much

Method = Literal["percentile", "bca"]


class Interval(NamedTuple):
    """A mean, and where it is likely to be."""

    mean: float
    low: float
    high: float
    n: int

    def as_json(self) -> dict[str, Any]:
        return {
            "mean": round(self.mean, 6), "low": round(self.low, 6), "high": round(self.high, 6),
            "n": self.n,
        }  # fmt: skip


def bootstrap(
    values: Sequence[float],
    *,
    level: float = 1 - ALPHA,
    method: Method = "percentile",
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval:
    """The mean of the values with its interval: the means of so many samples of them, drawn with
    replacement, of which the middle *level* is kept (Efron, 1979). Of paired differences this is
    the paired bootstrap (Sakai, 2006).

    ``bca`` corrects for bias and skew: the quantiles are taken at
    ``Φ(z0 + (z0 + z_q) / (1 - a (z0 + z_q)))`` with ``z0 = Φ⁻¹(share of the means below the mean)``
    and ``a = Σ d³ / (6 (Σ d²)^1.5)`` where d is each value less the mean (Efron, 1987; for a mean
    the jackknife gives these d, but for a factor that cancels)."""
    import numpy as np

    numbers = _numbers(values)
    if not 0 < level < 1:
        raise UsageError(f"level is {level}", hint="give a share between 0 and 1")
    mean = float(numbers.mean())
    if np.ptp(numbers) == 0:
        return Interval(mean, mean, mean, len(numbers))
    means = _means(numbers, resamples, seed)
    low, high = (1 - level) / 2, (1 + level) / 2
    if method == "bca":
        low, high = _corrected(numbers, means, (low, high))
    ends = np.quantile(means, [low, high])
    return Interval(mean, float(ends[0]), float(ends[1]), len(numbers))


def paired_bootstrap(
    ours: Sequence[float],
    theirs: Sequence[float],
    *,
    level: float = 1 - ALPHA,
    method: Method = "percentile",
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval:
    """The interval of the mean of ``ours - theirs``, question by question."""
    gains = _differences(ours, theirs)
    return bootstrap(gains, level=level, method=method, resamples=resamples, seed=seed)


def _numbers(values: Sequence[float]) -> Floats:
    import numpy as np

    numbers = np.asarray(values, np.float64)
    if not len(numbers):
        raise UsageError("there are no values to compute with")
    if not np.isfinite(numbers).all():
        raise UsageError("a value is no number")
    return numbers


def _means(numbers: Floats, resamples: int, seed: int) -> Floats:
    import numpy as np

    chance = np.random.default_rng(seed)
    size = len(numbers)
    step = max(1, _AT_ONCE // size)
    parts = []
    for done in range(0, resamples, step):
        drawn = chance.integers(0, size, (min(step, resamples - done), size))
        parts.append(numbers[drawn].mean(axis=1))
    return np.concatenate(parts)


def _corrected(numbers: Floats, means: Floats, shares: tuple[float, float]) -> tuple[float, ...]:
    """The quantiles that BCa takes in place of the *shares*."""
    import numpy as np

    normal, mean = NormalDist(), numbers.mean()
    same = np.abs(means - mean) <= _SAME
    below = ((means < mean) & ~same).mean() + same.mean() / 2
    bias = normal.inv_cdf(min(max(float(below), 1 / len(means)), 1 - 1 / len(means)))
    off = numbers - mean
    skew = float((off**3).sum() / (6 * (off**2).sum() ** 1.5))

    def moved(share: float) -> float:
        z = bias + normal.inv_cdf(share)
        return normal.cdf(bias + z / (1 - skew * z))

    return tuple(map(moved, shares))


def permutation(
    ours: Sequence[float], theirs: Sequence[float], *, resamples: int = RESAMPLES, seed: int = SEED
) -> float:
    """How likely a difference at least as large is, either way, if it were chance which run has
    which of the two values of a question: the sign of each difference is drawn anew (Fisher, 1935;
    Smucker, Allan & Carterette, 2007).

    All ``2^m`` signs of the m differences that are not 0 are tried where these are no more than
    *resamples*: ``p = as large / 2^m``. Else so many are drawn, and the one that was measured is
    counted too: ``p = (1 + as large) / (1 + resamples)`` (Phipson & Smyth, 2010)."""
    import numpy as np

    gains = _numbers(_differences(ours, theirs))
    gains = gains[gains != 0]
    size = len(gains)
    if not size:
        return 1.0
    least = abs(gains.sum()) - _SAME * np.abs(gains).sum()
    if 2**size <= resamples:
        bits = np.arange(2**size)[:, None] >> np.arange(size) & 1
        return float((np.abs((1 - 2 * bits) @ gains) >= least).mean())
    chance = np.random.default_rng(seed)
    step, large = max(1, _AT_ONCE // size), 0
    for done in range(0, resamples, step):
        bits = chance.integers(0, 2, (min(step, resamples - done), size), dtype=np.int8)
        large += int((np.abs((1 - 2 * bits) @ gains) >= least).sum())
    return (1 + large) / (1 + resamples)


def tail(odds: Sequence[float], hits: int) -> float:
    """How likely at least so many *hits* are, of independent trials with these odds: the tail of
    the Poisson binomial distribution, by adding one trial after another (Hong, 2013)."""
    import numpy as np

    likely = np.zeros(len(odds) + 1)
    likely[0] = 1.0
    for p in odds:
        likely[1:] = likely[1:] * (1 - p) + likely[:-1] * p
        likely[0] *= 1 - p
    return float(min(1.0, likely[hits:].sum()))


def bonferroni(p: float, comparisons: int) -> float:
    """``min(1, p · comparisons)``: with so many comparisons, the chance that any of them errs stays
    below what was asked for (Bonferroni, 1936; Dunn, 1961)."""
    if comparisons < 1:
        raise UsageError(f"comparisons is {comparisons}", hint="it is at least this one")
    return min(1.0, p * comparisons)


def cohens_d(ours: Sequence[float], theirs: Sequence[float]) -> float | None:
    """``d = mean of the differences / their standard deviation`` (n - 1), for pairs (Cohen, 1988;
    d_z of Lakens, 2013): 0.2 is small, 0.5 medium, 0.8 large. None where every difference is the
    same and not 0, or there is but one."""
    import numpy as np

    gains = _numbers(_differences(ours, theirs))
    if not gains.any():
        return 0.0
    if len(gains) < 2 or np.ptp(gains) <= _SAME * np.abs(gains).max():
        return None
    return float(gains.mean() / gains.std(ddof=1))


class Counts(NamedTuple):
    """Questions on which ours is higher, the same, and lower."""

    wins: int
    ties: int
    losses: int


def counts(ours: Sequence[float], theirs: Sequence[float]) -> Counts:
    gains = _differences(ours, theirs)
    wins, losses = sum(g > _SAME for g in gains), sum(g < -_SAME for g in gains)
    return Counts(wins, len(gains) - wins - losses, losses)


def _differences(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    if len(ours) != len(theirs):
        raise UsageError(f"{len(ours)} values against {len(theirs)}", hint="pairs are compared")
    return [a - b for a, b in zip(ours, theirs, strict=True)]


# ------------------------------------------------------------------ the verdict


class Verdict(NamedTuple):
    """What the figures say of two runs, a and b, on the same questions."""

    n: int
    unpaired: int
    """Questions that only one of the two has; they are not compared."""
    a: float
    b: float
    difference: Interval
    """Of a less b, at the level that is left after correction."""
    p: float
    """Of the permutation test, corrected."""
    comparisons: int
    d: float | None
    counts: Counts
    """Of questions on which a is better, as good, and worse."""
    winner: Literal["a", "b"] | None
    why: str
    """What the verdict rests on, or why there is none."""

    def as_json(self) -> dict[str, Any]:
        return {
            "n": self.n,
            "unpaired": self.unpaired,
            "a": round(self.a, 6),
            "b": round(self.b, 6),
            "difference": self.difference.as_json(),
            "p": round(self.p, 6),
            "comparisons": self.comparisons,
            "cohens_d": None if self.d is None else round(self.d, 4),
            **self.counts._asdict(),
            "winner": self.winner,
            "why": self.why,
        }


def compare(
    a: Mapping[str, float],
    b: Mapping[str, float],
    *,
    comparisons: int = 1,
    higher_is_better: bool = True,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Verdict:
    """Two runs' values by question, and which run is better, if that can be said: at least 20
    questions in common, an interval (paired bootstrap, at ``1 - alpha / comparisons``) without 0
    in it, and a permutation test with ``p · comparisons < alpha``. *comparisons* is how many are
    made together, of measures and of runs."""
    common = sorted(a.keys() & b.keys())
    if not common:
        raise UsageError("the two have no question in common", hint="compare runs of one suite")
    ours, theirs = [a[id] for id in common], [b[id] for id in common]
    level = 1 - alpha / comparisons if comparisons >= 1 else 0
    interval = paired_bootstrap(ours, theirs, level=level, resamples=resamples, seed=seed)
    p = bonferroni(permutation(ours, theirs, resamples=resamples, seed=seed), comparisons)
    found = counts(ours, theirs)
    winner, why = _winner(interval, p, alpha, higher_is_better)
    return Verdict(
        n=len(common),
        unpaired=len(a) + len(b) - 2 * len(common),
        a=sum(ours) / len(ours),
        b=sum(theirs) / len(theirs),
        difference=interval,
        p=p,
        comparisons=comparisons,
        d=cohens_d(ours, theirs),
        counts=found if higher_is_better else Counts(found.losses, found.ties, found.wins),
        winner=winner,
        why=why,
    )


def _winner(
    interval: Interval, p: float, alpha: float, higher_is_better: bool
) -> tuple[Literal["a", "b"] | None, str]:
    if interval.n < LEAST:
        return None, f"{interval.n} questions are too few: at least {LEAST} are needed"
    if interval.low <= 0 <= interval.high:
        return None, "the interval of the difference has 0 in it"
    if p >= alpha:
        return None, f"the permutation test does not confirm it (p = {p:.3f})"
    return ("a" if (interval.low > 0) == higher_is_better else "b"), "beyond chance by both tests"
