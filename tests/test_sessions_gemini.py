"""Gemini CLI logs: events in, and out of them the conversation as it stands."""

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
from recollect.sources.sessions.base import Session
from recollect.sources.sessions.gemini import FORMAT

HOME = Path(__file__).parent / "fixtures" / "sessions" / "gemini"
LOGS = {path.stem[-4:]: path for path in HOME.rglob("*.json*")}
MAIN, SUBAGENT, OLD, DAMAGED, REPLACED = (
    LOGS[end] for end in ("7c52", "000b", "77aa", "0000", "0a0a")
)
META = {"sessionId": "G1", "projectHash": "9f", "startTime": "2026-11-14T08:00:00Z"}


def read(path: Path) -> tuple[list[Session], list[Problem]]:
    found = list(FORMAT.read(path))
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


def record(id: str, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    stamp = "2026-11-14T08:00:05Z"
    return {"id": id, "timestamp": stamp, "type": kind, "content": content, **more}


def user(id: str, text: str) -> dict[str, Any]:
    return record(id, "user", [{"text": text}])


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in records)


@pytest.fixture
def log(tmp_path: Path) -> Any:
    def write(*records: object) -> Path:
        path = tmp_path / "session-2026-11-14T08-00-g1.jsonl"
        path.write_bytes(lines(META, *records))
        return path

    return write


# ------------------------------------------------------------------ the fixtures


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (MAIN, "context 4 user 3 tool 4 assistant 2 summary 1"),
        (SUBAGENT, "context 1 assistant 1"),
        (OLD, "user 1 assistant 1 tool 2"),
        (DAMAGED, "user 1 assistant 1 tool 2 oracle 1"),
        (REPLACED, "user 2 assistant 1"),
    ],
    ids=["main", "subagent", "old", "damaged", "replaced"],
)
def test_every_turn_counts_once_and_for_the_one_who_took_it(path: Path, expected: str) -> None:
    (session,), _ = read(path)
    words = expected.split()
    counts = dict(zip(words[::2], map(int, words[1::2]), strict=True))
    assert Counter(message.role for message in session.messages) == counts
    assert len({message.id for message in session.messages}) == len(session.messages)


def test_a_session_knows_where_and_when_and_with_what_it_was() -> None:
    session = only(MAIN)
    assert session.id == "5b1e7c52-0000-4000-8000-00000000000a"
    assert session.title == "Open ports of the shop"
    assert session.date == datetime(2026, 11, 14, 8, tzinfo=UTC)
    assert (session.folder, session.model) == ("/home/ana/shop", "gemini-3-flash")
    assert (session.parent, session.relation) == ("", "")


def test_only_the_human_is_the_user() -> None:
    assert said(only(MAIN), "user") == [
        "list open ports",
        "explain @deploy/nginx.conf",
        "thank you",
    ]


def test_what_the_client_and_hooks_put_in_is_context() -> None:
    context = said(only(MAIN), "context")
    assert context[0].startswith("<session_context>")
    assert context[1] == "Ticket SHOP-12 is open."
    assert "listen 8443 ssl;" in context[2]


def test_our_own_context_and_thoughts_are_left_out() -> None:
    told = "\n".join(message.text for message in only(MAIN).messages)
    for word in ("listens on 8443", "recollect-context", "I will use ss", "I wonder about TLS"):
        assert word not in told


def test_a_result_that_is_written_twice_counts_once() -> None:
    assert said(only(MAIN), "tool") == [
        "run_shell_command command='ss -ltn'",
        "run_shell_command: LISTEN 0 128 *:8443",
        "read_file path='deploy/certs'",
        "read_file: error: File not found",
    ]


def test_a_compaction_gives_its_summary_and_keeps_what_was_said_before() -> None:
    session = only(MAIN)
    assert [text[:16] for text in said(session, "summary")] == ["<state_snapshot>"]
    assert said(session, "assistant") == ["Only 8443 is open.", "It serves TLS on 8443."]


def test_what_was_rewound_is_gone() -> None:
    told = [message.text for message in only(MAIN).messages]
    assert "close it" not in told
    assert "Closed." not in told


def test_messages_that_are_replaced_have_their_last_words() -> None:
    assert said(only(REPLACED), "assistant") == ["A log."]


def test_a_subagent_knows_who_sent_it_and_its_task_is_nobodys_speech() -> None:
    session = only(SUBAGENT)
    assert (session.parent, session.relation) == (
        "5b1e7c52-0000-4000-8000-00000000000a",
        "subagent",
    )
    assert session.title == "Find every listener that is configured."
    assert session.folder == "/home/ana/shop"
    assert not said(session, "user")


def test_an_older_file_is_one_object() -> None:
    session = only(OLD)
    assert session.id == "77aa77aa-0000-4000-8000-00000000000c"
    assert session.messages[0] == Message(
        "user", "rename the button", "u1", datetime(2025, 10, 2, 16, 20, 30, tzinfo=UTC)
    )
    assert said(session, "tool")[1] == "replace: Successfully modified file: cart.tsx"


def test_a_damaged_log_gives_what_is_whole_and_says_what_is_not() -> None:
    (session,), problems = read(DAMAGED)
    assert [(p.where.rpartition(".jsonl")[2], p.level) for p in problems] == [
        (":4", "failed"), (":7", "warning"), (":12", "warning"), ("", "warning"), ("", "warning"),
    ]  # fmt: skip
    assert "$pin (2)" in problems[-2].reason
    assert "oracle (1)" in problems[-1].reason
    assert session.folder == "/home/ana/attic"
    assert session.messages[0] == Message("user", "first question, whole", "q1")
    assert session.date == datetime(2026, 11, 14, 8, 0, 7, tzinfo=UTC)


