"""Which links may be followed. Nothing here does I/O.

A link comes from strangers, and whoever follows it does so from inside the user's network. So a
link has to be http or https, on a port that web servers have, without a name and password in it;
and every address that its host has must be one of the public internet: not this machine, not the
network around it, not what clouds keep their secrets at, in whatever notation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, partial
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from itertools import filterfalse
from urllib.parse import quote, urlsplit

from recollect.errors import WebRefused
from recollect.named_tuple import NamedTuple
from recollect.nouns import of_type
from recollect.text.unicode import clipped

_USUAL_PORTS = {"http": 80, "https": 443}
PORTS = frozenset({80, 443, 8080, 8443})
MOST_CHARACTERS = 2_000
_ODD = re.compile(r"[\x00-\x20\x7f-\xa0\\<>\"`{}|^]")
_NEVER = (
    "168.63.129.16/32",  # Azure's own, which is no private address
    *"192.0.0.0/24 192.88.99.0/24 198.18.0.0/15 100.64.0.0/10 240.0.0.0/4 0.0.0.0/8".split(),
    *"fec0::/10 64:ff9b:1::/48 100::/64 2001::/23 5f00::/16".split(),
)
"""Addresses that are refused whatever Python thinks of them: versions differ."""


class Link(NamedTuple):
    """A link that can be followed, if its addresses may be."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def url(self) -> str:
        usual = _USUAL_PORTS[self.scheme]
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}{'' if self.port == usual else f':{self.port}'}{self.target}"


def link(url: str) -> Link:
    """The parts of an address, or ``WebRefused`` with what is wrong about it."""
    url = url.strip()
    if len(url) > MOST_CHARACTERS or _ODD.search(url):
        raise WebRefused("the link has characters that no address has, or too many of them")
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
        host = host if ":" in host else host.encode("idna").decode()
    except ValueError as error:
        raise WebRefused(f"{clipped(url, 80)} is no address of the web") from error
    usual = _USUAL_PORTS.get(parts.scheme)
    if usual is None:
        raise WebRefused(f"{clipped(url, 80)} is neither http nor https")
    if not host or "%" in host:
        raise WebRefused(f"{clipped(url, 80)} names no host")
    if "@" in parts.netloc:
        raise WebRefused("the link has a name or a password in it")
    asked = "?".join(filter(None, (parts.path or "/", parts.query)))
    target = quote(asked, safe="/?&=%:@!$'()*+,;~#[]-._")
    return Link(parts.scheme, host, port or usual, target)


def refuse_port(place: Link) -> None:
    if place.port not in PORTS:
        raise WebRefused(f"{place.host}: port {place.port} is not one of web pages")


# ------------------------------------------------------------------ addresses


@cache
def _never() -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(map(ip_network, _NEVER))


def is_public(address: str) -> bool:
    """Whether this is an address of the public internet. What an IPv6 address carries of an IPv4
    one has to be, too."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv6Address):
        return _is_global(found) and all(map(_is_global, _inside(found)))
    return _is_global(found)


def _inside(address: IPv6Address) -> list[IPv4Address]:
    """Returns the IPv4 addresses that an IPv6 address embeds, in all known ways."""
    inside = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address.packed[:12] in (bytes(12), bytes.fromhex("0064ff9b") + bytes(8)):
        inside.append(IPv4Address(address.packed[12:]))
    return of_type(inside, IPv4Address)


def _is_global(address: IPv4Address | IPv6Address) -> bool:
    if any(address in network for network in _never() if network.version == address.version):
        return False
    special = (
        address.is_multicast,
        address.is_reserved,
        address.is_link_local,
        address.is_loopback,
        address.is_unspecified,
    )
    return address.is_global and not any(special)


def refuse_private(host: str, addresses: Sequence[str]) -> None:
    """Raises unless all of these addresses are public, because any of them may be used."""
    for address in filterfalse(is_public, addresses):
        raise WebRefused(f"{host} leads to {address}, which is not on the public internet")


def refuse_number(place: Link) -> None:
    """Raises if the host is written as an address that is not public."""
    try:
        ip_address(place.host)
    except ValueError:
        return
    refuse_private(place.host, [place.host])


# ------------------------------------------------------------------ domains


class Domains(NamedTuple):
    """The domains that the user allows and denies; a domain includes its subdomains. No list allows
    all, and denied wins over allowed."""

    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] | None = None

    def refusal(self, host: str) -> str:
        """Why this host may not be looked at; empty when it may."""
        if any(map(partial(_within, host), self.deny or ())):
            return "web.deny"
        if self.allow is not None and not any(map(partial(_within, host), self.allow)):
            return "web.allow"
        return ""

    def check(self, host: str) -> None:
        setting = self.refusal(host)
        if setting:
            raise WebRefused(f"{host} is not to be looked at, by {setting}")


ANY = Domains()


def _within(host: str, domain: str) -> bool:
    name = domain.lower().removeprefix("*.").strip(".")
    try:
        name = name.encode("idna").decode()
    except UnicodeError:
        return False
    return host.lower() == name or host.lower().endswith(f".{name}")
