"""Hearing of what other processes write.

Every commit tells the owner whose things it changed. A process that lives long listens, and has
read what is new before anybody asks for it. Nothing depends on it: each search asks for the state
of its owners by itself.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection

import psycopg

from recollect.errors import RecollectError
from recollect.storage.postgres.address import ServerAddress
from recollect.storage.postgres.connection import connect
from recollect.storage.postgres.owners import CHANNEL

_WAIT = 0.5


class Listener:
    """A thread with a connection of its own, which tells *heard* of owners whose things changed."""

    def __init__(self, address: ServerAddress, heard: Callable[[Collection[int]], None]) -> None:
        self._address = address
        self._heard = heard
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="recollect-listen", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._listen()
            except (psycopg.Error, RecollectError):
                self._stop.wait(_WAIT)  # searches go on by themselves; it is tried again

    def _listen(self) -> None:
        with connect(self._address) as db:
            db.execute(f"LISTEN {CHANNEL}")
            while not self._stop.is_set():
                told = [note.payload for note in db.notifies(timeout=_WAIT, stop_after=1)]
                told += [note.payload for note in db.notifies(timeout=0)]
                owners = {
                    int(owner)
                    for schema, _, owner in (payload.partition(" ") for payload in told)
                    if schema == self._address.schema and owner.isdecimal()
                }
                if owners:
                    self._heard(owners)
