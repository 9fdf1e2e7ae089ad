"""Retrieval quality on the public question sets, by words, by meaning and by both.

Every figure comes through :class:`recollect.Memory`, as a user would get it. ``fit`` questions
(the SHA-1 of their id is even) may be used to choose things, ``test`` questions never.

``python -m bench quality [MODEL…]`` writes ``docs/quality.md``. The stores are kept in
``.cache/bench/quality``, so that a second run embeds nothing.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench import corpus
from recollect import Memory

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


class Figures(NamedTuple):
    """Means over the questions of one set that have an answer in it."""

    questions: int
    first: float
    recall: float
    everything: float
    ndcg: float


def half(question: dict[str, Any]) -> str:
    return "test" if int(hashlib.sha1(question["id"].encode()).hexdigest(), 16) % 2 else "fit"


def asked(folder: Path, name: str) -> list[dict[str, Any]]:
    return [q for q in corpus.lines(folder / SETS[name][1]) if q.get("gold")]


def store_for(work: Path, folder: Path, name: str, model: str) -> Memory:
    """A store with the set's documents in it, embedded by the model."""
    home = work / "quality" / Path(model).name / name
    home.mkdir(parents=True, exist_ok=True)
    memory = Memory.open(home / "store", embed_model=model)
    if not (home / "complete").exists():
        plain = home / f"{name}.jsonl"
        with open(plain, "w", encoding="utf-8") as out:
            for document in corpus.lines(folder / SETS[name][0]):
                out.write(json.dumps(document, ensure_ascii=False) + "\n")
        memory.add(plain)
        plain.unlink()
        (home / "complete").touch()
    return memory


def measure(memory: Memory, questions: Iterable[dict[str, Any]], way: str) -> Figures:
    rows = []
    for question in questions:
        found = memory.search(question["query"], by=None if way == "hybrid" else way, limit=10)
        rows.append(scores([r.document for r in found.results], set(question["gold"])))
    count = len(rows)
    return Figures(count, *(sum(column) / max(count, 1) for column in zip(*rows, strict=True)))


def scores(ranked: Sequence[str], gold: set[str]) -> tuple[float, float, float, float]:
    """First hit right, recall@10, all evidence in the first five, nDCG@10."""
    ranked = list(dict.fromkeys(ranked))[:10]
    gain = sum(1 / math.log2(place + 2) for place, one in enumerate(ranked) if one in gold)
    best = sum(1 / math.log2(place + 2) for place in range(min(10, len(gold))))
    return (
        float(bool(ranked) and ranked[0] in gold),
        len(gold & set(ranked)) / len(gold),
        float(gold <= set(ranked[:5])),
        gain / best,
    )


def table(work: Path, folder: Path, models: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    for part in ("fit", "test"):
        yield f"\n## {part.capitalize()} half\n\n"
        yield "| set | questions | model | by | first hit | R@10 | all@5 | nDCG@10 |\n"
        yield "|---|---|---|---|---|---|---|---|\n"
        for name in names:
            questions = [q for q in asked(folder, name) if half(q) == part]
            for number, model in enumerate(models):
                with store_for(work, folder, name, model) as memory:
                    for way in WAYS if not number else WAYS[1:]:
                        f = measure(memory, questions, way)
                        yield (
                            f"| {name} | {f.questions} | {model if way != 'keyword' else ''} | "
                            f"{way} | {f.first:.3f} | {f.recall:.3f} | {f.everything:.3f} | "
                            f"{f.ndcg:.3f} |\n"
                        )


def main(models: Sequence[str]) -> int:
    folder = corpus.data_folder()
    if folder is None:
        sys.exit("this bench needs the data folder (RECOLLECT_DATA)")
    root = Path(__file__).resolve().parents[1]
    for line in table(root / ".cache" / "bench", folder, models, list(SETS)):
        print(line, end="", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["arctic-embed-s"]))
