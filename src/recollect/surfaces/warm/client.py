"""Asks the holder of a store, if there is one, for what this process was started to do.

It loads neither the parser nor the engine, and it does not know which store is meant: the holders
of this user are asked in turn, and each knows whether it is its own.
"""

from __future__ import annotations

import _socket  # the module around it takes longer to load than all of this
import os
import sys
from time import monotonic

from recollect.surfaces.warm import wire

TYPE_CHECKING = False  # typing itself takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ASKED = frozenset(
    {"search", "sessions", "context", "facts", "get", "list", "history", "gather", "status"}
)
"""Commands that only read. What writes is done by the process that was told to."""
_ALONE = ("-h", "--help", "-i", "--in", "--think", "--web", "--expand", "--hyde", "--rerank")
"""Options that concern another program than a holder (or a terminal), or take as long as that
takes."""
HOOKS = ("prompt", "session-start")
_OFF = ("off", "no", "false")
ACCEPTED, ANSWERED = 1.0, 20.0
"""Seconds within which a holder says that it will answer, and does."""
_LONGEST = 16_000_000
"""Bytes of standard input."""


class Late(Exception):
    """The holder works on what a hook asked, and keeps it for the next prompt."""


def answered(words: Sequence[str], stdin: bytes = b"", seconds: float = ANSWERED) -> int | None:
    """The exit code of a command that a holder has done, after what it said was written; None where
    there is none to do it. Raises :class:`Late` where a hook has to wait for the next prompt."""
    said = asked(words, stdin, seconds) if _may_ask(words) else None
    return None if said is None else _written(*said)


def asked(words: Sequence[str], stdin: bytes, seconds: float = ANSWERED) -> list[bytes] | None:
    """Exit code, output and errors of what a holder has done; None where there is none."""
    if os.environ.get("RECOLLECT_WARM", "").lower() in _OFF:
        return None
    request = _request(words, stdin)
    for path in sockets():
        try:
            said = _ask(path, request, seconds, words[0] == "hook")
        except (OSError, wire.Gone):
            continue
        if said is not None:
            return said
    return None


def stdin() -> bytes:
    """What was handed in."""
    if sys.stdin is None or sys.stdin.isatty():
        return b""
    if hasattr(sys.stdin, "buffer"):
        return sys.stdin.buffer.read(_LONGEST)
    return sys.stdin.read().encode("utf-8", "surrogatepass")


def _may_ask(words: Sequence[str]) -> bool:
    if not words:
        return False
    if words[0] == "hook":
        return "--wait" not in words and any(event in words for event in HOOKS)
    utf = all((stream.encoding or "").lower() == "utf-8" for stream in (sys.stdout, sys.stderr))
    return utf and words[0] in ASKED and not any(word.startswith(_ALONE) for word in words)


def _request(words: Sequence[str], stdin: bytes) -> bytes:
    variables = wire.environment(os.environ)
    variables.setdefault("COLUMNS", str(_columns()))
    said = [f"{name}={value}" for name, value in variables.items()]
    seen = b"seen" if sys.stdout.isatty() else b""
    parts = [wire.VERSION, os.getcwdb(), stdin, seen, str(len(words)).encode()]
    return wire.packed([*parts, *map(os.fsencode, words), *map(os.fsencode, said)])


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def sockets() -> Iterator[str]:
    """Yields the sockets of this user's holders, in a folder that is nobody else's."""
    if not hasattr(os, "getuid"):
        return
    folder = wire.folder(os.environ)
    try:
        about = os.lstat(folder)
        if about.st_uid != os.getuid() or about.st_mode & 0o077:
            return
        names = sorted(os.listdir(folder))
    except OSError:
        return
    yield from (os.path.join(folder, name) for name in names if name.endswith(".sock"))


def _ask(path: str, request: bytes, seconds: float, hooked: bool) -> list[bytes] | None:
    """The answer; None where the holder says that it will not give one."""
    until, accepted = monotonic() + seconds, False
    holder = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        holder.settimeout(ACCEPTED)
        holder.connect(path)
        holder.sendall(request)
        if wire.exactly(holder, 1) != wire.WILL:
            return None
        accepted = True
        holder.settimeout(max(0.001, until - monotonic()))
        said = wire.received(holder)
        holder.sendall(wire.WILL)  # taken: nothing of it need be kept
    except TimeoutError:
        if accepted and hooked:
            raise Late from None
        raise
    finally:
        holder.close()
    return said if len(said) == 3 else None


def _written(code: bytes, out: bytes, error: bytes) -> int:
    for stream, said in ((sys.stderr, error), (sys.stdout, out)):
        stream.buffer.write(said)
        stream.flush()
    return int(code)
