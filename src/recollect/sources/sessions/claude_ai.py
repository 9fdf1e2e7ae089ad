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
from recollect.sources.json_stream import members, peek
from recollect.sources.sessions.base import Format, Read, Session, first_date, moment, unknown
from recollect.sources.sessions.turns import human, text_of, title_of, tool_call, whole
from recollect.sources.values import array, mapping, objects, string

_NAMES = re.compile(r"conversations\.json")
_DROPPED = frozenset({"thinking", "redacted_thinking", "token_budget", "flag"})


def read(path: Path) -> Read:
    kinds: Counter[str] = Counter()
    for where, item in members(path, _NAMES, "conversations"):
        if isinstance(item, Problem):
            yield item
        elif not isinstance(mapping(item).get("chat_messages"), list):
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
        messages += _messages(record, f"{name}#{len(messages)}", kinds)
    return Session(
        name,
        tuple(messages),
        title=title_of(messages, "user", given=string(item.get("name"))),
        date=moment(item.get("created_at")) or first_date(messages),
        model=string(item.get("model")),
    )


def _messages(record: dict[str, Any], default: str, kinds: Counter[str]) -> Iterator[Message]:
    id, date = string(record.get("uuid")) or default, moment(record.get("created_at"))
    attached = [("context", text) for text in _attached(record)]
    said = attached + _said(record, kinds)
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
    speaker = record.get("sender")
    if speaker not in ("human", "assistant"):
        kinds[f"sender {speaker}"] += 1
        return []
    blocks = _blocks(record.get("content"), kinds) or [("", string(record.get("text")))]
    said: list[tuple[str, str]] = []
    for role, text in (*blocks, *(("", f"[file: {name}]") for name in _unread(record))):
        if not role:
            role, text = human(text) if speaker == "human" else ("assistant", text)
        if said and said[-1][0] == role != "tool":
            text = f"{said.pop()[1]}\n\n{text}"
        if text.strip():
            said.append((role, text.strip()))
    return said


def _unread(record: dict[str, Any]) -> Iterable[str]:
    """The names of the files whose text the export does not have."""
    attached = objects(record.get("attachments"))
    unread = [file for file in attached if not file.get("extracted_content")]
    return dict.fromkeys(map(_name, [*objects(record.get("files")), *unread]))


def _blocks(content: Any, kinds: Counter[str]) -> list[tuple[str, str]]:
    """(role, text) of each block. The speaker's own words have no role yet."""
    pieces = (_block(block, kinds) for block in array(content))
    return [piece for piece in pieces if piece is not None]


def _block(block: Any, kinds: Counter[str]) -> tuple[str, str] | None:
    fields = mapping(block)
    kind = string(fields.get("type")) if isinstance(block, dict) else type(block).__name__
    if kind in _DROPPED:
        return None
    if kind == "tool_use":
        return "tool", call(string(fields.get("name")) or "tool", fields.get("input"))
    if kind == "tool_result":
        found = text_of(fields.get("content")).strip()
        return ("tool", f"{string(fields.get('name'))}\n{found}") if found else None
    text = fields.get("text")
    if isinstance(text, str):
        return ("", text) if text.strip() else None
    kinds[f"content {kind}"] += 1
    return None


def call(name: str, arguments: Any) -> str:
    """A call on one line, with those arguments that are whole texts below it as they are."""
    if not isinstance(arguments, dict):
        return tool_call(name, arguments)
    long = {k: v for k, v in arguments.items() if isinstance(v, str) and "\n" in v}
    line = tool_call(name, {k: v for k, v in arguments.items() if k not in long})
    return "\n\n".join((line, *long.values()))


def _name(file: dict[str, Any]) -> str:
    return string(file.get("file_name")) or "unnamed"


def recognises(path: Path, head: bytes) -> bool:
    head = peek(path, head, _NAMES)
    return b'"uuid"' in head and b'"chat_messages"' in head


FORMAT = Format("claude-ai", "Claude.ai", recognises, read, lambda: (), "**/conversations.json")
