"""Access control of the HTTP server: host, origin, token, session and CSRF.

Two things are looked at before anything else is: the host that the request names (a name that
was made to point here is turned away) and the origin of the page it comes from. Behind them
:class:`AccessControl` identifies the caller: a program shows the token, a browser the cookie that
it got for a link which works once. A change that only a cookie speaks for needs a CSRF token
besides, which no other page can know.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import re
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from recollect.named_tuple import NamedTuple

HOSTS = ("127.0.0.1", "localhost", "::1")
OPEN = ("/healthz", "/readyz", "/openapi.json", "/enter", "/login")
"""Paths that need no key: they tell nothing about the store, or give the key out."""
STATIC = "/static/"
READS = ("GET", "HEAD")
CSRF = b"x-recollect-csrf"
MOST_HEADERS = 64
MOST_SESSIONS = 64

Scope = dict[str, Any]
Headers = Mapping[bytes, bytes]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
ASGI = Callable[[Scope, Receive, Send], Awaitable[None]]

HARDENING = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Not no-referrer: a browser would then call the origin of our own forms null.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Refusal(NamedTuple):
    status: int
    type: str
    message: str
    hint: str = ""
    retry: int = 0
    """Seconds after which it is worth another try, if it is."""

    def as_json(self) -> dict[str, Any]:
        return {"error": {"type": self.type, "message": self.message, "hint": self.hint}}


# ------------------------------------------------------------------ host and origin


def stranger(headers: Headers, allowed: Callable[[str | None], bool]) -> Refusal | None:
    """Why a request is turned away whatever it asks for: it is meant for another host, or comes
    from a page of another origin."""
    if b"transfer-encoding" in headers and b"content-length" in headers:
        return Refusal(400, "UsageError", "a body has one length, and here are two")
    if not allowed(_hostname(headers.get(b"host", b"").decode("latin-1"))):
        return Refusal(421, "Misdirected", "this host is not served here")
    origin = headers.get(b"origin")
    if origin is not None and not allowed(_hostname(_SCHEME.sub("", origin.decode("latin-1")))):
        return Refusal(403, "Forbidden", "pages of this origin may not ask")
    return None


_HOST = re.compile(r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[\w.-]+))(?::\d{1,5})?", re.ASCII)
_SCHEME = re.compile(r"\A[a-z][a-z0-9+.-]*://")


def _hostname(place: str) -> str | None:
    """Returns the host of a host and port, and nothing of what has more in it, such as a user."""
    match = _HOST.fullmatch(place.lower())
    return match and (match["v6"] or match["name"])


def is_loopback(host: str | None) -> bool:
    return host in HOSTS


def is_address(host: str | None) -> bool:
    """Whether it is an address: no name can be made to point to another machine then."""
    try:
        return host is not None and bool(ip_address(host))
    except ValueError:
        return False


MOST_UNREAD = 65_536
"""Bytes of a refused request that are read all the same."""


async def refuse(refusal: Refusal, receive: Receive, send: Send) -> None:
    """Say so and hang up. A short request is read to its end first, for whoever hangs up on what
    was not read takes the answer with it; what is long or slow is left."""
    await _read_on(receive)
    body = json.dumps(refusal.as_json()).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    if refusal.status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="recollect"'))
    if refusal.retry:
        headers.append((b"retry-after", str(refusal.retry).encode()))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _read_on(receive: Receive) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(1):
            left = MOST_UNREAD
            while left > 0:
                event = await receive()
                left -= len(event.get("body", b""))
                if not event.get("more_body"):
                    return


# ------------------------------------------------------------------ the key


class AccessControl:
    """The token, the links that are still good, and the browsers that have used one. What is
    handed out dies with the process; only the token stays."""

    def __init__(
        self, token: str, *, names: Collection[str] = (), addresses: bool = False, cookie: str = ""
    ) -> None:
        """*names* are hosts that are served besides this machine's own; with *addresses* every
        address is."""
        self._token = token.encode()
        self._names = frozenset(names)
        self._addresses = addresses
        self._links: set[str] = set()
        self._sessions: dict[str, None] = {}
        self.cookie = f"recollect{cookie}"

    @property
    def local(self) -> bool:
        """Whether nobody but this machine is served."""
        return not (self._addresses or self._names)

    def serves(self, host: str | None) -> bool:
        return is_loopback(host) or host in self._names or (self._addresses and is_address(host))

    def link(self) -> str:
        """A key that opens once."""
        key = secrets.token_urlsafe(32)
        self._links.add(key)
        return key

    def enter(self, key: str) -> str | None:
        """A session for a key that was not used yet."""
        if key not in self._links:
            return None
        self._links.discard(key)
        return self._session()

    def login(self, token: str) -> str | None:
        """A session for whoever knows the token."""
        return self._session() if self._is_token(token.strip().encode()) else None

    def _session(self) -> str:
        session = secrets.token_urlsafe(32)
        self._sessions[session] = None
        while len(self._sessions) > MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return session

    def leave(self, session: str) -> None:
        self._sessions.pop(session, None)

    def _is_token(self, given: bytes) -> bool:
        return hmac.compare_digest(given, self._token)

    def csrf(self, session: str) -> str:
        """The word that goes with a session's changes."""
        return hmac.new(self._token, session.encode(), "sha256").hexdigest()

    def is_csrf(self, session: str, given: str) -> bool:
        return hmac.compare_digest(self.csrf(session).encode(), given.encode())

    def has_token(self, headers: Headers) -> bool:
        scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
        return scheme.lower() == b"bearer" and self._is_token(given.strip())

    def session(self, headers: Headers) -> str | None:
        for part in headers.get(b"cookie", b"").decode("latin-1").split(";"):
            name, _, value = part.strip().partition("=")
            if name == self.cookie and value in self._sessions:
                return value
        return None

    def set_cookie(self, session: str) -> str:
        return f"{self.cookie}={session}; Path=/; HttpOnly; SameSite=Strict"

    # -------------------------------------------------------------- deciding

    def refusal(self, scope: Scope) -> Refusal | None:
        """Why this request is not let in. One that is has ``scope["session"]``: the browser's,
        or None for a program."""
        if len(scope["headers"]) > MOST_HEADERS:
            return Refusal(431, "TooManyHeaders", f"there are more than {MOST_HEADERS} headers")
        headers = dict(scope["headers"])
        return (
            stranger(headers, self.serves)
            or _other_origin(headers)
            or self._unknown(scope, headers)
        )

    def _unknown(self, scope: Scope, headers: Headers) -> Refusal | None:
        scope["session"] = session = self.session(headers)
        path = scope["path"]
        if path in OPEN or path.startswith(STATIC):
            return None
        if b"authorization" in headers:
            scope["session"] = None
            return None if self.has_token(headers) else _NO_TOKEN
        if session is None:
            return _NO_TOKEN
        allowed = (
            scope["method"] in READS
            or not path.startswith(("/api/", "/mcp"))  # the page looks into its own forms
            or self.is_csrf(session, headers.get(CSRF, b"").decode("latin-1"))
        )
        return None if allowed else _COOKIE_ALONE


