"""What else processes are at when ``bench.crash`` kills them: the commands that write facts,
answers, exports, whole stores and files of settings.

``WORKS`` has these and those of :mod:`bench.works`, so that every command that writes is in one.
(``watch`` and ``add-web`` write by the functions of ``add`` and ``record``, ``doctor --fix`` by
those of ``embed`` and ``rebuild``; ``tidy`` writes nothing.)
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from bench import works
from bench.full_check import full_check
from bench.works import (
    Say,
    Work,
    look_at_files,
    names_of,
    opened,
    save_in_turn,
    some_notes,
    without_models,
)
from recollect import Memory, config
from recollect.facts import Fact
from recollect.memory import migrate_store, repair_store
from recollect.nouns import Filter
from recollect.surfaces import cli
from recollect.testing.builders import note, put
from recollect.transfer import archive, migrate
from recollect.writing.curation.curate import Curated

EVERY = 100_000
Look = Callable[[Path, list[str]], list[str]]
_INDEX_ROOT = "SELECT rootpage FROM sqlite_master WHERE name = ?"


# ------------------------------------------------------------------ facts


def _change_facts(store: Path, first: int, say: Say) -> None:
    """Says after each change which field of a fact has which value from then on."""

    def told(fact: Fact, field: str, value: Any) -> None:
        say(json.dumps({"fact": fact.id, "field": field, "value": value}))

    with without_models(store) as memory:
        change = memory.curation
        for i in range(first, first + 40):
            old, new, third = (
                memory.remember(f"The {what} {i} is red", name=f"{what} {i}", embed=False).fact
                for what in ("door", "gate", "wall")
            )
            told(old, "name", old.name)
            told(change.alias(new.id, f"porch {i}"), "aliases", [f"porch {i}"])
            told(change.pin(new.id), "pinned", True)
            told(change.reword(new.id, f"It is green {i}", embed=False), "text", f"It is green {i}")
            change.supersede(old.id, new.id)
            told(old, "superseded_by", [new.id])
            asked = memory.remember(f"Who paints {i}?", type="open_question", embed=False).fact
            told(change.resolve(asked.id, at="2026-01-02"), "resolved", True)
            kept = memory.record("decision", f"Paint it {i}", title=f"paint {i}")
            say(json.dumps({"document": kept.id}))
            memory.forget(third.id)
            told(third, "gone", True)


_READ: dict[str, Callable[[Fact], Any]] = {
    "aliases": lambda fact: list(fact.aliases),
    "superseded_by": lambda fact: list(fact.superseded_by),
    "resolved": lambda fact: fact.resolved_at is not None,
}


def _look_at_facts(store: Path, said: list[str]) -> list[str]:
    wrong, lines = works.look(store, []), list(map(json.loads, said))
    with without_models(store) as memory:
        known = {fact.id: fact for fact in _facts(memory)}
        for line in lines:
            if "document" in line:
                wrong += [] if memory.store.get(line["document"]) else [f"{line} is not there"]
                continue
            fact, field = known.get(line["fact"]), line["field"]
            have = field == "gone" if fact is None else _field(fact, field)
            if have != line["value"]:
                wrong.append(f"{line} is {have!r}")
    return wrong


def _field(fact: Fact, name: str) -> Any:
    return _READ[name](fact) if name in _READ else getattr(fact, name, None)


def _facts(memory: Memory) -> list[Fact]:
    """All facts, also those that are resolved."""
    found = memory.store.scan(Filter(kinds=("fact",)), limit=EVERY).items
    return [memory.curation.fact(one.external) for one in found]


# ------------------------------------------------------------------ curations taken back


def _take_back(store: Path, first: int, say: Say) -> None:
    with without_models(store) as memory:
        for i in range(first, first + 40):
            _stated(memory, f"first{i}", f"The cache{i} server port is 1000.", "2026-01-05")
            say(f"first {i}")
            made = _stated(memory, f"later{i}", f"The cache{i} server port is 2000.", "2026-02-05")
            say(f"later {i} {made.id}")
            if i % 3 == 0:
                memory.curation.undo(made.id)
                say(f"back {i}")
            else:
                memory.curation.review(made.id, accept=i % 3 == 1)
                say(f"{'accepted' if i % 3 == 1 else 'back'} {i}")


def _stated(memory: Memory, name: str, text: str, date: str) -> Curated:
    return memory.curate(text, name=name, date=date, note=True, embed=False)


def _look_at_curations(store: Path, said: list[str]) -> list[str]:
    """Of two statements that cannot both hold one does, and it is the one that was said last; a
    curation that was not taken back can be."""
    wrong = works.look(store, [])
    latest = {line.split()[1]: line.split() for line in said}
    with without_models(store) as memory:
        for number, (what, _, *receipt) in latest.items():
            held = _in_force(memory, number)
            allowed = {"first": "12", "later": "12", "back": "1", "accepted": "2"}[what]
            if len(held) != 1 or held[0] not in allowed:
                wrong.append(f"after {what!r} of {number}, in force: {held}")
            if receipt and held == ["2"]:
                memory.curation.undo(receipt[0])
                if _in_force(memory, number) != ["1"]:
                    wrong.append(f"{number} cannot be taken back")
    return wrong


def _in_force(memory: Memory, number: str) -> list[str]:
    """The first digits of the ports that hold for a server."""
    held = [one for one in _facts(memory) if not one.superseded_by]
    return [one.text.split()[-1][0] for one in held if f"cache{number} " in one.text]


# ------------------------------------------------------------------ recorded answers


def _answer(store: Path, first: int, say: Say) -> None:
    with _cached(store) as memory:
        for i in range(first, first + 40):
            question = f"where is otter {i}?"
            found = memory.search(question)
            done = memory.record_answer(question, f"In pond {i}.", found.fingerprint)
            say(f"{done.id} kept")
            if i % 4 == 3:
                say(f"{done.id} going")
                memory.admin.forget_answers(done.id)
                say(f"{done.id} gone")
                memory.admin.clear_cache()


def _cached(store: Path) -> Memory:
    return Memory.open(store, embed_model="none", rerank_model="none")


def _look_at_answers(store: Path, said: list[str]) -> list[str]:
    wrong = works.look(store, [])
    latest = dict(line.split() for line in said)
    with _cached(store) as memory:
        known = {one.id for one in memory.admin.answers(limit=1000)}
        for id, state in latest.items():
            if state != "going" and (id in known) != (state == "kept"):
                wrong.append(f"the answer {id} is {state}, and that is not so")
        if not memory.search("kept").results:
            wrong.append("what is there is not found")
    return wrong


# ------------------------------------------------------------------ whole stores


def _migrate(store: Path, first: int, say: Say) -> None:
    for i in range(first, first + 40):
        migrate_store(store, store.parent / f"to{i}")
        say(f"to{i}")


def _export(store: Path, first: int, say: Say) -> None:
    save_in_turn(
        store,
        first,
        say,
        ("a.jsonl", "b.jsonl.gz", "c.jsonl"),
        lambda memory, file: memory.admin.export_all(file, force=True),
    )


def _an_export(store: Path) -> None:
    some_notes(store)
    with opened(store) as memory:
        memory.admin.export_all(store.parent / "kept.jsonl")


def _import(store: Path, first: int, say: Say) -> None:
    for i in range(first, first + 40):
        _imported(store.parent / "kept.jsonl", store.parent / f"to{i}")
        say(f"to{i}")


def _imported(file: Path, to: Path) -> None:
    archive.BATCH = 10
    with opened(to) as memory:
        memory.admin.import_all(file)


def _imported_again(store: Path, to: Path) -> None:
    _imported(store.parent / "kept.jsonl", to)


def _migrated_again(store: Path, to: Path) -> None:
    """Unless it was finished, and there was no time to say so: a store in use is refused."""
    if (to / migrate.NOTE).exists() or not names_of([to]):
        migrate_store(store, to)


def _look_at_copies(
    again: Callable[[Path, Path], object],
) -> Callable[[Path, list[str]], list[str]]:
    """A copy that was finished is whole; one that was not is when the same is run *again*."""

    def look(store: Path, said: list[str]) -> list[str]:
        wrong = works.look(store, [])
        for to in sorted(store.parent.glob("to[0-9]*")):
            if to.name not in said:
                again(store, to)
            wrong += [f"{to.name}: {part}: {what}" for part, what in full_check(to)]
            lost = names_of([store]) - names_of([to]) - {"after"}
            wrong += [f"{name} is not in {to.name}" for name in sorted(lost)]
            shutil.rmtree(to)
        return wrong

    return look


def _repair(store: Path, first: int, say: Say) -> None:
    """Of a store of which a page is lost that another table makes up for."""
    for i in range(first, first + 40):
        with opened(store) as memory:
            put(memory.store, note(f"r{i}", f"word{i} new"))
        say(f"r{i} word{i}")
        _lose_page(store, ("documents_external", "documents_source")[i % 2])
        repair_store(store)
        say("repaired")
        for aside in store.parent.glob("store.damaged-*"):
            shutil.rmtree(aside)


def _lose_page(store: Path, index: str) -> None:
    file = store / "record.db"
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = db.execute(_INDEX_ROOT, (index,)).fetchone()
        (size,) = db.execute("PRAGMA page_size").fetchone()
    with open(file, "r+b") as content:
        content.seek((page - 1) * size)
        content.write(bytes(size))


def _look_at_repaired(store: Path, said: list[str]) -> list[str]:
    """There is a store in the place, the damaged or the repaired one, of which repair makes one
    that has all that was acknowledged."""
    if not (store / "record.db").exists():
        return ["there is no store in the place"]
    if full_check(store):
        repair_store(store)
    return works.look(store, [line for line in said if line != "repaired"])


# ------------------------------------------------------------------ files of people


def _export_tree(store: Path, first: int, say: Say) -> None:
    """Each of seven pages has one fact, which changes."""
    with without_models(store) as memory:
        for i in range(first, first + 40):
            _on_page(memory, i % 7, f"The port is {i}.")
            memory.admin.export_tree(store.parent / "tree")
            say(f"{i % 7} {i}")


def _on_page(memory: Memory, page: int, text: str) -> None:
    about = {"id": f"port{page}", "name": f"port {page}", "meta": {"page": f"ops/ports/p{page}"}}
    memory.remember(text, **about, embed=False)  # type: ignore[arg-type]


def _look_at_tree(store: Path, said: list[str]) -> list[str]:
    """Nobody has edited a file, so that every one may be written; each has what was said last."""
    wrong = works.look(store, [])
    latest = dict(line.split() for line in said)
    with without_models(store) as memory:
        _on_page(memory, 9, f"The port is new{len(said)}.")
        done = memory.admin.export_tree(store.parent / "tree")
        texts = {fact.id: fact.text for fact in _facts(memory)}
    for page, number in latest.items():
        file = store.parent / "tree" / "ops" / "ports" / f"p{page}.md"
        if texts[f"port{page}"] not in file.read_text():
            wrong.append(f"{file.name} has not what the store has")
        if int(texts[f"port{page}"].split()[-1][:-1]) < int(number):
            wrong.append(f"port {page} is {texts[f'port{page}']}, after {number}")
    return wrong + [f"{one.where} is refused: {one.reason}" for one in done.refused]


_OWN = '{\n  "theme": "dark",\n  "mcpServers": {"other": {"command": "other"}}\n}\n'


def _at_home(store: Path) -> Path:
    """Has this process work for a user of its own; returns that user's settings of an agent."""
    home = store.parent / "user"
    os.environ |= {"HOME": str(home), "RECOLLECT_HOME": str(home / "recollect"), "PATH": ""}
    return home / ".cursor" / "mcp.json"


