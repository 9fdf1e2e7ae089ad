"""What the int8 file finds, beside what the float weights find, on processor cores.

    python -m training.encoder.int8 --data DIR --model model.onnx --out OUT.pkl.xz SET …

The file that it writes has the form of ``training.encoder.hits``.
"""

from __future__ import annotations

import argparse
import lzma
import multiprocessing
import os
import pickle
import time
from pathlib import Path
from typing import Any

import numpy as np

from training.encoder.batches import Corpus
from training.encoder.hits import pieces, told

DEEP = 100
BATCH = 16
_SESSION: Any = None


def _load(path: str) -> None:
    global _SESSION
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    _SESSION = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def _encode(job: tuple[list[Any], list[Any]]) -> tuple[Any, list[Any], Any]:
    rows, numbers = job
    longest = max(map(len, rows))
    ids = np.zeros((len(rows), longest), np.int64)
    mask, sentence = np.zeros_like(ids), np.full_like(ids, -1)
    for n, (row, number) in enumerate(zip(rows, numbers, strict=True)):
        ids[n, : len(row)], mask[n, : len(row)] = row, 1
        sentence[n, : len(row)] = number
    feed = {"input_ids": ids, "attention_mask": mask, "sentence_ids": sentence}
    vector, sentences, asks = _SESSION.run(["vector", "sentences", "asks"], feed)
    have = [int(np.max(number)) + 1 for number in numbers]
    return vector, [s[:n] for s, n in zip(sentences, have, strict=True)], asks


def encode(pool: Any, rows: list[Any], numbers: list[Any]) -> tuple[Any, list[Any], Any]:
    """Vectors, sentence vectors and short vectors of texts, in their order."""
    order = np.argsort([len(r) for r in rows], kind="stable")
    groups = [order[a : a + BATCH] for a in range(0, len(order), BATCH)]
    jobs = [([rows[i] for i in g], [numbers[i] for i in g]) for g in groups]
    vectors: Any = np.zeros((len(rows), 384), np.float32)
    short: Any = np.zeros((len(rows), 128), np.float32)
    sentences: list[Any] = [None] * len(rows)
    for group, (made, parts, asks) in zip(groups, pool.imap(_encode, jobs), strict=True):
        vectors[group], short[group] = made, asks
        for index, part in zip(group, parts, strict=True):
            sentences[index] = part
    return vectors, sentences, short


def main() -> None:
    ask = argparse.ArgumentParser(description="what the int8 file finds")
    ask.add_argument("sets", nargs="+")
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--corpus", default="corpus.npz.xz")
    ask.add_argument("--model", type=Path, required=True)
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument("--processes", type=int, default=os.cpu_count())
    given = ask.parse_args()
    corpus = Corpus(given.data / given.corpus, "cpu")
    sentence_of: Any = corpus.passages.sentence
    held: dict[str, Any] = {}
    with multiprocessing.get_context("spawn").Pool(
        given.processes, _load, (str(given.model),)
    ) as pool:
        for name in given.sets:
            began = time.time()
            first, last = corpus.sets[name].passages
            which = np.arange(*corpus.sets[name].questions)
            which = which[corpus.read[which]]
            starts = corpus.passages.starts
            rows = [corpus.tokens(n) for n in range(first, last)]
            numbers = [sentence_of[starts[n] : starts[n + 1]].numpy() for n in range(first, last)]
            at = corpus.questions.starts
            asking = [corpus.questions.cpu[at[q] : at[q + 1]] for q in which]
            found, sentences, _ = encode(pool, rows, numbers)
            took = time.time() - began
            asked, _, short = encode(pool, asking, [np.array([-1])] * len(asking))
            scores = asked @ found.T
            deep = min(DEEP, len(rows))
            top = np.argsort(-scores, axis=1, kind="stable")[:, :deep]

            many = pieces(corpus, which)
            told_by = [sentences[p.passage - first] @ short[p.row] for p in many]
            held[name] = {
                "vector": (top.astype(np.uint16), np.take_along_axis(scores, top, 1)),
                "pieces": [(p.row, p.passage - first, sorted(p.wanted)) for p in many],
                "scores": {"short": [s.astype(np.float16) for s in told_by]},
                "told short": told(many, told_by),
            }
            print(f"{name}: {len(rows)} passages, {len(rows) / took:.0f}/s", flush=True)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    with lzma.open(given.out, "wb", preset=1) as file:
        pickle.dump(held, file)


if __name__ == "__main__":
    main()
