"""A primary that is lost while it is written to, and a partition that is detached: real servers."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from bench import servers
from psycopg.conninfo import conninfo_to_dict

from conftest import Cli
from postgres_server import admin, drop, opened, store_url
from postgres_standby import Standby
from recollect.errors import StoreError, UsageError
from recollect.storage import open_store
from recollect.storage.postgres import partitions
from recollect.storage.postgres.address import parse
from recollect.testing.builders import any_of, found, note, put


def _check(cli: Cli, name: str, place: str) -> dict[str, str]:
    told = json.loads(cli("doctor", "--json", "--store", place).out)
    (check,) = [one for one in told["checks"] if one["check"] == name]
    return dict(check)


# ------------------------------------------------------------------ failover


class Pair:
    """A primary and its standby, for one test: the primary does not outlive it."""

    def __init__(self) -> None:
        self._primary = servers.start({"fsync": "off", "synchronous_standby_names": ""})
        self.standby = Standby(self._primary.url)
        self._alive = True

    @property
    def url(self) -> str:
        """Both servers in one address."""
        one, other = (conninfo_to_dict(url) for url in (self._primary.url, self.standby.url))
        user, database = one.get("user") or "postgres", one.get("dbname") or "postgres"
        hosts = f"host={one['host']},{other['host']}&port={one.get('port', 5432)},{other['port']}"
        return f"postgresql://{user}@/{database}?{hosts}&partitions=2&patience=60"

    def synchronous(self) -> None:
        """Nothing counts as committed that the standby has not written down."""
        with psycopg.connect(self._primary.url, autocommit=True) as db:
            db.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            db.execute("SELECT pg_reload_conf()")

    def lose_primary(self) -> None:
        if self._alive:
            self._alive = False
            self._primary.stop()

    def remove(self) -> None:
        self.lose_primary()
        self.standby.remove()


@pytest.fixture
def pair() -> Iterator[Pair]:
    if os.environ.get(servers.GIVEN):
        pytest.skip("a primary that may be lost is one that the tests start")
    try:
        made = Pair()
    except servers.NoServer as error:
        pytest.skip(f"no PostgreSQL: {error}")
    yield made
    made.remove()


def test_a_writer_goes_on_at_the_standby_that_was_promoted(pair: Pair, cli: Cli) -> None:
    with opened(pair.url) as store:
        put(store, note("first", "the otter sleeps"))
        pair.synchronous()
        done: list[str] = []
        troubles: list[BaseException] = []
        ended = threading.Event()

        def write() -> None:
            try:
                for turn in range(100_000):
                    put(store, note(f"n{turn}", f"unique{turn} otter"))
                    done.append(f"n{turn}")
                    if ended.is_set():
                        return
            except BaseException as error:  # noqa: BLE001  the test tells of it
                troubles.append(error)

        writer = threading.Thread(target=write)
        writer.start()
        while len(done) < 5 and not troubles:
            ended.wait(0.01)
        pair.lose_primary()
        before = len(done)
        pair.standby.promote()
        with suppress(psycopg.Error):
            pair.standby.run("ALTER SYSTEM SET synchronous_standby_names = ''")
            pair.standby.run("SELECT pg_reload_conf()")
        while len(done) < before + 5 and writer.is_alive():
            ended.wait(0.01)
        ended.set()
        writer.join(60)
        assert not troubles
        assert len(done) >= before + 5
        assert {*done, "first"} <= set(found(store, any_of("otter"), limit=len(done) + 10))
        for name in done:  # what was confirmed is there, and was done once
            (kept,) = store.get(name)
            assert [event.action for event in store.history(kept.id)] == ["added"]
    told = _check(cli, "server", pair.url)
    assert told["state"] == "warn"
    assert "cannot be reached" in told["text"]


def test_without_a_server_that_takes_writes_it_is_said(pair: Pair) -> None:
    with opened(pair.url) as store:
        put(store, note("first", "the otter sleeps"))
    pair.lose_primary()
    with pytest.raises(StoreError, match="read-only|cannot be reached|failed") as raised:
        open_store(pair.url.replace("patience=60", "patience=1"))
    assert "promote" in raised.value.hint


def test_of_several_servers_the_one_that_takes_writes_is_meant() -> None:
    several = parse("postgresql://ana@one:5432,two:5433/memory?schema=notes")
    assert "target_session_attrs=read-write" in several.dsn
    assert "one:5432,two:5433" in several.shown
    chosen = parse("postgresql://ana@one,two/memory?target_session_attrs=any")
    assert "read-write" not in chosen.dsn
    assert "target_session_attrs" not in parse("postgresql://ana@one/memory").dsn
    with pytest.raises(UsageError, match="cannot be read"):
        parse("postgresql://ana@one:5432,two:port/memory")


# ------------------------------------------------------------------ a partition that is detached


@pytest.fixture
def url() -> Iterator[str]:
    made = store_url()
    yield made
    drop(made)


def _detach(url: str) -> tuple[str, str]:
    """Detaches the partition of the documents that has some; returns it and its schema."""
    schema = parse(url).schema
    (name,) = [
        f"documents_p{n}"
        for n in range(2)
        if admin(f"SELECT 1 FROM {schema}.documents_p{n} LIMIT 1")
    ]
    admin(f"ALTER TABLE {schema}.documents DETACH PARTITION {schema}.{name}")
    return name, schema


def test_a_detached_partition_is_named_and_nothing_is_missing_in_silence(
    url: str, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(url) as store:
        put(store, note("a", "the otter sleeps"))
        name, _ = _detach(url)
        with pytest.raises(StoreError, match="partition"):
            put(store, note("b", "another otter"))
        monkeypatch.setattr(partitions, "LOOK_SECONDS", 0.0)
        with pytest.raises(StoreError, match=name):
            found(store, any_of("otter"))
        report = store.admin.check()
        assert [one.part for one in report.findings] == ["record", "server"]
        assert "ATTACH PARTITION" in report.findings[1].text
        with pytest.raises(StoreError, match=name) as raised:
            open_store(url)
        told = _check(cli, "store", url)
        assert told["state"] == "fail"
        assert name in told["text"]
        admin(raised.value.hint.partition(": ")[2])
        assert found(store, any_of("otter")) == ["a"]
    with opened(url) as store:
        assert store.admin.check().findings == ()


def test_a_partition_that_is_gone_for_good_is_named(url: str, tmp_path: Path) -> None:
    with opened(url) as store:
        put(store, note("a", "the otter sleeps"))
    name, schema = _detach(url)
    admin(f"DROP TABLE {schema}.{name}")
    with pytest.raises(StoreError, match=f"detached or gone: {name}"):
        open_store(url)
