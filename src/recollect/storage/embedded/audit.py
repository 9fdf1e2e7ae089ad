"""Whether a record is sound, and whether its indexes agree with it. Nothing is changed here.

SQLite's own check finds pages that do not fit together; that every document still has the hash it
was stored with finds a letter that has changed inside of one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import StoreCorrupt
from recollect.nouns import Put
from recollect.ports import Finding
from recollect.storage.content import digest
from recollect.storage.embedded.dump import whole
from recollect.storage.embedded.lock import holders
from recollect.storage.embedded.sqlite_file import is_busy
from recollect.storage.times import from_seconds
from recollect.text import lexical

if TYPE_CHECKING:
    from recollect.storage.embedded.record import Record
    from recollect.storage.embedded.text_index import Snapshot

SAMPLE = 50
"""Passages that are looked for in the text index, unless all are."""
_SHOWN = 10
_GIVEN = "/!turns "
"""In the handles that the fourth migration has given to facts."""
_WRONG = {
    "passages of no document": "SELECT COUNT(*) FROM passages WHERE document NOT IN "
    "(SELECT key FROM documents)",
    "messages of no document": "SELECT COUNT(*) FROM messages WHERE document NOT IN "
    "(SELECT key FROM documents)",
    "handles of no document": "SELECT COUNT(*) FROM handles WHERE document NOT IN "
    "(SELECT key FROM documents)",
    "vectors of no passage": "SELECT COUNT(*) FROM vectors WHERE passage NOT IN "
    "(SELECT key FROM passages)",
    "vectors of no model": "SELECT COUNT(*) FROM vectors WHERE model NOT IN "
    "(SELECT id FROM models)",
    "documents of no source": "SELECT COUNT(*) FROM documents WHERE source NOT IN "
    "(SELECT id FROM sources)",
    "documents with a label that is gone": "SELECT COUNT(*) FROM documents d WHERE EXISTS "
    "(SELECT 1 FROM (SELECT d.owner AS id UNION SELECT d.kind UNION SELECT d.scopes "
    "UNION SELECT d.issue UNION SELECT d.event) l WHERE l.id NOT IN (SELECT id FROM labels))",
    "documents that are there although forgotten": "SELECT COUNT(*) FROM documents WHERE id IN "
    "(SELECT id FROM tombstones)",
    "passages that are there although deleted": "SELECT COUNT(*) FROM passages WHERE key IN "
    "(SELECT passage FROM deletions)",
    "places in a document that two passages have": "SELECT COUNT(*) FROM (SELECT 1 FROM passages "
    "GROUP BY document, n HAVING COUNT(*) > 1)",
    "documents with a gap between passages": "SELECT COUNT(*) FROM (SELECT 1 FROM passages "
    "GROUP BY document HAVING MAX(n) + 1 != COUNT(DISTINCT n))",
    "numbers beyond the last change": "SELECT COUNT(*) FROM (SELECT key AS seq FROM passages "
    "UNION ALL SELECT seq FROM vectors UNION ALL SELECT seq FROM deletions "
    "UNION ALL SELECT seq FROM events) WHERE seq > (SELECT seq FROM state)",
    "models whose vectors are miscounted": "SELECT COUNT(*) FROM models m WHERE m.vectors != "
    "(SELECT COUNT(*) FROM vectors v WHERE v.model = m.id)",
}
"""What must not be, and how many of it there are."""


def pages(db: sqlite3.Connection, *, full: bool) -> Iterator[Finding]:
    """What SQLite says of the file: quickly, or with every index against its table."""
    for (line,) in db.execute(f"PRAGMA {'integrity' if full else 'quick'}_check({_SHOWN})"):
        if line != "ok":
            yield Finding("record", str(line))


def everything(record: Record, *, full: bool) -> list[Iterator[Finding]]:
    """Returns the checks of a record; each is made when it is read."""
    checks = [pages(record.db, full=full), counts(record, record.db, full=full)]
    return [*checks, orphans(record.db), _altered(record, record.db)] if full else checks


def _altered(record: Record, db: sqlite3.Connection) -> Iterator[Finding]:
    for id in changed(record, db):
        yield Finding("record", f"document {id} is not as it was stored")


def counts(record: Record, db: sqlite3.Connection, *, full: bool) -> Iterator[Finding]:
    """The totals that are kept against what they count."""
    state = record.state()
    (passages,) = db.execute("SELECT COUNT(*) FROM passages").fetchone()
    long = characters(db) if full else state.characters
    if (passages, long) != (state.passages, state.characters):
        text = f"there are {passages:,} passages of {long:,} characters and should be "
        yield Finding("record", f"{text}{state.passages:,} of {state.characters:,}")
    for model, said, found in db.execute(
        "SELECT key, vectors, (SELECT COUNT(*) FROM vectors v WHERE v.model = m.id) FROM models m"
    ):
        if found != said:
            yield Finding("record", f"{model}: there are {found:,} vectors and should be {said:,}")


def characters(db: sqlite3.Connection) -> int:
    """Of all passages; SQLite's own LENGTH ends at a NUL."""
    return sum(len(text) for (text,) in db.execute("SELECT text FROM passages"))


