"""Importing end to end: what ``add`` makes of files, logs, exports and repositories, what it says
of them when it is run again, and what it never takes away."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli
from recollect import Document, Memory
from recollect.errors import InputError
from recollect.nouns import Receipt
from test_sessions_databases import HERMES, plain_hermes, writing

FIXTURES = Path(__file__).parent / "fixtures"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PASSWORD = "DB_PASSWORD=hunter2-Zq81xWv0"


@pytest.fixture(autouse=True)
def words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors do not matter here, and cost time."""
    for name in ("EMBED", "RERANK"):
        monkeypatch.setenv(f"RECOLLECT_{name}_MODEL", "none")


@pytest.fixture
def mem(tmp_path: Path) -> Iterable[Memory]:
    with Memory.open(tmp_path / "store") as opened:
        yield opened


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def write_lines(path: Path, *records: object) -> Path:
    return write(path, "".join(json.dumps(record) + "\n" for record in records))


def append(path: Path, *records: object) -> Path:
    with open(path, "a") as stream:
        stream.writelines(json.dumps(record) + "\n" for record in records)
    return path


def everything(memory: Memory) -> list[Document]:
    return [memory.get(d.id) for d in memory.list(limit=1000).items]


def names(memory: Memory) -> list[str]:
    return sorted(d.external for d in memory.list(limit=1000).items)


def found(memory: Memory, query: str, **limits: Any) -> list[str]:
    return [result.document for result in memory.search(query, by="keyword", **limits).results]


def counts(receipt: Receipt) -> tuple[int, int, int]:
    return receipt.added, receipt.changed, receipt.unchanged


def gone(receipt: Receipt) -> list[str]:
    return sorted(problem.where for problem in receipt.missing)


def turn(uuid: str, role: str, said: Any, session: str = "elder") -> dict[str, Any]:
    """A record as Claude Code writes it."""
    content = said if role == "user" else [{"type": "text", "text": said}]
    message = {"role": role, "content": content, "id": f"msg-{uuid}"}
    return {"type": role, "uuid": uuid, "parentUuid": None, "sessionId": session,
            "timestamp": "2026-03-01T10:00:00Z", "message": message}  # fmt: skip


def log(path: Path, *turns: dict[str, Any], age: int = 0) -> Path:
    """A log of Claude Code under its own name, as many hours old as it is said to be."""
    own = [{**turn, "sessionId": path.stem} for turn in turns]
    write_lines(path, *own)
    aged(path, age)
    return path


def aged(path: Path, hours: int) -> None:
    when = 1_780_000_000 - 3600 * hours
    os.utime(path, (when, when))


ASKED = turn("u1", "user", "Where does the heron nest?")
TOLD = turn("a1", "assistant", "In the alder by the weir.")
MORE = turn("u2", "user", "And the kingfisher?")
OTHER = turn("u3", "user", "Forget birds, where is the otter?")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    write(folder / "alpha.md", "# Alpha\n\nThe heron stands in the water.\n")
    write(folder / "sub" / "beta.md", "# Beta\n\nThe otter swims below.\n")
    write(folder / "sub" / "gamma.md", "# Gamma\n\nThe kingfisher waits above.\n")
    return folder


# ------------------------------------------------------------------ session logs

FORMATS = {path.name for path in (FIXTURES / "sessions").iterdir()}


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FIXTURES / "sessions", tmp_path / "logs"))


def test_a_folder_of_every_kind_of_log_becomes_sessions_of_every_format(
    mem: Memory, logs: Path
) -> None:
    mem.add(logs)
    sessions = [d for d in everything(mem) if d.kind == "session"]
    assert {d.meta["format"] for d in sessions} == FORMATS
    for one in FORMATS:
        said = {m.role for d in sessions if d.meta["format"] == one for m in d.messages}
        assert {"user", "assistant"} <= said, one
    assert {d.source for d in sessions} == {"logs"}
    assert all((logs / d.path).is_file() for d in sessions)
    assert not [d for d in everything(mem) if "format" not in d.meta and d.messages]


def test_adding_the_same_logs_again_changes_nothing_and_json_says_so(cli: Cli, logs: Path) -> None:
    first = cli("add", str(logs), "--json").json
    again = cli("add", str(logs), "--json")
    assert again.code == 0
    assert (again.json["added"], again.json["changed"]) == (0, 0)
    assert again.json["unchanged"] == first["added"] > 30
    assert again.json["missing"] == again.json["failed"] == []
    assert not again.json["dry_run"]


def test_what_was_said_is_found_by_who_said_it(mem: Memory, tmp_path: Path) -> None:
    mem.add(log(tmp_path / "logs" / "elder.jsonl", ASKED, TOLD))
    (asked,) = mem.search("heron", by="keyword", roles=["user"]).results
    assert (asked.kind, asked.role, asked.document) == ("session", "user", "elder")
    assert found(mem, "weir", roles=["user"]) == []
    assert found(mem, "alder", roles=["assistant"]) == ["elder"]


def test_a_log_that_grew_is_changed_and_keeps_its_id(mem: Memory, tmp_path: Path) -> None:
    file = log(tmp_path / "logs" / "elder.jsonl", ASKED, TOLD, age=1)
    mem.add(file.parent)
    before = mem.get("elder").id
    append(file, MORE)
    assert counts(mem.add(file.parent)) == (0, 1, 0)
    assert mem.get("elder").id == before
    assert found(mem, "kingfisher") == ["elder"]
    assert counts(mem.add(file.parent)) == (0, 0, 1)


def test_a_log_that_is_being_written_is_completed_the_next_time(cli: Cli, tmp_path: Path) -> None:
    file = log(tmp_path / "logs" / "elder.jsonl", ASKED, age=1)
    line = json.dumps({**TOLD, "sessionId": "elder"}) + "\n"
    with open(file, "a") as stream:
        stream.write(line[:40])
    first = cli("add", str(file.parent), "--json")
    assert (first.code, first.json["added"], first.json["failed"]) == (0, 1, [])
    (warning,) = first.json["warnings"]
    assert warning["where"] == f"{file}:2"
    assert "not complete" in warning["reason"]
    with open(file, "a") as stream:
        stream.write(line[40:])
    again = cli("add", str(file.parent), "--json").json
    assert (again["changed"], again["warnings"]) == (1, [])
    assert [t["role"] for t in cli("get", "elder", "--json").json["turns"]] == ["user", "assistant"]


@pytest.mark.parametrize("begun", ["", '{"type":"us'], ids=["empty", "cut short"])
def test_a_log_that_had_only_begun_is_a_session_when_it_has_grown(
    mem: Memory, tmp_path: Path, begun: str
) -> None:
    folder = tmp_path / "logs"
    write(folder / "elder.jsonl", begun)
    mem.add(folder)
    log(folder / "elder.jsonl", ASKED, TOLD)
    receipt = mem.add(folder)
    assert (receipt.added, receipt.failed) == (1, ())
    assert (mem.get("elder").kind, mem.get("elder").source) == ("session", "logs")


def test_an_empty_log_makes_no_source(mem: Memory, tmp_path: Path) -> None:
    log(tmp_path / "logs" / "elder.jsonl", ASKED)
    write(tmp_path / "logs" / "empty.jsonl", "")
    receipt = mem.add(tmp_path / "logs")
    assert (receipt.added, receipt.failed, receipt.sources) == (1, (), ("logs",))
    assert [p.where for p in receipt.skipped] == [str(tmp_path / "logs" / "empty.jsonl")]
    assert [s.name for s in mem.status().store.sources] == ["logs"]


def test_what_a_database_has_only_in_its_journal_is_a_change(mem: Memory, tmp_path: Path) -> None:
    file = tmp_path / "hermes" / "state.db"
    file.parent.mkdir()
    with writing(file, f"PRAGMA journal_mode = WAL;{HERMES}") as database:
        plain_hermes(database, "h1", "Where does the heron nest?")
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert mem.add(file.parent).added == 1
        before = file.stat()
        plain_hermes(database, "h2", "Where does the otter sleep?")
        database.commit()
        assert file.stat() == before
        assert mem.add(file.parent).added == 1
    assert names(mem) == ["h1", "h2"]


