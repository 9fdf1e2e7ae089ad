"""The sentence model: is a sentence worth keeping, and as what?

A linear head over the encoder's vector of the sentence, which the pass of its passage gives, and
over what can be seen of it (:mod:`recollect.text.statements.surface`). Another head does with the
latter alone, where there is no encoder or another one. What assistants say in sessions has a pair
of heads of its own: most of it is narration, and what they found out is put otherwise than what
people decide. ``training/worth.py`` fits them.
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


class HeadPair(NamedTuple):
    full: Head
    plain: Head
    """The one that reads no vectors."""


class WorthHeads(NamedTuple):
    kinds: tuple[str, ...]
    encoder: str
    """The key of the model whose vectors the full heads read."""
    people: HeadPair
    assistants: HeadPair

    def of(self, speaker: str) -> HeadPair:
        return self.assistants if speaker == "assistant" else self.people


@cache
def heads() -> WorthHeads:
    place = resources.files("recollect") / "weights" / "worth" / "head.npz"
    with place.open("rb") as file, np.load(file) as read:
        people, assistants = (
            HeadPair(*(
                Head(read[f"{who}{name}_weights"].astype(np.float32), read[f"{who}{name}_offsets"],
                     float(read[f"{who}{name}_threshold"]))
                for name in ("full", "plain")
            ))
            for who in ("", "assistant_")
        )  # fmt: skip
        return WorthHeads(tuple(map(str, read["kinds"])), str(read["encoder"]), people, assistants)


class SentenceModel:
    """Judges sentences by the encoder where it is the one that the head was fitted with, else by
    what can be seen of them."""

    def __init__(self, embedder: Embedder | None) -> None:
        encoder = embedder if isinstance(embedder, onnx.OnnxEmbedder) else None
        self._encoder = encoder if encoder and encoder.model.key == heads().encoder else None

    @property
    def threshold(self) -> float:
        """The same for whoever speaks."""
        people = heads().people
        return (people.full if self._encoder else people.plain).threshold

    def judge(self, passages: Sequence[PassageSentences]) -> list[list[Worth]]:
        seen = [numbers([passage]) for passage in passages]
        plain = [
            _scores(rows, [heads().of(one.speaker).plain for one in passage.sentences])
            for rows, passage in zip(seen, passages, strict=True)
        ]
        hopeful = [n for n, scores in enumerate(plain) if (scores[:, 0] > HOPE).any()]
        if self._encoder is not None and hopeful:
            vectors = self._encoder.embed_sentences([passages[n] for n in hopeful])
            for n, some in zip(hopeful, vectors, strict=True):
                by = [heads().of(one.speaker).full for one in passages[n].sentences]
                plain[n] = _scores(np.hstack([some, seen[n]]), by)
        return [list(map(_worth, scores)) for scores in plain]


def _scores(rows: NDArray[Any], by: Sequence[Head]) -> NDArray[Any]:
    """Returns what the head of each row makes of it."""
    scores = np.empty((len(rows), 1 + len(heads().kinds)), np.float32)
    for head in {id(one): one for one in by}.values():
        own = [n for n, one in enumerate(by) if one is head]
        scores[own] = rows[own] @ head.weights + head.offsets
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
        len(seen), -1 if seen else heads().people.plain.weights.shape[0]
    )
