"""The encoder: a BERT whose first token gives the vector of a text, and whose token states after
the last layer but one give, sentence by sentence, a vector for each sentence.

The last layer is asked for its first token alone, so sentence vectors cost next to nothing.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from training.bert import Bert, Layer

WIDE, NARROW = 384, 128
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def halved() -> Any:
    """Matrix work in bfloat16 where there is a GPU."""
    return torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda")


class Texts(NamedTuple):
    """The tokens of several texts in a row, without padding."""

    ids: Tensor
    places: Tensor
    """Of each token, its place in its text."""
    starts: Tensor
    """[texts + 1], int32."""
    longest: int
    sentence: Tensor | None = None
    """[tokens]: the number of each token's sentence among those of all the texts, or -1."""
    sentences: int = 0


class Output(NamedTuple):
    vectors: Tensor
    """[texts, WIDE], of length 1."""
    pooled: Tensor | None
    """[sentences, WIDE]: means of token states, before the head."""


def attend(q: Tensor, k: Tensor, v: Tensor, asking: Tensor, seen: Tensor, longest: int) -> Tensor:
    """What each token of *q* sees of its own text, [tokens, heads, width]; *asking* and *seen*
    are where the texts start in *q* and in *k*."""
    if q.is_cuda:
        from torch.nn.attention.varlen import varlen_attn

        most = longest if len(q) > len(asking) - 1 else 1
        made: Tensor = varlen_attn(
            q.bfloat16(), k.bfloat16(), v.bfloat16(), asking, seen, most, longest
        )
        return made
    out = []
    for n in range(len(seen) - 1):
        mine, theirs = slice(asking[n], asking[n + 1]), slice(seen[n], seen[n + 1])
        part = (q[mine].transpose(0, 1), k[theirs].transpose(0, 1), v[theirs].transpose(0, 1))
        out.append(F.scaled_dot_product_attention(*part).transpose(0, 1))
    return torch.cat(out)


def through(layer: Layer, x: Tensor, texts: Texts, first: bool, drop: float = 0.0) -> Tensor:
    """The states after a layer; with *first*, those of each text's first token alone. While it
    learns, a share *drop* of what each half of the layer adds is left out."""
    q, k, v = layer.qkv(x).view(len(x), 3, layer.heads, -1).unbind(1)
    asking = texts.starts
    if first:
        heads = texts.starts[:-1].long()
        q, x = q[heads], x[heads]
        asking = torch.arange(len(heads) + 1, device=x.device, dtype=torch.int32)
    seen = attend(q, k, v, asking, texts.starts, texts.longest)
    seen = layer.out(seen.reshape(len(x), -1))
    x = layer.norm1(x + F.dropout(seen, drop, layer.training))
    return layer.norm2(x + F.dropout(layer.down(F.gelu(layer.up(x))), drop, layer.training))


class Encoder(nn.Module):
    def __init__(self, body: Bert) -> None:
        super().__init__()
        self.body = body
        self.weigh = nn.Linear(WIDE, 1, bias=False)
        self.sentence = nn.Linear(WIDE, WIDE, bias=False)
        self.widen = nn.Linear(WIDE, 2 * WIDE)
        self.back = nn.Linear(2 * WIDE, WIDE, bias=False)
        self.narrow = nn.Linear(WIDE, NARROW, bias=False)
        self.scales = nn.Parameter(torch.tensor([3.9, 3.4, 3.4]))
        nn.init.zeros_(self.weigh.weight)
        nn.init.zeros_(self.back.weight)
        nn.init.eye_(self.sentence.weight)
        nn.init.orthogonal_(self.narrow.weight)

    def heads(self) -> list[nn.Parameter]:
        return [p for name, p in self.named_parameters() if not name.startswith("body.")]

    def forward(self, texts: Texts) -> Output:
        body = self.body
        x = body.words(texts.ids) + body.positions(texts.places) + body.types.weight[0]
        x = body.norm(x)
        *most, last = body.layers
        for layer in most:
            x = through(layer, x, texts, first=False)
        vectors = F.normalize(through(last, x, texts, first=True).float(), dim=1)
        if texts.sentence is None:
            return Output(vectors, None)
        with torch.autocast(x.device.type, enabled=False):
            return Output(vectors, self.pool(x.float(), texts.sentence, texts.sentences))

    def pool(self, states: Tensor, sentence: Tensor, count: int) -> Tensor:
        """The weighted mean of each sentence's token states."""
        inside = (sentence >= 0).float()
        share = self.weigh(states).squeeze(1).clamp(-8, 8).exp() * inside
        at = sentence.clamp(min=0).long()
        total = share.new_zeros(count).index_add(0, at, share)
        share = share / total.clamp(min=1e-9)[at]
        return states.new_zeros(count, WIDE).index_add(0, at, states * share[:, None])

    def sentences(self, pooled: Tensor) -> Tensor:
        """[..., WIDE] sentence vectors of length 1, to be held against a question's vector."""
        pooled = pooled.float()
        made = self.sentence(pooled) + self.back(F.gelu(self.widen(pooled)))
        return F.normalize(made, dim=-1)

    def narrowed(self, vectors: Tensor) -> Tensor:
        """[..., NARROW]: the short form of a sentence's or a question's vector."""
        return F.normalize(self.narrow(vectors.float()), dim=-1)


