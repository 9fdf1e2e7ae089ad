"""mem0 with ``infer=False``, which stores messages as they are: its local Qdrant, twenty results.

Its first setup wants a key for a language model; without inferring nothing is ever sent there.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.peers.peer import Document, Found, Question
from bench.peers.vectors import Vectors

os.environ.setdefault("OPENAI_API_KEY", "none")

from mem0 import Memory

WHO = "user"


class Shared:
    """In place of the embedder that its configuration names; it has no way to hand one over."""

    def __init__(self, vectors: Vectors, config: Any) -> None:
        self._vectors, self.config = vectors, config

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        if memory_action == "search":
            return self._vectors.question(text).tolist()
        return self._vectors.documents([text])[0].tolist()


class Adapter:
    def __init__(self, folder: Path, vectors: Vectors) -> None:
        store = {"path": str(folder / "qdrant"), "on_disk": True,
                 "embedding_model_dims": vectors.dimensions}  # fmt: skip
        self._memory = Memory.from_config({
            "vector_store": {"provider": "qdrant", "config": store},
            "history_db_path": str(folder / "history.db"),
        })  # fmt: skip
        self._memory.embedding_model = Shared(vectors, self._memory.embedding_model.config)

    def ingest(self, documents: Sequence[Document]) -> None:
        for document in documents:
            said = [{"role": m.role, "content": m.text} for m in document.messages]
            self._memory.add(
                said or document.whole, user_id=WHO, infer=False, metadata={"document": document.id}
            )

    def query(self, question: Question, k: int | None) -> Found:
        given = {} if k is None else {"top_k": k}
        found = self._memory.search(question.text, filters={"user_id": WHO}, **given)["results"]
        return Found(
            tuple(one["metadata"]["document"] for one in found),
            tuple(one["memory"] for one in found),
        )

    def close(self) -> None:
        self._memory.vector_store.client.close()
