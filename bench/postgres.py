"""PostgreSQL against the embedded engine, in one run: ``python -m bench postgres``.

(a) with exact vector search on both sides, the same answers for ≥ 99 % of queries, ties aside
(b) with the indexes on, overlap@10 of the answers, and of the nearest by graph, ≥ 0.95
(c) hybrid search, p50, at most 3 times the embedded engine's
(d) 16 clients at once: a search takes the server at most 1.25 times the processor time that it
    takes with one; how many a second they get done together is told
(e) bulk import at ≥ 0.5 times the embedded engine's rate

``--documents`` is how many of the corpus (150,000). The server is ``RECOLLECT_TEST_POSTGRES``, or
one from the registry package that the tests use, with ``shared_buffers`` that hold the vectors. An
embedder of random projections stands for a model: texts that share words are near each other, and
it costs nothing.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from bench import corpus, servers
from bench.timing import Ratio, both
from recollect import Memory, config
from recollect.nouns import Answer, Filter
from recollect.storage import open_store
from recollect.storage.embedded import vector_index
from recollect.text.terms import terms

if TYPE_CHECKING:
    from recollect.ports import StorageEngine, Vector, Vectors

QUERIES = 200
CLIENTS = 16
SECONDS = 10
WARMED = 20
"""Questions that each client asks before it counts."""
SCHEMA = "bench"
_BUCKETS = 1 << 14
_DIMENSIONS = 384


class Projected:
    """Sums of random vectors, one a word; rare words count for more."""

    key = "projected@1"

    def __init__(self, sample: Sequence[str]) -> None:
        noise = np.random.default_rng(42)
        self._words = noise.normal(size=(_BUCKETS, _DIMENSIONS)).astype(np.float32)
        seen = np.ones(_BUCKETS)
        for text in sample:
            seen[list(set(_buckets(text)))] += 1
        self._words *= np.log((len(sample) + 2) / seen)[:, None].astype(np.float32)

    def reads(self, text: str) -> bool:
        return bool(text)

    speaks = reads

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self.embed_passages([text])[0]
        return vector

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        made = np.stack([self._words[_buckets(text) or [0]].sum(axis=0) for text in texts])
        length = np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-9)
        unit: Vectors = (made / length).astype(np.float32)
        return unit


def _buckets(text: str) -> list[int]:
    return [crc32(word.encode()) % _BUCKETS for word in terms(text).stem.split()]


class Remembered:
    """The queries' vectors, from a file: for clients that need nothing else."""

    key = Projected.key

    def __init__(self, path: str, queries: Sequence[str]) -> None:
        self._vectors = dict(zip(queries, np.load(path), strict=True))

    def reads(self, text: str) -> bool:
        return text in self._vectors

    speaks = reads

    def embed_query(self, text: str) -> Any:
        return self._vectors[text]

    def embed_passages(self, texts: Sequence[str]) -> Any:
        return np.stack([self._vectors[text] for text in texts])


def server() -> str:
    started = servers.start({"shared_buffers": "1GB", "max_wal_size": "8GB"})
    atexit.register(started.stop)
    return started.url


def run(work: Path) -> Iterator[Ratio]:
    folder = corpus.data_folder()
    if folder is None:
        sys.exit("no data: set RECOLLECT_DATA to the data folder")
    count = int(os.environ.get("RECOLLECT_BENCH_DOCUMENTS", "150000"))
    work = work / "postgres"
    work.mkdir(parents=True, exist_ok=True)
    os.environ["RECOLLECT_HOME"] = str(work / "home")
    documents = corpus.big_corpus(folder)[:count]
    queries = corpus.questions(folder, QUERIES)
    with open(work / "documents.jsonl", "w", encoding="utf-8") as file:
        file.writelines(json.dumps(document) + "\n" for document in documents)
    url = server()
    remote = f"{url}{'&' if '?' in url else '?'}schema={SCHEMA}"
    local = work / "embedded"
    shutil.rmtree(local, ignore_errors=True)
    _drop(url)
    yield _import(work, count, str(local), remote)
    embedder = Projected([d["text"] for d in documents[:5000]])
    for location in (str(local), remote):
        _embed(location, embedder)
    yield from _exact(local, remote, embedder, queries)
    since = perf_counter()
    store = open_store(remote)
    store.admin.refresh()
    _say(f"graphs built in {perf_counter() - since:.0f} s: {store.stats().indexes}")
    store.close()
    store = open_store(str(local))
    store.admin.refresh(rebuild=True)
    store.close()
    yield from _indexed(local, remote, embedder, queries)
    yield from _clients(work, url, remote, embedder, queries)


