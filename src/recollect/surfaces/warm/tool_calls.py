"""Calls of tools that a further server has the holder of its store do.

Only tools that read are: what writes is done by the server that was told to. Who is served behind a
wall is answered behind it. The models are loaded once, however many clients have a server.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.surfaces import tools, warm
from recollect.surfaces.tools import Reply, Tool
from recollect.surfaces.warm import client, holder

WORD = "tool"
"""Stands where a command line has its command."""


def asked(
    tool: Tool,
    arguments: Mapping[str, Any],
    store: str | None,
    owner: str | None,
    scopes: Sequence[str] | None,
) -> Reply | None:
    """The reply of the holder; None where the call is this process's own to do."""
    if tool.writes or tool is not tools.NAMED.get(tool.name) or holder.HOLDS.is_set():
        return None
    call = json.dumps([tool.name, arguments, owner, scopes]).encode()
    said = client.asked([WORD, *(() if store is None else ("--store", store))], call)
    return None if said is None else Reply(*json.loads(said[1]))


def done(store: str | None, call: bytes) -> str:
    """The reply to a call, for the holder."""
    name, arguments, owner, scopes = json.loads(call)
    with warm.opened(store) as memory:
        whole = owner is scopes is None
        shown = memory if whole else memory.view(owner, scopes)
        return json.dumps(tools.answer(tools.NAMED[name], arguments, lambda: shown))
