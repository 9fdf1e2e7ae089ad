"""bm25s as in its README: English stop words, Snowball stemmer, ten results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bm25s
import Stemmer

from bench.peers.peer import Document, Found, Question, pieces
from bench.peers.vectors import Vectors


class Adapter:
    def __init__(self, folder: Path, vectors: Vectors) -> None:  # noqa: ARG002
        self._folder = folder
        self._stemmer = Stemmer.Stemmer("english")
        self._retriever = bm25s.BM25()

    def ingest(self, documents: Sequence[Document]) -> None:
        corpus = [{"document": piece.document, "text": piece.text} for piece in pieces(documents)]
        tokens = bm25s.tokenize(
            [one["text"] for one in corpus], stopwords="en", stemmer=self._stemmer,
            show_progress=False,
        )  # fmt: skip
        self._retriever.index(tokens, show_progress=False)
        self._retriever.save(self._folder / "index", corpus=corpus)
        self._corpus = corpus

    def query(self, question: Question, k: int | None) -> Found:
        tokens = bm25s.tokenize(
            question.text, stopwords="en", stemmer=self._stemmer, show_progress=False
        )
        given = {} if k is None else {"k": min(k, len(self._corpus))}  # more is an error
        found, _ = self._retriever.retrieve(
            tokens, corpus=self._corpus, show_progress=False, **given
        )
        return Found(
            tuple(one["document"] for one in found[0]), tuple(one["text"] for one in found[0])
        )

    def close(self) -> None:
        pass
