"""What a store on a server promises beyond the contract: walls between owners, many writers, lost
connections, a change of model, and clear words for whatever is wrong."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psycopg
import pytest

from conftest import Cli, HashEmbedder
from postgres_server import admin, drop, fresh, opened, server_url, store_url
from recollect import Memory
from recollect.errors import NotFound, StoreBusy, StoreError, StoreTooNew, UsageError
from recollect.nouns import ChangeSet, Filter, Forget, Put, Register, Source
from recollect.storage import open_store
from recollect.storage.postgres import schema, text_views, vectors
from recollect.storage.postgres.address import parse
from recollect.storage.postgres.engine import PostgresStore
from recollect.testing.builders import any_of, found, ids, note, pending_keys, put
from recollect.testing.contract import MODEL, embed_all, nearest, unit

WRITER = """
import random, sys
from recollect.storage import open_store
from recollect.testing.builders import note, put
url, name, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
store, chance = open_store(url), random.Random(name)
for turn in range(rounds):
    owners = [f"owner{n}" for n in range(4)]
    chance.shuffle(owners)
    put(store, *(note(f"{name}{turn}", f"word {name}{turn}", owner=o) for o in owners),
        *(note("shared", f"shared {name} {turn}", owner=o) for o in owners))
    print(f"{name}{turn}", flush=True)
