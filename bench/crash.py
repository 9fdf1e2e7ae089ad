"""Processes that are killed in the middle of their work, and what is left of it.

``python -m bench.crash [--times 1000] [--seed 7] [--of import,curate,…]``: again and again a
process works on a store and says of each write that it is done; it is killed (SIGKILL), at a moment
chosen by the clock, or just before one of the calls that change files, chosen by its number.
Another process then looks: all that was said to be done is there, once; a full check finds no
fault; and the store takes the next write.

Every kill follows from the seed and its number, but for the clock. What is found is printed with
both.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from recollect import Memory, config
from recollect.storage.embedded import engine, vector_index
from recollect.storage.embedded.checking import full_check
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.storage.embedded.schema import MIGRATIONS
from recollect.testing.builders import any_of, found, note, put
from recollect.types import ChangeSet, Filter, Forget

Say = Callable[[str], None]
A_STORE = 20
"""Kills that one store goes through."""
STEPS = ("execute", "executemany", "commit", "fsync", "replace", "rename", "unlink", "rmdir",
         "mkdir", "open", "write", "add_document", "wait_merging_threads", "rollback")  # fmt: skip
"""Calls into C before which a process may be killed: whatever changes a file is among them."""


class HashedWords:
    """An embedder that needs no model."""

    key = "hashed@1"
    dimensions = 32

    def reads(self, text: str) -> bool:
        return bool(text)

    speaks = reads

    def embed_query(self, text: str) -> Any:
        return self.embed_passages([text])[0]

    def embed_passages(self, texts: Sequence[str]) -> Any:
        made = np.ones((len(texts), self.dimensions), np.float32)
        for row, text in zip(made, texts, strict=True):
            for word in text.split():
                row[sum(word.encode()) % self.dimensions] += 1
        return made / np.linalg.norm(made, axis=1, keepdims=True)


class Work(NamedTuple):
    """*do* works on a store, beginning with the number that is given, and says what is done.
    *look* tells what is wrong after it was killed, given all that was said."""

    do: Callable[[Path, int, Say], None]
    look: Callable[[Path, list[str]], list[str]]
    prepare: Callable[[Path], None] = lambda _: None
    steps: int = 600
    seconds: float = 0.25
    """Within so many steps, or so long, it is killed."""


def opened(store: Path) -> Memory:
    """With everything small, so that each threshold is crossed every few writes."""
    engine.BATCH, engine.TAIL, vector_index.SEGMENT_ROWS = 20, 4, 8
    return Memory(EmbeddedStore(store), config.load(), HashedWords())


# ------------------------------------------------------------------ the works


def _import(store: Path, first: int, say: Say) -> None:
    """Notes, one file a call; every fifth is changed, and every seventh call is a file of many."""
    folder = store.parent / "notes"
    folder.mkdir(exist_ok=True)
    with opened(store) as memory:
        for i in range(first, first + 40):
            if i % 7 == 6:
                lines = [json.dumps({"id": f"line{i}x{k}", "text": f"many w{i}x{k}"})
                         for k in range(9)]  # fmt: skip
                (folder / f"many{i}.jsonl").write_text("\n".join(lines))
                memory.add(folder / f"many{i}.jsonl", embed=False)
                for k in range(9):
                    say(f"line{i}x{k} w{i}x{k}")
                continue
            path = folder / f"note{i}.md"
            path.write_text(f"# Note {i}\n\nword{i} is here.\n")
            memory.add(path, embed=False)
            say(f"note{i}.md word{i}")
            if i % 5 == 4:
                path.write_text(f"# Note {i}\n\nword{i} is here, and changed{i}.\n")
                memory.add(path, embed=False)
                say(f"note{i}.md changed{i}")


def _curate(store: Path, first: int, say: Say) -> None:
    with opened(store) as memory:
        for i in range(first, first + 40):
            memory.curate(
                f"We decided to use tool{i} for job{i}.", name=f"text{i}", note=True, embed=False
            )
            say(f"text{i} job{i}")
            made = memory.remember(f"Port {i} belongs to service{i}", name=f"port of service{i}",
                                   embed=False)  # fmt: skip
            say(f"{made.fact.id} service{i}")


def _forget(memory: Memory, name: str, say: Say) -> None:
    say(f"?{name}")
    memory.store.apply(ChangeSet((Forget(note(name).id),)))
    say(f"-{name}")


def _embed(store: Path, first: int, say: Say) -> None:
    with opened(store) as memory:
        for i in range(first, first + 40):
            put(memory.store, *(note(f"n{i}x{k}", f"word{i}x{k}") for k in range(3)))
            for k in range(3):
                say(f"n{i}x{k} word{i}x{k}")
            memory.embed(processes=1)
            for k in range(3):
                say(f"+n{i}x{k}")
            if i % 4 == 3:
                _forget(memory, f"n{i}x0", say)


def _commit(store: Path, first: int, say: Say) -> None:
    with opened(store) as memory:
        for i in range(first, first + 60):
            put(memory.store, note(f"c{i}", f"word{i} and more"))
            say(f"c{i} word{i}")
            memory.store.refresh()
            if i % 6 == 5:
                _forget(memory, f"c{i - 2}", say)
                found(memory.store, any_of("more"))


def _some_notes(store: Path) -> None:
    with opened(store) as memory:
        put(memory.store, *(note(f"kept{i}", f"word{i} kept") for i in range(40)))
        put(memory.store, note("door", "The code is 1234", kind="fact",
                               meta={"valid_to": "2030-01-01"}))  # fmt: skip
        memory.embed(processes=1)


def _rebuild(store: Path, first: int, say: Say) -> None:
    with opened(store) as memory:
        for i in range(first, first + 40):
            put(memory.store, note(f"r{i}", f"word{i} new"))
            say(f"r{i} word{i}")
            memory.rebuild()


def _old_store(store: Path) -> None:
    """A store as the first schema had it: what later migrations made is taken away again."""
    if not store.exists():
        _some_notes(store)
    EmbeddedStore(store).close()
    db = sqlite3.connect(store / "record.db", isolation_level=None)
    for statement in ("DROP TABLE answers", "DROP TABLE handles",
                      "ALTER TABLE sources DROP COLUMN places"):  # fmt: skip
        db.execute(statement)
    db.execute("PRAGMA user_version = 1")
    db.close()


def _migrate(store: Path, first: int, say: Say) -> None:
    with opened(store) as memory:
        put(memory.store, note(f"m{first}", f"word{first} migrated"))
        say(f"m{first} word{first}")


# ------------------------------------------------------------------ looking afterwards


def _look(store: Path, said: list[str]) -> list[str]:
    """What is wrong: faults of the store, what was said and is not there, what is there twice."""
    engine.BATCH, engine.TAIL, vector_index.SEGMENT_ROWS = 20, 4, 8
    wrong = [f"before: {part}: {what}" for part, what in full_check(store)]
    opened_store = EmbeddedStore(store)
    going, gone, vectors = (
        {line[1:] for line in said if line.startswith(mark)} for mark in ("?", "-", "+")
    )
    latest = dict(line.split(" ", 1) for line in said if line[0] not in "?+-")
    pending = {key for key, _ in opened_store.pending(HashedWords.key, limit=100_000)}
    for name, word in latest.items():
        kept = opened_store.get(name)
        if name in gone:
            wrong += [f"{name} was forgotten and is there"] if kept else []
            continue
        if name in going and not kept:
            continue  # it was forgotten, and there was no time to say so
        if len(kept) != 1:
            wrong.append(f"{name} was acknowledged and is there {len(kept)} times")
            continue
        # The next change may have been made and not said.
        hits = opened_store.search_text(any_of(word), Filter(), limit=50).hits
        passages = opened_store.passages([hit.passage for hit in hits])
        if name not in {p.document.external for p in passages}:
            wrong.append(f"{name} is not found by {word!r}")
        if name in vectors and any(p.key in pending for p in passages):
            wrong.append(f"{name} was embedded and waits to be")
    put(opened_store, note("after", f"still writable {len(said)}"))
    if found(opened_store, any_of("writabl")) != ["after"]:
        wrong.append("what is written after it is not found")
    opened_store.close()
    return wrong + [f"after: {part}: {what}" for part, what in full_check(store)]


def _look_at_old(store: Path, said: list[str]) -> list[str]:
    wrong = _look(store, said)
    db = sqlite3.connect(store / "record.db")
    version = db.execute("PRAGMA user_version").fetchone()[0]
    handles = db.execute("SELECT COUNT(*) FROM handles").fetchone()[0]
    db.close()
    if version != len(MIGRATIONS) or not handles:
        wrong.append(f"schema {version} with {handles} handles after the migration")
    return wrong


WORKS = {
    "import": Work(_import, _look, steps=2500, seconds=0.8),
    "curate": Work(_curate, _look, steps=2500, seconds=0.8),
    "embed": Work(_embed, _look),
    "commit": Work(_commit, _look),
    "rebuild": Work(_rebuild, _look, _some_notes),
    "migrate": Work(_migrate, _look_at_old, steps=150, seconds=0.15),
}


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


def lines_of(reading: int) -> list[str]:
    """Everything that was written whole."""
    with open(reading, "rb") as pipe:
        return [line.decode() for line in pipe.read().split(b"\n")[:-1]]


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
    step = chance.randint(1, work.steps) if chance.random() < 0.5 else 0
    pause = chance.uniform(0.0, work.seconds)

    def do(writing: int) -> None:
        if step:
            _kill_at(step)
        work.do(store, number * 100, partial(_write, writing))

    child, reading = forked(do)
    if not step:
        time.sleep(pause)
        os.kill(child, signal.SIGKILL)
    said = lines_of(reading)
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
    work, tally, number = WORKS[name], Tally(), 0
    said: list[str] = []
    store = folder / "0" / "store"
    while tally.kills < kills:
        if number % A_STORE == 0:
            shutil.rmtree(store.parent, ignore_errors=True)
            said, store = [], folder / str(number) / "store"
            store.parent.mkdir(parents=True)
            in_a_process(partial(work.prepare, store))
        if name == "migrate":
            in_a_process(partial(_old_store, store))
        one = _one(work, store, number, random.Random(f"{seed} {name} {number}"))
        said += one.said
        wrong = one.failed
        if (store / "record.db").exists():
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
            break
    shutil.rmtree(store.parent, ignore_errors=True)
    return tally


def main() -> int:
    from bench import torn

    parser = argparse.ArgumentParser(prog="python -m bench.crash", description=__doc__)
    every = [*WORKS, *torn.WAYS]
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
            if name in WORKS:
                done = crash(name, times, given.seed, Path(folder) / name, _say)
            else:
                done = Tally(*torn.run(name, times, given.seed, Path(folder) / name, _say))
            failed += done.wrong
            mark = "MISS" if done.wrong else "ok  "
            print(f"{mark} {name:8} {done.kills:5} killed or cut, {done.ended:4} ended, "
                  f"{done.writes:6} writes acknowledged, {done.wrong} faults, "
                  f"{time.monotonic() - since:.0f} s", flush=True)  # fmt: skip
    return 1 if failed else 0


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
