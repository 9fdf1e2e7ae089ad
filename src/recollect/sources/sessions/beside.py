"""Files that clients keep beside their logs and memories: indexes, journals, copies.

They say nothing that is not in the log, or not for a reader, so no documents are made of them. A
name alone proves nothing: a file is one of these only if the log is really there.
"""

from __future__ import annotations

import os
import re
from glob import escape, iglob
from itertools import islice
from pathlib import Path

from recollect.sources.sessions import format_of

_EXPORT = (
    "chat|export_manifest|group_chats|message_feedback|model_comparisons|shared_conversations|"
    "shopping|sora|user|user_settings|users"
)
_BESIDE = tuple(
    (re.compile(pattern, re.DOTALL), logs)
    for pattern, *logs in (
        # Claude Code: what a subagent was asked, outputs of tools, whatever else is there
        (r"(.+)\.meta\.json", "{}.jsonl"),
        (r"(.+)/tool-results/[^/]+", "{}.jsonl"),
        (r"(.*/\.claude/projects)/.+", "{}"),
        # Copilot CLI: where a session worked, and summaries of it
        (r"(.+/)(?:workspace\.yaml|checkpoints/.+)", "{}events.jsonl"),
        # Gemini CLI, Codex, Claude Code: prompts and titles that are in the sessions, too
        (r"(.+/)logs\.json", "{}chats/session-*"),
        (r"(.+/)(?:history|session_index)\.jsonl", "{}sessions/*/*/*/*", "{}projects/*/*.jsonl"),
        # OpenClaw: the list of sessions
        (r"(.+/)sessions\.json", "{}*.jsonl"),
        # Hermes, Goose, opencode and all others: what SQLite has not merged yet
        (r"(.+\.(?:db|sqlite3?|vscdb))-(?:wal|shm|journal)", "{}"),
        # exports of ChatGPT and Claude.ai: the same as a page, and whose it is
        (rf"(.+/)(?:{_EXPORT})\.(?:json|html)", "{}conversations.json", "{}conversations-000.json"),
        # ByteRover: lists of what is in the tree
        (r"(.*/\.brv/context-tree)/.+(?<!\.md)", "{}"),
    )
)
"""The path of a file, and where its log would be, told from what the path begins with."""
_TRIED = 8
"""How many files are looked at to find one log among them."""
_DATABASES = (".db", ".sqlite", ".sqlite3", ".vscdb")


def log_of(place: str) -> str:
    """The log or the folder of logs that a file only comes with; empty where there is none."""
    for pattern, logs in _BESIDE:
        if match := pattern.fullmatch(place):
            for log in logs:
                there = islice(iglob(log.format(escape(match[1]))), _TRIED)
                if found := next(filter(_is_log, there), ""):
                    return found
    return ""


def _is_log(place: str) -> bool:
    known = place.endswith(_DATABASES) or os.path.isdir(place)
    return known or format_of(Path(place)) is not None
