"""What the threat model (docs/security.md) promises of the code itself: SQL, archives, links,
files, and what is said in errors."""

from __future__ import annotations

import io
import os
import random
import stat
import zipfile
from pathlib import Path
from string import ascii_letters, digits

import pytest

import recollect
from conftest import Cli
from recollect import Memory
from recollect.nouns import Problem
from recollect.sources import files, formats, json_stream

PACKAGE = Path(recollect.__file__).parent


# ------------------------------------------------------------------ SQL


def test_hostile_names_are_names_in_every_query(keyword_memory: Memory) -> None:
    evil = "x'); DROP TABLE documents; --"
    keyword_memory.remember("The tide is high", name=evil, scopes=[evil], id=evil)
    assert keyword_memory.curation.fact(evil).text == "The tide is high"
    assert keyword_memory.list(scopes=[evil]).items
    assert not keyword_memory.list(scopes=["' OR 1=1 --"]).items
    assert not keyword_memory.list(sources=["' OR '1'='1"], kinds=['" OR 1'], paths=["%"]).items
    assert keyword_memory.status().store.documents == 1


# ------------------------------------------------------------------ archives and links


def _zip(**members: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/"), content)
    return made.getvalue()


def test_a_document_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "MAX_UNPACKED", 1_000_000)
    bomb = _zip(**{"word__document.xml": b"<a>" + b" " * 5_000_000 + b"</a>"})
    assert len(bomb) < 20_000
    said = formats.read(Path("bomb.docx"), bomb)
    assert isinstance(said, Problem)
    assert "unpacks to more than" in said.reason


