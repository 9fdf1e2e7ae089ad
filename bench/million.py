"""A million passages against ten thousand, in one run: ``python -m bench million`` (an hour).

    --passages 200000     another size than a million

Texts are those of ``bench scale``. Vectors are drawn around those that the shipped encoder made of
public texts (the stores that ``python -m bench.unseen`` leaves in ``.cache/bench``, or in the
folder that ``RECOLLECT_BENCH_VECTORS`` names): a real one, moved along the difference of two
others, so that noise has the directions that real texts differ in. Questions are real ones,
encoded; a third of them ask about texts that are in none of these stores.

Recall is of the ten passages that comparing with every vector of the record finds, without a
filter, with one that half of the passages meet, with one of a tenth, and with one that goes along
with what the vectors mean. Filling and searching are told in processor time, of which others take
none.
"""

from __future__ import annotations

import json
import os
import sqlite3
import statistics
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Event, Thread
from time import perf_counter, process_time
from typing import Any

import numpy as np

from bench import asked, corpus
from bench.foundation import QUERIES
from bench.huge import resident
from bench.scale import documents
from bench.timing import Ratio, both
from recollect import Memory, config
from recollect.memory.models import embedder_for, model_or_why
from recollect.nouns import Document, Filter, Source
from recollect.ports import Embedder
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.storage.embedded.vector_index import rows_of
from recollect.writing import path as write_path

PASSAGES = 1_000_000
FEW = 10_000
QUESTIONS = 12
"""Of each set, for recall."""
_MOST = 10_000
"""Vectors of one set that others are drawn around: no set is all."""
_MOVED = 0.7
"""How far a vector is drawn from a real one, at most, in differences of two real ones."""


def run(work: Path) -> Iterator[Ratio]:
    count = int(os.environ.get("RECOLLECT_BENCH_PASSAGES", PASSAGES))
    folder = corpus.data_folder()
    if folder is None:
        sys.exit("no data: set RECOLLECT_DATA to the data folder")
    embedder, why = model_or_why(embedder_for(config.load()))
    if embedder is None:
        sys.exit(why)
    place = work / "million"
    place.mkdir(parents=True, exist_ok=True)
    stores = Path(os.environ.get("RECOLLECT_BENCH_VECTORS", work))
    vectors = RealVectors(embedder.key, stores, place / "vectors.npz")
    filled = {n: _filled(place / str(n), n, vectors) for n in (FEW, count)}
    asked = corpus.questions(folder, QUERIES)
    known = Remembered(embedder, vectors, asked)
    label = f"{count:,} against {FEW:,}"
    with (
        closing(EmbeddedStore(place / str(count))) as large,
        closing(EmbeddedStore(place / str(FEW))) as little,
    ):
        yield from _growth(large, little, known, asked, label)
        yield from _recall(large, embedder, folder)
        size = large.stats().bytes / large.stats().passages
        yield Ratio("bytes a passage, its text among them", size, 2500, "bytes", size / 2500,
                    "<= 1 of 2,500", size <= 2500)  # fmt: skip
    for name in ("import_s", "index_s", "vectors_s"):
        after, before = (1e6 * filled[n][name] / n for n in (count, FEW))
        bar = name == "import_s"
        yield Ratio(f"{name[:-2]}, a document, {label}", after, before, "µs", after / before,
                    "<= 1.1" if bar else "told", not bar or after <= 1.1 * before)  # fmt: skip
    peak = float(subprocess.run(
        [sys.executable, "-m", "bench.million", str(place / str(count))],
        check=True, stdout=subprocess.PIPE,
    ).stdout)  # fmt: skip
    yield Ratio("memory of 40 searches, private, without models", peak, 300, "MB", peak / 300,
                "<= 1 of 300 MB", peak <= 300)  # fmt: skip


