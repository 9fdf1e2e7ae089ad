"""PostgreSQL against the embedded engine, in one run: ``python -m bench postgres``.

(a) with exact vector search on both sides, the same answers for ≥ 99 % of queries, ties aside
(b) with the indexes on, overlap@10 of the answers, and of the nearest by graph, ≥ 0.95
(c) hybrid search, p50, at most 3 times the embedded engine's
(d) 16 clients at once: a search takes the server at most 1.25 times the processor time that it
    takes with one; how many a second they get done together is told
(e) bulk import at ≥ 0.5 times the embedded engine's rate
(f) what a search takes while the graph is built, (g) while the schema is migrated, (h) while the
    tables are vacuumed after every fiftieth document was deleted; none may fail

``--documents`` is how many (150,000); beyond the corpus texts are halves of two, and (a) is left
out. ``RECOLLECT_BENCH_STAGES`` names the parts to run, on a server that keeps what is there.
The server is ``RECOLLECT_TEST_POSTGRES``, or one from the registry package that the tests use, with
``shared_buffers`` that hold the vectors. An embedder of random projections stands for a model:
texts that share words are near each other, and it costs nothing.
"""

from __future__ import annotations

import atexit
import itertools
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from threading import Event
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np

from bench import corpus, servers
from bench.timing import Ratio, both
from recollect import Memory, config
from recollect.nouns import Answer, ChangeSet, Filter, Remove
from recollect.storage import open_store
from recollect.storage.embedded import vector_index
from recollect.storage.postgres import schema
from recollect.storage.postgres.address import parse
from recollect.storage.postgres.connection import connect, probe
from recollect.text.terms import terms

if TYPE_CHECKING:
    from recollect.ports import StorageEngine, Vector, Vectors

QUERIES = 200
CLIENTS = 16
SECONDS = 10
WARMED = 20
"""Questions that each client asks before it counts."""
SCHEMA = "bench"
_PAUSE = 1.0
"""Seconds between searches while something else is done."""
_UNDONE = """
SET LOCAL search_path = {schema};
DROP TABLE walls;
DROP POLICY new ON owners;
DROP FUNCTION may_join;
CREATE POLICY new ON owners FOR INSERT WITH CHECK (true);
DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT c.oid::regclass AS part FROM pg_class c
        WHERE c.relnamespace = '{schema}'::regnamespace AND c.relkind = 'r' AND c.relispartition
    LOOP
        EXECUTE format('DROP POLICY own ON %s', one.part);
        EXECUTE format('DROP POLICY whole ON %s', one.part);
        EXECUTE format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', one.part);
    END LOOP;
END $$;
UPDATE meta SET version = 1
"""
"""Takes the second migration back."""
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


def server(count: int = corpus.SIZE) -> str:
    cores = os.cpu_count() or 1
    settings = {
        "shared_buffers": f"{max(1, count // 150_000)}GB", "max_wal_size": "8GB",
        "max_worker_processes": str(cores + 8), "max_parallel_workers": str(cores),
        "max_parallel_maintenance_workers": str(max(2, cores - 2)),
    }  # fmt: skip
    started = servers.start(settings)
    atexit.register(started.stop)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that it is run
    return started.url


def run(work: Path) -> Iterator[Ratio]:
    folder = corpus.data_folder()
    if folder is None:
        sys.exit("no data: set RECOLLECT_DATA to the data folder")
    count = int(os.environ.get("RECOLLECT_BENCH_DOCUMENTS", "150000"))
    work = work / "postgres"
    work.mkdir(parents=True, exist_ok=True)
    os.environ["RECOLLECT_HOME"] = str(work / "home")
    url = server(count)
    remote = f"{url}{'&' if '?' in url else '?'}schema={SCHEMA}"
    local = work / "embedded"
    texts = list(corpus.mixed(folder, count))
    queries = corpus.questions(folder, QUERIES)
    embedder = Projected(texts[:5000])
    places = Places(work, url, remote, local, embedder, queries)
    for stage in stages(count):
        yield from stage(places, texts)


