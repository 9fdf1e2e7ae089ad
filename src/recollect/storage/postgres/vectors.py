"""Vectors: one table a model, searched one by one or by graph.

A graph (HNSW) is built over a partition once it has so many vectors that comparing them all would
take long, while everything goes on. A filter that leaves few is answered by comparing those; a
search by graph that finds too little under its filter is done again one by one. What is returned
has its exact cosine either way, and the order of that.
"""

from __future__ import annotations

import json
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import psycopg
from psycopg import errors

from recollect import ports
from recollect.errors import StoreError
from recollect.named_tuple import NamedTuple
from recollect.nouns import Filter, Hit
from recollect.ports import VectorResult
from recollect.storage.postgres import filters
from recollect.storage.postgres.bulk import insert
from recollect.storage.postgres.connection import Connections, Db, firsts, only_row, scalar
from recollect.storage.postgres.owners import Owners
from recollect.storage.postgres.rows import given, owner_of, owners_of
from recollect.storage.postgres.schema import model_statements, vectors_of
from recollect.text.lexical import indexed_text

EXACT_ROWS = 10_000
"""So many are compared one by one; more are worth a graph."""
_LINKS, _TRIED = 24, 128
"""How well a graph is linked. With pgvector's own 16 and 64 it found 0.89 of the ten nearest among
150,000, with these 0.96 in less time; building it takes about twice as long."""
_COPY_HEAD = b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)
_COPY_END = struct.pack(">h", -1)


_NOWHERE = np.zeros(0, np.float32)


class ModelTable(NamedTuple):
    number: int
    key: str
    dimensions: int
    half: bool

    @property
    def table(self) -> str:
        return f"vectors_{self.number}"

    @property
    def kind(self) -> str:
        return "halfvec" if self.half else "vector"


def models(db: Db) -> list[ModelTable]:
    rows = db.execute("SELECT model, key, dimensions, half FROM models ORDER BY model")
    return [ModelTable(*row) for row in rows]


def move(db: Db, gone: Sequence[int], same: Sequence[tuple[int, int]]) -> None:
    """Passages are gone; those that others have the text of leave their vectors to them."""
    if not gone:
        return
    old = firsts(same)
    for model in models(db):
        table = model.table
        more = db.execute(
            f"INSERT INTO {table} (owner, passage, document, v, sentences) "
            f"SELECT v.owner, n.new, v.document, v.v, v.sentences FROM {table} v "
            "JOIN unnest(%s::int[], %s::bigint[], %s::bigint[]) AS n (owner, old, new) "
            "ON v.owner = n.owner AND v.passage = n.old RETURNING owner",
            (list(map(owner_of, old)), old, [new for _, new in same]),
        ).fetchall()
        less = db.execute(
            f"DELETE FROM {table} WHERE owner = ANY(%s) AND passage = ANY(%s) RETURNING owner",
            (owners_of(gone), list(gone)),
        ).fetchall()
        counts = Counter(firsts(more))
        counts.subtract(firsts(less))
        _count(db, model, counts)


def _vector(text: str) -> ports.Vector:
    return np.array(text[1:-1].split(","), np.float32)


def touch_walls(db: Db, walls: Sequence[tuple[int, str, tuple[str, ...]]]) -> None:
    """Lets it be seen that something changed of these owners, sources and sets of scopes."""
    for owner, source, scopes in walls:
        db.execute(
            "INSERT INTO walls VALUES (%s, %s, %s, nextval('changes')) "
            "ON CONFLICT (owner, source, scopes) DO UPDATE SET seq = excluded.seq",
            (owner, source, list(scopes)),
        )


def _count(db: Db, model: ModelTable, more: dict[int, int]) -> None:
    for owner, by in sorted(more.items()):
        db.execute(
            "INSERT INTO vector_counts AS c VALUES (%s, %s, %s) ON CONFLICT (owner, model) "
            "DO UPDATE SET vectors = c.vectors + excluded.vectors",
            (owner, model.number, by),
        )


