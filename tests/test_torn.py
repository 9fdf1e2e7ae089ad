"""Files of a store that are damaged as disks damage them: whoever finds it out mends what is
derived, a check tells of it and never fails, and a repair saves what can be read."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from conftest import Cli, HashEmbedder
from damage import PAGE, pages
from recollect import Memory, storage
from recollect.nouns import Document, Filter
from recollect.storage.embedded import vector_index
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.testing.builders import any_of, found, note, put

WORDS = [f"word{n}" for n in range(40)]


def vectors(store: EmbeddedStore, text: str) -> list[str]:
    vector = HashEmbedder().embed_query(text)
    hits = store.search_vector(HashEmbedder.key, vector, Filter(), limit=5).hits
    return [one.document.external for one in store.passages([hit.passage for hit in hits])]


def answers(store: EmbeddedStore) -> list[list[str]]:
    by_words = [sorted(found(store, any_of(word))) for word in WORDS[:8]]
    return [*by_words, *(sorted(vectors(store, f"{word} otter")) for word in WORDS[:4])]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("torn") / "store"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_index, "SEGMENT_ROWS", 8)
        store = EmbeddedStore(place)
        for n, word in enumerate(WORDS):
            put(store, note(f"n{n}", f"{word} otter number{n} {WORDS[n // 2]}", path=f"p/{n}.md"))
        waiting = store.pending(HashEmbedder.key, limit=1000)
        made = HashEmbedder().embed_passages([text for _, text in waiting])
        store.put_vectors(HashEmbedder.key, [key for key, _ in waiting], made)
        store.admin.refresh(rebuild=True)
        put(store, note("n1", "word1 otter changed word0", path="p/1.md"))
        store.admin.refresh()
        store.close()
    return place


def derived(place: Path) -> list[Path]:
    return sorted(p for p in place.rglob("*") if p.is_file() and p.parent != place)


def hurt(path: Path, way: str, chance: random.Random) -> bool:
    """Damages a file; tells whether that changed it."""
    before = path.read_bytes()
    at, after = chance.randrange(len(before) or 1), bytearray(before)
    if way == "flip" and before:
        after[at] ^= 1 << chance.randrange(8)
    elif way == "zero":
        after[at:] = bytes(len(before) - at)
    elif way == "cut":
        del after[at:]
    path.write_bytes(after)
    return bytes(after) != before


@pytest.mark.parametrize("way", ["flip", "zero", "cut"])
def test_a_damaged_file_of_an_index_is_found_and_made_anew(
    whole: Path, tmp_path: Path, way: str, capfd: pytest.CaptureFixture[str]
) -> None:
    store = EmbeddedStore(whole)
    wanted = answers(store)
    store.close()
    assert len(derived(whole)) > 15
    names = [p.relative_to(whole) for p in derived(whole)]
    one_of_each = {(way == "flip" and p.name) or (p.parent.parent.name, p.suffix): p for p in names}
    for name in one_of_each.values():
        if name.name.endswith(".lock") or name.name == ".managed.json":
            continue
        copy = tmp_path / "copy"
        shutil.copytree(whole, copy, ignore=shutil.ignore_patterns("*-shm"))
        if hurt(copy / name, way, random.Random(f"{way} {name.suffix}")):
            store = EmbeddedStore(copy)
            told = store.admin.check(full=True).findings
            assert {finding.part for finding in told} <= {"text", "vectors"}
            assert answers(store) == wanted, name
            store.admin.refresh()
            answers(store)
            assert store.admin.check(full=True).findings == (), name
            store.close()
        shutil.rmtree(copy)


def test_a_long_file_is_looked_at_in_parts_and_read_whole_by_a_full_check(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from recollect.storage.embedded import sums

    file = tmp_path / "long"
    file.write_bytes(random.Random(1).randbytes(100 * sums.BLOCK + 7))
    made = {"long": sums.sum_of(str(file))}
    assert not [*sums.damaged(str(tmp_path), made, full=True)]
    with open(file, "r+b") as out:
        out.seek(3 * sums.BLOCK + 5)
        out.write(b"otter")
    assert [*sums.damaged(str(tmp_path), made, full=True)] == ["long"]
    file.write_bytes(bytes(100 * sums.BLOCK + 7))
    assert [*sums.damaged(str(tmp_path), made, full=False)] == ["long"]
    file.unlink()
    assert [*sums.damaged(str(tmp_path), made, full=False)] == ["long"]


def test_a_page_that_is_lost_in_part_is_repaired_around(tmp_path: Path) -> None:
    """The first bytes are there, the rest is zero: rows can be read and say nonsense."""
    place = tmp_path / "whole"
    with Memory.open(place, embed_model="none") as memory:
        memory.put([note(f"n{i}", f"otter number{i} " + f"word{i} " * 60) for i in range(90)])
        memory.put([Document("x", "m", "t", meta={"a": [1]}), *map(note, "abc")])
        for i in range(9):
            memory.remember(f"We deploy project{i} on day {i}", name=f"deploy {i}", embed=False)
    tried = 0
    for table in ("documents", "passages", "labels", "sources", "handles", "state", "events"):
        for number in pages(place, table)[:1]:
            for kept in (100, 512):
                copy = tmp_path / "copy"
                shutil.copytree(place, copy)
                with open(copy / "record.db", "r+b") as file:
                    file.seek((number - 1) * PAGE + kept)
                    file.write(bytes(PAGE - kept))
                told = storage.repair(str(copy), tell=lambda *_: None)
                assert told.documents > 10
                with Memory.open(copy, embed_model="none") as memory:
                    assert memory.admin.check(full=True).findings == ()
                    memory.put([note("after", "still writable")])
                    assert memory.search("still writable").results[0].document == "after"
                shutil.rmtree(copy)
                shutil.rmtree(told.aside)
                tried += 1
    assert tried > 10


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM labels",
        "DELETE FROM sources",
        "UPDATE documents SET date = 'x'",
        "UPDATE documents SET meta = '[}'",
    ],
)
def test_rows_that_are_lost_or_garbled_are_told_of_by_every_command(
    whole: Path, tmp_path: Path, cli: Cli, statement: str
) -> None:
    shutil.copytree(whole, tmp_path / "store")
    with closing(sqlite3.connect(tmp_path / "store" / "record.db", isolation_level=None)) as db:
        db.execute(statement)
    told = False
    for words in (
        ["search", "word1 otter", "--no-cache"],
        ["context", "otter"],
        ["list"],
        ["get", "n5"],
        ["history", "n5"],
        ["export", "--all", str(tmp_path / "all.jsonl"), "--force"],
        ["forget", "n7"],
    ):
        ran = cli(*words, "--store", str(tmp_path / "store"))
        told |= "recollect repair" in ran.err
        assert "Traceback" not in ran.err, ran.err
    assert told
    if statement == "DELETE FROM labels":
        done = storage.repair(str(tmp_path / "store"), tell=lambda *_: None)
        assert (done.documents, len(done.incomplete), done.lost) == (40, 40, ())


def test_a_check_of_a_store_that_is_rubbish_tells_so(tmp_path: Path) -> None:
    place = tmp_path / "store"
    with Memory.open(place, embed_model="none") as memory:
        memory.put([note(f"n{i}", f"otter {i}") for i in range(50)])
        chance = random.Random(7)
        (place / "record.db-wal").unlink()
        (place / "record.db").write_bytes(chance.randbytes(40_000))
        told = memory.admin.check(full=True).findings
        assert told
        assert {finding.part for finding in told} <= {"record", "lock"}


def reschemed(whole: Path, tmp_path: Path, *statements: str) -> Path:
    """A copy of the store whose tables were changed behind SQLite's back."""
    place = tmp_path / "store"
    shutil.copytree(whole, place)
    with closing(sqlite3.connect(place / "record.db")) as db:
        db.execute("PRAGMA writable_schema = ON")
        for statement in statements:
            db.execute(statement)
        db.commit()
    return place


