"""What is broken is named, what is good is imported, and nothing is harmed."""

from __future__ import annotations

import json
import os
import sqlite3
import string
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from conftest import Cli
from recollect import Document, Memory, RecollectError
from recollect.errors import InputError, NotFound, QueryError, StoreCorrupt, StoreError, StoreTooNew
from recollect.sources import jsonl


def externals(memory: Memory) -> list[str]:
    return sorted(document.external for document in memory.list(limit=1000).items)


# ------------------------------------------------------------------ a folder of bad files


class Bad(NamedTuple):
    """A folder, and what is wrong with each of its bad files, by where it is reported."""

    folder: Path
    reasons: dict[str, str]


@pytest.fixture
def bad(tmp_path: Path) -> Iterator[Bad]:
    folder = tmp_path / "vault"
    (folder / "sub").mkdir(parents=True)
    (folder / "good.md").write_text("# Good\n\nThe heron stands here.\n")
    (folder / "sub" / "fine.md").write_text("# Fine\n\nThe otter swims here.\n")
    (folder / "dangling.md").symlink_to(folder / "nowhere.md")
    (folder / "itself.md").symlink_to(folder / "itself.md")
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    (folder / "sub" / "up").symlink_to("..", target_is_directory=True)
    os.mkfifo(folder / "pipe.txt")
    os.mkfifo(folder / "pipe.jsonl")
    huge = folder / "huge.txt"
    huge.touch()
    os.truncate(huge, 2_000_000_000)
    (folder / "binary.txt").write_bytes(b"\x7fELF\x00\x01\x02 heron")
    (folder / "latin.md").write_bytes("# Caf\u00e9\n\nSecond: \u00e9\n".encode("latin-1"))
    (folder / "later.md").write_bytes(b"# Fine so far\r\n\r\nbut \xff here\r\n")
    yield Bad(
        folder,
        {
            str(folder / "dangling.md"): "cannot be read: No such file",
            str(folder / "itself.md"): "cannot be read: Too many",
            str(folder / "loop"): "not followed",
            str(folder / "sub" / "up"): "not followed",
            str(folder / "pipe.txt"): "not a regular file",
            str(folder / "pipe.jsonl"): "not a regular file",
            str(folder / "huge.txt"): "2,000 MB is over the limit of 64 MB",
            str(folder / "binary.txt"): "a binary file",
            f"{folder / 'latin.md'}:1": "not UTF-8 (byte 0xe9)",
            f"{folder / 'later.md'}:3": "not UTF-8 (byte 0xff)",
        },
    )
    huge.unlink()


def test_good_files_among_bad_ones_are_imported_and_each_bad_one_is_named(
    keyword_memory: Memory, bad: Bad
) -> None:
    receipt = keyword_memory.add(bad.folder)
    assert receipt.added == 2
    assert externals(keyword_memory) == ["good.md", "sub/fine.md"]
    assert {p.where for p in receipt.failed} == set(bad.reasons)
    for problem in receipt.failed:
        assert bad.reasons[problem.where] in problem.reason
    assert [r.document for r in keyword_memory.search("heron").results] == ["good.md"]


def test_bad_files_make_exit_1_and_are_named_on_stderr(cli: Cli, bad: Bad) -> None:
    done = cli("add", str(bad.folder))
    assert done.code == 1
    assert "2 added" in done.out
    for where, reason in bad.reasons.items():
        assert any(where in line and reason in line for line in done.err.splitlines())


def test_bad_files_are_reported_again_until_they_are_mended(
    keyword_memory: Memory, bad: Bad
) -> None:
    keyword_memory.add(bad.folder)
    again = keyword_memory.add(bad.folder)
    assert (again.added, again.unchanged) == (0, 2)
    assert {p.where for p in again.failed} == set(bad.reasons)
    (bad.folder / "latin.md").write_text("# Café\n")
    mended = keyword_memory.add(bad.folder)
    assert mended.added == 1
    assert len(mended.failed) == len(bad.reasons) - 1


@pytest.mark.parametrize(
    "name", ["dangling.md", "itself.md", "pipe.txt", "huge.txt", "binary.txt", "latin.md"]
)
def test_a_bad_file_that_is_named_itself_is_reported(cli: Cli, bad: Bad, name: str) -> None:
    done = cli("add", str(bad.folder / name))
    assert done.code == 1
    assert str(bad.folder / name) in done.err
    assert cli("list").code == 3


