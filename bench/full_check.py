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
from recollect.storage.embedded import audit
from recollect.storage.embedded.record import Record
from recollect.storage.embedded.rows import Row
from recollect.storage.embedded.segments import vector_folder
from recollect.storage.embedded.text_index import Snapshot, TextIndex, TornIndex
from recollect.storage.embedded.vector_index import Segment, VectorIndex
from recollect.text.lexical import index_passage

_WORDS = 20
"""So many words of each passage are looked up in the text index."""
_TRIES = 3
_NAMED = 5


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
        try:
            db = record.db
            looks = audit.pages(db, full=True), audit.counts(record, db, full=True)
            for findings in (*looks, audit.orphans(db)):
                yield from (finding.text for finding in findings)
            if wrong := list(audit.changed(record, record.db)):
                yield f"{len(wrong):,} documents are not as they were written: {_some(wrong)}"
        except sqlite3.DatabaseError as error:
            yield f"it cannot be read to its end: {error}"
        except StoreError as error:
            yield error.message


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
