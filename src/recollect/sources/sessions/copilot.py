"""Copilot CLI: ``~/.copilot/session-state/<session>/events.jsonl``, ``workspace.yaml`` beside it.

A line is an event, ``{type, data, id, parentId, timestamp, agentId?}``. A subagent's events lie
among those of the session that started it: they become a session of their own, in which nobody
is the human. A rewind takes back the event that it names and those after it.
"""

from __future__ import annotations

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
    whole,
    without_ours,
)

_LINE = re.compile(
    rb'^\s*\{(?=[^{}\n]*"type"\s*:\s*"(?:session\.(?:start|resume)|user\.message|system\.message|'
    rb'assistant\.(?:message|turn_start)|tool\.execution_(?:start|complete))")'
    rb'[^{}\n]*"data"\s*:\s*\{',
    re.MULTILINE,
)
_FIELD = re.compile(r"(\w+):[ \t]+(\S.*)")
_HUMAN = frozenset({"", "user", "immediate-prompt"})
"""Where a user message may come from to be the human's; others come from skills, commands, …"""
_DESCRIBE = frozenset(
    {"session.start", "session.resume", "session.context_changed", "session.title_changed"}
)
_SPEAK = frozenset(
    "user.message assistant.message tool.execution_start tool.user_requested "
    "tool.execution_complete system.message system.notification session.compaction_complete "
    "session.handoff".split()
)
_PASSED = frozenset(
    f"{family}.{name}"
    for family, names in {
        "session": "shutdown usage_record usage_info compaction_start truncation error idle info "
        "warning mode_changed plan_changed workspace_file_changed task_complete tools_updated "
        "background_tasks_changed skills_loaded custom_agents_updated mcp_servers_loaded "
        "mcp_server_status_changed extensions_loaded remote_steerable_changed context_cleared "
        "permissions_changed todos_changed session_limits_changed schedule_created "
        "schedule_cancelled schedule_rearmed autopilot_objective_changed model_change",
        "assistant": "turn_start turn_end intent reasoning reasoning_delta streaming_delta "
        "message_delta usage idle",
        "tool": "execution_partial_result execution_progress",
        "subagent": "completed failed selected deselected",
        "skill": "invoked",
        "hook": "start end",
        "permission": "requested completed",
        "user_input": "requested completed",
        "elicitation": "requested completed",
        "sampling": "requested completed",
        "external_tool": "requested completed",
        "exit_plan_mode": "requested completed",
        "mcp": "oauth_required oauth_completed",
        "command": "queued execute completed",
        "commands": "changed",
        "capabilities": "changed",
        "pending_messages": "modified",
        "model": "call_failure",
    }.items()
    for name in names.split()
) | {"abort"}


class _Turn(NamedTuple):
    role: str
    text: str
    id: str


def _recognises(path: Path, head: bytes) -> bool:
    return path.suffix == ".jsonl" and b'"parentId"' in head and bool(_LINE.search(head))


def _homes() -> tuple[Path, ...]:
    home = Path(os.environ.get("COPILOT_HOME") or "~/.copilot").expanduser()
    return (home / "session-state",)


def _read(path: Path) -> Read:
    about = {"id": path.parent.name if path.name == "events.jsonl" else path.stem}
    lines: dict[str, int] = {}
    said: dict[str, list[tuple[int, Message]]] = {"": []}  # by agent; "" is the session itself
    names: dict[str, str] = {}
    models: dict[str, str] = {}
    tools: dict[str, str] = {}
    kinds: Counter[str] = Counter()
    failed = False
    for number, record in _records(path):
        if isinstance(record, Problem):
            failed = failed or record.level == "failed"
            yield record
            continue
        kind, data = string(record.get("type")), record.get("data")
        data = data if isinstance(data, dict) else {}
        event = string(record.get("id")) or f"{about['id']}:{number}"
        if lines.setdefault(event, number) != number:
            continue
        agent = string(record.get("agentId")) or string(data.get("parentToolCallId"))
        if kind == "subagent.started":
            agent = agent or string(data.get("toolCallId"))
            names[agent] = string(data.get("agentDisplayName")) or string(data.get("agentName"))
        elif kind == "session.snapshot_rewind":
            _rewind(said.values(), lines.get(string(data.get("upToEventId"))))
        elif kind in _DESCRIBE:
            about.update(_described(kind, data, about))
        elif kind not in _PASSED and kind not in _SPEAK:
            kinds[kind or "without a type"] += 1
        models[agent] = _model(data) or models.get(agent, "")
        if kind not in _SPEAK:
            continue
        date = moment(record.get("timestamp"))
        try:
            for turn in _turns(kind, data, event, tools):
                if turn.text.strip():
                    message = Message(turn.role, whole(turn.text), turn.id, date)
                    said.setdefault(agent, []).append((number, message))
        except RecursionError:
            yield Problem(f"{path}:{number}", "nested too deeply to be read")
    yield from unknown(path, kinds)
    roles = (message.role for numbered in said.values() for _, message in numbered)
    yield from unknown_roles(path, Counter(roles))
    if not failed and not any(said.values()):
        yield Problem(str(path), "no conversation in it", "skipped")
    about.update(_workspace(path.parent / "workspace.yaml"))
    for agent, numbered in said.items():
        if numbered:
            messages = tuple(message for _, message in numbered)
            yield _session(about, agent, messages, names.get(agent, ""), models.get(agent, ""))


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any] | Problem]]:
    try:
        yield from json_lines(path)
    except OSError as error:
        yield 1, Problem(str(path), f"cannot be read: {error.strerror or error}")