def test_an_edit_that_breaks_a_file_does_not_lose_what_was_imported(
    keyword_memory: Memory, tmp_path: Path
) -> None:
    note = tmp_path / "note.md"
    note.write_text("The heron stands here.")
    keyword_memory.add(note)
    note.write_bytes(b"\xff\xfe broken")
    assert len(keyword_memory.add(note).failed) == 1
    assert keyword_memory.get("note.md").text == "The heron stands here."


def test_the_limit_on_the_size_can_be_raised(tmp_path: Path) -> None:
    note = tmp_path / "long.txt"
    note.write_text("heron " * 200_000)
    with Memory.open(tmp_path / "small", embed_model="none", import_max_mb=1) as memory:
        (problem,) = memory.add(note).failed
        assert "import.max_mb" in problem.reason
    with Memory.open(tmp_path / "large", embed_model="none", import_max_mb=2) as memory:
        assert memory.add(note).added == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("name", ["secret.md", "secret.jsonl"])
def test_a_file_that_may_not_be_read_is_reported(
    keyword_memory: Memory, tmp_path: Path, name: str
) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "good.md").write_text("good")
    (tmp_path / "vault" / name).write_text("{}")
    (tmp_path / "vault" / name).chmod(0)
    receipt = keyword_memory.add(tmp_path / "vault")
    assert receipt.added == 1
    assert [p.where for p in receipt.failed] == [str(tmp_path / "vault" / name)]


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs /proc")
@pytest.mark.parametrize("name", ["broken.md", "broken.jsonl"])
def test_a_link_into_the_kernel_is_named_and_never_read(
    keyword_memory: Memory, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "a.md").write_text("good")
    (folder / name).symlink_to("/proc/self/mem")
    (folder / "z.md").write_text("also good")
    receipt = keyword_memory.add(folder)
    assert externals(keyword_memory) == ["a.md", "z.md"]
    (problem,) = receipt.skipped
    assert problem.where.startswith(str(folder / name))
    assert "file system of the kernel" in problem.reason


@pytest.fixture
def misnamed(tmp_path: Path) -> Path:
    """A folder with a note whose name is not UTF-8, between two whose names are."""
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "a.md").write_text("The heron.")
    (folder / "z.md").write_text("The otter.")
    try:
        Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.md")).write_text("The espresso.")
    except OSError:
        pytest.skip("this file system takes only UTF-8 names")
    return folder


def test_a_name_that_is_not_utf_8_does_not_stop_the_import(
    keyword_memory: Memory, misnamed: Path
) -> None:
    receipt = keyword_memory.add(misnamed)
    assert {"a.md", "z.md"} <= set(externals(keyword_memory))
    imported = bool(keyword_memory.search("espresso", by="keyword").results)
    assert imported or any("caf" in problem.where for problem in receipt.failed)


def test_a_name_that_is_not_utf_8_can_be_printed(cli: Cli, misnamed: Path) -> None:
    done = cli("add", str(misnamed), "--json")
    content = json.loads(done.out)
    assert content["added"] + len(content["failed"]) == 3
    done.out.encode()
    cli("list", "--json").out.encode()


@pytest.mark.parametrize(
    "path",
    ["~draft.md", "~no-such-user-here/notes", "x" * 300, "a/" * 3000, "no/such\0file"],
    ids=["tilde name", "unknown user", "long name", "long path", "zero byte"],
)
def test_a_path_that_cannot_exist_is_an_input_error(keyword_memory: Memory, path: str) -> None:
    with pytest.raises(InputError):
        keyword_memory.add(path)


def test_a_file_whose_name_begins_with_a_tilde_is_a_file(keyword_memory: Memory) -> None:
    Path("~draft.md").write_text("The heron.")
    assert keyword_memory.add("~draft.md").added == 1


# ------------------------------------------------------------------ a JSONL of bad lines


def record(**fields: object) -> bytes:
    return json.dumps(fields).encode()


LONGEST = 600

