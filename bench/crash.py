"""Processes that are killed in the middle of their work, and what is left of it.

``python -m bench.crash [--times 1000] [--seed 7] [--of import,commit@postgres,…]``: over and over a
process works on a store and says of each write that it is done; it is killed (SIGKILL), at a moment
chosen by the clock, or just before one of the calls that change files, chosen by its number.
Another process then looks: all that was said to be done is there, once; a full check finds no
fault; and the store takes the next write.

Every kill follows from the seed and its number, but for the clock. What is found is printed with
both.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from bench import servers, works
from bench.command_works import WORKS
from bench.works import ON_SERVER, Work, old_store

A_STORE = 20
"""Kills that one store goes through."""
AMID = 20
"""Writes that are said of which one is the last that is waited for: half of what a work says."""
A_WRITE = 0.05
"""Seconds that the next write takes, more or less."""
STEPS = ("execute", "executemany", "commit", "backup", "fsync", "replace", "rename", "unlink",
         "rmdir", "mkdir", "open", "write", "add_document", "wait_merging_threads",
         "rollback")  # fmt: skip
"""Calls into C before which a process may be killed: whatever changes a file is among them."""


# ------------------------------------------------------------------ processes


def forked(work: Callable[[int], object]) -> tuple[int, int]:
    """A process that does it, and what it writes to. It begins as this one is: with everything
    imported, and no store, thread or file open."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _work_and_end(work, writing)
    os.close(writing)
    return child, reading


def _work_and_end(work: Callable[[int], object], writing: int) -> NoReturn:
    code = 1
    try:
        work(writing)
        code = 0
    except BaseException as error:  # noqa: BLE001  # whatever it is, it is told
        import traceback

        os.write(writing, f"!{type(error).__name__}: {error}\n".replace("\n", " ").encode() + b"\n")
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def lines_of(reading: int, begun: bytes = b"") -> list[str]:
    """Everything that was written whole, after what was read of it before."""
    with open(reading, "rb") as pipe:
        return [line.decode() for line in (begun + pipe.read()).split(b"\n")[:-1]]


def _first_lines(reading: int, many: int) -> bytes:
    """Waits until so many lines are written, or there are no more."""
    read = b""
    while read.count(b"\n") < many and (more := os.read(reading, 1)):
        read += more
    return read


def in_a_process(work: Callable[[], object]) -> list[str]:
    """What a process of its own says of it: a list of sentences, or how it failed."""

    def told(writing: int) -> None:
        said = work()
        for line in said if isinstance(said, list) else ():
            os.write(writing, f"{line}\n".replace("\n", " ").encode() + b"\n")

    child, reading = forked(told)
    said = lines_of(reading)
    _, status = os.waitpid(child, 0)
    return said + ([f"it ended with {status}"] if status and not said else [])


def _kill_at(step: int) -> None:
    """Kill this process just before a call that changes files, after so many others."""
    left = step

    def count(_: Any, event: str, called: Any) -> None:
        nonlocal left
        if event == "c_call" and called.__name__ in STEPS:
            left -= 1
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)


def _write(writing: int, line: str) -> None:
    os.write(writing, f"{line}\n".encode())


class Killed(NamedTuple):
    said: list[str]
    how: str
    failed: list[str]


def _one(work: Work, store: Path, number: int, chance: random.Random) -> Killed:
    """One process, from its start to its end."""
    step = chance.randint(1, work.steps) if work.steps and chance.random() < 0.5 else 0
    pause = chance.uniform(0.0, work.seconds)

    def do(writing: int) -> None:
        if step:
            _kill_at(step)
        work.do(store, number * 100, partial(_write, writing))

    child, reading = forked(do)
    begun = b""
    if not step:
        if not work.steps and number % 2:  # amid its writes, however fast or slow the machine is
            begun = _first_lines(reading, chance.randint(1, AMID))
            pause = chance.uniform(0.0, A_WRITE)
        time.sleep(pause)
        os.kill(child, signal.SIGKILL)
    said = lines_of(reading, begun)
    _, status = os.waitpid(child, 0)
    how = "killed" if os.WIFSIGNALED(status) else "ended"
    failed = [line for line in said if line.startswith("!")]
    return Killed([line for line in said if not line.startswith("!")], how, failed)


