"""A neural network on ONNX Runtime: each run takes one thread, no spinning.

More throughput comes from several threads that run it at once, each with texts of its own: they
need as little processor time as one does. Threads within a run (intra-op) take a tenth more, and
processes, which need no less, load the network once each.

A network that is loaded for a question (``brief``) is one that loads fast: its weights are mapped
from the file and not sorted for multiplying, a graph that was saved optimised is not rewritten, and
no plan is made by which buffers of a run are used again, which saves memory where much text is read
at once. It loads in an eighth of the time, runs 0.6 times as fast, and gives the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from recollect import ports
from recollect.errors import ModelError
from recollect.models import devices, graph, wordpiece
from recollect.models.catalog import LocalModel
from recollect.models.devices import onnxruntime
from recollect.models.wordpiece import Tokens
from recollect.named_tuple import NamedTuple
from recollect.nouns import only
from recollect.text import signs
from recollect.trace import current

TOKENS = 256
"""Tokens of a batch, padding among them, unless one text has more. A token costs the same in a text
alone as among sixteen (measured from 64 on); the padding of unequal texts cost a third more."""
PADDED = 4
"""Tokens by which a text may be shorter than the longest of its batch: a run of its own costs about
as much as so many."""


ACCELERATED = 64
"""So many times as many, of both, where an accelerator runs it: that waits for work, and a padded
token costs it little."""


def batches(lengths: Sequence[int], times: int = 1) -> Iterator[list[int]]:
    """Yields the numbers of texts of so many tokens in batches of about the same length, the
    longest first; *times* as large as they are by default."""
    waiting = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
    while waiting:
        longest = max(1, lengths[waiting[0]])
        fits = waiting[: max(1, times * TOKENS // longest)]
        some = [n for n in fits if lengths[n] >= longest - times * PADDED]
        waiting = waiting[len(some) :]
        yield some


def in_batches(
    encoded: Sequence[Tokens], run: Callable[[list[Tokens]], Any], out: Any, times: int = 1
) -> None:
    """Runs tokenised texts in batches, and puts what comes of each into its row of the array
    *out*."""
    for some in batches([*map(_length, encoded)], times):
        out[some] = run([encoded[n] for n in some])


def empty_vectors(count: int, dimensions: int) -> ports.Vectors:
    return np.empty((count, dimensions), np.float32)


_Parted = tuple[list[int], list[int]]
"""The tokens of a text, and of each the number of its sentence or -1; those behind the last that is
listed are of none."""


class TokenStates(NamedTuple):
    """The tokens of a text as an inner layer has them."""

    ids: tuple[int, ...]
    states: Any
    """One row a token."""
    vector: ports.Vector
    """That of the text, of length 1."""
    cut: bool
    """Whether the text goes on behind the last of them."""


class Network:
    """A model's tokenizer and session, loaded. Safe to share between threads."""

    def __init__(
        self,
        model: LocalModel,
        home: Path,
        *,
        brief: bool = False,
        states: bool = False,
        device: str = devices.CPU,
    ) -> None:
        """*states*: the token states of an inner layer can be asked for as well. *device* is where
        a network that is not brief runs, where it can."""
        self.model = model
        self.brief = brief
        self.gives_states = states
        self.runs = 0
        weights = (home / model.weights).resolve()  # the runtime maps no file behind a link
        try:
            self._tokenizer = wordpiece.load(home / "tokenizer.json", model.max_tokens, brief=brief)
            self._session = _session(
                model,
                weights,
                brief,
                model.states if states else "",
                devices.CPU if brief else device,
            )
        except ModelError:
            raise
        except Exception as error:
            raise ModelError(
                f"{home} holds no usable model: {error}",
                hint=_had_again(model, home),
            ) from error
        if not brief:
            devices.warn(device, self._session.get_providers())
        self._inputs = {i.name for i in self._session.get_inputs()}
        self._outputs = {o.name: o.shape for o in self._session.get_outputs()}
        self.is_accelerated = devices.is_accelerated(self._session)
        self._times = ACCELERATED if self.is_accelerated else 1

    @property
    def gives_sentences(self) -> bool:
        """Whether its graph has vectors of sentences beside those of texts, and of questions to
        hold against them, as many numbers each as have their signs stored."""
        wide = [self._outputs.get(name, [0])[-1] for name in ("sentences", "asks")]
        pools = next(iter(self._outputs)) == "vector"
        return "sentence_ids" in self._inputs and pools and wide == [signs.WIDTH] * 2

    def embed(self, texts: list[str]) -> ports.Vectors:
        """Returns a vector of length 1 for each text."""
        encoded = [*map(self._tokenizer.encode, texts)]
        vectors = empty_vectors(len(texts), self.model.dimensions)
        in_batches(encoded, self._embed, vectors, self._times)
        return vectors

    def question(self, text: str) -> ports.QuestionVectors:
        """Returns the vector of a question, and the one to be held against sentences, which its
        graph must give."""
        outputs, mask = self._run([self._tokenizer.encode(text)])
        asks = _of_length_1(outputs[list(self._outputs).index("asks")])
        self._check_numbers(asks)
        return ports.QuestionVectors(self._checked(self._pooled(outputs[0], mask))[0], asks[0])

    def _embed(self, encoded: list[Tokens]) -> ports.Vectors:
        outputs, mask = self._run(encoded)
        return self._checked(self._pooled(outputs[0], mask))

    def _checked(self, pooled: Any) -> ports.Vectors:
        """Returns vectors of length 1, after looking that they are what they should be."""
        vectors = _of_length_1(pooled)
        if vectors.shape[1] != self.model.dimensions:
            raise ModelError(
                f"{self.model.name} gave vectors of {vectors.shape[1]} dimensions instead of "
                f"{self.model.dimensions}",
                hint="nothing was stored; mend the manifest, or fetch the model again",
            )
        self._check_numbers(vectors)
        return vectors

    def sentences(
        self, texts: Sequence[ports.PassageSentences]
    ) -> tuple[ports.Vectors, list[ports.Vectors]]:
        """Returns the vector of each text, and one of each of its sentences, of length 1; of those
        that the network does not reach, zeros. Its graph must give them."""
        return self._sentences(texts, list(map(self._in_parts, texts)))

    def embed_with_sentences(
        self, texts: Sequence[ports.PassageSentences]
    ) -> tuple[ports.Vectors, list[ports.Vectors]]:
        """Returns the same, the vectors of the texts to the bit as :meth:`embed` gives them."""
        return self._sentences(texts, list(map(self._in_parts_or_whole, texts)))

    def _sentences(
        self, texts: Sequence[ports.PassageSentences], encoded: Sequence[_Parted]
    ) -> tuple[ports.Vectors, list[ports.Vectors]]:
        vectors = empty_vectors(len(texts), self.model.dimensions)
        found: dict[int, ports.Vectors] = {}
        for some in batches([len(ids) for ids, _ in encoded], self._times):
            feed = self._feed(*zip(*(encoded[n] for n in some), strict=True))
            made, told = self._told(feed, ["vector", "sentences"])
            vectors[some] = self._checked(made)
            for n, rows in zip(some, told, strict=True):
                own = np.zeros((len(texts[n].sentences), rows.shape[1]), np.float32)
                reached = 1 + max(encoded[n][1], default=-1)
                own[:reached] = rows[:reached]
                found[n] = _of_length_1(own)
        return vectors, [found[n] for n in range(len(texts))]

    def _in_parts_or_whole(self, text: ports.PassageSentences) -> _Parted:
        """Returns the tokens of a text with its sentences; without them where a sentence ends
        within a token, for what is embedded is the text."""
        whole, parted = [*self._tokenizer.encode(text.text).ids], self._in_parts(text)
        return parted if parted[0] == whole else (whole, [])

    def _in_parts(self, text: ports.PassageSentences) -> _Parted:
        """Returns the tokens of a text, and of each the number of its sentence or -1."""
        ids: list[int] = []
        numbers: list[int] = []
        at = 0
        for number, one in enumerate(text.sentences):
            for part, mark in (
                (text.text[at : one.start], -1),
                (text.text[one.start : one.end], number),
            ):
                found = self._tokenizer.encode(part).ids[1:-1]
                ids += found
                numbers += [mark] * len(found)
            at = one.end
        most = self.model.max_tokens
        first, *_, last = self._tokenizer.encode("").ids
        ids += self._tokenizer.encode(text.text[at:]).ids[1:-1]
        ids = [first, *ids[: most - 2], last]
        return ids, [-1, *numbers][: len(ids) - 1]

    def _feed(
        self, ids: Sequence[Sequence[int]], numbers: Sequence[Sequence[int]]
    ) -> dict[str, Any]:
        size = max(map(len, ids))
        feed = {name: np.zeros((len(ids), size), np.int64) for name in self._inputs}
        feed["sentence_ids"] -= 1
        for row, (some, marks) in enumerate(zip(ids, numbers, strict=True)):
            feed["input_ids"][row, : len(some)] = some
            feed["attention_mask"][row, : len(some)] = 1
            feed["sentence_ids"][row, : len(marks)] = marks
        return feed

    def states(self, text: str, most: int) -> TokenStates:
        """Returns the states of a text's tokens, of which it reads *most*, after an inner layer."""
        ids = self._tokenizer.encode(text).ids
        read = ids[:most]
        outputs, _ = self._run([Tokens(read, [0] * len(read))])
        return TokenStates(
            tuple(read), outputs[-1][0], _of_length_1(outputs[0])[0], len(ids) > most
        )

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Returns for each passage the log-odds that it answers the question."""
        most = self.model.max_question or self.model.max_tokens // 2
        pairs = [self._tokenizer.encode_pair(question, passage, most) for passage in passages]
        out = np.empty(len(pairs), np.float64)

        def scored(some: list[Tokens]) -> Any:
            current().look_up("rerank")  # it takes long enough that nobody may wait any more
            return self._run(some)[0][0].reshape(len(some))

        in_batches(pairs, scored, out, self._times)
        self._check_numbers(out)
        slope, offset = self.model.calibration
        return list(map(float, slope * out + offset))

    def _run(self, encoded: Sequence[Tokens]) -> tuple[list[Any], Any]:
        """Returns the outputs of the network for tokenised texts or pairs, and which tokens are
        theirs."""
        ids = np.zeros((len(encoded), max(map(_length, encoded))), np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for row, one in enumerate(encoded):
            size = len(one.ids)
            ids[row, :size] = one.ids
            mask[row, :size] = 1
            types[row, :size] = one.types
        none = np.full_like(ids, -1)  # no sentence of the text is asked for
        feed = {
            "input_ids": ids, "attention_mask": mask, "token_type_ids": types,
            "sentence_ids": none,
        }  # fmt: skip
        return self._told(only(feed, self._inputs)), mask

    def _told(self, feed: dict[str, Any], outputs: list[str] | None = None) -> list[Any]:
        """Returns these outputs of the network, or all."""
        self.runs += 1
        try:
            told: list[Any] = self._session.run(outputs, feed)
            return told
        except Exception as error:
            raise ModelError(
                f"{self.model.name} cannot read its tokenizer's tokens: {error}",
                hint="model.onnx and tokenizer.json must belong together",
            ) from error

    def _pooled(self, hidden: Any, mask: Any) -> Any:
        """Returns one vector a text: that of its first token, or the mean over its tokens."""
        if hidden.ndim == 2:  # the graph pools by itself
            return hidden
        if self.model.pooling == "cls":
            return hidden[:, 0, :]
        weights = mask[:, :, None].astype(hidden.dtype)
        return (hidden * weights).sum(axis=1) / weights.sum(axis=1)

    def _check_numbers(self, found: Any) -> None:
        if not np.isfinite(found).all():
            raise ModelError(
                f"{self.model.name} gave what is not a number",
                hint="nothing was stored; fetch the model again",
            )


def _had_again(model: LocalModel, home: Path) -> str:
    """What to do about files of a model that are no good: one of the user's own is nowhere else."""
    if all(one.kind == "folder" for one in model.locations):
        return f"put a whole model into {home}, or take another: `recollect models list`"
    return f"`recollect models fetch {model.name}` gets it again"