class RealVectors:
    """Vectors about as near each other as those of real texts are, in the same directions."""

    def __init__(self, model: str, stores: Path, kept: Path) -> None:
        """Those of the stores, or those that were drawn from them before."""
        if not kept.exists():
            rows, names = self._drawn(model, stores)
            np.savez(kept, rows=rows, names=names)
        with np.load(kept) as found:
            self._rows = found["rows"]
            self.names: list[str] = found["names"].tolist()

    def _drawn(self, model: str, stores: Path) -> tuple[Any, list[str]]:
        by_set: dict[str, list[bytes]] = {}
        for file in sorted(stores.glob("unseen/stores/*/store/record.db")):
            name = file.parents[1].name.rpartition("-")[0]
            some = list(dict.fromkeys(_vectors_in(file, model)))
            if len(some) > len(by_set.get(name, ())):
                by_set[name] = some[:_MOST]
        if sum(map(len, by_set.values())) < FEW:
            sys.exit(f"{stores}: too few vectors of {model}; run `python -m bench.unseen` first")
        names = [name for name, some in by_set.items() for _ in some]
        return rows_of([blob for some in by_set.values() for blob in some]), names

    def set_of(self, text: str) -> str:
        return self.names[self._at(text)]

    def of(self, texts: Sequence[str]) -> Any:
        """A vector for each text, the same whenever it is asked for."""
        at = [self._at(text) for text in texts]
        chance = np.random.default_rng(zlib.crc32(texts[0].encode()))
        one, other = chance.integers(0, len(self._rows), (2, len(at)))
        far = _MOVED * chance.random((len(at), 1), np.float32)
        made = self._rows[at] + far * (self._rows[one] - self._rows[other])
        return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)

    def _at(self, text: str) -> int:
        return zlib.crc32(text[:80].encode()) % len(self.names)


def _vectors_in(file: Path, model: str) -> list[bytes]:
    with closing(sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True)) as db:
        try:
            rows = db.execute(
                "SELECT v.vector FROM vectors v JOIN models m ON m.id = v.model WHERE m.key = ?",
                (model,),
            ).fetchall()
        except sqlite3.Error:  # somebody is at it
            return []
    return [vector for (vector,) in rows]


class Remembered:
    """The encoder with what it made of the questions: a search without a model's time."""

    def __init__(self, embedder: Embedder, vectors: RealVectors, queries: Sequence[str]) -> None:
        self.key, self.reads, self.speaks = embedder.key, embedder.reads, embedder.speaks
        self._vectors = vectors
        self._embedder = embedder
        self._known = {query: embedder.embed_query(query) for query in queries}

    def embed_query(self, text: str) -> Any:
        if text not in self._known:
            self._known[text] = self._embedder.embed_query(text)
        return self._known[text]

    def embed_passages(self, texts: Sequence[str]) -> Any:
        return self._vectors.of(texts)


# ------------------------------------------------------------------ filling


def _filled(place: Path, count: int, vectors: RealVectors) -> dict[str, float]:
    """A store of so many, and the processor time of each stage of filling it. What is there is not
    done again."""
    done = place.with_suffix(".json")
    took: dict[str, float] = json.loads(done.read_text()) if done.exists() else {}
    texts = [] if took else list(_texts(count, vectors))
    with closing(EmbeddedStore(place)) as store:
        stages: dict[str, Callable[[], object]] = {
            "import_s": partial(write_path.add, store, Source("million"), texts),
            "index_s": store.admin.refresh,
            "vectors_s": partial(_embed, store, vectors),
        }
        for name in [one for one in stages if one not in took]:
            since = process_time()
            stages[name]()
            took[name] = process_time() - since
            done.write_text(json.dumps(took))
            print(f"     {count:,}: {name} {took[name]:.1f}", file=sys.stderr, flush=True)
    return took


def _texts(count: int, vectors: RealVectors) -> Iterator[Document]:
    for n, document in enumerate(documents(count)):
        shares = ("even" if n % 2 else "odd", *(["tenth"] if n % 10 == 0 else []))
        yield document._replace(scopes=(vectors.set_of(document.text), *shares))


def _embed(store: EmbeddedStore, vectors: RealVectors) -> None:
    model = config.load()
    embedder, _ = model_or_why(embedder_for(model))
    assert embedder is not None
    while waiting := store.pending(embedder.key, limit=100_000):
        keys, texts = zip(*waiting, strict=True)
        store.put_vectors(embedder.key, keys, vectors.of(texts))


# ------------------------------------------------------------------ measuring


