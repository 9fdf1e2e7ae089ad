"""A huge export: memory stays bounded, however long the file is.

``python -m bench huge`` imports a generated ChatGPT export of 300 MB; ``RECOLLECT_BENCH_MB`` asks
for another size. It takes minutes, so that it runs only when it is named.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

from bench import asked
from bench.timing import Ratio

MEGABYTES = 300
MOST = 200
"""Megabytes that the import may take above what a small one has taken."""
_STATUS = Path("/proc/self/status")


def run(work: Path) -> Iterator[Ratio]:
    if not _STATUS.exists():
        sys.exit("this bench reads its memory from /proc")
    megabytes = int(os.environ.get("RECOLLECT_BENCH_MB", MEGABYTES))
    work = work / "huge"
    shutil.rmtree(work, ignore_errors=True)
    for name, size in (("small", 1), ("large", megabytes)):
        (work / name).mkdir(parents=True)
        _write(work / name / "conversations.json", size * 1_000_000)
    done = subprocess.run(
        [sys.executable, "-m", "bench.huge", str(work)], check=True, capture_output=True
    )
    grown = float(done.stdout)
    shutil.rmtree(work)
    yield Ratio(f"memory that an export of {megabytes} MB takes above one of 1 MB", grown, MOST,
                "MB", grown / MOST, "<= 1", grown <= MOST)  # fmt: skip


def _write(path: Path, size: int) -> None:
    """Conversations until the file is so large."""
    chance = random.Random(7)
    words = ["".join(chance.choices("aeioumnrstlkdp", k=chance.randint(2, 9))) for _ in range(9000)]
    weights = [1 / (rank + 5) for rank in range(len(words))]
    with open(path, "w", encoding="utf-8") as file:
        number = 0
        while file.tell() < size:
            file.write("," if number else "[")
            text = " ".join(chance.choices(words, weights, k=4000))
            json.dump(_conversation(number, text, chance), file)
            number += 1
        file.write("]")


def _conversation(number: int, text: str, chance: random.Random) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    parent = None
    for turn in range(chance.randint(2, 40)):
        id = f"{number:08x}-0000-4000-8000-{turn:012x}"
        start, length = chance.randrange(len(text) // 2), chance.choice((60, 200, 900, 4000))
        role = "assistant" if turn % 2 else "user"
        message = {"id": id, "author": {"role": role, "name": None, "metadata": {}},
                   "create_time": 1.7e9 + 1000 * number + turn, "update_time": None,
                   "content": {"content_type": "text", "parts": [text[start : start + length]]},
                   "status": "finished_successfully", "end_turn": True, "weight": 1.0,
                   "metadata": {"model_slug": "gpt-4o", "parent_id": parent, "request_id": id},
                   "recipient": "all", "channel": None}  # fmt: skip
        mapping[id] = {"id": id, "message": message, "parent": parent, "children": []}
        if parent:
            mapping[parent]["children"].append(id)
        parent = id
    return {"title": text[:40], "create_time": 1.7e9 + 1000 * number, "update_time": None,
            "mapping": mapping, "current_node": parent, "conversation_id": f"c-{number}",
            "id": f"c-{number}"}  # fmt: skip


# ------------------------------------------------------------------ in a process of its own


def _grown(work: Path) -> float:
    """Megabytes that this process has at most while it imports the large export, above what it
    has after the small one, the building of the text index included. What is mapped from files
    does not count: the system drops it when it needs the memory."""
    from recollect import Memory

    with Memory.open(work / "store", embed_model="none", rerank_model="none") as memory:
        memory.add(work / "small", source="small")
        before = peak = resident()
        stop = Event()

        def watch() -> None:
            nonlocal peak
            while not stop.wait(0.01):
                peak = max(peak, resident())

        watcher = Thread(target=watch)
        watcher.start()
        memory.add(work / "large", source="large")
        stop.set()
        watcher.join()
    return peak - before


def resident() -> float:
    lines = _STATUS.read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1024


if __name__ == "__main__":
    print(_grown(Path(*asked.words("huge", __doc__, "WORK"))))