_NO_TOKEN = Refusal(
    401,
    "Unauthorized",
    "this needs the token",
    "send it as `Authorization: Bearer TOKEN`; `recollect serve` says which file it is in",
)


_COOKIE_ALONE = Refusal(403, "Forbidden", f"a cookie alone changes nothing: send {CSRF.decode()}")


def _other_origin(headers: Headers) -> Refusal | None:
    """A page of another port of this machine is another page all the same."""
    origin = headers.get(b"origin")
    if origin is None or urlsplit(origin).netloc == headers.get(b"host"):
        return None
    return Refusal(403, "Forbidden", "pages of this origin may not ask")


def guarded(inner: ASGI, gate: AccessControl, locked: ASGI | None = None) -> ASGI:
    """The application behind the gate. A browser without a key gets *locked* instead, where there
    is such a page."""

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await inner(scope, receive, send)
            return
        hard = hardened(send)
        refused = gate.refusal(scope)
        if refused is None:
            await inner(scope, receive, hard)
        elif refused.status == 401 and locked is not None and _is_a_page(scope):
            await locked(scope, receive, hard)
        else:
            await refuse(refused, receive, hard)

    return guard


def _is_a_page(scope: Scope) -> bool:
    return scope["method"] in READS and not scope["path"].startswith(("/api/", "/mcp", "/metrics"))


def hardened(send: Send) -> Send:
    """Every response with the headers that keep a browser from being used against us."""

    async def sending(message: Any) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", ()))
            known = {name.lower() for name, _ in given}
            given += [
                (name.encode(), value.encode())
                for name, value in HARDENING.items()
                if name.encode() not in known
            ]
            message = {**message, "headers": given}
        await send(message)

    return sending
