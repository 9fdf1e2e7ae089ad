"""What `python -m bench.shape` counts, on sources of a few lines."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from bench import shape
from bench.shape import Bar, Face, Report, module

import recollect


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("x = 1", 0),
        ("if a:\n    x\nelif b:\n    y\nelse:\n    z", 2),
        ("for a in b:\n    x\nelse:\n    y", 1),
        ("while a:\n    x", 1),
        ("try:\n    x\nexcept A:\n    y\nexcept B:\n    z\nfinally:\n    w", 2),
        ("match a:\n    case 1:\n        x\n    case _:\n        y", 2),
        ("x = a if b else c", 1),
        ("x = a and b and c", 1),
        ("x = a and b or c", 2),
        ("x = [a for b in c for a in b if a if not b]", 2),
        ("assert a", 0),
        ("with a:\n    x", 0),
        ("x = not a < b", 0),
        ("async def f():\n    async for a in b:\n        x", 1),
    ],
)
def test_what_is_a_branch(source: str, count: int) -> None:
    assert shape.branches([module(source)]) == count


def test_density_is_per_hundred_statements_of_all_modules_together() -> None:
    assert shape.density([module("if a:\n    x"), module("x\ny")]) == 25.0
    assert shape.density([]) is None


def test_strictly_counted_operands_and_conditions_are_branches_and_docstrings_no_statements() -> (
    None
):
    one = module('"""Told."""\nx = a and b and c\ny = [a for a in b if a]')
    assert shape.density([one]) == pytest.approx(66.7)
    assert shape.strict_density([one]) == 200.0


def test_lines_of_comments_docstrings_and_blank_ones_are_no_source() -> None:
    source = '''"""Told
over lines."""

x = 1  # why
# a comment
"""Told of x."""
y = """
kept
"""
'''
    one = module(source)
    assert shape.source_lines([one]) == 4
    assert shape.total_lines([one]) == 9


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("x; y; z", 2),
        ("if a: x", 1),
        ("if a:\n    x\nelse: y", 1),
        ("try: x\nexcept A: y", 2),
        ("ä = 'ö'; y", 1),
        ("def f(): ...", 0),
        ("@d\ndef f():\n    return 1", 0),
    ],
)
def test_joined_statements_are_those_not_first_on_their_line(source: str, count: int) -> None:
    assert shape.joined([module(source)]) == count


def test_the_length_of_a_function_is_that_of_its_text() -> None:
    short = "def f():\n    return 1\n"
    long = "@d\nasync def g():\n" + "    x\n" * 9
    modules = [module(short * 9 + long)]
    assert shape.length(0.5)(modules) == 2
    assert shape.length(0.95)(modules) == 10
    assert shape.length(0.5)([]) is None


def test_an_import_inside_a_function_counts_once_however_deep() -> None:
    source = """
import a
def f():
    import b
    def g():
        from recollect.c import d
        from recollecting import e
"""
    modules = [module(source, package="recollect")]
    assert shape.inner_imports(modules) == 3
    assert shape.own_inner_imports(modules) == 1


def test_names_of_classes_and_files_that_are_used_twice() -> None:
    modules = [
        module("class A: ...\nclass B:\n    class C: ...", "a/x.py"),
        module("class A: ...\nclass C: ...", "b/x.py"),
        module("", "a/__init__.py"),
        module("", "b/__init__.py"),
    ]
    assert shape.recurring_classes(modules) == {"A": 2}
    assert shape.recurring_files(modules) == {"x.py": 2}


def test_a_parameter_called_trace_is_found_wherever_it_stands() -> None:
    source = "def f(trace, /): ...\ndef g(*, trace=None): ...\ndef h(traced): ..."
    assert shape.traced([module(source)]) == 2


def test_rooms_are_what_lies_at_the_top() -> None:
    modules = [module("", path) for path in ("a.py", "b/__init__.py", "b/c/d.py")]
    assert {name: len(held) for name, held in shape.rooms(modules).items()} == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("path", "excluded"),
    [
        ("text/near_words.py", True),
        ("text/statements/claims.py", True),
        ("writing/curation/extract.py", True),
        ("text/terms.py", False),
        ("surfaces/install/changes.py", False),
        ("nouns/changes.py", False),
        ("text/cues.py", False),
    ],
)
def test_what_is_to_be_deleted_is_left_out_wherever_in_its_room(path: str, excluded: bool) -> None:
    assert module("", path).excluded is excluded


class Thing:
    def __init__(self) -> None:
        self.attribute = 1
        self._hidden = 2

    @classmethod
    def made(cls, a: int) -> None: ...

    def few(self, a: int, *, b: int, **rest: int) -> None: ...

    def many(self, a: int, b: int, c: int, d: int, e: int, f: int, g: int) -> None: ...


def test_a_face_is_what_is_public_without_self() -> None:
    assert shape.face(Thing()) == Face(members=4, parameters=11, wide=("many",))


def test_parts_of_a_memory_count_by_themselves_where_they_exist() -> None:
    memory = Thing()
    assert list(shape.faces(memory)) == ["Memory"]
    memory.admin = Thing()  # type: ignore[attr-defined]
    assert list(shape.faces(memory)) == ["Memory", "Memory.admin"]


def outer() -> None:
    sorted([1], key=lambda _: inner())


def inner() -> int:
    return len("inner")


def test_frames_are_those_of_our_files_both_ends_included() -> None:
    here = Path(__file__).parent
    assert shape.frames(outer, "outer", "inner", here) == [
        "outer",
        "outer.<locals>.<lambda>",
        "inner",
    ]
    assert shape.frames(outer, "outer", "inner", here / "elsewhere") == []
    assert shape.frames(outer, "outer", "never", here) == []
    assert shape.frames(inner, "outer", "inner", here) == []


def test_a_search_by_the_command_is_followed_to_the_engine() -> None:
    with shape.small_store():
        found = shape.search_frames(Path(recollect.__file__).parent)
    assert found[0] == "main"
    assert found[-1].endswith("Store.search_text")


def test_models_are_read_from_a_folder_of_wheels_and_absent_ones_left_out(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "h11-0.16.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("h11/core.py", "if a:\n    x")
        wheel.writestr("h11-0.16.0.dist-info/RECORD", "")
    found = shape.models(tmp_path)
    assert {name: shape.density(held) for name, held in found.items()} == {"h11 0.16.0": 50.0}


def test_a_bar_without_a_figure_is_missed() -> None:
    assert Bar("a", 9, 9).met
    assert not Bar("a", 10, 9).met
    assert not Bar("a", None, 9).met


def test_check_fails_on_a_missed_bar_and_only_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = [module("if a:\n    x", "text/near.py"), module("x", "text/terms.py")]
    faces = {"Memory": Face(1, 2, ())}
    kept = Report(
        {"recollect": shape.measured(own)}, {"text": shape.measured(own)}, ["text/near.py"], faces,
        ["main"], {"A": 2}, {}, shape.bars(own, faces, ["main"]),
    )  # fmt: skip
    monkeypatch.setattr(shape, "report", lambda _: kept)
    missed = [bar.name for bar in kept.bars if not bar.met]
    assert shape.main([]) == 0
    assert "absent" in capsys.readouterr().out
    assert shape.main(["--check"]) == bool(missed)
    monkeypatch.setattr(shape, "report", lambda _: kept._replace(bars=[Bar("a", 1, 1)]))
    assert shape.main(["--check"]) == 0
    capsys.readouterr()
    assert shape.main(["--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["bars"] == [{"name": "a", "figure": 1, "at_most": 1, "met": True}]
    assert told["classes"] == {"A": 2}
