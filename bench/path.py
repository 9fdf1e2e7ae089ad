"""What the read path costs over its parts: the models and the engine's searches by themselves.

``python -m bench path``. The parts are called directly, on the same questions, in the same run.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from bench import corpus
from bench.quality import store_for
from bench.timing import Ratio, both
from recollect import Memory
from recollect.nouns import Filter, StoredPassage, TextQuery, words
from recollect.text.lexical import indexed_text
from recollect.text.questions.parse import parse

COUNT = 60


def run(work: Path) -> Iterator[Ratio]:
    folder = corpus.data_folder()
    if folder is None:
        sys.exit("this bench needs the data folder (RECOLLECT_DATA)")
    asked = [q["query"] for q in corpus.lines(folder / "scifact" / "queries.jsonl")][:COUNT]
    with store_for(work, folder, "scifact", "recollect-embed") as plain:
        place = plain.store.stats().location
    with Memory.open(place) as memory:
        memory.search("warm everything up, please")
        yield _whole(memory, asked)
        yield _around(memory, [f"{question} again" for question in asked])


def _whole(memory: Memory, asked: list[str]) -> Ratio:
    """All of a search against the embedding, the reranking and the searches it cannot do
    without."""
    embedder, _ = memory.core.serving_embedder()
    reranker = memory.core.reranker
    assert embedder is not None
    assert reranker is not None

    def parts(question: str) -> None:
        parsed, every = parse(question), Filter()
        vector = embedder.embed_query(parsed.prose)
        title = TextQuery(any=words(parsed.content), field="title")
        strict = parsed.text._replace(any=words(parsed.content), strict=True)
        for query in (strict, parsed.text, title):
            found = memory.store.search_text([query], every, limit=50)[0].hits
        near = memory.store.search_vector(embedder.key, vector, every, limit=50).hits
        stored = memory.store.passages([hit.passage for hit in [*near, *found][:20]])
        reranker.score(question, [_text(p) for p in stored])

    def whole(question: str) -> None:
        memory.search(question)

    ours, theirs = both(whole, parts, asked)
    ratio = ours / theirs
    name = "a search against its models and the engine's searches, p50"
    return Ratio(name, ours, theirs, "ms", ratio, "<= 1.3", ratio <= 1.3)


def _around(memory: Memory, asked: list[str]) -> Ratio:
    """Grade, cut, budget and explanation against the search they are part of."""
    around, whole = [], []
    for question in asked:
        since = perf_counter()
        answer = memory.search(question)
        whole.append((perf_counter() - since) * 1000)
        around.append(sum(s.ms for s in answer.stages if s.name in ("grade", "cut", "budget")))
    ours, theirs = statistics.median(around), statistics.median(whole)
    ratio = ours / theirs
    name = "grade, cut, budget and explanation, share of a search, p50"
    return Ratio(name, ours, theirs, "ms", ratio, "< 0.05", ratio < 0.05)


def _text(stored: StoredPassage) -> str:
    document, passage = stored.document, stored.passage
    return indexed_text(document.title, passage.heading, passage.text)