# ------------------------------------------------------------------ what else logs hold


def test_a_message_that_grows_stays_in_its_place(log: Any) -> None:
    path = log(record("a", "gemini", "hal"), user("b", "and?"), record("a", "gemini", "half"))
    assert [m.text for m in only(path).messages] == ["half", "and?"]


def test_a_message_may_come_back_after_it_was_rewound(log: Any) -> None:
    path = log(user("a", "one"), user("b", "two"), {"$rewindTo": "a"}, user("b", "three"))
    assert [m.text for m in only(path).messages] == ["three"]


def test_a_second_checkpoint_does_not_undo_what_the_first_kept(log: Any) -> None:
    snapshot = user("s", "<state_snapshot>so far</state_snapshot>")
    changed = {"$set": {"messages": [snapshot, user("b", "two")]}}
    path = log(user("a", "one"), user("b", "two"), changed, changed, user("c", "three"))
    assert said(only(path), "user") == ["one", "two", "three"]
    assert len(said(only(path), "summary")) == 1


@pytest.mark.parametrize(
    ("response", "told"),
    [
        ({"output": "ok"}, "ls: ok"),
        ({"error": "denied"}, "ls: error: denied"),
        ({"rows": [1, 2]}, 'ls: {"rows": [1, 2]}'),
    ],
)
def test_a_result_is_told_whatever_its_shape(log: Any, response: object, told: str) -> None:
    result = [{"functionResponse": {"name": "ls", "response": response}}]
    call = {"id": "t", "name": "ls", "args": {}, "result": result}
    assert said(only(log(record("r", "gemini", "", toolCalls=[call]))), "tool") == ["ls", told]


def test_two_calls_with_the_same_result_are_both_kept(log: Any) -> None:
    result = [{"functionResponse": {"name": "ls", "response": {"output": "a.py"}}}]
    calls: list[Any] = [
        {"id": id, "name": "ls", "args": {}, "result": result} for id in ("t1", "t2")
    ]
    path = log(record("r", "gemini", "", toolCalls=calls), record("f", "user", result))
    assert said(only(path), "tool") == ["ls", "ls: a.py"] * 2


def test_a_long_first_line_is_cut_at_a_word(log: Any) -> None:
    title = only(log(user("a", "word " * 40 + "\nmore"))).title
    assert 60 < len(title) <= 80
    assert set(title.rstrip("…").split()) == {"word"}


def test_half_a_character_where_the_client_cut_a_text_does_no_harm(log: Any) -> None:
    (text,) = said(only(log(user("a", "smile \ud83d"))), "user")
    assert text.encode().startswith(b"smile ")


def test_records_nested_beyond_reason_are_a_problem_and_no_crash(log: Any) -> None:
    path = log(user("a", "one"))
    with path.open("ab") as stream:
        stream.write(b'{"id":"b","type":"gemini","content":' + b"[" * 100_000 + b"\n")
        stream.write(lines(user("c", "two")))
    (session,), (problem,) = read(path)
    assert said(session, "user") == ["one", "two"]
    assert problem.where.endswith(":3")


@pytest.mark.parametrize("name", ["session-a.json", "session-a.jsonl"])
@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_an_empty_log_has_nothing_to_import(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    sessions, (problem,) = read(path)
    assert not sessions
    assert problem.level == "skipped"


@pytest.mark.parametrize("content", [b"[1]", b'{"sessionId": "a",\n "messages": [', b"\xff"])
def test_an_object_that_is_none_is_a_problem(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "session-a.json"
    path.write_bytes(content)
    sessions, (problem,) = read(path)
    assert not sessions
    assert problem.level == "failed"
    assert str(path) in problem.where


def test_a_log_that_cannot_be_opened_is_a_problem(tmp_path: Path) -> None:
    for name in ("session-gone.json", "session-gone.jsonl"):
        sessions, (problem,) = read(tmp_path / name)
        assert not sessions
        assert problem.level == "failed"


def test_logs_are_looked_for_where_the_client_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("GEMINI_CLI_HOME", raising=False)
    (home,) = FORMAT.homes()
    assert home == tmp_path / ".gemini" / "tmp"
    assert sorted((HOME / "tmp").glob(FORMAT.pattern)) == sorted(LOGS.values())


# ------------------------------------------------------------------ damage of any kind

WORDS = ["one", "two", "three", "four", "five", "six"]
WHOLE = lines(META, *(user(f"q{n}", word) for n, word in enumerate(WORDS)))


def texts_of(content: bytes) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session-a.jsonl"
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


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["id", "type", "content", "text", "toolCalls", "result", "args", "name",
                         "functionResponse", "functionCall", "response", "displayContent"]),
        inner, max_size=4),
    max_leaves=12,
))  # fmt: skip
def test_odd_shapes_in_the_right_places_never_stop_the_reader(odd: object) -> None:
    strange = [
        {"id": "x", "type": "gemini", "content": odd, "toolCalls": odd, "model": odd},
        {"id": "y", "type": "user", "content": odd, "displayContent": odd, "timestamp": odd},
        {"id": "z", "type": "gemini", "toolCalls": [odd, {"result": odd, "name": odd}]},
        {"$set": {"summary": odd, "directories": odd, "kind": odd}},
    ]
    assert set(WORDS) <= set(texts_of(WHOLE + lines(*strange, user("q9", "last"))))
