"""Following sources: what changes on disk is found soon after, until it is told to stop."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from conftest import Cli
from recollect import Memory
from recollect.errors import NotFound, StoreBusy
from recollect.importing.watcher import WatchedPlace, watch
from recollect.nouns import Receipt

PATIENCE = 20.0
"""Seconds after which a slow machine is a failure after all."""


@pytest.fixture
def mem(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store", embed_model="none", rerank_model="none") as opened:
        yield opened


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    (folder / "sub").mkdir(parents=True)
    (folder / "alpha.md").write_text("The heron stands in the water.\n")
    (folder / "sub" / "beta.md").write_text("The otter swims below.\n")
    return folder


def log(path: Path, *said: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    records = (
        {"type": "user", "uuid": f"{path.stem}-{text}", "sessionId": path.stem,
         "message": {"role": "user", "content": text}}
        for text in said
    )  # fmt: skip
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


class Followed:
    """What a watch that runs has told so far."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.told: list[tuple[str, Receipt]] = []

    def finds(self, word: str) -> bool:
        return bool(self.memory.search(word, by="keyword").results)


@contextmanager
def following(memory: Memory, *sources: str) -> Iterator[Followed]:
    stop, begun, failures = Event(), Event(), list[BaseException]()
    seen = Followed(memory)
    names: list[Sequence[str]] = []

    def run() -> None:
        try:
            names.append(memory.watch(
                *sources, tell=lambda *told: seen.told.append(told), stop=stop,
                begun=lambda _: begun.set(),
            ))  # fmt: skip
        except BaseException as error:  # noqa: BLE001  told to the test
            failures.append(error)

    thread = Thread(target=run)
    thread.start()
    try:
        assert begun.wait(PATIENCE)
        yield seen
    finally:
        stop.set()
        thread.join(PATIENCE)
    assert not failures
    assert not thread.is_alive()
    assert names


