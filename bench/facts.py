"""The key tier: a question that names a fact, against the hybrid search it spares.

One store with documents and facts; the same questions are answered by the facts they name, and by
a search that leaves facts out. A cold process answers by a fact without loading a model.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from bench import corpus
from bench.timing import Ratio, both, commands
from recollect import Memory
from recollect.nouns import Document

DOCUMENTS = 1_500
FACTS = 1_000
QUERIES = 60


def run(work: Path) -> Iterator[Ratio]:
    folder = corpus.data_folder()
    if folder is None:
        sys.exit("no data: set RECOLLECT_DATA to the data folder")
    store = work / "facts"
    shutil.rmtree(store, ignore_errors=True)
    rng = random.Random(5)
    some = corpus.big_corpus(folder)[:DOCUMENTS]
    with Memory.open(store) as memory:
        memory.put(Document(d["id"], "big", d["text"], title=d.get("title", "")) for d in some)
        names = sorted({d["title"] for d in some if 3 < len(d.get("title", "")) < 60})[:FACTS]
        lines = work / "facts.jsonl"
        with open(lines, "w", encoding="utf-8") as file:
            for n, name in enumerate(names):
                line = {"id": f"f{n}", "name": name, "text": f"{name} is known.", "as": "fact"}
                file.write(json.dumps(line) + "\n")
        memory.add(lines)
        queries = [f"what do we know about {name} by now?" for name in rng.sample(names, QUERIES)]
        queries = [q for q in queries if memory.search(q).tier == 2]

        def by_fact(query: str) -> object:
            return memory.search(query)

        counter = iter(range(10**9))

        def hybrid(query: str) -> object:
            return memory.search(f"{query} {next(counter)}", facts=False)

        ours, theirs = both(by_fact, hybrid, queries)
        yield Ratio("an answer by key against a hybrid search, p50", ours, theirs, "ms",
                    ours / theirs, "< 0.1", ours / theirs < 0.1)  # fmt: skip
    recollect = [sys.executable, "-m", "recollect", "search", queries[0], "--store", str(store)]
    key, whole = commands([*recollect, "--json"], [*recollect, "--json", "--no-facts"], rounds=5)
    yield Ratio("the same as a process, models not loaded", key, whole, "ms", key / whole,
                "< 0.5", key / whole < 0.5)  # fmt: skip
