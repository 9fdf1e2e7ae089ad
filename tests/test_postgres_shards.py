"""Owners that are spread over several servers: the contract through two real ones."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from bench import servers
from psycopg.conninfo import conninfo_to_dict

from conftest import Cli
from postgres_server import SETTINGS, WIPE, server_url
from recollect import Memory
from recollect.errors import StoreError, UsageError
from recollect.nouns import ChangeSet, Expect, Filter, Put
from recollect.ports import StorageEngine
from recollect.storage import name_of, open_store
from recollect.storage.postgres.address import shards
from recollect.storage.postgres.engine import PostgresStore
from recollect.storage.postgres.shards import ShardedStore, shard_of
from recollect.testing.builders import any_of, found, note, put
from recollect.testing.contract import StoreContract
from recollect.text.chunk import passages

SCHEMA = f"shards_{os.getpid()}"


@pytest.fixture(scope="module")
def two() -> Iterator[tuple[str, str]]:
    """The URLs of two servers."""
    one = server_url()
    if os.environ.get(servers.GIVEN):
        pytest.skip("a second server is one that the tests start")
    other = servers.start(SETTINGS)
    yield one, other.url
    other.stop()


def _address(*urls: str, **more: str | int) -> str:
    parts = [conninfo_to_dict(url) for url in urls]
    user, database = parts[0].get("user") or "postgres", parts[0].get("dbname") or "postgres"
    hosts = ",".join(str(one["host"]) for one in parts)
    ports = ",".join(str(one.get("port") or 5432) for one in parts)
    given = {"host": hosts, "port": ports, "schema": SCHEMA, "partitions": 2, **more}
    query = "&".join(f"{name}={quote(str(value))}" for name, value in given.items())
    return f"postgresql+shards://{user}@/{database}?{query}"


def _run(url: str, statement: str) -> None:
    with psycopg.connect(url, autocommit=True) as db:
        db.execute(statement.encode())


@pytest.fixture(scope="module")
def made(two: tuple[str, str]) -> Iterator[str]:
    url = _address(*two)
    open_store(url).close()
    yield url
    for one in two:
        _run(one, f"DROP SCHEMA {SCHEMA} CASCADE")


@pytest.fixture
def url(made: str, two: tuple[str, str]) -> str:
    for one in two:
        _run(one, WIPE.format(schema=SCHEMA))
    return made


@pytest.fixture
def store(url: str) -> Iterator[StorageEngine]:
    opened = open_store(url)
    assert isinstance(opened, ShardedStore)
    yield opened
    opened.close()


class TestShards(StoreContract):
    @pytest.fixture
    def store(self, store: StorageEngine) -> StorageEngine:
        return store


def _owners(number: int, count: int = 3) -> list[str]:
    """Names of owners that are on one of two servers."""
    return [name for n in range(100) if shard_of(name := f"owner{n}", 2) == number][:count]


def test_each_owner_is_on_one_server_and_all_are_found(store: ShardedStore) -> None:
    names = [*_owners(0), *_owners(1)]
    for name in names:
        put(store, note(f"of-{name}", "the otter sleeps", owner=name))
    one, other = store.shards.stores
    assert {d.owner for d in one.scan(Filter(), limit=10).items} == set(_owners(0))
    assert {d.owner for d in other.scan(Filter(), limit=10).items} == set(_owners(1))
    assert set(found(store, any_of("otter"))) == {f"of-{name}" for name in names}
    for name in names:
        assert found(store, any_of("otter"), Filter(owner=name)) == [f"of-{name}"]
    assert store.stats().documents == len(names)


def test_lists_over_all_servers_are_newest_first_page_by_page(store: ShardedStore) -> None:
    names = [name for pair in zip(_owners(0, 6), _owners(1, 6), strict=True) for name in pair]
    for name in names:
        put(store, note(name, "word", owner=name))
    listed: list[str] = []
    cursor = ""
    while True:
        page = store.scan(Filter(), limit=5, cursor=cursor)
        listed += [one.owner for one in page.items]
        if not page.cursor:
            break
        cursor = page.cursor
    assert listed == names[::-1]
    behind = store.scan(Filter(), limit=3, cursor=f"@{note(names[6], owner=names[6]).id}")
    assert [one.owner for one in behind.items] == names[3:6][::-1]


def test_what_one_server_refuses_none_of_them_does(store: ShardedStore) -> None:
    (mine,), (theirs,) = _owners(0, 1), _owners(1, 1)
    known = note("known", "as it is", owner=theirs)
    put(store, known)
    new = note("new", "text", owner=mine)
    with pytest.raises(StoreError, match="changed meanwhile"):
        store.apply(ChangeSet((Put(new, passages(new)), Expect(known.id, "another stamp"))))
    assert store.get("new") == []


def test_a_store_that_is_opened_for_an_owner_asks_one_server(url: str) -> None:
    (name,) = _owners(1, 1)
    with Memory.open(f"{url}&owner={name}", embed_model="none", rerank_model="none") as memory:
        assert isinstance(memory.store, PostgresStore) or memory.store is not None
        put(memory.store, note("a", "the otter sleeps", owner=name))
    opened = open_store(url)
    assert found(opened, any_of("otter"), Filter(owner=name)) == ["a"]
    opened.close()


def test_servers_in_another_order_or_number_are_refused(url: str, two: tuple[str, str]) -> None:
    with pytest.raises(StoreError, match="was made as shard 2 of 2, and is named as shard 1 of 2"):
        open_store(_address(*two[::-1]))
    with pytest.raises(StoreError, match="named as shard 1 of 3"):
        open_store(_address(*two, two[0]))
    with pytest.raises(UsageError, match="names one server"):
        open_store(_address(two[0]))


def test_one_server_of_several_is_not_opened_as_the_whole(
    url: str, two: tuple[str, str], cli: Cli
) -> None:
    sharded = open_store(url)
    put(sharded, note("a", "the otter sleeps", owner=_owners(1, 1)[0]))
    sharded.close()
    for number, server in enumerate(two, 1):
        plain = f"{server}{'&' if '?' in server else '?'}schema={SCHEMA}"
        for address in (plain, f"{plain}&owner={_owners(1, 1)[0]}"):
            with pytest.raises(StoreError, match=rf"is shard {number} of 2 of a store"):
                open_store(address)
        told = cli("remember", "The pier is shut", "--store", plain)
        assert (told.code, told.out) == (1, "")
        assert "postgresql+shards://" in told.err
    sharded = open_store(url)
    assert sharded.stats().documents == 1
    sharded.close()


def test_servers_of_two_stores_are_not_opened_as_one(url: str, two: tuple[str, str]) -> None:
    other = f"{SCHEMA}_other"
    with psycopg.connect(two[1], autocommit=True) as db:
        try:
            open_store(_address(*two, schema=other)).close()
            db.execute(f"ALTER SCHEMA {SCHEMA} RENAME TO {SCHEMA}_aside".encode())
            db.execute(f"ALTER SCHEMA {other} RENAME TO {SCHEMA}".encode())
            with pytest.raises(StoreError, match="is a shard of another store than"):
                open_store(url)
        finally:
            db.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE".encode())
            db.execute(f"ALTER SCHEMA {SCHEMA}_aside RENAME TO {SCHEMA}".encode())
            _run(two[0], f"DROP SCHEMA IF EXISTS {other} CASCADE")


def test_a_store_of_one_server_is_no_shard(two: tuple[str, str]) -> None:
    schema = f"{SCHEMA}_alone"
    plain = f"{two[0]}{'&' if '?' in two[0] else '?'}schema={schema}&partitions=2"
    alone = open_store(plain)
    put(alone, note("a", "text"))
    alone.close()
    try:
        with pytest.raises(StoreError, match="was made as no shard"):
            open_store(_address(*two, schema=schema))
    finally:
        _run(two[0], f"DROP SCHEMA {schema} CASCADE")


def test_a_store_moves_to_several_servers_and_back(url: str, tmp_path: Path, cli: Cli) -> None:
    folder = tmp_path / "store"
    local = open_store(str(folder))
    for name in (*_owners(0), *_owners(1)):
        put(local, note(f"of-{name}", "the otter sleeps", owner=name))
    local.close()
    assert cli("migrate-store", str(folder), url).code == 0
    assert cli("migrate-store", url, str(tmp_path / "back")).code == 0
    back = open_store(str(tmp_path / "back"))
    assert back.stats().documents == 6
    back.close()
    told = json.loads(cli("doctor", "--json", "--store", url).out)
    states = {one["check"]: one["state"] for one in told["checks"]}
    assert states["store"] == states["server"] == "ok"


def test_addresses_are_told_apart() -> None:
    one, other = shards("postgresql+shards://ana:secret@a:1,b:2/memory?schema=notes")
    assert (one.shown, other.shown) == (
        "postgresql://ana@a:1/memory",
        "postgresql://ana@b:2/memory",
    )
    assert one.schema == other.schema == "notes"
    assert "secret" not in name_of("postgresql+shards://ana:secret@a,b/memory")
