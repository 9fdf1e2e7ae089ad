"""``python -m bench [NAME…]``: run the benches and print each claim beside its bar."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

BENCHES = (
    "foundation", "models", "importing", "path", "facts", "sessions", "cache", "usage", "curate",
    "mcp", "http", "safety",
)  # fmt: skip
LONG = ("huge",)
"""Run only when they are named."""


def main() -> int:
    names = sys.argv[1:] or BENCHES
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
