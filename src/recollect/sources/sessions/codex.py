"""Codex CLI: a thread a file, ``sessions/YYYY/MM/DD/rollout-<when>-<thread>.jsonl``.

A line is ``{timestamp, ordinal, type, payload}``; in the oldest logs it is the payload itself.
What was said is in the ``response_item`` lines, and the rest repeats it: ``event_msg`` is read
only where a log has no messages among its items, and the ``replacement_history`` of a
compaction never. A fork holds its own turns alone. A subagent has a file to itself, and nobody
in it is the human.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from recollect.nouns import Message, Problem
from recollect.sources.sessions.base import (
    Format,
    Read,
    Relation,
    Session,
    json_lines,
    moment,
    unknown,
    unknown_roles,
)
from recollect.sources.sessions.turns import (
    delegated,
    human,
    string,
    text_of,
    title_of,
    tool_call,
    unique,
    without_ours,
)

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
_PASSED = frozenset({"world_state", "token_usage_record"})

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


class _Line(NamedTuple):
    """A line of a rollout, whichever way it was written."""

    kind: str
    payload: dict[str, Any]
    stamp: Any
    where: str
    mark: str
    """What tells it from the thread's other lines where it has no id."""
    inherited: bool
    """Whether it was copied from the thread above."""


class _Turn(NamedTuple):
    role: str
    text: str
    id: str = ""
    part: str = ""
    """What tells it from the record's main turn, which has its id."""


def _recognises(path: Path, head: bytes) -> bool:
    if path.name.startswith("rollout-") and path.name.endswith(".jsonl.zst"):
        return head.startswith(_ZSTD)
    return bool(_LINE.search(head) or _OLDEST.match(head))


def _homes() -> tuple[Path, ...]:
    home = Path(os.environ.get("CODEX_HOME") or "~/.codex").expanduser()
    return home / "sessions", home / "archived_sessions"


def _read(path: Path) -> Read:
    if path.suffix == ".zst":
        if not path.with_suffix("").exists():
            told = f"compressed: run `zstd -d {path.name}` in its folder and import again"
            yield Problem(str(path), told, "skipped")
        return
    meta: dict[str, Any] = {}
    context: dict[str, Any] = {}
    thread, title, classic = _thread(path), "", True
    said: list[tuple[bool, Message]] = []  # whether an event says so, and what
    tools: dict[str, str] = {}
    kinds: Counter[str] = Counter()
    failed = False
    for line in _lines(path):
        if isinstance(line, Problem):
            failed = failed or line.level == "failed"
            yield line
            continue
        payload, kind = line.payload, string(line.payload.get("type"))
        turns: Iterable[_Turn] = ()
        if line.kind == "session_meta":
            meta = meta or payload
            thread = string(meta.get("id")) or thread
        elif line.kind == "turn_context":
            context = payload
        elif line.kind == "compacted":
            turns = (_Turn("summary", text_of(payload.get("message"))),)
        elif line.kind == "event_msg":
            title = string(payload.get("thread_name")) or title
            turns = _event(payload, kind) if classic else ()
        elif line.kind == "response_item" and kind in _ITEMS:
            if kind == "message" and classic:
                classic, said = False, [one for one in said if not one[0]]
            turns = _item(payload, kind, tools)
        elif line.kind not in _PASSED:
            kinds[f"{line.kind}/{kind}" if kind else line.kind] += 1
        try:
            new = [_message(turn, line, thread) for turn in turns]
        except RecursionError:
            yield Problem(line.where, "nested too deeply to be read")
            continue
        said += [(line.kind == "event_msg", message) for message in new]
    yield from unknown(path, kinds)
    messages = unique(message for _, message in said)
    yield from unknown_roles(path, Counter(m.role for m in messages))
    if messages:
        yield _session(thread, messages, meta, context, title)
    elif not failed:
        yield Problem(str(path), "no conversation in it", "skipped")


def _lines(path: Path) -> Iterator[_Line | Problem]:
    try:
        for number, record in json_lines(path):
            if isinstance(record, Problem):
                yield record
                continue
            kind, payload = string(record.get("type")), record.get("payload")
            if not isinstance(payload, dict):
                if "record_type" in record:
                    continue
                payload = record
                oldest = "session_meta" if "instructions" in record else "without a payload"
                kind = "response_item" if kind in _ITEMS else oldest
            ordinal, metadata = record.get("ordinal"), record.get("metadata")
            yield _Line(
                kind or "without a type",
                payload,
                record.get("timestamp"),
                f"{path}:{number}",
                f"#{ordinal}" if isinstance(ordinal, int) else f":{number}",
                isinstance(metadata, dict) and bool(metadata.get("inherited_user_message")),
            )
    except OSError as error:
        yield Problem(str(path), f"cannot be read: {error.strerror or error}")


def _message(turn: _Turn, line: _Line, thread: str) -> Message:
    role = "context" if line.inherited and turn.role == "user" else turn.role
    id = (turn.id or thread + line.mark) + turn.part
    return Message(role, turn.text, id, moment(line.stamp))