store.close()
"""


def _start(url: str, name: str, rounds: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, url, name, str(rounds)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def url() -> Iterator[str]:
    made = store_url()
    yield made
    drop(made)


# ------------------------------------------------------------------ many processes


def test_processes_make_the_store_and_write_for_the_same_owners_at_once(url: str) -> None:
    writers = [_start(url, name, 8) for name in ("alpha", "beta", "gamma")]
    for process in writers:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert len(out.split()) == 8
    with opened(url) as store:
        stats = store.stats()
        assert stats.documents == (3 * 8 + 1) * 4
        everything = store.search_text([any_of("word")], Filter(), limit=1, count=True)[0]
        assert everything.total == 3 * 8 * 4
        history = store.history(note("shared", owner="owner0").id)
        assert [event.action for event in history] == ["added"] + ["changed"] * 23


def test_another_process_sees_a_write_at_once(url: str) -> None:
    with opened(url) as one, opened(url) as other:
        for turn in range(30):
            put(one, note(f"n{turn}", f"unique{turn}"))
            assert found(other, any_of(f"unique{turn}")) == [f"n{turn}"]
        assert other.listener is not None
        put(one, note("last", "unheard"))
        (owner,) = other.views.by_owner
        for _ in range(100):
            if len(other.views.by_owner[owner].tail) == 31:
                break
            time.sleep(0.05)
        assert len(other.views.by_owner[owner].tail) == 31  # read before anybody asked


def test_connections_that_break_in_mid_import_lose_and_double_nothing(url: str) -> None:
    with opened(url) as store:
        stop = threading.Event()
        broken = 0

        def breaking() -> None:
            nonlocal broken
            while not stop.is_set():
                rows = admin(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE application_name = 'recollect' AND query NOT LIKE '%%LISTEN%%'"
                )
                broken += len(rows)
                stop.wait(0.2)

        thread = threading.Thread(target=breaking)
        thread.start()
        try:
            added = batch = 0
            while broken < 6 or batch < 10:
                documents = [note(f"n{batch}.{i}", f"word {batch} {i}") for i in range(8)]
                added += put(store, *documents).added
                batch += 1
        finally:
            stop.set()
            thread.join()
        assert added == store.stats().documents == 8 * batch
        assert store.search_text([any_of("word")], Filter(), limit=1, count=True)[0].total == added
        assert len(store.history(note("n7.3").id)) == 1


def test_an_owner_of_whom_nothing_is_stored_yet_may_look(url: str) -> None:
    with opened(f"{url}&owner=cleo") as store:
        assert store.stats().documents == 0
        assert list(store.admin.dump()) == []
        assert found(store, any_of("otter")) == []
    assert admin(f"SELECT name FROM {parse(url).schema}.owners WHERE name = 'cleo'") == []


def test_a_statement_that_takes_too_long_is_given_up() -> None:
    with fresh(timeout=1) as store:
        put(store, note("a", "otter"))
        where = store.address.schema
        with psycopg.connect(server_url()) as other:
            other.execute(f"LOCK TABLE {where}.documents IN ACCESS EXCLUSIVE MODE".encode())
            with pytest.raises(StoreBusy, match="timeout"):
                store.stats()


# ------------------------------------------------------------------ walls


def _as(url: str, role: str) -> str:
    """The same place as another role."""
    head, _, tail = url.partition("://")
    return f"{head}://{role}@{tail.rpartition('@')[2]}"


def _documented_grants() -> list[str]:
    """The grants for a role as the documentation has them."""
    written = (Path(__file__).parents[1] / "docs" / "postgres.md").read_text()
    grants = re.findall(r"^GRANT [^;]+", written, re.MULTILINE)
    assert len(grants) == 6
    return grants


@pytest.fixture
def role(url: str) -> Iterator[str]:
    """A role that may use the tables of the store, and is listed as nobody."""
    name = f"hostile_{os.getpid()}"
    with opened(url) as store:
        put(store, note("mine", "otter words", owner="ana"), note("yours", "otter", owner="ben"))
        embed_all(store, {"mine": unit(1), "yours": unit(0, 1)})
        store.admin.refresh()
    where = parse(url).schema
    admin(f"CREATE ROLE {name} LOGIN")
    for statement in _documented_grants():
        admin(statement.replace("recollect", where).replace(" ana", f" {name}"))
    yield name
    admin(f"DROP OWNED BY {name}")
    admin(f"DROP ROLE {name}")


def test_a_role_sees_and_writes_nothing_but_its_own(url: str, role: str) -> None:
    where = parse(url).schema
    (ben,) = admin(f"SELECT owner FROM {where}.owners WHERE name = 'ben'")[0]
    tables = [table.name for table in schema.TABLES] + ["owners", "vectors_1"]
    statements = [f"SELECT COUNT(*) FROM {where}.{name} WHERE owner = {ben}" for name in tables]
    with psycopg.connect(_as(server_url(), role), autocommit=True) as db:

        def seen() -> int:
            return sum(db.execute(statement.encode()).fetchone()[0] for statement in statements)  # type: ignore[index]

        assert seen() == 0
        db.execute("SET recollect.owner = 'ben'")  # it is listed as nobody: that does not help
        assert seen() == 0
        admin(
            f"INSERT INTO {where}.members SELECT '{role}', owner FROM {where}.owners "
            "WHERE name = 'ana'"
        )
        assert seen() == 0
        own = db.execute(f"SELECT external FROM {where}.documents".encode()).fetchall()
        assert own == [("mine",)]
        for name in set(tables) - {"owners"}:  # nobody has the right to delete one
            changed = db.execute(f"DELETE FROM {where}.{name} WHERE owner = {ben}".encode())
            assert changed.rowcount == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute(f"UPDATE {where}.documents SET owner = {ben}".encode())
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute(f"INSERT INTO {where}.tombstones VALUES ({ben}, 'x', 0)".encode())
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute(f"INSERT INTO {where}.members VALUES ('{role}', {ben})".encode())
    with opened(_as(url, role)) as store:
        assert found(store, any_of("otter")) == ["mine"]
        assert nearest(store, unit(0, 1)) == ["mine"]
        assert store.get("yours") == []
        assert store.stats().documents == 1
        store.apply(ChangeSet((Register(Source("s", "folder")),)))
        put(store, note("more", "otter", owner="ana"))
        assert sorted(found(store, any_of("otter"))) == ["mine", "more"]
        store.admin.refresh(rebuild=True)
        signs = dict.fromkeys(pending_keys(store, MODEL, 9), b"\x0f" * 16)
        store.put_vectors(MODEL, list(signs), np.array([unit(1, 1)]), list(signs.values()))
        assert nearest(store, unit(1)) == ["mine", "more"]
        assert store.sentences(MODEL, list(signs)) == signs
        assert store.apply(ChangeSet((Forget("never was"),))).forgotten == 0
        with pytest.raises(StoreError):
            put(store, note("theirs", "otter", owner="ben"))
    with opened(url) as store:
        assert len(store.get("yours")) == 1
        assert store.sentences(MODEL, list(signs)) == signs
        (theirs,) = {
            hit.passage
            for hit in store.search_vector(MODEL, unit(1), Filter(owner="ben"), limit=9).hits
        }
        table, signed = f"{where}.vectors_1", "sentences = '\\x0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f'"
        admin(f"UPDATE {table} SET {signed} WHERE passage = {theirs}")
        assert store.sentences(MODEL, [theirs, *signs]) == {theirs: b"\x0f" * 16, **signs}
    with opened(_as(url, role)) as store:
        assert store.sentences(MODEL, [theirs, *signs]) == signs


def _tables(where: str) -> list[str]:
    """Every table of a schema that can be named, partitions included, as the catalogue has them."""
    rows = admin(
        "SELECT c.relname FROM pg_class c WHERE c.relkind IN ('r', 'p') "
        f"AND c.relnamespace = '{where}'::regnamespace ORDER BY 1"
    )
    return [name for (name,) in rows]


def test_every_table_of_the_catalogue_is_walled_for_a_role(url: str, role: str) -> None:
    where = parse(url).schema
    (ben,) = admin(f"SELECT owner FROM {where}.owners WHERE name = 'ben'")[0]
    admin(
        f"INSERT INTO {where}.members SELECT '{role}', owner FROM {where}.owners WHERE name = 'ana'"
    )
    with opened(url) as store:  # a model that comes after the grants
        keys = [key for key, _ in store.pending("later", limit=9)]
        store.put_vectors("later", keys, np.eye(len(keys), 8, dtype=np.float32))
    tables = _tables(where)
    parts = [name for name in tables if re.search(r"_p\d+$", name)]
    assert {"vectors_1_p0", "vectors_2_p0", "passages_p0"} <= set(parts)
    open_to_all = {"meta", "models"}
    with psycopg.connect(_as(server_url(), role), autocommit=True) as db:

        def tried(statement: str) -> int:
            try:
                done = db.execute(statement.encode())
            except psycopg.errors.InsufficientPrivilege:
                return 0
            return len(done.fetchall())

        def attacked(names: list[str]) -> int:
            return sum(
                tried(statement.format(table=f"{where}.{name}"))
                for name in names
                for statement in (
                    f"SELECT 1 FROM {{table}} WHERE owner = {ben}",
                    f"UPDATE {{table}} SET owner = owner WHERE owner = {ben} RETURNING 1",
                    f"DELETE FROM {{table}} WHERE owner = {ben} RETURNING 1",
                )
            )

        owned = [name for name in tables if name not in open_to_all]
        assert attacked(owned) == 0
        assert tried(f"SELECT * FROM {where}.vectors_2") == 1  # her own, of the later model
        for part in parts:  # no right on any of them, not even to her own rows
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                db.execute(f"SELECT 1 FROM {where}.{part}".encode())
        for part in parts:  # somebody lets her in: the policies hold there too
            admin(f"GRANT ALL ON {where}.{part} TO {role}")
        assert attacked(owned) == 0
    walls = admin(
        "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') "
        f"AND relnamespace = '{where}'::regnamespace AND NOT relrowsecurity ORDER BY 1"
    )
    assert {name for (name,) in walls} == {"members", *open_to_all}


def test_a_role_that_names_its_owner_is_let_to_that_one(url: str, role: str) -> None:
    admin(f"INSERT INTO {parse(url).schema}.members VALUES ('{role}', -1)")
    with opened(f"{_as(url, role)}&owner=ben") as store:
        assert found(store, any_of("otter")) == ["yours"]
        put(store, note("more", "otter", owner="ben"))
        assert store.stats().documents == 2
    with opened(f"{_as(url, role)}&owner=cleo") as store:  # nobody has heard of her yet
        store.apply(ChangeSet((Register(Source("s", "folder")),)))
        put(store, note("first", "otter", owner="cleo"))
        assert found(store, any_of("otter")) == ["first"]
    with opened(_as(url, role)) as store:
        assert store.stats().documents == 0


def test_a_store_that_is_opened_for_an_owner_is_theirs_alone(url: str) -> None:
    with opened(url) as whole:
        put(whole, note("a", "otter", owner="ana"), note("b", "otter", owner="ben"))
        embed_all(whole, {"a": unit(1), "b": unit(0, 1)})
    with opened(f"{url}&owner=ana") as store:
        assert found(store, any_of("otter")) == ["a"]
        assert found(store, any_of("otter"), Filter(owner="ben")) == []
        assert nearest(store, unit(0, 1)) == ["a"]
        assert [d.external for d in store.scan(Filter(), limit=9).items] == ["a"]
        assert (store.stats().documents, store.admin.models()) == (1, {MODEL: 1})
        assert store.get(note("b", owner="ben").id) == []
        store.apply(ChangeSet((Forget(note("b", owner="ben").id),)))
        with pytest.raises(UsageError, match="opened for 'ana'"):
            put(store, note("c", "otter", owner="ben"))
        before = store.fingerprint(Filter())
        with opened(url) as whole:
            assert len(whole.get("b")) == 1
            put(whole, note("c", "otter", owner="ben"))
        assert store.fingerprint(Filter()) == before


def test_who_opens_a_store_for_an_owner_asks_and_writes_as_that_owner(url: str) -> None:
    given = {"embed_model": "none", "telemetry": False}
    with Memory.open(f"{url}&owner=ana", **given) as ana:
        kept = ana.remember("Ana parks the van on level 3", name="van").fact
        assert kept.owner == ana.record("decision", "we rent").owner == "ana"
        assert [one.id for one in ana.facts().items] == [kept.id]
        assert ana.search("where is the van?").status == "direct_passages"
        with pytest.raises(UsageError, match="opened for 'ana'"):
            ana.remember("Ben walks", owner="ben")
    with Memory.open(f"{url}&owner=ben", **given) as ben:
        assert ben.facts().items == ben.facts(owner="ana").items == ()
        assert ben.search("where is the van?").status == "no_results"
        assert ben.search("where is the van?", owner="ana").status == "no_results"
        with pytest.raises(NotFound):
            ben.get(kept.id, owner="ana")
    with Memory.open(url, **given) as everybody:
        assert [one.id for one in everybody.facts(owner="ana").items] == [kept.id]
        assert everybody.facts().items == ()


# ------------------------------------------------------------------ the indexes


def test_much_that_is_new_is_indexed_by_whoever_searches(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_views, "TAIL", 20)
    with opened(url) as store:
        for batch in range(6):
            put(store, *(note(f"n{batch}.{i}", f"otter {batch}") for i in range(30)))
            total = store.search_text([any_of("otter")], Filter(), limit=1, count=True)[0].total
            assert total == 30 * (batch + 1)
        (view,) = store.views.by_owner.values()
        assert not view.tail
        assert len(view.parts) < 4  # the small ones are merged
        for i in range(30):
            store.apply(ChangeSet((Forget(note(f"n0.{i}").id), Forget(note(f"n1.{i}").id))))
        assert store.search_text([any_of("otter")], Filter(), limit=1, count=True)[0].total == 120
        store.admin.refresh()
        assert admin(f"SELECT COUNT(*) FROM {parse(url).schema}.gone") == [(0,)]
        assert store.search_text([any_of("otter")], Filter(), limit=1, count=True)[0].total == 120


def test_a_graph_is_built_beside_everything_and_again_when_torn(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "EXACT_ROWS", 50)
    noise = np.random.default_rng(1).normal(size=(120, 8)).astype("f4")
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    with opened(url) as store, opened(f"{url}&exact=yes") as exact:
        put(
            store,
            *(note(f"n{i}", f"text {i}", kind="rare" if i < 3 else "note") for i in range(120)),
        )
        embed_all(store, {f"n{i}": noise[i] for i in range(120)})
        store.admin.refresh()
        assert store.stats().indexes[f"vectors {MODEL}"]["graphs"] == 1
        for probe in noise[:20]:
            assert nearest(store, probe, limit=5) == nearest(exact, probe, limit=5)
        few = Filter(kinds=("rare",))
        assert set(nearest(store, noise[50], few, limit=5)) == {"n0", "n1", "n2"}
        admin(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid IN (SELECT oid FROM pg_class "
            f"WHERE relnamespace = '{parse(url).schema}'::regnamespace AND relname LIKE '%%_graph')"
        )
        assert store.stats().indexes[f"vectors {MODEL}"]["graphs"] == 0
        assert nearest(store, noise[7], limit=5) == nearest(exact, noise[7], limit=5)
        store.admin.refresh()
        assert store.stats().indexes[f"vectors {MODEL}"]["graphs"] == 1


def test_a_change_of_model_takes_nothing_away_until_the_new_vectors_are_there(url: str) -> None:
    with opened(url) as store:
        put(store, note("a", "one"), note("b", "two"))
        embed_all(store, {"a": unit(1), "b": unit(0, 1)})
        keys = [key for key, _ in store.pending("other@2", limit=9)]
        assert len(keys) == 2
        wide = np.eye(32, dtype="f4")[:2]
        assert store.put_vectors("other@2", keys[:1], wide[:1]) == 1
        assert store.admin.models() == {MODEL: 2, "other@2": 1}
        assert nearest(store, unit(1)) == ["a", "b"]
        assert store.put_vectors("other@2", keys, wide) == 1
        near = store.search_vector("other@2", wide[1], Filter(), limit=1).hits
        assert ids(store, [near[0].passage]) == ids(store, keys[1:])
        with pytest.raises(StoreError, match="dimensions"):
            store.put_vectors("other@2", keys, np.eye(8, dtype="f4")[:2])


# ------------------------------------------------------------------ the facade and the commands


def test_the_facade_and_the_commands_work_on_a_server(url: str, tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "kelp.md").write_text("# Kelp\n\nThe kelp forest is cut in May.\n")
    assert cli("add", str(tmp_path / "notes"), "--no-embed", "--store", url).code == 0
    answer = cli("search", "when is the kelp cut?", "--store", url, "--by", "keyword", "--json")
    assert answer.json["results"][0]["path"] == "kelp.md"
    again = cli("search", "when is the kelp cut?", "--store", url, "--by", "keyword", "--json")
    assert again.json["tier"] == 0  # what was found is kept on this machine
    assert cli("remember", "The pier is shut", "--name", "pier", "--store", url).code == 0
    assert cli("search", "pier", "--store", url, "--json").json["tier"] == 2
    status = cli("status", "--store", url, "--json").json
    assert status["engine"] == "postgres"
    assert cli("rebuild", "--store", url).code == 0
    assert cli("add", str(tmp_path / "notes"), "--no-embed", "--store", url).code == 0


@pytest.mark.parametrize("gone", ["true", "hashtext(term) % 2 = 0", "term = 'kelp'"])
def test_doctor_names_postings_that_are_missing(
    url: str, tmp_path: Path, cli: Cli, gone: str
) -> None:
    (tmp_path / "notes").mkdir()
    for name, text in (("kelp", "The kelp forest is cut in May."), ("pier", "It is shut.")):
        (tmp_path / "notes" / f"{name}.md").write_text(f"# About it\n\n{text}\n")
    asked = ("search", "kelp forest", "--store", url, "--by", "keyword", "--json")
    cli("add", str(tmp_path / "notes"), "--no-embed", "--store", url)
    cli("rebuild", "--store", url)
    assert "2 sampled passages are in it" in cli("doctor", "--store", url).out
    admin(f"DELETE FROM {parse(url).schema}.postings WHERE {gone}")
    cli(*asked)
    for full in ((), ("--full",)):
        told = cli("doctor", *full, "--store", url)
        assert told.code == 1
        assert "lack words in the postings" in " ".join(told.out.split())
        assert "recollect rebuild" in told.out
    assert cli("rebuild", "--store", url).code == 0
    assert cli("doctor", "--full", "--store", url).code == 0
    again = cli(*asked).json  # not what was found without them
    assert (again["tier"], again["results"][0]["path"]) == (3, "kelp.md")


def test_what_this_machine_keeps_of_it_is_for_its_user_alone(
    url: str, cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.umask(0o022)
    monkeypatch.setenv("RECOLLECT_CAPTURE", "true")
    assert cli("remember", "The pier is shut", "--name", "pier", "--store", url).code == 0
    assert cli("search", "pier", "--store", url).code == 0
    for path in (home, *home.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_what_is_in_no_segment_yet_is_counted(url: str) -> None:
    with opened(url) as store:
        put(store, note("a", "the otter sleeps", owner="ana"), note("b", "it swims", owner="ben"))
        assert store.stats().indexes["text"]["behind"] == 2
        store.admin.refresh()
        put(store, note("c", "and eats", owner="ben"))
        assert store.stats().indexes["text"]["behind"] == 1


def test_hybrid_search_answers_as_the_embedded_store_does(
    url: str, tmp_path: Path, memory: Memory, embedder: HashEmbedder
) -> None:
    texts = [
        "The otter swims in the kelp",
        "Boats are moored with rope",
        "Kelp grows fast",
        "The rope was cut",
        "An otter holds a stone",
    ]
    with Memory(open_store(url), memory.config, embedder) as remote:
        for one in (memory, remote):
            one.put([note(f"n{i}", text) for i, text in enumerate(texts)])
            one.models.embed()
        for question in ("otter kelp", "who cut the rope?", "moored boats", "stone"):
            mine, theirs = (m.search(question, cache=False) for m in (remote, memory))
            assert [r.id for r in mine.results] == [r.id for r in theirs.results]
            for a, b in zip(mine.results, theirs.results, strict=True):
                assert a.score == pytest.approx(b.score, rel=0.05)


# ------------------------------------------------------------------ what may be wrong


def test_a_server_that_is_not_there_is_told_at_once() -> None:
    with pytest.raises(StoreError, match="check that the server runs"):
        open_store("postgresql://127.0.0.1:1/nothing?connect_timeout=2")
    with pytest.raises(StoreError, match="CREATE DATABASE"):
        open_store(server_url().replace("/postgres?", "/nowhere?"))
    with pytest.raises(UsageError, match="postgresql://user@host/database"):
        open_store("mysql://host/database")
    with pytest.raises(UsageError, match="URL"):
        open_store(f"{server_url()}&colour=blue")


def test_a_store_of_a_newer_version_is_left_alone(url: str) -> None:
    where = parse(url).schema
    with opened(url) as store:
        put(store, note("a", "otter"))
    admin(f"UPDATE {where}.meta SET version = 99")
    with pytest.raises(StoreTooNew, match="upgrade recollect"):
        PostgresStore(parse(url))
    admin(f"UPDATE {where}.meta SET version = {len(schema.MIGRATIONS)}")
    with opened(url) as store:
        assert found(store, any_of("otter")) == ["a"]


def test_an_old_server_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "OLDEST", 990_000)
    with pytest.raises(StoreError, match="needs PostgreSQL 99 or newer"):
        PostgresStore(parse(url))
    assert admin(f"SELECT to_regnamespace('{parse(url).schema}')") == [(None,)]


@pytest.mark.parametrize("partitions", [0, 2])
def test_vectors_of_an_old_store_stay_and_new_ones_have_signs(partitions: int) -> None:
    url = store_url(partitions=partitions)
    where = parse(url).schema
    try:
        with opened(url) as store:
            put(store, note("a", "otter"))
            embed_all(store, {"a": unit(1)})
            store.put_vectors("other@1", pending_keys(store, "other@1", 9), unit(1)[None])
        for table in ("vectors_1", "vectors_2"):
            admin(f"ALTER TABLE {where}.{table} DROP COLUMN sentences")
        admin(f"UPDATE {where}.meta SET version = 2")
        with opened(url) as store:
            assert nearest(store, unit(1)) == ["a"]
            put(store, note("b", "kelp"))
            (new,) = pending_keys(store, MODEL, 9)
            old = store.search_vector(MODEL, unit(1), Filter(), limit=9).hits[0].passage
            store.put_vectors(MODEL, [new], np.array([unit(0, 1)]), [b"\x01" * 32])
            assert store.sentences(MODEL, [old, new]) == {new: b"\x01" * 32}
            assert store.admin.check(full=True).findings == ()
    finally:
        drop(url)


def test_a_migration_that_fails_leaves_everything_as_it_was(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: object) -> Iterator[str]:
        yield "CREATE TABLE half (x integer)"
        yield "CREATE TABLE half (x integer)"

    with opened(url) as store:
        put(store, note("a", "otter"))
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, fails))
    with pytest.raises(StoreError, match="half"):
        PostgresStore(parse(url))
    monkeypatch.undo()
    with opened(url) as store:
        assert found(store, any_of("otter")) == ["a"]
    assert admin(f"SELECT to_regclass('{parse(url).schema}.half')") == [(None,)]


def test_who_may_not_make_the_tables_is_told_what_to_run(url: str) -> None:
    name, database = f"poor_{os.getpid()}", f"bare_{os.getpid()}"
    admin(f"CREATE ROLE {name} LOGIN")
    admin(f"CREATE DATABASE {database}")
    try:
        bare = _as(url, name).replace("/postgres?", f"/{database}?")
        with pytest.raises(StoreError, match="CREATE EXTENSION vector"):
            PostgresStore(parse(bare))
        with pytest.raises(StoreError, match="GRANT CREATE ON DATABASE"):
            PostgresStore(parse(_as(url, name)))
        with opened(url) as store:
            put(store, note("a", "otter"))
        with pytest.raises(StoreError, match="GRANT"):
            PostgresStore(parse(_as(url, name)))
    finally:
        admin(f"DROP DATABASE {database}")
        admin(f"DROP ROLE {name}")


def test_a_full_disk_loses_nothing_that_was_stored(url: str) -> None:
    place = Path(tempfile.mkdtemp(prefix="recollect-tiny-"))
    place.chmod(0o755)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=6m,mode=777", "tmpfs", str(place)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        place.rmdir()
        pytest.skip("a disk to be filled cannot be mounted here")
    name = f"tiny_{os.getpid()}"
    try:
        try:
            (data,) = admin("SHOW data_directory")[0]
            shutil.chown(place, Path(data).owner())
            admin(f"CREATE TABLESPACE {name} LOCATION '{place}'")
        except (psycopg.Error, LookupError) as error:
            pytest.skip(f"the server cannot use it: {error}")
        small = f"{url}&options=-c%20default_tablespace%3D{name}"
        with opened(small) as store:
            put(store, note("kept", "otter"))
            big = [note(f"n{i}", f"word{i} " + os.urandom(60_000).hex()) for i in range(25)]
            with pytest.raises(StoreError, match="disk is full"):
                put(store, *big)
            assert found(store, any_of("otter")) == ["kept"]
            assert store.stats().documents == 1
    finally:
        drop(url)
        admin(f"DROP TABLESPACE IF EXISTS {name}")
        subprocess.run(["umount", str(place)], check=False)
        place.rmdir()


def test_half_a_character_is_refused(url: str) -> None:
    with opened(url) as store:
        document = note("a", "x \ud800 y")
        from recollect.text.chunk import passages

        with pytest.raises(UsageError, match="half a character"):
            store.apply(ChangeSet((Put(document, passages(document)),)))
        assert store.stats().documents == 0
