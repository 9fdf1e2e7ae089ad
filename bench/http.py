"""HTTP: how many searches a server does in a second for eight clients, against the library.

``python -m bench http``. The same questions, each asked once, over the sample notes and sessions
with the model that ships: by eight clients of a ``recollect serve`` process, each with a connection
of its own, and by eight threads in this process. Both in turn, several times; the medians are
compared.
"""

from __future__ import annotations

import http.client
import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Thread
from time import perf_counter

import recollect
from bench.mcp import QUESTIONS
from bench.timing import Ratio
from recollect import Memory

CLIENTS = 8
EACH = 4
"""Questions that one client asks in a round."""
ROUNDS = 5


def run(work: Path) -> Iterator[Ratio]:
    store = work / "http"
    shutil.rmtree(store, ignore_errors=True)
    samples = Path(recollect.__file__).parent / "samples"
    token = work / "http.token"
    work.mkdir(parents=True, exist_ok=True)
    token.write_text("a-token-for-the-bench-alone")
    token.chmod(0o600)
    with Memory.open(store) as memory:
        memory.add(samples / "vault", samples / "sessions.jsonl")
        process = subprocess.Popen(
            [sys.executable, "-m", "recollect", "serve", "--port", "0", "--json", "--store",
             str(store), "--token-file", str(token), "--rate", "0"],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            yield _throughput(memory, _port(process), token.read_text())
        finally:
            process.terminate()
            process.wait()


def _port(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    said = ""
    while not said.rstrip().endswith("}"):
        said += process.stdout.readline()
    return int(json.loads(said)["url"].rstrip("/").rpartition(":")[2])


def _throughput(memory: Memory, port: int, token: str) -> Ratio:
    def over_http(questions: Sequence[str]) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        for question in questions:
            connection.request("POST", "/api/search", json.dumps({"query": question}), headers)
            answer = connection.getresponse()
            content = answer.read()
            assert answer.status == 200, content
        connection.close()

    def in_the_library(questions: Sequence[str]) -> None:
        for question in questions:
            memory.search(question).as_json()

    for one in (over_http, in_the_library):
        _rate(one, "warm")
    rates: tuple[list[float], list[float]] = ([], [])
    for n in range(ROUNDS):
        turns = list(zip((over_http, in_the_library), rates, ("h", "l"), strict=True))
        for one, known, name in turns if n % 2 else reversed(turns):
            known.append(_rate(one, f"{name}{n}"))
    ours, theirs = map(statistics.median, rates)
    return Ratio(f"searches a second, {CLIENTS} clients over HTTP against {CLIENTS} threads", ours,
                 theirs, "1/s", ours / theirs, ">= 0.8", ours / theirs >= 0.8)  # fmt: skip


def _rate(client: Callable[[Sequence[str]], None], name: str) -> float:
    """Searches a second, when all clients ask at once. No question was asked before: what is
    served again would say little of a search."""
    asked = [
        [f"{QUESTIONS[q % len(QUESTIONS)]} {name}{c}{q}" for q in range(EACH)]
        for c in range(CLIENTS)
    ]
    threads = [Thread(target=client, args=(some,)) for some in asked]
    since = perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return CLIENTS * EACH / (perf_counter() - since)
