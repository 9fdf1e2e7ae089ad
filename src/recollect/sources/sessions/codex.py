"""Codex CLI: a thread a file, ``sessions/YYYY/MM/DD/rollout-<when>-<thread>.jsonl``.

A line is ``{timestamp, ordinal, type, payload}``; in the oldest logs it is the payload itself.
What was said is in the ``response_item`` lines, and the rest repeats it: ``event_msg`` is read
only where a log has no messages among its items, and the ``replacement_history`` of a
compaction never. A fork holds its own turns alone. A subagent has a file to itself, and nobody
in it is the human.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.nouns import Message, Problem, not_none
from recollect.sources.sessions.base import (
    Format,
    Read,
    Relation,
    Session,
    began,
    environment,
    moment,
    read_events,
    readable_lines,
)
from recollect.sources.sessions.turns import (
    OUR_ROLES,
    delegated,
    human,
    speakers,
    text_of,
    title_of,
    tool_call,
    unique,
    without_ours,
)
from recollect.sources.values import dig, first, listed, nonempty, string

_LINE = re.compile(
    rb'^\s*\{(?=[^{}\n]*"type"\s*:\s*"(?:session_meta|turn_context|response_item|event_msg|'
    rb'compacted)")[^{}\n]*"payload"\s*:\s*\{',
    re.MULTILINE,
)
_OLDEST = re.compile(rb'\s*\{"id":"[^"\n]+","timestamp":"[^"\n]+","instructions":')
_ZSTD = b"\x28\xb5\x2f\xfd"
_THREAD = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$")

_CALLS = {
    "function_call": ("", "arguments"),
    "custom_tool_call": ("", "input"),
    "tool_search_call": ("tool_search", "arguments"),
    "local_shell_call": ("shell", "action"),
    "web_search_call": ("web_search", "action"),
    "image_generation_call": ("image_generation", "revised_prompt"),
}
"""The kinds of tool calls: the tool, where the call does not name it, and what it was given."""
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
_ITEMS = _OUTPUTS.union(
    _CALLS,
    "message agent_message reasoning compaction compaction_summary context_compaction "
    "compaction_trigger additional_tools tool_search_output ghost_snapshot other".split(),
)
_PASSED = frozenset({"world_state", "token_usage_record", "record_type"})

_INJECTED = re.compile(
    r"\s*(?:# AGENTS\.md instructions|<(?:skill|user_shell_command|turn_aborted|user_action|"
    r"subagent_notification|codex_internal_context|goal_context|recommended_plugins|hook_prompt|"
    r"external_\w+|app-context|collaboration_mode|skills_instructions|plugins_instructions)\b|"
    r"Warning: (?:The maximum number of unified exec|apply_patch was requested via))"
)
_SUMMARY = re.compile(r"\s*Another language model started to solve this problem and produced a ")
_REQUEST = re.compile(r"^## My request for Codex:\s*", re.MULTILINE)
"""Editors put the open files before what the human wrote."""
_HEADER = re.compile(
    r"(?:Chunk ID|Wall time|Process exited|Process running|Exit code)[^\n]*\n"
    r"(?:[^\n]*\n){0,6}?Output:[ \t]*(?:\n|\Z)"
)
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d+)", re.MULTILINE)


class _RolloutLine(NamedTuple):
    """A line of a rollout, in the newest or the oldest form."""

    kind: str
    payload: dict[str, Any]
    stamp: Any
    mark: str
    """What tells it from the thread's other lines where it has no id."""
    inherited: bool
    """Whether it was copied from the thread above."""

    @property
    def type(self) -> str:
        """The kind of its payload."""
        return string(self.payload.get("type"))


class _RolloutTurn(NamedTuple):
    role: str
    text: str
    id: str = ""
    part: str = ""
    """What tells it from the record's main turn, which has its id."""


Turns = Iterable[_RolloutTurn]


def _recognises(path: Path, head: bytes) -> bool:
    if path.name.startswith("rollout-") and path.name.endswith(".jsonl.zst"):
        return head.startswith(_ZSTD)
    return bool(_LINE.search(head) or _OLDEST.match(head))


def _homes() -> tuple[Path, ...]:
    home = environment("CODEX_HOME", "~/.codex")
    return home / "sessions", home / "archived_sessions"


def _read(path: Path) -> Read:
    if path.suffix == ".zst":
        return _compressed(path)
    return read_events(path, readable_lines(path), _Rollout(path))


def _compressed(path: Path) -> Iterator[Problem]:
    """Yields a problem, unless the log is there uncompressed, too."""
    if not path.with_suffix("").exists():
        told = f"compressed: run `zstd -d {path.name}` in its folder and import again"
        yield Problem(str(path), told, "skipped")


