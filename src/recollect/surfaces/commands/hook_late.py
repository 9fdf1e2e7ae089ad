"""A hook that does not keep its client waiting, and loses nothing for it.

The work is done by a process of its own, which outlives the one that the client waits for. What is
there within :data:`BOX` seconds is said at once. Else one line says that it comes later, and the
next prompt of the same session brings it, unless it is too old by then.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from recollect import config, permissions
from recollect.nouns import stable_id
from recollect.surfaces import controls
from recollect.surfaces.commands import hook

BOX = 2.0
"""Seconds; then the client goes on without us."""
FRESH = 900.0
"""Seconds for which what came too late is worth telling."""
LATE = "recollect was not ready in time: what it finds comes with the next prompt."
BEFORE = "To the prompt before this one, for which it came too late:"


def boxed(arguments: Sequence[str], raw: bytes) -> int:
    """``recollect hook`` as clients call it."""
    call = hook.parsed(arguments)
    if call.wait or call.event not in ("prompt", "session-start"):
        return hook.called(arguments, raw)
    reading, writing = os.pipe()
    worker = os.fork()
    if not worker:
        os.close(reading)
        _work(call, raw, writing)
    os.close(writing)
    if not _waited(call, raw, reading):
        os.waitpid(worker, 0)  # it ends now
    return 0


def _work(call: hook.Call, raw: bytes, writing: int) -> None:
    """In the process that outlives the client: holds none of its streams, and says what it has to
    where that is still waited for. It is kept before that: whoever takes it drops what is kept."""
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        payload = hook.payload_of(raw)
        told = hook.content(call, payload)
        if told:
            keep(call, payload, told)
            os.write(writing, b"ready")
    except BrokenPipeError:  # nobody waits any more; the next prompt takes it
        pass
    except Exception as error:  # noqa: BLE001  nothing of ours may stop a client
        hook.log(call, error)
    finally:
        os._exit(0)


def _waited(call: hook.Call, raw: bytes, reading: int) -> bool:
    """Says what there is to say as soon as it is there; whether that was too late."""
    if not select.select([reading], [], [], BOX)[0]:
        _say(call, raw, lambda _: LATE)
        hook.log(call, f"not ready in {BOX:g} s; it comes with the next prompt")
        return True
    if os.read(reading, 5):
        _say(call, raw, lambda payload: take(call, payload))
    return False


def late(arguments: Sequence[str], raw: bytes) -> int:
    """Says that the holder of the store will have it for the next prompt."""
    _say(hook.parsed(arguments), raw, lambda _: LATE)
    return 0


def _say(call: hook.Call, raw: bytes, telling: Callable[[Mapping[str, Any]], str]) -> None:
    try:
        payload = hook.payload_of(raw)
        told = telling(payload)
        sys.stdout.write(controls.shown(hook.shaped(call, payload, told)) + "\n" if told else "")
        sys.stdout.flush()
    except Exception as error:  # noqa: BLE001  nothing of ours may stop a client
        hook.log(call, error)


def _file(call: hook.Call, payload: Mapping[str, Any]) -> Path:
    """Where what a session is to be told is kept: one file, the last thing alone."""
    session = payload.get("session_id") or payload.get("cwd") or ""
    return config.data_folder() / "hooks" / f"{stable_id(call.client, str(session))[:16]}.txt"


def keep(call: hook.Call, payload: Mapping[str, Any], told: str) -> None:
    """For the next prompt of the session."""
    file = _file(call, payload)
    permissions.folder(file.parent)
    permissions.write(file, told)


def take(call: hook.Call, payload: Mapping[str, Any]) -> str:
    """What is kept for a session, which is no longer kept then; nothing where it is too old."""
    file = _file(call, payload)
    with suppress(OSError):
        fresh = time.time() - file.stat().st_mtime < FRESH
        told = file.read_text(encoding="utf-8")
        file.unlink()
        return told if fresh else ""
    return ""
