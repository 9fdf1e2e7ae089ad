"""Codex CLI rollouts: what was said, by whom, and once. And which of three formats a log is."""

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

from conftest import spoken
from recollect.nouns import Message, Problem
from recollect.sources.sessions import codex, copilot, gemini
from recollect.sources.sessions.base import Session

FIXTURES = Path(__file__).parent / "fixtures" / "sessions"
LOGS = {path.name[-7]: path for path in sorted((FIXTURES / "codex").rglob("rollout-*.jsonl"))}
"""By the last digit of the thread."""
THREAD = "019a800{0}-0000-7000-8000-00000000000{0}"


def read(path: Path) -> tuple[list[Session], list[Problem]]:
    found = list(codex.FORMAT.read(path))
    return (
        [spoken(one) for one in found if isinstance(one, Session)],
        [one for one in found if isinstance(one, Problem)],
    )


def only(path: Path) -> Session:
    (session,), problems = read(path)
    assert not problems
    return session


def said(session: Session, role: str) -> list[str]:
    return [message.text for message in session.messages if message.role == role]


def item(**payload: Any) -> dict[str, Any]:
    stamp = "2026-11-14T09:00:00Z"
    return {"timestamp": stamp, "type": "response_item", "payload": payload}


def user(text: str) -> dict[str, Any]:
    return item(type="message", role="user", content=[{"type": "input_text", "text": text}])


@pytest.fixture
def log(tmp_path: Path) -> Any:
    def write(*records: object) -> Path:
        path = tmp_path / "rollout-2026-11-14T09-00-00-thread.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    return write


# ------------------------------------------------------------------ the fixtures


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ("1", "system 1 context 2 user 2 tool 7 assistant 2 summary 1"),
        ("2", "user 1 assistant 1"),
        ("3", "context 3 assistant 1"),
        ("4", "context 3 user 1 tool 2 assistant 1 summary 1"),
        ("5", "context 1 user 1 tool 2 assistant 1"),
        ("6", "user 1 tool 1 assistant 1"),
        ("7", "context 1 narrator 1 assistant 1 tool 1"),
    ],
)
def test_every_turn_counts_once_and_for_the_one_who_took_it(log: str, expected: str) -> None:
    (session,), _ = read(LOGS[log])
    words = expected.split()
    counts = dict(zip(words[::2], map(int, words[1::2]), strict=True))
    assert Counter(message.role for message in session.messages) == counts
    assert len({message.id for message in session.messages}) == len(session.messages)
    assert session.id == THREAD.format(log)


def test_a_session_knows_where_and_when_and_with_what_it_was() -> None:
    session = only(LOGS["1"])
    assert session.title == "Flaky timezone test"
    assert session.date == datetime(2026, 11, 14, 9, tzinfo=UTC)
    assert (session.folder, session.branch, session.model) == (
        "/home/ana/shop", "main", "gpt-6-codex",
    )  # fmt: skip
    assert session.meta == {"version": "0.166.0"}


def test_a_message_has_its_records_id_and_date() -> None:
    message = next(m for m in only(LOGS["1"]).messages if m.role == "user")
    assert message == Message(
        "user",
        "fix the flaky test in tests/test_timezones.py",
        "msg_u1",
        datetime(2026, 11, 14, 9, 0, 2, tzinfo=UTC),
    )


def test_what_has_no_id_gets_one_from_its_thread_and_place() -> None:
    assert [m.id for m in only(LOGS["2"]).messages] == [
        THREAD.format("2") + "#24",
        THREAD.format("2") + "#25",
    ]
    assert THREAD.format("4") + ":3" in [m.id for m in only(LOGS["4"]).messages]


def test_only_the_human_is_the_user() -> None:
    assert said(only(LOGS["1"]), "user") == [
        "fix the flaky test in tests/test_timezones.py",
        "thanks, now run it 50 times",
    ]


def test_what_an_editor_puts_before_the_request_is_not_the_humans() -> None:
    session = only(LOGS["4"])
    assert [text.strip() for text in said(session, "user")] == ["the image jumps on hover"]
    assert "## Active file: src/Portfolio.tsx" in said(session, "context")[1]


def test_a_compaction_gives_its_summary_and_not_the_history_again() -> None:
    session = only(LOGS["1"])
    assert [text[:8] for text in said(session, "summary")] == ["Handoff:"]
    texts = [message.text for message in session.messages]
    assert texts.count("fix the flaky test in tests/test_timezones.py") == 1


