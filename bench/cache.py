"""What an answer costs that was given before, against the search that it replaces.

``python -m bench cache``. Each question is asked anew, then again, then in other words; the
questions are those of SciFact, with the model that ships.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from bench import corpus
from bench.quality import store_for
from bench.timing import Ratio
from recollect import Memory

COUNT = 60
FRAME = "hey, could you please be so kind as to tell me if it is true that {}"
"""It has so many words of its own that the overlap of words cannot tell; meaning has to."""


def run(work: Path) -> Iterator[Ratio]:
    folder = corpus.data_folder()
    if folder is None:
        sys.exit("this bench needs the data folder (RECOLLECT_DATA)")
    asked = [q["query"] for q in corpus.lines(folder / "scifact" / "queries.jsonl")][:COUNT]
    with store_for(work, folder, "scifact", "recollect-embed") as plain:
        place = Path(plain.store.stats().location)
    with Memory.open(place) as memory:
        memory.admin.clear_cache()
        memory.search("warm everything up, please", cache=False)
        fresh, first = _timed(memory, asked, tier=3)
        exact, _ = _timed(memory, asked, tier=0)
        near, hits = _timed(memory, [f"  {q.upper()} ?" for q in asked], tier=1)
        embedder, _ = memory.core.serving_embedder()
        assert embedder is not None
        since = perf_counter()
        for question in asked:
            embedder.embed_query(f"{question} again")
        embedding = (perf_counter() - since) * 1000 / len(asked)
        memory.admin.clear_cache()
    yield Ratio("the same question again against the search it replaces, p50", exact, fresh, "ms",
                exact / fresh, "<= 0.05", exact / fresh <= 0.05)  # fmt: skip
    yield Ratio(f"in other words against the query's embedding, p50 of {hits}", near, embedding,
                "ms", near / embedding, "<= 1.3", near / embedding <= 1.3)  # fmt: skip
    yield Ratio("looking in vain, share of the search that follows, p50", first, fresh, "ms",
                first / fresh, "< 0.05", first / fresh < 0.05)  # fmt: skip


def _timed(memory: Memory, asked: list[str], tier: int) -> tuple[float, float]:
    """Median milliseconds of the searches that were served by this tier; and of the lookup, or
    how many there were."""
    taken, lookups = [], []
    for question in asked:
        since = perf_counter()
        answer = memory.search(question, cache=True)
        if answer.tier == tier:
            taken.append((perf_counter() - since) * 1000)
            lookups.append(answer.stages[0].ms)
    return statistics.median(taken), statistics.median(lookups) if tier == 3 else len(taken)
