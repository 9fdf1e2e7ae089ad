"""Session stores that are other apps' SQLite databases, opened to be read and no more.

The app may be writing at the same time. A database is opened read-only; each session is read in
a transaction of its own, so that it is whole as of one moment; and no lock is held while the
caller works on what it got. A column that a version does not have reads as None. A damaged file
is read row by row: what is left of it comes out, and the rest is a problem.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from recollect.nouns import Message, Problem, grouped, not_among
from recollect.sources.files import head
from recollect.sources.sessions.base import Read, Session, moment, unknown
from recollect.sources.sessions.turns import (
    human,
    merged,
    title_of,
    tool_call,
    whole,
    without_ours,
)
from recollect.sources.values import mapping

T = TypeVar("T")
Row = dict[str, Any]
Piece = tuple[str, str]
"""A role and what was said in it."""
Needs = Mapping[str, Sequence[str]]
"""The tables, with their columns, without which a database is of no use."""

MAGIC = b"SQLite format 3\x00"
BUSY_SECONDS = 2.0
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_RESCUE = "restore it from a backup, or rescue it with `sqlite3 FILE .recover`"
_ADVICE = {
    sqlite3.SQLITE_BUSY: "its app is writing to it; import again in a moment, or close the app",
    sqlite3.SQLITE_LOCKED: "its app is writing to it; import again in a moment, or close the app",
    sqlite3.SQLITE_READONLY: "its app did not finish a write; open and close the app once",
    sqlite3.SQLITE_IOERR: "import again; if it stays, check the disk",
    sqlite3.SQLITE_CORRUPT: _RESCUE,
    sqlite3.SQLITE_NOTADB: _RESCUE,
    sqlite3.SQLITE_CANTOPEN: "see that the file is there and that you may read it; beside a -wal "
    "file its folder must be writable too, else import a copy of both",
}


_FAILURES = (sqlite3.Error, UnicodeDecodeError)
"""The second is how Python fails to tell of a damaged schema."""


def _code(error: Exception) -> int:
    if isinstance(error, UnicodeDecodeError):
        return sqlite3.SQLITE_CORRUPT
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _raise_if_busy(error: Exception) -> None:
    """Raises the error again if the database is locked, and not damaged."""
    if _code(error) in _BUSY:
        raise error


class AppDatabase:
    """An open database of another app. The constructor raises one of _FAILURES."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.unknown: Counter[str] = Counter()
        """Records of kinds that the reader does not know."""
        self.left_out: dict[str, set[str]] = {}
        """What was not read on purpose: the kind of thing, and which ones."""
        self.damaged = False
        self._faults: dict[str, str] = {}
        self._columns: dict[str, frozenset[str]] = {}
        self._places: dict[tuple[str, str], dict[Any, list[int]]] = {}
        self._db = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro",
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        self._db.text_factory = partial(str, encoding="utf-8", errors="replace")
        try:
            self._open()
        except _FAILURES:
            self.close()
            raise

    def _open(self) -> None:
        self._db.execute("PRAGMA trusted_schema=OFF")
        try:
            self._db.execute("SELECT 1 FROM sqlite_master").fetchone()
        except _FAILURES as error:
            if _code(error) not in _DAMAGE:
                raise
            # SQLite refuses a file with fewer pages than its header says, but for this.
            self._db.execute("PRAGMA writable_schema=ON")
            self._db.execute("SELECT 1 FROM sqlite_master").fetchone()
            self.damaged = True

    def close(self) -> None:
        self._db.close()

    def columns(self, table: str) -> frozenset[str]:
        """The columns of a table; none if there is no such table."""
        if table not in self._columns:
            rows = self._db.execute("SELECT name FROM pragma_table_info(?)", (table,))
            self._columns[table] = frozenset(name for (name,) in rows)
        return self._columns[table]

    def lacks(self, needs: Needs) -> str:
        """Returns in words the first table or column that is missing; empty if none is."""
        for table, names in needs.items():
            have = self.columns(table)
            if not have:
                return f"no table {table}"
            lacking = next(not_among(names, have), "")
            if lacking:
                return f"no column {lacking} in table {table}"
        return ""

    def attempt(self, work: Callable[..., T], *args: Any) -> T:
        """Returns the result of *work* in one transaction. If a part of the file is damaged, *work*
        is done again, row by row."""
        try:
            return self._at_once(work, *args)
        except _FAILURES as error:
            if self.damaged or _code(error) not in _DAMAGE:
                raise
            self.damaged = True
            return self._at_once(work, *args)

    def _at_once(self, work: Callable[..., T], *args: Any) -> T:
        self._db.execute("BEGIN")
        try:
            return work(*args)
        finally:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")

    def rows(
        self, table: str, wanted: Sequence[str], order: str, key: str = "", value: Any = None
    ) -> Iterator[Row]:
        """The rows of a table, or those with *value* in the column *key*, streamed in order (of
        their writing, if the file is damaged); columns that it does not have are None."""
        have = self.columns(table)
        if not have:
            return
        chosen = ", ".join(name if name in have else f"NULL AS {name}" for name in wanted)
        where, given = (f"WHERE {key} = ?", (value,)) if key else ("", ())
        query = f"SELECT {chosen} FROM {table} {where} ORDER BY {order}"  # noqa: S608  our own names
        found: Iterable[Sequence[Any]] = (
            self._rescued(table, chosen, key, value)
            if self.damaged
            else self._db.execute(query, given)
        )
        for row in found:
            yield dict(zip(wanted, row, strict=True))

    def sessions(
        self, table: str, wanted: Sequence[str], order: str, messages: str, key: str
    ) -> Iterator[Row]:
        """The rows of the table of sessions, by their ``id``. If the file is damaged, a bare row
        stands for each session of which only *messages* are left."""
        ids = set()
        for row in self.rows(table, wanted, order):
            ids.add(row["id"])
            yield row
        for id in self._placed(messages, key) if self.damaged else ():
            if isinstance(id, str) and id not in ids:
                yield {**dict.fromkeys(wanted), "id": id}

    def _rescued(self, table: str, chosen: str, key: str, value: Any) -> Iterator[Sequence[Any]]:
        if not key:
            yield from self._scan(table, chosen).values()
            return
        query = f"SELECT {chosen} FROM {table} WHERE rowid = ?"  # noqa: S608  our own names
        for place in self._placed(table, key).get(value, ()):
            row = self._fetched(query, place)
            if row:
                yield row
            else:
                self.fault(table, place, "cannot be read: this part of the file is damaged")

    def _fetched(self, query: str, place: int) -> Sequence[Any]:
        """Returns the row with this rowid; an empty one if it is damaged."""
        try:
            row: Sequence[Any] = self._db.execute(query, (place,)).fetchone() or ()
        except _FAILURES as error:
            _raise_if_busy(error)
            return ()
        torn = any(isinstance(cell, str) and cell.endswith("\x00") for cell in row)
        return () if torn else row

    def _placed(self, table: str, key: str) -> dict[Any, list[int]]:
        """Returns the rowids of the rows that have each value of *key*."""
        if (table, key) not in self._places:
            rows = self._scan(table, key).items()
            self._places[table, key] = grouped((held, place) for place, (held,) in rows)
        return self._places[table, key]

    def _scan(self, table: str, chosen: str) -> dict[int, Sequence[Any]]:
        """Rows by their place, from the table's beginning to the damage and from its end to it,
        without its indexes, which may be damaged too."""
        found: dict[int, Sequence[Any]] = {}
        for way in ("ASC", "DESC"):
            query = f"SELECT rowid, {chosen} FROM {table} NOT INDEXED ORDER BY rowid {way}"  # noqa: S608  our own names
            try:
                for place, *row in self._db.execute(query):
                    if place in found:
                        break
                    found[place] = row
                else:
                    break
            except _FAILURES as error:
                _raise_if_busy(error)
        return {place: found[place] for place in sorted(found)}

    def parsed_object(self, cell: Any, table: str, id: Any) -> dict[str, Any]:
        """The JSON object in a cell; an empty one if there is none."""
        return mapping(self.parsed(cell, table, id))

    def parsed(self, cell: Any, table: str, id: Any) -> Any:
        """The JSON in a cell; None if it is empty or, with a problem, if it is not JSON."""
        try:
            return None if cell in (None, "") else json.loads(cell)
        except (ValueError, TypeError, RecursionError):
            self.fault(
                table, id, "not JSON, and left out; the app may have been stopped in a write"
            )
            return None

    def fault(self, table: str, id: Any, reason: str) -> None:
        """Note a row that cannot be used."""
        self._faults.setdefault(f"{self.path}#{table}/{id}", reason)

    def leave_out(self, what: str, id: Any) -> None:
        """Note something that is not read on purpose."""
        self.left_out.setdefault(what, set()).add(cell(id))

    def problems(self) -> Iterator[Problem]:
        """Yields the problems: one for all rows with the same reason."""
        alike = grouped((reason, where) for where, reason in self._faults.items())
        for reason, places in alike.items():
            more = f" ({len(places)} rows; this is the first)" if len(places) > 1 else ""
            yield Problem(places[0], reason + more)
        if self.damaged:
            said = (
                f"the file is damaged; what could be read of it was, the rest could not: {_RESCUE}"
            )
            yield Problem(str(self.path), said)
        for what, which in self.left_out.items():
            yield Problem(str(self.path), f"{len(which)} {what}", "skipped")
        yield from unknown(self.path, self.unknown)


