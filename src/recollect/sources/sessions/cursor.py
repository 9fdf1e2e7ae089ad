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

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from recollect.nouns import Message, Problem
from recollect.sources.files import head
from recollect.sources.sessions.base import (
    Format,
    Read,
    Session,
    first_date,
    moment,
    read_lines,
    recognised,
    unknown,
    unknown_roles,
)
from recollect.sources.sessions.turns import (
    INJECTED,
    block_text,
    blocks,
    delegated,
    speaker,
    title_of,
    told,
    whole,
)
from recollect.sources.values import first, json_value, mapping, string

_HIDDEN = "[REDACTED]"
"""Where a thought was, at the end of what the model said."""
_QUERY_END = "</user_query>"
_QUERY = re.compile(rf"<user_query>(.*?){_QUERY_END}", re.DOTALL)
_TIME = re.compile(r"<timestamp>([^<]{0,100})</timestamp>\s*")
_NOTED = re.compile(rf"\A{_TIME.pattern}")
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


def _recognises(_path: Path, start: bytes) -> bool:
    return recognised(start, _is_ours, _CUT)


def _is_ours(record: dict[str, Any]) -> bool | None:
    """Tells whether Cursor wrote the record; None if it could be any client's."""
    if record.get("type") == "turn_ended" and "status" in record:
        return True
    if "role" not in record:
        return None
    return "type" not in record and "content" in mapping(record.get("message"))


def _homes() -> Iterable[Path]:
    moved = os.environ.get("CURSOR_CONFIG_DIR")
    bases = filter(None, (moved, "~/.cursor"))
    return [Path(base).expanduser() / "projects" for base in bases]


def _read(path: Path) -> Read:
    return read_lines(path, _Transcript(path))


class _Transcript:
    """Collects the messages of a log, line by line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.subagent = path.parent.name == "subagents"
        self.messages: list[Message] = []
        self.kinds: Counter[str] = Counter()
        self.roles: Counter[str] = Counter()

    @property
    def empty(self) -> bool:
        return not self.messages

    def take(self, number: int, record: dict[str, Any]) -> Iterator[Problem]:
        role, kind = string(record.get("role")).lower(), string(record.get("type"))
        message = record.get("message")
        if role and isinstance(message, dict):
            self.roles[role[:40]] += 1
            self.messages += self._messages(message.get("content"), role)
        elif role:
            told = f"no message in this {role[:40]} record; passed over"
            yield Problem(f"{self.path}:{number}", told, "warning")
        elif kind != "turn_ended":
            self.kinds[first(kind[:40], "without a type")] += 1

    def _messages(self, content: Any, role: str) -> list[Message]:
        if role != "user":
            pieces = told(content, lambda text: [(role, _shown(text))])
            return [Message(who, whole(text)) for who, text in pieces if text.strip()]
        dates = map(_date, map(block_text, blocks(content)))
        date = next(filter(None, dates), None)
        said = told(content, _spoken)
        messages = (Message(who, whole(text), date=date) for who, text in said if text.strip())
        return list(delegated(messages) if self.subagent else messages)

    def sessions(self) -> Read:
        path, messages = self.path, tuple(self.messages)
        session = Session(
            id=path.parent.name if path.stem == "transcript" else path.stem,
            messages=messages,
            title=title_of(messages, "user"),
            date=first_date(messages),
            folder=_folder(path),
        )
        if self.subagent:
            title = title_of(messages, "user", "context")
            parent = path.parent.parent.name
            session = session._replace(title=title, parent=parent, relation="subagent")
        yield from [session] if messages else []

    def warnings(self) -> Iterator[Problem]:
        yield from unknown(self.path, self.kinds)
        yield from unknown_roles(self.path, self.roles)


def _folder(path: Path) -> str:
    """Returns the folder of the workspace, if Cursor noted that it is trusted."""
    above = next((above for above in path.parents if above.name == "agent-transcripts"), None)
    if above is None:
        return ""
    noted = json_value(head(above.parent / ".workspace-trusted"))
    return string(mapping(noted).get("workspacePath"))


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
    yield ("context", text[at:].strip()) if at else _who(_NOTED.sub("", text.lstrip(), count=1))


def _who(text: str) -> tuple[str, str]:
    return speaker(text, INJECTED, _CLIENT), text.strip()


def _date(text: str) -> datetime | None:
    """Returns the time that the client wrote into the turn."""
    noted = _TIME.search(text.partition("<user_query>")[0])
    if not noted:
        return None
    written = _WRITTEN.fullmatch(noted[1].strip())
    return _moment(written) if written else moment(noted[1].strip())


def _moment(written: re.Match[str]) -> datetime | None:
    month, day, year, hour, minute, half, sign, hours, minutes = written.groups()
    ahead = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    clock = int(hour) % 12 + (12 if half == "PM" else 0)
    try:
        zone = timezone(-ahead if sign == "-" else ahead)
        number = _MONTHS.index(month) + 1
        local = datetime(int(year), number, int(day), clock, int(minute), tzinfo=zone)
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