def test_long_output_of_a_tool_keeps_its_beginning_and_its_end(mem: Memory, tmp_path: Path) -> None:
    output = "begins with heron\n" + "filler line\n" * 1000 + "ends with otter"
    result = [{"type": "tool_result", "tool_use_id": "t1", "content": output}]
    long = turn("u2", "user", "x" * 9000)
    mem.add(log(tmp_path / "logs" / "elder.jsonl", ASKED, turn("r1", "user", result), long))
    _, tool, user = mem.get("elder").messages
    assert tool.role == "tool"
    assert tool.text.startswith("begins with heron\n")
    assert tool.text.endswith("ends with otter")
    assert len(tool.text) < 4100
    assert f"{len(output) - 4000:,} characters" in tool.text
    assert user.text == "x" * 9000
    assert set(found(mem, "heron otter begins ends", roles=["tool"])) == {"elder"}


# ------------------------------------------------------------------ what comes with logs


def test_what_comes_with_a_log_is_no_document(mem: Memory, logs: Path) -> None:
    (state,) = logs.rglob("workspace.yaml")
    (meta,) = logs.rglob("*.meta.json")
    agent = next(logs.glob("claude-code/*/*/"))
    beside = [
        state,
        meta,
        write(state.parent / "checkpoints" / "001.md", "# Checkpoint\n\nThe heron.\n"),
        write(agent / "tool-results" / "toolu_7.txt", "The heron, at great length."),
        write(logs / "chatgpt" / "chat.html", "<p>The heron, once more.</p>"),
        write(logs / "chatgpt" / "user.json", '{"email": "ana@example.org"}'),
        write(logs / "claude-ai" / "users.json", '[{"email_address": "ana@example.org"}]'),
        write(logs / "gemini" / "tmp" / "shop" / "logs.json", '[{"message": "The heron"}]'),
        write_lines(logs / "codex" / "history.jsonl", {"session_id": "a", "text": "The heron"}),
        write(logs / "openclaw" / "sessions.json", '{"main": {"sessionId": "5f0c"}}'),
    ]
    receipt = mem.add(logs)
    skipped = {p.where: p.reason for p in receipt.skipped}
    assert [file for file in beside if "comes with" not in skipped.get(str(file), "")] == []
    assert {d.kind for d in everything(mem)} == {"session"}
    assert not [p for p in receipt.failed if "history" in p.where]
    assert mem.add(state).added == 1


