"""The trained encoder as an int8 ONNX file, made as ``training.export`` makes the others.

    python -m training.encoder.export --weights FOLDER --name teacher-0 --corpus corpus.npz.xz
        --out DIR [--from OTHER/model.onnx]

``--from`` is the file that the training began from: the layers that it left alone are copied from
there, so that their states are the same to the last bit.

DIR is a model of one's own then: `recollect models switch DIR` searches with it.

Inputs: input_ids, attention_mask and sentence_ids [batch, tokens], where sentence_ids has the
number of each token's sentence within its text, or -1 (title, special tokens, questions).
Outputs: ``vector`` [batch, 384]; ``sentences`` [batch, sentences, 128], a row for each sentence;
``asks`` [batch, 128], to hold a question against sentences. All are of length 1.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import lzma
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto

from recollect.models.catalog import EMBED, MANIFEST
from training.encoder.sets import FROZEN
from training.export import FAR, HEAD, Array, Bert, Weights

WEIGHTS = Path(__file__).resolve().parents[2] / "src" / "recollect" / "weights" / "embed"
TEXTS = 500  # how many texts the fixed scales are found on


class Encode(Bert):
    """The graph of an encoder; plain where *widest* is None, else int8."""

    def states(self) -> tuple[str, str]:
        """Token states before the last layer, and the first token's state after it."""
        x = self.embeddings()
        mask = self.add("Cast", "attention_mask", to=TensorProto.FLOAT)
        mask = self.add("Unsqueeze", self.add("Sub", mask, self.keep("one", 1)), self.ints(2))
        coordinate = np.tile(np.eye(1, HEAD + 1, HEAD, dtype=np.float32) * FAR, self.heads)
        padding = self.add("Mul", mask, self.keep("coordinate", coordinate))
        layers = 1 + max(int(n.split(".")[1]) for n in self.weights if n.startswith("layers."))
        before = x
        for number in range(layers):
            name, last = f"layers.{number}", number == layers - 1
            before = x
            seen = self.attention(x, padding, name, last)
            x = self.norm(self.add("Add", self.first(x) if last else x, seen), f"{name}.norm1")
            x = self.norm(self.add("Add", x, self.forward(x, name)), f"{name}.norm2")
        return before, self.add("Squeeze", x, self.ints(1))

    def pooled(self, states: str) -> str:
        """The weighted mean state of each sentence: [batch, sentences, hidden]."""
        most = self.add("ReduceMax", "sentence_ids", keepdims=0)
        one = self.keep("int_one", 1, np.int64)
        most = self.add("Max", self.add("Add", most, one), one)
        numbers = self.add("Range", self.keep("int_zero", 0, np.int64), most, one)
        numbers = self.add("Unsqueeze", numbers, self.ints(0, 2))
        mine = self.add("Equal", self.add("Unsqueeze", "sentence_ids", self.ints(1)), numbers)
        mine = self.add("Cast", mine, to=TensorProto.FLOAT)
        bounds = self.keep("least", -8), self.keep("most", 8)
        share = self.add("Exp", self.add("Clip", self.times(states, "weigh"), *bounds))
        share = self.add("Mul", mine, self.add("Transpose", share, perm=(0, 2, 1)))
        total = self.add("ReduceSum", share, self.ints(2), keepdims=1)
        share = self.add("Div", share, self.add("Max", total, self.keep("tiny", 1e-12)))
        return self.add("MatMul", share, states)

    def sentences(self, pooled: str) -> str:
        """The vectors of sentences: a linear map, and what a hidden layer adds."""
        wide = self.add("Add", self.times(pooled, "widen"), self.keep("widen.bias",
                        self.weights["widen.bias"]))  # fmt: skip
        more = self.times(self.add("Gelu", wide), "back")
        return self.unit(self.add("Add", self.times(pooled, "sentence"), more))

    def unit(self, x: str) -> str:
        """*x* with rows of length 1; a row of zeros stays one."""
        length = self.add("ReduceL2", x, self.ints(-1), keepdims=1)
        return self.add("Div", x, self.add("Max", length, self.keep("tiny", 1e-12)))

    def times(self, x: str, name: str) -> str:
        """*x* times a head's weights, which are int8 in the file and float32 in memory."""
        weight = self.weights[f"{name}.weight"].T
        scale = np.maximum(np.abs(weight).max(axis=0), 1e-9) / 127
        ints = self.keep(f"{name}.int8", np.rint(weight / scale), np.int8)
        held = self.add("Cast", ints, to=TensorProto.FLOAT)
        return self.add("MatMul", x, self.add("Mul", held, self.keep(f"{name}.scales", scale)))


