"""Counting searches: what a search pays for being counted, and what is done beside it.

``python -m bench usage`` measures both against the search itself, by words alone, which is the
quickest search of passages there is. ``python -m bench.usage`` prints how many tokens answers take
in each mode, on the fit halves of four question sets: the figures of ``memory/costs.py``.
"""

from __future__ import annotations

import shutil
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from bench import corpus
from bench.quality import asked, half, store_for
from bench.timing import Ratio
from recollect import Memory
from recollect.nouns import Answer, Document
from recollect.policy import MODES
from recollect.telemetry import Tally, counted

DOCUMENTS = 2_000
QUERIES = 400
SETS = ("longmemeval", "personas", "notes", "scifact")
QUESTIONS = 60


def run(work: Path) -> Iterator[Ratio]:
    folder = corpus.data_folder()
    if folder is None:
        sys.exit("no data: set RECOLLECT_DATA to the data folder")
    place = work / "usage"
    shutil.rmtree(place, ignore_errors=True)
    some = corpus.big_corpus(folder)[:DOCUMENTS]
    with Memory.open(place, embed_model="none", rerank_model="none") as memory:
        memory.put(Document(d["id"], "big", d["text"], title=d.get("title", "")) for d in some)
        queries = [d["title"] for d in some if d.get("title")][:QUERIES]
        yield from _shares(memory, queries)


def _shares(memory: Memory, queries: list[str]) -> Iterator[Ratio]:
    """Search, hand over and write by turns, so that the three share the machine's noise."""
    recorder = memory.core.recorder
    assert recorder is not None
    searching, noting, writing = [], [], []
    for query in queries:
        request = memory.query(query)
        since = perf_counter()
        answer = memory.ask(request)
        searched = perf_counter()
        recorder.noted(answer)
        noted = perf_counter()
        searching.append((searched - since) * 1000)
        noting.append((noted - searched) * 1000)
        recorder.settle()
        writing.append(_written(memory, answer))
    search, note, write = map(statistics.median, (searching, noting, writing))
    yield Ratio("what a search pays for being counted, p50", note, search, "ms", note / search,
                "< 0.01", note / search < 0.01)  # fmt: skip
    yield Ratio("what the thread beside it does, p50", write, search, "ms", write / search,
                "< 0.1", write / search < 0.1)  # fmt: skip


def _written(memory: Memory, answer: Answer) -> float:
    """Milliseconds to count one answer and to write the sums."""
    assert memory.core.ledger is not None
    since = perf_counter()
    tally = Tally("2026-03-01", answer.mode, answer.intent, counted(answer))
    memory.core.ledger.add([tally])
    return (perf_counter() - since) * 1000


def main() -> int:
    folder = corpus.data_folder()
    if folder is None:
        sys.exit("no data: set RECOLLECT_DATA to the data folder")
    work = Path(__file__).resolve().parents[1] / ".cache" / "bench"
    means: dict[str, list[float]] = {mode: [] for mode in MODES}
    for name in SETS:
        with store_for(work, folder, name, "recollect-embed") as made:
            place = made.store.stats().location
        questions = [q["query"] for q in asked(folder, name) if half(q) == "fit"][:QUESTIONS]
        with Memory.open(place) as memory:
            for mode, kept in means.items():
                used = [memory.search(q, mode=mode, cache=False).budget.used for q in questions]
                kept.append(statistics.mean(used))
                print(f"{name:12} {mode:13} {kept[-1]:7,.0f} on average, {max(used):,} at most")
    for mode, kept in means.items():
        print(f"{'all sets':12} {mode:13} {statistics.mean(kept):7,.0f} on average")
    return 0


if __name__ == "__main__":
    sys.exit(main())
