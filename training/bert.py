"""A small BERT in plain PyTorch, and the teacher's weights read out of its int8 ONNX file.

Nothing in here is imported by the product; it runs where there is a GPU.
"""

from __future__ import annotations

import lzma
import re
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn


class Layer(nn.Module):
    def __init__(self, hidden: int, heads: int, inner: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(hidden, 3 * hidden)
        self.out = nn.Linear(hidden, hidden)
        self.norm1 = nn.LayerNorm(hidden, eps=1e-12)
        self.up = nn.Linear(hidden, inner)
        self.down = nn.Linear(inner, hidden)
        self.norm2 = nn.LayerNorm(hidden, eps=1e-12)

    def forward(self, x: Tensor, mask: Tensor, drop: float = 0.0) -> Tensor:
        size, length, hidden = x.shape
        q, k, v = self.qkv(x).view(size, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        seen = self.out(seen.transpose(1, 2).reshape(size, length, hidden))
        x = self.norm1(x + F.dropout(seen, drop, self.training))
        return self.norm2(x + F.dropout(self.down(F.gelu(self.up(x))), drop, self.training))


class Bert(nn.Module):
    def __init__(
        self, layers: int, hidden: int = 384, heads: int = 12, inner: int = 1536,
        vocabulary: int = 30522, positions: int = 512,
    ) -> None:  # fmt: skip
        super().__init__()
        self.words = nn.Embedding(vocabulary, hidden)
        self.positions = nn.Embedding(positions, hidden)
        self.types = nn.Embedding(2, hidden)
        self.norm = nn.LayerNorm(hidden, eps=1e-12)
        self.layers = nn.ModuleList(Layer(hidden, heads, inner) for _ in range(layers))

    def forward(
        self, ids: Tensor, mask: Tensor, types: Tensor | None = None, drop: float = 0.0
    ) -> list[Tensor]:
        """The hidden states after the embeddings and after each layer."""
        place = torch.arange(ids.shape[1], device=ids.device)
        kinds = torch.zeros_like(ids) if types is None else types
        x = self.norm(self.words(ids) + self.positions(place) + self.types(kinds))
        states = [x]
        allowed = mask[:, None, None, :].bool()
        for layer in self.layers:
            x = layer(x, allowed, drop)
            states.append(x)
        return states


def teacher(path: Path) -> Bert:
    """arctic-embed-s from its dynamically quantised ONNX file (plain or xz)."""
    import onnx
    from onnx import numpy_helper

    raw = path.read_bytes()
    if path.suffix == ".xz":
        raw = lzma.decompress(raw)
    graph = onnx.load_from_string(raw).graph
    held = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant":
            held[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
    matrices: dict[str, Any] = {}
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            name = re.sub(r"/MatMul_quant$", "", node.name).strip("/").replace("/", ".")
            weight = node.input[1]
            base = re.sub(r"_quantized$", "", weight)
            zero = held[node.input[3]].astype(np.float32)
            scale = held[f"{base}_scale"]
            matrices[name] = (held[weight].astype(np.float32) - zero) * scale
    model = Bert(12)
    state = model.state_dict()

    def put(name: str, array: Any) -> None:
        value = torch.tensor(np.asarray(array, np.float32))
        assert state[name].shape == value.shape, (name, state[name].shape, value.shape)
        state[name] = value

    for ours, theirs in (
        ("words", "word_embeddings"), ("positions", "position_embeddings"),
        ("types", "token_type_embeddings"),
    ):  # fmt: skip
        name = f"embeddings.{theirs}.weight"
        zero = held[f"{name}_zero_point"].astype(np.float32)
        table = (held[f"{name}_quantized"].astype(np.float32) - zero) * held[f"{name}_scale"]
        put(f"{ours}.weight", table)
    for part in ("weight", "bias"):
        put(f"norm.{part}", held[f"embeddings.LayerNorm.{part}"])
    for n in range(12):
        at = f"encoder.layer.{n}"
        heads = [f"{at}.attention.self.{which}" for which in ("query", "key", "value")]
        put(f"layers.{n}.qkv.weight", np.concatenate([matrices[h].T for h in heads]))
        put(f"layers.{n}.qkv.bias", np.concatenate([held[f"{h}.bias"] for h in heads]))
        for ours, theirs in (
            ("out", "attention.output.dense"), ("up", "intermediate.dense"),
            ("down", "output.dense"),
        ):  # fmt: skip
            put(f"layers.{n}.{ours}.weight", matrices[f"{at}.{theirs}"].T)
            put(f"layers.{n}.{ours}.bias", held[f"{at}.{theirs}.bias"])
        for ours, theirs in (("norm1", "attention.output"), ("norm2", "output")):
            for part in ("weight", "bias"):
                put(f"layers.{n}.{ours}.{part}", held[f"{at}.{theirs}.LayerNorm.{part}"])
    model.load_state_dict(state)
    return model


def shorter(model: Bert, keep: list[int], inner: int = 1536) -> Bert:
    """A copy with only some of the layers, and of each the *inner* strongest neurons."""
    width = model.layers[0].up.weight.shape[0]
    made = Bert(len(keep), inner=inner)
    for name in ("words", "positions", "types", "norm"):
        getattr(made, name).load_state_dict(getattr(model, name).state_dict())
    for layer, number in zip(made.layers, keep, strict=True):
        state = dict(model.layers[number].state_dict())
        if inner < width:
            strength = state["up.weight"].norm(dim=1) * state["down.weight"].norm(dim=0)
            best = strength.topk(inner).indices
            state["up.weight"], state["up.bias"] = state["up.weight"][best], state["up.bias"][best]
            state["down.weight"] = state["down.weight"][:, best]
        layer.load_state_dict(state)
    return made


def save(model: nn.Module, folder: Path, name: str, part: int = 15_000_000) -> None:
    """The weights as fp16 in one npz, in parts that each fit through a narrow door."""
    import io

    held = {
        k: v.detach().float().cpu().numpy().astype(np.float16)
        for k, v in model.state_dict().items()
    }
    out = io.BytesIO()
    np.savez(out, **held)
    raw = out.getvalue()
    for number, start in enumerate(range(0, len(raw), part)):
        (folder / f"{name}.npz.{number}").write_bytes(raw[start : start + part])


def load(folder: Path, name: str) -> dict[str, Any]:
    import io

    parts = sorted(folder.glob(f"{name}.npz.*"))
    return dict(np.load(io.BytesIO(b"".join(p.read_bytes() for p in parts))))