class VectorTables:
    def __init__(self, connections: Connections, owners: Owners) -> None:
        self._connections = connections
        self._owners = owners
        self._exact = connections.address.exact

    def _model(self, db: Db, key: str) -> ModelTable | None:
        return next((model for model in models(db) if model.key == key), None)

    # -------------------------------------------------------------- writing

    def pending(self, db: Db, key: str, limit: int, filter: Filter) -> list[tuple[int, str]]:
        wall = Filter(within=filter.within)
        if filters.nothing(wall):
            return []
        where = filters.where(wall)
        values: dict[str, Any] = {**where.values, "limit": limit}
        among = self._owners.among(wall, "p.owner", values)
        model = self._model(db, key)
        seen = self._owners.seen
        missing = scalar(
            db,
            f"SELECT (SELECT COALESCE(SUM(passages), 0) FROM state WHERE owner = ANY({seen})) - "
            f"(SELECT COALESCE(SUM(vectors), 0) FROM vector_counts WHERE owner = ANY({seen}) "
            "AND model = %s)",
            (model.number if model else None,),
        )
        if missing <= 0:
            return []
        without = (
            f"AND NOT EXISTS (SELECT 1 FROM {model.table} v WHERE v.owner = p.owner "
            "AND v.passage = p.key)"
            if model
            else ""
        )
        rows = db.execute(
            "SELECT p.key, d.title, p.heading, p.text FROM passages p JOIN documents d "
            "ON d.owner = p.owner AND d.key = p.document "
            f"WHERE {among} AND {where.both} {without} ORDER BY p.key DESC LIMIT %(limit)s",
            values,
        ).fetchall()
        return [
            (key, indexed_text(given(title), given(heading), given(text)))
            for key, title, heading, text in rows
        ]

    def twins(self, db: Db, key: str, keys: Sequence[int]) -> dict[int, ports.Twin]:
        model = self._model(db, key)
        if model is None:
            return {}
        with_document = "JOIN documents {0}d ON {0}d.owner = {0}.owner AND {0}d.key = {0}.document"
        rows = db.execute(
            f"SELECT w.key, v.v::text, v.sentences FROM passages w {with_document.format('w')} "
            "JOIN passages p ON p.owner = w.owner AND p.text = w.text AND p.heading = w.heading "
            f"{with_document.format('p')} AND pd.title = wd.title AND pd.scopes = wd.scopes "
            f"JOIN {model.table} v ON v.owner = p.owner AND v.passage = p.key "
            "WHERE w.owner = ANY(%s) AND w.key = ANY(%s)",
            (owners_of(keys), list(keys)),
        )
        return {key: ports.Twin(_vector(text), signs or b"") for key, text, signs in rows}

    def sentences(self, db: Db, key: str, keys: Sequence[int]) -> dict[int, bytes]:
        model = self._model(db, key)
        if model is None:
            return {}
        rows = db.execute(
            f"SELECT passage, sentences FROM {model.table} WHERE owner = ANY(%s) "
            f"AND owner = ANY({self._owners.seen}) AND passage = ANY(%s) "
            "AND sentences IS NOT NULL",
            (owners_of(keys), list(keys)),
        )
        return dict(rows.fetchall())

    def put(
        self,
        key: str,
        keys: Sequence[int],
        vectors: ports.Vectors,
        sentences: Sequence[bytes] | None,
    ) -> int:
        model = self._made(key, int(vectors.shape[1]))
        _fits(model, int(vectors.shape[1]))
        signs = [b""] * len(keys) if sentences is None else sentences
        return self._connections.write(lambda db: self._put(db, model, keys, vectors, signs))

    def _made(self, key: str, dimensions: int) -> ModelTable:
        """The model, with a table for its vectors."""
        found = self._connections.read(lambda db: self._model(db, key))
        if found is not None:
            return found

        def make(db: Db) -> None:
            schema = self._owners.schema
            db.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 14))", (schema,))
            there = models(db)
            if any(model.key == key for model in there):
                return
            number = max((model.number for model in there), default=0) + 1
            half = self._connections.server.half
            partitions = scalar(db, "SELECT partitions FROM meta") or 0
            table = vectors_of(number, dimensions, half)
            for statement in model_statements(table, partitions, schema):
                db.execute(statement)
            db.execute(
                "INSERT INTO models VALUES (%s, %s, %s, %s)", (number, key, dimensions, half)
            )

        self._connections.write(make)
        made = self._connections.read(lambda db: self._model(db, key))
        assert made is not None
        return made

    def _put(
        self,
        db: Db,
        model: ModelTable,
        keys: Sequence[int],
        vectors: ports.Vectors,
        sentences: Sequence[bytes],
    ) -> int:
        owners = owners_of(keys)
        self._owners.lock(db, owners)
        found = db.execute(
            "SELECT p.key, p.document, d.source, d.scopes FROM passages p JOIN documents d "
            "ON d.owner = p.owner AND d.key = p.document "
            "WHERE p.owner = ANY(%s) AND p.key = ANY(%s) AND NOT EXISTS "
            f"(SELECT 1 FROM {model.table} v WHERE v.owner = p.owner AND v.passage = p.key)",
            (owners, list(keys)),
        ).fetchall()
        wanted = {key: (document, source) for key, document, source, _ in found}
        walls = sorted({(owner_of(key), source, tuple(scopes)) for key, _, source, scopes in found})
        kept = [n for n, key in enumerate(keys) if key in wanted]
        if not kept:
            return 0
        some = [keys[n] for n in kept]
        rows = _Rows(
            some,
            [wanted[key][0] for key in some],
            vectors[kept],
            [sentences[n] or None for n in kept],
        )
        _insert(db, self._owners.walled, model, rows)
        counts = Counter(map(owner_of, some))
        _count(db, model, counts)
        changed = sorted({(owner_of(key), wanted[key][1]) for key in some})
        for owner, source in changed:
            db.execute(
                "UPDATE sources SET seq = nextval('changes') WHERE owner = %s AND name = %s",
                (owner, source),
            )
        touch_walls(db, walls)
        for owner in counts:
            self._owners.tell(db, owner)
        return len(kept)

    def load(
        self, db: Db, key: str, blobs: Mapping[int, bytes], sentences: Mapping[int, bytes]
    ) -> int:
        """Vectors by passage, as they are stored elsewhere, and the signs of their sentences,
        within a transaction."""
        model = self._model(db, key)
        assert model is not None
        joined = np.frombuffer(b"".join(blobs.values()), "<f2").astype(np.float32)
        signs = [sentences.get(passage, b"") for passage in blobs]
        return self._put(db, model, list(blobs), joined.reshape(len(blobs), -1), signs)

    def make(self, key: str, dimensions: int) -> None:
        """A table for a model's vectors, if there is none."""
        model = self._made(key, dimensions)
        _fits(model, dimensions)

    def drop(self, db: Db, key: str) -> int:
        model = self._model(db, key)
        if model is None:
            return 0
        seen = f"owner = ANY({self._owners.seen})"
        owners = firsts(
            db.execute(
                f"SELECT owner FROM vector_counts WHERE {seen} AND model = %s AND vectors > 0",
                (model.number,),
            )
        )
        self._owners.lock(db, owners)
        gone = db.execute(f"DELETE FROM {model.table} WHERE owner = ANY(%s)", (owners,)).rowcount
        db.execute(
            "UPDATE vector_counts SET vectors = 0 WHERE owner = ANY(%s) AND model = %s",
            (owners, model.number),
        )
        for table in ("sources", "walls"):
            changed = f"UPDATE {table} SET seq = nextval('changes') WHERE owner = ANY(%s)"
            db.execute(changed, (owners,))
        for owner in owners:
            self._owners.tell(db, owner)
        with suppress(errors.InsufficientPrivilege), db.transaction():
            left = db.execute(f"SELECT 1 FROM {model.table} LIMIT 1").fetchone()
            if left is None:  # nobody has any: the name may come again, of other dimensions
                db.execute(f"DROP TABLE {model.table}")
                db.execute("DELETE FROM vector_counts WHERE model = %s", (model.number,))
                db.execute("DELETE FROM models WHERE model = %s", (model.number,))
        return gone

    # -------------------------------------------------------------- searching

    def counts(self, db: Db, filter: Filter) -> dict[str, int]:
        if filter.within:
            wall = Filter(within=filter.within)
            found = {model.key: self._count_within(db, model, wall) for model in models(db)}
            return {key: count for key, count in found.items() if count}
        rows = db.execute(
            "SELECT m.key, SUM(c.vectors) FROM vector_counts c JOIN models m USING (model) "
            f"WHERE c.owner = ANY({self._owners.seen}) GROUP BY m.model HAVING SUM(c.vectors) > 0 "
            "ORDER BY m.model"
        )
        return {key: int(count) for key, count in rows}

    def _count_within(self, db: Db, model: ModelTable, wall: Filter) -> int:
        """Counts the vectors of a model within a wall."""
        if filters.nothing(wall):
            return 0
        rows, values = Search(db, model, wall, self._owners, _NOWHERE, 0).rows()
        return int(scalar(db, f"SELECT COUNT(*) {rows}", values))

    def _passages_within(self, db: Db, wall: Filter) -> int:
        """Counts the passages within a wall."""
        if filters.nothing(wall):
            return 0
        where = filters.where(wall)
        values = dict(where.values)
        among = self._owners.among(wall, "p.owner", values)
        return int(
            scalar(
                db,
                "SELECT COUNT(*) FROM passages p JOIN documents d ON d.owner = p.owner "
                f"AND d.key = p.document WHERE {among} AND {where.both}",
                values,
            )
        )

    def search(
        self, db: Db, key: str, near: ports.Vector | int, filter: Filter, limit: int
    ) -> VectorResult:
        values: dict[str, Any] = {}
        model = self._model(db, key)
        among = self._owners.among(filter, "owner", values)
        row = only_row(
            db,
            f"SELECT (SELECT COALESCE(SUM(passages), 0) FROM state WHERE {among}), "
            f"(SELECT COALESCE(SUM(vectors), 0) FROM vector_counts WHERE {among} "
            "AND model = %(model)s)",
            {**values, "model": model.number if model else None},
        )
        passages, vectors = map(int, row)
        wall = Filter(within=filter.within)
        if filter.within and filter.within.scopes is not None:
            passages = self._passages_within(db, wall)
            vectors = self._count_within(db, model, wall) if model else 0
        if model is None or not vectors or filters.nothing(filter):
            return VectorResult([], vectors, passages)
        vector = self._of(db, model, near) if isinstance(near, int) else near
        if vector is None:
            return VectorResult([], vectors, passages)
        search = Search(db, model, filter, self._owners, vector, limit)
        if self._exact or filter.within:  # a graph is of all that is in its partition
            rows = search.exact()
        elif vectors <= EXACT_ROWS or search.few():
            rows = search.one_by_one()
        else:
            rows = search.by_graph()
            if len(rows) < min(limit, vectors):
                rows = search.one_by_one()
        return VectorResult([Hit(*row) for row in rows], vectors, passages)

    def stored(self, db: Db, key: str, passage: int) -> ports.Vector | None:
        """Returns the vector of a passage, if it has one of this model."""
        model = self._model(db, key)
        return None if model is None else self._of(db, model, passage)

    def _of(self, db: Db, model: ModelTable, key: int) -> ports.Vector | None:
        row = db.execute(
            f"SELECT v::text FROM {model.table} "
            f"WHERE owner = ANY({self._owners.seen}) AND passage = %s",
            (key,),
        ).fetchone()
        return _vector(row[0]) if row else None

    # -------------------------------------------------------------- graphs

    def build_graphs(self, *, rebuild: bool = False) -> None:
        """A graph for each partition that is large enough, without stopping anybody. It is left
        to the next time if another process is at it, or this role may not."""
        if self._exact:
            return
        with self._connections.unhurried() as db:
            lock = "SELECT pg_try_advisory_lock(hashtextextended(%s, 15))"
            if scalar(db, lock, (self._owners.schema,)):
                with suppress(errors.InsufficientPrivilege):
                    for model in models(db):
                        for leaf in _leaves(db, model.table):
                            _build(db, model, leaf, rebuild)

    def describe(self, db: Db) -> dict[str, Any]:
        """For each model: how many partitions have a graph, out of those with vectors enough."""
        told: dict[str, Any] = {}
        for model in models(db):
            leaves = [leaf for leaf in _leaves(db, model.table) if _is_large(db, leaf)]
            graphs = sum(_graph(db, leaf) == (True,) for leaf in leaves)
            told[f"vectors {model.key}"] = {
                "table": model.table,
                "graphs": graphs,
                "large_partitions": len(leaves),
            }
        return told


