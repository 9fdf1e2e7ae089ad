"""The clients, as data: where each keeps its configuration on which system, in which form, under
which keys, what an entry looks like, and what else it can be given.

Checked with the clients themselves where :attr:`McpClient.checked` says so; the others follow their
documentation or source.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from recollect.named_tuple import NamedTuple
from recollect.surfaces.install import launch

Scope = Literal["user", "project"]
SCOPES: tuple[Scope, ...] = ("user", "project")
NAME = "recollect"


# ------------------------------------------------------------------ what a client is


class ConfigPath(NamedTuple):
    """A file or folder of the user's, by system. A *variable* that is set names the folder."""

    linux: str
    macos: str = ""
    windows: str = ""
    variable: str = ""
    below: str = ""
    """The path below the folder that the variable names."""

    def path(self) -> Path:
        named = os.environ.get(self.variable, "") if self.variable else ""
        if named:
            return Path(named).expanduser() / self.below
        told = self.linux
        if sys.platform == "darwin":
            told = self.macos or told
        elif sys.platform == "win32":
            told = self.windows or told
        return Path(_expanded(told))


def _expanded(told: str) -> str:
    bases = {"$CONFIG": ("XDG_CONFIG_HOME", "~/.config"), "$APPDATA": ("APPDATA", "~")}
    for mark, (variable, fallback) in bases.items():
        if told.startswith(mark):
            told = (os.environ.get(variable) or fallback) + told[len(mark) :]
    return os.path.expanduser(told)


class ClientCommand(NamedTuple):
    """The client's own command for it. ``{entry}`` stands for the entry as JSON, ``{words}`` for
    the command and its arguments."""

    program: str
    add: tuple[str, ...]
    remove: tuple[str, ...]
    replaces: bool
    """Whether adding twice replaces what was there."""


def _grouped(command: str, seconds: int) -> dict[str, Any]:
    return {"hooks": [{"type": "command", "command": command, "timeout": seconds}]}


def _of_gemini(command: str, seconds: int) -> dict[str, Any]:
    one = {"name": NAME, "type": "command", "command": command, "timeout": 1000 * seconds}
    return {"hooks": [one]}


def _of_copilot(command: str, seconds: int) -> dict[str, Any]:
    return {"type": "command", "bash": command, "timeoutSec": seconds}


def _bare(command: str, seconds: int) -> dict[str, Any]:
    return {"command": command, "timeout": seconds}


class WholeFile(NamedTuple):
    """A file that is all ours."""

    user: ConfigPath
    resource: str
    """What it is made of, in this package."""


class ClientHooks(NamedTuple):
    """Events that the client calls a program at, by our names for them."""

    user: ConfigPath
    project: str
    events: Mapping[str, str]
    made: Callable[[str, int], dict[str, Any]] = _grouped
    """Makes an entry of a command and the seconds for which it is waited for."""
    top: Mapping[str, Any] = {}
    """What else the file has to say."""
    transcript: ConfigPath | None = None
    """Where that of a ``{session}`` is, if the client does not tell."""
    note: str = ""
    form: str = "json"
    """Of the file. In YAML an event that has hooks already is left to the user."""
    plugin: str = ""
    """What the whole file is made of, where hooks are a program and not settings."""


