"""Whether a store is whole: the record with itself, and each index with the record.

Everything is looked at, so that it takes as long as reading the store does; nothing is changed,
and other processes may go on writing meanwhile. A fault of an index is mended by building it anew
(``recollect rebuild``); one of the record is not.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from recollect.errors import StoreError
from recollect.storage.content import digest
from recollect.storage.embedded.record import Record
from recollect.storage.embedded.rows import Row, State
from recollect.storage.embedded.text_index import Snapshot, TextIndex, TornIndex
from recollect.storage.embedded.vector_index import Segment, VectorIndex, vector_folder
from recollect.text.lexical import index_passage
from recollect.types import Passage, Put

_WORDS = 20
"""So many words of each passage are looked up in the text index."""
_TRIES = 3
_NAMED = 5

_COUNTS = {
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


class Fault(NamedTuple):
    part: str
    """``record``, ``text``, or ``vectors`` and the model."""
    what: str


def full_check(folder: Path) -> list[Fault]:
    """What is wrong with the store there; nothing, if all is well. An index that is missing or
    behind is no fault: it is derived, and catches up when it is needed."""
    with closing(Record(folder, once=True)) as record:
        faults = [Fault("record", what) for what in _record_faults(record)]
        faults += [Fault("text", what) for what in _retried(folder, record, _text_faults)]
        for model in record.models():
            part = f"vectors {model}"
            found = _retried(folder, record, partial(_vector_faults, model=model))
            faults += [Fault(part, what) for what in found]
    return faults


def _retried(
    folder: Path, record: Record, look: Callable[[Path, Record], Iterable[str]]
) -> list[str]:
    """Look again where something was found: another process may have replaced the files."""
    found: list[str] = []
    for _ in range(_TRIES):
        found = list(look(folder, record))
        if not found:
            break
    return found


# ------------------------------------------------------------------ the record


def _record_faults(record: Record) -> Iterator[str]:
    with record.snapshot():
        db, state = record.db, record.state()
        try:
            for (said,) in db.execute("PRAGMA integrity_check(20)"):
                if said != "ok":
                    yield f"SQLite says: {said}"
            for what, count in _COUNTS.items():
                if wrong := db.execute(count).fetchone()[0]:
                    yield f"{wrong:,} {what}"
            yield from _miscounted(db, state)
            yield from _changed(record)
        except sqlite3.DatabaseError as error:
            yield f"it cannot be read to its end: {error}"
        except StoreError as error:
            yield error.message


def _miscounted(db: sqlite3.Connection, state: State) -> Iterator[str]:
    passages = characters = 0
    for (text,) in db.execute("SELECT text FROM passages"):
        passages, characters = passages + 1, characters + len(text)
    if (passages, characters) != (state.passages, state.characters):
        yield (
            f"it has {passages:,} passages of {characters:,} characters, and counts "
            f"{state.passages:,} of {state.characters:,}"
        )


def _changed(record: Record) -> Iterator[str]:
    """Documents that are not as they were when they were written."""
    rows = record.db.execute("SELECT key, id, digest FROM documents ORDER BY key").fetchall()
    wrong = [id for key, id, made in rows if made not in _digests(record, key, id)]
    if wrong:
        yield f"{len(wrong):,} documents are not as they were written: {_some(wrong)}"


def _digests(record: Record, key: int, id: str) -> tuple[bytes, ...]:
    """Of a document as it is; and without the days on which a fact begins or ends, which a
    migration may have added. None, if it cannot be put together."""
    try:
        put = _as_put(record, key, id)
    except (KeyError, ValueError):
        return ()
    given = tuple(handle for handle in put.handles if "/!turns " not in handle)
    return digest(put), digest(put._replace(handles=given))


def _as_put(record: Record, key: int, id: str) -> Put:
    (document,) = record.get(id)
    passages = record.db.execute(
        "SELECT n, text, heading, turn FROM passages WHERE document = ? ORDER BY n", (key,)
    )
    handles = record.db.execute("SELECT handle FROM handles WHERE document = ?", (key,))
    return Put(
        document,
        tuple(Passage(*row) for row in passages),
        handles=tuple(handle for (handle,) in handles),
    )


def _some(names: Sequence[object]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(map(str, names[:_NAMED])) + more


# ------------------------------------------------------------------ the text index


def _text_faults(folder: Path, record: Record) -> Iterator[str]:
    """The index is read first: what the record has by then includes all that the index saw."""
    index = folder / f"text-{record.state().generation}"
    if not index.is_dir():
        return
    try:
        snapshot = TextIndex(index).reload()
        held = Counter(snapshot.places())
    except (OSError, ValueError, TornIndex) as error:
        yield f"it is torn: {error}"
        return
    if snapshot.position is None:
        yield "it does not say what it has seen"
        return
    with record.snapshot():
        state, seen = record.state(), snapshot.position.seq
        if snapshot.position.epoch != state.epoch or seen > state.seq:
            yield "it is of another history than the record"
            return
        gone = set(record.deleted_after(seen))
        try:
            wrong = [row.key for row in record.rows_between(0, seen) if not _found(row, snapshot)]
        except TornIndex as error:
            yield f"it is torn: {error}"
            return
        there = {row.document << 32 | row.key for row in record.rows_between(0, seen)}
    if wrong:
        yield f"{len(wrong):,} passages are not found by their words: {_some(wrong)}"
    if missing := there - held.keys():
        yield f"{len(missing):,} passages are missing"
    if more := {place for place in held.keys() - there if place & 0xFFFFFFFF not in gone}:
        yield f"{len(more):,} passages are in it and not in the record"
    if twice := [place for place, count in held.items() if count > 1]:
        yield f"{len(twice):,} passages are in it more than once"


def _found(row: Row, snapshot: Snapshot) -> bool:
    """Whether words of a passage, taken evenly from all of them, lead to it."""
    words = sorted(index_passage(row.title, row.path, row.heading, row.text).body)
    some = words[:: -(-len(words) // _WORDS) or 1]
    return snapshot.matched(some, [row.key])[row.key] == set(some)


# ------------------------------------------------------------------ the vector index


def _vector_faults(folder: Path, record: Record, model: str) -> Iterator[str]:
    epoch = record.state().epoch
    place = vector_folder(folder, model)
    manifest = VectorIndex(place, model).manifest(epoch)
    try:
        segments = [Segment(place / name) for name in manifest.segments]
    except (OSError, ValueError, KeyError, TypeError) as error:
        yield f"a segment is torn: {error}"
        return
    with record.snapshot():
        if manifest.seq > record.state().seq:
            yield "it is of another history than the record"
            return
        gone = set(record.deleted_after(min((s.high for s in segments), default=0)))
        kept = {row.passage: row.vector for row in record.vectors_between(model, 0, manifest.seq)}
    held: Counter[int] = Counter()
    wrong: list[int] = []
    for segment in segments:
        held.update(segment.passages.tolist())
        for passage, codes, scale in zip(
            segment.passages.tolist(), segment.codes, segment.scales, strict=True
        ):
            if passage in kept:
                vector = np.frombuffer(kept[passage], np.float16).astype(np.float32)
                if not np.allclose(codes * scale, vector, atol=0.51 * float(scale) + 1e-6):
                    wrong.append(passage)
    if wrong:
        yield f"{len(wrong):,} vectors are not as the record has them: {_some(wrong)}"
    if missing := kept.keys() - held.keys():
        yield f"{len(missing):,} vectors are missing"
    if more := held.keys() - kept.keys() - gone:
        yield f"{len(more):,} vectors are in it and not in the record"
    if twice := [passage for passage, count in held.items() if count > 1]:
        yield f"{len(twice):,} vectors are in it more than once"
