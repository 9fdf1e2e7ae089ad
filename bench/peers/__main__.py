"""``python -m bench.peers [--peers NAME…] [--sets NAME…] [--fresh] [--write FILE]``"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import monotonic

from bench import corpus
from bench.peers import table
from bench.peers.engines import ENGINES, NOT_RUN, Engine
from bench.peers.environments import Unavailable
from bench.peers.measuring import ROOT, Measured, run
from bench.peers.sets import SOURCES, Set, Source, prepare
from recollect.errors import RecollectError


def main(arguments: Sequence[str]) -> int:
    given = _parser().parse_args(arguments)
    data = corpus.data_folder()
    if data is None:
        sys.exit("this bench needs the data folder (RECOLLECT_DATA)")
    work = ROOT / ".cache" / "bench" / "peers"
    engines = {name: ENGINES[name] for name in given.peers}
    try:
        tables = measure(data, {n: SOURCES[n] for n in given.sets}, engines, work, given.fresh)
        print(tables)
        if given.write:
            table.write(given.write, tables)
    except RecollectError as error:
        sys.exit(str(error))
    return 0


def _parser() -> argparse.ArgumentParser:
    ask = argparse.ArgumentParser(
        prog="python -m bench.peers",
        description="Measure recollect beside other engines. What was measured before with the "
        "same data, versions and code is not measured again.",
    )
    ask.add_argument("--peers", nargs="+", default=list(ENGINES), choices=list(ENGINES))
    ask.add_argument("--sets", nargs="+", default=list(SOURCES), choices=list(SOURCES))
    ask.add_argument("--fresh", action="store_true", help="measure everything again")
    ask.add_argument("--write", type=Path, metavar="FILE", help="put the tables into docs/peers.md")
    return ask


def measure(
    data: Path, sources: Mapping[str, Source], engines: Mapping[str, Engine], work: Path,
    fresh: bool = False,
) -> str:  # fmt: skip
    """The tables. An engine that cannot be run on a set is left out of it, and listed with the
    reason; the others go on."""
    sets = [prepare(data, name, source, work / "sets") for name, source in sources.items()]
    results: dict[str, dict[str, Measured]] = {one.name: {} for one in sets}
    failed = dict(NOT_RUN)
    for one, name, outcome in _outcomes(sets, engines, work, fresh):
        if isinstance(outcome, Measured):
            results[one.name][name] = outcome
        else:
            failed[f"{name} ({one.name})"] = str(outcome)
    return table.render(sets, results, failed)


def _outcomes(
    sets: Sequence[Set], engines: Mapping[str, Engine], work: Path, fresh: bool
) -> Iterator[tuple[Set, str, Measured | Unavailable]]:
    for one in sets:
        for name, engine in engines.items():
            since = monotonic()
            print(f"{one.name}: {name} …", end=" ", file=sys.stderr, flush=True)
            outcome: Measured | Unavailable
            try:
                outcome = run(name, engine, one, work, fresh)
                print(f"{monotonic() - since:.0f} s", file=sys.stderr)
            except Unavailable as error:
                outcome = error
                print(f"not run: {error}", file=sys.stderr)
            yield one, name, outcome


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
