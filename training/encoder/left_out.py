"""Vectors of the bench's texts by models that have not seen their domain.

    python -m training.encoder.left_out texts --tokenizer tokenizer.json --out ROWS
    python -m training.encoder.left_out embed --data DIR --work WORK --rows ROWS    # on a GPU
    python -m training.encoder.left_out keep --rows ROWS

``texts`` writes the passages and questions of the sets that may be fitted, as ``bench.unseen`` asks
them, as tokens: a file for each fold. ``embed`` gives them the vectors of mixed-N, which was taught
without the domains of fold N. ``keep`` puts those where ``bench.unseen`` looks for them.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from training.encoder.sets import FOLDS, PREFIX, fold_of

TOKENS, PASSAGE, QUESTION = 512, 16_000, 4_000
"""The most tokens of a text, and the most characters of a passage and of a question."""


class Recording:
    """An embedder that embeds nothing, and keeps what it was given."""

    def __init__(self, embedder: Any) -> None:
        self._embedder = embedder
        self.key, self.reads, self.speaks = embedder.key, embedder.reads, embedder.speaks
        self.texts: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed_passages(self, texts: list[str]) -> Any:
        self.texts += texts
        return np.eye(1, self._embedder.dimensions, dtype=np.float32).repeat(len(texts), 0)


def recorded(name: str) -> list[str]:
    """The passages of a set, as they are embedded when it is imported."""
    from bench.unseen import sets  # where there is a GPU, there may be no product

    from recollect import Memory, config
    from recollect.memory.models import embedder_for
    from recollect.storage import open_store
    from recollect_evals import leaks
    from recollect_evals.questions import SOURCE
    from recollect_evals.running import as_line

    hidden, _ = leaks.opaque(sets.stored(name))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RECOLLECT_HOME"] = folder
        file = Path(folder, "documents.jsonl")
        file.write_text("".join(map(as_line, hidden.documents)), encoding="utf-8")
        settings = config.load()
        embedder = Recording(embedder_for(settings))
        with Memory(open_store(f"{folder}/store"), settings, embedder) as memory:
            memory.add(file, source=SOURCE)
    return embedder.texts


def texts(tokenizer: Path, out: Path) -> None:
    from bench.unseen import sets, stores

    from recollect.models import wordpiece

    reads = wordpiece.load(tokenizer, TOKENS)
    folds: dict[int, dict[bytes, Any]] = {fold: {} for fold in FOLDS}
    for name in (one.name for one in sets.SETS.values() if one.fits):
        made = folds[fold_of(name)]
        for text in recorded(name):
            made[stores.text_key(text)] = reads.encode(text[:PASSAGE]).ids
        for question in (*sets.asked(name), *sets.foreign(name)):
            asked = PREFIX + question.text[:QUESTION]
            made[stores.text_key(f"?{question.text}")] = reads.encode(asked).ids
        print(name, len(made), flush=True)
    out.mkdir(parents=True, exist_ok=True)
    for fold, made in folds.items():
        rows = [np.array(ids, np.uint16) for ids in made.values()]
        keys = np.frombuffer(b"".join(made), np.uint8).reshape(len(made), -1)
        starts = np.cumsum([0, *map(len, rows)])
        np.savez(out / f"rows-{fold}.npz", keys=keys, flat=np.concatenate(rows), starts=starts)


def embed(data: Path, work: Path, rows: Path) -> None:
    from training.encoder.batches import Rows, encoded  # these two need PyTorch
    from training.encoder.hits import model_named

    for fold in FOLDS:
        held = np.load(rows / f"rows-{fold}.npz")
        model = model_named(f"mixed-{fold}", data, work)
        made = Rows(held["flat"], held["starts"], "cuda")
        found, _ = encoded(model, made, np.arange(len(made.lengths)))
        vectors = found.float().cpu().numpy()
        scale = np.abs(vectors).max(1) / 127
        ints = np.rint(vectors / scale[:, None]).astype(np.int8)
        np.savez(rows / f"vectors-{fold}.npz", keys=held["keys"], scale=scale, vectors=ints)


def keep(rows: Path) -> None:
    from bench.unseen import stores

    stores.LEFT_OUT.unlink(missing_ok=True)
    with sqlite3.connect(stores.LEFT_OUT) as made:
        made.execute("CREATE TABLE vectors (text BLOB PRIMARY KEY, value BLOB)")
        for fold in FOLDS:
            held = np.load(rows / f"vectors-{fold}.npz")
            vectors = held["vectors"].astype(np.float32) * held["scale"][:, None]
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            known = zip(map(bytes, held["keys"]), map(bytes, vectors), strict=True)
            new = ((bytes([fold]) + key, value) for key, value in known)
            made.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", new)


def main() -> None:
    ask = argparse.ArgumentParser(description="vectors by models that have not seen the domain")
    ask.add_argument("what", choices=("texts", "embed", "keep"))
    for name in ("--tokenizer", "--out", "--data", "--work", "--rows"):
        ask.add_argument(name, type=Path)
    given = ask.parse_args()
    if given.what == "texts":
        texts(given.tokenizer, given.out)
    elif given.what == "embed":
        embed(given.data, given.work, given.rows)
    else:
        keep(given.rows)


if __name__ == "__main__":
    main()
