"""The sentence model: is a sentence worth keeping, and as what?

A linear head over the encoder's vector of the sentence, which the pass of its passage gives, and
over what can be seen of it (:mod:`recollect.text.statements.surface`). Another head does with the
latter alone, where there is no encoder or another one. ``training/worth.py`` fits both.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from recollect.models import onnx
from recollect.named_tuple import NamedTuple
from recollect.ports import Embedder, PassageSentences, Worth
from recollect.text.statements.surface import features

if TYPE_CHECKING:
    from numpy.typing import NDArray


HOPE = -2.5
"""Log-odds by what can be seen of a sentence, over which its passage is read by the encoder."""


class Head(NamedTuple):
    """Weights by which the numbers of a sentence tell its worth (column 0) and its kind."""

    weights: NDArray[Any]
    offsets: NDArray[Any]
    threshold: float


class WorthHeads(NamedTuple):
    kinds: tuple[str, ...]
    encoder: str
    """The key of the model whose vectors the first head reads."""
    full: Head
    plain: Head


@cache
def heads() -> WorthHeads:
    place = resources.files("recollect") / "weights" / "worth" / "head.npz"
    with place.open("rb") as file, np.load(file) as read:
        full, plain = (
            Head(read[f"{name}_weights"].astype(np.float32), read[f"{name}_offsets"],
                 float(read[f"{name}_threshold"]))
            for name in ("full", "plain")
        )  # fmt: skip
        return WorthHeads(tuple(map(str, read["kinds"])), str(read["encoder"]), full, plain)


class SentenceModel:
    """Judges sentences by the encoder where it is the one that the head was fitted with, else by
    what can be seen of them."""

    def __init__(self, embedder: Embedder | None) -> None:
        encoder = embedder if isinstance(embedder, onnx.OnnxEmbedder) else None
        self._encoder = encoder if encoder and encoder.model.key == heads().encoder else None
        self._head = heads().full if self._encoder else heads().plain

    @property
    def threshold(self) -> float:
        return self._head.threshold

    def judge(self, passages: Sequence[PassageSentences]) -> list[list[Worth]]:
        seen = [numbers([passage]) for passage in passages]
        plain = [_scores(rows, heads().plain) for rows in seen]
        hopeful = [n for n, scores in enumerate(plain) if (scores[:, 0] > HOPE).any()]
        if self._encoder is not None and hopeful:
            vectors = self._encoder.embed_sentences([passages[n] for n in hopeful])
            for n, some in zip(hopeful, vectors, strict=True):
                plain[n] = _scores(np.hstack([some, seen[n]]), self._head)
        return [list(map(_worth, scores)) for scores in plain]


def _scores(rows: NDArray[Any], head: Head) -> NDArray[Any]:
    scores: NDArray[Any] = rows @ head.weights + head.offsets
    return scores


def _worth(scores: NDArray[Any]) -> Worth:
    return Worth(float(1 / (1 + np.exp(-scores[0]))), heads().kinds[int(scores[1:].argmax())])


def numbers(passages: Sequence[PassageSentences]) -> NDArray[np.float32]:
    """Returns what can be seen of every sentence, one row each."""
    seen = [
        features(passage.text[one.start : one.end], one.speaker)
        for passage in passages
        for one in passage.sentences
    ]
    return np.array(seen, np.float32).reshape(
        len(seen), -1 if seen else heads().plain.weights.shape[0]
    )
