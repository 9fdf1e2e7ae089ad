"""What a command costs in processor time, as a ratio to a bare start of Python.

``python -m bench warm``. Each command is run in turn with ``python -c pass`` on the same store (the
sample notes and sessions), and what its process took of the processor, user and system together, is
set against what the bare start took: a busy machine is busy for both, and waiting costs nothing.
"""

from __future__ import annotations

import compileall
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import recollect
from bench.timing import Ratio
from recollect import Memory

ROUNDS = 11
_ASKED = "how do we deploy harbor-api?"
_BARE = (sys.executable, "-c", "pass")
_OURS = (sys.executable, "-m", "recollect")


class Case(NamedTuple):
    name: str
    argv: Sequence[str]
    most: float
    """Bare starts that it may take."""
    stdin: bytes = b""


def _hook(name: str, prompt: str, most: float) -> Case:
    payload = json.dumps({"prompt": prompt, "session_id": "bench"}).encode()
    return Case(name, (*_OURS, "hook", "prompt", "--client", "claude-code"), most, payload)


COLD = (
    Case("--help", (*_OURS, "--help"), 3),
    Case("status", (*_OURS, "status"), 6),
    Case("a named fact", (*_OURS, "search", "deploy", "day", "--no-cache"), 6),
    Case("a search by words", (*_OURS, "search", _ASKED, "--by", "keyword", "--no-cache"), 12),
    Case("a search with the encoder", (*_OURS, "search", _ASKED, "--no-cache"), 12),
    _hook("the hook, a prompt that memory has nothing on", "please write a haiku about frogs", 4),
    _hook("the hook, a prompt that memory answers", _ASKED, 12),
)
_LIBRARIES = (sys.executable, "-c", "import numpy, onnxruntime")
FLOOR = Case("import numpy, onnxruntime: a floor", _LIBRARIES, float("inf"))
"""What no search with the encoder can be below while it is run by these."""


def run(work: Path) -> Iterator[Ratio]:
    package = Path(recollect.__file__).parent
    compileall.compile_dir(package, quiet=2)  # as pip does for an ordinary install
    home = _home(work, package)
    for case in (*COLD, FLOOR):
        ours, bare = measured(case, {"RECOLLECT_HOME": str(home), "RECOLLECT_WARM": "off"})
        ratio = ours / bare
        yield Ratio(f"cold: {case.name}", ours, bare, "ms", ratio, f"<= {case.most:g}",
                    ratio <= case.most)  # fmt: skip


def _home(work: Path, package: Path) -> Path:
    """A user's folder with the samples in its store, and a fact that has a name."""
    home = work / "warm"
    shutil.rmtree(home, ignore_errors=True)
    with Memory.open(home / "data" / "store") as memory:
        memory.add(package / "samples" / "vault", package / "samples" / "sessions.jsonl")
        memory.remember("We deploy on Fridays", name="deploy day")
    return home


def measured(case: Case, variables: Mapping[str, str], rounds: int = ROUNDS) -> tuple[float, float]:
    """Median milliseconds of processor time of a command, and of a bare start."""
    taken: dict[Sequence[str], list[float]] = {case.argv: [], _BARE: []}
    environment = {**os.environ, **variables}
    for _ in range(rounds):
        for argv, times in taken.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(argv, input=case.stdin, capture_output=True, env=environment)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if done.returncode not in (0, 3):
                sys.exit(f"{' '.join(argv)} failed:\n{done.stderr.decode()}")
            spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            times.append(spent * 1000)
    ours, bare = map(statistics.median, taken.values())
    return ours, bare
