"""Models of this machine, run by ONNX Runtime.

The runtime is loaded when something is first embedded or scored (:mod:`network`): most commands
need to know only which model it would be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import starmap
from pathlib import Path
from threading import Lock

from recollect import ports
from recollect.models import network
from recollect.models.catalog import LocalModel
from recollect.named_tuple import NamedTuple
from recollect.text import signs
from recollect.text.sentences import parts_of

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


class _Made(NamedTuple):
    """What was made of a passage before it is asked for."""

    vector: ports.Vector
    sentences: bytes | None = None
    """None where its sentences were not among what was read."""


class OnnxEmbedder(_OnnxModel):
    def __init__(self, model: LocalModel, home: Path, among: str = "", device: str = "cpu") -> None:
        super().__init__(model, home, among, device)
        self._made: dict[str, _Made] = {}
        """Passages that were read for what they say, or to be compared, until their vectors are
        asked for."""

    @property
    def dimensions(self) -> int:
        return self.model.dimensions

    def embed_query(self, text: str) -> ports.Vector:
        return self.embed_question(text).vector

    def embed_question(self, text: str) -> ports.QuestionVectors:
        asked = self.model.query_prefix + text[:_QUERY_CHARACTERS]
        reader = self.network(brief=len(asked) <= _BRIEF)
        if reader.gives_sentences:
            return reader.question(asked)
        return ports.QuestionVectors(reader.embed([asked])[0])

    def token_states(self, text: str, most: int) -> network.TokenStates:
        """The states of a text's first tokens after the inner layer that the model names."""
        return self.network(brief=True, states=True).states(text[:_BRIEF], most)

    def embed_ahead(self, texts: Sequence[str]) -> ports.Vectors:
        """The vectors of passages, kept for whoever embeds them next: a fact that is compared is
        often stored."""
        found = ports.passage_vectors(self, texts)
        self._keep(dict(zip(texts, starmap(_Made, zip(*found, strict=True)), strict=True)))
        return found.vectors

    def embed_passages(self, texts: Sequence[str]) -> ports.Vectors:
        return self._together(texts, self._taken(texts), self._alone).vectors

    def embed_with_sentences(self, texts: Sequence[str]) -> ports.PassageVectors:
        made = {t: one for t, one in self._taken(texts).items() if one.sentences is not None}
        return self._together(texts, made, self._with_sentences)

    def embed_sentences(self, texts: Sequence[ports.PassageSentences]) -> list[ports.Vectors]:
        """Returns a vector for each sentence of each passage. The passages' own, which the same
        pass gives, are kept with their signs for whoever embeds them next."""
        vectors, found = self._reader([one.text for one in texts]).sentences(texts)
        each = zip(texts, vectors, found, strict=True)
        self._keep({one.text: _Made(vector, _signs(one, rows)) for one, vector, rows in each})
        return found

    def _keep(self, made: Mapping[str, _Made]) -> None:
        with self._lock:
            self._made |= made
            while len(self._made) > _MOST_MADE:
                self._made.pop(next(iter(self._made)))

    def _taken(self, texts: Sequence[str]) -> dict[str, _Made]:
        with self._lock:
            return {text: self._made.pop(text) for text in {*texts} if text in self._made}

    def _together(
        self,
        texts: Sequence[str],
        made: Mapping[str, _Made],
        read: Callable[[list[str]], ports.PassageVectors],
    ) -> ports.PassageVectors:
        """What was made before, and what is read of the rest, in the order of the texts."""
        rest = [n for n, text in enumerate(texts) if text not in made]
        new = read([texts[n] for n in rest])
        vectors = network.empty_vectors(len(texts), self.dimensions)
        vectors[rest] = new.vectors
        bits = dict(zip(rest, new.sentences, strict=True))
        for n, text in enumerate(texts):
            if n not in bits:
                vectors[n], bits[n] = made[text].vector, made[text].sentences or b""
        return ports.PassageVectors(vectors, [bits[n] for n in range(len(texts))])

    def _alone(self, texts: list[str]) -> ports.PassageVectors:
        given = [self._given(text) for text in texts]
        return ports.PassageVectors(self._reader(given).embed(given), [b""] * len(given))

    def _with_sentences(self, texts: list[str]) -> ports.PassageVectors:
        given = [self._given(text) for text in texts]
        reader = self._reader(given)
        if not reader.gives_sentences:
            return self._alone(texts)
        parted = [
            ports.PassageSentences(passage, tuple(self._parts(text)))
            for passage, text in zip(given, texts, strict=True)
        ]
        vectors, rows = reader.embed_with_sentences(parted)
        return ports.PassageVectors(vectors, [signs.packed(r) if r.any() else b"" for r in rows])

    def _given(self, text: str) -> str:
        """A passage as the network is given it."""
        return self.model.passage_prefix + text[:_PASSAGE_CHARACTERS]

    def _parts(self, text: str) -> Iterator[ports.SpokenSentence]:
        """The sentences of a passage in what the network is given; those behind it are empty."""
        shift, most = len(self.model.passage_prefix), _PASSAGE_CHARACTERS
        for start, end in parts_of(text):
            yield ports.SpokenSentence(shift + min(start, most), shift + min(end, most))

    def _reader(self, given: Sequence[str]) -> network.Network:
        return self.network(brief=sum(map(len, given)) <= _BRIEF)


def _signs(passage: ports.PassageSentences, rows: ports.Vectors) -> bytes:
    """Returns the signs of the parts of a passage whose sentences were read as somebody else tells
    them apart: to read it once more takes as long as to read it."""
    sentences = [(one.start, one.end) for one in passage.sentences]
    return signs.merged(parts_of(passage.text), sentences, rows)


class OnnxReranker(_OnnxModel):
    """A cross-encoder: reads a question and a passage together."""

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Returns for each passage the log-odds that it answers the question."""
        asked = question[:_QUERY_CHARACTERS]
        return self.network().score(asked, [text[:_PASSAGE_CHARACTERS] for text in passages])