GOOD_AND_BAD: tuple[tuple[bytes, str], ...] = (
    (record(id="first", text="The heron."), ""),
    (record(id="talk", turns=[{"role": "user", "text": "An otter?"}]), ""),
    (b'{"id": "broken", "text": ', "not JSON"),
    (b'["not", "an", "object"]', "not an object"),
    (b'"only a text"', "not an object"),
    (b"null", "not an object"),
    (record(text="nameless"), "no id"),
    (record(id="", text="nameless"), "no id"),
    (record(id=True, text="nameless"), "no id"),
    (record(id="textless"), "no text"),
    (record(id="textless", text=None), "no text"),
    (record(id="textless", text=["a"]), "no text"),
    (record(id="silent", turns=[]), "turns"),
    (record(id="silent", turns="hello"), "turns"),
    (record(id="silent", turns=[{"role": "user"}]), "turn 0 has no text"),
    (record(id="silent", turns=[{"text": "a"}, "b"]), "turn 1 has no text"),
    (b'{"id": "latin", "text": "caf\xe9"}', "not UTF-8"),
    (b'{"id": "half", "text": "\\ud83d alone"}', "surrogate"),
    (b'{"id": "half", "text": "t", "meta": {"\\ud83d": 1}}', "surrogate"),
    (record(id="unseen", text="t", scopes=[]), "scopes"),
    (record(id="unseen", text="t", scopes="work"), "scopes"),
    (record(id="unseen", text="t", scopes=["work", ""]), "scopes"),
    (record(id="meta", text="t", meta=["a"]), "meta"),
    (record(id="meta", text="t", meta="a"), "meta"),
    (record(id="title", text="t", title=7), "title"),
    (record(id="fact", name="deploy day", text=""), "its text is empty"),
    (record(id="fact", name="deploy day", text="Friday", aliases=[""]), "alias is empty"),
    (record(id="fact", text="Friday", **{"as": "belief"}), "'belief' lines are not understood"),
    (record(id="long", text="x" * LONGEST), "a line of over"),
    (record(id="longer", text="x" * 5 * LONGEST), "a line of over"),
    (b"", ""),
    (b"   \t", ""),
    (b'{"id": "pair", "text": "\\ud83d\\ude80 whole"}', ""),
    (record(id="last", text="The kingfisher."), ""),
)
GOOD = ["first", "last", "pair", "talk"]


