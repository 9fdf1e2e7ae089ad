"""A store of vectors in clusters, and how much of the exact nearest a search of it finds."""

from __future__ import annotations

from typing import Any

import numpy as np

from recollect.nouns import Filter
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.testing.builders import ids, note, put

MODEL = "clusters@1"


def clustered(rows: int, dimensions: int, *, centres: int, spread: float, seed: int) -> Any:
    """Unit vectors around so many centres, all leaning one way, as embeddings do."""
    noise = np.random.default_rng(seed)
    middles = noise.normal(size=(centres, dimensions)) + 0.8
    made = middles[noise.integers(0, centres, rows)]
    made += spread * noise.normal(size=made.shape)
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


def fill(store: EmbeddedStore, vectors: Any) -> None:
    """Stores a document a vector, those of even number ana's and the others ben's."""
    rows = len(vectors)
    put(store, *(note(f"{i}", f"text {i}", owner=("ana", "ben")[i % 2]) for i in range(rows)))
    waiting = store.pending(MODEL, limit=rows)
    numbers = [int(text.split()[1]) for _, text in waiting]
    store.put_vectors(MODEL, [key for key, _ in waiting], vectors[numbers])


def found(
    store: EmbeddedStore, query: Any, filter: Filter | None = None, limit: int = 10
) -> list[int]:
    hits = store.search_vector(MODEL, query, filter or Filter(), limit=limit).hits
    return [int(name.partition(":")[0]) for name in ids(store, [h.passage for h in hits])]


def recall(
    store: EmbeddedStore, vectors: Any, filter: Filter, allowed: Any, *, noisy: float
) -> float:
    """The share of the ten nearest that is found, over forty rows with some noise added."""
    noise = np.random.default_rng(5)
    shares = []
    for row in noise.integers(0, len(vectors), 40):
        query = vectors[row] + noisy * noise.normal(size=vectors.shape[1]).astype(np.float32)
        query /= np.linalg.norm(query)
        exact = np.argsort(-np.where(allowed, vectors @ query, -2))[:10]
        shares.append(len(set(exact.tolist()).intersection(found(store, query, filter))) / 10)
    return float(np.mean(shares))