# ------------------------------------------------------------------ the whole of it


class Tally(NamedTuple):
    kills: int = 0
    ended: int = 0
    writes: int = 0
    wrong: int = 0


def crash(name: str, kills: int, seed: int, folder: Path, tell: Callable[[str], None]) -> Tally:
    """Kill so many processes at this work; what is wrong is told."""
    work, tally, number = {**WORKS, **ON_SERVER}[name], Tally(), 0
    said, unready = list[str](), list[str]()
    store = folder / "0" / "store"
    while tally.kills < kills:
        if number % A_STORE == 0:
            shutil.rmtree(store.parent, ignore_errors=True)
            said, store = [], folder / str(number) / "store"
            store.parent.mkdir(parents=True)
            unready = in_a_process(partial(work.prepare, store))
        if name == "migrate":
            unready = in_a_process(partial(old_store, store))
        one = _one(work, store, number, random.Random(f"{seed} {name} {number}"))
        said += one.said
        wrong = unready + one.failed
        if said or (store / "record.db").exists():
            wrong = wrong + in_a_process(partial(work.look, store, said))
        for line in wrong:
            tell(f"{name}, seed {seed}, number {number}: {line}")
        number += 1
        tally = Tally(
            tally.kills + (one.how == "killed"), tally.ended + (one.how == "ended"),
            tally.writes + len(one.said), tally.wrong + len(wrong),
        )  # fmt: skip
        if tally.ended > 2 * kills + 20:
            tell(f"{name}: most processes end before they are killed")
            tally = tally._replace(wrong=tally.wrong + 1)
            break
    shutil.rmtree(store.parent, ignore_errors=True)
    return tally


@contextmanager
def on_a_server() -> Iterator[None]:
    """Has the stores on a PostgreSQL of their own, with its settings as they come."""
    import psycopg  # noqa: F401  so that no process has to
    import psycopg_pool  # noqa: F401

    started = servers.start({})
    works.server = started.url
    try:
        yield
    finally:
        works.server = ""
        started.stop()


def main() -> int:
    from bench import torn

    parser = argparse.ArgumentParser(prog="python -m bench.crash", description=__doc__)
    every = [*WORKS, *torn.WAYS, *ON_SERVER]
    parser.add_argument("--times", type=int, default=1000, help="kills and cuts, in all")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--of", default=",".join(every), help=f"some of {', '.join(every)}")
    given = parser.parse_args()
    names = given.of.split(",")
    if unknown := [name for name in names if name not in every]:
        parser.error(f"there is no {', '.join(unknown)}: {', '.join(every)}")
    os.environ["RECOLLECT_TELEMETRY"] = "false"
    failed = 0
    with tempfile.TemporaryDirectory(prefix="recollect-crash-") as folder:
        os.environ["RECOLLECT_HOME"] = f"{folder}/home"
        os.chdir(folder)
        for i, name in enumerate(names):
            times = given.times // len(names) + (i < given.times % len(names))
            since = time.monotonic()
            if name in ON_SERVER:
                try:
                    with on_a_server():
                        done = crash(name, times, given.seed, Path(folder) / name, _say)
                except servers.NoServer as error:
                    print(f"skip {name:15} no PostgreSQL: {error}", flush=True)
                    continue
            elif name in WORKS:
                done = crash(name, times, given.seed, Path(folder) / name, _say)
            else:
                done = Tally(*torn.run(name, times, given.seed, Path(folder) / name, _say))
            failed += done.wrong
            mark = "MISS" if done.wrong else "ok  "
            print(f"{mark} {name:15} {done.kills:5} killed or cut, {done.ended:4} ended, "
                  f"{done.writes:6} writes acknowledged, {done.wrong} faults, "
                  f"{time.monotonic() - since:.0f} s", flush=True)  # fmt: skip
    return 1 if failed else 0


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
