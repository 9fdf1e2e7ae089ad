"""One POST that can be given up at any time.

A thread of its own connects, sends and reads; whoever asked takes what has come from a queue and
looks at its token and at the clock meanwhile. So nothing that may hang (a name that is not
resolved, a server that accepts and says nothing, a body that trickles) holds up the caller, and
giving up shuts the connection down, which ends the thread and tells the server. Redirects are not
followed: a key goes where it was meant to go.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from recollect.errors import Cancelled, ModelUnreachable
from recollect.models.llm.addresses import host_of, is_loopback

if TYPE_CHECKING:
    from http.client import HTTPConnection

    from recollect.ports import Token

LOOK = 0.02
"""Seconds between two looks at the token."""
MOST_BYTES = 32 * 2**20
"""Of an answer."""


class Timeouts(NamedTuple):
    """In seconds."""

    connect: float = 10.0
    first: float = 60.0
    """Until a stream begins, and between two pieces of it."""
    total: float = 300.0
    """For all attempts together, and so for an answer that comes in one piece."""


USUAL = Timeouts()


class _Head(NamedTuple):
    status: int
    headers: Mapping[str, str]


class _Failed(NamedTuple):
    why: str
    sent: bool


class Exchange:
    """A request that is under way. Use it in a ``with``: leaving that gives it up."""

    def __init__(
        self, url: str, headers: Mapping[str, str], body: bytes, connect: float,
        until: float, token: Token | None,
    ) -> None:  # fmt: skip
        self._url = url
        self._host = host_of(url)
        self._headers = headers
        self._body = body
        self._connect = connect
        self._until = until
        self._token = token
        self._coming: SimpleQueue[_Head | bytes | _Failed | None] = SimpleQueue()
        self._lock = Lock()
        self._socket: socket.socket | None = None
        self._over = False
        self._sent = False
        """Whether the request is on its way, so that it may cost something."""

    def __enter__(self) -> Exchange:
        Thread(target=self._run, name="recollect-llm", daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        with self._lock:
            self._over = True
            if self._socket is not None:
                with suppress(OSError):  # of the plain class: TLS would first say goodbye
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    # -------------------------------------------------------------- the caller's side

    def head(self, seconds: float) -> tuple[int, Mapping[str, str]]:
        """The status and the headers (by names in small letters), within so many seconds."""
        found = self._next(seconds)
        assert isinstance(found, _Head)
        return found

    def chunks(self, seconds: float) -> Iterator[bytes]:
        """The body as it comes, no two pieces further apart than that."""
        while isinstance(some := self._next(seconds), bytes):
            yield some

    def body(self) -> bytes:
        return b"".join(self.chunks(float("inf")))

    def lines(self, seconds: float) -> Iterator[str]:
        rest = b""
        for some in self.chunks(seconds):
            *whole, rest = (rest + some).split(b"\n")
            for line in whole:
                yield line.decode("utf-8", "replace").rstrip("\r")
        if rest:
            yield rest.decode("utf-8", "replace")

    def _next(self, seconds: float) -> _Head | bytes | None:
        until = min(self._until, monotonic() + seconds)
        while True:
            if self._token is not None and self._token.stopped:
                raise Cancelled("it was cancelled, or its time is over")
            left = until - monotonic()
            try:
                found = self._coming.get(timeout=max(0.0, min(LOOK, left)))
            except Empty:
                if left <= 0:
                    raise ModelUnreachable(
                        f"{self._host} did not answer in time", sent=self._sent
                    ) from None
                continue
            if isinstance(found, _Failed):
                raise ModelUnreachable(f"{self._host}: {found.why}", sent=found.sent)
            return found

    # -------------------------------------------------------------- the thread

    def _run(self) -> None:
        connection: HTTPConnection | None = None
        try:
            connection = _connection(self._url, self._connect)
            connection.connect()
            if not self._take(connection.sock):
                return
            self._sent = True
            connection.request("POST", _target(self._url), self._body, dict(self._headers))
            response = connection.getresponse()
            headers = {name.lower(): value for name, value in response.getheaders()}
            self._coming.put(_Head(response.status, headers))
            count = 0
            while some := response.read1(65_536):
                count += len(some)
                if count > MOST_BYTES:
                    self._coming.put(_Failed("its answer has no end", self._sent))
                    return
                self._coming.put(some)
            if response.length:
                self._coming.put(_Failed("it broke off in the middle", self._sent))
            else:
                self._coming.put(None)
        except Exception as error:  # noqa: BLE001  whoever waits must hear of it
            self._coming.put(_Failed(_why(error), self._sent))
        finally:
            with self._lock:
                self._socket = None
            if connection is not None:
                connection.close()

    def _take(self, connected: socket.socket) -> bool:
        """From now on giving up reaches the connection; False when it was given up before."""
        connected.settimeout(None)
        with self._lock:
            self._socket = connected
            return not self._over


def _why(error: Exception) -> str:
    """In our words: what a library says of a request may have the request in it."""
    import ssl
    from http.client import BadStatusLine, IncompleteRead, RemoteDisconnected

    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message})"
    if isinstance(error, TimeoutError):
        return "no connection in time"
    if isinstance(error, IncompleteRead | ConnectionResetError):
        return "it broke off in the middle"
    if isinstance(error, RemoteDisconnected):
        return "it closed the connection without an answer"
    if isinstance(error, BadStatusLine):
        return "it does not speak HTTP"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"the connection failed ({type(error).__name__})"


def _target(url: str) -> str:
    from urllib.parse import urlsplit

    return urlsplit(url).path or "/"


def _connection(url: str, seconds: float) -> HTTPConnection:
    from http.client import HTTPConnection, HTTPSConnection
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme == "http":
        return HTTPConnection(host, parts.port or 80, timeout=seconds)
    proxy = os.environ.get("https_proxy") or os.environ.get("HTTPS_PROXY") or ""
    if not proxy or is_loopback(host) or _bypassed(host):
        return HTTPSConnection(host, parts.port or 443, timeout=seconds)
    via = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    tunnel = HTTPSConnection(via.hostname or "", via.port or 8080, timeout=seconds)
    headers = {}
    if via.username:
        from base64 import b64encode
        from urllib.parse import unquote

        who = f"{unquote(via.username)}:{unquote(via.password or '')}"
        headers["Proxy-Authorization"] = "Basic " + b64encode(who.encode()).decode()
    tunnel.set_tunnel(host, parts.port or 443, headers)
    return tunnel


def _bypassed(host: str) -> bool:
    from urllib.request import proxy_bypass

    return bool(proxy_bypass(host))
