"""Chroma as in its README: a persistent client, a collection, ``query`` with its ten results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import chromadb

from bench.peers.peer import Document, Found, Question, pieces
from bench.peers.vectors import Vectors


class Shared(chromadb.EmbeddingFunction[chromadb.Documents]):
    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def __call__(self, input: chromadb.Documents) -> chromadb.Embeddings:
        return list(self._vectors.documents(input))

    def embed_query(self, input: chromadb.Documents) -> chromadb.Embeddings:
        return [self._vectors.question(text) for text in input]


class Adapter:
    def __init__(self, folder: Path, vectors: Vectors) -> None:
        self._client = chromadb.PersistentClient(path=str(folder / "chroma"))
        self._collection = self._client.create_collection(
            "peers", embedding_function=Shared(vectors)
        )

    def ingest(self, documents: Sequence[Document]) -> None:
        stored = list(pieces(documents))
        step = self._client.get_max_batch_size()
        for start in range(0, len(stored), step):
            some = stored[start : start + step]
            self._collection.add(
                ids=[str(number) for number in range(start, start + len(some))],
                documents=[piece.text for piece in some],
                metadatas=[{"document": piece.document} for piece in some],
            )

    def query(self, question: Question, k: int | None) -> Found:
        given = {} if k is None else {"n_results": k}
        found = self._collection.query(query_texts=[question.text], **given)
        return Found(
            tuple(str(about["document"]) for about in found["metadatas"][0]),
            tuple(found["documents"][0]),
        )

    def close(self) -> None:
        pass
