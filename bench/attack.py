"""Attacks on a store: what breaks, what is lost, what answers wrongly.

    python -m bench.attack [NAME …] [--times 1000] [--seed 7]

``kills``: processes killed at every kind of write, and logs cut as by a power failure
(:mod:`bench.crash`). ``damage``: a file of the store is flipped, zeroed, cut, garbled, emptied or
deleted; then the store is opened, checked, searched, and repaired where its record was hit. It may
lose what was destroyed; it may not raise what is not an error of ours, nor answer from an index
otherwise than before. ``eio``, ``power``: a disk or its power fails (:mod:`bench.faulty`).
``inputs``: mutated inputs to every reader (:mod:`bench.fuzz`). ``forget``: documents are forgotten
beside four processes that search; none may fail. ``postgres``: processes that write to a server are
killed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import select
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from multiprocessing.synchronize import Event
from pathlib import Path

from bench import crash, fuzz, servers, torn
from bench.command_works import WORKS
from bench.faulty import eio, power
from recollect import Memory
from recollect.errors import RecollectError, StoreCorrupt
from recollect.memory import repair_store
from recollect.testing.builders import note
from recollect.testing.readers import READERS

WAYS = ("flip", "zero", "cut", "garble", "half", "empty", "gone")
_WORDS = [f"word{n}" for n in range(60)]
SEARCHERS = 4

Say = Callable[[str], None]


def _opened(place: Path) -> Memory:
    return Memory.open(place, rerank_model="none", cache_enabled=False)


def _filled(place: Path, count: int) -> None:
    with _opened(place) as memory:
        memory.put(
            [note(f"n{n}", f"{_WORDS[n % 60]} otter number{n}. " * 20) for n in range(count)]
        )
        if memory.config["embed.model"] != "none":
            memory.models.embed()
        memory.admin.rebuild()
        memory.search("otter")


def _answers(place: Path) -> list[list[str]]:
    with _opened(place) as memory:
        return [
            [result.document for result in memory.search(f"{word} number{n}").results]
            for n, word in enumerate(_WORDS[:5])
        ]


# ------------------------------------------------------------------ damage


def hurt(path: Path, way: str, chance: random.Random) -> None:
    """Damages a file in place, as a disk does."""
    raw = bytearray(path.read_bytes())
    if way == "gone":
        path.unlink()
    if way == "gone" or not raw:
        return
    at = chance.randrange(len(raw))
    end = min(len(raw), at + chance.choice((1, 512, 4096, len(raw))))
    if way == "flip":
        raw[at] ^= 1 << chance.randrange(8)
    elif way == "zero":
        raw[at:end] = bytes(end - at)
    elif way == "garble":
        raw[at:end] = chance.randbytes(end - at)
    elif way == "half":  # the first sector of a page is kept
        page = at // 4096 * 4096
        raw[page + 512 : page + 4096] = bytes(len(raw[page + 512 : page + 4096]))
    else:
        del raw[0 if way == "empty" else at :]
    path.write_bytes(raw)


def damaged(whole: Path, copy: Path, wanted: list[list[str]], chance: random.Random) -> str:
    """Damages one file of a copy and uses it: how it went, in a word or as a fault."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(whole, copy, ignore=shutil.ignore_patterns("*-shm"))
    files = sorted(p for p in copy.rglob("*") if p.is_file() and p.stat().st_size)
    record = [p for p in files if p.name.startswith("record.db")]
    path = chance.choice(record if chance.random() < 0.4 else files)
    way = chance.choice(WAYS)
    hurt(path, way, chance)
    said = f"{path.relative_to(copy)} {way}"
    try:
        return _used(copy, wanted, of_record=path.name.startswith("record.db"))
    except RecollectError as error:
        return f"refused: {type(error).__name__}"
    except BaseException as error:  # noqa: BLE001  it is what is looked for
        return f"!{said}: {type(error).__name__}: {error}"[:200]


