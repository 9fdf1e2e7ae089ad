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
import io
import lzma
import os
import sqlite3
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from training.encoder.sets import FOLDS, PREFIX, fold_of

NONE = 255  # the sentence of a token that is of none
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

    def embed_with_sentences(self, texts: list[str]) -> Any:
        from recollect.ports import PassageVectors

        return PassageVectors(self.embed_passages(texts), [b""] * len(texts))


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


class Tokens(NamedTuple):
    """A text as it is encoded."""

    ids: Sequence[int]
    sentence: Sequence[int]
    """Of each token the number of its sentence, or NONE."""
    sentences: int = 0
    """How many it has; the last may be beyond the tokens that are read."""


def marked(reads: Any, text: str) -> Tokens:
    """The tokens of a passage, each with its sentence, as the product gives them to the network."""
    from recollect.text.sentences import parts_of

    first, *_, last = reads.encode("").ids
    ids, sentence, at = [first], [NONE], 0
    parts = parts_of(text)
    for number, (start, end) in enumerate(parts):
        for part, mark in ((text[at:start], NONE), (text[start:end], number)):
            found = reads.encode(part).ids[1:-1]
            ids += found
            sentence += [mark] * len(found)
        at = end
    found = reads.encode(text[at:]).ids[1:-1]
    ids, sentence = [*ids, *found][: TOKENS - 1], [*sentence, *[NONE] * len(found)][: TOKENS - 1]
    return Tokens([*ids, last], [*sentence, NONE], len(parts))


def texts(tokenizer: Path, out: Path) -> None:
    from bench.unseen import sets, stores

    from recollect.models import wordpiece

    reads = wordpiece.load(tokenizer, TOKENS)
    folds: dict[int, dict[bytes, Tokens]] = {fold: {} for fold in FOLDS}
    for name in (one.name for one in sets.SETS.values() if one.fits):
        made = folds[fold_of(name)]
        for text in recorded(name):
            made[stores.text_key(text)] = marked(reads, text[:PASSAGE])
        for question in (*sets.asked(name), *sets.foreign(name)):
            ids = reads.encode(PREFIX + question.text[:QUESTION]).ids
            made[stores.text_key(f"?{question.text}")] = Tokens(ids, [NONE] * len(ids))
        print(name, len(made), flush=True)
    out.mkdir(parents=True, exist_ok=True)
    for fold, made in folds.items():
        rows = [np.array(one.ids, np.uint16) for one in made.values()]
        keys = np.frombuffer(b"".join(made), np.uint8).reshape(len(made), -1)
        held = {
            "keys": keys,
            "flat": np.concatenate(rows),
            "starts": np.cumsum([0, *map(len, rows)]),
            "sentence": np.concatenate([np.array(one.sentence, np.uint8) for one in made.values()]),
            "counts": np.array([one.sentences for one in made.values()]),
        }
        with lzma.open(out / f"rows-{fold}.npz.xz", "wb", preset=6) as file:
            np.savez(file, **held)


def embed(data: Path, work: Path, rows: Path) -> None:
    """Writes of each text its vector and, of a passage, the signs of its sentences; of a question
    what is held against these."""
    from training.encoder.batches import Rows, encoded  # these two need PyTorch
    from training.encoder.hits import model_named

    for fold in FOLDS:
        with lzma.open(rows / f"rows-{fold}.npz.xz") as file:
            held = dict(np.load(io.BytesIO(file.read())))
        sentence = held["sentence"].astype(np.int16)
        sentence[sentence == NONE] = -1
        model = model_named(f"mixed-{fold}", data, work)
        made = Rows(held["flat"], held["starts"], "cuda", sentence)
        found, parts = encoded(model, made, np.arange(len(made.lengths)), held["counts"])
        reached = parts.any(1, keepdim=True)
        signs = ((model.narrowed(parts) > 0) & reached).cpu().numpy()
        vectors = found.float().cpu().numpy()
        scale = np.abs(vectors).max(1) / 127
        np.savez(
            rows / f"vectors-{fold}.npz",
            keys=held["keys"],
            scale=scale,
            vectors=np.rint(vectors / scale[:, None]).astype(np.int8),
            signs=np.packbits(signs, axis=1),
            ends=np.cumsum(held["counts"]),
        )
        np.save(rows / f"narrow-{fold}.npy", model.narrow.weight.detach().cpu().numpy())


def keep(rows: Path) -> None:
    from bench.unseen import stores

    stores.LEFT_OUT.unlink(missing_ok=True)
    with sqlite3.connect(stores.LEFT_OUT) as made:
        made.execute("CREATE TABLE vectors (text BLOB PRIMARY KEY, value BLOB, signs BLOB)")
        made.execute("CREATE TABLE narrow (fold INTEGER PRIMARY KEY, matrix BLOB)")
        for fold in FOLDS:
            held = np.load(rows / f"vectors-{fold}.npz")
            vectors = held["vectors"].astype(np.float32) * held["scale"][:, None]
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            signs = np.split(held["signs"], held["ends"][:-1])
            known = zip(map(bytes, held["keys"]), vectors, signs, strict=True)
            new = ((bytes([fold]) + key, v.tobytes(), s.tobytes()) for key, v, s in known)
            made.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", new)
            matrix = np.load(rows / f"narrow-{fold}.npy").astype(np.float32)
            made.execute("INSERT INTO narrow VALUES (?, ?)", (fold, matrix.tobytes()))


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