def until(holds: Callable[[], Any]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(0.05)


def test_a_changed_and_a_new_file_are_found_soon_after(mem: Memory, vault: Path) -> None:
    mem.add(vault)
    with following(mem) as seen:
        (vault / "alpha.md").write_text("The heron has flown to the estuary.\n")
        until(lambda: seen.finds("estuary"))
        (vault / "new.md").write_text("The plover runs.\n")
        until(lambda: seen.finds("plover"))
    assert len(mem.list().items) == 3
    assert {name for name, _ in seen.told} == {"vault"}
    assert sum(receipt.added for _, receipt in seen.told) == 1
    assert sum(receipt.changed for _, receipt in seen.told) == 1


def test_what_changed_while_nobody_watched_is_imported_first(mem: Memory, vault: Path) -> None:
    mem.add(vault)
    (vault / "new.md").write_text("The plover runs.\n")
    with following(mem) as seen:
        until(lambda: seen.finds("plover"))


def test_a_log_is_followed_as_it_grows_and_when_another_takes_its_place(
    mem: Memory, tmp_path: Path
) -> None:
    file = log(tmp_path / "logs" / "first.jsonl", "Where is the heron?")
    mem.add(file.parent)
    with following(mem, "logs") as seen:
        with open(file, "a") as stream:
            stream.write(log(tmp_path / "more" / "first.jsonl", "By the weir?").read_text())
        until(lambda: seen.finds("weir"))
        begun = file.parent / "second.jsonl"
        begun.write_text("")
        time.sleep(0.1)
        os.replace(log(tmp_path / "more" / "second.jsonl", "Any otters?"), begun)
        until(lambda: seen.finds("otters"))
        os.replace(log(tmp_path / "more" / "second.jsonl", "Only badgers?"), begun)
        until(lambda: seen.finds("badgers"))
    assert {d.kind for d in mem.list().items} == {"session"}
    assert {d.external for d in mem.list().items} == {"first", "second"}


def test_a_file_of_lines_is_followed(mem: Memory, tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text('{"id": "one", "text": "The heron."}\n')
    mem.add(file)
    with following(mem) as seen:
        file.write_text('{"id": "two", "text": "The otter."}\n')
        until(lambda: seen.finds("otter"))
        until(lambda: seen.told)
    assert seen.finds("heron")
    assert [p.where for _, receipt in seen.told for p in receipt.missing] == ["one"]


def test_a_deleted_file_is_told_and_stays(mem: Memory, vault: Path) -> None:
    mem.add(vault)
    with following(mem) as seen:
        (vault / "alpha.md").unlink()
        until(lambda: any(receipt.missing for _, receipt in seen.told))
        assert seen.finds("heron")
        (vault / "sub" / "beta.md").unlink()
        (vault / "sub").rmdir()
        vault.rmdir()
        until(lambda: any(len(receipt.missing) == 2 for _, receipt in seen.told))
    assert len(mem.list().items) == 2


@pytest.fixture
def commit(vault: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Commits to the vault, which is a repository."""
    who = ["-c", "user.name=Mara Lind", "-c", "user.email=mara@example.org"]
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    subprocess.run(["git", "init", "-q", str(vault)], check=True)

    def make(message: str) -> None:
        done = ["commit", "-q", "--allow-empty", "-m", message]
        subprocess.run(["git", "-C", str(vault), *who, *done], check=True)

    return make


def test_a_new_commit_is_followed(mem: Memory, vault: Path, commit: Callable[[str], None]) -> None:
    commit("Begin with herons")
    mem.add(vault)
    with following(mem) as seen:
        commit("Then came the badgers")
        until(lambda: seen.finds("badgers"))


def test_secrets_and_history_are_followed_as_they_were_added(
    mem: Memory, vault: Path, commit: Callable[[str], None]
) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    commit("Begin with herons")
    mem.add(vault, redact=False, history=False)
    with following(mem) as seen:
        commit("Then came the badgers")
        (vault / "new.md").write_text(f"The plover has {token}.\n")
        until(lambda: seen.finds("plover"))
    assert token in mem.get("new.md").text
    assert not mem.list(kinds=["audit"]).items
    assert sum(receipt.redacted.total() + receipt.changed for _, receipt in seen.told) == 0


def test_what_is_said_of_secrets_last_holds(mem: Memory, vault: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    mem.add(vault / "sub", redact=False)
    mem.add(vault)
    with following(mem) as seen:
        (vault / "sub" / "new.md").write_text(f"The plover has {token}.\n")
        until(lambda: seen.finds("plover"))
    assert token not in mem.get("new.md").text


def test_every_place_of_a_named_source_is_followed(
    mem: Memory, vault: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "alpha.md").write_text("The bittern booms.\n")
    lines = tmp_path / "r.jsonl"
    lines.write_text('{"id": "one", "text": "The grebe dives."}\n')
    mem.add(vault, other, lines, source="birds")
    with following(mem, "birds") as seen:
        (other / "new.md").write_text("The plover runs.\n")
        until(lambda: seen.finds("plover"))
        lines.write_text('{"id": "one", "text": "The grebe sleeps."}\n')
        until(lambda: seen.finds("sleeps"))
        (vault / "new.md").write_text("The curlew calls.\n")
        until(lambda: seen.finds("curlew"))
    assert {d.source for d in mem.list().items} == {"birds"}
    assert len(mem.list().items) == 6
    assert not any(receipt.missing for _, receipt in seen.told)


def test_a_watch_leaves_owner_scopes_and_other_sources_as_they_are(
    mem: Memory, vault: Path, tmp_path: Path
) -> None:
    (vault / "r.jsonl").write_text('{"id": "one", "text": "The grebe dives."}\n')
    mem.add(vault / "sub", owner="ana", scopes=["work"])
    mem.add(vault, owner="ana", scopes=["work"])
    before = {d.id: (d.source, d.owner, d.scopes) for d in mem.list().items}
    with following(mem, "vault") as seen:
        (vault / "sub" / "new.md").write_text("The plover runs.\n")
        until(lambda: seen.finds("plover"))
    after = {d.id: (d.source, d.owner, d.scopes) for d in mem.list().items}
    (new,) = after.keys() - before.keys()
    assert after[new] == ("sub", "ana", ("work",))
    assert {id: after[id] for id in before} == before


def test_only_the_sources_that_were_named_are_followed(
    mem: Memory, vault: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("The bittern booms.\n")
    mem.add(vault, other)
    with following(mem, "other") as seen:
        (vault / "new.md").write_text("The plover runs.\n")
        (other / "new.md").write_text("The curlew calls.\n")
        until(lambda: seen.finds("curlew"))
    assert not seen.finds("plover")


def test_an_unknown_source_is_refused_with_those_that_are_known(mem: Memory, vault: Path) -> None:
    mem.add(vault)
    mem.record("discussion", "Records are no files.")
    for name in ("nothing", "records"):
        with pytest.raises(NotFound) as raised:
            mem.watch(name)
        assert "vault" in raised.value.hint


def test_a_watch_of_nothing_says_so(cli: Cli) -> None:
    done = cli("watch")
    assert done.code == 3
    assert "nothing to watch" in done.err
    assert cli("watch", "notes").code == 3


def test_a_watch_that_has_been_stopped_imports_nothing(mem: Memory, vault: Path) -> None:
    mem.add(vault)
    (vault / "new.md").write_text("The plover runs.\n")
    stop = Event()
    stop.set()
    assert mem.watch(stop=stop) == ["vault"]
    assert len(mem.list().items) == 2


def test_a_busy_store_is_tried_again(vault: Path) -> None:
    stop, tries = Event(), list[Path]()

    def add(one: WatchedPlace) -> Receipt:
        tries.append(one.place)
        if len(tries) == 1:
            raise StoreBusy("another import is running")
        stop.set()
        return Receipt(added=1)

    told: list[Receipt] = []
    watch([WatchedPlace("vault", vault)], add, lambda _, done: told.append(done), stop, every=0.01)
    assert (tries, told) == ([vault, vault], [Receipt(added=1)])


def test_the_journal_of_a_database_counts_as_a_change(tmp_path: Path) -> None:
    database = tmp_path / "state.db"
    database.write_bytes(b"x")
    stop, adds = Event(), list[Path]()

    def add(one: WatchedPlace) -> Receipt:
        adds.append(one.place)
        if len(adds) == 1:
            (tmp_path / "state.db-wal").write_bytes(b"more")
        else:
            stop.set()
        return Receipt()

    patience = threading.Timer(PATIENCE, stop.set)
    patience.start()
    watch([WatchedPlace("hermes", database)], add, lambda *_: None, stop, every=0.01)
    patience.cancel()
    assert len(adds) == 2
