"""One GET, by the rules, that never takes longer or brings more than it may.

A thread of its own looks the host up, connects and reads; whoever asked waits for so long and no
longer, and giving up shuts the connection down. The addresses are looked up once, checked, and
one of those that were checked is connected to: a name that changes its mind meanwhile gains
nothing. Every redirect is a new link and goes through all of it again. No proxy is used, for it
would look the name up anew, and nothing is sent along: no cookie, no referrer.
"""

from __future__ import annotations

import socket
import ssl
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic
from urllib.parse import urljoin

from recollect.errors import WebError, WebRefused
from recollect.named_tuple import NamedTuple
from recollect.sources.web.guard import ANY, Domains, Link, link, refuse_port, refuse_private

Resolve = Callable[[str, int], list[str]]
Own = Callable[[str, int], bool]
"""Whether a host and port are the user's own."""
AGENT = "recollect (+local recall engine)"
_REDIRECTS = (301, 302, 303, 307, 308)
_CONNECT = 4.0


def resolved(host: str, port: int) -> list[str]:
    """The addresses of a host, in the order to try them."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


def nobodys(host: str, port: int) -> bool:  # noqa: ARG001
    return False


def ones_own(host: str, port: int) -> bool:  # noqa: ARG001
    return True


class FetchRules(NamedTuple):
    """The limits of a GET request."""

    types: tuple[str, ...]
    """Content types that are read."""
    domains: Domains = ANY
    own: Own = nobodys
    """Servers that may be anywhere and on any port: the one that the user has named as search
    engine, and those of tests. No setting for pages reaches it."""
    redirects: int = 5
    most: int = 4 * 2**20
    """Bytes of a body, packed and unpacked."""
    resolve: Resolve = resolved


class Got(NamedTuple):
    url: str
    """Where it was in the end."""
    type: str
    charset: str
    body: bytes


def fetch(
    url: str, rules: FetchRules, until: float, headers: Mapping[str, str] | None = None
) -> Got:
    """Returns the page at this address; gives up when the clock (``monotonic``) reaches *until*."""
    work = _Work(url, rules, until, headers or {})
    Thread(target=work.run, name="recollect-web", daemon=True).start()
    try:
        got = work.done.get(timeout=max(0.0, until - monotonic()))
    except Empty:
        raise WebError(f"{work.host or 'the web'}: {_LATE}") from None
    finally:
        work.give_up()
    if isinstance(got, WebError):
        raise got
    return got


class _Work:
    def __init__(
        self, url: str, rules: FetchRules, until: float, headers: Mapping[str, str]
    ) -> None:
        self._url, self._rules, self._until, self._headers = url, rules, until, headers
        self.host = ""
        self.done: SimpleQueue[Got | WebError] = SimpleQueue()
        self._lock = Lock()
        self._over = False
        self._socket: socket.socket | None = None

    def give_up(self) -> None:
        with self._lock:
            self._over = True
            if self._socket is not None:
                with suppress(OSError):  # of the plain class: TLS would first say goodbye
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def run(self) -> None:
        try:
            self.done.put(self._got())
        except WebError as error:
            self.done.put(error)
        except Exception as error:  # noqa: BLE001  whoever waits must hear of it
            self.done.put(WebError(f"{self.host}: {_why(error)}"))

    def _got(self) -> Got:
        url = self._url
        secure = False
        for _ in range(self._rules.redirects + 1):
            place = link(url)
            if not self._rules.own(place.host, place.port):
                refuse_port(place)
            if secure and place.scheme == "http":
                raise WebRefused(f"{place.host}: a redirect from https to http is not followed")
            secure = place.scheme == "https"
            got = self._once(place)
            if isinstance(got, Got):
                return got
            url = got
        raise WebError(f"{self.host} redirects again and again")

    def _once(self, place: Link) -> Got | str:
        """Returns the page, or the address that it redirects to."""
        self.host = place.host
        self._rules.domains.check(place.host)
        connection = self._connected(place)
        try:
            if not self._take(connection.sock):
                raise WebError("it was given up")
            headers = {
                "User-Agent": AGENT,
                "Accept": ", ".join(self._rules.types),
                "Accept-Encoding": "gzip",
                "Connection": "close",
                **self._headers,
            }
            connection.request("GET", place.target, headers=headers)
            with connection.getresponse() as response:
                return self._answer(place, response)
        finally:
            with self._lock:
                self._socket = None
            connection.close()

    def _answer(self, place: Link, response: HTTPResponse) -> Got | str:
        if response.status in _REDIRECTS:
            where = response.getheader("Location") or ""
            if not where or not self._rules.redirects:
                raise WebError(f"{place.host} said {response.status}, which leads nowhere")
            return urljoin(place.url, where)
        if response.status != 200:
            raise WebError(
                f"{place.host} said {response.status}", hint=_HINTS.get(response.status, "")
            )
        kind, charset = response.headers.get_content_type(), response.headers.get_content_charset()
        if "Content-Type" not in response.headers or kind not in self._rules.types:
            raise WebError(f"{place.host} sent {kind}, which is not read here")
        length = response.getheader("Content-Length", "")
        if length.isdigit() and int(length) > self._rules.most:
            raise WebError(f"{place.host}: the page is larger than {self._rules.most:,} bytes")
        return Got(place.url, kind, charset or "", self._body(place, response))

    def _body(self, place: Link, response: HTTPResponse) -> bytes:
        packing = response.getheader("Content-Encoding", "identity").lower()
        if packing not in ("identity", "gzip", "x-gzip", ""):
            raise WebError(f"{place.host} packs its pages as {packing}, which was not asked for")
        unpack = zlib.decompressobj(31) if "gzip" in packing else None
        parts, size, came, most = [], 0, 0, self._rules.most
        while some := response.read1(65_536):
            came += len(some)
            part = unpack.decompress(some, most - size + 1) if unpack else some
            size += len(part)
            if max(size, came) > most:
                raise WebError(f"{place.host}: the page is larger than {most:,} bytes")
            parts.append(part)
        if response.length or (unpack and not unpack.eof):
            raise WebError(f"{place.host} broke off in the middle")
        return b"".join(parts)

    def _connected(self, place: Link) -> HTTPConnection:
        addresses = self._rules.resolve(place.host, place.port)
        if not addresses:
            raise WebError(f"{place.host}: there is no such host")
        if not self._rules.own(place.host, place.port):
            refuse_private(place.host, addresses)
        plain = self._plain(place, addresses)
        if place.scheme == "http":
            connection = HTTPConnection(place.host, place.port)
        else:
            connection = HTTPSConnection(place.host, place.port)
            try:
                plain = ssl.create_default_context().wrap_socket(plain, server_hostname=place.host)
            except BaseException:
                plain.close()
                raise
        connection.sock = plain
        return connection

    def _plain(self, place: Link, addresses: list[str]) -> socket.socket:
        """Returns a connection to the first of these addresses that accepts one."""
        failed: OSError | None = None
        for address in addresses[:4]:
            left = self._until - monotonic()
            if left <= 0:
                break
            try:
                made = socket.create_connection((address, place.port), min(_CONNECT, left))
            except OSError as error:
                failed = error
                continue
            made.settimeout(max(0.1, self._until - monotonic()))
            return made
        raise failed or TimeoutError()

    def _take(self, connected: socket.socket) -> bool:
        """Registers the connection, so that giving up closes it; returns False if it was given up
        before."""
        with self._lock:
            self._socket = connected
            return not self._over


_HINTS = {
    401: "it wants a key, or another one",
    403: "it does not let us",
    404: "there is no such page",
    429: "it is asked too often; try again later",
}


_LATE = "it did not answer in time"


def _why(error: Exception) -> str:
    if isinstance(error, socket.gaierror):
        return "there is no such host"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message})"
    if isinstance(error, TimeoutError):
        return _LATE
    if isinstance(error, HTTPException):
        return "it does not speak HTTP, or broke off in the middle"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"the connection failed ({type(error).__name__})"