def signed(short: Tensor) -> Tensor:
    """The signs of short vectors, as vectors of length 1; they learn as the vectors themselves do
    (a straight-through estimate), for the signs are what a store keeps."""
    signs = F.normalize(short.sign(), dim=-1)
    return short + (signs - short).detach()


def shipped(path: Path) -> Bert:
    """The weights inside an int8 file that ``training.export`` made of an embedder."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    held = {i.name: numpy_helper.to_array(i).astype(np.float32) for i in graph.initializer}
    layers = 1 + max(int(n.split(".")[1]) for n in held if n.startswith("layers."))
    model = Bert(layers)
    state: dict[str, Any] = {
        "words.weight": held["words"] * held["words.scale"],
        "positions.weight": held["positions"],
        "types.weight": np.zeros((2, WIDE), np.float32),
    }
    for part in ("weight", "bias"):
        state[f"norm.{part}"] = held[f"norm.{part}"]
    for n in range(layers):
        at = f"layers.{n}"

        def matrix(name: str, at: str = at) -> Any:
            return held[f"{at}.{name}.int8"] * held[f"{at}.{name}.scales"]

        turned = held[f"{at}.qkv.inverse"][:, None]
        heads, biases = [], []
        for name, factor in (("q", 32**0.5), ("k", 1.0), ("v", 1.0)):
            weight, bias = turned * matrix(name), held[f"{at}.{name}.bias"]
            if name != "v":  # one more coordinate a head carries the mask
                weight = weight.reshape(WIDE, 12, 33)[:, :, :32].reshape(WIDE, WIDE)
                bias = bias.reshape(12, 33)[:, :32].reshape(WIDE)
            heads.append(weight.T * factor)
            biases.append(bias * factor)
        state[f"{at}.qkv.weight"] = np.concatenate(heads)
        state[f"{at}.qkv.bias"] = np.concatenate(biases)
        state[f"{at}.out.weight"] = matrix("out").T
        state[f"{at}.up.weight"] = (held[f"{at}.up.inverse"][:, None] * matrix("up")).T
        state[f"{at}.down.weight"] = matrix("down").T
        for name in ("out", "up", "down"):
            state[f"{at}.{name}.bias"] = held[f"{at}.{name}.bias"]
        for name in ("norm1", "norm2"):
            for part in ("weight", "bias"):
                state[f"{at}.{name}.{part}"] = held[f"{at}.{name}.{part}"]
    tensors = {k: torch.from_numpy(np.ascontiguousarray(v)).float() for k, v in state.items()}
    model.load_state_dict(tensors)
    return model


HEADS = ("weigh", "sentence", "widen", "back", "narrow")


def loaded(path: Path) -> Encoder:
    """The encoder inside an int8 file; one without heads of its own keeps plain ones."""
    import onnx
    from onnx import numpy_helper

    made = Encoder(shipped(path))
    held = {i.name: numpy_helper.to_array(i) for i in onnx.load(str(path)).graph.initializer}
    for name in HEADS:
        head = getattr(made, name)
        if f"{name}.int8" in held:
            weight = held[f"{name}.int8"].astype(np.float32) * held[f"{name}.scales"]
            head.weight.data.copy_(torch.from_numpy(weight.T.copy()))
        if f"{name}.bias" in held:
            head.bias.data.copy_(torch.from_numpy(held[f"{name}.bias"].copy()))
    return made


def mixed(trained: Encoder, base: Bert, share: float) -> Encoder:
    """A copy whose body is *share* of the trained weights and the rest of the base's."""
    body = Bert(len(trained.body.layers))
    theirs = base.state_dict()
    body.load_state_dict(
        {k: share * v + (1 - share) * theirs[k].to(v) for k, v in trained.body.state_dict().items()}
    )
    made = Encoder(body)
    made.scales.data.copy_(trained.scales.data)
    for name in HEADS:
        getattr(made, name).load_state_dict(getattr(trained, name).state_dict())
    return made.to(trained.scales.device)


def packed(model: Encoder) -> bytes:
    """The weights as fp16, the word vectors as int8 with a scale each, as in the export."""
    held: dict[str, Any] = {}
    for name, value in model.state_dict().items():
        array = value.detach().float().cpu().numpy()
        if name == "body.words.weight":
            scale = np.maximum(np.abs(array).max(axis=1, keepdims=True), 1e-9) / 127
            held["words.int8"] = np.rint(array / scale).astype(np.int8)
            held["words.scale"] = scale
        else:
            held[name] = array.astype(np.float16)
    out = io.BytesIO()
    np.savez(out, **held)
    return out.getvalue()


def unpacked(raw: bytes) -> dict[str, Any]:
    """What :func:`packed` wrote, as float32 arrays."""
    held = {k: v.astype(np.float32) for k, v in np.load(io.BytesIO(raw)).items()}
    held["body.words.weight"] = held.pop("words.int8") * held.pop("words.scale")
    return held


def parts(raw: bytes, folder: Path, name: str, most: int = 15_000_000) -> None:
    """Writes bytes as files of at most so many bytes: name.0, name.1 and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, start in enumerate(range(0, len(raw), most)):
        (folder / f"{name}.{number}").write_bytes(raw[start : start + most])


def joined(folder: Path, name: str) -> bytes:
    found = sorted(folder.glob(f"{name}.[0-9]*"), key=lambda path: int(path.suffix[1:]))
    return b"".join(path.read_bytes() for path in found)
