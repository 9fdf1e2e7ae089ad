"""Goose: ``sessions/sessions.db`` in its data folder, and the ``*.jsonl`` files of before it.

A compaction hides the messages that it sums up from the model and adds some that only the model
sees. What only the user sees still counts; what neither sees is a copy of a later message and
does not.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.nouns import Message, Problem
from recollect.sources.sessions.base import (
    Format,
    Read,
    Session,
    environment,
    first_object,
    moment,
    readable_lines,
    unknown,
)
from recollect.sources.sessions.database import (
    AppDatabase,
    Needs,
    Piece,
    Row,
    called,
    cell,
    holds,
    is_database,
    read,
    start,
    title,
    turns,
)
from recollect.sources.sessions.turns import text_of
from recollect.sources.values import mapping, nonempty, objects

PATTERN = "**/sessions.db"
NEEDS: Needs = {
    "sessions": ("id", "working_dir", "created_at"),
    "messages": ("id", "session_id", "role", "content_json", "created_timestamp"),
}
_SESSION = tuple(
    (
        "id name description session_type working_dir created_at provider_name "
        "model_config_json parent_session_id archived_at"
    ).split()
)
_MESSAGE = ("id", "message_id", "role", "content_json", "created_timestamp", "metadata_json")
_UNNAMED = frozenset({"New Chat", "New session", "CLI Session"})
_GO_ON = re.compile(r"\s*(?:Your context was compacted|The previous message contains a summary)")
_INJECTED = re.compile(r"\s*<info-msg>")
_PASSED_OVER = frozenset(
    ("redactedThinking image toolConfirmationRequest actionRequired conversationCompacted").split()
)


def _listed(store: AppDatabase) -> Iterator[Row]:
    ordered = store.sessions("sessions", _SESSION, "created_at, id", "messages", "session_id")
    for row in ordered:
        if row["session_type"] == "hidden":
            store.leave_out("sessions that Goose hides were left out", row["id"])
        else:
            yield row


def _session(store: AppDatabase, row: Row) -> Session:
    id = cell(row["id"])
    subagent = row["session_type"] == "sub_agent"
    parent = cell(row["parent_session_id"]) if subagent else ""
    messages: list[Message] = []
    for record in store.rows("messages", _MESSAGE, "id", "session_id", row["id"]):
        own = record["id"]
        seen = store.parsed_object(record["metadata_json"], "messages", own)
        speaker = _speaker(cell(record["role"]), seen, subagent)
        content = store.parsed(record["content_json"], "messages", own)
        pieces = _pieces(speaker, content, store.unknown)
        date = moment(record["created_timestamp"])
        _add(messages, turns(f"{id}:{cell(record['message_id'] or own)}", date, pieces))
    config = store.parsed_object(row["model_config_json"], "sessions", id)
    given = cell(row["name"]) or cell(row["description"])
    return Session(
        id=id,
        messages=tuple(messages),
        title=title("" if given in _UNNAMED else given, messages),
        date=start(row["created_at"], messages),
        parent=parent,
        relation="subagent" if parent else "",
        folder=cell(row["working_dir"]),
        model=cell(config.get("model_name")),
        meta=nonempty(
            type=cell(row["session_type"]),
            provider=cell(row["provider_name"]),
            archived=bool(row["archived_at"]),
        ),
    )


def _add(messages: list[Message], new: Iterator[Message]) -> None:
    """Add messages. After a compaction in the middle of a turn the user's last message is
    written again for the model: that copy was not said."""
    for message in new:
        copy = message.role == "user" and _is_copy(message, messages)
        messages.append(message._replace(role="context") if copy else message)


def _is_copy(message: Message, messages: list[Message]) -> bool:
    """Whether the user's last message says the same, and a compaction stands between."""
    compacted = messages[-1:] and messages[-1].role in ("summary", "context")
    said = (m.text for m in reversed(messages) if m.role == "user")
    return bool(compacted) and next(said, None) == message.text


class _Speaker(NamedTuple):
    """The role of a message, and to whom it is visible."""

    role: str
    by_user: Any
    by_agent: Any
    subagent: bool

    @property
    def seen(self) -> bool:
        return any((self.by_user, self.by_agent))


