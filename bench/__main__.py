"""``python -m bench [NAME…]``: run the benches, print each claim beside its bar."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from pathlib import Path

BENCHES = (
    "foundation", "models", "importing", "path", "facts", "sessions", "cache", "usage", "curate",
    "mcp", "http", "warm", "safety",
)  # fmt: skip
LONG = ("huge", "postgres", "scale", "million", "many")
"""Run only when they are named."""


def _asked() -> list[str]:
    """The benches that are named; what they are asked for goes to them by the environment."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join((*BENCHES, *LONG)))
    parser.add_argument("--documents", nargs=1, metavar="N", help="of the corpus")
    parser.add_argument("--passages", nargs="+", metavar="N", help="sizes, for scale")
    parser.add_argument("--reranker", nargs=1, metavar="FOLDER", help="for path")
    parser.add_argument("--stores", nargs=1, metavar="N", help="for many")
    parser.add_argument("--kills", nargs=1, metavar="N", help="for warm")
    parser.add_argument("--engines", nargs="+", metavar="NAME", help="for scale")
    given = vars(parser.parse_args())
    names: list[str] = given.pop("names")
    for name, values in given.items():
        if values:
            os.environ[f"RECOLLECT_BENCH_{name.upper()}"] = " ".join(values)
    return names or list(BENCHES)


def main() -> int:
    names = _asked()
    work = Path(__file__).resolve().parents[1] / ".cache" / "bench"
    missed = 0
    for name in names:
        if name not in (*BENCHES, *LONG):
            sys.exit(f"there is no bench {name!r}: {', '.join((*BENCHES, *LONG))}")
        for ratio in importlib.import_module(f"bench.{name}").run(work):
            print(ratio.line(), flush=True)
            missed += not ratio.met
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
