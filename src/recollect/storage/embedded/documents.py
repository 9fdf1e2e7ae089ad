"""Reading the record: filters in numbers, documents, passages, histories."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from itertools import chain, islice, starmap
from pathlib import Path
from typing import Any

from recollect.nouns import (
    GONE,
    Document,
    Event,
    Filter,
    Message,
    Page,
    Passage,
    StoredPassage,
    View,
    attributes,
    grouped,
    not_none,
    values_of,
)
from recollect.ports import DocumentStamp, HandleMatch
from recollect.storage.content import passage_number
from recollect.storage.embedded.connection import Connection, damaged, translated
from recollect.storage.embedded.queries import among as rows_among
from recollect.storage.embedded.queries import marks, scalar
from recollect.storage.embedded.rows import LabelFilter
from recollect.storage.filters import (
    allows,
    among,
    folded_path,
    label_allows,
    path_pattern,
    role_allows,
    scopes_allow,
    source_allows,
)
from recollect.storage.times import micros, moment

DOCUMENT = """d.external, d.source, d.kind, d.title, d.path, d.date, d.owner, d.scopes,
    d.meta, d.origin, d.stamp"""
_SAID = "(SELECT m.date FROM messages m WHERE m.document = p.document AND m.turn = p.turn)"
_LAST = 2**63 - 1
_LABELLED = "SELECT id, value FROM labels WHERE dimension = '{}'"
_VALUES = {"source": "SELECT id, name FROM sources"}
_LABELS: Mapping[str, tuple[str, Callable[[Any, str], bool]]] = {
    "owner": ("owner", operator.eq),
    "scopes": ("scopes", lambda limit, value: scopes_allow(limit, json.loads(value))),
    "sources": ("source", among),
    "kinds": ("kind", among),
    "roles": ("role", role_allows),
    "issues": ("issue", label_allows),
    "events": ("event", label_allows),
}
"""The limits on labels: the column of each, and what a label has to be to pass."""


class Documents(Connection):
    def __init__(self, folder: Path, *, once: bool = False) -> None:
        super().__init__(folder, once=once)
        self._names: dict[int, str] = {}
        self._scopes: dict[int, tuple[str, ...]] = {}
        self._source_names: dict[int, str] = {}

    def _forget_names(self) -> None:
        self._names.clear()
        self._scopes.clear()
        self._source_names.clear()

    # -------------------------------------------------------------- filters

    def allowed(self, filter: Filter) -> LabelFilter:
        """Returns the filter in numbers. Labels are few, so they are read and compared here, by
        the same rules as the plain predicate."""
        limits = attributes(filter, filter.limits)
        labels: dict[str, Any] = {
            column: self._passing(column, test, limits[name])
            for name, (column, test) in _LABELS.items()
            if name in limits
        }
        for name, wall in not_none((filter.within or View())._asdict()).items():
            column, test = _LABELS[name]
            inside = self._passing(column, test, wall)
            labels[column] = inside & labels.get(column, inside)
        paths = tuple(map(path_pattern, filter.paths)) if filter.paths is not None else None
        dated = LabelFilter(since=micros(filter.since), until=micros(filter.until), paths=paths)
        return dated._replace(**labels)

    def _passing(self, column: str, test: Callable[[Any, str], bool], limit: Any) -> frozenset[int]:
        rows = self._db.execute(_VALUES.get(column, _LABELLED.format(column)))
        return frozenset(id for id, value in rows if test(limit, value))

    def documents_on_paths(self, patterns: Sequence[str]) -> list[int]:
        """Keys of the documents whose path matches one of the patterns."""
        compiled = [re.compile(p, re.DOTALL) for p in patterns]
        rows = self._db.execute("SELECT key, path FROM documents WHERE path != ''")
        return [k for k, path in rows if any(c.fullmatch(folded_path(path)) for c in compiled)]

    def _where(self, allowed: LabelFilter, table: str = "d") -> tuple[str, list[Any]]:
        """Returns conditions on the table, except for paths and roles, and their values."""
        limits = allowed._replace(role=None, since=None, until=None, paths=None)._asdict()
        labels = {column: sorted(ids) for column, ids in limits.items() if ids is not None}
        conditions = {f"{table}.{name} IN ({marks(len(ids))})": ids for name, ids in labels.items()}
        dates = {"d.date >= ?": allowed.since, "d.date < ?": allowed.until}
        conditions |= {limit: [date] for limit, date in dates.items() if date is not None}
        return " AND ".join(["1", *conditions]), list(chain.from_iterable(conditions.values()))

    # -------------------------------------------------------------- reading

    def get(self, name: str, filter: Filter, body: bool) -> list[Document]:
        found = {key: one for key, one in self._named(name) if allows(filter, one)}
        return list(starmap(self._with_body, found.items()) if body else found.values())

    def _named(self, name: str) -> list[tuple[int, Document]]:
        for column in ("id", "external"):
            rows = self._db.execute(
                f"SELECT d.key, {DOCUMENT} FROM documents d WHERE d.{column} = ? "
                "ORDER BY d.key DESC",
                (name,),
            ).fetchall()
            if rows:
                return [(key, self.document_of(about)) for key, *about in rows]
        return []

    def by_handle(self, handles: Sequence[str]) -> list[HandleMatch]:
        select = "SELECT document, handle FROM handles WHERE handle IN ({})"
        found = sorted(rows_among(self._db, select, handles))
        documents = {key: self.document(key) for key in {key for key, _ in found}}
        return [HandleMatch(handle, documents[key]) for key, handle in found]

    def document_of(self, about: Sequence[Any]) -> Document:
        """Makes a document without its body of the columns ``DOCUMENT``."""
        try:
            return self._document_of(about)
        except (TypeError, ValueError) as error:
            raise damaged(self.folder, f"a document cannot be read: {error}") from error

    def _document_of(self, about: Sequence[Any]) -> Document:
        external, source, kind, title, path, date, owner, scopes, meta, origin, stamp = about
        if type(title) is not str:
            raise TypeError("its title is no text")
        return Document(
            external=external,
            source=self._source_name(source),
            kind=self.label(kind),
            title=title,
            path=path,
            date=moment(date),
            owner=self.label(owner),
            scopes=self._scope_set(scopes),
            meta=json.loads(meta),
            origin=origin,
            stamp=stamp,
        )

    def label(self, label: int) -> str:
        """A label's value. Labels are never changed, so they are remembered for good."""
        if label not in self._names:
            self._names.update(self._db.execute("SELECT id, value FROM labels").fetchall())
        if label not in self._names:
            raise damaged(self.folder, f"the label {label} is gone")
        return self._names[label]

    def _scope_set(self, label: int) -> tuple[str, ...]:
        if label not in self._scopes:
            self._scopes[label] = tuple(json.loads(self.label(label)))
        return self._scopes[label]

    def _source_name(self, source: int) -> str:
        if source not in self._source_names:
            self._source_names.update(self._db.execute("SELECT id, name FROM sources").fetchall())
        if source not in self._source_names:
            raise damaged(self.folder, f"the source {source} is gone")
        return self._source_names[source]

    def _with_body(self, key: int, document: Document) -> Document:
        select = "SELECT turn, text FROM passages WHERE document = ? ORDER BY n"
        rows = self._db.execute(select, (key,)).fetchall()
        self._are_texts(text for _, text in rows)
        texts: dict[int, list[str]] = grouped(rows)
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

    def passages(self, names: Sequence[int | str], before: int, after: int) -> list[StoredPassage]:
        keys = [key for name in names if (key := self._passage_key(name)) is not None]
        if before or after:
            return list(chain.from_iterable(self._around(key, before, after) for key in keys))
        found = {p.key: p for p in self._passages(f"p.key IN ({marks(len(keys))})", keys)}
        return list(values_of(found, keys))

    def _passage_key(self, name: int | str) -> int | None:
        if isinstance(name, int):
            return name
        number: int | None = scalar(
            self._db,
            "SELECT p.key FROM passages p JOIN documents d ON d.key = p.document "
            "WHERE d.id = ? AND p.n = ?",
            passage_number(name),
        )
        return number

    def _around(self, key: int, before: int, after: int) -> list[StoredPassage]:
        row = self._db.execute("SELECT document, n FROM passages WHERE key = ?", (key,)).fetchone()
        if row is None:
            return []
        document, n = row
        among = "p.document = ? AND p.n BETWEEN ? AND ? ORDER BY p.n"
        return self._passages(among, (document, n - before, n + after))

    def _passages(self, condition: str, values: Sequence[Any]) -> list[StoredPassage]:
        rows = self._db.execute(
            f"SELECT p.key, p.n, p.text, p.heading, p.turn, p.role, d.id, {_SAID}, {DOCUMENT} "
            f"FROM passages p JOIN documents d ON d.key = p.document WHERE {condition}",
            values,
        ).fetchall()
        self._are_texts(chain.from_iterable(row[2:4] for row in rows))
        return [
            StoredPassage(
                key,
                f"{id}:{n}",
                Passage(n, text, heading, turn, self.label(role)),
                self.document_of(about),
                moment(said),
            )
            for key, n, text, heading, turn, role, id, said, *about in rows
        ]

    def _are_texts(self, values: Iterable[object]) -> None:
        """Raises StoreCorrupt where a flipped bit has made something else of a text."""
        if not all(type(value) is str for value in values):
            raise damaged(self.folder, "the text of a passage is none")

    def seen(
        self, filter: Filter, columns: str, condition: str, values: Sequence[Any] = ()
    ) -> Generator[tuple[Any, ...], None, None]:
        """Yields the key and these columns of the documents that the filter lets through and
        that meet the condition, in its order. Whoever stops before the end closes it: the
        statement is open until then."""
        allowed = self.allowed(filter)._replace(role=None)  # of turns, not of documents
        if allowed.nothing:
            return
        where, limits = self._where(allowed)
        rows = self._db.execute(
            f"SELECT d.key, {columns} FROM documents d WHERE {where} AND {condition}",
            [*limits, *values],
        )
        if allowed.paths is None:
            yield from rows
            return
        on_paths = set(self.documents_on_paths(allowed.paths))
        yield from (row for row in rows if row[0] in on_paths)

    def scan(self, filter: Filter, limit: int, start: int | None) -> Page:
        last = _LAST if start is None else start
        condition = "d.key < ? ORDER BY d.key DESC"
        with closing(self.seen(filter, DOCUMENT, condition, (last,))) as found:
            rows = list(islice(found, limit + 1))
        items = tuple(self.document_of(about) for _, *about in rows[:limit])
        return Page(items, str(rows[limit - 1][0]) if len(rows) > limit else "")

    def scan_dated(self, filter: Filter, limit: int) -> Page:
        order = "d.date IS NOT NULL ORDER BY d.date DESC, d.key DESC"
        with closing(self.seen(filter, DOCUMENT, order)) as found:
            rows = list(islice(found, limit))
        return Page(tuple(self.document_of(about) for _, *about in rows), "")

    def stamps(self, source: str, *, gone: bool = False) -> list[DocumentStamp]:
        rows = self._db.execute(
            "SELECT d.external, d.path, d.origin, d.stamp, d.owner, d.scopes "
            "FROM documents d WHERE d.source = (SELECT id FROM sources WHERE name = ?) "
            "AND d.stamp LIKE ? ORDER BY d.key DESC",
            (source, f"%{GONE * gone}"),
        ).fetchall()
        return [
            DocumentStamp(
                external, source, path, origin, stamp, self.label(owner), self._scope_set(scopes)
            )
            for external, path, origin, stamp, owner, scopes in rows
        ]

    def history(self, id: str) -> list[Event]:
        return [
            Event(seq, datetime.fromtimestamp(at, UTC), action, id)
            for seq, action, at in self._db.execute(
                "SELECT seq, action, at FROM events WHERE id = ? ORDER BY seq", (id,)
            )
        ]

    def key_of(self, id: str) -> int | None:
        key: int | None = scalar(self._db, "SELECT key FROM documents WHERE id = ?", (id,))
        return key

    def document(self, key: int) -> Document:
        """A document that is there, with its body."""
        row = self._db.execute(f"SELECT {DOCUMENT} FROM documents d WHERE d.key = ?", (key,))
        return self._with_body(key, self.document_of(row.fetchone()))

    def source_seqs(self, filter: Filter) -> list[tuple[str, int]]:
        """The last change of each source that the filter lets through, within its wall, and of the
        store's history itself."""
        with translated(self.folder):
            seqs, labels = "SELECT name, seq FROM sources", list[Any]()
            if filter.within:
                conditions, labels = self._where(self.allowed(Filter(within=filter.within)), "w")
                seqs = (
                    "SELECT s.name, w.seq FROM walls w JOIN sources s ON s.id = w.source "
                    f"WHERE {conditions}"
                )
            rows = self._db.execute(
                f"{seqs} UNION ALL SELECT epoch, -1 FROM state ORDER BY 1, 2", labels
            ).fetchall()
        if filter.sources is None:
            return rows
        return [row for row in rows if row[1] < 0 or source_allows(filter.sources, row[0])]
