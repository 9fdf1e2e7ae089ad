"""The public face: what it exports, how little it costs to import, and the tree of errors."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

import recollect
from recollect import errors
from recollect.errors import RecollectError

# ------------------------------------------------------------------ what is exported


def test_the_exported_names_are_sorted_and_named_once() -> None:
    assert recollect.__all__ == sorted(set(recollect.__all__))


@pytest.mark.parametrize("name", recollect.__all__)
def test_every_exported_name_can_be_imported(name: str) -> None:
    assert getattr(recollect, name) is not None


def test_a_star_import_gives_the_exported_names_and_no_others() -> None:
    given: dict[str, object] = {}
    exec("from recollect import *", given)
    del given["__builtins__"]
    assert sorted(given) == recollect.__all__


def test_dir_shows_the_exported_names_and_no_others() -> None:
    assert dir(recollect) == recollect.__all__


def test_no_other_name_is_handed_out() -> None:
    with pytest.raises(AttributeError, match="'Memroy'"):
        recollect.Memroy  # noqa: B018  what is asked is whether it is there
    with pytest.raises(ImportError):
        exec("from recollect import PlainStore")


@pytest.mark.parametrize("name", sorted(set(recollect.__all__) - {"__version__"}))
def test_an_exported_name_is_the_thing_it_names(name: str) -> None:
    found = getattr(recollect, name)
    assert found.__name__ == name
    assert found.__module__.startswith("recollect.")
    assert getattr(recollect, name) is found


def test_the_version_is_a_release_number() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", recollect.__version__)


# ------------------------------------------------------------------ what importing costs

HEAVY = {
    "numpy",
    "tantivy",
    "sqlite3",
    "onnxruntime",
    "tokenizers",
    "Stemmer",
    "argparse",
    "recollect.memory",
    "recollect.storage",
    "recollect.models",
}


def loaded_after(code: str) -> set[str]:
    """The modules that a fresh interpreter has executed after running *code*."""
    whole = (
        f"{code}\nimport json, sys\n"
        "loaded = [n for n, m in sys.modules.items() if type(m).__name__ != '_Unloaded']\n"
        "sys.stderr.write(json.dumps(sorted(loaded)))"
    )
    done = subprocess.run([sys.executable, "-c", whole], capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr))


def test_importing_the_package_loads_no_engine_and_no_model_runtime() -> None:
    loaded = loaded_after("import recollect")
    assert "recollect" in loaded
    assert not HEAVY & loaded


def test_importing_the_nouns_and_the_errors_is_cheap_as_well() -> None:
    loaded = loaded_after("from recollect import Answer, Document, Filter, Message, RecollectError")
    assert "recollect.nouns" in loaded
    assert not HEAVY & loaded


def test_importing_the_facade_does_not_load_a_model_runtime() -> None:
    loaded = loaded_after("from recollect import Memory")
    assert "recollect.memory" in loaded
    assert not {"onnxruntime", "tokenizers", "tantivy", "sqlite3"} & loaded


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_asking_for_the_version_loads_neither_the_parser_nor_the_facade(flag: str) -> None:
    loaded = loaded_after(
        f"import sys\nsys.argv = ['recollect', {flag!r}]\n"
        "from recollect.__main__ import main\nassert main() == 0"
    )
    assert "recollect.__main__" in loaded
    assert not HEAVY & loaded


def test_the_help_loads_no_command_and_nothing_that_a_command_needs() -> None:
    loaded = loaded_after(
        "import sys\nsys.argv = ['recollect', '--help']\n"
        "from recollect.__main__ import main\nassert main() == 0"
    )
    assert "recollect.surfaces.cli" in loaded
    assert not (HEAVY - {"argparse"}) & loaded
    assert not {"recollect.nouns", "recollect.config", "recollect.surfaces.render"} & loaded


@pytest.mark.parametrize("words", [["status"], ["search", "deploy day", "--no-cache"]])
def test_what_needs_no_vectors_loads_neither_numpy_nor_a_model(
    tmp_path: Path, words: list[str]
) -> None:
    with recollect.Memory.open(tmp_path) as memory:
        memory.remember("We deploy on Fridays", name="deploy day")
        memory.remember("We moved the deploy to Monday mornings")
    loaded = loaded_after(
        f"import sys\nsys.argv = ['recollect', '--store', {str(tmp_path)!r}, *{words!r}]\n"
        "from recollect.__main__ import main\nassert main() == 0"
    )
    assert "recollect.storage" in loaded
    assert not {"numpy", "onnxruntime"} & loaded


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_command_prints_the_version(flag: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "recollect", flag],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPROFILEIMPORTTIME": "1"},
    )
    assert done.stdout == f"recollect {recollect.__version__}\n"
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "recollect" in imported
    assert not HEAVY & imported


# ------------------------------------------------------------------ the tree of errors


class Drawn(NamedTuple):
    """One line of the tree in the docstring."""

    name: str
    parent: str
    exit_code: int
    http_status: int


_LINE = re.compile(r"^(?P<branch>[ │├└─]*)(?P<name>\w+) +exit (?P<exit>\d+)  http (?P<http>\d+)")


def drawn_tree() -> list[Drawn]:
    """The lines of the tree; a line's parent is the last one that is drawn further left."""
    above: list[tuple[int, str]] = []
    found = []
    for line in (errors.__doc__ or "").splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        column = match.start("name")
        while above and above[-1][0] >= column:
            above.pop()
        parent = above[-1][1] if above else "Exception"
        found.append(Drawn(match["name"], parent, int(match["exit"]), int(match["http"])))
        above.append((column, match["name"]))
    return found


def defined_errors() -> set[Drawn]:
    return {
        Drawn(name, value.__base__.__name__, value.exit_code, value.http_status)
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, RecollectError) and value.__base__
    }


def test_the_drawn_tree_is_the_tree_of_classes() -> None:
    drawn = drawn_tree()
    assert drawn[0].name == "RecollectError"
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == defined_errors()


def test_no_other_module_adds_an_error_to_the_tree() -> None:
    for module in pkgutil.walk_packages(recollect.__path__, "recollect."):
        with suppress(ImportError):  # a module of an extra that is not installed
            importlib.import_module(module.name)

    def below(kind: type[RecollectError]) -> set[type[RecollectError]]:
        return {kind}.union(*(below(child) for child in kind.__subclasses__()))

    ours = {kind for kind in below(RecollectError) if kind.__module__.startswith("recollect.")}
    assert {kind.__name__ for kind in ours} == {line.name for line in drawn_tree()}


def test_an_error_reads_as_its_message_and_then_its_hint() -> None:
    error = RecollectError("the store is busy", hint="try again")
    assert str(error) == "the store is busy\ntry again"
    assert str(RecollectError("the store is busy")) == "the store is busy"
    assert (error.message, error.hint) == ("the store is busy", "try again")
