"""What all engines agree on: what may be stored, when it is the same, how pages go on."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from recollect.errors import StoreChanged, UsageError
from recollect.moments import iso
from recollect.nouns import (
    ChangeSet,
    Event,
    Expect,
    Put,
    SourceStats,
    StoreStats,
    grouped,
    hashed,
    of_type,
)
from recollect.ports import LoadReport

_canonical = json.JSONEncoder(sort_keys=True, allow_nan=False).encode


def digest(put: Put) -> bytes:
    """A hash of everything about a document that a search or a reader could notice."""
    d = put.document
    state = [
        d.external,
        d.source,
        d.origin,
        d.kind,
        d.title,
        d.path,
        iso(d.date),
        d.owner,
        sorted(set(d.scopes)),
        d.meta,
        d.text,
        [(m.role, m.text, m.id, iso(m.date)) for m in d.messages],
        [(p.n, len(p.text), p.heading, p.turn) for p in put.passages],
    ]
    if put.handles:
        state.append(sorted(set(put.handles)))
    if d.gone:
        state.append("gone")
    try:
        canonical = _canonical(state)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"{d.external}: meta is not JSON: {error}") from error
    return hashed(canonical.encode(), 16)


def check(put: Put) -> None:
    """Refuse a document that could not be given back as it was given."""
    d = put.document
    if not d.external:
        raise UsageError("a document has an empty id", hint="give each document its own id")
    if not d.source:
        raise UsageError(f"{d.external}: a document needs a source")
    if not d.scopes:
        raise UsageError(
            f"{d.external}: scopes is empty, so nothing could ever see it",
            hint="leave scopes out to store it as `universal`",
        )
    if d.text and d.messages:
        raise UsageError(f"{d.external}: a document has a text or turns, not both")
    parts = grouped((passage.turn, passage.text) for passage in put.passages)
    for turn, _, text in d.segments():
        if "".join(parts.get(turn, ())) != text:
            raise UsageError(f"{d.external}: its passages do not join to its text")


def expect(changes: ChangeSet, stamp_of: Callable[[str], str | None]) -> None:
    """Refuses what was decided from another version of a document than the present one."""
    for change in of_type(changes.changes, Expect):
        if change.stamp != stamp_of(change.id):
            raise StoreChanged(
                f"{change.id} was changed meanwhile", hint="look again, and try again"
            )


def unknown(events: Sequence[Event], known: Iterable[tuple[str, datetime]]) -> list[Event]:
    """Returns those events of a document that are not among the *known* ones, in order. The same
    action may be there several times in one moment."""
    left = Counter((event.action, event.at) for event in events) - Counter(known)
    new = []
    for event in events:
        if left[event.action, event.at] > 0:
            left[event.action, event.at] -= 1
            new.append(event)
    return new


PARTS = "sdtha"
"""Of a dump: sources, documents, tombstones, histories, answers, as they can be loaded."""


def dump_from(after: str) -> tuple[str, str]:
    """Returns the parts of a dump that come behind a cursor, and the key of the first to start
    behind. A cursor names the part and the last key of it that was given out."""
    part, _, key = after.partition(":")
    if not after:
        return PARTS, ""
    if part not in PARTS or (part in "sd" and not key.isdecimal()):
        raise UsageError(f"{after!r} is not a cursor", hint="use the one of an item before")
    return PARTS[PARTS.index(part) :], key


def loading(known: bytes | None, made: bytes, *, buried: bool, replace: bool) -> LoadReport:
    """Returns what becomes of a document that is loaded, by the digest of what is *known*."""
    if known == made:
        return LoadReport(unchanged=1)
    if known is None:
        return LoadReport(forgotten=1) if buried else LoadReport(documents=1)
    return LoadReport(documents=1) if replace else LoadReport(different=1)


def burying(*, buried: bool, there: bool, replace: bool) -> LoadReport:
    """Returns what becomes of a tombstone that is loaded."""
    if buried:
        return LoadReport()
    return LoadReport(different=1) if there and not replace else LoadReport(tombstones=1)


def stays(known: object, new: object, *, replace: bool) -> bool:
    """Whether a source or an answer that is here already is left as it is."""
    return known is not None and (known == new or not replace)


def inside(counted: StoreStats, every: Mapping[str, int]) -> StoreStats:
    """Returns counts of what lies within a wall without what belongs to nobody in particular;
    *every* is how many documents each source has on both sides."""
    sources = [
        one if every.get(one.name) == one.documents else _unplaced(one)
        for one in counted.sources
        if one.documents
    ]
    return counted._replace(
        seq=0, sources=sorted(sources, key=lambda one: one.name), tombstones=0, bytes=0, indexes={}
    )


def _unplaced(source: SourceStats) -> SourceStats:
    return source._replace(uri="", stamp="", places=())


def passage_number(name: str) -> tuple[str, int]:
    """Returns the document that a passage's id names, and its number: -1 if that is no number."""
    document, _, n = name.rpartition(":")
    return document, int(n) if re.fullmatch("[0-9]{1,9}", n) else -1


def parse_cursor(cursor: str, key_of: Callable[[str], int | None] | None = None) -> int | None:
    """Returns the key that a page begins behind; *key_of* finds that of a document by its id."""
    if not cursor:
        return None
    if key_of and cursor.startswith("@"):
        key = key_of(cursor[1:])
        if key is None:
            raise UsageError(
                "the document that the page before ended with is gone", hint="begin anew"
            )
        return key
    if not cursor.isdecimal() or len(cursor) > 19:
        raise UsageError(f"{cursor!r} is not a cursor", hint="use the one of the page before")
    return int(cursor)
