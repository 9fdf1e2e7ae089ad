"""The trained weights as int8 ONNX files made for ONNX Runtime on one CPU thread.

    python -m training.export --weights training/out/weights --out DIR

DIR gets model.onnx and tokenizer.json. Needs numpy, onnx, onnxruntime and tokenizers; no torch.
The same inputs give the same bytes.

How the graph is made:

- Only the first token's state is used, so the last layer asks (Q), projects and feeds forward
  for that token alone.
- Weights are int8 with a scale per output. On CPUs without VNNI the kernels add two neighbouring
  products in 16 bits and saturate; each scale is chosen so that no pair can (`whole`), which
  keeps nearly all of the 8 bits where "reduce range" would drop one.
- Activations are uint8. Inputs of qkv, out and up have a fixed scale, found by running the plain
  graph over some texts (`measured`); before that each channel is divided by a power of two that
  moves part of its range into the weights (`balance`), for a few channels are up to forty times
  as wide as the rest. Inputs of down have a scale for each token. Nothing is scaled by what else
  is in the batch, so a text's vector does not depend on its company.
- The attention mask rides along as one more coordinate of Q (always 1) and K (0, or far below
  0 for padding): cheaper than adding it to every score.
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
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

Array = npt.NDArray[Any]
Weights = dict[str, Array]

OUT = Path(__file__).resolve().parent / "out"
HEAD = 32  # coordinates of one attention head
TEXTS = 400  # how many texts the fixed scales are found on
ROOM = 1.1  # how much wider than on those texts an input may be before it is cut off
SHARE = 0.75  # how much of the differences between channels moves into the weights
LEAST = 0.1701  # GELU never goes below minus this
ZERO = 16  # the uint8 that stands for 0 in what comes out of GELU
FAR = 10_000


def load(folder: Path, name: str) -> Weights:
    """What training.bert.save wrote, as float32."""
    parts = sorted(folder.glob(f"{name}.npz.*"), key=lambda path: int(path.suffix[1:]))
    raw = io.BytesIO(b"".join(part.read_bytes() for part in parts))
    return {k: a.astype(np.float32) for k, a in np.load(raw).items()}


def whole(weight: Array) -> tuple[Array, Array]:
    """int8 [in, out] and a scale per output such that no two neighbours of one sign in a column
    add up to more than 128: 255 * 128 fits into 16 bits."""
    rise, fall = np.maximum(weight, 0), np.maximum(-weight, 0)
    pairs = np.maximum(rise[::2] + rise[1::2], fall[::2] + fall[1::2])
    scale = np.maximum(pairs.max(axis=0), 1e-9) / 127
    return np.rint(weight / scale).astype(np.int8), scale.astype(np.float32)


def balance(widest: Array, weight: Array) -> tuple[Array, np.float32]:
    """A power of two per input channel to divide by, and the uint8 scale of what that leaves."""
    heaviest = np.maximum(np.abs(weight).max(axis=1), 1e-4)
    widest = np.maximum(widest, widest.max() * 1e-3)
    power = np.rint(SHARE * np.log2(widest) - (1 - SHARE) * np.log2(heaviest))
    factor = np.exp2(power - power.max())
    step = float((widest / factor).max()) * ROOM / 127
    return factor.astype(np.float32), np.float32(f"{step:.2g}")


class Graph:
    """Nodes and constants as they are asked for, each named by its number or its use."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: Weights = {}

    def keep(self, name: str, value: Any, kind: Any = np.float32) -> str:
        self.constants[name] = np.array(value, kind, order="C")
        return name

    def add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        output = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def ints(self, *numbers: int) -> str:
        return self.keep("ints_" + "_".join(map(str, numbers)), numbers, np.int64)

    def model(self, inputs: list[str], outputs: dict[str, tuple[str, list[str | int]]]) -> bytes:
        """The serialised model; outputs: name -> (the node's output, shape)."""
        for name, (made, _) in outputs.items():
            self.nodes.append(helper.make_node("Identity", [made], [name], name=name))
        info, table = helper.make_tensor_value_info, ["batch", "tokens"]
        graph = helper.make_graph(
            self.nodes,
            "bert",
            [info(name, TensorProto.INT64, table) for name in inputs],
            [info(name, TensorProto.FLOAT, shape) for name, (_, shape) in outputs.items()],
            [numpy_helper.from_array(array, name) for name, array in self.constants.items()],
        )
        sets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
        made = helper.make_model(graph, opset_imports=sets, ir_version=9, producer_name="recollect")
        onnx.checker.check_model(made)
        return bytes(made.SerializeToString(deterministic=True))


