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
import ssl
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import (
    BadStatusLine,
    HTTPConnection,
    HTTPResponse,
    HTTPSConnection,
    IncompleteRead,
)
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import proxy_bypass

from recollect.errors import ModelUnreachable
from recollect.models.addresses import is_loopback
from recollect.models.llm.timeouts import POLL, check_token
from recollect.moments import aware
from recollect.named_tuple import NamedTuple
from recollect.ports import StopToken

MOST_BYTES = 32 * 2**20
"""Of an answer."""
_REASONS = (
    (TimeoutError, "no connection in time"),
    (IncompleteRead, "it broke off in the middle"),
    (ConnectionResetError, "it broke off in the middle"),
    (BadStatusLine, "it does not speak HTTP"),
)
"""What an exception means, in our words: the first class that it is an instance of."""


class Post(NamedTuple):
    """One POST, and how long it may take."""

    url: str
    headers: Mapping[str, str]
    body: bytes
    connect: float
    """Seconds until there is a connection."""
    until: float
    """The time of the monotonic clock at which it is given up."""
    token: StopToken | None = None


class _Head(NamedTuple):
    status: int
    headers: Mapping[str, str]


class _Failed(NamedTuple):
    why: str
    sent: bool


class HttpExchange:
    """A request that is under way. Use it in a ``with``: leaving that gives it up."""

    def __init__(self, request: Post) -> None:
        self._request = request
        self._parts = urlsplit(request.url)
        self._coming: SimpleQueue[_Head | bytes | _Failed | None] = SimpleQueue()
        self._lock = Lock()
        self._socket: socket.socket | None = None
        self._over = False
        self._sent = False
        """Whether the request is on its way, so that it may cost something."""

    def __enter__(self) -> HttpExchange:
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
        """Returns the status and the headers (names in small letters) within so many seconds."""
        found = self._next(seconds)
        assert isinstance(found, _Head)
        return found

    def chunks(self, seconds: float) -> Iterator[bytes]:
        """Yields the body as it comes; two pieces are no further apart than that."""
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
        until = min(self._request.until, monotonic() + seconds)
        while True:
            check_token(self._request.token)
            left = until - monotonic()
            with suppress(Empty):
                found = self._coming.get(timeout=max(0.0, min(POLL, left)))
                break
            if left <= 0:
                host = self._parts.hostname
                raise ModelUnreachable(f"{host} did not answer in time", sent=self._sent)
        if isinstance(found, _Failed):
            raise ModelUnreachable(f"{self._parts.hostname}: {found.why}", sent=found.sent)
        return found

    # -------------------------------------------------------------- the thread

    def _run(self) -> None:
        try:
            connection = _connection(self._parts, self._request.connect)
            try:
                self._talk(connection)
            finally:
                with self._lock:
                    self._socket = None
                connection.close()
        except Exception as error:  # noqa: BLE001  whoever waits must hear of it
            self._coming.put(_Failed(_reason(error), self._sent))

    def _talk(self, connection: HTTPConnection) -> None:
        connection.connect()
        if not self._take(connection.sock):
            return
        self._sent = True
        headers = dict(self._request.headers)
        connection.request("POST", self._parts.path or "/", self._request.body, headers)
        response = connection.getresponse()
        self._coming.put(_Head(response.status, {k.lower(): v for k, v in response.getheaders()}))
        why = self._receive(response)
        self._coming.put(_Failed(why, self._sent) if why else None)

    def _receive(self, response: HTTPResponse) -> str:
        """Hands the body over as it comes. Returns why it is not whole, if it is not."""
        count = 0
        while some := response.read1(65_536):
            count += len(some)
            if count > MOST_BYTES:
                return "its answer has no end"
            self._coming.put(some)
        return "it broke off in the middle" if response.length else ""

    def _take(self, connected: socket.socket) -> bool:
        """Lets giving up reach the connection. Returns False when it was given up before."""
        connected.settimeout(None)
        with self._lock:
            self._socket = connected
            return not self._over


def _reason(error: Exception) -> str:
    """Returns what the error means in our words: what a library says may have the request in it."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message})"
    words = next((words for kind, words in _REASONS if isinstance(error, kind)), "")
    said = getattr(error, "strerror", None)
    return words or said or f"the connection failed ({type(error).__name__})"


def _connection(parts: SplitResult, seconds: float) -> HTTPConnection:
    host = parts.hostname or ""
    if parts.scheme == "http":
        return HTTPConnection(host, parts.port or 80, timeout=seconds)
    proxy = os.environ.get("https_proxy") or os.environ.get("HTTPS_PROXY") or ""
    if not proxy or is_loopback(host) or proxy_bypass(host):
        return HTTPSConnection(host, parts.port or 443, timeout=seconds)
    via = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    tunnel = HTTPSConnection(via.hostname or "", via.port or 8080, timeout=seconds)
    tunnel.set_tunnel(host, parts.port or 443, _proxy_headers(via))
    return tunnel


def _proxy_headers(proxy: SplitResult) -> dict[str, str]:
    if not proxy.username:
        return {}
    who = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": "Basic " + b64encode(who.encode()).decode()}


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Returns the seconds after which the server wants to be asked again, if it says so."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        said = headers.get(name, "").strip()
        try:
            seconds = float(said) * scale
        except ValueError:
            seconds = _seconds_until(said)
        if 0 <= seconds < float("inf"):
            return seconds
    return None


def _seconds_until(date: str) -> float:
    """Returns the seconds until an HTTP date, 0 for one that is past; -1 for anything else."""
    try:
        when = parsedate_to_datetime(date)
    except ValueError:
        return -1.0
    return max(0.0, (aware(when) - datetime.now(UTC)).total_seconds())
