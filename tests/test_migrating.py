"""One store into another: everything, both ways, through kills, and only where it does no harm."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli
from postgres_server import drop, store_url
from recollect import Memory
from recollect.errors import NotFound, StoreError, UsageError
from recollect.facts import Fact
from recollect.memory import migrate_store
from recollect.nouns import ChangeSet, Forget, Recorded
from recollect.ports import Store
from recollect.storage import beside, open_ledger, open_store
from recollect.telemetry import Tally
from recollect.testing.builders import note, put
from recollect.testing.moving import fill, items
from recollect.transfer.migrate import NOTE

MANY = 1_800


@pytest.fixture
def url() -> Iterator[str]:
    made = store_url()
    yield made
    drop(made)


@pytest.fixture
def full(tmp_path: Path) -> str:
    """A store with a little of everything: its folder."""
    place = str(tmp_path / "full")
    with Memory.open(place, embed_model="none", rerank_model="none") as memory:
        fill(memory.store)
        memory.remember("We deploy on Fridays", name="deploy day", aliases=["release day"])
        memory.remember("We deploy on Mondays", name="deploy day")
        asked = memory.search("who?")
        memory.record_answer("who?", "Otto.", asked.fingerprint, sources=["a.md"])
    return place


def everything(location: str) -> list[Any]:
    """All of a store; answers without the state that they hold for, which is the store's own."""
    store = open_store(location)
    try:
        assert store.admin.check(full=True).findings == ()
        return [
            item._replace(fingerprint=item.fingerprint[:16]) if isinstance(item, Recorded) else item
            for item in items(store)
        ]
    finally:
        store.close()


def _facts(memory: Memory) -> tuple[Fact, ...]:
    return memory.facts(every=True).items


def changed(location: str, work: Any) -> None:
    store: Store = open_store(location)
    work(store)
    store.close()


# ------------------------------------------------------------------ there and back


def test_a_store_goes_to_a_server_and_back(full: str, url: str, tmp_path: Path) -> None:
    back = str(tmp_path / "back")
    with Memory.open(full, embed_model="none", rerank_model="none") as memory:
        wanted = _facts(memory)
        assert len(wanted) == 2
    there = migrate_store(full, url)
    again = migrate_store(url, back)
    assert everything(full) == everything(url) == everything(back)
    assert there.counts == again.counts
    assert there.counts["documents"] == there.loaded.documents > 5
    assert there.counts["tombstones"] == 1
    assert there.counts["histories"] > 5
    assert there.loaded.vectors == 3
    assert not there.resumed
    assert not (beside(url) / NOTE).exists()
    with Memory.open(back, embed_model="none", rerank_model="none") as memory:
        assert _facts(memory) == wanted
        assert memory.put([note("gone", "secret")]).tombstoned == 1


def test_an_answer_that_held_still_holds(full: str, url: str) -> None:
    with Memory.open(full, embed_model="none", rerank_model="none") as memory:
        asked = memory.search("when is deploy day?")
        memory.record_answer("when is deploy day?", "On Mondays.", asked.fingerprint)
        before = memory.search("when is deploy day?").answer
    migrate_store(full, url)
    with Memory.open(url, embed_model="none", rerank_model="none") as memory:
        after = memory.search("when is deploy day?").answer
    assert before is not None
    assert after is not None
    assert after._replace(fingerprint="") == before._replace(fingerprint="")


def test_the_figures_of_use_come_along_once(full: str, tmp_path: Path) -> None:
    days = [Tally("2026-03-01", "balanced", "lookup", Counter(searches=3, hits=2)),
            Tally("2026-03-02", "balanced", "lookup", Counter(searches=1))]  # fmt: skip
    ledger = open_ledger(full)
    ledger.clear()
    ledger.add(days)
    ledger.close()
    to = str(tmp_path / "to")
    before = open_ledger(to)  # as a run that was cut off after the figures has left it
    (tmp_path / "to").mkdir()
    migrate_store(full, to)
    assert open_ledger(to).rows("") == days
    before.close()


def test_owners_move_one_by_one(url: str) -> None:
    other = store_url()
    try:
        changed(url, lambda store: put(store, note("a", "one", owner="ana"),
                                       note("b", "two", owner="ben")))  # fmt: skip
        for owner in ("ana", "ben"):
            moved = migrate_store(f"{url}&owner={owner}", f"{other}&owner={owner}")
            assert moved.counts["documents"] == 1
            assert everything(f"{url}&owner={owner}") == everything(f"{other}&owner={owner}")
        assert migrate_store(url, other, merge=True).loaded.documents == 0
    finally:
        drop(other)


# ------------------------------------------------------------------ cut off


