"""Cursor's agent transcripts: ``projects/<workspace>/agent-transcripts/<id>/<id>.jsonl``.

Records are ``{"role", "message": {"content": [blocks]}}``, in blocks like Claude's, and say little
else: no ids, no results of tools, no model. The human's words are in ``<user_query>``; around
them the client puts what it wants the model to know, and the time as a person would write it,
which is the only date there is: answers have none. The same text in the transcript of a subagent
(``<id>/subagents/<id>.jsonl``) is the agent's that called it.

The workspace's folder is written beside its transcripts; its name alone does not tell, being
the path with its punctuation lost.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from recollect.nouns import Message, Problem
from recollect.sources.sessions.base import (
    Format,
    Read,
    Session,
    json_lines,
    moment,
    unknown,
    unknown_roles,
)
from recollect.sources.sessions.turns import (
    INJECTED,
    block_text,
    blocks,
    string,
    title_of,
    told,
    whole,
)

_HIDDEN = "[REDACTED]"
"""Where a thought was, at the end of what the model said."""
_QUERY_END = "</user_query>"
_QUERY = re.compile(rf"<user_query>(.*?){_QUERY_END}", re.DOTALL)
_TIME = re.compile(r"<timestamp>([^<]{0,100})</timestamp>\s*")
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_WRITTEN = re.compile(
    r"(?:\w+, )?(\w{3})\w* (\d{1,2}), (\d{4}),? (?:at )?(\d{1,2}):(\d{2})(?::\d{2})? ([AP]M)"
    r"(?: \(UTC(?:([+-])(\d{1,2})(?::(\d{2}))?)?\))?"
)
"""``Tuesday, Jul 21, 2026, 1:11 PM (UTC+3)``"""
_CLIENT = re.compile(
    r"\s*(?:<(?:user_info|git_status|rules|agent_skills|agent_transcripts|attached_files|"
    r"open_and_recently_viewed_files|manually_attached_skills|mcp_instructions|dynamic_tools|"
    r"dynamic_tool_namespaces|system_reminder|system_notification|external_links|image_files|"
    r"context)\b|Briefly inform the user about the task result\b)"
)
_CUT = re.compile(
    rb'\s*\{\s*"role"\s*:\s*"(?:user|assistant)"\s*,\s*"message"\s*:\s*\{\s*"content"\s*:'
)
"""How a record begins of which only the beginning is known."""


def _recognises(_path: Path, head: bytes) -> bool:
    """By the first record that tells; one cut short counts by how it begins."""
    for line in head.splitlines():
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            if _CUT.match(line):
                return True
            continue
        if not isinstance(record, dict):
            continue
        if record.get("type") == "turn_ended" and "status" in record:
            return True
        if "role" in record:
            message = record.get("message")
            return "type" not in record and isinstance(message, dict) and "content" in message
    return False


def _homes() -> Iterable[Path]:
    bases = [Path("~/.cursor").expanduser()]
    if moved := os.environ.get("CURSOR_CONFIG_DIR"):
        bases.insert(0, Path(moved).expanduser())
    return [base / "projects" for base in bases]


def _read(path: Path) -> Read:
    subagent = path.parent.name == "subagents"
    messages: list[Message] = []
    kinds: Counter[str] = Counter()
    roles: Counter[str] = Counter()
    number = 0
    try:
        for number, record in json_lines(path):
            if isinstance(record, Problem):
                yield record
                continue
            role, message = string(record.get("role")).lower(), record.get("message")
            if role and isinstance(message, dict):
                roles[role[:40]] += 1
                try:
                    messages += _messages(message.get("content"), role, subagent)
                except RecursionError:
                    said = "nested too deeply; the record was passed over"
                    yield Problem(f"{path}:{number}", said)
            elif role:
                said = f"no message in this {role[:40]} record; passed over"
                yield Problem(f"{path}:{number}", said, "warning")
            elif (kind := string(record.get("type"))) != "turn_ended":
                kinds[kind[:40] or "without a type"] += 1
    except OSError as error:
        yield Problem(str(path), f"cannot be read: {error.strerror or error}")
    else:
        if not messages:
            said = "no conversation in it" if number else "empty: there is nothing to import"
            yield Problem(str(path), said, "skipped")
    if messages:
        yield _session(path, tuple(messages), subagent)
    yield from unknown(path, kinds)
    yield from unknown_roles(path, roles)


def _session(path: Path, messages: tuple[Message, ...], subagent: bool) -> Session:
    named = path.parent.name if path.stem == "transcript" else path.stem
    return Session(
        id=named,
        messages=messages,
        title=title_of(messages, "user", "context") if subagent else title_of(messages, "user"),
        date=next((m.date for m in messages if m.date), None),
        parent=path.parent.parent.name if subagent else "",
        relation="subagent" if subagent else "",
        folder=_folder(path),
    )


def _folder(path: Path) -> str:
    """The workspace, where Cursor noted that it is trusted."""
    for above in path.parents:
        if above.name == "agent-transcripts":
            try:
                noted = json.loads((above.parent / ".workspace-trusted").read_bytes())
            except (OSError, ValueError, RecursionError):
                return ""
            return string(noted.get("workspacePath")) if isinstance(noted, dict) else ""
    return ""


def _messages(content: Any, role: str, subagent: bool) -> Iterator[Message]:
    date = None
    if role == "user":
        date = next(filter(None, (_date(block_text(b)) for b in blocks(content))), None)
    split = _spoken if role == "user" else lambda text: [(role, _shown(text))]
    for who, text in told(content, split):
        if text.strip():
            who = "context" if subagent and who == "user" else who
            yield Message(who, whole(text), date=date)


def _shown(text: str) -> str:
    end = len(text.rstrip())
    while text.endswith(_HIDDEN, 0, end):
        end -= len(_HIDDEN)
        while end and text[end - 1].isspace():
            end -= 1
    return text[:end].strip()


def _spoken(text: str) -> Iterator[tuple[str, str]]:
    """(role, text) of a text in the user's turn: the queries, and what is around them; all of it
    is the human's where there are none."""
    at = 0
    for query in _QUERY.finditer(text, 0, text.rfind(_QUERY_END) + len(_QUERY_END)):
        yield "context", _TIME.sub("", text[at : query.start()]).strip()
        yield _who(query[1])
        at = query.end()
    if at:
        yield "context", text[at:].strip()
    else:
        plain = text.lstrip()
        noted = _TIME.match(plain)
        yield _who(plain[noted.end() :] if noted else plain)


def _who(text: str) -> tuple[str, str]:
    injected = INJECTED.match(text) or _CLIENT.match(text)
    return ("context" if injected else "user"), text.strip()


def _date(text: str) -> datetime | None:
    """The time that the client wrote into the turn."""
    noted = _TIME.search(text.partition("<user_query>")[0])
    if not noted:
        return None
    written = _WRITTEN.fullmatch(noted[1].strip())
    if not written:
        return moment(noted[1].strip())
    month, day, year, hour, minute, half, sign, hours, minutes = written.groups()
    ahead = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    clock = int(hour) % 12 + (12 if half == "PM" else 0)
    try:
        local = datetime(int(year), _MONTHS.index(month) + 1, int(day), clock, int(minute),
                         tzinfo=timezone(-ahead if sign == "-" else ahead))  # fmt: skip
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


FORMAT = Format(
    name="cursor",
    label="Cursor",
    recognises=_recognises,
    read=_read,
    homes=_homes,
    pattern="**/agent-transcripts/**/*.jsonl",
)