@pytest.fixture
def lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of good and bad lines, without an end to the last one."""
    monkeypatch.setattr(jsonl, "MAX_LINE", LONGEST)
    file = tmp_path / "records.jsonl"
    file.write_bytes(b"\n".join(line for line, _ in GOOD_AND_BAD))
    return file


def expected(file: Path) -> dict[str, str]:
    return {f"{file}:{n}": reason for n, (_, reason) in enumerate(GOOD_AND_BAD, 1) if reason}


def test_good_lines_among_bad_ones_are_imported_and_each_bad_one_is_named(
    keyword_memory: Memory, lines: Path
) -> None:
    receipt = keyword_memory.add(lines)
    assert receipt.added == len(GOOD)
    assert externals(keyword_memory) == GOOD
    wanted = expected(lines)
    assert [p.where for p in receipt.failed] == list(wanted)
    for problem in receipt.failed:
        assert wanted[problem.where] in problem.reason
    assert keyword_memory.get("pair").text == "🚀 whole"


def test_bad_lines_make_exit_1_and_are_all_in_the_json(cli: Cli, lines: Path) -> None:
    done = cli("add", str(lines), "--json")
    assert done.code == 1
    content: dict[str, Any] = json.loads(done.out)
    assert content["added"] == len(GOOD)
    assert [p["where"] for p in content["failed"]] == list(expected(lines))


def test_bad_lines_are_named_on_stderr_with_their_numbers(cli: Cli, lines: Path) -> None:
    done = cli("add", str(lines))
    assert done.code == 1
    assert f"{lines}:3: not JSON" in done.err
    shown = done.err.count(f"{lines}:")
    total = len(expected(lines))
    assert shown == total or f"{total - shown} more" in done.err


def test_mending_the_file_and_adding_it_again_completes_it(
    keyword_memory: Memory, lines: Path
) -> None:
    keyword_memory.add(lines)
    again = keyword_memory.add(lines)
    assert (again.added, again.unchanged) == (0, len(GOOD))
    assert len(again.failed) == len(expected(lines))

    mended = [
        record(id=f"mended-{number}", text="whole") if reason else line
        for number, (line, reason) in enumerate(GOOD_AND_BAD)
    ]
    lines.write_bytes(b"\n".join(mended))
    receipt = keyword_memory.add(lines)
    assert receipt.failed == ()
    assert (receipt.added, receipt.unchanged) == (len(expected(lines)), len(GOOD))
    done = keyword_memory.add(lines)
    assert (done.added, done.unchanged) == (0, len(GOOD) + len(expected(lines)))


@pytest.mark.parametrize(
    "line",
    [
        b'{"id": "odd", "text": "t", "n": ' + b"1" * 5000 + b"}",
        b'{"id": "odd", "text": "t", "date": ' + b"1" * 400 + b"}",
        b'{"id": "odd", "text": "t", "date": 1e999}',
        b'{"id": "odd", "text": "t", "date": NaN}',
        b'{"id": "odd", "text": "t", "meta": ' + b'{"a":' * 5000 + b"1" + b"}" * 5001,
        b"[" * 100_000,
        b'{"id": ' + b"9" * 5000 + b', "text": "t"}',
        b'{"id": "odd", "text": "t", "id": {}}',
        b"\x00" * 5000,
    ],
    ids=[
        "huge number", "huge date", "endless date", "date that is no number", "deep meta",
        "deep list", "huge id", "twice an id", "zeros",
    ],
)  # fmt: skip
def test_an_odd_line_never_stops_the_lines_around_it(
    keyword_memory: Memory, tmp_path: Path, line: bytes
) -> None:
    file = tmp_path / "records.jsonl"
    before, after = record(id="before", text="heron"), record(id="after", text="otter")
    file.write_bytes(b"\n".join([before, line, after]))
    receipt = keyword_memory.add(file)
    assert {"before", "after"} <= set(externals(keyword_memory))
    assert receipt.added + len(receipt.failed) == 3
    assert {p.where for p in (*receipt.failed, *receipt.warnings)} <= {f"{file}:2"}


def test_a_number_that_json_does_not_know_is_never_printed_as_json(
    cli: Cli, tmp_path: Path
) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    file = tmp_path / "records.jsonl"
    file.write_text('{"id": "odd", "text": "t", "meta": {"a": NaN, "b": -Infinity}}\n')
    cli("add", str(file))
    for command in (["list"], ["get", "odd"]):
        json.loads(cli(*command, "--json").out, parse_constant=refuse)


def test_a_huge_jsonl_without_a_line_end_is_one_bad_line(
    keyword_memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "MAX_LINE", 1_000_000)
    file = tmp_path / "huge.jsonl"
    file.touch()
    os.truncate(file, 20_500_000)
    receipt = keyword_memory.add(file)
    assert [p.where for p in receipt.failed] == [f"{file}:1"]


# ------------------------------------------------------------------ stores that cannot be used


def test_a_store_path_that_is_a_file_is_refused_and_left_alone(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "store"
    file.write_text("mine")
    for place in (file, file / "below"):
        with pytest.raises(StoreError) as error:
            Memory.open(place)
        assert str(place) in error.value.message
        assert cli("--store", str(place), "status").code == 1
    assert file.read_text() == "mine"


def test_a_store_of_an_unknown_user_is_an_error_of_ours() -> None:
    with pytest.raises(RecollectError):
        Memory.open("~no-such-user-here/store")


@pytest.mark.parametrize("command", [["status"], ["search", "x"], ["add", "."], ["rebuild"]])
def test_a_record_that_is_garbage_is_corrupt_and_left_alone(
    cli: Cli, tmp_path: Path, command: list[str]
) -> None:
    store = tmp_path / "store"
    store.mkdir()
    garbage = b"This is no database at all. " * 400
    (store / "record.db").write_bytes(garbage)
    with pytest.raises(StoreCorrupt) as error:
        Memory.open(store)
    assert "record.db" in error.value.message
    done = cli("--store", str(store), *command, "--json")
    assert done.code == 1
    assert json.loads(done.out)["error"]["type"] == "StoreCorrupt"
    assert (store / "record.db").read_bytes() == garbage
    assert [file.name for file in store.iterdir()] == ["record.db"]


def closed_store(tmp_path: Path) -> Path:
    """A store with one document in it, and its record."""
    note = tmp_path / "note.md"
    note.write_text("The heron stands here.\n" * 2000)
    with Memory.open(tmp_path / "store", embed_model="none") as memory:
        memory.add(note)
    return tmp_path / "store" / "record.db"


@pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
def test_a_record_that_was_cut_short_is_an_error_of_ours_and_is_left_alone(
    tmp_path: Path, part: float
) -> None:
    record = closed_store(tmp_path)
    os.truncate(record, int(record.stat().st_size * part))
    cut = record.read_bytes()

    def use() -> None:
        with Memory.open(record.parent, embed_model="none") as memory:
            memory.get("note.md")
            memory.list()
            memory.admin.rebuild()

    with pytest.raises(StoreError):
        use()
    assert record.read_bytes() == cut


def set_version(record: Path, version: int) -> None:
    database = sqlite3.connect(record)
    database.execute(f"PRAGMA user_version = {version}")
    database.commit()
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


@pytest.mark.parametrize(
    "command", [["status"], ["search", "heron"], ["add", "."], ["forget", "note.md"], ["rebuild"]]
)
def test_a_store_of_a_newer_version_is_refused_and_left_alone(
    cli: Cli, tmp_path: Path, command: list[str]
) -> None:
    record = closed_store(tmp_path)
    set_version(record, 999)
    before = record.read_bytes()
    with pytest.raises(StoreTooNew, match="999"):
        Memory.open(record.parent)
    done = cli("--store", str(record.parent), *command, "--json")
    assert done.code == 1
    assert json.loads(done.out)["error"]["type"] == "StoreTooNew"
    assert record.read_bytes() == before


def test_a_store_of_a_newer_version_still_works_for_that_version(tmp_path: Path) -> None:
    record = closed_store(tmp_path)
    database = sqlite3.connect(record)
    known = int(database.execute("PRAGMA user_version").fetchone()[0])
    database.close()
    set_version(record, 999)
    with pytest.raises(StoreTooNew):
        Memory.open(record.parent)
    set_version(record, known)
    with Memory.open(record.parent, embed_model="none") as memory:
        assert [r.document for r in memory.search("heron").results] == ["note.md"]


# ------------------------------------------------------------------ queries

SHELF = {
    "issue": "The crash that was reported in #123 is fixed.",
    "file": "Everything begins in src/main.py, as always.",
    "contraction": "We don't ship before lunch.",
    "percent": "Partners pay 50% less.",
    "mail": "Write to alice@example.com about the keys.",
    "money": "A coffee costs $5 around the corner.",
    "chinese": "数据库每天凌晨自动备份。",
    "japanese": "会議は金曜日に変更されました。",
    "korean": "배포는 금요일에 합니다.",
    "emoji": "The new site is live 🚀 since noon.",
    "family": "Pair programming 👩‍💻 works well.",
    "hyphen": "The chat-sender job retries twice.",
    "accent": "The café on the pier closes early.",
    "code": "Call getUserName() or dead_letter_queue[0] first.",
    "language": "The parser is written in C++ and the rest in C#.",
    "version": "Upgrade to v2.10.3-rc1 by spring.",
    "plain": "Nothing special stands in this one.",
}


@pytest.fixture(params=["indexed", "just written"])
def shelf(
    request: pytest.FixtureRequest, keyword_memory: Memory, tmp_path: Path
) -> Callable[[str], list[str]]:
    """Search over SHELF, held by the text index or still waiting for it."""
    documents = [Document(name, "shelf", text) for name, text in SHELF.items()]
    if request.param == "indexed":
        keyword_memory.put(documents)
        keyword_memory.admin.rebuild()
    else:
        keyword_memory.put([Document("first", "shelf", "unrelated")])
        keyword_memory.admin.rebuild()
        keyword_memory.put(documents)

    def search(query: str) -> list[str]:
        answer = keyword_memory.search(query, by="keyword")
        return [result.document for result in answer.results]

    return search


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("#123", "issue"),
        ("src/main.py", "file"),
        ("main.py", "file"),
        ("SRC/MAIN.PY", "file"),
        ("don't", "contraction"),
        ("don’t", "contraction"),
        ("50%", "percent"),
        ("alice@example.com", "mail"),
        ("example.com", "mail"),
        ("$5", "money"),
        ("备份", "chinese"),
        ("数据库", "chinese"),
        ("数据库每天凌晨自动备份", "chinese"),
        ("数据库*", "chinese"),
        ("金曜日", "japanese"),
        ("금요일", "korean"),
        ("🚀", "emoji"),
        ("👩‍💻", "family"),
        ("chat-send*", "hyphen"),
        ("chat-sender", "hyphen"),
        ("sender", "hyphen"),
        ("cafe", "accent"),
        ("CAFÉ", "accent"),
        ("cafe\u0301", "accent"),
        ("getUserName", "code"),
        ("getUserName()", "code"),
        ("dead_letter_queue", "code"),
        ("dead_letter_queue[0]", "code"),
        ("C++", "language"),
        ("C#", "language"),
        ("v2.10.3-rc1", "version"),
        ('"retries twice"', "hyphen"),
    ],
)
def test_a_query_finds_the_one_document_that_has_it(
    shelf: Callable[[str], list[str]], query: str, document: str
) -> None:
    assert shelf(query) == [document]


@pytest.mark.parametrize(
    ("query", "text", "near"),
    [
        ("#123", "See #123 for it.", "See 123 for it."),
        ("src/main.py", "It is in src/main.py now.", "The main py is in src now."),
        ("50%", "It takes 50% of it.", "It takes 50 of it."),
        ("$5", "It costs $5 now.", "It costs 5 now."),
        ("alice@example.com", "Ask alice@example.com now.", "Ask alice, for example com."),
    ],
)
def test_the_exact_sign_comes_before_its_parts(
    keyword_memory: Memory, query: str, text: str, near: str
) -> None:
    keyword_memory.put([Document("exact", "s", text), Document("near", "s", near)])
    results = keyword_memory.search(query, by="keyword").results
    assert results[0].document == "exact"


def test_a_prefix_finds_every_word_that_begins_so(shelf: Callable[[str], list[str]]) -> None:
    assert shelf("chat-send*") == ["hyphen"]
    assert shelf("retr*") == ["hyphen"]
    assert shelf("send*") == ["hyphen"]
    assert shelf("ender*") == []


FORMS = (
    "heron{}", "heron {}", "{} heron", "heron {}{}{}", "he{}ron heron", "heron {}x", "heron x{}",
    "heron {}x*", "heron x{}*", "heron word{}x", "heron \\{}", '{}"heron"', "heron '{}'",
)  # fmt: skip


@pytest.mark.parametrize("mark", string.punctuation)
def test_every_punctuation_mark_is_safe_in_a_query(memory: Memory, mark: str) -> None:
    memory.put([Document("bird", "s", "The heron stands here.")])
    memory.models.embed()
    for form in FORMS:
        query = form.replace("{}", mark)
        if query.startswith('-"'):
            continue  # an exclusion, which is meant
        answer = memory.search(query)
        assert [r.document for r in answer.results] == ["bird"], query
        assert not any("failed" in stage.state for stage in answer.stages), query


@pytest.mark.parametrize("mark", string.punctuation)
def test_a_punctuation_mark_alone_is_refused_or_finds_nothing(
    keyword_memory: Memory, mark: str
) -> None:
    keyword_memory.put([Document("bird", "s", "The heron stands here.")])
    for query in (mark, mark * 3, f" {mark} {mark} "):
        with suppress(QueryError):
            assert keyword_memory.search(query).results == ()


def test_every_punctuation_mark_is_safe_on_the_command_line(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bird.md").write_text("The heron stands here.")
    cli("add", str(tmp_path / "bird.md"))
    for mark in string.punctuation:
        done = cli("search", "--json", "--", f"heron {mark}", mark)
        assert done.code == 0, mark
        content = json.loads(done.out)
        assert [r["document"] for r in content["results"]] == ["bird.md"], mark


@pytest.mark.parametrize(
    "query",
    [
        'heron "',
        '"heron',
        'heron ""',
        'heron "" ""',
        'heron -""',
        "heron -",
        "heron --",
        "heron -*",
        "heron *",
        "heron **",
        "heron (*",
        "(heron*",
        "[heron*",
        "heron\\*",
        "heron.*",
        "heron AND",
        "heron OR NOT",
        "heron NEAR/3 x",
        "heron^2",
        "heron~1",
        "title:heron",
        "body:heron",
        "heron {x TO y}",
        "heron [x TO y]",
        "heron path:",
        "heron kind:",
        'heron path:"',
        "heron ''",
        "heron; DROP TABLE documents",
        "heron' OR '1'='1",
        "heron %s %d",
        "heron {0}",
        "heron ${x}",
    ],
)
def test_the_syntax_of_other_engines_is_only_words_here(keyword_memory: Memory, query: str) -> None:
    keyword_memory.put([Document("bird", "s", "The heron stands here.")])
    answer = keyword_memory.search(query, by="keyword")
    assert [r.document for r in answer.results] == ["bird"]


@pytest.mark.parametrize(
    "limit", ["[", "(", "*", "**", "a{2", "\\", "?", "+", "^$", "a|b", "../.."]
)
@pytest.mark.parametrize("key", ["path", "kind", "source"])
def test_any_limit_in_a_query_is_safe(keyword_memory: Memory, key: str, limit: str) -> None:
    keyword_memory.put([Document("bird", "s", "The heron stands here.", path="a/b.md")])
    keyword_memory.admin.rebuild()
    for query in (f"heron {key}:{limit}", f'heron {key}:"{limit} x"'):
        answer = keyword_memory.search(query, by="keyword")
        assert answer.degraded == ()


HUGE = {
    "one word again and again": "heron " * 17_000,
    "many words": "heron " + " ".join(f"word{n}" for n in range(11_000)),
    "one endless word": "heron " + "x" * 100_000,
    "one endless prefix": "heron " + "x" * 100_000 + "*",
    "one endless phrase": 'heron -"' + "no such words " * 7000 + '"',
    "one endless run": "heron " + "数" * 34_000,
    "many exclusions": "heron " + " ".join(f"-word{n}" for n in range(10_000)),
    "many quotes": "heron " + '" ' * 50_000,
    "many stars": "heron " + "*" * 100_000,
    "many emoji": "heron " + "🚀" * 25_000,
    "white space": "heron" + " \n\t" * 33_000,
}


@pytest.mark.parametrize("name", HUGE)
def test_a_query_of_100_kilobytes_does_not_fail(memory: Memory, name: str) -> None:
    assert len(HUGE[name].encode()) >= 98_000
    memory.put([Document("bird", "s", "The heron stands here.")])
    memory.models.embed()
    answer = memory.search(HUGE[name])
    assert [r.document for r in answer.results] == ["bird"]
    assert answer.degraded == ()


def test_words_of_a_query_that_were_left_out_are_reported(keyword_memory: Memory) -> None:
    keyword_memory.put([Document("bird", "s", "The heron stands here.")])
    answer = keyword_memory.search(HUGE["many words"], by="keyword")
    assert any("left out" in stage.reason for stage in answer.stages)


@pytest.mark.parametrize(
    "query", ["heron\x00", "\x00heron", "heron\x00otter", "\x00heron\x00*\x00"]
)
def test_zero_bytes_in_a_query_are_as_spaces(memory: Memory, query: str) -> None:
    memory.put([Document("bird", "s", "The heron stands here.")])
    memory.models.embed()
    assert [r.document for r in memory.search(query).results] == ["bird"]


def test_a_query_of_zero_bytes_is_empty(keyword_memory: Memory) -> None:
    with pytest.raises(QueryError):
        keyword_memory.search("\x00\x00")


@pytest.mark.parametrize(
    "form",
    ["heron {}", "heron{} heron", "heron {}*", 'heron "{}"', "heron -{}", "heron -a{}*",
     "heron path:{}", "heron kind:{}", "heron source:{}"],
)  # fmt: skip
def test_half_a_character_in_a_query_is_safe(memory: Memory, form: str) -> None:
    memory.put([Document("bird", "s", "The heron stands here.", path="a/b.md")])
    memory.models.embed()
    memory.admin.rebuild()
    answer = memory.search(form.replace("{}", "\udcff"))
    assert ":" in form or [r.document for r in answer.results] == ["bird"]


def test_half_a_character_names_no_document(keyword_memory: Memory) -> None:
    for name in ("\udcff", "a\ud800b", "x:\udcff"):
        with pytest.raises(NotFound):
            keyword_memory.get(name)
        with pytest.raises(NotFound):
            keyword_memory.forget(name)
