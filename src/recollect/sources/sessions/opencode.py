"""opencode: ``opencode.db``, or ``opencode-<channel>.db``, in its data folder.

A message is a row of ``message``, and its parts are rows of ``part`` in the order of their ids.
What the user reverted and has not yet written over is left out, as the app does. The storage of
earlier versions, JSON files under ``storage/``, is not read.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.sources.sessions.base import Format, Read, Session, environment, moment
from recollect.sources.sessions.database import (
    AppDatabase,
    Needs,
    Piece,
    Row,
    called,
    cell,
    holds,
    read,
    start,
    title,
    turns,
)
from recollect.sources.values import dig, mapping, nonempty

PATTERN = "opencode*.db"
NEEDS: Needs = {
    "session": ("id", "directory", "time_created"),
    "message": ("id", "session_id", "time_created", "data"),
    "part": ("id", "message_id", "session_id", "data"),
}
_SESSION = tuple(
    ("id parent_id directory title agent model version time_created time_archived revert").split()
)
_MESSAGE = ("id", "time_created", "data")
_PART = ("id", "message_id", "data")
_UNNAMED = re.compile(r"(?:New|Child) session - \d{4}-")
_QUOTED = re.compile(r'"((?:[^"]|(?<=\\)")*)"')
"""How ``opencode run`` stores a prompt of several words."""
_PASSED_OVER = frozenset(
    {"step-start", "step-finish", "snapshot", "patch", "agent", "retry", "compaction"}
)


class _Info(NamedTuple):
    """What a row of ``message`` says of its parts."""

    role: str
    date: datetime | None
    model: str
    until: str
    """The first part that was reverted; empty if none was."""

    def reverted(self, part: Row) -> bool:
        return bool(self.until) and cell(part["id"]) >= self.until


def _listed(store: AppDatabase) -> Iterator[Row]:
    return store.sessions("session", _SESSION, "time_created, id", "message", "session_id")


def _session(store: AppDatabase, row: Row) -> Session:
    id = cell(row["id"])
    infos = _infos(store, row)
    pieces: dict[Any, list[Piece]] = defaultdict(list)
    for part in store.rows("part", _PART, "id", "session_id", row["id"]):
        info = infos.get(part["message_id"])
        if info is None or info.reverted(part):
            continue
        said = _pieces(store, info.role, store.parsed_object(part["data"], "part", part["id"]))
        pieces[part["message_id"]] += said
    spoken = (turns(cell(own), info.date, pieces[own]) for own, info in infos.items())
    messages = list(chain.from_iterable(spoken))
    if not infos and next(store.rows("session_message", ("id",), "id", "session_id", row["id"]), 0):
        store.leave_out("sessions are only in the table session_message, not read yet", id)
    given = cell(row["title"])
    model = store.parsed_object(row["model"], "session", id)
    models = ("", *filter(None, (info.model for info in infos.values())))
    return Session(
        id=id,
        messages=tuple(messages),
        title=title("" if _UNNAMED.match(given) else given, messages),
        date=start(row["time_created"], messages),
        parent=cell(row["parent_id"]),
        relation="subagent" if row["parent_id"] else "",
        folder=cell(row["directory"]),
        model=cell(model.get("id")) or models[-1],
        meta=nonempty(
            agent=cell(row["agent"]),
            version=cell(row["version"]),
            archived=bool(row["time_archived"]),
        ),
    )


def _infos(store: AppDatabase, session: Row) -> dict[Any, _Info]:
    """Returns the messages that were not reverted, in order."""
    revert = store.parsed_object(session["revert"], "session", session["id"])
    infos: dict[Any, _Info] = {}
    for row in store.rows("message", _MESSAGE, "time_created, id", "session_id", session["id"]):
        data = store.parsed_object(row["data"], "message", row["id"])
        reverted = bool(data) and row["id"] == revert.get("messageID")
        until = cell(revert.get("partID")) if reverted else ""
        if data and (until or not reverted):
            role = _role(data, delegated=bool(session["parent_id"]))
            date = moment(row["time_created"])
            infos[row["id"]] = _Info(role, date, cell(data.get("modelID")), until)
        if reverted:
            break
    return infos


def _role(data: dict[str, Any], *, delegated: bool) -> str:
    role = cell(data.get("role"))
    if role == "assistant" and data.get("summary") is True:
        return "summary"
    return "context" if role == "user" and delegated else role


def _pieces(store: AppDatabase, role: str, part: dict[str, Any]) -> Iterator[Piece]:
    kind = cell(part.get("type"))
    if role not in ("user", "context", "assistant", "summary"):
        store.unknown[f"message {role}"] += 1
    elif kind in _PARTS:
        yield _PARTS[kind](role, part)
    elif kind and kind not in _PASSED_OVER:
        store.unknown[f"part {kind}"] += 1


def _text(role: str, part: dict[str, Any]) -> Piece:
    text = cell(part.get("text"))
    if part.get("synthetic") or part.get("ignored"):
        return "context", text
    quoted = _QUOTED.fullmatch(text.strip()) if role == "user" else None
    return role, quoted[1].replace('\\"', '"') if quoted else text


def _tool(_role: str, part: dict[str, Any]) -> Piece:
    state = mapping(part.get("state"))
    role, call = called(part.get("tool"), state.get("input"))
    return role, f"{call}\n{cell(state.get('output') or state.get('error'))}"


def _thought(_role: str, part: dict[str, Any]) -> Piece:
    return "thought", cell(part.get("text"))


def _file(_role: str, part: dict[str, Any]) -> Piece:
    name = cell(dig(part, "source", "path") or part.get("filename"))
    return "context", f"file: {name}" if name else ""


def _subtask(_role: str, part: dict[str, Any]) -> Piece:
    return "context", cell(part.get("prompt"))


_PARTS: dict[str, Callable[[str, dict[str, Any]], Piece]] = {
    "text": _text,
    "tool": _tool,
    "reasoning": _thought,
    "file": _file,
    "subtask": _subtask,
}


def _homes() -> list[Path]:
    data = environment("XDG_DATA_HOME", "~/.local/share")
    named = os.environ.get("OPENCODE_DB", "")
    own = [data / "opencode" / named] if named and named != ":memory:" else []
    return [*own, data / "opencode"]


def _recognises(path: Path, head: bytes) -> bool:
    return holds(path, head, NEEDS, PATTERN)


def _read(path: Path) -> Read:
    return read(path, "opencode", NEEDS, _listed, _session)


FORMAT = Format("opencode", "opencode", _recognises, _read, _homes, PATTERN)