def test_our_own_context_thoughts_and_the_repeating_streams_are_left_out() -> None:
    told = "\n".join(m.text for log in "1234567" for s in read(LOGS[log])[0] for m in s.messages)
    for word in ("release train", "recollect-context", "Looking for the zone", "gAAAA"):
        assert word not in told


def test_tool_calls_are_a_line_each_and_results_name_their_tool() -> None:
    assert said(only(LOGS["1"]), "tool") == [
        "exec_command cmd='pytest -x tests/test_timezones.py'",
        "exec_command: exit code 1\nE   assert 22 == 23\n1 failed in 4.61s",
        "apply_patch *** Begin Patch\n*** Update File: tests/test_timezones.py\n@@\n"
        "-    assert now.hour == 23\n+    assert now.astimezone(UTC).hour == 22\n*** End Patch",
        "apply_patch: exit code 0\nSuccess. Updated the following files:\n"
        "M tests/test_timezones.py",
        "web_search type='search' query='pytest freeze timezone'",
        """shell type='exec' command=["git", "diff", "--stat"]""",
        "shell:  tests/test_timezones.py | 2 +-",
    ]


def test_a_fork_knows_the_thread_it_left_and_is_named_by_its_first_line_cut_at_a_word() -> None:
    session = only(LOGS["2"])
    assert (session.parent, session.relation) == (THREAD.format("1"), "fork")
    assert len(session.title) <= 80
    assert said(session, "user")[0].startswith(session.title.rstrip("…") + " ")


def test_a_subagent_knows_who_sent_it_and_its_task_is_nobodys_speech() -> None:
    session = only(LOGS["3"])
    assert (session.parent, session.relation) == (THREAD.format("1"), "subagent")
    assert session.title == "List every test that reads the wall clock."
    assert not said(session, "user")
    assert session.meta["agent"] == "Harvey"


def test_a_log_of_events_alone_is_read_from_its_events() -> None:
    session = only(LOGS["6"])
    assert [(m.role, m.text) for m in session.messages] == [
        ("user", "which port does the shop use?"),
        ("tool", "read_file path='settings.toml'"),
        ("assistant", "It listens on 8443."),
    ]


def test_the_oldest_logs_which_are_bare_items_are_read_too() -> None:
    session = only(LOGS["5"])
    assert said(session, "user") == ["why is the score one too high?"]
    assert session.branch == "trunk"
    assert session.date == datetime(2025, 7, 2, 7, 30, tzinfo=UTC)


def test_a_damaged_log_gives_what_is_whole_and_says_what_is_not() -> None:
    (session,), problems = read(LOGS["7"])
    assert [(p.where.rpartition(".jsonl")[2], p.level) for p in problems] == [
        (":4", "failed"), (":5", "failed"), (":14", "warning"), ("", "warning"), ("", "warning"),
    ]  # fmt: skip
    kinds, roles = problems[-2:]
    assert "response_item/hologram (2)" in kinds.reason
    assert "weather_report (1)" in kinds.reason
    assert "narrator (1)" in roles.reason
    assert (session.parent, session.relation) == (THREAD.format("1"), "subagent")
    assert [m.id for m in session.messages] == ["m1", "m2", "m1#2", "lost/output"]
    assert [m.date for m in session.messages[:2]] == [None, None]
    assert session.date == datetime(2026, 11, 14, 12, 0, 3, tzinfo=UTC)


def test_an_empty_log_has_nothing_to_import() -> None:
    sessions, (problem,) = read(LOGS["8"])
    assert not sessions
    assert problem.level == "skipped"


# ------------------------------------------------------------------ what else logs hold


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("Process exited with code 1\nOutput:\nboom", "exit code 1\nboom"),
        ("Chunk ID: 1\nWall time: 2 s\nProcess exited with code 0\nOutput:\n", "exit code 0"),
        ("Wall time: 1 s\nProcess running with session ID 7\nOutput:\nhalf", "half"),
        ("Exit code: 2\nWall time: 0 s\nTotal output lines: 9\nOutput:\nno", "exit code 2\nno"),
        ("Wall time is what the clock on the wall says", None),
        ("the log said\nProcess exited with code 1\nOutput:\nboom", None),
        ('{"output":"a file\\n","metadata":{"exit_code":0}}', "exit code 0\na file"),
        ('{"output":"cut sho', None),
        ({"content": "whole", "success": True}, "whole"),
        ([{"type": "input_text", "text": "one"}, {"type": "input_image"}], "one"),
    ],
)
def test_an_output_is_its_exit_code_and_what_was_printed(
    log: Any, output: object, told: str | None
) -> None:
    call = item(type="function_call", name="run", arguments="{}", call_id="c")
    session = only(log(call, item(type="function_call_output", call_id="c", output=output)))
    assert said(session, "tool") == ["run", f"run: {output if told is None else told}"]


