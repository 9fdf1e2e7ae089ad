"""Many owners' stores behind one pool: lent, bounded, walled from each other."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event, Thread

import pytest

from recollect import MemoryPool
from recollect.errors import StoreBusy, StoreError, UsageError
from recollect.memory.many import PoolCounts
from recollect.testing.builders import note


def keep(pool: MemoryPool, owner: str, text: str) -> None:
    with pool.open(owner) as memory:
        memory.put([note("n", text)])


def found(pool: MemoryPool, owner: str, query: str) -> list[str]:
    with pool.open(owner) as memory:
        return [result.text for result in memory.search(query).results]


@pytest.fixture
def pool(tmp_path: Path) -> MemoryPool:
    return MemoryPool(tmp_path / "owners", most=2, wait=0.05, embed_model="none")


def test_each_owner_finds_their_own_and_nothing_else(pool: MemoryPool) -> None:
    with pool:
        keep(pool, "ann", "the otter sleeps in the kelp")
        keep(pool, "ben", "the heron sleeps in the reeds")
        assert found(pool, "ann", "otter") == ["the otter sleeps in the kelp"]
        assert found(pool, "ann", "heron") == []
        assert found(pool, "ben", "heron") == ["the heron sleeps in the reeds"]


def test_what_is_remembered_is_known_to_whoever_opens_the_store(pool: MemoryPool) -> None:
    with pool, pool.open("ann") as ann:
        fact = ann.remember("Ann parks the van on level 3", name="van").fact
        assert fact.owner == "ann"
        assert [one.id for one in ann.facts().items] == [fact.id]
        assert ann.search("where is the van?").status == "direct_passages"
        assert [one.document for one in ann.context("the van").relevant] == [fact.id]
        assert ann.get("van").text == ann.curation.fact("van").text
        assert ann.history("van")
        assert ann.facts(owner="ben").items == ()
        assert ann.search("where is the van?", owner="ben").status == "no_results"
        with pool.open("ben") as ben:
            assert ben.facts().items == ()
            assert ben.search("where is the van?").status == "no_results"


def test_all_stores_share_the_models(tmp_path: Path) -> None:
    with MemoryPool(tmp_path) as pool, pool.open("ann") as one, pool.open("ben") as other:
        assert one.core.embedder is not None
        assert one.core.embedder is other.core.embedder
        assert one.core.pairs is other.core.pairs


def test_what_was_written_is_there_when_the_store_was_closed_meanwhile(pool: MemoryPool) -> None:
    owners = [f"owner {n}" for n in range(5)]
    with pool:
        for owner in owners:
            keep(pool, owner, f"the otter of {owner}")
        for owner in owners:
            assert found(pool, owner, "otter") == [f"the otter of {owner}"]
        assert pool.counts() == PoolCounts(open=2, lent=0, opened=10, reused=0, closed=8)


def test_the_store_that_was_used_last_stays_open(pool: MemoryPool) -> None:
    with pool:
        for owner in ("ann", "ben", "ann", "cem", "ann"):
            keep(pool, owner, "otter")
        assert pool.counts() == PoolCounts(open=2, lent=0, opened=3, reused=2, closed=1)


def test_a_store_in_use_is_not_closed_and_others_wait_for_room(pool: MemoryPool) -> None:
    with pool, pool.open("ann") as ann, pool.open("ben"):
        with pytest.raises(StoreBusy, match="all 2 stores"), pool.open("cem"):
            pass
        with pool.open("ann") as again:
            assert again is ann
        ann.put([note("n", "otter")])
        assert pool.counts().lent == 2


def test_whoever_waits_gets_the_room_of_one_that_is_given_back(tmp_path: Path) -> None:
    with MemoryPool(tmp_path, most=1, wait=30, embed_model="none") as pool:
        given = Event()
        with pool.open("ann"):

            def write() -> None:
                keep(pool, "ben", "heron")
                given.set()

            waiting = Thread(target=write)
            waiting.start()
            assert not given.wait(0.05)
        waiting.join()
        assert given.is_set()


def test_an_idle_store_is_closed_when_another_is_asked_for(tmp_path: Path) -> None:
    with MemoryPool(tmp_path, most=9, idle=0, embed_model="none") as pool:
        for owner in ("ann", "ben", "cem"):
            keep(pool, owner, "otter")
        assert pool.counts().open == 1


def test_a_pool_closed_while_a_store_is_in_use_closes_it_when_it_is_given_back(
    pool: MemoryPool,
) -> None:
    with pool.open("ann") as memory:
        pool.close()
        memory.put([note("n", "otter")])
        assert memory.search("otter").results
        with pytest.raises(StoreError, match="the pool was closed"), pool.open("ben"):
            pass
    assert pool.counts() == PoolCounts(open=0, lent=0, opened=1, reused=0, closed=1)
    with pytest.raises(StoreError, match="the store was closed"):
        memory.search("otter")


def test_a_store_that_cannot_be_opened_takes_no_room(pool: MemoryPool) -> None:
    pool.place("ann").parent.mkdir(parents=True)
    pool.place("ann").write_text("a file, where a store should be")
    with pool:
        for _ in range(3):
            with pytest.raises(StoreError), pool.open("ann"):
                pass
        assert pool.counts().open == 0
        keep(pool, "ben", "heron")


def test_an_error_of_the_caller_leaves_the_store_open(pool: MemoryPool) -> None:
    with pool:
        with pytest.raises(ZeroDivisionError), pool.open("ann"):
            raise ZeroDivisionError
        assert pool.counts() == PoolCounts(open=1, lent=0, opened=1, reused=0, closed=0)


@pytest.mark.parametrize("owner", ["../ann", "/etc", "..", "Ann", "ann\0", "ann/ben", "a" * 300])
def test_no_name_of_an_owner_leads_out_of_the_folder(pool: MemoryPool, owner: str) -> None:
    place = pool.place(owner)
    assert place.resolve().is_relative_to(pool.folder.resolve())
    assert place != pool.place("ann")
    assert place.name == place.name.lower()


@pytest.mark.parametrize("wrong", ["", None, 7])
def test_an_owner_has_a_name(pool: MemoryPool, wrong: str) -> None:
    with pytest.raises(UsageError), pool.open(wrong):
        pass


def test_threads_that_ask_for_the_same_store_share_it(pool: MemoryPool) -> None:
    together = Barrier(4)

    def search(n: int) -> int:
        together.wait()
        with pool.open("ann") as memory:
            memory.put([note(f"n{n}", f"otter {n}")])
            return id(memory)

    with pool, ThreadPoolExecutor(4) as threads:
        assert len(set(threads.map(search, range(4)))) == 1
        assert pool.counts().opened == 1
        with pool.open("ann") as memory:
            assert memory.status().store.documents == 4


def test_many_threads_over_many_owners_lose_nothing(tmp_path: Path) -> None:
    with MemoryPool(tmp_path, most=3, wait=60, embed_model="none") as pool:

        def write(n: int) -> None:
            with pool.open(f"owner {n % 7}") as memory:
                memory.put([note(f"n{n}", f"otter {n}")])

        with ThreadPoolExecutor(4) as threads:
            list(threads.map(write, range(56)))
        assert pool.counts().open <= 3
        for n in range(7):
            with pool.open(f"owner {n}") as memory:
                assert memory.status().store.documents == 8


def files_open() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not tell its files")
def test_threads_that_use_a_store_one_after_the_other_open_no_files_more(pool: MemoryPool) -> None:
    together = Barrier(3)
    with pool, ThreadPoolExecutor(3) as threads:
        keep(pool, "ann", "otter")
        list(threads.map(lambda _: together.wait(), range(3)))  # all three have begun
        assert found(pool, "ann", "otter") == ["otter"]
        before = files_open()
        for _ in range(9):
            assert threads.submit(found, pool, "ann", "otter").result() == ["otter"]
        assert files_open() == before


def test_a_store_lent_twice_to_a_thread_goes_on_when_one_of_them_is_given_back(
    pool: MemoryPool,
) -> None:
    with pool, pool.open("ann") as ann:
        with pool.open("ann") as again:
            again.put([note("n", "otter")])
        ann.put([note("m", "otter")])
        assert ann.status().store.documents == 2


FEW_FILES = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (192, 192))
from recollect import MemoryPool
from recollect.testing.builders import note

with MemoryPool(sys.argv[1], most=1000, embed_model="none") as pool:
    for n in range(60):
        with pool.open(f"owner {n}") as memory:
            memory.put([note("n", f"otter {n}")])
            assert memory.search("otter").results
    print(pool.counts().open)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_no_more_stores_are_open_than_the_process_has_files_for(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", FEW_FILES, str(tmp_path / "owners")]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["8"], done.stderr
