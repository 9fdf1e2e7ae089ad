"""Eight processes on one store: two import, one curates, five search.

``python -m bench.together [--minutes 10] [--engines embedded postgres]``. While they work, one of
them after the other is stopped (SIGSTOP) for a while or killed and started again; in a folder, then
on a PostgreSQL that is started for it. What must hold, and is printed with its figures:

- no process ever fails, and none is kept waiting by one that is stopped or killed;
- a search that begins after a write was acknowledged, by whichever process, finds it;
- everything that was acknowledged is there at the end, once, and a full check finds no fault;
- memory, open files and the size of what lies beside the record stay within bounds.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bench import servers, works
from bench.crash import forked, in_a_process, on_a_server
from bench.works import HashedWords
from recollect import Memory, config

ROLES = ("import", "import", "curate", "search", "search", "search", "search", "search")
PATIENCE = 30.0
"""No call may take so many seconds, whatever the others do: a lock that outlives its process, or
one that a stopped process holds, would."""
KEPT = 400
"""Documents that each importer goes round in, so that the store stays of a size."""


class Ack(NamedTuple):
    """Something that was written: found under *name* by its *word*."""

    name: str
    word: str


def _memory(store: Path) -> Memory:
    return Memory(works.engine(store), config.load(), HashedWords())


Say = Callable[[str], None]


def _say(writing: int, line: str) -> None:
    os.write(writing, f"{line}\n".encode())


# ------------------------------------------------------------------ what each of them does


def importer(store: Path, number: int, first: int, writing: int) -> None:
    """Files written, added, changed and added again; each is said with the word it now has."""
    folder = store.parent / f"notes{number}"
    folder.mkdir(exist_ok=True)
    with _memory(store) as memory:
        for i in range(first, sys.maxsize):
            name, word = f"p{number}n{i % KEPT}.md", f"word{number}x{i}"
            (folder / name).write_text(f"# {name}\n\nThe note says {word} now.\n")
            since = time.monotonic()
            memory.add(folder / name, embed=i % 20 == 0)
            _say(writing, f"wrote {time.monotonic() - since:.3f} {name} {word}")


def curator(store: Path, number: int, first: int, writing: int) -> None:
    with _memory(store) as memory:
        for i in range(first, sys.maxsize):
            name, word = f"text{i % KEPT}", f"tool{number}x{i}"
            since = time.monotonic()
            memory.curate(f"We decided to use {word} for job {i % KEPT}.", name=name, note=True,
                          embed=False)  # fmt: skip
            _say(writing, f"wrote {time.monotonic() - since:.3f} {name} {word}")
            time.sleep(0.05)


def searcher(store: Path, asking: int, writing: int) -> None:
    """Looks for what it is told of, in every way; says what was found."""
    with _memory(store) as memory, os.fdopen(asking) as questions:
        for line in questions:
            name, word = line.split()
            since = time.monotonic()
            answer = memory.search(word, limit=5, cache=False)
            taken = time.monotonic() - since
            alike = (memory.get(id).external for one in answer.results for id in one.folded)
            there = name in {one.document for one in answer.results} or name in alike
            failed = [s for s in answer.stages if s.state == "failed"]
            _say(writing, f"found {taken:.3f} {name} {word} {int(there)} {len(failed)}")


# ------------------------------------------------------------------ those who watch


class Hand:
    """One of the processes, with what it says as it says it."""

    def __init__(self, role: str, number: int, store: Path) -> None:
        self.role, self.number, self.store = role, number, store
        self.asking = -1
        self.rest = b""
        self.next = number * 1_000_000
        self.begin()

    def begin(self) -> None:
        if self.role == "search":
            theirs, self.asking = os.pipe()
            work: Callable[[int], object] = partial(searcher, self.store, theirs)
        else:
            do = importer if self.role == "import" else curator
            work = partial(do, self.store, self.number, self.next)
        self.pid, self.reading = forked(work)
        if self.role == "search":
            os.close(theirs)
        os.set_blocking(self.reading, False)

    def lines(self) -> list[str]:
        """What it has said since; a line that is not whole yet waits."""
        while True:
            try:
                more = os.read(self.reading, 65536)
            except BlockingIOError:
                break
            if not more:
                break
            self.rest += more
        *whole, self.rest = self.rest.split(b"\n")
        return [line.decode() for line in whole]

    def ended(self) -> bool:
        return os.waitpid(self.pid, os.WNOHANG)[0] != 0

    def kill(self) -> list[str]:
        """Its last words."""
        os.kill(self.pid, signal.SIGCONT)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        said = self.lines()
        os.close(self.reading)
        if self.asking >= 0:
            os.close(self.asking)
        self.rest = b""
        return said

    def megabytes(self) -> float:
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        kilobytes = [int(line.split()[1]) for line in lines if line.startswith("RssAnon")]
        return kilobytes[0] / 1024 if kilobytes else 0.0

    def files(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/fd"))


class Watch:
    """All of them, and what was seen."""

    def __init__(self, store: Path, chance: random.Random) -> None:
        self.chance = chance
        self.store = store
        self.hands = [Hand(role, number, store) for number, role in enumerate(ROLES)]
        self.acked: dict[str, str] = {}
        self.asked: dict[int, tuple[float, Ack]] = {}
        self.unsaid: set[str] = set()
        self.stopped: Hand | None = None
        self.writes = self.searches = self.stops = self.kills = 0
        self.writing: list[tuple[float, float]] = []
        self.searching: list[tuple[float, float]] = []
        self.memory: list[tuple[float, float]] = []
        self.open: list[int] = []
        self.wrong: list[str] = []
        self.since = time.monotonic()

    def hear(self, hand: Hand, lines: list[str]) -> None:
        now = time.monotonic() - self.since
        for line in lines:
            kind, *rest = line.split()
            if kind == "wrote":
                taken, name, word = rest
                self.acked[name] = word
                self.unsaid.discard(name)
                self.writes += 1
                hand.next += 1
                self.writing.append((now, float(taken)))
            elif kind == "found":
                taken, name, word, there, failed = rest
                self.searches += 1
                self.searching.append((now, float(taken)))
                self.asked.pop(hand.number, None)
                # By now it may say something else: only what still holds must have been found.
                if there == "0" and self.acked.get(name) == word and name not in self.unsaid:
                    self._recheck(name, word)
                if failed != "0":
                    self.wrong.append(f"a stage failed in the search for {word}")
            else:
                self.wrong.append(f"{hand.role} {hand.number}: {line}")

    def _recheck(self, name: str, word: str) -> None:
        """Not found: stale, unless the note was changed once more while it was looked for, and
        that is not said yet."""
        text = " ".join(in_a_process(partial(_text_of, self.store, name)))
        if word in text:
            self.wrong.append(f"{name} said {word}, and was not found")

    def ask(self) -> None:
        for hand in self.hands:
            if hand.role == "search" and hand.number not in self.asked and self.acked:
                if hand is self.stopped:
                    continue
                name = self.chance.choice(list(self.acked)[-40:])
                ack = Ack(name, self.acked[name])
                os.write(hand.asking, f"{ack.name} {ack.word}\n".encode())
                self.asked[hand.number] = (time.monotonic(), ack)

    def look_after(self) -> None:
        """Whoever is kept waiting or has ended by itself is a fault."""
        for hand in self.hands:
            if hand is self.stopped:
                continue
            if hand.ended():
                self.wrong.append(f"{hand.role} {hand.number} ended by itself")
                hand.begin()
                self.asked.pop(hand.number, None)
            since, ack = self.asked.get(hand.number, (time.monotonic(), Ack("", "")))
            if time.monotonic() - since > PATIENCE:
                self.wrong.append(f"search {hand.number} waits for {ack.word} since {PATIENCE} s")
                self.asked[hand.number] = (time.monotonic(), ack)

    def trouble(self) -> None:
        """Stop one, or let it go on; or kill one and start it again."""
        if self.stopped is not None:
            os.kill(self.stopped.pid, signal.SIGCONT)
            self.asked.pop(self.stopped.number, None)
            self.stopped = None
            return
        hand = self.chance.choice(self.hands)
        if self.chance.random() < 0.6:
            os.kill(hand.pid, signal.SIGSTOP)
            self.stopped, self.stops = hand, self.stops + 1
            return
        said = hand.kill()
        if hand.role == "import":
            self.unsaid.add(f"p{hand.number}n{(hand.next + len(said)) % KEPT}.md")
        elif hand.role == "curate":
            self.unsaid.add(f"text{(hand.next + len(said)) % KEPT}")
        self.hear(hand, said)
        self.asked.pop(hand.number, None)
        self.kills += 1
        hand.begin()

    def sample(self) -> None:
        now = time.monotonic() - self.since
        for hand in self.hands:
            self.memory.append((now, hand.megabytes()))
            self.open.append(hand.files())


def _text_of(store: Path, name: str) -> list[str]:
    opened = works.engine(store)
    try:
        return [document.text for document in opened.get(name)]
    finally:
        opened.close()


def _at_the_end(store: Path, acked: dict[str, str], unsaid: set[str]) -> list[str]:
    wrong = [f"{part}: {what}" for part, what in works.faults(store)]
    opened = works.engine(store)
    for name, word in acked.items():
        kept = opened.get(name)
        if len(kept) != 1:
            wrong.append(f"{name} was acknowledged and is there {len(kept)} times")
        elif word not in kept[0].text and name not in unsaid:
            wrong.append(f"{name} was acknowledged with {word} and says {kept[0].text!r}")
    opened.close()
    return wrong


def _size(store: Path) -> list[str]:
    """Bytes of the indexes for each byte of the record, and of the log."""
    record = (store / "record.db").stat().st_size
    log = store / "record.db-wal"
    beside = sum(p.stat().st_size for p in store.rglob("*") if p.is_file() and p.parent != store)
    files = sum(1 for p in store.rglob("*") if p.is_file())
    return [f"{record} {log.stat().st_size if log.exists() else 0} {beside} {files}"]


# ------------------------------------------------------------------ the whole of it


def together(store: Path, seconds: float, seed: int, trouble_every: float) -> Watch:
    watch = Watch(store, random.Random(seed))
    next_trouble = next_sample = trouble_every
    try:
        while (now := time.monotonic() - watch.since) < seconds:
            for hand in watch.hands:
                watch.hear(hand, hand.lines())
            watch.ask()
            watch.look_after()
            if now > next_sample:
                watch.sample()
                next_sample = now + 1
            if now > next_trouble:
                watch.trouble()
                next_trouble = now + trouble_every * watch.chance.uniform(0.5, 1.5)
            time.sleep(0.005)
    finally:
        for hand in watch.hands:
            waiting = hand.next
            said = hand.kill()
            watch.hear(hand, said)
            if hand.role == "import":
                watch.unsaid.add(f"p{hand.number}n{(waiting + len(said)) % KEPT}.md")
            elif hand.role == "curate":
                watch.unsaid.add(f"text{(waiting + len(said)) % KEPT}")
    return watch


def _quarters(seen: list[tuple[float, float]], seconds: float) -> tuple[float, float]:
    """The median of the second quarter and of the last: the first is for warming up."""
    parts = []
    for low, high in ((0.25, 0.5), (0.75, 1.0)):
        some = sorted(v for t, v in seen if low * seconds <= t <= high * seconds)
        parts.append(some[len(some) // 2] if some else 0.0)
    return parts[0], parts[1]


ENGINES: Mapping[str, Callable[[], AbstractContextManager[None]]] = {
    "embedded": nullcontext,
    "postgres": on_a_server,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.together", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="for each engine")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    given = parser.parse_args()
    os.environ["RECOLLECT_TELEMETRY"] = "false"
    faults, calls = 0, {}
    with tempfile.TemporaryDirectory(prefix="recollect-together-") as folder:
        os.environ["RECOLLECT_HOME"] = f"{folder}/home"
        os.chdir(folder)
        for name in given.engines:
            store = Path(folder) / name / "store"
            store.parent.mkdir()
            try:
                with ENGINES[name]():
                    watch, wrong = _one(name, store, given.minutes * 60, given.seed)
            except servers.NoServer as error:
                print(f"skip {name}: no PostgreSQL: {error}", flush=True)
                continue
            faults += wrong
            calls[name] = watch.writes, watch.searches
    if len(calls) == len(ENGINES):
        shares = [b / max(1, a) for a, b in zip(*calls.values(), strict=True)]
        print("{} against {}: {:.2f} times the writes, {:.2f} times the searches".format(
            *list(calls)[::-1], *shares))  # fmt: skip
    print(f"{'MISS' if faults or not calls else 'ok  '} {faults} faults")
    return 1 if faults or not calls else 0


def _one(name: str, store: Path, seconds: float, seed: int) -> tuple[Watch, int]:
    """Runs it on one engine, and prints what was seen; returns how many faults there were."""
    in_a_process(partial(works.make, store))
    watch = together(store, seconds, seed, min(5.0, seconds / 8))
    wrong = watch.wrong + in_a_process(partial(_at_the_end, store, watch.acked, watch.unsaid))
    early, late = _quarters(watch.memory, seconds)
    print(f"{name}: {watch.writes} writes and {watch.searches} searches by 8 processes in "
          f"{seconds:.0f} s; {watch.stops} stops, {watch.kills} kills")  # fmt: skip
    for what, taken in (("a write", watch.writing), ("a search", watch.searching)):
        times = sorted(one for _, one in taken) or [0.0]
        first, last = _quarters(taken, seconds)
        print(f"{what}: median {times[len(times) // 2] * 1000:.0f} ms, longest {times[-1]:.2f} s, "
              f"last quarter to second {last / (first or 1):.2f}")  # fmt: skip
    print(f"memory of a process: median {early:.0f} MB, in the last quarter {late:.0f} MB, "
          f"at most {max((v for _, v in watch.memory), default=0):.0f} MB; "
          f"open files at most {max(watch.open, default=0)}")  # fmt: skip
    bounds = {
        f"a call took over {PATIENCE} s": max(
            (v for _, v in watch.writing + watch.searching), default=0
        ) > PATIENCE,
        "memory grows": late > 1.5 * early + 20,
        "files stay open": max(watch.open, default=0) > 256,
    }  # fmt: skip
    if name == "embedded":
        (line,) = in_a_process(partial(_size, store))
        record, log, beside, files = map(int, line.split())
        print(f"record {record / 1e6:.1f} MB, its log {log / 1e6:.1f} MB, "
              f"indexes {beside / 1e6:.1f} MB, {files} files")  # fmt: skip
        bounds["the log grows without bound"] = log > 64_000_000
        bounds["files are left behind"] = files > 400
    wrong += [what for what, broken in bounds.items() if broken]
    for one in wrong[:40]:
        print(f"MISS {one}")
    return watch, len(wrong)


if __name__ == "__main__":
    sys.exit(main())
