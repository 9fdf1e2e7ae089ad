"""Backups, what is made of them, and what is saved of a damaged store."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli
from damage import pages, replace, scribble
from recollect import Memory
from recollect.errors import InputError, StoreBusy, StoreCorrupt, StoreTooNew, UsageError
from recollect.memory import repair_store, restore_store
from recollect.testing.builders import note, session
from recollect.testing.moving import fill, items


def opened(place: Path) -> Memory:
    return Memory.open(place, embed_model="none", rerank_model="none")


def everything(place: Path) -> list[Any]:
    with opened(place) as memory:
        assert memory.admin.check(full=True).findings == ()
        return items(memory.store)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    with opened(tmp_path / "store") as memory:
        fill(memory.store)
        memory.remember("We deploy on Fridays", name="deploy day")
        memory.search("deploy day")
    return tmp_path / "store"


@pytest.fixture
def backup(store: Path, tmp_path: Path) -> Path:
    with opened(store) as memory:
        memory.admin.backup(tmp_path / "b.tar.gz")
    return tmp_path / "b.tar.gz"


# ------------------------------------------------------------------ backup


@pytest.mark.parametrize("name", ["b.tar", "b.tar.gz"])
def test_a_backup_comes_back_whole(store: Path, tmp_path: Path, cli: Cli, name: str) -> None:
    file, to = str(tmp_path / name), str(tmp_path / "new")
    made = cli("backup", file, "--store", str(store), "--json").json
    assert (made["file"], made["verified"]) == (file, True)
    assert os.stat(file).st_mode & 0o777 == 0o600
    done = cli("restore", file, "--to", to, "--json").json
    assert (done["store"], done["aside"]) == (to, None)
    assert everything(Path(to)) == everything(store)
    assert os.listdir(tmp_path).count(name) == 1
    assert not [n for n in os.listdir(tmp_path) if n.startswith(".")]  # nothing half done is left


def test_a_backup_without_a_name_goes_among_the_others(store: Path, cli: Cli, home: Path) -> None:
    files = {cli("backup", "--store", str(store), "--json").json["file"] for _ in range(3)}
    assert {Path(file).parent for file in files} == {home / "data" / "backups"}
    assert len(files) == 3


def test_a_backup_replaces_no_file_unasked(store: Path, tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "mine").write_text("mine")
    refused = cli("backup", str(tmp_path / "mine"), "--store", str(store))
    assert (refused.code, (tmp_path / "mine").read_text()) == (2, "mine")
    assert cli("backup", str(tmp_path / "mine"), "--force", "--store", str(store)).code == 0
    assert cli("backup", str(tmp_path), "--force", "--store", str(store)).code == 2


def test_a_backup_is_of_one_moment_while_others_write(tmp_path: Path) -> None:
    writer = """
import sys
from pathlib import Path
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.testing.builders import note, put
store = EmbeddedStore(Path(sys.argv[1]))
for i in range(100000):
    put(store, note(f"a{i}", f"pair {i}"), note(f"b{i}", f"pair {i}"))
    print(i, flush=True)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", writer, str(tmp_path / "store")], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        for _ in range(20):
            seen = int(process.stdout.readline())
        for n in range(3):
            with opened(tmp_path / "store") as memory:
                done = memory.admin.backup(tmp_path / f"{n}.tar")
            assert process.poll() is None
            restore_store(tmp_path / f"{n}.tar", tmp_path / f"new{n}")
            names = {i.put.document.external for i in everything(tmp_path / f"new{n}")
                     if hasattr(i, "put")}  # fmt: skip
            assert len(names) == done.manifest.documents >= 2 * seen
            assert {name[1:] for name in names if name[0] == "a"} == {
                name[1:] for name in names if name[0] == "b"
            }
    finally:
        process.kill()
        process.communicate()


