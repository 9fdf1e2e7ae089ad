"""The record: every SQL statement of the embedded engine.

A ``Record`` wraps one connection and is used by one thread. Reads that belong together run in
one ``snapshot``; a write is one ``BEGIN IMMEDIATE`` transaction and is on disk when it returns.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from recollect import pauses, private
from recollect.errors import StoreBusy, StoreCorrupt, StoreError
from recollect.ports import (
    OUTLINED,
    Dumped,
    Finding,
    Held,
    Item,
    Loaded,
    Outline,
    Spot,
    Stamped,
    Turn,
)
from recollect.storage.content import check, digest, expect
from recollect.storage.embedded import answers, audit
from recollect.storage.embedded.dump import Loader, dumped
from recollect.storage.embedded.rows import Allowed, Row, State, VectorRow, micros, moment
from recollect.storage.embedded.schema import migrate
from recollect.storage.embedded.writer import Writer
from recollect.storage.filters import (
    allows,
    label_allows,
    path_pattern,
    scopes_allow,
    source_allows,
)
from recollect.text.lexical import indexed_text
from recollect.text.terms import fold
from recollect.types import (
    ChangeSet,
    Document,
    Event,
    Expect,
    Filter,
    Forget,
    Message,
    Page,
    Passage,
    Place,
    Put,
    Receipt,
    Recorded,
    Register,
    Remove,
    SourceStats,
    StoredPassage,
)

if TYPE_CHECKING:
    from recollect.storage.embedded.text_index import Snapshot
    from recollect.storage.embedded.vector_index import VectorIndex

T = TypeVar("T")

BUSY_SECONDS = 60.0
_LOOK = 0.002
"""Seconds between two looks at whether another process has ended its transaction."""
_MANY = 500
"""How many values one statement is given: below every limit of every SQLite."""


_LAST = 2**63 - 1
_DOCUMENT = """d.external, d.source, d.kind, d.title, d.path, d.date, d.owner, d.scopes,
    d.meta, d.origin, d.stamp"""
_FEW_LABELS = (
    "SELECT id, dimension, value FROM labels WHERE dimension IN ('owner', 'kind', 'role', 'scopes')"
)
_DROPPED = 10_000
"""Vectors that are deleted in one transaction."""
_STATE = "SELECT epoch, seq, generation, passages, characters FROM state"
_ROW = """p.key, p.document, d.title, d.path, p.heading, p.text, d.owner, d.scopes, d.source,
    d.kind, p.role, d.issue, d.event, d.date"""


class Record:
    def __init__(self, folder: Path, *, once: bool = False) -> None:
        """A connection, which keeps little in memory if all is read *once* and in order."""
        self.folder = folder
        self._labels: dict[tuple[str, str], int] = {}
        self._names: dict[int, str] = {}
        self._scopes: dict[int, tuple[str, ...]] = {}
        self._source_names: dict[int, str] = {}
        with translated(folder):
            private.touch(folder / "record.db")
            self._db = sqlite3.connect(
                folder / "record.db",
                timeout=BUSY_SECONDS,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=256,
            )
            try:
                self._db.execute("PRAGMA synchronous = FULL")
                self._db.execute("PRAGMA secure_delete = ON")
                self._db.execute(f"PRAGMA cache_size = {-2048 if once else -32768}")
                self._db.execute(f"PRAGMA mmap_size = {0 if once else 268435456}")
                migrate(self._db, folder)
            except BaseException:
                self._db.close()
                raise

    def close(self) -> None:
        self._db.close()

    @property
    def db(self) -> sqlite3.Connection:
        """The connection itself, for what looks at every table."""
        return self._db

    # -------------------------------------------------------------- transactions

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Reads that see one state of the record."""
        with translated(self.folder):
            self._db.execute("BEGIN")
            try:
                yield
            finally:
                self._db.execute("ROLLBACK")

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """A transaction that writes, begun when it is our turn. SQLite itself comes to look every
        tenth of a second only; between processes that write one after the other that is seldom
        the right moment."""
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            with pauses.put_off():
                if self._begun(last=time.monotonic() > deadline):
                    yield
                    return
            time.sleep(_LOOK + os.getpid() % 5 / 1000)  # not all at one moment

    def _begun(self, *, last: bool) -> bool:
        """Whether the turn was ours; an error if it was not and this was the *last* try."""
        self._db.execute("PRAGMA busy_timeout = 0")
        try:
            self._db.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if last or "locked" not in str(error):
                raise
            return False
        finally:
            self._db.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
        return True

    @contextmanager
    def _write(self, *, keep: bool = True) -> Iterator[None]:
        """A transaction, which is undone at its end unless it is to be kept."""
        with translated(self.folder), self._turn():
            try:
                yield
                self._db.execute("COMMIT" if keep else "ROLLBACK")
                if not keep:
                    self._labels.clear()
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                self._labels.clear()
                raise

    def shrink(self) -> None:
        """Give back the memory that is not needed now."""
        self._db.execute("PRAGMA shrink_memory")

    def state(self) -> State:
        return State._make(self._db.execute(_STATE).fetchone())

    def next_generation(self) -> int:
        with self._write():
            self._db.execute("UPDATE state SET generation = generation + 1")
            return self.state().generation

    def renew(self) -> None:
        """Another history, in a file that readers and a writer may have open at once."""
        self._db.execute("PRAGMA journal_mode = WAL")
        with self._write():
            self._db.execute("UPDATE state SET epoch = ?", (os.urandom(16).hex(),))

    # -------------------------------------------------------------- writing

    def apply(self, changes: ChangeSet, dry_run: bool) -> Receipt:
        digests = []
        for change in changes.changes:
            if isinstance(change, Put):
                check(change)
                digests.append(digest(change))
        made = iter(digests)
        with self._write(keep=not dry_run):
            for change in changes.changes:
                if isinstance(change, Expect):
                    expect(change, self._stamp(change.id))
            writer = Writer(self._db, self._label, self.state())
            for change in changes.changes:
                if isinstance(change, Register):
                    writer.register(change.source)
                elif isinstance(change, Forget):
                    writer.forget(change.id)
                elif isinstance(change, Remove):
                    writer.remove(change.id)
                elif isinstance(change, Put):
                    writer.put(change, next(made))
            writer.finish()
        return writer.receipt

    def load(self, items: Iterable[Item], replace: bool) -> Loaded:
        done = Loaded()
        with self._write():
            writer = Writer(self._db, self._label, self.state())
            loader = Loader(self._db, writer, self.history, replace)
            for item in items:
                done += loader.load(item)
            writer.finish()
        return done

    def _stamp(self, id: str) -> str | None:
        row = self._db.execute("SELECT stamp FROM documents WHERE id = ?", (id,)).fetchone()
        return None if row is None else str(row[0])

    def _label(self, dimension: str, value: str) -> int:
        found = self._labels.get((dimension, value))
        if found is None:
            row = self._db.execute(
                "SELECT id FROM labels WHERE dimension = ? AND value = ?", (dimension, value)
            ).fetchone()
            if row is None:
                row = self._db.execute(
                    "INSERT INTO labels (dimension, value) VALUES (?, ?) RETURNING id",
                    (dimension, value),
                ).fetchone()
            found = self._labels[dimension, value] = int(row[0])
        return found

    # -------------------------------------------------------------- filters

    def allowed(self, filter: Filter) -> Allowed:
        """The filter in numbers. Labels are few, so they are read and compared here, by the
        same rules as the plain predicate."""
        if not filter.limits:
            return Allowed()
        labels: dict[str, list[tuple[int, str]]] = {}
        for id, dimension, value in self._db.execute(_FEW_LABELS):
            labels.setdefault(dimension, []).append((id, value))
        kinds = None if filter.kinds is None else {fold(k) for k in filter.kinds}
        roles = None if filter.roles is None else {"", *filter.roles}

        def ids(dimension: str, wanted: set[str] | None) -> frozenset[int] | None:
            if wanted is None:
                return None
            return frozenset(i for i, v in labels.get(dimension, ()) if v in wanted)

        return Allowed(
            owner=ids("owner", None if filter.owner is None else {filter.owner}),
            scopes=None
            if filter.scopes is None
            else frozenset(
                i
                for i, v in labels.get("scopes", ())
                if scopes_allow(filter.scopes, tuple(json.loads(v)))
            ),
            source=None if filter.sources is None else frozenset(self._source_ids(filter)),
            kind=None
            if kinds is None
            else frozenset(i for i, v in labels.get("kind", ()) if fold(v) in kinds),
            role=ids("role", roles),
            issue=self._labels_like("issue", filter.issues),
            event=self._labels_like("event", filter.events),
            since=micros(filter.since),
            until=micros(filter.until),
            paths=None if filter.paths is None else tuple(map(path_pattern, filter.paths)),
        )

    def _labels_like(self, dimension: str, wanted: tuple[str, ...] | None) -> frozenset[int] | None:
        if wanted is None:
            return None
        rows = self._db.execute("SELECT id, value FROM labels WHERE dimension = ?", (dimension,))
        return frozenset(id for id, value in rows if label_allows(wanted, value))

    def _source_ids(self, filter: Filter) -> list[int]:
        rows = self._db.execute("SELECT id, name FROM sources").fetchall()
        return [id for id, name in rows if source_allows(filter.sources, name)]

    def documents_on_paths(self, patterns: Sequence[str]) -> list[int]:
        """Keys of the documents whose path matches one of the patterns."""
        import re

        from recollect.storage.filters import folded_path

        compiled = [re.compile(p, re.DOTALL) for p in patterns]
        rows = self._db.execute("SELECT key, path FROM documents WHERE path != ''")
        return [k for k, path in rows if any(c.fullmatch(folded_path(path)) for c in compiled)]

    def _where(self, allowed: Allowed) -> tuple[str, list[Any]]:
        """Conditions on ``d``, except for paths and roles."""
        parts = ["1"]
        values: list[Any] = []
        for column, ids in (
            ("owner", allowed.owner),
            ("scopes", allowed.scopes),
            ("source", allowed.source),
            ("kind", allowed.kind),
            ("issue", allowed.issue),
            ("event", allowed.event),
        ):
            if ids is not None:
                parts.append(f"d.{column} IN ({_marks(len(ids))})")
                values += sorted(ids)
        if allowed.since is not None:
            parts.append("d.date >= ?")
            values.append(allowed.since)
        if allowed.until is not None:
            parts.append("d.date < ?")
            values.append(allowed.until)
        return " AND ".join(parts), values

    # -------------------------------------------------------------- reading

    def get(self, name: str) -> list[Document]:
        return [self._with_body(key, document) for key, document in self._named(name)]

    def find(self, name: str, filter: Filter) -> list[Document]:
        return [document for _, document in self._named(name) if allows(filter, document)]

    def _named(self, name: str) -> list[tuple[int, Document]]:
        for column in ("id", "external"):
            rows = self._db.execute(
                f"SELECT d.key, {_DOCUMENT} FROM documents d WHERE d.{column} = ? "
                "ORDER BY d.key DESC",
                (name,),
            ).fetchall()
            if rows:
                return [(key, self._document(*about)) for key, *about in rows]
        return []

    def held(self, handles: Sequence[str]) -> list[Held]:
        found: list[tuple[str, int]] = []
        for some in _batches(handles):
            found += self._db.execute(
                f"SELECT handle, document FROM handles WHERE handle IN ({_marks(len(some))})", some
            )
        documents: dict[int, Document] = {}
        for keys in _batches(sorted({key for _, key in found})):
            for key, *about in self._db.execute(
                f"SELECT d.key, {_DOCUMENT} FROM documents d WHERE d.key IN ({_marks(len(keys))})",
                keys,
            ).fetchall():
                documents[key] = self._with_body(key, self._document(*about))
        ordered = sorted(found, key=lambda one: (one[1], one[0]))
        return [Held(handle, documents[key]) for handle, key in ordered]

    def _document(
        self,
        external: str,
        source: int,
        kind: int,
        title: str,
        path: str,
        date: int | None,
        owner: int,
        scopes: int,
        meta: str,
        origin: str,
        stamp: str,
    ) -> Document:
        return Document(
            external=external,
            source=self._source_name(source),
            kind=self.label(kind),
            title=title,
            path=path,
            date=moment(date),
            owner=self.label(owner),
            scopes=self._scope_set(scopes),
            meta=json.loads(meta) if meta != "{}" else {},
            origin=origin,
            stamp=stamp,
        )

    def label(self, label: int) -> str:
        """A label's value. Labels are never changed, so they are remembered for good."""
        if label not in self._names:
            self._names.update(self._db.execute("SELECT id, value FROM labels").fetchall())
        return self._names[label]

    def _scope_set(self, label: int) -> tuple[str, ...]:
        if label not in self._scopes:
            self._scopes[label] = tuple(json.loads(self.label(label)))
        return self._scopes[label]

    def _source_name(self, source: int) -> str:
        if source not in self._source_names:
            self._source_names.update(self._db.execute("SELECT id, name FROM sources").fetchall())
        return self._source_names[source]

    def _with_body(self, key: int, document: Document) -> Document:
        texts: dict[int, list[str]] = {}
        for turn, text in self._db.execute(
            "SELECT turn, text FROM passages WHERE document = ? ORDER BY n", (key,)
        ):
            texts.setdefault(turn, []).append(text)
        messages = tuple(
            Message(role, "".join(texts.get(turn, ())), id, moment(date))
            for turn, role, id, date in self._db.execute(
                "SELECT turn, role, id, date FROM messages WHERE document = ? ORDER BY turn",
                (key,),
            )
        )
        if messages:
            return document._replace(messages=messages)
        return document._replace(text="".join(texts.get(0, ())))

    def passages(self, keys: Sequence[int]) -> list[StoredPassage]:
        return self._passages(f"p.key IN ({_marks(len(keys))})", keys, order=keys)

    def passage(self, id: str) -> StoredPassage | None:
        document, _, n = id.rpartition(":")
        if not (n.isascii() and n.isdigit() and len(n) < 10):
            return None
        found = self._passages("d.id = ? AND p.n = ?", (document, int(n)))
        return found[0] if found else None

    def neighbours(self, key: int, before: int, after: int) -> list[StoredPassage]:
        row = self._db.execute("SELECT document, n FROM passages WHERE key = ?", (key,)).fetchone()
        if row is None:
            return []
        return self._passages(
            "p.document = ? AND p.n BETWEEN ? AND ? ORDER BY p.n",
            (row[0], row[1] - before, row[1] + after),
        )

    def _passages(
        self, condition: str, values: Sequence[Any], order: Sequence[int] | None = None
    ) -> list[StoredPassage]:
        with translated(self.folder):
            rows = self._db.execute(
                f"SELECT p.key, p.n, p.text, p.heading, p.turn, p.role, d.id, {_DOCUMENT} "
                f"FROM passages p JOIN documents d ON d.key = p.document WHERE {condition}",
                values,
            ).fetchall()
        found = [
            StoredPassage(
                key,
                f"{id}:{n}",
                Passage(n, text, heading, turn, self.label(role)),
                self._document(*about),
            )
            for key, n, text, heading, turn, role, id, *about in rows
        ]
        if order is None:
            return found
        by_key = {p.key: p for p in found}
        return [by_key[key] for key in order if key in by_key]

    def scan(self, filter: Filter, limit: int, before: int | None) -> Page:
        allowed = self.allowed(filter)
        if allowed.nothing:
            return Page((), "")
        condition, values = self._where(allowed)
        if before is not None:
            condition += " AND d.key < ?"
            values.append(before)
        if allowed.paths is not None:
            keys = set(self.documents_on_paths(allowed.paths))
        rows: list[tuple[Any, ...]] = []
        for row in self._db.execute(
            f"SELECT d.key, {_DOCUMENT} FROM documents d WHERE {condition} ORDER BY d.key DESC",
            values,
        ):
            if allowed.paths is None or row[0] in keys:
                rows.append(row)
            if len(rows) > limit:
                break
        page = rows[:limit]
        more = len(rows) > limit
        items = tuple(self._document(*row[1:]) for row in page)
        return Page(items, str(page[-1][0]) if more else "")

    def newest(self, filter: Filter, count: int) -> datetime | None:
        allowed = self.allowed(filter)
        if allowed.nothing:
            return None
        condition, values = self._where(allowed)
        keys = None if allowed.paths is None else set(self.documents_on_paths(allowed.paths))
        rows = self._db.execute(
            f"SELECT d.key, d.date FROM documents d WHERE {condition} AND d.date IS NOT NULL "
            "ORDER BY d.date DESC",
            values,
        )
        dates = (date for key, date in rows if keys is None or key in keys)
        return moment(next(iter(deque(islice(dates, count), maxlen=1)), None))

    def stamps(self, source: str) -> list[Stamped]:
        rows = self._db.execute(
            "SELECT d.external, d.path, d.origin, d.stamp, d.owner, d.scopes "
            "FROM documents d WHERE d.source = (SELECT id FROM sources WHERE name = ?) "
            "ORDER BY d.key DESC",
            (source,),
        ).fetchall()
        owners = {label: self.label(label) for label in {row[4] for row in rows}}
        scopes = {label: self._scope_set(label) for label in {row[5] for row in rows}}
        return [
            Stamped(external, source, path, origin, stamp, owners[owner], scopes[scoped])
            for external, path, origin, stamp, owner, scoped in rows
        ]

    def holders(self, messages: Sequence[str], within: str) -> dict[str, list[Spot]]:
        found: dict[str, list[Spot]] = {}
        key = (self._key(within),) if within else ()
        for some in _batches(messages):
            for id, document, turn in self._db.execute(
                "SELECT m.id, d.id, m.turn FROM messages m JOIN documents d ON d.key = m.document "
                f"WHERE m.id IN ({_marks(len(some))}) AND m.id != '' "
                f"{'AND m.document = ?' if within else ''} ORDER BY d.key, m.turn",
                (*some, *key),
            ):
                found.setdefault(id, []).append(Spot(document, turn))
        return found

    def turns(self, id: str, start: int, count: int, roles: Sequence[str] | None) -> list[Turn]:
        key = self._key(id)
        which = "" if roles is None else f"AND role IN ({_marks(len(roles))})"
        way, order = (">=", "ASC") if count >= 0 else ("<=", "DESC")
        rows = self._db.execute(
            f"SELECT turn, role, id, date FROM messages WHERE document = ? AND turn {way} ? "
            f"{which} ORDER BY turn {order} LIMIT ?",
            (key, start, *(roles or ()), abs(count)),
        ).fetchall()
        rows.sort()
        texts = self._texts(key, [row[0] for row in rows])
        return [
            Turn(turn, Message(role, texts.get(turn, ""), name, moment(date)))
            for turn, role, name, date in rows
        ]

    def _key(self, id: str) -> int | None:
        row = self._db.execute("SELECT key FROM documents WHERE id = ?", (id,)).fetchone()
        return None if row is None else int(row[0])

    def _texts(self, document: int | None, turns: Sequence[int]) -> dict[int, str]:
        """The text of each of these turns, which are in order, and of none between them."""
        if not turns:
            return {}
        texts: dict[int, str] = {}
        first, last = (self._first_passage(document, at) for at in (turns[0], turns[-1] + 1))
        for some in _batches(turns):
            for turn, text in self._db.execute(
                "SELECT turn, text FROM passages WHERE document = ? AND n >= ? AND n < ? "
                f"AND turn IN ({_marks(len(some))}) ORDER BY n",
                (document, first, last, *some),
            ):
                texts[turn] = texts.get(turn, "") + text
        return texts

    def _first_passage(self, document: int | None, turn: int) -> int:
        """The number of the first passage of *turn* or of a later one. Passages are in the order
        of turns, so that it is found by halving, however long the session."""
        most = self._db.execute("SELECT MAX(n) FROM passages WHERE document = ?", (document,))
        low, high = 0, (most.fetchone()[0] or 0) + 1
        while low < high:
            middle = (low + high) // 2
            n, at = self._db.execute(
                "SELECT n, turn FROM passages WHERE document = ? AND n >= ? ORDER BY n LIMIT 1",
                (document, middle),
            ).fetchone() or (high, turn)
            if at < turn:
                low = n + 1
            else:
                high = middle
        return low

    def tally(self, id: str, first: int, last: int | None) -> dict[str, int]:
        rows = self._db.execute(
            "SELECT role, COUNT(*) FROM messages WHERE document = ? AND turn >= ? AND turn <= ? "
            "GROUP BY role",
            (self._key(id), first, _LAST if last is None else last),
        )
        return dict(rows.fetchall())

    def recent(self, filter: Filter, limit: int) -> list[Outline]:
        allowed = self.allowed(filter)
        if allowed.nothing:
            return []
        condition, values = self._where(allowed)
        keys = None if allowed.paths is None else set(self.documents_on_paths(allowed.paths))
        rows = self._db.execute(
            f"SELECT d.key, COALESCE((SELECT m.date FROM messages m WHERE m.document = d.key AND "
            f"m.date IS NOT NULL ORDER BY m.turn DESC LIMIT 1), d.date) AS last, {_DOCUMENT} "
            f"FROM documents d WHERE {condition} ORDER BY last DESC NULLS LAST, d.key DESC",
            values,
        )
        chosen = list(islice((row for row in rows if keys is None or row[0] in keys), limit))
        return [
            self._outline(key, moment(last), self._document(*about)) for key, last, *about in chosen
        ]

    def _outline(self, key: int, last: datetime | None, document: Document) -> Outline:
        count = "SELECT COUNT(*) FROM messages WHERE document = ?"
        return Outline(
            document,
            self._db.execute(count, (key,)).fetchone()[0],
            last,
            self._beginning(key, "user", "ASC"),
            self._beginning(key, "assistant", "DESC"),
        )

    def _beginning(self, key: int, role: str, order: str) -> str:
        """How the first (or last) message of that role begins."""
        row = self._db.execute(
            f"SELECT turn FROM messages WHERE document = ? AND role = ? ORDER BY turn {order} "
            "LIMIT 1",
            (key, role),
        ).fetchone()
        if row is None:
            return ""
        text = self._db.execute(
            f"SELECT SUBSTR(text, 1, {OUTLINED}) FROM passages WHERE document = ? AND n = ? "
            "AND turn = ?",
            (key, self._first_passage(key, row[0]), row[0]),
        ).fetchone()
        return text[0] if text else ""

    def history(self, id: str) -> list[Event]:
        return [
            Event(seq, datetime.fromtimestamp(at, UTC), action, id)
            for seq, action, at in self._db.execute(
                "SELECT seq, action, at FROM events WHERE id = ? ORDER BY seq", (id,)
            )
        ]

    def dump(self, after: str, vectors: bool) -> Iterator[Dumped]:
        return dumped(self, self._db, after, vectors)

    def document(self, key: int) -> Document:
        """A document that is there, with its body."""
        row = self._db.execute(f"SELECT {_DOCUMENT} FROM documents d WHERE d.key = ?", (key,))
        return self._with_body(key, self._document(*row.fetchone()))

    def source_seqs(self, filter: Filter) -> list[tuple[str, int]]:
        """The last change of each source that the filter lets through, and of the store's
        history itself."""
        with translated(self.folder):
            rows = self._db.execute(
                "SELECT name, seq FROM sources UNION ALL SELECT epoch, -1 FROM state ORDER BY 1"
            ).fetchall()
        if filter.sources is None:
            return rows
        return [row for row in rows if row[1] < 0 or source_allows(filter.sources, row[0])]

    # -------------------------------------------------------------- recorded answers

    def keep_answer(self, given: Recorded) -> None:
        with self._write():
            answers.keep(self._db, given)

    def answers(
        self, fingerprint: str, space: str, limit: int, before: datetime | None
    ) -> list[Recorded]:
        with translated(self.folder):
            return answers.kept(self._db, fingerprint, space, limit, before)

    def drop_answers(self, ids: Sequence[str]) -> int:
        with self._write():
            return sum(answers.drop(self._db, some) for some in _batches(ids))

    # -------------------------------------------------------------- looking it over

    def audit(self, full: bool) -> list[Iterator[Finding]]:
        """What is to be looked at; each is done when it is read."""
        looks = [audit.pages(self._db, full=full), audit.counts(self, self._db, full=full)]
        return [*looks, audit.orphans(self._db), self._changed()] if full else looks

    def _changed(self) -> Iterator[Finding]:
        for id in audit.changed(self, self._db):
            yield Finding("record", f"document {id} is not as it was stored")

    def audit_text(self, snapshot: Snapshot, full: bool) -> Iterator[Finding]:
        return audit.text(self, self._db, snapshot, full=full)

    def sampled(self, full: bool) -> int:
        return audit.sampled(self._db, full=full)

    def recall(self, index: VectorIndex, state: State, full: bool) -> float | None:
        return audit.recall(self, self._db, index, state.epoch, state.seq, full=full)

    def mended(self, work: Callable[[Record, sqlite3.Connection], T]) -> T:
        """What a repair does to the rows, in one transaction."""
        with self._write():
            done = work(self, self._db)
        self._names.clear()
        self._scopes.clear()
        self._source_names.clear()
        return done

    def last_write(self) -> datetime | None:
        return audit.last_write(self._db)

    # -------------------------------------------------------------- for the indexes

    def has_more_than(self, count: int, after: int) -> bool:
        row = self._db.execute(
            "SELECT 1 FROM passages WHERE key > ? LIMIT 1 OFFSET ?", (after, count)
        ).fetchone()
        return row is not None

    def text_behind(self, seq: int) -> int:
        """How many passages were written or deleted after *seq*."""
        row = self._db.execute(
            "SELECT (SELECT COUNT(*) FROM passages WHERE key > ?) + "
            "(SELECT COUNT(*) FROM deletions WHERE seq > ?)",
            (seq, seq),
        ).fetchone()
        return int(row[0])

    def nth_key_after(self, seq: int, n: int) -> int | None:
        row = self._db.execute(
            "SELECT key FROM passages WHERE key > ? ORDER BY key LIMIT 1 OFFSET ?", (seq, n - 1)
        ).fetchone()
        return None if row is None else int(row[0])

    def rows_between(self, low: int, high: int) -> Iterator[Row]:
        """Passages written in (low, high], in order."""
        for row in self._db.execute(
            f"SELECT {_ROW} FROM passages p JOIN documents d ON d.key = p.document "
            "WHERE p.key > ? AND p.key <= ? ORDER BY p.key",
            (low, high),
        ):
            yield Row(*row)

    def keys_after(self, seq: int) -> list[int]:
        rows = self._db.execute("SELECT key FROM passages WHERE key > ?", (seq,)).fetchall()
        return [row[0] for row in rows]

    def rows(self, keys: Sequence[int]) -> Iterator[Row]:
        for some in _batches(keys):
            for row in self._db.execute(
                f"SELECT {_ROW} FROM passages p JOIN documents d ON d.key = p.document "
                f"WHERE p.key IN ({_marks(len(some))})",
                some,
            ):
                yield Row(*row)

    def deleted_after(self, seq: int) -> list[int]:
        rows = self._db.execute("SELECT passage FROM deletions WHERE seq > ?", (seq,)).fetchall()
        return [row[0] for row in rows]

    # -------------------------------------------------------------- vectors

    def models(self) -> dict[str, int]:
        with translated(self.folder):
            rows = self._db.execute("SELECT key, vectors FROM models WHERE vectors > 0 ORDER BY id")
            return dict(rows.fetchall())

    def pending(self, model: str, limit: int) -> list[tuple[int, str]]:
        rows = self._db.execute(
            "SELECT p.key, d.title, p.heading, p.text FROM passages p "
            "JOIN documents d ON d.key = p.document WHERE NOT EXISTS (SELECT 1 FROM vectors v "
            "WHERE v.passage = p.key AND v.model = (SELECT id FROM models WHERE key = ?)) "
            "ORDER BY p.key DESC LIMIT ?",
            (model, limit),
        ).fetchall()
        return [(key, indexed_text(title, heading, text)) for key, title, heading, text in rows]

    def put_vectors(
        self, model: str, dimensions: int, keys: Sequence[int], blobs: Sequence[bytes]
    ) -> int:
        with self._write():
            self._db.execute(
                "INSERT INTO models (key, dimensions) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (model, dimensions),
            )
            id, known = self._db.execute(
                "SELECT id, dimensions FROM models WHERE key = ?", (model,)
            ).fetchone()
            if known != dimensions:
                raise StoreError(
                    f"{model}: a vector has {dimensions} dimensions, the stored ones {known}",
                    hint="these are different models; give the new one a name of its own",
                )
            sources: dict[int, int] = {}
            for some in _batches(keys):
                sources.update(
                    self._db.execute(
                        "SELECT p.key, d.source FROM passages p JOIN documents d "
                        f"ON d.key = p.document WHERE p.key IN ({_marks(len(some))}) "
                        "AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.passage = p.key "
                        "AND v.model = ?)",
                        [*some, id],
                    ).fetchall()
                )
            seq = self.state().seq
            rows = []
            for key, blob in zip(keys, blobs, strict=True):
                if key in sources:
                    seq += 1
                    rows.append((seq, id, key, blob))
            self._db.executemany(
                "INSERT INTO vectors (seq, model, passage, vector) VALUES (?, ?, ?, ?)", rows
            )
            self._db.execute(
                "UPDATE models SET vectors = vectors + ? WHERE id = ?", (len(rows), id)
            )
            self._db.execute("UPDATE state SET seq = ?", (seq,))
            self._db.executemany(
                "UPDATE sources SET seq = ? WHERE id = ?", [(seq, s) for s in set(sources.values())]
            )
        return len(rows)

    def drop_vectors(self, model: str) -> int:
        """In transactions of bounded size, so that nobody who writes meanwhile waits long."""
        gone, some = 0, 1
        while some:
            with self._write():
                found = self._db.execute("SELECT id FROM models WHERE key = ?", (model,)).fetchone()
                if found is None:
                    return gone
                some = self._db.execute(
                    "DELETE FROM vectors WHERE seq IN "
                    "(SELECT seq FROM vectors WHERE model = ? LIMIT ?)",
                    (found[0], _DROPPED),
                ).rowcount
                self._db.execute(
                    "UPDATE models SET vectors = vectors - ? WHERE id = ?", (some, found[0])
                )
                if not some:
                    self._db.execute("DELETE FROM models WHERE id = ?", found)
            gone += some
        return gone

    def vectors_between(self, model: str, low: int, high: int) -> Iterator[VectorRow]:
        """Live vectors of a model written in (low, high], in order."""
        for row in self._db.execute(
            "SELECT v.seq, v.passage, p.document, d.owner, d.scopes, d.source, d.kind, p.role, "
            "d.issue, d.event, "
            "d.date, v.vector FROM vectors v JOIN passages p ON p.key = v.passage "
            "JOIN documents d ON d.key = p.document WHERE v.seq > ? AND v.seq <= ? "
            "AND v.model = (SELECT id FROM models WHERE key = ?) ORDER BY v.seq",
            (low, high, model),
        ):
            yield VectorRow(*row)

    def vectors_waiting(self, model: str, after: int, most: int) -> int:
        """How many vectors were written after *after*, counted up to *most*."""
        row = self._db.execute(
            "SELECT COUNT(*) FROM (SELECT 1 FROM vectors WHERE seq > ? "
            "AND model = (SELECT id FROM models WHERE key = ?) LIMIT ?)",
            (after, model, most),
        ).fetchone()
        return int(row[0])

    # -------------------------------------------------------------- counting

    def counts(self) -> dict[str, Any]:
        one = self._db.execute
        return {
            "documents": one("SELECT COUNT(*) FROM documents").fetchone()[0],
            "tombstones": one("SELECT COUNT(*) FROM tombstones").fetchone()[0],
            "kinds": dict(
                one(
                    "SELECT l.value, c FROM (SELECT kind, COUNT(*) AS c FROM documents "
                    "GROUP BY kind) JOIN labels l ON l.id = kind ORDER BY l.value"
                ).fetchall()
            ),
            "vectors": self.models(),
            "sources": [
                SourceStats(name, kind, uri, count, stamp, _places(places))
                for name, kind, uri, count, stamp, places in one(
                    "SELECT s.name, s.kind, s.uri, (SELECT COUNT(*) FROM documents d "
                    "WHERE d.source = s.id), s.stamp, s.places FROM sources s ORDER BY s.name"
                )
            ],
        }


