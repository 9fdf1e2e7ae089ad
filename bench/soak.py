"""A long run over data that grow: whether memory, latency, files and threads stay as they were.

``python -m bench.soak [--minutes 60] [--store postgres]``: one process adds notes, remembers and
changes facts, forgets, searches, gathers and reads sessions, over and over, as a server would that
is never restarted. What is compared is the last quarter of the run with its second; the first is
for warming up. The store grows all the while, so that memory and latency may grow with it: that is
what they are held to.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bench import servers, works
from bench.crash import on_a_server
from bench.works import HashedWords
from recollect import Memory, config
from recollect.nouns import Document, Message
from recollect.storage import open_cache, open_ledger, open_store

_STATUS = Path("/proc/self/status")


class Seen(NamedTuple):
    at: float
    documents: int
    megabytes: float
    files: int
    threads: int
    search: float
    write: float


def _megabytes() -> float:
    lines = _STATUS.read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1024


def _words(chance: random.Random) -> list[str]:
    return ["".join(chance.choices("aeioumnrstlkdp", k=chance.randint(3, 9))) for _ in range(6000)]


def soak(place: str, seconds: float, seed: int) -> list[Seen]:
    chance = random.Random(seed)
    words = _words(chance)
    memory = Memory(open_store(place), config.load(), HashedWords(), cache=open_cache(place, 500),
                    ledger=open_ledger(place))  # fmt: skip
    seen: list[Seen] = []
    since, number = time.monotonic(), 0
    with memory:
        memory.models.embed_in_background()
        while (now := time.monotonic() - since) < seconds:
            search, write = [], []
            for _ in range(10):
                write.append(_timed(partial(_write, memory, number, words, chance)))
                number += 1
                asked = " ".join(chance.sample(words, 3))
                search.append(_timed(partial(memory.search, asked)))
            memory.gather(" ".join(chance.sample(words, 2)), token_budget=800)
            memory.sessions(chance.choice(words))
            stats = memory.status().store
            seen.append(Seen(now, stats.documents, _megabytes(), len(os.listdir("/proc/self/fd")),
                             threading.active_count(), statistics.median(search),
                             statistics.median(write)))  # fmt: skip
    return seen


def _timed(work: Callable[[], object]) -> float:
    """In milliseconds."""
    since = time.perf_counter()
    work()
    return (time.perf_counter() - since) * 1000


def _write(memory: Memory, number: int, words: list[str], chance: random.Random) -> None:
    text = " ".join(chance.choices(words, k=120))
    kind = number % 10
    if kind < 6:
        memory.put([Document(f"n{number}", "soak", text=text, title=words[number % 6000])])
    elif kind == 6:
        turns = tuple(
            Message(role, text[:200], f"{number}-{role}") for role in ("user", "assistant")
        )
        memory.put([Document(f"s{number}", "soak", kind="session", messages=turns)])
    elif kind == 7:
        memory.remember(f"The {words[number % 500]} is {text[:40]}", name=words[number % 500],
                        replace=True, embed=False)  # fmt: skip
    elif kind == 8:  # one that is there is changed
        memory.put([Document(f"n{number - 8}", "soak", text=text)])
    elif number > 20:
        memory.forget(f"n{number - 9}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--store", default="", help="an empty one, such as postgresql://…; "
                        "postgres: on a server that is started for it")  # fmt: skip
    given = parser.parse_args()
    if not _STATUS.exists():
        sys.exit("this bench reads its memory from /proc")
    with tempfile.TemporaryDirectory(prefix="recollect-soak-") as folder:
        os.environ["RECOLLECT_HOME"] = f"{folder}/home"
        os.chdir(folder)
        started = on_a_server() if given.store == "postgres" else nullcontext()
        try:
            with started:
                place = works.server or given.store or f"{folder}/store"
                seen = soak(place, given.minutes * 60, given.seed)
        except servers.NoServer as error:
            sys.exit(f"no PostgreSQL: {error}")
    second = seen[len(seen) // 4 : len(seen) // 2]
    last = seen[3 * len(seen) // 4 :]

    def both(field: str) -> tuple[float, float]:
        early, late = ([float(getattr(s, field)) for s in some] for some in (second, last))
        return statistics.median(early), statistics.median(late)

    grown = both("documents")[1] / both("documents")[0]
    print(f"{seen[-1].documents} documents after {given.minutes:g} minutes; the last quarter has "
          f"{grown:.2f} times as many as the second")  # fmt: skip
    bars = {"megabytes": ("MB", 1.25 * grown), "files": ("", 1.5), "threads": ("", 1.0),
            "search": ("ms", 1.25 * grown), "write": ("ms", 1.25 * grown)}  # fmt: skip
    missed = 0
    for field, (unit, bar) in bars.items():
        early, late = both(field)
        ratio = late / max(early, 1e-9)
        missed += ratio > bar
        mark = "ok  " if ratio <= bar else "MISS"
        print(f"{mark} {field:10} {early:8.1f} then {late:8.1f} {unit:3} ratio {ratio:.2f} "
              f"(<= {bar:.2f})")  # fmt: skip
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
