"""Agent sessions: what each client writes, read into one shape.

:data:`NAMES` is the list; a reader is loaded when it is first needed.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.sources import files

if TYPE_CHECKING:
    from recollect.sources.sessions.base import Format

NAMES = tuple(
    "claude_code codex gemini copilot cursor hermes opencode goose openclaw specstory "
    "chatgpt claude_ai".split()
)
LOGS = frozenset({".jsonl", ".json", ".md", ".db", ".sqlite", ".sqlite3", ".zip", ".zst"})
"""The endings that a log may have."""


@cache
def formats() -> tuple[Format, ...]:
    modules = (import_module(f"recollect.sources.sessions.{name}") for name in NAMES)
    return tuple(module.FORMAT for module in modules)


def format_of(path: Path) -> Format | None:
    """The format of a log; None for any other file, and for one that cannot be read."""
    suffix = path.suffix.lower()
    if suffix not in LOGS:
        return None
    head = files.head(path)
    # A Markdown transcript may quote the logs of any other client.
    alike = (form for form in formats() if form.pattern.endswith(".md") == (suffix == ".md"))
    return next((form for form in alike if form.recognises(path, head)), None)


def home_of(path: Path) -> Format | None:
    """The format whose logs are kept at this place, or around it."""
    around = {path, *path.parents}
    return next((form for form in formats() if not around.isdisjoint(form.homes())), None)
