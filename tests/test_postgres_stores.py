"""PostgreSQL against the contract, and against the dict engine under random operations."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from postgres_server import drop, opened, store_url, wipe
from recollect.ports import StorageEngine
from recollect.storage.postgres import text_views, vectors
from recollect.storage.postgres.address import parse
from recollect.storage.postgres.engine import PostgresStore
from recollect.testing.contract import StoreContract
from recollect.testing.machine import run_machine


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    made = store_url()
    PostgresStore(parse(made)).close()
    yield made
    drop(made)


class TestPostgres(StoreContract):
    @pytest.fixture
    def store(self, url: str) -> Iterator[StorageEngine]:
        wipe(url)
        with opened(url) as store:
            yield store


def test_random_operations_agree_where_every_threshold_is_crossed(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No tail to speak of, graphs of two vectors."""
    monkeypatch.setattr(text_views, "TAIL", 1)
    monkeypatch.setattr(vectors, "EXACT_ROWS", 1)

    places = [url, store_url()]

    def reopen(store: StorageEngine | None) -> StorageEngine:
        if isinstance(store, PostgresStore):
            store.close()
            return PostgresStore(store.address)
        places.reverse()  # what is made anew may stand beside what it is loaded from
        fresh = PostgresStore(parse(places[0]))
        wipe(places[0])
        return fresh

    try:
        run_machine(reopen, examples=8)
    finally:
        drop(next(place for place in places if place != url))
