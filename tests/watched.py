"""Runs a program and tells whom it and its children wanted to reach, native code included.

A seccomp filter has the kernel ask this process about every ``connect`` and every datagram with an
address; the call then goes on as if nobody had asked. Python's audit hooks see no native code, and
a network namespace only makes look-ups fail in silence. Needs Linux on x86-64 or ARM.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import fcntl
import os
import platform
import select
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

_CALLS = {  # the numbers of: seccomp, connect, sendto, sendmsg, sendmmsg
    "x86_64": (317, 42, 44, 46, 307),
    "aarch64": (277, 203, 206, 211, 269),
}
_PIDFD_OPEN, _PIDFD_GETFD = 434, 438
_NO_NEW_PRIVS, _SET_FILTER, _NEW_LISTENER = 38, 1, 8
_ASK, _ALLOW = 0x7FC00000, 0x7FFF0000
_RECEIVE, _REPLY, _GO_ON = 0xC0502100, 0xC0182101, 1
_NOTIFICATION = struct.Struct("=QIIiIQ6Q")
_ANSWER = struct.Struct("=QqiI")
_libc = ctypes.CDLL(None, use_errno=True)


class Ended(NamedTuple):
    code: int
    out: bytes
    err: bytes
    reached: list[str]
    """Each address that was connected or sent to, as ``inet 10.0.0.1:53`` or ``unix /run/x``."""


def why_not() -> str:
    """Why programs cannot be watched here, or nothing."""
    if sys.platform != "linux" or platform.machine() not in _CALLS:
        return "seccomp is asked for on Linux, on x86-64 and ARM"
    try:
        run(["true"], os.environ)
    except OSError as error:
        return f"seccomp cannot be used here: {error}"
    return ""


def run(
    argv: Sequence[str], env: Mapping[str, str], *, given: bytes = b"", seconds: float = 60
) -> Ended:
    """Run it to its end, or for so long; then it is asked to end (SIGINT)."""
    with Watched(argv, env) as watched:
        try:
            out, err = watched.process.communicate(given, timeout=seconds)
        except subprocess.TimeoutExpired:
            watched.process.send_signal(2)
            out, err = watched.process.communicate(timeout=30)
        return Ended(watched.process.returncode, out, err, watched.reached)


class Watched:
    def __init__(self, argv: Sequence[str], env: Mapping[str, str]) -> None:
        self.reached: list[str] = []
        self._tells, says = os.pipe()
        self._hears, self._goes = os.pipe()
        self._over = threading.Event()
        self._problem: OSError | None = None
        self._thread = threading.Thread(target=self._supervise, daemon=True)
        self._thread.start()

        def filtered() -> None:
            os.write(says, struct.pack("=ii", os.getpid(), _install()))
            os.read(self._hears, 1)

        try:
            self.process = subprocess.Popen(
                argv, env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, preexec_fn=filtered,
            )  # fmt: skip
        finally:
            os.close(says)
        if self._problem:
            raise self._problem

    def __enter__(self) -> Watched:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._over.set()
        self._thread.join()
        for end in (self._tells, self._hears, self._goes):
            os.close(end)

    def _supervise(self) -> None:
        """Take the listener out of the child, let it go on, and answer until all have ended."""
        told = os.read(self._tells, 8)
        try:
            process, number = struct.unpack("=ii", told)
            if number < 0:
                raise OSError(-number, os.strerror(-number))
            handle = _call(_PIDFD_OPEN, process, 0)
            listener = _call(_PIDFD_GETFD, handle, number, 0)
            os.close(handle)
        except (OSError, struct.error) as error:
            self._problem = error if isinstance(error, OSError) else OSError("it did not start")
            os.write(self._goes, b".")
            return
        os.write(self._goes, b".")
        waiting = select.poll()
        waiting.register(listener, select.POLLIN)
        while not self._over.is_set():
            for _, events in waiting.poll(100):
                if events & select.POLLIN:
                    self._answer(listener)
                elif events & select.POLLHUP:
                    self._over.set()
        os.close(listener)

    def _answer(self, listener: int) -> None:
        asked = bytearray(_NOTIFICATION.size)
        try:
            fcntl.ioctl(listener, _RECEIVE, asked)
            id, process, _, number, _, _, *arguments = _NOTIFICATION.unpack(asked)
            self.reached += _addresses(process, number, arguments)
            fcntl.ioctl(listener, _REPLY, bytearray(_ANSWER.pack(id, 0, 0, _GO_ON)))
        except OSError:
            return  # it ended in the midst of asking


def _call(number: int, *arguments: int) -> int:
    done = int(_libc.syscall(number, *arguments))
    if done < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return done


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]


def _install() -> int:
    """Have these calls asked about in this process and its children; the listener, or -errno."""
    seccomp, *calls = _CALLS[platform.machine()]
    code = [(0x20, 0, 0, 0)]  # load the number of the call
    code += [(0x15, len(calls) - n, 0, call) for n, call in enumerate(calls)]
    code += [(0x06, 0, 0, _ALLOW), (0x06, 0, 0, _ASK)]
    raw = b"".join(struct.pack("=HBBI", *one) for one in code)
    kept = ctypes.create_string_buffer(raw, len(raw))
    program = _Program(len(code), ctypes.addressof(kept))
    _libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
    try:
        done = _libc.syscall(seccomp, _SET_FILTER, _NEW_LISTENER, ctypes.byref(program))
    except ctypes.ArgumentError:
        return -22
    return int(done) if done >= 0 else -ctypes.get_errno()


def _addresses(process: int, number: int, arguments: list[int]) -> list[str]:
    """Those of a call; none where data goes to who is connected already."""
    _, connect, sendto, sendmsg, _ = _CALLS[platform.machine()]
    if number == connect:
        where = [(arguments[1], arguments[2])]
    elif number == sendto:
        where = [(arguments[4], arguments[5])]
    else:
        count, size = (1, 56) if number == sendmsg else (min(arguments[2], 64), 64)
        heads = (_read(process, arguments[1] + n * size, 16) for n in range(count))
        where = [struct.unpack("=QI4x", head) for head in heads if len(head) == 16]
    raws = (_read(process, at, min(size, 128)) for at, size in where if at and size)
    return [told for raw in raws if (told := _told(raw))]


def _read(process: int, at: int, size: int) -> bytes:
    try:
        with open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
            memory.seek(at)
            return memory.read(size) or b""
    except OSError:
        return b""


def _told(raw: bytes) -> str:
    family = struct.unpack_from("=H", raw)[0] if len(raw) >= 2 else 0
    if family == socket.AF_UNIX:
        return f"unix {os.fsdecode(raw[2:].split(bytes(1))[0])}"
    if family == socket.AF_INET and len(raw) >= 8:
        return f"inet {socket.inet_ntoa(raw[4:8])}:{int.from_bytes(raw[2:4])}"
    if family == socket.AF_INET6 and len(raw) >= 24:
        return f"inet6 [{socket.inet_ntop(family, raw[8:24])}]:{int.from_bytes(raw[2:4])}"
    return ""


def files_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def environment(home: Path, **more: str) -> dict[str, Any]:
    """That of a user, who runs no tests: libraries are quiet by themselves where ``CI`` is set."""
    kept = {
        name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ
    }
    return {**kept, "HOME": str(home), **more}
