"""Which engines are measured, and which are not, and why."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

REQUIREMENTS = Path(__file__).parent / "requirements"


class Engine(NamedTuple):
    package: str
    """What its version is the version of."""
    adapter: str
    meaning: bool
    """Whether it searches by meaning, with the vectors that all of them share."""
    setup: str
    own: bool = True
    """Whether it needs an environment of its own."""

    @property
    def requirements(self) -> Path | None:
        return REQUIREMENTS / f"{self.adapter}.txt" if self.own else None


ENGINES: Mapping[str, Engine] = {
    "recollect": Engine("recollect", "recollect", True,
                        "`Memory.add`, `Memory.search`, all defaults", own=False),
    "FTS5": Engine("sqlite3", "fts5", False,
                   "`porter unicode61`, any of the words, `ORDER BY rank LIMIT 10`", own=False),
    "bm25s": Engine("bm25s", "bm25s", False, "stop words and stemmer of its README, 10 results"),
    "chromadb": Engine("chromadb", "chromadb", True, "`PersistentClient`, 10 results"),
    "lancedb": Engine("lancedb", "lancedb", True, "a table that embeds its text, 10 results"),
    "txtai": Engine("txtai", "txtai", True, "`Embeddings(content=True)`, 3 results"),
    "llama-index-core": Engine("llama-index-core", "llama_index", True,
                               "`VectorStoreIndex`, its splitter, a retriever with 2 results"),
    "mem0ai": Engine("mem0ai", "mem0", True,
                     "`add(infer=False)`, local Qdrant, 20 results above 0.1"),
    "mempalace": Engine("mempalace", "mempalace", True,
                        "`mine` of text files (its own splitter), 5 results"),
    "lightrag-hku": Engine("lightrag-hku", "lightrag", True,
                           "`insert_custom_kg` with texts alone, `naive` mode, 20 results above "
                           "0.2; no graph, for that takes a language model"),
}  # fmt: skip
"""By the name that the table shows; recollect first, for it is what they are compared with."""

NOT_RUN: Mapping[str, str] = {
    "graphiti-core": "0.31.2: every way in (`add_episode`, in bulk or as triplets) asks a language "
    "model, to read a text or to tell what is the same as what",
}
"""Engines that cannot be measured in this way, with the reason."""
