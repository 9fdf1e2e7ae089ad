"""What a client and a holder say to each other: lists of byte strings, each with its length.

A request is the version, the words of a command line, the working folder, the environment as far as
it counts, and standard input. The holder says at once whether it will answer (:data:`WILL`, or
:data:`WILL_NOT`), then the answer: exit code, standard output, standard error; and the client says
:data:`WILL` once it has that.
"""

from __future__ import annotations

import os
import sys
from binascii import crc32

from recollect import __version__

TYPE_CHECKING = False  # typing itself takes longer to load than all of this
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Iterable, Mapping

VERSION = f"recollect {__version__} on Python {sys.version}".encode()
WILL, WILL_NOT = b"+", b"-"
MOST = 64 << 20
"""Bytes of a message."""
_LONGEST_PATH = 100
"""Characters of a socket's path that every system takes."""
_SAID = ("RECOLLECT_", "XDG_", "LC_")
_ALSO = ("HOME", "TZ", "LANG", "LANGUAGE", "NO_COLOR", "FORCE_COLOR", "COLUMNS")


class Gone(Exception):
    """The other side has left, or says what makes no sense."""


def environment(all_of_it: Mapping[str, str]) -> dict[str, str]:
    """The variables that an answer may depend on; no key is among them."""
    return {
        name: value
        for name, value in all_of_it.items()
        if (name.startswith(_SAID) or name in _ALSO) and not name.endswith("_KEY")
    }


def folder(variables: Mapping[str, str]) -> str:
    """Where the sockets of a user's holders are: beside the user's data, or where that is too long
    for a socket, in a folder of the system's named by it."""
    place = os.path.join(os.path.abspath(data(variables)), "run")
    if len(place.encode()) + len("/0123456789abcdef.sock") <= _LONGEST_PATH:
        return place
    short = variables.get("XDG_RUNTIME_DIR") or "/tmp"
    return os.path.join(short, f"recollect-{os.getuid()}-{crc32(place.encode()):08x}")


def data(variables: Mapping[str, str]) -> str:
    """The folder of the user's data."""
    return _folder(variables, "data", "XDG_DATA_HOME", "~/.local/share")


def settings(variables: Mapping[str, str]) -> str:
    """The folder of the user's settings."""
    return _folder(variables, "config", "XDG_CONFIG_HOME", "~/.config")


def _folder(variables: Mapping[str, str], name: str, variable: str, usual: str) -> str:
    """One of the user's folders, as :mod:`recollect.config` finds it."""
    home = variables.get("RECOLLECT_HOME")
    if home:
        return os.path.join(os.path.expanduser(home), name)
    return os.path.join(variables.get(variable) or os.path.expanduser(usual), "recollect")


def packed(parts: Iterable[bytes]) -> bytes:
    body = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return len(body).to_bytes(4, "big") + body


def received(connection: socket) -> list[bytes]:
    """One message."""
    size = int.from_bytes(exactly(connection, 4), "big")
    if size > MOST:
        raise Gone
    body, parts, at = exactly(connection, size), [], 0
    while at < size:
        end = at + 4 + int.from_bytes(body[at : at + 4], "big")
        parts.append(body[at + 4 : end])
        at = end
    return parts


def exactly(connection: socket, size: int) -> bytes:
    held = bytearray()
    while len(held) < size:
        some = connection.recv(min(size - len(held), 1 << 20))
        if not some:
            raise Gone
        held += some
    return bytes(held)
