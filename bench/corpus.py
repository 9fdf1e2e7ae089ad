"""The public corpora that the benches run on, found through RECOLLECT_DATA."""

from __future__ import annotations

import json
import lzma
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SIZE = 153_799
"""Documents of the large corpus."""


def data_folder() -> Path | None:
    """``$RECOLLECT_DATA``, else the data folder beside the checkout; None if there is none."""
    given = os.environ.get("RECOLLECT_DATA")
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(given) if given else beside
    return folder if (folder / "README.md").is_file() else None


def lines(path: Path) -> Iterator[dict[str, Any]]:
    opener = lzma.open if path.suffix == ".xz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def big_corpus(folder: Path) -> list[dict[str, Any]]:
    """153,799 documents: Wikipedia paragraphs, Debian packages, Django commits."""
    documents = list(lines(folder / "2wiki" / "docs.jsonl.xz"))
    documents += lines(folder / "debian" / "docs.jsonl.xz")
    for commit in lines(folder / "gitlog" / "django.jsonl.xz"):
        text = f"{commit['subject']}\n\n{commit['body']}"
        documents.append({"id": commit["sha"], "date": commit["date"], "text": text})
    random.Random(42).shuffle(documents)
    return documents


def mixed(folder: Path, count: int) -> Iterator[str]:
    """So many texts, none twice: beyond the corpus each is made of the halves of two."""
    texts = [one["text"] for one in big_corpus(folder)]
    for n in range(count):
        turn, at = divmod(n, len(texts))
        text = texts[at]
        if turn:
            other = texts[(at + turn * 7919) % len(texts)]
            text = f"{text[: len(text) // 2]} {other[len(other) // 2 :]}"
        yield text


def questions(folder: Path, count: int) -> list[str]:
    """Multi-hop questions, and short ones made from the titles of packages."""
    long = [q["query"] for q in lines(folder / "2wiki" / "queries.jsonl")]
    short = [d["title"] for d in lines(folder / "debian" / "docs.jsonl.xz") if d.get("title")]
    some = random.Random(7)
    return some.sample(long, count // 2) + some.sample(short, count - count // 2)
