"""Several real processes on one store, some of them killed."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from recollect import Memory
from recollect.nouns import Filter
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.storage.embedded.lock import file_lock
from recollect.testing.builders import any_of, found, note, put

WRITER = """
import sys
from pathlib import Path
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.testing.builders import note, put
store = EmbeddedStore(Path(sys.argv[1]))
name, count = sys.argv[2], int(sys.argv[3])
for i in range(count):
    put(store, note(f"{name}{i}", f"word {name}{i}"))
    print(f"{name}{i}", flush=True)   # the write is acknowledged from here on
    if i % 40 == 39:
        store.admin.refresh()
"""

READER = """
import sys
from pathlib import Path
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.testing.builders import any_of, found
from recollect.nouns import Filter
store = EmbeddedStore(Path(sys.argv[1]))
last = 0
while last < int(sys.argv[2]):
    listed = store.stats().documents
    seen = store.search_text([any_of("word")], Filter(), limit=1, count=True)[0].total
    assert seen >= listed >= last, (seen, listed, last)   # nothing acknowledged is ever missed
    last = listed
print("done")
"""


def _start(script: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _output(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out


def test_four_readers_and_two_writers_share_a_store(tmp_path: Path) -> None:
    store = tmp_path / "store"
    each = 150
    writers = [_start(WRITER, store, name, each) for name in ("alpha", "beta")]
    readers = [_start(READER, store, 2 * each) for _ in range(4)]
    for process in writers:
        assert len(_output(process).split()) == each
    for process in readers:
        assert _output(process) == "done\n"
    opened = EmbeddedStore(store)
    assert opened.stats().documents == 2 * each
    opened.close()


def test_many_processes_may_create_the_store_at_once(tmp_path: Path) -> None:
    processes = [_start(WRITER, tmp_path / "store", f"p{i}x", 3) for i in range(6)]
    for process in processes:
        assert len(_output(process).split()) == 3
    opened = EmbeddedStore(tmp_path / "store")
    assert opened.stats().documents == 18
    opened.close()


def test_what_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    store = tmp_path / "store"
    acknowledged: set[str] = set()
    chance = random.Random(5)
    for turn in range(8):
        writer = _start(WRITER, store, f"turn{turn}n", 10_000)
        assert writer.stdout is not None
        acknowledged.add(writer.stdout.readline().strip())
        time.sleep(chance.uniform(0.0, 0.4))
        writer.send_signal(signal.SIGKILL)
        out = writer.stdout.read()  # communicate() would lose what readline() has read ahead
        writer.communicate()
        acknowledged.update(line for line in out.split("\n")[:-1] if line)
    opened = EmbeddedStore(store)
    documents = opened.stats().documents
    # Each kill may have caught one write between its commit and its acknowledgement.
    assert len(acknowledged) <= documents <= len(acknowledged) + 8
    for name in acknowledged:
        assert len(opened.get(name)) == 1
    assert opened.search_text([any_of("word")], Filter(), limit=1, count=True)[0].total == documents
    put(opened, note("after", "still writable"))
    assert found(opened, any_of("writabl")) == ["after"]
    opened.close()


def test_an_import_that_was_killed_is_completed_by_running_it_again(tmp_path: Path) -> None:
    lines = [json.dumps({"id": f"d{i}", "text": f"document {i}"}) for i in range(6000)]
    (tmp_path / "docs.jsonl").write_text("\n".join(lines))
    command = [
        sys.executable, "-m", "recollect", "add", str(tmp_path / "docs.jsonl"), "--no-embed",
        "--store", str(tmp_path / "store"), "--json",
    ]  # fmt: skip
    for pause in (0.25, 0.5, 0.75):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(pause)
        process.kill()
        process.wait()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    receipt = json.loads(done.stdout)
    assert receipt["added"] + receipt["unchanged"] == 6000
    assert receipt["changed"] == 0
    with Memory.open(tmp_path / "store", embed_model="none") as memory:
        assert memory.status().store.documents == 6000
        assert memory.search("document 4321", limit=1).results[0].document == "d4321"


def test_a_killed_index_writer_blocks_nobody(tmp_path: Path) -> None:
    holder = """
import sys, time
from pathlib import Path
from recollect.storage.embedded.lock import file_lock
with file_lock(Path(sys.argv[1]) / "text.lock") as held:
    print(held, flush=True)
    time.sleep(60)
