"""What ChatGPT and Claude.ai hand out: every conversation, who said what, however large."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import spoken
from recollect.nouns import Problem
from recollect.sources.sessions import chatgpt, claude_ai
from recollect.sources.sessions.base import Format, Session

FIXTURES = Path(__file__).parent / "fixtures" / "sessions"
CHATGPT = FIXTURES / "chatgpt" / "conversations.json"
SHARD = FIXTURES / "chatgpt" / "conversations-000.json"
CLAUDE = FIXTURES / "claude-ai" / "conversations.json"
FORMATS = {CHATGPT: chatgpt.FORMAT, SHARD: chatgpt.FORMAT, CLAUDE: claude_ai.FORMAT}
TEMPORARY = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)


def read(path: Path, form: Format) -> tuple[dict[str, Session], list[Problem]]:
    found = list(form.read(path))
    sessions = [spoken(item) for item in found if isinstance(item, Session)]
    assert len({session.id for session in sessions}) == len(sessions)
    return {s.id: s for s in sessions}, [item for item in found if isinstance(item, Problem)]


def told(session: Session) -> list[tuple[str, str]]:
    return [(m.role, m.text) for m in session.messages]


def zipped(path: Path, **members: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, source in members.items():
            archive.write(source, name)
    return path


def chat(name: str, *said: tuple[str, Any], **fields: Any) -> dict[str, Any]:
    """A ChatGPT conversation in which one thing is said after the other."""
    nodes: dict[str, Any] = {}
    for n, (role, content) in enumerate(said):
        if not isinstance(content, dict):
            content = {"content_type": "text", "parts": [content]}
        message = {"author": {"role": role}, "content": content, "recipient": "all", **fields}
        nodes[f"n{n}"] = {"parent": f"n{n - 1}" if n else None, "message": message}
    return {"id": name, "mapping": nodes, "current_node": f"n{len(said) - 1}"}


def exported(folder: Path, *conversations: Any) -> Path:
    path = folder / "conversations.json"
    path.write_text(json.dumps(conversations))
    return path


# ------------------------------------------------------------------ every conversation


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        (CHATGPT, {
            "c-lisbon": {"context": 1, "user": 1, "tool": 3, "assistant": 1},
            "c-fig": {"user": 2, "assistant": 1},
            "c-circle": {"user": 1, "assistant": 1},
            "first-node": {"context": 1, "user": 1},
            "c-empty": {},
        }),
        (SHARD, {"c-shard": {"user": 1}}),
        (CLAUDE, {
            "k-trip": {"context": 2, "user": 2, "tool": 3, "assistant": 3},
            "k-empty": {},
        }),
    ],
)  # fmt: skip
def test_every_conversation_has_exactly_its_turns(
    path: Path, counts: dict[str, dict[str, int]]
) -> None:
    sessions, _ = read(path, FORMATS[path])
    found = {id: dict(Counter(m.role for m in s.messages)) for id, s in sessions.items()}
    assert found == counts


@pytest.mark.parametrize(
    ("path", "problems"),
    [
        (CHATGPT, [
            ("warning", "#3", "cannot be followed back to its beginning"),
            ("failed", "#6", "no mapping of messages"),
            ("failed", "#7", "without an id"),
            ("warning", "", "content hologram (1)"),
        ]),
        (SHARD, [("warning", "#1", "cannot be followed back")]),
        (CLAUDE, [
            ("failed", "#3", "without its uuid"),
            ("failed", "#4", "no list of chat_messages"),
            ("warning", "", "content hologram (1), sender system (1)"),
        ]),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_named_with_its_place(
    path: Path, problems: list[tuple[str, str, str]]
) -> None:
    _, found = read(path, FORMATS[path])
    assert [(p.level, p.where.removeprefix(str(path))) for p in found] == [
        (level, place) for level, place, _ in problems
    ]
    for problem, (_, _, said) in zip(found, problems, strict=True):
        assert said in problem.reason


# ------------------------------------------------------------------ ChatGPT


def test_the_branch_that_was_last_on_the_screen_is_read() -> None:
    lisbon = read(CHATGPT, chatgpt.FORMAT)[0]["c-lisbon"]
    assert told(lisbon) == [
        ("context", "I live in Porto.\n\nAnswer briefly."),
        ("user", "[image]\n\nPlan a weekend in Lisbon\n\n[file: budget.xlsx]"),
        ("tool", "python\nnights = 2\nprint(nights * 80)"),
        ("tool", "python\n160"),
        ("tool", "canmore.create_textdoc name='plan'\n\n# Lisbon\n\nDay one: Alfama"),
        ("assistant", "Two nights in Alfama cost about 160 euros."),
    ]


def test_a_chatgpt_session_is_named_dated_and_says_its_model() -> None:
    lisbon = read(CHATGPT, chatgpt.FORMAT)[0]["c-lisbon"]
    assert (lisbon.title, lisbon.model) == ("Weekend in Lisbon", "gpt-5")
    assert lisbon.date == datetime.fromtimestamp(1778000000.25, UTC)
    assert lisbon.messages[1].date == datetime.fromtimestamp(1778000010.5, UTC)
    assert [m.id for m in lisbon.messages] == ["ctx", "q-new", "call", "out", "canvas", "answer"]


def test_without_a_current_node_the_longest_branch_is_read() -> None:
    fig = read(CHATGPT, chatgpt.FORMAT)[0]["c-fig"]
    assert [m.id for m in fig.messages] == ["u", "long", "longer"]
    assert told(fig)[-1] == ("user", "Thank you very much\n\n[audio]")
    assert fig.model == "gpt-4o"


def test_a_circle_of_parents_is_gone_round_once() -> None:
    circle = read(CHATGPT, chatgpt.FORMAT)[0]["c-circle"]
    assert told(circle) == [("user", "round"), ("assistant", "and round")]


def test_a_long_conversation_without_a_current_node_is_read_whole(tmp_path: Path) -> None:
    long = chat("long", *(("user", f"word {n}") for n in range(20_000)))
    sessions, _ = read(exported(tmp_path, {**long, "current_node": "gone"}), chatgpt.FORMAT)
    assert len(sessions["long"].messages) == 20_000


def test_custom_instructions_are_context_in_both_their_forms() -> None:
    sessions, _ = read(CHATGPT, chatgpt.FORMAT)
    assert told(sessions["first-node"])[0] == ("context", "I grow figs.\n\nBe kind.")
    assert told(sessions["c-lisbon"])[0][0] == "context"


def test_a_conversation_without_a_title_has_its_first_words_for_one(tmp_path: Path) -> None:
    path = exported(tmp_path, chat("c", ("assistant", "Hello."), ("user", "Which fig?\nAnd why?")))
    assert read(path, chatgpt.FORMAT)[0]["c"].title == "Which fig?"


# ------------------------------------------------------------------ Claude.ai


def test_blocks_count_rather_than_the_text_made_of_them() -> None:
    trip = read(CLAUDE, claude_ai.FORMAT)[0]["k-trip"]
    assert told(trip) == [
        ("context", "timetable.txt\n\nÉvora 08:12\nBeja 09:30"),
        ("user", "When does the train leave?\n\n[file: ticket.png]\n\n[file: empty.pdf]"),
        ("assistant", "Let me look."),
        ("tool", "web_search query='Évora train' limit=3"),
        ("tool", "web_search\ncp.pt: 08:12"),
        ("assistant", "At 08:12.\n\nFrom platform 3."),
        ("tool", "artifacts command='create'\n\n# Trip\n\nLeave at eight"),
        ("user", "Thanks!"),
        ("assistant", "You are welcome."),
        ("context", "paste.txt\n\nonly pasted text"),
    ]


def test_a_claude_session_is_named_dated_and_its_messages_keep_their_ids() -> None:
    trip = read(CLAUDE, claude_ai.FORMAT)[0]["k-trip"]
    assert trip.title == "Train to Évora"
    assert trip.date == datetime(2026, 5, 6, 7, 0, 0, 123456, tzinfo=UTC)
    assert [m.id for m in trip.messages] == [
        "m-1#2", "m-1", "m-2", "m-2#2", "m-2#3", "m-2#4", "m-2#5", "m-3", "m-5", "m-7",
    ]  # fmt: skip


# ------------------------------------------------------------------ both


@pytest.mark.parametrize("path", [CHATGPT, CLAUDE])
def test_thoughts_and_hidden_messages_are_nowhere(path: Path) -> None:
    texts = [m.text for s in read(path, FORMATS[path])[0].values() for m in s.messages]
    assert not any("secret" in text or "Never shown" in text for text in texts)


@pytest.mark.parametrize("path", [CHATGPT, CLAUDE])
def test_the_zip_reads_as_what_is_in_it(path: Path, tmp_path: Path) -> None:
    archive = zipped(tmp_path / "export.zip", **{"data/conversations.json": path})
    assert read(archive, FORMATS[path])[0] == read(path, FORMATS[path])[0]
    assert FORMATS[path].recognises(archive, archive.read_bytes()[:65536])


def test_all_shards_in_a_zip_are_read(tmp_path: Path) -> None:
    archive = zipped(
        tmp_path / "export.zip",
        **{"conversations-000.json": SHARD, "conversations-001.json": CHATGPT, "user.json": SHARD},
    )
    assert chatgpt.FORMAT.recognises(archive, archive.read_bytes()[:65536])
    assert list(read(archive, chatgpt.FORMAT)[0]) == [
        "c-shard", "c-lisbon", "c-fig", "c-circle", "first-node", "c-empty",
    ]  # fmt: skip


@pytest.mark.parametrize("path", [CHATGPT, CLAUDE])
def test_a_list_under_its_name_reads_as_the_list(path: Path, tmp_path: Path) -> None:
    under = tmp_path / "a.json"
    under.write_text(f'{{"conversations": {path.read_text()}}}')
    assert read(under, FORMATS[path])[0] == read(path, FORMATS[path])[0]
    assert FORMATS[path].recognises(under, under.read_bytes()[:65536])


def test_half_a_character_is_replaced_so_that_it_can_be_stored(tmp_path: Path) -> None:
    path = exported(tmp_path, {**chat("c", ("user", "cut \ud83d")), "title": "\ude00 cut"})
    session = read(path, chatgpt.FORMAT)[0]["c"]
    assert told(session) == [("user", "cut \ufffd")]
    assert session.title == "\ufffd cut"


@pytest.mark.parametrize("path", [CHATGPT, CLAUDE])
def test_a_cut_export_keeps_the_conversations_before_the_cut(path: Path, tmp_path: Path) -> None:
    whole = list(read(path, FORMATS[path])[0].values())
    cut = tmp_path / "cut.json"
    cut.write_bytes(path.read_bytes()[:-40])
    sessions, problems = read(cut, FORMATS[path])
    assert list(sessions.values()) == whole
    (failed,) = (p for p in problems if "Export it again" in p.reason)
    assert (failed.where, failed.level) == (str(cut), "failed")


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to everything that is in a value."""
    within: Iterable[Any] = ()
    if isinstance(value, dict | list):
        within = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in within:
        yield (*path, key)
        yield from places(inner, (*path, key))


