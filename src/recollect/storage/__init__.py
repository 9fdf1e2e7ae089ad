"""Engines: places that keep documents and find them. Each passes ``testing.contract``."""

from __future__ import annotations

from pathlib import Path

from recollect.errors import UsageError
from recollect.ports import Cache, Ledger, Spending, Store


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