"""
    store = EmbeddedStore(tmp_path / "store")
    put(store, note("a", "otter"))
    store.admin.refresh()
    process = _start(holder, tmp_path / "store")
    assert process.stdout is not None
    assert process.stdout.readline() == "True\n"
    put(store, *(note(f"n{i}", "otter") for i in range(400)))
    # The lock is taken, so what is new is searched directly.
    assert store.search_text([any_of("otter")], Filter(), limit=1, count=True)[0].total == 401
    process.kill()
    process.communicate()
    store.admin.refresh()
    assert store.stats().indexes["text"]["behind"] == 0
    store.close()


def test_another_process_sees_a_write_at_once(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "store")
    assert found(store, any_of("alpha0")) == []
    for turn in range(3):
        assert _output(_start(WRITER, tmp_path / "store", f"turn{turn}n", 1))
        assert found(store, any_of(f"turn{turn}n0")) == [f"turn{turn}n0"]
    store.close()


@pytest.mark.parametrize("damage", ["missing", "emptied", "truncated", "scribbled"])
def test_a_torn_text_index_is_rebuilt(tmp_path: Path, damage: str) -> None:
    import shutil

    store = EmbeddedStore(tmp_path / "store")
    put(store, *(note(f"n{i}", f"otter number{i}") for i in range(50)))
    store.admin.refresh()
    store.close()
    (index,) = (tmp_path / "store").glob("text-*")
    if damage == "missing":
        shutil.rmtree(index)
    else:
        for file in index.iterdir():
            if damage == "emptied":
                file.unlink()
            elif damage == "truncated":
                file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
            elif file.suffix in (".term", ".idx", ".store", ".fast"):
                file.write_bytes(b"\x07" * file.stat().st_size)
    store = EmbeddedStore(tmp_path / "store")
    assert store.search_text([any_of("otter")], Filter(), limit=1, count=True)[0].total == 50
    assert found(store, any_of("number7")) == ["n7"]
    store.close()


def test_torn_vector_segments_are_searched_from_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from recollect.storage.embedded import vector_index
    from recollect.testing.contract import embed_all, nearest, unit

    monkeypatch.setattr(vector_index, "SEGMENT_ROWS", 4)
    store = EmbeddedStore(tmp_path / "store")
    put(store, *(note(f"n{i}", f"text {i}") for i in range(9)))
    embed_all(store, {f"n{i}": unit(1, i) for i in range(9)})
    before = nearest(store, unit(1, 3))
    store.close()
    segments = list((tmp_path / "store" / "vectors").rglob("codes.npy"))
    assert segments
    for file in segments:
        file.write_bytes(file.read_bytes()[:10])
    store = EmbeddedStore(tmp_path / "store")
    assert nearest(store, unit(1, 3)) == before
    store.admin.refresh(rebuild=True)
    assert nearest(store, unit(1, 3)) == before
    store.close()


BIG_WRITER = """
import sys
from pathlib import Path
from recollect import suspend
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.testing.builders import note, put
suspend.heed()
store = EmbeddedStore(Path(sys.argv[1]))
for turn in range(10_000):
    put(store, *(note(f"n{turn}x{i}", "some words " * 40) for i in range(200)))
    print(turn, flush=True)
    store.admin.refresh()
"""


def _state(process: subprocess.Popen[str]) -> str:
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="who is stopped is read in /proc")
def test_whoever_is_told_to_pause_does_not_keep_others_from_writing(tmp_path: Path) -> None:
    """Ctrl-Z, at moments that are nearly always inside a transaction."""
    writer = _start(BIG_WRITER, tmp_path / "store")
    assert writer.stdout is not None
    writer.stdout.readline()
    opened = EmbeddedStore(tmp_path / "store")
    chance = random.Random(3)
    try:
        for turn in range(6):
            time.sleep(chance.uniform(0.0, 0.2))
            writer.send_signal(signal.SIGTSTP)
            deadline = time.monotonic() + 30
            while _state(writer) != "T" and time.monotonic() < deadline:
                time.sleep(0.005)
            assert _state(writer) == "T"  # it does stop, ...
            put(opened, note(f"other{turn}", f"meanwhile{turn}"))  # ... and holds nothing
            with file_lock(tmp_path / "store" / "text.lock") as free:
                assert free
            assert found(opened, any_of(f"meanwhile{turn}")) == [f"other{turn}"]
            assert _state(writer) == "T"
            writer.send_signal(signal.SIGCONT)
            assert writer.stdout.readline()  # it goes on
    finally:
        writer.kill()
        writer.communicate()
        opened.close()


CLOSER = """
import sys, threading, time
from pathlib import Path
from recollect.errors import StoreError
from recollect.nouns import Filter
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.testing.builders import any_of, note, put
told = []
def read(store, n):
    try:
        while True:
            store.search_text([any_of("word")], Filter(), limit=5, count=True)
            store.scan(Filter(), limit=200)
            store.stats()
            if n == 0:
                put(store, note("again", f"word again {time.monotonic()}"))
    except StoreError as error:
        told.append(str(error))
with_text = EmbeddedStore(Path(sys.argv[1]))
put(with_text, *(note(f"n{i}", f"word {i} of the harbor " * 40) for i in range(200)))
with_text.admin.refresh()
for round in range(int(sys.argv[2])):
    store = EmbeddedStore(Path(sys.argv[1]))
    threads = [threading.Thread(target=read, args=(store, n)) for n in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(0.01 + 0.003 * round)
    store.close()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
assert len(told) == 4 * int(sys.argv[2]), told
assert all("the store was closed" in one for one in told), told
print("done")
"""


def test_a_store_that_is_closed_while_threads_read_says_so(tmp_path: Path) -> None:
    closer = _start(CLOSER, tmp_path / "store", 30)
    out, err = closer.communicate(timeout=120)
    assert (closer.returncode, out) == (0, "done\n"), err