@pytest.mark.parametrize(
    "text",
    [
        "# AGENTS.md instructions for /home/ana\n\n<INSTRUCTIONS>…</INSTRUCTIONS>",
        "<environment_context><cwd>/</cwd></environment_context>",
        "<user_instructions>Be brief.</user_instructions>",
        "<user_shell_command>\n<command>\nls\n</command>\n</user_shell_command>",
        '<codex_internal_context source="goal">Go on.</codex_internal_context>',
        "<skill>\n<name>pdf</name>\n</skill>",
    ],
)
def test_what_the_client_injects_is_context(log: Any, text: str) -> None:
    session = only(log(user(text), user("hello")))
    assert [m.role for m in session.messages] == ["context", "user"]
    assert session.title == "hello"


def test_the_clients_word_on_who_typed_counts_for_more_than_how_it_looks(log: Any) -> None:
    typed = user("<skill> is a tag; what is it for?")
    typed["payload"]["internal_chat_message_metadata_passthrough"] = {
        "content_item_kinds": ["user.text"]
    }
    assert said(only(log(typed)), "user") == ["<skill> is a tag; what is it for?"]


def test_our_context_inside_a_prompt_is_taken_out(log: Any) -> None:
    path = log(user("<recollect-context>old news</recollect-context>\nwhat is new?"))
    assert said(only(path), "user") == ["what is new?"]


def test_a_repeated_record_counts_once_and_repeated_words_twice(log: Any) -> None:
    again = {**user("again"), "ordinal": 4}
    assert said(only(log(user("again"), user("again"), again, again)), "user") == ["again"] * 3


def test_items_nested_beyond_reason_are_a_problem_and_no_crash(log: Any) -> None:
    deep = item(type="function_call", name="run", arguments="[" * 200_000, call_id="c")
    (session,), (problem,) = read(log(user("one"), deep, user("two")))
    assert said(session, "user") == ["one", "two"]
    assert problem.where.endswith(":2")


def test_a_log_that_cannot_be_opened_is_a_problem(tmp_path: Path) -> None:
    sessions, (problem,) = read(tmp_path / "rollout-gone.jsonl")
    assert not sessions
    assert problem.level == "failed"


def test_a_compressed_log_is_recognised_and_says_how_to_read_it(tmp_path: Path) -> None:
    path = tmp_path / "rollout-2026-11-14T09-00-00-x.jsonl.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd\x04\x00")
    assert codex.FORMAT.recognises(path, path.read_bytes())
    _, (problem,) = read(path)
    assert problem.level == "skipped"
    assert f"zstd -d {path.name}" in problem.reason
    path.with_suffix("").write_text("")
    assert read(path) == ([], [])


def test_logs_are_looked_for_where_the_client_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    assert next(iter(codex.FORMAT.homes())) == tmp_path / ".codex" / "sessions"
    monkeypatch.setenv("CODEX_HOME", str(FIXTURES / "codex"))
    found = [path for home in codex.FORMAT.homes() for path in home.glob(codex.FORMAT.pattern)]
    assert sorted(found) == sorted(LOGS.values())


# ------------------------------------------------------------------ damage of any kind

WHOLE = LOGS["1"].read_bytes()


def messages_of(content: bytes) -> list[Message]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / LOGS["1"].name
        path.write_bytes(content)
        return [message for session in read(path)[0] for message in session.messages]


@given(st.integers(0, len(WHOLE)))
def test_a_log_cut_anywhere_keeps_what_was_written_before(cut: int) -> None:
    part, before = messages_of(WHOLE[:cut]), messages_of(WHOLE[: WHOLE.rfind(b"\n", 0, cut) + 1])
    assert part[: len(before)] == before
    assert part == messages_of(WHOLE)[: len(part)]


