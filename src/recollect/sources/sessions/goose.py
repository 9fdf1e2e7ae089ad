"""Goose: ``sessions/sessions.db`` in its data folder, and the ``*.jsonl`` files of before it.

A compaction hides the messages that it sums up from the model and adds some that only the model
sees. What only the user sees still counts; what neither sees is a copy of a later message and
does not.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recollect.nouns import Message, Problem
from recollect.sources.sessions.base import Format, Read, Session, json_lines, moment, unknown
from recollect.sources.sessions.database import (
    Needs,
    Piece,
    Row,
    Store,
    called,
    cell,
    first_record,
    holds,
    is_database,
    kept,
    read,
    title,
    turns,
)
from recollect.sources.sessions.turns import text_of

PATTERN = "**/sessions.db"
NEEDS: Needs = {
    "sessions": ("id", "working_dir", "created_at"),
    "messages": ("id", "session_id", "role", "content_json", "created_timestamp"),
}
_SESSION = (
    "id", "name", "description", "session_type", "working_dir", "created_at", "provider_name",
    "model_config_json", "parent_session_id", "archived_at",
)  # fmt: skip
_MESSAGE = ("id", "message_id", "role", "content_json", "created_timestamp", "metadata_json")
_UNNAMED = frozenset({"New Chat", "New session", "CLI Session"})
_GO_ON = re.compile(r"\s*(?:Your context was compacted|The previous message contains a summary)")
_INJECTED = re.compile(r"\s*<info-msg>")
_TOLD = frozenset({"systemNotification", "contextLengthExceeded", "summarizationRequested"})
_PASSED_OVER = frozenset(
    {
        "thinking", "redactedThinking", "reasoning", "image", "toolConfirmationRequest",
        "actionRequired", "conversationCompacted",
    }
)  # fmt: skip


def _listed(store: Store) -> Iterator[Row]:
    ordered = store.sessions("sessions", _SESSION, "created_at, id", "messages", "session_id")
    for row in ordered:
        if row["session_type"] == "hidden":
            store.leave_out("sessions that Goose hides were left out", row["id"])
        else:
            yield row


def _session(store: Store, row: Row) -> Session:
    id = cell(row["id"])
    subagent = row["session_type"] == "sub_agent"
    parent = cell(row["parent_session_id"]) if subagent else ""
    messages: list[Message] = []
    for record in store.rows("messages", _MESSAGE, "id", "session_id", row["id"]):
        own = record["id"]
        seen = store.parsed(record["metadata_json"], "messages", own)
        content = store.parsed(record["content_json"], "messages", own)
        pieces = _pieces(cell(record["role"]), content, seen, subagent, store.unknown)
        date = moment(record["created_timestamp"])
        _add(messages, turns(f"{id}:{cell(record['message_id'] or own)}", date, pieces))
    config = store.parsed(row["model_config_json"], "sessions", id)
    given = cell(row["name"]) or cell(row["description"])
    return Session(
        id=id,
        messages=tuple(messages),
        title=title("" if given in _UNNAMED else given, messages),
        date=moment(row["created_at"]) or next((m.date for m in messages), None),
        parent=parent,
        relation="subagent" if parent else "",
        folder=cell(row["working_dir"]),
        model=cell(config.get("model_name")) if isinstance(config, dict) else "",
        meta=kept(
            type=cell(row["session_type"]),
            provider=cell(row["provider_name"]),
            archived=bool(row["archived_at"]),
        ),
    )


def _add(messages: list[Message], new: Iterator[Message]) -> None:
    """Add messages. After a compaction in the middle of a turn the user's last message is
    written again for the model: that copy was not said."""
    for message in new:
        last = messages[-1].role if messages else ""
        if message.role == "user" and last in ("summary", "context"):
            said = next((m for m in reversed(messages) if m.role == "user"), None)
            if said and said.text == message.text:
                message = message._replace(role="context")
        messages.append(message)


def _pieces(
    role: str, content: Any, seen: Any, subagent: bool, strange: Counter[str]
) -> Iterator[Piece]:
    """What a message says, by who sees it: *seen* has ``userVisible`` and ``agentVisible``."""
    seen = seen if isinstance(seen, dict) else {}
    by_user, by_agent = seen.get("userVisible", True), seen.get("agentVisible", True)
    if not by_user and not by_agent:
        return
    if role not in ("user", "assistant"):
        strange[f"message {role}"] += 1
        return
    for item in content if isinstance(content, list) else ():
        if not isinstance(item, dict):
            continue
        kind = cell(item.get("type"))
        if kind == "text":
            text = cell(item.get("text"))
            if not by_user:
                yield ("context" if _GO_ON.match(text) else "summary"), text
            elif role == "user" and (subagent or _INJECTED.match(text)):
                yield "context", text
            else:
                yield role, text
        elif kind in ("toolRequest", "frontendToolRequest"):
            yield _request(item.get("toolCall"))
        elif kind == "toolResponse":
            yield "tool", _response(item.get("toolResult"))
        elif kind in _TOLD:
            yield "context", cell(item.get("msg"))
        elif kind and kind not in _PASSED_OVER:
            strange[f"content {kind}"] += 1


def _request(call: Any) -> Piece:
    call = call if isinstance(call, dict) else {}
    value = call.get("value")
    if not isinstance(value, dict):
        return "tool", cell(call.get("error"))
    return called(value.get("name"), value.get("arguments"))


def _response(result: Any) -> str:
    if not isinstance(result, dict):
        return ""
    value = result.get("value")
    if isinstance(value, dict):
        value = value.get("content")
    return text_of(value) or cell(result.get("error"))


def _lines(path: Path) -> Read:
    """A session as earlier versions kept it: a line about it, then one a message."""
    about: dict[str, Any] = {}
    messages: list[Message] = []
    strange: Counter[str] = Counter()
    try:
        for number, record in json_lines(path):
            if isinstance(record, Problem):
                yield record
            elif "role" not in record:
                about = about or record
            else:
                own = f"{path.stem}:{cell(record.get('id')) or number}"
                said, seen = record.get("content"), record.get("metadata")
                pieces = _pieces(cell(record["role"]), said, seen, False, strange)
                _add(messages, turns(own, moment(record.get("created")), pieces))
    except OSError as error:
        yield Problem(str(path), f"cannot be read: {error.strerror or error}")
    if messages:
        yield Session(
            id=path.stem,
            messages=tuple(messages),
            title=title(about.get("description"), messages),
            date=messages[0].date,
            folder=cell(about.get("working_dir")),
        )
    yield from unknown(path, strange)


def _homes() -> list[Path]:
    """The database; where there is none yet, the files that Goose would take over into it."""
    root = Path(os.environ.get("GOOSE_PATH_ROOT", ""))
    shared = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    folder = (root / "data" if root.is_absolute() else shared / "goose") / "sessions"
    database = folder / "sessions.db"
    return [database] if os.path.exists(database) else [database, *sorted(folder.glob("*.jsonl"))]


def _recognises(path: Path, head: bytes) -> bool:
    if holds(path, head, NEEDS, PATTERN):
        return True
    about = first_record(head)
    return "message_count" in about and ("description" in about or "working_dir" in about)


def _read(path: Path) -> Read:
    if is_database(path) or path.suffix != ".jsonl":
        return read(path, "Goose", NEEDS, _listed, _session)
    return _lines(path)


FORMAT = Format("goose", "Goose", _recognises, _read, _homes, PATTERN)
