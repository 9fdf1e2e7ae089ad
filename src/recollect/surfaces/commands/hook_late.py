"""What a hook has found, for a client that may have gone on without it.

The next prompt of the same session brings it, unless it is too old by then.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect import config, permissions
from recollect.nouns import stable_id
from recollect.surfaces import controls
from recollect.surfaces.commands import hook, hook_call
from recollect.surfaces.commands.hook_gate import FRESH
from recollect.surfaces.warm import wire

if TYPE_CHECKING:
    from _socket import socket

BEFORE = "To the prompt before this one, for which it came too late:"
PATIENCE = 5.0
"""Seconds within which whoever waits takes what is ready."""


def work(words: Sequence[str], raw: bytes, waiting: socket) -> None:
    """Does what a hook is for and ends the process, which outlives the client: it holds none of its
    streams, and tells what it has to where that is still waited for."""
    call = hook_call.parsed(words)
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        payload = hook_call.payload_of(raw)
        told = hook.content(call, payload)
        if told:
            _deliver(call, payload, told, waiting)
    except Exception as error:  # noqa: BLE001  nothing of ours may stop a client
        hook.log(call, error)
    finally:
        os._exit(0)


def _deliver(call: hook_call.Call, payload: Mapping[str, Any], told: str, waiting: socket) -> None:
    said = controls.shown(hook.shaped(call, payload, told)) + "\n"
    try:
        waiting.settimeout(PATIENCE)
        waiting.sendall(wire.packed([said.encode("utf-8", "backslashreplace")]))
        wire.exactly(waiting, 1)
    except (OSError, wire.Gone):
        keep(call, payload, told)
        hook.log(call, "not ready in time; it comes with the next prompt")


def _file(call: hook_call.Call, payload: Mapping[str, Any]) -> Path:
    """Where what a session is to be told is kept: one file, the last thing alone."""
    session = payload.get("session_id") or payload.get("cwd") or ""
    return config.data_folder() / "hooks" / f"{stable_id(call.client, str(session))[:16]}.txt"


def keep(call: hook_call.Call, payload: Mapping[str, Any], told: str) -> None:
    """For the next prompt of the session."""
    file = _file(call, payload)
    permissions.folder(file.parent)
    permissions.write(file, told)


def take(call: hook_call.Call, payload: Mapping[str, Any]) -> str:
    """What is kept for a session, which is no longer kept then; nothing where it is too old."""
    file = _file(call, payload)
    with suppress(OSError):
        fresh = time.time() - file.stat().st_mtime < FRESH
        told = file.read_text(encoding="utf-8")
        file.unlink()
        return told if fresh else ""
    return ""