def holds(path: Path, start: bytes, needs: Needs, pattern: str) -> bool:
    """Whether a file is a database with these tables. One that its app has locked at the moment
    goes by its name, so that the user is told of the lock and not of an unknown file."""
    if not start.startswith(MAGIC):
        return False
    try:
        with closing(AppDatabase(path)) as store:
            return not store.lacks(needs)
    except _FAILURES as error:
        return _code(error) in _BUSY and path.match(pattern.rpartition("/")[2])


def read(
    path: Path,
    label: str,
    needs: Needs,
    listed: Callable[[AppDatabase], Iterable[T]],
    session: Callable[[AppDatabase, T], Session | None],
) -> Read:
    """The sessions of a database: each one that is *listed*, as *session* makes it. One without
    messages is left out; whatever is wrong with the file is a problem."""
    try:
        store = AppDatabase(path)
    except _FAILURES as error:
        yield _trouble(path, error)
        return
    with closing(store):
        try:
            if lacking := store.attempt(store.lacks, needs):
                said = f"{lacking}: not a {label} database, or of a version that is not known yet"
                yield Problem(str(path), f"{said}; see whether there is a newer recollect")
                return
            for item in store.attempt(lambda: list(listed(store))):
                found = store.attempt(session, store, item)
                if found is not None and found.messages:
                    yield found
        except _FAILURES as error:
            yield _trouble(path, error)
        yield from store.problems()


