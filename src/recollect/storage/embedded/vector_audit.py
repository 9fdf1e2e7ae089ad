"""How much of what is nearest a vector index finds, measured against comparing with everything."""

from __future__ import annotations

import sqlite3

import numpy as np

from recollect.storage.embedded.record import Record
from recollect.storage.embedded.rows import LabelFilter
from recollect.storage.embedded.vector_index import VectorIndex, rows_of

ASKED = 20
"""Vectors whose nearest are looked for."""
NEAREST = 10
COMPARED = 200_000
"""So many vectors are compared with each of those, unless all are."""
_NEAR = 0.002
"""Cosines as near as that are the same: the index keeps eight bits of each number."""


def recall(record: Record, index: VectorIndex, *, full: bool) -> float | None:
    """Returns the share of the truly nearest passages that the index finds too; None where there
    are too many to compare, or none."""
    count = record.models().get(index.model, 0)
    if not count or (count > COMPARED and not full):
        return None
    state = record.state()
    asked = np.array(_asked(record.db, index.model, state.seq), np.float32)
    hits = [index.search(record, state.epoch, state.seq, a, LabelFilter(), NEAREST) for a in asked]
    best = np.full((len(asked), NEAREST), -2.0, np.float32)
    score: list[dict[int, float]] = [{} for _ in asked]
    wanted = [{passage for passage, _, _ in some} for some in hits]
    for passages, block in index.blocks(record, state.seq):
        cosines = block @ asked.T
        for n in range(len(asked)):
            top = np.concatenate((best[n], cosines[:, n]))
            best[n] = np.sort(top)[-NEAREST:]
            pairs = zip(passages, cosines[:, n], strict=True)
            score[n] |= {p: float(cosine) for p, cosine in pairs if p in wanted[n]}
    found = total = 0
    for n, scores in enumerate(score):
        real = best[n][best[n] > -2.0]
        total += len(real)
        found += min(len(real), sum(s >= real[0] - _NEAR for s in scores.values()))
    return float(found / total) if total else None


def _asked(db: sqlite3.Connection, model: str, seq: int) -> list[np.ndarray]:
    """Returns vectors of the model, taken evenly from the whole history."""
    (id,) = db.execute("SELECT id FROM models WHERE key = ?", (model,)).fetchone()
    rows = (
        db.execute(
            "SELECT vector FROM vectors WHERE model = ? AND seq >= ? ORDER BY seq LIMIT 1",
            (id, seq * n // ASKED),
        ).fetchone()
        for n in range(ASKED)
    )
    return list(rows_of([row[0] for row in rows if row]))
