"""The import of a transcript when a client's session ends or its context is shortened.

A client waits only a moment for a session that ends. So ``hook`` starts a process of its own,
which outlives the client and imports there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from recollect import memory as facade
from recollect import nouns
from recollect.surfaces.commands import hook_call

_EMBEDDED = 2_000
"""The most passages that get their vectors at the end of a session; more wait for `add`."""
_OBSERVED = 5
"""Conversations that are read for the prelude then."""


def run(call: hook_call.Call, path: str) -> tuple[nouns.Problem, ...]:
    """Imports a transcript here and now, into the source that has it or else that of the client;
    returns what could not be imported."""
    if not os.path.isfile(path):
        raise FileNotFoundError("the transcript that is named is not there")
    with facade.Memory.open(call.store) as memory:
        source = memory.admin.source_of(path) or call.client
        done = memory.add(path, *_beside(path), source=source, embed=False)
        if call.event == "session-end":
            memory.curation.observe(limit=_OBSERVED)
        if call.event == "session-end" and 0 < memory.status().pending <= _EMBEDDED:
            memory.models.embed(threads=1)
    return tuple(done.failed)


def _beside(path: str) -> list[str]:
    """The folder of its subagents, where there is one."""
    folder = os.path.join(os.path.splitext(path)[0], "subagents")
    return [folder] if os.path.isdir(folder) else []


def start(call: hook_call.Call, path: str) -> None:
    """Starts another process of ours, which outlives the client, and leaves the import to it."""
    command = [sys.executable, "-m", "recollect", "hook", call.event, "--client", call.client]
    command += ["--store", call.store] if call.store else []
    apart: dict[str, Any] = (
        {"creationflags": 0x00000008 | 0x08000000}  # DETACHED_PROCESS, CREATE_NO_WINDOW
        if sys.platform == "win32"
        else {"start_new_session": True}
    )
    child = subprocess.Popen(
        [*command, "--wait"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **apart,
    )
    assert child.stdin is not None
    with child.stdin as stream:
        stream.write(json.dumps({"transcript_path": path}).encode())
    child.returncode = 0  # nobody waits for it
