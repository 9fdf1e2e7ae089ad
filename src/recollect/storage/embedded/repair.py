"""A sound store out of a damaged one.

The damaged file is copied and only the copy is read. What can be read of each table goes into a new
record under the same numbers; then what does not fit together is mended there: documents get the
hash of what is left of them, messages and documents that are lost get a place for their text, what
belongs to nothing goes. A label that is lost is never replaced by one that would let more people
see something. The new store is looked over, and takes the place of the old one, which is kept.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import product
from operator import itemgetter
from pathlib import Path
from typing import Any

from recollect import permissions
from recollect.errors import NotFound, StoreCorrupt, StoreError, StoreTooNew
from recollect.named_tuple import NamedTuple
from recollect.nouns import not_among, stable_id
from recollect.storage.content import digest
from recollect.storage.embedded import audit, record_file, swap
from recollect.storage.embedded.backup import RECORD, USAGE, Tell, begin_anew, refuse_unsound
from recollect.storage.embedded.dump import whole
from recollect.storage.embedded.queries import column_of
from recollect.storage.embedded.record import Record
from recollect.storage.embedded.schema import MIGRATIONS, count_walls, migrate

SALVAGED = "salvaged"
"""Source, owner and scope of that of which those are lost."""
_PROBED = 5_000_000
"""So many keys are looked for one by one between two that are lost."""
_BY_KEY = {
    "sources": "id",
    "labels": "id",
    "documents": "key",
    "passages": "key",
    "models": "id",
    "vectors": "seq",
    "events": "seq",
}
_TYPES: Mapping[str, tuple[type, ...]] = {
    "TEXT": (str,),
    "INTEGER": (int,),
    "BLOB": (bytes,),
    "REAL": (float, int),
}
_NAMES = ("id", "external", "name", "dimension", "handle", "key")
"""Columns of names, which have no NUL in them."""
_JSON = {
    "documents": {"meta": "{}"},
    "sources": {"places": "[]"},
    "answers": {"sources": "[]", "within": "null"},
}
"""Columns of JSON, and what stands for what cannot be read of them."""
_BY_DOCUMENT = ("messages", "handles")
_INDEXES = {
    "sqlite_autoindex_documents_1": "id",
    "documents_external": "external",
    "documents_source": "source",
}
_LABELS = {"owner": "owner", "kind": "kind", "scopes": "scopes", "issue": "issue", "event": "event"}


class RepairReport(NamedTuple):
    store: str
    aside: str
    """Where the damaged one is."""
    documents: int
    passages: int
    incomplete: tuple[str, ...]
    """Documents of which a part is lost or changed, by their ids; the next import of their source
    brings them back."""
    unnamed: int
    """Documents of which only text is left: they are in the source ``salvaged``."""
    lost: tuple[str, ...]
    """Documents of which nothing is left, by their ids, as far as their history is known."""
    unreadable: tuple[str, ...]
    """Tables of which a part could not be read."""

    def as_json(self) -> dict[str, Any]:
        return self._asdict()


def repair(folder: Path, *, tell: Tell) -> RepairReport:
    """Make the store in *folder* anew from what can be read of it."""
    if not (folder / RECORD).is_file():
        if folder.is_dir() and record_file.remnants(folder):
            record_file.standing(folder)
        raise NotFound(f"there is no store at {folder}", hint="name it with --store")
    swap.refuse_in_use(folder)
    with swap.beside(folder) as scratch:
        made = scratch / "store"
        permissions.folder(made)
        copy = scratch / "old.db"
        for end in ("", "-wal"):
            with suppress(FileNotFoundError):
                shutil.copyfile(folder / f"{RECORD}{end}", f"{copy}{end}")
        _lengthen(copy)
        unreadable = _salvage(copy, made, tell)
        tell("mending", 0, 0)
        with closing(Record(made)) as record:
            incomplete, unnamed, lost = record.mended(_mend)
            with record.snapshot():
                refuse_unsound(folder / RECORD, record)
                counts, state = record.counts(), record.state()
        begin_anew(made, tell)
        with suppress(FileNotFoundError):
            shutil.copyfile(folder / USAGE, made / USAGE)
            os.chmod(made / USAGE, permissions.FILE)
        aside = swap.put_in_place(made, folder, "damaged")
    return RepairReport(
        str(folder),
        str(aside),
        counts["documents"],
        state.passages,
        incomplete,
        unnamed,
        lost,
        unreadable,
    )


# ------------------------------------------------------------------ reading what can be read


def _lengthen(file: Path) -> None:
    """Give a file that was cut short its length again: SQLite reads none that is too short."""
    with open(file, "r+b") as content:
        head = content.read(100)
        if not head:  # SQLite deletes the log of an empty file; of a garbled one it reads it
            content.truncate(4096)
        if head.startswith(b"SQLite format 3\0") and len(head) == 100:
            size = int.from_bytes(head[16:18], "big")
            wanted = (65536 if size == 1 else size) * int.from_bytes(head[28:32], "big")
            if content.seek(0, 2) < wanted < 1 << 42:
                content.truncate(wanted)


def _salvage(damaged: Path, made: Path, tell: Tell) -> tuple[str, ...]:
    """Rows into a new record; the tables of which not all could be read."""
    with (
        closing(Record(made)) as record,
        closing(sqlite3.connect(damaged, isolation_level=None)) as old,
    ):
        old.text_factory = lambda raw: raw.decode("utf-8", "replace")
        try:
            version = old.execute("PRAGMA user_version").fetchone()[0]
            tables = set(column_of(old, "SELECT name FROM sqlite_master"))
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise StoreCorrupt(
                f"nothing can be read of {RECORD}: {error}",
                hint="`recollect restore BACKUP` goes back to a backup; nothing was changed",
            ) from error
        if version > len(MIGRATIONS):
            raise StoreTooNew(
                f"the store was written by a newer recollect (schema {version})",
                hint="upgrade recollect; nothing was changed",
            )
        # What cannot be brought up to date is read as it is.
        with suppress(StoreError, sqlite3.Error, UnicodeDecodeError):
            migrate(old, damaged.parent)
            tables = set(column_of(old, "SELECT name FROM sqlite_master"))
        reader = _DamagedReader(old)
        record.mended(lambda _, db: _take(reader, db, tables, tell))
        names = reader.names() if "documents" in reader.broken else []
        record.mended(lambda _, db: _name_documents(db, names))
        return tuple(sorted(reader.broken))


def _take(reader: _DamagedReader, db: sqlite3.Connection, tables: set[str], tell: Tell) -> None:
    done, insert = 0, _Inserter(db, reader.broken)
    for table, key in _BY_KEY.items():
        for row in reader.rows(table, key):
            insert(table, row)
            done += 1
            if done % 5000 == 0:
                tell("salvaging", done, 0)
    documents = column_of(
        db, "SELECT DISTINCT document FROM passages UNION SELECT key FROM documents"
    )
    for table, document in product(tables.intersection(_BY_DOCUMENT), documents):
        for row in reader.of(table, document):
            insert(table, row)
    for table in tables.intersection(("tombstones", "answers")):
        for row in reader.both_ways(table, "id"):
            insert(table, row)
    state = next(iter(reader.rows("state", "one")), {})
    db.execute(
        "UPDATE state SET seq = ?, generation = ?",
        (state.get("seq", 0), state.get("generation", 1)),
    )


class _Inserter:
    """Puts rows into the new record; not those that hold something else than they should."""

    def __init__(self, db: sqlite3.Connection, broken: set[str]) -> None:
        self._db = db
        self._broken = broken
        self._types: dict[str, dict[str, tuple[type, ...]]] = {}

    def __call__(self, table: str, row: dict[str, Any]) -> None:
        if table not in self._types:
            about = self._db.execute(f"PRAGMA table_info({table})").fetchall()
            self._types[table] = {
                name: _TYPES[kind] if needed or key else (*_TYPES[kind], type(None))
                for _, name, kind, needed, _, key in about
            }
        types = self._types[table]
        sound = all(isinstance(value, types.get(name, ())) for name, value in row.items())
        if not sound or _is_garbled(table, row):
            self._broken.add(table)
            return
        for column, default in _JSON.get(table, {}).items():
            if not _is_json(row.get(column, default), type(json.loads(default))):
                self._broken.add(table)
                row[column] = default
        marks = ", ".join("?" * len(row))
        self._db.execute(
            f"INSERT OR IGNORE INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values())
        )


def _is_garbled(table: str, row: Mapping[str, Any]) -> bool:
    """Tells whether a name in a row was overwritten: nobody would find the rest of it by that."""
    if any("\0" in str(row.get(name) or "") for name in _NAMES):
        return True
    return table == "labels" and row["dimension"] == "scopes" and not _is_json(row["value"], list)


def _is_json(text: str, kind: type) -> bool:
    try:
        return isinstance(json.loads(text), kind)
    except (ValueError, RecursionError):
        return False


class _Named(NamedTuple):
    """A document by what can be known of it without itself."""

    key: int
    id: str = ""
    external: str = ""
    source: int = 0


class _DamagedReader:
    """What can be read of a damaged database. ``broken`` names the tables where not all could."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self.broken: set[str] = set()

    def _select(self, table: str, rest: str, values: tuple[Any, ...]) -> Iterator[dict[str, Any]]:
        cursor = self._db.execute(f"SELECT * FROM {table} {rest}", values)
        names = list(map(itemgetter(0), cursor.description))
        yield from (dict(zip(names, row, strict=True)) for row in cursor)

    def rows(self, table: str, key: str) -> Iterator[dict[str, Any]]:
        """From the first on, from the last on, and what is between them one by one."""
        low = high = None
        try:
            for row in self._select(table, f"ORDER BY {key}", ()):
                low = row[key]
                yield row
            return
        except (sqlite3.DatabaseError, OverflowError):
            self.broken.add(table)
        first = -1 if low is None else low
        try:
            for row in self._select(table, f"WHERE {key} > ? ORDER BY {key} DESC", (first,)):
                high = row[key]
                yield row
        except (sqlite3.DatabaseError, OverflowError):
            pass
        last = self._last() if high is None else high
        for at in range(first + 1, min(last, first + _PROBED)):
            with suppress(sqlite3.DatabaseError):
                yield from self._select(table, f"WHERE {key} = ?", (at,))

    def _last(self) -> int:
        """A number that no key is beyond: the last change, or else many."""
        with suppress(sqlite3.DatabaseError, TypeError):
            return int(self._db.execute("SELECT seq FROM state").fetchone()[0]) + 1
        return _PROBED

    def both_ways(self, table: str, key: str) -> Iterator[dict[str, Any]]:
        for order in ("", "DESC"):
            try:
                yield from self._select(table, f"ORDER BY {key} {order}", ())
                return
            except (sqlite3.DatabaseError, OverflowError):
                self.broken.add(table)

    def names(self) -> list[_Named]:
        """What the indexes of the documents know of them, which are pages of their own."""
        found: dict[int, dict[str, Any]] = {}
        for index, column in _INDEXES.items():
            with suppress(sqlite3.DatabaseError):
                for key, value in self._db.execute(
                    f"SELECT key, {column} FROM documents INDEXED BY {index} ORDER BY {column}"
                ):
                    found.setdefault(key, {})[column] = value
        return [_Named(key, **about) for key, about in found.items()]

    def of(self, table: str, document: int) -> Iterator[dict[str, Any]]:
        try:
            yield from self._select(table, "WHERE document = ?", (document,))
        except sqlite3.DatabaseError:
            self.broken.add(table)