class McpClient(NamedTuple):
    name: str
    label: str
    user: ConfigPath
    project: str
    """Below the project's folder; empty where there is no such file."""
    form: str
    keys: tuple[str, ...]
    entry: Callable[[list[str]], dict[str, Any]]
    programs: tuple[str, ...]
    """Any of these on the PATH, or the folder of the user's file, tells that it is here."""
    listing: str
    """How to see what it has."""
    checked: bool = False
    own: ClientCommand | None = None
    """For the user's file only: in a project's, which people write and share, nothing but the entry
    may change."""
    others: tuple[str, ...] = ()
    """Names the file may have instead; the first that is there is taken."""
    hooks: ClientHooks | None = None
    provider: tuple[WholeFile, ...] = ()
    """The files that make us the memory of a client that has a place for one."""
    skill: ConfigPath | None = None
    project_skill: str = ""
    note: str = ""
    project_note: str = ""

    def file(self, scope: Scope) -> Path | None:
        if scope == "user":
            path = self.user.path()
        elif self.project:
            path = Path.cwd() / self.project
        else:
            return None
        return next((p for o in self.others if (p := path.with_name(o)).exists()), path)

    def path(self) -> tuple[str, ...]:
        """Where an entry stands in the file."""
        return (*self.keys, NAME)

    @property
    def events(self) -> Mapping[str, str]:
        """The client's names of the events at which it can call us, by ours."""
        return self.hooks.events if self.hooks else {}

    def hooks_file(self, scope: Scope) -> Path | None:
        if self.hooks is None:
            return None
        if scope == "user":
            return self.hooks.user.path()
        return Path.cwd() / self.hooks.project if self.hooks.project else None

    def skill_file(self, scope: Scope) -> Path | None:
        if self.skill is None:
            return None
        folder = self.skill.path() if scope == "user" else Path.cwd() / self.project_skill
        return folder / NAME / "SKILL.md"

    def is_here(self) -> bool:
        folder = self.user.path().parent
        named = any(map(launch.which, self.programs))
        return named or (folder != Path.home() and folder.is_dir())


def _plain(words: list[str]) -> dict[str, Any]:
    return {"command": words[0], "args": words[1:]}


def _typed(kind: str, **more: Any) -> Callable[[list[str]], dict[str, Any]]:
    return lambda words: {"type": kind, **_plain(words), **more}


EVENTS = ("session-start", "prompt", "compact", "session-end")
"""Our names: a session begins or goes on, the user asks, the context is about to be shortened, it
ends."""
SECONDS = {"session-start": 5, "prompt": 5, "compact": 5, "session-end": 3}
"""After which a client should stop waiting for the answer: all of them come at once."""
_AGENTS = ConfigPath("~/.agents/skills")


def _hermes(below: str) -> ConfigPath:
    return ConfigPath(f"~/.hermes/{below}", variable="HERMES_HOME", below=below)


# ------------------------------------------------------------------ the table

