"""Retrieval quality on the public question sets, by words, by meaning and by both.

Every figure comes through :class:`recollect.Memory`, as a user would get it. ``fit`` questions
(the SHA-1 of their id is even) may be used to choose things, ``test`` questions never.

``python -m bench.quality [--sets NAME…] [MODEL…]`` prints the tables of ``docs/quality.md``. The
stores are kept in ``.cache/bench/quality``, so that a second run embeds nothing; the first takes
hours of one processor.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench import corpus
from recollect import Memory
from recollect_evals import metrics
from recollect_evals.questions import half_of

LANGUAGES = ("en", "de", "es", "zh", "ru", "ar")
SETS = {
    "longmemeval": ("longmemeval/sessions.jsonl.xz", "longmemeval/queries.jsonl"),
    "personas": ("personas/sessions.jsonl.xz", "personas/queries.jsonl"),
    "notes": ("notes/docs.jsonl.xz", "notes/queries.jsonl"),
    "scifact": ("scifact/docs.jsonl.xz", "scifact/queries.jsonl"),
    "timeqa": ("timeqa/docs.jsonl.xz", "timeqa/queries.jsonl"),
    "2wiki": ("2wiki/docs.jsonl.xz", "2wiki/queries.jsonl"),
    **{
        f"xquad-{code}": (f"xquad/{code}.docs.jsonl.xz", f"xquad/{code}.queries.jsonl.xz")
        for code in LANGUAGES
    },
}
WAYS = ("keyword", "semantic", "hybrid")
RERANKED = "reranked"
"""With the reranker that ``rerank.model`` names."""


class Figures(NamedTuple):
    """Means over the questions of one set that have an answer in it."""

    questions: int
    first: float
    recall: float
    everything: float
    ndcg: float


def half(question: dict[str, Any]) -> str:
    return half_of(question["id"])


def asked(folder: Path, name: str) -> list[dict[str, Any]]:
    return [q for q in corpus.lines(folder / SETS[name][1]) if q.get("gold")]


def documents(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    return corpus.lines(folder / ("peps/docs.jsonl.xz" if name == "peps" else SETS[name][0]))


def store_for(work: Path, folder: Path, name: str, model: str) -> Memory:
    """A store with the set's documents in it, embedded by the model."""
    home = work / "quality" / Path(model).name / name
    home.mkdir(parents=True, exist_ok=True)
    memory = Memory.open(home / "store", embed_model=model, rerank_model="none")
    if not (home / "complete").exists():
        plain = home / f"{name}.jsonl"
        with open(plain, "w", encoding="utf-8") as out:
            for document in documents(folder, name):
                out.write(json.dumps(document, ensure_ascii=False) + "\n")
        memory.add(plain)
        plain.unlink()
        (home / "complete").touch()
    return memory


def measure(memory: Memory, questions: Iterable[dict[str, Any]], way: str) -> Figures:
    by = way if way in ("keyword", "semantic") else None
    rows = []
    for question in questions:
        found = memory.search(question["query"], by=by, limit=10, budget=1_000_000)
        rows.append(scores([r.document for r in found.results], set(question["gold"])))
    count = len(rows)
    return Figures(count, *(sum(column) / max(count, 1) for column in zip(*rows, strict=True)))


def scores(ranked: Sequence[str], gold: set[str]) -> tuple[float, float, float, float]:
    """First hit right, recall@10, all evidence in the first five, nDCG@10."""
    return (
        metrics.any_hit_at(ranked, gold, 1),
        metrics.recall_at(ranked, gold, 10),
        metrics.all_evidence_at(ranked, gold, 5),
        metrics.ndcg_at(ranked, gold, 10),
    )


def figures(
    work: Path, folder: Path, name: str, model: str, ways: Sequence[str]
) -> Iterator[tuple[str, str, Figures]]:
    """(half, way, figures) of one set with one model."""
    questions = asked(folder, name)
    with store_for(work, folder, name, model) as plain:
        place = plain.store.stats().location
        with Memory.open(place, embed_model=model) as whole:
            for part in ("fit", "test"):
                some = [q for q in questions if half(q) == part]
                for way in ways if some else ():
                    memory = whole if way == RERANKED else plain
                    yield part, way, measure(memory, some, way)


def main(arguments: Sequence[str]) -> int:
    ask = argparse.ArgumentParser(prog="python -m bench.quality")
    ask.add_argument("models", nargs="*", default=["recollect-embed", "arctic-embed-s"])
    ask.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    ask.add_argument("--ways", nargs="+", default=WAYS, choices=(*WAYS, RERANKED))
    given = ask.parse_args(arguments)
    folder = corpus.data_folder()
    if folder is None:
        sys.exit("this bench needs the data folder (RECOLLECT_DATA)")
    work = Path(__file__).resolve().parents[1] / ".cache" / "bench"
    print("| set | half | questions | model | by | first hit | R@10 | all@5 | nDCG@10 |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in given.sets:
        for number, model in enumerate(given.models):
            ways = [w for w in given.ways if w != "keyword" or not number]
            for part, way, f in figures(work, folder, name, model, ways):
                shown = "" if way == "keyword" else Path(model).name
                means = " | ".join(f"{value:.3f}" for value in f[1:])
                print(
                    f"| {name} | {part} | {f.questions} | {shown} | {way} | {means} |", flush=True
                )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
