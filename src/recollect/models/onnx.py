"""Models of this machine, run by ONNX Runtime in length-sorted batches.

The runtime is loaded when something is first embedded or scored (:mod:`network`): most commands
need to know only which model it would be.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from recollect.models import network
from recollect.models.catalog import LocalModel

if TYPE_CHECKING:
    from recollect.ports import Vector, Vectors

_QUERY_CHARACTERS = 4_000
_PASSAGE_CHARACTERS = 16_000
_BRIEF = 4_100
"""Characters of texts up to which a network that plans no memory serves; see :mod:`network`."""


class _OnnxModel:
    """A model whose network loads on first use; safe to share between threads."""

    def __init__(self, model: LocalModel, home: Path, among: str = "") -> None:
        """*among*: the key of another model whose vectors it is to search."""
        self.model = model
        self.home = home
        self._among = among
        self.reads = model.reads
        self.speaks = model.speaks
        self._lock = Lock()
        self._network: network.Network | None = None

    @property
    def key(self) -> str:
        return self._among or self.model.key

    def network(self, *, brief: bool = False) -> network.Network:
        """The loaded network. *brief*: one that was loaded for little text will do; it gives way to
        a whole one when that is asked for, so that there is one copy of the weights."""
        with self._lock:
            if self._network is None or self._network.brief > brief:
                self._network = network.Network(self.model, self.home, brief=brief)
            return self._network


class OnnxEmbedder(_OnnxModel):
    @property
    def dimensions(self) -> int:
        return self.model.dimensions

    def embed_query(self, text: str) -> Vector:
        asked = self.model.query_prefix + text[:_QUERY_CHARACTERS]
        vector: Vector = self.network(brief=len(asked) <= _BRIEF).embed([asked])[0]
        return vector

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        prefix = self.model.passage_prefix
        given = [prefix + text[:_PASSAGE_CHARACTERS] for text in texts]
        vectors = network.empty_vectors(len(texts), self.dimensions)
        brief = sum(map(len, given)) <= _BRIEF
        network.in_batches(given, len, lambda some: self.network(brief=brief).embed(some), vectors)
        return vectors


class OnnxReranker(_OnnxModel):
    """A cross-encoder: reads a question and a passage together."""

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Returns for each passage the log-odds that it answers the question."""
        asked = question[:_QUERY_CHARACTERS]
        return self.network().score(asked, [text[:_PASSAGE_CHARACTERS] for text in passages])
