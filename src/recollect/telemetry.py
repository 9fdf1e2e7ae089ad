"""What searches did, in numbers: what one of them adds, and what the sums say.

Counts and sums by day, mode and intent, and nothing else: no question, no title, no id and no
time of day can be in them, because every name below is one of ours. Nothing here reads or writes
anything; a :class:`recollect.ports.Ledger` keeps the sums.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from math import floor, log2
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.nouns import Answer, Filter, attributes, grouped, only

BANDS = 5
"""Grades are counted in bands of 0.2."""
STEPS = 4
"""Latency is counted in steps of a fourth root of two: a percentile is right within a tenth."""
_LEAST, _MOST = -28, 80
"""The first and last step: from 8 µs to a quarter of an hour."""


class Tally(NamedTuple):
    """The sums of one day's searches of one mode and one intent."""

    day: str
    """``2026-03-02``, as the machine's own clock has it."""
    mode: str
    intent: str
    counts: Counter[str]


# ------------------------------------------------------------------ one search


def counted(answer: Answer) -> Counter[str]:
    """What one search adds to the sums."""
    budget = answer.budget
    counts = Counter(
        {
            "calls": 1,
            f"status.{answer.status}": 1,
            f"cache.{_cache(answer)}": 1,
            f"grade.{_band(answer.confidence)}": 1,
            f"ms.{_step(answer.timing_ms)}": 1,
            "results": len(answer.results),
            "tokens.used": budget.used,
            "tokens.everything": _everything(answer),
            "dropped": budget.dropped,
            "truncated": budget.truncated,
            "degraded": 1 if answer.degraded else 0,
        }
    )
    if answer.status == "no_results":
        counts[f"empty.{_cause(answer)}"] = 1
    return +counts


def _cache(answer: Answer) -> str:
    status = answer.cache.status
    return "near" if status == "hit" and answer.tier == 1 else status


def _band(confidence: float) -> int:
    return max(0, min(BANDS - 1, int(confidence * BANDS)))


def _step(ms: float) -> int:
    if ms <= 0:
        return _LEAST
    return max(_LEAST, min(_MOST, floor(log2(ms) * STEPS)))


def _everything(answer: Answer) -> int:
    """Estimates the tokens of all that was found, at the mean size of what was returned: an
    estimate, for what is left out is never measured."""
    kept, used = len(answer.results), answer.budget.used
    return max(used, round(answer.total_found * used / kept)) if kept else 0


def _cause(answer: Answer) -> str:
    """Why nothing was returned: the limit that hides most, else the grades, else nothing was
    there."""
    hiding = only(answer.hidden, Filter._fields)
    if hiding:
        return "filter." + max(hiding, key=lambda name: hiding[name])
    return "graded_low" if answer.named else "nothing_found"


# ------------------------------------------------------------------ many searches


class Figures(NamedTuple):
    """What the sums of some searches say."""

    counts: Counter[str]

    @property
    def calls(self) -> int:
        return self.counts["calls"]

    @property
    def hits(self) -> int:
        """Answers from the cache, for the same question or for a near one."""
        return self.counts["cache.hit"] + self.counts["cache.near"]

    @property
    def probes(self) -> int:
        """Searches that asked the cache."""
        return self.hits + self.counts["cache.miss"]

    @property
    def hit_rate(self) -> float | None:
        return self.hits / self.probes if self.probes else None

    @property
    def used(self) -> int:
        return self.counts["tokens.used"]

    @property
    def saved(self) -> int:
        """Tokens that returning everything found would have taken besides; an estimate."""
        return self.counts["tokens.everything"] - self.used

    @property
    def empty(self) -> int:
        return sum(self.under("empty").values())

    def under(self, group: str) -> dict[str, int]:
        """The counts of a group (``status``, ``empty``, …), most first."""
        own = {n[len(group) + 1 :]: c for n, c in self.counts.items() if n.startswith(f"{group}.")}
        return dict(sorted(own.items(), key=lambda item: (-item[1], item[0])))

    @property
    def grades(self) -> tuple[int, ...]:
        """How many answers were graded in each band of 0.2, from the least sure."""
        return tuple(self.counts[f"grade.{band}"] for band in range(BANDS))

    def a_call(self, name: str) -> float:
        return self.counts[name] / self.calls if self.calls else 0.0

    def percentile(self, share: float) -> float | None:
        """The milliseconds within which that share of the searches was done, from the histogram."""
        steps = sorted((int(step), count) for step, count in self.under("ms").items())
        wanted, before = share * sum(count for _, count in steps), 0
        for step, count in steps:
            if before + count >= wanted:
                return float(2 ** ((step + (wanted - before) / count) / STEPS))
            before += count
        return None

    def as_json(self) -> dict[str, Any]:
        p50, p95 = self.percentile(0.5), self.percentile(0.95)
        return {
            "calls": self.calls,
            "statuses": self.under("status"),
            "cache": {
                **{name: self.counts[f"cache.{name}"] for name in ("hit", "near", "miss", "off")},
                "hit_rate": _rounded(self.hit_rate, 4),
            },
            "grades": list(self.grades),
            "empty": self.under("empty"),
            "results": self.counts["results"],
            "dropped": self.counts["dropped"],
            "truncated": self.counts["truncated"],
            "degraded": self.counts["degraded"],
            "latency_ms": {"p50": _rounded(p50, 2), "p95": _rounded(p95, 2)},
            "tokens": {
                "used": self.used,
                "everything_estimated": self.counts["tokens.everything"],
                "saved_estimated": self.saved,
            },
        }


def _rounded(number: float | None, digits: int) -> float | None:
    return None if number is None else round(number, digits)


class Usage(NamedTuple):
    """The searches of a stretch of days, both ends of it included."""

    first: str
    last: str
    tallies: tuple[Tally, ...]
    recording: bool = True
    """Whether searches are counted as it is configured now."""
    problem: str = ""
    """Why some of this process's searches could not be written so far."""

    @property
    def total(self) -> Figures:
        return Figures(added(tally.counts for tally in self.tallies))

    def by(self, *fields: str) -> Mapping[tuple[str, ...], Figures]:
        """The figures for each value of ``day``, ``mode`` or ``intent``, or of several, in
        order."""
        groups = grouped(
            (tuple(attributes(tally, fields).values()), tally.counts) for tally in self.tallies
        )
        return {key: Figures(added(some)) for key, some in sorted(groups.items())}

    def of_mode(self, mode: str) -> Figures:
        return self.by("mode").get((mode,), Figures(Counter()))

    def as_json(self) -> dict[str, Any]:
        return {
            "first": self.first,
            "last": self.last,
            "recording": self.recording,
            "problem": self.problem or None,
            "total": self.total.as_json(),
            **{f"by_{name}": self._each(name) for name in ("day", "mode", "intent")},
        }

    def _each(self, field: str) -> list[dict[str, Any]]:
        return [{field: key, **figures.as_json()} for (key,), figures in self.by(field).items()]


def added(some: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for counts in some:
        total.update(counts)
    return total
