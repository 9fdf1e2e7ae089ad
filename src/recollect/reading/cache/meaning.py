"""Cosines between a question and earlier ones."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from recollect.ports import Embedder, PastRequest


def cosines(
    embedder: Embedder, question: str, noted: Mapping[str, PastRequest]
) -> dict[str, float]:
    """Returns the cosine of each earlier question whose vector this embedder made, by its key."""
    vectors = {
        key: np.frombuffer(one.vector, "<f2").astype(np.float32)
        for key, one in noted.items()
        if one.model == embedder.key and one.vector
    }
    if not vectors:
        return {}
    mine = embedder.embed_query(question)
    return {key: float(vector @ mine) for key, vector in vectors.items()}
