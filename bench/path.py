"""What the read path costs over its parts: the models and the engine's searches by themselves.

``python -m bench path [--reranker FOLDER]``. The parts are called directly, on the same questions,
in the same run; with a reranker's folder, so is the same search with that.
"""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from bench import corpus
from bench.quality import store_for
from bench.timing import Ratio, both
from recollect import Memory
from recollect.nouns import Filter, TextQuery, words
from recollect.text.questions.parse import parse

COUNT = 60
OWN = ("grade", "cut", "spans", "budget")
"""Stages that neither search nor call a model."""


def run(work: Path) -> Iterator[Ratio]:
    folder = corpus.data_folder()
    if folder is None:
        sys.exit("this bench needs the data folder (RECOLLECT_DATA)")
    asked = [q["query"] for q in corpus.lines(folder / "notes" / "queries.jsonl")][:COUNT]
    with store_for(work, folder, "notes", "recollect-embed") as plain:
        place = plain.store.stats().location
    with Memory.open(place, rerank_model="none") as memory:
        memory.search("warm everything up, please")
        yield _embedding(memory, asked)
        if reranker := os.environ.get("RECOLLECT_BENCH_RERANKER"):
            yield _reading_again(memory, reranker, asked)
        yield _whole(memory, [f"{question} once more" for question in asked])
        yield _around(memory, [f"{question} again" for question in asked])


def _embedding(memory: Memory, asked: list[str]) -> Ratio:
    """A search against the embedding of its question, which it cannot do without."""
    embedder, _ = memory.core.serving_embedder()
    assert embedder is not None

    def embed(question: str) -> None:
        embedder.embed_query(question)

    ours, theirs = both(lambda question: memory.search(f"{question} first"), embed, asked)
    ratio = ours / theirs
    name = "a search against the embedding of its question, p50"
    return Ratio(name, ours, theirs, "ms", ratio, "<= 4", ratio <= 4)


def _reading_again(memory: Memory, reranker: str, asked: list[str]) -> Ratio:
    """A search against the same one with a cross-encoder that reads the best twenty passages."""
    with Memory.open(memory.store.stats().location, rerank_model=reranker) as again:
        again.search("warm everything up, please")
        ours, theirs = both(memory.search, again.search, asked)
    ratio = ours / theirs
    name = "a search against the same with a reranker, p50"
    return Ratio(name, ours, theirs, "ms", ratio, "<= 0.1", ratio <= 0.1)


def _whole(memory: Memory, asked: list[str]) -> Ratio:
    """All of a search against the embedding and the searches it cannot do without."""
    embedder, _ = memory.core.serving_embedder()
    assert embedder is not None

    def parts(question: str) -> None:
        parsed, every = parse(question), Filter()
        vector = embedder.embed_query(parsed.prose)
        title = TextQuery(any=words(parsed.content), field="title")
        strict = parsed.text._replace(any=words(parsed.content), strict=True)
        for query in (strict, parsed.text, title):
            memory.store.search_text([query], every, limit=100)
        memory.store.search_vector(embedder.key, vector, every, limit=100)

    ours, theirs = both(memory.search, parts, asked)
    ratio = ours / theirs
    name = "a search against its model and the engine's searches, p50"
    return Ratio(name, ours, theirs, "ms", ratio, "<= 2", ratio <= 2)


def _around(memory: Memory, asked: list[str]) -> Ratio:
    """Grade, cut, spans, budget and explanation against the search they are part of."""
    around, whole = [], []
    for question in asked:
        since = perf_counter()
        answer = memory.search(question)
        whole.append((perf_counter() - since) * 1000)
        around.append(
            sum(s.ms for s in answer.stages if s.name in ("grade", "cut", "spans", "budget"))
        )
    ours, theirs = statistics.median(around), statistics.median(whole)
    ratio = ours / theirs
    name = "grade, cut, spans and budget, share of a search, p50"
    return Ratio(name, ours, theirs, "ms", ratio, "< 0.5", ratio < 0.5)