def test_the_same_names_without_a_log_are_files_like_others(mem: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    names = ["workspace.yaml", "checkpoints/001.md", "train.meta.json", "logs.json", "user.json",
             "chat.html", "sessions.json", "chats/hello.md"]  # fmt: skip
    for name in names:
        write(folder / name, '{"heron": "stands"}\n')
    write_lines(folder / "train.jsonl", {"id": "one", "text": "The otter."})
    receipt = mem.add(folder)
    assert (receipt.added, receipt.skipped, receipt.failed) == (len(names) + 1, (), ())


def test_what_was_imported_before_it_was_known_to_come_with_a_log_is_told(
    mem: Memory, logs: Path
) -> None:
    (state,) = logs.rglob("workspace.yaml")
    log = state.with_name("events.jsonl")
    away = log.rename(state.with_name(".away"))
    mem.add(logs)
    away.rename(log)
    state.write_text(state.read_text() + "\n")
    assert [Path(where).name for where in gone(mem.add(logs))] == ["workspace.yaml"]


# ------------------------------------------------------------------ forks


def said(memory: Memory, name: str) -> list[str]:
    return [message.id for message in memory.get(name).messages]


def kept(memory: Memory) -> list[str]:
    """Every message that the store has, however often."""
    return sorted(m.id for d in everything(memory) for m in d.messages)


@pytest.fixture
def forked(tmp_path: Path) -> Path:
    """Two logs of which the younger, though its name comes first, copied the elder's beginning."""
    folder = tmp_path / "logs"
    log(folder / "elder.jsonl", ASKED, TOLD, MORE, age=2)
    log(folder / "a-fork.jsonl", ASKED, TOLD, OTHER, age=1)
    return folder


def test_of_a_fork_the_elder_keeps_what_both_have(mem: Memory, forked: Path) -> None:
    assert counts(mem.add(forked)) == (2, 0, 0)
    assert said(mem, "elder") == ["u1", "a1", "u2"]
    assert said(mem, "a-fork") == ["u3"]
    fork = mem.get("a-fork")
    assert (fork.meta["parent"], fork.meta["relation"]) == ("elder", "fork")
    assert "parent" not in mem.get("elder").meta


def test_forks_are_stable_however_often_they_are_imported(mem: Memory, forked: Path) -> None:
    mem.add(forked)
    for _ in range(2):
        assert counts(mem.add(forked)) == (0, 0, 2)
    append(forked / "elder.jsonl", turn("u9", "user", "One more thing."))
    assert counts(mem.add(forked)) == (0, 1, 1)
    assert said(mem, "elder") == ["u1", "a1", "u2", "u9"]
    append(forked / "a-fork.jsonl", turn("u10", "user", "And another."))
    assert counts(mem.add(forked)) == (0, 1, 1)
    assert said(mem, "a-fork") == ["u3", "u10"]
    for _ in range(2):
        assert counts(mem.add(forked)) == (0, 0, 2)


def test_a_log_that_grows_is_no_fork_of_itself(mem: Memory, tmp_path: Path) -> None:
    mem.add(log(tmp_path / "one" / "elder.jsonl", ASKED, TOLD), source="logs")
    second = log(tmp_path / "two" / "second.jsonl", OTHER)
    mem.add(second, source="logs")
    append(second, turn("u9", "user", "One more thing.", "second"))
    assert mem.add(second, source="logs").warnings == ()
    assert said(mem, "second") == ["u3", "u9"]
    assert "relation" not in mem.get("second").meta


def test_the_command_names_a_log_that_shrank_and_says_why(cli: Cli, forked: Path) -> None:
    cli("add", str(forked))
    log(forked / "elder.jsonl", ASKED, TOLD)
    for n in range(9):
        write(forked / f"{n}.jsonl", "")
    told = cli("add", str(forked))
    assert "10 skipped" in told.out
    assert f"skipped {forked / 'elder.jsonl'}: it lacks 1 of the 3 turns" in told.err
    assert "… and 5 more (skipped; --json lists them all)" in told.err


@pytest.mark.parametrize("resumed", ["one", "two"])
def test_of_two_files_of_a_session_the_words_of_both_are_kept(
    cli: Cli, tmp_path: Path, resumed: str
) -> None:
    mine = [turn(f"n{n}", "user", text) for n, text in enumerate(["No.", "And the exporter?"])]
    for name in ("one", "two"):
        turns = (ASKED, TOLD, *mine) if name == resumed else (ASKED, TOLD, MORE)
        log(tmp_path / "logs" / name / "elder.jsonl", *turns, age=name == "one")
    told = cli("add", str(tmp_path / "logs"))
    assert "lacks" in told.err
    assert "all are kept" in told.err
    with Memory.open() as opened:
        assert sorted(said(opened, "elder")) == ["a1", "n0", "n1", "u1", "u2"]
    again = cli("add", str(tmp_path / "logs"))
    assert "1 unchanged, 1 skipped" in again.out
    assert "those are kept" in again.err
    append(tmp_path / "logs" / "two" / "elder.jsonl", turn("u9", "user", "One more thing."))
    cli("add", str(tmp_path / "logs"))
    with Memory.open() as opened:
        assert sorted(said(opened, "elder")) == ["a1", "n0", "n1", "u1", "u2", "u9"]


def test_a_log_that_was_written_anew_says_what_is_gone(mem: Memory, tmp_path: Path) -> None:
    file = log(tmp_path / "elder.jsonl", ASKED, TOLD, MORE)
    mem.add(file)
    longer = turn("n1", "user", "Something else entirely, and at much greater length. " * 9)
    (warning,) = mem.add(log(file, ASKED, TOLD, longer)).warnings
    assert "1 of the 3 turns that were stored of this session are gone" in warning.reason


@pytest.mark.parametrize("single", [False, True])
def test_a_forgotten_session_does_not_come_back_with_its_fork(
    mem: Memory, forked: Path, single: bool
) -> None:
    files = [forked / "elder.jsonl", forked / "a-fork.jsonl"] if single else [forked]
    for file in files:
        mem.add(file, source="logs")
    assert "heron" not in mem.get("a-fork").title
    mem.forget("elder")
    append(forked / "a-fork.jsonl", turn("u9", "user", "One more thing.", "a-fork"))
    mem.add(forked / "a-fork.jsonl", source="logs")
    assert said(mem, "a-fork") == ["u3", "u9"]
    assert "heron" not in stored(mem)


def test_a_fork_gets_what_it_left_to_a_session_that_was_pruned(mem: Memory, forked: Path) -> None:
    mem.add(forked)
    (forked / "elder.jsonl").unlink()
    mem.add(forked, prune=True)
    append(forked / "a-fork.jsonl", turn("u9", "user", "One more thing.", "a-fork"))
    mem.add(forked)
    assert said(mem, "a-fork") == ["u1", "a1", "u3", "u9"]


def test_a_log_that_moves_to_another_source_is_whole_there(mem: Memory, tmp_path: Path) -> None:
    file = log(tmp_path / "logs" / "elder.jsonl", ASKED, TOLD)
    mem.add(file.parent)
    append(file, turn("u9", "user", "One more thing."))
    mem.add(file, source="mine")
    append(file, turn("u10", "user", "And another."))
    mem.add(file.parent, prune=True)
    assert said(mem, "elder") == ["u1", "a1", "u9", "u10"]
    assert mem.get("elder").source == "mine"


@pytest.mark.parametrize("order", [("elder", "a-fork"), ("a-fork", "elder")])
def test_logs_imported_one_by_one_lose_no_message_and_repeat_none(
    mem: Memory, forked: Path, order: tuple[str, str]
) -> None:
    for name in order:
        mem.add(forked / f"{name}.jsonl", source="logs")
    assert kept(mem) == ["a1", "u1", "u2", "u3"]
    assert len(said(mem, order[0])) == 3
    assert mem.get(order[1]).meta["parent"] == order[0]


def test_a_fork_with_nothing_of_its_own_is_skipped_with_the_reason(
    mem: Memory, tmp_path: Path
) -> None:
    folder = tmp_path / "logs"
    log(folder / "elder.jsonl", ASKED, TOLD, age=2)
    log(folder / "copy.jsonl", ASKED, TOLD, age=1)
    for _ in range(2):
        receipt = mem.add(folder)
        (problem,) = receipt.skipped
        assert problem.where == str(folder / "copy.jsonl")
        assert "elder" in problem.reason
        assert (receipt.missing, names(mem)) == ((), ["elder"])
    append(folder / "copy.jsonl", OTHER)
    assert mem.add(folder).added == 1
    assert said(mem, "copy") == ["u3"]


def test_sessions_that_number_their_messages_alike_are_no_forks(
    mem: Memory, tmp_path: Path
) -> None:
    folder = tmp_path / "logs"
    log(folder / "birds.jsonl", ASKED, TOLD, age=2)
    log(folder / "boats.jsonl", turn("u1", "user", "Which kayak leaks?"),
        turn("a1", "assistant", "The red one."), age=1)  # fmt: skip
    mem.add(folder)
    log(folder / "food.jsonl", turn("u1", "user", "When is there soup?"))
    mem.add(folder)
    assert [len(mem.get(name).messages) for name in ("birds", "boats", "food")] == [2, 2, 1]
    assert not [d for d in everything(mem) if "parent" in d.meta]


def test_what_only_another_owner_may_see_is_not_taken_out_of_a_log(
    mem: Memory, forked: Path
) -> None:
    mem.add(forked / "elder.jsonl", owner="ana")
    mem.add(forked / "a-fork.jsonl", owner="ben")
    assert said(mem, "a-fork") == ["u1", "a1", "u3"]
    assert found(mem, "alder", owner="ben") == ["a-fork"]


def test_a_secret_in_both_does_not_make_a_fork_another_session(mem: Memory, tmp_path: Path) -> None:
    leaked = turn("u1", "user", f"Use {TOKEN} for the push")
    folder = tmp_path / "logs"
    mem.add(log(folder / "elder.jsonl", leaked, TOLD), source="logs")
    mem.add(log(folder / "fork.jsonl", leaked, TOLD, OTHER), source="logs")
    assert said(mem, "fork") == ["u3"]


# ------------------------------------------------------------------ what is no longer there


def test_a_deleted_note_is_told_and_stays_until_it_is_pruned(cli: Cli, vault: Path) -> None:
    cli("add", str(vault))
    (vault / "alpha.md").unlink()
    for _ in range(2):
        told = cli("add", str(vault), "--json")
        assert told.code == 0
        assert [p["where"] for p in told.json["missing"]] == ["alpha.md"]
        assert (told.json["removed"], told.json["unchanged"]) == (0, 2)
    assert cli("search", "heron", "--json").json["results"][0]["document"] == "alpha.md"
    shown = cli("add", str(vault))
    assert "alpha.md" in shown.err
    assert "--prune" in shown.out


def test_what_a_deleted_note_says_stands_behind_what_took_its_place(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "vpn.md").write_text("Our VPN vendor is Mullvad, contract ends May 2026.\n")
    with Memory.open(tmp_path / "store", embed_model="recollect-embed") as memory:
        memory.add(notes)
        (notes / "vpn.md").unlink()
        (notes / "network.md").write_text("Our VPN vendor is Tailscale since November.\n")
        memory.add(notes)
        memory.models.embed()
        found = memory.search("who is our VPN vendor?", cache=False).results
    assert [one.gone for one in found] == [False, True]


def test_what_a_deleted_note_says_is_marked_until_it_is_back(cli: Cli, vault: Path) -> None:
    cli("add", str(vault))
    assert "no longer in its source" not in cli("search", "heron").out  # kept by the cache
    moved = (vault / "alpha.md").rename(vault / ".alpha")
    cli("add", str(vault), "--dry-run")
    assert "no longer in its source" not in cli("search", "heron").out
    cli("add", str(vault))
    for command in (("search", "heron"), ("get", "alpha.md"), ("gather", "heron")):
        assert "no longer in its source" in cli(*command).out
    assert cli("search", "heron", "--json").json["shown"][0]["gone"] is True
    assert cli("get", "alpha.md", "--json").json["gone"] is True
    assert cli("status", "--json").json["gone"] == 1
    assert "no longer in their source: 1 document; `recollect add PATH" in cli("status").out
    moved.rename(vault / "alpha.md")
    assert cli("add", str(vault), "--json").json["changed"] == 1
    assert "no longer in its source" not in cli("search", "heron").out
    assert cli("status", "--json").json["gone"] == 0
    assert cli("doctor", "--full", "--json").json["checks"][0]["state"] == "ok"


def test_pruning_without_a_terminal_needs_a_yes_and_shows_what_goes(cli: Cli, vault: Path) -> None:
    cli("add", str(vault))
    (vault / "alpha.md").unlink()
    write(vault / "new.md", "The plover runs.")
    refused = cli("add", str(vault), "--prune")
    assert refused.code == 2
    assert "alpha.md" in refused.err
    assert "--yes" in refused.err
    assert cli("list", "--json", "--limit", "9").json["items"][-1]["document"]
    assert cli("search", "heron").code == 0
    assert cli("search", "plover").code == 3
    done = cli("add", str(vault), "--prune", "--yes", "--json")
    assert done.code == 0
    assert (done.json["removed"], done.json["missing"], done.json["added"]) == (1, [], 1)
    assert cli("search", "heron").code == 3
    write(vault / "alpha.md", "# Alpha\n\nThe heron stands in the water.\n")
    assert cli("add", str(vault), "--json").json["added"] == 1
    assert cli("search", "heron").code == 0


def test_pruning_asks_nobody_where_nothing_goes(cli: Cli, vault: Path) -> None:
    assert cli("add", str(vault), "--prune", "--json").json["added"] == 3
    assert cli("add", str(vault), "--prune", "--json").json["unchanged"] == 3


def test_a_folder_that_is_gone_is_told_and_can_be_pruned(mem: Memory, vault: Path) -> None:
    mem.add(vault)
    vault.rename(vault.with_name("elsewhere"))
    assert gone(mem.add(vault)) == ["alpha.md", "sub/beta.md", "sub/gamma.md"]
    assert len(names(mem)) == 3
    assert mem.add(vault, prune=True).removed == 3
    assert names(mem) == []
    assert [p.reason for p in mem.add(vault).failed] == ["there is no such file or folder"]
    vault.with_name("elsewhere").rename(vault)
    assert counts(mem.add(vault)) == (3, 0, 0)


@pytest.mark.parametrize("given", ["sub", "sub/beta.md"])
def test_a_part_that_is_gone_is_told_when_it_is_named(mem: Memory, vault: Path, given: str) -> None:
    mem.add(vault)
    shutil.rmtree(vault / "sub")
    told = mem.add(vault / given)
    assert told.failed == ()
    assert gone(told) == ["sub/beta.md", "sub/gamma.md"][: 1 if "beta" in given else 2]
    assert "alpha.md" in names(mem)


def test_a_subfolder_added_alone_says_nothing_of_the_rest(mem: Memory, vault: Path) -> None:
    mem.add(vault)
    (vault / "alpha.md").unlink()
    (vault / "sub" / "beta.md").unlink()
    assert gone(mem.add(vault / "sub")) == ["sub/beta.md"]
    assert gone(mem.add(vault / "sub" / "gamma.md")) == []
    assert mem.add(vault / "sub", prune=True).removed == 1
    assert names(mem) == ["alpha.md", "sub/gamma.md"]


def test_a_folder_whose_name_only_begins_alike_is_another(mem: Memory, vault: Path) -> None:
    write(vault / "sub2" / "delta.md", "The plover runs.")
    mem.add(vault)
    shutil.rmtree(vault / "sub")
    shutil.rmtree(vault / "sub2")
    assert gone(mem.add(vault / "sub")) == ["sub/beta.md", "sub/gamma.md"]


def test_pruning_leaves_what_other_sources_have(mem: Memory, vault: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other" / "alpha.md", "The bittern booms.").parent
    lines = write_lines(tmp_path / "r.jsonl", {"id": "r1", "text": "The grebe dives."})
    mem.add(vault, other, lines)
    mem.record("discussion", "Herons stay.")
    for folder in (vault, other):
        (folder / "alpha.md").unlink()
    lines.unlink()
    assert mem.add(vault, prune=True).removed == 1
    assert len(names(mem)) == 5
    assert found(mem, "bittern") == ["alpha.md"]
    assert found(mem, "grebe") == ["r1"]


def test_a_line_that_is_gone_is_told_until_it_is_pruned(mem: Memory, tmp_path: Path) -> None:
    one, two = {"id": "one", "text": "The heron."}, {"id": "two", "text": "The otter."}
    file = write_lines(tmp_path / "r.jsonl", one, two)
    mem.add(file)
    write_lines(file, two)
    for _ in range(2):
        assert gone(mem.add(file)) == ["one"]
        assert [mem.get(name).gone for name in ("one", "two")] == [True, False]
    write_lines(file, one, two)
    mem.add(file)
    assert not mem.get("one").gone
    write_lines(file, two)
    assert gone(mem.add(file)) == ["one"]
    assert names(mem) == ["one", "two"]
    assert mem.add(file, prune=True).removed == 1
    assert names(mem) == ["two"]
    assert counts(mem.add(file)) == (0, 0, 1)
    write_lines(file, two, one)
    assert mem.add(file).added == 1


def test_the_command_line_prunes_a_line_that_was_told_before(cli: Cli, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "r.jsonl", {"id": "one", "text": "a"}, {"id": "two", "text": "b"})
    cli("add", str(file))
    write_lines(file, {"id": "two", "text": "b"})
    assert "--prune" in cli("add", str(file)).out
    refused = cli("add", str(file), "--prune")
    assert (refused.code, "one" in refused.err) == (2, True)
    assert cli("add", str(file), "--prune", "--yes", "--json").json["removed"] == 1


def test_a_file_of_lines_that_is_gone_is_told_with_its_folder_and_comes_back(
    mem: Memory, vault: Path
) -> None:
    file = write_lines(vault / "r.jsonl", {"id": "one", "text": "The grebe dives."})
    mem.add(vault)
    moved = file.rename(file.with_name(".away"))
    assert gone(mem.add(vault)) == ["one"]
    assert mem.add(vault, prune=True).removed == 1
    assert len(names(mem)) == 3
    moved.rename(file)
    assert mem.add(vault).added == 1
    assert found(mem, "grebe") == ["one"]


@pytest.mark.parametrize("whole", [True, False], ids=["folder", "file"])
def test_what_is_gone_of_a_source_inside_the_folder_is_told(
    mem: Memory, vault: Path, whole: bool
) -> None:
    mem.add(vault / "sub")
    mem.add(vault)
    if whole:
        shutil.rmtree(vault / "sub")
    else:
        (vault / "sub" / "beta.md").unlink()
    assert gone(mem.add(vault)) == ["beta.md", "gamma.md"][: 1 + whole]
    assert mem.add(vault, prune=True).removed == 1 + whole
    assert gone(mem.add(vault)) == []


def test_a_named_source_of_several_places_loses_only_what_is_gone(
    mem: Memory, vault: Path, tmp_path: Path
) -> None:
    other = write(tmp_path / "other" / "alpha.md", "The bittern booms.").parent
    lines = write_lines(tmp_path / "r.jsonl", {"id": "r1", "text": "The grebe dives."})
    places = (vault, other, lines)
    mem.add(*places, source="birds")
    for _ in range(2):
        assert counts(mem.add(*places, source="birds")) == (0, 0, 5)
    for place in places:
        assert gone(mem.add(place, source="birds")) == []
    shutil.rmtree(vault)
    assert gone(mem.add(vault)) == ["alpha.md", "sub/beta.md", "sub/gamma.md"]
    assert mem.add(vault, prune=True).removed == 3
    shutil.rmtree(other)
    assert mem.add(other, prune=True).removed == 1
    assert names(mem) == ["r1"]
    lines.unlink()
    assert mem.add(lines, prune=True).removed == 1


def test_a_place_that_a_named_source_has_gathered_stays_with_it(
    mem: Memory, vault: Path, tmp_path: Path
) -> None:
    other = write(tmp_path / "other" / "in" / "alpha.md", "The bittern booms.").parent.parent
    lines = write_lines(tmp_path / "r.jsonl", {"id": "r1", "text": "The grebe dives."})
    mem.add(vault, other, lines, source="birds")
    write(other / "in" / "new.md", "The plover runs.")
    append(lines, {"id": "r2", "text": "The grebe sleeps."})
    assert counts(mem.add(other / "in")) == (1, 0, 1)
    assert counts(mem.add(lines)) == (1, 0, 1)
    assert counts(mem.add(other)) == (0, 0, 2)
    (other / "in" / "new.md").unlink()
    assert gone(mem.add(tmp_path / "other")) == ["in/new.md"]
    assert {d.source for d in everything(mem)} == {"birds"}


def test_a_named_folder_with_lines_in_it_stays_as_it_is(mem: Memory, vault: Path) -> None:
    write_lines(vault / "r.jsonl", {"id": "r1", "text": "The grebe dives."})
    mem.add(vault, source="birds")
    for _ in range(3):
        receipt = mem.add(vault, source="birds")
        assert (counts(receipt), receipt.missing) == ((0, 0, 4), ())
    assert counts(mem.add(vault / "sub")) == (0, 0, 2)
    assert [s.kind for s in mem.status().store.sources] == ["folder"]


def test_a_file_added_before_its_folder_is_not_a_second_document(mem: Memory, vault: Path) -> None:
    mem.add(vault / "sub" / "beta.md")
    assert counts(mem.add(vault)) == (2, 0, 1)
    assert len(names(mem)) == 3
    assert counts(mem.add(vault / "sub" / "beta.md")) == (0, 0, 1)
    (vault / "sub" / "beta.md").unlink()
    assert gone(mem.add(vault)) == ["beta.md"]


def test_a_link_that_leads_nowhere_is_a_failure_and_not_a_loss(vault: Path, tmp_path: Path) -> None:
    """The disk that it leads to may only be away."""
    with Memory.open(tmp_path / "store", import_follow_links=True) as mem:
        _link_that_leads_nowhere(mem, vault, tmp_path)


def _link_that_leads_nowhere(mem: Memory, vault: Path, tmp_path: Path) -> None:
    disk = write(tmp_path / "disk" / "delta.md", "The plover runs.").parent
    (vault / "linked").symlink_to(disk)
    mem.add(vault)
    disk.rename(tmp_path / "away")
    receipt = mem.add(vault, prune=True)
    assert [p.where for p in receipt.failed] == [str(vault / "linked")]
    assert (receipt.missing, receipt.removed) == ((), 0)
    assert found(mem, "plover") == ["linked/delta.md"]


@pytest.mark.parametrize("what", ["sub", "sub/beta.md"])
def test_what_cannot_be_read_is_not_gone(
    mem: Memory, vault: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    mem.add(vault)
    write(vault / "sub" / "beta.md", "Edited, and then locked.")
    locked = vault / what

    def refusing(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any, *rest: Any, **more: Any) -> Any:
            if Path(path) == locked:
                raise PermissionError(13, "Permission denied", str(path))
            return real(path, *rest, **more)

        return call

    monkeypatch.setattr(os, "scandir", refusing(os.scandir))
    monkeypatch.setattr(Path, "read_bytes", refusing(Path.read_bytes))
    receipt = mem.add(vault, prune=True)
    assert [(p.where, "Permission denied" in p.reason) for p in receipt.failed] == [
        (str(locked), True)
    ]
    assert (receipt.missing, receipt.removed) == ((), 0)
    assert len(names(mem)) == 3


def test_a_log_with_a_broken_line_keeps_the_session_that_was_there(
    mem: Memory, tmp_path: Path
) -> None:
    file = log(tmp_path / "logs" / "elder.jsonl", ASKED, TOLD)
    mem.add(file.parent)
    file.write_text('{"type":"user","message":{"content":"x"},"sessionId":"s"}\nnot json\n')
    receipt = mem.add(file.parent, prune=True)
    assert [p.where for p in receipt.failed] == [f"{file}:2"]
    assert "elder" in names(mem)


# ------------------------------------------------------------------ dry runs


def snapshot(cli: Cli) -> Any:
    about = cli("status", "--json").json
    return {k: v for k, v in about.items() if k not in ("bytes", "indexes")}


COUNTED = ("added", "changed", "unchanged", "removed", "skipped", "warnings", "failed", "redacted")


def tallied(receipt: dict[str, Any]) -> dict[str, Any]:
    return {name: receipt[name] for name in COUNTED}


def test_a_dry_run_tells_what_the_run_will_do_and_does_nothing(
    cli: Cli, vault: Path, logs: Path
) -> None:
    write(vault / "secret.md", f"{PASSWORD}\n")
    shutil.move(str(logs), vault / "logs")
    empty = snapshot(cli)
    dry = cli("add", str(vault), "--dry-run", "--json")
    assert dry.json["dry_run"]
    assert snapshot(cli) == empty
    real = cli("add", str(vault), "--json")
    assert tallied(dry.json) == tallied(real.json)
    assert "dry run" in cli("add", str(vault), "--dry-run").out


@pytest.mark.parametrize("prune", [False, True])
def test_a_dry_run_over_a_known_folder_tells_the_same_and_does_nothing(
    cli: Cli, vault: Path, prune: bool
) -> None:
    write_lines(vault / "r.jsonl", {"id": "one", "text": "a"}, {"id": "two", "text": "b"})
    cli("add", str(vault))
    (vault / "alpha.md").unlink()
    write(vault / "sub" / "beta.md", "# Beta\n\nThe otter sleeps.\n")
    write(vault / "new.md", "The plover runs.")
    write_lines(vault / "r.jsonl", {"id": "two", "text": "b"})
    before = snapshot(cli)
    flags = ["--prune", "--yes"] if prune else []
    dry = cli("add", str(vault), "--dry-run", "--json", *flags)
    assert dry.code == 0
    assert snapshot(cli) == before
    assert sorted(p["where"] for p in dry.json["missing"]) == ["alpha.md", "one"]
    real = cli("add", str(vault), "--json", *flags)
    assert tallied(dry.json) == tallied(real.json)
    assert real.json["removed"] == (2 if prune else 0)


@pytest.mark.parametrize(
    "given",
    [("vault", "vault"), ("vault", "vault/sub"), ("vault/sub", "vault"),
     ("vault/sub/beta.md", "vault", "vault/r.jsonl"), ("vault/.hidden", "vault/sub", "vault")],
    ids=" ".join,
)  # fmt: skip
def test_what_is_in_several_of_the_places_counts_once(
    cli: Cli, vault: Path, given: tuple[str, ...]
) -> None:
    write(vault / "secret.md", f"{PASSWORD}\n")
    write(vault / ".hidden" / "note.md", "The bittern booms.\n")
    write_lines(vault / "r.jsonl", {"id": "one", "text": "a"}, {"id": "two", "text": "b"})
    git(vault, "init", "-q")
    places = [str(vault.parent / place) for place in given]
    dry = cli("add", *places, "--dry-run", "--json").json
    real = cli("add", *places, "--json").json
    assert tallied(dry) == tallied(real)
    assert dry["sources"] == real["sources"]
    hidden = "vault/.hidden" in given
    assert (real["added"], real["unchanged"], sum(real["redacted"].values())) == (6 + hidden, 0, 1)
    again = cli("add", *places, "--json").json
    assert (again["added"], again["unchanged"]) == (0, 6 + hidden)
    (vault / "sub" / "beta.md").unlink()
    gone = cli("add", *places, "--dry-run", "--json").json["missing"]
    assert [Path(problem["where"]).name for problem in gone] == ["beta.md"]
    assert cli("add", *places, "--prune", "--yes", "--json").json["removed"] == 1


def test_a_dry_run_of_pruning_asks_nobody(cli: Cli, vault: Path) -> None:
    cli("add", str(vault))
    (vault / "alpha.md").unlink()
    assert cli("add", str(vault), "--prune", "--dry-run").code == 0
    assert cli("search", "heron").code == 0


# ------------------------------------------------------------------ secrets

SHA = "9fceb02d0ae598e95dc970b74767f19372d61af8"


@pytest.fixture
def leaky(tmp_path: Path) -> Path:
    folder = tmp_path / "leaky"
    write(folder / "env.md", f"# Setup\n\n{PASSWORD}\n\nFixed in {SHA}.\n")
    write(folder / "head.md", f"---\ntitle: Keys\ngithub: {TOKEN}\n---\nSee the header.\n")
    write_lines(folder / "r.jsonl", {"id": "one", "text": "plain", "keys": {"deploy": [TOKEN]}})
    output = [{"type": "tool_result", "tool_use_id": "t1", "content": f"token: {TOKEN}\nat {SHA}"}]
    log(folder / "elder.jsonl", ASKED, turn("r1", "user", output))
    return folder


def stored(memory: Memory) -> str:
    return json.dumps([repr(document) for document in everything(memory)])


def test_secrets_are_taken_out_wherever_they_stand_and_counted(mem: Memory, leaky: Path) -> None:
    receipt = mem.add(leaky)
    text = stored(mem)
    assert TOKEN not in text
    assert "hunter2-Zq81xWv0" not in text
    assert text.count(SHA) == 2
    assert "DB_PASSWORD=[redacted:" in mem.get("env.md").text
    assert "[redacted:" in mem.get("elder").messages[1].text
    assert "[redacted:" in json.dumps(dict(mem.get("one").meta))
    assert receipt.redacted.total() == 4
    assert found(mem, "hunter2") == []


def test_the_receipt_of_the_command_says_how_many_secrets_were_taken_out(
    cli: Cli, leaky: Path
) -> None:
    assert "4 secrets redacted" in cli("add", str(leaky), "--dry-run").out
    assert sum(cli("add", str(leaky), "--json").json["redacted"].values()) == 4
    assert cli("add", str(leaky), "--json").json["redacted"] == {}


def test_secrets_stay_if_asked_and_the_other_choice_reads_again(cli: Cli, leaky: Path) -> None:
    kept = cli("add", str(leaky), "--no-redact", "--json").json
    assert (kept["added"], kept["redacted"]) == (4, {})
    assert TOKEN in cli("get", "head.md", "--json").out
    assert cli("add", str(leaky), "--no-redact", "--json").json["unchanged"] == 4
    clean = cli("add", str(leaky), "--json").json
    assert (clean["added"], clean["changed"], sum(clean["redacted"].values())) == (0, 4, 4)
    assert TOKEN not in cli("get", "head.md", "--json").out
    assert cli("search", "hunter2").code == 3
    assert cli("add", str(leaky), "--no-redact", "--json").json["changed"] == 4


KEY = [f"MIIEpAIBAAKCAQEA7bq0mV2x3n9fQ1vZ8yJ4s6u0pLrTgHkWcXeYdAoBiNfMjS{n:02}" for n in range(25)]
PEM = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *KEY, "-----END RSA PRIVATE KEY-----"])


def tool(output: str) -> dict[str, Any]:
    return turn("r1", "user", [{"type": "tool_result", "tool_use_id": "t1", "content": output}])


@pytest.mark.parametrize("secret", [PEM, TOKEN, f"{PASSWORD}\n"])
@pytest.mark.parametrize("share", [0.3, 0.9])
@pytest.mark.parametrize("end", [False, True])
def test_no_part_of_a_secret_is_kept_where_a_long_output_is_cut(
    mem: Memory, tmp_path: Path, secret: str, share: float, end: bool
) -> None:
    inside = int(len(secret) * share)
    before, after = ("x\n" * 5000)[inside - 2000 :], "\ny" * 5000
    if end:
        before, after = "x\n" * 5000, after[: 2000 - len(secret) + inside]
    mem.add(log(tmp_path / "logs" / "elder.jsonl", ASKED, tool(before + secret + after)))
    text = mem.get("elder").rendered()
    assert "characters …]" in text
    parts = (*KEY, KEY[0][:12], KEY[0][-20:-2], TOKEN[4:12], TOKEN[-8:], "Zq81xWv0", "hunter2")
    assert [part for part in parts if part in text] == []


def test_the_title_of_a_session_has_no_part_of_a_secret(mem: Memory, tmp_path: Path) -> None:
    asked = f"Please push the new release using that mirror_token={TOKEN} today"
    mem.add(log(tmp_path / "logs" / "elder.jsonl", turn("u1", "user", asked)))
    assert mem.get("elder").title.startswith("Please push the new release")
    assert TOKEN[:8] not in stored(mem)


def test_an_output_of_a_notebook_is_not_cut_inside_a_secret(mem: Memory, tmp_path: Path) -> None:
    output = {"output_type": "stream", "text": "x\n" * 990 + TOKEN + "\ny" * 5000}
    cell = {"cell_type": "code", "source": "1", "outputs": [output]}
    mem.add(write(tmp_path / "a.ipynb", json.dumps({"cells": [cell], "metadata": {}})))
    assert TOKEN[:8] not in stored(mem)


def test_redaction_can_be_configured(cli: Cli, leaky: Path) -> None:
    cli("config", "set", "import.redact", "false")
    assert cli("add", str(leaky), "--json").json["redacted"] == {}
    assert PASSWORD in cli("get", "env.md", "--json").json["text"]


# ------------------------------------------------------------------ ignore files


def test_what_ignore_files_name_is_left_out(mem: Memory, vault: Path) -> None:
    write(vault / ".gitignore", "*.log.md\ndrafts/\n")
    write(vault / ".recollectignore", "private/\n!kept.log.md\n")
    write(vault / "sub" / ".gitignore", "gamma.md\n!important.log.md\n")
    for name in ("a.log.md", "kept.log.md", "sub/important.log.md", "drafts/idea.md",
                 "private/diary.md", "sub/private/diary.md", "sub/drafts.md"):  # fmt: skip
        write(vault / name, f"The bittern is in {name}.")
    mem.add(vault)
    assert names(mem) == [
        "alpha.md", "kept.log.md", "sub/beta.md", "sub/drafts.md", "sub/important.log.md",
    ]  # fmt: skip


def test_a_note_that_is_left_out_from_now_on_is_told_and_pruned(mem: Memory, vault: Path) -> None:
    mem.add(vault)
    write(vault / ".recollectignore", "sub/\n!sub/beta.md\n")
    assert gone(mem.add(vault)) == ["sub/beta.md", "sub/gamma.md"]
    assert mem.add(vault, prune=True).removed == 2
    (vault / ".recollectignore").unlink()
    assert mem.add(vault).added == 2


# ------------------------------------------------------------------ repositories


def git(repo: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(repo), *arguments], check=True, capture_output=True)
    return done.stdout.decode().strip()