def _each(memory: Memory, folder: Path) -> Iterator[Callable[[], object]]:
    """Uses of a store, none of which may end in an error that is not ours."""
    yield lambda: memory.search("otter number7")
    yield lambda: memory.list(limit=50)
    yield memory.facts
    yield memory.sessions
    yield lambda: memory.get("n5")
    yield lambda: memory.history("n6")
    yield lambda: memory.context("otter")
    yield lambda: memory.admin.export_all(folder / "all.jsonl", force=True)
    yield lambda: memory.remember("The otter is wet", name="otter", embed=False)
    yield lambda: memory.forget("n8")


def _used(copy: Path, wanted: list[list[str]], *, of_record: bool) -> str:
    if of_record:
        tried = copy.with_name("tried")
        shutil.copytree(copy, tried)
        with suppress(RecollectError), _opened(tried) as memory:
            for use in _each(memory, copy.parent):
                with suppress(RecollectError):
                    use()
    with suppress(RecollectError), _opened(copy) as memory:
        told = memory.admin.check(full=True).findings
        if not of_record or not told:
            return _after(copy, wanted, "unharmed" if of_record else "answered")
    with suppress(StoreCorrupt):
        repair_store(copy)
        _answers(copy)
        with _opened(copy) as memory:
            left = memory.admin.check(full=True).findings
        return f"!after repair: {left[0]}"[:200] if left else "repaired"
    return "beyond repair, and said so"


def _after(copy: Path, wanted: list[list[str]], how: str) -> str:
    """The answers must be those of before, at once and after a rebuild of what was torn."""
    if (got := _answers(copy)) != wanted:
        return f"!answers otherwise: {got} and not {wanted}"[:200]
    with _opened(copy) as memory:
        memory.store.admin.refresh()
        memory.search("otter")
        left = memory.admin.check(full=True).findings
    return f"!not mended: {left[0]}"[:200] if left else how


def damage(times: int, seed: int, folder: Path, say: Say) -> int:
    whole, counts = folder / "whole", Counter[str]()
    _filled(whole, 120)
    wanted = _answers(whole)
    for number in range(times):
        chance = random.Random(f"{seed} damage {number}")
        how = damaged(whole, folder / "copies" / "store", wanted, chance)
        shutil.rmtree(folder / "copies", ignore_errors=True)
        if how.startswith("!"):
            say(f"damage, seed {seed}, number {number}: {how[1:]}")
        counts["wrong" if how.startswith("!") else how] += 1
    say(f"     damage: {times} times: {', '.join(f'{n} {how}' for how, n in counts.items())}")
    return counts["wrong"]


# ------------------------------------------------------------------ the others


