"""The trained reader as an int8 ONNX file that lies beside the encoder's.

    python -m training.reader_export WEIGHTS --name reader-0 --texts DIR --out OUT/reader.onnx

It has the encoder's table of words: the file says where in that file it is. WEIGHTS holds
NAME.npz.0 …, as ``training.reader`` wrote them; DIR is what ``training.reader texts`` made.
Inputs: input_ids, attention_mask. Output: ``odds`` [batch, 2]: the log-odds that the second text
answers the first, and that it bears it out.
"""

from __future__ import annotations

import argparse
import hashlib
import lzma
import mmap
import pickle
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

from recollect.models import graph as files
from training.export import Array, Bert, Weights, load, measured
from training.reader import ASKED_TOKENS, MODEL

TEXTS = 600
"""Pairs that the fixed scales are found on."""
SHARED = ("words", "words.scale")


def weights_of(folder: Path, name: str) -> Weights:
    """What was trained, with the very words of the encoder."""
    made = {key.removeprefix("body."): value for key, value in load(folder, name).items()}
    words = _words()
    return made | {"words.weight": words["words"] * words["words.scale"]}


def _words() -> dict[str, Any]:
    graph = onnx.load(str(MODEL / "model.onnx")).graph
    held = {one.name: numpy_helper.to_array(one) for one in graph.initializer if one.name in SHARED}
    return {name: array.astype(np.float32) for name, array in held.items()}


def built(weights: Weights, widest: Weights | None) -> bytes:
    """The model; without *widest* the float32 graph that gives the widths besides."""
    bert = Bert(weights, widest)
    state = bert.state()
    head = bert.keep("out.weight", weights["out.weight"][:2].T)
    odds = bert.add(
        "Add", bert.add("MatMul", state, head), bert.keep("out.bias", weights["out.bias"][:2])
    )
    outputs: dict[str, tuple[str, list[str | int]]] = {"odds": (odds, ["batch", 2])}
    outputs |= {name: (made, ["channels"]) for name, made in bert.seen.items()}
    return bert.model(["input_ids", "attention_mask"], outputs)


def sample(data: Path) -> Iterator[dict[str, Array]]:
    """Pairs to find the scales on."""
    held = np.load(data / "tokens.npz")
    tokens, starts = held["tokens"].astype(np.int64), held["starts"].astype(int)
    with lzma.open(data / "rows.pkl.xz") as file:
        rows, _, sets = pickle.load(file)
    pairs = [(row[1], row[2]) for row in rows]
    pairs += [
        (one[0], windows[one[1][0]]) for windows, asked in sets.values() for one in asked if one[1]
    ]
    for n in np.random.default_rng(5).choice(len(pairs), TEXTS, replace=False):
        first, second = (tokens[starts[k] : starts[k + 1]] for k in pairs[n])
        ids = np.concatenate([first[: ASKED_TOKENS - 1], first[-1:], second[1:]])[None]
        yield {"input_ids": ids, "attention_mask": np.ones_like(ids)}


def sharing(model: bytes, beside: Path) -> bytes:
    """The model with its table of words where it is in the file *beside* it."""
    made = onnx.load_from_string(model)
    places = _places(beside)
    for one in made.graph.initializer:
        if one.name in places and one.data_type == TensorProto.INT8:
            offset, length = places[one.name]
            assert length == len(one.raw_data), one.name
            one.ClearField("raw_data")
            one.data_location = TensorProto.EXTERNAL
            said = {"location": beside.name, "offset": str(offset), "length": str(length)}
            for key, value in said.items():
                one.external_data.add(key=key, value=value)
    return bytes(made.SerializeToString(deterministic=True))


def _places(path: Path) -> Mapping[str, tuple[int, int]]:
    """Where the bytes of each shared tensor are in an ONNX file."""
    found = {}
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        (graph,) = (one for one in files._fields(data, 0, len(data)) if one.number == 7)
        for tensor in files._fields(data, graph.start, graph.end):
            if tensor.number != 5:
                continue
            fields = {one.number: one for one in files._fields(data, tensor.start, tensor.end)}
            name = data[fields[8].start : fields[8].end].decode()
            if name in SHARED and 9 in fields:
                found[name] = fields[9].start, fields[9].end - fields[9].start
    return found


def main() -> None:
    ask = argparse.ArgumentParser(description="int8 ONNX of the reader")
    ask.add_argument("weights", type=Path)
    ask.add_argument("--name", required=True)
    ask.add_argument("--texts", type=Path, required=True)
    ask.add_argument("--out", type=Path, required=True)
    given = ask.parse_args()
    weights = weights_of(given.weights, given.name)
    model = built(weights, measured(built(weights, None), sample(given.texts)))
    raw = sharing(model, MODEL / "model.onnx")
    given.out.write_bytes(raw)
    sys.stdout.write(f"{hashlib.sha256(raw).hexdigest()} {len(raw):>10} {given.out.name}\n")


if __name__ == "__main__":
    main()