def commit(repo: Path, message: str, **written: str) -> str:
    for name, text in written.items():
        write(repo / name.replace("_", "."), text)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "--allow-empty", "-m", message)
    return git(repo, "rev-parse", "HEAD")


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Mara Lind")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "mara@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    place = tmp_path / "shop"
    place.mkdir()
    git(place, "init", "-q", "-b", "main")
    commit(place, "Charge an order once\n\nThe retry charged twice. Fixes #12.",
           pay_py='"""Charges orders."""\n', notes_md="# Notes\n\nThe heron.\n")  # fmt: skip
    return place


def test_a_repository_brings_its_files_its_commits_and_its_registry(
    mem: Memory, repo: Path
) -> None:
    receipt = mem.add(repo)
    assert set(receipt.sources) == {"shop", "shop-git"}
    assert counts(receipt) == (5, 0, 0)
    (made,) = mem.list(kinds=["audit"]).items
    about = mem.get(made.id)
    assert (about.title, about.meta["author"]) == ("Charge an order once", "Mara Lind")
    assert about.external == git(repo, "rev-parse", "HEAD")
    assert found(mem, "charged twice", issues=["#12"], events=["commit"]) == [about.external]
    assert found(mem, "charges orders", kinds=["file"], sources=["shop-git"]) == ["pay.py"]
    assert found(mem, "heron", kinds=["note"]) == ["notes.md"]


