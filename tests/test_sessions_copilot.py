"""Copilot CLI logs: the session's events, and the subagents' among them."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.nouns import Message, Problem
from recollect.sources.sessions.base import Session
from recollect.sources.sessions.copilot import FORMAT

HOME = Path(__file__).parent / "fixtures" / "sessions" / "copilot" / "session-state"
ID = "4f0d2b6e-0000-4000-8000-0000000000c"
WHOLE_LOG, DAMAGED = (HOME / f"{ID}{n}" / "events.jsonl" for n in (1, 2))


def read(path: Path) -> tuple[list[Session], list[Problem]]:
    found = list(FORMAT.read(path))
    return (
        [one for one in found if isinstance(one, Session)],
        [one for one in found if isinstance(one, Problem)],
    )


def only(path: Path) -> Session:
    (session,), problems = read(path)
    assert not problems
    return session


def said(session: Session, role: str) -> list[str]:
    return [message.text for message in session.messages if message.role == role]


def event(id: str, kind: str, **data: Any) -> dict[str, Any]:
    stamp = "2026-11-14T09:12:03Z"
    return {"type": kind, "data": data, "id": id, "timestamp": stamp, "parentId": None}


def user(id: str, text: str, **more: Any) -> dict[str, Any]:
    return event(id, "user.message", content=text, **more)


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in records)


@pytest.fixture
def log(tmp_path: Path) -> Any:
    def write(*records: object) -> Path:
        path = tmp_path / "events.jsonl"
        path.write_bytes(lines(event("e0", "session.start", sessionId="S1"), *records))
        return path

    return write


# ------------------------------------------------------------------ the fixtures


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (
            WHOLE_LOG,
            [
                "system 1 user 2 context 3 assistant 3 tool 4 summary 1 thought 1",
                "system 1 context 1 tool 2 assistant 1",
            ],
        ),
        (DAMAGED, ["user 1 assistant 1 tool 1 oracle 1"]),
    ],
    ids=["whole", "damaged"],
)
def test_every_turn_counts_once_and_for_the_one_who_took_it(
    path: Path, expected: list[str]
) -> None:
    sessions, _ = read(path)
    assert len(sessions) == len(expected)
    for session, told in zip(sessions, map(str.split, expected), strict=True):
        counts = dict(zip(told[::2], map(int, told[1::2]), strict=True))
        assert Counter(message.role for message in session.messages) == counts
        assert len({message.id for message in session.messages}) == len(session.messages)


def test_a_session_knows_where_and_when_and_with_what_it_was() -> None:
    (session, _), problems = read(WHOLE_LOG)
    assert not problems
    assert session.id == f"{ID}1"
    assert session.title == "Double charge at checkout"
    assert session.date == datetime(2026, 11, 14, 9, 12, tzinfo=UTC)
    assert (session.folder, session.branch, session.model) == (
        "/home/ana/shop", "checkout", "gpt-6",
    )  # fmt: skip
    assert session.meta == {"version": "1.0.102"}


def test_the_human_is_quoted_as_typed_and_not_as_it_was_sent() -> None:
    session = read(WHOLE_LOG)[0][0]
    assert said(session, "user") == [
        "Why does checkout double-charge?",
        "make the webhook idempotent instead",
    ]
    assert session.messages[1] == Message(
        "user",
        "Why does checkout double-charge?",
        "e03",
        datetime(2026, 11, 14, 9, 12, 3, tzinfo=UTC),
    )


def test_skills_notices_and_the_autopilot_are_context() -> None:
    context = said(read(WHOLE_LOG)[0][0], "context")
    assert [text.split()[0] for text in context] == [
        "<skill-context", "<system_notification>A", "Continue",
    ]  # fmt: skip


def test_a_call_that_is_asked_for_and_started_counts_once_and_its_result_names_it() -> None:
    session, subagent = read(WHOLE_LOG)[0]
    assert said(session, "tool") == [
        "grep pattern='charge('",
        "task agent_type='explore' prompt='Which callers of charge() may run twice?'",
        "grep: pay.py:88: charge(order)",
        "task: The webhook and the button both call it.",
    ]
    assert said(subagent, "tool")[1] == "view: error: no such file: retry.py"


def test_a_subagent_is_a_session_of_its_own_and_its_task_is_nobodys_speech() -> None:
    session, subagent = read(WHOLE_LOG)[0]
    assert subagent.id == f"{session.id}/call_2"
    assert (subagent.parent, subagent.relation) == (session.id, "subagent")
    assert (subagent.title, subagent.model) == ("Explore Agent", "claude-haiku-5")
    assert subagent.folder == session.folder
    assert subagent.date == subagent.messages[0].date
    assert said(subagent, "context") == ["Which callers of charge() may run twice?"]
    assert not set(subagent.messages) & set(session.messages)


def test_a_compaction_gives_its_summary() -> None:
    assert said(read(WHOLE_LOG)[0][0], "summary") == [
        "<overview>The webhook and the button both charge.</overview>"
    ]


def test_what_was_rewound_and_our_own_context_are_left_out_and_thoughts_told_apart() -> None:
    messages = [message for session in read(WHOLE_LOG)[0] for message in session.messages]
    assert [m.role for m in messages if "Maybe a retry" in m.text] == ["thought"]
    told = "\n".join(message.text for message in messages)
    for word in ("delete the webhook", "Deleted.", "append-only", "todo tool"):
        assert word not in told


def test_a_damaged_log_gives_what_is_whole_and_says_what_is_not() -> None:
    (session,), problems = read(DAMAGED)
    assert [(p.where.rpartition(".jsonl")[2], p.level) for p in problems] == [
        (":5", "failed"), (":11", "warning"), ("", "warning"), ("", "warning"),
    ]  # fmt: skip
    assert "hologram.shown (2)" in problems[-2].reason
    assert "oracle (1)" in problems[-1].reason
    assert [m.id for m in session.messages] == ["e2", f"{ID}2:6", f"{ID}2:6/0", "e5"]
    assert (session.title, session.folder) == ("what is in the attic?", "/home/ana/attic")
    assert session.date == datetime(2026, 11, 14, 10, 0, 5, tzinfo=UTC)


# ------------------------------------------------------------------ what else logs hold


@pytest.mark.parametrize(
    ("source", "role"),
    [
        ("user", "user"),
        ("immediate-prompt", "user"),
        ("skill-pdf", "context"),
        ("jit-instruction", "context"),
        ("system", "context"),
    ],
)
def test_a_prompt_is_the_humans_if_the_human_sent_it(log: Any, source: str, role: str) -> None:
    assert said(only(log(user("e1", "hello", source=source))), role) == ["hello"]


def test_a_rewind_takes_subagents_back_too(log: Any) -> None:
    inline = {**event("e3", "assistant.message", content="found"), "agentId": "a"}
    back = event("e4", "session.snapshot_rewind", upToEventId="e2")
    path = log(user("e1", "one"), user("e2", "two"), inline, back, user("e5", "three"))
    assert said(only(path), "user") == ["one", "three"]


def test_a_subagent_is_known_by_the_call_that_started_it_where_it_has_no_id(log: Any) -> None:
    started = event("e1", "subagent.started", toolCallId="c", agentDisplayName="Scout")
    path = log(
        user("e0a", "go"),
        started,
        event("e2", "assistant.message", content="seen", parentToolCallId="c"),
    )
    (session, subagent), _ = read(path)
    assert (session.id, subagent.id, subagent.title) == ("S1", "S1/c", "Scout")


@pytest.mark.parametrize(
    ("yaml", "title", "folder"),
    [
        ("name: Plan\ncwd: /a b\n", "Plan", "/a b"),
        ("name: \"Plan: it\"\ncwd: '/c'\n", "Plan: it", "/c"),
        ("name: |-\n  Plan\n  cwd: /no\n", "hello", "/start"),
        ("name: null\nsummary: What it was\n", "What it was", "/start"),
        ("\tname: x\n: : :\n- cwd: /no\n", "hello", "/start"),
        ("", "hello", "/start"),
    ],
)
def test_the_workspace_file_names_the_session(log: Any, yaml: str, title: str, folder: str) -> None:
    path = log(event("e1", "session.resume", context={"cwd": "/start"}), user("e2", "hello"))
    path.with_name("workspace.yaml").write_text(yaml)
    session = only(path)
    assert (session.title, session.folder) == (title, folder)


def test_without_a_workspace_file_the_log_names_it(log: Any) -> None:
    path = log(user("e1", "hello\nthere"), event("e2", "session.title_changed", title="A greeting"))
    assert only(path).title == "A greeting"
    assert only(log(user("e1", "hello\nthere"))).title == "hello"


def test_a_log_outside_its_folder_is_named_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "S7.jsonl"
    path.write_bytes(lines(user("e1", "hello")))
    assert only(path).id == "S7"


def test_half_a_character_where_the_client_cut_a_text_does_no_harm(log: Any) -> None:
    (text,) = said(only(log(user("e1", "smile \ud83d"))), "user")
    assert text.encode().startswith(b"smile ")


def test_arguments_nested_beyond_reason_are_a_problem_and_no_crash(log: Any) -> None:
    request = {"toolCallId": "c", "name": "run", "arguments": "[" * 200_000}
    deep = event("e2", "assistant.message", content="I try.", toolRequests=[request])
    (session,), (problem,) = read(log(user("e1", "one"), deep, user("e3", "two")))
    assert said(session, "user") == ["one", "two"]
    assert said(session, "assistant") == ["I try."]
    assert problem.where.endswith(":3")


@pytest.mark.parametrize("content", [b"", b"\n \n", lines(event("e", "session.idle"))])
def test_a_log_without_a_conversation_has_nothing_to_import(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(content)
    sessions, (problem,) = read(path)
    assert not sessions
    assert problem.level == "skipped"


def test_a_log_that_cannot_be_opened_is_a_problem(tmp_path: Path) -> None:
    sessions, (problem,) = read(tmp_path / "events.jsonl")
    assert not sessions
    assert problem.level == "failed"


def test_logs_are_looked_for_where_the_client_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("COPILOT_HOME", raising=False)
    assert list(FORMAT.homes()) == [tmp_path / ".copilot" / "session-state"]
    monkeypatch.setenv("COPILOT_HOME", str(HOME.parent))
    (home,) = FORMAT.homes()
    assert sorted(home.glob(FORMAT.pattern)) == [WHOLE_LOG, DAMAGED]


# ------------------------------------------------------------------ damage of any kind

WORDS = ["one", "two", "three", "four", "five", "six"]
WHOLE = lines(
    event("e", "session.start", sessionId="S1"),
    *(user(f"e{number}", word) for number, word in enumerate(WORDS)),
)


def texts_of(content: bytes) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.jsonl"
        path.write_bytes(content)
        return [message.text for session in read(path)[0] for message in session.messages]


@given(st.integers(0, len(WHOLE)))
def test_a_log_cut_anywhere_keeps_what_was_written_before(cut: int) -> None:
    part = texts_of(WHOLE[:cut])
    assert part == WORDS[: len(part)]
    assert len(part) >= WHOLE[:cut].count(b"\n") - 1


@given(st.integers(0, len(WORDS)), st.binary(max_size=60))
def test_a_garbled_line_costs_only_itself(number: int, garbage: bytes) -> None:
    content = WHOLE.splitlines()
    content[number] = garbage.replace(b"\n", b"")
    left = [word for n, word in enumerate(WORDS) if n + 1 != number]
    assert texts_of(b"\n".join(content) + b"\n") == left


@given(
    st.sampled_from(
        "session.start session.resume user.message assistant.message tool.execution_start "
        "tool.execution_complete system.message subagent.started session.snapshot_rewind "
        "session.compaction_complete session.title_changed".split()
    ),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
            st.sampled_from(["content", "text", "message", "name", "arguments", "cwd"]),
            inner, max_size=3),
        max_leaves=8,
    ),
)  # fmt: skip
def test_odd_shapes_in_the_right_places_never_stop_the_reader(kind: str, odd: object) -> None:
    fields = (
        "sessionId startTime context content source toolRequests toolCallId toolName arguments "
        "result error role agentName upToEventId summaryContent title model"
    )
    strange = [event("x", kind, **dict.fromkeys(fields.split(), odd)),
               {"type": kind, "data": odd, "id": odd, "timestamp": odd},
               event("y", kind, toolRequests=[odd, {"name": odd}], success=False)]  # fmt: skip
    assert set(WORDS) <= set(texts_of(WHOLE + lines(*strange, user("e9", "last"))))