def built(weights: Weights, widest: Weights | None) -> bytes:
    """model.onnx; without *widest* the float32 graph that gives the widths besides."""
    graph = Encode(weights, widest)
    states, first = graph.states()
    vector = graph.unit(first)
    outputs: dict[str, tuple[str, list[str | int]]] = {"vector": (vector, ["batch", graph.hidden])}
    inputs = ["input_ids", "attention_mask"]
    if widest is None:
        outputs |= {name: (made, ["channels"]) for name, made in graph.seen.items()}
    else:
        inputs.append("sentence_ids")
        sentences = graph.sentences(graph.pooled(states))
        short = int(weights["narrow.weight"].shape[0])
        sentences = graph.unit(graph.times(sentences, "narrow"))
        asks = graph.unit(graph.times(vector, "narrow"))
        outputs["sentences"] = sentences, ["batch", "sentences", short]
        outputs["asks"] = asks, ["batch", short]
    return graph.model(inputs, outputs)


def sample(corpus: Path) -> Iterator[dict[str, Array]]:
    """Inputs to find the scales on: passages, and questions with their prefix."""
    raw = corpus.read_bytes()
    held = np.load(io.BytesIO(lzma.decompress(raw) if corpus.suffix == ".xz" else raw))
    rng = np.random.default_rng(5)
    names = sorted({name.split("/")[0] for name in held.files})
    for name in names:
        for part, starts in (("tokens", "starts"), ("asked", "asked_starts")):
            if f"{name}/{part}" not in held.files:
                continue
            flat, at = held[f"{name}/{part}"], held[f"{name}/{starts}"].astype(np.int64)
            many = TEXTS // len(names) // (1 if part == "tokens" else 3)
            for row in rng.choice(len(at) - 1, min(many, len(at) - 1), replace=False):
                ids = flat[at[row] : at[row + 1]].astype(np.int64)[None]
                yield {"input_ids": ids, "attention_mask": np.ones_like(ids)}


def measured(model: bytes, inputs: Iterator[dict[str, Array]]) -> Weights:
    """How wide each channel of each linear layer's input gets."""
    import onnxruntime

    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()][1:]
    widest: Weights = {}
    for row in inputs:
        for name, seen in zip(names, session.run(names, row), strict=True):
            widest[name] = np.maximum(widest.get(name, 0), seen)
    return widest


def quantised(weights: dict[str, Any], corpus: Path) -> bytes:
    """The int8 file of weights named as :class:`training.encoder.model.Encoder` names them."""
    plain = {k.removeprefix("body."): np.asarray(v, np.float32) for k, v in weights.items()}
    return built(plain, measured(built(plain, None), sample(corpus)))


def with_layers_of(raw: bytes, other: Path, layers: int) -> bytes:
    """The file with the word vectors and first layers of another one of the same shape."""
    import onnx

    model, held = onnx.load_from_string(raw), onnx.load(str(other))
    kept = ("words", "positions", "norm.", *(f"layers.{n}." for n in range(layers)))
    theirs = {one.name: one for one in held.graph.initializer if one.name.startswith(kept)}
    for one in model.graph.initializer:
        if one.name in theirs:
            one.CopyFrom(theirs.pop(one.name))
    assert not theirs, f"only in {other}: {', '.join(theirs)}"
    return bytes(model.SerializeToString(deterministic=True))


def manifest(name: str) -> dict[str, Any]:
    """What the folder says of its model."""
    said = ("licence", "dimensions", "max_tokens", "query_prefix", "latin", "languages")
    return {"name": f"recollect-{name}", **{field: getattr(EMBED, field) for field in said}}


def main() -> None:
    from training.encoder.model import joined, unpacked

    ask = argparse.ArgumentParser(description="int8 ONNX of the encoder")
    ask.add_argument("--weights", type=Path, required=True, help="a folder with NAME.npz.0 …")
    ask.add_argument("--name", required=True)
    ask.add_argument("--corpus", type=Path, required=True)
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument("--from", dest="begun", type=Path, help="the file that it began from")
    given = ask.parse_args()
    raw = quantised(unpacked(joined(given.weights, f"{given.name}.npz")), given.corpus)
    if given.begun:
        raw = with_layers_of(raw, given.begun, FROZEN)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "model.onnx").write_bytes(raw)
    (given.out / "tokenizer.json").write_bytes((WEIGHTS / "tokenizer.json").read_bytes())
    (given.out / MANIFEST).write_text(json.dumps(manifest(given.name), indent=1) + "\n")
    sys.stdout.write(f"{hashlib.sha256(raw).hexdigest()} {len(raw):>10} model.onnx\n")


if __name__ == "__main__":
    main()
