"""Other tools' memories come in whole, and what they mean by them is not lost."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostile import processor_seconds
from recollect.nouns import Document, Problem
from recollect.sources import memories
from recollect.sources.files import FileText, FoundFile

FIXTURES = Path(__file__).parent / "fixtures"
KEPT, DECISIONS = FIXTURES / "memories", FIXTURES / "adr"
TREE = KEPT / ".brv" / "context-tree" / "architecture" / "sessions"
WHOSE: dict[str, Any] = {"source": "shop", "owner": "local", "scopes": ("work",)}


def found(path: Path) -> FoundFile:
    return FoundFile(
        str(path), path.name, path.stat().st_size if path.exists() else 0, 1_700_000_000 * 10**9
    )


def page(path: Path, text: str | None = None) -> Document:
    """The document that a Markdown file is, by what it is recognised as."""
    text = path.read_text() if text is None else text
    form = memories.recognise(path, text)
    told = memories.document(FileText(found(path), text), form, **WHOSE)
    assert isinstance(told, Document)
    assert told.text == text
    assert told.scopes == ("work",)
    return told


def export(path: Path) -> list[Document | Problem]:
    assert memories.is_mem0(path, path.read_bytes()[: 1 << 16])
    return list(memories.mem0(found(path), **WHOSE))


def documents(told: Iterable[Document | Problem]) -> list[Document]:
    return [item for item in told if isinstance(item, Document)]


def problems(told: Iterable[Document | Problem]) -> list[Problem]:
    return [item for item in told if isinstance(item, Problem)]


# ------------------------------------------------------------------ which tool's it is


@pytest.mark.parametrize(
    ("path", "form"),
    [
        (KEPT / "brewing.md", "basic-memory"),
        (KEPT / "plain.md", ""),
        (KEPT / "memory" / "MEMORY.md", "claude"),
        (KEPT / "memory" / "feedback_tests.md", "claude"),
        (TREE / "session_store.md", "byterover"),
        (DECISIONS / "0001-record-decisions.md", "adr"),
        (DECISIONS / "0005-sessions-in-postgres.md", "adr"),
        (DECISIONS / "0007-two-factor.md", "adr"),
        (DECISIONS / "0000-template.md", ""),
        (DECISIONS / "README.md", ""),
        (KEPT / "mem0.json", ""),
    ],
)
def test_a_file_is_known_for_what_it_is(path: Path, form: str) -> None:
    assert memories.recognise(path, path.read_text()) == form


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("doc/adr/0003-use-x.md", True),
        ("docs/decisions/backend/0003-use-x.md", True),
        ("adrs/ADR-003-use-x.md", True),
        ("ADR/12_use_x.markdown", True),
        ("decisions/2025-03-04.md", False),
        ("notes/0003-use-x.md", False),
        ("doc/adr/use-x.md", False),
        ("doc/adr/0003-use-x.txt", False),
        ("doc/adr/0000-adr-template.md", False),
    ],
)
def test_a_decision_record_is_known_by_its_number_and_folder(path: str, is_one: bool) -> None:
    assert memories.is_adr(Path(path), "# Use X\n\n## Decision\n\nWe do.\n") is is_one


def test_a_numbered_note_that_decides_nothing_is_no_decision_record() -> None:
    assert not memories.is_adr(Path("decisions/0003-agenda.md"), "# Agenda\n\n- lunch\n")


def test_notes_beside_a_folder_called_memory_are_only_notes(tmp_path: Path) -> None:
    assert memories.recognise(tmp_path / "memory" / "a.md", "# A\n") == ""


# ------------------------------------------------------------------ mem0


def test_a_mem0_export_is_a_document_for_each_memory() -> None:
    tea, lisbon = documents(export(KEPT / "mem0.json"))
    assert tea == Document(
        external="6f0d9a52-0b1e-4c55-9f4e-2c1b7a3d9e10",
        source="shop",
        text="Prefers tea to coffee in the afternoon",
        kind="memory",
        title="Prefers tea to coffee in the afternoon",
        date=datetime(2025, 1, 15, 18, 30, tzinfo=UTC),
        scopes=("work",),
        meta={
            "hash": "c1a5298f939e87e8f962a5edfc206918",
            "metadata": {"source": "chat"},
            "categories": ["food"],
            "created_at": "2024-11-02T08:00:00-07:00",
            "updated_at": "2025-01-15T10:30:00-08:00",
            "user_id": "mara",
            "agent_id": "assistant",
            "format": "mem0",
        },
    )
    assert lisbon.date == datetime(2024, 11, 3, 9, tzinfo=UTC)


def test_a_mem0_list_and_jsonl_are_read_alike(tmp_path: Path) -> None:
    lines = export(KEPT / "mem0.jsonl")
    assert [d.text for d in documents(lines)] == ["Plays the cello", "Is allergic to nuts"]
    told = [json.loads(line) for line in (KEPT / "mem0.jsonl").read_text().splitlines()]
    for name, shape in {
        "list": told,
        "results": {"results": told},
        "old": {"memories": told},
    }.items():
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(shape))
        assert export(path) == lines


def test_an_openmemory_backup_is_read_without_what_was_deleted(tmp_path: Path) -> None:
    told = export(KEPT / "openmemory.json")
    assert [d.text for d in documents(told)] == ["Works on the billing team"]
    assert [p.level for p in problems(told)] == ["skipped"]
    archive = tmp_path / "export.zip"
    with zipfile.ZipFile(archive, "w") as out:
        out.write(KEPT / "openmemory.json", "memories.json")
        out.writestr("memories.jsonl.gz", b"")
    assert documents(export(archive)) == documents(told)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{"resources": {"memory": "512Mi", "hash": "x"}}'),
        ("a.json", '{"results": []}'),
        ("a.json", '[{"memory": "512Mi"}]'),
        ("a.jsonl", '{"id": "1", "text": "a document"}'),
        ("a.txt", '{"results": [{"id": "1", "memory": "x", "user_id": "u"}]}'),
        ("a.zip", "no zip"),
        ("a.json", ""),
    ],
)
def test_what_only_looks_like_an_export_is_none(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert not memories.is_mem0(tmp_path / name, text.encode())


def test_bad_memories_are_named_and_the_good_ones_kept(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(
        '[{"id": "1", "memory": "One", "user_id": "u"}, 7, {"id": "2", "memory": " "}, '
        '{"id": "1", "memory": "Again"}, {"id": "3", "memory": "half \\ud800"}, '
        '{"id": "4", "memory": "odd", "score": NaN}, {"memory": "No id"}]'
    )
    told = export(path)
    assert [d.text for d in documents(told)] == ["One", "No id"]
    assert [p.where for p in problems(told)] == [f"{path}#{n}" for n in (2, 3, 4, 5, 6)]


def test_an_export_that_breaks_off_gives_what_came_before(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_bytes((KEPT / "mem0.json").read_bytes()[:-60])
    told = export(path)
    assert [d.text for d in documents(told)][:1] == ["Prefers tea to coffee in the afternoon"]
    assert problems(told)


def test_an_export_that_is_gone_is_a_problem(tmp_path: Path) -> None:
    for name in ("gone.json", "gone.jsonl"):
        (problem,) = memories.mem0(found(tmp_path / name), **WHOSE)
        assert isinstance(problem, Problem)
        assert "cannot be read" in problem.reason


@given(cut=st.integers(0, 400), noise=st.binary(max_size=6))
def test_a_garbled_export_never_raises_and_keeps_what_came_before(
    tmp_path_factory: pytest.TempPathFactory, cut: int, noise: bytes
) -> None:
    lines = (KEPT / "mem0.jsonl").read_bytes().splitlines(keepends=True)
    whole = b"".join(lines)
    path = tmp_path_factory.mktemp("export") / "export.jsonl"
    path.write_bytes(whole[:cut] + noise + whole[cut + len(noise) :])
    told = list(memories.mem0(found(path), **WHOSE))
    if cut >= len(lines[0]):
        assert documents(told)[0].text == "Plays the cello"


# ------------------------------------------------------------------ basic-memory


def test_a_basic_memory_note_keeps_its_observations_and_relations() -> None:
    note = page(KEPT / "brewing.md")
    assert (note.kind, note.title, note.meta["permalink"]) == (
        "memory",
        "Brewing",
        "kitchen/brewing",
    )
    assert note.date == datetime(2025, 6, 1, tzinfo=UTC)
    assert note.meta["tags"] == ["coffee", "kitchen"]
    assert note.meta["observations"] == [
        {
            "category": "method",
            "text": "Pour over keeps flavours apart #filter",
            "tags": ["filter"],
        },
        {
            "category": "temperature",
            "text": "94 degrees for light roasts #heat #water",
            "tags": ["heat", "water"],
            "context": "measured at sea level",
        },
    ]
    assert note.meta["links"] == [
        {"type": "links_to", "target": "Water"},
        {"type": "requires", "target": "Grinding"},
        {"type": "contrasts with", "target": "Tea", "context": "for guests"},
        {"type": "relates_to", "target": "Kitchen"},
    ]


def test_a_header_may_be_written_at_length() -> None:
    header = "permalink: tea\ntype: note\ndate: 2024\ntags:\n- green\n- black"
    note = page(Path("notes/tea.md"), f"---\n{header}\n---\nHot.\n")
    assert note.meta["tags"] == ["green", "black"]
    assert note.date == datetime(2024, 1, 1, tzinfo=UTC)


# ------------------------------------------------------------------ ByteRover


def test_a_context_tree_keeps_its_places_and_relations() -> None:
    leaf = page(TREE / "session_store.md")
    assert (leaf.kind, leaf.title) == ("memory", "Session Store")
    assert leaf.date == datetime(2025, 4, 1, 9, 30, tzinfo=UTC)
    assert (leaf.meta["domain"], leaf.meta["topic"]) == ("architecture", "sessions")
    assert "subtopic" not in leaf.meta
    assert [link["target"] for link in leaf.meta["links"]] == [
        "architecture/database/pooling.md",
        "operations/backup/restore.md",
        "architecture/login/passkeys.md",
    ]


@pytest.mark.parametrize("name", ["session_store.abstract.md", "x.overview.md", "_index.md"])
def test_what_the_tree_repeats_of_itself_is_left_out(name: str) -> None:
    told = memories.document(
        FileText(found(TREE / name), "Sessions are rows."), "byterover", **WHOSE
    )
    assert isinstance(told, Problem)
    assert told.level == "skipped"


# ------------------------------------------------------------------ Claude


def test_a_memory_index_links_to_its_files() -> None:
    index = page(KEPT / "memory" / "MEMORY.md")
    assert (index.kind, index.title) == ("memory", "Memory")
    assert index.meta["links"] == [
        {
            "type": "links_to",
            "target": "feedback_tests.md",
            "title": "Tests first",
            "about": "run the tests before saying that it works",
        },
        {
            "type": "links_to",
            "target": "project_release.md",
            "title": "Release days",
            "about": "Tuesdays and Thursdays",
        },
    ]


def test_a_memory_file_keeps_what_its_header_says() -> None:
    memory = page(KEPT / "memory" / "feedback_tests.md")
    assert memory.title == "Tests first"
    assert memory.meta["type"] == "feedback"
    assert memory.meta["description"] == "Run the tests before saying that it works"
    assert memory.meta["links"] == [{"type": "links_to", "target": "project_release"}]
    assert memory.date == datetime.fromtimestamp(1_700_000_000, UTC)


# ------------------------------------------------------------------ decision records


@pytest.mark.parametrize(
    ("name", "title", "meta"),
    [
        (
            "0001-record-decisions.md",
            "Record architecture decisions",
            {"number": 1, "status": "accepted", "date": "2024-01-08"},
        ),
        (
            "0002-sessions-in-redis.md",
            "Keep sessions in Redis",
            {"number": 2, "status": "superseded", "date": "2024-02-19", "superseded_by": [5]},
        ),
        (
            "0005-sessions-in-postgres.md",
            "Keep sessions in Postgres",
            {
                "number": 5,
                "status": "accepted",
                "date": "2025-03-04",
                "deciders": ["Mara Lind", "Tomas Okafor"],
                "supersedes": [2],
                "decision-makers": "Mara Lind, Tomas Okafor",
            },
        ),
        (
            "0007-two-factor.md",
            "2 factors for administrators",
            {
                "number": 7,
                "status": "superseded",
                "date": "2025-05-20",
                "deciders": ["Mara Lind"],
                "superseded_by": [11],
            },
        ),
    ],
)
def test_a_decision_record_knows_where_it_stands(
    name: str, title: str, meta: dict[str, Any]
) -> None:
    decision = page(DECISIONS / name)
    assert (decision.kind, decision.title) == ("decision", title)
    assert decision.meta == {"format": "adr", **meta}
    assert decision.date == datetime.fromisoformat(meta["date"]).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "status", "newer", "older"),
    [
        ("**Status:** Accepted", "accepted", None, None),
        ("- Status: ~~accepted~~ deprecated", "deprecated", None, None),
        ("## Status\n\n_Proposed_", "proposed", None, None),
        ("## Status\n\nImplemented in 2.0", "implemented in 2.0", None, None),
        ("## Status\n\nAccepted\n\nSupersedes [2. Redis](0002-redis.md)", "accepted", None, [2]),
        ("Status: superseded by ADR 12", "superseded", [12], None),
        ("---\nstatus: superseded by ADR-0012\n---\n", "superseded", [12], None),
        ("---\nstatus: accepted\nsupersedes: [3, ADR-4]\n---\n", "accepted", None, [3, 4]),
        ("---\nsuperseded_by: 0012-keys.md\n---\n", "superseded", [12], None),
        ("- Replaces [ADR-0003](0003-x.md) and [ADR-0004](0004-y.md)", None, None, [3, 4]),
        ("Replaces three servers with 2", None, None, None),
        ("It is said that nobody supersedes ADR-0009.", None, None, None),
    ],
)
def test_a_status_is_read_however_it_is_written(
    text: str, status: str | None, newer: list[int] | None, older: list[int] | None
) -> None:
    decision = page(Path("doc/adr/0008-keys.md"), f"{text}\n\n## Decision\n\nKeys.\n")
    told = decision.meta
    assert told.get("status") == status
    assert told.get("superseded_by") == newer
    assert told.get("supersedes") == older


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("# 8. Use keys", "Use keys"),
        ("# ADR-0008: Use keys", "Use keys"),
        ("# ADR 8 - Use keys ##", "Use keys"),
        ("# 0008 Use keys", "Use keys"),
        ("# Use 8 keys", "Use 8 keys"),
        ("# 80 keys", "80 keys"),
        ("## Decision", "use keys"),
    ],
)
def test_the_title_of_a_decision_has_no_number(heading: str, title: str) -> None:
    text = f"{heading}\n\n## Decision\n\nKeys.\n"
    assert page(Path("doc/adr/0008-use-keys.md"), text).title == title


@pytest.mark.parametrize(
    "line",
    [
        "- " + " " * 1990 + "y",
        "- [ab] x" + " " * 1980 + "y",
        "(" * 1990,
        "[[" * 990,
        "- [aa](" * 280,
    ],
)
def test_odd_lines_take_no_time(line: str) -> None:
    text = f"{line}\n" * 200 + line * 200
    with processor_seconds(5):
        for form in ("adr", "claude", "byterover", "basic-memory"):
            memories.document(FileText(found(Path("adr/0001-x.md")), text), form, **WHOSE)


@given(st.text(max_size=300), st.sampled_from(["adr", "claude", "byterover", "basic-memory"]))
def test_any_text_is_kept_exactly(text: str, form: str) -> None:
    told = memories.document(FileText(found(Path("adr/0001-x.md")), text), form, **WHOSE)
    assert isinstance(told, Document)
    assert told.text == text
