"""Session stores in other apps' databases: what each app keeps comes out as it was said, and no
state of the file, being written, locked, old or damaged, is more than a problem."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import spoken
from recollect.nouns import Problem
from recollect.sources.sessions import database, goose, hermes, openclaw, opencode
from recollect.sources.sessions.base import Format, Session

LEGACY = Path(__file__).parent / "fixtures" / "sessions" / "openclaw"
START = 1_773_478_800  # 2026-03-14 09:00 UTC

HERMES = """
CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, session_key TEXT, model TEXT,
    model_config TEXT, system_prompt TEXT, parent_session_id TEXT, started_at REAL NOT NULL,
    ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0, cwd TEXT, git_branch TEXT,
    title TEXT, profile_name TEXT, archived INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id),
    role TEXT NOT NULL, content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT,
    timestamp REAL NOT NULL, token_count INTEGER, finish_reason TEXT, reasoning TEXT,
    reasoning_content TEXT, _compressed_summary INTEGER NOT NULL DEFAULT 0,
    active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0, display_kind TEXT
);
CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
CREATE VIRTUAL TABLE messages_fts USING fts5(content);
"""
OPENCODE = """
CREATE TABLE project (id TEXT PRIMARY KEY, worktree TEXT NOT NULL);
CREATE TABLE session (
    id TEXT PRIMARY KEY, project_id TEXT NOT NULL, parent_id TEXT, slug TEXT NOT NULL DEFAULT '',
    directory TEXT NOT NULL, title TEXT NOT NULL, version TEXT NOT NULL, revert TEXT, agent TEXT,
    model TEXT, cost REAL NOT NULL DEFAULT 0, tokens_input INTEGER NOT NULL DEFAULT 0,
    time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, time_compacting INTEGER,
    time_archived INTEGER
);
CREATE TABLE message (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
    time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL
);
CREATE INDEX message_session_time_created_id_idx ON message(session_id, time_created, id);
CREATE TABLE part (
    id TEXT PRIMARY KEY, message_id TEXT NOT NULL REFERENCES message(id) ON DELETE CASCADE,
    session_id TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL,
    data TEXT NOT NULL
);
CREATE INDEX part_session_idx ON part(session_id);
CREATE TABLE session_message (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL, type TEXT NOT NULL,
    time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL
);
"""
GOOSE = """
CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TIMESTAMP);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '',
    user_set_name BOOLEAN DEFAULT FALSE, session_type TEXT NOT NULL DEFAULT 'user',
    working_dir TEXT NOT NULL, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, extension_data TEXT DEFAULT '{}',
    total_tokens INTEGER, schedule_id TEXT, provider_name TEXT, model_config_json TEXT,
    archived_at TIMESTAMP, parent_session_id TEXT
);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT,
    session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL,
    content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL,
    timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, tokens INTEGER, metadata_json TEXT
);
CREATE INDEX idx_messages_session ON messages(session_id);
"""
OPENCLAW = """
CREATE TABLE session_nodes (
    session_key TEXT NOT NULL PRIMARY KEY, current_session_id TEXT NOT NULL,
    entry_json TEXT NOT NULL, updated_at INTEGER NOT NULL, parent_session_key TEXT,
    spawned_by TEXT, label TEXT, display_name TEXT, archived_at INTEGER
);
CREATE TABLE session_windows (
    session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL, previous_session_id TEXT,
    reason TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, channel TEXT,
    model TEXT, parent_session_key TEXT, spawned_by TEXT, display_name TEXT
);
CREATE TABLE conversations (conversation_id TEXT NOT NULL PRIMARY KEY, channel TEXT NOT NULL);
CREATE TABLE transcript_events (
    session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT NOT NULL,
    created_at INTEGER NOT NULL, PRIMARY KEY (session_id, seq)
);
CREATE TABLE transcript_event_identities (
    session_id TEXT NOT NULL, event_id TEXT NOT NULL, seq INTEGER NOT NULL, event_type TEXT,
    parent_id TEXT, created_at INTEGER NOT NULL, PRIMARY KEY (session_id, event_id)
);
CREATE TABLE session_transcript_archives (
    session_id TEXT NOT NULL, generation TEXT NOT NULL, encoding TEXT NOT NULL,
    archive_blob BLOB NOT NULL, created_at INTEGER NOT NULL, PRIMARY KEY (session_id, generation)
);
"""


@contextmanager
def writing(path: Path, schema: str = "") -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA synchronous=OFF")
        db.executescript(schema)
        yield db
        db.commit()


def put(db: sqlite3.Connection, table: str, **row: Any) -> None:
    cells = [json.dumps(v) if isinstance(v, dict | list) else v for v in row.values()]
    marks = ", ".join("?" * len(row))
    db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", cells)


# -- one session each, with the same two turns: what the tests of the file's state work on


def plain_hermes(db: sqlite3.Connection, id: str, *texts: str) -> None:
    put(db, "sessions", id=id, source="cli", started_at=START + 0.5, title=f"Title {id}")
    for n, text in enumerate(texts):
        content = "\x00json:" + json.dumps([{"type": "text", "text": text}])
        put(db, "messages", session_id=id, role="user", content=content, timestamp=START + n)


def plain_opencode(db: sqlite3.Connection, id: str, *texts: str) -> None:
    times = {"time_created": START * 1000, "time_updated": START * 1000}
    put(db, "session", id=id, project_id="p", directory="/w", title=f"Title {id}", version="1",
        **times)  # fmt: skip
    for n, text in enumerate(texts):
        own = f"msg_{id}_{n:04}"
        about = {"role": "user", "agent": "build", "system": "You are brief. " * 60}
        put(db, "message", id=own, session_id=id, data=about, **times)
        data = {"type": "text", "text": text}
        put(db, "part", id=f"prt_{id}_{n:04}", message_id=own, session_id=id, data=data, **times)


def plain_goose(db: sqlite3.Connection, id: str, *texts: str) -> None:
    put(db, "sessions", id=id, name=f"Title {id}", working_dir="/w")
    for n, text in enumerate(texts):
        content = [{"type": "text", "text": text}]
        put(db, "messages", message_id=f"m{n}", session_id=id, role="user", content_json=content,
            created_timestamp=START + n)  # fmt: skip


def plain_openclaw(db: sqlite3.Connection, id: str, *texts: str) -> None:
    entries: list[dict[str, Any]] = [{"type": "session", "id": id, "timestamp": START, "cwd": "/w"}]
    for n, text in enumerate(texts):
        message = {"role": "user", "content": text}
        entries.append({"type": "message", "id": f"e{n}", "parentId": f"e{n - 1}" if n else None,
                        "message": message})  # fmt: skip
    events(db, id, entries)


def events(db: sqlite3.Connection, id: str, entries: list[dict[str, Any]]) -> None:
    for seq, entry in enumerate(entries):
        put(db, "transcript_events", session_id=id, seq=seq, event_json=entry, created_at=START)


class App(NamedTuple):
    format: Format
    needs: database.Needs
    name: str
    schema: str
    plain: Callable[..., None]
    title: tuple[str, str]
    """The table and the column where a title is."""
    text: tuple[str, str]
    """The table and the column where the words are."""


APPS = [
    App(hermes.FORMAT, hermes.NEEDS, "state.db", HERMES, plain_hermes,
        ("sessions", "title"), ("messages", "content")),
    App(opencode.FORMAT, opencode.NEEDS, "opencode.db", OPENCODE, plain_opencode,
        ("session", "title"), ("part", "data")),
    App(goose.FORMAT, goose.NEEDS, "sessions.db", GOOSE, plain_goose,
        ("sessions", "name"), ("messages", "content_json")),
    App(openclaw.FORMAT, openclaw.NEEDS, "openclaw-agent.sqlite", OPENCLAW, plain_openclaw,
        ("session_nodes", "label"), ("transcript_events", "event_json")),
]  # fmt: skip
each_app = pytest.mark.parametrize("app", APPS, ids=[app.format.name for app in APPS])


def built(app: App, folder: Path, **sessions: tuple[str, ...]) -> Path:
    path = folder / app.name
    with writing(path, app.schema) as db:
        for id, texts in sessions.items():
            app.plain(db, id, *texts)
    return path


def recognised(format: Format, path: Path) -> bool:
    with open(path, "rb") as stream:
        return format.recognises(path, stream.read(65536))


def split(format: Format, path: Path) -> tuple[list[Session], list[Problem]]:
    found = list(format.read(path))
    sessions = [spoken(s) for s in found if isinstance(s, Session)]
    return sessions, [p for p in found if isinstance(p, Problem)]


def sessions_of(format: Format, path: Path) -> dict[str, Session]:
    """The sessions by id, of a file with which nothing is wrong."""
    sessions, problems = split(format, path)
    assert problems == []
    return {session.id: session for session in sessions}


def said(session: Session) -> list[tuple[str, str]]:
    return [(m.role, m.text) for m in session.messages]


def at(seconds: float) -> datetime:
    return datetime.fromtimestamp(START + seconds, UTC)


# -- which file is whose


@each_app
def test_a_database_is_claimed_by_its_own_format_alone(app: App, tmp_path: Path) -> None:
    path = built(app, tmp_path, s1=("hello",))
    assert [other.format.name for other in APPS if recognised(other.format, path)] == [
        app.format.name
    ]


@pytest.mark.parametrize(
    "schema",
    [
        "CREATE TABLE notes (id, text)",
        "CREATE TABLE sessions (id, name); CREATE TABLE messages (id, session_id, role, content)",
        "CREATE TABLE session (id, data); CREATE TABLE message (id, data); CREATE TABLE part (id)",
        "CREATE TABLE transcript_events (id, session_id, kind, payload)",
        "",
    ],
)
def test_another_apps_database_is_claimed_by_none(schema: str, tmp_path: Path) -> None:
    for app in APPS:
        path = tmp_path / app.name
        with writing(path, schema) as db:
            db.execute("PRAGMA user_version = 1")
        assert not recognised(app.format, path)


@each_app
@pytest.mark.parametrize("size", [0, 16, 100, 1000, 4096, 5000])
def test_the_beginning_of_a_database_is_asked_without_failing(
    app: App, size: int, tmp_path: Path
) -> None:
    path = built(app, tmp_path, s1=("hello",) * 50)
    path.write_bytes(path.read_bytes()[:size])
    assert recognised(app.format, path) in (True, False)
    assert [type(found) for found in app.format.read(path)].count(Problem) >= 1


@each_app
def test_what_is_no_database_at_all_is_a_problem_and_not_claimed(app: App, tmp_path: Path) -> None:
    text = tmp_path / app.name
    text.write_text("not a database, only words\n" * 200)
    assert not recognised(app.format, text)
    for path in (text, tmp_path / "absent.db", tmp_path):
        sessions, problems = split(app.format, path)
        assert sessions == []
        assert [(p.where, p.level) for p in problems] == [(str(path), "failed")]


# -- Hermes


@pytest.fixture
def state(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with writing(path, HERMES) as db:
        put(db, "sessions", id="s1", source="cli", model="hermes-5", started_at=START + 0.5,
            ended_at=START + 90, end_reason="compression", cwd="/home/ana/shop", git_branch="main",
            archived=1, profile_name="work", model_config={"max_tokens": 9})  # fmt: skip

        def say(**row: Any) -> None:
            put(db, "messages", session_id="s1", **row)

        call = {"name": "grep", "arguments": '{"pattern": "charge("}'}
        say(role="system", content="You are Hermes.", timestamp=START + 1)
        say(role="user", content="why does checkout charge twice?\nit did today",
            timestamp=START + 2.25, active=0, compacted=1)  # fmt: skip
        say(role="assistant", content="Looking.", timestamp=START + 3, active=0, compacted=1,
            reasoning="the user is cross", tool_calls=[{"id": "c1", "function": call}])  # fmt: skip
        say(role="tool", content="pay.py:88", tool_call_id="c1", tool_name="grep",
            timestamp=START + 4, active=0, compacted=1)  # fmt: skip
        say(role="user", content="drop the table", timestamp=START + 5, active=0)
        say(role="user", content="why does checkout charge twice?\nit did today",
            timestamp=START + 2.25)  # fmt: skip
        say(role="user", content="[CONTEXT COMPACTION — REFERENCE ONLY] It charges twice.",
            timestamp=START + 6, _compressed_summary=1)  # fmt: skip
        parts = [{"type": "text", "text": "see this"}, {"type": "image_url", "image_url": {}}]
        say(role="user", content="\x00json:" + json.dumps(parts), timestamp=START + 7)
        say(role="user", content="[System: model switched]", timestamp=START + 8)
        say(role="assistant", content="(cut off)", timestamp=START + 9, display_kind="hidden")
    return path


def test_hermes_keeps_what_was_compacted_once_and_leaves_out_what_was_taken_back(
    state: Path,
) -> None:
    session = sessions_of(hermes.FORMAT, state)["s1"]
    assert said(session) == [
        ("system", "You are Hermes."),
        ("user", "why does checkout charge twice?\nit did today"),
        ("assistant", "Looking."),
        ("tool", "grep pattern='charge('"),
        ("tool", "pay.py:88"),
        ("summary", "[CONTEXT COMPACTION — REFERENCE ONLY] It charges twice."),
        ("user", "see this"),
        ("context", "[System: model switched]"),
        ("context", "(cut off)"),
    ]
    assert [m.id for m in session.messages[:5]] == ["s1:1", "s1:2", "s1:3", "s1:3#2", "s1:4"]
    assert session.messages[1].date == at(2.25)


def test_hermes_says_when_and_where_a_session_was(state: Path) -> None:
    session = sessions_of(hermes.FORMAT, state)["s1"]
    assert session.title == "why does checkout charge twice?"
    assert session.date == at(0.5)
    assert (session.folder, session.branch, session.model) == (
        "/home/ana/shop", "main", "hermes-5",
    )  # fmt: skip
    assert session.meta == {"source": "cli", "profile": "work", "archived": True, "rewound": 1}


@pytest.mark.parametrize(
    ("ended", "config", "expected"),
    [
        ("compression", None, ("s1", "compaction")),
        ("compression", {"_branched_from": "s1"}, ("s1", "fork")),
        ("compression", {"_branched_from": "s0"}, ("s1", "compaction")),
        ("branched", None, ("s1", "fork")),
        (None, {"_delegate_from": "s1"}, ("s1", "subagent")),
        (None, None, ("s1", "subagent")),
        ("session_reset", None, ("", "")),
        (None, {"_reset_from": "s1"}, ("", "")),
    ],
)
def test_hermes_tells_a_fork_from_a_subagent_from_a_compaction(
    ended: str | None, config: Any, expected: tuple[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "state.db"
    with writing(path, HERMES) as db:
        put(db, "sessions", id="s1", source="cli", started_at=START, end_reason=ended,
            session_key="k")  # fmt: skip
        put(db, "sessions", id="s2", source="cli", started_at=START, parent_session_id="s1",
            model_config=config, session_key="k")  # fmt: skip
        put(db, "messages", session_id="s2", role="user", content="go on", timestamp=START)
    session = sessions_of(hermes.FORMAT, path)["s2"]
    assert (session.parent, session.relation) == expected
    assert session.messages[0].role == ("context" if expected[1] == "subagent" else "user")


END = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"
SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted."
PRIOR = "[PRIOR CONTEXT — for reference only; not a new message]"
PRIOR_END = "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]"
SKILL = (
    '[IMPORTANT: The user has invoked the "work" skill. The full skill content is loaded below.]'
)
ASKED = "The user has provided the following instruction alongside the skill invocation: "


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f"{SUMMARY}\n{END}", [("summary", SUMMARY)]),
        (f"{SUMMARY}\n{END}\nnow the tests", [("summary", SUMMARY), ("user", "now the tests")]),
        (f"{PRIOR}\nfix it\n{PRIOR_END}\n{SUMMARY}", [("user", "fix it"), ("summary", SUMMARY)]),
        ("what is [CONTEXT COMPACTION]?", [("user", "what is [CONTEXT COMPACTION]?")]),
        (f"{SKILL}\n# Work\n{ASKED}plan the day", [("context", f"{SKILL}\n# Work"),
                                                  ("user", "plan the day")]),
        ("<recollect-context>old</recollect-context>\nhi", [("user", "hi")]),
        ("<recollect-context>old</recollect-context>", []),
        ("<system-reminder>x", [("context", "<system-reminder>x")]),
    ],
)  # fmt: skip
def test_hermes_parts_the_human_from_what_was_put_in_a_users_message(
    content: str, expected: list[tuple[str, str]], tmp_path: Path
) -> None:
    path = built(APPS[0], tmp_path, s1=("first", content))
    assert said(sessions_of(hermes.FORMAT, path)["s1"])[0] == ("user", "first")
    # The first message and the rest are in records of their own, and so are never joined.
    assert said(sessions_of(hermes.FORMAT, path)["s1"])[1:] == expected


# -- opencode


def part(db: sqlite3.Connection, message: str, id: str, **data: Any) -> None:
    put(db, "part", id=id, message_id=message, session_id="ses_1", time_created=0, time_updated=0,
        data=data)  # fmt: skip


@pytest.fixture
def opencode_db(tmp_path: Path) -> Path:
    path = tmp_path / "opencode.db"
    ms = START * 1000
    with writing(path, OPENCODE) as db:
        put(db, "session", id="ses_1", project_id="p", directory="/home/ana/shop", agent="build",
            title="New session - 2026-03-14T09:00:00.000Z", version="1.18.33", time_archived=ms,
            model={"id": "big-pickle", "providerID": "opencode"}, time_created=ms,
            time_updated=ms)  # fmt: skip
        put(db, "session", id="ses_2", project_id="p", directory="/home/ana/shop", version="1",
            title="List ports (@general subagent)", parent_id="ses_1", time_created=ms + 1,
            time_updated=ms)  # fmt: skip
        for n, (id, data) in enumerate([
            ("msg_1", {"role": "user", "summary": {"title": "Ports", "diffs": []}}),
            ("msg_2", {"role": "assistant", "modelID": "small", "finish": "tool-calls"}),
            ("msg_3", {"role": "user"}),
            ("msg_4", {"role": "assistant", "summary": True, "modelID": "big-pickle"}),
        ]):  # fmt: skip
            put(db, "message", id=id, session_id="ses_1", time_created=ms + n * 1000,
                time_updated=ms, data=data)  # fmt: skip
        part(db, "msg_1", "prt_11", type="text", text='"list \\"open\\" ports"')
        part(db, "msg_1", "prt_12", type="text", text="Called the Read tool", synthetic=True)
        part(db, "msg_1", "prt_13", type="file", mime="text/plain", filename="a.py", url="data:x")
        state = {"status": "completed", "input": {"command": "ss -ltn"}, "output": "LISTEN 22"}
        part(db, "msg_2", "prt_25", type="text", text="Port 22 is open.")
        part(db, "msg_2", "prt_23", type="tool", tool="bash", callID="c1", state=state)
        part(db, "msg_2", "prt_21", type="step-start")
        part(db, "msg_2", "prt_22", type="reasoning", text="hm")
        part(db, "msg_2", "prt_24", type="text", text="I looked.")
        part(db, "msg_3", "prt_31", type="compaction", auto=True)
        part(db, "msg_4", "prt_41", type="text", text="Port 22 is open, says ss.")
        put(db, "message", id="msg_5", session_id="ses_2", time_created=ms + 5, time_updated=ms,
            data={"role": "user"})  # fmt: skip
        put(db, "part", id="prt_51", message_id="msg_5", session_id="ses_2", time_created=0,
            time_updated=0, data={"type": "text", "text": "list the ports"})  # fmt: skip
    return path


def test_opencode_parts_come_in_order_and_in_the_role_of_who_spoke(opencode_db: Path) -> None:
    session = sessions_of(opencode.FORMAT, opencode_db)["ses_1"]
    assert said(session) == [
        ("user", 'list "open" ports'),
        ("context", "Called the Read tool\n\nfile: a.py"),
        ("tool", "bash command='ss -ltn'\nLISTEN 22"),
        ("assistant", "I looked.\n\nPort 22 is open."),
        ("summary", "Port 22 is open, says ss."),
    ]
    assert [m.id for m in session.messages] == ["msg_1", "msg_1#2", "msg_2", "msg_2#2", "msg_4"]
    assert [m.date for m in session.messages] == [at(0), at(0), at(1), at(1), at(3)]
    assert (session.title, session.folder) == ('list "open" ports', "/home/ana/shop")
    assert (session.date, session.model) == (at(0), "big-pickle")
    assert session.meta == {"agent": "build", "version": "1.18.33", "archived": True}


def test_opencode_tells_the_task_of_a_subagent_from_a_humans_words(opencode_db: Path) -> None:
    child = sessions_of(opencode.FORMAT, opencode_db)["ses_2"]
    assert (child.parent, child.relation) == ("ses_1", "subagent")
    assert child.title == "List ports (@general subagent)"
    assert said(child) == [("context", "list the ports")]


@pytest.mark.parametrize(
    ("stored", "meant"),
    [
        ('"fix the test"', "fix the test"),
        ('"fix the test"\n', "fix the test"),
        ('"say \\"hi\\" twice"', 'say "hi" twice'),
        ('"fix this" and "that"', '"fix this" and "that"'),
        ('the "why" of it', 'the "why" of it'),
        ('"', '"'),
    ],
)
def test_opencode_quotes_go_only_where_they_enclose_the_whole_prompt(
    stored: str, meant: str, tmp_path: Path
) -> None:
    path = built(APPS[1], tmp_path, s1=(stored,))
    assert said(sessions_of(opencode.FORMAT, path)["s1"]) == [("user", meant)]


@pytest.mark.parametrize(
    ("revert", "expected"),
    [
        ({"messageID": "msg_3"}, 4),
        ({"messageID": "msg_2", "partID": "prt_24"}, 3),
        ({"messageID": "msg_2"}, 2),
        (None, 5),
    ],
)
def test_opencode_leaves_out_what_the_user_reverted(
    revert: Any, expected: int, opencode_db: Path
) -> None:
    with writing(opencode_db) as db:
        db.execute("UPDATE session SET revert = ? WHERE id = 'ses_1'", [json.dumps(revert)])
    assert len(sessions_of(opencode.FORMAT, opencode_db)["ses_1"].messages) == expected


def test_opencode_says_what_it_does_not_read_yet(opencode_db: Path) -> None:
    with writing(opencode_db) as db:
        part(db, "msg_2", "prt_29", type="hologram")
        put(db, "session", id="ses_9", project_id="p", directory="/w", title="t", version="2",
            time_created=1, time_updated=1)  # fmt: skip
        put(db, "session_message", id="m", session_id="ses_9", type="user", data={},
            time_created=1, time_updated=1)  # fmt: skip
    sessions, problems = split(opencode.FORMAT, opencode_db)
    assert {s.id for s in sessions} == {"ses_1", "ses_2"}
    assert [(p.level, p.reason.split(":")[-1].strip()) for p in problems] == [
        ("skipped", "1 sessions are only in the table session_message, not read yet"),
        ("warning", "part hologram (1)"),
    ]


def test_opencodes_older_files_do_no_harm(tmp_path: Path) -> None:
    storage = tmp_path / "storage" / "session" / "p"
    storage.mkdir(parents=True)
    old = storage / "ses_1.json"
    old.write_text('{"id": "ses_1", "title": "old"}')
    assert list(tmp_path.glob(opencode.FORMAT.pattern)) == []
    assert not recognised(opencode.FORMAT, old)
    assert [type(found) for found in opencode.FORMAT.read(old)] == [Problem]
    assert [type(found) for found in opencode.FORMAT.read(tmp_path / "storage")] == [Problem]


# -- Goose


def goose_say(
    db: sqlite3.Connection, role: str, *content: dict[str, Any], session: str = "20260314_1",
    user: bool = True, agent: bool = True,
) -> None:  # fmt: skip
    number = db.execute("SELECT COUNT(*) FROM messages").fetchone()[0]
    put(db, "messages", message_id=f"msg_{number}", session_id=session, role=role,
        content_json=list(content), created_timestamp=START + number,
        metadata_json={"userVisible": user, "agentVisible": agent})  # fmt: skip


def words(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


@pytest.fixture
def goose_db(tmp_path: Path) -> Path:
    path = tmp_path / "sessions.db"
    call = {"status": "success", "value": {"name": "shell", "arguments": {"command": "ls"}}}
    result = {"status": "success", "value": {"content": [words("a.py")], "isError": False}}
    with writing(path, GOOSE) as db:
        put(db, "sessions", id="20260314_1", description="Sort the files", working_dir="/home/ana",
            created_at="2026-03-14 09:00:00", provider_name="anthropic",
            model_config_json={"model_name": "claude-sonnet-5"})  # fmt: skip
        put(db, "sessions", id="20260314_2", name="New Chat", session_type="sub_agent",
            working_dir="/home/ana", created_at="2026-03-14 09:00:10",
            parent_session_id="20260314_1")  # fmt: skip
        put(db, "sessions", id="20260314_3", session_type="hidden", working_dir="/")
        goose_say(db, "user", words("sort the files"), agent=False)
        goose_say(db, "assistant", {"type": "thinking", "thinking": "hm", "signature": ""},
                  words("I look."), {"type": "toolRequest", "id": "t1", "toolCall": call},
                  agent=False)  # fmt: skip
        goose_say(
            db, "user", {"type": "toolResponse", "id": "t1", "toolResult": result}, agent=False
        )
        goose_say(db, "user", words("copied"), user=False, agent=False)
        goose_say(db, "user", words("The files were to be sorted."), user=False)
        goose_say(db, "assistant", words("Your context was compacted. Go on."), user=False)
        goose_say(db, "user", words("sort the files"))
        goose_say(db, "assistant", words("Sorted."),
                  {"type": "systemNotification", "msg": "saved"})  # fmt: skip
        goose_say(db, "user", words("count the files"), session="20260314_2")
        goose_say(db, "user", words("a secret task"), session="20260314_3")
    return path


def test_goose_keeps_what_the_user_saw_and_knows_a_summary(goose_db: Path) -> None:
    sessions, problems = split(goose.FORMAT, goose_db)
    assert [s.id for s in sessions] == ["20260314_1", "20260314_2"]
    assert said(sessions[0]) == [
        ("user", "sort the files"),
        ("assistant", "I look."),
        ("tool", "shell command='ls'"),
        ("tool", "a.py"),
        ("summary", "The files were to be sorted."),
        ("context", "Your context was compacted. Go on."),
        ("context", "sort the files"),
        ("assistant", "Sorted."),
        ("context", "saved"),
    ]
    assert [m.id for m in sessions[0].messages[:4]] == [
        "20260314_1:msg_0", "20260314_1:msg_1", "20260314_1:msg_1#2", "20260314_1:msg_2",
    ]  # fmt: skip
    assert sessions[0].messages[1].date == at(1)
    assert [(p.level, p.reason) for p in problems] == [
        ("skipped", "1 sessions that Goose hides were left out")
    ]


def test_goose_says_when_and_where_a_session_was(goose_db: Path) -> None:
    (main, child), _ = split(goose.FORMAT, goose_db)
    assert (main.title, main.folder, main.date) == ("Sort the files", "/home/ana", at(0))
    assert (main.model, main.meta) == (
        "claude-sonnet-5", {"type": "user", "provider": "anthropic"},
    )  # fmt: skip
    assert (child.parent, child.relation) == ("20260314_1", "subagent")
    assert (child.title, said(child)) == ("count the files", [("context", "count the files")])


def test_goose_files_of_before_the_database_are_read(tmp_path: Path) -> None:
    path = tmp_path / "20250801_100000.jsonl"
    lines = [
        {"working_dir": "/home/ana", "description": "Old one", "message_count": 2},
        {"id": "m1", "role": "user", "created": START, "content": [words("sort the files")]},
        {"role": "assistant", "created": START + 1, "content": [words("Sorted.")]},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"role": "us')
    assert recognised(goose.FORMAT, path)
    (session,), problems = split(goose.FORMAT, path)
    assert said(session) == [("user", "sort the files"), ("assistant", "Sorted.")]
    assert [m.id for m in session.messages] == ["20250801_100000:m1", "20250801_100000:3"]
    assert (session.title, session.folder, session.date) == ("Old one", "/home/ana", at(0))
    assert [(p.where, p.level) for p in problems] == [(f"{path}:4", "warning")]


# -- OpenClaw

CONVERSATION = [
    ("context", 'Sender (untrusted metadata):\n```json\n{\n  "label": "Ana"\n}\n```'),
    ("user", "water the plants on Fridays"),
    ("assistant", "I set a reminder."),
    ("tool", "cron action='add' day='fri'"),
    ("tool", "job 7 added"),
    ("summary", "The user thought of selling the car and took it back."),
    ("user", "wash the car instead"),
    ("context", "It will rain on Sunday."),
    ("assistant", "Saturday is better: rain comes on Sunday."),
    ("summary", "Plants on Fridays, car wash on Saturday."),
    ("context", "Read HEARTBEAT.md if it exists and follow it."),
]  # fmt: skip


def from_lines(tmp_path: Path) -> Path:
    return LEGACY / "5f0c.jsonl"


def from_database(tmp_path: Path) -> Path:
    path = tmp_path / "openclaw-agent.sqlite"
    with writing(path, OPENCLAW) as db:
        lines = (LEGACY / "5f0c.jsonl").read_text().splitlines()
        rows = list(enumerate(json.loads(line) for line in lines))
        for seq, entry in rows[::2] + rows[1::2]:
            put(db, "transcript_events", session_id="5f0c", seq=seq, event_json=entry,
                created_at=START)  # fmt: skip
    return path


@pytest.mark.parametrize("source", [from_lines, from_database])
def test_openclaw_reads_the_branch_that_stands_from_files_and_from_the_database(
    source: Callable[[Path], Path], tmp_path: Path
) -> None:
    path = source(tmp_path)
    assert recognised(openclaw.FORMAT, path)
    session = sessions_of(openclaw.FORMAT, path)["5f0c"]
    assert said(session) == CONVERSATION
    assert [m.id for m in session.messages[:3]] == ["5f0c:u1", "5f0c:u1#2", "5f0c:a1"]
    assert session.messages[2].date == at(4)
    assert (session.title, session.date) == ("Plants and the car", at(0))
    assert (session.folder, session.model) == ("/home/ana/.openclaw/workspace", "claude-sonnet-5")
    assert session.meta == {"rewound": 2}


def test_openclaw_knows_the_session_that_was_forked(tmp_path: Path) -> None:
    session = sessions_of(openclaw.FORMAT, LEGACY / "6a1d.jsonl")["6a1d"]
    assert (session.parent, session.relation) == ("5f0c", "fork")
    assert len(session.messages) == 2


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ({"previous_session_id": "old", "reason": "compaction"}, ("old", "compaction")),
        ({"previous_session_id": "old", "reason": "fork"}, ("old", "fork")),
        ({"previous_session_id": "old", "reason": "reset"}, ("", "")),
        ({"spawned_by": "agent:main:main"}, ("s0", "subagent")),
        ({"spawned_by": "agent:gone"}, ("", "")),
        ({}, ("", "")),
    ],
)
def test_openclaws_tables_say_where_a_session_came_from(
    window: dict[str, str], expected: tuple[str, str], tmp_path: Path
) -> None:
    path = built(APPS[3], tmp_path, s1=("hello",))
    with writing(path) as db:
        put(db, "session_windows", session_id="s1", session_key="agent:main:x", created_at=1,
            updated_at=1, channel="telegram", **window)  # fmt: skip
        put(db, "session_nodes", session_key="agent:main:main", current_session_id="s0",
            entry_json={}, updated_at=1)  # fmt: skip
        put(db, "session_nodes", session_key="agent:main:x", current_session_id="s1",
            entry_json={}, updated_at=1, label="Greeting", archived_at=1)  # fmt: skip
    session = sessions_of(openclaw.FORMAT, path)["s1"]
    assert (session.parent, session.relation) == expected
    assert session.title == "Greeting"
    assert session.meta == {"channel": "telegram", "archived": True}


def test_openclaws_archives_are_counted_and_not_read(tmp_path: Path) -> None:
    path = built(APPS[3], tmp_path, s1=("hello",))
    with writing(path) as db:
        for n in range(2):
            put(db, "session_transcript_archives", session_id="old", generation=str(n),
                encoding="zstd", archive_blob=b"\x28\xb5\x2f\xfd", created_at=1)  # fmt: skip
    sessions, problems = split(openclaw.FORMAT, path)
    assert [s.id for s in sessions] == ["s1"]
    assert [(p.level, p.reason) for p in problems] == [
        ("skipped", "2 archived transcripts are compressed, and were not read")
    ]


def entry(id: str, parent: str | None, **more: Any) -> dict[str, Any]:
    message = {"role": "user", "content": id}
    return {"type": "message", "id": id, "parentId": parent, "message": message, **more}


@pytest.mark.parametrize(
    ("entries", "standing"),
    [
        ([entry("a", None), entry("b", "a"), entry("c", "a")], "ac"),
        ([entry("a", None), entry("b", "a"), entry("c", None)], "c"),
        ([entry("a", None), entry("b", "lost"), entry("c", "b")], "abc"),
        ([entry("a", None), entry("b", "a", appendMode="side"), entry("c", "a")], "ac"),
        ([entry("a", None), entry("b", "a"), {"type": "leaf", "id": "l", "parentId": "b",
                                              "targetId": "a"}, entry("c", "l")], "ac"),
        ([entry("a", None), entry("b", "a"), {"type": "leaf", "id": "l", "parentId": "b",
                                              "targetId": "a"}], "a"),
        ([{"type": "message", "message": {"role": "user", "content": c}} for c in "abc"], "abc"),
    ],
)  # fmt: skip
def test_openclaws_tree_is_followed_from_its_tip(
    entries: list[dict[str, Any]], standing: str, tmp_path: Path
) -> None:
    path = tmp_path / "openclaw-agent.sqlite"
    with writing(path, OPENCLAW) as db:
        events(db, "s1", entries)
    session = sessions_of(openclaw.FORMAT, path)["s1"]
    assert "".join(m.text for m in session.messages) == standing


LINEAR = [
    json.dumps(record).encode() + b"\n"
    for record in [
        {"type": "session", "id": "s1", "timestamp": "2026-03-14T09:00:00Z", "cwd": "/w"},
        *(entry(f"e{n}", f"e{n - 1}" if n else None) for n in range(12)),
    ]
]


@given(cut=st.integers(0, sum(map(len, LINEAR))), junk=st.binary(max_size=40))
def test_an_openclaw_file_that_breaks_off_keeps_all_that_came_before(
    cut: int, junk: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("cut") / "s1.jsonl"
    path.write_bytes(b"".join(LINEAR)[:cut] + junk)
    sessions, _ = split(openclaw.FORMAT, path)
    whole = b"".join(LINEAR)[:cut].count(b"\n") - 1
    texts = [m.text for s in sessions for m in s.messages]
    assert texts[: max(whole, 0)] == [f"e{n}" for n in range(whole)]


@given(line=st.integers(1, 12), junk=st.binary(min_size=1, max_size=60))
def test_a_garbled_line_costs_openclaw_no_other(
    line: int, junk: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("garbled") / "s1.jsonl"
    garbled = [*LINEAR[:line], b"\xff" + junk.replace(b"\n", b" ") + b"\n", *LINEAR[line + 1 :]]
    path.write_bytes(b"".join(garbled))
    (session,), problems = split(openclaw.FORMAT, path)
    assert [m.text for m in session.messages] == [f"e{n}" for n in range(12) if n != line - 1]
    assert [p.where for p in problems] == [f"{path}:{line + 1}"]


# -- what all of them promise


@each_app
def test_a_title_is_given_or_the_first_human_line_cut_at_a_word(app: App, tmp_path: Path) -> None:
    long = "please explain to me " * 10
    path = built(app, tmp_path, s1=(f"{long}\nand more", "second"))
    with writing(path) as db:
        db.execute(f"UPDATE {app.title[0]} SET {app.title[1]} = ''")
    name = sessions_of(app.format, path)["s1"].title
    assert name == "please explain to me please explain to me please explain to me please explain"
    assert len(name) <= 80


@pytest.mark.parametrize(
    ("line", "expected"),
    [("x" * 100, "x" * 80), ("x" * 80, "x" * 80), ("x" * 79 + " yz", "x" * 79), ("", "")],
)
def test_a_line_without_spaces_is_cut_all_the_same(
    line: str, expected: str, tmp_path: Path
) -> None:
    assert database.title(None, list(database.turns("1", None, [("user", line)]))) == expected


@each_app
def test_what_recollect_put_in_is_never_imported_again(app: App, tmp_path: Path) -> None:
    ours = "<recollect-context>\nan old answer\n</recollect-context>\n"
    path = built(app, tmp_path, s1=(f"{ours}what now?", ours))
    assert said(sessions_of(app.format, path)["s1"]) == [("user", "what now?")]


@each_app
def test_half_a_surrogate_pair_is_made_storable(app: App, tmp_path: Path) -> None:
    path = built(app, tmp_path, s1=("half: \ud800",))
    (message,) = sessions_of(app.format, path)["s1"].messages
    assert message.text == "half: \N{REPLACEMENT CHARACTER}"


@each_app
def test_a_row_that_is_not_json_is_named_and_the_others_are_read(app: App, tmp_path: Path) -> None:
    path = built(app, tmp_path, s1=("one", "two", "three"))
    table, column = app.text
    with writing(path) as db:
        for rowid, text in db.execute(f"SELECT rowid, {column} FROM {table}").fetchall():
            if "two" in text:
                db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", [text[:-1], rowid])
    (session,), (problem,) = split(app.format, path)
    assert [m.text for m in session.messages] == ["one", "three"]
    assert problem.where.startswith(f"{path}#{table}/")
    assert problem.reason.startswith("not JSON")


@each_app
def test_an_older_version_with_fewer_columns_is_read(app: App, tmp_path: Path) -> None:
    path = built(app, tmp_path, s1=("hello",))
    needed = {column for names in app.needs.values() for column in names}
    with writing(path) as db:
        for table in app.needs:
            for column in [row[1] for row in db.execute(f"PRAGMA table_info({table})")]:
                if column not in needed:
                    db.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
    assert recognised(app.format, path)
    assert said(sessions_of(app.format, path)["s1"]) == [("user", "hello")]


@each_app
def test_a_table_or_column_that_is_missing_is_named(app: App, tmp_path: Path) -> None:
    table, columns = list(app.needs.items())[-1]
    for change, missing in [
        (f"ALTER TABLE {table} RENAME COLUMN {columns[-1]} TO other", f"no column {columns[-1]}"),
        (f"DROP TABLE {table}", f"no table {table}"),
    ]:
        path = built(app, tmp_path, s1=("hello",))
        with writing(path) as db:
            db.execute(change)
        assert not recognised(app.format, path)
        sessions, (problem,) = split(app.format, path)
        assert sessions == []
        assert problem.reason.startswith(missing)
        path.unlink()


# -- while the app is at work


@each_app
@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_write_that_is_not_committed_is_not_seen(app: App, journal: str, tmp_path: Path) -> None:
    path = built(app, tmp_path, s1=("hello",))
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute(f"PRAGMA journal_mode={journal}")
        app.plain(writer, "s2", "committed")
        writer.execute("BEGIN IMMEDIATE")
        app.plain(writer, "s3", "half written")
        assert set(sessions_of(app.format, path)) == {"s1", "s2"}
        assert recognised(app.format, path)
        writer.execute("COMMIT")
        assert set(sessions_of(app.format, path)) == {"s1", "s2", "s3"}


@each_app
def test_a_locked_database_says_what_to_do(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    path = built(app, tmp_path, s1=("hello",))
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        assert recognised(app.format, path)
        sessions, (problem,) = split(app.format, path)
    assert (sessions, problem.where, problem.level) == ([], str(path), "failed")
    assert "its app is writing to it; import again" in problem.reason


@each_app
def test_the_app_can_write_while_an_import_is_at_work(app: App, tmp_path: Path) -> None:
    path = built(app, tmp_path, s1=("one",), s2=("two",))
    reading = iter(app.format.read(path))
    first = next(reading)
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        app.plain(writer, "s3", "three")
        writer.execute("COMMIT")
    assert isinstance(first, Session)
    assert [s.id for s in reading if isinstance(s, Session)] == ["s2"]


@each_app
def test_reading_changes_nothing(app: App, tmp_path: Path) -> None:
    path = built(app, tmp_path, s1=("hello",))
    before = path.read_bytes()
    path.chmod(0o444)
    assert recognised(app.format, path)
    assert len(sessions_of(app.format, path)) == 1
    assert path.read_bytes() == before
    assert list(tmp_path.glob(f"{app.name}*")) == [path]


# -- damage


def big(app: App, folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / app.name
    with writing(path, app.schema) as db:
        for n in range(40):
            app.plain(db, f"s{n:03}", *(f"{n} {turn} " + "lorem ipsum " * 150 for turn in range(4)))
            db.commit()
    return path


@each_app
@pytest.mark.parametrize("part", [0.3, 0.5, 0.9])
def test_a_database_cut_in_the_middle_gives_what_is_left(
    app: App, part: float, tmp_path: Path
) -> None:
    path = big(app, tmp_path)
    whole = sessions_of(app.format, path)
    raw = path.read_bytes()
    path.write_bytes(raw[: int(len(raw) * part)])
    assert recognised(app.format, path)
    sessions, problems = split(app.format, path)
    assert len(sessions) >= 40 * part / 2
    for session in sessions:
        assert set(session.messages) <= set(whole[session.id].messages)
    assert any("damaged" in p.reason and ".recover" in p.reason for p in problems)


@each_app
def test_a_page_that_was_overwritten_costs_only_what_was_on_it(app: App, tmp_path: Path) -> None:
    path = big(app, tmp_path)
    whole = sessions_of(app.format, path)
    raw = bytearray(path.read_bytes())
    middle = len(raw) // 2 // 4096 * 4096
    raw[middle : middle + 4096] = b"\xa5" * 4096
    path.write_bytes(raw)
    sessions, problems = split(app.format, path)
    assert len(sessions) >= 30
    for session in sessions:
        assert set(session.messages) <= set(whole[session.id].messages)
    lost = sum(len(s.messages) for s in whole.values()) - sum(len(s.messages) for s in sessions)
    assert bool(lost) <= bool(problems)


@pytest.mark.parametrize("app", APPS[:3], ids=[app.format.name for app in APPS[:3]])
def test_a_session_whose_own_row_is_lost_comes_from_its_messages(app: App, tmp_path: Path) -> None:
    path = built(app, tmp_path, s1=("one", "two"), s2=("three",))
    with writing(path) as db:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        place = (db.execute(query, [app.title[0]]).fetchone()[0] - 1) * 4096
    raw = bytearray(path.read_bytes())
    raw[place : place + 4096] = b"\xa5" * 4096
    path.write_bytes(raw)
    sessions, problems = split(app.format, path)
    assert {s.id: [m.text for m in s.messages] for s in sessions} == {
        "s1": ["one", "two"], "s2": ["three"],
    }  # fmt: skip
    assert [s.title for s in sessions] == ["one", "three"]
    assert any("damaged" in p.reason for p in problems)


@each_app
def test_a_garbled_schema_is_a_problem(app: App, tmp_path: Path) -> None:
    path = built(app, tmp_path, s1=("hello",))
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE", b"CREATE \xb9\xb9BLE"))
    assert not recognised(app.format, path)
    sessions, problems = split(app.format, path)
    assert (sessions, [p.where for p in problems]) == ([], [str(path)])


@pytest.fixture(scope="session")
def specimens(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("specimens")
    return {app.name: built(app, folder, s1=("one", "two"), s2=("three",)).read_bytes()
            for app in APPS}  # fmt: skip


@each_app
@given(data=st.data())
def test_no_damage_to_a_database_is_more_than_a_problem(
    app: App,
    data: st.DataObject,
    specimens: dict[str, bytes],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    raw = bytearray(specimens[app.name])
    for _ in range(data.draw(st.integers(0, 4))):
        place = data.draw(st.integers(16, len(raw) - 1))
        junk = data.draw(st.binary(min_size=1, max_size=200))
        raw[place : place + len(junk)] = junk
    folder = tmp_path_factory.mktemp("damage")
    path = folder / app.name
    path.write_bytes(raw[: data.draw(st.integers(0, len(raw)))])
    recognised(app.format, path)
    assert all(isinstance(found, Session | Problem) for found in app.format.read(path))
    shutil.rmtree(folder)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "type role text content message summary state input name arguments function value "
                "toolCall toolResult id parentId targetId timestamp metadata userVisible".split()
            ),
            inner
            | st.sampled_from(["text", "tool", "message", "user", "assistant", "toolRequest"]),
            max_size=5,
        )
    ),
    max_leaves=12,
)


@each_app
@given(shape=JSON)
def test_no_shape_of_json_stops_a_reader(
    app: App, shape: Any, specimens: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("shape")
    path = folder / app.name
    path.write_bytes(specimens[app.name])
    raw = json.dumps(shape)
    with writing(path) as db:
        for table in app.needs:
            for column in ("model_config", "tool_calls", "data", "revert", "model", "event_json",
                           "content_json", "metadata_json", "model_config_json"):  # fmt: skip
                if column in [row[1] for row in db.execute(f"PRAGMA table_info({table})")]:
                    db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid > 1", [raw])
    assert all(isinstance(found, Session | Problem) for found in app.format.read(path))
    shutil.rmtree(folder)


def test_json_nested_too_deep_is_a_problem_or_a_name(tmp_path: Path) -> None:
    deep = "[" * 100_000
    path = built(APPS[0], tmp_path, s1=("hello",))
    with writing(path) as db:
        call = [{"function": {"name": "grep", "arguments": deep}}]
        put(db, "messages", session_id="s1", role="assistant", tool_calls=call, timestamp=START)
        put(db, "messages", session_id="s1", role="assistant", tool_calls=deep, timestamp=START)
    (session,), (problem,) = split(hermes.FORMAT, path)
    assert said(session) == [("user", "hello"), ("tool", "grep")]
    assert problem.where == f"{path}#messages/3"


# -- where they are


@pytest.mark.parametrize(
    ("format", "variables", "expected"),
    [
        (hermes.FORMAT, {}, ["home/.hermes/state.db", "home/.hermes/profiles"]),
        (hermes.FORMAT, {"HERMES_HOME": "{}/h"}, ["h/state.db", "h/profiles"]),
        (opencode.FORMAT, {}, ["home/.local/share/opencode"]),
        (opencode.FORMAT, {"XDG_DATA_HOME": "{}/x", "OPENCODE_DB": "b.db"},
         ["x/opencode/b.db", "x/opencode"]),
        (opencode.FORMAT, {"OPENCODE_DB": "{}/b.db"}, ["b.db", "home/.local/share/opencode"]),
        (goose.FORMAT, {}, ["home/.local/share/goose/sessions/sessions.db"]),
        (goose.FORMAT, {"GOOSE_PATH_ROOT": "{}/g"}, ["g/data/sessions/sessions.db"]),
        (goose.FORMAT, {"XDG_DATA_HOME": "{}/x"}, ["x/goose/sessions/sessions.db"]),
        (openclaw.FORMAT, {"OPENCLAW_STATE_DIR": "{}/o"}, ["o/agents"]),
        (openclaw.FORMAT, {}, ["home/.openclaw/agents", "home/.clawdbot/agents",
                               "home/.moltbot/agents"]),
    ],
)  # fmt: skip
def test_the_places_are_those_that_the_apps_use(
    format: Format,
    variables: dict[str, str],
    expected: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at_home(tmp_path, monkeypatch, variables)
    assert list(format.homes()) == [tmp_path / place for place in expected]


def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    for name in ("HERMES_HOME", "XDG_DATA_HOME", "OPENCODE_DB", "GOOSE_PATH_ROOT",
                 "OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR", "OPENCLAW_HOME"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(tmp_path))


@pytest.mark.parametrize(
    ("format", "files", "database_file"),
    [
        (goose.FORMAT, "home/.local/share/goose/sessions",
         "home/.local/share/goose/sessions/sessions.db"),
        (openclaw.FORMAT, "home/.openclaw/agents/main/sessions",
         "home/.openclaw/agents/main/agent/openclaw-agent.sqlite"),
    ],
)  # fmt: skip
def test_files_of_before_the_database_count_until_there_is_one(
    format: Format, files: str, database_file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_home(tmp_path, monkeypatch, {})
    old = tmp_path / files / "old.jsonl"
    old.parent.mkdir(parents=True)
    old.touch()
    assert old in list(format.homes())
    new = tmp_path / database_file
    new.parent.mkdir(parents=True, exist_ok=True)
    new.touch()
    assert old not in list(format.homes())
    found = [file for home in format.homes() for file in [home, *home.glob(format.pattern)]]
    assert new in found