def kills(times: int, seed: int, folder: Path, say: Say) -> int:
    names = [*WORKS, *torn.WAYS]
    wrong = 0
    for name in names:
        share = max(1, times // len(names))
        run = torn.run if name in torn.WAYS else crash.crash
        done = crash.Tally(*run(name, share, seed, folder / name, say))
        say(f"     {name}: {done.kills} kills or cuts, {done.writes} writes, {done.wrong} faults")
        wrong += done.wrong
    return wrong


def inputs(times: int, seed: int, _: Path, say: Say) -> int:
    """About so many: a reader is given its share of the time that they take at 500 a second."""
    tried = wrong = 0
    for name in READERS:
        chance = random.Random(f"{seed} {name}")
        count, found = fuzz.fuzz(name, times / len(READERS) / 500, chance)
        tried, wrong = tried + count, wrong + len(found)
        for _raw, error in found:
            say(f"{name}: {error}")
    say(f"     inputs: {tried} over {len(READERS)} readers")
    return wrong


def _searching(place: Path, stop: Event) -> None:
    with Memory.open(place, embed_model="none", rerank_model="none") as memory:
        number = 0
        while not stop.is_set():
            number += 1
            memory.search(f"otter number{number % 500}")


def forget(times: int, _: int, folder: Path, say: Say) -> int:
    place, failed = folder / "store", 0
    with Memory.open(place, embed_model="none", rerank_model="none") as memory:
        memory.put([note(f"n{n}", f"otter number{n}") for n in range(times)])
        stop = multiprocessing.Event()
        others = [
            multiprocessing.Process(target=_searching, args=(place, stop)) for _ in range(SEARCHERS)
        ]
        for one in others:
            one.start()
        time.sleep(1)
        for n in range(times):
            try:
                gone = memory.forget(f"n{n}").forgotten == 1 and not memory.store.get(f"n{n}")
            except Exception as error:  # noqa: BLE001  it is what is looked for
                say(f"forget n{n}: {type(error).__name__}: {error}")
                gone = False
            failed += not gone
        stop.set()
        for one in others:
            one.join()
        failed += sum(one.exitcode != 0 for one in others)
    say(f"     forget: {times} beside {SEARCHERS} searching processes, {failed} failed")
    return failed


def _noting(url: str, first: int, writing: int) -> None:
    with Memory.open(url, embed_model="none", rerank_model="none") as memory:
        for n in range(first, first + 10_000):
            memory.put([note(f"n{n}", f"otter number{n}")])
            os.write(writing, f"n{n}\n".encode())
            if n % 5 == 4:
                memory.forget(f"n{n - 2}")
                os.write(writing, f"-n{n - 2}\n".encode())


def _wrong_on_server(url: str, said: list[str]) -> list[str]:
    gone = {line[1:] for line in said if line.startswith("-")}
    with Memory.open(url, embed_model="none", rerank_model="none") as memory:
        wrong = list(map(str, memory.admin.check(full=True).findings))
        for name in {*said} - gone - {f"-{one}" for one in gone}:
            being_forgotten = int(name[1:]) % 5 == 2 and f"n{int(name[1:]) + 2}" == said[-1]
            if not memory.store.get(name) and not being_forgotten:
                wrong.append(f"{name} was acknowledged and is not there")
        wrong += [f"{name} was forgotten and is there" for name in gone if memory.store.get(name)]
    return wrong


def postgres(times: int, seed: int, _: Path, say: Say) -> int:
    """Processes that write to a PostgreSQL server are killed."""
    server, wrong, writes = servers.start({}), list[str](), 0
    chance = random.Random(seed)
    try:
        for number in range(times):
            work = partial(_noting, server.url, number * 10_000)
            child, reading = crash.forked(work)
            select.select([reading], [], [], 60)  # until it has written something
            time.sleep(chance.uniform(0.0, 1.0))
            os.kill(child, signal.SIGKILL)
            said = crash.lines_of(reading)
            os.waitpid(child, 0)
            writes += len(said)
            wrong += [] if said else [f"number {number} has written nothing"]
            wrong += crash.in_a_process(partial(_wrong_on_server, server.url, said))
    finally:
        server.stop()
    for line in wrong:
        say(f"postgres, seed {seed}: {line}")
    say(f"     postgres: {times} kills, {writes} writes, {len(wrong)} faults")
    return len(wrong)


ATTACKS: dict[str, Callable[[int, int, Path, Say], int]] = {
    "kills": kills, "damage": damage, "eio": eio, "power": power, "inputs": inputs,
    "forget": forget, "postgres": postgres,
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.attack", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(ATTACKS))
    parser.add_argument("--times", type=int, default=1000, help="of each")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    if unknown := [name for name in given.names if name not in ATTACKS]:
        parser.error(f"there is no {', '.join(unknown)}: {', '.join(ATTACKS)}")
    os.environ["RECOLLECT_TELEMETRY"] = "false"
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="recollect-attack-") as folder:
        os.environ["RECOLLECT_HOME"] = f"{folder}/home"
        for name in given.names or ATTACKS:
            since = time.monotonic()
            place = Path(folder) / name
            place.mkdir()
            found = ATTACKS[name](given.times, given.seed, place, partial(print, flush=True))
            took = time.monotonic() - since
            print(f"{'MISS' if found else 'ok  '} {name}: {found} faults, {took:.0f} s", flush=True)
            wrong += found
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
