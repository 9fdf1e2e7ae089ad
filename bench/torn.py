"""Power that fails: files of a store as a disk may have them afterwards.

What was synced is there; of what was written since, any part may be there, in any order, whole or
torn. ``record``: the write-ahead log is cut at any byte, or its frames after a commit are kept,
dropped, zeroed or garbled each by chance; the store must then have exactly the commits before the
first damage. ``index``: files of the text and vector indexes are cut, emptied, removed or made zero
at random, as after a power cut that caught one being written; every search must answer as before.

It is a part of ``python -m bench.crash --of record,index``.
"""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bench.full_check import full_check
from recollect.nouns import ChangeSet, Filter, Forget
from recollect.storage.embedded import text_search, vector_index
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.testing.builders import any_of, found, note, put

WAYS = ("record", "index")
_HEADER, _FRAME = 32, 24 + 4096


class Done(NamedTuple):
    cut: int
    ended: int
    writes: int
    wrong: int


def run(way: str, times: int, seed: int, folder: Path, tell: Callable[[str], None]) -> Done:
    """Damage a store so many times, each time anew; what is wrong is told."""
    from bench.crash import in_a_process

    folder.mkdir(parents=True, exist_ok=True)
    states = [_state(line) for line in in_a_process(lambda: _fill(folder / "whole"))]
    look = _cut_log if way == "record" else _cut_index
    wrong = 0
    for number in range(times):
        chance = random.Random(f"{seed} {way} {number}")
        copy = folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        found_wrong = in_a_process(partial(look, folder / "whole", copy, states, chance))
        for line in found_wrong:
            tell(f"{way}, seed {seed}, number {number}: {line}")
        wrong += len(found_wrong)
    return Done(times, 0, len(states), wrong)


def _small() -> None:
    text_search.BATCH, text_search.TAIL, vector_index.SEGMENT_ROWS = 20, 4, 8


def _fill(folder: Path) -> list[str]:
    """A store with a log that was never written back, copied while it is open. Says after each
    commit how long the log was, and what was there."""
    from bench.works import HashedWords

    _small()
    store = EmbeddedStore(folder.parent / "open")
    keeping = sqlite3.connect(store.folder / "record.db")  # the log stays while this reads
    keeping.execute("BEGIN")
    keeping.execute("SELECT COUNT(*) FROM documents").fetchone()
    log = store.folder / "record.db-wal"
    there: list[str] = []
    states = [f"{log.stat().st_size}"]
    for i in range(60):
        put(store, note(f"n{i}", f"word{i} word"))
        there.append(f"n{i}")
        states.append(" ".join((str(log.stat().st_size), *there)))
        if i % 10 == 9:
            store.apply(ChangeSet((Forget(note(f"n{i - 5}").id),)))
            there.remove(f"n{i - 5}")
            states.append(" ".join((str(log.stat().st_size), *there)))
    waiting = store.pending(HashedWords.key, limit=1000)
    made = HashedWords().embed_passages([text for _, text in waiting])
    store.put_vectors(HashedWords.key, [key for key, _ in waiting], made)
    store.admin.refresh()
    shutil.copytree(store.folder, folder)
    return states


class State(NamedTuple):
    """How long the log was after a commit, and what was there then."""

    size: int
    names: frozenset[str]


def _state(line: str) -> State:
    size, *names = line.split()
    return State(int(size), frozenset(names))


def _cut_log(whole: Path, copy: Path, states: list[State], chance: random.Random) -> list[str]:
    """The indexes are left out: none has seen a commit that was not synced."""
    _small()
    whole_size = states[-1].size
    copy.mkdir()
    shutil.copy(whole / "record.db", copy)
    log = (whole / "record.db-wal").read_bytes()
    at = chance.randrange(_HEADER, whole_size)
    if chance.random() < 0.5:
        cut, sound = log[:at], at
        if chance.random() < 0.5:
            cut += chance.randbytes(chance.randint(1, 3 * _FRAME))
    else:
        cut, sound = _reordered(log[:whole_size], at, chance)
    (copy / "record.db-wal").write_bytes(cut)
    left = [state.names for state in states if state.size <= sound]
    return _exactly(copy, left[-1] if left else frozenset())


def _reordered(log: bytes, at: int, chance: random.Random) -> tuple[bytes, int]:
    """Every frame from *at* on is there, or not, or torn; and where the first damage is."""
    sound, made = 0, bytearray(log)
    for start in range(_HEADER, len(log), _FRAME):
        if start < at or chance.random() < 0.4:
            continue
        end = min(start + _FRAME, len(log))
        sound = sound or start
        tear = chance.randrange(start, end)
        if chance.random() < 0.5:
            made[tear:end] = bytes(end - tear)
        else:
            made[start:tear] = chance.randbytes(tear - start)
            made[tear] ^= 0xFF  # no part is as it was
    if not sound or bytes(made) == log:
        return log, len(log)
    return bytes(made), next(i for i, (a, b) in enumerate(zip(made, log, strict=True)) if a != b)


def _exactly(folder: Path, wanted: frozenset[str]) -> list[str]:
    store = EmbeddedStore(folder)
    there = {d.external for d in store.scan(Filter(), limit=100).items}
    wrong = []
    if there != wanted:
        wrong.append(f"of what was synced {wanted - there} is missing, more {there - wanted}")
    if set(found(store, any_of("word"))) != there:
        wrong.append("the search does not find what is there")
    put(store, note("after", "still writable"))
    if found(store, any_of("writabl")) != ["after"]:
        wrong.append("what is written after it is not found")
    store.close()
    return wrong + [f"{part}: {what}" for part, what in full_check(folder)]


def _cut_index(whole: Path, copy: Path, states: list[State], chance: random.Random) -> list[str]:
    from bench.works import HashedWords

    _small()
    shutil.copytree(whole, copy, ignore=lambda _, names: [n for n in names if n.endswith("-shm")])
    files = sorted(p for p in copy.rglob("*") if p.is_file() and p.parent != copy)
    for path in chance.sample(files, chance.randint(1, 4)):
        _damage(path, chance)
    store = EmbeddedStore(copy)
    wanted = states[-1].names
    wrong = []
    if (got := set(found(store, any_of("word")))) != wanted:
        wrong.append(f"by words: missing {wanted - got}, more {got - wanted}")
    vector = HashedWords().embed_query("word7 word")
    hits = store.search_vector(HashedWords.key, vector, Filter(), limit=100).hits
    names = {p.document.external for p in store.passages([hit.passage for hit in hits])}
    if names != wanted or len(hits) != len(wanted):
        wrong.append(f"by meaning: missing {wanted - names}, more {names - wanted}")
    store.admin.refresh()
    store.search_vector(HashedWords.key, vector, Filter(), limit=1)
    store.close()
    return wrong + [f"{part}: {what}" for part, what in full_check(copy)]


def _damage(path: Path, chance: random.Random) -> None:
    """As a disk leaves a file whose writing it was told of and that was not synced."""
    size = path.stat().st_size
    way = chance.choice(("gone", "empty", "cut", "zero"))
    if way == "gone":
        path.unlink()
    elif way == "empty":
        path.write_bytes(b"")
    elif way == "cut":
        path.write_bytes(path.read_bytes()[: chance.randrange(size) if size else 0])
    else:
        path.write_bytes(bytes(size))
