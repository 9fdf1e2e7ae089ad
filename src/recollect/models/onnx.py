"""Models of this machine, run by ONNX Runtime.

The runtime is loaded when something is first embedded or scored (:mod:`network`): most commands
need to know only which model it would be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock

from recollect import ports
from recollect.models import network
from recollect.models.catalog import LocalModel

_QUERY_CHARACTERS = 4_000
_PASSAGE_CHARACTERS = 16_000
_MOST_MADE = 2048
"""Passages read for something else whose vectors wait to be asked for."""
_BRIEF = 4_100
"""Characters of texts up to which a network that plans no memory serves; see :mod:`network`."""
_FEW = 20
"""Runs after which a brief network gives way to a whole one, which is faster from then on."""


class _OnnxModel:
    """A model whose network loads on first use; safe to share between threads."""

    def __init__(self, model: LocalModel, home: Path, among: str = "", device: str = "cpu") -> None:
        """*among*: the key of another model whose vectors it is to search."""
        self.model = model
        self._device = device
        self.home = home
        self._among = among
        self.reads = model.reads
        self.speaks = model.speaks
        self._lock = Lock()
        self._network: network.Network | None = None

    @property
    def key(self) -> str:
        return self._among or self.model.key

    @property
    def is_accelerated(self) -> bool:
        """Whether another device than the processor runs what is not brief; loads it to know."""
        return self._device != "cpu" and self.network().is_accelerated

    def network(self, *, brief: bool = False, states: bool = False) -> network.Network:
        """The loaded network. *brief*: one that was loaded for little text will do; it gives way to
        a whole one when that is asked for, so that there is one copy of the weights. So does one
        that gives no *states*."""
        with self._lock:
            known = self._network
            brief = brief and (known is None or known.runs < _FEW)
            if known is not None and known.brief <= brief and known.gives_states >= states:
                return known
            if known is not None:
                brief, states = brief and known.brief, states or known.gives_states
            self._network = network.Network(
                self.model, self.home, brief=brief, states=states, device=self._device
            )
            return self._network


class OnnxEmbedder(_OnnxModel):
    def __init__(self, model: LocalModel, home: Path, among: str = "", device: str = "cpu") -> None:
        super().__init__(model, home, among, device)
        self._made: dict[str, ports.Vector] = {}
        """Vectors of passages that were read for their sentences, or to be compared, until they
        are asked for."""

    @property
    def dimensions(self) -> int:
        return self.model.dimensions

    def embed_query(self, text: str) -> ports.Vector:
        asked = self.model.query_prefix + text[:_QUERY_CHARACTERS]
        vector: ports.Vector = self.network(brief=len(asked) <= _BRIEF).embed([asked])[0]
        return vector

    def token_states(self, text: str, most: int) -> network.TokenStates:
        """The states of a text's first tokens after the inner layer that the model names."""
        return self.network(brief=True, states=True).states(text[:_BRIEF], most)

    def embed_ahead(self, texts: Sequence[str]) -> ports.Vectors:
        """The vectors of passages, kept for whoever embeds them next: a fact that is compared is
        often stored."""
        vectors = self.embed_passages(texts)
        self._keep(dict(zip(texts, vectors, strict=True)))
        return vectors

    def embed_passages(self, texts: Sequence[str]) -> ports.Vectors:
        with self._lock:
            made = {text: self._made.pop(text) for text in set(texts) if text in self._made}
        vectors = network.empty_vectors(len(texts), self.dimensions)
        rest = [n for n, text in enumerate(texts) if text not in made]
        vectors[rest] = self._embedded([texts[n] for n in rest])
        for n, text in enumerate(texts):
            vectors[n] = made.get(text, vectors[n])
        return vectors

    def embed_sentences(self, texts: Sequence[ports.PassageSentences]) -> list[ports.Vectors]:
        """Returns a vector for each sentence of each passage. The passages' own, which the same
        pass gives, are kept for whoever embeds them next."""
        brief = sum(len(one.text) for one in texts) <= _BRIEF
        vectors, found = self.network(brief=brief).sentences(texts)
        self._keep({one.text: vectors[n] for n, one in enumerate(texts)})
        return found

    def _keep(self, made: Mapping[str, ports.Vector]) -> None:
        with self._lock:
            self._made |= made
            while len(self._made) > _MOST_MADE:
                self._made.pop(next(iter(self._made)))

    def _embedded(self, texts: Sequence[str]) -> ports.Vectors:
        prefix = self.model.passage_prefix
        given = [prefix + text[:_PASSAGE_CHARACTERS] for text in texts]
        brief = sum(map(len, given)) <= _BRIEF
        return self.network(brief=brief).embed(given)


class OnnxReranker(_OnnxModel):
    """A cross-encoder: reads a question and a passage together."""

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Returns for each passage the log-odds that it answers the question."""
        asked = question[:_QUERY_CHARACTERS]
        return self.network().score(asked, [text[:_PASSAGE_CHARACTERS] for text in passages])
