"""A process that serves HTTP: its token, its socket, and how it leaves slow clients and ends."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from recollect import permissions
from recollect.errors import InputError, UsageError
from recollect.surfaces.http.guard import ASGI
from recollect.surfaces.http.work import ServerLimits

if TYPE_CHECKING:
    import asyncio

CONNECTIONS = 256
SILENT = 64
"""Connections on which nothing has been asked yet: the oldest of more is left."""
GRACE = 0.3
"""Seconds in which a server that ends still hears what such a connection asks."""

# ------------------------------------------------------------------ the token


def read_token(file: Path) -> str:
    """The token in the file, which only its owner may read."""
    try:
        mode = file.stat().st_mode & 0o777
        token = file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "it is no text"
        raise InputError(f"{file}: {said}", hint="give a file with a token in it") from error
    if mode & 0o077:
        raise InputError(f"{file} can be read by others", hint=f"chmod 600 {file}")
    if len(token) < 16 or any(letter.isspace() for letter in token):
        raise InputError(f"{file} holds no token", hint="give 16 letters or more, without spaces")
    return token


def own_token(file: Path) -> str:
    """The token in the file; made on the first start."""
    try:
        permissions.folder(file.parent)
        made = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return read_token(file)
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}", hint="give --token-file") from error
    with os.fdopen(made, "w") as out:
        out.write(secrets.token_urlsafe(32) + "\n")
    return read_token(file)


# ------------------------------------------------------------------ the process


class TimeoutProtocol(H11Protocol):
    """Leaves connections on which the head of a request, or the reading of a response, takes too
    long. (A body that does not come is the application's to leave.)"""

    patience = ServerLimits().patience
    silent: ClassVar[dict[TimeoutProtocol, None]] = {}
    """The connections of this server on which no head has come yet, oldest first."""
    _head: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait_for_a_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()
        elif self._head is None:
            self._wait_for_a_head()

    def on_response_complete(self) -> None:
        self._stop_waiting()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Ends; a connection that has just been taken is given time to ask, for whoever made it
        knows nothing of the end."""
        if self._head is None:
            self._end()
        else:
            self.loop.call_later(GRACE, self._end)

    def _end(self) -> None:
        if not self.transport.is_closing():
            super().shutdown()

    def timeout_keep_alive_handler(self) -> None:
        if self.transport.get_write_buffer_size():  # nobody takes it
            self.transport.abort()
        else:
            super().timeout_keep_alive_handler()

    def _wait_for_a_head(self) -> None:
        self._head = self.loop.call_later(self.patience, self._leave)
        self.silent[self] = None
        if len(self.silent) > SILENT:  # whoever means to ask does it at once
            oldest = next(iter(self.silent))
            oldest._stop_waiting()
            oldest._leave()

    def _leave(self) -> None:
        self.transport.abort()

    def _stop_waiting(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None
            self.silent.pop(self, None)


def server(
    application: ASGI,
    limits: ServerLimits = ServerLimits(),  # noqa: B008  a frozen value
) -> uvicorn.Server:
    """The application and what it takes to leave clients that are slow."""
    own = {"patience": limits.patience, "silent": {}}
    protocol = type("TimeoutProtocol", (TimeoutProtocol,), own)
    config = uvicorn.Config(
        application,
        log_level="warning",
        access_log=False,
        http=protocol,
        ws="none",
        server_header=False,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=3,
    )
    return uvicorn.Server(config)


def serve(made: uvicorn.Server, bound: socket.socket) -> int:
    """Until SIGINT or SIGTERM; what is under way then has a few seconds. Returns the signal: SIGINT
    is somebody at a terminal. 0 where the server was ended by this process."""
    with _told_to_end(made) as told:
        made.run(sockets=[bound.dup()])  # which it closes
    return min(told, default=0)


@contextmanager
def ended_when(is_replaced: Callable[[], bool], made: uvicorn.Server) -> Iterator[None]:
    """Ends the server when what it serves was replaced; looks every second."""
    over = threading.Event()

    def look() -> None:
        while not over.wait(1.0):
            made.should_exit |= is_replaced()

    threading.Thread(target=look, daemon=True).start()
    try:
        yield
    finally:
        over.set()


@contextmanager
def _told_to_end(made: uvicorn.Server) -> Iterator[list[int]]:
    """The server repeats the signal that ended it, when it has ended: what is to be closed after
    it shall be closed. A signal that comes before the server listens to signals ends it too."""
    told: list[int] = []

    def end(number: int, _: object) -> None:
        told.append(number)
        made.should_exit = True

    ends = (signal.SIGINT, signal.SIGTERM)
    before = {one: signal.signal(one, end) for one in ends}
    try:
        yield told
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def open_in_browser(link: str) -> None:
    webbrowser.open(link)


def listening(host: str, port: int) -> socket.socket:
    """A socket on the port, whose connections send at once what they are given.

    The event loop sees to that only for sockets that name their protocol, which those of the
    standard library do not: a body then waits behind its head until the head is acknowledged,
    which a client that keeps its connection does after 40 ms."""
    if not 0 <= port <= 65_535:
        raise UsageError(f"port is {port}", hint="give 0 to 65535; 0 takes any that is free")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        bound = socket.create_server((host, port), family=family)
    except OSError as error:
        said = f"{host} port {port} cannot be had: {error.strerror}"
        raise InputError(said, hint="give another; --port 0 takes any that is free") from error
    bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return bound
