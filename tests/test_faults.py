"""Full disks, disks that may not be written, clocks that go back, files of others: what was kept is
safe, what went wrong is told, and what to do about it."""

from __future__ import annotations

import hashlib
import os
import resource
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conftest import EMBED_HOME, Cli, HashEmbedder
from recollect import Memory, config, doctor
from recollect.errors import StoreError, StoreTooNew
from recollect.models.catalog import EMBED
from recollect.nouns import Filter
from recollect.storage import open_store
from recollect.storage.embedded import cache as embedded_cache
from recollect.surfaces.http.server import own_token
from recollect.testing.builders import any_of, note, put

if TYPE_CHECKING:
    from recollect.ports import Vectors


def opened(place: Path) -> Memory:
    return Memory.open(place, embed_model="none", rerank_model="none")


def contents(folder: Path) -> dict[str, str]:
    """Every file below a folder, by its hash."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


# ------------------------------------------------------------------ disks


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of three megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(place)]
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a disk cannot be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill_up(memory: Memory) -> int:
    """Write until the disk is full; how many were acknowledged."""
    for n in range(10_000):
        try:
            put(memory.store, note(f"n{n}", f"otter number{n} " + f"word{n} " * 500))
        except StoreError as error:
            told = error
            break
    assert "full" in told.message
    assert "make room" in told.hint
    return n


def test_a_full_disk_loses_nothing_that_was_kept(disk: Path, tmp_path: Path) -> None:
    with opened(disk / "store") as memory:
        memory.search("otter")
        kept = fill_up(memory)
        assert kept > 20
        memory.store.admin.refresh()  # there is no room for the index, and that is no error
        assert memory.store.get(f"n{kept - 1}")
        assert memory.store.get(f"n{kept}") == []
        found = memory.store.search_text([any_of("otter")], Filter(), limit=1, count=True)[0]
        assert found.total == kept
        with pytest.raises(StoreError, match="indexes cannot be made"):
            memory.admin.rebuild()
        with pytest.raises(StoreError) as told:
            memory.admin.backup(disk / "b.tar")
        assert "room" in told.value.hint
        with pytest.raises(StoreError, match="No space left"):
            memory.admin.export_all(disk / "all.jsonl")
        assert sorted(os.listdir(disk)) == ["store"]
        memory.admin.backup(tmp_path / "b.tar")  # elsewhere there is room
    subprocess.run(["mount", "-o", "remount,size=60m", str(disk)], check=True)
    with opened(disk / "store") as memory:
        assert memory.admin.check(full=True).findings == ()
        memory.put([note("after", "there is room again")])
        assert memory.search("room again").results[0].document == "after"
        memory.admin.rebuild()


def test_a_full_disk_is_told_by_every_command(disk: Path, cli: Cli) -> None:
    with opened(disk / "store") as memory:
        fill_up(memory)
    notes = disk.parent / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("kelp " * 100_000)
    refused = cli("add", str(notes), "--no-embed", "--store", str(disk / "store"))
    assert refused.code == 1
    assert "disk is full" in refused.err
    told = cli("doctor", "--store", str(disk / "store"), "--json")
    state = {check["check"]: check["state"] for check in told.json["checks"]}
    assert (told.code, state["disk"], state["store"]) == (1, "fail", "ok")


def test_a_read_only_disk_is_told_and_left_alone(disk: Path, cli: Cli) -> None:
    with opened(disk / "store") as memory:
        memory.put([note("a", "otter")])
    before = contents(disk)
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    for command in (["search", "otter"], ["add", __file__], ["status"], ["backup"]):
        refused = cli(*command, "--store", str(disk / "store"))
        assert refused.code == 1
        assert "cannot be written" in refused.err
    refused = cli("add", __file__, "--store", str(disk / "new"))
    assert "Read-only file system" in refused.err
    assert contents(disk) == before


def test_writes_that_the_system_refuses_lose_nothing(tmp_path: Path) -> None:
    """A limit on the size of files makes writes fail in the middle, as a failing disk does."""
    code = """
import sys
from pathlib import Path
from recollect.errors import StoreError
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.testing.builders import note, put
store = EmbeddedStore(Path(sys.argv[1]))
for n in range(10000):
    try:
        put(store, note(f"n{n}", f"otter number{n} " + f"word{n} " * 500))
    except StoreError as error:
        print(error.message, "|", error.hint)
        break
    print(n)
