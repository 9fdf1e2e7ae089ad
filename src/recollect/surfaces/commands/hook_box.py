"""A hook that does not keep its client waiting, and loses nothing for it.

The holder of the store does the work, or a process that outlives the one that the client waits for.
What is there within :data:`BOX` seconds is said at once. Else one line says that it comes later,
and the next prompt of the same session brings it (:mod:`~recollect.surfaces.commands.hook_late`).

On a busy machine the time goes into loading modules: this one loads next to none, and the seconds
are those since the process was started.
"""

from __future__ import annotations

import _socket
import os
import sys
import time

from recollect.surfaces.commands import hook, hook_gate, hook_late, hook_text
from recollect.surfaces.warm import client, wire

TYPE_CHECKING = False  # typing itself takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Sequence

BOX, LEAST = 2.5, 0.2
"""Seconds; then the client goes on without us. The least is for a process that was long in
starting."""


def answered(words: Sequence[str], raw: bytes) -> int:
    """``recollect hook`` as clients call it. Refuses nothing, unlike the parser."""
    try:
        code = client.answered(["hook", *words], raw, _left())
        if code is None:
            code = 0 if hook_gate.is_idle(words, raw) else _boxed(words, raw)
        return code
    except (client.Late, TimeoutError):
        return hook_text.late(words, raw)


def _boxed(words: Sequence[str], raw: bytes) -> int:
    if "--wait" in words or not any(event in words for event in client.HOOKS):
        return hook.called(words, raw)
    ours, theirs = _socket.socketpair()
    if not os.fork():
        ours.close()
        hook_late.work(words, raw, theirs)
    theirs.close()
    ours.settimeout(_left())
    try:
        (told,) = wire.received(ours)
        sys.stdout.buffer.write(told)
        sys.stdout.flush()
        ours.sendall(wire.WILL)  # taken: nothing of it need be kept
    except wire.Gone:
        pass  # there is nothing to say
    finally:
        ours.close()
    return 0


def _left() -> float:
    return max(LEAST, BOX - _age())


def _age() -> float:
    """Seconds since this process was started; where the system does not tell, what it worked."""
    try:
        with open("/proc/self/stat") as about:
            started = int(about.read().rpartition(")")[2].split()[19])
        return time.clock_gettime(time.CLOCK_BOOTTIME) - started / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError, IndexError):
        return time.process_time()
