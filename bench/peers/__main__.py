"""``python -m bench.peers [--peers NAME…] [--sets NAME…] [--most N] [--fresh | --kept]
[--write FILE] [--overview FILE]``"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Literal, NamedTuple

from bench import corpus
from bench.peers import table
from bench.peers.engines import ENGINES, NOT_RUN, Engine
from bench.peers.environments import Unavailable
from bench.peers.measuring import ROOT, Measured, recorded, run
from bench.peers.sets import SOURCES, Set, Source, prepare
from recollect.errors import RecollectError

How = Literal["missing", "fresh", "kept"]
"""What is run: what was not measured before, everything, or nothing."""


class Comparison(NamedTuple):
    """The sets, what each engine did with them, and why some did not."""

    sets: Sequence[Set]
    results: table.Results
    failed: Mapping[str, str]

    @property
    def tables(self) -> str:
        return table.render(self.sets, self.results, self.failed)

    @property
    def overview(self) -> str:
        """The sets on whose questions nothing was fitted, for the page of summary."""
        return table.overview([one for one in self.sets if one.half == "test"], self.results)


def main(arguments: Sequence[str]) -> int:
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.most and (given.write or given.overview):
        parser.error("--most is for trying: figures of fewer questions are not written anywhere")
    data = corpus.data_folder()
    if data is None:
        sys.exit("this bench needs the data folder (RECOLLECT_DATA)")
    work = ROOT / ".cache" / "bench" / "peers"
    engines = {name: ENGINES[name] for name in given.peers}
    sources = {name: SOURCES[name] for name in given.sets}
    if given.most:
        sources = {name: source.at_most(given.most) for name, source in sources.items()}
    try:
        found = measure(data, sources, engines, work, given.how)
        print(found.tables)
        if given.write:
            table.write(given.write, found.tables, table.ALL)
        if given.overview:
            table.write(given.overview, found.overview, table.OVERVIEW)
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
    ask.add_argument(
        "--most", type=_positive, metavar="N",
        help="try it: no more than N questions of a set with an answer, and N without",
    )  # fmt: skip
    how = ask.add_mutually_exclusive_group()
    how.add_argument(
        "--fresh", dest="how", action="store_const", const="fresh", default="missing",
        help="measure everything again",
    )  # fmt: skip
    how.add_argument(
        "--kept", dest="how", action="store_const", const="kept", default="missing",
        help="measure nothing: show what was measured before, – for the rest",
    )  # fmt: skip
    ask.add_argument("--write", type=Path, metavar="FILE", help="put the tables into docs/peers.md")
    ask.add_argument(
        "--overview", type=Path, metavar="FILE", help="put the first one into docs/measured.md"
    )
    return ask


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not 1 or more")
    return number


def measure(
    data: Path, sources: Mapping[str, Source], engines: Mapping[str, Engine], work: Path,
    how: How = "missing",
) -> Comparison:  # fmt: skip
    """Returns what the engines did. One that cannot be run on a set is left out of it, and listed
    with the reason; the others go on."""
    sets = [prepare(data, name, source, work / "sets") for name, source in sources.items()]
    results: dict[str, dict[str, Measured]] = {one.name: {} for one in sets}
    failed = dict(NOT_RUN)
    for one, name, outcome in _outcomes(sets, engines, work, how):
        if isinstance(outcome, Measured):
            results[one.name][name] = outcome
        elif outcome is not None:
            failed[f"{name} ({one.name})"] = str(outcome)
    return Comparison(sets, results, failed)


def _outcomes(
    sets: Sequence[Set], engines: Mapping[str, Engine], work: Path, how: How
) -> Iterator[tuple[Set, str, Measured | Unavailable | None]]:
    for one in sets:
        for name, engine in engines.items():
            if how == "kept":
                yield one, name, recorded(name, engine, one, work)
            else:
                yield one, name, _outcome(name, engine, one, work, how == "fresh")


def _outcome(
    name: str, engine: Engine, data: Set, work: Path, fresh: bool
) -> Measured | Unavailable:
    since = monotonic()
    print(f"{data.name}: {name} …", end=" ", file=sys.stderr, flush=True)
    try:
        did = run(name, engine, data, work, fresh)
    except Unavailable as error:
        print(f"not run: {error}", file=sys.stderr)
        return error
    print(f"{monotonic() - since:.0f} s", file=sys.stderr)
    return did


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
