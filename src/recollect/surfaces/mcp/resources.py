"""The resources of an MCP server: documents, sessions and the status, by their addresses."""

from __future__ import annotations

import json
from collections.abc import Callable
from urllib.parse import unquote

from recollect import memory as facade
from recollect.errors import NotFound
from recollect.surfaces import tool_text

STATUS = "recollect://status"
DOCUMENT = "recollect://document/"
SESSION = "recollect://session/"


def read(uri: str, opened: Callable[[], facade.Memory]) -> tuple[str, str]:
    """Returns the MIME type and the text of a resource. Raises ``NotFound``, or
    ``UnicodeDecodeError`` for an address that is no UTF-8."""
    if uri == STATUS:
        return "application/json", json.dumps(opened().status().as_json(), indent=1)
    for start, rendered in _BY_ID.items():
        if uri.startswith(start):
            id = unquote(uri.removeprefix(start), errors="strict")
            return "text/plain", rendered(opened(), id)
    raise NotFound(f"there is no resource {uri}")


def _document(memory: facade.Memory, id: str) -> str:
    return memory.get(id).rendered()


def _session(memory: facade.Memory, id: str) -> str:
    return tool_text.sessions(memory.sessions(session=id), {})


_BY_ID = {DOCUMENT: _document, SESSION: _session}
