"""Engines: places that keep documents and find them. Each passes ``testing.contract``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from recollect.config import data_folder
from recollect.errors import StoreError, UsageError
from recollect.nouns import stable_id
from recollect.ports import Cache, Ledger, Spending, StorageEngine

if TYPE_CHECKING:
    from recollect.storage.embedded.backup import BackedUp, Restored, Tell
    from recollect.storage.embedded.repair import Repaired


def open_store(location: str) -> StorageEngine:
    """The store at a path (the embedded engine) or a URL (``memory://``, ``postgresql://``)."""
    if location == "memory://":
        from recollect.storage.plain.engine import PlainStore

        return PlainStore()
    if is_postgres(location):
        return _open_postgres(location)
    if "://" in location:
        raise UsageError(
            f"{location.split('://')[0]}:// is not a kind of store",
            hint="give a folder, postgresql://user@host/database for a server, or memory:// for "
            "one that lasts as long as the process",
        )
    from recollect.storage.embedded.engine import EmbeddedStore

    return EmbeddedStore(Path(location))


def back_up(location: str, file: Path, *, force: bool, tell: Tell) -> BackedUp:
    """Write the store there to one file, as of one moment, and read it back."""
    from recollect.storage.embedded.backup import back_up

    return back_up(_folder(location, "`recollect export --all`"), file, force=force, tell=tell)


def restore(file: Path, location: str, *, force: bool, tell: Tell) -> Restored:
    """Make the store of a backup at this location."""
    from recollect.storage.embedded.backup import restore

    return restore(file, _folder(location, "`recollect import`"), force=force, tell=tell)


def repair(location: str, *, tell: Tell) -> Repaired:
    """Make the store there anew from what can be read of it."""
    from recollect.storage.embedded.repair import repair

    return repair(_folder(location, "its own tools"), tell=tell)


def _folder(location: str, instead: str) -> Path:
    if "://" in location:
        raise UsageError(f"{location.split('://')[0]}:// is no folder", hint=f"use {instead}")
    return Path(location)


def open_cache(location: str, size: int) -> Cache:
    """The cache of the store there; it keeps *size* answers at most."""
    if location == "memory://":
        from recollect.storage.plain.cache import PlainCache

        return PlainCache(size)
    from recollect.storage.embedded.cache import EmbeddedCache

    return EmbeddedCache(beside(location), size)


def open_ledger(location: str) -> Ledger:
    """Where the figures of the store at this location are kept; nothing is read or made yet."""
    if location == "memory://":
        from recollect.storage.plain.ledger import PlainLedger

        return PlainLedger()
    from recollect.storage.embedded.ledger import EmbeddedLedger

    return EmbeddedLedger(beside(location))


def is_postgres(location: str) -> bool:
    return location.partition("://")[0] in ("postgresql", "postgres")


def _open_postgres(location: str) -> StorageEngine:
    _need_driver()
    from recollect.storage.postgres.address import parse
    from recollect.storage.postgres.engine import PostgresStore

    return PostgresStore(parse(location))


def _need_driver() -> None:
    try:
        import psycopg
        import psycopg_pool
    except ImportError as error:
        raise StoreError(
            f"a store on PostgreSQL needs a driver: {error}",
            hint='pip install "recollect[postgres]"',
        ) from error
    del psycopg, psycopg_pool


def name_of(location: str) -> str:
    """A store by the name of its place: without a password, and with what tells it from others on
    the same server."""
    if not is_postgres(location):
        return location
    from recollect.storage.postgres.address import parse

    address = parse(location)
    parts = (address.shown, f"schema {address.schema}", address.owner and f"owner {address.owner}")
    return ", ".join(filter(None, parts))


def is_there(location: str) -> bool:
    """Whether a store has been made there; none is made by looking."""
    if is_postgres(location):
        _need_driver()
        from recollect.storage.postgres.address import parse
        from recollect.storage.postgres.schema import exists

        return exists(parse(location))
    return (Path(location) / "record.db").exists()


def beside(location: str) -> Path:
    """The folder of what this machine keeps of a store: of one on a server, in the user's own.
    What is in it is derived or counted here; it can be deleted."""
    if not is_postgres(location):
        return Path(location)
    from recollect.storage.postgres.address import parse

    address = parse(location)
    name = stable_id(address.shown, address.schema, address.owner)
    folder = data_folder() / "servers" / name
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def open_spending(folder: Path) -> Spending:
    """Where it is kept what language models cost; nothing is read or made yet."""
    from recollect.storage.embedded.spend import EmbeddedSpending

    return EmbeddedSpending(folder)
