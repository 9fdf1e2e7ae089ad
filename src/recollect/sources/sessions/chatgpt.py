"""ChatGPT exports: ``conversations.json``, its shards, or the zip, a session a conversation.

A conversation is a tree of which the branch that ends at ``current_node`` is what was last on
the screen: that one is read. Hidden messages and the system's are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from recollect.nouns import Message, Problem, of_type
from recollect.sources.json_stream import peek
from recollect.sources.sessions.base import Format, Read, Session, began, moment
from recollect.sources.sessions.exports import call, read_export
from recollect.sources.sessions.turns import human, paragraphs, title_of, whole
from recollect.sources.values import dig, first, json_value, mapping, objects, string

_NAMES = re.compile(r"conversations(-\d+)?\.json")
_MAPPING = re.compile(rb'"mapping"\s*:\s*\{')
_LINKS = re.compile(rb'"(?:children|current_node)"\s*:')
_THOUGHTS, _RECAP = "thoughts", "reasoning_recap"
_HIDDEN = "is_visually_hidden_from_conversation"
_GIVEN = {
    "user_editable_context": ("user_profile", "user_instructions"),
    "model_editable_context": ("model_set_context",),
}
"""What stands in every conversation: custom instructions and memories, by content type."""


def read(path: Path) -> Read:
    return read_export(path, _NAMES, _conversation)


def _conversation(where: str, item: Any, kinds: Counter[str]) -> Read:
    if not isinstance(mapping(item).get("mapping"), dict):
        yield Problem(where, "not a conversation: it has no mapping of messages")
        return
    nodes = {key: node for key, node in item["mapping"].items() if isinstance(node, dict)}
    branch = _branch(nodes, item.get("current_node"))
    name = first(item.get("conversation_id"), item.get("id"), *branch[:1])
    if not name:
        yield Problem(where, "a conversation without an id cannot be told from others")
        return
    if branch and nodes[branch[0]].get("parent") is not None:
        told = f"conversation {name} cannot be followed back to its beginning"
        yield Problem(where, f"{told}; what can be is read", "warning")
    nodes_read = [(key, mapping(nodes[key].get("message"))) for key in branch]
    messages = list(
        chain.from_iterable(_messages(key, record, kinds) for key, record in nodes_read)
    )
    slugs = (string(dig(record, "metadata", "model_slug")) for _, record in nodes_read)
    common = (slug for slug, _ in Counter(slugs).most_common() if slug)
    yield Session(
        name,
        tuple(messages),
        title=title_of(messages, "user", given=string(item.get("title"))),
        date=began(item.get("create_time"), messages),
        model=first(*common, item.get("default_model_slug")),
    )


def _branch(nodes: dict[str, dict[str, Any]], leaf: Any) -> list[str]:
    """The nodes from the beginning to *leaf*; if it is not there, to the one that is farthest
    from its beginning, and of those to the last."""
    if not isinstance(leaf, str) or leaf not in nodes:
        depths: dict[str | None, int] = {}
        for key in nodes:
            above = _upwards(nodes, key, depths)
            known = depths.get(_parent(nodes[above[-1]]), 0) if above else 0
            depths.update((passed, known + n) for n, passed in enumerate(reversed(above), 1))
        leaf = max(reversed(nodes), key=lambda key: depths[key], default=None)
    return _upwards(nodes, leaf, ())[::-1]


def _upwards(
    nodes: dict[str, dict[str, Any]], key: str | None, known: Container[str | None]
) -> list[str]:
    """From a node to its beginning, or to one that is known; a circle is gone round once."""
    passed: dict[str, None] = {}
    while key is not None and key in nodes and key not in passed and key not in known:
        passed[key] = None
        key = _parent(nodes[key])
    return list(passed)


def _parent(node: dict[str, Any]) -> str | None:
    parent = node.get("parent")
    return parent if isinstance(parent, str) else None


def _messages(key: str, record: dict[str, Any], kinds: Counter[str]) -> Iterator[Message]:
    """The message of a node, if it has words that count."""
    role, text = _said(record, kinds) if record else ("", "")
    if text.strip():
        id = first(record.get("id"), key)
        yield Message(role, whole(text.strip()), id, moment(record.get("create_time")))


def _said(record: dict[str, Any], kinds: Counter[str]) -> tuple[str, str]:
    """(role, text) of a message; no text where it has no words that count."""
    content, about = mapping(record.get("content")), mapping(record.get("metadata"))
    kind, speaker = string(content.get("content_type")), string(dig(record, "author", "role"))
    given = mapping(about.get("user_context_message_data"))
    if kind in _GIVEN or given:
        values = given.values() if given else map(content.get, _GIVEN[kind])
        return "context", "\n\n".join(filter(None, map(string, values)))
    if speaker == "system" or kind == _RECAP or about.get(_HIDDEN):
        return "system", ""
    if kind == _THOUGHTS:
        return "thought", paragraphs(map(_thought, objects(content.get("thoughts"))))
    if speaker not in _SPEAKERS:
        kinds[f"author {speaker or 'without a role'}"] += 1
        return speaker, ""
    return _SPEAKERS[speaker](record, _words(content, kinds))


def _thought(one: dict[str, Any]) -> str:
    return "\n".join(filter(None, map(string, (one.get("summary"), one.get("content")))))


def _typed(record: dict[str, Any], words: str) -> tuple[str, str]:
    return human("\n\n".join((words, *_files(mapping(record.get("metadata"))))))


def _answered(record: dict[str, Any], words: str) -> tuple[str, str]:
    """The model's words, or the call of the tool that they are addressed to."""
    to = first(record.get("recipient"), "all")
    return ("assistant", words) if to == "all" else ("tool", _called(to, words))


def _returned(record: dict[str, Any], words: str) -> tuple[str, str]:
    name = string(dig(record, "author", "name"))
    return "tool", f"{name}\n{words}" if words.strip() else ""


_SPEAKERS: dict[str, Callable[[dict[str, Any], str], tuple[str, str]]] = {
    "user": _typed,
    "assistant": _answered,
    "tool": _returned,
}


def _words(content: dict[str, Any], kinds: Counter[str]) -> str:
    """The text of a message, with a marker for each thing in it that is none."""
    if isinstance(content.get("parts"), list):
        return "\n\n".join(filter(None, map(_part, content["parts"])))
    texts = of_type(map(content.get, ("text", "result", "summary")), str)
    if texts:
        return string(texts[0])
    kinds[f"content {first(content.get('content_type'), 'without a type')}"] += 1
    return ""


def _part(part: Any) -> str:
    if not isinstance(part, dict):
        return string(part)
    kind = string(part.get("content_type"))
    marker = next((m for m in ("image", "audio", "video") if m in kind), "attachment")
    return first(part.get("text"), f"[{marker}]")


def _files(about: dict[str, Any]) -> Iterator[str]:
    """Markers for the files that came with a message; images are among its parts."""
    for file in objects(about.get("attachments")):
        kind = first(file.get("mime_type"), file.get("mimeType"))
        if not kind.startswith("image/"):
            yield f"[file: {first(file.get('name'), 'unnamed')}]"


def _called(tool: str, text: str) -> str:
    arguments = json_value(text)
    return call(tool, arguments) if isinstance(arguments, dict) else f"{tool}\n{text}".strip()


def recognises(path: Path, head: bytes) -> bool:
    head = peek(path, head, _NAMES)
    return bool(_MAPPING.search(head)) and bool(_LINKS.search(head))


FORMAT = Format("chatgpt", "ChatGPT", recognises, read, lambda: (), "**/conversations*.json")