@given(st.integers(0, WHOLE.count(b"\n") - 1), st.binary(max_size=60))
def test_a_garbled_line_costs_only_itself(number: int, garbage: bytes) -> None:
    lines = WHOLE.splitlines()
    lost = lines[number]
    lines[number] = garbage.replace(b"\n", b"")
    heard = {m.text for m in messages_of(b"\n".join(lines) + b"\n")}
    for message in messages_of(WHOLE):
        if message.role in ("user", "assistant") and message.id.encode() not in lost:
            assert message.text in heard


KINDS = (
    "message function_call function_call_output custom_tool_call local_shell_call "
    "web_search_call agent_message user_message"
)


@given(
    st.sampled_from("session_meta turn_context response_item event_msg compacted".split()),
    st.sampled_from(KINDS.split()),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
            st.sampled_from(["text", "subagent", "thread_spawn", "content_item_kinds", "branch"]),
            inner, max_size=3),
        max_leaves=8,
    ),
)  # fmt: skip
def test_odd_shapes_in_the_right_places_never_stop_the_reader(
    line: str, kind: str, odd: object
) -> None:
    fields = (
        "id role content name namespace arguments input action output call_id message source cwd "
        "git model session_id parent_thread_id thread_name timestamp "
        "internal_chat_message_metadata_passthrough"
    )
    payload = {**dict.fromkeys(fields.split(), odd), "type": kind}
    strange = [
        {"type": line, "payload": {**payload, "role": "user"}, "timestamp": odd, "ordinal": odd},
        {"type": line, "payload": payload, "metadata": odd},
        {"type": line, "payload": odd},
        {"type": odd, "payload": payload},
        payload,
    ]
    content = b"".join(json.dumps(one).encode() + b"\n" for one in strange)
    heard = {message.text for message in messages_of(content + WHOLE + content)}
    assert {m.text for m in messages_of(WHOLE) if m.role in ("user", "assistant")} <= heard


# ------------------------------------------------------------------ whose log it is

FORMATS = (codex.FORMAT, gemini.FORMAT, copilot.FORMAT)
FILES = [path for path in sorted(FIXTURES.rglob("*.json*")) if path.stat().st_size]
OTHERS = {
    "claude-code": '{"type":"user","uuid":"u-1","parentUuid":null,"sessionId":"S1","isSidechain":'
    'false,"timestamp":"2026-11-14T09:12:03.511Z","cwd":"/home/ana/shop","message":{"role":"user",'
    '"content":"{\\"type\\":\\"session_meta\\",\\"payload\\":{}}"}}\n',
    "claude-code's first line": '{"type":"file-history-snapshot","messageId":"m","snapshot":'
    '{"messageId":"m","trackedFileBackups":{}}}\n',
    "a document of ours": '{"id": "note-1", "text": "session_meta payload projectHash"}\n',
    "a session of ours": '{"id": "s1", "turns": [{"role": "user", "text": "hello"}]}\n',
    "other events": '{"type":"order.created","data":{"id":1},"parentId":"p"}\n',
    "nothing": "",
    "a list": "[]\n",
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FIXTURES)))
def test_a_log_is_claimed_by_its_own_format_alone(path: Path, tmp_path: Path) -> None:
    head = path.read_bytes()[:65536]
    owner = path.relative_to(FIXTURES).parts[0]
    owners = [f.name for f in FORMATS if f.name == owner]
    assert [f.name for f in FORMATS if f.recognises(path, head)] == owners
    moved = tmp_path / f"copy{path.suffix}"
    assert [f.name for f in FORMATS if f.recognises(moved, head)] == owners


@pytest.mark.parametrize("content", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("name", ["events.jsonl", "chats/session-1.json", "rollout-1.jsonl"])
def test_what_is_of_another_kind_is_claimed_by_none(name: str, content: str) -> None:
    assert not [f.name for f in FORMATS if f.recognises(Path(name), content.encode())]


def test_a_first_line_longer_than_the_head_is_recognised(tmp_path: Path) -> None:
    meta = {"id": "t", "base_instructions": {"text": "word " * 20_000}}
    line = {"timestamp": "2026-11-14T09:00:00Z", "type": "session_meta", "payload": meta}
    assert codex.FORMAT.recognises(tmp_path / "a.jsonl", json.dumps(line).encode()[:65536])