def orphans(db: sqlite3.Connection) -> Iterator[Finding]:
    for what, select in _WRONG.items():
        (found,) = db.execute(select).fetchone()
        if found:
            yield Finding("record", f"{found:,} {what}")


def changed(record: Record, db: sqlite3.Connection) -> Iterator[str]:
    """The documents that are not as they were stored, by their ids."""
    for key, id, made in db.execute("SELECT key, id, digest FROM documents ORDER BY key"):
        try:
            if not is_of(whole(record, db, key, {}).put, made):
                yield id
        except (StoreCorrupt, sqlite3.Error, ValueError, LookupError, TypeError, OverflowError):
            yield id


def is_of(put: Put, made: bytes) -> bool:
    """Whether it is what that hash was made of; without the handles that a migration gave it, if
    it is older than those."""
    if digest(put) == made:
        return True
    before = tuple(handle for handle in put.handles if _GIVEN not in handle)
    return before != put.handles and digest(put._replace(handles=before)) == made


def last_write(db: sqlite3.Connection) -> datetime | None:
    """The latest time that any of the last changes was written at."""
    (at,) = db.execute(
        "SELECT MAX(at) FROM (SELECT at FROM events ORDER BY seq DESC LIMIT 1000)"
    ).fetchone()
    return from_seconds(at)


def writable(folder: Path, seconds: float) -> Iterator[Finding]:
    """Whether a write would get its turn."""
    db = sqlite3.connect(folder / "record.db", timeout=seconds, isolation_level=None)
    try:
        db.execute("BEGIN IMMEDIATE")
        db.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        if is_busy(error):
            told = f"another process has been writing for over {seconds:.0f} s"
            yield Finding("lock", told + holders(folder))
        else:
            yield Finding("lock", f"it cannot be written: {error}")
    except sqlite3.DatabaseError:
        pass  # that it is damaged is told elsewhere
    finally:
        db.close()


# ------------------------------------------------------------------ the text index


def text(
    record: Record, db: sqlite3.Connection, snapshot: Snapshot, *, full: bool
) -> Iterator[Finding]:
    """A commit of the text index against the record as of then."""
    seen = snapshot.seq
    (wanted,) = db.execute(
        "SELECT (SELECT COUNT(*) FROM passages WHERE key <= ?1) + "
        "(SELECT COUNT(*) FROM deletions WHERE seq > ?1 AND passage <= ?1)",
        (seen,),
    ).fetchone()
    if snapshot.passages != wanted:
        yield Finding("text", f"it has {snapshot.passages:,} passages and should have {wanted:,}")
    batches = _batches(_spread(db, "passages", "key", seen, None if full else SAMPLE))
    missing = sum(len(some) - len(snapshot.holds(some)) for some in batches)
    if missing:
        yield Finding("text", f"{missing:,} passages of the record are not in it")
        return
    wrong = len(list(_misread(record, snapshot, db, seen)))
    if wrong:
        yield Finding("text", f"{wrong} of {SAMPLE} sampled passages are not found by words")


def _misread(
    record: Record, snapshot: Snapshot, db: sqlite3.Connection, seen: int
) -> Iterator[int]:
    """Sampled passages that are not found by their own words."""
    for row in record.rows(list(_spread(db, "passages", "key", seen, SAMPLE))):
        body = lexical.index_passage(row.title, row.path, row.heading, row.text).body
        words = sorted(body, key=lambda word: (-len(word), word))[:5]
        if words and snapshot.matched(words, [row.key])[row.key] != set(words):
            yield row.key


def sampled(db: sqlite3.Connection, *, full: bool) -> int:
    (there,) = db.execute("SELECT COUNT(*) FROM passages").fetchone()
    return int(there) if full else min(int(there), SAMPLE)


def _spread(
    db: sqlite3.Connection, table: str, key: str, upto: int, count: int | None
) -> Iterator[int]:
    """Keys up to that one: all, or about so many from the first to the last."""
    if count is None:
        for (found,) in db.execute(f"SELECT {key} FROM {table} WHERE {key} <= ?", (upto,)):
            yield found
        return
    last = 0
    step = max(1, upto // count)
    while last <= upto:
        row = db.execute(
            f"SELECT {key} FROM {table} WHERE {key} >= ? AND {key} <= ? ORDER BY {key} LIMIT 1",
            (last, upto),
        ).fetchone()
        if row is None:
            return
        yield row[0]
        last = max(row[0] + 1, last + step)


def _batches(keys: Iterator[int]) -> Iterator[list[int]]:
    while some := list(islice(keys, 500)):
        yield some