def test_an_export_that_unpacks_to_too_much_is_refused(
    keyword_memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An item is held whole, so that it is an item that is bounded; a long export is streamed."""
    monkeypatch.setattr(json_stream, "MAX_ITEM", 1_000_000)
    item = b'[{"title": "' + b" " * 5_000_000 + b'"}]'
    (tmp_path / "export.zip").write_bytes(_zip(**{"conversations.json": item}))
    assert (tmp_path / "export.zip").stat().st_size < 20_000
    receipt = keyword_memory.add(tmp_path / "export.zip")
    assert receipt.added == 0
    assert receipt.failed or receipt.skipped


def test_nothing_of_an_archive_is_written_anywhere(keyword_memory: Memory, tmp_path: Path) -> None:
    """Names that climb out of their folder are names: archives are read where they are."""
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "export.zip").write_bytes(
        _zip(**{"..__..__conversations.json": b"[]", "__evil.md": b"x", "..__evil.md": b"# evil"})
    )
    before = sorted(p for p in tmp_path.rglob("*") if "store" not in p.parts)
    keyword_memory.add(inside)
    assert sorted(p for p in tmp_path.rglob("*") if "store" not in p.parts) == before


def test_a_link_that_goes_round_ends(keyword_memory: Memory, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# A\n\notter\n")
    (notes / "round").symlink_to(notes)
    (notes / "self.md").symlink_to(notes / "self.md")
    (notes / "pipe.md").symlink_to("/dev/zero")
    receipt = keyword_memory.add(notes)
    assert receipt.added == 1


def test_a_link_out_of_a_folder_is_skipped_and_one_inside_is_followed(
    keyword_memory: Memory, tmp_path: Path
) -> None:
    private, notes = tmp_path / "private", tmp_path / "notes"
    private.mkdir()
    notes.mkdir()
    (private / "diary.md").write_text("# Diary\n\nthe walrus is mine\n")
    (private / "sessions.jsonl").write_text('{"id": "p", "text": "another walrus"}\n')
    (notes / "a.md").write_text("# A\n\notter\n")
    (notes / "same.md").symlink_to(notes / "a.md")
    (notes / "climbs.md").symlink_to(Path("..") / "private" / "diary.md")
    (notes / "lines.jsonl").symlink_to(private / "sessions.jsonl")
    (notes / "folder").symlink_to(private)
    (notes / ".claude").symlink_to(private)
    (notes / "twice").symlink_to(notes / "folder" / "diary.md")
    receipt = keyword_memory.add(notes)
    assert (receipt.added, len(receipt.failed)) == (2, 0)
    assert {Path(p.where).name for p in receipt.skipped} == {
        "climbs.md", "lines.jsonl", "folder", ".claude", "twice",
    }  # fmt: skip
    assert "import.follow_links" in receipt.skipped[0].reason
    assert not keyword_memory.search("walrus").results
    named = tmp_path / "linked"
    named.symlink_to(notes)
    assert not keyword_memory.add(named, source="again").failed


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no /proc on this system")
def test_the_file_systems_of_the_kernel_are_never_read(
    keyword_memory: Memory, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "p").symlink_to("/proc")
    (tmp_path / "notes" / "status.md").symlink_to("/proc/self/status")
    (tmp_path / "notes" / "a.md").write_text("# A\n\notter\n")
    walked = list(files.walk(tmp_path / "notes", follow_links=True))
    assert [Path(f.place).name for folder in walked for f in folder.files] == ["a.md"]
    assert all("kernel" in problem.reason for problem in walked[0].problems)
    assert len(walked[0].problems) == 2
    receipt = keyword_memory.add("/proc/self/task")
    assert "kernel" in receipt.failed[0].reason


def test_what_lies_beside_a_log_is_not_read_through_a_link(
    keyword_memory: Memory, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the walrus is mine")
    beside = tmp_path / "beside"
    beside.symlink_to(secret)
    with pytest.raises(OSError, match="a link"):
        files.sidecar(beside)
    keyword_memory.curate("We decided to use Postgres for bookings.", title="Bookings", note=True)
    tree = tmp_path / "tree"
    keyword_memory.admin.export_tree(tree)
    (tree / "mine.md").symlink_to(secret)
    (failed,) = keyword_memory.add(tree).failed
    assert "symbolic link" in failed.reason


def test_a_tree_is_never_written_through_a_link(keyword_memory: Memory, tmp_path: Path) -> None:
    keyword_memory.curate("We decided to use Postgres for bookings.", title="Bookings", note=True)
    victim = tmp_path / "victim"
    victim.mkdir()
    tree = tmp_path / "tree"
    keyword_memory.admin.export_tree(tree)
    pages = list(tree.rglob("*.md"))
    assert pages
    content = pages[0].read_text()
    (victim / "page.md").write_text("mine")
    pages[0].unlink()
    pages[0].symlink_to(victim / "page.md")
    keyword_memory.admin.export_tree(tree, force=True)
    assert (victim / "page.md").read_text() == "mine"
    assert content


# ------------------------------------------------------------------ files and secrets


@pytest.mark.parametrize("is_there", [False, True])
def test_what_is_kept_is_for_its_user_alone(tmp_path: Path, is_there: bool) -> None:
    os.umask(0o022)
    if is_there:
        (tmp_path / "store").mkdir()
    with Memory.open(tmp_path / "store", embed_model="none") as memory:
        memory.remember("The tide is high", name="tide")
        memory.search("tide")
        memory.admin.rebuild()
    for path in (tmp_path / "store", *(tmp_path / "store").iterdir()):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert not path.is_dir() or mode == 0o700, (path, oct(mode))
    assert stat.S_IMODE((tmp_path / "store" / "record.db").stat().st_mode) == 0o600


SECRET = "sk-ant-api03-" + "".join(random.Random(5).choices(ascii_letters + digits, k=93)) + "AA"


def test_a_secret_in_what_is_given_is_in_no_error_and_no_output(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text(f'{{"id": "a", "text": "{SECRET}"\n{{"no": "{SECRET}"}}\n')
    (tmp_path / "good.md").write_text(f"# Keys\n\nThe key is {SECRET}, keep it.\n")
    store = str(tmp_path / "store")
    for line in (["add", str(tmp_path)], ["search", "key"], ["get", "good.md"], ["list"],
                 ["remember", f"the key is {SECRET}", "--name", "key"], ["facts"]):  # fmt: skip
        for more in ([], ["--json"]):
            done = cli(*line, "--store", store, *more)
            assert SECRET not in done.out + done.err, line


def test_a_secret_setting_is_not_shown(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    for line in (["config", "list"], ["llm", "status"], ["status"]):
        done = cli(*line)
        assert SECRET not in done.out + done.err