def _line(number: int, record: dict[str, Any]) -> _RolloutLine:
    kind, payload = string(record.get("type")), record.get("payload")
    if not isinstance(payload, dict):
        kind, payload = _bare_kind(kind, record), record
    ordinal = record.get("ordinal")
    return _RolloutLine(
        first(kind, "without a type"),
        payload,
        record.get("timestamp"),
        f"#{ordinal}" if isinstance(ordinal, int) else f":{number}",
        bool(dig(record, "metadata", "inherited_user_message")),
    )


def _bare_kind(kind: str, record: dict[str, Any]) -> str:
    """Returns the kind of a line that is the payload itself, as in the oldest logs."""
    if "record_type" in record:
        return "record_type"
    if kind in _ITEMS:
        return "response_item"
    return "session_meta" if "instructions" in record else "without a payload"


class _Rollout:
    """Collects the thread of a log, line by line."""

    def __init__(self, path: Path) -> None:
        self.meta: dict[str, Any] = {}
        self.context: dict[str, Any] = {}
        self.thread, self.title = _thread(path), ""
        self.said: list[tuple[bool, Message]] = []
        """Whether an event says so, and what. Events count until an item is a message."""
        self.by_events = True
        self.tools: dict[str, str] = {}
        """Which tool each call used."""
        self.kinds: Counter[str] = Counter()
        self._readers: dict[str, Callable[[_RolloutLine], Turns]] = {
            "session_meta": self._describe,
            "turn_context": self._note_context,
            "compacted": self._compacted,
            "event_msg": self._event,
            "response_item": self._response,
            **dict.fromkeys(_PASSED, _silent),
        }

    def take(self, number: int, record: dict[str, Any]) -> Iterable[Problem]:
        line = _line(number, record)
        by_event = line.kind == "event_msg"
        turns = self._readers.get(line.kind, self._unknown)(line)
        self.said += [(by_event, _message(turn, line, self.thread)) for turn in turns]
        return ()

    def sessions(self) -> list[Session]:
        messages = unique(message for _, message in self.said)
        return [self._session(messages)] if messages else []

    def _describe(self, line: _RolloutLine) -> Turns:
        self.meta = self.meta or line.payload
        self.thread = first(self.meta.get("id"), self.thread)
        return ()

    def _note_context(self, line: _RolloutLine) -> Turns:
        self.context = line.payload
        return ()

    def _compacted(self, line: _RolloutLine) -> Turns:
        return (_RolloutTurn("summary", text_of(line.payload.get("message"))),)

    def _event(self, line: _RolloutLine) -> Turns:
        self.title = first(line.payload.get("thread_name"), self.title)
        return _EVENTS.get(line.type, _silent)(line.payload) if self.by_events else ()

    def _response(self, line: _RolloutLine) -> Turns:
        if line.type not in _ITEMS:
            return self._unknown(line)
        if line.type == "message" and self.by_events:
            self.by_events = False
            self.said = [one for one in self.said if not one[0]]
        read = _ITEM_READERS.get(line.type, _silent)
        return read(_RolloutItem(line.payload, line.type, self.tools))

    def _unknown(self, line: _RolloutLine) -> Turns:
        self.kinds["/".join(filter(None, (line.kind, line.type)))] += 1
        return ()

    def _session(self, messages: tuple[Message, ...]) -> Session:
        meta, context = self.meta, self.context
        parent, relation = _origin(meta)
        agent = first(meta.get("agent_nickname"), meta.get("agent_role"))
        return Session(
            id=self.thread,
            messages=delegated(messages) if relation == "subagent" else messages,
            title=title_of(messages, "user", given=self.title) or agent,
            date=began(meta.get("timestamp"), messages),
            parent=parent,
            relation=relation,
            folder=first(meta.get("cwd"), context.get("cwd")),
            branch=string(dig(meta, "git", "branch")),
            model=string(context.get("model")),
            meta=nonempty(version=string(meta.get("cli_version")), agent=agent),
        )


def _message(turn: _RolloutTurn, line: _RolloutLine, thread: str) -> Message:
    role = "context" if line.inherited and turn.role == "user" else turn.role
    id = (turn.id or thread + line.mark) + turn.part
    return Message(role, turn.text, id, moment(line.stamp))


# ------------------------------------------------------------------ events and items


class _RolloutItem(NamedTuple):
    fields: dict[str, Any]
    kind: str
    tools: dict[str, str]
    """Which call used which; a call adds itself."""

    @property
    def own(self) -> str:
        return string(self.fields.get("id"))

    @property
    def call(self) -> str:
        return string(self.fields.get("call_id"))


def _silent(_: object) -> Turns:
    return ()


def _typed(event: dict[str, Any]) -> Turns:
    return _user({"content": event.get("message")}, "")


def _answered(event: dict[str, Any]) -> Turns:
    return (_RolloutTurn("assistant", without_ours(text_of(event.get("message")))),)


_EVENTS: dict[str, Callable[[dict[str, Any]], Turns]] = {
    "user_message": _typed,
    "agent_message": _answered,
}