@contextmanager
def translated(folder: Path) -> Iterator[None]:
    """SQLite's errors as ours, with what to do about each."""
    try:
        yield
    except sqlite3.OperationalError as error:
        text = str(error)
        if "locked" in text or "busy" in text:
            told = f"another process has been writing for over {BUSY_SECONDS:.0f} s"
            raise StoreBusy(
                f"{folder}: {told}{audit.holders(folder)}",
                hint="try again; end that process if it is stuck: what it had finished is kept",
            ) from error
        for said, hint in _HINTS.items():
            if said in text:
                raise StoreError(f"{folder}: {text}", hint=hint) from error
        if "decode" in text:
            raise _damaged(folder, error) from error
        raise StoreError(f"{folder}: {text}") from error
    except sqlite3.DatabaseError as error:
        if "malformed" in str(error) or "not a database" in str(error):
            raise _damaged(folder, error) from error
        raise StoreError(f"{folder}: {error}") from error
    except json.JSONDecodeError as error:
        raise _damaged(folder, error) from error
    except OSError as error:
        raise StoreError(f"{folder}: {error.strerror}", hint=_HINTS["readonly"]) from error


_HINTS = {
    "unable to open": "check that it is yours to write",
    "readonly": "check that it is yours to write",
    "disk is full": "make room on the disk and try again; what was kept before is safe",
    "disk I/O error": "what was kept before is safe; look at the disk (room, quota, its log), then "
    "`recollect doctor`",
}


def _damaged(folder: Path, error: Exception) -> StoreCorrupt:
    return StoreCorrupt(
        f"{folder / 'record.db'}: {error}",
        hint="`recollect repair` makes a new store of what can be read and keeps this one aside; "
        "`recollect restore BACKUP` goes back to a backup",
    )


def _places(written: str) -> tuple[Place, ...]:
    return tuple(Place(*place) for place in json.loads(written))


def _marks(count: int) -> str:
    return ",".join("?" * count)


def _batches(values: Sequence[T]) -> Iterable[Sequence[T]]:
    for start in range(0, len(values), _MANY):
        yield values[start : start + _MANY]
