"""Large segments are in cells, of which a search reads some: it still finds what is nearest."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clusters import MODEL, clustered, fill, found, recall
from recollect.nouns import ChangeSet, Filter, Forget
from recollect.storage.embedded import cells, sums, vector_index
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.testing.builders import note

ROWS, DIMENSIONS = 4_000, 64


SMALL = {
    (cells, "ROWS"): 1_000,
    (cells, "EACH"): 32,
    (vector_index, "EXACT_ROWS"): 200,
    (vector_index, "SURVIVORS"): 400,
    (vector_index, "NEAR"): 20,
    (vector_index, "SEGMENT_ROWS"): 500,
}
"""What begins at fifty thousand vectors begins here at a thousand."""


@pytest.fixture(autouse=True, scope="module")
def small() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for (module, name), value in SMALL.items():
            patch.setattr(module, name, value)
        yield


@pytest.fixture(scope="module")
def vectors() -> Any:
    return clustered(ROWS, DIMENSIONS, centres=40, spread=0.8, seed=3)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, vectors: Any, small: None) -> Path:
    place = Path(tmp_path_factory.mktemp("cells")) / "store"
    with closing(EmbeddedStore(place)) as store:
        fill(store, vectors)
    return place


@pytest.fixture
def store(tmp_path: Path, filled: Path) -> Iterator[EmbeddedStore]:
    with closing(EmbeddedStore(shutil.copytree(filled, tmp_path / "store"))) as opened:
        yield opened


def segments(store: EmbeddedStore) -> list[Path]:
    (folder,) = (store.folder / "vectors").iterdir()
    named = json.loads((folder / "manifest.json").read_text())["segments"]
    return [folder / name for name in named]


def test_the_nearest_are_found_with_and_without_a_filter(
    store: EmbeddedStore, vectors: Any
) -> None:
    (segment,) = segments(store)
    assert len(np.load(segment / "centroids.npy")) > 50
    assert recall(store, vectors, Filter(), np.ones(ROWS, bool), noisy=0.1) >= 0.985
    assert recall(store, vectors, Filter(owner="ana"), np.arange(ROWS) % 2 == 0, noisy=0.1) >= 0.985


def test_a_centroid_is_the_mean_of_its_cell(store: EmbeddedStore) -> None:
    """How far a cell reaches follows from the length of its centroid."""
    (segment,) = segments(store)
    column = {name: np.load(segment / f"{name}.npy") for name in ("codes", "scales", "offsets")}
    rows = column["codes"] * column["scales"][:, None]
    for n, centroid in enumerate(np.load(segment / "centroids.npy")):
        begin, end = column["offsets"][n : n + 2]
        if end > begin:
            assert np.allclose(rows[begin:end].mean(axis=0), centroid, atol=1e-5)


def test_what_is_forgotten_is_gone_from_its_cell(store: EmbeddedStore, vectors: Any) -> None:
    nearest = found(store, vectors[10])
    assert nearest[0] == 10
    store.apply(ChangeSet((Forget(note("10", owner="ana").id),)))
    assert found(store, vectors[10])[:9] == nearest[1:]


def test_the_same_vectors_give_the_same_cells(vectors: Any) -> None:
    scales = np.abs(vectors).max(axis=1) / 127
    codes = np.round(vectors / scales[:, None]).astype(np.int8)
    one, other = (cells.learned(codes, scales) for _ in range(2))
    assert np.array_equal(one.centroids, other.centroids)
    assert np.array_equal(one.order, other.order)
    assert np.array_equal(np.sort(one.order), np.arange(ROWS))


@pytest.mark.parametrize("file", ["centroids.npy", "offsets.npy", "spread.npy"])
@pytest.mark.parametrize("damage", ["missing", "torn"])
def test_cells_that_are_torn_are_made_anew_by_who_finds_them(
    store: EmbeddedStore, vectors: Any, file: str, damage: str
) -> None:
    nearest = found(store, vectors[7])
    (segment,) = segments(store)
    whole = (segment / file).read_bytes()
    (segment / file).unlink()
    if damage == "torn":
        (segment / file).write_bytes(whole[:-9] + b"x" * 9)
    again = EmbeddedStore(store.folder)
    assert found(again, vectors[7]) == nearest
    assert not again.vectors.index(MODEL).wants_a_segment
    (other,) = segments(store)
    assert other != segment
    assert (other / file).read_bytes() == whole
    again.close()


def test_a_store_from_before_there_were_cells_gets_them_at_the_next_import(
    store: EmbeddedStore, vectors: Any
) -> None:
    (segment,) = segments(store)
    _without_cells(segment, vectors.mean(axis=0))
    again = EmbeddedStore(store.folder)
    assert recall(again, vectors, Filter(), np.ones(ROWS, bool), noisy=0.1) >= 0.8
    assert segments(again) == [segment]
    again.admin.refresh()
    (other,) = segments(again)
    assert len(np.load(other / "centroids.npy")) > 50
    assert recall(again, vectors, Filter(), np.ones(ROWS, bool), noisy=0.1) >= 0.985
    again.close()


def _without_cells(segment: Path, mean: Any) -> None:
    """Writes the files as they were: one mean, the signs beyond it."""
    for name in ("centroids", "offsets", "spread"):
        (segment / f"{name}.npy").unlink()
    rows = np.load(segment / "codes.npy") * np.load(segment / "scales.npy")[:, None]
    bits = np.packbits(rows - mean > 0, axis=1)
    np.save(segment / "signs.npy", np.ascontiguousarray(bits.view(np.uint64).T))
    np.save(segment / "mean.npy", mean)
    about = sums.unsealed((segment / "segment.json").read_text())
    about["sums"] = {file.name: sums.sum_of(str(file)) for file in segment.glob("*.npy")}
    (segment / "segment.json").write_text(sums.sealed(about))
    manifest = segment.parent / "manifest.json"
    about = sums.unsealed(manifest.read_text())
    del about["celled"]
    manifest.write_text(sums.sealed(about))
