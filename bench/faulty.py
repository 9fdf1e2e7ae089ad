"""A disk that fails, by a file layer in C that stands between a process and its library.

``faulty.c`` is compiled and preloaded into processes of ours. Two attacks need it
(``python -m bench.attack eio power``):

- ``eio``: a process writes, forgets, searches and indexes; at a call chosen by chance reading,
  writing, syncing, renaming or deleting a file fails (EIO, ENOSPC), once or from then on. Each
  write has to be stored or refused with an error of ours, never both, and the store is whole when
  the disk is. (Where the very commit fails the disk itself does not know.)
- ``power``: a process works (:mod:`bench.works`), and every change of a file is logged. The power
  fails at a place of the log chosen by chance: what was synced is there, of what was written since
  each part is there, or not, or torn; of names that were made, changed and deleted since, the first
  few, in their order, as a journalling file system has them. All that was acknowledged before has
  to be there.
"""

from __future__ import annotations

import ctypes
import errno
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bench import asked
from bench.command_works import WORKS
from bench.crash import in_a_process
from bench.full_check import full_check
from bench.works import opened
from recollect.errors import RecollectError
from recollect.testing.builders import note

Say = Callable[[str], None]
POWERED = ("import", "curate", "embed", "commit", "rebuild", "export", "repair", "config")
"""Works during which the power fails."""
_INDEXES = ("before: text", "before: vectors")
_REFUSED = " writes refused"
_HEAD = struct.Struct("=c4Q")


def compiled(folder: Path) -> Path | None:
    """Returns the file layer, where there is a compiler for it."""
    compiler, made = shutil.which("cc"), folder / "faulty.so"
    if compiler is None or sys.platform != "linux":
        return None
    folder.mkdir(exist_ok=True)
    source = Path(__file__).with_suffix(".c")
    options = ["-shared", "-fPIC", "-O1", "-w", "-o", str(made), str(source), "-ldl", "-lpthread"]
    subprocess.run([compiler, *options], check=True)
    return made


def _below(layer: Path, root: Path, *words: str, log: str = "") -> list[str]:
    """Runs this module in a process above the file layer; returns what it says."""
    env = {**os.environ, "LD_PRELOAD": str(layer), "FAULTY_ROOT": str(root)}
    env |= {"FAULTY_LOG": log} if log else {}
    command = [sys.executable, "-m", "bench.faulty", str(root), *words]
    here = Path(__file__).parents[1]
    done = subprocess.run(
        command, env=env, cwd=here, stdout=subprocess.PIPE, text=True, check=False
    )
    said = done.stdout.splitlines()
    return said + ([f"the process ended with {done.returncode}"] if done.returncode else [])


# ------------------------------------------------------------------ errors


def eio(times: int, seed: int, folder: Path, say: Say) -> int:
    layer = compiled(folder)
    if layer is None:
        say("     eio: there is no compiler here, so nothing was tried")
        return 1
    said = _below(layer, folder / "root", "eio", str(times), str(seed))
    wrong = [line for line in said if not line.endswith(_REFUSED)]
    for line in said:
        say(line if line in wrong else f"     eio: {times} failing calls, {line}")
    return len(wrong)


def _strike(root: Path, chance: random.Random) -> list[str]:
    """One store, one failing call (or all from one on): what is wrong afterwards."""
    store = root / "store"
    shutil.rmtree(store, ignore_errors=True)
    with opened(store) as memory:
        memory.put([note(f"old{n}", f"word{n} kept") for n in range(12)])
        memory.search("kept")
    arm = ctypes.CDLL(None).faulty_arm
    arm(chance.randint(1, 400), chance.choice((errno.EIO, errno.ENOSPC)), chance.random() < 0.3)
    kept, refused, wrong = _written(store)
    arm(0, 0, 0)
    with opened(store) as memory:
        there = {name for name in kept | refused if memory.store.get(name)}
        wrong += [f"{name} was acknowledged and is not there" for name in kept - there]
        wrong += [f"{name} was refused and is there" for name in refused & there]
        memory.put([note("after", "the disk is whole again")])
        if memory.search("whole again").results[0].document != "after":
            wrong.append("what is written afterwards is not found")
    wrong += [f"{part}: {what}" for part, what in full_check(store)]
    return [*wrong, str(len(refused))]