def _rewind(said: Iterable[list[tuple[int, Message]]], line: int | None) -> None:
    """Take back what was said from *line* on. The client cuts the file itself as a rule, so that
    the event is no longer there."""
    for numbered in said:
        while line is not None and numbered and numbered[-1][0] >= line:
            numbered.pop()


def _described(kind: str, data: dict[str, Any], about: dict[str, str]) -> dict[str, str]:
    """What an event says of its session. Where it began counts, and what it is called now."""
    if kind == "session.title_changed":
        return {"title": string(data.get("title"))}
    place = data if kind == "session.context_changed" else data.get("context")
    place = place if isinstance(place, dict) else {}
    found = {name: string(place.get(name)) for name in ("cwd", "branch")}
    if kind == "session.start":
        found["id"] = string(data.get("sessionId"))
        found["date"] = string(data.get("startTime"))
        found["version"] = string(data.get("copilotVersion"))
    return {k: v for k, v in found.items() if v and (k == "id" or k not in about)}


def _workspace(path: Path) -> dict[str, str]:
    """The fields of a ``workspace.yaml`` that have a plain value."""
    try:
        text = path.read_text("utf-8", "replace")
    except OSError:
        return {}
    fields = {f[1]: f[2].strip() for f in map(_FIELD.fullmatch, text.splitlines()) if f}
    plain = {
        name: _bare(value)
        for name, value in fields.items()
        if value[0] not in "|>[{&*!" and value not in ("null", "~")
    }
    found = {
        "title": plain.get("name") or plain.get("summary"),
        "cwd": plain.get("cwd"),
        "branch": plain.get("branch"),
    }
    return {name: value for name, value in found.items() if value}


def _bare(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value


def _turns(kind: str, data: dict[str, Any], event: str, tools: dict[str, str]) -> Iterator[_Turn]:
    """What an event says. *tools* learns which call used which, and each call counts once."""
    content, call = without_ours(text_of(data.get("content"))), string(data.get("toolCallId"))
    if kind == "user.message":
        role, text = human(content)
        typed = string(data.get("source")) in _HUMAN and not data.get("isAutopilotContinuation")
        yield _Turn(role if typed else "context", text, event)
    elif kind == "assistant.message":
        yield _Turn("assistant", content, event)
        requests = data.get("toolRequests")
        for number, request in enumerate(requests if isinstance(requests, list) else ()):
            if isinstance(request, dict):
                id = string(request.get("toolCallId")) or f"{event}/{number}"
                yield from _call(id, request.get("name"), request.get("arguments"), tools)
    elif kind in ("tool.execution_start", "tool.user_requested"):
        yield from _call(call or event, data.get("toolName"), data.get("arguments"), tools)
    elif kind == "tool.execution_complete":
        name, told = tools.get(call, ""), _result(data)
        yield _Turn("tool", f"{name}: {told}" if name and told else told, event)
    elif kind == "system.message":
        role = string(data.get("role")).lower() or "system"
        yield _Turn("system" if role == "developer" else role, content, event)
    elif kind == "system.notification":
        yield _Turn("context", content, event)
    elif kind == "session.compaction_complete":
        yield _Turn("summary", text_of(data.get("summaryContent")), event)
    elif kind == "session.handoff":
        yield _Turn("summary", text_of(data.get("summary")), event)


def _call(id: str, name: Any, arguments: Any, tools: dict[str, str]) -> Iterator[_Turn]:
    if id not in tools:
        tools[id] = string(name)
        yield _Turn("tool", tool_call(tools[id], arguments), id)


def _result(data: dict[str, Any]) -> str:
    result, error = data.get("result"), data.get("error")
    if isinstance(result, dict):
        result = result.get("content") or result.get("detailedContent")
    told = text_of(result)
    if data.get("success") is False:
        error = error.get("message") if isinstance(error, dict) else error
        return f"error: {text_of(error) or told}"
    return told


def _model(data: dict[str, Any]) -> str:
    named = (string(data.get(name)) for name in ("newModel", "selectedModel", "model"))
    return next(filter(None, named), "")


def _session(
    about: dict[str, str], agent: str, messages: tuple[Message, ...], name: str, model: str
) -> Session:
    began = next((m.date for m in messages if m.date), None)
    session = Session(
        id=about["id"],
        messages=messages,
        title=title_of(messages, "user", given=about.get("title", "")),
        date=moment(about.get("date")) or began,
        folder=about.get("cwd", ""),
        branch=about.get("branch", ""),
        model=model,
        meta={"version": about["version"]} if "version" in about else {},
    )
    if not agent:
        return session
    return session._replace(
        id=f"{session.id}/{agent}",
        messages=delegated(messages),
        title=title_of(messages, "user", given=name),
        date=began,
        parent=session.id,
        relation="subagent",
    )


FORMAT = Format(
    name="copilot",
    label="Copilot CLI",
    recognises=_recognises,
    read=_read,
    homes=_homes,
)
