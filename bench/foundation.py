"""The foundation's claims: lexical and hybrid search, import, cold start, growth.

(a) warm lexical search ≥ 20× as fast as the same query on plain FTS5, at p50
(b) a warm hybrid search ≤ 2× the embedding of its query, at p50
(c) import without embedding ≥ 4,000 documents a second, peak memory < 1 GB
(d) a cold lexical search ≤ 5× `python -c "import sqlite3, json"`; a cold hybrid search ≤ 1.5×
    bare start + model load + one query embedding; `recollect --version` ≤ 3×
(e) search cost from 10k to 150k documents grows < 3×, at p50

Vectors are seeded noise: embedding the corpus would take hours, and the cost of searching it
does not depend on what they mean.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from bench import corpus
from bench.timing import Ratio, both, commands
from recollect import Memory, config
from recollect.memory import model_states, models_folder
from recollect.models.catalog import ARCTIC_S
from recollect.models.onnx import OnnxEmbedder
from recollect.nouns import Filter
from recollect.text.questions.parse import parse

QUERIES = 200
FIRST_STAGE = {"embed_model": ARCTIC_S.name, "rerank_model": "none"}
"""The claims are about the engine beside one fixed embedder."""


def run(work: Path) -> Iterator[Ratio]:
    folder = corpus.data_folder()
    if folder is None:
        sys.exit("no data: set RECOLLECT_DATA to the data folder")
    if not any(state.here for state in model_states(config.load()) if state.name == ARCTIC_S.name):
        sys.exit(f"no model: `make bench` fetches it, or `recollect models fetch {ARCTIC_S.name}`")
    work.mkdir(parents=True, exist_ok=True)
    documents = corpus.big_corpus(folder)
    queries = corpus.questions(folder, QUERIES)
    small, big = work / "small", work / "big"
    for store in (small, big):
        shutil.rmtree(store, ignore_errors=True)
    yield from _import(documents, work, big)
    _write(documents[:10_000], work / "small.jsonl")
    with Memory.open(small, embed_model="none") as memory:
        memory.add(work / "small.jsonl")
    with Memory.open(big, **FIRST_STAGE) as large, Memory.open(small, **FIRST_STAGE) as little:
        yield from lexical(large, documents, queries, work)
        for memory in (large, little):
            synthetic_vectors(memory)
        yield from hybrid(large, little, queries)
        yield from growth(large, little, queries)
    yield from cold(big, queries[-1])


def _write(documents: list[dict[str, Any]], path: Path) -> None:
    with open(path, "w", encoding="utf-8") as file:
        for document in documents:
            file.write(json.dumps(document) + "\n")


def _import(documents: list[dict[str, Any]], work: Path, store: Path) -> Iterator[Ratio]:
    """(c), in a process of its own so that its memory is its own."""
    _write(documents, work / "big.jsonl")
    since = perf_counter()
    subprocess.run(
        [sys.executable, "-m", "recollect", "add", str(work / "big.jsonl"), "--no-embed",
         "--quiet", "--store", str(store)],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    rate = len(documents) / (perf_counter() - since)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    yield Ratio("(c) import, documents a second", rate, 4000, "docs/s", rate / 4000,
                ">= 1 of 4,000", rate >= 4000)  # fmt: skip
    yield Ratio("(c) import, peak memory", peak, 1000, "MB", peak / 1000, "< 1 of 1 GB",
                peak < 1000)  # fmt: skip


def lexical(
    memory: Memory, documents: Iterable[Mapping[str, Any]], queries: list[str], work: Path
) -> Iterator[Ratio]:
    """(a): the best ten passages with their text from the engine, against the same statement on
    FTS5; and, to see what it costs, the whole of Memory.search by keyword."""
    path = work / "fts5.db"
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path)
    db.execute("CREATE VIRTUAL TABLE docs USING fts5(body, tokenize = 'porter unicode61')")
    texts = ((f"{d.get('title', '')}\n{d['text']}",) for d in documents)
    with db:
        db.executemany("INSERT INTO docs VALUES (?)", texts)
    db.execute("INSERT INTO docs(docs) VALUES ('optimize')")

    def fts5(query: str) -> object:
        words = parse(query).content
        match = " OR ".join('"' + word.replace('"', '""') + '"' for word in words)
        return db.execute(
            "SELECT rowid, body FROM docs WHERE docs MATCH ? ORDER BY rank LIMIT 10", (match,)
        ).fetchall()

    def engine(query: str) -> object:
        hits = memory.store.search_text([parse(query).text], Filter(), limit=10)[0].hits
        return memory.store.passages([hit.passage for hit in hits])

    def whole(query: str) -> object:
        return memory.search(query, by="keyword", limit=10)

    for warm in queries:
        whole(warm)
        fts5(warm)
    for name, work_on in (("lexical search", engine), ("Memory.search by keyword", whole)):
        ours, theirs = both(work_on, fts5, queries)
        yield Ratio(f"(a) warm {name} against FTS5, p50", ours, theirs, "ms", theirs / ours,
                    ">= 20 times as fast", theirs / ours >= 20)  # fmt: skip
    db.close()


def synthetic_vectors(memory: Memory) -> None:
    noise = np.random.default_rng(42)
    key = ARCTIC_S.key
    centre = noise.normal(size=ARCTIC_S.dimensions) * 0.5
    while waiting := memory.store.pending(key, limit=20_000):
        vectors = (noise.normal(size=(len(waiting), ARCTIC_S.dimensions)) + centre).astype("f4")
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        memory.store.put_vectors(key, [k for k, _ in waiting], vectors)


def _fresh_embedder(memory: Memory) -> OnnxEmbedder:
    """One that remembers no query."""
    return OnnxEmbedder(ARCTIC_S, models_folder(memory.config) / ARCTIC_S.key)


def hybrid(large: Memory, little: Memory, queries: list[str]) -> Iterator[Ratio]:
    """(b): each search against the embedding that is part of it, as its own trace has it."""
    for warm in queries[:10]:
        large.search(f"{warm} warm")
        little.search(f"{warm} warm")
    answers = [large.search(query) for query in queries]
    whole = median(a.timing_ms for a in answers)
    embed = median(s.ms for a in answers for s in a.stages if s.name == "embed")
    yield Ratio("(b) warm hybrid search against its query's embedding, p50", whole, embed, "ms",
                whole / embed, "<= 2", whole / embed <= 2)  # fmt: skip


def growth(
    large: Memory, little: Memory, queries: list[str], sizes: str = "150k against 10k documents"
) -> Iterator[Ratio]:
    """(e): lexical alone, vectors alone, and the whole hybrid search with its query embedded
    already."""
    embedder = _fresh_embedder(large)
    vectors = {query: embedder.embed_query(query) for query in queries}

    def nearest(memory: Memory, query: str) -> object:
        return memory.store.search_vector(ARCTIC_S.key, vectors[query], Filter(), limit=100)

    kinds: dict[str, Callable[[Memory, str], object]] = {
        "lexical": lambda m, q: m.search(q, by="keyword"),
        "vector": nearest,
        "hybrid": lambda m, q: m.search(q),
    }
    for query in queries:  # from here on every query's vector is remembered
        large.search(query)
        little.search(query)
    for name, search in kinds.items():
        many, few = both(partial(search, large), partial(search, little), queries)
        yield Ratio(f"(e) {name} search, {sizes}, p50", many, few, "ms",
                    many / few, "< 3", many / few < 3)  # fmt: skip


def cold(store: Path, query: str) -> Iterator[Ratio]:
    """(d): whole processes."""
    os.environ["RECOLLECT_EMBED_MODEL"], os.environ["RECOLLECT_RERANK_MODEL"] = FIRST_STAGE.values()
    recollect = [sys.executable, "-m", "recollect"]
    bare = [sys.executable, "-c", "import sqlite3, json"]
    version, lexical, base = commands(
        [*recollect, "--version"],
        [*recollect, "search", query, "--by", "keyword", "--json", "--store", str(store)],
        bare,
    )
    yield Ratio("(d) recollect --version against a bare start", version, base, "ms",
                version / base, "<= 3", version / base <= 3)  # fmt: skip
    yield Ratio("(d) cold lexical search against a bare start", lexical, base, "ms",
                lexical / base, "<= 5", lexical / base <= 5)  # fmt: skip
    load = (
        "import sys; from pathlib import Path; from recollect.models.catalog import ARCTIC_S; "
        "from recollect.models.onnx import OnnxEmbedder; "
        "OnnxEmbedder(ARCTIC_S, Path(sys.argv[1])).embed_query(sys.argv[2])"
    )
    place = models_folder(config.load())
    hybrid, model = commands(
        [*recollect, "search", query, "--json", "--store", str(store)],
        [sys.executable, "-c", load, str(place / ARCTIC_S.key), query],
        rounds=9,
    )
    yield Ratio("(d) cold hybrid search against start + load + embedding", hybrid, model, "ms",
                hybrid / model, "<= 1.5", hybrid / model <= 1.5)  # fmt: skip
