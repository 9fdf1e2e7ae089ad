"""What a hook says, in the shape that clients take; marked as ours, so that it is not imported."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from itertools import pairwise

from recollect.surfaces.commands import hook

LATE = "recollect was not ready in time: what it finds comes with the next prompt."
MARK = "recollect-context"


_FLAT = {"cursor": "additional_context", "hermes": "context", "opencode": "context"}
"""The one key that a client reads, where it does not read what Claude Code does."""


def shape(client: str, event: str, told: str) -> dict[str, object]:
    marked = f"<{MARK}>\n{told.replace(MARK, 'recollect context')}\n</{MARK}>"
    if client in _FLAT:
        return {_FLAT[client]: marked}
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": marked}}


def late(words: Sequence[str], raw: bytes) -> int:
    """Says that it comes with the next prompt. Most clients tell how they call the event; for
    others a table has to be loaded."""
    try:
        name = json.loads(raw)["hook_event_name"]
    except (ValueError, TypeError, KeyError):
        name = hook.event_name(words)
    sys.stdout.write(json.dumps(shape(_client(words), name, LATE)) + "\n")
    return 0


def _client(words: Sequence[str]) -> str:
    named = (after for word, after in pairwise(words) if word == "--client")
    return next(named, "")
