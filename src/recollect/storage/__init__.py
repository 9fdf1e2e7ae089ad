"""Engines: places that keep documents and find them. Each passes ``testing.contract``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import UsageError
from recollect.ports import Cache, Ledger, Spending, Store

if TYPE_CHECKING:
    from recollect.storage.embedded.backup import BackedUp, Restored, Tell
    from recollect.storage.embedded.repair import Repaired


def open_store(location: str) -> Store:
    """The store at a path (the embedded engine) or a URL (``memory://``)."""
    if location == "memory://":
        from recollect.storage.plain import PlainStore

        return PlainStore()
    if "://" in location:
        raise UsageError(
            f"{location.split('://')[0]}:// is not a kind of store",
            hint="give a folder, or memory:// for one that lasts as long as the process",
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
        from recollect.storage.plain_cache import PlainCache

        return PlainCache(size)
    from recollect.storage.embedded.cache import EmbeddedCache

    return EmbeddedCache(Path(location), size)


def open_ledger(location: str) -> Ledger:
    """Where the figures of the store at this location are kept; nothing is read or made yet."""
    if location == "memory://":
        from recollect.storage.plain_ledger import PlainLedger

        return PlainLedger()
    from recollect.storage.embedded.ledger import EmbeddedLedger

    return EmbeddedLedger(Path(location))


def open_spending(folder: Path) -> Spending:
    """Where it is kept what language models cost; nothing is read or made yet."""
    from recollect.storage.embedded.spend import EmbeddedSpending

    return EmbeddedSpending(folder)
