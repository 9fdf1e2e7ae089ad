"""Many owners' stores behind one pool: ``python -m bench many`` (some minutes).

    --stores 10000        another number of owners than three hundred

Every owner has thirty notes, drawn from two hundred public ones and written through the pool, as a
service does whose owners bring theirs: the record, the text index, and vectors that the encoder
that ships has made of each note once. Then every owner asks once, with so many stores open; owners
are drawn as real ones come (the n-th most frequent 1/n times as often as the first); a process
that writes for many owners is killed (SIGKILL) over and over, and what it had said to be stored is
looked for; and one searches that may have fewer files open than it has stores.
"""

from __future__ import annotations

import gc
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain, count, pairwise
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np

from bench import asked, corpus
from bench.huge import resident
from bench.timing import Ratio
from recollect import Memory, MemoryPool, config
from recollect.memory.models import embedder_for, model_or_why
from recollect.nouns import Document

STORES = 300
NOTES, EACH = 200, 30
"""Notes that owners have some of, and how many each has."""
MOST = 100
"""Stores that are open."""
HELD = 1_000
"""So many are open at most where it is measured what each holds."""
ASKED = 600
THREADS = 4
KILLS = 5
FILES = 256
"""That a process may have open where it is seen what happens when they are used up."""
_VERBS = "list find count sort copy move rename remove undo compare merge split".split()
_THINGS = (
    "files branches commits containers tables columns indexes lines buffers windows tests packages "
    "strings dates colors modules processes ports keys tags"
).split()
QUESTIONS = [f"how do I {verb} {thing}?" for thing in _THINGS for verb in _VERBS]
"""No store is asked the same one twice while it is open: it would not be encoded again."""


def run(work: Path) -> Iterator[Ratio]:
    folder = corpus.data_folder()
    if folder is None:
        sys.exit("this bench needs the data folder (RECOLLECT_DATA)")
    stores = int(os.environ.get("RECOLLECT_BENCH_STORES", STORES))
    place = work / "many"
    shutil.rmtree(place, ignore_errors=True)
    yield from _made(place, _notes(place, folder), stores)
    yield from _opening(place, stores)
    yield from _held(place, min(stores, HELD))
    yield from _drawn(place, stores)
    yield _out_of_files(place, stores)
    yield _killed(place, stores)
    yield from _each_once(place, stores)


# ------------------------------------------------------------------ making them


class Notes(NamedTuple):
    """Documents, and the vector of each passage that is made of one."""

    documents: list[Document]
    model: str
    vectors: dict[str, Any]

    def store(self, memory: Memory, numbers: list[int]) -> None:
        """Stores some of them, with their vectors and the text index."""
        memory.put(self.documents[n] for n in numbers)
        keys, texts = zip(*memory.store.pending(self.model, limit=10_000), strict=True)
        memory.store.put_vectors(self.model, keys, np.array([self.vectors[t] for t in texts]))
        memory.store.admin.refresh()


