"""The record's schema: what has been released is never edited, only added to."""

from __future__ import annotations

import hashlib
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from recollect import Memory
from recollect.facts import handle, turns
from recollect.memory import repair_store
from recollect.nouns import Filter
from recollect.storage.embedded import schema
from recollect.testing.builders import note

RELEASED: list[str] = []
"""SHA-256 of each migration that a release has carried, in order."""


def _hash(number: int) -> str:
    """Of all that the database consists of after this migration."""
    db = sqlite3.connect(":memory:")
    for migrate in schema.MIGRATIONS[: number + 1]:
        migrate(db)
    made = [sql for (sql,) in db.execute("SELECT sql FROM sqlite_master ORDER BY name") if sql]
    db.close()
    return hashlib.sha256("\n".join(made).encode()).hexdigest()


def test_released_migrations_are_as_they_were_released() -> None:
    assert [_hash(number) for number in range(len(RELEASED))] == RELEASED


def test_a_new_store_is_at_the_newest_schema(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", embed_model="none") as memory:
        memory.put([note("a", "otter")])
    db = sqlite3.connect(tmp_path / "store" / "record.db")
    assert db.execute("PRAGMA user_version").fetchone()[0] == len(schema.MIGRATIONS)
    assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    db.close()


def test_the_store_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", embed_model="none") as memory:
        memory.put([note("a", "otter")])
        memory.search("otter")
    assert (tmp_path / "store").stat().st_mode & 0o077 == 0
    assert (tmp_path / "store" / "record.db").stat().st_mode & 0o077 == 0


def test_a_store_of_the_first_schema_opens_and_keeps_its_sources(tmp_path: Path) -> None:
    store, notes = tmp_path / "store", tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("The otter swims.\n")
    with Memory.open(store, embed_model="none") as memory:
        memory.add(notes)
    db = sqlite3.connect(store / "record.db")
    db.execute("DROP TABLE handles")
    db.execute("DROP TABLE walls")
    db.execute("DROP TABLE answers")
    db.execute("ALTER TABLE sources DROP COLUMN places")
    db.execute("ALTER TABLE vectors DROP COLUMN sentences")
    db.execute("PRAGMA user_version = 1")
    db.close()
    with Memory.open(store, embed_model="none") as memory:
        (source,) = memory.status().store.sources
        assert (source.name, source.places) == ("notes", ())
        assert memory.add(notes).unchanged == 1
        (source,) = memory.status().store.sources
        assert [place.uri for place in source.places] == [notes.as_uri()]
        memory.remember("The otter is called Otto.", name="Otto")
        assert memory.search("who is Otto?").tier == 2


def test_facts_of_the_third_schema_are_found_by_the_days_on_which_they_turn(tmp_path: Path) -> None:
    store = tmp_path / "store"
    day = datetime(2026, 3, 1, 12, tzinfo=UTC)
    with Memory.open(store, embed_model="none") as memory:
        memory.remember("The pier is shut", name="pier", valid_from=day, owner="ana")
        held = memory.store.by_handle([handle("ana", turns(day))])
        assert len(held) == 1
    db = sqlite3.connect(store / "record.db")
    db.execute("DROP TABLE walls")
    db.execute("DROP TABLE answers")
    db.execute("DELETE FROM handles WHERE handle LIKE '%!turns%'")
    db.execute("ALTER TABLE vectors DROP COLUMN sentences")
    db.execute("PRAGMA user_version = 3")
    db.commit()
    db.close()
    with Memory.open(store, embed_model="none") as memory:
        assert memory.store.by_handle([handle("ana", turns(day))]) == held


# ------------------------------------------------------------------ stores of every version

SCHEMAS = Path(__file__).parent / "fixtures" / "schemas"


def written_by(number: int, place: Path) -> Path:
    """A store as the code of that schema wrote it."""
    place.mkdir()
    db = sqlite3.connect(place / "record.db")
    db.execute("PRAGMA journal_mode = WAL")
    db.executescript((SCHEMAS / f"{number}.sql").read_text(encoding="utf-8"))
    assert db.execute("PRAGMA user_version").fetchone()[0] == number
    db.close()
    return place


@pytest.mark.parametrize("number", range(1, len(schema.MIGRATIONS) + 1))
def test_a_store_of_any_version_is_brought_up_to_date_and_is_sound(
    tmp_path: Path, number: int
) -> None:
    place = written_by(number, tmp_path / "store")
    with Memory.open(place, embed_model="none") as memory:
        assert memory.admin.check(full=True).findings == ()
        found = memory.search("what does the otter eat?", cache=False)
        assert found.results[0].document == "otters.md"
        assert memory.search("timezone test").results[0].document == "chat"
        assert memory.search("harbour").results[0].text == "the new wording of the harbour"
        assert memory.search("secret").results == ()
        about = memory.get("otters.md")
        assert (about.owner, about.scopes, about.stamp) == ("ana", ("home", "work"), "17:4")
        assert about.meta == {"issue": "PAY-7", "tags": ["a"]}
        assert [e.action for e in memory.history("edited")] == ["added", "changed"]
        assert memory.put([note("gone", "a secret that was forgotten")]).tombstoned == 1
        assert memory.store.admin.models() == {"old@1": 3}
        assert signs_in(memory) == ([b"\x0f" * 32] if number >= 6 else [])
        memory.remember("The otter is called Otto.", name="Otto")
        assert memory.search("who is Otto?").tier == 2
        if number >= 3:
            assert memory.search("deploy day", as_of="2025-06-01").tier == 2
        memory.admin.backup(tmp_path / "b.tar")
        memory.admin.export_all(tmp_path / "all.jsonl")
        assert memory.admin.check(full=True).findings == ()
    with Memory.open(tmp_path / "new", embed_model="none") as memory:
        assert memory.admin.import_all(tmp_path / "all.jsonl").tombstones == 1
    assert written_version(place) == len(schema.MIGRATIONS)


@pytest.mark.parametrize("number", range(1, len(schema.MIGRATIONS) + 1))
def test_a_store_of_any_version_can_be_repaired(tmp_path: Path, number: int) -> None:
    place = written_by(number, tmp_path / "store")
    repaired = repair_store(place)
    assert (repaired.incomplete, repaired.lost, repaired.unreadable) == ((), (), ())
    with Memory.open(place, embed_model="none") as memory:
        found = memory.search("what does the otter eat?", cache=False)
        assert found.results[0].document == "otters.md"
        assert memory.admin.check(full=True).findings == ()
        if number >= 3:  # the day on which the fact begins is known, though its schema had none
            day = datetime(2025, 3, 1, tzinfo=UTC)
            assert memory.store.by_handle([handle("local", turns(day))])
        assert signs_in(memory) == ([b"\x0f" * 32] if number >= 6 else [])


def signs_in(memory: Memory) -> list[bytes]:
    """The signs of the sentences of the passages that have a vector."""
    near = memory.store.search_vector("old@1", np.ones(4, np.float32), Filter(), limit=9).hits
    return list(memory.store.sentences("old@1", [hit.passage for hit in near]).values())


def written_version(place: Path) -> int:
    db = sqlite3.connect(place / "record.db")
    (found,) = db.execute("PRAGMA user_version").fetchone()
    db.close()
    return int(found)
