"""What our runtime costs over a bare ONNX Runtime loop, what threads gain, and what the
model that ships costs beside arctic-embed-s (where it has been fetched).

The bare loop has the same model, session options, tokenizer, inputs and batches: everything but
our code around it.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from bench import corpus
from bench.timing import Ratio, both
from recollect import config
from recollect.errors import ModelMissing
from recollect.memory import models_folder
from recollect.models.catalog import ARCTIC_S, EMBED, LocalModel
from recollect.models.files import ModelFolder
from recollect.models.onnx import OnnxEmbedder
from recollect.writing.embedding import STEP

PASSAGES = 320
ROUNDS = 3
BATCH = 16


class Bare:
    """The least that turns texts into vectors."""

    def __init__(self, home: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(str(home / "model.onnx"), options)
        self._tokenizer = Tokenizer.from_file(str(home / "tokenizer.json"))
        self._tokenizer.enable_truncation(EMBED.max_tokens)
        self._tokenizer.enable_padding()

    def run(self, texts: list[str]) -> Any:
        encoded = self._tokenizer.encode_batch(texts)
        ids = np.array([e.ids for e in encoded], np.int64)
        mask = np.array([e.attention_mask for e in encoded], np.int64)
        vectors = self._session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def passages(self, texts: list[str]) -> None:
        texts = sorted(texts, key=len)
        for start in range(0, len(texts), BATCH):
            self.run(texts[start : start + BATCH])


def run(_work: Path) -> Iterator[Ratio]:
    folder = corpus.data_folder()
    if folder is None:
        sys.exit("this bench needs the data folder (RECOLLECT_DATA)")
    texts = [d["text"] for d in corpus.lines(folder / "2wiki" / "docs.jsonl.xz")]
    texts = random.Random(3).sample(texts, PASSAGES)
    queries = corpus.questions(folder, 200)
    home = _home(EMBED)
    bare, ours = Bare(home), OnnxEmbedder(EMBED, home)
    bare.run(["warm"])
    ours.embed_query("warm")
    mine, theirs = both(ours.embed_query, lambda q: bare.run([EMBED.query_prefix + q]), queries)
    yield Ratio("query embedding against a bare loop, p50", mine, theirs, "ms", mine / theirs,
                "<= 1.15", mine / theirs <= 1.15)  # fmt: skip
    alone, loop, hands = [], [], []
    parts = [texts[start : start + STEP] for start in range(0, len(texts), STEP)]
    for _round in range(ROUNDS):
        alone.append(_rate(lambda: ours.embed_passages(texts)))
        loop.append(_rate(lambda: bare.passages(texts)))
        with ThreadPoolExecutor(2) as pool:
            hands.append(_rate(lambda: list(pool.map(ours.embed_passages, parts))))
    ratio = max(loop) / max(alone)
    yield Ratio("passages a second against a bare loop", max(alone), max(loop), "1/s", ratio,
                "<= 1.15 times the time", ratio <= 1.15)  # fmt: skip
    gain = max(hands) / max(alone)
    yield Ratio("passages a second with two threads against one", max(hands), max(alone),
                "1/s", gain, ">= 1.5 on two cores", gain >= 1.5)  # fmt: skip
    yield from _beside_the_teacher(ours, texts)


def _beside_the_teacher(ours: OnnxEmbedder, texts: list[str]) -> Iterator[Ratio]:
    texts = sorted(texts, key=len)[-160:]  # as long as the passages that a search returns
    blocks = [texts[start : start + 20] for start in range(0, len(texts), 20)]
    names = [str(n) for n in range(len(blocks))] * ROUNDS
    try:
        arctic = OnnxEmbedder(ARCTIC_S, _home(ARCTIC_S))
    except ModelMissing:
        return
    arctic.embed_query("warm")
    mine, theirs = both(
        lambda n: ours.embed_passages(blocks[int(n)]),
        lambda n: arctic.embed_passages(blocks[int(n)]),
        names,
    )
    yield Ratio("embedding 20 passages against arctic-embed-s, p50", mine, theirs, "ms",
                theirs / mine, ">= 1.8 times as fast", theirs / mine >= 1.8)  # fmt: skip


def _home(model: LocalModel) -> Path:
    return ModelFolder(models_folder(config.load())).locate(model)


def _rate(work: Any) -> float:
    since = perf_counter()
    work()
    return PASSAGES / (perf_counter() - since)
