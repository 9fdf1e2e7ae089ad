"""Importing through the library: what becomes of files and lines, once and again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recollect import Document, Memory
from recollect.errors import NotFound, UsageError
from recollect.nouns import LOCAL, UNIVERSAL, Receipt


def write_lines(path: Path, *records: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def everything(memory: Memory) -> list[Document]:
    page = memory.list(limit=1000)
    assert not page.cursor
    return list(page.items)


def externals(memory: Memory) -> list[str]:
    return sorted(document.external for document in everything(memory))


def counts(receipt: Receipt) -> tuple[int, int, int]:
    return receipt.added, receipt.changed, receipt.unchanged


def keyword(memory: Memory, query: str, **limits: list[str]) -> list[str]:
    answer = memory.search(query, by="keyword", sources=limits.get("sources"))
    return [result.document for result in answer.results]


@pytest.fixture
def lines(tmp_path: Path) -> Callable[..., Path]:
    def make(*records: object) -> Path:
        return write_lines(tmp_path / "records.jsonl", *records)

    return make


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    write(folder / "alpha.md", "# Alpha\n\nThe heron stands in the water.\n")
    write(folder / "sub" / "beta.md", "# Beta\n\nThe otter swims below.\n")
    write(folder / "gamma.txt", "The kingfisher waits above.\n")
    return folder


# ------------------------------------------------------------------ JSONL: sessions

TURNS = [
    {"role": "user", "text": "The heron stands in the water."},
    {"role": "assistant", "text": "I am sorry to hear that the heron is wet."},
]


@pytest.mark.parametrize(
    ("record", "day"),
    [
        ({"id": "2026-03-02"}, "2026-03-02"),
        ({"id": "2026-03-02-heron"}, "2026-03-02"),
        ({"id": "2026-03-02", "date": "2026-03-05"}, "2026-03-05"),
        ({"id": "heron"}, ""),
    ],
)
def test_a_session_is_of_the_day_that_its_line_says(
    keyword_memory: Memory, lines: Callable[..., Path], record: dict[str, str], day: str
) -> None:
    keyword_memory.add(lines({**record, "turns": TURNS}))
    date = keyword_memory.get(record["id"]).date
    assert (f"{date:%Y-%m-%d}" if date else "") == day


def test_a_session_without_a_date_began_with_its_first_dated_turn(
    keyword_memory: Memory, lines: Callable[..., Path]
) -> None:
    turns = [{**TURNS[0], "date": "2026-03-03T10:00:00Z"}, TURNS[1]]
    keyword_memory.add(lines({"id": "2026-01-01", "turns": turns}))
    assert keyword_memory.get("2026-01-01").date == datetime(2026, 3, 3, 10, tzinfo=UTC)


def test_a_session_without_a_title_is_called_by_its_users_words_everywhere(
    keyword_memory: Memory, lines: Callable[..., Path]
) -> None:
    keyword_memory.add(lines({"id": "s", "turns": TURNS}))
    said = TURNS[0]["text"]
    sessions: Any = keyword_memory.sessions()
    (found,) = keyword_memory.search("sorry heron wet").results
    (section,) = keyword_memory.gather("sorry heron wet").sections
    assert keyword_memory.get("s").headline() == said
    assert (found.title, section.title) == (said, said)
    assert sessions.sessions[0].session.title == said


# ------------------------------------------------------------------ JSONL: documents


def test_a_document_line_becomes_a_document(
    keyword_memory: Memory, lines: Callable[..., Path]
) -> None:
    receipt = keyword_memory.add(
        lines(
            {
                "id": "adr-9",
                "text": "Money is an integer.",
                "title": "Money",
                "kind": "decision",
                "date": "2026-03-01",
                "owner": "ana",
                "scopes": ["work"],
                "path": "decisions/adr-9.md",
                "meta": {"status": "accepted"},
            }
        )
    )
    assert counts(receipt) == (1, 0, 0)
    found = keyword_memory.get("adr-9")
    assert (found.text, found.title, found.kind) == ("Money is an integer.", "Money", "decision")
    assert found.date == datetime(2026, 3, 1, tzinfo=UTC)
    assert (found.owner, found.scopes) == ("ana", ("work",))
    assert found.path == "decisions/adr-9.md"
    assert found.meta == {"status": "accepted"}
    assert found.source == "records.jsonl"


def test_what_a_line_leaves_out_has_its_default(
    keyword_memory: Memory, lines: Callable[..., Path]
) -> None:
    keyword_memory.add(lines({"id": "plain", "text": "Only this."}))
    found = keyword_memory.get("plain")
    assert (found.kind, found.title, found.path, found.date) == ("document", "", "", None)
    assert (found.owner, found.scopes, found.meta) == (LOCAL, (UNIVERSAL,), {})


def test_empty_and_null_fields_are_as_if_left_out(
    keyword_memory: Memory, lines: Callable[..., Path]
) -> None:
    nothing = dict.fromkeys(("title", "kind", "date", "owner", "scopes", "path", "meta"))
    receipt = keyword_memory.add(
        lines(
            {"id": "nulls", "text": "Only this.", **nothing},
            {"id": "blanks", "text": "Only this.", "title": "", "kind": "", "date": ""},
        )
    )
    assert (receipt.added, receipt.failed, receipt.warnings) == (2, (), ())
    for name in ("nulls", "blanks"):
        found = keyword_memory.get(name)
        assert (found.kind, found.date, found.owner) == ("document", None, LOCAL)


def test_unknown_fields_are_kept_in_meta(
    keyword_memory: Memory, lines: Callable[..., Path]
) -> None:
    line = {"id": "x", "text": "t", "url": "https://x", "stars": 3, "tags": ["a"], "meta": {"m": 1}}
    keyword_memory.add(lines(line))
    assert keyword_memory.get("x").meta == {
        "url": "https://x", "stars": 3, "tags": ["a"], "m": 1,
    }  # fmt: skip


def test_a_number_may_be_an_id(keyword_memory: Memory, lines: Callable[..., Path]) -> None:
    assert keyword_memory.add(lines({"id": 42, "text": "the answer"})).added == 1
    assert keyword_memory.get("42").text == "the answer"
    assert keyword(keyword_memory, "answer") == ["42"]


def test_zero_is_an_id(keyword_memory: Memory, lines: Callable[..., Path]) -> None:
    assert keyword_memory.add(lines({"id": 0, "text": "the first"})).added == 1
    assert keyword_memory.get("0").text == "the first"


# ------------------------------------------------------------------ JSONL: sessions


def test_turns_make_a_session(keyword_memory: Memory, lines: Callable[..., Path]) -> None:
    turns = [
        {"role": "user", "text": "Where is the otter?", "id": "m1", "date": "2026-01-02T03:04:05Z"},
        {"role": "assistant", "text": "Below the bridge."},
        {"text": "Thanks."},
    ]
    keyword_memory.add(lines({"id": "s1", "turns": turns, "date": "2026-01-02"}))
    session = keyword_memory.get("s1")
    assert (session.kind, session.text) == ("session", "")
    assert [(m.role, m.text, m.id) for m in session.messages] == [
        ("user", "Where is the otter?", "m1"),
        ("assistant", "Below the bridge.", ""),
        ("user", "Thanks.", ""),
    ]
    assert session.messages[0].date == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert session.date == datetime(2026, 1, 2, tzinfo=UTC)


def test_a_session_is_found_by_any_turn_and_comes_back_by_its_id(
    keyword_memory: Memory, lines: Callable[..., Path]
) -> None:
    turns = [{"role": "user", "text": "otter"}, {"role": "assistant", "text": "bridge"}]
    keyword_memory.add(lines({"id": "s1", "turns": turns}))
    for query, role in (("otter", "user"), ("bridge", "assistant")):
        (result,) = keyword_memory.search(query, by="keyword").results
        assert (result.document, result.kind, result.role) == ("s1", "session", role)


def test_a_null_turn_id_is_no_id(keyword_memory: Memory, lines: Callable[..., Path]) -> None:
    keyword_memory.add(lines({"id": "s", "turns": [{"role": None, "text": "hello", "id": None}]}))
    (message,) = keyword_memory.get("s").messages
    assert (message.role, message.id) == ("user", "")


def test_a_text_beside_turns_is_not_lost_in_silence(
    keyword_memory: Memory, lines: Callable[..., Path]
) -> None:
    receipt = keyword_memory.add(
        lines({"id": "s", "text": "A summary.", "turns": [{"role": "user", "text": "hello"}]})
    )
    kept = receipt.added == 1 and "A summary." in json.dumps(dict(keyword_memory.get("s").meta))
    assert kept or receipt.warnings or receipt.failed


# ------------------------------------------------------------------ JSONL: `as`


def test_as_decides_over_the_fields(keyword_memory: Memory, lines: Callable[..., Path]) -> None:
    receipt = keyword_memory.add(
        lines(
            {"as": "document", "id": "named", "name": "deploy day", "text": "Friday."},
            {"as": "session", "id": "talk", "turns": [{"role": "user", "text": "Friday?"}]},
        )
    )
    assert (receipt.added, receipt.failed) == (2, ())
    named = keyword_memory.get("named")
    assert (named.kind, named.text, named.meta) == ("document", "Friday.", {"name": "deploy day"})
    assert keyword_memory.get("talk").kind == "session"


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"as": "session", "id": "x", "text": "t"}, "turns"),
        ({"as": "document", "id": "x", "turns": [{"text": "t"}]}, "text"),
        ({"as": "fact", "id": "x", "turns": [{"text": "t"}]}, "fact 'x'"),
        ({"as": "poem", "id": "x", "text": "t"}, "poem"),
        ({"as": 7, "id": "x", "text": "t"}, "7"),
        ({"id": "x", "name": "deploy day", "text": "t", "pinned": "yes"}, "fact 'x'"),
    ],
)
def test_a_line_that_is_not_what_it_says_is_refused(
    keyword_memory: Memory, lines: Callable[..., Path], record: dict[str, object], reason: str
) -> None:
    receipt = keyword_memory.add(lines(record, {"id": "good", "text": "t"}))
    assert receipt.added == 1
    (problem,) = receipt.failed
    assert problem.where.endswith("records.jsonl:1")
    assert reason in problem.reason


# ------------------------------------------------------------------ JSONL: the same id twice


def test_one_id_with_two_contents_keeps_both_and_warns(
    keyword_memory: Memory, lines: Callable[..., Path]
) -> None:
    file = lines({"id": "a", "text": "heron"}, {"id": "a", "text": "otter"})
    receipt = keyword_memory.add(file)
    assert receipt.added == 2
    (warning,) = receipt.warnings
    assert warning.where == f"{file}:2"
    assert "'a'" in warning.reason
    assert receipt.failed == ()
    assert keyword(keyword_memory, "heron") == ["a"]
    assert keyword(keyword_memory, "otter") == ["a"]
    with pytest.raises(UsageError, match="names 2 documents"):
        keyword_memory.get("a")


@pytest.mark.parametrize(
    "content",
    [
        '{"id": "a", "text": "heron"}\n{"id": "a", "text": "heron"}\n',
        '{"id": "a", "text": "heron"}\n{"id": "a", "text": "heron"}',
        '{"id": "a", "text": "heron"}\n{"text": "heron", "id": "a"}\n',
        '{"id": "a", "text": "heron"}\r\n{"id":"a","text":"heron"}\n',
    ],
    ids=["byte for byte", "without the last line end", "other order", "other spacing"],
)
def test_one_id_with_the_same_content_is_skipped(
    keyword_memory: Memory, tmp_path: Path, content: str
) -> None:
    file = write(tmp_path / "twice.jsonl", content)
    receipt = keyword_memory.add(file)
    assert receipt.added == 1
    (skipped,) = receipt.skipped
    assert skipped.where == f"{file}:2"
    assert "line 1" in skipped.reason
    assert (receipt.warnings, receipt.failed) == ((), ())


def test_duplicates_are_stable_when_the_file_is_read_again(
    keyword_memory: Memory, lines: Callable[..., Path]
) -> None:
    records = [{"id": "a", "text": "heron"}, {"id": "a", "text": "otter"}]
    keyword_memory.add(lines(*records))
    receipt = keyword_memory.add(lines(*records, {"id": "b", "text": "new"}))
    assert counts(receipt) == (1, 0, 2)


def test_the_same_id_of_two_owners_is_no_duplicate(
    keyword_memory: Memory, lines: Callable[..., Path]
) -> None:
    receipt = keyword_memory.add(
        lines(
            {"id": "a", "text": "heron", "owner": "ana"},
            {"id": "a", "text": "otter", "owner": "ben"},
        )
    )
    assert (receipt.added, receipt.warnings) == (2, ())


# ------------------------------------------------------------------ JSONL: dates

MOMENT = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-03-01", MOMENT),
        ("2026-03", MOMENT),
        ("2026/03/01", MOMENT),
        ("1 March 2026", MOMENT),
        ("01 Mar 2026", MOMENT),
        ("March 1, 2026", MOMENT),
        ("2026-03-01T10:30:00Z", MOMENT.replace(hour=10, minute=30)),
        ("2026-03-01T10:30:00", MOMENT.replace(hour=10, minute=30)),
        ("2026-03-01 10:30", MOMENT.replace(hour=10, minute=30)),
        ("2026-03-01T10:30:00+02:00", MOMENT.replace(hour=8, minute=30)),
        ("2026/03/01 (Sun) 10:30", MOMENT.replace(hour=10, minute=30)),
        ("2026-03-01T10:30:00.250Z", MOMENT.replace(hour=10, minute=30, microsecond=250_000)),
        ("Sun, 01 Mar 2026 10:30:00 +0000", MOMENT.replace(hour=10, minute=30)),
        (1772323200, MOMENT),
        (1772323200000, MOMENT),
        ("1772323200", MOMENT),
    ],
)
def test_a_date_may_be_written_in_many_ways(
    keyword_memory: Memory, lines: Callable[..., Path], written: object, meant: datetime
) -> None:
    receipt = keyword_memory.add(lines({"id": "d", "text": "t", "date": written}))
    assert receipt.warnings == ()
    assert keyword_memory.get("d").date == meant


@pytest.mark.parametrize(
    "written",
    ["someday", "2026-13-45", True, ["2026-03-01"], {"y": 2026}, 1e300, 10**400],
    ids=["words", "no such day", "truth", "list", "object", "float", "400 digits"],
)
def test_a_date_that_is_none_is_a_warning_and_the_rest_is_imported(
    keyword_memory: Memory, lines: Callable[..., Path], written: object
) -> None:
    file = lines({"id": "before", "text": "t"}, {"id": "d", "text": "heron", "date": written})
    receipt = keyword_memory.add(file)
    assert (receipt.added, receipt.failed) == (2, ())
    (warning,) = receipt.warnings
    assert warning.where == f"{file}:2"
    assert "date" in warning.reason
    assert keyword_memory.get("d").date is None


@pytest.mark.parametrize("moment", [datetime.min, datetime.max], ids=["first", "last"])
def test_the_ends_of_the_calendar_can_be_read_back(
    keyword_memory: Memory, lines: Callable[..., Path], moment: datetime
) -> None:
    keyword_memory.add(lines({"id": "edge", "text": "heron", "date": moment.isoformat()}))
    date = keyword_memory.get("edge").date
    assert date is None or date.year == moment.year
    assert externals(keyword_memory) == ["edge"]
    assert keyword(keyword_memory, "heron") == ["edge"]


# ------------------------------------------------------------------ JSONL: the file itself


def test_a_byte_order_mark_blank_lines_and_crlf_are_no_trouble(
    keyword_memory: Memory, tmp_path: Path
) -> None:
    file = write(
        tmp_path / "windows.jsonl",
        '\ufeff{"id": "a", "text": "heron"}\r\n\r\n   \r\n{"id": "b", "text": "otter"}',
    )
    receipt = keyword_memory.add(file)
    assert (receipt.added, receipt.failed, receipt.warnings) == (2, (), ())
    assert externals(keyword_memory) == ["a", "b"]


@pytest.mark.parametrize("suffix", [".jsonl", ".ndjson", ".JSONL"])
def test_jsonl_has_several_names(keyword_memory: Memory, tmp_path: Path, suffix: str) -> None:
    file = write_lines(tmp_path / f"records{suffix}", {"id": "a", "text": "t"})
    keyword_memory.add(file)
    assert externals(keyword_memory) == ["a"]


def test_a_jsonl_in_a_folder_is_a_source_of_its_own(keyword_memory: Memory, vault: Path) -> None:
    write_lines(vault / "log.jsonl", {"id": "entry", "text": "The grebe dives."})
    receipt = keyword_memory.add(vault)
    assert receipt.added == 4
    assert keyword_memory.get("entry").source == "log.jsonl"
    assert keyword_memory.get("alpha.md").source == "vault"


def test_a_line_that_was_edited_changes_one_document(
    keyword_memory: Memory, lines: Callable[..., Path]
) -> None:
    keyword_memory.add(lines({"id": "a", "text": "heron"}, {"id": "b", "text": "otter"}))
    receipt = keyword_memory.add(
        lines({"id": "a", "text": "heron"}, {"id": "b", "text": "kingfisher"})
    )
    assert counts(receipt) == (0, 1, 1)
    assert keyword(keyword_memory, "kingfisher") == ["b"]
    assert keyword(keyword_memory, "otter") == []


# ------------------------------------------------------------------ folders


def test_a_folder_becomes_notes_named_by_their_path(keyword_memory: Memory, vault: Path) -> None:
    receipt = keyword_memory.add(vault)
    assert counts(receipt) == (3, 0, 0)
    assert receipt.sources == ("vault",)
    assert externals(keyword_memory) == ["alpha.md", "gamma.txt", "sub/beta.md"]
    beta = keyword_memory.get("sub/beta.md")
    assert (beta.kind, beta.path, beta.source) == ("note", "sub/beta.md", "vault")


@pytest.mark.parametrize(
    ("name", "content", "title"),
    [
        ("a.md", "---\ntitle: From the front\n---\n# From the heading\n", "From the front"),
        ("a.md", '---\ntitle: "Quoted: with a colon"\n---\n', "Quoted: with a colon"),
        ("a.md", "---\r\ntitle: Windows\r\ndate: 2026-03-01\r\n---\r\nText\r\n", "Windows"),
        ("a.md", "\ufeff---\ntitle: Marked\n---\nText\n", "Marked"),
        ("a.md", "Some words.\n\n# A heading #\n", "A heading"),
        ("a.md", "# Windows heading\r\n\r\nText\r\n", "Windows heading"),
        ("a.md", "\ufeff# Marked heading\n\nText\n", "Marked heading"),
        ("the-file.md", "No heading at all.\n", "the-file"),
        ("the-file.txt", "# not markdown\n", "the-file"),
    ],
)
def test_a_note_is_titled_by_what_it_says_of_itself(
    keyword_memory: Memory, tmp_path: Path, name: str, content: str, title: str
) -> None:
    keyword_memory.add(write(tmp_path / "vault" / name, content).parent)
    assert keyword_memory.get(name).title == title


def test_a_note_is_dated_by_its_frontmatter_else_by_the_file(
    keyword_memory: Memory, tmp_path: Path
) -> None:
    folder = tmp_path / "vault"
    dated = write(folder / "dated.md", "---\ndate: 2025-12-24\n---\nText\n")
    plain = write(folder / "plain.md", "Text\n")
    when = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    for file in (dated, plain):
        os.utime(file, (when.timestamp(), when.timestamp()))
    keyword_memory.add(folder)
    assert keyword_memory.get("dated.md").date == datetime(2025, 12, 24, tzinfo=UTC)
    assert keyword_memory.get("plain.md").date == when


def test_frontmatter_is_kept_as_meta(keyword_memory: Memory, tmp_path: Path) -> None:
    write(tmp_path / "vault" / "a.md", "---\ntags: [birds, 'water']\nstatus: draft\n---\nText\n")
    keyword_memory.add(tmp_path / "vault")
    assert keyword_memory.get("a.md").meta == {"tags": ["birds", "water"], "status": "draft"}


def test_what_a_file_is_shows_in_its_kind(keyword_memory: Memory, tmp_path: Path) -> None:
    for name in ("a.md", "b.txt", "README", "c.py", "d.toml"):
        write(tmp_path / "vault" / name, "text = 1\n")
    keyword_memory.add(tmp_path / "vault")
    kinds = {document.external: document.kind for document in everything(keyword_memory)}
    assert kinds == {
        "a.md": "note", "b.txt": "note", "README": "note", "c.py": "code", "d.toml": "file",
    }  # fmt: skip


def test_hidden_and_generated_folders_are_left_alone(keyword_memory: Memory, vault: Path) -> None:
    for name in (".git/config", ".hidden.md", "node_modules/x/readme.md", "__pycache__/x.txt"):
        write(vault / name, "not mine\n")
    assert keyword_memory.add(vault).added == 3


def test_media_are_skipped_and_counted(keyword_memory: Memory, vault: Path) -> None:
    (vault / "photo.JPG").write_bytes(b"\xff\xd8\xff\x00")
    receipt = keyword_memory.add(vault)
    assert (receipt.added, receipt.failed) == (3, ())
    assert [problem.where for problem in receipt.skipped] == [str(vault / "photo.JPG")]


def test_a_store_inside_the_folder_is_not_imported_into_itself(vault: Path) -> None:
    with Memory.open(vault / "store", embed_model="none") as memory:
        for _ in range(2):
            receipt = memory.add(vault)
            assert receipt.failed == ()
            assert externals(memory) == ["alpha.md", "gamma.txt", "sub/beta.md"]


# ------------------------------------------------------------------ text comes back as it was

TEXTS = {
    "empty": "",
    "one line without an end": "no line end",
    "crlf": "# Title\r\n\r\nline one\r\nline two\r\n",
    "old mac": "line one\rline two\r",
    "byte order mark": "\ufeff# Title\n\ntext\n",
    "white space around": "\n\n  \t text \n\n\n",
    "only white space": " \n\t\n ",
    "odd line ends": "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g\n",
    "unclosed fence": "```python\ncode\n" + "x = 1\n" * 900,
    "many headings": "".join(f"## Heading {n}\n\nText {n}.\n\n" for n in range(300)),
    "one huge line": "word " * 20_000,
    "one huge word": "x" * 50_000,
    "scripts": "Füße, naïve, ﬁ, Ⅳ, 数据库每天备份。 ありがとう 한국어 ไทย\n" * 40,
    "right to left and signs": "עברית العربية हिन्दी 🚀👩\u200d💻\n" * 40,
    "combining": "e\u0301 versus \u00e9\n",
    "a zero byte far in": "word " * 2000 + "\x00" + " word" * 10,
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_file_comes_back_byte_for_byte(keyword_memory: Memory, tmp_path: Path, name: str) -> None:
    file = write(tmp_path / "vault" / "note.md", TEXTS[name])
    assert keyword_memory.add(file.parent).added == 1
    assert keyword_memory.get("note.md").text.encode() == file.read_bytes()


@pytest.mark.parametrize("name", TEXTS)
def test_a_line_and_a_turn_come_back_byte_for_byte(
    keyword_memory: Memory, lines: Callable[..., Path], name: str
) -> None:
    text = TEXTS[name]
    turns = [{"role": "user", "text": text}, {"role": "assistant", "text": text}]
    keyword_memory.add(lines({"id": "d", "text": text}, {"id": "s", "turns": turns}))
    assert keyword_memory.get("d").text == text
    assert [message.text for message in keyword_memory.get("s").messages] == [text, text]


# ------------------------------------------------------------------ running it again


def held(memory: Memory) -> tuple[int, int, int]:
    stats = memory.status().store
    return stats.seq, stats.documents, stats.passages


def test_running_it_again_changes_nothing(memory: Memory, vault: Path, tmp_path: Path) -> None:
    records = write_lines(tmp_path / "r.jsonl", {"id": "a", "text": "x"}, {"id": "b", "text": "y"})
    single = write(tmp_path / "single.md", "# Single\n")
    first = memory.add(vault, records, single)
    assert counts(first) == (6, 0, 0)
    assert first.embedded > 0
    before = held(memory)
    again = memory.add(vault, records, single)
    assert counts(again) == (0, 0, 6)
    assert (again.embedded, again.pending) == (0, 0)
    assert held(memory) == before


def test_a_touched_file_is_unchanged(keyword_memory: Memory, vault: Path, tmp_path: Path) -> None:
    write(vault / "dated.md", "---\ndate: 2025-01-01\n---\nText\n")
    records = write_lines(tmp_path / "r.jsonl", {"id": "a", "text": "x"})
    keyword_memory.add(vault, records)
    before = held(keyword_memory)
    for file in (vault / "dated.md", records):
        os.utime(file, (2e9, 2e9))
    assert counts(keyword_memory.add(vault, records)) == (0, 0, 5)
    assert held(keyword_memory) == before


def test_editing_one_file_changes_one_document(memory: Memory, vault: Path) -> None:
    memory.add(vault)
    write(vault / "alpha.md", "# Alpha\n\nThe cormorant dries its wings.\n")
    receipt = memory.add(vault)
    assert counts(receipt) == (0, 1, 2)
    assert memory.get("alpha.md").text.startswith("# Alpha\n\nThe cormorant")


def test_an_edited_note_is_found_by_its_new_words_and_not_by_its_old(
    memory: Memory, vault: Path
) -> None:
    memory.add(vault)
    for bird in ("cormorant", "pelican", "albatross"):
        write(vault / "alpha.md", f"# Alpha\n\nThe {bird} stands in the water.\n")
        memory.add(vault)
        assert keyword(memory, bird) == ["alpha.md"]
        assert keyword(memory, "heron") == []
        # A word that every version has: the newest version answers, and once.
        answer = memory.search("stands water", by="keyword")
        assert [result.document for result in answer.results] == ["alpha.md"]
        assert bird in answer.results[0].text
        assert answer.total_found == 1
        assert memory.search("water", owner="nobody").hidden == {"owner": 1}


def test_an_edited_note_is_found_by_meaning_too(memory: Memory, vault: Path) -> None:
    memory.add(vault)
    write(vault / "alpha.md", "# Alpha\n\nThe cormorant dries its wings.\n")
    assert memory.add(vault).embedded > 0
    best = memory.search("cormorant wings", by="semantic").results[0]
    assert (best.document, "cormorant" in best.text) == ("alpha.md", True)
    assert memory.search("cormorant wings").results[0].document == "alpha.md"


def test_a_new_file_is_added_and_the_others_left(keyword_memory: Memory, vault: Path) -> None:
    keyword_memory.add(vault)
    write(vault / "delta.md", "# Delta\n")
    assert counts(keyword_memory.add(vault)) == (1, 0, 3)


def test_a_file_of_a_known_folder_added_alone_is_not_a_second_document(
    keyword_memory: Memory, vault: Path
) -> None:
    keyword_memory.add(vault)
    before = held(keyword_memory)
    alone = keyword_memory.add(vault / "sub" / "beta.md")
    assert counts(alone) == (0, 0, 1)
    assert alone.sources == ("vault",)
    assert held(keyword_memory) == before
    write(vault / "sub" / "beta.md", "# Beta\n\nThe otter has gone.\n")
    assert counts(keyword_memory.add(vault / "sub" / "beta.md")) == (0, 1, 0)
    assert counts(keyword_memory.add(vault)) == (0, 0, 3)


def test_a_folder_inside_a_known_folder_belongs_to_it(keyword_memory: Memory, vault: Path) -> None:
    keyword_memory.add(vault)
    assert counts(keyword_memory.add(vault / "sub")) == (0, 0, 1)
    assert len(everything(keyword_memory)) == 3


@pytest.mark.parametrize(
    ("inside", "spelling"),
    [
        (".", "vault"),
        (".", "vault/"),
        (".", "./vault"),
        (".", "vault/sub/.."),
        ("vault", "."),
        ("vault", "../vault"),
        ("vault/sub", ".."),
    ],
)
def test_a_folder_is_the_same_however_its_path_is_written(
    keyword_memory: Memory,
    vault: Path,
    monkeypatch: pytest.MonkeyPatch,
    inside: str,
    spelling: str,
) -> None:
    keyword_memory.add(vault)
    monkeypatch.chdir(vault.parent / inside)
    receipt = keyword_memory.add(spelling)
    assert counts(receipt) == (0, 0, 3)
    assert receipt.sources == ("vault",)


def test_a_folder_given_as_dots_is_named_after_the_folder(
    keyword_memory: Memory, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(vault / "sub")
    assert keyword_memory.add("..").sources == ("vault",)


def test_the_home_folder_may_be_written_as_a_tilde(
    keyword_memory: Memory, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(vault.parent))
    assert keyword_memory.add("~/vault").added == 3


def test_without_vectors_the_rest_is_pending_until_the_next_import(
    memory: Memory, vault: Path
) -> None:
    first = memory.add(vault, embed=False)
    assert (first.embedded, first.pending) == (0, 3)
    assert memory.status().pending == 3
    assert memory.add(vault).embedded == 3
    assert memory.status().pending == 0


def test_a_forgotten_document_stays_out_whatever_it_came_from(
    keyword_memory: Memory, vault: Path, tmp_path: Path
) -> None:
    records = write_lines(
        tmp_path / "r.jsonl", {"id": "a", "text": "heron"}, {"id": "b", "text": "y"}
    )
    keyword_memory.add(vault, records)
    keyword_memory.forget("alpha.md")
    keyword_memory.forget("a")
    receipt = keyword_memory.add(vault, records)
    assert externals(keyword_memory) == ["b", "gamma.txt", "sub/beta.md"]
    assert keyword(keyword_memory, "heron") == []
    assert receipt.tombstoned == 2
    for name in ("alpha.md", "a"):
        with pytest.raises(NotFound):
            keyword_memory.get(name)


# ------------------------------------------------------------------ owners and scopes


def test_owner_and_scopes_come_from_the_line_else_from_the_call(
    keyword_memory: Memory, lines: Callable[..., Path]
) -> None:
    keyword_memory.add(
        lines(
            {"id": "own", "text": "heron", "owner": "ana", "scopes": ["home", "garden"]},
            {"id": "given", "text": "heron"},
        ),
        owner="ben",
        scopes=["work"],
    )
    own, given = keyword_memory.get("own"), keyword_memory.get("given")
    assert (own.owner, set(own.scopes)) == ("ana", {"home", "garden"})
    assert (given.owner, given.scopes) == ("ben", ("work",))


def test_notes_take_owner_and_scopes_from_the_call(keyword_memory: Memory, vault: Path) -> None:
    keyword_memory.add(vault, owner="ana", scopes=["work", "team"])
    before = held(keyword_memory)
    assert {d.owner for d in everything(keyword_memory)} == {"ana"}
    assert {frozenset(d.scopes) for d in everything(keyword_memory)} == {
        frozenset({"work", "team"})
    }
    keyword_memory.add(vault, owner="ana", scopes=["team", "work"])
    assert held(keyword_memory) == before


def test_only_the_owner_and_the_scopes_asked_for_are_seen(
    memory: Memory, lines: Callable[..., Path]
) -> None:
    memory.add(
        lines(
            {"id": "ana-work", "text": "heron 1", "owner": "ana", "scopes": ["work"]},
            {"id": "ana-home", "text": "heron 2", "owner": "ana", "scopes": ["home"]},
            {"id": "ben-work", "text": "heron 3", "owner": "ben", "scopes": ["work", "lab"]},
            {"id": "nobody", "text": "heron 4"},
        )
    )

    def seen(owner: str | None = None, scopes: list[str] | None = None) -> list[str]:
        answer = memory.search("heron", owner=owner, scopes=scopes)
        names = sorted(result.document for result in answer.results)
        page = memory.list(owner=owner, scopes=scopes)
        assert sorted(document.external for document in page.items) == names
        return names

    assert seen(owner="ana") == ["ana-home", "ana-work"]
    assert seen(scopes=["work"]) == ["ana-work", "ben-work"]
    assert seen(scopes=["lab", "home"]) == ["ana-home", "ben-work"]
    assert seen(owner="ben", scopes=["home"]) == []
    assert seen(scopes=[UNIVERSAL]) == ["nobody"]
    assert seen() == ["ana-home", "ana-work", "ben-work", "nobody"]


def test_the_configured_owner_and_scopes_are_used_where_nothing_else_is_said(
    tmp_path: Path, vault: Path
) -> None:
    with Memory.open(
        tmp_path / "store", embed_model="none", import_owner="team", import_scopes="docs,public"
    ) as memory:
        memory.add(vault)
        found = memory.get("alpha.md")
        assert (found.owner, set(found.scopes)) == ("team", {"docs", "public"})


# ------------------------------------------------------------------ sources


def test_two_folders_of_one_name_are_two_sources(keyword_memory: Memory, tmp_path: Path) -> None:
    for place in ("work", "home"):
        write(tmp_path / place / "notes" / "readme.md", f"The heron is at {place}.\n")
    first = keyword_memory.add(tmp_path / "work" / "notes")
    second = keyword_memory.add(tmp_path / "home" / "notes")
    assert first.sources != second.sources
    for receipt, place in ((first, "work"), (second, "home")):
        answer = keyword_memory.search("heron", sources=receipt.sources)
        assert [place in result.text for result in answer.results] == [True]
    assert keyword_memory.add(tmp_path / "home" / "notes").sources == second.sources


def test_two_files_of_one_name_are_two_sources(keyword_memory: Memory, tmp_path: Path) -> None:
    files = [
        write_lines(tmp_path / place / "log.jsonl", {"id": "a", "text": f"heron {place}"})
        for place in ("work", "home")
    ]
    receipt = keyword_memory.add(*files)
    assert receipt.added == 2
    assert len(set(receipt.sources)) == 2


def test_names_that_differ_in_case_only_can_be_told_apart(
    keyword_memory: Memory, tmp_path: Path
) -> None:
    write(tmp_path / "one" / "Notes" / "a.md", "The heron is in one.\n")
    write(tmp_path / "two" / "notes" / "a.md", "The heron is in two.\n")
    for folder in (tmp_path / "one" / "Notes", tmp_path / "two" / "notes"):
        (name,) = keyword_memory.add(folder).sources
        assert keyword(keyword_memory, "heron", sources=[name]) == ["a.md"]


def test_a_source_can_be_named(keyword_memory: Memory, vault: Path, tmp_path: Path) -> None:
    records = write_lines(tmp_path / "r.jsonl", {"id": "a", "text": "The grebe dives."})
    keyword_memory.add(vault, source="birds")
    keyword_memory.add(records, source="log")
    assert keyword_memory.get("alpha.md").source == "birds"
    assert keyword(keyword_memory, "heron grebe", sources=["birds"]) == ["alpha.md"]
    assert keyword(keyword_memory, "heron grebe", sources=["log"]) == ["a"]
    before = held(keyword_memory)
    assert counts(keyword_memory.add(vault, source="birds")) == (0, 0, 3)
    assert counts(keyword_memory.add(vault)) == (0, 0, 3)
    assert held(keyword_memory) == before


def test_files_of_one_name_under_one_source_do_not_replace_each_other(
    keyword_memory: Memory, tmp_path: Path
) -> None:
    for place in ("work", "home"):
        write(tmp_path / place / "readme.md", f"The heron is at {place}.\n")
    receipt = keyword_memory.add(tmp_path / "work", tmp_path / "home", source="mine")
    texts = [result.text for result in keyword_memory.search("heron", by="keyword").results]
    assert receipt.failed or sorted(texts) == [
        "The heron is at home.", "The heron is at work.",
    ]  # fmt: skip


def test_a_path_with_odd_characters_is_known_again(keyword_memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "50% & more; #1? [ä 数]"
    write(folder / "a b;c#d?e%20f.md", "# Odd\n")
    assert keyword_memory.add(folder).added == 1
    assert counts(keyword_memory.add(folder)) == (0, 0, 1)
    assert keyword_memory.get("a b;c#d?e%20f.md").title == "Odd"
    assert counts(keyword_memory.add(folder / "a b;c#d?e%20f.md")) == (0, 0, 1)


def test_a_folder_around_a_known_one_leaves_it_its_files(
    keyword_memory: Memory, tmp_path: Path
) -> None:
    write(tmp_path / "all" / "top.md", "The heron.\n")
    write(tmp_path / "all" / "work" / "inner.md", "The grebe.\n")
    keyword_memory.add(tmp_path / "all" / "work")
    receipt = keyword_memory.add(tmp_path / "all")
    assert counts(receipt) == (1, 0, 1)
    assert keyword_memory.get("inner.md").source == "work"
    assert keyword_memory.get("top.md").source == "all"
    assert counts(keyword_memory.add(tmp_path / "all")) == (0, 0, 2)


def test_code_is_cut_at_its_definitions(keyword_memory: Memory, tmp_path: Path) -> None:
    body = "\n".join(f"    step_{i} = prepare(value, {i})" for i in range(30))
    names = ("open_store", "close_store", "rebuild_index")
    code = "\n\n".join(f"def {name}(value):\n    # not a heading\n{body}" for name in names)
    write(tmp_path / "vault" / "engine.py", f"import os\n\n{code}\n")
    keyword_memory.add(tmp_path / "vault")
    found = keyword_memory.search("rebuild_index").results[0]
    assert found.heading == "def rebuild_index"
    assert found.text.startswith("def rebuild_index")
    assert keyword_memory.get("engine.py").text == f"import os\n\n{code}\n"


def test_a_page_is_read_as_text_with_its_headings(keyword_memory: Memory, tmp_path: Path) -> None:
    page = "<title>Boats</title><script>var x</script><h1>Care</h1><p>Rinse with <b>water</b>.</p>"
    write(tmp_path / "vault" / "boats.html", page)
    keyword_memory.add(tmp_path / "vault")
    (found,) = everything(keyword_memory)
    assert (found.title, found.kind) == ("Boats", "page")
    text = keyword_memory.get("boats.html").text
    assert "# Care" in text
    assert "Rinse with water." in text
    assert "var x" not in text


def test_links_and_tags_of_a_note_are_kept(keyword_memory: Memory, tmp_path: Path) -> None:
    note = "---\ntags: [boats]\naliases:\n  - Kayak\n---\nSee [[Harbour|the harbour]] #repair\n"
    write(tmp_path / "vault" / "a.md", note)
    keyword_memory.add(tmp_path / "vault")
    meta = keyword_memory.get("a.md").meta
    assert meta["tags"] == ["boats", "repair"]
    assert meta["aliases"] == ["Kayak"]
    assert meta["links"] == ["Harbour"]