class Search(NamedTuple):
    """One search: the same rows in three ways."""

    db: Db
    model: ModelTable
    filter: Filter
    owners: Owners
    vector: ports.Vector
    limit: int

    def rows(self) -> tuple[str, dict[str, Any]]:
        where = filters.where(self.filter)
        values: dict[str, Any] = {**where.values, "limit": self.limit}
        walled = self.filter.within and self.filter.within.owner
        whole = self.filter.owner is None and not self.owners.bound and not walled
        among = "TRUE" if whole else self.owners.among(self.filter, "v.owner", values)
        tables = f"{self.model.table} v"
        if where.document:
            tables += " JOIN documents d ON d.owner = v.owner AND d.key = v.document"
        if where.role:
            tables += " JOIN passages p ON p.owner = v.owner AND p.key = v.passage"
        values["vector"] = _literal(self.vector)
        return f"FROM {tables} WHERE {among} AND {where.both}", values

    def exact(self) -> list[Any]:
        """Each compared at full precision."""
        rows, values = self.rows()
        return self.db.execute(
            f"SELECT v.passage, v.document, -(v.v::vector <#> %(vector)s::vector) AS near {rows} "
            "ORDER BY near DESC, v.passage LIMIT %(limit)s",
            values,
        ).fetchall()

    def one_by_one(self) -> list[Any]:
        return self._rescored("(v.v <#> %(vector)s::{kind}) + 0")

    def by_graph(self) -> list[Any]:
        return self._rescored("v.v <#> %(vector)s::{kind}")

    def _rescored(self, order: str) -> list[Any]:
        """A few more than are wanted, at the precision that is stored; then the best of them."""
        rows, values = self.rows()
        kind = f"{self.model.kind}({self.model.dimensions})"
        return self.db.execute(
            "SELECT passage, document, -(v::vector <#> %(vector)s::vector) AS near FROM "
            f"(SELECT v.passage, v.document, v.v {rows} ORDER BY {order.format(kind=kind)} "
            f"LIMIT {self.limit + 10}) best ORDER BY near DESC, passage LIMIT %(limit)s",
            values,
        ).fetchall()

    def few(self) -> bool:
        """Whether the filter leaves so few that comparing them is quicker, as far as the server's
        statistics tell."""
        where = filters.where(self.filter)
        if not where.document:
            return False
        values = dict(where.values)
        among = self.owners.among(self.filter, "d.owner", values)
        plan = scalar(
            self.db,
            f"EXPLAIN (FORMAT JSON) SELECT 1 FROM documents d WHERE {among} AND {where.document}",
            values,
        )
        plan = json.loads(plan) if isinstance(plan, str) else plan
        return bool(plan[0]["Plan"]["Plan Rows"] <= EXACT_ROWS)


