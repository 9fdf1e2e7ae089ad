"""A real PostgreSQL with pgvector for the tests (``bench.servers``), started once a session and
stopped at its end."""

from __future__ import annotations

import atexit
import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import pytest
from bench import servers

from recollect.storage.postgres.address import parse
from recollect.storage.postgres.engine import PostgresStore

SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
}
_numbers = itertools.count()


@lru_cache(maxsize=1)
def _server() -> tuple[str, str]:
    """The URL of the server, or why there is none."""
    try:
        server = servers.start(SETTINGS)
    except servers.NoServer as error:
        return "", str(error)
    atexit.register(server.stop)
    return server.url, ""


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


WIPE = """
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
    admin(WIPE.format(schema=parse(url).schema))
