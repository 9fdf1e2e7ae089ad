"""The trained weights as int8 ONNX files made for ONNX Runtime on one CPU thread.

    python -m training.export embed --weights training/out/weights --out DIR
    python -m training.export rerank --weights training/out/weights --out DIR

DIR gets model.onnx and tokenizer.json. Needs numpy, onnx, onnxruntime and tokenizers; no torch.
The same inputs give the same bytes.

How the graph is made:

- Only the first token's state is used, so the last layer asks (Q), projects and feeds forward
  for that token alone.
- Weights are int8 with a scale per output. On CPUs without VNNI the kernels add two neighbouring
  products in 16 bits and saturate; each scale is chosen so that no pair can (`whole`), which
  keeps nearly all of the 8 bits where "reduce range" would drop one.
- Activations are uint8. Inputs of qkv, out and up have a fixed scale, found by running the plain
  graph over some texts (`widest`); before that each channel is multiplied by a power of two
  that moves part of its range into the weights (`balance`), for a few channels are twenty times
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
BELOW = np.float32(0.1701)  # GELU never goes below minus this
ZERO = 16  # the uint8 that stands for 0 in what comes out of GELU
FAR = -10_000.0


def load(folder: Path, name: str) -> Weights:
    """What training.bert.save wrote, as float32."""
    parts = sorted(folder.glob(f"{name}.npz.*"), key=lambda path: int(path.suffix[1:]))
    raw = io.BytesIO(b"".join(part.read_bytes() for part in parts))
    return {key: array.astype(np.float32) for key, array in np.load(raw).items()}


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
        self.constants[name] = np.ascontiguousarray(np.asarray(value, kind)).reshape(np.shape(value))
        return name

    def add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        output = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def axes(self, *numbers: int) -> str:
        return self.keep("ints_" + "_".join(map(str, numbers)), numbers, np.int64)

    def model(self, inputs: list[str], outputs: dict[str, tuple[str, list[str | int]]]) -> bytes:
        """The serialised model; outputs: name -> (the node's output, shape)."""
        for name, (made, _) in outputs.items():
            self.nodes.append(helper.make_node("Identity", [made], [name], name=name))
        graph = helper.make_graph(
            self.nodes,
            "bert",
            [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "tokens"]) for n in inputs],
            [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, (_, s) in outputs.items()],
            [numpy_helper.from_array(array, name) for name, array in self.constants.items()],
        )
        sets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
        made = helper.make_model(
            graph, opset_imports=sets, ir_version=9, producer_name="recollect"
        )
        onnx.checker.check_model(made)
        return made.SerializeToString(deterministic=True)


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

    def embeddings(self, types: bool) -> str:
        words, table = self.weights["words.weight"], self.weights["positions.weight"]
        scale = np.maximum(np.abs(words).max(axis=1, keepdims=True), 1e-9) / 127
        rows = self.keep("words", np.rint(words / scale), np.int8)
        x = self.add("Cast", self.add("Gather", rows, "input_ids"), to=TensorProto.FLOAT)
        x = self.add("Mul", x, self.add("Gather", self.keep("words.scale", scale), "input_ids"))
        if types:
            kinds = self.keep("types", self.weights["types.weight"])
            x = self.add("Add", x, self.add("Gather", kinds, "token_type_ids"))
        else:
            table = table + self.weights["types.weight"][0]
        places = self.add("Cast", self.keep("positions", table, np.float16), to=TensorProto.FLOAT)
        length = self.add("Shape", "input_ids", start=1, end=2)
        places = self.add("Slice", places, self.axes(0), length, self.axes(0))
        return self.norm(self.add("Add", x, places), "norm")

    def rounded(self, x: str, name: str, weight: Array, folded: bool = False) -> tuple[str, ...]:
        """*x* in uint8 with a fixed scale: its name, its scale's and its zero's.

        *weight* [in, out] is changed in place to take up what the channels were divided by.
        """
        if self.widest is None:
            self.seen[name] = self.add("ReduceMax", self.add("Abs", x), self.axes(0, 1), keepdims=0)
            return (x,)
        factor, step = balance(self.widest[name], weight)
        weight *= factor[:, None]
        if not folded:
            x = self.add("Mul", x, self.keep(f"{name}.smooth", 1 / factor))
        scale, zero = self.keep(f"{name}.step", step), self.keep("middle", 128, np.uint8)
        return self.add("QuantizeLinear", x, scale, zero), scale, zero

    def matmul(self, x: tuple[str, ...], name: str, weight: Array, bias: Array | None) -> str:
        """*x*, as `rounded` gave it, times weight [in, out], plus bias."""
        more = [] if bias is None else [self.keep(f"{name}.bias", bias)]
        if self.widest is None:
            made = self.add("MatMul", *x, self.keep(f"{name}.weight", weight))
            return self.add("Add", made, *more) if more else made
        ints, scale = whole(weight)
        held = self.keep(f"{name}.int8", ints, np.int8), self.keep(f"{name}.scale", scale)
        return self.add(
            "MatMulIntegerToFloat", x[0], held[0], x[1], held[1], x[2], "", *more,
            domain="com.microsoft",
        )  # fmt: skip

    def heads_of(self, x: str, width: int, *order: int) -> str:
        shaped = self.add("Reshape", x, self.axes(0, 0, self.heads, width))
        return self.add("Transpose", shaped, perm=order)

    def attention(self, x: str, asking: str, padding: str, name: str) -> str:
        """What the tokens of *asking* (all, or the first) see of those of *x*, projected."""
        weight = self.weights[f"{name}.qkv.weight"].T.copy()
        bias = self.weights[f"{name}.qkv.bias"].copy()
        out = self.weights[f"{name}.out.weight"].T.copy()
        size = self.hidden
        weight[:, :size] *= HEAD**-0.5
        bias[:size] *= HEAD**-0.5
        inputs = self.rounded(x, f"{name}.qkv", weight)
        if asking != x and self.widest is not None:
            first = self.add("Slice", inputs[0], self.axes(0), self.axes(1), self.axes(1))
            asked: tuple[str, ...] = (first, *inputs[1:])
        else:
            asked = inputs if asking == x else (asking,)
        
        def wider(part: slice, last: float) -> tuple[Array, Array]:
            """Weight and bias with one more coordinate a head: *last*, whatever the input."""
            w = weight[:, part].reshape(size, self.heads, HEAD)
            b = bias[part].reshape(self.heads, HEAD)
            w = np.pad(w, ((0, 0), (0, 0), (0, 1)))
            b = np.pad(b, ((0, 0), (0, 1)), constant_values=last)
            return w.reshape(size, -1), b.reshape(-1)

        q = self.matmul(asked, f"{name}.q", *wider(slice(0, size), 1.0))
        k = self.matmul(inputs, f"{name}.k", *wider(slice(size, 2 * size), 0.0))
        k = self.add("Add", k, padding)
        v = slice(2 * size, None)
        ...