class Bert(Graph):
    """The graph of one model: plain float32 where *widest* is None (to find it), else int8."""

    def __init__(self, weights: Weights, widest: Weights | None) -> None:
        super().__init__()
        self.weights = weights
        self.widest = widest
        self.seen: dict[str, str] = {}  # plain: the widest value per channel of each linear's input
        self.hidden = weights["words.weight"].shape[1]
        self.heads = self.hidden // HEAD

    def norm(self, x: str, name: str) -> str:
        parts = [self.keep(f"{name}.{p}", self.weights[f"{name}.{p}"]) for p in ("weight", "bias")]
        return self.add("LayerNormalization", x, *parts, axis=-1, epsilon=1e-12)

    def embeddings(self) -> str:
        words, table = self.weights["words.weight"], self.weights["positions.weight"]
        scale = np.maximum(np.abs(words).max(axis=1, keepdims=True), 1e-9) / 127
        rows = self.keep("words", np.rint(words / scale), np.int8)
        x = self.add("Cast", self.add("Gather", rows, "input_ids"), to=TensorProto.FLOAT)
        x = self.add("Mul", x, self.add("Gather", self.keep("words.scale", scale), "input_ids"))
        table = table + self.weights["types.weight"][0]
        places = self.add("Cast", self.keep("positions", table, np.float16), to=TensorProto.FLOAT)
        length = self.add("Shape", "input_ids", start=1, end=2)
        places = self.add("Slice", places, self.ints(0), length, self.ints(0))
        return self.norm(self.add("Add", x, places), "norm")

    def linear(self, name: str) -> tuple[Array, Array]:
        return self.weights[f"{name}.weight"].T.copy(), self.weights[f"{name}.bias"].copy()

    def balanced(self, name: str, weight: Array) -> Array:
        """What to divide the input channels by; *weight* [in, out] is multiplied by it."""
        if self.widest is None:
            return np.ones(len(weight), np.float32)
        factor, step = balance(self.widest[name], weight)
        self.keep(f"{name}.step", step)
        weight *= factor[:, None]
        return factor

    def rounded(self, x: str, name: str) -> tuple[str, ...]:
        """*x*, divided already, in uint8; and the names of its scale and its zero."""
        if self.widest is None:
            self.seen[name] = self.add("ReduceMax", self.add("Abs", x), self.ints(0, 1), keepdims=0)
            return (x,)
        held = f"{name}.step", self.keep("middle", 128, np.uint8)
        return self.add("QuantizeLinear", x, *held), *held

    def divided(self, x: str, name: str, weight: Array) -> tuple[str, ...]:
        """*x* balanced against *weight*, then rounded."""
        factor = self.balanced(name, weight)
        if self.widest is not None:
            x = self.add("Mul", x, self.keep(f"{name}.inverse", 1 / factor))
        return self.rounded(x, name)

    def matmul(self, x: tuple[str, ...], name: str, weight: Array, *bias: Array) -> str:
        """*x*, as `rounded` gave it, times weight [in, out], plus bias."""
        more = [self.keep(f"{name}.bias", b) for b in bias]
        if self.widest is None:
            made = self.add("MatMul", *x, self.keep(f"{name}.weight", weight))
            return self.add("Add", made, *more) if more else made
        ints, scales = whole(weight)
        held = self.keep(f"{name}.int8", ints, np.int8), self.keep(f"{name}.scales", scales)
        inputs = x[0], held[0], x[1], held[1], x[2], "", *more
        return self.add("MatMulIntegerToFloat", *inputs, domain="com.microsoft")

    def first(self, x: str) -> str:
        return self.add("Slice", x, self.ints(0), self.ints(1), self.ints(1))

    def split(self, x: str, width: int, *order: int) -> str:
        """[batch, tokens, heads * width] as [batch, heads, tokens, width], or as *order* says."""
        shaped = self.add("Reshape", x, self.ints(0, 0, self.heads, width))
        return self.add("Transpose", shaped, perm=order)

    def longer(self, weight: Array, bias: Array, last: float) -> tuple[Array, Array]:
        """With one more coordinate a head, which is *last* whatever the input."""
        wide = np.pad(weight.reshape(-1, self.heads, HEAD), ((0, 0), (0, 0), (0, 1)))
        more = np.pad(bias.reshape(-1, HEAD), ((0, 0), (0, 1)), constant_values=last)
        return wide.reshape(len(weight), -1), more.reshape(-1)

    def attention(self, x: str, padding: str, name: str, last: bool) -> str:
        """What the tokens (in the last layer: the first token) see of all tokens, projected."""
        weight, bias = self.linear(f"{name}.qkv")
        out, out_bias = self.linear(f"{name}.out")
        inputs = self.divided(x, f"{name}.qkv", weight)
        asking = (self.first(inputs[0]), *inputs[1:]) if last else inputs
        factor = self.balanced(f"{name}.out", out)  # V is divided, hence the input of out
        (wq, wk, wv), (bq, bk, bv) = np.split(weight, 3, axis=1), np.split(bias, 3)
        q = self.matmul(asking, f"{name}.q", *self.longer(wq / HEAD**0.5, bq / HEAD**0.5, 1))
        k = self.matmul(inputs, f"{name}.k", *self.longer(wk, bk, 0))
        v = self.matmul(inputs, f"{name}.v", wv / factor, bv / factor)
        q = self.split(q, HEAD + 1, 0, 2, 1, 3)
        k = self.split(self.add("Add", k, padding), HEAD + 1, 0, 2, 3, 1)
        shares = self.add("Softmax", self.add("MatMul", q, k), axis=-1)
        seen = self.add("MatMul", shares, self.split(v, HEAD, 0, 2, 1, 3))
        seen = self.add("Transpose", seen, perm=(0, 2, 1, 3))
        seen = self.add("Reshape", seen, self.ints(0, 0, self.hidden))
        return self.matmul(self.rounded(seen, f"{name}.out"), f"{name}.out", out, out_bias)

    def forward(self, x: str, name: str) -> str:
        """The feed-forward half of a layer."""
        up, up_bias = self.linear(f"{name}.up")
        down, bias = self.linear(f"{name}.down")
        inputs = self.divided(x, f"{name}.up", up)
        x = self.add("Gelu", self.matmul(inputs, f"{name}.up", up, up_bias))
        if self.widest is None:
            return self.matmul((x,), f"{name}.down", down, bias)
        span = 255 - ZERO
        top = self.add("ReduceMax", x, self.ints(-1), keepdims=1)
        top = self.add("Max", top, self.keep("lowest", LEAST * span / ZERO))
        x = self.add("Mul", x, self.add("Div", self.keep("span", span), top))
        held = self.keep("one", 1), self.keep("low", ZERO, np.uint8)
        x = self.matmul((self.add("QuantizeLinear", x, *held), *held), f"{name}.down", down)
        x = self.add("Mul", x, self.add("Div", top, "span"))
        return self.add("Add", x, self.keep(f"{name}.down.bias", bias))

    def state(self) -> str:
        """The first token's state after the last layer: [batch, hidden]."""
        x = self.embeddings()
        mask = self.add("Cast", "attention_mask", to=TensorProto.FLOAT)
        mask = self.add("Unsqueeze", self.add("Sub", mask, self.keep("one", 1)), self.ints(2))
        coordinate = np.tile(np.eye(1, HEAD + 1, HEAD, dtype=np.float32) * FAR, self.heads)
        padding = self.add("Mul", mask, self.keep("coordinate", coordinate))
        layers = 1 + max(int(n.split(".")[1]) for n in self.weights if n.startswith("layers."))
        for number in range(layers):
            name, last = f"layers.{number}", number == layers - 1
            seen = self.attention(x, padding, name, last)
            x = self.norm(self.add("Add", self.first(x) if last else x, seen), f"{name}.norm1")
            x = self.norm(self.add("Add", x, self.forward(x, name)), f"{name}.norm2")
        return self.add("Squeeze", x, self.ints(1))


