"""What this process has served, as Prometheus reads it: counts and sums, never a word of what
was asked. ``recollect stats`` has the figures of all processes."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from threading import Lock
from time import perf_counter
from typing import Any

from recollect import memory as facade
from recollect.errors import RecollectError
from recollect.nouns import Answer
from recollect.surfaces.tools import Arguments, Tool, Work
from recollect.trace import Stopped

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds."""

Labels = tuple[tuple[str, str], ...]


class Metrics:
    def __init__(self) -> None:
        self._lock = Lock()
        self._counts: Counter[tuple[str, Labels]] = Counter()
        self._times: dict[str, list[float]] = {}
        """Of each tool: how many calls fell into each bucket, and the sum of the seconds."""
        self.under_way = 0

    def count(self, name: str, by: int = 1, **labels: str) -> None:
        with self._lock:
            self._counts[name, tuple(labels.items())] += by

    def _took(self, tool: str, seconds: float) -> None:
        with self._lock:
            times = self._times.setdefault(tool, [0.0] * (len(BUCKETS) + 2))
            times[bisect_left(BUCKETS, seconds)] += 1
            times[-1] += seconds

    def watching(self, tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
        """The same tools, each call of which is counted and timed."""
        return tuple(tool._replace(call=self._watched(tool)) for tool in tools)

    def _watched(self, tool: Tool) -> Callable[[facade.Memory, Arguments, Work], Any]:
        def call(memory: facade.Memory, given: Arguments, work: Work) -> Any:
            since, outcome = perf_counter(), "failed"
            try:
                found = tool.call(memory, given, work)
                outcome = "ok"
            except RecollectError:
                outcome = "refused"
                raise
            except Stopped:
                outcome = "stopped"
                raise
            finally:
                self.count("recollect_calls_total", tool=tool.name, outcome=outcome)
                self._took(tool.name, perf_counter() - since)
            if isinstance(found, Answer):
                self._answered(found)
            return found

        return call

    def _answered(self, found: Answer) -> None:
        cache = "near" if found.cache.status == "hit" and found.tier == 1 else found.cache.status
        self.count("recollect_answers_total", status=found.status)
        self.count("recollect_cache_total", result=cache)
        self.count("recollect_tokens_returned_total", found.budget.used)
        if found.degraded:
            self.count("recollect_degraded_total")

    # -------------------------------------------------------------- as text

    def text(self) -> str:
        with self._lock:
            counts, times = dict(self._counts), {k: list(v) for k, v in self._times.items()}
        lines = [
            "# TYPE recollect_requests_under_way gauge",
            f"recollect_requests_under_way {self.under_way}",
        ]
        for name in _HELP:
            own = sorted((labels, n) for (known, labels), n in counts.items() if known == name)
            lines += [f"# HELP {name} {_HELP[name]}", f"# TYPE {name} counter"]
            lines += [f"{name}{_labels(labels)} {n}" for labels, n in own]
        lines += [f"# HELP {_SECONDS} Time of a call.", f"# TYPE {_SECONDS} histogram"]
        for tool, sums in sorted(times.items()):
            lines += _histogram(tool, sums)
        return "\n".join(lines) + "\n"


_SECONDS = "recollect_call_seconds"
_HELP = {
    "recollect_responses_total": "Responses by status.",
    "recollect_calls_total": "Calls of tools, over HTTP and MCP.",
    "recollect_answers_total": "Searches by the status of their answer.",
    "recollect_cache_total": "Searches by what the cache did.",
    "recollect_tokens_returned_total": "Tokens that answers took.",
    "recollect_degraded_total": "Searches that had to do without a part.",
}


def _histogram(tool: str, sums: list[float]) -> Iterator[str]:
    *counts, seconds = sums
    below = 0.0
    for bound, count in zip((*map(str, BUCKETS), "+Inf"), counts, strict=True):
        below += count
        yield f'{_SECONDS}_bucket{{tool="{tool}",le="{bound}"}} {below:g}'
    yield f'{_SECONDS}_sum{{tool="{tool}"}} {seconds:.6f}'
    yield f'{_SECONDS}_count{{tool="{tool}"}} {below:g}'


def _labels(labels: Labels) -> str:
    inside = ",".join(f'{name}="{value}"' for name, value in labels)
    return f"{{{inside}}}" if inside else ""