def _of_length_1(vectors: Any) -> ports.Vectors:
    made: ports.Vectors = vectors.astype(np.float32)
    made /= np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-12)
    return made


def _length(tokens: Tokens) -> int:
    return len(tokens.ids)


def _session(model: LocalModel, weights: Path, brief: bool, states: str, device: str) -> Any:
    """Returns one on that device, or on the processor where the device cannot begin."""
    among, options = devices.providers(device), _options(model, weights.parent, brief)
    floats = among != devices.providers(devices.CPU)
    made = onnxruntime.InferenceSession(
        _graph(weights, brief, states, floats), options, providers=among
    )
    if not floats or devices.is_accelerated(made):
        return made
    return onnxruntime.InferenceSession(
        _graph(weights, brief, states, False), options, providers=made.get_providers()
    )


def _graph(weights: Path, brief: bool, states: str, floats: bool) -> bytes | str:
    """Returns what a session is made of; with the states of that inner layer, if it is named."""
    if not brief and not states and not floats:
        return str(weights)
    made = graph.without_weights(weights) if brief else weights.read_bytes()
    made = graph.in_floats(made) if floats else made
    return graph.with_output(made, states) if states else made


def _options(model: LocalModel, folder: Path, brief: bool) -> Any:
    options = onnxruntime.SessionOptions()
    options.enable_mem_reuse = not brief
    if brief:
        options.add_session_config_entry("session.disable_prepacking", "1")
        options.add_session_config_entry(
            "session.model_external_initializers_file_folder_path", str(folder)
        )
    if brief and model.optimised:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options
