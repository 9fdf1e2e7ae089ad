"""Imports that a server does for those who ask: one after the other, beside everything else, each
told how far it is, and stopped when that is wanted.

What an import has stored stays when it is stopped or the process ends, and the same import again
goes on from there. What is known of an import itself ends with the process.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from tempfile import TemporaryFile
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from recollect.errors import InputError, NotFound, UsageError, in_a_line
from recollect.moments import iso
from recollect.named_tuple import NamedTuple

if TYPE_CHECKING:
    from subprocess import Popen

    from recollect.memory import Memory

MOST = 50
"""Imports that are remembered; so many may also wait."""
UNDER_WAY = ("waiting", "running")


class Import(NamedTuple):
    """The state of an import at one moment."""

    id: str
    path: str
    source: str
    asked: datetime
    state: str = "waiting"
    """``waiting``, ``running``, ``done``, ``stopped`` or ``failed``."""
    stored: int = 0
    """Documents that were stored so far."""
    ended: datetime | None = None
    receipt: dict[str, Any] | None = None
    """The receipt that ``recollect add --json`` prints."""
    error: str = ""

    @property
    def under_way(self) -> bool:
        return self.state in UNDER_WAY

    def as_json(self) -> dict[str, Any]:
        return {**self._asdict(), "asked": iso(self.asked), "ended": iso(self.ended)}


class Imports:
    def __init__(self, memory: Memory, *, reads_files: bool = True) -> None:
        """*reads_files* is false where others than this machine's user are served: whoever may
        see a memory may not therefore see every file."""
        self._memory = memory
        self._reads_files = reads_files
        self._lock = Lock()
        self._known: dict[str, Import] = {}
        self._to_stop: set[str] = set()
        self._thread: Thread | None = None
        self._process: Popen[str] | None = None
        self._closed = False

    def begin(self, path: str, source: str = "") -> Import:
        """Queues the import of a path behind those that were begun before. What waits or runs
        already is not begun again."""
        place = self._place(path)
        with self._lock:
            under_way = [one for one in self._known.values() if one.under_way]
            for one in under_way:
                if (one.path, one.source) == (place, source):
                    return one
            if len(under_way) >= MOST:
                raise UsageError(f"{MOST} imports wait already", hint="try again later")
            made = Import(uuid4().hex[:12], place, source, datetime.now(UTC))
            self._known[made.id] = made
            self._forget()
            if self._thread is None and not self._closed:
                self._thread = Thread(target=self._work, name="recollect-import", daemon=True)
                self._thread.start()
        return made

    def _place(self, path: str) -> str:
        if not self._reads_files:
            raise UsageError(
                "this server can be reached from other machines, and reads no files",
                hint="run `recollect add` on its own machine",
            )
        if "\0" in path or not path.strip():
            raise UsageError("there is no path", hint="give a file or a folder")
        try:
            place = Path(path.strip()).expanduser()
            if not place.is_absolute():
                raise UsageError(f"{path!r} is not a whole path", hint="begin it with / or ~")
            if place == Path(place.anchor):
                raise UsageError(f"{place} is a whole disk", hint="give a folder of it")
            if not place.exists():
                raise InputError(f"{place}: there is no such file or folder")
        except (OSError, RuntimeError, ValueError) as error:
            raise InputError(f"{path}: {in_a_line(error)}") from error
        return str(place)

    def all(self) -> tuple[Import, ...]:
        """The newest first."""
        with self._lock:
            return tuple(reversed(self._known.values()))

    def stop(self, id: str) -> Import:
        """Stops a running import; one that has ended keeps its result."""
        with self._lock:
            one = self._known.get(id)
            if one is None:
                raise NotFound(f"there is no import {id!r}", hint="it may be of an earlier start")
            if one.state == "waiting":
                one = self._known[id] = one._replace(state="stopped", ended=datetime.now(UTC))
            elif one.state == "running":
                self._to_stop.add(id)
        self._halt()
        return one

    def close(self) -> None:
        """Stop everything, and wait until it has stopped."""
        with self._lock:
            self._closed = True
            thread = self._thread
        for one in self.all():
            self.stop(one.id)
        if thread is not None:
            thread.join()

    def _forget(self) -> None:
        """The oldest of those that have ended."""
        ended = [one.id for one in self._known.values() if not one.under_way]
        for id in ended[: max(0, len(self._known) - MOST)]:
            del self._known[id]

    # -------------------------------------------------------------- in a thread of its own

    def _work(self) -> None:
        while (one := self._next()) is not None:
            self._ended(one, **self._outcome(one))

    def _next(self) -> Import | None:
        with self._lock:
            for one in self._known.values():
                if one.state == "waiting" and not self._closed:
                    begun = self._known[one.id] = one._replace(state="running")
                    return begun
            self._thread = None
            return None

    def _outcome(self, one: Import) -> dict[str, Any]:
        """What ``recollect add`` makes of it, in a process of its own: whoever asks this one
        meanwhile does not wait for it, and what cannot be read cannot end it."""
        command = [
            sys.executable,
            "-m",
            "recollect",
            "add",
            "--json",
            "--progress",
            "--no-embed",
            "--quiet",
        ]
        command += [f"--source={one.source}"] if one.source else []
        with TemporaryFile("w+", encoding="utf-8") as said:
            try:
                process = Popen(
                    [*command, "--", one.path],
                    stdin=DEVNULL,
                    stdout=said,
                    stderr=PIPE,
                    text=True,
                    env=self._environment(),
                    start_new_session=True,
                )
            except OSError as error:
                return {"state": "failed", "error": in_a_line(error)}
            with process:
                self._follow(one, process)
            said.seek(0)
            return self._read(one, said.read())

    def _environment(self) -> dict[str, str]:
        """That of this process, with its store and its walls."""
        view, store = self._memory.core.view, self._memory.config["store"]
        found = {
            "RECOLLECT_STORE": store and str(store),
            "RECOLLECT_SEARCH_OWNER": view.owner,
            "RECOLLECT_SEARCH_SCOPES": view.scopes and ",".join(view.scopes),
        }
        return {**os.environ, **{name: value for name, value in found.items() if value}}

    def _follow(self, one: Import, process: Popen[str]) -> None:
        """Keep what it tells, until it has ended or is to be stopped."""
        with self._lock:
            self._process = process
        self._halt()
        assert process.stderr is not None
        for line in process.stderr:
            stored = _stored(line)
            if stored is None:  # for the log of whoever runs this
                sys.stderr.write(line)
                continue
            with self._lock:
                self._known[one.id] = self._known[one.id]._replace(stored=stored)
        process.wait()
        with self._lock:
            self._process = None

    def _halt(self) -> None:
        """End the process of an import that is to be stopped; what it was storing is not stored."""
        with self._lock:
            running = [one.id for one in self._known.values() if one.state == "running"]
            if self._process is not None and self._to_stop.intersection(running):
                self._process.terminate()

    def _read(self, one: Import, said: str) -> dict[str, Any]:
        with self._lock:
            if one.id in self._to_stop:
                return {"state": "stopped"}
        self._memory.models.embed_in_background()
        try:
            done: dict[str, Any] = json.loads(said)
        except ValueError:
            return {"state": "failed", "error": "the import ended before it was done"}
        if error := done.get("error"):
            told = f"{error['message']}\n{error['hint']}".strip()
            return {"state": "failed", "error": told}
        came = done["added"] + done["changed"] + done["unchanged"] + done["tombstoned"]
        return {"state": "done" if came or not done["failed"] else "failed", "receipt": done}

    def _ended(self, one: Import, **how: Any) -> None:
        with self._lock:
            self._to_stop.discard(one.id)
            known = self._known[one.id]
            self._known[one.id] = known._replace(ended=datetime.now(UTC), **how)


def _stored(line: str) -> int | None:
    """Returns the count of stored documents, if the line tells it."""
    with suppress(ValueError, TypeError, KeyError):
        return int(json.loads(line)["done"])
    return None
