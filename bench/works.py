"""What processes are at when ``bench.crash`` kills them, and how what is left of it is looked at.

Each work says of every write that it is done, in a line: a document and a word that finds it, or
the name of one after a mark: ``?`` it is being forgotten, ``-`` it is forgotten, ``+`` it is
embedded, ``=`` the file of this name is a backup of all that was said before.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.full_check import full_check
from recollect import Memory, config, errors
from recollect.nouns import ChangeSet, Filter, Forget
from recollect.ports import StorageEngine
from recollect.storage import open_store
from recollect.storage.embedded import text_search, vector_index
from recollect.storage.embedded.engine import EmbeddedStore
from recollect.storage.embedded.schema import MIGRATIONS
from recollect.storage.postgres import text_views
from recollect.testing.builders import any_of, found, note, put
from recollect.transfer.backup import restore_store

Say = Callable[[str], None]


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


server = ""
"""The URL of a PostgreSQL that keeps the stores, where they are not in folders."""


def engine(store: Path) -> StorageEngine:
    """Opens the store of this folder, or of the schema that is named after it."""
    if not server:
        return EmbeddedStore(store)
    schema = "t" + blake2b(str(store).encode(), digest_size=8).hexdigest()
    return open_store(f"{server}{'&' if '?' in server else '?'}schema={schema}&partitions=2")


def make(store: Path) -> None:
    engine(store).close()


def faults(store: Path) -> Sequence[tuple[str, str]]:
    """What a full check finds, by the part of the store."""
    if not server:
        return full_check(store)
    with closing(engine(store)) as there:
        return [(one.part, one.text) for one in there.admin.check(full=True).findings]


def _small() -> None:
    """Has each threshold crossed every few writes."""
    text_search.BATCH, text_search.TAIL, vector_index.SEGMENT_ROWS = 20, 4, 8
    text_views.TAIL = 4


def opened(store: Path) -> Memory:
    _small()
    return Memory(engine(store), config.load(), HashedWords())


def without_models(store: Path) -> Memory:
    """The same with no model to load, which takes longer than most processes live here."""
    text_search.BATCH, text_search.TAIL = 20, 4
    return Memory(EmbeddedStore(store), config.load())


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
            memory.models.embed(threads=1)
            for k in range(3):
                say(f"+n{i}x{k}")
            if i % 4 == 3:
                _forget(memory, f"n{i}x0", say)


def _commit(store: Path, first: int, say: Say) -> None:
    with opened(store) as memory:
        for i in range(first, first + 60):
            put(memory.store, note(f"c{i}", f"word{i} and more"))
            say(f"c{i} word{i}")
            memory.store.admin.refresh()
            if i % 6 == 5:
                _forget(memory, f"c{i - 2}", say)
                found(memory.store, any_of("more"))


def some_notes(store: Path) -> None:
    with opened(store) as memory:
        put(memory.store, *(note(f"kept{i}", f"word{i} kept") for i in range(40)))
        put(memory.store, note("door", "The code is 1234", kind="fact",
                               meta={"valid_to": "2030-01-01"}))  # fmt: skip
        memory.models.embed(threads=1)


def _rebuild(store: Path, first: int, say: Say) -> None:
    with opened(store) as memory:
        for i in range(first, first + 40):
            put(memory.store, note(f"r{i}", f"word{i} new"))
            say(f"r{i} word{i}")
            memory.admin.rebuild()


def old_store(store: Path) -> None:
    """A store as the first schema had it: what later migrations made is taken away again."""
    if not store.exists():
        some_notes(store)
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


def save_in_turn(
    store: Path,
    first: int,
    say: Say,
    names: Sequence[str],
    save: Callable[[Memory, Path], object],
) -> None:
    """Saves the store after each note under the *names* in turn, so that most files take the place
    of an older one."""
    with opened(store) as memory:
        for i in range(first, first + 40):
            put(memory.store, note(f"s{i}", f"word{i} kept"))
            say(f"s{i} word{i}")
            name = names[i % len(names)]
            save(memory, store.parent / name)
            say(f"={name}")


def _back_up(store: Path, first: int, say: Say) -> None:
    save_in_turn(
        store,
        first,
        say,
        ("a.tar", "b.tar.gz", "c.tar"),
        lambda memory, file: memory.admin.backup(file, force=True),
    )


def _a_backup(store: Path) -> None:
    some_notes(store)
    with opened(store) as memory:
        memory.admin.backup(store.parent / "kept.tar")


def _restore(store: Path, first: int, say: Say) -> None:
    """Over a store that has something of its own."""
    for i in range(first, first + 40):
        with opened(store) as memory:
            put(memory.store, note(f"r{i}", f"word{i} new"))
        say(f"r{i} word{i}")
        restore_store(store.parent / "kept.tar", store, force=True)


# ------------------------------------------------------------------ looking afterwards


def look(store: Path, said: list[str]) -> list[str]:
    """What is wrong: faults of the store, what was said and is not there, what is there twice."""
    _small()
    wrong = [f"before: {part}: {what}" for part, what in faults(store)]
    opened_store = engine(store)
    going, gone, vectors = (
        {line[1:] for line in said if line.startswith(mark)} for mark in ("?", "-", "+")
    )
    latest = dict(line.split(" ", 1) for line in said if line[0] not in "?+-=")
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
        hits = opened_store.search_text([any_of(word)], Filter(), limit=50)[0].hits
        passages = opened_store.passages([hit.passage for hit in hits])
        if name not in {p.document.external for p in passages}:
            wrong.append(f"{name} is not found by {word!r}")
        if name in vectors and any(p.key in pending for p in passages):
            wrong.append(f"{name} was embedded and waits to be")
    put(opened_store, note("after", f"still writable {len(said)}"))
    if found(opened_store, any_of("writabl")) != ["after"]:
        wrong.append("what is written after it is not found")
    opened_store.close()
    return wrong + [f"after: {part}: {what}" for part, what in faults(store)]


def _look_at_old(store: Path, said: list[str]) -> list[str]:
    wrong = look(store, said)
    db = sqlite3.connect(store / "record.db")
    version = db.execute("PRAGMA user_version").fetchone()[0]
    handles = db.execute("SELECT COUNT(*) FROM handles").fetchone()[0]
    db.close()
    if version != len(MIGRATIONS) or not handles:
        wrong.append(f"schema {version} with {handles} handles after the migration")
    return wrong


def look_at_files(
    pattern: str, restored: Callable[[Path, Path], object]
) -> Callable[[Path, list[str]], list[str]]:
    """Whatever has the name of a backup is a whole one, of all that was acknowledged before it."""

    def look_at(store: Path, said: list[str]) -> list[str]:
        wrong = look(store, said)
        for file in sorted(store.parent.glob(pattern)):
            to = store.parent / "restored"
            shutil.rmtree(to, ignore_errors=True)
            try:
                restored(file, to)
            except errors.RecollectError as error:
                wrong.append(f"{file.name} cannot be restored: {error}")
                continue
            wrong += [f"{file.name}: {part}: {what}" for part, what in full_check(to)]
            last = max((n for n, line in enumerate(said) if line == f"={file.name}"), default=0)
            before = {line.split()[0] for line in said[:last] if line[0] not in "?+-="}
            wrong += [f"{name} is not in {file.name}" for name in sorted(before - names_of([to]))]
        return wrong

    return look_at


def _look_at_restored(store: Path, said: list[str]) -> list[str]:
    """There is a whole store in the place, the old one or the restored one, and whatever was in
    the place at any time is there or aside."""
    if not (store / "record.db").exists():
        return ["there is no store in the place"]
    stores = [store, *sorted(store.parent.glob("store.before-restore-*"))]
    wrong = [f"{one.name}: {part}: {what}" for one in stores for part, what in full_check(one)]
    there = names_of(stores)
    wrong += [f"{line.split()[0]} is lost" for line in said if line.split()[0] not in there]
    kept = {f"kept{i}" for i in range(40)} | {"door"}
    wrong += [f"{name} is not restored" for name in sorted(kept - names_of([store]))]
    return wrong


def names_of(stores: Iterable[Path]) -> set[str]:
    """The documents that these have."""
    names: set[str] = set()
    for place in stores:
        store = EmbeddedStore(place)
        names.update(one.external for one in store.scan(Filter(), limit=100_000).items)
        store.close()
    return names


WORKS = {
    "import": Work(_import, look, steps=2500, seconds=0.8),
    "curate": Work(_curate, look, steps=2500, seconds=0.8),
    "embed": Work(_embed, look),
    "commit": Work(_commit, look),
    "rebuild": Work(_rebuild, look, some_notes),
    "backup": Work(_back_up, look_at_files("[abc].tar*", restore_store), steps=1500, seconds=0.8),
    "restore": Work(_restore, _look_at_restored, _a_backup, steps=1500, seconds=0.8),
    "migrate": Work(_migrate, _look_at_old, steps=150, seconds=0.15),
}
ON_SERVER = {
    f"{name}@postgres": WORKS[name]._replace(prepare=prepare, steps=0, seconds=4.0)
    for name, prepare in (("import", make), ("curate", make), ("embed", make), ("commit", make),
                          ("rebuild", some_notes))
}  # fmt: skip
"""Those that are at a store on a server: they are killed by the clock, and the server is not."""
