"""Which engines are measured, and which are not, and why."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

BOTH = "words and meaning"
REQUIREMENTS = Path(__file__).parent / "requirements"


class Engine(NamedTuple):
    package: str
    """What its version is the version of."""
    adapter: str
    by: str
    """What it finds texts by; meaning is that of the vectors which all of them share."""
    setup: str
    own: bool = True
    """Whether it needs an environment of its own."""

    @property
    def requirements(self) -> Path | None:
        return REQUIREMENTS / f"{self.adapter}.txt" if self.own else None


ENGINES: Mapping[str, Engine] = {
    "recollect": Engine("recollect", "recollect", BOTH,
                        "`Memory.add`, `Memory.search`, all defaults; the text of the MCP tool",
                        own=False),
    "FTS5": Engine("sqlite3", "fts5", "words",
                   "`porter unicode61`, any of the words, `ORDER BY rank LIMIT 10`", own=False),
    "bm25s": Engine("bm25s", "bm25s", "words", "stop words and stemmer of its README, 10 results"),
    "chromadb": Engine("chromadb", "chromadb", "meaning", "`PersistentClient`, 10 results"),
    "lancedb": Engine("lancedb", "lancedb", "meaning", "a table that embeds its text, 10 results"),
    "txtai": Engine("txtai", "txtai", "meaning", "`Embeddings(content=True)`, 3 results"),
    "llama-index-core": Engine("llama-index-core", "llama_index", "meaning",
                               "`VectorStoreIndex`, its splitter, a retriever with 2 results"),
    "mem0ai": Engine("mem0ai", "mem0", "meaning",
                     "`add(infer=False)`, local Qdrant, 20 results above 0.1"),
    "mempalace": Engine("mempalace", "mempalace", BOTH,
                        "`mine` of text files (its own splitter), 5 results"),
    "lightrag-hku": Engine("lightrag-hku", "lightrag", "meaning",
                           "`insert_custom_kg` with texts alone, `naive` mode, 20 results above "
                           "0.2; no graph, for that takes a language model"),
}  # fmt: skip
"""By the name that the table shows; recollect first, for it is what they are compared with."""

NOT_RUN: Mapping[str, str] = {
    "graphiti-core": "texts come in as episodes (`add_episode`, `add_episode_bulk`), which a "
    "language model reads; what can be stored without one are triplets (source of 0.31.2)",
}
"""Engines that cannot be measured in this way, with the reason."""