def _written(store: Path) -> tuple[set[str], set[str], list[str]]:
    """Names of documents that were stored, of those that were refused, and what is wrong."""
    kept, refused, wrong = {f"old{n}" for n in range(12)}, set[str](), list[str]()

    def tried(name: str, work: Callable[[], object]) -> bool | None:
        """Whether it was done; None if the disk has not confirmed that."""
        try:
            work()
        except RecollectError as error:
            return None if _in_commit(error) else False
        except Exception as error:  # noqa: BLE001  it is what is looked for
            wrong.append(f"{name}: {type(error).__name__}: {error}")
            return False
        return True

    with suppress(RecollectError), opened(store) as memory:
        for n in range(6):
            old, fact = f"old{n}", f"fact{n}"
            deeds: dict[str, Callable[[], object]] = {
                f"put{n}": partial(memory.put, [note(f"put{n}", f"word{n} put")]),
                fact: partial(memory.remember, f"Port {n} is open", name=f"port {n}", id=fact),
            }
            for name, deed in deeds.items():
                if (done := tried(name, deed)) is not None:
                    (kept if done else refused).add(name)
            if (gone := tried("forget", partial(memory.forget, old))) is not False:
                kept.discard(old)
                refused |= {old} if gone else set()
            tried("search", partial(memory.search, f"word{n} kept"))
            tried("refresh", memory.store.admin.refresh)
    return kept, refused, wrong


def _in_commit(error: BaseException) -> bool:
    """Whether the disk failed while the log was synced: the transaction may then be found in it by
    the next process, or not, and SQLite cannot know."""
    frames = traceback.extract_tb(error.__cause__.__traceback__ if error.__cause__ else None)
    return bool(frames) and frames[-1].name == "transaction"


# ------------------------------------------------------------------ power


class Change(NamedTuple):
    """A change of content (``w`` written, ``t`` truncated, ``s`` synced) or of names (``c``
    created, ``r`` renamed, ``x`` exchanged, ``u`` deleted, ``d`` a folder synced)."""

    kind: str
    inode: int
    offset: int
    path: str
    data: bytes


def _changes(log: Path) -> Iterator[Change]:
    with log.open("rb") as file:
        while head := file.read(_HEAD.size):
            kind, inode, offset, path, size = _HEAD.unpack(head)
            yield Change(kind.decode(), inode, offset, file.read(path).decode(), file.read(size))


