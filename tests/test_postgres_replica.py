"""Searches that a read replica answers: a real hot standby, which falls behind and goes away."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from urllib.parse import quote

import pytest

from conftest import Cli
from postgres_server import drop, opened, server_url, store_url
from postgres_standby import Standby
from recollect import Memory
from recollect.errors import UsageError
from recollect.storage.postgres import replica
from recollect.storage.postgres.address import parse
from recollect.storage.postgres.engine import PostgresStore
from recollect.testing.builders import any_of, found, note, put


@pytest.fixture(scope="module")
def standby() -> Iterator[Standby]:
    if os.environ.get("RECOLLECT_TEST_POSTGRES"):
        pytest.skip("a replica is made of the server that the tests start")
    server_url()
    made = Standby(server_url())
    yield made
    made.remove()


@pytest.fixture
def url() -> Iterator[str]:
    made = store_url()
    yield made
    drop(made)


def _with(url: str, standby: Standby, **more: int) -> str:
    told = "".join(f"&{name}={value}" for name, value in more.items())
    return f"{url}&replica={quote(standby.url, safe='')}{told}"


def _until(what: Callable[[], bool]) -> bool:
    until = time.monotonic() + 90
    while time.monotonic() < until:
        if what():
            return True
        time.sleep(0.05)
    return False


def _asked(memory: Memory, query: str) -> tuple[list[str], str, tuple[str, ...]]:
    answer = memory.search(query, cache=False)
    (said,) = [stage.reason for stage in answer.stages if stage.name == "replica"]
    late = tuple(one for one in answer.degraded if one.startswith("replica: "))
    return [result.document for result in answer.results], said, late


def test_a_replica_answers_and_says_how_old_that_may_be(url: str, standby: Standby) -> None:
    with opened(url) as store:
        put(store, note("a", "the otter sleeps at noon"))
    with Memory.open(_with(url, standby), embed_model="none", rerank_model="none") as memory:
        assert _until(lambda: "a replica answered" in _asked(memory, "otter")[1])
        names, said, _ = _asked(memory, "otter")
        assert names == ["a"]
        assert "may be missing" in said


def test_what_a_process_writes_it_finds_at_once(url: str, standby: Standby) -> None:
    with opened(_with(url, standby)) as store:
        for turn in range(20):
            put(store, note(f"n{turn}", f"unique{turn}"))
            assert found(store, any_of(f"unique{turn}")) == [f"n{turn}"]
            time.sleep(0.1)


def test_a_replica_that_is_too_far_behind_is_not_asked(url: str, standby: Standby) -> None:
    place = _with(url, standby, staleness=2)
    with opened(url) as writer:
        put(writer, note("a", "the otter sleeps"))
        with Memory.open(place, embed_model="none", rerank_model="none") as memory:
            assert _until(lambda: "a replica answered" in _asked(memory, "otter")[1])
            standby.run("SELECT pg_wal_replay_pause()")
            try:
                put(writer, note("b", "another otter"))
                names, said, _ = _asked(memory, "otter")
                assert names == ["a"] or "primary" in said  # within its bounds, it may be behind
                assert _until(lambda: set(_asked(memory, "otter")[0]) == {"a", "b"})
                assert "the primary answered" in _asked(memory, "otter")[1]
            finally:
                standby.run("SELECT pg_wal_replay_resume()")
            assert _until(lambda: "a replica answered" in _asked(memory, "otter")[1])
            assert set(_asked(memory, "otter")[0]) == {"a", "b"}  # what was seen stays seen


def test_an_answer_of_a_replica_that_lags_is_called_so(url: str, standby: Standby) -> None:
    with opened(url) as writer:
        put(writer, note("a", "the otter sleeps"))
        place = _with(url, standby)
        with Memory.open(place, embed_model="none", rerank_model="none") as memory:
            assert _until(lambda: "a replica answered" in _asked(memory, "otter")[1])
            standby.run("SELECT pg_wal_replay_pause()")
            try:
                put(writer, note("b", "another otter"))
                assert _until(lambda: bool(_asked(memory, "otter")[2]))
                names, _, degraded = _asked(memory, "otter")
                assert names == ["a"]
                assert any("a replica answered" in one for one in degraded)
            finally:
                standby.run("SELECT pg_wal_replay_resume()")


def test_a_replica_that_goes_away_is_done_without(
    url: str, standby: Standby, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica, "AWAY_SECONDS", 0.5)
    with opened(url) as store:
        put(store, note("a", "the otter sleeps"))
    place = _with(url, standby)
    with Memory.open(place, embed_model="none", rerank_model="none") as memory:
        assert _until(lambda: "a replica answered" in _asked(memory, "otter")[1])
        standby.stop()
        try:
            names, said, _ = _asked(memory, "otter")
            assert names == ["a"]
            assert "the primary answered" in said
            with Memory.open(place, embed_model="none", rerank_model="none") as other:
                assert _asked(other, "otter")[0] == ["a"]
        finally:
            standby.start()
        assert _until(lambda: "a replica answered" in _asked(memory, "otter")[1])


def _server_check(cli: Cli, place: str) -> dict[str, str]:
    told = json.loads(cli("doctor", "--json", "--store", place).out)
    (check,) = [one for one in told["checks"] if one["check"] == "server"]
    return dict(check)


def test_doctor_names_a_replica_that_lags_or_is_away(url: str, standby: Standby, cli: Cli) -> None:
    place = _with(url, standby, staleness=3)
    with opened(url) as store:
        put(store, note("a", "the otter sleeps"))
    near = "a replica that has all but the last"
    assert _until(lambda: near in _server_check(cli, place)["text"])
    with opened(place) as store, opened(url) as writer:
        assert _until(lambda: not _found(store))
        standby.run("SELECT pg_wal_replay_pause()")
        try:
            put(writer, note("b", "another otter"))
            assert _until(lambda: "lacks what was written" in str(_found(store)))
            late = _server_check(cli, place)
            assert late["state"] == "warn"
            assert "has not caught up" in late["text"]
        finally:
            standby.run("SELECT pg_wal_replay_resume()")
    standby.stop()
    try:
        away = _server_check(cli, place)
        assert away["state"] == "warn"
        assert "the replica cannot be asked" in away["text"]
    finally:
        standby.start()


def _found(store: PostgresStore) -> list[str]:
    return [one.text for one in store.admin.check().findings if one.part == "server"]


def test_what_is_no_replica_of_the_store_is_refused(url: str, standby: Standby) -> None:
    with (
        pytest.raises(UsageError, match="no replica"),
        opened(f"{url}&replica={quote(server_url(), safe='')}"),
    ):
        pass
    with pytest.raises(UsageError, match="no URL"):
        parse(f"{url}&replica=nowhere")