def _notes(place: Path, folder: Path) -> Notes:
    with tarfile.open(folder / "til-notes.tar.xz") as archive:
        archive.extractall(place / "notes", filter="data")
    files = sorted((place / "notes").rglob("*.md"))
    some = files[:: len(files) // NOTES][:NOTES]
    documents = [
        Document(f.stem, "notes", f.read_text(), path=str(f.relative_to(place / "notes")))
        for f in some
    ]
    embedder, why = model_or_why(embedder_for(config.load()))
    if embedder is None:
        sys.exit(why)
    with Memory.open(place / "all", embed_model="none", telemetry=False) as memory:
        memory.put(documents)
        texts = [text for _, text in memory.store.pending(embedder.key, limit=100_000)]
    vectors = dict(zip(texts, embedder.embed_passages(texts), strict=True))
    return Notes(documents, embedder.key, vectors)


def _owner(number: int) -> str:
    return f"owner {number}"


def _made(place: Path, notes: Notes, stores: int) -> Iterator[Ratio]:
    tenths = [stores * n // 10 for n in range(11)]
    spent, memory, since = [], [], perf_counter()
    pool = MemoryPool(place / "owners", most=MOST, embed_model="none")

    def make(number: int) -> None:
        with pool.open(_owner(number)) as one:
            notes.store(one, random.Random(number).sample(range(NOTES), EACH))

    with pool, ThreadPoolExecutor(THREADS) as threads:
        for first, end in pairwise(tenths):
            before = process_time()
            list(threads.map(make, range(first, end)))
            spent.append(1000 * (process_time() - before) / (end - first))
            memory.append(resident())
            _say(f"{end:,} stores: {spent[-1]:.0f} ms each, {memory[-1]:.0f} MB")
    took = perf_counter() - since
    _say(f"{stores:,} stores made in {took:,.0f} s, {statistics.mean(spent):.0f} ms of processor "
         f"time each")  # fmt: skip
    yield Ratio(f"processor time to make a store of {EACH} notes, the last of {stores:,} stores",
                spent[-1], spent[1], "ms", spent[-1] / spent[1],
                "<= 1.2", spent[-1] <= 1.2 * spent[1])  # fmt: skip
    yield Ratio("memory when all were made against when half were", memory[-1], memory[4], "MB",
                memory[-1] / memory[4], "<= 1.1", memory[-1] <= 1.1 * memory[4])  # fmt: skip
    files = [one.stat() for one in (place / "owners").rglob("*") if one.is_file()]
    disk = sum(512 * one.st_blocks for one in files) / stores / 1000
    yield Ratio(f"disk of a closed store of {EACH} notes ({len(files) / stores:.0f} files)", disk,
                500, "kB", disk / 500, "<= 1 of 500", disk <= 500)  # fmt: skip


def _say(text: str) -> None:
    print(f"     {text}", file=sys.stderr, flush=True)


# ------------------------------------------------------------------ searching them


def _search(pool: MemoryPool, number: int, turn: int = 0) -> None:
    """Asks an owner's store the question whose turn it is."""
    with pool.open(_owner(number)) as memory:
        memory.search(QUESTIONS[turn % len(QUESTIONS)], cache=False)


def _opening(place: Path, stores: int) -> Iterator[Ratio]:
    """Medians of processor time, each of a hundred searches, taken in turn."""

    def spent(pool: MemoryPool, turn: int) -> float:
        before = process_time()
        _search(pool, 7 * turn % stores, turn)
        return 1000 * (process_time() - before)

    with (
        MemoryPool(place / "owners", most=1) as one,
        MemoryPool(place / "owners", most=110) as every,
    ):
        for turn in range(110):
            _search(every, 7 * turn % stores, turn + 1)
        times = [(spent(one, turn), spent(every, turn)) for turn in range(110)][10:]
    closed, opened = map(statistics.median, zip(*times, strict=True))
    yield Ratio("processor time of a search, store to be opened against an open one", closed,
                opened, "ms", closed / opened, "<= 1.5", closed <= 1.5 * opened)  # fmt: skip


def _held(place: Path, most: int) -> Iterator[Ratio]:
    """By words alone: what a model holds does not grow with the stores."""
    memory, files, held = [], [], []
    with MemoryPool(place / "owners", most=most, embed_model="none") as pool:
        for number in range(most):
            _search(pool, number, number)
            if (number + 1) % (most // 10) == 0:
                gc.collect()
                held.append(pool.counts().open)
                memory.append(resident())
                files.append(_files())
        one = _files()
        _ask(pool, [n % most for n in range(2 * most)])
        more = (_files() - one) / most
    each = statistics.linear_regression(held[2:], memory[2:]).slope
    handles = statistics.linear_regression(held, files).slope
    yield Ratio(f"memory of an open store, searched, of {EACH} notes ({most:,} open)", each, 1,
                "MB", each, "<= 1 MB", each <= 1)  # fmt: skip
    yield Ratio("files that an open store has open", handles, 10, "", handles / 10,
                "<= 1 of 10", handles <= 10)  # fmt: skip
    yield Ratio(f"the same after {THREADS} threads had used each, one by one", handles + more,
                handles, "", 1 + more / handles, "<= 1.25", more <= handles / 4)  # fmt: skip


def _files() -> int:
    return len(os.listdir("/proc/self/fd"))


def _threads() -> int:
    """Those of the text index among them: an open one has one of its own."""
    return len(os.listdir("/proc/self/task"))


def _each_once(place: Path, stores: int) -> Iterator[Ratio]:
    """Every owner asks once, by words alone; no store is open when it is asked."""
    order = random.Random(4).sample(range(stores), stores)
    first = min(stores, max(MOST, stores // 10))
    with MemoryPool(place / "owners", most=MOST, embed_model="none") as pool:
        _ask(pool, order[:first])
        gc.collect()
        before = resident(), _files(), _threads()
        rate = _ask(pool, order[first:])
        gc.collect()
        after = resident(), _files(), _threads()
    _say(f"{rate:.0f} searches a second in stores that have to be opened")
    names = ("memory", "files", "threads")
    for name, most, least in zip(names, after, before, strict=True):
        unit = "MB" if name == "memory" else ""
        yield Ratio(f"{name} after {stores:,} stores were opened against {first:,}", most, least,
                    unit, most / least, "<= 1.1", most <= 1.1 * least)  # fmt: skip


def _drawn(place: Path, stores: int) -> Iterator[Ratio]:
    weights = [1 / n for n in range(1, stores + 1)]
    drawn = random.Random(5).choices(range(stores), weights, k=ASKED)
    with MemoryPool(place / "owners", most=1) as pool:
        _ask(pool, [0] * 20)
        once = _ask(pool, [0] * (ASKED // 3))
    with MemoryPool(place / "owners", most=MOST) as pool:
        _ask(pool, drawn[: ASKED // 2])
        before = pool.counts()
        many = _ask(pool, drawn[ASKED // 2 :])
        reused = (pool.counts().reused - before.reused) / (ASKED - ASKED // 2)
    yield Ratio(f"searches a second over {stores:,} stores ({reused:.2f} were open) against one",
                many, once, "1/s", many / once, ">= .5", many >= 0.5 * once)  # fmt: skip


def _ask(pool: MemoryPool, numbers: list[int]) -> float:
    """Searches the stores by threads; returns how many in a second."""
    since = perf_counter()
    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(partial(_search, pool), numbers, count()))
    return len(numbers) / (perf_counter() - since)


# ------------------------------------------------------------------ processes that end


def _child(what: str, place: Path, stores: int) -> subprocess.Popen[str]:
    argv = [sys.executable, "-m", "bench.many", what, str(place / "owners"), str(stores)]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)


def _out_of_files(place: Path, stores: int) -> Ratio:
    """What breaks first where more stores may be open than the process may have files."""
    wanted = min(stores, 4 * FILES)
    said, _ = _child("search", place, wanted).communicate()
    done = len(said.splitlines())
    return Ratio(f"searches in {wanted:,} stores, of a process with {FILES} files", done, wanted,
                 "", done / wanted, "all", done == wanted)  # fmt: skip


def _killed(place: Path, stores: int) -> Ratio:
    """A process that writes for many owners is killed amid its writes, again and again."""
    stored: list[tuple[str, str]] = []
    for number in range(KILLS):
        child = _child("write", place, stores)
        assert child.stdout is not None
        lines = [child.stdout.readline() for _ in range(40 + 20 * number)]
        child.kill()
        lines += child.communicate()[0].splitlines(keepends=True)
        whole = [line.strip().partition("\t") for line in lines if line.endswith("\n")]
        stored += [(owner, id) for owner, _, id in whole]
    with MemoryPool(place / "owners", most=MOST, embed_model="none") as pool:
        lost = sum(not _is_there(pool, owner, id) for owner, id in stored)
        owners = {owner for owner, _ in stored}
        faults = list(chain.from_iterable(_faults(pool, owner) for owner in owners))
    _say(f"{KILLS} processes were killed that had written {len(stored):,} notes of "
         f"{len(owners):,} owners; faults of their stores: {faults or 'none'}")  # fmt: skip
    return Ratio(f"acknowledged writes lost by {KILLS} kills", lost, len(stored), "",
                 lost / max(1, len(stored)), "none", not lost and not faults)  # fmt: skip


def _is_there(pool: MemoryPool, owner: str, id: str) -> bool:
    with pool.open(owner) as memory:
        return memory.get(id).text == f"the note {id} of {owner}"


def _faults(pool: MemoryPool, owner: str) -> list[str]:
    with pool.open(owner) as memory:
        return [one.text for one in memory.store.admin.check(full=True).findings]


def write_for_ever(place: Path, stores: int) -> None:
    """Writes for owners at random, and says of each write that it is done."""
    said = threading.Lock()
    with MemoryPool(place, most=MOST, embed_model="none") as pool:

        def write(seed: int) -> None:
            chance = random.Random(f"{os.getpid()} {seed}")
            for number in range(1_000_000):
                owner, id = _owner(chance.randrange(stores)), f"{os.getpid()}-{seed}-{number}"
                with pool.open(owner) as memory:
                    memory.put([Document(id, "written", f"the note {id} of {owner}")])
                with said:
                    print(f"{owner}\t{id}", flush=True)

        with ThreadPoolExecutor(THREADS) as threads:
            list(threads.map(write, range(THREADS)))


def search_each(place: Path, stores: int) -> None:
    """Searches each store with few files, and says of each search that it is done."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))
    with MemoryPool(place, most=stores, embed_model="none") as pool:
        for number in range(stores):
            _search(pool, number, number)
            print(number, flush=True)


WORKS = {"write": write_for_ever, "search": search_each}


if __name__ == "__main__":
    what_, place_, stores_ = asked.words("many", __doc__, "WHAT", "PLACE", "STORES")
    WORKS[what_](Path(place_), int(stores_))
