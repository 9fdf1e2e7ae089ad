"""Models on ONNX Runtime: one thread, no spinning, length-sorted batches.

More throughput comes from more processes, not from more threads in one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from recollect.errors import ModelError
from recollect.models.catalog import Model

if TYPE_CHECKING:
    from recollect.models.wordpiece import Tokenizer, Tokens
    from recollect.ports import Vector, Vectors

BATCH = 16
_QUERY_CHARACTERS = 4_000
_PASSAGE_CHARACTERS = 16_000


def quiet_onnxruntime() -> Any:
    """ONNX Runtime, imported with its telemetry off.

    On Linux its wheels keep a device id and a queue of events in the user's cache folder and look
    a telemetry host up for as long as the process lives. The variable is read when the library is
    loaded, so it is set before; processes that are started from here inherit it.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    return onnxruntime


class _Network:
    """A model's tokenizer and session; loads on first use, safe to share between threads."""

    def __init__(self, model: Model, home: Path) -> None:
        self.model = model
        self.home = home
        self._lock = Lock()
        self._session: Any = None
        self._tokenizer: Any = None
        self._inputs: set[str] = set()

    @property
    def key(self) -> str:
        return self.model.key

    def reads(self, text: str) -> bool:
        return self.model.reads(text)

    def speaks(self, text: str) -> bool:
        return self.model.speaks(text)

    def tokenizer(self) -> Tokenizer:
        with self._lock:
            if self._session is None:
                self._load()
        tokenizer: Tokenizer = self._tokenizer
        return tokenizer

    def run(self, encoded: Sequence[Tokens]) -> tuple[Any, Any]:
        """What the network gives for tokenised texts or pairs, and which tokens are theirs."""
        import numpy as np

        ids = np.zeros((len(encoded), max(len(tokens.ids) for tokens in encoded)), np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for row, one in enumerate(encoded):
            size = len(one.ids)
            ids[row, :size] = one.ids
            mask[row, :size] = 1
            types[row, :size] = one.types
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        feed = {name: array for name, array in feed.items() if name in self._inputs}
        try:
            return self._session.run(None, feed)[0], mask
        except Exception as error:
            raise ModelError(
                f"{self.model.name} cannot read its tokenizer's tokens: {error}",
                hint="model.onnx and tokenizer.json must belong together",
            ) from error

    def not_numbers(self) -> ModelError:
        return ModelError(f"{self.model.name} gave what is not a number",
                          hint="nothing was stored; fetch the model again")  # fmt: skip

    def _load(self) -> None:
        from recollect.models import wordpiece

        onnxruntime = quiet_onnxruntime()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._tokenizer = wordpiece.load(self.home / "tokenizer.json", self.model.max_tokens)
            session = onnxruntime.InferenceSession(
                str(self.home / self.model.weights), options, providers=["CPUExecutionProvider"]
            )
        except ModelError:
            raise
        except Exception as error:
            raise ModelError(
                f"{self.home} holds no usable model: {error}",
                hint=f"`recollect models fetch {self.model.name}` gets it again",
            ) from error
        self._inputs = {i.name for i in session.get_inputs()}
        self._session = session


class OnnxEmbedder(_Network):
    @property
    def dimensions(self) -> int:
        return self.model.dimensions

    def embed_query(self, text: str) -> Vector:
        asked = self.model.query_prefix + text[:_QUERY_CHARACTERS]
        vector: Vector = self._embed([asked])[0]
        return vector

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        out = np.empty((len(texts), self.dimensions), np.float32)
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for start in range(0, len(order), BATCH):
            some = order[start : start + BATCH]
            prefix = self.model.passage_prefix
            out[some] = self._embed([prefix + texts[i][:_PASSAGE_CHARACTERS] for i in some])
        return out

    def _embed(self, texts: list[str]) -> Vectors:
        import numpy as np

        hidden, mask = self.run([*map(self.tokenizer().encode, texts)])
        vectors: Vectors = self._pooled(hidden, mask).astype(np.float32)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        if vectors.shape[1] != self.dimensions:
            raise ModelError(
                f"{self.model.name} gave vectors of {vectors.shape[1]} dimensions instead of "
                f"{self.dimensions}",
                hint="nothing was stored; mend the manifest, or fetch the model again",
            )
        if not np.isfinite(vectors).all():
            raise self.not_numbers()
        return vectors

    def _pooled(self, hidden: Any, mask: Any) -> Any:
        """One vector a text: that of its first token, or the mean over its tokens."""
        if hidden.ndim == 2:  # the graph pools by itself
            return hidden
        if self.model.pooling == "cls":
            return hidden[:, 0, :]
        weights = mask[:, :, None].astype(hidden.dtype)
        return (hidden * weights).sum(axis=1) / weights.sum(axis=1)


class OnnxReranker(_Network):
    """A cross-encoder: reads a question and a passage together."""

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """For each passage the log-odds that it answers the question."""
        import numpy as np

        asked = question[:_QUERY_CHARACTERS]
        most = self.model.max_question or self.model.max_tokens // 2
        pair = self.tokenizer().encode_pair
        encoded = [pair(asked, passage[:_PASSAGE_CHARACTERS], most) for passage in passages]
        out = np.empty(len(encoded), np.float64)
        order = sorted(range(len(encoded)), key=lambda i: len(encoded[i].ids))
        for start in range(0, len(order), BATCH):
            some = order[start : start + BATCH]
            out[some] = self.run([encoded[i] for i in some])[0].reshape(len(some))
        if not np.isfinite(out).all():
            raise self.not_numbers()
        slope, offset = self.model.calibration
        return [float(x) for x in slope * out + offset]