def test_what_a_killed_backup_left_is_swept_by_the_next_and_nothing_else_is(
    store: Path, tmp_path: Path, cli: Cli
) -> None:
    code = """
import sys, time
from pathlib import Path
from recollect.storage.embedded import swap
with swap.beside(Path(sys.argv[1])) as scratch:
    (scratch / "record.db").write_text("half")
    print(scratch, flush=True)
    time.sleep(600)
"""
    backups = tmp_path / "backups"
    ours = backups / ".git"
    ours.mkdir(parents=True)
    working = [subprocess.Popen([sys.executable, "-c", code, str(backups / name)], text=True,
                                stdout=subprocess.PIPE) for name in ("a.tar", "b.tar")]  # fmt: skip
    left, busy = (Path(str(one.stdout and one.stdout.readline().strip())) for one in working)
    working[0].kill()
    working[0].wait()
    try:
        assert cli("backup", str(backups / "c.tar")).code == 0
        assert sorted(backups.iterdir()) == sorted([busy, ours, backups / "c.tar"])
        assert not left.exists()
    finally:
        working[1].kill()
        for one in working:
            one.communicate()


def test_a_damaged_store_makes_no_backup(store: Path, tmp_path: Path) -> None:
    replace(store, b"We deploy on Fridays", b"We deploy on Mondays")
    with opened(store) as memory, pytest.raises(StoreCorrupt, match="not as it was stored") as told:
        memory.admin.backup(tmp_path / "b.tar")
    assert "recollect repair" in told.value.hint
    assert not (tmp_path / "b.tar").exists()


# ------------------------------------------------------------------ restore


def test_a_store_that_is_there_is_moved_aside_if_that_is_asked_for(
    store: Path, backup: Path, cli: Cli
) -> None:
    with opened(store) as memory:
        memory.put([note("later", "new")])
    after = everything(store)
    refused = cli("restore", str(backup), "--to", str(store))
    assert refused.code == 2
    assert "--force" in refused.err
    assert everything(store) == after
    done = cli("restore", str(backup), "--to", str(store), "--force", "--json").json
    assert everything(Path(done["aside"])) == after
    assert everything(store) != after


def test_what_is_no_store_is_never_moved(backup: Path, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "otter.jpg").write_text("x")
    with pytest.raises(UsageError, match="is no store"):
        restore_store(backup, tmp_path / "photos", force=True)
    (tmp_path / "empty").mkdir()
    assert restore_store(backup, tmp_path / "empty").aside is None


