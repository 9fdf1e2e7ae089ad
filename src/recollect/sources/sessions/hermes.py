"""Hermes: ``$HERMES_HOME/state.db``, and one in each profile.

A row stays in the table for good: ``active`` 0 with ``compacted`` 1 was summed up and still
counts, ``active`` 0 without it was taken back by the user and does not. A compaction writes the
rows that it keeps once more; a copy is known by its content and time and left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import filterfalse
from pathlib import Path
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.nouns import Message
from recollect.sources.sessions.base import Format, Read, Relation, Session, environment, moment
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
from recollect.sources.sessions.turns import speaker, text_of
from recollect.sources.values import nonempty, objects

PATTERN = "**/state.db"
NEEDS: Needs = {
    "sessions": ("id", "source", "started_at"),
    "messages": ("id", "session_id", "role", "content", "tool_call_id", "timestamp"),
}
_SESSION = tuple(
    (
        "id source model model_config parent_session_id session_key started_at "
        "end_reason title cwd git_branch profile_name archived"
    ).split()
)
_MESSAGE = tuple(
    (
        "id role content tool_call_id tool_calls tool_name timestamp active compacted "
        "_compressed_summary display_kind"
    ).split()
)
_STRUCTURED = "\x00json:"
_SUMMARY = re.compile(r"\s*\[CONTEXT (?:COMPACTION\b|SUMMARY\])")
_PRIOR = "[PRIOR CONTEXT — for reference only; not a new message]"
_PRIOR_END = "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]"
_SUMMARY_END = re.compile(r"--- END OF CONTEXT SUMMARY\b[^\n]*")
_INJECTED = re.compile(
    r"\s*(?:\[System:|\[SYSTEM|\[ASYNC DELEGATION|\[IMPORTANT: Background process|"
    r"\[Your active task list was preserved|Continue from the compressed conversation context|"
    r"Review the conversation above and (?:update the skill|consider saving))"
)
_SKILL = "[IMPORTANT: The user has invoked the "
_SKILL_ASKED = "The user has provided the following instruction alongside the skill invocation: "
_RESETS = frozenset(
    {"session_reset", "session_switch", "idle", "daily", "suspended", "resume_pending_expired"}
)
_MARKS: dict[str, Relation] = {"_branched_from": "fork", "_delegate_from": "subagent"}
"""Fields of the configuration that name where a session came from."""
_ENDINGS: dict[Any, Relation] = {"compression": "compaction", "branched": "fork"}
"""How a parent ended, and what its child is therefore."""
_UNATTENDED = frozenset({"cron", "tool", "subagent"})


class _Listed(NamedTuple):
    row: Row
    parent: Row | None


def _listed(store: AppDatabase) -> Iterator[_Listed]:
    ordered = store.sessions("sessions", _SESSION, "started_at, id", "messages", "session_id")
    rows = list(ordered)
    by_id = {row["id"]: row for row in rows}
    for row in rows:
        yield _Listed(row, by_id.get(row["parent_session_id"]))


def _session(store: AppDatabase, listed: _Listed) -> Session:
    row = listed.row
    id = cell(row["id"])
    config = store.parsed_object(row["model_config"], "sessions", id)
    parent, relation = _lineage(listed, config)
    unattended = relation == "subagent" or "_delegate_from" in config
    user = "context" if unattended or row["source"] in _UNATTENDED else "user"
    rows = list(store.rows("messages", _MESSAGE, "id", "session_id", row["id"]))
    standing = list(filterfalse(_is_rewound, rows))
    messages: list[Message] = []
    for message in _without_copies(standing):
        pieces = _pieces(store, message, user)
        messages += turns(f"{id}:{cell(message['id'])}", moment(message["timestamp"]), pieces)
    return Session(
        id=id,
        messages=tuple(messages),
        title=title(row["title"], messages),
        date=start(row["started_at"], messages),
        parent=parent,
        relation=relation,
        folder=cell(row["cwd"]),
        branch=cell(row["git_branch"]),
        model=cell(row["model"]),
        meta=nonempty(
            source=cell(row["source"]),
            profile=cell(row["profile_name"]),
            archived=bool(row["archived"]),
            rewound=len(rows) - len(standing),
        ),
    )


def _is_rewound(message: Row) -> bool:
    """Tells whether the user took the message back."""
    return message["active"] == 0 and not message["compacted"]


def _without_copies(messages: list[Row]) -> Iterator[Row]:
    """Yields the rows without the copies that a compaction wrote."""
    seen: set[tuple[Any, ...]] = set()
    for message in messages:
        same = tuple(message[name] for name in _MESSAGE[1:7])
        if same not in seen:
            yield message
        if message["compacted"]:
            seen.add(same)


def _lineage(listed: _Listed, config: dict[str, Any]) -> tuple[str, Relation]:
    """Returns the parent session and its relation. A mark that names another session than the
    parent was taken over with the configuration when a session went on after its compaction."""
    row, parent = listed
    above = cell(row["parent_session_id"])
    ended = parent["end_reason"] if parent else None
    for mark, relation in _MARKS.items():
        origin = config.get(mark)
        if origin and (origin == above or ended != "compression"):
            return above or cell(origin), relation
    if parent is None or "_reset_from" in config or _is_reset(row, parent):
        return "", ""
    return above, _ENDINGS.get(ended, "subagent")


def _is_reset(row: Row, parent: Row) -> bool:
    """Tells whether the session started anew when its parent ended."""
    key = row["session_key"]
    return parent["end_reason"] in _RESETS and bool(key) and key == parent["session_key"]


def _pieces(store: AppDatabase, row: Row, user: str) -> Iterator[Piece]:
    yield from _said(store, row, user)
    calls = store.parsed(row["tool_calls"], "messages", row["id"])
    for call in objects(calls):
        made = call.get("function")
        made = made if isinstance(made, dict) else call
        yield called(made.get("name"), made.get("arguments"))


def _said(store: AppDatabase, row: Row, user: str) -> Iterable[Piece]:
    role, text = row["role"], _content(store, row)
    if row["display_kind"] == "hidden" and role != "tool":
        return [("context", text)]
    if role in ("tool", "system"):
        return [(role, text)]
    flagged = bool(row["_compressed_summary"])
    if role == "user":
        return _users(user, text, flagged)
    if role == "assistant":
        return _summed(role, text, flagged)
    store.unknown[f"message {cell(role)}"] += 1
    return []


def _content(store: AppDatabase, row: Row) -> str:
    text = cell(row["content"])
    if text.startswith(_STRUCTURED):
        return text_of(store.parsed(text[len(_STRUCTURED) :], "messages", row["id"]))
    return text


def _users(user: str, text: str, flagged: bool) -> Iterator[Piece]:
    for role, part in _summed(user, text, flagged):
        if role != "user":
            yield role, part
        elif part.startswith(_SKILL):
            skill, _, asked = part.partition(_SKILL_ASKED)
            asked, note, rest = asked.partition("\n\n[Runtime note:")
            yield from (("context", skill), ("user", asked), ("context", note + rest))
        else:
            yield speaker(part, _INJECTED), part


def _summed(role: str, text: str, flagged: bool) -> Iterator[Piece]:
    """Yields the summary of a compaction, apart from what was said before or after it in the same
    message."""
    prior, joint, rest = text.partition(_PRIOR_END)
    if joint and (flagged or _SUMMARY.match(rest)):
        yield role, prior.replace(_PRIOR, "", 1)
        text, flagged = rest, True
    if not flagged and not _SUMMARY.match(text):
        yield role, text
        return
    summary, *after = _SUMMARY_END.split(text, maxsplit=1)
    yield "summary", summary
    yield from ((role, part) for part in after)


def _homes() -> list[Path]:
    root = environment("HERMES_HOME", "~/.hermes")
    return [root / "state.db", root / "profiles"]


def _recognises(path: Path, head: bytes) -> bool:
    return holds(path, head, NEEDS, PATTERN)


def _read(path: Path) -> Read:
    return read(path, "Hermes", NEEDS, _listed, _session)


FORMAT = Format("hermes", "Hermes", _recognises, _read, _homes, PATTERN)
