"""Every engine against the contract, and against the dict engine under random operations."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.full_check import full_check

from recollect.errors import StoreError
from recollect.nouns import Filter, View
from recollect.ports import StorageEngine
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.storage.plain.engine import PlainStore
from recollect.testing.builders import any_of, note, put
from recollect.testing.contract import StoreContract
from recollect.testing.machine import run_machine


class TestPlain(StoreContract):
    @pytest.fixture
    def store(self) -> StorageEngine:
        return PlainStore()


class TestEmbedded(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[StorageEngine]:
        opened = EmbeddedStore(tmp_path / "store")
        yield opened
        opened.close()


class TestEmbeddedSmallParts(StoreContract):
    """The same promises where every threshold is crossed: commits of two passages, segments of
    two vectors, no tail."""

    test_scores_are_bm25 = None  # type: ignore[assignment]  # the markers of fifty commits weigh in

    @pytest.fixture
    def store(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StorageEngine]:
        _small_parts(monkeypatch)
        opened = EmbeddedStore(tmp_path / "store")
        yield opened
        opened.close()


def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    from recollect.storage.embedded import text_search, vector_index

    monkeypatch.setattr(text_search, "BATCH", 2)
    monkeypatch.setattr(text_search, "TAIL", 1)
    monkeypatch.setattr(vector_index, "SEGMENT_ROWS", 2)
    monkeypatch.setattr(vector_index, "EXACT_ROWS", 1)


def _reopen(store: StorageEngine | None) -> StorageEngine:
    """The machine runs outside any fixture, so its folders are made and removed here."""
    if isinstance(store, _Disposable):
        folder = store.folder
        store.close(keep=True)
        return _Disposable(folder)
    return _Disposable(Path(tempfile.mkdtemp()))


def _faults(store: StorageEngine) -> list[object]:
    assert isinstance(store, EmbeddedStore)
    return list(full_check(store.folder))


class _Disposable(EmbeddedStore):
    def close(self, *, keep: bool = False) -> None:
        super().close()
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)


def test_random_operations_agree_with_the_dict_engine() -> None:
    run_machine(_reopen, faults=_faults)


def test_random_operations_agree_where_every_threshold_is_crossed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _small_parts(monkeypatch)
    run_machine(_reopen, examples=30, faults=_faults)


def test_the_index_of_a_view_holds_what_the_view_sees(tmp_path: Path) -> None:
    opened, view = EmbeddedStore(tmp_path), View(owner="ana")
    put(opened, *(note(f"n{n}", "otter", owner=("ana", "ben")[n % 2]) for n in range(600)))
    found = opened.search_text([any_of("otter")], Filter(within=view), limit=1, count=True)
    assert found[0].total == 300
    index = opened.text_within(view)
    with opened.pool.snapshot() as record:
        state = record.state_within(view)._replace(generation=1)
        position = index.position(state)
    assert position is not None
    assert position.seq == state.seq  # nothing is left to be read from the record
    assert list(tmp_path.rglob("record.db")) == [tmp_path / "record.db"]
    opened.close()


def test_equal_scores_come_in_the_order_in_which_they_were_written(tmp_path: Path) -> None:
    opened = EmbeddedStore(tmp_path)
    for n in range(6):  # each is a segment of the index
        put(opened, note(f"n{n}", "otter"))
        opened.admin.refresh()
    hits = opened.search_text([any_of("otter")], Filter(), limit=6)[0].hits
    assert len(hits) == 6
    assert hits == sorted(hits, key=lambda hit: hit.passage)
    opened.close()


class _NoOptionalPorts(StorageEngine):
    """An engine that searches and writes, and nothing else."""


def test_an_engine_that_lacks_a_port_says_so() -> None:
    bare = _NoOptionalPorts()  # type: ignore[abstract]
    for port, said in {"sessions": "sessions", "answers": "answers", "admin": "maintained"}.items():
        with pytest.raises(StoreError, match=said):
            getattr(bare, port)
