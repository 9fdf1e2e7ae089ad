"""What our embedding runtime costs over a bare ONNX Runtime loop, and what processes gain.

The bare loop has the same model, session options, tokenizer, inputs and batches: everything but
our code around it.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from bench import corpus
from bench.timing import Ratio, both
from recollect import config
from recollect.memory import models_folder
from recollect.models.catalog import ARCTIC_S
from recollect.models.hands import ManyHands
from recollect.models.onnx import BATCH, OnnxEmbedder

PASSAGES = 320
ROUNDS = 3


class Bare:
    """The least that turns texts into vectors."""

    def __init__(self, home: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(str(home / "model.onnx"), options)
        self._tokenizer = Tokenizer.from_file(str(home / "tokenizer.json"))
        self._tokenizer.enable_truncation(ARCTIC_S.max_tokens)
        self._tokenizer.enable_padding()

    def run(self, texts: list[str]) -> Any:
        encoded = self._tokenizer.encode_batch(texts)
        ids = np.array([e.ids for e in encoded], np.int64)
        mask = np.array([e.attention_mask for e in encoded], np.int64)
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.run(None, feed)[0][:, 0]
        return hidden / np.linalg.norm(hidden, axis=1, keepdims=True)

    def passages(self, texts: list[str]) -> None:
        texts = sorted(texts, key=len)
        for start in range(0, len(texts), BATCH):
            self.run(texts[start : start + BATCH])


def run(_work: Path) -> Iterator[Ratio]:
    folder = corpus.data_folder()
    home = models_folder(config.load()) / ARCTIC_S.key
    if folder is None or not home.is_dir():
        sys.exit("this bench needs the data folder (RECOLLECT_DATA) and the model (`make model`)")
    texts = [d["text"] for d in corpus.lines(folder / "2wiki" / "docs.jsonl.xz")]
    texts = random.Random(3).sample(texts, PASSAGES)
    queries = corpus.questions(folder, 200)
    bare, ours = Bare(home), OnnxEmbedder(ARCTIC_S, home)
    bare.run(["warm"])
    ours.embed_query("warm")
    mine, theirs = both(ours.embed_query, lambda q: bare.run([ARCTIC_S.query_prefix + q]), queries)
    yield Ratio("query embedding against a bare loop, p50", mine, theirs, "ms", mine / theirs,
                "<= 1.15", mine / theirs <= 1.15)  # fmt: skip
    alone, loop, hands = [], [], []
    many = ManyHands(ours, 2)
    many.embed_passages(texts[:64])
    for _round in range(ROUNDS):
        alone.append(_rate(lambda: ours.embed_passages(texts)))
        loop.append(_rate(lambda: bare.passages(texts)))
        hands.append(_rate(lambda: many.embed_passages(texts)))
    many.close()
    ratio = max(loop) / max(alone)
    yield Ratio("passages a second against a bare loop", max(alone), max(loop), "1/s", ratio,
                "<= 1.15 times the time", ratio <= 1.15)  # fmt: skip
    gain = max(hands) / max(alone)
    yield Ratio("passages a second with two processes against one", max(hands), max(alone),
                "1/s", gain, ">= 1.5 on two cores", gain >= 1.5)  # fmt: skip


def _rate(work: Any) -> float:
    since = perf_counter()
    work()
    return PASSAGES / (perf_counter() - since)
