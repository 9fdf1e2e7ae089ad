"""An embedder behind an OpenAI-compatible ``/embeddings`` endpoint, used as a local one is.

    http://127.0.0.1:8080/v1#bge-m3         any server, by its address and the model after ``#``
    openai:text-embedding-3-small           a vendor by name (:data:`addresses.EMBED_VENDORS`)

The key comes from the vendor's variable, for its own address only, else from
``RECOLLECT_EMBED_KEY``, and goes into no file, message or log. What was sent is counted, and
refused beforehand where it would cost more than is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from time import monotonic
from typing import Any

import numpy as np

from recollect import ports
from recollect.errors import ModelError, ModelTooLong
from recollect.models.addresses import EMBED_VENDORS, embed_address, host_of
from recollect.models.remote import Remote
from recollect.named_tuple import NamedTuple
from recollect.nouns import mapping
from recollect.ports import LlmUsage, Meter
from recollect.text.tokens import count_tokens

OWN_KEY = "RECOLLECT_EMBED_KEY"
BATCH = 64
BATCH_CHARACTERS = 150_000
"""Texts that are sent at once, and how long they may be together."""
QUERY_SECONDS, PASSAGE_SECONDS = 4.0, 180.0
"""For all attempts together: a search waits for the one, and nobody for the other."""
_QUERY_ATTEMPTS, _PASSAGE_ATTEMPTS = 3, 6
_BACKOFF = 0.2
_MAX_CHARACTERS = 16_000
_LEAST_CHARACTERS = 500
"""A text that is too long for the model is halved until it is not, but not below this."""


_KEYS = {host_of(v.url): v.variable for v in EMBED_VENDORS.values() if v.variable}


class Prompts(NamedTuple):
    """What a family of models wants to be told of a text: that it is a question, or a passage."""

    names: str
    """A pattern of the models' names."""
    query: str = ""
    passage: str = ""
    field: str = ""
    """Where this is empty they stand before the text, else in this field of the request."""


_INSTRUCT = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
)
_REPRESENT = "Represent this sentence for searching relevant passages: "
PROMPTS: tuple[Prompts, ...] = (
    Prompts(r"e5-.*instruct|gte-qwen|qwen3-embed", _INSTRUCT),
    Prompts(r"(^|[/-])e5-", "query: ", "passage: "),
    Prompts(r"arctic-embed.*v2|arctic-embed2", "query: "),
    Prompts(r"arctic-embed|mxbai-embed|bge-(small|base|large)-en", _REPRESENT),
    Prompts(r"nomic-embed", "search_query: ", "search_document: "),
    Prompts(r"embedding-?gemma", "task: search result | query: ", "title: none | text: "),
    Prompts(r"^voyage-", "query", "document", field="input_type"),
    Prompts(r"^jina-embeddings-v[345]", "retrieval.query", "retrieval.passage", field="task"),
)
NO_PROMPTS = Prompts("")


def prompts_of(model: str) -> Prompts:
    """Returns the prompts that the makers of the model name on its card."""
    small = model.lower()
    return next((known for known in PROMPTS if re.search(known.names, small)), NO_PROMPTS)


class EndpointEmbedder:
    """Safe to share between threads."""

    def __init__(self, name: str, meter: Callable[[], Meter] | None = None) -> None:
        url, self._model = embed_address(name)
        self._remote = Remote(f"{url}/embeddings", _KEYS, OWN_KEY)
        self._prompts = prompts_of(self._model)
        self._meter = meter
        self._dimensions: int | None = None

    @property
    def key(self) -> str:
        return f"{self._model}@{self._remote.url}"

    def reads(self, text: str) -> bool:  # noqa: ARG002  what a server knows it does not say
        return True

    speaks = reads

    def embed_query(self, text: str) -> ports.Vector:
        until = monotonic() + QUERY_SECONDS
        vector: ports.Vector = self._embed([text], self._prompts.query, until, _QUERY_ATTEMPTS)[0]
        return vector

    def embed_passages(self, texts: Sequence[str]) -> ports.Vectors:
        prompt = self._prompts.passage
        parts = [
            self._embed(some, prompt, monotonic() + PASSAGE_SECONDS, _PASSAGE_ATTEMPTS)
            for some in _batches([text[:_MAX_CHARACTERS] for text in texts])
        ]
        return np.concatenate(parts) if parts else np.empty((0, self._dimensions or 0), np.float32)

    def _embed(
        self, texts: Sequence[str], prompt: str, until: float, attempts: int
    ) -> ports.Vectors:
        """Embeds the texts; sends what is too much at once in halves, and cuts a text that is too
        long."""
        try:
            return self._vectors(self._asked(texts, prompt, until, attempts), len(texts))
        except ModelTooLong:
            if len(texts) > 1:
                middle = len(texts) // 2
                halves = texts[:middle], texts[middle:]
                return np.concatenate([self._embed(h, prompt, until, attempts) for h in halves])
            if len(texts[0]) // 2 < _LEAST_CHARACTERS:
                raise
            return self._embed([texts[0][: len(texts[0]) // 2]], prompt, until, attempts)

    def _asked(self, texts: Sequence[str], prompt: str, until: float, attempts: int) -> Any:
        field = self._prompts.field
        before = "" if field else prompt
        # An empty text is refused by some servers; a space means as little.
        content: dict[str, Any] = {
            "model": self._model,
            "input": [before + (text[:_MAX_CHARACTERS] or " ") for text in texts],
            **({field: prompt} if field and prompt else {}),
        }
        if self._meter is None:
            return self._remote.post(content, until, attempts, _BACKOFF)
        estimate = sum(map(count_tokens, content["input"])) + 8 * len(texts)
        meter = self._meter()
        held = meter.hold(self._model, estimate, 0)
        usage: LlmUsage | None = None
        try:
            told = self._remote.post(content, until, attempts, _BACKOFF)
            usage = _usage(told, estimate)
        finally:
            meter.settle(held, usage)
        return told

    def _vectors(self, told: Any, count: int) -> ports.Vectors:
        try:
            rows = sorted(told["data"], key=lambda row: row["index"])
            vectors = np.array(list(map(itemgetter("embedding"), rows)), np.float32)
        except (KeyError, TypeError, ValueError) as error:
            raise self._wrong(f"its answer has no vectors ({error!r})") from error
        if vectors.ndim != 2 or len(vectors) != count:
            raise self._wrong(f"it gave {len(vectors)} vectors for {count} texts")
        if self._dimensions not in (None, vectors.shape[1]):
            raise self._wrong(
                f"its vectors changed from {self._dimensions} dimensions to {vectors.shape[1]}"
            )
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(vectors).all() or not (norms > 0).all():
            raise self._wrong("it gave vectors that are not numbers, or nothing but zeros")
        self._dimensions = vectors.shape[1]
        scaled: ports.Vectors = vectors / norms
        return scaled

    def _wrong(self, what: str) -> ModelError:
        return ModelError(f"{self._remote.url}: {what}", hint="nothing of it was stored")


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) == BATCH or size + len(text) > BATCH_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


def _usage(told: Any, estimate: int) -> LlmUsage:
    """Returns what the server says that it read; some count all tokens, there being no others."""
    counts = mapping(mapping(told).get("usage"))
    tokens = map(counts.get, ("prompt_tokens", "total_tokens"))
    read = next((n for n in tokens if type(n) is int and n > 0), 0)
    return LlmUsage(read) if read else LlmUsage(estimate, told=False)