def test_a_store_that_is_in_use_is_never_moved(store: Path, backup: Path) -> None:
    code = """
import sys
from recollect import Memory
with Memory.open(sys.argv[1], embed_model="none") as memory:
    memory.status()
    print("open", flush=True)
    sys.stdin.read()
"""
    process = subprocess.Popen([sys.executable, "-c", code, str(store)], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    with pytest.raises(StoreBusy, match="open in another process"):
        restore_store(backup, store, force=True)
    with pytest.raises(StoreBusy, match="open in another process"):
        repair_store(store)
    process.communicate("")
    assert restore_store(backup, store, force=True).aside


def test_what_was_cached_of_the_abandoned_history_is_not_served(
    tmp_path: Path,
) -> None:
    place = tmp_path / "store"
    with opened(place) as memory:
        memory.put([note("a", "The otter eats fish.")])
        memory.admin.backup(tmp_path / "b.tar")
        memory.put([note("a", "The otter eats crabs.")])
        later = memory.search("what does the otter eat?")
        cached = (place / "cache.db").read_bytes()
    restore_store(tmp_path / "b.tar", place, force=True)
    with opened(place) as memory:
        memory.put([note("a", "The otter eats frogs.")])  # as many changes as there were before
        (place / "cache.db").write_bytes(cached)
        found = memory.search("what does the otter eat?")
        assert found.fingerprint != later.fingerprint
        assert "frogs" in found.results[0].text


def test_a_recorded_answer_holds_on_in_a_restored_store(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        memory.put([note("a", "The otter eats fish."), note("b", "The heron eats frogs.")])
        print = memory.search("what does the otter eat?").fingerprint
        assert memory.record_answer("what does the otter eat?", "Fish.", print).recorded
        memory.admin.backup(tmp_path / "b.tar")
    restore_store(tmp_path / "b.tar", tmp_path / "new")
    with opened(tmp_path / "new") as memory:
        assert memory.search("what does the otter eat?").status == "cached_answer"
        memory.put([note("c", "The otter eats crabs.")])
        assert memory.search("what does the otter eat?").status != "cached_answer"


def test_a_restored_store_is_shared_by_readers_and_a_writer(backup: Path, tmp_path: Path) -> None:
    restore_store(backup, tmp_path / "new")
    with opened(tmp_path / "new") as reader, opened(tmp_path / "new") as writer:
        dump = reader.store.admin.dump()
        next(dump)
        writer.put([note("x", "while another reads")])
        dump.close()  # type: ignore[attr-defined]
    db = sqlite3.connect(tmp_path / "new" / "record.db")
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    db.close()


def repacked(file: Path, change: Any) -> Path:
    """The backup with other members."""
    with tarfile.open(file) as archive:
        members = [(m, archive.extractfile(m).read()) for m in archive]  # type: ignore[union-attr]
    with tarfile.open(file.with_name("bad.tar"), "w") as out:
        for member, content in change(members):
            member.size = len(content) if member.isreg() else 0
            out.addfile(member, io.BytesIO(content) if member.isreg() else None)
    return file.with_name("bad.tar")


def _link(name: str, to: str) -> tarfile.TarInfo:
    link = tarfile.TarInfo(name)
    link.type, link.linkname = tarfile.SYMTYPE, to
    return link


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda m: m[:1], "only a part"),
        (lambda m: m[1:], "no manifest"),
        (lambda m: [*m, (tarfile.TarInfo("../evil"), b"x")], "does not belong"),
        (lambda m: [*m, (tarfile.TarInfo("/tmp/evil"), b"x")], "does not belong"),
        (lambda m: [m[0], (_link("record.db", "/etc/passwd"), b"")], "does not belong"),
        (lambda m: [*m, m[1]], "does not belong"),
        (lambda m: [m[0], (m[1][0], m[1][1] + b"x")], "not as long"),
        (lambda m: [m[0], (m[1][0], m[1][1][:-1] + b"x")], "its hash is another"),
        (lambda m: [(m[0][0], b"{}"), m[1]], "manifest cannot be read"),
        (lambda m: [(m[0][0], m[0][1].replace(b'"record.db"', b'"../r.db"')), m[1]], "manifest"),
    ],
    ids=["cut", "headless", "dots", "root", "link", "twice", "longer", "changed", "empty", "name"],
)
def test_a_file_that_is_no_backup_is_refused(
    backup: Path, tmp_path: Path, change: Any, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        restore_store(repacked(backup, change), tmp_path / "new")
    assert not (tmp_path / "new").exists()
    assert not (tmp_path / "evil").exists()


def test_half_a_file_and_other_files_are_refused(backup: Path, tmp_path: Path, cli: Cli) -> None:
    raw = backup.read_bytes()
    for length in (0, 10, 600, len(raw) // 2, len(raw) * 3 // 4):
        (tmp_path / "part").write_bytes(raw[:length])
        refused = cli("restore", str(tmp_path / "part"), "--to", str(tmp_path / "new"))
        assert refused.code == 1, length
        assert "backup" in refused.err
    assert cli("restore", str(tmp_path / "nowhere"), "--to", str(tmp_path / "new")).code == 1
    assert not (tmp_path / "new").exists()


def test_a_backup_of_a_newer_version_is_refused(backup: Path, tmp_path: Path) -> None:
    def newer(members: Any) -> Any:
        about = {**json.loads(members[0][1]), "schema": 99}
        return [(members[0][0], json.dumps(about).encode()), *members[1:]]

    with pytest.raises(StoreTooNew, match="schema 99"):
        restore_store(repacked(backup, newer), tmp_path / "new")
    assert not (tmp_path / "new").exists()


# ------------------------------------------------------------------ repair


def big(place: Path) -> Path:
    """A store of many pages, with a session, a fact, and something forgotten."""
    with opened(place) as memory:
        memory.put([note(f"n{i}", f"otter number{i} " + f"word{i} " * 60) for i in range(200)])
        turns = [("user", f"question{i} " * 40) for i in range(30)]
        memory.put([session("talk", *turns)])
        memory.remember("We deploy on Fridays", name="deploy day", scopes=["work"])
        memory.put([note("gone", "secret")])
        memory.forget("gone")
    return place


def test_a_sound_store_is_left_as_it_is(store: Path, cli: Cli) -> None:
    before = (store / "record.db").read_bytes()
    done = cli("repair", "--store", str(store))
    assert (done.code, done.out) == (0, "nothing was damaged\n")
    assert (store / "record.db").read_bytes() == before


def test_what_is_on_other_pages_than_the_damaged_one_is_saved(tmp_path: Path, cli: Cli) -> None:
    place = big(tmp_path / "store")
    scribble(place, pages(place, "passages")[20])
    broken = (place / "record.db").read_bytes()
    told = cli("doctor", "--store", str(place))
    assert told.code == 1
    assert "recollect repair" in told.out
    done = cli("repair", "--store", str(place), "--json").json
    assert Path(done["aside"], "record.db").read_bytes() == broken
    assert done["documents"] == 202
    assert 0 < len(done["incomplete"]) <= 10
    assert done["lost"] == []
    with opened(place) as memory:
        assert memory.admin.check(full=True).findings == ()
        assert memory.search("deploy day").tier == 2
        assert memory.search("number199").results[0].document == "n199"
        assert memory.put([note("gone", "secret")]).tombstoned == 1
        whole = [memory.get(f"n{i}") for i in range(200)]
        good = [d for d in whole if d.id not in done["incomplete"]]
        assert all(d.text.startswith(f"otter number{d.external[1:]} ") for d in good)
        # What was damaged comes back with its source.
        again = [note(f"n{i}", f"otter number{i} " + f"word{i} " * 60) for i in range(200)]
        assert memory.put(again).changed == len(done["incomplete"])


def test_documents_whose_own_page_is_lost_keep_their_names_and_are_shown_to_nobody_new(
    tmp_path: Path,
) -> None:
    place = big(tmp_path / "store")
    scribble(place, *pages(place, "documents")[1:3], with_=b"\0")
    done = repair_store(place)
    assert done.documents == 202
    assert len(done.incomplete) > 5
    assert (done.lost, done.unnamed) == ((), 0)
    with opened(place) as memory:
        assert {d.external for d in memory.list(limit=300).items} >= {f"n{i}" for i in range(200)}
        for id in done.incomplete:
            assert memory.get(id).scopes == ("salvaged",)
        assert memory.admin.check(full=True).findings == ()


@pytest.mark.parametrize("table", ["messages", "labels", "handles", "events", "tombstones"])
def test_a_lost_page_of_any_table_leaves_a_store_that_works(tmp_path: Path, table: str) -> None:
    place = big(tmp_path / "store")
    scribble(place, *pages(place, table)[:1])
    done = repair_store(place)
    # The handles are all in an index of theirs, too.
    assert done.unreadable == (() if table == "handles" else (table,))
    with opened(place) as memory:
        assert memory.admin.check(full=True).findings == ()
        everyone = memory.list(limit=300).items
        assert len(everyone) >= 201
        assert memory.get(next(d.id for d in everyone if d.external == "talk")).rendered()
        if table == "labels":  # whose they were is not known, so that they are nobody's
            assert {d.owner for d in everyone} & {"local"} == set()


def test_a_file_that_was_cut_short_gives_what_is_left(tmp_path: Path) -> None:
    place = big(tmp_path / "store")
    pages(place, "passages")
    size = (place / "record.db").stat().st_size
    os.truncate(place / "record.db", size * 2 // 3 // 4096 * 4096)
    done = repair_store(place)
    assert done.passages > 50
    with opened(place) as memory:
        assert memory.admin.check(full=True).findings == ()


def test_a_changed_letter_is_found_and_told(store: Path, cli: Cli) -> None:
    replace(store, b"We deploy on Fridays", b"We deploy on Mondays")
    done = cli("repair", "--store", str(store), "--json").json
    assert len(done["incomplete"]) == 1
    assert done["lost"] == []
    assert everything(store)


def test_what_cannot_be_read_at_all_is_left_alone(store: Path, cli: Cli) -> None:
    (store / "record.db").write_bytes(b"no database at all" * 1000)
    refused = cli("repair", "--store", str(store))
    assert refused.code == 1
    assert "nothing can be read" in refused.err
    assert "recollect restore" in refused.err
    assert (store / "record.db").read_bytes() == b"no database at all" * 1000


def test_a_torn_index_is_made_anew_by_repair(store: Path, cli: Cli) -> None:
    (index,) = store.glob("text-*")
    for file in index.iterdir():
        if file.suffix in (".term", ".idx", ".store", ".fast"):
            file.write_bytes(b"\x07" * file.stat().st_size)
    done = cli("repair", "--store", str(store))
    assert "the indexes were made anew" in done.out
    assert cli("search", "deploy day", "--store", str(store)).code == 0
