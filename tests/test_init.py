"""``recollect init`` for a program and for a person, and the one notice after an upgrade."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Cli
from recollect import __version__, config
from recollect.config import SETTINGS, Setting
from recollect.models.costs import CHECKED
from recollect.nouns import Document
from recollect.policy import MODES
from recollect.surfaces.commands import suggestions


@pytest.fixture(autouse=True)
def by_words_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "none")
    monkeypatch.setenv("RECOLLECT_RERANK_MODEL", "none")
    monkeypatch.setenv("HOME", str(tmp_path))  # whose sessions are found


@pytest.fixture
def notes() -> Path:
    """Two notes in the folder that the command is run in."""
    for name in ("deploy", "lunch"):
        Path(f"{name}.md").write_text(f"# {name}\n\nWe {name} on Friday.\n")
    return Path.cwd()


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    """One session of a client, where that client keeps them."""
    folder = tmp_path / ".claude" / "projects" / "-work"
    folder.mkdir(parents=True)
    said = {"type": "user", "message": {"role": "user", "content": "Why does the canary fail?"},
            "uuid": "u1", "sessionId": "s1", "timestamp": "2026-03-01T10:00:00Z"}  # fmt: skip
    (folder / "s1.jsonl").write_text(json.dumps(said) + "\n")
    return folder


def written() -> bytes | None:
    path = config.user_file()
    return path.read_bytes() if path.exists() else None


# ------------------------------------------------------------------ for a program


def test_a_program_is_shown_the_costs_and_told_to_relay_the_choice(cli: Cli, notes: Path) -> None:
    shown = cli("init")
    assert shown.code == 0
    parts = ("recommended: conservative", CHECKED, "check them", "10,000 answers", "small",
             "wrong direction", "medium", "large", "show this to its user", str(notes),
             "2 files")  # fmt: skip
    for part in (*MODES, *parts):
        assert part in shown.out
    assert written() is None
    assert not config.data_folder().exists()


def test_the_json_has_the_same(cli: Cli, notes: Path, sessions: Path) -> None:
    told = cli("init", "--json").json
    assert told["recommended"]["mode"] == "conservative"
    modes = {mode["mode"]: mode for mode in told["costs"]["modes"]}
    assert set(modes) == set(MODES)
    assert modes["conservative"]["tokens_most"] == 40_000_000
    price = told["costs"]["dollars_per_million_input_tokens"]["medium"]
    assert modes["conservative"]["dollars_most"]["medium"] == 40 * price
    assert modes["tokenmax"]["tokens_most"] is None
    assert [source["format"] for source in told["sources"]] == ["claude-code", "notes"]
    assert told["changed"] == []
    assert "its user" in told["note"]
    assert written() is None


@pytest.mark.parametrize(
    "options",
    [["--downstream", "gpt-5"], ["--mode", "tokenmax"], ["--store", "kept"], ["--add", "."]],
)
def test_json_changes_nothing_without_yes(cli: Cli, notes: Path, options: list[str]) -> None:
    told = cli("init", "--json", *options).json
    assert told["changed"] == []
    assert told["added"] is None
    assert "Nothing was changed" in told["note"]
    assert written() is None
    assert not config.data_folder().exists()
    assert not Path("kept").exists()


@pytest.mark.parametrize(
    ("model", "mode"), [("gpt-5-mini", "conservative"), ("claude-opus-4-7", "balanced")]
)
def test_yes_takes_what_is_recommended_for_the_model(cli: Cli, model: str, mode: str) -> None:
    done = cli("init", "--yes", "--downstream", model, "--json").json
    assert {one["setting"]: one["value"] for one in done["changed"]} == {
        "mode": mode,
        "downstream": model,
    }
    assert done["note"] is None
    assert config.load()["mode"] == mode


def test_run_again_it_changes_nothing_and_says_so(cli: Cli) -> None:
    cli("init", "--yes", "--downstream", "small")
    before = written()
    for again in (["--yes", "--downstream", "small"], ["--yes"], ["--mode", "conservative"]):
        done = cli("init", *again)
        assert "nothing to change" in done.out
        assert written() == before


def test_a_large_mode_for_a_small_model_is_taken_and_warned_of(cli: Cli) -> None:
    small = cli("init", "--mode", "tokenmax", "--downstream", "gpt-5-mini")
    assert "gpt-5-mini is a small model" in small.out.partition("mode = tokenmax")[2]
    assert "gpt-5-mini" in cli("init", "--yes", "--json").json["warning"]
    large = cli("init", "--downstream", "claude-opus-4-7", "--json").json
    assert large["warning"] is None
    assert config.load()["downstream"] == "gpt-5-mini"


def test_yes_leaves_a_mode_that_the_user_has_chosen(cli: Cli) -> None:
    cli("config", "set", "mode", "tokenmax")
    assert cli("init", "--yes", "--json").json["changed"] == []
    assert config.load()["mode"] == "tokenmax"
    done = cli("init", "--mode", "balanced", "--yes", "--json").json
    assert [one["revert"] for one in done["changed"]] == ["recollect config set mode tokenmax"]


def test_an_option_changes_what_it_names_and_nothing_else(cli: Cli) -> None:
    cli("init", "--mode", "tokenmax")
    assert written() == b'mode = "tokenmax"\n'
    cli("init", "--downstream", "none")
    assert written() == b'downstream = "none"\nmode = "tokenmax"\n'


def test_a_store_is_written_down_as_a_whole_path(cli: Cli, notes: Path) -> None:
    assert cli("init", "--store", "here/store", "--add", "deploy.md", "lunch.md").code == 0
    assert config.load()["store"] == str(Path.cwd() / "here" / "store")
    assert cli("status", "--json").json["documents"] == 2
    again = cli(
        "init", "--store", "here/store", "--add", "deploy.md", "lunch.md", "--yes", "--json"
    ).json
    assert [one["setting"] for one in again["changed"]] == ["mode"]
    assert (again["added"]["added"], again["added"]["unchanged"]) == (0, 2)


def test_sessions_of_this_machine_are_imported_by_that_name(cli: Cli, sessions: Path) -> None:
    assert cli("init", "--add", "sessions", "--yes", "--json").json["added"]["added"] == 1
    assert cli("search", "canary", "--kind", "session").code == 0


@pytest.mark.parametrize(
    "wrong", [["--mode", "fast"], ["--downstream", " "], ["--store", "redis://x", "--add", "."]]
)
def test_what_cannot_be_is_refused(cli: Cli, wrong: list[str]) -> None:
    assert cli("init", *wrong).code == 2


def test_what_the_environment_decides_is_said(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_MODE", "tokenmax")
    done = cli("init", "--mode", "balanced")
    assert "mode has no effect here: environment RECOLLECT_MODE decides it" in done.out
    assert written() == b'mode = "balanced"\n'


# ------------------------------------------------------------------ for a person


def at_a_terminal(answers: list[str], *options: str) -> tuple[int, str]:
    """Run it in a terminal of its own; each answer is typed when a question stands there."""
    terminal, its_end = pty.openpty()
    command = [sys.executable, "-m", "recollect", "init", *options]
    process = subprocess.Popen(command, stdin=its_end, stdout=its_end, stderr=its_end)
    os.close(its_end)
    shown, waiting = "", list(answers)
    while select.select([terminal], [], [], 60)[0]:
        try:
            more = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        shown += more.decode()
        if waiting and shown.endswith("] "):
            os.write(terminal, waiting.pop(0).encode() + b"\n")
    os.close(terminal)
    return process.wait(60), shown


def test_a_person_is_asked_and_gets_what_they_say(
    cli: Cli, notes: Path, sessions: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "wifi.md").write_text("# Guest wifi\n\nThe guest wifi is called meadow.\n")
    code, shown = at_a_terminal(["y", "nowhere", str(other), "fastest", "3"])
    assert code == 0, shown
    assert "Found on this machine" in shown
    assert "1 file, " in shown
    assert "there is no file or folder nowhere: type another path, or none" in shown
    assert "one of conservative, balanced, tokenmax" in shown  # there is no mode “fastest”
    assert config.load()["mode"] == "tokenmax"
    assert cli("status", "--json").json["kinds"] == {"note": 1, "session": 1}


def test_it_ends_with_questions_that_find_something(cli: Cli, notes: Path) -> None:
    for name, said in (("Guest wifi", "The guest wifi is called meadow."),
                       ("Vienna trip", "We fly to Vienna in June."),
                       ("Bread", "Let the dough rest for a night.")):  # fmt: skip
        (notes / f"{name}.md").write_text(f"# {name}\n\n{said}\n")
    code, shown = at_a_terminal(["", ""])
    assert code == 0, shown
    asked = re.findall(r"^  recollect search '(.+)'\s+finds (.+) \(note\)", shown, re.MULTILINE)
    assert len(asked) == 3
    for question, title in asked:
        assert cli("search", question, "--json").json["results"][0]["title"] == title


@pytest.mark.parametrize(
    ("kind", "title", "typed"),
    [
        ("note", "Why does the canary fail", "why does the canary fail?"),
        ("note", "Rotate signing keys", "how do we rotate signing keys?"),
        ("decision", "Move logins to Postgres", "why did we move logins to Postgres?"),
        ("session", "Fix the flaky test", "did we fix the flaky test?"),
        ("note", "On-call rotation", "what do we know about on-call rotation?"),
        ("note", "Jonas Petersen", "what do we know about Jonas Petersen?"),
        ("decision", "Money is an integer", "Money is an integer"),
        ("note", "Deploy harbor-api", "Deploy harbor-api"),
        ("note", "Reise nach Wien", "Reise nach Wien"),
    ],
)
def test_a_title_is_asked_for_as_a_person_would(kind: str, title: str, typed: str) -> None:
    assert suggestions.question_of(Document("d", "notes", kind=kind, title=title)) == typed


def test_what_finds_nothing_is_not_suggested(cli: Cli) -> None:
    Path("README.md").write_text("# README\n\nHello.\n")
    done = cli("init", "--yes", "--add", "README.md", "--json").json
    assert done["added"]["added"] == 1
    assert done["questions"] == []


def test_enter_takes_what_is_offered(cli: Cli, notes: Path) -> None:
    code, shown = at_a_terminal(["", ""])
    assert code == 0, shown
    assert written() == b'mode = "conservative"\n'
    assert cli("status", "--json").json["documents"] == 2
    before = written()
    code, shown = at_a_terminal(["none", ""])
    assert "nothing to change" in shown
    assert written() == before


def test_vaults_of_obsidian_are_offered(cli: Cli, tmp_path: Path) -> None:
    vault, known = tmp_path / "my vault", tmp_path / ".config" / "obsidian"
    vault.mkdir()
    known.mkdir(parents=True)
    (vault / "idea.md").write_text("# Idea\n")
    (known / "obsidian.json").write_text(json.dumps({"vaults": {"a1": {"path": str(vault)}}}))
    assert [one["place"] for one in cli("init", "--json").json["sources"]] == [str(vault)]


def test_without_an_answer_it_takes_what_it_recommends(notes: Path) -> None:
    code, shown = at_a_terminal([], "--timeout", "0.2")
    assert code == 0, shown
    assert "no answer" in shown
    assert written() == b'mode = "conservative"\n'
    assert not config.data_folder().exists()  # nothing is imported unasked


def test_yes_asks_nobody(notes: Path) -> None:
    code, shown = at_a_terminal([], "--yes")
    assert code == 0
    assert "Which folder" not in shown
    assert written() == b'mode = "conservative"\n'


# ------------------------------------------------------------------ after an upgrade


def changed_default(monkeypatch: pytest.MonkeyPatch, name: str, default: object) -> None:
    """As if the next version had this default."""
    spec: Setting = SETTINGS[name]._replace(default=default)  # type: ignore[arg-type]
    monkeypatch.setattr(config, "SETTINGS", {**SETTINGS, name: spec})


def test_the_first_run_says_nothing_and_remembers(cli: Cli) -> None:
    assert cli("status").err == ""
    seen = json.loads(config.seen_file().read_text())
    assert seen["version"] == __version__
    assert seen["defaults"]["mode"] == "balanced"


def test_a_changed_default_is_told_once(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("status")
    changed_default(monkeypatch, "mode", "conservative")
    told = cli("status").err
    assert told.count("\n") == 1
    assert "mode is now conservative" in told
    assert "`recollect config set mode balanced` keeps it as it was" in told
    assert cli("status").err == ""


def test_who_has_set_it_is_told_nothing(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("config", "set", "mode", "tokenmax")
    cli("status")
    changed_default(monkeypatch, "mode", "conservative")
    assert cli("status").err == ""


def test_a_quiet_command_leaves_the_notice_to_the_next(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("status")
    changed_default(monkeypatch, "mode", "conservative")
    assert cli("status", "--quiet").err == ""
    assert "mode is now conservative" in cli("status").err


def test_a_new_setting_is_no_changed_default(cli: Cli) -> None:
    cli("status")
    seen = json.loads(config.seen_file().read_text())
    del seen["defaults"]["telemetry"]
    config.seen_file().write_text(json.dumps({**seen, "version": "0.0.1"}))
    assert cli("status").err == ""
    assert json.loads(config.seen_file().read_text())["version"] == __version__


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"defaults": 3}', b"\xff\xfe"])
def test_a_damaged_memory_of_defaults_fails_no_command(cli: Cli, content: bytes) -> None:
    cli("status")
    config.seen_file().write_bytes(content)
    done = cli("status")
    assert (done.code, done.err) == (0, "")
    assert json.loads(config.seen_file().read_text())["version"] == __version__


def test_a_memory_of_defaults_that_cannot_be_had_fails_no_command(cli: Cli) -> None:
    config.seen_file().mkdir(parents=True)
    done = cli("status")
    assert (done.code, done.err) == (0, "")
