"""LlamaIndex as in its starter example, without the language model at its end: its splitter, its
vector store in memory, saved to disk, and a retriever with its two results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llama_index.core import Document as Stored
from llama_index.core import VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import PrivateAttr

from bench.peers.peer import Document, Found, Question
from bench.peers.vectors import Vectors


class Shared(BaseEmbedding):
    _vectors: Vectors = PrivateAttr()

    def __init__(self, vectors: Vectors, **given: Any) -> None:
        super().__init__(model_name="recollect-embed", **given)
        self._vectors = vectors

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._vectors.question(query).tolist()

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._vectors.documents(texts).tolist()


class Adapter:
    def __init__(self, folder: Path, vectors: Vectors) -> None:
        self._folder, self._embed = folder, Shared(vectors)

    def ingest(self, documents: Sequence[Document]) -> None:
        stored = [Stored(text=one.whole, metadata={"document": one.id}) for one in documents]
        for one in stored:  # an id is no text
            one.excluded_embed_metadata_keys = ["document"]
        self._index = VectorStoreIndex.from_documents(stored, embed_model=self._embed)
        self._index.storage_context.persist(persist_dir=str(self._folder / "index"))

    def query(self, question: Question, k: int | None) -> Found:
        given = {} if k is None else {"similarity_top_k": k}
        found = self._index.as_retriever(**given).retrieve(question.text)
        return Found(
            tuple(one.node.metadata["document"] for one in found),
            tuple(one.node.get_content() for one in found),
        )

    def close(self) -> None:
        pass
