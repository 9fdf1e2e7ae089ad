"""The long-lived process that answers for the short ones on its store.

Of several on one store the first holds it; the others wait for the lock of its socket, which the
system takes from whoever ends, however that ends. A socket that nobody listens on is left where it
is, and replaced by the next holder. Each connection is one request, in a thread of its own.
"""

from __future__ import annotations

import fcntl
import io
import os
import socket
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from threading import BoundedSemaphore, Event, Lock, Thread
from typing import Any

from recollect import asker, permissions
from recollect.arguments import store_of
from recollect.errors import RecollectError
from recollect.memory import Memory, core, sharing
from recollect.named_tuple import NamedTuple
from recollect.surfaces import cli, controls, error_log
from recollect.surfaces.commands import hook, hook_call, hook_late
from recollect.surfaces.warm import holders, tool_calls, wire

THREADS = 8
PATIENCE = 5.0
"""Seconds for which the bytes of a request are waited for."""
_LOCAL: Mapping[str, object] = {"llm.model": "none", "rerank.model": "none", "web.when": "never"}
"""What a setting has to be for its owner to be answered: nothing that another program may take long
for, or that a key in the environment counts for."""
_SAME = ("HOME", "TZ", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_TIME")
"""Variables that the whole process goes by, and that therefore have to be the holder's own."""
HOLDS = Event()
"""Set where this process is the one that answers for others."""


class Declined(Exception):
    """The holder cannot answer as the asking process would."""


class Request(NamedTuple):
    words: tuple[str, ...]
    folder: str
    variables: Mapping[str, str]
    stdin: bytes
    seen: bool
    """Whether its output goes to a terminal."""


def hold(opened: Callable[[], Memory], store: str | None) -> Thread | None:
    """Has this process answer for others on the store, as soon as nobody else does; *opened* gives
    the memory when it is first needed. None where that is switched off, or cannot be."""
    config = core.config_of(store, {})
    location = store_of(config)
    if not config["warm"] or "://" in location or not hasattr(socket, "AF_UNIX"):
        return None
    holder = Holder(location, opened)
    thread = Thread(target=holder.run, name="recollect-warm", daemon=True)
    thread.start()
    return thread


class Holder:
    def __init__(self, location: str, opened: Callable[[], Memory]) -> None:
        self._location = location
        self._opened = opened
        self._lock = Lock()
        self._shared: sharing.SharedMemory | None = None
        self._identity: tuple[int, int] | None = None
        self._room = BoundedSemaphore(THREADS)

    def run(self) -> None:
        """Until the process ends."""
        try:
            with _claimed(self._location) as listening:
                HOLDS.set()
                while True:
                    connection, _ = listening.accept()
                    self._room.acquire()
                    Thread(target=self._serve, args=(connection,), daemon=True).start()
        except OSError as error:  # a file system without sockets, a folder of somebody else's
            error_log.write(error)

    def _serve(self, connection: socket.socket) -> None:
        try:
            # Who has left gets nothing, and whose request fails hears of it by doing it itself.
            with connection, suppress(OSError, wire.Gone, RecollectError, ValueError):
                connection.settimeout(PATIENCE)
                if _is_owner(connection):
                    self._answer(connection)
        except Exception as error:  # noqa: BLE001  the holder goes on; who asked does it itself
            error_log.write(error)
        finally:
            self._room.release()

    def _answer(self, connection: socket.socket) -> None:
        try:
            request = _understood(wire.received(connection))
            out, error = _Stream(request.seen), _Stream(request.seen)
            other = asker.Asker(request.variables, request.folder, out, error, self._memory)
            with asker.answering(other):
                self._check(request)
                connection.sendall(wire.WILL)
                code, not_taken = _done(request, out)
        except Declined:
            connection.sendall(wire.WILL_NOT)
            return
        said = [controls.shown(stream.getvalue()) for stream in (out, error)]
        connection.settimeout(PATIENCE)
        encoded = [text.encode("utf-8", "backslashreplace") for text in said]
        try:
            connection.sendall(wire.packed([str(code).encode(), *encoded]))
            wire.exactly(connection, 1)
        except (OSError, wire.Gone):
            with asker.answering(other):
                not_taken()

    def _check(self, request: Request) -> None:
        """Declines what would come out otherwise than if the asking process did it."""
        if any(request.variables.get(name) != os.environ.get(name) for name in _SAME):
            raise Declined
        try:
            config = core.config_of(_store_in(request.words), {})
        except RecollectError:
            raise Declined from None  # it will say so itself
        if store_of(config) != self._location or not config["warm"]:
            raise Declined
        if any(config[name] != value for name, value in _LOCAL.items()):
            raise Declined
        if ":" in config["embed.model"]:
            raise Declined

    @contextmanager
    def _memory(self, store: str | None, overrides: Mapping[str, Any]) -> Iterator[Memory]:
        yield self._current().under(core.config_of(store, overrides))

    def _current(self) -> sharing.SharedMemory:
        """The store as it is open here; declined where another one is in its place since."""
        with self._lock:
            memory = self._opened()
            if self._shared is None or self._shared.memory is not memory:
                self._shared = sharing.SharedMemory(memory)
                self._identity = holders.identity(self._location)
            if holders.identity(self._location) != self._identity:
                raise Declined
            return self._shared


class _Stream(io.StringIO):
    """What is said to a process that asks."""

    encoding = "utf-8"

    def __init__(self, seen: bool) -> None:
        super().__init__()
        self._seen = seen

    def isatty(self) -> bool:
        return self._seen


@contextmanager
def _claimed(location: str) -> Iterator[socket.socket]:
    """The socket of a store, once no other process has it."""
    path = holders.socket_of(location)
    about = permissions.folder(path.parent).lstat()
    if about.st_uid != os.getuid() or about.st_mode & 0o077:
        raise PermissionError(13, "it can be reached by others", str(path.parent))
    with (
        open(path.with_suffix(".lock"), "a", opener=permissions.opener) as lock,
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening,
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        path.unlink(missing_ok=True)
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        listening.bind(str(path))
        path.chmod(permissions.FILE)
        listening.listen(64)
        yield listening


def _is_owner(connection: socket.socket) -> bool:
    """Whether the process at the other end is this user's; where the system does not say, the
    folder of the socket does."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    size = struct.calcsize("3i")
    said = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    _, user, _ = struct.unpack("3i", said)
    return bool(user == os.getuid())


def _understood(parts: list[bytes]) -> Request:
    if len(parts) < 5 or parts[0] != wire.VERSION:
        raise Declined
    _, folder, stdin, seen, count = parts[:5]
    said = [*map(os.fsdecode, parts[5:])]
    words, variables = said[: int(count)], said[int(count) :]
    pairs = dict(variable.split("=", 1) for variable in variables)
    return Request(tuple(words), os.fsdecode(folder), pairs, stdin, bool(seen))


def _store_in(words: tuple[str, ...]) -> str | None:
    """The store that a command line names, as argparse would read it."""
    named = None
    for word, following in zip(words, (*words[1:], ""), strict=True):
        if word == "--store":
            named = following
        elif word.startswith("--store="):
            named = word.partition("=")[2]
        elif word.startswith("--s") and "--store".startswith(word.partition("=")[0]):
            raise Declined  # shortened
    return named


def _done(request: Request, out: io.StringIO) -> tuple[int, Callable[[], None]]:
    """The exit code, and what is to be done where nobody has taken the answer."""
    if request.words[0] == tool_calls.WORD:
        out.write(tool_calls.done(_store_in(request.words), request.stdin))
        return 0, _nothing
    if request.words[0] != "hook":
        return cli.run(request.words, streams=nullcontext), _nothing
    call, payload = hook_call.parsed(request.words[1:]), hook_call.payload_of(request.stdin)
    told = hook.content(call, payload)
    if not told:
        return 0, _nothing
    out.write(hook.shaped(call, payload, told) + "\n")
    return 0, lambda: hook_late.keep(call, payload, told)


def _nothing() -> None:
    """Does nothing: the client keeps no late answer of a command."""
