"""The questions that may be learned from, each with what our keyword search finds for it.

``python -m training.asked`` writes ``training/out/asked.jsonl.xz``; run ``training.documents``
first. The dense half of the first stage is added where the teacher is (``training.mine``).
"""

from __future__ import annotations

import json
import lzma
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.corpus import data_folder, lines
from bench.quality import SETS

from recollect import Memory
from recollect.text.lexical import indexed_text
from training.documents import OUT
from training.halves import allowed, fit_questions

DEEP = 50


def questions(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    for question in fit_questions(folder, name):
        yield {"set": name, "use": "fit", **question}
    if name == "2wiki":
        for question in lines(folder / "2wiki" / "train-queries.jsonl.xz"):
            yield {"set": name, "use": "train", **question}


def found_by_words(memory: Memory, rows: dict[tuple[str, str], int], query: str) -> list[int]:
    answer = memory.search(query, by="keyword", mode="tokenmax", limit=DEEP)
    texts = ((r.document, indexed_text(r.title, r.heading, r.text)) for r in answer.results)
    return [rows[key] for key in texts if key in rows]


def main() -> int:
    folder = data_folder()
    if folder is None:
        sys.exit("the data folder is needed (RECOLLECT_DATA)")
    rows: dict[str, dict[tuple[str, str], int]] = {}
    for number, row in enumerate(lines(OUT / "passages.jsonl.xz")):
        if "d" in row:
            rows.setdefault(row["s"], {})[row["d"], row["t"]] = number
    kept: list[dict[str, Any]] = []
    for name, (documents, _questions) in SETS.items():
        with tempfile.TemporaryDirectory() as scratch:
            plain = Path(scratch, "docs.jsonl")
            with open(plain, "w", encoding="utf-8") as out:
                for document in lines(folder / documents):
                    out.write(json.dumps(document, ensure_ascii=False) + "\n")
            with Memory.open(Path(scratch, "store"), embed_model="none") as memory:
                memory.add(plain)
                for question in questions(folder, name):
                    question["lex"] = found_by_words(memory, rows[name], question["query"])
                    kept.append(question)
        print(name, len(kept), flush=True)
    with lzma.open(OUT / "asked.jsonl.xz", "wt") as out:
        for question in allowed(folder, kept):
            fields = ("set", "use", "id", "query", "gold", "gold_turns", "lex")
            out.write(json.dumps({k: question[k] for k in fields if k in question}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