def test_a_repository_added_again_brings_only_what_is_new(mem: Memory, repo: Path) -> None:
    mem.add(repo)
    assert counts(mem.add(repo)) == (0, 0, 5)
    commit(repo, "Nothing but a word")
    again = mem.add(repo)
    assert (again.added, again.changed) == (1, 0)
    commit(repo, "Say more", notes_md="# Notes\n\nThe heron and the otter.\n")
    again = mem.add(repo)
    assert (again.added, again.changed) == (1, 2)
    assert counts(mem.add(repo)) == (0, 0, 7)


def test_the_history_of_a_repository_may_be_left_out(cli: Cli, repo: Path) -> None:
    assert cli("add", str(repo), "--no-history", "--json").json["added"] == 2
    assert cli("list", "--kind", "audit").code == 3
    assert cli("add", str(repo), "--json").json["added"] == 3


def test_a_tracked_file_that_was_removed_is_told_until_it_is_pruned(
    mem: Memory, repo: Path
) -> None:
    mem.add(repo)
    git(repo, "rm", "-q", "pay.py")
    commit(repo, "Away with it")
    for _ in range(2):
        assert gone(mem.add(repo)) == ["pay.py", "pay.py"]
    assert mem.add(repo, prune=True).removed == 2
    assert gone(mem.add(repo)) == []
    assert len(mem.list(kinds=["audit"]).items) == 2


