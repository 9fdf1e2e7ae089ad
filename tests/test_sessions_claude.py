"""Claude Code's transcripts: who said what, in which session, whatever the file looks like."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import spoken
from hostile import processor_seconds
from recollect.nouns import Problem
from recollect.sources.sessions.base import Session
from recollect.sources.sessions.claude_code import FORMAT

SHOP = Path(__file__).parent / "fixtures" / "sessions" / "claude-code" / "shop"
S = "7f3e2a10-0000-4000-8000-00000000000"
MAIN = SHOP / f"{S}1.jsonl"


def read(path: Path) -> tuple[list[Session], list[Problem]]:
    found = list(FORMAT.read(path))
    sessions = [spoken(item) for item in found if isinstance(item, Session)]
    return sessions, [item for item in found if isinstance(item, Problem)]


def only(path: Path) -> Session:
    sessions, problems = read(path)
    assert [p for p in problems if p.level == "failed"] == []
    (session,) = sessions
    return session


def roles(session: Session) -> dict[str, int]:
    return dict(Counter(message.role for message in session.messages))


def said(session: Session, role: str) -> list[str]:
    return [message.text for message in session.messages if message.role == role]


def record(kind: str, content: Any, uuid: str = "", **fields: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content}
    named = {"uuid": uuid} if uuid else {}
    return {"type": kind, "message": message, "sessionId": "S", **named, **fields}


def human(text: Any, uuid: str = "u", **fields: Any) -> dict[str, Any]:
    return record("user", text, uuid, **fields)


def write(path: Path, *records: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    return path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


# ------------------------------------------------------------------ the logs as clients write them


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        (f"{S}1.jsonl", {"user": 3, "assistant": 2, "tool": 6, "context": 8}),
        (f"{S}2.jsonl", {"user": 2, "assistant": 2}),
        (f"{S}1/subagents/agent-a1b2c3.jsonl",
         {"context": 1, "tool": 2, "user": 1, "assistant": 1}),
        ("compacted.jsonl", {"user": 2, "assistant": 2, "summary": 2, "context": 1}),
        ("rewound.jsonl", {"user": 2, "assistant": 2, "rewound": 1}),
    ],
)  # fmt: skip
def test_every_turn_has_the_role_of_who_really_spoke(file: str, counts: dict[str, int]) -> None:
    assert roles(only(SHOP / file)) == counts


def test_only_the_human_is_the_user() -> None:
    assert said(only(MAIN), "user") == [
        "Why does checkout double-charge?",
        "Only look at the webhook, please.",
        "Do it. This is what support sees:\n\n[image]",
    ]


def test_the_records_of_one_api_message_are_one_message_with_the_first_records_id() -> None:
    spoken = [m for m in only(MAIN).messages if m.role == "assistant"]
    assert [(m.id, m.text) for m in spoken] == [
        ("a-1", "I will look at where the charge is made."),
        ("a-5", "The webhook charges again on every retry.\n\nAn idempotency key would stop it."),
    ]
    assert spoken[0].date == datetime(2026, 11, 14, 9, 12, 8, 20000, UTC)


def test_calls_and_results_stand_where_they_happened() -> None:
    tools = [(m.id, m.text) for m in only(MAIN).messages if m.role == "tool"]
    assert tools[:4] == [
        ("a-3", "Grep pattern='charge(' path='src'"),
        ("u-2", "src/pay.py:88:    charge(order)\nsrc/hooks.py:21:    charge(order)"),
        ("a-4", "Read file_path='/home/ana/shop/src/hooks.py'"),
        ("u-3", "    21\tcharge(order)\n\n[image]"),
    ]


def test_thoughts_bookkeeping_and_repeated_requests_are_not_imported() -> None:
    session = only(MAIN)
    texts = "\n".join(m.text for m in session.messages)
    assert "suspicious" not in texts
    assert texts.count("Why does checkout double-charge?") == 1
    assert texts.count("An idempotency key") == 1
    assert "recollect-context" not in texts
    assert "ledger" not in texts


def test_a_session_says_where_and_with_what_it_ran() -> None:
    session = only(MAIN)
    assert session.id == f"{S}1"
    assert session.folder == "/home/ana/shop"
    assert session.branch == "fix/double-charge"
    assert session.model == "claude-sonnet-5-5"
    assert session.meta == {"version": "2.1.325"}
    assert session.date == datetime(2026, 11, 14, 9, 11, 40, tzinfo=UTC)
    assert (session.parent, session.relation) == ("", "")


def test_unknown_records_are_one_warning_a_file() -> None:
    _, problems = read(MAIN)
    assert [(p.where, p.level) for p in problems] == [(str(MAIN), "warning")]
    assert "holodeck-state (2)" in problems[0].reason


def test_a_subagent_is_a_session_of_its_own_below_its_parent() -> None:
    session = only(SHOP / f"{S}1" / "subagents" / "agent-a1b2c3.jsonl")
    assert (session.id, session.parent, session.relation) == ("a1b2c3", f"{S}1", "subagent")
    assert session.title == "Find the retry tests"
    assert session.meta["agent"] == "Explore"
    assert said(session, "context") == ["List the tests that cover webhook retries."]
    assert said(session, "user") == ["Skip the slow ones."]


def test_a_fork_keeps_the_ids_it_shares_with_the_session_it_came_from() -> None:
    original, fork = only(MAIN), only(SHOP / f"{S}2.jsonl")
    assert fork.id == f"{S}2"
    known = {m.id for m in original.messages}
    assert [m.id for m in fork.messages if m.id in known] == ["u-1", "a-1"]
    assert [m.id for m in fork.messages if m.id not in known] == ["u-90", "a-90"]


def test_a_compaction_loses_nothing_and_its_summary_is_not_speech() -> None:
    session = only(SHOP / "compacted.jsonl")
    assert [m.id for m in session.messages] == ["c-1", "c-2", "c-4", "c-5", "c-6", "c-7", "c-8"]
    assert said(session, "summary")[0].endswith("invoices move to a new table.")
    assert "continues" not in session.meta


def test_a_compaction_that_continues_another_file_says_so(log: Path) -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": None,
                "logicalParentUuid": "in-another-file", "sessionId": "S"}  # fmt: skip
    session = only(write(log, boundary, human("Go on.")))
    assert session.meta["continues"] == "in-another-file"
    assert len(session.messages) == 1


def test_rewound_turns_stay_in_the_order_of_the_file_and_are_called_so() -> None:
    session = only(SHOP / "rewound.jsonl")
    assert [(m.id, m.role) for m in session.messages] == [
        ("r-1", "user"),
        ("r-2", "assistant"),
        ("r-3", "rewound"),
        ("r-4", "user"),
        ("r-5", "assistant"),
    ]


def linked(kind: str, uuid: str, parent: str | None, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": kind, "uuid": uuid, "parentUuid": parent, "isSidechain": False, "sessionId": "S",
        "message": {"role": kind, "id": f"msg_{uuid}", "content": content}, **more,
    }  # fmt: skip


def test_everything_that_followed_a_prompt_is_taken_back_with_it(log: Path) -> None:
    call = [{"type": "tool_use", "id": "t", "name": "Grep", "input": {}}]
    result = [{"type": "tool_result", "tool_use_id": "t", "content": "nothing"}]
    session = only(
        write(
            log,
            linked("user", "1", None, "Where is the queue?"),
            linked("assistant", "2", "1", "In Redis."),
            linked("user", "3", "2", "Move it."),
            linked("assistant", "4", "3", call),
            linked("user", "5", "4", result),
            linked("assistant", "6", "5", "Moved."),
            linked("user", "7", "2", "Leave it there."),
            linked("assistant", "8", "7", "Fine."),
        )
    )
    roles = {m.id: m.role for m in session.messages}
    assert {id for id, role in roles.items() if role == "rewound"} == {"3", "4", "5", "6"}
    assert session.title == "Where is the queue?"


def test_tools_at_work_side_by_side_are_not_taken_back(log: Path) -> None:
    def call(n: str) -> list[dict[str, Any]]:
        return [{"type": "tool_use", "id": n, "name": "Read", "input": {}}]

    def result(n: str) -> list[dict[str, Any]]:
        return [{"type": "tool_result", "tool_use_id": n, "content": f"file {n}"}]

    session = only(
        write(
            log,
            linked("user", "1", None, "Read both."),
            linked("assistant", "2", "1", call("a")),
            linked("assistant", "3", "2", call("b")),
            linked("user", "4", "2", result("a")),
            linked("user", "5", "3", result("b")),
            linked("assistant", "6", "5", "Read."),
        )
    )
    assert "rewound" not in {m.role for m in session.messages}


@pytest.mark.parametrize("logical", ["2", "1", "in-another-file", None])
def test_what_stands_before_a_compaction_is_not_taken_back(log: Path, logical: str | None) -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": None,
                "logicalParentUuid": logical, "isSidechain": False, "sessionId": "S"}  # fmt: skip
    session = only(
        write(
            log,
            linked("user", "1", None, "Begin."),
            linked("assistant", "2", "1", "Begun."),
            linked("user", "3", "2", "More."),
            linked("assistant", "4", "3", "Done."),
            boundary,
            linked("user", "5", "b", "Summary: begun.", isCompactSummary=True),
            linked("user", "6", "5", "Go on."),
            linked("assistant", "7", "a lost line", "Going on."),
        )
    )
    assert [m.role for m in session.messages] == [
        "user", "assistant", "user", "assistant", "summary", "user", "assistant",
    ]  # fmt: skip


def test_an_older_log_holds_its_subagents_between_its_own_records() -> None:
    (main, agent), problems = read(SHOP / "older.jsonl")
    assert roles(main) == {"context": 2, "user": 1, "assistant": 2, "tool": 2, "summary": 1,
                           "developer": 1}  # fmt: skip
    assert roles(agent) == {"context": 1, "assistant": 1}
    assert (agent.id, agent.parent, agent.relation) == ("o-3", main.id, "subagent")
    assert agent.title == "Measure every page."
    assert [p.level for p in problems] == ["warning", "warning"]
    assert problems[0].where.endswith("older.jsonl:9")
    assert "developer (1)" in problems[1].reason


def test_two_agents_between_the_records_are_two_sessions_though_some_have_no_id(log: Path) -> None:
    def aside(text: str, uuid: str, parent: str | None) -> dict[str, Any]:
        return human(text, uuid, isSidechain=True, parentUuid=parent)

    path = write(log, human("Hi"), aside("One", "1", None), aside("more", "", "1"),
                 aside("Two", "2", None), aside("again", "3", "2"))  # fmt: skip
    sessions, _ = read(path)
    assert [(s.id, said(s, "context")) for s in sessions[1:]] == [
        ("1", ["One", "more"]),
        ("2", ["Two", "again"]),
    ]


def test_the_messages_of_one_record_have_ids_of_their_own_and_the_humans_is_the_records() -> None:
    (main, _), _ = read(SHOP / "older.jsonl")
    assert [(m.role, m.id) for m in main.messages][:5] == [
        ("context", "o-1#2"),
        ("user", "o-1"),
        ("context", "o-1#3"),
        ("assistant", "o-2"),
        ("tool", "o-2#2"),
    ]
    named = [m.id for m in main.messages if m.id]
    assert len(named) == len(set(named))


def test_dates_are_read_from_seconds_milliseconds_and_text_and_may_be_missing() -> None:
    (main, _), _ = read(SHOP / "older.jsonl")
    dates = {m.text[:6]: m.date for m in main.messages}
    assert dates["Name t"] == datetime(2026, 11, 6, 9, tzinfo=UTC)
    assert dates["I ask "] == datetime(2026, 11, 6, 9, 0, 1, tzinfo=UTC)
    assert dates["Search"] is None
    assert dates["This s"] is None


# ------------------------------------------------------------------ titles


@pytest.mark.parametrize(
    ("file", "title"),
    [
        (f"{S}1.jsonl", "Double charge at checkout"),
        (f"{S}2.jsonl", "Why does checkout double-charge?"),
        ("compacted.jsonl", "Invoices in a table of their own"),
        ("rewound.jsonl", "Pick a queue for the mails."),
    ],
)
def test_the_title_is_the_persons_then_the_clients_then_the_first_line(
    file: str, title: str
) -> None:
    assert only(SHOP / file).title == title


def test_the_latest_title_counts(log: Path) -> None:
    titles = [{"type": "ai-title", "aiTitle": title, "sessionId": "S"} for title in ("Old", "New")]
    assert only(write(log, titles[0], human("Hello"), titles[1])).title == "New"


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("\n\n  Short  one \n second line", "Short one"),
        ("word " * 30, ("word " * 16).strip() + "…"),
        ("字" * 200, "字" * 79 + "…"),
        ("x" * 80, "x" * 80),
    ],
)
def test_a_long_first_line_is_cut_at_a_word(log: Path, prompt: str, title: str) -> None:
    session = only(write(log, human(prompt)))
    assert session.title == title
    assert len(session.title) <= 80


# ------------------------------------------------------------------ who speaks


@pytest.mark.parametrize(
    ("content", "fields", "expected"),
    [
        ("Hello", {}, [("user", "Hello")]),
        ("Hello", {"origin": {"kind": "human"}}, [("user", "Hello")]),
        ("Hello", {"promptSource": "queued"}, [("user", "Hello")]),
        ("Hello", {"isMeta": True}, [("context", "Hello")]),
        ("Hello", {"isMeta": True, "origin": {"kind": "human"}}, [("context", "Hello")]),
        ("Hello", {"origin": {"kind": "hook"}}, [("context", "Hello")]),
        ("Hello", {"promptSource": "system"}, [("context", "Hello")]),
        ("Hello", {"isVisibleInTranscriptOnly": True}, [("context", "Hello")]),
        ("Hello", {"isCompactSummary": True}, [("summary", "Hello")]),
        ("<bash-input>ls</bash-input>", {}, [("context", "<bash-input>ls</bash-input>")]),
        ("<command-message>x</command-message>", {},
         [("context", "<command-message>x</command-message>")]),
        ("[Request interrupted by user for tool use]", {},
         [("context", "[Request interrupted by user for tool use]")]),
        ("The log said [Request interrupted by user].", {},
         [("user", "The log said [Request interrupted by user].")]),
        ("What is a <system-reminder>x</system-reminder> for?", {},
         [("user", "What is a <system-reminder>x</system-reminder> for?")]),
        ("Go on<system-reminder>x</system-reminder>", {},
         [("user", "Go on"), ("context", "<system-reminder>x</system-reminder>")]),
        ("<system-reminder><recollect-context a='1'>y</recollect-context></system-reminder>Hi", {},
         [("user", "Hi")]),
        ("<recollect-context>y</recollect-context>", {"isMeta": True}, []),
        ("   ", {}, []),
        (None, {}, []),
        (7, {}, []),
        ({"type": "text", "text": "One block"}, {}, [("user", "One block")]),
        (["As a text", {"type": "text", "text": "as a block"}], {},
         [("user", "As a text\n\nas a block")]),
        ([{"type": "document", "source": {}}], {}, [("user", "[document]")]),
        ([{"type": ["odd"], "text": 3}, 5, None], {}, []),
        ([{"type": "tool_result", "content": "done"}, {"type": "text", "text": "Stop."}], {},
         [("tool", "done"), ("user", "Stop.")]),
    ],
)  # fmt: skip
def test_a_users_turn_is_told_apart(
    log: Path, content: Any, fields: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    sessions, _ = read(write(log, human(content, **fields)))
    assert [(m.role, m.text) for s in sessions for m in s.messages] == expected


def test_what_the_client_says_in_the_models_name_is_not_the_models(log: Path) -> None:
    error = record("assistant", "Prompt is too long", "a", isApiErrorMessage=True)
    stub = record("assistant", "No response requested.", "b")
    stub["message"]["model"] = "<synthetic>"
    session = only(write(log, human("Hi"), error, stub))
    assert roles(session) == {"user": 1, "context": 2}
    assert session.model == ""


def test_a_call_written_again_under_another_id_is_kept_once(log: Path) -> None:
    call = [{"type": "text", "text": "Look."}, {"type": "tool_use", "id": "t", "name": "Ls"}]
    again = [record("assistant", call, uuid) for uuid in ("a", "b")]
    for each in again:
        each["message"]["id"] = "msg"
    session = only(write(log, human("Hi"), *again))
    assert [(m.role, m.text) for m in session.messages] == [
        ("user", "Hi"),
        ("assistant", "Look."),
        ("tool", "Ls"),
    ]


def test_calls_of_the_servers_own_tools_are_tools_too(log: Path) -> None:
    content = [
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "otter"}},
        {"type": "web_search_tool_result", "content": [{"type": "text", "text": "Otters swim."}]},
    ]
    session = only(write(log, human("Hi"), record("assistant", content, "a")))
    assert said(session, "tool") == ["web_search query='otter'", "Otters swim."]


# ------------------------------------------------------------------ which session


def test_the_session_is_the_one_the_file_is_named_for_though_it_repeats_another(
    tmp_path: Path,
) -> None:
    told = [human(name, name, sessionId=name) for name in ("old", "new", "other")]
    path = write(tmp_path / "new.jsonl", *told)
    assert only(path).id == "new"


def test_without_a_session_id_the_file_name_is_it(log: Path) -> None:
    assert only(write(log, {**human("Hi"), "sessionId": None})).id == "log"


def test_a_subagent_without_ids_is_named_by_its_place(tmp_path: Path) -> None:
    path = tmp_path / "parent" / "subagents" / "agent-x9.jsonl"
    bare = {**human("Count the files", ""), "sessionId": None}
    session = only(write(path, bare))
    assert (session.id, session.parent, session.relation) == ("x9", "parent", "subagent")
    assert session.title == "Count the files"


def test_a_damaged_note_beside_a_subagent_costs_only_its_title(tmp_path: Path) -> None:
    path = tmp_path / "agent-x9.jsonl"
    note = path.with_suffix(".meta.json")
    note.write_text("{")
    (session,), problems = read(write(path, human("Count the files")))
    assert session.title == "Count the files"
    assert [(p.where, p.level) for p in problems] == [(str(note), "warning")]


# ------------------------------------------------------------------ damaged files


def test_an_empty_file_is_skipped_and_says_so() -> None:
    assert read(SHOP / "empty.jsonl") == (
        [],
        [Problem(str(SHOP / "empty.jsonl"), "empty: there is nothing to import", "skipped")],
    )


def test_a_file_of_bookkeeping_alone_is_skipped_and_says_so() -> None:
    sessions, problems = read(SHOP / "bookkeeping.jsonl")
    assert sessions == []
    assert [(p.reason, p.level) for p in problems] == [("no conversation in it", "skipped")]


def test_a_file_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    sessions, problems = read(tmp_path / "gone.jsonl")
    assert sessions == []
    assert [p.level for p in problems] == ["failed"]
    assert "No such file" in problems[0].reason


def test_bad_lines_are_named_and_the_others_are_read(log: Path) -> None:
    lines = [
        json.dumps(human("One", "1")).encode(),
        b"not json",
        b'{"type":"user","uuid":"2","message":{"role":"user","content":"caf\xe9"}}',
        b"[1, 2]",
        json.dumps(human("Two", "3")).encode(),
        b'{"type":"assistant","uuid":"4","mess',
    ]
    log.write_bytes(b"\n".join(lines))
    (session,), problems = read(log)
    assert said(session, "user") == ["One", "Two"]
    assert [(p.where, p.level) for p in problems] == [
        (f"{log}:2", "failed"),
        (f"{log}:3", "failed"),
        (f"{log}:4", "failed"),
        (f"{log}:6", "warning"),
    ]


def test_half_characters_do_not_reach_the_store(log: Path) -> None:
    session = only(write(log, human("cut \ud83d here, whole 🦦", "\ud800", cwd="/a\udfff")))
    assert session.messages[0].text == "cut \ufffd here, whole 🦦"
    for text in (session.messages[0].id, session.folder, session.title):
        text.encode()


@pytest.mark.parametrize("depth", [50, 986, 987, 988, 989, 990, 5000])
def test_however_deep_a_call_is_nested_the_other_messages_are_read(log: Path, depth: int) -> None:
    deep = '{"type":"assistant","sessionId":"S","message":{"role":"assistant","content":'
    deep += '[{"type":"tool_use","name":"X","input":{"a":' + "[" * depth + "]" * depth + "}}]}}\n"
    log.write_text(json.dumps(human("Hi")) + "\n" + deep + json.dumps(human("Bye", "v")) + "\n")
    (session,), problems = read(log)
    assert said(session, "user") == ["Hi", "Bye"]
    assert len(said(session, "tool")) + len(problems) == 1


@pytest.mark.parametrize(
    "text",
    [
        "<system-reminder>" * 40000,
        "<system-reminder>a</system-reminder>" * 40000,
        "x" + "<system-reminder>a</system-reminder> " * 40000,
        "<recollect-context>" * 40000,
        "<recollect-context>" * 40000 + "</recollect-context>",
        "<recollect-context>a</recollect-context><system-reminder>" + " " * 400000,
        " " * 400000 + "x",
    ],
    ids=lambda text: text[:60],
)
def test_no_text_takes_for_ever(log: Path, text: str) -> None:
    written = write(log, human(text))
    with processor_seconds(5):
        read(written)


FIELDS = st.sampled_from(
    "type uuid parentUuid sessionId isSidechain agentId timestamp message role content id model "
    "text input name attachment prompt origin kind subtype logicalParentUuid cwd summary leafUuid "
    "customTitle isMeta commandMode".split()
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=4),
    max_leaves=12,
)
KINDS = st.sampled_from(
    "user assistant system attachment summary custom-title queued_command tool_use tool_result "
    "text thinking human compact_boundary".split()
)


@given(st.lists(st.dictionaries(FIELDS, JSON | KINDS, max_size=8), max_size=6))
def test_records_of_any_shape_become_sessions_or_problems(records: list[dict[str, Any]]) -> None:
    path = Path("shapes.jsonl")
    write(path, human("Before", "first"), *records)
    sessions, problems = read(path)
    assert any(m.text == "Before" for s in sessions for m in s.messages)
    for session in sessions:
        assert session.id
        assert session.messages
        assert all(m.text.strip() and m.role for m in session.messages)
        json.dumps([session.title, session.folder, session.meta]).encode()
    assert all(p.where.startswith("shapes.jsonl") for p in problems)
    assert FORMAT.recognises(path, path.read_bytes()[:65536])


@given(st.data())
def test_a_log_cut_anywhere_keeps_what_was_whole_before(data: st.DataObject) -> None:
    content = MAIN.read_bytes()
    at = data.draw(st.integers(0, len(content)))
    lines = content[:at].count(b"\n")
    assert _turns(content[:at]) in (_turns(_first(lines)), _turns(_first(lines + 1)))
    assert _turns(content)[: len(_turns(_first(lines)))] == _turns(_first(lines))


def _first(lines: int) -> bytes:
    return b"".join(MAIN.read_bytes().splitlines(keepends=True)[:lines])


def _turns(content: bytes) -> list[tuple[str, str]]:
    path = Path(MAIN.name)
    path.write_bytes(content)
    sessions, problems = read(path)
    assert not [p for p in problems if p.level == "failed"]
    return [(m.role, m.id) for s in sessions for m in s.messages]


@given(st.integers(0, 60), st.binary(max_size=40))
def test_a_garbled_line_costs_no_other(number: int, noise: bytes) -> None:
    lines = MAIN.read_bytes().splitlines()
    number %= len(lines)
    garbled = [*lines[:number], noise.replace(b"\n", b""), *lines[number + 1 :]]
    assert _words(lines) - _words(garbled) <= _words([lines[number]])


def _words(lines: list[bytes]) -> set[tuple[str, str]]:
    path = Path(MAIN.name)
    path.write_bytes(b"\n".join(lines) + b"\n")
    sessions, _ = read(path)
    messages = [m for s in sessions for m in s.messages]
    return {(m.role, part) for m in messages for part in m.text.split("\n\n")}


# ------------------------------------------------------------------ recognising, finding

CLAUDE_LINES = [json.dumps(human("Hi", parentUuid=None))]
OTHERS = {
    "codex": {"timestamp": "2026-11-14T09:00:00.100Z", "ordinal": 0, "type": "session_meta",
              "payload": {"session_id": "T1", "id": "T1", "cwd": "/home/ana/shop"}},
    "codex item": {"timestamp": "2026-11-14T09:00:02.000Z", "type": "response_item",
                   "payload": {"type": "message", "role": "user", "content": []}},
    "gemini": {"sessionId": "G1", "projectHash": "9f", "startTime": "2026-11-14T08:00:00.000Z",
               "kind": "main"},
    "gemini message": {"id": "q1", "timestamp": "2026-11-14T08:00:05.000Z", "type": "user",
                       "content": [{"text": "list open ports"}], "sessionId": "G1"},
    "copilot": {"type": "session.start", "data": {"sessionId": "C1"}, "id": "1", "parentId": None},
    "copilot message": {"type": "user.message", "data": {"content": "Hi"}, "id": "2"},
    "cursor": {"role": "user", "message": {"content": [{"type": "text", "text": "Hi"}]}},
    "cursor end": {"type": "turn_ended", "status": "success"},
    "openclaw": {"type": "message", "id": "1", "message": {"role": "user", "content": "Hi"}},
    "our document": {"id": "adr-9", "text": "Money is an integer.", "type": "user"},
    "our session": {"id": "s", "turns": [{"role": "user", "text": "Hi"}]},
    "its stream": {"type": "user", "message": {"role": "user", "content": "Hi"}, "session_id": "S"},
    "its history": {"display": "Hi", "project": "/home/ana", "sessionId": "S", "timestamp": 1},
    "qwen": {"uuid": "1", "parentUuid": None, "sessionId": "Q", "type": "user",
             "message": {"role": "user", "parts": [{"text": "Hi"}]}},
    "a list": [1, 2],
}  # fmt: skip


@pytest.mark.parametrize("file", sorted(SHOP.rglob("*.jsonl")), ids=lambda path: path.name)
def test_its_own_logs_are_recognised_by_what_is_in_them(file: Path) -> None:
    head = file.read_bytes()[:65536]
    assert FORMAT.recognises(Path("anything.txt"), head) == bool(head)


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
def test_logs_of_others_are_not_claimed(other: Any) -> None:
    line = json.dumps(other)
    assert not FORMAT.recognises(Path("projects/x.jsonl"), f"{line}\n{line}\n{line[:-3]}".encode())


@pytest.mark.parametrize(
    "first",
    ["", "not json", '{"type":"brand-new","sessionId":"S"}', '{"type":"mode"}', "[]", "\ufeff"],
)
def test_a_strange_first_line_does_not_hide_a_log(first: str) -> None:
    head = "\n".join([first, *CLAUDE_LINES]).encode()
    assert FORMAT.recognises(Path("x.jsonl"), head)


@pytest.mark.parametrize(
    "record",
    [
        {"parentUuid": None, "isSidechain": False, "attachment": {"content": "x" * 70000},
         "type": "attachment", "sessionId": "S"},
        {"type": "api-request-blob", "sessionId": "S", "message": {"content": "x" * 70000}},
        {"type": "user", "uuid": "1", "parentUuid": None, "message": {"content": "x" * 70000}},
    ],
)  # fmt: skip
def test_a_first_line_longer_than_the_head_is_recognised_by_its_beginning(
    record: dict[str, Any],
) -> None:
    assert FORMAT.recognises(Path("x.jsonl"), json.dumps(record).encode()[:65536])


def test_a_long_line_of_another_client_is_not_claimed() -> None:
    other = {"type": "session.start", "data": {"sessionId": "C", "prompt": "x" * 70000}}
    assert not FORMAT.recognises(Path("x.jsonl"), json.dumps(other).encode()[:65536])


def test_logs_are_looked_for_where_the_client_is_told_to_keep_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    assert list(FORMAT.homes()) == [tmp_path / ".claude" / "projects"]
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    assert list(FORMAT.homes()) == [tmp_path / "elsewhere" / "projects"]
