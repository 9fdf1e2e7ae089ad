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
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from recollect.nouns import Message, Problem
from recollect.sources.json_stream import peek
from recollect.sources.sessions.base import Format, Read, Session, began, moment
from recollect.sources.sessions.exports import call, read_export
from recollect.sources.sessions.turns import human, merged, text_of, title_of, whole
from recollect.sources.values import array, first, mapping, objects, string

_NAMES = re.compile(r"conversations\.json")
_DROPPED = frozenset({"redacted_thinking", "token_budget", "flag"})


def read(path: Path) -> Read:
    return read_export(path, _NAMES, _conversation)


def _conversation(where: str, item: Any, kinds: Counter[str]) -> Iterable[Session | Problem]:
    fields = mapping(item)
    if not isinstance(fields.get("chat_messages"), list):
        return [Problem(where, "not a conversation: it has no list of chat_messages")]
    if not string(fields.get("uuid")):
        return [Problem(where, "a conversation without its uuid cannot be told from others")]
    return [_session(fields, kinds)]


def _session(item: dict[str, Any], kinds: Counter[str]) -> Session:
    name = string(item["uuid"])
    messages: list[Message] = []
    for record in item["chat_messages"]:
        if not isinstance(record, dict):
            kinds[f"message {type(record).__name__}"] += 1
            continue
        messages += _messages(record, f"{name}#{len(messages)}", kinds)
    return Session(
        name,
        tuple(messages),
        title=title_of(messages, "user", given=string(item.get("name"))),
        date=began(item.get("created_at"), messages),
        model=string(item.get("model")),
    )


def _messages(record: dict[str, Any], default: str, kinds: Counter[str]) -> Iterator[Message]:
    id, date = first(record.get("uuid"), default), moment(record.get("created_at"))
    attached = [("context", text) for text in _attached(record)]
    every = _said(record, kinds)
    thoughts = [text for role, text in every if role == "thought"]
    for n, text in enumerate(thoughts, 1):
        yield Message("thought", whole(text), f"{id}/thought{n}", date)
    said = attached + [one for one in every if one[0] != "thought"]
    own = min(len(attached), len(said) - 1)
    for n, (role, text) in enumerate(said):
        suffix = "" if n == own else f"#{n + 1 + (n < own)}"
        yield Message(role, whole(text), id + suffix, date)


def _attached(record: dict[str, Any]) -> Iterator[str]:
    """The text of each file that came with a message, after its name."""
    for file in objects(record.get("attachments")):
        if text := string(file.get("extracted_content")).strip():
            yield f"{_name(file)}\n\n{text}"


def _said(record: dict[str, Any], kinds: Counter[str]) -> list[tuple[str, str]]:
    """(role, text) of what a message holds: words of one role in a row are one text."""
    speak = _SPEAKERS.get(string(record.get("sender")))
    if speak is None:
        kinds[f"sender {record.get('sender')}"] += 1
        return []
    blocks = _blocks(record.get("content"), kinds) or [("", string(record.get("text")))]
    files = [("", f"[file: {name}]") for name in _unread(record)]
    spoken = [(role, text) if role else speak(text) for role, text in (*blocks, *files)]
    runs = merged((role, text.rstrip()) for role, text in spoken if text.strip())
    return [(role, text.strip()) for role, text in runs]


def _answer(text: str) -> tuple[str, str]:
    return "assistant", text


_SPEAKERS = {"human": human, "assistant": _answer}
"""Whose words those are that have no role."""


def _unread(record: dict[str, Any]) -> Iterable[str]:
    """The names of the files whose text the export does not have."""
    attached = objects(record.get("attachments"))
    unread = [file for file in attached if not file.get("extracted_content")]
    return dict.fromkeys(map(_name, [*objects(record.get("files")), *unread]))


def _blocks(content: Any, kinds: Counter[str]) -> list[tuple[str, str]]:
    """(role, text) of each block that says something. The speaker's own words have no role yet."""
    pieces = (_block(block, kinds) for block in array(content))
    return [(role, text) for role, text in pieces if text.strip()]


def _block(block: Any, kinds: Counter[str]) -> tuple[str, str]:
    fields = mapping(block)
    kind = string(fields.get("type")) if isinstance(block, dict) else type(block).__name__
    if kind in _DROPPED:
        return "", ""
    if kind == "thinking":
        return "thought", string(fields.get("thinking"))
    if kind in _TOOLS:
        return "tool", _TOOLS[kind](fields)
    text = fields.get("text")
    if isinstance(text, str):
        return "", text
    kinds[f"content {kind}"] += 1
    return "", ""


def _used(fields: dict[str, Any]) -> str:
    return call(first(fields.get("name"), "tool"), fields.get("input"))


def _result(fields: dict[str, Any]) -> str:
    found = text_of(fields.get("content")).strip()
    return f"{string(fields.get('name'))}\n{found}" if found else ""


_TOOLS = {"tool_use": _used, "tool_result": _result}


def _name(file: dict[str, Any]) -> str:
    return first(file.get("file_name"), "unnamed")


def recognises(path: Path, head: bytes) -> bool:
    head = peek(path, head, _NAMES)
    return b'"uuid"' in head and b'"chat_messages"' in head


FORMAT = Format("claude-ai", "Claude.ai", recognises, read, lambda: (), "**/conversations.json")