def test_other_scopes_or_no_redaction_reach_the_commits_too(mem: Memory, repo: Path) -> None:
    commit(repo, f"Rotate\n\nThe old one was {TOKEN}")
    assert mem.add(repo).redacted.total() == 1
    mem.add(repo, scopes=["work"])
    assert {d.scopes for d in everything(mem)} == {("work",)}
    assert TOKEN not in stored(mem)
    mem.add(repo, scopes=["work"], redact=False)
    assert TOKEN in stored(mem)
    assert len(names(mem)) == 6


def test_a_repository_that_is_gone_is_told_and_comes_back(mem: Memory, repo: Path) -> None:
    mem.add(repo)
    away = repo.rename(repo.with_name("away"))
    assert len(mem.add(repo).missing) == 5
    assert mem.add(repo, prune=True).removed == 5
    away.rename(repo)
    assert counts(mem.add(repo)) == (5, 0, 0)


def test_a_repository_without_commits_is_only_its_files(mem: Memory, tmp_path: Path) -> None:
    place = write(tmp_path / "fresh" / "a.md", "The heron.").parent
    git(place, "init", "-q")
    receipt = mem.add(place)
    assert (receipt.added, receipt.failed) == (1, ())
    assert counts(mem.add(place)) == (0, 0, 1)


# ------------------------------------------------------------------ other tools' memories


def test_an_export_of_mem0_is_a_memory_each(mem: Memory, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(FIXTURES / "memories", tmp_path / "memories"))
    assert mem.add(folder / "mem0.json").added == 2
    assert {(d.kind, d.meta["format"]) for d in everything(mem)} == {("memory", "mem0")}
    assert len(found(mem, "prefers tea")) == 1
    assert counts(mem.add(folder / "mem0.json")) == (0, 0, 2)


