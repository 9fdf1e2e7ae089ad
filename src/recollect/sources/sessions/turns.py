"""What the readers make turns of: who speaks, in which words, and what a session is called.

All of it takes time in proportion to the text, whatever a log holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from recollect.nouns import Message
from recollect.sources.sessions import titles
from recollect.sources.values import array, first, mapping, string
from recollect.text.unicode import whole as whole

OUR_ROLES = {"developer": "system"}
"""Roles of other programs, as we call them."""
Split = Callable[[str], Iterable[tuple[str, str]]]
"""Returns (role, text) of each part of a text in a turn."""

INJECTED = re.compile(
    r"\s*<(?:recollect-context|system-reminder|environment_context|session_context|"
    r"user_instructions|command-name|command-message|command-args|local-command-stdout|"
    r"local-command-caveat|task-notification|permissions|INSTRUCTIONS)\b"
)
"""How text that a client or a hook put into a user's turn begins."""
_OURS_END = "</recollect-context>"
_OURS = re.compile(rf"<recollect-context\b.*?{_OURS_END}\s*", re.DOTALL)
_HOLLOW = re.compile(
    r"<system-reminder>\s*(?:\w+ hook (?:success|additional context):\s*)?</system-reminder>\s*"
)
_UNSAID = frozenset({"thinking", "redacted_thinking", "redacted"})
_THOUGHT = frozenset({"thinking", "reasoning"})


OURS = "recollect.search: …"
"""A call or a result of our own, where a reader knows it to be one."""


# ------------------------------------------------------------------ who speaks


def human(text: str) -> tuple[str, str]:
    """Returns (role, text) of a text in the user's turn: ``context`` if a machine put it there.
    What our own hooks injected is removed; the text may then be empty."""
    text = without_ours(text)
    return speaker(text, INJECTED), text


def speaker(text: str, *injected: re.Pattern[str]) -> str:
    """Returns the role of a text in the user's turn: ``context`` if it begins like one of these
    patterns, because a machine put it there."""
    return "context" if any(pattern.match(text) for pattern in injected) else "user"


def without_ours(text: str) -> str:
    """Returns the text without what our own hooks injected, which is never imported again, and
    without the client's wrapper around it."""
    ours, rest = until_last(_OURS_END, text)
    return _HOLLOW.sub("", _OURS.sub("", ours) + rest) if ours else text


def thought_of(block: Any) -> str:
    """Returns what the model thought in a block, of any client; empty if it is something else."""
    fields = mapping(block)
    kind = string(fields.get("type"))
    return first(fields.get("thinking"), fields.get("text")) if kind in _THOUGHT else ""


def until_last(end: str, text: str) -> tuple[str, str]:
    """*text* up to its last *end* with the space after it, and the rest. In the first part every
    beginning has its end: a pattern that looks for one where there is none takes for ever."""
    at = text.rfind(end)
    rest = text if at < 0 else text[at + len(end) :].lstrip()
    return text[: len(text) - len(rest)], rest


def delegated(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Returns the messages of a subagent, in which no message is the human's."""
    return tuple(m._replace(role="context") if m.role == "user" else m for m in messages)


def merged(pieces: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yields (role, text) with consecutive texts of one role joined; each call and each result of a
    tool stays alone."""
    for role, run in groupby(pieces, itemgetter(0)):
        texts = [text for _, text in run]
        yield from ((role, text) for text in (texts if role == "tool" else ["\n\n".join(texts)]))


def told(content: Any, split: Split) -> Iterator[tuple[str, str]]:
    """Yields (role, text) of what a turn holds, each text *split* by its speakers."""
    return merged(chain.from_iterable(_pieces(block, split) for block in blocks(content)))


def _pieces(block: Any, split: Split) -> Iterable[tuple[str, str]]:
    tool = tool_text(block)
    if tool is not None:
        return [("tool", tool)]
    return filter(itemgetter(1), split(without_ours(block_text(block))))


def speakers(parts: Mapping[str, Iterable[str]]) -> list[tuple[str, str, str]]:
    """Returns (role, text, suffix) of a record that several had a part in: the human's words keep
    its id, and what a client put beside them has the suffix after it."""
    texts = {role: "\n\n".join(filter(str.strip, said)) for role, said in parts.items()}
    several = sum(map(bool, texts.values())) > 1
    plain = {"user"} if several else texts.keys()
    return [(role, text, "" if role in plain else f"/{role}") for role, text in texts.items()]


def unique(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Returns the messages that are not empty, each once; a different one with the same id gets
    another id."""
    kept: dict[str, Message] = {}
    for message in messages:
        if not message.text.strip():
            continue
        message = message._replace(text=whole(message.text))
        earlier = kept.setdefault(message.id, message)
        if (earlier.role, earlier.text) != (message.role, message.text):
            again = f"{message.id}#{len(kept)}"
            kept[again] = message._replace(id=again)
    return tuple(kept.values())


def title_of(messages: Sequence[Message], *roles: str, given: str = "", cut: str = "…") -> str:
    """The title that was *given*; else one that says what the first of these *roles* that said
    something was after (:mod:`recollect.sources.sessions.titles`), with the mark *cut* where it was
    too long."""
    return " ".join(whole(given).split()) or titles.title(messages, roles, cut)


# ------------------------------------------------------------------ blocks and texts


def text_of(content: Any) -> str:
    """Returns the words in a message's content: a text, or a list of blocks with ``text``."""
    return paragraphs(map(_text_of_block, blocks(content)))


def _text_of_block(block: Any) -> Any:
    return block if isinstance(block, str) else mapping(block).get("text", "")


def paragraphs(texts: Iterable[Any]) -> str:
    """Returns the texts that are not empty, with a blank line between them."""
    return "\n\n".join(text for text in texts if isinstance(text, str) and text)


def blocks(content: Any) -> list[Any]:
    """Returns the blocks of a message's content, which is a text, a block or a list of either."""
    return [content] if isinstance(content, str | dict) else array(content)


def block_text(block: Any) -> str:
    """Returns the words of a block; a mark such as ``[image]`` for one that has none. Thoughts are
    left out."""
    if isinstance(block, str):
        return block
    kind, text = string(mapping(block).get("type")), mapping(block).get("text")
    if kind in _UNSAID:
        return ""
    mark = f"[{kind[:40]}]" if kind not in ("", "text") else ""
    return text if isinstance(text, str) else mark


def block_texts(content: Any) -> str:
    return paragraphs(map(block_text, blocks(content)))


def tool_text(block: Any) -> str | None:
    """Returns the call or the result of a tool, of any client; None if the block is something
    else."""
    fields = mapping(block)
    kind = string(fields.get("type"))
    if kind.endswith("tool_use"):
        return tool_call(first(fields.get("name"), "tool"), fields.get("input"))
    if kind.endswith(("tool_result", "command_output")):
        return block_texts(fields.get("content", fields.get("text")))
    return None


def tool_call(name: str, arguments: Any) -> str:
    """Returns a call on one line: ``Grep pattern='charge(' path='src'``."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return f"{name} {arguments}".strip()
    if not isinstance(arguments, dict):
        return name if arguments is None else f"{name} {_value(arguments)}"
    told = " ".join(f"{key}={_value(value)}" for key, value in arguments.items())
    return f"{name} {told}".strip()


def _value(value: Any) -> str:
    return repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
