"""The call of a hook: what a client says on the command line and on stdin."""

from __future__ import annotations

import json
import re

from recollect.named_tuple import NamedTuple

TYPE_CHECKING = False  # typing itself takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

READ = 2_000
"""Characters of a prompt that are searched with."""
_INJECTED = r"(?s)<(hook_context|recollect-context|system-reminder)\b[^>]*>.*?</\1>\s*"
_SYNTAX = re.compile(
    r'["*\x00]|(?<![^\s"*\x00])-+(?=\w)|(?i:(?<![^\s"*\x00])(path|kind|source|issue|event):)'
)
"""What would be more than words in a query; a prompt is nothing but words."""


class Call(NamedTuple):
    event: str
    client: str
    store: str | None
    wait: bool
    """Whether to import here and now, and not in a process of its own."""


def parsed(arguments: Sequence[str]) -> Call:
    given: dict[str, str] = {}
    rest, words = list(arguments), []
    wait = False
    while rest:
        word = rest.pop(0)
        if word in ("--client", "--store") and rest:
            given[word[2:]] = rest.pop(0)
        elif word == "--wait":
            wait = True
        else:
            words.append(word)
    return Call(words[0] if words else "", given.get("client", ""), given.get("store"), wait)


def payload_of(raw: bytes) -> dict[str, Any]:
    if not raw.strip():
        return {}
    payload = json.loads(raw)
    if not isinstance(payload, dict):
        raise ValueError(f"not an object but a {type(payload).__name__} on stdin")
    return {**_elsewhere(payload), **payload}


def _elsewhere(payload: Mapping[str, Any]) -> dict[str, Any]:
    """What some clients tell under other names (Cursor, Hermes), by ours."""
    extra, roots = payload.get("extra"), payload.get("workspace_roots")
    given = extra if isinstance(extra, dict) else {}
    return {
        "session_id": payload.get("conversation_id"),
        "cwd": roots[0] if isinstance(roots, list) and roots else None,
        "prompt": given.get("user_message"),
        "begins": given.get("is_first_turn"),
    }


def text_of(payload: Mapping[str, Any], name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""


def prompt_of(payload: Mapping[str, Any]) -> str:
    """Returns what the user has typed; nothing where it is a command of the client's."""
    prompt = re.sub(_INJECTED, "", text_of(payload, "prompt")[: READ * 10]).strip()
    return "" if prompt[:1] in ("/", "!", "#") else prompt


def without_syntax(prompt: str) -> str:
    """Returns the prompt as a query of nothing but words."""
    return _SYNTAX.sub(lambda found: f" {found[1] or ''} ", prompt)