def _growth(
    large: EmbeddedStore, little: EmbeddedStore, known: Remembered, asked: list[str], label: str
) -> Iterator[Ratio]:
    many, few = (Memory(one, config.load({"telemetry": False}), known) for one in (large, little))
    kinds: dict[str, tuple[Any, float]] = {
        "by words": (lambda m, q: m.search(q, cache=False, by="keyword"), 3),
        "by meaning, the 100 nearest": (partial(_nearest, known), 4),
        "hybrid, without models": (lambda m, q: m.search(q, cache=False), 1.6),
    }
    for name, (search, bar) in kinds.items():
        for query in asked[::5]:
            search(many, query)
            search(few, query)
        ours, theirs = partial(search, many), partial(search, few)
        after, before = both(ours, theirs, asked, process_time)
        yield Ratio(f"{name}, {label}, p50", after, before, "ms", after / before, f"<= {bar}",
                    after <= bar * before)  # fmt: skip


def _nearest(known: Remembered, memory: Memory, query: str) -> object:
    return memory.store.search_vector(known.key, known.embed_query(query), Filter(), limit=100)


def _recall(store: EmbeddedStore, embedder: Embedder, folder: Path) -> Iterator[Ratio]:
    files = sorted(folder.glob("*/queries.jsonl"))
    queries = [q["query"] for file in files for q in list(corpus.lines(file))[:QUESTIONS]]
    asked = np.array([embedder.embed_query(query) for query in queries])
    limits = {
        "no filter": Filter(),
        "one of two": Filter(scopes=("even",)),
        "one of ten": Filter(scopes=("tenth",)),
        "one set": Filter(scopes=("meetings",)),
    }
    exact = _exact(store, embedder.key, asked, list(limits.values()))
    for (name, limit), best in zip(limits.items(), exact, strict=True):
        found = []
        times = []
        for query, nearest in zip(asked, best, strict=True):
            since = perf_counter()
            hits = store.search_vector(embedder.key, query, limit, limit=10).hits
            times.append(1000 * (perf_counter() - since))
            found.append(
                len(nearest.intersection(hit.passage for hit in hits)) / max(1, len(nearest))
            )
        share = statistics.mean(found)
        took = statistics.median(times)
        yield Ratio(f"recall of the exact ten ({len(asked)} questions), {name}, {took:.1f} ms",
                    share, 1, "", share, ">= .985", share >= 0.985)  # fmt: skip


def _exact(
    store: EmbeddedStore, model: str, asked: Any, limits: Sequence[Filter]
) -> list[list[set[int]]]:
    """Of each filter and question the ten nearest, by comparing with all that the record has."""
    best = [[(np.zeros(0, np.int64), np.zeros(0)) for _ in asked] for _ in limits]
    with store.pool.snapshot() as record:
        allowed = [record.allowed(limit).scopes for limit in limits]
        for rows in _blocks(record.vectors_between(model, 0, record.state().seq)):
            keys = np.array([row.passage for row in rows])
            scores = asked @ rows_of([row.vector for row in rows]).T
            for scopes, kept in zip(allowed, best, strict=True):
                among = [n for n, row in enumerate(rows) if scopes is None or row.scopes in scopes]
                for n, (old_keys, old) in enumerate(kept):
                    every = np.concatenate((old, scores[n, among]))
                    first = np.argsort(-every)[:10]
                    kept[n] = np.concatenate((old_keys, keys[among]))[first], every[first]
    return [[set(keys.tolist()) for keys, _ in kept] for kept in best]


def _blocks(rows: Iterator[Any]) -> Iterator[list[Any]]:
    block: list[Any] = []
    for row in rows:
        block.append(row)
        if len(block) == 50_000:
            yield block
            block = []
    if block:
        yield block


def peak_of_searches(place: Path) -> float:
    """The most private memory of 40 searches by meaning with and without a filter, in MB, above
    what the process had before it opened the store."""
    with closing(EmbeddedStore(place)) as store:
        (model,) = store.stats().vectors
        before = peak = resident()
        ended = Event()

        def watch() -> None:
            nonlocal peak
            while not ended.wait(0.001):
                peak = max(peak, resident())

        watcher = Thread(target=watch, daemon=True)
        watcher.start()
        chance = np.random.default_rng(1)
        for n in range(40):
            query = chance.normal(size=384).astype(np.float32)
            limit = Filter(scopes=("even",)) if n % 2 else Filter()
            store.search_vector(model, query / np.linalg.norm(query), limit, limit=100)
        ended.set()
        watcher.join()
    return peak - before


if __name__ == "__main__":
    print(peak_of_searches(Path(*asked.words("million", __doc__, "STORE"))))