def test_memories_of_several_tools_are_known_for_what_they_are(mem: Memory, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(FIXTURES / "memories", tmp_path / "memories"))
    receipt = mem.add(folder)
    assert receipt.failed == ()
    kinds = {d.path: (d.kind, d.meta.get("format")) for d in everything(mem)}
    assert kinds["brewing.md"] == ("memory", "basic-memory")
    assert kinds["memory/MEMORY.md"] == kinds["memory/feedback_tests.md"] == ("memory", "claude")
    assert kinds["mem0.json"] == kinds["mem0.jsonl"] == ("memory", "mem0")
    assert kinds["plain.md"] == ("note", None)
    assert counts(mem.add(folder)) == (0, 0, receipt.added)
    (brewing,) = [d for d in everything(mem) if d.path == "brewing.md"]
    assert {"type": "requires", "target": "Grinding"} in brewing.meta["links"]


def test_an_export_with_one_memory_less_tells_which(mem: Memory, tmp_path: Path) -> None:
    memories = [{"id": str(n), "memory": f"The heron says {n}", "user_id": "u"} for n in range(3)]
    file = write(tmp_path / "mem0.json", json.dumps({"results": memories}))
    mem.add(tmp_path / "mem0.json")
    file.write_text(json.dumps({"results": memories[1:]}))
    assert gone(mem.add(file)) == ["mem0.json"]
    assert mem.add(file, prune=True).removed == 1
    assert names(mem) == ["1", "2"]


