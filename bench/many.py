"""Many owners' stores behind one pool: ``python -m bench many`` (some minutes).

    --stores 10000        another number of owners than a thousand

Every owner has the same hundred notes (public ones, imported once with the encoder that ships and
copied). What a search costs in a store that has to be opened is told against one that is open; what
an open store holds of memory and files, as the slope over stores that are opened and searched; and
how many searches two threads get done whose owners are drawn as real ones come: the n-th most
frequent 1/n times as often as the first.
"""

from __future__ import annotations

import gc
import os
import random
import shutil
import statistics
import sys
import tarfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter

from bench import corpus
from bench.huge import resident
from bench.timing import Ratio
from recollect import MemoryPool

STORES = 1_000
NOTES = 100
MOST = 100
"""Stores that are open."""
ASKED = 1_000
THREADS = 2
QUERIES = (
    "how do I undo the last commit?",
    "list files by size",
    "what does a partial index do?",
    "remove a docker image",
    "replace text in many files",
)


def run(work: Path) -> Iterator[Ratio]:
    folder = corpus.data_folder()
    if folder is None:
        sys.exit("this bench needs the data folder (RECOLLECT_DATA)")
    stores = int(os.environ.get("RECOLLECT_BENCH_STORES", STORES))
    place = work / "many"
    _fill(place, folder, stores)
    yield _opening(place / "owners", stores)
    yield from _held(place / "owners")
    yield _drawn(place / "owners", stores)


def _fill(place: Path, folder: Path, stores: int) -> None:
    """Makes the first owner's store, and those of the others as copies of it."""
    with tarfile.open(folder / "til-notes.tar.xz") as archive:
        archive.extractall(place / "til-notes", filter="data")
    notes = sorted((place / "til-notes").rglob("*.md"))[:: 1874 // NOTES][:NOTES]
    with MemoryPool(place / "owners") as pool:
        first = pool.place(_owner(0))
        with pool.open(_owner(0)) as memory:
            memory.add(*notes)
            memory.search(QUERIES[0])
            size = memory.status().store.bytes
        others = [pool.place(_owner(n)) for n in range(1, stores)]
    for other in others:
        if not other.exists():
            shutil.copytree(first, other)
    print(f"     {stores:,} stores of {size / 1e6:.2f} MB", file=sys.stderr, flush=True)


def _owner(number: int) -> str:
    return f"owner {number}"


def _search(pool: MemoryPool, number: int) -> float:
    """Searches an owner's store; returns the milliseconds."""
    since = perf_counter()
    with pool.open(_owner(number)) as memory:
        memory.search(QUERIES[number % len(QUERIES)], cache=False)
    return 1000 * (perf_counter() - since)


def _opening(place: Path, stores: int) -> Ratio:
    with MemoryPool(place, most=1) as pool:
        for number in range(10):
            _search(pool, number)
        closed = statistics.median(_search(pool, n) for n in range(10, min(stores, 110)))
    with MemoryPool(place, most=1) as pool:
        opened = statistics.median(_search(pool, 5) for _ in range(100))
    return Ratio("search in a store that has to be opened against an open one", closed, opened,
                 "ms", closed / opened, "<= 3", closed <= 3 * opened)  # fmt: skip


def _held(place: Path) -> Iterator[Ratio]:
    """By words alone: what a model holds does not grow with the stores."""
    with MemoryPool(place, most=MOST, embed_model="none") as pool:
        _search(pool, 0)
        memory, files, open_ = [], [], []
        for count in range(20, MOST + 1, 20):
            for number in range(count):
                _search(pool, number)
            gc.collect()
            open_.append(pool.counts().open)
            memory.append(resident())
            files.append(len(os.listdir("/proc/self/fd")))
        for number in range(MOST, 5 * MOST):
            _search(pool, number)
        gc.collect()
        later = resident()
    each = statistics.linear_regression(open_, memory).slope
    handles = statistics.linear_regression(open_, files).slope
    yield Ratio("memory of an open store, searched, of 100 notes", each, 1, "MB", each,
                "<= 1 MB", each <= 1)  # fmt: skip
    yield Ratio("files that an open store has open, one thread", handles, 20, "", handles / 20,
                "<= 1 of 20", handles <= 20)  # fmt: skip
    yield Ratio("memory after four hundred other stores were opened", later, memory[-1], "MB",
                later / memory[-1], "<= 1.1", later <= 1.1 * memory[-1])  # fmt: skip


def _drawn(place: Path, stores: int) -> Ratio:
    weights = [1 / n for n in range(1, stores + 1)]
    drawn = random.Random(5).choices(range(stores), weights, k=ASKED)
    with MemoryPool(place, most=stores) as pool:
        once = _rate(pool, [0] * 250)
    with MemoryPool(place, most=MOST) as pool:
        _rate(pool, drawn[: ASKED // 2])
        many = _rate(pool, drawn[ASKED // 2 :])
        counts = pool.counts()
    reused = counts.reused / ASKED
    return Ratio(f"searches a second over {stores:,} stores ({reused:.2f} were open) against one",
                 many, once, "1/s", many / once, ">= .5", many >= 0.5 * once)  # fmt: skip


def _rate(pool: MemoryPool, numbers: list[int]) -> float:
    since = perf_counter()
    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(lambda number: _search(pool, number), numbers))
    return len(numbers) / (perf_counter() - since)
