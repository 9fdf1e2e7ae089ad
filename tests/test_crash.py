"""Processes killed in their work, power that fails, eight processes on one store: the short forms
of ``bench.crash`` and ``bench.together``, and what the long forms have found."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from bench import crash, servers, together
from bench.full_check import Fault, full_check

from postgres_server import server_url
from recollect.storage.embedded.backup import back_up
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.storage.embedded.text_index import Position, TextIndex
from recollect.testing.builders import any_of, found, note, put

ROOT = Path(__file__).resolve().parents[1]

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="reads /proc")


def _bench(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, cwd=ROOT, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(ROOT)])},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@needs_fork
def test_nothing_is_lost_or_torn_when_processes_are_killed_and_power_fails() -> None:
    names = (
        "import curate embed commit rebuild backup restore migrate facts undo answers "
        "migrate-store export import-all repair tree config install record index".split()
    )
    said = _bench("bench.crash", "--times", "40", "--seed", "3", "--of", ",".join(names))
    assert [line.split()[:2] for line in said.splitlines()] == [["ok", name] for name in names]


@needs_fork
def test_nothing_is_lost_on_a_server_when_those_that_write_are_killed() -> None:
    server_url()
    said = _bench("bench.crash", "--times", "4", "--of", "embed@postgres,commit@postgres")
    assert [line.split()[:4] for line in said.splitlines()] == [
        ["ok", "embed@postgres", "2", "killed"],
        ["ok", "commit@postgres", "2", "killed"],
    ]


@needs_fork
@pytest.mark.parametrize(
    ("main", "given"),
    [
        (crash.main, ["--times", "1", "--of", "commit@postgres"]),
        (together.main, ["--engines", "postgres"]),
    ],
)
def test_where_no_server_can_be_started_it_is_said(
    main: Callable[[], int], given: list[str], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    def start(_: object) -> servers.Server:
        raise servers.NoServer("none is installed")

    monkeypatch.setattr(servers, "start", start)
    monkeypatch.setenv("RECOLLECT_TELEMETRY", "false")
    monkeypatch.setattr(sys, "argv", ["bench", *given])
    main()
    assert re.search("skip .*postgres.*none is installed", capsys.readouterr().out)


@needs_fork
@needs_proc
def test_eight_processes_share_a_store_though_some_are_stopped_and_killed() -> None:
    said = _bench("bench.together", "--minutes", "0.12", "--engines", "embedded")
    assert said.rstrip().endswith("0 faults")


@needs_fork
@needs_proc
def test_eight_processes_share_a_store_on_a_server() -> None:
    server_url()
    said = _bench("bench.together", "--minutes", "0.2", "--engines", "postgres")
    assert said.rstrip().endswith("0 faults")


# ------------------------------------------------------------------ the full check


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    store = EmbeddedStore(tmp_path / "store")
    put(store, *(note(f"n{i}", f"otter number{i}", meta={"n": i}) for i in range(20)))
    store.admin.refresh()
    store.close()
    return tmp_path / "store"


def _spoil(folder: Path, *statements: str) -> list[Fault]:
    import sqlite3

    db = sqlite3.connect(folder / "record.db")
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()
    return full_check(folder)


def test_a_store_that_is_whole_has_no_faults(filled: Path) -> None:
    assert full_check(filled) == []


@pytest.mark.parametrize(
    ("statement", "part", "told"),
    [
        ("DELETE FROM documents WHERE external = 'n3'", "record", "1 passages of no document"),
        ("UPDATE passages SET text = 'kelp' WHERE n = 0", "record", "not as they were written"),
        ("UPDATE documents SET title = 'Other' WHERE external = 'n3'", "record", "1 documents are"),
        ("UPDATE state SET passages = 3", "record", "should be 3"),
        ("INSERT INTO handles VALUES ('x', 999)", "record", "1 handles of no document"),
        ("INSERT INTO tombstones SELECT id, 0 FROM documents LIMIT 1", "record", "forgotten"),
        ("UPDATE state SET seq = 1", "record", "beyond the last change"),
        ("UPDATE state SET epoch = 'another'", "text", "another history"),
        ("UPDATE documents SET kind = 999 WHERE external = 'n3'", "record", "label that is gone"),
    ],
)
def test_the_full_check_finds(filled: Path, statement: str, part: str, told: str) -> None:
    faults = _spoil(filled, statement)
    assert any(fault.part == part and told in fault.what for fault in faults), faults


def test_the_full_check_finds_what_an_index_lacks_or_has_too_much(filled: Path) -> None:
    (folder,) = filled.glob("text-*")
    index = TextIndex(folder)
    position = index.reload().position
    assert position is not None
    index.write([], [index.reload().places()[0] & 0xFFFFFFFF], position)
    (fault, *_) = full_check(filled)
    assert fault.part == "text"
    store = EmbeddedStore(filled)
    store.admin.refresh(rebuild=True)
    store.close()
    assert full_check(filled) == []


# ------------------------------------------------------------------ what was found

KILLED_BEFORE_ITS_MERGE = """
import os, signal, sys
from pathlib import Path
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.testing.builders import note, put
from recollect.nouns import ChangeSet, Forget
store = EmbeddedStore(Path(sys.argv[1]))
for i in range(7):
    put(store, *(note(f"{letter}{i}", f"otter {letter}{i}") for letter in "abc"))
    if i == 6:
        store.apply(ChangeSet((Forget(note("a5").id),)))
        def kill(frame, event, called):
            if event == "c_return" and called.__name__ == "commit":
                os.kill(os.getpid(), signal.SIGKILL)
        sys.setprofile(kill)
    store.admin.refresh()
