"""Which process holds a store."""

from __future__ import annotations

import _socket  # the module around it takes as long to load as the store to open
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from recollect import asker
from recollect.arguments import store_of
from recollect.nouns import stable_id
from recollect.surfaces.warm import wire

if TYPE_CHECKING:
    from recollect.config import Config


def socket_of(location: str) -> Path:
    return Path(wire.folder(asker.environment()), f"{stable_id(location)[:16]}.sock")


def holder_of(location: str) -> int | None:
    """The id of the process that holds the store there, if one listens."""
    path = socket_of(location)
    one = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        one.settimeout(1.0)
        one.connect(os.fspath(path))
        return int(path.with_suffix(".lock").read_text())
    except (OSError, ValueError):
        return None
    finally:
        one.close()


def told(location: str) -> str:
    """Who holds the store there, in words; nothing where nobody does."""
    process = holder_of(location)
    return "" if process is None else f"process {process} answers for commands and hooks"


def replacement(config: Config) -> Callable[[], bool]:
    """Returns what tells whether another store is in the place of the configured one from now on;
    one that is only gone may come back."""
    location = store_of(config)
    known = identity(location)
    return lambda: identity(location) not in (None, known)


def identity(location: str) -> tuple[int, int] | None:
    """Which file the record of a store is; another one after it was moved or restored."""
    try:
        about = os.stat(os.path.join(location, "record.db"))
    except OSError:
        return None
    return about.st_dev, about.st_ino