def _start(source: str, to: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "recollect", "migrate-store", source, to, "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def _killed(source: str, to: str) -> bool:
    """Whether a run was killed in its middle: as soon as it had noted how far it was."""
    file = beside(to) / NOTE
    before = file.read_text() if file.exists() else ""
    process = _start(source, to)
    while process.poll() is None:
        try:
            now = file.read_text()
        except OSError:
            now = ""
        if now != before and '"cursor": ""' not in now:
            process.send_signal(signal.SIGKILL)
        time.sleep(0.002)
    process.communicate()
    return process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("way", ["to the server", "from the server"])
def test_killed_again_and_again_it_ends_with_the_same_store(
    full: str, url: str, tmp_path: Path, way: str
) -> None:
    changed(full, lambda store: put(store, *(note(f"n{n}", f"word {n}") for n in range(MANY))))
    source, to = full, url
    if way == "from the server":
        migrate_store(full, url)
        source, to = url, str(tmp_path / "to")
    kills = sum(_killed(source, to) for _ in range(3))
    assert kills >= 2
    process = _start(source, to)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    done = json.loads(out)
    assert done["resumed"]
    assert done["loaded"]["documents"] < MANY  # the others were there
    assert done["same"]["documents"] > MANY
    assert everything(source) == everything(to)


def test_what_changed_while_it_was_cut_off_is_copied_too(full: str, tmp_path: Path) -> None:
    changed(full, lambda store: put(store, *(note(f"n{n}", f"word {n}") for n in range(MANY))))
    to = str(tmp_path / "to")
    assert _killed(full, to)

    def work(store: Store) -> None:
        put(store, note("n1", "another word"), note("new", "fresh"))
        store.apply(ChangeSet((Forget(note("n2").id),)))

    changed(full, work)
    assert migrate_store(full, to).resumed
    assert everything(full) == everything(to)


def test_a_copy_that_is_not_the_same_is_told_and_mended(
    full: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody writes to the target in the middle of it."""
    to = str(tmp_path / "to")

    def meddle(progress: Any) -> None:
        if progress.doing == "comparing" and not os.environ.get("MEDDLED"):
            monkeypatch.setenv("MEDDLED", "1")
            changed(to, lambda store: put(store, note("edited", "by somebody else")))

    with pytest.raises(StoreError, match="document .* differs") as caught:
        migrate_store(full, to, report=meddle)
    assert "run it again" in (caught.value.hint or "")
    with pytest.raises(StoreError, match="history"):  # what was done there stays in its history
        migrate_store(full, to)
    store = open_store(to)
    assert [d.text for d in store.get("edited")] == ["after"]
    store.close()


# ------------------------------------------------------------------ refused


def test_a_target_that_is_in_use_is_refused_unless_it_is_told(full: str, url: str) -> None:
    changed(url, lambda store: put(store, note("edited", "theirs"), note("mine", "here")))
    with pytest.raises(UsageError, match="in use: 2 documents"):
        migrate_store(full, url)
    done = migrate_store(full, url, merge=True)
    assert done.loaded.different == 1
    assert done.counts["documents"] == done.loaded.documents
    store = open_store(url)
    assert [d.text for d in store.get("edited")] == ["theirs"]
    assert store.get("mine")
    assert store.get("a.md")
    store.close()
    assert migrate_store(full, url, merge=True).loaded.documents == 0


def test_a_target_that_was_begun_from_another_store_is_refused(full: str, tmp_path: Path) -> None:
    to, other = str(tmp_path / "to"), str(tmp_path / "other")
    changed(full, lambda store: put(store, *(note(f"n{n}", f"word {n}") for n in range(MANY))))
    changed(other, lambda store: put(store, note("x", "y")))
    assert _killed(full, to)
    with pytest.raises(UsageError, match="holds a part of"):
        migrate_store(other, to)


def test_what_cannot_be_meant_is_refused_and_nothing_is_made(
    full: str, url: str, tmp_path: Path
) -> None:
    nowhere, notes = tmp_path / "nowhere", tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("a")
    for source, to, error, said in (
        (full, full, UsageError, "the same store"),
        (str(nowhere), url, NotFound, "no store at"),
        (url, str(nowhere), NotFound, "no store at"),
        (full, str(notes), UsageError, "is no store"),
        (full, "memory://", UsageError, "lasts as long"),
        (full, "mysql://x/y", UsageError, "not a kind of store"),
        ("", url, UsageError, "empty"),
    ):
        with pytest.raises(error, match=said):
            migrate_store(source, to)
    assert not nowhere.exists()
    assert sorted(os.listdir(notes)) == ["a.md"]


def test_one_store_under_two_names_is_refused(full: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(full)
    with pytest.raises(UsageError, match="the same store"):
        migrate_store(full, tmp_path / "link")


# ------------------------------------------------------------------ as a command


def test_the_command_says_what_it_did(full: str, tmp_path: Path, cli: Cli) -> None:
    done = cli("migrate-store", full, str(tmp_path / "to"))
    assert done.code == 0
    assert "the same in both: 3 sources, 6 documents, 1 tombstones" in done.out
    assert f"recollect config set store {tmp_path / 'to'}" in done.out
    again = cli("migrate-store", full, str(tmp_path / "to"))
    assert again.code == 2
    assert "--merge" in again.err
    merged = cli("migrate-store", full, str(tmp_path / "to"), "--merge", "--json")
    assert merged.json["loaded"]["unchanged"] == merged.json["same"]["documents"] > 5
    assert cli("migrate-store", full, "x", "--store", "y").code == 2
