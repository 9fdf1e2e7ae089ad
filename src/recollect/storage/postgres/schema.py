"""The tables, as numbered migrations that are only ever added to.

``meta.version`` holds the number of migrations applied. All that are missing are applied in one
transaction under an advisory lock: one process does it, the others wait, and what fails leaves
everything as it was. A released migration is never edited.

A table either belongs to owners, and then ``owner`` comes first in its every key and index, or it
is small and the same for all (``SHARED``): so the first are distributed by ``owner`` under Citus,
and the second are reference tables. No table refers to another by a foreign key.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from psycopg import errors, sql

from recollect.errors import StoreBusy, StoreError, StoreTooNew
from recollect.named_tuple import NamedTuple
from recollect.storage.postgres.address import ServerAddress
from recollect.storage.postgres.connection import Db, Server, connect, only_row, probe, scalar
from recollect.storage.postgres.partitions import require
from recollect.storage.postgres.trouble import translated

OLDEST = 150_000
SHARED = ("meta", "owners", "members", "models")
_WAIT_SECONDS = 60


class Table(NamedTuple):
    """A table that belongs to owners: its columns, its key, and its further indexes."""

    name: str
    columns: str
    key: str
    indexes: tuple[str, ...] = ()
    parted: bool = True


TABLES = (
    # A row is what a writer of this owner holds. version: the last change. generation: goes up
    # with the text index. passages, length, title_length: totals, in terms.
    Table(
        "state",
        "version bigint NOT NULL DEFAULT 0, generation bigint NOT NULL DEFAULT 0, "
        "passages bigint NOT NULL DEFAULT 0, length bigint NOT NULL DEFAULT 0, "
        "title_length bigint NOT NULL DEFAULT 0",
        "owner",
        parted=False,
    ),
    Table(
        "sources",
        "name text NOT NULL, kind text NOT NULL, uri text NOT NULL, stamp text NOT NULL, "
        "places text NOT NULL DEFAULT '[]', seq bigint NOT NULL DEFAULT 0, born bigint NOT NULL",
        "owner, name",
        parted=False,
    ),
    # last: of the last dated message, else the date. What filters look at stands folded beside
    # what was given.
    Table(
        "documents",
        "key bigint NOT NULL, id text NOT NULL, source text NOT NULL, external text NOT NULL, "
        "origin text NOT NULL, kind text NOT NULL, title text NOT NULL, path text NOT NULL, "
        "date bigint, last bigint, scopes text[] NOT NULL, meta text NOT NULL, "
        "stamp text NOT NULL, digest bytea NOT NULL, "
        "folded_source text NOT NULL, folded_kind text NOT NULL, folded_path text NOT NULL, "
        "issues text[] NOT NULL, events text[] NOT NULL",
        "owner, key",
        (
            "UNIQUE (owner, id)",
            "(owner, md5(external))",
            "(owner, folded_source, key)",
            "(owner, folded_kind, key)",
            "(owner, last)",
            "(owner, date)",
        ),
    ),
    Table(
        "messages",
        "document bigint NOT NULL, turn integer NOT NULL, role text NOT NULL, id text NOT NULL, "
        "date bigint",
        "owner, document, turn",
        ("(owner, md5(id)) WHERE id <> ''",),
    ),
    # exact: its terms with title and headings, as written; their stems follow from them. named:
    # those of title and path.
    Table(
        "passages",
        "key bigint NOT NULL, document bigint NOT NULL, n integer NOT NULL, turn integer NOT NULL, "
        "role text NOT NULL, heading text NOT NULL, text text NOT NULL, exact text NOT NULL, "
        "named text NOT NULL",
        "owner, key",
        ("UNIQUE (owner, document, n)",),
    ),
    # Passages that are gone, as long as a segment of the text index may have them.
    Table("gone", "passage bigint NOT NULL", "owner, passage"),
    Table(
        "handles",
        "handle text NOT NULL, document bigint NOT NULL",
        "",
        ("(owner, document)", "(owner, md5(handle))"),
    ),
    Table("tombstones", "id text NOT NULL, at double precision NOT NULL", "owner, id"),
    Table(
        "events",
        "seq bigint NOT NULL, id text NOT NULL, action text NOT NULL, at double precision NOT NULL",
        "owner, seq",
        ("(owner, id)",),
    ),
    # A segment of the text index: the passages in it, by number, with their lengths.
    Table(
        "segments",
        "segment bigint NOT NULL, high bigint NOT NULL, passages integer NOT NULL, "
        "members bytea NOT NULL",
        "owner, segment",
    ),
    Table(
        "postings",
        "segment bigint NOT NULL, field text NOT NULL, term text NOT NULL, entries bytea NOT NULL",
        "owner, segment, field, term",
    ),
    Table(
        "vector_counts",
        "model integer NOT NULL, vectors bigint NOT NULL",
        "owner, model",
        parted=False,
    ),
    Table(
        "answers",
        "id text NOT NULL, query text NOT NULL, answer text NOT NULL, fingerprint text NOT NULL, "
        "at bigint NOT NULL, sources text NOT NULL, whose text NOT NULL, "
        "confidence double precision NOT NULL, stale boolean NOT NULL, space text NOT NULL, "
        "within text NOT NULL",
        "owner, id",
        ("(owner, fingerprint)", "(owner, space, at)", "(owner, at)"),
        parted=False,
    ),
)

_SHARED = """
CREATE TABLE meta (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    version integer NOT NULL, epoch text NOT NULL, partitions integer NOT NULL
);
CREATE TABLE owners (owner integer PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE members (role text NOT NULL, owner integer NOT NULL, PRIMARY KEY (role, owner));
CREATE TABLE models (
    model integer PRIMARY KEY, key text NOT NULL UNIQUE, dimensions integer NOT NULL,
    half boolean NOT NULL
);
CREATE SEQUENCE changes;
CREATE SEQUENCE owner_numbers MINVALUE 0 START 1 MAXVALUE 16777215;
CREATE SEQUENCE segment_numbers;
INSERT INTO owners VALUES (0, '')
"""
HOME = 0
"""The owner of what is nobody's: registrations of sources, tombstones of what was never there."""

# Whose rows a role may see: those it is listed with, or (-1) those of the owner that its session
# names. Who is not listed sees nothing; who owns the tables, everything.
_SEEN = """
CREATE FUNCTION {schema}.seen() RETURNS integer[] LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = {schema}, pg_temp AS $$
    SELECT COALESCE(array_agg(o.owner), '{{}}') FROM {schema}.members m JOIN {schema}.owners o
    ON o.owner = m.owner
    OR (m.owner = -1 AND o.name = NULLIF(current_setting('recollect.owner', true), ''))
    WHERE m.role = session_user::text
$$
"""
_NEW_OWNER = """
CREATE POLICY new ON owners FOR INSERT WITH CHECK (
    name = current_setting('recollect.owner', true) AND EXISTS
    (SELECT 1 FROM members m WHERE m.role = session_user::text AND m.owner = -1))
"""
_POLICY = "USING (owner = ANY ((SELECT {schema}.seen())::integer[]))"
# Whether the role that asks may become an owner itself: the one that its session names.
_MAY_JOIN = """
CREATE FUNCTION {schema}.may_join() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = {schema}, pg_temp AS $$
    SELECT EXISTS (SELECT 1 FROM {schema}.members m
    WHERE m.role = session_user::text AND m.owner = -1)
$$
"""
# A partition is a table with policies and rights of its own. Those of its parent hold for whoever
# goes through the parent, which is everybody; so that nobody has to go elsewhere, nobody may, and
# should somebody be let in, the policies hold there too, also for the role that owns it.
_CLOSED = """
DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT c.oid::regclass AS part FROM pg_class c
        WHERE c.relnamespace = '{schema}'::regnamespace AND c.relkind = 'r'
        AND c.relispartition AND NOT c.relrowsecurity LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', one.part);
        EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', one.part);
        EXECUTE format('CREATE POLICY own ON %s {policy}', one.part);
        EXECUTE format('CREATE POLICY whole ON %s TO CURRENT_USER USING (true)', one.part);
    END LOOP;
    FOR one IN SELECT c.oid::regclass AS part, a.grantee,
        COALESCE(quote_ident(r.rolname), 'PUBLIC') AS role
        FROM pg_class c CROSS JOIN aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
        WHERE c.relnamespace = '{schema}'::regnamespace AND c.relkind = 'r'
        AND c.relispartition AND a.grantee <> c.relowner GROUP BY 1, 2, 3 LOOP
        EXECUTE format('REVOKE ALL ON %s FROM %s', one.part, one.role);
    END LOOP;
END $$
"""
# Whoever may use the documents may use the vectors of a model that comes later.
_GRANTED = """
DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT quote_ident(r.rolname) AS role, string_agg(a.privilege_type, ', ') AS rights
        FROM pg_class c CROSS JOIN aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
        WHERE c.oid = '{schema}.documents'::regclass AND a.grantee <> c.relowner GROUP BY 1 LOOP
        EXECUTE format('GRANT %s ON {schema}.{table} TO %s', one.rights, one.role);
    END LOOP;
END $$
"""
_WITH_SENTENCES = """
DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT model FROM {schema}.models LOOP
        EXECUTE format('ALTER TABLE {schema}.vectors_%s ADD COLUMN IF NOT EXISTS sentences bytea',
            one.model);
    END LOOP;
END $$
"""
WALLS = Table(
    "walls",
    "source text NOT NULL, scopes text[] NOT NULL, seq bigint NOT NULL",
    "owner, source, scopes",
    parted=False,
)
"""The last change of what a source has of an owner in the same scopes."""


def statements(tables: Sequence[Table], partitions: int, schema: str) -> Iterator[str]:
    """The tables with their partitions, indexes and policies. Texts are compared by their bytes:
    the same everywhere, and many times as fast as by the rules of a language."""
    for table in tables:
        parts = partitions if table.parted else 0
        by = " PARTITION BY HASH (owner)" if parts else ""
        key = f", PRIMARY KEY ({table.key})" if table.key else ""
        columns = table.columns.replace(" text NOT", ' text COLLATE "C" NOT')
        yield f"CREATE TABLE {table.name} (owner integer NOT NULL, {columns}{key}){by}"
        for n in range(parts):
            yield (
                f"CREATE TABLE {table.name}_p{n} PARTITION OF {table.name} "
                f"FOR VALUES WITH (MODULUS {parts}, REMAINDER {n})"
            )
        for index in table.indexes:
            unique, on = ("UNIQUE ", index[7:]) if index.startswith("UNIQUE ") else ("", index)
            yield f"CREATE {unique}INDEX ON {table.name} {on}"
        yield from _walled(table.name, schema)


def _walled(name: str, schema: str) -> Iterator[str]:
    yield f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY"
    yield f"CREATE POLICY own ON {name} {_POLICY.format(schema=schema)}"


def _closed(schema: str) -> str:
    return _CLOSED.format(schema=schema, policy=_POLICY.format(schema=schema))


def _walls(address: ServerAddress) -> Iterator[str]:
    """Walls on every table that a role can name, and between the scopes of an owner."""
    schema = address.schema
    yield from statements([WALLS], 0, schema)
    yield (
        "INSERT INTO walls SELECT owner, source, scopes, nextval('changes') FROM "
        "(SELECT DISTINCT owner, source, scopes FROM documents) d"
    )
    yield _MAY_JOIN.format(schema=schema)
    yield "DROP POLICY new ON owners"
    yield (
        "CREATE POLICY new ON owners FOR INSERT WITH CHECK "
        f"(name = current_setting('recollect.owner', true) AND {schema}.may_join())"
    )
    yield "REVOKE ALL ON members FROM PUBLIC"
    yield _closed(schema)
    yield _GRANTED.format(schema=schema, table=WALLS.name)


def _first(address: ServerAddress) -> Iterator[str]:
    yield from _SHARED.split(";\n")
    yield f"INSERT INTO meta VALUES (true, 0, '{os.urandom(16).hex()}', {address.partitions})"
    yield _SEEN.format(schema=address.schema)
    yield from statements(TABLES, address.partitions, address.schema)
    yield from _walled("owners", address.schema)
    yield _NEW_OWNER
    yield f"INSERT INTO state (owner) VALUES ({HOME})"
    # Compressing what is read at every search would cost more than it saves.
    yield "ALTER TABLE postings ALTER COLUMN entries SET STORAGE EXTERNAL"
    yield "ALTER TABLE segments ALTER COLUMN members SET STORAGE EXTERNAL"


def _sentences(address: ServerAddress) -> Iterator[str]:
    """The signs of the vectors of a passage's sentences, beside its own; NULL where there are none,
    as of all that was embedded before."""
    yield _WITH_SENTENCES.format(schema=address.schema)


MIGRATIONS: Sequence[Callable[[ServerAddress], Iterator[str]]] = (_first, _walls, _sentences)


def model_statements(table: Table, partitions: int, schema: str) -> Iterator[str]:
    """The table of a model that comes later, walled like the others."""
    yield from statements([table], partitions, schema)
    yield _closed(schema)
    yield _GRANTED.format(schema=schema, table=table.name)


def vectors_of(model: int, dimensions: int, half: bool) -> Table:
    """The table of one embedding model. Another model is another table, so that a change of model
    takes nothing away until the new vectors are there."""
    kind = "halfvec" if half else "vector"
    return Table(
        f"vectors_{model}",
        f"passage bigint NOT NULL, document bigint NOT NULL, v {kind}({dimensions}) NOT NULL, "
        "sentences bytea",
        "owner, passage",
    )


def distribution() -> Iterator[str]:
    """Yields the statements that make a schema of partitions=0 a distributed one under Citus."""
    for name in SHARED:
        yield f"SELECT create_reference_table('{name}')"
    for table in (*TABLES, WALLS):
        beside = "" if table is TABLES[0] else f", colocate_with => '{TABLES[0].name}'"
        yield f"SELECT create_distributed_table('{table.name}', 'owner'{beside})"


# ------------------------------------------------------------------ opening


def prepare(address: ServerAddress) -> Server:
    """The server, checked, with the schema at its newest; nothing is left half done."""
    with connect(address) as db, translated(address.shown):
        server = probe(db)
        if server.version < OLDEST:
            raise StoreError(
                f"{address.shown} is PostgreSQL {server.version // 10_000}",
                hint=f"recollect needs PostgreSQL {OLDEST // 10_000} or newer",
            )
        if _version(db, address) < len(MIGRATIONS):
            with db.transaction():
                _wait_for_turn(db, address)
                if not server.vector:
                    _install_vector(db, address)
                    server = probe(db)
                migrate(db, address, server)
        require(db, address)
        _number(db, address)
        table = f"{address.schema}.documents"
        walled = db.execute("SELECT row_security_active(%s::regclass)", (table,)).fetchone()
        return server._replace(walled=walled == (True,))


def exists(address: ServerAddress) -> bool:
    """Whether a store has been made there."""
    with connect(address) as db, translated(address.shown):
        return _version(db, address) > 0


def _number(db: Db, address: ServerAddress) -> None:
    """Makes a new store this shard of so many; refuses one that is another, or that is opened as if
    it were the whole: its owners' numbers go up by the count of shards."""
    sequence = f"{address.schema}.owner_numbers"
    wanted = (address.shard, address.shards)
    if _shard(db, sequence) == wanted:
        return
    with db.transaction():
        _wait_for_turn(db, address)
        number, count = _shard(db, sequence)
        if (number, count) == wanted:
            return
        if count > 1 and address.shards == 1:
            raise StoreError(
                f"{address.shown}, schema {address.schema}, is shard {number + 1} of {count} of a "
                "store on several servers: alone it is a part that looks like the whole",
                hint="name all servers, in their order: postgresql+shards://user@one,two/database; "
                "with owner= only that owner's is opened",
            )
        used = scalar(db, f"SELECT 1 FROM {address.schema}.owners WHERE owner > 0 LIMIT 1")
        if used or count > 1:
            made = f"shard {number + 1} of {count}" if count > 1 else "no shard"
            raise StoreError(
                f"{address.shown} was made as {made}, and is named as shard {address.shard + 1} "
                f"of {address.shards}",
                hint="name the servers as they were when the store was made; to have more of "
                "them, copy it: recollect migrate-store",
            )
        start = address.shards + address.shard
        db.execute(
            f"ALTER SEQUENCE {sequence} INCREMENT BY {address.shards} START WITH {start} RESTART"
        )


def _shard(db: Db, sequence: str) -> tuple[int, int]:
    start, step = only_row(
        db,
        "SELECT seqstart, seqincrement FROM pg_sequence WHERE seqrelid = %s::regclass",
        (sequence,),
    )
    return start % step, step


def _wait_for_turn(db: Db, address: ServerAddress) -> None:
    db.execute(f"SET LOCAL lock_timeout = '{_WAIT_SECONDS}s'")
    db.execute("SET LOCAL statement_timeout = 0")
    try:
        db.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 13))", (address.schema,))
    except errors.LockNotAvailable as error:
        raise StoreBusy(
            f"{address.shown}: another process is migrating this store",
            hint="try again when it has finished",
        ) from error