class Places(NamedTuple):
    """Both stores, the questions that they are asked, and what makes their vectors."""

    work: Path
    url: str
    remote: str
    local: Path
    embedder: Projected
    queries: list[str]


Stage = Callable[["Places", list[str]], Iterator[Ratio]]


def stages(count: int) -> list[Stage]:
    """Returns the parts of a run in their order: those that ``RECOLLECT_BENCH_STAGES`` names, or
    all. Comparing without any index is left out where it would take hours."""
    every: dict[str, Stage] = {
        "import": _imported, "vectors": _embedded, "exact": _exact, "graph": _graph,
        "indexed": _indexed, "clients": _clients, "migration": _migration, "vacuum": _vacuum,
    }  # fmt: skip
    if count > corpus.SIZE:
        del every["exact"]
    names = os.environ.get("RECOLLECT_BENCH_STAGES", "").split() or list(every)
    return [every[name] for name in names]


def _say(text: str) -> None:
    print(f"     {text}", file=sys.stderr, flush=True)


def _drop(url: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as db:
        db.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE".encode())


def _imported(places: Places, texts: list[str]) -> Iterator[Ratio]:
    """(e): the same command for both, with the text index."""
    file = places.work / "documents.jsonl"
    with open(file, "w", encoding="utf-8") as out:
        out.writelines(json.dumps({"id": f"d{n}", "text": t}) + "\n" for n, t in enumerate(texts))
    shutil.rmtree(places.local, ignore_errors=True)
    _drop(places.url)
    postmaster = _postmaster(places.url)
    took: list[tuple[float, float]] = []
    for location in (str(places.local), places.remote):
        used, since = _all_processor_seconds(postmaster), perf_counter()
        subprocess.run(
            [sys.executable, "-m", "recollect", "add", str(file), "--no-embed", "--quiet",
             "--store", location],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        took.append((perf_counter() - since, _all_processor_seconds(postmaster) - used))
    (theirs, their_cores), (ours, our_cores) = took
    count = len(texts)
    yield Ratio("(e) bulk import, documents a second", count / ours, count / theirs, "docs/s",
                theirs / ours, ">= 0.5", theirs / ours >= 0.5)  # fmt: skip
    yield Ratio("(e) bulk import, documents a processor second", count / our_cores,
                count / their_cores, "docs/s", their_cores / our_cores, "told",
                met=True)  # fmt: skip


def _embedded(places: Places, texts: list[str]) -> Iterator[Ratio]:
    """The same vectors in both; each is made once."""
    made = places.embedder.embed_passages
    known: dict[str, Any] = {}
    for location in (str(places.local), places.remote):
        store = open_store(location)
        since, done = perf_counter(), 0
        while waiting := store.pending(places.embedder.key, limit=10_000):
            keys, some = zip(*waiting, strict=True)
            if fresh := [text for text in dict.fromkeys(some) if text not in known]:
                known.update(zip(fresh, made(fresh).astype(np.float16), strict=True))
            vectors = np.stack([known[text] for text in some]).astype(np.float32)
            done += store.put_vectors(places.embedder.key, keys, vectors)
        _say(f"{done} vectors of {len(texts)} documents in {perf_counter() - since:.0f} s")
        store.close()
    yield from ()


def _memory(store: StorageEngine, embedder: Any) -> Memory:
    return Memory(store, config.load({"telemetry": False}), embedder)


def _ask(memory: Memory, query: str) -> Answer:
    return memory.search(query, limit=10, cache=False)


def _exact(places: Places, texts: list[str]) -> Iterator[Ratio]:  # noqa: ARG001  as the others
    """(a): the embedded engine compares what is in no segment exactly, so nothing is put in one."""
    _, _, remote, local, embedder, queries = places
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
    with closing(open_store(str(local))) as store:
        store.admin.refresh(rebuild=True)
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


def _graph(places: Places, texts: list[str]) -> Iterator[Ratio]:  # noqa: ARG001  as the others
    """(f): searches go on while the graph is built."""
    with closing(open_store(str(places.local))) as store:
        store.admin.refresh()
    with closing(open_store(places.remote)) as store:
        yield from _meanwhile(places, "(f) hybrid while the graph is built", store.admin.refresh)
        _say(f"{store.stats().indexes}")


def _meanwhile(places: Places, name: str, work: Callable[[], object]) -> Iterator[Ratio]:
    """Asks questions while something else is done; tells what it took, what a question took
    before and meanwhile, and that none failed."""
    with _memory(open_store(places.remote), places.embedder) as memory:
        for query in places.queries[:WARMED]:
            _ask(memory, query)
        before = [_milliseconds(memory, query) for query in places.queries[:WARMED]]
        during: list[float] = []
        ended = Event()

        def ask() -> None:
            for query in itertools.cycle(places.queries):
                during.append(_milliseconds(memory, query))
                if ended.wait(_PAUSE):
                    return

        with ThreadPoolExecutor(1) as threads:
            asking = threads.submit(ask)
            since = perf_counter()
            try:
                work()
            finally:
                took = perf_counter() - since
                ended.set()
            asking.result()  # a search that failed fails the bench
    ours, theirs = statistics.median(during), statistics.median(before)
    _say(f"{name}: {took:.2f} s, {len(during)} searches, the slowest {max(during):.0f} ms")
    yield Ratio(f"{name}, against before, p50", ours, theirs, "ms", ours / theirs, "told",
                met=True)  # fmt: skip


def _milliseconds(memory: Memory, query: str) -> float:
    since = perf_counter()
    _ask(memory, query)
    return 1000 * (perf_counter() - since)


def _migration(places: Places, texts: list[str]) -> Iterator[Ratio]:  # noqa: ARG001  as the others
    """(g): the newest migration is undone and applied again in one transaction, as an upgrade
    applies it to a store of this size."""
    address = parse(places.remote)

    def migrate() -> None:
        with connect(address) as db, db.transaction():
            server = probe(db)
            db.execute(_UNDONE.format(schema=address.schema).encode())
            schema.migrate(db, address, server)

    yield from _meanwhile(places, "(g) hybrid while the schema is migrated", migrate)


def _vacuum(places: Places, texts: list[str]) -> Iterator[Ratio]:  # noqa: ARG001  as the others
    """(h): every fiftieth document is removed, then the tables are vacuumed."""
    with connect(parse(places.remote)) as db:
        rows = db.execute(f"SELECT id FROM {SCHEMA}.documents ORDER BY id".encode())  # noqa: S608
        gone = [Remove(id) for (id,) in rows.fetchall()[::50]]
    with closing(open_store(places.remote)) as store:
        since = perf_counter()
        for start in range(0, len(gone), 1000):
            store.apply(ChangeSet(tuple(gone[start : start + 1000])))
        _say(f"{len(gone)} documents removed in {perf_counter() - since:.0f} s")
    yield from _meanwhile(places, "(h) hybrid while the tables are vacuumed",
                          partial(_vacuumed, places.url))  # fmt: skip


def _vacuumed(url: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as db:
        db.execute("SET maintenance_work_mem = '1GB'")
        tables = db.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' "
            "AND relnamespace = %s::regnamespace ORDER BY relname", (SCHEMA,)
        ).fetchall()  # fmt: skip
        for (name,) in tables:
            since = perf_counter()
            db.execute(f"VACUUM {SCHEMA}.{name}".encode())
            if (took := perf_counter() - since) > 1:
                _say(f"VACUUM {name}: {took:.1f} s")


def _indexed(places: Places, texts: list[str]) -> Iterator[Ratio]:  # noqa: ARG001  as the others
    """(b) and (c)."""
    _, _, remote, local, embedder, queries = places
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


def _clients(places: Places, texts: list[str]) -> Iterator[Ratio]:  # noqa: ARG001  as the others
    """(d): processes, as clients are; each asks what it is asked for some seconds."""
    work, url, remote, _, embedder, queries = places
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


def _all_processor_seconds(postmaster: int) -> float:
    """Returns what the server and the commands that this process has waited for have used."""
    used = os.times()
    return _processor_seconds(postmaster) + used.children_user + used.children_system


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