def _say(text: str) -> None:
    print(f"     {text}", file=sys.stderr, flush=True)


def _drop(url: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as db:
        db.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE".encode())


def _import(work: Path, count: int, local: str, remote: str) -> Ratio:
    """(e): the same command for both, with the text index."""
    rates = []
    for location in (local, remote):
        since = perf_counter()
        subprocess.run(
            [sys.executable, "-m", "recollect", "add", str(work / "documents.jsonl"),
             "--no-embed", "--quiet", "--store", location],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        rates.append(count / (perf_counter() - since))
    theirs, ours = rates
    return Ratio("(e) bulk import, documents a second", ours, theirs, "docs/s", ours / theirs,
                 ">= 0.5", ours / theirs >= 0.5)  # fmt: skip


def _embed(location: str, embedder: Projected) -> None:
    store = open_store(location)
    since, done = perf_counter(), 0
    while waiting := store.pending(embedder.key, limit=10_000):
        vectors = embedder.embed_passages([text for _, text in waiting])
        done += store.put_vectors(embedder.key, [key for key, _ in waiting], vectors)
    _say(f"{done} vectors in {perf_counter() - since:.0f} s")
    store.close()


def _memory(store: StorageEngine, embedder: Any) -> Memory:
    return Memory(store, config.load({"telemetry": False}), embedder)


def _ask(memory: Memory, query: str) -> Answer:
    return memory.search(query, limit=10, cache=False)


def _exact(local: Path, remote: str, embedder: Projected, queries: list[str]) -> Iterator[Ratio]:
    """(a): the embedded engine compares what is in no segment exactly, so nothing is put in one."""
    rows = vector_index.SEGMENT_ROWS
    vector_index.SEGMENT_ROWS = 10**9
    shutil.rmtree(local / "vectors", ignore_errors=True)
    try:
        with (
            _memory(open_store(str(local)), embedder) as theirs,
            _memory(open_store(f"{remote}&exact=yes"), embedder) as ours,
        ):
            same = 0
            for query in queries:
                one, other = _ask(ours, query), _ask(theirs, query)
                equal = _same(one, other)
                if not equal and same > -1:
                    _say(f"differs: {query!r}: {_shown(one)} | {_shown(other)}")
                same += equal
    finally:
        vector_index.SEGMENT_ROWS = rows
    share = same / len(queries)
    yield Ratio("(a) the same answers, exact on both sides", share, 1.0, "", share, ">= 0.99",
                share >= 0.99)  # fmt: skip


def _shown(answer: Answer) -> list[tuple[str, float]]:
    return [(result.id, round(result.score, 4)) for result in answer.results]


def _same(one: Answer, other: Answer) -> bool:
    """Whether the results are the same, in an order in which only ties may differ."""
    if len(one.results) != len(other.results):
        return False
    scores = {result.id: result.score for result in other.results}
    for mine, theirs in zip(one.results, other.results, strict=True):
        if mine.id == theirs.id:
            continue
        if abs(scores.get(mine.id, theirs.score) - theirs.score) > 1e-3:
            return False
        if mine.id not in scores and abs(mine.score - theirs.score) > 1e-3:
            return False
    return True


def _indexed(local: Path, remote: str, embedder: Projected, queries: list[str]) -> Iterator[Ratio]:
    """(b) and (c)."""
    with (
        _memory(open_store(str(local)), embedder) as theirs,
        _memory(open_store(remote), embedder) as ours,
        _memory(open_store(f"{remote}&exact=yes"), embedder) as exact,
    ):
        vectors = {query: embedder.embed_query(query) for query in queries}

        def nearest(memory: Memory, query: str, limit: int = 10) -> set[str]:
            found = memory.store.search_vector(
                embedder.key, vectors[query], Filter(), limit=limit
            ).hits
            return {p.id for p in memory.store.passages([hit.passage for hit in found])}

        graph = np.mean([len(nearest(ours, q) & nearest(exact, q)) / 10 for q in queries])
        yield Ratio("(b) the ten nearest by graph against the exact ones", float(graph), 1.0, "",
                    float(graph), ">= 0.95", bool(graph >= 0.95))  # fmt: skip
        overlaps = []
        for query in queries:
            one, other = (
                {result.id for result in _ask(memory, query).results} for memory in (ours, theirs)
            )
            overlaps.append(len(one & other) / max(1, len(one), len(other)))
        overlap = float(np.mean(overlaps))
        yield Ratio("(b) overlap@10 of answers with the indexes on", overlap, 1.0, "", overlap,
                    ">= 0.95", overlap >= 0.95)  # fmt: skip
        mine, their = both(lambda q: _ask(ours, q), lambda q: _ask(theirs, q), queries)
        yield Ratio("(c) hybrid search, p50", mine, their, "ms", mine / their, "<= 3",
                    mine / their <= 3)  # fmt: skip


def _clients(
    work: Path, url: str, remote: str, embedder: Projected, queries: list[str]
) -> Iterator[Ratio]:
    """(d): processes, as clients are; each asks what it is asked for some seconds."""
    np.save(work / "queries.npy", embedder.embed_passages(queries))
    (work / "queries.json").write_text(json.dumps(queries))
    postmaster = _postmaster(url)
    rates, costs = [], []
    for number in (CLIENTS, 1):
        before = _processor_seconds(postmaster)
        rates.append(_throughput(work, remote, number))
        asked = rates[-1] * SECONDS + WARMED * number
        costs.append(1000 * (_processor_seconds(postmaster) - before) / asked)
    many, one = rates
    yield Ratio(f"(d) searches a second, {CLIENTS} clients against one", many, one, "1/s",
                many / one, "told", met=True)  # fmt: skip
    if postmaster:
        many, one = costs
        yield Ratio(f"(d) the server's processor time a search, {CLIENTS} against one", many, one,
                    "ms", many / one, "<= 1.25", many <= 1.25 * one)  # fmt: skip


def _postmaster(url: str) -> int:
    """Returns the process id of a server on this machine; 0 where it is elsewhere, or there is no
    /proc."""
    import psycopg

    with psycopg.connect(url) as db:
        (folder,) = db.execute("SHOW data_directory").fetchone() or ("",)
    file = Path(folder) / "postmaster.pid"
    number = int(file.read_text().split()[0]) if file.exists() else 0
    return number if Path(f"/proc/{number}/stat").exists() else 0


def _processor_seconds(postmaster: int) -> float:
    """Returns what the server has used so far: itself, its processes, and those that ended."""
    ticks = 0
    for file in Path("/proc").glob("[0-9]*/stat") if postmaster else ():
        with suppress(OSError):  # it has ended
            fields = file.read_text().rpartition(")")[2].split()
            if file.parent.name == str(postmaster):
                ticks += sum(map(int, fields[11:15]))
            elif fields[1] == str(postmaster):
                ticks += sum(map(int, fields[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _throughput(work: Path, remote: str, number: int) -> float:
    script = "from bench.postgres import client; client()"
    clients = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(work), remote, str(n)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for n in range(number)
    ]  # fmt: skip
    for each in clients:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in clients:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    return sum(float(each.communicate()[0]) for each in clients)


def client() -> None:
    """One of the clients: searches a second."""
    work, remote, number = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    queries = json.loads((work / "queries.json").read_text())
    with _memory(open_store(remote), Remembered(str(work / "queries.npy"), queries)) as memory:
        for query in queries[:WARMED]:
            _ask(memory, query)
        print("ready", flush=True)
        sys.stdin.readline()
        since, done = time.perf_counter(), 0
        while (taken := time.perf_counter() - since) < SECONDS:
            _ask(memory, queries[(done + 13 * number) % len(queries)])
            done += 1
        print(done / taken)
