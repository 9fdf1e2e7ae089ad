"""recollect, as it comes. Its vectors are those that everybody gets, and cost it the same.

A reader gets what the MCP tool ``search`` returns: the results' texts with the lines around them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from bench.peers.peer import Document, Found, Question, asked_at
from bench.peers.vectors import Vectors
from recollect import Memory
from recollect.models.onnx import OnnxEmbedder
from recollect.surfaces import tool_text
from recollect_evals.rows import ANSWERED


class Adapter:
    def __init__(self, folder: Path, vectors: Vectors) -> None:
        self._folder = folder
        self._memory = Memory.open(folder / "store")
        assert vectors.embedder  # the real one, before it is stood in for
        OnnxEmbedder.embed_passages = (  # type: ignore[method-assign]
            lambda self, texts: vectors.documents(texts)  # noqa: ARG005
        )

    def ingest(self, documents: Sequence[Document]) -> None:
        file = self._folder / "documents.jsonl"
        file.write_text("".join(map(_line, documents)), "utf-8")
        receipt = self._memory.add(file, threads=1)
        file.unlink()
        if receipt.failed:
            raise ValueError(f"not imported: {receipt.failed[0]}")

    def query(self, question: Question, k: int | None) -> Found:
        now = asked_at(question)
        if k is None:
            answer = self._memory.search(question.text, now=now)
        else:
            query = self._memory.query(question.text, now=now, limit=k)
            policy = query.policy._replace(cut=False, keep=0.0, budget=None)
            answer = self._memory.ask(query._replace(policy=policy))
        return Found(
            tuple(result.document for result in answer.results),
            tuple(result.text for result in answer.results),
            answer.status not in ANSWERED,
            tool_text.answer(answer, {}),
        )

    def close(self) -> None:
        self._memory.close()


def _line(document: Document) -> str:
    shown = {"id": document.id, "title": document.title, "date": document.date or None}
    if document.messages:
        turns = [message._asdict() for message in document.messages]
        return json.dumps({"as": "session", **shown, "turns": turns}) + "\n"
    return json.dumps({"as": "document", **shown, "text": document.text}) + "\n"