# ------------------------------------------------------------------ making it fit together


class _Mended(NamedTuple):
    incomplete: tuple[str, ...]
    unnamed: int
    lost: tuple[str, ...]


def _mend(record: Record, db: sqlite3.Connection) -> _Mended:
    _name_documents(db, [])
    _label_all(db)
    _give_messages(db)
    for table, column in (("messages", "document"), ("handles", "document")):
        db.execute(f"DELETE FROM {table} WHERE {column} NOT IN (SELECT key FROM documents)")
    db.execute("DELETE FROM documents WHERE id IN (SELECT id FROM tombstones)")
    for table in ("passages", "messages", "handles"):
        db.execute(f"DELETE FROM {table} WHERE document NOT IN (SELECT key FROM documents)")
    there = set(column_of(db, "SELECT id FROM documents"))
    incomplete = tuple(_rehash(record, db))
    (unnamed,) = db.execute(
        "SELECT COUNT(*) FROM documents WHERE source = (SELECT id FROM sources WHERE name = ?)",
        (SALVAGED,),
    ).fetchone()
    db.execute(
        "DELETE FROM vectors WHERE passage NOT IN (SELECT key FROM passages) "
        "OR model NOT IN (SELECT id FROM models)"
    )
    _recount(db)
    lost = column_of(
        db,
        "SELECT id FROM (SELECT id, action, MAX(seq) FROM events GROUP BY id) "
        "WHERE action IN ('added', 'changed') AND id NOT IN (SELECT id FROM documents)",
    )
    # One whose owner or source is lost has another id by now, and is incomplete.
    return _Mended(incomplete, unnamed, tuple(not_among(lost, there)))


