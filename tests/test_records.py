"""Project records: what is told is kept as it was told, and what cannot be kept is refused."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import InputError
from recollect.nouns import Document
from recollect.sources import records

LINES = (Path(__file__).parent / "fixtures" / "records" / "project.jsonl").read_text().splitlines()
WHOSE: dict[str, Any] = {"source": "shop", "owner": "local", "scopes": ("work",)}


def record(kind: str = "discussion", **parts: Any) -> Document:
    return records.record(kind, **{"body": "We drop Redis.", **WHOSE, **parts})


def read(line: str | dict[str, Any]) -> Document:
    told = json.loads(line) if isinstance(line, str) else line
    document, warnings = records.from_json(told, **WHOSE)
    assert warnings == []
    return document


# ------------------------------------------------------------------ told directly


def test_a_record_without_a_title_is_called_by_its_body_alone() -> None:
    made = record("decision", body="Retries stay at three.", author="ana", issue="PAY-7")
    assert made.headline() == "Retries stay at three."


def test_a_record_reads_as_title_then_body_then_what_is_known() -> None:
    told = record(title="Sessions", author="mara", issue="#12", branch="main", event="decision")
    assert told.text == (
        "Sessions\n\nWe drop Redis.\n\nauthor mara · issue #12 · branch main · event decision"
    )
    assert told.meta == {"author": "mara", "issue": "12", "branch": "main", "event": "decision"}
    assert (told.kind, told.title, told.source, told.scopes) == (
        "discussion", "Sessions", "shop", ("work",),
    )  # fmt: skip


def test_only_what_was_given_is_in_the_metadata() -> None:
    assert record().meta == {}
    assert record().text == "We drop Redis."


@pytest.mark.parametrize("issue", ["12", "#12", " #12 ", "GH-12", "gh-12"])
def test_an_issue_has_one_name_however_it_is_written(issue: str) -> None:
    assert record(issue=issue).meta["issue"] == "12"


def test_an_issue_of_a_tracker_keeps_its_name() -> None:
    assert record(issue="SHOP-12").meta["issue"] == "SHOP-12"
    assert "issue SHOP-12" in record(issue="SHOP-12").text


def test_the_same_record_told_twice_is_one_record() -> None:
    assert record(author="mara").id == record(author="mara").id


@pytest.mark.parametrize(
    "other",
    [
        {"body": "We keep Redis."},
        {"author": "tomas"},
        {"issue": "13"},
        {"date": datetime(2025, 3, 4, tzinfo=UTC)},
        {"content": {"minutes": 5}},
        {"path": "src/store.py"},
    ],
)
def test_a_record_that_differs_is_another(other: dict[str, Any]) -> None:
    assert record(**other).id != record().id


def test_a_given_id_is_kept_so_that_a_record_can_be_told_anew() -> None:
    first, second = record(id="d-7"), record(id="d-7", body="We keep Redis.")
    assert first.external == "d-7"
    assert first.id == second.id


def test_a_date_without_a_zone_is_utc() -> None:
    assert record(date=datetime(2025, 3, 4)).date == datetime(2025, 3, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        ({"version": 3}, {"version": 3}),
        ('{"version": 3}', {"version": 3}),
        ([1, None, True], [1, None, True]),
        ((1, 2), [1, 2]),
        ({1: "one"}, {"1": "one"}),
        ('"a text"', "a text"),
        (0, 0),
        (False, False),
    ],
)
def test_content_is_kept_as_json_says_it(content: Any, kept: Any) -> None:
    assert record(content=content).meta["content"] == kept


@pytest.mark.parametrize(
    ("parts", "said", "hint"),
    [
        ({"kind": "memo"}, "'memo'", "discussion, decision, audit, file"),
        ({"body": ""}, "empty", "body"),
        ({"body": " \n", "title": " "}, "empty", "title"),
        ({"body": "x" * 64_001}, "64,001 bytes", "recollect add"),
        ({"body": "é" * 32_001}, "64,002 bytes", "recollect add"),
        ({"body": "half \ud800"}, "surrogate", "UTF-8"),
        ({"author": "mara\nadmin"}, "author", "one line"),
        ({"branch": "main\x00"}, "branch", "one line"),
        ({"path": "a\tb"}, "U+0009", "one line"),
        ({"id": "\x1b[31m"}, "U+001B", "one line"),
        ({"title": "half \udfff"}, "surrogate", "UTF-8"),
        ({"content": "{not json"}, "not JSON", "object"),
        ({"content": {1, 2}}, "not JSON", "object"),
        ({"content": float("nan")}, "not JSON", "object"),
        ({"content": "x".join(["["] * 5000)}, "not JSON", "object"),
        ({"content": ["x" * 1_000_000]}, "1,000,004 bytes", "file"),
        ({"content": ["half \ud800"]}, "surrogate", "UTF-8"),
        ({"kind": "file"}, "no path", "path"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_a_remedy(
    parts: dict[str, Any], said: str, hint: str
) -> None:
    with pytest.raises(InputError) as refused:
        record(**parts)
    assert said in refused.value.message
    assert hint in refused.value.hint


def test_content_that_is_nested_without_end_is_refused() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InputError, match="not JSON"):
        record(content=deep)


def test_a_body_of_just_the_limit_is_kept() -> None:
    assert record(body="x" * 64_000).text == "x" * 64_000
    assert record(content=["x" * (1_000_000 - 4)]).meta


@given(st.text(st.characters(exclude_categories=["Cs"])), st.text(min_size=1))
def test_any_text_is_kept_or_refused(body: str, name: str) -> None:
    try:
        told = record(body=body, author=name)
    except InputError:
        return
    assert body.strip("\n") in told.text
    assert told.meta["author"] == name


# ------------------------------------------------------------------ lines of JSONL


def test_an_issue_is_read_with_its_comments_under_who_spoke() -> None:
    issue = read(LINES[0])
    assert issue.text == (
        "Sessions are lost on restart\n\n"
        "After a restart everybody is signed out.\n\nSeen on staging.\n\n"
        "## tomas, 2025-03-03\n\nThe session store is in memory.\n\n"
        "## mara, 2025-03-04\n\nThen we move it to Postgres.\n\n"
        "author mara · issue #41 · state closed · labels bug, sessions"
    )
    assert issue.date == datetime(2025, 3, 3, 9, 12, tzinfo=UTC)
    assert issue.meta["labels"] == ["bug", "sessions"]
    assert issue.external == "#41"


def test_an_issue_with_one_more_comment_replaces_the_issue() -> None:
    line = json.loads(LINES[0])
    before = read(line)
    line["comments"].append({"user": {"login": "ida"}, "body": "Done."})
    after = read(line)
    assert after.id == before.id
    assert "## ida\n\nDone." in after.text


def test_a_pull_request_keeps_its_branch_and_what_became_of_it() -> None:
    pull = read(LINES[1])
    assert pull.meta["branch"] == "sessions-in-postgres"
    assert pull.meta["mergedAt"] == "2025-03-06T11:20:00Z"
    assert (pull.meta["author"], pull.meta["issue"]) == ("tomas", "42")
    assert "labels" not in pull.meta


def test_discussions_of_one_issue_stay_apart() -> None:
    decision = read(LINES[2])
    other = read({**json.loads(LINES[2]), "body": "We keep them for ten days."})
    assert decision.meta["issue"] == "41"
    assert decision.meta["event"] == "decision"
    assert decision.id != other.id


def test_an_audit_event_is_read_with_its_content() -> None:
    event = read(LINES[3])
    assert event.kind == "audit"
    assert event.meta["content"] == {"version": "2025.3.1", "minutes": 4}
    assert event.meta["event"] == "deploy"
    assert event.text.startswith("Deployed 2025.3.1 to production")
    assert event.date == datetime.fromtimestamp(1741260000, UTC)


def test_a_file_is_read_with_its_path() -> None:
    file = read(LINES[4])
    assert (file.kind, file.path) == ("file", "src/sessions/store.py")
    assert file.meta == {"type": "python", "hash": "9f2c"}
    assert file.text == "src/sessions/store.py\n\nWhere sessions are kept."


def test_a_field_that_was_not_needed_is_kept() -> None:
    told = read({"kind": "audit", "body": "Deployed", "summary": "short", "host": "db1", "n": 0})
    assert told.meta == {"summary": "short", "host": "db1", "n": 0}


@pytest.mark.parametrize(
    ("line", "author"),
    [
        ({"author": "mara"}, "mara"),
        ({"author": {"name": "Mara Lind"}}, "Mara Lind"),
        ({"user": {"username": "mara"}}, "mara"),
        ({"author": ["mara", {"login": "tomas"}]}, "mara, tomas"),
        ({"author": "mara\n lind"}, "mara lind"),
    ],
)
def test_an_author_is_found_however_the_tool_tells_it(line: dict[str, Any], author: str) -> None:
    assert read({"kind": "audit", "body": "x", **line}).meta["author"] == author


def test_a_content_that_is_no_json_is_the_body_where_there_is_none() -> None:
    assert read({"kind": "discussion", "content": "We keep Redis."}).text == "We keep Redis."
    both = read({"kind": "discussion", "body": "Kept.", "content": "since {"})
    assert both.meta["content"] == "since {"


def test_a_thread_longer_than_a_record_is_imported_whole() -> None:
    comments = [{"author": "mara", "body": f"line {n} " + "x" * 1000} for n in range(100)]
    thread = read({"kind": "discussion", "number": 1, "title": "Long", "comments": comments})
    assert all(f"line {n} " in thread.text for n in range(100))


def test_a_date_that_is_none_is_told_and_the_record_kept() -> None:
    line = {"kind": "audit", "body": "Deployed", "date": "soon"}
    document, warnings = records.from_json(line, **WHOSE)
    assert document.date is None
    assert warnings == ["not a date: 'soon'; imported without it"]


def test_comments_without_text_are_counted() -> None:
    line = {"kind": "discussion", "body": "x", "comments": ["yes", None, {"body": ""}, 7]}
    document, warnings = records.from_json(line, **WHOSE)
    assert "## comment\n\nyes" in document.text
    assert warnings == ["3 of 4 comments have no text; left out"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"kind": "memo", "body": "x"}, "'memo'"),
        ({"kind": "audit"}, "empty"),
        ({"kind": "audit", "body": {"a": 1}}, "empty"),
        ({"kind": "file", "body": "x"}, "no path"),
        ({"kind": "audit", "body": "x", "scopes": "work"}, "scopes"),
    ],
)
def test_a_line_that_tells_no_record_is_refused(line: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as refused:
        records.from_json(line, **WHOSE)
    assert said in refused.value.message


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ({"kind": "audit", "body": "x"}, True),
        ({"kind": "file", "path": "a.py"}, True),
        ({"kind": "audit", "id": "1", "text": "already rendered"}, False),
        ({"kind": "discussion", "id": "1", "turns": []}, False),
        ({"kind": "note", "body": "x"}, False),
        ({"body": "x"}, False),
        ({"kind": ["audit"]}, False),
    ],
)
def test_a_record_is_told_from_a_document(line: dict[str, Any], is_one: bool) -> None:
    assert records.is_record(line) is is_one


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
_fields = st.sampled_from(
    "body title author user issue number date created_at comments labels branch event path id url "
    "content content_json scopes meta state owner head repository".split()
)


@given(st.sampled_from(records.KINDS), st.dictionaries(_fields, _json))
def test_any_line_is_read_or_refused(kind: str, fields: dict[str, Any]) -> None:
    try:
        document, _ = records.from_json({**fields, "kind": kind}, **WHOSE)
    except InputError:
        return
    assert document.external
    assert document.text.strip()
