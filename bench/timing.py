"""Timing: medians of repeated work, interleaved so that noise falls on both sides alike."""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import NamedTuple


class Ratio(NamedTuple):
    """One claim: what was measured against what, the bar, and whether it was met."""

    name: str
    ours: float
    theirs: float
    unit: str
    ratio: float
    bar: str
    met: bool

    def line(self) -> str:
        mark = "ok  " if self.met else "MISS"
        return (
            f"{mark} {self.name:58} {self.ours:10.3f} vs {self.theirs:10.3f} {self.unit:7} "
            f"ratio {self.ratio:8.2f}  ({self.bar})"
        )


def both(
    ours: Callable[[str], object],
    theirs: Callable[[str], object],
    inputs: Sequence[str],
    clock: Callable[[], float] = perf_counter,
) -> tuple[float, float]:
    """Median milliseconds of each over the inputs, taken in turn by twenties: they share the
    machine's noise, and each finds its own data in the caches."""
    times: tuple[list[float], list[float]] = ([], [])
    for start in range(0, len(inputs), 20):
        for work, taken in zip((ours, theirs), times, strict=True):
            for item in inputs[start : start + 20]:
                since = clock()
                work(item)
                taken.append((clock() - since) * 1000)
    return statistics.median(times[0]), statistics.median(times[1])


def commands(*argvs: Sequence[str], rounds: int = 15) -> list[float]:
    """Median wall-clock milliseconds of each command, run in turn so that they share the noise."""
    times: list[list[float]] = [[] for _ in argvs]
    for _ in range(rounds):
        for argv, taken in zip(argvs, times, strict=True):
            since = perf_counter()
            done = subprocess.run(argv, capture_output=True, check=False)
            taken.append((perf_counter() - since) * 1000)
            if done.returncode not in (0, 3):
                sys.exit(f"{' '.join(argv)} failed:\n{done.stderr.decode()}")
    return [statistics.median(t) for t in times]
