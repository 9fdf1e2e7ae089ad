"""MCP over stdio: how soon it is ready, what a call costs above the library's, how soon it ends.

``python -m bench mcp``. A client waits for a server to answer ``tools/list``: from spawn to that
answer against a bare start of Python, in turn. A call of a tool against the same call of the
library on the same store (the sample notes and sessions, by words and meaning), in turn. The end of
the input while a search runs, to the end of the process.
"""

from __future__ import annotations

import compileall
import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import recollect
from bench.timing import Ratio
from recollect import Memory

ROUNDS = 31
QUESTIONS = (
    "how do we deploy harbor-api?", "when are the signing keys rotated?",
    "what happened when the disk was full?", "who is on call at the weekend?",
    "why did sessions move to Postgres?", "which amounts are integers?",
    "what did Dana complain about?", "where do we spend the summer?",
)  # fmt: skip


def run(work: Path) -> Iterator[Ratio]:
    package = Path(recollect.__file__).parent
    compileall.compile_dir(package, quiet=2)  # as pip does for an ordinary install
    yield _ready(work)
    store = work / "mcp"
    shutil.rmtree(store, ignore_errors=True)
    with Memory.open(store) as memory:
        memory.add(package / "samples" / "vault", package / "samples" / "sessions.jsonl")
        yield from _overhead(memory, store)
    yield _end(store)


class Client:
    """The least that a client does."""

    def __init__(self, store: Path) -> None:
        beside = Path(sys.executable).parent / "recollect"
        command = [str(beside)] if beside.exists() else [sys.executable, "-m", "recollect"]
        self.process = subprocess.Popen(
            [*command, "mcp", "--store", str(store)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def send(self, method: str, params: Any = None) -> None:
        assert self.process.stdin is not None
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: Any = None) -> Any:
        assert self.process.stdout is not None
        self.send(method, params)
        return json.loads(self.process.stdout.readline())["result"]

    def call(self, name: str, **arguments: Any) -> Any:
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def leave(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def _ready(work: Path) -> Ratio:
    ours, theirs = [], []
    for _ in range(ROUNDS):
        since = perf_counter()
        client = Client(work / "none")
        client.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}})
        client.ask("tools/list")
        ours.append((perf_counter() - since) * 1000)
        client.leave()
        since = perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        theirs.append((perf_counter() - since) * 1000)
    mine, bare = statistics.median(ours), statistics.median(theirs)
    return Ratio("spawn to tools/list answered, against a bare start", mine, bare, "ms",
                 mine / bare, "<= 3", mine / bare <= 3)  # fmt: skip


def _overhead(memory: Memory, store: Path) -> Iterator[Ratio]:
    client = Client(store)
    asked = [f"{question} {n}" for n in range(5) for question in QUESTIONS]
    for warm in QUESTIONS:
        client.call("search", query=warm)
        memory.search(warm)
    document = memory.list(limit=1).items[0].id
    for name, ours, theirs in (
        ("search", lambda q: client.call("search", query=q), memory.search),
        ("get", lambda _: client.call("get", id=document), lambda _: memory.get(document)),
    ):
        library, more = _paired(ours, theirs, asked)
        allowed = max(5.0, 0.1 * library)
        yield Ratio(f"what {name} over stdio takes above the library's, p50", more, library, "ms",
                    more / allowed, "<= 1 of 5 ms or 10 %", more <= allowed)  # fmt: skip
    client.leave()


def _paired(
    ours: Callable[[str], object], theirs: Callable[[str], object], asked: Sequence[str]
) -> tuple[float, float]:
    """Median milliseconds of theirs, and of how much longer ours take for the same question, one
    right after the other and each first in turn: a busy machine is busy for both."""
    bases, more = [], []
    for n, question in enumerate(asked):
        taken = {}
        for work in (ours, theirs) if n % 2 else (theirs, ours):
            since = perf_counter()
            work(question)
            taken[work] = (perf_counter() - since) * 1000
        bases.append(taken[theirs])
        more.append(taken[ours] - taken[theirs])
    return statistics.median(bases), statistics.median(more)


def _end(store: Path) -> Ratio:
    taken = []
    for _ in range(5):
        client = Client(store)
        client.ask("tools/list")
        for question in QUESTIONS:
            client.send("tools/call", {"name": "search", "arguments": {"query": question}})
        since = perf_counter()
        client.leave()
        taken.append((perf_counter() - since) * 1000)
    most = max(taken)
    return Ratio("end of the input to end of the process, searches running", most, 1000, "ms",
                 most / 1000, "<= 1", most <= 1000)  # fmt: skip
