"""MemPalace as in its README: notes are mined as a project, conversations as conversations, both
from text files; ``search_memories`` with its five results."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from pathlib import Path

import chromadb
from mempalace import embedding

from bench.peers.peer import Document, Found, Question
from bench.peers.vectors import Vectors


class Shared(chromadb.EmbeddingFunction[chromadb.Documents]):
    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    @staticmethod
    def name() -> str:
        return "default"

    def __call__(self, input: chromadb.Documents) -> chromadb.Embeddings:
        return list(self._vectors.documents(input))

    def embed_query(self, input: chromadb.Documents) -> chromadb.Embeddings:
        return [self._vectors.question(text) for text in input]


class Adapter:
    def __init__(self, folder: Path, vectors: Vectors) -> None:
        self._texts, self._palace = folder.parent / "texts", str(folder / "palace")
        shared = Shared(vectors)
        embedding.get_embedding_function = lambda *_, **__: shared

    def ingest(self, documents: Sequence[Document]) -> None:
        from mempalace.convo_miner import mine_convos
        from mempalace.miner import mine

        self._texts.mkdir()
        self._ids = {f"{number:05}": document.id for number, document in enumerate(documents)}
        for number, document in zip(self._ids, documents, strict=True):
            (self._texts / f"{number}.txt").write_text(_transcript(document), "utf-8")
        work = mine_convos if documents[0].messages else mine
        with contextlib.redirect_stdout(io.StringIO()):
            work(str(self._texts), self._palace)

    def query(self, question: Question, k: int | None) -> Found:
        from mempalace.searcher import search_memories

        given = {} if k is None else {"n_results": k}
        found = search_memories(question.text, self._palace, **given)
        if "error" in found:
            raise ValueError(found["error"])
        return Found(
            tuple(self._ids[Path(one["source_file"]).stem] for one in found["results"]),
            tuple(one["text"] for one in found["results"]),
        )

    def close(self) -> None:
        pass


def _transcript(document: Document) -> str:
    """The user's words behind ``>``, which is how it tells them from the answers."""
    if not document.messages:
        return document.whole
    return "\n\n".join(
        "\n".join(f"> {line}" for line in m.text.splitlines()) if m.role == "user" else m.text
        for m in document.messages
    )
