"""Cursor's agent transcripts: the human's words out of what the client put around them."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostile import processor_seconds
from recollect.nouns import Problem
from recollect.sources.sessions import claude_code
from recollect.sources.sessions.base import Session
from recollect.sources.sessions.cursor import FORMAT

FIXTURES = Path(__file__).parent / "fixtures" / "sessions"
SHOP = FIXTURES / "cursor" / "home-ana-shop" / "agent-transcripts"
ID = "3d9a7c55-0000-4000-8000-00000000000a"
CHILD = "5b1f0e77-0000-4000-8000-00000000000b"
MAIN = SHOP / ID / f"{ID}.jsonl"


def read(path: Path) -> tuple[list[Session], list[Problem]]:
    found = list(FORMAT.read(path))
    sessions = [item for item in found if isinstance(item, Session)]
    return sessions, [item for item in found if isinstance(item, Problem)]


def turns(session: Session) -> list[tuple[str, str]]:
    return [(m.role, m.text) for m in session.messages]


def line(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "message": {"content": content}}


def write(path: Path, *records: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    return path


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        (MAIN, {"context": 2, "user": 3, "assistant": 3, "tool": 3}),
        (SHOP / ID / "subagents" / f"{CHILD}.jsonl", {"context": 1, "tool": 1, "assistant": 1}),
        (SHOP / "nested" / "transcript.jsonl", {"user": 1, "assistant": 1, "narrator": 1}),
    ],
)
def test_every_turn_has_the_role_of_who_really_spoke(file: Path, counts: dict[str, int]) -> None:
    (session,), _ = read(file)
    assert dict(Counter(m.role for m in session.messages)) == counts


def test_the_humans_words_are_taken_out_of_their_wrapping() -> None:
    (session,), _ = read(MAIN)
    assert [text for role, text in turns(session) if role == "user"] == [
        "Why do the mails go out twice?\nLook at the worker first.",
        "Ship it [REDACTED] or not?",
        "See the picture.\n\n[image]",
    ]
    assert "recollect-context" not in str(turns(session))
    assert "timestamp" not in str(turns(session))


def test_the_models_words_are_without_its_hidden_thoughts() -> None:
    (session,), _ = read(MAIN)
    assert [text for role, text in turns(session) if role == "assistant"] == [
        "I read the worker.",
        "Two workers take the same job; lock the row.",
        "The lock is in.",
    ]


def test_each_call_is_a_message_in_its_place() -> None:
    (session,), _ = read(MAIN)
    assert turns(session)[2:6] == [
        ("assistant", "I read the worker."),
        ("tool", "Grep pattern='send_mail' path='src'"),
        ("tool", "Shell command='ls src' description='List the sources'"),
        ("tool", "Read path='/home/ana/shop/src/worker.py'"),
    ]


def test_a_session_has_its_id_title_folder_and_first_date() -> None:
    (session,), problems = read(MAIN)
    assert session.id == ID
    assert session.title == "Why do the mails go out twice?"
    assert session.folder == "/home/ana/shop"
    assert session.date == datetime(2026, 7, 21, 10, 11, tzinfo=UTC)
    assert (session.parent, session.relation, session.model) == ("", "", "")
    assert [(p.where, p.level) for p in problems] == [(str(MAIN), "warning")]
    assert "checkpoint (1)" in problems[0].reason


def test_a_subagent_is_a_session_of_its_own_below_its_parent() -> None:
    (session,), problems = read(SHOP / ID / "subagents" / f"{CHILD}.jsonl")
    assert problems == []
    assert (session.id, session.parent, session.relation) == (CHILD, ID, "subagent")
    assert session.title == "Find every caller of send_mail."


def test_a_file_called_transcript_is_named_for_its_folder() -> None:
    (session,), problems = read(SHOP / "nested" / "transcript.jsonl")
    assert session.id == "nested"
    assert session.date is None
    assert [(p.where.rpartition("/")[2], p.level) for p in problems] == [
        ("transcript.jsonl:4", "warning"),
        ("transcript.jsonl", "warning"),
    ]
    assert "narrator (1)" in problems[1].reason


def test_a_session_whose_words_are_kept_elsewhere_is_skipped_and_says_so() -> None:
    sessions, problems = read(SHOP / "hollow" / "hollow.jsonl")
    assert sessions == []
    assert [(p.reason, p.level) for p in problems] == [("no conversation in it", "skipped")]


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("Tuesday, Jul 21, 2026, 1:11 PM (UTC+3)", datetime(2026, 7, 21, 10, 11)),
        ("Wednesday, September 2, 2026, 12:05 AM (UTC)", datetime(2026, 9, 2, 0, 5)),
        ("Friday, Jan 1, 2027 at 12:30 PM (UTC-4:30)", datetime(2027, 1, 1, 17, 0)),
        ("2026-07-21T10:11:00Z", datetime(2026, 7, 21, 10, 11)),
        ("Tuesday, Foo 21, 2026, 1:11 PM (UTC+3)", None),
        ("Tuesday, Jul 41, 2026, 1:11 PM (UTC+99)", None),
        ("some time ago", None),
        ("", None),
    ],
)
def test_the_date_is_the_one_the_client_wrote(
    tmp_path: Path, written: str, date: datetime | None
) -> None:
    text = f"<timestamp>{written}</timestamp>\n<user_query>Hi</user_query>"
    (session,), _ = read(write(tmp_path / "s.jsonl", line("user", text)))
    assert turns(session) == [("user", "Hi")]
    assert session.messages[0].date == (date and date.replace(tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Plain", [("user", "Plain")]),
        ("<timestamp>now</timestamp>\nPlain", [("user", "Plain")]),
        ("What is <timestamp>x</timestamp>?", [("user", "What is <timestamp>x</timestamp>?")]),
        ("<user_query>a <timestamp>x</timestamp> b</user_query>",
         [("user", "a <timestamp>x</timestamp> b")]),
        ("<user_query>One</user_query>\n<context>c</context>\n<user_query>Two</user_query>",
         [("user", "One"), ("context", "<context>c</context>"), ("user", "Two")]),
        ("<user_query></user_query>", []),
        ("<git_status>clean</git_status>", [("context", "<git_status>clean</git_status>")]),
        ("<system-reminder>x</system-reminder>",
         [("context", "<system-reminder>x</system-reminder>")]),
        ("<user_query><recollect-context>x</recollect-context>Hi</user_query>", [("user", "Hi")]),
        ("<user_query>cut \ud83d</user_query>", [("user", "cut \ufffd")]),
        ("<user_query>never closed", [("user", "<user_query>never closed")]),
    ],
)  # fmt: skip
def test_a_users_turn_is_told_apart(
    tmp_path: Path, text: str, expected: list[tuple[str, str]]
) -> None:
    sessions, _ = read(write(tmp_path / "s.jsonl", line("user", [{"type": "text", "text": text}])))
    assert [turn for session in sessions for turn in turns(session)] == expected


@pytest.mark.parametrize("content", ["", b"\n\n"])
def test_an_empty_file_is_skipped_and_says_so(tmp_path: Path, content: str | bytes) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    assert read(path) == ([], [Problem(str(path), "empty: there is nothing to import", "skipped")])


def test_a_file_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    sessions, problems = read(tmp_path / "gone.jsonl")
    assert sessions == []
    assert [p.level for p in problems] == ["failed"]


def test_bad_lines_are_named_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    good = json.dumps(line("user", "One")).encode()
    path.write_bytes(b"\n".join([good, b"\xff\xfe", b"3", good[:-1] + b',"x":1}', good[:20]]))
    (session,), problems = read(path)
    assert turns(session) == [("user", "One"), ("user", "One")]
    assert [(p.where, p.level) for p in problems] == [
        (f"{path}:2", "failed"),
        (f"{path}:3", "failed"),
        (f"{path}:5", "warning"),
    ]


@given(st.integers(min_value=0))
def test_a_log_cut_anywhere_keeps_what_was_whole_before(cut: int) -> None:
    content = MAIN.read_bytes()
    at = cut % (len(content) + 1)
    path = Path("cut.jsonl")
    path.write_bytes(content[:at])
    sessions, problems = read(path)
    kept = [turn for session in sessions for turn in turns(session)]
    (whole,), _ = read(MAIN)
    assert kept == turns(whole)[: len(kept)]
    path.write_bytes(content[: content[:at].rfind(b"\n") + 1])
    before, _ = read(path)
    assert len(kept) >= sum(len(session.messages) for session in before)
    assert not [p for p in problems if p.level == "failed"]


@pytest.mark.parametrize(
    "text",
    [
        "<user_query>" * 40000,
        "<user_query>" * 40000 + "</user_query>",
        "<user_query>a</user_query>" * 40000,
        "<timestamp>" * 40000,
        " " * 400000 + "x",
        "[REDACTED]" * 40000,
    ],
    ids=lambda text: text[:40],
)
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_no_text_takes_for_ever(tmp_path: Path, role: str, text: str) -> None:
    written = write(tmp_path / "s.jsonl", line(role, text))
    with processor_seconds(5):
        read(written)


FIELD = st.sampled_from("role message content type text name input status".split())
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELD, inner, max_size=4),
    max_leaves=10,
)


@given(st.lists(st.dictionaries(FIELD, JSON, max_size=5), max_size=5))
def test_records_of_any_shape_become_sessions_or_problems(records: list[dict[str, Any]]) -> None:
    path = write(Path("shapes.jsonl"), line("user", "Before"), *records)
    (session,), problems = read(path)
    assert turns(session)[0][1].startswith("Before")
    assert all(m.text.strip() and m.role for m in session.messages)
    assert all(p.where.startswith("shapes.jsonl") for p in problems)


# ------------------------------------------------------------------ recognising, finding


@pytest.mark.parametrize("file", sorted(SHOP.rglob("*.jsonl")), ids=lambda path: path.name)
def test_its_own_logs_are_recognised_by_what_is_in_them(file: Path) -> None:
    head = file.read_bytes()[:65536]
    assert FORMAT.recognises(Path("anything.txt"), head)
    assert not claude_code.FORMAT.recognises(file, head)


@pytest.mark.parametrize(
    "file", sorted((FIXTURES / "claude-code").rglob("*.jsonl")), ids=lambda path: path.name
)
def test_logs_of_claude_code_are_not_claimed(file: Path) -> None:
    assert not FORMAT.recognises(file, file.read_bytes()[:65536])


@pytest.mark.parametrize(
    "other",
    [
        {"type": "session_meta", "payload": {"id": "T1"}},
        {"type": "message", "role": "user", "message": {"content": []}},
        {"role": "user", "content": "Hi"},
        {"sessionId": "G1", "projectHash": "9f", "kind": "main"},
        {"id": "q1", "type": "user", "content": [{"text": "Hi"}]},
        {"type": "user.message", "data": {"content": "Hi"}},
        {"id": "a", "text": "Hi"},
        {"id": "a", "turns": [{"role": "user", "text": "Hi"}]},
        ["role", "message"],
    ],
)
def test_logs_of_others_are_not_claimed(other: Any) -> None:
    text = json.dumps(other)
    assert not FORMAT.recognises(Path("agent-transcripts/x.jsonl"), f"{text}\n{text[:-2]}".encode())


def test_a_first_line_longer_than_the_head_is_recognised_by_its_beginning() -> None:
    head = b"not json\n" + json.dumps(line("user", "x" * 70000)).encode()
    assert FORMAT.recognises(Path("x.jsonl"), head[:65536])


def test_logs_are_looked_for_in_the_users_home_and_where_it_was_moved(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CURSOR_CONFIG_DIR", raising=False)
    assert list(FORMAT.homes()) == [tmp_path / ".cursor" / "projects"]
    monkeypatch.setenv("CURSOR_CONFIG_DIR", str(tmp_path / "moved"))
    assert next(iter(FORMAT.homes())) == tmp_path / "moved" / "projects"


def test_its_pattern_finds_sessions_and_subagents_and_nothing_else(tmp_path: Path) -> None:
    home = SHOP.parent.parent
    write(tmp_path / "other.jsonl", line("user", "Hi"))
    assert sorted(home.glob(FORMAT.pattern)) == sorted(SHOP.rglob("*.jsonl"))
    assert list(tmp_path.glob(FORMAT.pattern)) == []