def test_a_garbled_schema_is_told_of(whole: Path, tmp_path: Path, cli: Cli) -> None:
    garbled = "CAST(x'435245415445205441424c45209292' AS TEXT)"
    place = reschemed(
        whole, tmp_path, f"UPDATE sqlite_master SET sql = {garbled} WHERE name = 'documents'"
    )
    told = cli("search", "otter", "--store", str(place))
    assert told.code == 1
    assert "recollect repair" in told.err
    assert cli("repair", "--store", str(place)).code in (0, 1)


def test_a_vector_that_is_none_is_left_out_of_an_export(
    whole: Path, tmp_path: Path, cli: Cli
) -> None:
    nullable = "UPDATE sqlite_master SET sql = replace(sql, 'BLOB NOT NULL', 'BLOB') "
    place = reschemed(whole, tmp_path, nullable + "WHERE name = 'vectors'")
    with closing(sqlite3.connect(place / "record.db")) as db, db:
        db.execute("UPDATE vectors SET vector = NULL WHERE seq = (SELECT min(seq) FROM vectors)")
    out = tmp_path / "all.jsonl"
    told = cli("export", "--all", str(out), "--store", str(place))
    assert told.code == 0, told.err
    assert out.stat().st_size


def test_a_title_that_is_no_text_is_told_of(whole: Path, tmp_path: Path, cli: Cli) -> None:
    place = reschemed(whole, tmp_path, "UPDATE documents SET title = x'00ff92'")
    told = cli("search", "otter", "--store", str(place))
    assert told.code == 1
    assert "recollect repair" in told.err


def test_an_export_tells_of_what_is_no_text(whole: Path, tmp_path: Path, cli: Cli) -> None:
    place = reschemed(whole, tmp_path, "UPDATE documents SET path = x'00ff92'")
    told = cli("export", "--all", str(tmp_path / "all.jsonl"), "--store", str(place))
    assert told.code == 1
    assert "recollect repair" in told.err