def power(times: int, seed: int, folder: Path, say: Say) -> int:
    layer = compiled(folder)
    if layer is None:
        say("     power: there is no compiler here, so nothing was tried")
        return 1
    wrong, share = 0, max(1, times // len(POWERED))
    for name in POWERED:
        root, log = folder / name, folder / f"{name}.log"
        ran = _below(layer, root, name, log=str(log))
        changes, found = list(_changes(log)), ran
        for number in range(share):
            chance = random.Random(f"{seed} {name} {number}")
            copy = folder / "after"
            shutil.rmtree(copy, ignore_errors=True)
            said = failed(changes[: chance.randrange(len(changes))], root, copy, chance)
            look = partial(WORKS[name].look, copy / "store", said)
            if (copy / "store" / "record.db").exists() or said:
                # An index that is torn is made anew by whoever looks.
                left = [one for one in in_a_process(look) if not one.startswith(_INDEXES)]
                found += [f"number {number}: {line}" for line in left]
        for line in found:
            say(f"power, {name}, seed {seed}, {line}")
        say(f"     power: {name}: {share} failures in {len(changes)} changes")
        wrong += len(found)
    return wrong


def failed(done: Sequence[Change], root: Path, copy: Path, chance: random.Random) -> list[str]:
    """Makes the files as they are when the power fails after these changes; returns what was
    acknowledged before."""
    names = _names(done, chance)
    copy.mkdir()
    for path, inode in names.items():
        place = copy / Path(path).relative_to(root)
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.name != "acks" and not place.name.endswith("-shm"):
            place.write_bytes(_content([one for one in done if one.inode == inode], chance))
    said = b"".join(one.data for one in done if one.kind == "w" and one.path.endswith("/acks"))
    return [line.decode() for line in said.split(b"\n")[:-1]]


def _names(done: Sequence[Change], chance: random.Random) -> dict[str, int]:
    """The inodes by their paths. A journal has the changes of names in their order: at least those
    up to the last whose folder, or whose new file, was synced; of later ones the first few."""
    sure = max((n for n, one in enumerate(done, 1) if one.kind in "ds"), default=0)
    later = [n for n, one in enumerate(done, 1) if one.kind in "cruxd" and n > sure]
    end = chance.choice([sure, *later])
    names: dict[str, int] = {}
    for one in done[:end]:
        _renamed(names, one)
    return names


def _renamed(names: dict[str, int], one: Change) -> None:
    to = one.data.decode() if one.kind in "rx" else ""
    if one.kind == "c":
        names[one.path] = one.inode
    elif one.kind == "u":
        names.pop(one.path, None)
    elif one.kind in "rx":
        moved = {p: i for p, i in names.items() if p == one.path or p.startswith(f"{one.path}/")}
        back = {p: i for p, i in names.items() if p == to or p.startswith(f"{to}/")}
        for path in (*moved, *back):
            del names[path]
        names |= {to + p[len(one.path) :]: i for p, i in moved.items()}
        if one.kind == "x":
            names |= {one.path + p[len(to) :]: i for p, i in back.items()}
    elif one.kind == "d":
        known = set(names.values())
        for path in [p for p in names if os.path.dirname(p) == one.path]:
            del names[path]
        rows = [row.split(" ", 1) for row in one.data.decode().splitlines()]
        names |= {f"{one.path}/{name}": int(ino) for ino, name in rows if int(ino) in known}


def _content(changes: Sequence[Change], chance: random.Random) -> bytes:
    """What is in a file: all that was synced, and parts of what was done to it since."""
    begun = max((n for n, one in enumerate(changes) if one.kind == "c"), default=0)
    synced = max((n for n, one in enumerate(changes) if one.kind == "s"), default=-1)
    made = bytearray(changes[synced].data if synced >= begun else b"")
    for one in changes[max(begun, synced + 1) :]:
        if one.kind == "t":
            made = made[: one.offset].ljust(one.offset, b"\0")
        elif one.kind == "w" and (luck := chance.random()) < 0.6:
            data = one.data if luck < 0.5 else one.data[: chance.randrange(len(one.data) + 1)]
            made = made.ljust(one.offset, b"\0")
            made[one.offset : one.offset + len(data)] = data
    return bytes(made)


# ------------------------------------------------------------------ above the file layer


def _acknowledge(acks: int, line: str) -> None:
    os.write(acks, f"{line}\n".encode())


def main() -> int:
    place, name, *more = asked.words("faulty", __doc__, "ROOT", "WORK", more=True)
    root = Path(place)
    root.mkdir(parents=True, exist_ok=True)
    if name != "eio":
        WORKS[name].prepare(root / "store")
        acks = os.open(root / "acks", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        WORKS[name].do(root / "store", 0, partial(_acknowledge, acks))
        return 0
    times, seed = map(int, more)
    total = 0
    for number in range(times):
        for line in in_a_process(partial(_strike, root, random.Random(f"{seed} {number}"))):
            if line.strip().isdigit():
                total += int(line)
            else:
                print(f"eio, seed {seed}, number {number}: {line}")
    print(f"{total}{_REFUSED}")
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="recollect-faulty-home-") as home:
        os.environ |= {"RECOLLECT_HOME": home, "RECOLLECT_TELEMETRY": "false"}
        sys.exit(main())
