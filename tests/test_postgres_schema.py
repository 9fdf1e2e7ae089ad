"""The tables of the PostgreSQL engine: the rules that hold for all of them; no server is needed."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import UsageError
from recollect.storage.postgres import schema
from recollect.storage.postgres.address import parse
from recollect.storage.postgres.postings import LENGTHS, entries, members, rounded, stems, write
from recollect.storage.postgres.rows import given as given_back
from recollect.storage.postgres.rows import key_of, owner_of, stored
from recollect.text.terms import terms

RELEASED: list[str] = []
"""SHA-256 of each migration that a release has carried, in order."""


def _hash(number: int) -> str:
    statements = schema.MIGRATIONS[number](parse("postgresql:///x"))
    return hashlib.sha256("\n".join(statements).encode()).hexdigest()


def test_released_migrations_are_as_they_were_released() -> None:
    assert [_hash(number) for number in range(len(RELEASED))] == RELEASED


def _every(partitions: int) -> list[str]:
    address = parse(f"postgresql:///x?partitions={partitions}")
    made = [line for migration in schema.MIGRATIONS for line in migration(address)]
    table = schema.vectors_of(1, 384, True)
    return [*made, *schema.statements([table], partitions, "recollect")]


@pytest.mark.parametrize("partitions", [0, 8])
def test_every_key_and_index_starts_with_the_owner(partitions: int) -> None:
    owned = 0
    for statement in _every(partitions):
        table = re.match(r"\s*CREATE TABLE (\w+) \(", statement)
        if table and table[1] not in schema.SHARED:
            owned += 1
            assert "(owner integer NOT NULL," in statement, statement
            for key in re.findall(r"(?:PRIMARY KEY|UNIQUE) \(([^)]*)\)", statement):
                assert key.split(", ")[0] == "owner", statement
        index = re.match(r"CREATE (UNIQUE )?INDEX ON (\w+) \((\w+)", statement)
        if index:
            assert index[3] == "owner", statement
        if "PARTITION BY" in statement:
            assert statement.endswith("PARTITION BY HASH (owner)")
    assert owned == len((*schema.TABLES, schema.WALLS)) + 1


def test_nothing_stands_in_the_way_of_distributing_it() -> None:
    for statement in _every(0):
        for word in ("REFERENCES", "FOREIGN KEY", "EXCLUDE", "SERIAL", "TRIGGER", "PARTITION"):
            assert not re.search(rf"\b{word}\b", statement, re.IGNORECASE), statement
    told = list(schema.distribution())
    for table in (*schema.TABLES, schema.WALLS):
        assert any(f"create_distributed_table('{table.name}', 'owner'" in one for one in told)
    for name in schema.SHARED:
        assert any(f"create_reference_table('{name}')" in one for one in told)


def test_the_statements_that_distribute_it_are_documented() -> None:
    written = (Path(__file__).parents[1] / "docs" / "postgres.md").read_text()
    for statement in schema.distribution():
        assert f"{statement};" in written


def test_every_table_of_owners_has_its_wall() -> None:
    made = "\n".join(_every(0))
    for name in [*(table.name for table in schema.TABLES), "owners", "walls", "vectors_1"]:
        assert f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY" in made
        assert f"CREATE POLICY own ON {name} USING (owner = ANY" in made


# ------------------------------------------------------------------ values and segments


@given(st.text() | st.text(st.sampled_from("\x00\x1a01a")))
def test_every_text_comes_back(text: str) -> None:
    assert "\x00" not in stored(text)
    assert given_back(stored(text)) == text


@given(st.integers(1, 2**38), st.integers(0, 2**24 - 1))
def test_a_key_says_whose_it_is(number: int, owner: int) -> None:
    key = key_of(number, owner)
    assert owner_of(key) == owner
    assert key < 2**63
    assert key < key_of(number + 1, 0)


@given(st.text() | st.sampled_from(["The otters' FooBar_baz 1,234.5 東京都に行く", "ـ و الكتاب"]))
def test_stems_follow_from_the_words_as_written(text: str) -> None:
    found = terms(text)
    assert stems(found.exact) == found.stem.split()


def test_lengths_are_kept_as_lucene_and_tantivy_keep_them() -> None:
    assert LENGTHS[:41].tolist() == list(range(41))
    assert LENGTHS[41:60].tolist() == [
        42, 44, 46, 48, 50, 52, 54, 56, 60, 64, 68, 72, 76, 80, 84, 88, 96, 104, 112,
    ]  # fmt: skip
    assert [rounded(n) for n in (0, 7, 40, 41, 55, 59, 10**6)] == [0, 7, 40, 40, 54, 56, 983_064]


def test_a_segment_has_who_has_which_word_and_how_often() -> None:
    made = write([(10, "otters swim otter", "sea"), (20, "kelp", "sea"), (30, "", "")])
    postings = {(field, term): content for field, term, content in made.postings}
    assert list(postings) == sorted(postings)
    there = members(made.members, made.passages)
    assert there.keys.tolist() == [10, 20, 30]
    assert there.lengths.tolist() == [3, 1, 0]
    assert there.title_lengths.tolist() == [1, 1, 0]
    assert there.places(np.array([5, 20, 30, 31])).tolist() == [1, 2]
    otter = entries(postings["b", "otter"], "b")
    assert (otter.places.tolist(), otter.counts.tolist()) == ([0], [2])
    assert entries(postings["t", "sea"], "t").places.tolist() == [0, 1]
    assert entries(postings["x", "otters"], "x").places.tolist() == [0]
    assert ("b", "otters") not in postings


# ------------------------------------------------------------------ the URL


def test_what_is_ours_of_a_url_is_not_given_to_the_driver() -> None:
    address = parse(
        "postgresql://ana:secret@db:5433/x?schema=s&sslmode=require&owner=ana&exact=yes"
    )
    assert address.dsn == "postgresql://ana:secret@db:5433/x?sslmode=require"
    assert (address.schema, address.owner, address.exact) == ("s", "ana", True)
    assert address.shown == "postgresql://ana@db:5433/x?sslmode=require"
    assert "secret" not in parse("postgresql:///x?user=a&password=secret").shown


@pytest.mark.parametrize(
    "query",
    ["schema=A-b", "schema=", "owner=", "exact=perhaps", "partitions=-1", "pool=0", "pool=x",
     "timeout=0", "schema"],
)  # fmt: skip
def test_a_url_that_cannot_be_meant_is_refused(query: str) -> None:
    with pytest.raises(UsageError):
        parse(f"postgresql://host/x?{query}")
    with pytest.raises(UsageError, match="cannot be read"):
        parse("postgresql://host:port/x")
