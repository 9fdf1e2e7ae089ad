"""The record's schema, as numbered migrations that are only ever added to.

``PRAGMA user_version`` holds the number of migrations applied. A released migration is never
edited: stores written by every version open with the next.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from recollect.errors import StoreBusy, StoreTooNew
from recollect.storage.embedded.lock import file_lock

_FIRST = """
-- One row. seq: the last change. epoch: which history this is; an index of another is rebuilt.
-- generation: which text index is current. passages, characters: totals, for average lengths.
CREATE TABLE state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    epoch TEXT NOT NULL,
    seq INTEGER NOT NULL DEFAULT 0,
    generation INTEGER NOT NULL DEFAULT 1,
    passages INTEGER NOT NULL DEFAULT 0,
    characters INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    uri TEXT NOT NULL,
    stamp TEXT NOT NULL,
    seq INTEGER NOT NULL DEFAULT 0
);
-- Owners, kinds, roles, issues, events and whole sets of scopes, as numbers for the indexes.
CREATE TABLE labels (
    id INTEGER PRIMARY KEY,
    dimension TEXT NOT NULL,
    value TEXT NOT NULL,
    UNIQUE (dimension, value)
);
CREATE TABLE documents (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    source INTEGER NOT NULL,
    external TEXT NOT NULL,
    origin TEXT NOT NULL,
    owner INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    scopes INTEGER NOT NULL,
    issue INTEGER NOT NULL,
    event INTEGER NOT NULL,
    title TEXT NOT NULL,
    path TEXT NOT NULL,
    date INTEGER,  -- microseconds since 1970: what goes in comes out
    meta TEXT NOT NULL,
    stamp TEXT NOT NULL,
    digest BLOB NOT NULL
);
CREATE INDEX documents_external ON documents (external);
CREATE INDEX documents_source ON documents (source, key);
CREATE TABLE messages (
    document INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    role TEXT NOT NULL,
    id TEXT NOT NULL,
    date INTEGER,
    PRIMARY KEY (document, turn)
) WITHOUT ROWID;
CREATE INDEX messages_id ON messages (id) WHERE id != '';
CREATE TABLE passages (
    key INTEGER PRIMARY KEY,
    document INTEGER NOT NULL,
    n INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    role INTEGER NOT NULL,
    heading TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX passages_document ON passages (document, n);
CREATE TABLE deletions (seq INTEGER PRIMARY KEY, passage INTEGER NOT NULL);
-- vectors: how many there are, kept with every change, because counting them takes too long.
CREATE TABLE models (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL,
    vectors INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE vectors (
    seq INTEGER PRIMARY KEY,
    model INTEGER NOT NULL,
    passage INTEGER NOT NULL,
    vector BLOB NOT NULL
);
CREATE UNIQUE INDEX vectors_passage ON vectors (passage, model);
CREATE TABLE tombstones (id TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    action TEXT NOT NULL,
    at REAL NOT NULL
);
CREATE INDEX events_id ON events (id);
"""


def _first(db: sqlite3.Connection) -> None:
    for statement in filter(str.strip, _FIRST.split(";\n")):
        db.execute(statement)
    db.execute("INSERT INTO state (one, epoch) VALUES (1, ?)", (os.urandom(16).hex(),))


def _places(db: sqlite3.Connection) -> None:
    """What a source gathers, as JSON: [[uri, redact, history], …]."""
    db.execute("ALTER TABLE sources ADD COLUMN places TEXT NOT NULL DEFAULT '[]'")


def _handles(db: sqlite3.Connection) -> None:
    """Further names that documents are found under, whole."""
    db.execute(
        "CREATE TABLE handles (handle TEXT NOT NULL, document INTEGER NOT NULL, "
        "PRIMARY KEY (handle, document)) WITHOUT ROWID"
    )
    db.execute("CREATE INDEX handles_document ON handles (document)")


def _answers(db: sqlite3.Connection) -> None:
    """What callers wrote from what was found; and the days on which facts begin or end."""
    db.execute(
        "CREATE TABLE answers (id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, "
        "space TEXT NOT NULL, at INTEGER NOT NULL, query TEXT NOT NULL, answer TEXT NOT NULL, "
        "sources TEXT NOT NULL, owner TEXT NOT NULL, confidence REAL NOT NULL, "
        "stale INTEGER NOT NULL, within TEXT NOT NULL) WITHOUT ROWID"
    )
    db.execute("CREATE INDEX answers_fingerprint ON answers (fingerprint)")
    db.execute("CREATE INDEX answers_space ON answers (space, at)")
    db.execute("CREATE INDEX answers_at ON answers (at)")
    for name in ("valid_from", "valid_to", "ended", "resolved_at"):
        db.execute(
            "INSERT OR IGNORE INTO handles SELECT o.value || '/!turns ' || "
            "date(json_extract(d.meta, ?1)), d.key FROM documents d "
            "JOIN labels k ON k.id = d.kind AND k.value = 'fact' JOIN labels o ON o.id = d.owner "
            "WHERE date(json_extract(d.meta, ?1)) IS NOT NULL",
            (f"$.{name}",),
        )


def _walls(db: sqlite3.Connection) -> None:
    """What each source has of an owner in the same scopes: its last change, and totals. A wall
    stands between such rows, so that what one side of it sees is told by them alone."""
    db.execute(
        "CREATE TABLE IF NOT EXISTS walls (owner INTEGER NOT NULL, scopes INTEGER NOT NULL, "
        "source INTEGER NOT NULL, seq INTEGER NOT NULL, documents INTEGER NOT NULL, "
        "passages INTEGER NOT NULL, characters INTEGER NOT NULL, "
        "PRIMARY KEY (owner, scopes, source)) WITHOUT ROWID"
    )
    count_walls(db)


def count_walls(db: sqlite3.Connection) -> None:
    """Counts anew what the rows of ``walls`` tell."""
    db.execute("DELETE FROM walls")
    db.execute(
        "INSERT INTO walls SELECT d.owner, d.scopes, d.source, s.seq, COUNT(DISTINCT d.key), "
        "COUNT(p.key), COALESCE(SUM(LENGTH(p.text)), 0) FROM documents d "
        "JOIN sources s ON s.id = d.source LEFT JOIN passages p ON p.document = d.key "
        "GROUP BY d.owner, d.scopes, d.source"
    )


def _sentences(db: sqlite3.Connection) -> None:
    """The signs of the vectors of a passage's sentences, beside its own; NULL where there are none,
    as of all that was embedded before. A store whose version was set back has the column."""
    columns = {name for _, name, *_ in db.execute("PRAGMA table_info(vectors)")}
    if "sentences" not in columns:
        db.execute("ALTER TABLE vectors ADD COLUMN sentences BLOB")


MIGRATIONS: Sequence[Callable[[sqlite3.Connection], None]] = (
    _first,
    _places,
    _handles,
    _answers,
    _walls,
    _sentences,
)


def migrate(db: sqlite3.Connection, folder: Path) -> None:
    """Bring the record to the newest schema; one process does it, the others wait."""
    if _version(db, folder) == len(MIGRATIONS):
        return
    with file_lock(folder / "migrate.lock", wait=60.0) as held:
        if not held:
            raise StoreBusy(
                f"{folder}: another process is migrating this store",
                hint="try again when it has finished",
            )
        db.execute("PRAGMA journal_mode = WAL")
        for number in range(_version(db, folder), len(MIGRATIONS)):
            db.execute("BEGIN IMMEDIATE")
            try:
                MIGRATIONS[number](db)
                db.execute(f"PRAGMA user_version = {number + 1}")
                db.execute("COMMIT")
            except BaseException:
                db.execute("ROLLBACK")
                raise


def _version(db: sqlite3.Connection, folder: Path) -> int:
    found = int(db.execute("PRAGMA user_version").fetchone()[0])
    if found > len(MIGRATIONS):
        raise StoreTooNew(
            f"{folder} was written by a newer recollect (schema {found}, this one knows "
            f"{len(MIGRATIONS)})",
            hint="upgrade recollect, or point --store at another folder; nothing was changed",
        )
    return found