CLIENTS = (
    McpClient(
        "claude-code",
        "Claude Code",
        ConfigPath("~/.claude.json", variable="CLAUDE_CONFIG_DIR", below=".claude.json"),
        ".mcp.json",
        "json",
        ("mcpServers",),
        # Without alwaysLoad the model sees no tool of ours until it has searched for one.
        _typed("stdio", alwaysLoad=True),
        ("claude",),
        "claude mcp list",
        checked=True,
        own=ClientCommand(
            "claude",
            ("mcp", "add-json", NAME, "{entry}", "--scope", "user"),
            ("mcp", "remove", NAME, "--scope", "user"),
            replaces=False,
        ),
        hooks=ClientHooks(
            ConfigPath(
                "~/.claude/settings.json", variable="CLAUDE_CONFIG_DIR", below="settings.json"
            ),
            ".claude/settings.local.json",
            {
                "session-start": "SessionStart",
                "prompt": "UserPromptSubmit",
                "compact": "PreCompact",
                "session-end": "SessionEnd",
            },
        ),
        skill=ConfigPath("~/.claude/skills", variable="CLAUDE_CONFIG_DIR", below="skills"),
        project_skill=".claude/skills",
    ),
    McpClient(
        "codex",
        "Codex",
        ConfigPath("~/.codex/config.toml", variable="CODEX_HOME", below="config.toml"),
        ".codex/config.toml",
        "toml",
        ("mcp_servers",),
        _plain,
        ("codex",),
        "codex mcp list",
        checked=True,
        own=ClientCommand(
            "codex", ("mcp", "add", NAME, "--", "{words}"), ("mcp", "remove", NAME), True
        ),
        hooks=ClientHooks(
            ConfigPath("~/.codex/hooks.json", variable="CODEX_HOME", below="hooks.json"),
            ".codex/hooks.json",
            {
                "session-start": "SessionStart",
                "prompt": "UserPromptSubmit",
                "compact": "PreCompact",
                "session-end": "SessionEnd",
            },
            note="Codex runs a hook only after you have agreed to it: it asks at the next start",
        ),
        skill=_AGENTS,
        project_skill=".agents/skills",
        project_note="Codex reads a project's file only in a folder that you trust",
    ),
    McpClient(
        "gemini",
        "Gemini CLI",
        ConfigPath("~/.gemini/settings.json"),
        ".gemini/settings.json",
        "json",
        ("mcpServers",),
        _plain,
        ("gemini",),
        "gemini mcp list",
        checked=True,  # its own command rewrites the whole file in another layout
        hooks=ClientHooks(
            ConfigPath("~/.gemini/settings.json"),
            ".gemini/settings.json",
            {
                "session-start": "SessionStart",
                "prompt": "BeforeAgent",
                "compact": "PreCompress",
                "session-end": "SessionEnd",
            },
            _of_gemini,
        ),
        skill=_AGENTS,
        project_skill=".agents/skills",
        note="Gemini starts servers only in a folder that you trust",
    ),
    McpClient(
        "opencode",
        "opencode",
        ConfigPath("$CONFIG/opencode/opencode.json"),
        "opencode.json",
        "json",
        ("mcp",),
        lambda words: {"type": "local", "command": words, "enabled": True},
        ("opencode",),
        "opencode mcp list",
        others=("opencode.jsonc",),
        hooks=ClientHooks(
            ConfigPath("$CONFIG/opencode/plugins/recollect.js"),
            ".opencode/plugins/recollect.js",
            # Only at a prompt does it wait for a plugin: what is said at the start goes with that.
            {
                "prompt": "chat.message",
                "compact": "experimental.session.compacting",
                "session-end": "session.idle",
            },
            transcript=ConfigPath(
                "~/.local/share/opencode/opencode.db",
                variable="XDG_DATA_HOME",
                below="opencode/opencode.db",
            ),
            form="js",
            plugin="opencode.js",
        ),
        skill=_AGENTS,
        project_skill=".agents/skills",
    ),
    McpClient(
        "copilot",
        "Copilot CLI",
        ConfigPath("~/.copilot/mcp-config.json", variable="COPILOT_HOME", below="mcp-config.json"),
        ".github/mcp.json",
        "json",
        ("mcpServers",),
        _typed("local", tools=["*"]),
        ("copilot",),
        "copilot mcp list",
        hooks=ClientHooks(
            ConfigPath(
                "~/.copilot/hooks/recollect.json",
                variable="COPILOT_HOME",
                below="hooks/recollect.json",
            ),
            ".github/hooks/recollect.json",
            # By these names its payloads are spelt as those of Claude Code. What a hook says at the
            # start or at a prompt it does not read.
            {"compact": "PreCompact", "session-end": "SessionEnd"},
            _of_copilot,
            {"version": 1},
            ConfigPath(
                "~/.copilot/session-state/{session}/events.jsonl",
                variable="COPILOT_HOME",
                below="session-state/{session}/events.jsonl",
            ),
        ),
    ),
    McpClient(
        "vscode",
        "VS Code",
        ConfigPath(
            "$CONFIG/Code/User/mcp.json",
            "~/Library/Application Support/Code/User/mcp.json",
            "$APPDATA/Code/User/mcp.json",
        ),
        ".vscode/mcp.json",
        "json",
        ("servers",),
        _typed("stdio"),
        ("code",),
        "the command “MCP: List Servers” in the editor",
    ),
    McpClient(
        "cursor",
        "Cursor",
        ConfigPath("~/.cursor/mcp.json"),
        ".cursor/mcp.json",
        "json",
        ("mcpServers",),
        _plain,
        ("cursor", "cursor-agent"),
        "Settings → MCP in the editor",
        hooks=ClientHooks(
            ConfigPath("~/.cursor/hooks.json"),
            ".cursor/hooks.json",
            # Before a prompt it takes yes or no, and nothing for the model to read.
            {"session-start": "sessionStart", "compact": "preCompact", "session-end": "sessionEnd"},
            _bare,
            {"version": 1},
        ),
    ),
    McpClient(
        "hermes",
        "Hermes",
        ConfigPath("~/.hermes/config.yaml", variable="HERMES_HOME", below="config.yaml"),
        "",
        "yaml",
        ("mcp_servers",),
        _plain,
        ("hermes",),
        "hermes mcp list",
        hooks=ClientHooks(
            ConfigPath("~/.hermes/config.yaml", variable="HERMES_HOME", below="config.yaml"),
            "",
            # What a hook says at the start it does not read: that goes with the first prompt.
            {"prompt": "pre_llm_call", "session-end": "on_session_finalize"},
            _bare,
            transcript=ConfigPath("~/.hermes/state.db", variable="HERMES_HOME", below="state.db"),
            note="Hermes asks once whether it may run each hook (`hermes hooks list`)",
            form="yaml",
        ),
        provider=(
            WholeFile(_hermes("plugins/recollect/__init__.py"), "hermes_provider.txt"),
            WholeFile(_hermes("plugins/recollect/plugin.yaml"), "hermes_plugin.yaml"),
        ),
    ),
    McpClient(
        "openclaw",
        "OpenClaw",
        ConfigPath("~/.openclaw/openclaw.json"),
        "",
        "json5",
        ("mcp", "servers"),
        _plain,
        ("openclaw",),
        "openclaw mcp list",
    ),
    McpClient(
        "goose",
        "Goose",
        ConfigPath(
            "$CONFIG/goose/config.yaml",
            windows="$APPDATA/Block/goose/config/config.yaml",
        ),
        "",
        "yaml",
        ("extensions",),
        lambda words: {
            "name": NAME,
            "type": "stdio",
            "cmd": words[0],
            "args": words[1:],
            "enabled": True,
            "timeout": 300,
        },
        ("goose",),
        "goose configure",
    ),
    McpClient(
        "claude-desktop",
        "Claude Desktop",
        ConfigPath(
            "$CONFIG/Claude/claude_desktop_config.json",
            "~/Library/Application Support/Claude/claude_desktop_config.json",
            "$APPDATA/Claude/claude_desktop_config.json",
        ),
        "",
        "json",
        ("mcpServers",),
        _plain,
        (),
        "Settings → Developer in the app",
        note="start the app anew",
    ),
)
BY_NAME = {client.name: client for client in CLIENTS}


def hook_group(client: McpClient, event: str, start: launch.Launch) -> dict[str, Any]:
    """How the client is told to call us at an event."""
    if client.hooks is None:
        raise ValueError(f"{client.name} has no hooks")
    called = start.line("hook", event, "--client", client.name)
    return client.hooks.made(called, SECONDS[event])


def hooks_in(group: Any) -> list[Any]:
    """The hooks of an entry, which is one itself where a client does not group them."""
    hooks = group.get("hooks", [group]) if isinstance(group, dict) else []
    return hooks if isinstance(hooks, list) else []


def is_our_group(group: Any, event: str, client: McpClient) -> bool:
    """Whether it calls us, from wherever we were."""
    called = f" hook {event} --client {client.name}"
    return any(NAME in line and called in line for line in map(_command, hooks_in(group)))


def _command(hook: Any) -> str:
    line = hook.get("command") or hook.get("bash") if isinstance(hook, dict) else ""
    return line if isinstance(line, str) else ""
