"""The help of ``recollect`` itself: its commands, by what one wants to do."""

from __future__ import annotations

import argparse
from textwrap import wrap
from typing import Any

GROUPS = {
    "begin": ("init", "add", "watch", "demo"),
    "ask": ("search", "gather", "think", "sessions", "context", "get", "list", "web"),
    "keep": ("remember", "record", "curate", "record-answer", "answers", "add-web", "forget"),
    "facts": (
        "facts",
        "alias",
        "pin",
        "supersede",
        "resolve",
        "history",
        "review",
        "undo",
        "tidy",
        "prelude",
    ),
    "agents": ("install", "mcp", "serve", "hook"),
    "look after it": ("status", "doctor", "stats", "tune", "cache", "rebuild"),
    "keep it safe": ("backup", "restore", "repair", "export", "import", "migrate-store"),
    "set it up": ("config", "modes", "models", "llm", "eval", "completions"),
}
"""The commands, by what one wants to do. A command that is in no group is a fault (tested)."""


def by_group(plain: str, action: argparse._SubParsersAction[Any], columns: int) -> str:
    """Returns argparse's help with the commands under the titles of their groups."""
    begin = plain.index("positional arguments:")
    end = plain.find("\noptions:", begin)
    said = {choice.dest: choice.help or "" for choice in action._choices_actions}
    wide = max(map(len, said))
    lines = []
    for title, names in GROUPS.items():
        lines += ["", f"{title}:"]
        for name in (name for name in names if name in said):
            line = f"  {name:<{wide}}  {said[name]}"
            lines += wrap(line, columns - 2, subsequent_indent=" " * (wide + 4))
    tail = "\n`recollect COMMAND --help` says what one takes, with an example.\n"
    return plain[:begin].rstrip() + "\n" + "\n".join(lines) + "\n" + plain[end:] + tail
