"""The same vectors for every engine: those of the embedder that recollect ships.

A document's text is embedded once and then handed out by its hash, with what it cost: the
processor's seconds when it was embedded, by one thread. So ingesting can be told with and without
embedding whoever came first. The first few texts of a run are embedded even if they are known: the
memory that this takes is then in every engine's peak. Questions are always embedded.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import perf_counter, process_time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.models.onnx import OnnxEmbedder
    from recollect.ports import Vector
    from recollect.ports import Vectors as Rows

FIRST = 32
_AT_ONCE = 128


class Vectors:
    def __init__(self, cache: Path) -> None:
        self._cache = sqlite3.connect(cache, timeout=60, check_same_thread=False)
        self._cache.execute(
            "CREATE TABLE IF NOT EXISTS vectors (hash BLOB PRIMARY KEY, vector BLOB, seconds REAL)"
        )
        self._embedder: OnnxEmbedder | None = None
        self._lock = Lock()
        self.texts = 0
        """How many were embedded or handed out, questions not counted."""
        self.inside = 0.0
        """Seconds spent in here for them, which are no part of ingesting."""
        self.cost = 0.0
        """Seconds that embedding them took or would have taken."""

    @property
    def dimensions(self) -> int:
        return self.embedder.dimensions

    @property
    def embedder(self) -> OnnxEmbedder:
        if self._embedder is None:
            from recollect.models.catalog import known
            from recollect.models.files import ModelFolder
            from recollect.models.onnx import OnnxEmbedder

            model = known("recollect-embed", "embed")
            self._embedder = OnnxEmbedder(model, ModelFolder(Path("models")).locate(model))
            self._embed = self._embedder.embed_passages
        return self._embedder

    def question(self, text: str) -> Vector:
        return self.embedder.embed_query(text)

    def documents(self, texts: Sequence[str]) -> Rows:
        import numpy as np

        since = perf_counter()
        with self._lock:
            out = np.empty((len(texts), self.dimensions), np.float32)
            names = [self._name(text) for text in texts]
            known = self._known(names)
            new = [
                at for at, name in enumerate(names) if name not in known or self.texts + at < FIRST
            ]
            for start in range(0, len(new), _AT_ONCE):
                some = new[start : start + _AT_ONCE]
                fresh = self._made([names[at] for at in some], [texts[at] for at in some])
                known |= fresh
            for at, name in enumerate(names):
                vector, seconds = known[name]
                out[at] = np.frombuffer(vector, np.float32)
                self.cost += seconds
            self.texts += len(texts)
            self.inside += perf_counter() - since
        return out

    def _name(self, text: str) -> bytes:
        return sha256(f"{self.embedder.key}\0{text}".encode("utf-8", "replace")).digest()

    def _known(self, names: Sequence[bytes]) -> dict[bytes, tuple[bytes, float]]:
        ask = "SELECT vector, seconds FROM vectors WHERE hash = ?"
        rows = ((name, self._cache.execute(ask, (name,)).fetchone()) for name in names)
        return {name: row for name, row in rows if row}

    def _made(self, names: list[bytes], texts: list[str]) -> dict[bytes, tuple[bytes, float]]:
        since = process_time()
        vectors = self._embed(texts)
        took = process_time() - since
        most = sum(map(len, texts)) or 1
        made = {
            name: (vector.tobytes(), took * len(text) / most)
            for name, text, vector in zip(names, texts, vectors, strict=True)
        }
        with self._cache:
            self._cache.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
                [(name, *row) for name, row in made.items()],
            )
        return made

    def close(self) -> None:
        self._cache.close()
