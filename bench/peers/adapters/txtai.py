"""txtai as in its README: an index that keeps its content, ``search`` with its three results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from txtai import Embeddings

from bench.peers.peer import Document, Found, Question, pieces
from bench.peers.vectors import Vectors


class Adapter:
    def __init__(self, folder: Path, vectors: Vectors) -> None:
        self._folder, self._vectors, self._asking = folder, vectors, False
        self._embeddings = Embeddings(
            method="external",
            transform=lambda texts: self._embed(texts),  # it takes no method
            content=True,
        )

    def _embed(self, texts: Any) -> Any:
        """It does not say whether a text is a question, so that is remembered."""
        if self._asking:
            return [self._vectors.question(text) for text in texts]
        return self._vectors.documents(texts)

    def ingest(self, documents: Sequence[Document]) -> None:
        stored = list(pieces(documents))
        self._of = [piece.document for piece in stored]
        self._embeddings.index(
            {"id": str(number), "text": piece.text} for number, piece in enumerate(stored)
        )
        self._embeddings.save(str(self._folder / "index"))

    def query(self, question: Question, k: int | None) -> Found:
        self._asking = True
        found = self._embeddings.search(question.text, **({} if k is None else {"limit": k}))
        self._asking = False
        return Found(
            tuple(self._of[int(one["id"])] for one in found), tuple(one["text"] for one in found)
        )

    def close(self) -> None:
        self._embeddings.close()
