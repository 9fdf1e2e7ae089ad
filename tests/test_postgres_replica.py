"""Searches that a read replica answers: a real hot standby, which falls behind and goes away."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from postgres_server import admin, drop, opened, server_url, store_url
from recollect import Memory
from recollect.errors import UsageError
from recollect.storage.postgres import replica
from recollect.storage.postgres.address import parse
from recollect.testing.builders import any_of, found, note, put

PORT = 54_329


class Standby:
    """A hot standby of the server of the tests, on a socket of its own."""

    def __init__(self) -> None:
        self._bin = Path(admin("SELECT setting FROM pg_config WHERE name = 'BINDIR'")[0][0])
        if not (self._bin / "pg_basebackup").exists():
            pytest.skip(f"the server of the tests comes without pg_basebackup ({self._bin})")
        self.folder = Path(tempfile.mkdtemp(prefix="recollect-standby-"))
        (where,) = admin("SHOW unix_socket_directories")[0]
        self._owner = pwd.getpwuid(Path(where.split(",")[0].strip()).stat().st_uid).pw_name
        shutil.chown(self.folder, self._owner)
        self._as_owner(
            "pg_basebackup",
            "-d",
            server_url(),
            "-D",
            str(self.folder / "data"),
            "-R",
            "-X",
            "stream",
            "-c",
            "fast",
        )
        self.start()

    def _as_owner(self, program: str, *arguments: str) -> None:
        user = self._owner if os.geteuid() == 0 else None
        subprocess.run(
            [self._bin / program, *arguments],
            check=True,
            capture_output=True,
            user=user,
            cwd=self.folder,
            timeout=60,
            env={**os.environ, "LD_LIBRARY_PATH": str(self._bin.parent / "lib")},
        )

    def start(self) -> None:
        options = f"-p {PORT} -k {self.folder} -c listen_addresses= -c hot_standby_feedback=on"
        self._as_owner(
            "pg_ctl",
            "-D",
            str(self.folder / "data"),
            "-w",
            "-o",
            options,
            "-l",
            str(self.folder / "log"),
            "start",
        )

    def stop(self) -> None:
        self._as_owner("pg_ctl", "-D", str(self.folder / "data"), "-w", "-m", "immediate", "stop")

    @property
    def url(self) -> str:
        name = parse(server_url()).dsn.rpartition("/")[2].partition("?")[0]
        parts = psycopg.conninfo.conninfo_to_dict(server_url())
        database = parts.get("dbname") or name
        user = parts.get("user") or "postgres"
        return f"postgresql://{user}@/{database}?host={self.folder}&port={PORT}"

    def run(self, statement: str) -> None:
        with psycopg.connect(self.url, autocommit=True) as db:
            db.execute(statement.encode())


@pytest.fixture(scope="module")
def standby() -> Iterator[Standby]:
    if os.environ.get("RECOLLECT_TEST_POSTGRES"):
        pytest.skip("a replica is made of the server that the tests start")
    server_url()
    made = Standby()
    yield made
    made.stop()
    shutil.rmtree(made.folder, ignore_errors=True)


@pytest.fixture
def url() -> Iterator[str]:
    made = store_url()
    yield made
    drop(made)


def _with(url: str, standby: Standby, **more: int) -> str:
    told = "".join(f"&{name}={value}" for name, value in more.items())
    return f"{url}&replica={quote(standby.url, safe='')}{told}"


def _until(what: Callable[[], bool]) -> bool:
    until = time.monotonic() + 20
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


def test_what_is_no_replica_of_the_store_is_refused(url: str, standby: Standby) -> None:
    with (
        pytest.raises(UsageError, match="no replica"),
        opened(f"{url}&replica={quote(server_url(), safe='')}"),
    ):
        pass
    with pytest.raises(UsageError, match="no URL"):
        parse(f"{url}&replica=nowhere")
