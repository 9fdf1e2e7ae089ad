"""Recall of past conversations: what is found, and what it costs.

    python -m bench.sessions [quality] [speed]

``quality``: are all the sessions that answer a question among the five that are returned, and how
far up is the first? On the public sets, through :class:`recollect.Memory` with its defaults, and
beside plain BM25 over the same messages. ``personas`` is asked twice: of everybody's sessions at
once, and as the person who asks (``owner``), for "my landlord" is somebody else in each of them.

``speed``: on 60,000 messages in 1,500 sessions, as ratios within one run. The vectors are random:
what is measured is how long it takes to look at them.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from bench import asked, corpus
from bench.quality import documents, half, store_for
from bench.reading import asked_at, questions
from bench.timing import Ratio, both
from recollect import Document, Memory, Message
from recollect.memory.requests import sessions_of
from recollect.reading.sessions.ask import ask
from recollect_evals import metrics

MODEL = "recollect-embed"
WORK = Path(__file__).resolve().parents[1] / ".cache" / "bench"
LIMIT = 5
SESSIONS, TURNS = 1_500, 40

Way = Callable[[Memory, Mapping[str, Any], str | None], list[str]]


# ------------------------------------------------------------------ quality


def discovered(memory: Memory, question: Mapping[str, Any], owner: str | None) -> list[str]:
    """As a user gets them."""
    given = {"limit": LIMIT, "now": asked_at(question), "owner": owner}
    request = sessions_of(memory.core, question["query"], given)
    found = ask(request, memory.store, memory.core.models(request.policy))
    return [hit["session_id"] for hit in found.as_json()["results"]]


def by_words(memory: Memory, question: Mapping[str, Any], owner: str | None) -> list[str]:
    """Plain BM25 over messages: nothing graded, nothing cut."""
    query = memory.query(
        question["query"], by="keyword", kinds=("session",), roles=("user", "assistant"),
        owner=owner, limit=200, budget=1_000_000,
    )  # fmt: skip
    query = query._replace(policy=query.policy._replace(cut=False, escalate=0.0), window=None)
    found = memory.ask(query).results
    ranked = sorted(found, key=lambda r: -next((c.raw for c in r.contributions
                                                if c.arm == "lexical"), 0.0))  # fmt: skip
    return list(dict.fromkeys(r.document for r in ranked))[:LIMIT]


WAYS: Mapping[str, Way] = {"sessions": discovered, "BM25": by_words}


def quality(names: Sequence[str] = ("longmemeval", "personas")) -> Iterator[str]:
    folder = corpus.data_folder()
    assert folder is not None
    yield "| set | asked of | half | questions | by | all@5 | R@5 | MRR |"
    yield "|---|---|---|---|---|---|---|---|"
    for name in names:
        owners = {d["id"]: d.get("owner") for d in documents(folder, name)}
        rows = [q for q in questions(folder, name, 10_000) if q.get("gold")]
        with store_for(WORK, folder, name, MODEL) as plain:
            place = plain.store.stats().location
        with Memory.open(place, embed_model=MODEL) as memory:
            for whose in ("everybody", "owner") if any(owners.values()) else ("everybody",):
                for part in ("fit", "test"):
                    some = [q for q in rows if half(q) == part]
                    for way, find in WAYS.items() if some else ():
                        told = [
                            scores(
                                find(memory, q, owners[q["gold"][0]] if whose == "owner" else None),
                                set(q["gold"]),
                            )
                            for q in some
                        ]
                        means = [sum(c) / len(told) for c in zip(*told, strict=True)]
                        shown = " | ".join(f"{mean:.3f}" for mean in means)
                        yield f"| {name} | {whose} | {part} | {len(some)} | {way} | {shown} |"


def scores(ranked: Sequence[str], gold: set[str]) -> tuple[float, float, float]:
    """All the evidence among the first five, the share of it, and 1 / the place of the first."""
    return (
        metrics.all_evidence_at(ranked, gold, LIMIT),
        metrics.recall_at(ranked, gold, LIMIT),
        metrics.reciprocal_rank(ranked, gold),
    )


# ------------------------------------------------------------------ speed


def run(work: Path) -> Iterator[Ratio]:
    folder = corpus.data_folder()
    if folder is None:
        sys.exit("this bench needs the data folder (RECOLLECT_DATA)")
    place = _store(work / "sessions", folder)
    asked_for = corpus.questions(folder, 60)
    with Memory.open(place, embed_model=MODEL) as memory:
        yield from _ratios(memory, asked_for)


def _ratios(memory: Memory, queries: Sequence[str]) -> Iterator[Ratio]:
    def bare(query: str) -> object:
        return memory.search(query, kinds=("session",), roles=("user", "assistant"))

    def discovery(query: str) -> object:
        return memory.sessions(query)

    def scroll(query: str) -> object:
        session = f"s{sum(query.encode()) % SESSIONS}"
        return memory.sessions(session=session, around=f"{session}-{TURNS // 2}", window=20)

    def browse(_: str) -> object:
        return memory.sessions()

    for query in queries[:5]:
        bare(query), discovery(query), scroll(query), browse(query)
    ours, theirs = both(discovery, bare, queries)
    yield _ratio("discovery against the search under it", ours, theirs, 2)
    ours, theirs = both(scroll, discovery, queries)
    yield _ratio("a scroll of 41 messages against discovery", ours, theirs, 0.1)
    ours, theirs = both(browse, discovery, queries)
    yield _ratio("browsing against discovery", ours, theirs, 1)


def _ratio(name: str, ours: float, theirs: float, bar: float) -> Ratio:
    return Ratio(name, ours, theirs, "ms", ours / theirs, f"<= {bar:g}", ours / theirs <= bar)


def _store(work: Path, folder: Path) -> str:
    """Paragraphs of an encyclopedia as conversations, with random vectors."""
    place = work / "store"
    if (work / "complete").exists():
        return str(place)
    work.mkdir(parents=True, exist_ok=True)
    texts = [d["text"] for d in corpus.lines(folder / "2wiki" / "docs.jsonl.xz")]
    chance = random.Random(5)
    with Memory.open(place, embed_model=MODEL) as memory:
        memory.put(_session(n, chance.choices(texts, k=TURNS)) for n in range(SESSIONS))
        memory.store.admin.refresh()
        assert memory.core.embedder is not None
        key, size = memory.core.embedder.key, len(memory.core.embedder.embed_query("size"))
        numbers = np.random.default_rng(5)
        while waiting := memory.store.pending(key, limit=5_000):
            vectors = numbers.normal(size=(len(waiting), size)).astype(np.float32)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            memory.store.put_vectors(key, [one for one, _ in waiting], vectors)
        memory.store.admin.refresh()
    (work / "complete").touch()
    return str(place)


def _session(number: int, texts: Sequence[str]) -> Document:
    began = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=number)
    messages = tuple(
        Message(("user", "assistant")[n % 2], text, f"s{number}-{n}", began + timedelta(minutes=n))
        for n, text in enumerate(texts)
    )
    title = " ".join(texts[0].split()[:8])
    return Document(f"s{number}", "bench", messages=messages, kind="session", title=title,
                    date=began, meta={"parent": f"s{number - 1}", "relation": "fork"}
                    if number % 10 == 9 else {})  # fmt: skip


PARTS = ("quality", "speed")


def main(arguments: Sequence[str]) -> int:
    wanted = arguments or PARTS
    if "quality" in wanted:
        for line in quality():
            print(line, flush=True)
    missed = 0
    if "speed" in wanted:
        for ratio in run(WORK):
            print(ratio.line(), flush=True)
            missed += not ratio.met
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(asked.names("sessions", __doc__, PARTS)))