def _fits(model: ModelTable, dimensions: int) -> None:
    if model.dimensions != dimensions:
        raise StoreError(
            f"{model.key}: a vector has {dimensions} dimensions, the stored ones "
            f"{model.dimensions}",
            hint="these are different models; give the new one a name of its own",
        )


class _Rows(NamedTuple):
    """Rows of the table of a model, by column."""

    keys: Sequence[int]
    documents: Sequence[int]
    vectors: ports.Vectors
    sentences: Sequence[bytes | None]


def _insert(db: Db, walled: bool, model: ModelTable, rows: _Rows) -> None:
    columns = "owner, passage, document, v, sentences"
    if walled:
        keys, documents, vectors, sentences = rows
        literals = map(_literal, vectors.astype(np.float16))
        written = zip(map(owner_of, keys), keys, documents, literals, sentences, strict=True)
        insert(db, walled, model.table, columns, list(written))
        return
    with db.cursor().copy(f"COPY {model.table} ({columns}) FROM STDIN (FORMAT BINARY)") as copy:
        copy.write(_binary(model, rows))


def _literal(vector: ports.Vector) -> str:
    return f"[{','.join(map(repr, vector.astype('f4').tolist()))}]"


def _binary(model: ModelTable, rows: _Rows) -> bytes:
    """The rows as COPY takes them in binary: all but the signs of sentences, which differ in
    length, made at once."""
    keys, documents, vectors, sentences = rows
    size = model.dimensions * (2 if model.half else 4)
    row = np.dtype(
        [
            ("fields", ">i2"),
            ("owner_size", ">i4"),
            ("owner", ">i4"),
            ("key_size", ">i4"),
            ("key", ">i8"),
            ("document_size", ">i4"),
            ("document", ">i8"),
            ("v_size", ">i4"),
            ("dimensions", ">i2"),
            ("unused", ">i2"),
            ("v", ">f2" if model.half else ">f4", (model.dimensions,)),
        ]
    )
    made: Any = np.zeros(len(keys), row)
    made["fields"] = 5
    made["owner_size"], made["owner"] = 4, list(map(owner_of, keys))
    made["key_size"], made["key"] = 8, list(keys)
    made["document_size"], made["document"] = 8, list(documents)
    made["v_size"], made["dimensions"] = 4 + size, model.dimensions
    # What is stored is what the embedded engine stores, whichever kind of column it is.
    made["v"] = vectors.astype(np.float16)
    parts = (
        part for n, signs in enumerate(sentences) for part in (made[n].tobytes(), _sized(signs))
    )
    return b"".join((_COPY_HEAD, *parts, _COPY_END))


