"""Which model serves this store best, measured on the store itself.

No labels are needed: a note's title should find its body (the title taken out of it), and a
question in a session should find the answer that followed. Each question looks for its own
passage among those of all the others.

    MRR = mean of 1 / rank        hit@k = share of questions whose passage is among the first k
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import islice
from time import perf_counter
from typing import Any

from recollect.errors import UsageError
from recollect.named_tuple import NamedTuple
from recollect.nouns import Document, Filter, Passage, Progress, Put, Report
from recollect.ports import Embedder, Store, scanned
from recollect.storage.plain.engine import PlainStore
from recollect.text.chunk import passages
from recollect.text.questions.parse import parse
from recollect.writing import path

LEAST = 20
"""Fewer questions than this tell nothing."""
NEAR = 0.02
"""A difference in MRR below which the faster model is the better one."""
_LOOKED_AT = 5_000
_LONGEST = 2_000


class ModelScore(NamedTuple):
    """How one way of searching did; ``words`` is BM25 without any model."""

    name: str
    questions: int
    mrr: float
    hit_at_1: float
    hit_at_10: float
    passages_a_second: float | None
    query_ms: float | None

    def as_json(self) -> dict[str, Any]:
        return self._asdict()


class BenchPair(NamedTuple):
    question: str
    passage: str


def bench(
    store: Store,
    embedders: Mapping[str, Embedder],
    *,
    sample: int = 200,
    report: Report = lambda _: None,
) -> list[ModelScore]:
    """Words alone and each embedder, on the same questions."""
    found = list(_pairs(store))
    if len(found) < LEAST:
        raise UsageError(
            f"the store gives {len(found)} questions, too few to tell models apart",
            hint=f"import more notes with titles, or sessions: {LEAST} questions are the least",
        )
    random.Random(42).shuffle(found)
    pairs = found[:sample]
    scores = [_words(pairs)]
    for number, (name, embedder) in enumerate(embedders.items()):
        report(Progress(f"measuring {name}", number, len(embedders)))
        scores.append(_model(name, embedder, pairs))
    return scores


def recommended(scores: list[ModelScore]) -> str:
    """The model with the best MRR, or a faster one that is as good."""
    models = [s for s in scores if s.query_ms is not None]
    if not models:
        return "none"
    best = max(models, key=lambda s: s.mrr)
    as_good = [s for s in models if best.mrr - s.mrr < NEAR]
    return max(as_good, key=lambda s: s.passages_a_second or 0.0).name


# ------------------------------------------------------------------ questions


def _pairs(store: Store) -> Iterator[BenchPair]:
    for head in islice(scanned(store, Filter(), size=500), _LOOKED_AT):
        for document in store.get(head.id):
            yield from _of_session(document) if document.messages else _of_note(document)


def _of_note(document: Document) -> Iterator[BenchPair]:
    """The title, and the first passage without it. A title that is only the file's name asks
    nothing."""
    if len(document.title.split()) < 2 or document.title == document.path:
        return
    for passage in passages(document)[:1]:
        body = passage.text.replace(document.title, " ").strip()
        if len(body) > 80:
            yield BenchPair(document.title, body)


def _of_session(document: Document) -> Iterator[BenchPair]:
    """The first question of a session, and what was answered."""
    for asked, answered in zip(document.messages, document.messages[1:], strict=False):
        if asked.role == "user" and answered.role == "assistant" and "?" in asked.text:
            if len(answered.text) > 80:
                yield BenchPair(asked.text[:_LONGEST], answered.text[:_LONGEST])
            return


# ------------------------------------------------------------------ scoring


def _score(
    name: str, ranks: list[int | None], speed: float | None = None, ms: float | None = None
) -> ModelScore:
    count = len(ranks)
    return ModelScore(
        name=name,
        questions=count,
        mrr=sum(1 / rank for rank in ranks if rank) / count,
        hit_at_1=sum(rank == 1 for rank in ranks) / count,
        hit_at_10=sum(rank is not None and rank <= 10 for rank in ranks) / count,
        passages_a_second=speed,
        query_ms=ms,
    )


def _words(pairs: list[BenchPair]) -> ModelScore:
    store = PlainStore()
    puts = [
        Put(Document(str(i), "bench", text=p.passage), (Passage(0, p.passage),))
        for i, p in enumerate(pairs)
    ]
    path.commit(store, puts)
    ranks: list[int | None] = []
    for number, pair in enumerate(pairs):
        hits = store.search_text([parse(pair.question).text], Filter(), limit=len(pairs))[0].hits
        order = [p.document.external for p in store.passages([h.passage for h in hits])]
        ranks.append(order.index(str(number)) + 1 if str(number) in order else None)
    return _score("words", ranks)


def _model(name: str, embedder: Embedder, pairs: list[BenchPair]) -> ModelScore:
    embedder.embed_query("to load the model")
    since = perf_counter()
    table = embedder.embed_passages([pair.passage for pair in pairs])
    speed = len(pairs) / (perf_counter() - since)
    ranks: list[int | None] = []
    taken = 0.0
    for number, pair in enumerate(pairs):
        since = perf_counter()
        cosines = table @ embedder.embed_query(pair.question)
        taken += perf_counter() - since
        ranks.append(int((cosines > cosines[number]).sum()) + 1)
    return _score(name, ranks, speed, taken / len(pairs) * 1000)
