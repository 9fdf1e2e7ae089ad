"""The ratios of the foundation, at a million passages: ``python -m bench million`` (20 minutes).

What opening and searching cost is measured as ``bench foundation`` does it, and held to the same
bars, but on a million documents instead of 153,799: public texts, beyond those the halves of two.
Growth (e) is against 10,000 of them. Importing so many is measured by ``bench scale``.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from bench import corpus
from bench.foundation import FIRST_STAGE, QUERIES, cold, growth, hybrid, lexical, synthetic_vectors
from bench.scale import documents
from bench.timing import Ratio
from recollect import Memory
from recollect.nouns import Source
from recollect.storage import open_store
from recollect.writing import path as write_path

PASSAGES = 1_000_000
FEW = 10_000


def run(work: Path) -> Iterator[Ratio]:
    folder = corpus.data_folder()
    if folder is None:
        sys.exit("no data: set RECOLLECT_DATA to the data folder")
    work = work / "million"
    work.mkdir(parents=True, exist_ok=True)
    queries = corpus.questions(folder, QUERIES)
    for place, count in ((work / "big", PASSAGES), (work / "small", FEW)):
        _fill(place, count)
    with (
        Memory.open(work / "big", **FIRST_STAGE) as large,
        Memory.open(work / "small", **FIRST_STAGE) as little,
    ):
        texts = ({"title": one.title, "text": one.text} for one in documents(PASSAGES))
        yield from lexical(large, texts, queries, work)
        yield from hybrid(large, little, queries)
        yield from growth(large, little, queries, "1M against 10k documents")
    yield from cold(work / "big", queries[-1])


def _fill(place: Path, count: int) -> None:
    """A store of so many, unless it is there from before."""
    done = place.with_suffix(".done")
    if done.exists():
        return
    shutil.rmtree(place, ignore_errors=True)
    store = open_store(str(place))
    write_path.add(store, Source("million"), documents(count))
    store.admin.refresh()
    store.close()
    with Memory.open(place, **FIRST_STAGE) as memory:
        synthetic_vectors(memory)
        memory.store.admin.refresh()
    done.touch()
