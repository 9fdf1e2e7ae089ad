"""The record's schema: what has been released is never edited, only added to."""

from __future__ import annotations

import hashlib
import inspect
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from recollect import Memory
from recollect.facts import handle, turns
from recollect.storage.embedded import schema
from recollect.testing.builders import note

RELEASED: list[str] = []
"""SHA-256 of each migration that a release has carried, in order."""


def _hash(number: int) -> str:
    source = inspect.getsource(schema.MIGRATIONS[number])
    if number == 0:
        source += schema._FIRST
    return hashlib.sha256(source.encode()).hexdigest()


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
    db.execute("DROP TABLE answers")
    db.execute("ALTER TABLE sources DROP COLUMN places")
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
        held = memory.store.held([handle("ana", turns(day))])
        assert len(held) == 1
    db = sqlite3.connect(store / "record.db")
    db.execute("DROP TABLE answers")
    db.execute("DELETE FROM handles WHERE handle LIKE '%!turns%'")
    db.execute("PRAGMA user_version = 3")
    db.commit()
    db.close()
    with Memory.open(store, embed_model="none") as memory:
        assert memory.store.held([handle("ana", turns(day))]) == held