def _of_message(item: _RolloutItem) -> Turns:
    role = first(item.fields.get("role"), "unknown").lower()
    if role == "user":
        return _user(item.fields, item.own)
    text = without_ours(text_of(item.fields.get("content")))
    return (_RolloutTurn(OUR_ROLES.get(role, role), text, item.own),)


def _of_other_agent(item: _RolloutItem) -> Turns:
    return (_RolloutTurn("context", text_of(item.fields.get("content")), item.own),)


def _of_thought(item: _RolloutItem) -> Turns:
    told = text_of(item.fields.get("summary")) or text_of(item.fields.get("content"))
    return (_RolloutTurn("thought", told, item.own),)


def _of_call(item: _RolloutItem) -> Turns:
    default, field = _CALLS[item.kind]
    names = (string(item.fields.get("namespace")), first(item.fields.get("name"), default))
    name, given = ".".join(filter(None, names)), item.fields.get(field)
    if isinstance(given, dict):
        given = not_none(given)
    if item.call:
        item.tools[item.call] = name
    return (_RolloutTurn("tool", tool_call(name, given), item.own or item.call),)


def _of_output(item: _RolloutItem) -> Turns:
    told = _output(item.fields.get("output"))
    if told and item.call in item.tools:
        told = f"{item.tools[item.call]}: {told}"
    part = "/output" if item.call and not item.own else ""
    return (_RolloutTurn("tool", told, item.own or item.call, part),)


_ITEM_READERS: dict[str, Callable[[_RolloutItem], Turns]] = {
    "message": _of_message,
    "agent_message": _of_other_agent,
    "reasoning": _of_thought,
    **dict.fromkeys(_CALLS, _of_call),
    **dict.fromkeys(_OUTPUTS, _of_output),
}


def _user(item: dict[str, Any], own: str) -> Turns:
    """Yields the parts of a user item by who put them there. The human's words keep its id."""
    blocks = listed(item.get("content"))
    noted = dig(item, "internal_chat_message_metadata_passthrough", "content_item_kinds")
    parts: dict[str, list[str]] = {"context": [], "summary": [], "user": []}
    for number, block in enumerate(blocks):
        role, text = human(text_of(block))
        if isinstance(noted, list):
            role = _noted_role(noted, number, len(blocks))
        elif _INJECTED.match(text):
            role = "context"
        if _SUMMARY.match(text):
            role = "summary"
        before, text = _request(role, text)
        parts["context"].append(before)
        parts[role].append(text)
    return [_RolloutTurn(role, text, own, part) for role, text, part in speakers(parts)]


def _noted_role(kinds: list[Any], number: int, count: int) -> str:
    """Returns the speaker of a block by the kinds that its record notes, one a block."""
    noted = kinds[number : number + 1] if len(kinds) == count else kinds
    return "user" if "user.text" in noted else "context"


def _request(role: str, text: str) -> tuple[str, str]:
    """Returns what an editor put before the human's request, and the request."""
    found = _REQUEST.search(text) if role == "user" and text.startswith("#") else None
    return (text[: found.start()], text[found.end() :]) if found else ("", text)


def _output(output: Any) -> str:
    """Returns the output of a tool, with its exit code if there is one."""
    if isinstance(output, dict):
        output = output.get("content", output.get("text"))
    text, code = _exit(text_of(output))
    return text if code is None else f"exit code {code}\n{text}".rstrip()


def _exit(text: str) -> tuple[str, Any]:
    """Returns the output without what the client puts before it, and the exit code in that."""
    header = _HEADER.match(text)
    if text.startswith('{"output":'):
        return _json_exit(text)
    if not header:
        return text, None
    code = _EXIT.search(header[0])
    return text[header.end() :], code[1] if code else None


def _json_exit(text: str) -> tuple[str, Any]:
    try:
        told = json.loads(text)
        return text_of(told["output"]), told["metadata"]["exit_code"]
    except (ValueError, KeyError, TypeError):
        return text, None


def _origin(meta: dict[str, Any]) -> tuple[str, Relation]:
    """Returns the thread that this one came from, and how."""
    agent = dig(meta, "source", "subagent")
    parent = first(meta.get("parent_thread_id"), dig(agent, "thread_spawn", "parent_thread_id"))
    if parent or agent or meta.get("thread_source") == "subagent":
        root = string(meta.get("session_id"))
        return parent or (root if root != meta.get("id") else ""), "subagent"
    fork = string(meta.get("forked_from_id"))
    return fork, "fork" if fork else ""


def _thread(path: Path) -> str:
    """Returns the id of the thread, with which the file's name ends."""
    found = _THREAD.search(path.stem)
    return found[0] if found else path.stem.removeprefix("rollout-")


FORMAT = Format(
    name="codex",
    label="Codex CLI",
    recognises=_recognises,
    read=_read,
    homes=_homes,
    pattern="**/*.jsonl*",
)