def _name_documents(db: sqlite3.Connection, names: Sequence[_Named]) -> None:
    """Documents for passages whose own is lost: under the id they had, where that can be told."""
    unnamed = (
        "SELECT DISTINCT document FROM passages WHERE document NOT IN (SELECT key FROM documents)"
    )
    gone = set(column_of(db, unnamed))
    owners = column_of(db, "SELECT value FROM labels WHERE dimension = 'owner'")
    sources = dict(db.execute("SELECT id, name FROM sources").fetchall())
    for one in names:
        owner = next(
            (
                o
                for o in owners
                if one.id == stable_id(o, sources.get(one.source, ""), "", one.external)
            ),
            None,
        )
        if one.key in gone and owner is not None:
            _put(db, one, owner)
            gone.remove(one.key)
    if gone:
        db.execute(
            "INSERT OR IGNORE INTO sources (name, kind, uri, stamp) VALUES (?, 'caller', '', '')",
            (SALVAGED,),
        )
    for key in sorted(gone):
        (source,) = db.execute("SELECT id FROM sources WHERE name = ?", (SALVAGED,)).fetchone()
        external = f"{SALVAGED}-{key}"
        id = stable_id(SALVAGED, SALVAGED, "", external)
        _put(db, _Named(key, id, external, source), SALVAGED)


