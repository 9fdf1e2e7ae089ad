"""One engine on one set, in its own process and environment: ``python -m bench.peers.worker JOB``.

JOB is a JSON file: adapter, package, documents, questions, ranked (the questions whose ranking is
wanted too), folder, vectors, out. What comes out is another: what ingesting took, and what came
back for each question. Every different text is written once, under ``returned``; a question's row
has the places of its texts there: ``texts``, one for each document, and ``read``, what a reader
gets. Nothing is judged here: :mod:`bench.peers.measuring` does that for all engines alike.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from bench.peers.peer import Document, Found, Message, Peer, Question
from bench.peers.vectors import Vectors

WIDE = 50
"""Results that are asked for where rankings are compared, so that an engine whose results are
small pieces has as many documents among them as one whose results are whole."""
WARM = Question("", "What is the first question that nobody counts?", "")


def main(job: Path) -> None:
    given = json.loads(job.read_text("utf-8"))
    sys.addaudithook(_offline)
    os.environ.pop("PYTHONPATH", None)  # an engine that takes it back would take ours
    documents = [
        Document(**{**d, "messages": tuple(Message(*m) for m in d["messages"])})
        for d in _lines(given["documents"])
    ]
    questions = [Question(**q) for q in _lines(given["questions"])]
    folder, vectors = Path(given["folder"]), Vectors(Path(given["vectors"]))
    adapter = importlib.import_module(f"bench.peers.adapters.{given['adapter']}")
    peer: Peer = adapter.Adapter(folder, vectors)
    since = perf_counter()
    peer.ingest(documents)
    seconds = perf_counter() - since - vectors.inside
    costs = {"texts": vectors.texts, "embedding_s": vectors.cost, "ingest_s": seconds}
    peer.query(WARM, None)
    came_back = ask(peer, questions, given["ranked"])
    peak = _peak()
    peer.close()
    vectors.close()
    out = {
        "version": _version(given["package"]),
        "day": datetime.now(UTC).date().isoformat(), **costs, "peak_mb": peak,
        "disk_mb": _disk(folder) / 1e6, **came_back,
    }  # fmt: skip
    Path(given["out"]).write_text(json.dumps(out), "utf-8")


def ask(peer: Peer, questions: Sequence[Question], ranked: Collection[str]) -> dict[str, Any]:
    """Returns a row for each question, and the texts that the rows name by their places. The wide
    rankings are asked for when every default call has been timed."""
    places: dict[str, int] = {}
    rows = [_asked(peer, question, places) for question in questions]
    for row, question in zip(rows, questions, strict=True):
        if question.id in ranked:
            row["wide"] = list(dict.fromkeys(peer.query(question, WIDE).documents))
    return {"rows": rows, "returned": list(places)}


def _asked(peer: Peer, question: Question, places: dict[str, int]) -> dict[str, Any]:
    """Returns what the engine gives by default, and how long that took."""
    since, worked = perf_counter(), process_time()
    found: Found = peer.query(question, None)
    ms, cpu_ms = (perf_counter() - since) * 1000, (process_time() - worked) * 1000
    return {
        "id": question.id,
        "documents": list(found.documents),
        "texts": [places.setdefault(text, len(places)) for text in found.texts],
        "read": [places.setdefault(text, len(places)) for text in found.read],
        "left_open": found.left_open or not found.documents,
        "ms": ms,
        "cpu_ms": cpu_ms,
    }


def _offline(event: str, arguments: tuple[Any, ...]) -> None:
    """What an engine would fetch or report while it is measured, it does not."""
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        raise ConnectionRefusedError("there is no network while an engine is measured")


def _lines(path: str) -> list[dict[str, Any]]:
    with open(path, encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def _peak() -> float:
    """The most memory the process has had, in MB. (``getrusage`` counts its parent's too.)"""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise OSError("this system does not tell a process's peak memory")


def _disk(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _version(package: str) -> str:
    if package == "sqlite3":
        import sqlite3

        return sqlite3.sqlite_version
    if package == "recollect":
        import recollect

        return recollect.__version__
    return version(package)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
