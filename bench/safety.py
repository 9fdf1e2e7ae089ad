"""Getting a store out of harm's way and back, against having imported it.

Each of ``backup``, ``restore``, ``export --all``, ``import``, a full look and ``repair`` of a
damaged copy is measured against storing and indexing the same documents (without embedding them,
which takes longer than all of it). The last line is memory: what an export and an import hold, for
ten times the documents.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

from bench.timing import Ratio
from recollect import Memory
from recollect.memory import repair_store, restore_store
from recollect.nouns import Document

DOCUMENTS = 5_000


def _opened(place: Path) -> Memory:
    return Memory.open(place, embed_model="none", rerank_model="none")


def _documents(count: int) -> Iterator[Document]:
    for n in range(count):
        words = " ".join(f"word{(n * 31 + i * 17) % 5003}" for i in range(150))
        yield Document(f"d{n}", "bench", f"Document {n}. {words}", title=f"Title {n}")


def _filled(place: Path, count: int) -> None:
    with _opened(place) as memory:
        memory.put(_documents(count))
        memory.admin.rebuild()


def _seconds(work: Callable[[], object]) -> float:
    since = perf_counter()
    work()
    return perf_counter() - since


def run(work: Path) -> Iterator[Ratio]:
    place = work / "safety"
    shutil.rmtree(place, ignore_errors=True)
    store, file, lines = place / "store", place / "b.tar.gz", place / "all.jsonl.gz"
    took = _seconds(lambda: _filled(store, DOCUMENTS))
    with _opened(store) as memory, _opened(place / "in") as other:
        steps: dict[str, Callable[[], object]] = {
            "backup": lambda: memory.admin.backup(file),
            "restore": lambda: restore_store(file, place / "restored"),
            "a full look": lambda: memory.admin.check(full=True),
            "export --all": lambda: memory.admin.export_all(lines),
            "import": lambda: other.admin.import_all(lines),
        }
        for name, step in steps.items():
            yield _ratio(f"{name}, {DOCUMENTS:,} documents", _seconds(step), took)
    _damage(place / "restored")
    yield _ratio(
        "repair of a damaged one", _seconds(lambda: repair_store(place / "restored")), took
    )
    few, many = (_held(place / f"held{n}", n) for n in (500, 5_000))
    yield Ratio("memory of an export and import, 5,000 vs 500", many, few, "MB", many / few,
                "at most 2", many / few <= 2)  # fmt: skip


def _ratio(name: str, ours: float, theirs: float) -> Ratio:
    return Ratio(name, ours, theirs, "s", ours / theirs, "at most 2", ours / theirs <= 2)


def _damage(store: Path) -> None:
    """Scribble over a page of passages."""
    db = sqlite3.connect(store / "record.db")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (page,) = db.execute("SELECT pageno FROM dbstat WHERE name = 'passages' AND pagetype = 'leaf' "
                         "LIMIT 1 OFFSET 9").fetchone()  # fmt: skip
    db.close()
    with open(store / "record.db", "r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)
        os.fsync(file.fileno())


def _held(place: Path, count: int) -> float:
    """The most that Python held at once, in megabytes, while all went out and in."""
    _filled(place / "store", count)
    tracemalloc.start()
    with _opened(place / "store") as memory, _opened(place / "in") as other:
        memory.admin.export_all(place / "all.jsonl")
        other.admin.import_all(place / "all.jsonl")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6
