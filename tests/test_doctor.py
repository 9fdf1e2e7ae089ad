"""The doctor: what is well is ok, what is not is told once, with the command that mends it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from conftest import Cli, HashEmbedder
from damage import pages, replace, scribble
from recollect import Memory, config
from recollect.doctor import CHECKS, Check, Client, LastEvaluation, examine
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.testing.builders import note, put


def checks(memory: Memory, **given: object) -> dict[str, Check]:
    return {check.name: check for check in examine(memory, **given).checks}  # type: ignore[arg-type]


@pytest.fixture
def well(tmp_path: Path, home: Path) -> Path:
    with Memory.open(embed_model="none") as memory:
        texts = [f"otter number{i} and some " + f"word{i} " * 40 for i in range(60)]
        memory.put([note(f"n{i}", text) for i, text in enumerate(texts)])
        memory.admin.rebuild()
    return home / "data" / "store"


@pytest.fixture(autouse=True)
def without_models(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nor what the user of this machine has installed."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CODEX_HOME", "CLAUDE_CONFIG_DIR", "COPILOT_HOME", "HERMES_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "none")
    monkeypatch.setenv("RECOLLECT_RERANK_MODEL", "none")


def test_all_is_well(well: Path, cli: Cli) -> None:
    for more in ([], ["--full"], ["--fix"]):
        done = cli("doctor", "--json", *more)
        assert (done.code, done.json["state"]) == (0, "ok")
        states = {check["check"]: check["state"] for check in done.json["checks"]}
        assert set(states) == set(CHECKS)
        assert set(states.values()) == {"ok", "skip"}
        assert not any(check["fixed"] for check in done.json["checks"])


def test_the_report_fits_a_terminal(well: Path, cli: Cli) -> None:
    os.chmod(well / "record.db", 0o644)
    done = cli("doctor")
    lines = done.out.splitlines()
    assert all(len(line) <= 80 for line in lines if "→" not in line and "/" not in line)
    assert [line[6:17].strip() for line in lines if line[:1] not in (" ", "")][:-1] == list(CHECKS)
    assert lines[-1].startswith("1")


def test_it_examines_a_store_in_memory() -> None:
    with Memory.open("memory://") as memory:
        memory.put([note("a", "otter")])
        assert examine(memory, full=True).state == "ok"


# ------------------------------------------------------------------ the store


def test_a_damaged_page_fails_once(well: Path, cli: Cli) -> None:
    scribble(well, pages(well, "passages")[1])
    done = cli("doctor", "--json")
    assert (done.code, done.json["counts"]["fail"]) == (1, 1)
    (failed,) = [check for check in done.json["checks"] if check["state"] == "fail"]
    assert failed["check"] == "store"
    assert "recollect repair" in failed["mend"]


def test_a_store_that_cannot_be_opened_is_told_and_the_rest_is_looked_at(
    well: Path, cli: Cli
) -> None:
    (well / "record.db").write_bytes(b"no database" * 1000)
    done = cli("doctor", "--json")
    states = {check["check"]: check["state"] for check in done.json["checks"]}
    assert (done.code, states["store"], states["vectors"]) == (1, "fail", "skip")
    assert (states["settings"], states["disk"], states["permissions"]) == ("ok", "ok", "ok")


def test_a_changed_letter_is_found_by_a_full_look(well: Path, cli: Cli) -> None:
    replace(well, b"number42 and some", b"number42 and same")
    done = cli("doctor", "--full")
    assert done.code == 1
    assert "is not as it was" in done.out
    assert "recollect repair" in done.out


def test_a_text_index_that_lacks_something_is_made_anew(well: Path, cli: Cli) -> None:
    from recollect.storage.embedded.text_index import TextIndex

    (folder,) = well.glob("text-*")
    index = TextIndex(folder)
    position = index.reload().position
    assert position is not None
    index.write([], [5], position)
    told = cli("doctor")
    assert told.code == 1
    assert "should have 60" in told.out
    assert "recollect rebuild" in told.out
    fixed = cli("doctor", "--fix")
    assert fixed.code == 0
    assert "mended: made anew from the record" in fixed.out


def test_vectors_are_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from recollect.storage.embedded import vector_index

    monkeypatch.setattr(vector_index, "SEGMENT_ROWS", 64)
    store = EmbeddedStore(tmp_path / "store")
    with Memory(store, config.load(), HashEmbedder()) as memory:
        put(store, *(note(f"n{i}", f"otter number{i} of {i % 7}") for i in range(200)))
        assert checks(memory)["embeddings"].state == "warn"
        mended = checks(memory, fix=True)
        assert (mended["embeddings"].state, mended["embeddings"].fixed) == (
            "ok", "vectors were made: 200")  # fmt: skip
        assert mended["vectors"].state == "ok"
        assert "100.0%" in checks(memory)["vectors"].text
    codes = next((tmp_path / "store" / "vectors").rglob("codes.npy"))
    whole = np.load(codes)
    np.save(codes, -whole)
    with Memory(EmbeddedStore(tmp_path / "store"), config.load(), HashEmbedder()) as memory:
        found = checks(memory)["vectors"]
        assert (found.state, found.mend) == ("fail", "recollect rebuild")
        assert "codes.npy is not as it was written" in found.text
    about = codes.parent / "segment.json"  # as an earlier version wrote it, without checksums
    said = json.loads(about.read_text())
    about.write_text(json.dumps({"low": said["low"], "high": said["high"]}))
    with Memory(EmbeddedStore(tmp_path / "store"), config.load(), HashEmbedder()) as memory:
        found = checks(memory)["vectors"]
        assert (found.state, found.mend) == ("warn", "recollect rebuild")
        assert checks(memory, fix=True)["vectors"].state == "ok"
    np.save(next((tmp_path / "store" / "vectors").rglob("codes.npy")), whole[:5])
    with Memory(EmbeddedStore(tmp_path / "store"), config.load(), HashEmbedder()) as memory:
        assert checks(memory)["vectors"].state == "fail"


def test_a_writer_that_is_stuck_is_named(well: Path) -> None:
    code = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""
    process = subprocess.Popen([sys.executable, "-c", code, str(well / "record.db")], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    with Memory.open() as memory:
        found = checks(memory)["writers"]
        process.send_signal(signal.SIGSTOP)
        stopped = checks(memory)["writers"]
    assert found.state == stopped.state == "fail"
    assert "writing for over 2 s" in found.text
    if os.access("/proc/locks", os.R_OK):
        assert f"(process {process.pid})" in found.text
        assert f"(process {process.pid}, which is stopped" in stopped.text
    process.send_signal(signal.SIGCONT)
    process.communicate("")
    with Memory.open() as memory:
        assert checks(memory)["writers"].state == "ok"


# ------------------------------------------------------------------ around it


def test_files_that_others_may_read_are_closed(well: Path, cli: Cli, home: Path) -> None:
    os.chmod(well, 0o755)
    os.chmod(well / "record.db", 0o644)
    told = cli("doctor")
    assert "others may read or write" in told.out
    assert told.code == 0  # it is no failure, but worth a word
    fixed = cli("doctor", "--fix").out
    assert "closed to others" in fixed
    assert "others may read" not in fixed
    assert (well.stat().st_mode & 0o777, (well / "record.db").stat().st_mode & 0o777) == (
        0o700, 0o600)  # fmt: skip


def test_an_unknown_setting_fails_and_one_without_effect_is_told(
    well: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("config", "set", "mode", "tokenmax")
    monkeypatch.setenv("RECOLLECT_MODE", "conservative")
    monkeypatch.setenv("RECOLLECT_SERCH_LIMIT", "3")
    found = {c["check"]: c for c in cli("doctor", "--json").json["checks"]}
    said = [found["settings"]["text"], *found["settings"]["details"]]
    assert found["settings"]["state"] == "warn"
    assert any("RECOLLECT_SERCH_LIMIT is ignored" in line for line in said)
    assert any("overridden by RECOLLECT_MODE" in line for line in said)
    config.user_file().write_text("serch.limit = 3\n")
    done = cli("doctor", "--json")
    found = {c["check"]: c for c in done.json["checks"]}
    assert (done.code, found["settings"]["state"]) == (1, "fail")


def test_what_the_mode_is_not_is_told(well: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_SEARCH_LIMIT", "3")
    with Memory.open() as memory:
        said = checks(memory)["mode"].text
    assert "limit is 3 (environment RECOLLECT_SEARCH_LIMIT) and not 25" in said


def test_what_an_older_reader_imported_is_told_until_it_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("We deploy every Friday.\n")
    with Memory.open() as memory:
        with monkeypatch.context() as before:
            before.setattr("recollect.importing.options.IMPORT_VERSION", 1)
            memory.add(notes)
        check = checks(memory)["sources"]
        assert (check.state, check.mend) == ("warn", f"recollect add {notes}")
        assert "older reader" in check.text
        memory.add(notes)
        assert checks(memory)["sources"].state == "ok"


def test_sources_that_are_gone_or_changed_are_told(tmp_path: Path) -> None:
    import shutil

    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("The otter eats fish.\n")
    with Memory.open() as memory:
        memory.add(notes)
        assert checks(memory)["sources"].state == "ok"
        (notes / "a.md").write_text("The otter eats crabs and fish.\n")
        assert "1 changed since they were imported, today" in checks(memory)["sources"].text
        long_ago = time.time() - 40 * 86_400
        os.utime(notes / "a.md", (long_ago, long_ago))
        found = checks(memory)["sources"]
        assert (found.state, found.mend) == ("warn", f"recollect add {notes}")
        assert "40 days ago" in found.text
        (notes / "b.md").write_text("The heron eats fish.\n")
        memory.add(notes)
        assert checks(memory)["sources"].state == "ok"
        (notes / "b.md").unlink()
        for _ in range(2):
            found = checks(memory)["sources"]
            assert "1 of what was imported is not there any more" in found.text
            assert (found.state, found.mend) == ("warn", f"recollect add {notes} --prune")
            memory.add(notes)
        memory.add(notes, prune=True)
        assert checks(memory)["sources"].state == "ok"
        shutil.rmtree(notes)
        found = checks(memory)["sources"]
        assert (found.state, str(notes) in found.text) == ("warn", True)


def test_secrets_in_what_is_kept_are_told_and_not_shown(well: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with Memory.open() as memory:
        memory.put([note("leak", f"the token is {secret} for now")])
        report = examine(memory)
    assert {check.name: check.state for check in report.checks}["secrets"] == "warn"
    assert secret not in json.dumps(report.as_json())


def test_dates_that_are_to_come_are_told(well: Path) -> None:
    with Memory.open() as memory:
        memory.put([note("x", "later", date=datetime.now(UTC) + timedelta(days=400))])
        assert checks(memory)["clock"].state == "warn"


def test_what_the_caller_knows_is_judged(well: Path) -> None:
    with Memory.open() as memory:
        seen = checks(
            memory,
            clients=(Client("codex", True, "other", "/c.toml"), Client("zed", True, "absent")),
            evaluated=LastEvaluation("notes-1", "2026-01-01", same_code=False),
        )
        assert (seen["clients"].state, seen["clients"].mend) == ("warn", "recollect install codex")
        assert seen["evals"].state == "warn"
        seen = checks(
            memory,
            clients=(Client("codex", True, "installed", "/c.toml"),),
            evaluated=LastEvaluation("notes-1", "2026-01-01", same_code=True),
        )
        assert (seen["clients"].state, seen["evals"].state) == ("ok", "ok")


def test_code_that_was_not_measured_is_told(well: Path, cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "work" / ".recollect-evals"
    folder.mkdir()
    line = {"run": "notes-1", "at": "2026-01-01T00:00:00Z", "code": "another"}
    (folder / "results.jsonl").write_text(json.dumps(line) + "\n")
    found = {c["check"]: c for c in cli("doctor", "--json").json["checks"]}
    assert found["evals"]["state"] == "warn"
    assert "notes-1" in found["evals"]["text"]


def test_a_check_that_breaks_is_told(well: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil

    def broken(_: object) -> object:
        raise OSError("no such device")

    monkeypatch.setattr(shutil, "disk_usage", broken)
    with Memory.open() as memory:
        found = checks(memory)["disk"]
    assert (found.state, "no such device" in found.text) == ("fail", True)