def _trouble(path: Path, error: Exception) -> Problem:
    advice = _ADVICE.get(_code(error), "see whether its app can still open it")
    return Problem(str(path), f"cannot be read: {error}; {advice}")


def turns(id: str, date: datetime | None, pieces: Iterable[Piece]) -> Iterator[Message]:
    """The messages of one record. What is said in one role without a break is one message, tool
    calls excepted; the first has the record's id, each further one its number behind it. Thoughts
    have ids of their own."""
    spoken = ((role, whole(text).strip()) for role, text in map(_attributed, pieces))
    texts = merged(piece for piece in spoken if piece[1])
    said = thought = 0
    for role, text in texts:
        thought += role == "thought"
        said += role != "thought"
        own = id if said == 1 else f"{id}#{said}"
        yield Message(role, text, f"{id}/thought{thought}" if role == "thought" else own, date)


def _attributed(piece: Piece) -> Piece:
    """Returns a piece without the text of our own hooks, in the role of who really spoke."""
    role, text = piece
    if role == "user":
        return human(text)
    return role, text if role in ("assistant", "tool") else without_ours(text)


def called(name: Any, arguments: Any) -> Piece:
    """A tool call, by its name alone if its arguments are nested too deep to be told."""
    try:
        return "tool", tool_call(cell(name), arguments)
    except RecursionError:
        return "tool", cell(name)


def title(given: Any, messages: Sequence[Message]) -> str:
    """Returns the title that was *given*, else the first line of the human (of anyone, if no human
    spoke)."""
    anyone = next((m.role for m in messages if m.role != "tool"), "")
    return title_of(messages, "user", anyone, given=cell(given), cut="")


def cell(value: Any) -> str:
    """A value as text, whatever type the database gave it; nothing for NULL."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def start(created: Any, messages: Sequence[Message]) -> datetime | None:
    """Returns when a session began: the date of its row, else that of its first message."""
    return moment(created) or next((message.date for message in messages), None)


def is_database(path: Path) -> bool:
    return head(path, len(MAGIC)) == MAGIC