"""


def _segments(store: Path) -> int:
    (index,) = store.glob("text-*")
    return len(json.loads((index / "meta.json").read_text())["segments"])


def test_a_deletion_is_not_lost_when_the_merge_before_it_was_killed(tmp_path: Path) -> None:
    """tantivy loses the first deletion of a writer that starts with a merge overdue, in the
    segment that the last commit has changed."""
    store = tmp_path / "store"
    first = EmbeddedStore(store)
    put(first, note("a", "otter"))
    first.admin.refresh()
    first.close()
    done = subprocess.run([sys.executable, "-c", KILLED_BEFORE_ITS_MERGE, str(store)], check=False)
    assert done.returncode == -signal.SIGKILL
    opened = EmbeddedStore(store)
    if _segments(store) < 8:
        pytest.skip("the merge was quicker than the kill")
    from recollect.nouns import ChangeSet, Forget

    opened.apply(ChangeSet((Forget(note("b5").id),)))
    opened.admin.refresh()
    assert full_check(store) == []
    assert "b5" not in found(opened, any_of("otter"))
    opened.close()


def test_a_torn_segment_of_vectors_is_replaced(
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
    (about,) = (tmp_path / "store" / "vectors").rglob("segment.json")
    about.write_text("null")
    assert full_check(tmp_path / "store")[0].what.startswith("a segment is torn")
    store = EmbeddedStore(tmp_path / "store")
    assert nearest(store, unit(1, 3)) == before
    assert full_check(tmp_path / "store") == []  # the search has had it written anew
    assert nearest(store, unit(1, 3)) == before
    store.close()


def test_connections_of_threads_that_have_ended_are_closed(filled: Path) -> None:
    """Each curation has threads of its own: a server kept two files open for every one of them."""
    from threading import Thread

    store = EmbeddedStore(filled)

    def files() -> int:
        return len(list(Path("/proc/self/fd").iterdir())) if Path("/proc").exists() else 0

    before = 0
    for turn in range(30):
        thread = Thread(target=lambda: store.get("n3"))
        thread.start()
        thread.join()
        before = files() if turn == 3 else before
    assert files() <= before + 4
    assert store.get("n3")
    store.close()


def test_an_index_that_says_more_than_the_record_is_of_another_history(filled: Path) -> None:
    (folder,) = filled.glob("text-*")
    index = TextIndex(folder)
    position = index.reload().position
    assert position is not None
    index.write([], [], Position(position.epoch, position.seq + 100))
    assert "another history" in full_check(filled)[0].what


KILLED_IN_A_RESTORE = """
import os, signal, sys
from recollect.transfer.backup import restore_store
from recollect.storage.embedded import swap
left = int(sys.argv[3])
def kill(frame, event, called):
    global left
    ours = frame.f_code.co_filename == swap.__file__
    if ours and event == "c_call" and called.__name__ == "replace":
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.setprofile(kill)
restore_store(sys.argv[1], sys.argv[2], force=True)
"""


@pytest.mark.parametrize("moves", [0, 1])
def test_whoever_is_killed_while_a_store_is_put_in_place_leaves_one_there(
    filled: Path, moves: int
) -> None:
    """It was first moved aside, and for a moment there was none."""
    backup = filled.parent / "kept.tar"
    back_up(filled, backup, force=False, tell=lambda *_: None)
    done = subprocess.run(
        [sys.executable, "-c", KILLED_IN_A_RESTORE, str(backup), str(filled), str(moves)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, check=False,
    )  # fmt: skip
    assert done.returncode in (0, -signal.SIGKILL)
    for store in (filled, *filled.parent.glob("store.before-restore-*")):
        assert full_check(store) == []
        opened = EmbeddedStore(store)
        assert opened.get("n3")
        opened.close()