def test_a_project_brings_the_memories_and_sessions_in_its_hidden_folders(
    mem: Memory, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    kept = {
        "readme.md": "note",
        ".brv/context-tree/design/auth.md": "memory",
        ".claude/memory/MEMORY.md": "memory",
        ".claude/agent-memory/reviewer/MEMORY.md": "memory",
        "web/.claude/memory/MEMORY.md": "memory",
        ".specstory/history/2026-05-05_10-00-00Z-run-the-tests.md": "session",
        ".claude/projects/-home-ana/elder.jsonl": "session",
        ".claude/projects/-home-ana/memory/MEMORY.md": "memory",
    }
    for name in kept:
        write(project / name, "# Heron\n\nIt stands in the water.\n")
    transcript = "2026-05-05_10-00-00Z-run-the-tests.md"
    shutil.copy(FIXTURES / "sessions" / "specstory" / transcript, project / ".specstory/history")
    log(project / ".claude/projects/-home-ana/elder.jsonl", ASKED, TOLD)
    for name in (".git/config", ".venv/lib/a.md", ".cache/a.md", ".brv/config.json", ".brv/a.md",
                 ".claude/settings.json", ".claude/commands/a.md", ".specstory/a.md",
                 ".claude/projects/-home-ana/todo.txt", ".github/workflows/ci.yml", ".env",
                 ".brv/context-tree/_manifest.json", ".obsidian/a.md", "node_modules/.claude/a.md",
                 "web/.claude/worktrees/a.md", "docs/.brv"):  # fmt: skip
        write(project / name, "not mine\n")
    receipt = mem.add(project)
    assert {d.path: d.kind for d in everything(mem)} == kept
    assert receipt.failed == ()
    assert counts(mem.add(project)) == (0, 0, len(kept))
    assert {d.source for d in everything(mem)} == {"project"}
    assert mem.add(project / ".github").added == 1
    assert counts(mem.add(project / ".brv" / "context-tree")) == (0, 0, 1)


def test_ignore_files_speak_of_hidden_folders_too(mem: Memory, tmp_path: Path) -> None:
    for name in (".brv/context-tree/a.md", ".claude/memory/MEMORY.md", ".claude/memory/b.md"):
        write(tmp_path / "project" / name, "# Heron\n")
    write(tmp_path / "project" / ".gitignore", ".brv/\n")
    write(tmp_path / "project" / ".claude" / ".gitignore", "b.md\n")
    mem.add(tmp_path / "project")
    assert names(mem) == [".claude/memory/MEMORY.md"]


def test_decision_records_are_decisions(mem: Memory, tmp_path: Path) -> None:
    mem.add(shutil.copytree(FIXTURES / "adr", tmp_path / "adr"))
    decisions = {d.meta["number"]: d for d in everything(mem) if d.kind == "decision"}
    assert sorted(decisions) == [1, 2, 5, 7]
    assert decisions[5].meta["supersedes"] == [2]
    assert found(mem, "sessions in Postgres", kinds=["decision"])[0] == decisions[5].external


def test_claudes_memories_are_imported_from_where_claude_keeps_them(
    mem: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    project = tmp_path / "claude" / "projects" / "-home-ana-shop"
    shutil.copytree(FIXTURES / "memories" / "memory", project / "memory")
    assert mem.add(project / "memory").added == 2
    assert {(d.kind, d.meta["format"]) for d in everything(mem)} == {("memory", "claude")}


# ------------------------------------------------------------------ the sessions of this machine


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home with a log of Claude Code and one of Codex."""
    home = tmp_path / "user"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / ".local" / "share"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "CURSOR_CONFIG_DIR",
                 "GEMINI_CLI_HOME", "GOOSE_PATH_ROOT", "HERMES_HOME", "OPENCODE_DB",
                 "OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR", "OPENCLAW_HOME"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture
def clients(machine: Path) -> Path:
    log(machine / ".claude" / "projects" / "-home-ana" / "elder.jsonl", ASKED, TOLD)
    write(machine / ".claude" / "projects" / "-home-ana" / "todo.txt", "not a session")
    shutil.copytree(FIXTURES / "sessions" / "codex", machine / ".codex")
    for broken in (machine / ".codex").rglob("*8007*"):
        broken.unlink()
    return machine


def test_without_logs_there_is_nothing_to_add(cli: Cli, machine: Path) -> None:
    refused = cli("add", "sessions")
    assert refused.code == 1
    assert "no sessions" in refused.err
    with Memory.open() as memory, pytest.raises(InputError):
        memory.add("sessions")


def test_the_sessions_of_this_machine_are_shown_and_imported_with_a_yes(
    cli: Cli, clients: Path
) -> None:
    done = cli("add", "sessions", "--yes", "--json")
    assert done.code == 0
    assert "Claude Code" in done.err
    assert str(clients / ".codex" / "sessions") in done.err
    assert done.json["sources"] == ["claude-code", "codex"]
    assert (done.json["added"], done.json["failed"]) == (7, [])
    formats = {i["source"]: i["meta"]["format"] for i in cli("list", "--json").json["items"]}
    assert formats == {"claude-code": "claude-code", "codex": "codex"}
    again = cli("add", "sessions", "--yes", "--json").json
    assert (again["added"], again["changed"], again["unchanged"]) == (0, 0, 7)
    assert again["missing"] == []
    assert cli("add", str(clients / ".claude" / "projects"), "--json").json["unchanged"] == 1


def test_without_a_terminal_nothing_is_imported_unasked(cli: Cli, clients: Path) -> None:
    refused = cli("add", "sessions")
    assert refused.code == 2
    assert "Claude Code" in refused.err
    assert "--yes" in refused.err
    assert cli("list").code == 3


def test_a_dry_run_shows_the_sessions_of_this_machine_and_keeps_none(
    cli: Cli, clients: Path
) -> None:
    dry = cli("add", "sessions", "--dry-run", "--json")
    assert (dry.code, dry.json["added"]) == (0, 7)
    assert cli("list").code == 3


def test_a_log_that_its_client_deleted_is_kept_and_pruned_only_after_being_shown(
    cli: Cli, clients: Path
) -> None:
    cli("add", "sessions", "--yes")
    old = next((clients / ".codex" / "sessions").rglob("*5.jsonl"))
    old.unlink()
    told = cli("add", "sessions", "--yes", "--json").json
    assert [Path(p["where"]).name for p in told["missing"]] == [old.name]
    assert cli("add", "sessions", "--prune").code == 2
    pruned = cli("add", "sessions", "--prune", "--yes", "--json")
    assert pruned.json["removed"] == 1
    assert old.name in pruned.err


def test_a_folder_called_sessions_is_a_folder(cli: Cli, clients: Path) -> None:
    write(Path("sessions") / "a.md", "The heron.")
    assert cli("add", "sessions", "--json").json["sources"] == ["sessions"]


# ------------------------------------------------------------------ whose it is


def test_what_was_said_of_a_folder_holds_until_something_else_is_said(
    mem: Memory, vault: Path
) -> None:
    mem.add(vault, owner="ana", scopes=["work"])
    write(vault / "new.md", "The plover runs.")
    assert counts(mem.add(vault)) == (1, 0, 3)
    assert {(d.owner, d.scopes) for d in everything(mem)} == {("ana", ("work",))}
    assert mem.add(vault, scopes=["home"]).changed == 4
    assert {(d.owner, d.scopes) for d in everything(mem)} == {("ana", ("home",))}


def test_a_new_owner_gets_the_sessions_and_the_old_ones_are_told(mem: Memory, forked: Path) -> None:
    mem.add(forked, owner="ana")
    given = mem.add(forked, owner="ben", prune=True)
    assert (given.added, given.removed) == (2, 2)
    assert {d.owner for d in everything(mem)} == {"ben"}
    assert kept(mem) == ["a1", "u1", "u2", "u3"]


def test_a_new_file_is_seen_by_no_more_than_those_around_it(mem: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "people"
    write(folder / "pay.md", "The pay rises.\n")
    write(folder / "travel.md", "Travel is booked early.\n")
    mem.add(folder, scopes=["hr"])
    mem.add(folder / "travel.md", scopes=["universal"])
    write(folder / "layoffs.md", "The heron leaves.\n")
    write(folder / "plans" / "next.md", "The otter comes.\n")
    mem.add(folder)
    assert mem.get("layoffs.md").scopes == mem.get("plans/next.md").scopes == ("hr",)
    assert mem.get("travel.md").scopes == ("universal",)


def test_a_new_file_has_the_scopes_of_its_own_folder(mem: Memory, vault: Path) -> None:
    mem.add(vault)
    mem.add(vault / "sub", scopes=["private"])
    write(vault / "delta.md", "The dipper.\n")
    write(vault / "sub" / "epsilon.md", "The egret.\n")
    mem.add(vault)
    assert mem.get("delta.md").scopes == ("universal",)
    assert mem.get("sub/epsilon.md").scopes == ("private",)


def test_a_part_of_a_folder_keeps_scopes_of_its_own(mem: Memory, vault: Path) -> None:
    mem.add(vault, scopes=["home"])
    mem.add(vault / "sub", scopes=["work"])
    assert counts(mem.add(vault)) == (0, 0, 3)
    assert {d.external: d.scopes for d in everything(mem)} == {
        "alpha.md": ("home",), "sub/beta.md": ("work",), "sub/gamma.md": ("work",),
    }  # fmt: skip


@pytest.mark.parametrize("broken", [False, True], ids=["whole", "with a bad line"])
def test_what_was_said_of_a_file_of_lines_holds_as_well(
    mem: Memory, tmp_path: Path, broken: bool
) -> None:
    file = write_lines(tmp_path / "r.jsonl", {"id": "one", "text": "a"}, *["bad"] * broken)
    mem.add(file, owner="ana", scopes=["work"])
    append(file, {"id": "two", "text": "b"}, {"id": "own", "text": "c", "owner": "ben"})
    assert mem.add(file).added == 2
    assert {d.external: (d.owner, d.scopes) for d in everything(mem)} == {
        "one": ("ana", ("work",)), "two": ("ana", ("work",)), "own": ("ben", ("work",)),
    }  # fmt: skip


# ------------------------------------------------------------------ several files of one session


def long_talk(count: int) -> list[dict[str, Any]]:
    pairs = [(turn(f"q{n}", "user", f"What is heron {n} doing?"),
              turn(f"r{n}", "assistant", f"Heron {n} is fishing below weir {n}."))
             for n in range(count)]  # fmt: skip
    return [one for pair in pairs for one in pair]


@pytest.mark.parametrize("stub_age", [2, 0], ids=["older", "newer"])
def test_of_a_stub_and_the_whole_session_the_whole_is_kept(
    mem: Memory, tmp_path: Path, stub_age: int
) -> None:
    folder = tmp_path / "logs"
    log(folder / "a" / "talk.jsonl", *long_talk(1), age=stub_age)
    log(folder / "b" / "talk.jsonl", *long_talk(9), age=1)
    receipt = mem.add(folder)
    assert len(mem.get("talk").messages) == 18
    skipped = [problem.reason for problem in receipt.skipped]
    assert [("16 of the 18 turns" in reason) for reason in skipped] == [True] * (not stub_age)
    log(folder / "a" / "talk.jsonl", *long_talk(2))
    mem.add(folder)
    assert len(mem.get("talk").messages) == 18


def test_a_session_that_shrinks_is_kept_and_reported(cli: Cli, tmp_path: Path) -> None:
    file = log(tmp_path / "logs" / "talk.jsonl", *long_talk(9), age=2)
    cli("add", str(file))
    log(file, *long_talk(3), age=1)
    again = cli("add", str(file), "--json").json
    assert (again["added"], again["changed"]) == (0, 0)
    assert "12 of the 18 turns" in again["skipped"][0]["reason"]
    assert again["missing"] == []
    went_on = [turn("n", "user", "Forget herons: where is the otter, and since when?")]
    log(file, *long_talk(3), *went_on)
    rewound = cli("add", str(file), "--json").json
    assert rewound["changed"] == 1
    assert "12 of the 18 turns" in rewound["warnings"][0]["reason"]


def bare(path: Path, *turns: dict[str, Any]) -> Path:
    """A log whose turns have no ids."""
    names = ("uuid", "parentUuid")
    return log(path, *({k: v for k, v in one.items() if k not in names} for one in turns))


@pytest.mark.parametrize("write_log", [log, bare], ids=["ids", "bare"])
@pytest.mark.parametrize("first", ["stub", "whole"])
def test_copies_of_a_session_in_two_sources_are_one_session(
    mem: Memory, tmp_path: Path, first: str, write_log: Callable[..., Path]
) -> None:
    write_log(tmp_path / "stub" / "talk.jsonl", *long_talk(2))
    write_log(tmp_path / "whole" / "talk.jsonl", *long_talk(9))
    second = "whole" if first == "stub" else "stub"
    mem.add(tmp_path / first)
    receipt = mem.add(tmp_path / second)
    if first == "stub":
        assert "14 of its 18 turns" in receipt.warnings[0].reason
        assert "stub" in receipt.warnings[0].reason
    else:
        assert "lacks 14 of the 18 turns" in receipt.skipped[0].reason
    for place in (first, second):  # nothing comes or goes when they are read again
        write_log(tmp_path / place / "talk.jsonl", *long_talk(9 if place == "whole" else 3))
        assert gone(mem.add(tmp_path / place)) == []
    (talk,) = everything(mem)
    assert (talk.source, len(talk.messages)) == (first, 18)


def test_copies_in_two_sources_that_went_on_differently_keep_the_words_of_both(
    mem: Memory, tmp_path: Path
) -> None:
    log(tmp_path / "one" / "talk.jsonl", *long_talk(3), turn("n", "user", "Where is the otter?"))
    log(tmp_path / "two" / "talk.jsonl", *long_talk(4))
    mem.add(tmp_path / "one")
    receipt = mem.add(tmp_path / "two")
    assert "2 of its 8 turns" in receipt.warnings[0].reason
    (talk,) = everything(mem)
    assert set(said(mem, "talk")) == {"n", *(f"{c}{n}" for n in range(4) for c in "qr")}
    assert talk.meta["files"] == [str(tmp_path / "two" / "talk.jsonl"), "talk.jsonl"]


@pytest.mark.parametrize("whose", [{"owner": "ben"}, {"scopes": ["work"]}])
def test_copies_that_not_everybody_may_see_stay_apart(
    mem: Memory, tmp_path: Path, whose: dict[str, Any]
) -> None:
    for place, given in (("one", {}), ("two", whose)):
        bare(tmp_path / place / "talk.jsonl", *long_talk(2))
        mem.add(tmp_path / place, **given)
    assert len(everything(mem)) == 2


def test_two_sessions_that_only_share_a_name_stay_apart(mem: Memory, tmp_path: Path) -> None:
    bare(tmp_path / "one" / "talk.jsonl", *long_talk(2))
    bare(tmp_path / "two" / "talk.jsonl", turn("x", "user", "Where does the otter sleep now?"))
    mem.add(tmp_path / "one")
    assert counts(mem.add(tmp_path / "two")) == (1, 0, 0)
    assert sorted(d.source for d in everything(mem)) == ["one", "two"]
