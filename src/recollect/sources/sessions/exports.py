"""What the readers of exports share: a file of conversations, or the zip that it came in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from recollect.nouns import Problem, without
from recollect.sources.json_stream import members
from recollect.sources.sessions.base import Read, Session, unknown
from recollect.sources.sessions.turns import tool_call

Conversation = Callable[[str, Any, Counter[str]], Iterable[Session | Problem]]
"""Returns the session of a conversation at a place, and counts what it does not know."""


def read_export(path: Path, names: re.Pattern[str], session: Conversation) -> Read:
    """Yields the sessions of an export, then one warning for all that is not known."""
    kinds: Counter[str] = Counter()
    for where, item in members(path, names, "conversations"):
        if isinstance(item, Problem):
            yield item
            continue
        try:
            yield from session(where, item, kinds)
        except RecursionError:
            yield Problem(where, "nested too deeply; the conversation was passed over")
    yield from unknown(path, kinds)


def call(name: str, arguments: Any) -> str:
    """Returns a call on one line, with those arguments that are whole texts below it."""
    if not isinstance(arguments, dict):
        return tool_call(name, arguments)
    long = {k: v for k, v in arguments.items() if isinstance(v, str) and "\n" in v}
    line = tool_call(name, without(arguments, long))
    return "\n\n".join((line, *long.values()))
