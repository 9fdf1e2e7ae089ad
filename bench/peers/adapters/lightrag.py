"""LightRAG as far as it goes without a language model: texts that are split already go in as
``insert_custom_kg`` takes them, and its ``naive`` mode finds them. The graph that it is made for,
which a language model draws, is empty."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from lightrag import LightRAG, QueryParam
from lightrag.utils import EmbeddingFunc, Tokenizer

from bench.peers.peer import Document, Found, Question, pieces
from bench.peers.vectors import Vectors


async def _no_model(*_: Any, **__: Any) -> str:
    raise RuntimeError("a language model is asked for")


def _tokens_of(home: Path) -> Any:
    """Returns the tokenizer of the embedder as the library reads it, for it also decodes."""
    import tokenizers

    return tokenizers.Tokenizer.from_file(str(home / "tokenizer.json"))


class Words:
    """Its own tokenizer is fetched when it is first used."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def encode(self, content: str) -> list[int]:
        return self._tokenizer.encode(content, add_special_tokens=False).ids

    def decode(self, tokens: list[int]) -> str:
        return self._tokenizer.decode(tokens)


class Adapter:
    def __init__(self, folder: Path, vectors: Vectors) -> None:
        async def embed(texts: list[str], context: str = "document", **_: Any) -> Any:
            if context == "query":
                return np.stack([vectors.question(text) for text in texts])
            return vectors.documents(texts)

        (folder / "rag").mkdir()
        self._loop = asyncio.new_event_loop()
        self._rag = LightRAG(
            working_dir=str(folder / "rag"),
            embedding_func=EmbeddingFunc(vectors.dimensions, embed, supports_asymmetric=True),
            llm_model_func=_no_model,
            tokenizer=Tokenizer("recollect-embed", Words(_tokens_of(vectors.embedder.home))),
        )
        self._loop.run_until_complete(self._rag.initialize_storages())

    def ingest(self, documents: Sequence[Document]) -> None:
        chunks = [
            {"content": text, "source_id": str(at), "file_path": document}
            for at, (document, text) in enumerate(pieces(documents))
        ]
        whole = {"chunks": chunks, "entities": [], "relationships": []}
        self._loop.run_until_complete(self._rag.ainsert_custom_kg(whole))

    def query(self, question: Question, k: int | None) -> Found:
        given = {"mode": "naive", "enable_rerank": False}
        param = QueryParam(**given) if k is None else QueryParam(**given, chunk_top_k=k)
        found = self._loop.run_until_complete(self._rag.aquery_data(question.text, param))
        chunks = found.get("data", {}).get("chunks", [])
        return Found(
            tuple(one["file_path"] for one in chunks), tuple(one["content"] for one in chunks)
        )

    def close(self) -> None:
        self._loop.run_until_complete(self._rag.finalize_storages())