def _speaker(role: str, seen: dict[str, Any], subagent: bool) -> _Speaker:
    return _Speaker(role, seen.get("userVisible", True), seen.get("agentVisible", True), subagent)


def _pieces(speaker: _Speaker, content: Any, strange: Counter[str]) -> Iterator[Piece]:
    """Yields the contents of a message, in the role that follows from who sees it."""
    if not speaker.seen:
        return
    if speaker.role not in ("user", "assistant"):
        strange[f"message {speaker.role}"] += 1
        return
    for item in objects(content):
        kind = cell(item.get("type"))
        if kind in _CONTENTS:
            yield _CONTENTS[kind](speaker, item)
        elif kind and kind not in _PASSED_OVER:
            strange[f"content {kind}"] += 1


def _text(speaker: _Speaker, item: dict[str, Any]) -> Piece:
    text = cell(item.get("text"))
    if not speaker.by_user:
        return ("context" if _GO_ON.match(text) else "summary"), text
    injected = speaker.subagent or _INJECTED.match(text)
    return ("context" if speaker.role == "user" and injected else speaker.role), text


def _request(_speaker: _Speaker, item: dict[str, Any]) -> Piece:
    call = mapping(item.get("toolCall"))
    value = call.get("value")
    if not isinstance(value, dict):
        return "tool", cell(call.get("error"))
    return called(value.get("name"), value.get("arguments"))


def _response(_speaker: _Speaker, item: dict[str, Any]) -> Piece:
    result = mapping(item.get("toolResult"))
    value = result.get("value")
    if isinstance(value, dict):
        value = value.get("content")
    return "tool", text_of(value) or cell(result.get("error"))


def _thought(_speaker: _Speaker, item: dict[str, Any]) -> Piece:
    return "thought", cell(item.get("thinking") or item.get("text"))


def _notice(_speaker: _Speaker, item: dict[str, Any]) -> Piece:
    return "context", cell(item.get("msg"))


_CONTENTS: dict[str, Callable[[_Speaker, dict[str, Any]], Piece]] = {
    "text": _text,
    "thinking": _thought,
    "reasoning": _thought,
    "toolRequest": _request,
    "frontendToolRequest": _request,
    "toolResponse": _response,
    "systemNotification": _notice,
    "contextLengthExceeded": _notice,
    "summarizationRequested": _notice,
}


def _lines(path: Path) -> Read:
    """Yields a session as earlier versions kept it: a line about it, then a line for each
    message."""
    about: dict[str, Any] = {}
    messages: list[Message] = []
    strange: Counter[str] = Counter()
    for number, record in readable_lines(path):
        if isinstance(record, Problem):
            yield record
        elif "role" not in record:
            about = about or record
        else:
            own = f"{path.stem}:{cell(record.get('id')) or number}"
            speaker = _speaker(cell(record["role"]), mapping(record.get("metadata")), False)
            pieces = _pieces(speaker, record.get("content"), strange)
            _add(messages, turns(own, moment(record.get("created")), pieces))
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
    """Returns the database; where there is none yet, the files that Goose would migrate into it."""
    root = Path(os.environ.get("GOOSE_PATH_ROOT", ""))
    shared = environment("XDG_DATA_HOME", "~/.local/share")
    folder = (root / "data" if root.is_absolute() else shared / "goose") / "sessions"
    database = folder / "sessions.db"
    return [database] if os.path.exists(database) else [database, *sorted(folder.glob("*.jsonl"))]


def _recognises(path: Path, head: bytes) -> bool:
    if holds(path, head, NEEDS, PATTERN):
        return True
    about = first_object(head)
    return "message_count" in about and not about.keys().isdisjoint(("description", "working_dir"))


def _read(path: Path) -> Read:
    if is_database(path) or path.suffix != ".jsonl":
        return read(path, "Goose", NEEDS, _listed, _session)
    return _lines(path)


FORMAT = Format("goose", "Goose", _recognises, _read, _homes, PATTERN)
