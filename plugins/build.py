"""Writes what is published beside the package: the Claude Code plugin and the registry's entry.

    python plugins/build.py

All of it is made from the version, the table of clients and the skill; a test compares.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from recollect import __version__
from recollect.surfaces.install.changes import skill_text
from recollect.surfaces.install.clients import BY_NAME, NAME, hook_group
from recollect.surfaces.install.launch import Launch

HERE = Path(__file__).parent
ROOT = HERE.parent
REGISTRY_NAME = "io.github.recollect/recollect"
"""The namespace has to be that of the account which publishes it."""
ABOUT = "A recall engine for AI agents: local, token-budgeted, self-grading, no LLM needed."
LAUNCH = Launch(NAME)
"""By name: a plugin cannot know where the command is."""


def made() -> dict[Path, str]:
    """The content of each file."""
    plugin, client = HERE / "claude-code", BY_NAME["claude-code"]
    assert client.hooks is not None
    hooks = {
        name: [hook_group(client, event, LAUNCH)] for event, name in client.hooks.events.items()
    }
    entry = client.entry(LAUNCH.words("mcp"))
    return {
        plugin / ".claude-plugin" / "plugin.json": _json(
            {
                "name": NAME,
                "version": __version__,
                "description": ABOUT,
                "author": {"name": NAME},
                "license": "Apache-2.0",
                "keywords": ["memory", "recall", "search", "sessions"],
            }
        ),
        plugin / ".mcp.json": _json({"mcpServers": {NAME: entry}}),
        plugin / "hooks" / "hooks.json": _json({"hooks": hooks}),
        plugin / "skills" / NAME / "SKILL.md": skill_text(),
        ROOT / "server.json": _json(_registry()),
    }


def _registry() -> dict[str, Any]:
    return {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": REGISTRY_NAME,
        "title": NAME,
        "description": ABOUT,
        "version": __version__,
        "packages": [
            {
                "registryType": "pypi",
                "identifier": NAME,
                "version": __version__,
                "runtimeHint": "uvx",
                "packageArguments": [{"type": "positional", "value": "mcp"}],
                "transport": {"type": "stdio"},
            }
        ],
    }


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    for path, text in made().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
