"""What so many users need, from what was measured: ``python -m bench.load``.

    --users 1000 --passages 5000 --questions 20 --added 10
    --core 3           a core of your machine does three times what the measured one does

Prints for both engines the processors, memory, disk and machines that a load takes, and what is
used up first. Without arguments: a thousand users, a million users, a billion passages. The costs
are those of docs/scaling.md (each with the bench it is from); measure your own and put them here.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

DAY = 86_400
PEAK = 5
"""The busiest minutes have so many times the questions of the mean."""
BUSY = 0.6
"""The share of a processor that may be used up before questions wait for each other."""


class Costs(NamedTuple):
    """Of one engine, on one core of the machine that was measured (ARM Neoverse N1)."""

    engine: str
    question: float
    """Processor seconds of a question, that of its vector among them (bench many, bench path)."""
    growth: float
    """Seconds that each passage of the owner adds to it (bench scale, bench million)."""
    fill: float
    """Seconds to store and index a passage, without its vector (bench scale)."""
    bytes: float
    hot: float
    """Bytes of a passage on disk, and of those what searches read (bench scale)."""
    owner: float
    """Bytes that an owner takes besides (bench scale, bench many)."""


EMBEDDED = Costs("embedded, a store each", 0.092, 20e-9, 527e-6, 2_235, 783, 300e3)
POSTGRES = Costs("PostgreSQL", 0.12, 114e-9, 2_659e-6, 4_541, 3_070, 51e3)
ENCODED = 0.18
"""Seconds to encode a passage of notes, 246 tokens (bench importing)."""


class Machine(NamedTuple):
    cores: int = 32
    memory: float = 192e9
    """Bytes for what searches read: three quarters of 256 GB."""
    disk: float = 4e12


class Load(NamedTuple):
    users: float
    passages: float
    """Of each user."""
    questions: float
    added: float
    """Passages that each adds, and questions that each asks, a day."""


LOADS = {
    "a thousand users": Load(1e3, 5_000, 20, 20),
    "a million users": Load(1e6, 1_000, 5, 5),
    "a billion passages": Load(1e5, 10_000, 20, 20),
}


class Needs(NamedTuple):
    """What a load takes: processors for each thing, bytes."""

    asking: float
    encoding: float
    filling: float
    memory: float
    disk: float
    first: float
    """Processor days to encode what is there when it begins."""

    def machines(self, one: Machine) -> dict[str, float]:
        """Returns how many machines each thing takes, the most first."""
        found = {
            "processors": (self.asking + self.encoding + self.filling) / one.cores,
            "memory": self.memory / one.memory,
            "disk": self.disk / one.disk,
        }
        return dict(sorted(found.items(), key=lambda item: -item[1]))


def needs(load: Load, costs: Costs, core: float = 1) -> Needs:
    """Returns what the load needs, with cores that do *core* times what the measured ones do."""
    whole, asked = load.users * load.passages, load.users * load.questions / DAY
    added = load.users * load.added / DAY
    each = costs.question + costs.growth * load.passages
    return Needs(
        PEAK * asked * each / BUSY / core,
        added * ENCODED / BUSY / core,
        added * costs.fill / BUSY / core,
        whole * costs.hot,
        whole * costs.bytes + load.users * costs.owner,
        whole * ENCODED / DAY / core,
    )


def table(loads: dict[str, Load], core: float) -> Iterator[str]:
    yield "| load | engine | asking | encoding | memory | disk | first import | machines |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, load in loads.items():
        for costs in (EMBEDDED, POSTGRES):
            found = needs(load, costs, core)
            why, count = next(iter(found.machines(Machine()).items()))
            yield (
                f"| {name} | {costs.engine} | {found.asking:,.1f} cores | "
                f"{found.encoding:,.1f} cores | {found.memory / 1e9:,.0f} GB | "
                f"{found.disk / 1e9:,.0f} GB | {found.first:,.0f} core-days | "
                f"{max(1, count):,.1f} ({why}) |"
            )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    for name in Load._fields:
        parser.add_argument(f"--{name}", type=float)
    parser.add_argument("--core", type=float, default=1)
    given = vars(parser.parse_args())
    core = given.pop("core")
    said = {name: value for name, value in given.items() if value is not None}
    loads = {"yours": LOADS["a thousand users"]._replace(**said)} if said else LOADS
    print("\n".join(table(loads, core)))


if __name__ == "__main__":
    main()
