"""Engines: places that keep documents and find them. Each passes ``testing.contract``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect import permissions
from recollect.config import data_folder
from recollect.errors import StoreError, UsageError
from recollect.nouns import View, stable_id
from recollect.ports import Cache, Ledger, Spending, StorageEngine
from recollect.storage.embedded import backup, spend
from recollect.storage.embedded import cache as embedded_cache
from recollect.storage.embedded import engine as embedded_engine
from recollect.storage.embedded import ledger as embedded_ledger
from recollect.storage.embedded import repair as embedded_repair
from recollect.storage.embedded import text_search as embedded_text
from recollect.storage.plain import cache as plain_cache
from recollect.storage.plain import engine as plain_engine
from recollect.storage.plain import ledger as plain_ledger
from recollect.storage.postgres import address as postgres_address
from recollect.storage.postgres import engine as postgres_engine
from recollect.storage.postgres import schema as postgres_schema
from recollect.storage.postgres import shards as postgres_shards

MEMORY = "memory://"
EVERYBODY = View()
"""Sees everything."""


def open_store(location: str) -> StorageEngine:
    """Opens the store at a path (the embedded engine) or a URL (``memory://``,
    ``postgresql://``)."""
    if location == MEMORY:
        return plain_engine.PlainStore()
    if is_postgres(location):
        with _driver():
            return _on_servers(postgres_address.shards(location))
    if "://" in location:
        raise UsageError(
            f"{location.split('://')[0]}:// is not a kind of store",
            hint="give a folder, postgresql://user@host/database for a server, or memory:// for "
            "one that lasts as long as the process",
        )
    return embedded_engine.EmbeddedStore(Path(location))


def _on_servers(addresses: list[postgres_address.ServerAddress]) -> StorageEngine:
    if len(addresses) > 1:
        return postgres_shards.open_shards(addresses)
    return postgres_engine.PostgresStore(addresses[0])


@contextmanager
def _driver() -> Iterator[None]:
    """Says how to get the driver of PostgreSQL where it cannot be imported."""
    try:
        yield
    except ImportError as error:
        raise StoreError(
            f"a store on PostgreSQL needs a driver: {error}",
            hint='pip install "recollect[postgres]"',
        ) from error


def give_back(store: StorageEngine) -> None:
    """Leaves what this thread holds of an embedded store (a connection and its files) to the next
    thread that uses it."""
    if isinstance(store, embedded_engine.EmbeddedStore):
        store.pool.give_back()


def back_up(location: str, file: Path, *, force: bool, tell: backup.Tell) -> backup.BackupReport:
    """Writes a snapshot of the store at a location to one file, and verifies it."""
    folder = _folder(location, "`recollect export --all`")
    return backup.back_up(folder, file, force=force, tell=tell)


def restore(file: Path, location: str, *, force: bool, tell: backup.Tell) -> backup.RestoreReport:
    """Makes the store of a backup at this location."""
    return backup.restore(file, _folder(location, "`recollect import`"), force=force, tell=tell)


def repair(location: str, *, tell: backup.Tell) -> embedded_repair.RepairReport:
    """Makes the store there anew from what can be read of it."""
    return embedded_repair.repair(_folder(location, "its own tools"), tell=tell)


def _folder(location: str, instead: str) -> Path:
    if "://" in location:
        raise UsageError(f"{location.split('://')[0]}:// is no folder", hint=f"use {instead}")
    return Path(location)


def open_cache(location: str, size: int, view: View = EVERYBODY) -> Cache:
    """Opens the cache of a view of the store there; it keeps *size* answers at most."""
    if location == MEMORY:
        return plain_cache.PlainCache(size)
    return embedded_cache.EmbeddedCache(_beside(location, view), size)


def clear_caches(location: str) -> None:
    """Drops what the caches of all views of the store there hold."""
    if location == MEMORY:
        return
    place = beside(location)
    for folder in (place, *sorted(place.glob(f"{embedded_text.VIEWS}/*"))):
        if (folder / embedded_cache.FILE).exists():
            cache = embedded_cache.EmbeddedCache(folder, 1)
            cache.clear()
            cache.close()


def open_ledger(location: str, view: View = EVERYBODY) -> Ledger:
    """Returns where the figures of a view of the store at this location are kept; nothing is read
    or made yet."""
    if location == MEMORY:
        return plain_ledger.PlainLedger()
    return embedded_ledger.EmbeddedLedger(_beside(location, view))


def _beside(location: str, view: View) -> Path:
    """Returns the folder of what is derived for a view, which shares none of it with others."""
    place = beside(location)
    if not view.walled:
        return place
    return permissions.folder(place / embedded_text.VIEWS / view.key)


def open_spending(folder: Path) -> Spending:
    """Returns where it is kept what language models cost; nothing is read or made yet."""
    return spend.EmbeddedSpending(folder)


def is_postgres(location: str) -> bool:
    return postgres_address.is_postgres(location)


def name_of(location: str) -> str:
    """Returns the name of a store's place: without a password, and with what tells it from others
    on the same server."""
    if not is_postgres(location):
        return location
    first, *others = postgres_address.shards(location)
    address = first._replace(shown=", ".join((first.shown, *(one.shown for one in others))))
    parts = (address.shown, f"schema {address.schema}", address.owner and f"owner {address.owner}")
    return ", ".join(filter(None, parts))


def owner_of(location: str) -> str:
    """Returns the only owner that a store is opened for at this location; empty is everyone."""
    return postgres_address.shards(location)[0].owner if is_postgres(location) else ""


def is_there(location: str) -> bool:
    """Whether a store has been made there; none is made by looking."""
    if is_postgres(location):
        with _driver():
            return any(map(postgres_schema.exists, postgres_address.shards(location)))
    return (Path(location) / "record.db").exists()


def beside(location: str) -> Path:
    """Returns the folder of what this machine keeps of a store: of one on a server, in the user's
    own. What is in it is derived or counted here; it can be deleted."""
    if not is_postgres(location):
        return Path(location)
    first, *others = postgres_address.shards(location)
    address = first._replace(shown="".join((first.shown, *(one.shown for one in others))))
    name = stable_id(address.shown, address.schema, address.owner)
    return permissions.folder(data_folder() / "servers" / name)
