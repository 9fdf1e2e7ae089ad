"""How many of the nearest vectors are among those that their signs let through.

``python -m bench.nearest [STORE]``: a store with vectors that mean something (2wiki of
``bench.reading``, unless one is named), and questions of the same set. Printed is the share of the
10 and of the 100 nearest that is among the first so many of all, by the signs: a part of a store
of 50,000 is as hard as the same part of a million.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np

from bench import corpus
from recollect import config
from recollect.memory.models import embedder_for, model_or_why
from recollect.storage.embedded.vector_index import Segment

PARTS = (500, 200, 100, 50, 25, 12, 7)
"""One in so many is let through."""
QUESTIONS = 150
STORE = Path(__file__).resolve().parents[1] / ".cache/bench/quality/recollect-embed/2wiki/store"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.nearest", description=__doc__)
    parser.add_argument("store", nargs="?", type=Path, default=STORE)
    given = parser.parse_args()
    folder = corpus.data_folder()
    if folder is None or not (given.store / "vectors").is_dir():
        sys.exit("set RECOLLECT_DATA, and run `python -m bench.reading --sets 2wiki` first")
    lines = (folder / "2wiki" / "queries.jsonl").read_text().splitlines()[:QUESTIONS]
    embedder, why = model_or_why(embedder_for(config.load()))
    if embedder is None:
        sys.exit(why)
    asked = [embedder.embed_query(json.loads(line)["query"]) for line in lines]
    files = (given.store / "vectors").glob("*/segment-*")
    segment = max((Segment(file) for file in files), key=len)
    print(f"{len(segment):,} vectors, {len(asked)} questions")
    nearest = [np.argsort(-(segment.codes @ query) * segment.scales)[:100] for query in asked]
    for part in PARTS:
        among = [segment._survivors(query, None, len(segment) // part) for query in asked]
        share = [
            np.mean([np.isin(n[:count], a).mean() for n, a in zip(nearest, among, strict=True)])
            for count in (10, 100)
        ]
        print(f"one in {part:3}: {share[0]:.3f} of the 10 nearest, {share[1]:.3f} of the 100")
    return 0


if __name__ == "__main__":
    sys.exit(main())