def _install_vector(db: Db, address: ServerAddress) -> None:
    known = db.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'").fetchone()
    if known is None:
        raise StoreError(
            f"{address.shown} has no pgvector",
            hint="install it on the server (such as the package postgresql-NN-pgvector), then "
            "run: CREATE EXTENSION vector;",
        )
    try:
        with db.transaction():
            db.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except errors.InsufficientPrivilege as error:
        raise StoreError(
            f"{address.shown}: pgvector is not installed in this database, and this role may not",
            hint="run as a superuser, in this database: CREATE EXTENSION vector;",
        ) from error


def _version(db: Db, address: ServerAddress) -> int:
    there = db.execute("SELECT to_regclass(%s)::text", (f"{address.schema}.meta",)).fetchone()
    if there == (None,):
        return 0
    schema = sql.Identifier(address.schema)
    try:
        row = db.execute(sql.SQL("SELECT version FROM {}.meta").format(schema)).fetchone()
    except errors.InsufficientPrivilege as error:
        raise StoreError(
            f"{address.shown}: this role may not read the schema {address.schema}",
            hint="run as its owner the GRANT statements of docs/postgres.md",
        ) from error
    found = int(row[0]) if row else 0
    if found > len(MIGRATIONS):
        raise StoreTooNew(
            f"{address.shown}, schema {address.schema}, was written by a newer recollect (schema "
            f"{found}, this one knows {len(MIGRATIONS)})",
            hint="upgrade recollect, or give another schema= in the URL; nothing was changed",
        )
    return found


def migrate(db: Db, address: ServerAddress, server: Server) -> None:
    """Applies the migrations that are missing, in the transaction of the caller."""
    schema = sql.Identifier(address.schema)
    try:
        if _version(db, address) == 0:
            db.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(schema))
        path = sql.SQL("SET LOCAL search_path = {}, {}")
        db.execute(path.format(schema, sql.Identifier(server.vector_schema)))
        for number in range(_version(db, address), len(MIGRATIONS)):
            for statement in MIGRATIONS[number](address):
                db.execute(statement)
            db.execute("UPDATE meta SET version = %s", (number + 1,))
    except errors.InsufficientPrivilege as error:
        role = db.info.user
        raise StoreError(
            f"{address.shown}: the role {role} may not make the tables of the store: "
            f"{str(error).partition(chr(10))[0]}",
            hint=f"run as the owner of the database: GRANT CREATE ON DATABASE "
            f'"{db.info.dbname}" TO "{role}"; (or make the schema for it: CREATE SCHEMA '
            f'{address.schema} AUTHORIZATION "{role}";)',
        ) from error
