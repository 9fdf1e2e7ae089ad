"""The same questions on both engines: ``python -m bench.engines [SET…]``.

Each set's store is copied to PostgreSQL as ``recollect migrate-store`` does it, and the questions
of its test half are asked of both through the library, with the model that ships.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bench import asked, postgres
from bench.reading import ALL, MODEL, _row, ask, chosen, interval, means, opened
from recollect import Memory
from recollect.memory import migrate_store

SETS = ("notes", "personas", "xquad-en")
WORK = Path(__file__).resolve().parents[1] / ".cache" / "bench" / "engines"


def main(names: Sequence[str]) -> int:
    WORK.mkdir(parents=True, exist_ok=True)
    os.environ["RECOLLECT_HOME"] = str(WORK / "home")
    os.environ["RECOLLECT_CACHE_ENABLED"] = "false"
    url = postgres.server()
    print("| set | questions | engine | all@5 | nDCG@10 | precision | all evidence | tokens |")
    print("|---|---|---|---|---|---|---|---|")
    for name in names or SETS:
        _compare(name, f"{url}{'&' if '?' in url else '?'}schema=set_{name.replace('-', '_')}")
    return 0


def _compare(name: str, url: str) -> None:
    with opened(name) as here:
        place = here.store.stats().location
    migrate_store(place, url)
    with Memory.open(place, embed_model=MODEL) as one, Memory.open(url, embed_model=MODEL) as other:
        asked = chosen(name, "test", None, (0, 1))
        mine = [_row(name, question, ask(one, question, {})) for question in asked]
        theirs = [_row(name, question, ask(other, question, {})) for question in asked]
    for engine, rows in (("embedded", mine), ("PostgreSQL", theirs)):
        f = means(rows)
        figures = (
            f"{f.all5:.3f} | {f.ndcg:.3f} | {f.precision:.3f} | {f.everything:.3f} | {f.tokens:.0f}"
        )
        print(f"| {name} | {f.questions} | {engine} | {figures} |", flush=True)
    low, high = interval(theirs, mine, "all5")
    same = sum(a.documents == b.documents for a, b in zip(mine, theirs, strict=True))
    print(f"{same} of {len(mine)} answers are the same; all@5 differs by {low:+.3f} to {high:+.3f}")


if __name__ == "__main__":
    sys.exit(main(asked.names("engines", __doc__, ALL)))
