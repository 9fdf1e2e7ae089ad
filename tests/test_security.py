"""What the threat model (docs/security.md) promises of the code itself: SQL, archives, links,
files, and what is said in errors."""

from __future__ import annotations

import ast
import io
import os
import random
import re
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path
from string import ascii_letters, digits

import pytest

import recollect
from conftest import Cli
from recollect import Memory
from recollect.nouns import Problem
from recollect.sources import formats, json_stream

PACKAGE = Path(recollect.__file__).parent


# ------------------------------------------------------------------ SQL


_SQL = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE|PRAGMA|CREATE|DROP|ALTER|WHERE|AND)\b")


def _statements(path: Path) -> Iterator[ast.AST]:
    """Texts with something put into them that are SQL, or are executed."""
    text = path.read_text()
    if "sqlite3" not in text and "storage" not in path.parts:
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.JoinedStr) and _SQL.search(ast.unparse(node)):
            yield node
        if isinstance(node, ast.Call) and _called(node).startswith("execute"):
            yield from node.args[:1]


_SAFE_CALLS = {"marks", "_marks", "len", "join"}


def _unsafe(node: ast.AST) -> list[str]:
    """The parts of a statement that could be a value from outside: anything put into its text but
    constants of the module (in capitals), question marks, and words chosen in this very file."""
    found = []
    for part in ast.walk(node):
        if not isinstance(part, ast.FormattedValue):
            continue
        value = part.value
        if isinstance(value, ast.Name) and (value.id.isupper() or value.id.lstrip("_").isupper()):
            continue
        if isinstance(value, ast.Call) and _called(value) in _SAFE_CALLS:
            continue
        found.append(ast.unparse(value))
    return found


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


KNOWN = {
    "storage/embedded/connection.py": {  # numbers of ours
        "-2048 if once else -32768", "0 if once else 268435456", "int(BUSY_SECONDS * 1000)",
    },
    "storage/embedded/documents.py": {
        "column",  # of the two names in the loop around it
        "condition",  # made by _where from columns of ours and question marks
    },
    "storage/embedded/talks.py": {
        "condition", "'AND m.document = ?' if within else ''", "way", "which", "order",
    },
    "storage/embedded/schema.py": {"number + 1"},
    "storage/embedded/answers.py": {
        "marks", "' AND '.join(wanted) or '1'",  # names of columns and question marks
    },
    "sources/sessions/database.py": {  # tables and columns that the readers of clients name
        "chosen", "key", "order", "table", "way", "where", "name",
    },
    "storage/embedded/audit.py": {"'integrity' if full else 'quick'", "table", "key"},
    "storage/embedded/backup.py": {"n"},  # tables that the database itself names
    "storage/embedded/repair.py": {  # tables, columns and indexes of the schema, question marks
        "table", "column", "key", "index", "marks", "rest",
    },
    "storage/embedded/cache.py": {"table", "', '.join(AskedBefore._fields)"},
    "storage/postgres/answers.py": {"conditions", "owners.seen"},
    "storage/postgres/bulk.py": {"table", "columns", "marks"},
    "storage/postgres/checking.py": {"owners.seen", "limit", "model.table"},
    "storage/postgres/connection.py": {"called"},  # set_config, and a mark for each value
    "storage/postgres/dump.py": {"among", "model.table", "owners.seen", "self._owners.seen"},
    "storage/postgres/engine.py": {"self._owners.seen", "table"},
    "storage/postgres/owners.py": {"mine", "column", "other"},  # what "seen" and "among" consist of
    "storage/postgres/record.py": {
        "self._owners.seen", "among", "seen", "where.document or 'TRUE'", "condition",
    },
    "storage/postgres/schema.py": {  # names of the schema, of which an address admits few letters
        "name", "_POLICY.format(schema=schema)", "os.urandom(16).hex()", "address.partitions",
        "table.name", "columns", "key", "by", "beside", "n", "parts", "unique", "on",
        "db.info.dbname", "role", "address.schema",  # these three in a hint, for a person
    },
    "storage/postgres/text.py": {"tables"},
    "storage/postgres/text_index.py": {"until", "table"},
    "storage/postgres/text_views.py": {"among", "select"},
    "storage/postgres/turns.py": {
        "role", "order", "self._owners.seen", "'AND d.id = %(within)s' if within else ''",
        "_beginning('user', 'ASC')", "_beginning('assistant', 'DESC')", "among",
        "where.document or 'TRUE'", "way", "which",
    },
    "storage/postgres/vectors.py": {  # tables are called by the number of a model
        "max(64, min(4096, room // 1000000))", "name", "leaf", "model.kind", "self._owners.seen",
        "model.table", "tables", "among", "where.both", "EXACT_ROWS + 1", "table", "seen",
        "without", "rows", "order.format(kind=kind)", "self.limit + 10", "where.document",
    },
    "storage/postgres/writer.py": {"self._owners.seen", "table", "among"},
}  # fmt: skip
"""What is put into statements besides, each looked at: none of it comes from a caller."""


def test_no_value_is_put_into_the_text_of_a_statement() -> None:
    seen: set[tuple[str, str]] = set()
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).as_posix()
        for statement in _statements(path):
            seen.update((name, part) for part in _unsafe(statement))
    new = {(name, part) for name, part in seen if part not in KNOWN.get(name, set())}
    assert not new, f"bind these with ?, or look at them and name them in KNOWN: {sorted(new)}"


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


def test_what_is_kept_is_for_its_user_alone(tmp_path: Path) -> None:
    os.umask(0o022)
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
