"""What a passage, a question and an owner cost, by size: ``python -m bench scale``.

    --passages 10000 100000       the sizes (these two; a million takes ten minutes and more)
    --engines embedded postgres   on which (both)

Each size is filled in a process of its own: the documents (public texts, told apart by mixing
them beyond 153,799), the text index, vectors of 384 dimensions that stand for a model's, and their
index. Then the same questions are asked, by words, by meaning and by both; and once more of one
of a thousand owners. What was measured is kept in ``.cache/bench/scale/measured.json``, the earlier
sizes too. Lines are fitted to it and extrapolated, also for what a question takes. What is printed
says whether it grows as it should: bytes and seconds with the passages, questions by less.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from bench import asked, corpus
from bench.postgres import server
from bench.timing import Ratio
from recollect import Memory, config
from recollect.nouns import Document, Filter, Source
from recollect.ports import StorageEngine
from recollect.storage import open_store
from recollect.writing import path as write_path

SIZES = (10_000, 100_000)
ENGINES = ("embedded", "postgres")
QUERIES = 100
OWNERS = 1_000
DIMENSIONS = 384
MODEL = "noise@1"
_CENTRES = 2_000
_PARTS = {
    "record": ("record.db", "documents", "passages", "messages", "handles", "events", "sources"),
    "text": ("text", "postings", "segments"),
    "vectors": ("vectors",),
}
"""What is what, by the beginning of its name: of files for the one, of tables for the other."""
STAGES = ("import_s", "index_s", "vectors_s", "graph_s")
ASKED = ("words_ms", "meaning_ms", "hybrid_ms")
Measured = dict[str, float]


class Noise:
    """Vectors about as near each other as texts are, for nothing: what they mean does not change
    what keeping and searching them costs."""

    key = MODEL

    def __init__(self, seed: int) -> None:
        self._centres = np.random.default_rng(0).normal(size=(_CENTRES, DIMENSIONS))
        self._chance = np.random.default_rng(seed)

    def reads(self, text: str) -> bool:
        return bool(text)

    speaks = reads

    def some(self, count: int) -> Any:
        rows = self._centres[self._chance.integers(0, _CENTRES, count)]
        made = rows + self._chance.normal(size=rows.shape)
        return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)

    def embed_query(self, text: str) -> Any:  # noqa: ARG002  nothing of it is needed
        return self.some(1)[0]

    def embed_passages(self, texts: Any) -> Any:
        return self.some(len(texts))


# ------------------------------------------------------------------ the sizes


def run(work: Path) -> Iterator[Ratio]:
    sizes = [int(n) for n in os.environ.get("RECOLLECT_BENCH_PASSAGES", "").split()] or list(SIZES)
    engines = os.environ.get("RECOLLECT_BENCH_ENGINES", "").split() or list(ENGINES)
    if corpus.data_folder() is None:
        sys.exit("no data: set RECOLLECT_DATA to the data folder")
    if wrong := set(engines) - set(ENGINES):
        sys.exit(f"there is no engine {wrong.pop()!r}: {', '.join(ENGINES)}")
    work = work / "scale"
    work.mkdir(parents=True, exist_ok=True)
    kept = work / "measured.json"
    every: dict[str, dict[str, Measured]] = json.loads(kept.read_text()) if kept.exists() else {}
    url = server() if "postgres" in engines else ""
    for passages in sizes:
        for engine in engines:
            found = _measured(work, engine, passages, url)
            every.setdefault(engine, {})[str(passages)] = found
            kept.write_text(json.dumps(every, indent=1))
            _say(f"{engine}, {passages:,} passages: " + ", ".join(
                f"{name} {value:,.4g}" for name, value in found.items()))  # fmt: skip
    for engine in engines:
        yield from _grown(engine, {int(n): one for n, one in every[engine].items()})


def _say(text: str) -> None:
    print(f"     {text}", file=sys.stderr, flush=True)


def _measured(work: Path, engine: str, passages: int, url: str) -> Measured:
    done = subprocess.run(
        [sys.executable, "-m", "bench.scale", str(work), engine, str(passages), url],
        check=True, stdout=subprocess.PIPE,
    )  # fmt: skip
    found: Measured = json.loads(done.stdout.splitlines()[-1])
    return found


def _grown(engine: str, by_size: Mapping[int, Measured]) -> Iterator[Ratio]:
    """The largest size against the smallest, and what is fitted to all of them."""
    small, large = min(by_size), max(by_size)
    if small == large:
        return
    for line in table(engine, fitted(by_size)):
        _say(line)
    for name in ("import_s", "bytes"):
        before, after = (by_size[n][name] / n for n in (small, large))
        yield Ratio(f"{engine}: {name} of 1,000 passages, {large:,} against {small:,}", 1e3 * after,
                    1e3 * before, "", after / before, "<= 1.5", after <= 1.5 * before)  # fmt: skip
    for name in ASKED:
        before, after = (by_size[n][name] for n in (small, large))
        power = fitted_power({n: one[name] for n, one in by_size.items()})
        yield Ratio(f"{engine}: {name}, {large:,} against {small:,}, as n^{power:.2f}", after,
                    before, "ms", after / before, "grows by less", power < 1)  # fmt: skip


# ------------------------------------------------------------------ the model


class Machine(NamedTuple):
    """What is extrapolated to."""

    memory: float = 192e9
    """Bytes for what every search reads: three quarters of 256 GB."""
    disk: float = 4e12
    day: float = 86_400


class Model(NamedTuple):
    """What a passage costs, and a question of one owner with so many passages."""

    seconds: Mapping[str, float]
    """By stage, a passage."""
    bytes: float
    hot: float
    """Bytes of the indexes, which every search reads in."""
    asked: Mapping[str, tuple[float, float]]
    """Milliseconds of each question, and those that a passage adds."""

    def milliseconds(self, name: str, passages: float) -> float:
        each, more = self.asked[name]
        return each + more * passages

    def most(self, machine: Machine) -> dict[str, float]:
        """How many passages one machine takes, by what is used up first."""
        took = sum(self.seconds.values())
        return {
            "memory for the indexes": machine.memory / self.hot,
            "disk": machine.disk / self.bytes,
            "a day to fill it": machine.day / took,
        }


def fitted(by_size: Mapping[int, Measured]) -> Model:
    """Lines through the sizes: the slope is what a passage costs. Of questions that is the most
    that can be expected: lists that are read whole grow so, and graphs by less."""

    def slope(*names: str) -> float:
        points = {one["passages"]: sum(one[name] for name in names) for one in by_size.values()}
        return max(0.0, statistics.linear_regression(list(points), list(points.values())).slope)

    smallest = by_size[min(by_size)]
    return Model(
        {name: slope(name) for name in STAGES},
        slope("bytes"),
        slope("text_bytes", "vectors_bytes"),
        {name: (smallest[name] - slope(name) * smallest["passages"], slope(name))
         for name in ASKED},
    )  # fmt: skip


def table(engine: str, model: Model) -> Iterator[str]:
    """The model as the page on scaling has it."""
    stages = ", ".join(f"{name[:-2]} {1e6 * one:.0f} µs" for name, one in model.seconds.items())
    yield f"{engine}: {model.bytes:.0f} bytes a passage, {model.hot:.0f} of them hot; {stages}"
    yield "| passages | disk | hot | filled in | words | meaning | hybrid |"
    yield "|---|---|---|---|---|---|---|"
    for power in range(5, 10):
        n = 10.0**power
        asked = " | ".join(f"{model.milliseconds(name, n):,.0f} ms" for name in ASKED)
        hours = n * sum(model.seconds.values()) / 3600
        yield (f"| 10^{power} | {n * model.bytes / 1e9:,.1f} GB | {n * model.hot / 1e9:,.1f} GB | "
               f"{hours:,.1f} h | {asked} |")  # fmt: skip
    most = model.most(Machine())
    for why, passages in sorted(most.items(), key=lambda item: item[1]):
        yield f"one machine: {passages:.2g} passages by {why}: {1e9 / passages:.1f} for 10^9"


def fitted_power(by_size: Mapping[int, float]) -> float:
    """The exponent of the power of the size that is nearest to what was measured."""
    sizes = [math.log(n) for n in by_size]
    values = [math.log(max(value, 1e-9)) for value in by_size.values()]
    return statistics.linear_regression(sizes, values).slope


# ------------------------------------------------------------------ one size, in its own process


def documents(count: int, owners: int = 1) -> Iterator[Document]:
    """Documents of so many texts, by turns of so many owners."""
    folder = corpus.data_folder()
    assert folder is not None
    for n, text in enumerate(corpus.mixed(folder, count)):
        yield Document(f"d{n}", "scale", text, owner=f"o{n % owners}" if owners > 1 else "local")


def _seconds(work: Callable[[], object]) -> float:
    since = perf_counter()
    work()
    return perf_counter() - since


def _fill(store: StorageEngine, passages: int, owners: int = 1) -> Measured:
    """Documents until there are so many passages; each stage by itself."""
    some = list(documents(passages, owners))
    took = {"import_s": _seconds(lambda: write_path.add(store, Source("scale"), some))}
    took["index_s"] = _seconds(store.admin.refresh)
    took["vectors_s"] = _seconds(lambda: _embed(store))
    took["graph_s"] = _seconds(store.admin.refresh)
    return took


def _embed(store: StorageEngine) -> None:
    noise = Noise(1)
    while waiting := store.pending(MODEL, limit=10_000):
        store.put_vectors(MODEL, [key for key, _ in waiting], noise.some(len(waiting)))


def _p50(work: Callable[[str], object], queries: list[str]) -> float:
    for query in queries[:10]:
        work(query)
    times = [_seconds(lambda query=query: work(query)) for query in queries]  # type: ignore[misc]
    return 1000 * statistics.median(times)


def _asked(store: StorageEngine, queries: list[str], owner: str | None = None) -> Measured:
    noise = Noise(2)
    memory = Memory(store, config.load({"telemetry": False}), noise)
    filter = Filter(owner=owner)
    return {
        "words_ms": _p50(
            lambda q: memory.search(q, cache=False, by="keyword", owner=owner), queries
        ),
        "meaning_ms": _p50(
            lambda q: store.search_vector(MODEL, noise.embed_query(q), filter, limit=10), queries
        ),
        "hybrid_ms": _p50(lambda q: memory.search(q, cache=False, owner=owner), queries),
    }


def _sizes_of(store: StorageEngine, folder: Path, url: str, schema: str) -> Measured:
    found: dict[str, float] = dict.fromkeys((f"{part}_bytes" for part in _PARTS), 0)
    named: list[tuple[str, int]] = []
    if url:
        import psycopg

        with psycopg.connect(url) as db:
            named = db.execute(
                "SELECT relname, pg_total_relation_size(oid) FROM pg_class "
                "WHERE relkind = 'r' AND relnamespace = %s::regnamespace", (schema,)
            ).fetchall()  # fmt: skip
    else:
        for file in folder.rglob("*"):
            if file.is_file():
                named.append((str(file.relative_to(folder)), file.stat().st_size))
    for name, size in named:
        for part, beginnings in _PARTS.items():
            if name.startswith(beginnings):
                found[f"{part}_bytes"] += size
    stats = store.stats()
    return {**found, "bytes": sum(size for _, size in named), "passages": stats.passages}


def _memory_of(field: str) -> float:
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(one.split()[1]) * 1024 for one in lines if one.startswith(field)), 0)


def one_size(work: Path, engine: str, passages: int, url: str) -> Measured:
    os.environ["RECOLLECT_HOME"] = str(work / "home")
    folder = corpus.data_folder()
    assert folder is not None
    queries = corpus.questions(folder, QUERIES)
    found: Measured = {}
    with _made(work, engine, url) as (store, _):
        found |= _fill(store, passages)
    with _made(work, engine, url, keep=True) as (store, sizes):
        before = _memory_of("RssAnon")
        found |= _asked(store, queries)
        found["resident_bytes"] = _memory_of("RssAnon") - before
        found |= sizes(store)
    if passages == min(SIZES):
        with _made(work, engine, url) as (store, _):
            taken = _fill(store, passages, OWNERS)
        with _made(work, engine, url, keep=True) as (store, sizes):
            many = sizes(store)
        with _made(work, engine, url, keep=True, owner="o7") as (store, _):
            asked = _asked(store, queries, "o7")
            found |= {f"owner_{name}": value for name, value in asked.items()}
            found["owner_bytes"] = (many["bytes"] - found["bytes"]) / OWNERS
            found["owner_s"] = (sum(taken.values()) - sum(found[n] for n in taken)) / OWNERS
    return found


class _made:  # noqa: N801  it is called, as the others are
    """A store at the place of this bench, empty unless it is to be kept, and what it takes. On a
    server it is opened for the owner alone, as a service for many would."""

    def __init__(
        self, work: Path, engine: str, url: str, *, keep: bool = False, owner: str = ""
    ) -> None:
        self._url = url if engine == "postgres" else ""
        self._folder, self._schema = work / "store", "scale"
        joint = "&" if "?" in url else "?"
        self._location = (
            f"{url}{joint}schema={self._schema}&timeout=3600" if self._url else str(self._folder)
        )
        if self._url and owner:
            self._location += f"&owner={owner}"
        if not keep:
            self._drop()

    def _drop(self) -> None:
        if self._url:
            import psycopg

            with psycopg.connect(self._url, autocommit=True) as db:
                db.execute(f"DROP SCHEMA IF EXISTS {self._schema} CASCADE".encode())
        else:
            shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> tuple[StorageEngine, Callable[[StorageEngine], Measured]]:
        self._store = open_store(self._location)
        return self._store, lambda store: _sizes_of(store, self._folder, self._url, self._schema)

    def __exit__(self, *_: object) -> None:
        self._store.close()


if __name__ == "__main__":
    work_, engine_, passages_, url_ = asked.words(
        "scale", __doc__, "WORK", "ENGINE", "PASSAGES", "URL"
    )
    print(json.dumps(one_size(Path(work_), engine_, int(passages_), url_)))
