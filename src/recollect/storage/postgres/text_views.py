"""What a process keeps of the text index: the state of owners, and postings that were asked for.

A use of it begins by asking for the state of its owners. What is kept of an owner is of one state,
and is made anew when that has changed: whatever was committed before is seen. Segments never
change, so that what is kept of one holds for as long as it is there.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from recollect.errors import StoreBusy, StoreError
from recollect.named_tuple import NamedTuple
from recollect.nouns import grouped
from recollect.storage.postgres import text_index
from recollect.storage.postgres.connection import Connections, Db, firsts, steady
from recollect.storage.postgres.postings import (
    LENGTHS,
    Entries,
    Members,
    entries,
    members,
    rounded,
    stems,
)
from recollect.storage.postgres.rows import stored
from recollect.storage.postgres.text_index import Part
from recollect.text.lexical import Indexed

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")
TAIL = 256
"""So many passages may be in no segment before a search makes one of them."""
LONG_TAIL = 4096
"""So many are searched directly when another process is making it, or it cannot be made."""
WAIT_SECONDS = 60.0
_KEPT = 256_000_000
"""Bytes of postings that a process keeps."""
_AFTER = "\U0010ffff"
"""Comes after whatever a word may go on with."""

Wanted = tuple[str, str]
"""A field and a term of it; or ``p`` and the beginning of a word."""


class TextState(NamedTuple):
    version: int
    generation: int
    passages: int
    length: int
    title_length: int


class TextView(NamedTuple):
    """The text of one owner, in one state."""

    owner: int
    state: TextState
    parts: tuple[Part, ...]
    gone: NDArray[np.int64]
    tail: Mapping[int, Indexed]


class Inside(NamedTuple):
    """The passages of an owner that lie within a wall between scopes, as far as they are read."""

    keys: NDArray[np.int64]
    """In order; some may be gone by now."""
    high: int
    """The last key that was looked at."""


class _Behind(Exception):
    """More is in no segment than may be."""

    def __init__(self, owner: int) -> None:
        self.owner = owner


class _Stale(Exception):
    """A segment is there no more: the view is of an earlier state."""


class TextViews:
    """Thread-safe. *writes* is whether the index may be brought up to date from here."""

    def __init__(self, connections: Connections, schema: str, *, writes: bool = True) -> None:
        self._connections = connections
        self._schema = schema
        self._writes = writes
        self._lock = threading.Lock()
        self.by_owner: dict[int, TextView] = {}
        self._members: dict[int, Members] = {}
        self._entries: OrderedDict[tuple[int, str, str], Entries] = OrderedDict()
        self._bytes = 0
        self._inside: dict[tuple[int, tuple[str, ...]], Inside] = {}
        self.outdated = 0
        """How often something that was kept was not of the present state."""

    def renew(self, owners: Collection[int]) -> None:
        """Something of these owners has changed: read what is new, if anything is kept of them."""
        kept = [owner for owner in owners if owner in self.by_owner]
        if kept:
            self.using("owner = ANY(%(owners)s)", {"owners": kept}, (), lambda *_: None)

    def using(
        self,
        among: str,
        values: dict[str, Any],
        wanted: Collection[Wanted],
        work: Callable[[Db, Sequence[TextView]], T],
    ) -> T:
        """Do it with the views of these owners as they are now, and with these postings."""
        allowed: dict[int, int] = {}
        deadline = time.monotonic() + WAIT_SECONDS

        def once(db: Db) -> T:
            for _ in range(50):
                views = self._current(db, among, values, allowed)
                try:
                    self._fetch(db, views, wanted)
                except _Stale:
                    for view in views:
                        self.by_owner.pop(view.owner, None)
                    continue
                return work(db, views)
            raise StoreBusy("the text index changes faster than it is read", hint="try again")

        while True:
            try:
                return self._connections.read(once)
            except _Behind as behind:
                reason = self._catch_up(behind.owner)
                if reason and allowed.get(behind.owner) == LONG_TAIL:
                    if time.monotonic() > deadline:
                        raise StoreBusy(
                            f"{self._connections.address.shown}: the text index is over "
                            f"{LONG_TAIL} passages behind: {reason}",
                            hint="try again, or `recollect rebuild`",
                        ) from None
                    time.sleep(0.05)
                if reason:
                    allowed[behind.owner] = LONG_TAIL

    def within(self, db: Db, view: TextView, scopes: tuple[str, ...]) -> TextView:
        """Returns the view as if nothing lay outside these scopes: what does counts as gone. A
        passage never changes its scopes, so that each is asked about once."""
        known = self._inside.get((view.owner, scopes), Inside(np.zeros(0, np.int64), 0))
        rows = db.execute(
            "SELECT p.key FROM passages p JOIN documents d ON d.owner = p.owner "
            "AND d.key = p.document WHERE p.owner = %s AND p.key > %s AND d.scopes && %s::text[]",
            (view.owner, known.high, list(map(stored, scopes))),
        ).fetchall()
        keys = np.concatenate([known.keys, np.sort(np.array(firsts(rows), np.int64))])
        high = max(known.high, int(keys[-1]) if len(keys) else 0)
        self._inside[view.owner, scopes] = Inside(keys, high)
        keys = np.setdiff1d(keys, view.gone, assume_unique=True)
        tail = {key: view.tail[key] for key in sorted(view.tail.keys() & set(keys.tolist()))}
        there, gone = len(tail), [view.gone]
        lengths, titles = [0], [0]
        for part in view.parts:
            members = self.members(part)
            places = members.places(keys)
            there += len(places)
            gone.append(np.delete(members.keys, places))
            lengths.append(LENGTHS[members.lengths[places]].sum())
            titles.append(LENGTHS[members.title_lengths[places]].sum())
        lengths += [one.length_of("body") for one in tail.values()]
        titles += [one.length_of("title") for one in tail.values()]
        state = view.state._replace(
            passages=there, length=int(sum(lengths)), title_length=int(sum(titles))
        )
        return view._replace(state=state, gone=np.unique(np.concatenate(gone)), tail=tail)

    def _catch_up(self, owner: int) -> str:
        """Bring the index of an owner up to date, or say why not."""
        try:
            done = text_index.catch_up(self._connections, self._schema, owner, least=TAIL // 2)
        except StoreError as error:  # a full disk is no reason not to answer
            return error.message
        return "" if done else "another process is building it"

    # -------------------------------------------------------------- views

    def _current(
        self, db: Db, among: str, values: dict[str, Any], allowed: Mapping[int, int]
    ) -> list[TextView]:
        rows = db.execute(
            "SELECT owner, version, generation, passages, length, title_length FROM state "
            f"WHERE {among} ORDER BY owner",
            values,
        ).fetchall()
        found = []
        for owner, *numbers in rows:
            if numbers[0] == 0:  # nothing was ever written
                continue
            view = self.by_owner.get(owner)
            if view is None or view.state != TextState(*numbers):
                self.outdated += view is not None
                view = self._load(db, owner, allowed.get(owner, TAIL))
            found.append(view)
        return found

    def _load(self, db: Db, owner: int, most: int) -> TextView:
        with steady(db):
            row = db.execute(
                "SELECT version, generation, passages, length, title_length FROM state "
                "WHERE owner = %s",
                (owner,),
            ).fetchone()
            parts = tuple(text_index.parts(db, owner))
            high = parts[-1].high if parts else 0
            keys = db.execute(
                "SELECT key FROM passages WHERE owner = %s AND key > %s LIMIT %s",
                (owner, high, most + 1 if self._writes else None),
            ).fetchall()
            if self._writes and len(keys) > most:
                raise _Behind(owner)
            gone = db.execute(
                "SELECT passage FROM gone WHERE owner = %s AND passage <= %s", (owner, high)
            ).fetchall()
            tail = self._tail(db, owner, sorted(firsts(keys)))
        dead = np.sort(np.array(firsts(gone), np.int64))
        assert row is not None
        view = TextView(owner, TextState(*row), parts, dead, tail)
        with self._lock:
            self.by_owner[owner] = view
        return view

    def _tail(self, db: Db, owner: int, keys: Sequence[int]) -> dict[int, Indexed]:
        """The terms of these passages; what a passage has never changes."""
        old = self.by_owner.get(owner)
        known = old.tail if old else {}
        missing = [key for key in keys if key not in known]
        if not missing:
            return {key: known[key] for key in keys}
        rows = db.execute(
            "SELECT key, exact, named FROM passages WHERE owner = %s AND key = ANY(%s)",
            (owner, missing),
        )
        every = {**known, **{key: _indexed(exact, named) for key, exact, named in rows}}
        return {key: every[key] for key in keys}

    # -------------------------------------------------------------- postings

    def members(self, part: Part) -> Members:
        return self._members[part.segment]

    def entries(self, part: Part, field: str, term: str) -> Entries:
        return self._entries.get((part.segment, field, term)) or _made([b""], field)

    def _fetch(self, db: Db, views: Sequence[TextView], wanted: Collection[Wanted]) -> None:
        """Get what is not kept yet of these words; all of it is there when this returns."""
        for view in views:
            there = [part.segment for part in view.parts]
            missing = [
                one
                for one in wanted
                if any((segment, *one) not in self._entries for segment in there)
            ]
            unseen = [part for part in view.parts if part.segment not in self._members]
            if there and (missing or unseen):
                self._fetch_one(db, view, there, missing, unseen)
        self._trim(wanted)

    def _fetch_one(
        self,
        db: Db,
        view: TextView,
        there: list[int],
        missing: Sequence[Wanted],
        unseen: Sequence[Part],
    ) -> None:
        """Whatever is read before the segments are seen to be still there was whole."""
        select = (
            "SELECT segment, term, entries FROM postings WHERE owner = %s AND segment = ANY(%s) "
        )
        by_field = grouped(missing)
        with db.pipeline():
            asked = []
            for field, terms in by_field.items():
                if field != "p":
                    rows = db.execute(
                        f"{select} AND field = %s AND term = ANY(%s)",
                        (view.owner, there, field, terms),
                        binary=True,
                    )
                    asked.append((field, terms, rows))
                    continue
                for start in terms:
                    rows = db.execute(
                        f"{select} AND field = 'x' AND term >= %s AND term < %s",
                        (view.owner, there, start, start + _AFTER),
                        binary=True,
                    )
                    asked.append((field, [start], rows))
            about = db.execute(
                "SELECT segment, passages, members FROM segments WHERE owner = %s "
                "AND segment = ANY(%s)",
                (view.owner, [part.segment for part in unseen]),
                binary=True,
            )
            still = db.execute(
                "SELECT segment FROM segments WHERE owner = %s AND segment = ANY(%s)",
                (view.owner, there),
            )
        if len(still.fetchall()) != len(there):
            raise _Stale
        with self._lock:
            for segment, passages, content in about:
                self._members[segment] = members(content, passages)
            for field, terms, rows in asked:
                self._keep(there, field, terms, rows.fetchall())

    def _keep(
        self, there: Sequence[int], field: str, terms: Sequence[str], rows: Sequence[Any]
    ) -> None:
        whole = field != "p"
        found = grouped(
            ((segment, term if whole else terms[0]), one) for segment, term, one in rows
        )
        for segment in there:
            for term in terms:
                made = _made(found.get((segment, term), [b""]), field)
                if (segment, field, term) not in self._entries:
                    self._bytes += made.places.nbytes * 2 + 200
                self._entries[segment, field, term] = made

    def _trim(self, wanted: Collection[Wanted]) -> None:
        """Keep within bounds, but never drop what is about to be used."""
        if self._bytes <= _KEPT:
            return
        with self._lock:
            for key in list(self._entries):
                if self._bytes <= _KEPT // 2:
                    break
                if key[1:] not in wanted:
                    self._bytes -= self._entries.pop(key).places.nbytes * 2 + 200


def _made(contents: Sequence[bytes], field: str) -> Entries:
    """Reads the entries of a term; of a prefix, those of all terms that begin with it."""
    if field != "p":
        return entries(contents[0], field)
    return Entries(np.unique(np.frombuffer(b"".join(contents), "<u2")), None)


def _indexed(exact: str, named: str) -> Indexed:
    body, title = stems(exact), stems(named)
    return Indexed(
        Counter(body), Counter(title), f" {exact} ", rounded(len(body)), rounded(len(title))
    )
