"""LanceDB as in its guide to embeddings: a table that embeds its text; ten results by default."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lancedb
from lancedb.embeddings import EmbeddingFunction, register
from lancedb.pydantic import LanceModel, Vector

from bench.peers.peer import Document, Found, Question, pieces
from bench.peers.vectors import Vectors

_shared: list[Vectors] = []
"""An embedding function is made anew from its registered name, so it finds the vectors here."""


@register("shared")
class Shared(EmbeddingFunction):
    def ndims(self) -> int:
        return _shared[0].dimensions

    def compute_source_embeddings(self, texts: Any, *_: Any, **__: Any) -> list[Any]:
        return list(_shared[0].documents(self.sanitize_input(texts)))

    def compute_query_embeddings(self, query: str, *_: Any, **__: Any) -> list[Any]:
        return [_shared[0].question(query)]


class Adapter:
    def __init__(self, folder: Path, vectors: Vectors) -> None:
        _shared[:] = [vectors]
        function = Shared.create()

        class Row(LanceModel):
            document: str
            text: str = function.SourceField()
            vector: Vector(function.ndims()) = function.VectorField()  # type: ignore[valid-type]

        self._table = lancedb.connect(folder / "lance").create_table("peers", schema=Row)

    def ingest(self, documents: Sequence[Document]) -> None:
        self._table.add([piece._asdict() for piece in pieces(documents)])

    def query(self, question: Question, k: int | None) -> Found:
        search = self._table.search(question.text)
        rows = (search if k is None else search.limit(k)).to_list()
        return Found(tuple(row["document"] for row in rows), tuple(row["text"] for row in rows))

    def close(self) -> None:
        pass
