"""The vector index where it is an approximation: against exact search, on clustered vectors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clusters import MODEL, clustered, fill, found, recall
from recollect.nouns import ChangeSet, Filter, Forget
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.testing.builders import ids, note, put

ROWS = 9_000
DIMENSIONS = 96


@pytest.fixture(scope="module")
def vectors() -> Any:
    return clustered(ROWS, DIMENSIONS, centres=60, spread=0.9, seed=11)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, vectors: Any) -> Iterator[EmbeddedStore]:
    opened = EmbeddedStore(Path(tmp_path_factory.mktemp("vectors")) / "store")
    fill(opened, vectors)
    yield opened
    opened.close()


def test_nearly_all_of_the_nearest_are_found(store: EmbeddedStore, vectors: Any) -> None:
    assert recall(store, vectors, Filter(), np.ones(ROWS, bool), noisy=0.05) >= 0.95


def test_a_filter_costs_no_recall(store: EmbeddedStore, vectors: Any) -> None:
    only = np.arange(ROWS) % 2 == 0
    assert recall(store, vectors, Filter(owner="ana"), only, noisy=0.05) >= 0.95


def test_a_filter_lets_nothing_else_through(store: EmbeddedStore, vectors: Any) -> None:
    for row in (0, 1, 77, 4000):
        assert all(n % 2 == 1 for n in found(store, vectors[row], Filter(owner="ben"), limit=200))


def test_what_is_deleted_is_gone_from_the_segments(store: EmbeddedStore, vectors: Any) -> None:
    nearest = found(store, vectors[10], Filter())
    assert nearest[0] == 10
    store.apply(ChangeSet((Forget(note("10", owner="ana").id),)))
    assert found(store, vectors[10], Filter())[:9] == nearest[1:]


def test_a_vector_that_was_garbled_is_near_to_nothing(tmp_path: Path) -> None:
    with closing(EmbeddedStore(tmp_path / "store")) as store:
        put(store, *(note(f"n{i}", f"text {i}") for i in range(9)))
        keys = [key for key, _ in store.pending(MODEL, limit=9)]
        unit = np.eye(9, dtype=np.float32)
        store.put_vectors(MODEL, keys, unit)
        db = sqlite3.connect(store.folder / "record.db")
        for number, bits in enumerate((0x7E00, 0x7C00, 0x7BFF)):  # no number, infinite, huge
            garbled = np.full(9, bits, np.uint16).tobytes()
            db.execute("UPDATE vectors SET vector = ? WHERE seq = "
                       "(SELECT seq FROM vectors ORDER BY seq LIMIT 1 OFFSET ?)",
                       (garbled, number))  # fmt: skip
        db.commit()
        db.close()
        hits = store.search_vector(MODEL, unit[5], Filter(), limit=9).hits
        assert hits[0].passage == keys[5]
        assert {hit.score for hit in hits} <= {0.0, 1.0}


def test_a_segment_written_after_the_snapshot_is_not_read_twice(tmp_path: Path) -> None:
    from recollect.storage.embedded.rows import LabelFilter
    from recollect.testing.contract import MODEL as NAME
    from recollect.testing.contract import embed_all, unit

    ours, other = EmbeddedStore(tmp_path / "store"), EmbeddedStore(tmp_path / "store")
    put(ours, note("a", "one"))
    embed_all(ours, {"a": unit(1)})
    record, index = ours.pool.mine(), ours.vectors.index(NAME)
    with record.snapshot():
        state = record.state()
        put(other, note("b", "two"))
        embed_all(other, {"b": unit(0, 1)})
        other.admin.refresh(rebuild=True)
        index.search(record, state.epoch, state.seq, unit(1), LabelFilter(), 9)
    put(ours, note("c", "three"))
    found = ours.search_vector(NAME, unit(1), Filter(), limit=9)
    assert sorted(ids(ours, [h.passage for h in found.hits])) == ["a:0", "b:0"]
    assert found.vectors == 2
    ours.close()
    other.close()
