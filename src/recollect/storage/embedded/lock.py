"""Advisory file locks that die with their process."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from recollect import suspend

_WRITER = "120"
"""The byte of the file that all connections share which whoever writes has locked."""

if sys.platform == "win32":
    import msvcrt

    def _try_lock(fd: int) -> bool:
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try_lock(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextmanager
def file_lock(path: Path, *, wait: float = 0.0, pausing: bool = False) -> Iterator[bool]:
    """Hold the lock if it can be had within *wait* seconds; yields whether it is held.

    Each call opens the file anew, so two threads of one process exclude each other as well. Whoever
    holds it stops (Ctrl-Z) when it has given it back, unless *pausing* with it hinders nobody.
    """
    deadline, pause = time.monotonic() + wait, 0.001
    while True:
        with nullcontext() if pausing else suspend.put_off():
            fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
            try:
                held = _try_lock(fd)
                if held or time.monotonic() >= deadline:
                    yield held
                    return
            finally:
                os.close(fd)
        time.sleep(pause)
        pause = min(pause * 2, 0.05)


def holders(folder: Path) -> str:
    """Who is writing to the record, in brackets, where the system tells it."""
    try:
        shared = str((folder / "record.db-shm").stat().st_ino)
        lines = list(map(str.split, Path("/proc/locks").read_text().splitlines()))
    except OSError:
        return ""
    found = sorted(
        {
            int(line[4])
            for line in lines
            if line[3:4] == ["WRITE"]
            and line[5].rpartition(":")[2] == shared
            and line[6:] == [_WRITER, _WRITER]
        }
    )
    return f" ({', '.join(map(_process, found))})" if found else ""


def _process(id: int) -> str:
    try:
        state = Path(f"/proc/{id}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        state = ""
    stopped = f", which is stopped: `kill -CONT {id}` lets it go on" if state in ("T", "t") else ""
    return f"process {id}{stopped}"