def _sized(value: bytes | None) -> bytes:
    """A value of a row of COPY: its length and its bytes; a length of -1 is NULL."""
    return struct.pack(">i", -1) if value is None else struct.pack(">i", len(value)) + value


def _leaves(db: Db, table: str) -> list[str]:
    """Returns the partitions of a table, or itself where it has none; to a role that owns none of
    them no graph is known."""
    rows = db.execute(
        "SELECT relid::regclass::text FROM pg_partition_tree(%s::regclass) WHERE isleaf "
        "AND has_table_privilege(relid, 'SELECT') "
        "UNION SELECT %s WHERE NOT EXISTS (SELECT 1 FROM pg_partition_tree(%s::regclass)) "
        "ORDER BY 1",
        (table, table, table),
    )
    return [row[0] for row in rows]


def _is_large(db: Db, leaf: str) -> bool:
    some = f"SELECT 1 FROM {leaf} LIMIT {EXACT_ROWS + 1}"
    return bool(scalar(db, f"SELECT COUNT(*) FROM ({some}) counted") > EXACT_ROWS)


def _graph(db: Db, leaf: str) -> tuple[Any, ...] | None:
    return db.execute(
        "SELECT i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
        "JOIN pg_am a ON a.oid = c.relam "
        "WHERE i.indrelid = %s::regclass AND a.amname = 'hnsw' ORDER BY 1 DESC",
        (leaf,),
    ).fetchone()


def _build(db: Db, model: ModelTable, leaf: str, rebuild: bool) -> None:
    there = _graph(db, leaf)
    name = f"{leaf.rpartition('.')[2]}_graph"
    if there == (False,) or (there and rebuild):
        db.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")  # torn, or not wanted any more
        there = None
    if there or not _is_large(db, leaf):
        return
    room = scalar(db, f"SELECT COUNT(*) FROM {leaf}") * (
        model.dimensions * (2 if model.half else 4) + 1000
    )
    db.execute(f"SET maintenance_work_mem = '{max(64, min(4096, room // 1_000_000))}MB'")
    statement = (
        f"CREATE INDEX CONCURRENTLY {name} ON {leaf} USING hnsw (v {model.kind}_ip_ops) "
        f"WITH (m = {_LINKS}, ef_construction = {_TRIED})"
    )
    try:
        db.execute(statement)
    except psycopg.errors.DiskFull:  # too little shared memory for several to build it
        db.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
        db.execute("SET max_parallel_maintenance_workers = 0")
        db.execute(statement)