def built(weights: Weights, widest: Weights | None) -> bytes:
    """model.onnx, which gives "vector" [batch, hidden] of length 1; without *widest* the float32
    graph that gives the widths besides."""
    bert = Bert(weights, widest)
    vector = bert.add("LpNormalization", bert.state())
    outputs: dict[str, tuple[str, list[str | int]]] = {"vector": (vector, ["batch", bert.hidden])}
    outputs |= {name: (made, ["channels"]) for name, made in bert.seen.items()}
    return bert.model(["input_ids", "attention_mask"], outputs)


def sample(passages: Path, tokenizer: Any) -> Iterator[dict[str, Array]]:
    """Inputs to find the scales on: passages, and some words of passages."""
    with lzma.open(passages, "rt") as file:
        texts = [json.loads(line)["t"] for line in file]
    texts = texts[:: max(1, len(texts) // TEXTS)]
    for number, text in enumerate(texts):
        asked = " ".join(texts[number - number % 3].split()[:12])[:200]
        row = tokenizer.encode(asked if number % 4 == 3 else text)
        named = {"input_ids": row.ids, "attention_mask": row.attention_mask}
        yield {name: np.array([ids], np.int64) for name, ids in named.items()}


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


def main() -> None:
    from tokenizers import Tokenizer

    ask = argparse.ArgumentParser(description="int8 ONNX files of the trained weights")
    ask.add_argument("--weights", type=Path, default=OUT / "weights")
    ask.add_argument("--passages", type=Path, default=OUT / "passages.jsonl.xz")
    ask.add_argument("--tokenizer", type=Path, default=OUT / "tokenizer.json")
    ask.add_argument("--out", type=Path, required=True)
    given = ask.parse_args()
    weights = load(given.weights, "embed")
    tokenizer = Tokenizer.from_file(str(given.tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(len(weights["positions.weight"]))
    rows = sample(given.passages, tokenizer)
    model = built(weights, measured(built(weights, None), rows))
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "model.onnx").write_bytes(model)
    plain = json.loads(given.tokenizer.read_text("utf-8")) | {"truncation": None, "padding": None}
    (given.out / "tokenizer.json").write_text(json.dumps(plain, ensure_ascii=False), "utf-8")
    for name in ("model.onnx", "tokenizer.json"):
        raw = (given.out / name).read_bytes()
        sys.stdout.write(f"{hashlib.sha256(raw).hexdigest()} {len(raw):>10} {name}\n")


if __name__ == "__main__":
    main()