def _a_user(store: Path) -> None:
    some_notes(store)
    file = _at_home(store)
    file.parent.mkdir(parents=True)
    file.write_text(_OWN)


def _run(*words: str) -> None:
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        code = cli.run(words)
    if code:
        raise RuntimeError(out.getvalue())


def _configure(store: Path, first: int, say: Say) -> None:
    _at_home(store)
    for i in range(first, first + 90):
        _run("config", "set", "search.limit", f"{i % 1000 + 1}")
        say(f"{i % 1000 + 1}")


def _look_at_config(store: Path, said: list[str]) -> list[str]:
    _at_home(store)
    have = int(config.read_file(config.user_file()).get("search.limit", 1))
    # One more may be set, with no time to say so: the next, or the first of another process.
    last = int(said[-1]) if said else have
    sound = have in (last, last % 1000 + 1) or have % 100 == 1
    return [] if sound else [f"search.limit is {have} and not {last}"]


def _install(store: Path, first: int, say: Say) -> None:
    _at_home(store)
    for i in range(first, first + 40):
        _run("install", "cursor", "--store", str(store))
        say(f"installed {i}")
        _run("install", "cursor", "--uninstall")
        say(f"uninstalled {i}")


def _look_at_settings(store: Path, _: list[str]) -> list[str]:
    """The user's own settings stay; uninstalling leaves nothing else."""
    file, wrong = _at_home(store), list[str]()
    held = json.loads(file.read_text())
    if held["theme"] != "dark" or "other" not in held["mcpServers"]:
        wrong.append(f"the user's own settings are {held}")
    _run("install", "cursor", "--uninstall")
    # Killed between the file and the note of what was added, the spaces around it may differ.
    if json.loads(file.read_text()) != json.loads(_OWN):
        wrong.append(f"uninstalling left {file.read_text()!r}")
    left = sorted(path.name for path in file.parent.iterdir() if path != file)
    return wrong + [f"uninstalling left {name}" for name in left]


_copied, _imported_whole = _look_at_copies(_migrated_again), _look_at_copies(_imported_again)
WORKS = works.WORKS | {
    "facts": Work(_change_facts, _look_at_facts, steps=2500, seconds=0.8),
    "undo": Work(_take_back, _look_at_curations, steps=2500, seconds=0.8),
    "answers": Work(_answer, _look_at_answers, some_notes, steps=1500, seconds=0.8),
    "migrate-store": Work(_migrate, _copied, some_notes, steps=1500, seconds=0.8),
    "export": Work(_export, look_at_files("[abc].jsonl*", _imported), steps=1500, seconds=0.8),
    "import-all": Work(_import, _imported_whole, _an_export, steps=1500, seconds=0.8),
    "repair": Work(_repair, _look_at_repaired, some_notes, steps=1500, seconds=0.8),
    "tree": Work(_export_tree, _look_at_tree, steps=1500, seconds=0.8),
    "config": Work(_configure, _look_at_config, _a_user, steps=300, seconds=0.3),
    "install": Work(_install, _look_at_settings, _a_user, steps=300, seconds=0.5),
}
