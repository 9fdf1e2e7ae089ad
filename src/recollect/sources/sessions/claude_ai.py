"""Claude.ai exports: ``conversations.json``, or the zip it came in; a session a conversation.

The blocks of a message's ``content`` count. Its ``text``, in which a tool is a "block not
supported on your current device", does so only where there are none. The text of an attachment
comes before the message that it came with. All branches of a conversation are kept, in the order
of the export.

A message's id is its ``uuid``; where it makes several, that of the first that is no attachment,
and the others add ``#2``, ``#3``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recollect.nouns import Message, Problem
from recollect.sources.json_stream import members, peek
from recollect.sources.sessions.base import Format, Read, Session, moment, unknown
from recollect.sources.sessions.turns import human, string, text_of, title_of, tool_call, whole

_NAMES = re.compile(r"conversations\.json")
_DROPPED = frozenset({"thinking", "redacted_thinking", "token_budget", "flag"})


def read(path: Path) -> Read:
    kinds: Counter[str] = Counter()
    for where, item in members(path, _NAMES, "conversations"):
        if isinstance(item, Problem):
            yield item
        elif not isinstance(item, dict) or not isinstance(item.get("chat_messages"), list):
            yield Problem(where, "not a conversation: it has no list of chat_messages")
        elif not string(item.get("uuid")):
            yield Problem(where, "a conversation without its uuid cannot be told from others")
        else:
            try:
                yield _session(item, kinds)
            except RecursionError:
                yield Problem(where, "nested too deeply; the conversation was passed over")
    yield from unknown(path, kinds)


def _session(item: dict[str, Any], kinds: Counter[str]) -> Session:
    name = string(item["uuid"])
    messages: list[Message] = []
    for record in item["chat_messages"]:
        if not isinstance(record, dict):
            kinds[f"message {type(record).__name__}"] += 1
            continue
        id = string(record.get("uuid")) or f"{name}#{len(messages)}"
        attached = [("context", text) for text in _attached(record)]
        said = attached + _said(record, kinds)
        own = min(len(attached), len(said) - 1)
        for n, (role, text) in enumerate(said):
            suffix = "" if n == own else f"#{n + 1 + (n < own)}"
            date = moment(record.get("created_at"))
            messages.append(Message(role, whole(text), id + suffix, date))
    return Session(
        name,
        tuple(messages),
        title=title_of(messages, "user", given=string(item.get("name"))),
        date=moment(item.get("created_at")) or next((m.date for m in messages if m.date), None),
        model=string(item.get("model")),
    )


def _attached(record: dict[str, Any]) -> Iterator[str]:
    """The text of each file that came with a message, after its name."""
    for file in _files(record, "attachments"):
        if text := string(file.get("extracted_content")).strip():
            yield f"{_name(file)}\n\n{text}"


def _said(record: dict[str, Any], kinds: Counter[str]) -> list[tuple[str, str]]:
    """(role, text) of what a message holds: words of one role in a row are one text."""
    speaker = record.get("sender")
    if speaker not in ("human", "assistant"):
        kinds[f"sender {speaker}"] += 1
        return []
    parts = list(_blocks(record.get("content"), kinds)) or [("", string(record.get("text")))]
    unread = [f for f in _files(record, "attachments") if not f.get("extracted_content")]
    names = dict.fromkeys(_name(file) for file in [*_files(record, "files"), *unread])
    said: list[tuple[str, str]] = []
    for role, text in (*parts, *(("", f"[file: {name}]") for name in names)):
        if not role:
            role, text = human(text) if speaker == "human" else ("assistant", text)
        if said and said[-1][0] == role != "tool":
            text = f"{said.pop()[1]}\n\n{text}"
        if text.strip():
            said.append((role, text.strip()))
    return said


def _blocks(content: Any, kinds: Counter[str]) -> Iterator[tuple[str, str]]:
    """(role, text) of each block. The speaker's own words have no role yet."""
    for block in content if isinstance(content, list) else ():
        kind = string(block.get("type")) if isinstance(block, dict) else type(block).__name__
        if kind == "tool_use":
            yield "tool", call(string(block.get("name")) or "tool", block.get("input"))
        elif kind == "tool_result":
            if found := text_of(block.get("content")).strip():
                yield "tool", f"{string(block.get('name'))}\n{found}"
        elif kind in _DROPPED:
            continue
        elif isinstance(block, dict) and isinstance(block.get("text"), str):
            if block["text"].strip():
                yield "", block["text"]
        else:
            kinds[f"content {kind}"] += 1


def call(name: str, arguments: Any) -> str:
    """A call on one line, with those arguments that are whole texts below it as they are."""
    if not isinstance(arguments, dict):
        return tool_call(name, arguments)
    long = {k: v for k, v in arguments.items() if isinstance(v, str) and "\n" in v}
    line = tool_call(name, {k: v for k, v in arguments.items() if k not in long})
    return "\n\n".join((line, *long.values()))


def _files(record: dict[str, Any], key: str) -> list[dict[str, Any]]:
    files = record.get(key)
    return [file for file in files if isinstance(file, dict)] if isinstance(files, list) else []


def _name(file: dict[str, Any]) -> str:
    return string(file.get("file_name")) or "unnamed"


def recognises(path: Path, head: bytes) -> bool:
    head = peek(path, head, _NAMES)
    return b'"uuid"' in head and b'"chat_messages"' in head


FORMAT = Format("claude-ai", "Claude.ai", recognises, read, lambda: (), "**/conversations.json")
