"""What a command costs in processor time, as a ratio to a bare start of Python.

``python -m bench warm``. Each command is run in turn with ``python -c pass`` on the same store (the
sample notes and sessions), and what its process took of the processor, user and system together, is
set against what the bare start took: a busy machine is busy for both, and waiting costs nothing.
Then the same with a server that holds the store; eight clients that ask it at once; a hundred hooks
on a machine with twenty processes too many; and commands whose holder is killed meanwhile
(``--kills N`` of them).
"""

from __future__ import annotations

import compileall
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import recollect
from bench.timing import Ratio
from recollect import Memory
from recollect.surfaces.commands import hook_text
from recollect.surfaces.install import clients
from recollect.surfaces.warm import holders

ROUNDS = 11
CLIENTS = 8
KILLS = int(os.environ.get("RECOLLECT_BENCH_KILLS", "50"))
HOOKS, LOAD = 100, 20
WAITS = clients.SECONDS["prompt"]
"""Seconds for which a client waits for a hook."""
_ASKED = "how do we deploy harbor-api?"
_BARE = (sys.executable, "-c", "pass")
_OURS = (sys.executable, "-m", "recollect")
_WAIT = "--wait"
"""Has a hook do its work before it returns, however long that takes, so that it can be measured."""


class Case(NamedTuple):
    name: str
    argv: Sequence[str]
    most: float
    """Bare starts that it may take."""
    stdin: bytes = b""


def _hook(name: str, prompt: str, most: float) -> Case:
    payload = json.dumps({"prompt": prompt, "session_id": "bench"}).encode()
    return Case(name, (*_OURS, "hook", "prompt", "--client", "claude-code", _WAIT), most, payload)


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
    alone = {"RECOLLECT_HOME": str(home), "RECOLLECT_WARM": "off"}
    asked = {"RECOLLECT_HOME": str(home), "RECOLLECT_WARM": "on"}
    for case in (*COLD, FLOOR):
        yield _ratio("cold", case, alone)
    os.environ["RECOLLECT_HOME"] = str(home)
    with _holder():
        for case in (case for case in COLD if case.argv[-1] != "--help"):
            words = [word for word in case.argv if word != _WAIT]
            yield _ratio("warm", case._replace(argv=words, most=3), asked)
        yield _throughput(home)
        yield _hooks()
    yield _kills()


def _ratio(how: str, case: Case, variables: Mapping[str, str]) -> Ratio:
    ours, bare = measured(case, variables)
    ratio = ours / bare
    return Ratio(f"{how}: {case.name}", ours, bare, "ms", ratio, f"<= {case.most:g}",
                 ratio <= case.most)  # fmt: skip


@contextmanager
def _holder() -> Iterator[subprocess.Popen[bytes]]:
    """A server that holds the user's store."""
    held = _server()
    try:
        yield _holding([held])
    finally:
        held.kill()
        held.communicate()


def _location() -> str:
    return os.path.abspath(os.path.join(os.environ["RECOLLECT_HOME"], "data", "store"))


def _throughput(home: Path) -> Ratio:
    """Searches a second of eight processes that ask at once, against the library's in one."""
    questions = [f"{_ASKED} {n}" for n in range(CLIENTS * 5)]
    with Memory.open(home / "data" / "store") as memory:
        memory.search(_ASKED, cache=False)
        since = perf_counter()
        for question in questions:
            memory.search(question, cache=False)
        library = len(questions) / (perf_counter() - since)
    since = perf_counter()
    with ThreadPoolExecutor(CLIENTS) as askers:
        argvs = [(*_OURS, "search", question, "--no-cache") for question in questions]
        list(askers.map(lambda argv: subprocess.run(argv, capture_output=True), argvs))
    served = len(questions) / (perf_counter() - since)
    return Ratio(f"warm: searches a second of {CLIENTS} clients, against the library", served,
                 library, "1/s", served / library, ">= 0.8", served >= 0.8 * library)  # fmt: skip


def _kills() -> Ratio:
    """Answers that are right, of commands whose holder is killed while it answers; the server that
    waits behind it takes over. Every tenth time a fact is written too, and each is there once."""
    argv = (*_OURS, "search", "deploy", "day", "--json", "--no-cache")
    servers = [_server(), _server()]
    right = wrote = 0
    wanted = _results(subprocess.run(argv, capture_output=True).stdout)
    try:
        for number in range(KILLS):
            held = _holding(servers)
            since = perf_counter()
            if number % 10 == 0:
                subprocess.run(argv, capture_output=True)
                took = perf_counter() - since
            asking = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            writing = _remembering(number) if number % 10 == 5 else None
            time.sleep(took * random.random())  # before it asks, while it does, and after
            held.kill()
            held.communicate()
            servers = [*(one for one in servers if one is not held), _server()]
            out, _ = asking.communicate()
            right += asking.returncode == 0 and _results(out) == wanted
            wrote += writing is not None and writing.wait() == 0
    finally:
        for one in servers:
            one.kill()
            one.communicate()
    with Memory.open(_location()) as memory:
        kept = sum(fact.text.startswith("Buoy ") for fact in memory.facts(limit=200).items)
    met = right == KILLS and kept == wrote
    named = f"warm: right answers, the holder killed meanwhile ({wrote} writes, {kept} kept)"
    return Ratio(named, right, KILLS, "", right / KILLS, ">= 1", met)


def _remembering(number: int) -> subprocess.Popen[bytes]:
    argv = (*_OURS, "remember", f"Buoy {number} is painted", "--name", f"buoy {number}", "--quiet")
    return subprocess.Popen(argv, stdout=subprocess.DEVNULL)


def _server() -> subprocess.Popen[bytes]:
    return subprocess.Popen((*_OURS, "mcp"), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)


def _holding(servers: Sequence[subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """The one of these that holds the store, as soon as one does."""
    while True:
        process = holders.holder_of(_location())
        for one in servers:
            if one.pid == process:
                return one
        time.sleep(0.02)


def _hooks() -> Ratio:
    """Hooks that say something within the time that their client gives them, on a machine that has
    twenty processes too many: what they found, or that it comes with the next prompt."""
    case = _hook("", _ASKED, 0)
    argv = [word for word in case.argv if word != _WAIT]
    burners = [subprocess.Popen((sys.executable, "-c", "while True: pass")) for _ in range(LOAD)]
    spoke = late = 0
    try:
        for _ in range(HOOKS):
            with suppress(subprocess.TimeoutExpired):
                done = subprocess.run(argv, input=case.stdin, capture_output=True, timeout=WAITS)
                spoke += bool(done.stdout)
                late += hook_text.LATE.encode() in done.stdout
    finally:
        for one in burners:
            one.kill()
            one.wait()
    named = f"warm: hooks that speak at a load of {LOAD} ({late} say that it comes later)"
    return Ratio(named, spoke, HOOKS, "", spoke / HOOKS, ">= 1", spoke == HOOKS)


def _results(out: bytes) -> list[str]:
    return [one["text"] for one in json.loads(out)["results"]]


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
    taken: dict[tuple[str, ...], list[float]] = {tuple(case.argv): [], _BARE: []}
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
