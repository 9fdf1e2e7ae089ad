"""How often one client may ask: so many times a second, and twice as many at once.

A bucket a client, which fills at the rate and is emptied by requests. A client is an address; of an
IPv6 address the network, for a machine has all of one. This is so that one client cannot keep the
others waiting. It guards no token: those are too long to be guessed at any rate.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address

from recollect.surfaces.http.guard import ASGI, Receive, Refusal, Scope, Send, hardened, refuse

AT_ONCE = 2.0
"""Seconds' worth of requests that may come at once."""
MOST_CLIENTS = 4096


class Buckets:
    """A token bucket for each client. Not thread-safe: one event loop asks."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        """*rate* is in requests a second."""
        self._rate = rate
        self._full = max(1.0, rate * AT_ONCE)
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}

    def wait(self, client: str) -> float:
        """Take one request from a client's share. 0, or the seconds until there is one again."""
        now = self._clock()
        left, at = self._left.pop(client, (self._full, now))
        left = min(self._full, left + (now - at) * self._rate)
        self._left[client] = (left - 1 if left >= 1 else left, now)  # the last to be dropped
        while len(self._left) > MOST_CLIENTS:
            del self._left[next(iter(self._left))]
        return 0.0 if left >= 1 else (1 - left) / self._rate


def client_of(scope: Scope) -> str:
    host = str((scope.get("client") or ("",))[0])
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv6Address) and not address.is_loopback:
        return str(IPv6Address(int(address) >> 64 << 64))
    return host


def rated(inner: ASGI, rate: float) -> ASGI:
    """The application for clients that ask no oftener than *rate* times a second; 0 for any."""
    if not rate:
        return inner
    buckets = Buckets(rate)

    async def limited(scope: Scope, receive: Receive, send: Send) -> None:
        wait = buckets.wait(client_of(scope)) if scope["type"] == "http" else 0.0
        if wait:
            await refuse(_too_often(rate, wait), receive, hardened(send))
        else:
            await inner(scope, receive, send)

    return limited


def _too_often(rate: float, wait: float) -> Refusal:
    said = f"more than {rate:g} requests a second"
    hint = "wait as long as Retry-After says; `recollect serve --rate` sets how many there may be"
    return Refusal(429, "TooOften", said, hint, math.ceil(wait))
