"""Modules of the package load when they are first used, whole, once, in any thread."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SRC = Path(__file__).parents[1] / "src"


def run(script: str, *paths: Path) -> str:
    """What a fresh interpreter prints."""
    path = os.pathsep.join(map(str, (SRC, *paths)))
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_a_module_is_executed_when_an_attribute_of_it_is_first_read() -> None:
    assert run(
        "import sys\n"
        "from recollect.reading import pipeline\n"
        "print('recollect.nouns' in sys.modules, pipeline.__name__)\n"
        "print(callable(pipeline.answer), 'recollect.nouns' in sys.modules)\n"
    ).splitlines() == ["False recollect.reading.pipeline", "True True"]


def test_a_name_from_a_module_loads_it() -> None:
    assert run("from recollect.errors import UsageError; print(UsageError.__name__)") == (
        "UsageError"
    )


def test_what_is_put_into_a_module_before_it_was_used_stays() -> None:
    assert run(
        "import recollect.reading.cut\nrecollect.reading.cut.READ = 3\n"
        "from recollect.reading.cut import READ, cut\nprint(READ, cut.__name__)\n"
    ) == ("3 cut")


def test_modules_of_others_are_as_eager_as_they_were() -> None:
    assert run(
        "import recollect, sys\nimport fractions\nprint(type(sys.modules['fractions']).__name__)"
    ) == ("module")


def test_every_thread_sees_a_module_that_is_whole() -> None:
    script = """
import sys, threading, pkgutil
from importlib import import_module
import recollect
sys.setswitchinterval(1e-6)
names = [
    "recollect.nouns", "recollect.text.terms", "recollect.text.questions.when",
    "recollect.reading.pipeline", "recollect.storage.filters", "recollect.facts",
]
wrong = []
def use():
    for name in names:
        module = import_module(name)
        for one in getattr(module, "__all__", ()):
            if not hasattr(module, one):
                wrong.append((name, one))
        if module.__doc__ is None:
            wrong.append((name, "no docstring"))
threads = [threading.Thread(target=use) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join(60) for thread in threads]
print(wrong, any(thread.is_alive() for thread in threads))
"""
    assert run(script) == "[] False"


def test_a_module_that_fails_is_tried_again(tmp_path: Path) -> None:
    script = """
import recollect, sys, pathlib
from importlib import import_module
folder = pathlib.Path(sys.path[2])
recollect.__path__.append(str(folder))
(folder / "brittle.py").write_text("raise RuntimeError('not yet')")
module = import_module("recollect.brittle")
try:
    module.value
except RuntimeError as error:
    print(error)
(folder / "brittle.py").write_text("value = 'now, and longer than before'")
import importlib; importlib.invalidate_caches()
print(module.value)
"""
    assert run("import sys; sys.dont_write_bytecode = True\n" + script, tmp_path).splitlines() == [
        "not yet",
        "now, and longer than before",
    ]


def test_a_module_can_be_run_as_a_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "recollect", "--version"],
        env={**os.environ, "PYTHONPATH": str(SRC)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("recollect ")
