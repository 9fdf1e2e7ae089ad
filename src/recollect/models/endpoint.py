"""An embedder behind an OpenAI-compatible ``/embeddings`` endpoint.

Named by an address with the model after ``#``: ``http://127.0.0.1:8080/v1#bge-m3``. The key, if
one is needed, comes from ``RECOLLECT_EMBED_KEY`` and goes into no file, message or log.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recollect.errors import ModelError

if TYPE_CHECKING:
    from recollect.ports import Vector, Vectors

BATCH = 64
_ATTEMPTS = 3
_TIMEOUT = 60.0
_MAX_CHARACTERS = 16_000


class EndpointEmbedder:
    def __init__(self, address: str) -> None:
        url, mark, model = address.partition("#")
        if not mark or not model:
            raise ModelError(
                f"{url} does not say which model", hint=f"name it after a #: {url}#MODEL"
            )
        self._url = url.rstrip("/") + "/embeddings"
        self._model = model
        self._dimensions: int | None = None

    @property
    def key(self) -> str:
        return f"{self._model}@{self._url}"

    def reads(self, text: str) -> bool:  # noqa: ARG002  what a server knows it does not say
        return True

    speaks = reads

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self._embed([text])[0]
        return vector

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        parts = [self._embed(texts[i : i + BATCH]) for i in range(0, len(texts), BATCH)]
        return np.concatenate(parts)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        # An empty text is refused by some servers; a space means as little.
        content = {"model": self._model, "input": [t[:_MAX_CHARACTERS] or " " for t in texts]}
        told = self._post(content)
        try:
            rows = sorted(told["data"], key=lambda row: row["index"])
            vectors = np.array([row["embedding"] for row in rows], np.float32)
        except (KeyError, TypeError, ValueError) as error:
            raise self._wrong(f"its answer has no vectors ({error!r})") from error
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise self._wrong(f"it gave {len(vectors)} vectors for {len(texts)} texts")
        if self._dimensions not in (None, vectors.shape[1]):
            raise self._wrong(f"its vectors changed from {self._dimensions} dimensions to "
                              f"{vectors.shape[1]}")  # fmt: skip
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(vectors).all() or not (norms > 0).all():
            raise self._wrong("it gave vectors that are not numbers, or nothing but zeros")
        self._dimensions = vectors.shape[1]
        scaled: Vectors = vectors / norms
        return scaled

    def _wrong(self, what: str) -> ModelError:
        return ModelError(f"{self._url}: {what}", hint="nothing of it was stored")

    def _post(self, content: dict[str, Any]) -> Any:
        from http.client import HTTPException
        from urllib.error import HTTPError, URLError
        from urllib.request import Request, urlopen

        headers = {"Content-Type": "application/json"}
        if os.environ.get("RECOLLECT_EMBED_KEY"):
            headers["Authorization"] = f"Bearer {os.environ['RECOLLECT_EMBED_KEY']}"
        request = Request(self._url, json.dumps(content).encode(), headers)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                with urlopen(request, timeout=_TIMEOUT) as response:
                    return json.load(response)
            except HTTPError as error:
                with error:
                    if attempt == _ATTEMPTS or error.code not in (429, 500, 502, 503, 504):
                        raise self._wrong(f"it said {error.code} {error.reason}") from None
            except (URLError, HTTPException, TimeoutError, OSError) as error:
                if attempt == _ATTEMPTS:
                    reason = getattr(error, "reason", error)
                    raise self._wrong(f"no answer: {reason}") from None
            except ValueError as error:
                raise self._wrong("its answer is not JSON") from error
            time.sleep(0.2 * 2**attempt)
        raise AssertionError("unreachable")