PLACES = {path: list(places(json.loads(path.read_text()))) for path in (CHATGPT, CLAUDE)}


@given(st.sampled_from([CHATGPT, CLAUDE]), st.data(), JSON)
@TEMPORARY
def test_no_value_in_the_wrong_place_raises_or_loses_another_conversation(
    tmp_path: Path, path: Path, data: st.DataObject, wrong: Any
) -> None:
    *above, last = data.draw(st.sampled_from(PLACES[path]))
    whole = json.loads(path.read_text())
    inside = whole
    for key in above:
        inside = inside[key]
    inside[last] = wrong
    found = list(FORMATS[path].read(exported(tmp_path, *whole)))
    names = {item.id for item in found if isinstance(item, Session)}
    touched = (above or [last])[0]
    before = json.loads(path.read_text())
    others = {c.get("id") or c.get("uuid") for n, c in enumerate(before) if n != touched}
    assert others & {"c-lisbon", "c-fig", "k-trip", "k-empty"} <= names


@pytest.mark.parametrize("form", [chatgpt.FORMAT, claude_ai.FORMAT], ids=lambda form: form.name)
@pytest.mark.parametrize("body", [None, b"", b"[", b"{}", b"[1, null]", b"PK\x03\x04 broken"])
def test_what_is_no_export_is_a_problem_and_never_an_error(
    tmp_path: Path, form: Format, body: bytes | None
) -> None:
    path = tmp_path / "conversations.json"
    if body is not None:
        path.write_bytes(body)
    sessions, problems = read(path, form)
    assert sessions == {}
    assert problems
    assert all(str(path) in problem.where for problem in problems)


