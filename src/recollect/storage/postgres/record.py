"""Reading the record: documents, passages, lists, history, counts. Sessions are in ``turns.py``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from recollect.nouns import (
    GONE,
    Document,
    Event,
    Filter,
    Message,
    Page,
    Place,
    SourceStats,
    StoredPassage,
    grouped,
)
from recollect.ports import EVERYTHING, DocumentStamp, HandleMatch
from recollect.storage.content import parse_cursor, passage_number
from recollect.storage.filters import allows, source_allows
from recollect.storage.postgres import filters
from recollect.storage.postgres.connection import Db, only_row, scalar
from recollect.storage.postgres.owners import Owners
from recollect.storage.postgres.rows import (
    DOCUMENT,
    PASSAGE,
    document,
    given,
    hashed,
    owner_of,
    owners_of,
    passage,
    stored,
)
from recollect.storage.times import moment

_DOCUMENTS = "documents d JOIN owners o ON o.owner = d.owner"
_PASSAGES = (
    "passages p JOIN documents d ON d.owner = p.owner AND d.key = p.document "
    "JOIN owners o ON o.owner = p.owner"
)
_NAMED = (
    "d.id = %(name)s",
    "md5(d.external) = md5(%(name)s) AND d.external = %(name)s",
)


class RecordReader:
    def __init__(self, owners: Owners) -> None:
        self._owners = owners

    # -------------------------------------------------------------- documents

    def get(self, db: Db, name: str, filter: Filter, body: bool) -> list[Document]:
        found = [(key, one) for key, one in self._called(db, name) if allows(filter, one)]
        return self._whole(db, found) if body else [one for _, one in found]

    def _called(self, db: Db, name: str) -> list[tuple[int, Document]]:
        for condition in _NAMED:
            rows = db.execute(
                f"SELECT d.key, {DOCUMENT} FROM {_DOCUMENTS} "
                f"WHERE d.owner = ANY({self._owners.seen}) AND {condition} ORDER BY d.key DESC",
                {"name": stored(name)},
            ).fetchall()
            if rows:
                return [(key, document(about)) for key, *about in rows]
        return []

    def by_handle(self, db: Db, handles: Sequence[str]) -> list[HandleMatch]:
        wanted = list(map(stored, handles))
        rows = db.execute(
            f"SELECT h.handle, d.key, {DOCUMENT} FROM handles h JOIN documents d "
            "ON d.owner = h.owner AND d.key = h.document JOIN owners o ON o.owner = h.owner "
            f"WHERE h.owner = ANY({self._owners.seen}) "
            "AND md5(h.handle) = ANY(%(hashes)s) AND h.handle = ANY(%(handles)s)",
            {"handles": wanted, "hashes": list(map(hashed, wanted))},
        ).fetchall()
        found = {key: document(about) for _, key, *about in rows}
        whole = dict(zip(found, self._whole(db, list(found.items())), strict=True))
        pairs = sorted((key, given(handle)) for handle, key, *_ in rows)
        return [HandleMatch(handle, whole[key]) for key, handle in pairs]

    def holds(self, db: Db, handles: Sequence[str]) -> bool:
        """Whether any document has one of these."""
        found = scalar(
            db,
            f"SELECT 1 FROM handles WHERE owner = ANY({self._owners.seen}) "
            "AND md5(handle) = ANY(%s) LIMIT 1",
            ([hashed(stored(one)) for one in handles],),
        )
        return found is not None

    def whole(self, db: Db, keys: Sequence[int]) -> list[Document]:
        """These documents, in this order; they are there."""
        rows = db.execute(
            f"SELECT d.key, {DOCUMENT} FROM {_DOCUMENTS} WHERE d.owner = ANY(%s) "
            "AND d.key = ANY(%s)",
            (owners_of(keys), list(keys)),
        )
        found = {key: document(about) for key, *about in rows}
        return self._whole(db, [(key, found[key]) for key in keys])

    def _whole(self, db: Db, found: Sequence[tuple[int, Document]]) -> list[Document]:
        """The documents with their bodies."""
        if not found:
            return []
        keys = list(dict(found))
        place = (owners_of(keys), keys)
        rows = db.execute(
            "SELECT document, turn, text FROM passages WHERE owner = ANY(%s) "
            "AND document = ANY(%s) ORDER BY document, n",
            place,
        )
        texts = grouped(((key, turn), given(text)) for key, turn, text in rows)
        messages: dict[int, list[Message]] = {}
        for key, turn, role, id, date in db.execute(
            "SELECT document, turn, role, id, date FROM messages WHERE owner = ANY(%s) "
            "AND document = ANY(%s) ORDER BY document, turn",
            place,
        ):
            text = "".join(texts.get((key, turn), ()))
            one = Message(given(role), text, given(id), moment(date))
            messages.setdefault(key, []).append(one)
        return [
            head._replace(messages=tuple(messages[key]))
            if key in messages
            else head._replace(text="".join(texts.get((key, 0), ())))
            for key, head in found
        ]

    # -------------------------------------------------------------- passages

    def passages(
        self, db: Db, names: Sequence[int | str], before: int, after: int
    ) -> list[StoredPassage]:
        keys = [key for name in names if (key := self._passage_key(db, name)) is not None]
        if before or after:
            return list(chain.from_iterable(self._around(db, key, before, after) for key in keys))
        rows = db.execute(
            f"SELECT {PASSAGE} FROM {_PASSAGES} WHERE p.owner = ANY(%s) AND p.key = ANY(%s)",
            (owners_of(keys), keys),
        )
        found = {row[0]: passage(row) for row in rows}
        return [found[key] for key in keys if key in found]

    def _passage_key(self, db: Db, name: int | str) -> int | None:
        if isinstance(name, int):
            return name
        document, n = passage_number(name)
        key: int | None = scalar(
            db,
            "SELECT p.key FROM passages p JOIN documents d ON d.owner = p.owner "
            f"AND d.key = p.document WHERE d.owner = ANY({self._owners.seen}) "
            "AND d.id = %s AND p.n = %s",
            (stored(document), n),
        )
        return key

    def _around(self, db: Db, key: int, before: int, after: int) -> list[StoredPassage]:
        rows = db.execute(
            f"SELECT {PASSAGE} FROM {_PASSAGES} JOIN passages mid ON mid.owner = p.owner "
            "AND mid.document = p.document AND mid.owner = %s AND mid.key = %s "
            "WHERE p.n BETWEEN mid.n - %s AND mid.n + %s ORDER BY p.n",
            (owner_of(key), key, before, after),
        )
        return list(map(passage, rows))

    # -------------------------------------------------------------- lists

    def scan(self, db: Db, filter: Filter, limit: int, cursor: str) -> Page:
        start = parse_cursor(cursor, lambda id: self._key_of(db, id))
        among = "TRUE" if start is None else "d.key < %(start)s"
        rows = self._list(db, filter, f"{among} ORDER BY d.key DESC", limit + 1, start)
        items = tuple(document(about) for _, *about in rows[:limit])
        return Page(items, str(rows[limit - 1][0]) if len(rows) > limit else "")

    def _key_of(self, db: Db, id: str) -> int | None:
        where = f"owner = ANY({self._owners.seen}) AND id = %s"
        key: int | None = scalar(db, f"SELECT key FROM documents WHERE {where}", (stored(id),))
        return key

    def written(self, db: Db, ids: Collection[str]) -> dict[str, float]:
        """Returns when each of these documents that is there was first written, by id."""
        rows = db.execute(
            "SELECT d.id, COALESCE((SELECT MAX(e.at) FROM events e WHERE e.owner = d.owner "
            "AND e.id = d.id AND e.action = 'added'), 0) FROM documents d "
            f"WHERE d.owner = ANY({self._owners.seen}) AND d.id = ANY(%s)",
            (list(map(stored, ids)),),
        )
        return {given(id): at for id, at in rows}

    def known_ids(self, db: Db, ids: Collection[str]) -> set[str]:
        """Returns those of these documents that are there, or were."""
        among = f"owner = ANY({self._owners.seen}) AND id = ANY(%(ids)s)"
        tables = ("documents", "tombstones", "events")
        every = " UNION ".join(f"SELECT id FROM {table} WHERE {among}" for table in tables)
        return {given(id) for (id,) in db.execute(every, {"ids": list(map(stored, ids))})}

    def cursor_behind(self, db: Db, id: str, at: float) -> str:
        """Returns the cursor of a list that goes on behind this document, or behind those that
        were first written later than it."""
        here = self._key_of(db, id)
        if here is not None:
            return str(here)
        key: int | None = scalar(
            db,
            f"SELECT MIN(d.key) FROM documents d WHERE d.owner = ANY({self._owners.seen}) "
            "AND EXISTS (SELECT 1 FROM events e WHERE e.owner = d.owner AND e.id = d.id "
            "AND e.action = 'added' AND e.at > %s)",
            (at,),
        )
        return "" if key is None else str(key)

    def scan_dated(self, db: Db, filter: Filter, limit: int) -> Page:
        among = "d.date IS NOT NULL ORDER BY d.date DESC, d.key DESC"
        rows = self._list(db, filter, among, limit)
        return Page(tuple(document(about) for _, *about in rows), "")

    def _list(
        self, db: Db, filter: Filter, among: str, limit: int, start: int | None = None
    ) -> list[Any]:
        """Returns the key and the columns of documents, in the order of the condition."""
        if filters.nothing(filter):
            return []
        condition, values = self._seen(filter)
        return db.execute(
            f"SELECT d.key, {DOCUMENT} FROM {_DOCUMENTS} WHERE {condition} AND {among} "
            "LIMIT %(limit)s",
            {**values, "start": start, "limit": limit},
        ).fetchall()

    def _seen(self, filter: Filter) -> tuple[str, dict[str, Any]]:
        """The condition on documents of a filter and of who may be seen."""
        where = filters.where(filter)
        values = dict(where.values)
        among = self._owners.among(filter, "d.owner", values)
        return f"{among} AND {where.document or 'TRUE'}", values

    def stamps(self, db: Db, source: str, *, gone: bool = False) -> list[DocumentStamp]:
        rows = db.execute(
            "SELECT d.external, d.path, d.origin, d.stamp, o.name, d.scopes "
            f"FROM {_DOCUMENTS} WHERE d.owner = ANY({self._owners.seen}) AND d.source = %s "
            "AND d.stamp LIKE %s ORDER BY d.key DESC",
            (stored(source), f"%{GONE * gone}"),
        )
        return [
            DocumentStamp(
                given(external),
                source,
                given(path),
                given(origin),
                given(stamp),
                given(owner),
                tuple(map(given, scopes)),
            )
            for external, path, origin, stamp, owner, scopes in rows
        ]

    def history(self, db: Db, id: str) -> list[Event]:
        rows = db.execute(
            f"SELECT seq, at, action FROM events WHERE owner = ANY({self._owners.seen}) "
            "AND id = %s ORDER BY seq",
            (stored(id),),
        )
        return [Event(seq, datetime.fromtimestamp(at, UTC), action, id) for seq, at, action in rows]

    # -------------------------------------------------------------- state and counts

    def source_seqs(self, db: Db, filter: Filter) -> list[str]:
        """The last change of each source that the filter lets through, by owner, and the store's
        own history."""
        values: dict[str, Any] = {}
        among = self._owners.among(filter, "owner", values)
        seqs = f"SELECT name, owner, seq FROM sources WHERE {among} OR owner = 0"
        if filter.within:
            seqs = f"SELECT source, owner, MAX(seq) FROM walls d WHERE {among}"
            if filter.within.scopes is not None:
                seqs += " AND d.scopes && %(within)s::text[]"
                values["within"] = list(map(stored, filter.within.scopes))
            seqs += " GROUP BY source, owner"
        rows = db.execute(f"{seqs} UNION ALL SELECT epoch, -1, 0 FROM meta", values)
        return sorted(
            f"{name}={owner}.{seq}"
            for name, owner, seq in rows
            if owner < 0 or source_allows(filter.sources, given(name))
        )

    def documents_by_source(self, db: Db) -> dict[str, int]:
        """Counts the documents of each source, on both sides of every wall."""
        rows = db.execute(
            f"SELECT source, COUNT(*) FROM documents WHERE owner = ANY({self._owners.seen}) "
            "GROUP BY source"
        )
        return {given(name): count for name, count in rows}

    def _counts_within(self, db: Db, filter: Filter) -> dict[str, Any]:
        """Counts what lies within a wall."""
        seen, values = self._seen(Filter(within=filter.within))
        passages = scalar(
            db,
            "SELECT COUNT(*) FROM passages p JOIN documents d ON d.owner = p.owner "
            f"AND d.key = p.document WHERE {seen}",
            values,
        )
        rows = db.execute(
            f"SELECT d.kind, d.source, COUNT(*) FROM documents d WHERE {seen} "
            "GROUP BY d.kind, d.source ORDER BY d.kind",
            values,
        ).fetchall()
        kinds, sources = Counter[str](), Counter[str]()
        for kind, source, count in rows:
            kinds[given(kind)] += count
            sources[given(source)] += count
        named = (one._replace(documents=sources[one.name]) for one in self.sources(db))
        return {
            "documents": kinds.total(),
            "tombstones": 0,
            "passages": passages,
            "seq": 0,
            "bytes": 0,
            "kinds": dict(kinds),
            "sources": sorted(named, key=lambda one: one.name),
        }

    def counts(self, db: Db, filter: Filter = EVERYTHING) -> dict[str, Any]:
        if filter.within:
            return self._counts_within(db, filter)
        seen = f"owner = ANY({self._owners.seen})"
        documents, tombstones, passages, seq, size = only_row(
            db,
            f"SELECT (SELECT COUNT(*) FROM documents WHERE {seen}), "
            f"(SELECT COUNT(*) FROM tombstones WHERE {seen}), "
            f"(SELECT COALESCE(SUM(passages), 0) FROM state WHERE {seen}), "
            f"(SELECT COALESCE(MAX(seq), 0) FROM sources WHERE {seen}), "
            "(SELECT COALESCE(SUM(pg_total_relation_size(c.oid)), 0) FROM pg_class c "
            "WHERE c.relnamespace = %s::regnamespace AND c.relkind = 'r')",
            (self._owners.schema,),
        )
        kinds = db.execute(
            f"SELECT kind, COUNT(*) FROM documents WHERE {seen} GROUP BY kind ORDER BY kind"
        ).fetchall()
        return {
            "documents": documents,
            "tombstones": tombstones,
            "passages": int(passages),
            "seq": seq,
            "bytes": int(size),
            "kinds": {given(kind): count for kind, count in kinds},
            "sources": sorted(self.sources(db), key=lambda one: one.name),
        }

    def sources(self, db: Db) -> list[SourceStats]:
        """Each once, in the order they became known; as it was registered, if it was."""
        seen = f"owner = ANY({self._owners.seen})"
        counts: dict[str, int] = dict(
            db.execute(
                f"SELECT source, COUNT(*) FROM documents WHERE {seen} GROUP BY source"
            ).fetchall()
        )
        rows = db.execute(
            f"SELECT name, kind, uri, stamp, places, owner = %s FROM sources WHERE {seen} "
            "ORDER BY born",
            (self._owners.known_home(db),),
        )
        found: dict[str, SourceStats] = {}
        for name, kind, uri, stamp, places, registered in rows:
            if name not in found or registered:
                found[name] = SourceStats(
                    given(name),
                    given(kind),
                    given(uri),
                    counts.get(name, 0),
                    given(stamp),
                    tuple(Place(*place) for place in json.loads(places)),
                )
        return list(found.values())