def _event(event: dict[str, Any], kind: str) -> Iterator[_Turn]:
    if kind == "user_message":
        yield from _user({"content": event.get("message")}, "")
    elif kind == "agent_message":
        yield _Turn("assistant", without_ours(text_of(event.get("message"))))


def _item(item: dict[str, Any], kind: str, tools: dict[str, str]) -> Iterator[_Turn]:
    """What an item says. *tools* learns which call used which."""
    own, call = string(item.get("id")), string(item.get("call_id"))
    role = string(item.get("role")).lower() or "unknown"
    if kind == "message" and role == "user":
        yield from _user(item, own)
    elif kind == "message":
        text = without_ours(text_of(item.get("content")))
        yield _Turn("system" if role == "developer" else role, text, own)
    elif kind == "agent_message":  # from another agent
        yield _Turn("context", text_of(item.get("content")), own)
    elif kind in _CALLS:
        default, field = _CALLS[kind]
        names = (string(item.get("namespace")), string(item.get("name")) or default)
        name, given = ".".join(filter(None, names)), item.get(field)
        if isinstance(given, dict):
            given = {key: value for key, value in given.items() if value is not None}
        if call:
            tools[call] = name
        yield _Turn("tool", tool_call(name, given), own or call)
    elif kind in _OUTPUTS:
        told = _output(item.get("output"))
        if told and call in tools:
            told = f"{tools[call]}: {told}"
        yield _Turn("tool", told, own or call, "" if own or not call else "/output")


def _user(item: dict[str, Any], own: str) -> Iterator[_Turn]:
    """The parts of a user item by who put them there. The human's words keep its id."""
    content = item.get("content")
    blocks = content if isinstance(content, list) else [content]
    metadata = item.get("internal_chat_message_metadata_passthrough")
    kinds = metadata.get("content_item_kinds") if isinstance(metadata, dict) else None
    parts: dict[str, list[str]] = {"context": [], "summary": [], "user": []}
    for number, block in enumerate(blocks):
        role, text = human(text_of(block))
        if isinstance(kinds, list):
            aligned = len(kinds) == len(blocks)
            typed = kinds[number] == "user.text" if aligned else "user.text" in kinds
            role = "user" if typed else "context"
        elif _INJECTED.match(text):
            role = "context"
        if _SUMMARY.match(text):
            role = "summary"
        if role == "user" and text.startswith("#") and (request := _REQUEST.search(text)):
            parts["context"].append(text[: request.start()])
            text = text[request.end() :]
        parts[role].append(text)
    said = {role: "\n\n".join(t for t in texts if t.strip()) for role, texts in parts.items()}
    several = sum(bool(text) for text in said.values()) > 1
    for role, text in said.items():
        yield _Turn(role, text, own, f"/{role}" if several and role != "user" else "")


def _output(output: Any) -> str:
    """What a tool gave back: its exit code, where it has one, and its output."""
    if isinstance(output, dict):
        output = output.get("content", output.get("text"))
    text = text_of(output)
    code = None
    if text.startswith('{"output":'):
        try:
            told = json.loads(text)
            text, code = text_of(told["output"]), told["metadata"]["exit_code"]
        except (ValueError, KeyError, TypeError):
            pass
    elif header := _HEADER.match(text):
        found = _EXIT.search(header[0])
        text, code = text[header.end() :], found[1] if found else None
    return text if code is None else f"exit code {code}\n{text}".rstrip()


def _session(
    thread: str,
    messages: tuple[Message, ...],
    meta: dict[str, Any],
    context: dict[str, Any],
    title: str,
) -> Session:
    parent, relation = _origin(meta)
    agent = string(meta.get("agent_nickname")) or string(meta.get("agent_role"))
    git = meta.get("git")
    kept = {"version": string(meta.get("cli_version")), "agent": agent}
    title = title_of(messages, "user", given=title) or agent
    if relation == "subagent":
        messages = delegated(messages)
    return Session(
        id=thread,
        messages=messages,
        title=title,
        date=moment(meta.get("timestamp")) or next((m.date for m in messages if m.date), None),
        parent=parent,
        relation=relation,
        folder=string(meta.get("cwd")) or string(context.get("cwd")),
        branch=string(git.get("branch")) if isinstance(git, dict) else "",
        model=string(context.get("model")),
        meta={name: value for name, value in kept.items() if value},
    )


def _origin(meta: dict[str, Any]) -> tuple[str, Relation]:
    source = meta.get("source")
    agent = source.get("subagent") if isinstance(source, dict) else None
    spawn = agent.get("thread_spawn") if isinstance(agent, dict) else None
    above = spawn.get("parent_thread_id") if isinstance(spawn, dict) else None
    parent = string(meta.get("parent_thread_id")) or string(above)
    if parent or agent or meta.get("thread_source") == "subagent":
        root = string(meta.get("session_id"))
        return parent or (root if root != meta.get("id") else ""), "subagent"
    fork = string(meta.get("forked_from_id"))
    return fork, "fork" if fork else ""


def _thread(path: Path) -> str:
    """The thread's id, which the file's name ends in."""
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