# ------------------------------------------------------------------ which files


@pytest.mark.parametrize("path", [CHATGPT, SHARD, CLAUDE])
def test_each_export_is_recognised_as_its_own_and_nobody_elses(path: Path) -> None:
    head = path.read_bytes()[:65536]
    assert FORMATS[path].recognises(path, head)
    other = claude_ai.FORMAT if FORMATS[path] is chatgpt.FORMAT else chatgpt.FORMAT
    assert not other.recognises(path, head)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"[1, 2]",
        b'{"mapping": {"a": "b"}, "children": []}',
        b'[{"uuid": "1", "name": "a project"}]',
        b'[{"name": "a field", "mapping": {"x": 1}}]',
        b'[{"text": "say \\"mapping\\": {} and \\"children\\": []"}]',
        b'[{"text": "say \\"chat_messages\\" and \\"uuid\\""}]',
        b'# A note\n\n[{"mapping": {"children": []}, "uuid": 1, "chat_messages": []}]',
        b"PK\x03\x04 and no zip",
    ],
)
def test_ordinary_files_are_not_claimed(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(body)
    assert not chatgpt.FORMAT.recognises(path, body)
    assert not claude_ai.FORMAT.recognises(path, body)


def test_a_zip_of_anything_else_is_not_claimed(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "a.zip", **{"notes.json": CHATGPT, "projects.json": CLAUDE})
    for form in (chatgpt.FORMAT, claude_ai.FORMAT):
        assert not form.recognises(archive, archive.read_bytes())


def test_exports_have_no_home() -> None:
    assert list(chatgpt.FORMAT.homes()) == list(claude_ai.FORMAT.homes()) == []


# ------------------------------------------------------------------ however large


MEASURE = """
import resource, sys
from pathlib import Path
from recollect.sources.sessions import chatgpt, claude_ai
form = {"chatgpt": chatgpt.FORMAT, "claude-ai": claude_ai.FORMAT}[sys.argv[1]]
unit = 1 if sys.platform == "darwin" else 1024
def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
list(form.read(Path(sys.argv[2])))
before = most()
print(sum(1 for _ in form.read(Path(sys.argv[3]))), most() - before)
"""


def large(path: Path, conversation: dict[str, Any], count: int) -> Path:
    written = json.dumps(conversation)
    with open(path, "w") as file:
        file.write("[")
        for n in range(count):
            file.write((", " if n else "") + written.replace("the-id", f"id-{n}"))
        file.write("]")
    return path


@pytest.mark.parametrize("pack", [False, True], ids=["json", "zip"])
@pytest.mark.parametrize("path", [CHATGPT, CLAUDE], ids=["chatgpt", "claude-ai"])
def test_an_export_of_60_mb_takes_a_small_part_of_that_in_memory(
    tmp_path: Path, path: Path, pack: bool
) -> None:
    text = "words of a long conversation " * 700
    said = [{"uuid": f"m{n}", "sender": "human", "text": text} for n in range(5)]
    one = {"uuid": "the-id", "chat_messages": said}
    if path == CHATGPT:
        one = chat("the-id", *(("user", text) for _ in range(5)))
    file = large(tmp_path / "conversations.json", one, 600)
    assert file.stat().st_size > 60_000_000
    if pack:
        file = zipped(tmp_path / "export.zip", **{"conversations.json": file})
    command = [sys.executable, "-c", MEASURE, FORMATS[path].name, str(path), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    sessions, growth = map(int, done.stdout.split())
    assert sessions == 600
    assert growth < 12_000_000
