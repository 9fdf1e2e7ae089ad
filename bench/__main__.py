"""``python -m bench [NAME…] [--documents N]``: run the benches, print each claim beside its bar."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

BENCHES = (
    "foundation", "models", "importing", "path", "facts", "sessions", "cache", "usage", "curate",
    "mcp", "http", "safety",
)  # fmt: skip
LONG = ("huge", "postgres")
"""Run only when they are named."""


def main() -> int:
    names: list[str] = sys.argv[1:]
    if "--documents" in names:
        at = names.index("--documents")
        os.environ["RECOLLECT_BENCH_DOCUMENTS"] = names[at + 1]
        del names[at : at + 2]
    names = names or list(BENCHES)
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