def _put(db: sqlite3.Connection, named: _Named, owner: str) -> None:
    """A document of which the text is known, and little else: nobody sees it who does not ask for
    what was salvaged."""
    db.execute(
        "INSERT INTO documents VALUES (?, ?, ?, ?, '', ?, ?, ?, ?, ?, ?, '', NULL, '{}', '', x'')",
        (
            named.key,
            named.id,
            named.source,
            named.external,
            _label(db, "owner", owner),
            _label(db, "kind", "note"),
            _label(db, "scopes", f'["{SALVAGED}"]'),
            _label(db, "issue", ""),
            _label(db, "event", ""),
            named.external,
        ),
    )


def _label(db: sqlite3.Connection, dimension: str, value: str) -> int:
    db.execute("INSERT OR IGNORE INTO labels (dimension, value) VALUES (?, ?)", (dimension, value))
    select = "SELECT id FROM labels WHERE dimension = ? AND value = ?"
    return int(db.execute(select, (dimension, value)).fetchone()[0])


def _label_all(db: sqlite3.Connection) -> None:
    """A value for every label and source that something has and that is lost: its own number, so
    that nobody sees by it what they could not see before."""
    used = {("documents", column): dimension for column, dimension in _LABELS.items()}
    for (table, column), dimension in {**used, ("passages", "role"): "role"}.items():
        for (id,) in db.execute(
            f"SELECT DISTINCT {column} FROM {table} WHERE {column} NOT IN "
            "(SELECT id FROM labels WHERE dimension = ?)",
            (dimension,),
        ).fetchall():
            name = f"{SALVAGED}-{id}"
            label = _label(db, dimension, f'["{name}"]' if dimension == "scopes" else name)
            db.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (label, id))
    for (id,) in db.execute(
        "SELECT DISTINCT source FROM documents WHERE source NOT IN (SELECT id FROM sources)"
    ).fetchall():
        db.execute(
            "INSERT INTO sources (id, name, kind, uri, stamp) VALUES (?, ?, 'caller', '', '')",
            (id, f"{SALVAGED}-{id}"),
        )


def _give_messages(db: sqlite3.Connection) -> None:
    """A message for every turn of a session that has text and no message."""
    db.execute(
        "INSERT OR IGNORE INTO messages (document, turn, role, id, date) "
        "SELECT p.document, p.turn, l.value, '', NULL FROM passages p "
        "JOIN labels l ON l.id = p.role WHERE p.document IN (SELECT document FROM passages "
        "WHERE turn > 0) OR l.value != ''"
    )


def _rehash(record: Record, db: sqlite3.Connection) -> Iterator[str]:
    """Give each document that is not as it was stored the hash of what it is now; those ids."""
    for key, id, made in db.execute("SELECT key, id, digest FROM documents").fetchall():
        try:
            put = whole(record, db, key, {}).put
            named, known = put.document.id, audit.is_of(put, made)
        except (ValueError, TypeError, KeyError):  # its metadata is not what it should be
            db.execute("UPDATE documents SET meta = '{}' WHERE key = ?", (key,))
            put = whole(record, db, key, {}).put
            named, known = put.document.id, audit.is_of(put, made)
        if named == id and known:
            continue
        stamp = "" if put.document.kind not in ("fact", "page") else put.document.stamp
        now = digest(put._replace(document=put.document._replace(stamp=stamp)))
        db.execute(
            "UPDATE OR IGNORE documents SET id = ?, digest = ?, stamp = ? WHERE key = ?",
            (named, now, stamp, key),
        )
        db.execute(
            "DELETE FROM vectors WHERE passage IN (SELECT key FROM passages WHERE document = ?)",
            (key,),
        )
        if put.document.source != SALVAGED:
            yield named


def _recount(db: sqlite3.Connection) -> None:
    db.execute("UPDATE models SET vectors = (SELECT COUNT(*) FROM vectors WHERE model = models.id)")
    (passages,) = db.execute("SELECT COUNT(*) FROM passages").fetchone()
    long = audit.characters(db)
    db.execute("UPDATE state SET passages = ?, characters = ?", (passages, long))
    count_walls(db)
    for table, key in (
        ("passages", "key"),
        ("documents", "key"),
        ("vectors", "seq"),
        ("events", "seq"),
        ("sources", "seq"),
    ):
        db.execute(
            f"UPDATE state SET seq = MAX(seq, (SELECT COALESCE(MAX({key}), 0) FROM {table}))"
        )