store.admin.refresh()
"""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "store")], capture_output=True, text=True,
        check=True, preexec_fn=limited,
    )  # fmt: skip
    *kept, error = done.stdout.splitlines()
    assert "disk I/O error" in error or "full" in error
    assert "what was kept before is safe" in error
    with opened(tmp_path / "store") as memory:
        assert memory.admin.check(full=True).findings == ()
        assert memory.status().store.documents == len(kept) > 5
        memory.put([note("after", "and it goes on")])


def test_a_process_that_has_no_files_left_is_told_so(tmp_path: Path) -> None:
    code = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
from recollect import Memory
from recollect.errors import StoreError
kept = []
try:
    for n in range(64):
        kept.append(Memory.open(Path(sys.argv[1]) / str(n), embed_model="none"))
except StoreError as error:
    print(error.hint)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert "ulimit -n" in done.stdout


def test_a_write_that_is_stored_is_not_refused_for_what_comes_after(tmp_path: Path) -> None:
    """Vectors follow a write: where there is no room for them, the write stands."""

    class Full(HashEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> Vectors:
            raise StoreError("the disk is full")

    with Memory(open_store(str(tmp_path / "store")), config.load(), Full()) as memory:
        kept = memory.remember("We deploy on Fridays", name="deploy day")
        assert kept.action == "added"
        assert memory.status().pending == 1
        (tmp_path / "a.md").write_text("The otter sleeps.")
        added = memory.add(tmp_path / "a.md")
        assert (added.added, added.pending) == (1, 2)
        assert added.warnings[0].reason == "the disk is full; `recollect doctor --fix` makes them"


def test_a_cache_never_fails_what_is_forgotten(tmp_path: Path, cli: Cli) -> None:
    """A process that was stopped in the middle of writing holds the cache for good."""
    place = tmp_path / "store"
    with opened(place) as memory, pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedded_cache, "_WAIT", 0.05)
        memory.put([note("a", "the otter is secret"), note("b", "the otter is not")])
        found = memory.search("otter")
        memory.record_answer("otter", "secret", found.fingerprint, sources=[note("a").id])
        stopped = sqlite3.connect(place / "cache.db", isolation_level=None)
        stopped.execute("BEGIN IMMEDIATE")
        assert memory.forget("a").forgotten == 1
        assert memory.store.get("a") == []
        assert not memory.admin.answers()
        stopped.close()
        assert b"secret" not in b"".join(p.read_bytes() for p in place.glob("cache.db*"))
        assert memory.search("otter").results[0].document == "b"
    cache = sqlite3.connect(place / "cache.db", isolation_level=None)
    cache.execute("BEGIN IMMEDIATE")
    told = cli("cache", "prune", "--store", str(place))
    assert (told.code, "another process is writing" in told.err) == (1, True)
    cache.close()


def test_what_is_forgotten_on_a_full_disk_is_gone_wholly_or_not_at_all(disk: Path) -> None:
    with opened(disk / "store") as memory:
        put(memory.store, note("a", "the otter is secret"))
        found = memory.search("otter")
        assert memory.record_answer("otter", "secret", found.fingerprint, [note("a").id]).recorded
        fill_up(memory)
        with open(disk / "rest", "wb", buffering=0) as rest, suppress(OSError):
            while rest.write(bytes(512)):
                pass
        gone = False
        with suppress(StoreError):
            gone = memory.forget("a").forgotten == 1
        assert (memory.store.get("a") == []) == gone
        assert (memory.admin.answers() == []) == gone


# ------------------------------------------------------------------ clocks


def test_a_clock_that_goes_back_leaves_the_order_of_things(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from recollect.doctor import examine

    now = time.time()
    with opened(tmp_path / "store") as memory:
        monkeypatch.setattr(time, "time", lambda: now + 86_400)
        memory.put([note("a", "first")])
        assert memory.search("first").results
        monkeypatch.setattr(time, "time", lambda: now)
        memory.put([note("a", "second"), note("b", "later")])
        assert [event.action for event in memory.history("a")] == ["added", "changed"]
        assert [d.external for d in memory.list().items] == ["b", "a"]
        assert memory.search("second").results[0].text == "second"
        assert memory.admin.check(full=True).findings == ()
        told = {check.name: check for check in examine(memory).checks}["clock"]
        assert (told.state, "the clock went back" in told.text) == ("warn", True)


# ------------------------------------------------------------------ files of others


def test_a_store_of_a_newer_version_is_refused_and_untouched(tmp_path: Path, cli: Cli) -> None:
    place = tmp_path / "store"
    with opened(place) as memory:
        memory.put([note("a", "otter")])
        memory.search("otter")
    db = sqlite3.connect(place / "record.db")
    db.execute("PRAGMA user_version = 99")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    before = contents(place)
    with pytest.raises(StoreTooNew, match="schema 99"):
        opened(place)
    for command in (["search", "otter"], ["doctor", "--fix"], ["repair"], ["rebuild"], ["backup"]):
        assert cli(*command, "--store", str(place)).code == 1
    assert contents(place) == before
    assert sorted(os.listdir(tmp_path)) == ["home", "store", "work"]


# ------------------------------------------------------------------ models


def _cut(store: Path) -> None:
    os.truncate(store / "record.db", 0)


def _shortened(store: Path) -> None:
    os.truncate(store / "record.db", (store / "record.db").stat().st_size // 2)


def _deleted(store: Path) -> None:
    (store / "record.db").unlink()


def _moved(store: Path) -> None:
    store.rename(store.with_name("elsewhere"))


def _replaced(store: Path) -> None:
    _moved(store)
    with opened(store) as other:
        put(other.store, note("other", "an otter of another store"))


LOST: dict[Callable[[Path], None], str] = {
    _cut: "is empty: it was cut",
    _shortened: "was cut from",
    _deleted: "is gone",
    _moved: "is gone",
    _replaced: "another store is in its place",
}


@pytest.fixture
def indexed(tmp_path: Path) -> Path:
    """A store with an index, all of it in the record itself."""
    with opened(tmp_path / "store") as memory:
        put(memory.store, *(note(f"n{n}", f"otter {n} " * 50) for n in range(300)))
        memory.search("otter")
    return tmp_path / "store"


def kept(store: Path) -> dict[str, str]:
    """The record and what is made from it; figures of use are written whenever there is time."""
    return {name: sum for name, sum in contents(store).items() if "usage.db" not in name}


@pytest.mark.parametrize("lose", LOST, ids=lambda lose: str(lose.__name__))
def test_a_record_that_is_lost_while_it_is_open_is_told_at_once(
    indexed: Path, lose: Callable[[Path], None]
) -> None:
    with opened(indexed) as memory:
        memory.search("otter 4")
        lose(indexed)
        before = kept(indexed)
        tried: tuple[Callable[[], object], ...] = (
            lambda: memory.search("otter 5"),
            lambda: memory.remember("The otter sleeps", name="otter"),
            memory.status,
        )
        with ThreadPoolExecutor() as threads:  # which have no connection yet
            for use in tried:
                with pytest.raises(StoreError, match=LOST[lose]):
                    use()
                with pytest.raises(StoreError, match=LOST[lose]):
                    threads.submit(use).result()
        assert doctor.examine(memory).checks[0].state == "fail"
        assert kept(indexed) == before


@pytest.mark.parametrize("lose", [_cut, _deleted], ids=["cut", "deleted"])
def test_no_empty_store_is_made_over_what_is_left_of_one(
    indexed: Path, cli: Cli, lose: Callable[[Path], None]
) -> None:
    backup, at = str(indexed.with_name("backup.tar")), ("--store", str(indexed))
    assert cli("backup", backup, *at).code == 0
    lose(indexed)
    before = contents(indexed)
    for command in (["search", "otter"], ["remember", "x"], ["status"], ["add", __file__]):
        refused = cli(*command, *at)
        assert (refused.code, LOST[lose] in refused.err) == (1, True)
    store = cli("doctor", "--json", *at).json["checks"][0]
    assert (store["state"], LOST[lose] in store["text"]) == ("fail", True)
    assert "restore BACKUP" in cli("repair", *at).err
    assert contents(indexed) == before
    assert cli("restore", backup, "--to", str(indexed), "--force").code == 0
    assert cli("status", "--json", *at).json["documents"] == 300


def test_a_record_that_was_cut_is_repaired_from_its_log(tmp_path: Path, cli: Cli) -> None:
    writer = (
        "import os, sys; from recollect.storage import open_store; "
        "from recollect.testing.builders import note, put; "
        "store = open_store(sys.argv[1]); "
        "put(store, note('otter', 'The otter sleeps')); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", writer, str(tmp_path / "store")], check=True)
    _cut(tmp_path / "store")
    at = ("--store", str(tmp_path / "store"))
    assert "is empty" in cli("search", "otter", *at).err
    assert cli("repair", *at).code == 0
    assert "The otter sleeps" in cli("search", "otter", *at).out


@pytest.mark.parametrize("damage", ["missing", "garbled"])
def test_a_model_that_is_damaged_costs_meaning_and_not_the_search(
    tmp_path: Path, cli: Cli, damage: str
) -> None:
    place = tmp_path / "models" / EMBED.key
    shutil.copytree(EMBED_HOME, place)
    os.environ["RECOLLECT_MODELS"] = str(tmp_path / "models")
    os.environ["RECOLLECT_RERANK_MODEL"] = "none"
    try:
        with Memory.open() as memory:
            memory.put([note("a", "The otter eats fish.")])
            memory.models.embed()
        (place / "model.onnx").write_bytes(b"garbled" * 1000)
        if damage == "missing":
            (place / "model.onnx").unlink()
            os.environ["RECOLLECT_EMBED_MODEL"] = str(place)
        found = cli("search", "otter fish", "--json")
        told = cli("doctor", "--json").json
        states = {check["check"]: check for check in told["checks"]}
        assert found.json["results"][0]["document"] == "a"
        assert states["store"]["state"] == "ok"
        if damage == "missing":
            assert any("config unset" in reason for reason in found.json["degraded"])
            assert states["models"]["mend"] == "recollect config unset embed.model"
        else:
            assert any("no usable model" in reason for reason in found.json["degraded"])
            assert states["models"]["state"] == "fail"
            assert states["models"]["mend"] == "recollect models fetch recollect-embed"
            assert cli("models", "fetch", "recollect-embed").code == 0
            assert cli("search", "what is eaten?", "--json").json["degraded"] == []
    finally:
        for name in ("MODELS", "RERANK_MODEL", "EMBED_MODEL"):
            os.environ.pop(f"RECOLLECT_{name}", None)


# ------------------------------------------------------------------ who may read


def test_nobody_else_may_read_anything_that_is_written(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything below a home, and what was asked for elsewhere, whatever the umask."""
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    home, out = Path(os.environ["RECOLLECT_HOME"]), tmp_path / "out"
    out.mkdir(mode=0o700)
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Otters\n\nThe otter eats fish.\n")
    (tmp_path / "work" / config.PROJECT_FILE).write_text('mode = "balanced"\n')
    before = os.umask(0)
    try:
        assert cli("add", str(notes)).code == 0
        with Memory.open() as memory:  # with all that is there while it is open
            memory.put([note(f"n{i}", f"number {i}") for i in range(300)])
            memory.search("otter")
            memory.search("number 7")
            memory.record_answer("otter", "fish", memory.search("otter").fingerprint)
            memory.remember("We deploy on Fridays", name="deploy day")
            memory.models.embed()
            memory.admin.rebuild()
            wanted_open = {p.name for p in home.rglob("*")}
        commands = (
            ["config", "set", "mode", "tokenmax"], ["config", "trust"], ["backup"], ["stats"],
            ["backup", str(out / "b.tar")], ["export", "--all", str(out / "all.jsonl")],
            ["restore", str(out / "b.tar"), "--to", str(out / "deep" / "new")],
            ["repair", "--force"], ["install", "codex"],
        )  # fmt: skip
        for command in commands:
            assert cli(*command).code == 0, command
        own_token(home / "data" / "token")
        from recollect.storage import open_spending

        open_spending(home / "data").hold("2026-01-01", "m", 1, None, 1.0)
    finally:
        os.umask(before)
    seen = {p.name for p in (*home.rglob("*"), *out.rglob("*"))} | wanted_open
    assert {"record.db", "record.db-wal", "record.db-shm", "cache.db", "usage.db", "config.toml",
            "trusted.json", "seen.json", "spend.db", "token", "text.lock", "meta.json", "b.tar",
            "all.jsonl", "backups"} <= seen  # fmt: skip
    for path in (home, *home.rglob("*"), *out.rglob("*")):
        mode = stat.S_IMODE(path.lstat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), f"{path}: {mode:o}"
