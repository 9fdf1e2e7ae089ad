"""What an import leaves out of sessions, and says: recollect's own words, thoughts, long output."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from conftest import Cli
from recollect import Memory
from recollect.nouns import Message
from recollect.sources.conversation import FileDestination, document
from recollect.sources.sessions.base import Session
from recollect.sources.sessions.codex import FORMAT

SAID = "ledger-quince: the webhook retries twice"
"""What recollect found, and no import may find again."""
CALLS = (
    "mcp__recollect__search query='quince'",
    "mcp__plugin_recollect_recollect__gather query='quince'",
    "mcp__recollect.search query='quince'",
    "mcp_recollect_sessions query='quince'",
    "recollect__search query='quince'",
    "recollect_search query='quince'",
    "recollect-search query='quince'",
    "recollect.get id='quince'",
    "Bash command='recollect search \"quince\" --json' description='look'",
    'shell command=["bash", "-lc", "recollect sessions quince"]',
    "run_shell_command command='cd shop && recollect context quince'",
    "mcp__recollect__status",
    "Bash recollect search quince",
    "Bash command='recollect --store /srv/memory --json search quince'",
    f"Bash description='look' command='cd /srv/{'shop/' * 30} && recollect search quince'",
    "Bash command='cd shop\\nA=\"b c\" ~/.local/bin/recollect facts | head -3'",
    'shell command=["recollect", "gather", "quince"]',
    'shell command=["bash", "-lc", "cd shop; uv run --project /srv recollect curate a.md"]',
    'local_shell action={"type": "exec", "command": ["sh", "-c", "recollect answers"]}',
    "exec_command cmd='timeout 30 env A=b python3 -m recollect history quince'",
    "Bash command='for one in a b; do recollect get \"$one\"; done'",
    "Bash command='echo \"$(recollect search quince)\" > found'",
    "Bash command='cat > a <<EOF\\nrecollect is a command\\nEOF\\nrecollect search quince'",
)
OTHERS = (
    "Bash command='git log -- src/recollect search'",
    "Bash command='grep recollect search'",
    "Bash command='ls ~/.local/bin/recollect search'",
    "Bash command='cd src/recollect && ls search'",
    "Bash command='python -m pytest recollect search'",
    "Bash command='pip install recollect'",
    "Bash command='git commit -m \"docs; recollect search prints less\"'",
    "Bash command='cat > README <<EOF\\nrecollect search x\\nEOF'",
    "Bash command='# recollect search x\\nls'",
    "Write file_path='a.md' content='recollect search x'",
    "apply_patch *** Begin Patch",
)
"""Calls in which recollect is a path, or a word."""


def kept(*turns: tuple[str, str], **given: Any) -> list[str]:
    messages = tuple(Message(role, text, f"m{n}") for n, (role, text) in enumerate(turns))
    made = document(Session("s", messages), FORMAT, FileDestination("x", "local", (), ""), **given)
    return [message.text for message in made.document.messages]


@pytest.mark.parametrize("call", CALLS)
def test_what_recollect_said_is_left_out_under_any_name(call: str) -> None:
    name = call.partition(" ")[0]
    for result in (SAID, f"{name}: {SAID}"):
        turns = (("user", "Why?"), ("tool", call), ("tool", result), ("assistant", "It retries."))
        assert kept(*turns) == ["Why?", "It retries."]
    assert kept(("user", "Why?"), ("tool", f"{call}\n{SAID}"), ("tool", "Read path='a'")) == [
        "Why?",
        "Read path='a'",
    ]


@pytest.mark.parametrize("call", OTHERS)
def test_what_only_names_recollect_is_kept(call: str) -> None:
    assert kept(("tool", call), ("tool", "done")) == [call, "done"]


def test_a_call_is_read_in_time_that_grows_with_its_length() -> None:
    for part in ("$(recollect ", "<<recollect ", "'recollect ", "recollect\\n", "`", "command='"):
        call = f"Bash command='{part * 20_000}"
        begun = monotonic()
        kept(("tool", call), ("tool", "done"))
        assert monotonic() - begun < 5


def test_what_other_tools_said_between_is_kept() -> None:
    turns = (
        ("tool", "Read path='a.py'"),
        ("tool", CALLS[0]),
        ("tool", "def a(): ..."),
        ("tool", SAID),
        ("tool", "Bash command='grep -rn recollect src'"),
        ("tool", "src/recollect/a.py: import recollect"),
    )
    assert kept(*turns) == [
        "Read path='a.py'",
        "def a(): ...",
        "Bash command='grep -rn recollect src'",
        "src/recollect/a.py: import recollect",
    ]


# ------------------------------------------------------------------ a day of coding


def line(kind: str, content: Any, uuid: str) -> str:
    message = {"role": kind, "content": content, "id": f"api-{uuid}"}
    about = {"sessionId": "day", "timestamp": "2026-11-14T09:00:00Z", "cwd": "/home/ana/shop"}
    return json.dumps({"type": kind, "uuid": uuid, "message": message, **about}) + "\n"


def use(id: str, name: str, **input: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": input}


def result(id: str, text: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": [{"type": "text", "text": text}]}


@pytest.fixture
def day(tmp_path: Path) -> Path:
    """A log in which two tools answer in another order than they were called in."""
    file = tmp_path / "logs" / "day.jsonl"
    file.parent.mkdir()
    thought = {"type": "thinking", "thinking": "Perhaps the marmot worker.", "signature": "x"}
    calls = [
        use("t1", "mcp__recollect__search", query="quince"),
        use("t2", "Bash", command="make"),
        use("t3", "Bash", command="uvx recollect search quince"),
    ]
    said = {"type": "text", "text": "The webhook is idempotent now, so that nobody pays twice."}
    file.write_text(
        line("user", "Why do customers pay twice?", "u1")
        + line("assistant", [thought, *calls], "a1")
        + line("user", [result("t2", "compiled\n" * 1000)], "u2")
        + line("user", [result("t3", SAID)], "u3")
        + line("user", [result("t1", SAID)], "u4")
        + line("assistant", [said], "a2")
    )
    return file


@pytest.fixture
def mem(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store", embed_model="none") as opened:
        yield opened


def test_nothing_of_recollects_own_is_found_after_a_day(mem: Memory, day: Path) -> None:
    receipt = mem.add(day)
    assert receipt.left_out == {
        "recollect's own": 4,
        "thoughts": 1,
        "tool outputs shortened": 1,
    }
    told = mem.get("day").rendered()
    assert "quince" not in told
    assert "marmot" not in told
    assert "compiled" in told
    assert not mem.search("quince", roles=["tool"]).results


def test_the_receipt_says_what_was_left_out(cli: Cli, day: Path) -> None:
    said = cli("add", str(day)).out
    assert "1 thoughts left out" in said
    assert "4 messages of recollect's own left out" in said
    assert "1 long tool outputs shortened" in said


@pytest.mark.parametrize("role", ["tool", "all"])
def test_what_tools_printed_is_found_where_it_is_asked_for(cli: Cli, day: Path, role: str) -> None:
    cli("add", str(day))
    assert "tool: compiled" not in cli("search", "compiled").out
    assert "tool: compiled" in cli("search", "compiled", "--role", role).out


def test_thoughts_are_kept_by_a_setting(
    day: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory.open(tmp_path / "thinking", embed_model="none") as mem:
        mem.add(day)
    monkeypatch.setenv("RECOLLECT_IMPORT_THOUGHTS", "yes")
    with Memory.open(tmp_path / "thinking", embed_model="none") as mem:
        assert mem.add(day).changed == 1
        assert "marmot" in mem.get("day").rendered()
        said = "\n".join(one.text for one in mem.search("marmot worker").results)
        assert "marmot" not in said, "a thought is shown where it is asked for"
        assert mem.search("marmot worker", roles=["thought"]).results


FIXTURES = Path(__file__).parent / "fixtures" / "sessions"
THINKING = [
    FIXTURES / "specstory",
    FIXTURES / "chatgpt" / "conversations.json",
    FIXTURES / "copilot",
    FIXTURES / "claude-ai" / "conversations.json",
]


@pytest.mark.parametrize("log", THINKING, ids=lambda log: log.parent.name + log.name)
def test_thoughts_of_every_client_are_counted_and_kept_by_the_setting(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory.open(tmp_path / "without", embed_model="none") as mem:
        counted = mem.add(log).left_out["thoughts"]
        assert counted
    monkeypatch.setenv("RECOLLECT_IMPORT_THOUGHTS", "yes")
    with Memory.open(tmp_path / "thinking", embed_model="none") as mem:
        assert not mem.add(log).left_out["thoughts"]
        assert mem.search("thought secret retry", roles=["thought"]).results


LIKE_OURS = (
    "direct_passages · sure\n[5eb4f018558fb8c6:0] Quince (note · 2026-09-01 · sure)\nquince is due",
    "=== Quince (note, quince.md, 2026-09-01) [5eb4f018558fb8c6:0]\nquince is due",
    "[5eb4f018558fb8c6] Quince · note · 2026-09-01 · quince.md\nquince is due",
    '{\n  "schema_version": 1,\n  "query": "quince",\n  "status": "direct_passages"\n}',
    "found · sure · 1 of 1 · 38 tokens · 634 ms\n\n 1  Quince\n    quince is due",
    "Quince\nnote · 2026-09-01 · quince.md · notes · 5eb4f018558fb8c6\n\nquince is due",
)


@pytest.mark.parametrize("told", LIKE_OURS)
@pytest.mark.parametrize("call", ["curl -s localhost:7878/api/search", "ssh box recollect get 5e"])
def test_what_looks_like_our_output_is_ours_under_any_name(
    mem: Memory, tmp_path: Path, told: str, call: str
) -> None:
    file = tmp_path / "logs" / "day.jsonl"
    file.parent.mkdir()
    calls = [
        use("t1", "mcp__brain__search", query="quince"),
        use("t2", "mcp__brain__list"),
        use("t3", "Bash", command=f"{call} quince"),
        use("t4", "mcp__trello__search", query="medlar"),
        use("t5", "Bash", command="cat medlar.md"),
    ]
    answers = (told, "quince", told, "medlar · card 5eb4", "Medlar [5eb4f018] · note\nmedlar")
    file.write_text(
        line("user", "When is it due?", "u1")
        + line("assistant", calls, "a1")
        + "".join(
            line("user", [result(f"t{n}", one)], f"u{n}x") for n, one in enumerate(answers, 1)
        )
        + line("assistant", [{"type": "text", "text": "On Friday."}], "a2")
    )
    assert mem.add(file.parent).left_out == {"recollect's own": 6}
    kept = mem.get("day").rendered()
    assert "quince" not in kept
    assert kept.count("medlar") == 4
