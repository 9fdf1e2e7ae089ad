"""Copilot CLI: ``~/.copilot/session-state/<session>/events.jsonl``, ``workspace.yaml`` beside it.

A line is an event, ``{type, data, id, parentId, timestamp, agentId?}``. A subagent's events lie
among those of the session that started it: they become a session of their own, in which nobody
is the human. A rewind takes back the event that it names and those after it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import takewhile
from pathlib import Path
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.nouns import Message, Problem
from recollect.sources import files
from recollect.sources.sessions.base import (
    Format,
    Read,
    Session,
    began,
    environment,
    first_date,
    moment,
    read_events,
    readable_lines,
)
from recollect.sources.sessions.turns import (
    OUR_ROLES,
    delegated,
    human,
    text_of,
    title_of,
    tool_call,
    whole,
    without_ours,
)
from recollect.sources.values import array, first, mapping, nonempty, string

_LINE = re.compile(
    rb'^\s*\{(?=[^{}\n]*"type"\s*:\s*"(?:session\.(?:start|resume)|user\.message|system\.message|'
    rb'assistant\.(?:message|turn_start)|tool\.execution_(?:start|complete))")'
    rb'[^{}\n]*"data"\s*:\s*\{',
    re.MULTILINE,
)
_FIELD = re.compile(r"(\w+):[ \t]+(\S.*)")
_UNQUOTED = re.compile(r"""\A(["'])(.*)\1\Z""", re.DOTALL)
_HUMAN = frozenset({"", "user", "immediate-prompt"})
"""Where a user message may come from to be the human's; others come from skills, commands, …"""
_DESCRIBE = frozenset(
    {"session.start", "session.resume", "session.context_changed", "session.title_changed"}
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
        "assistant": "turn_start turn_end intent reasoning_delta streaming_delta "
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


class _Event(NamedTuple):
    id: str
    data: dict[str, Any]
    tools: dict[str, str]
    """Which call used which tool; a call adds itself, and counts once."""

    @property
    def call(self) -> str:
        return string(self.data.get("toolCallId"))

    @property
    def content(self) -> str:
        return without_ours(text_of(self.data.get("content")))


class _CopilotTurn(NamedTuple):
    role: str
    text: str
    id: str


Turns = Iterable[_CopilotTurn]


def _recognises(path: Path, head: bytes) -> bool:
    return path.suffix == ".jsonl" and b'"parentId"' in head and bool(_LINE.search(head))


def _homes() -> tuple[Path, ...]:
    return (environment("COPILOT_HOME", "~/.copilot") / "session-state",)


def _read(path: Path) -> Read:
    return read_events(path, readable_lines(path), _EventLog(path))


class _EventLog:
    """Collects a session and its subagents, event by event."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.about = {"id": path.parent.name if path.name == "events.jsonl" else path.stem}
        self.lines: dict[str, int] = {}
        """Where each event stands."""
        self.said: dict[str, list[tuple[int, Message]]] = {"": []}
        """By agent; the session itself has the empty name."""
        self.names: dict[str, str] = {}
        self.models: dict[str, str] = {}
        self.tools: dict[str, str] = {}
        self.kinds: Counter[str] = Counter()

    def take(self, number: int, record: dict[str, Any]) -> Iterable[Problem]:
        kind, data = string(record.get("type")), mapping(record.get("data"))
        id = first(record.get("id"), f"{self.about['id']}:{number}")
        if self.lines.setdefault(id, number) != number:
            return ()
        agent = first(record.get("agentId"), data.get("parentToolCallId"))
        agent = self._note(kind, data, agent)
        models = (data.get("newModel"), data.get("selectedModel"), data.get("model"))
        self.models[agent] = first(*models, self.models.get(agent))
        date = moment(record.get("timestamp"))
        for turn in _SPEAK.get(kind, _silent)(_Event(id, data, self.tools)):
            if turn.text.strip():
                message = Message(turn.role, whole(turn.text), turn.id, date)
                self.said.setdefault(agent, []).append((number, message))
        return ()

    def _note(self, kind: str, data: dict[str, Any], agent: str) -> str:
        """Stores the facts about the session that an event holds; returns the agent of the
        event."""
        if kind == "subagent.started":
            agent = first(agent, data.get("toolCallId"))
            self.names[agent] = first(data.get("agentDisplayName"), data.get("agentName"))
        elif kind == "session.snapshot_rewind":
            self._rewind(self.lines.get(string(data.get("upToEventId"))))
        elif kind in _DESCRIBE:
            self.about.update(_described(kind, data, self.about))
        elif kind not in _PASSED and kind not in _SPEAK:
            self.kinds[first(kind, "without a type")] += 1
        return agent

    def _rewind(self, line: int | None) -> None:
        """Removes the messages from *line* on. As a rule the client cuts the file itself, and there
        is no such event."""
        for agent, numbered in self.said.items():
            kept = takewhile(lambda one: line is None or one[0] < line, numbered)
            self.said[agent] = list(kept)

    def sessions(self) -> list[Session]:
        self.about.update(_workspace(self.path.parent / "workspace.yaml"))
        return list(map(self._session, filter(self.said.get, self.said)))

    def _session(self, agent: str) -> Session:
        about, messages = self.about, tuple(message for _, message in self.said[agent])
        session = Session(
            id=about["id"],
            messages=messages,
            title=title_of(messages, "user", given=about.get("title", "")),
            date=began(about.get("date"), messages),
            folder=about.get("cwd", ""),
            branch=about.get("branch", ""),
            model=self.models.get(agent, ""),
            meta=nonempty(version=about.get("version")),
        )
        return self._subagent(session, agent) if agent else session

    def _subagent(self, session: Session, agent: str) -> Session:
        return session._replace(
            id=f"{session.id}/{agent}",
            messages=delegated(session.messages),
            title=title_of(session.messages, "user", given=self.names.get(agent, "")),
            date=first_date(session.messages),
            parent=session.id,
            relation="subagent",
        )


# ------------------------------------------------------------------ about a session


def _described(kind: str, data: dict[str, Any], about: dict[str, str]) -> dict[str, str]:
    """Returns what an event says of its session: where it began, and its latest title."""
    if kind == "session.title_changed":
        return {"title": string(data.get("title"))}
    place = data if kind == "session.context_changed" else mapping(data.get("context"))
    found = {name: string(place.get(name)) for name in ("cwd", "branch")}
    if kind == "session.start":
        found["id"] = string(data.get("sessionId"))
        found["date"] = string(data.get("startTime"))
        found["version"] = string(data.get("copilotVersion"))
    return {k: v for k, v in nonempty(**found).items() if k == "id" or k not in about}


def _workspace(path: Path) -> dict[str, str]:
    """The fields of a ``workspace.yaml`` that have a plain value."""
    try:
        text = files.sidecar(path).decode("utf-8", "replace")
    except OSError:
        return {}
    lines = filter(None, map(_FIELD.fullmatch, text.splitlines()))
    fields = {line[1]: line[2].strip() for line in lines}
    plain = {
        name: _UNQUOTED.sub(r"\2", value)
        for name, value in fields.items()
        if value[0] not in "|>[{&*!" and value not in ("null", "~")
    }
    return nonempty(
        title=first(plain.get("name"), plain.get("summary")),
        cwd=plain.get("cwd"),
        branch=plain.get("branch"),
    )


# ------------------------------------------------------------------ what events say


def _silent(_event: _Event) -> Turns:
    return ()


def _of_user(event: _Event) -> Turns:
    role, text = human(event.content)
    source = string(event.data.get("source"))
    typed = source in _HUMAN and not event.data.get("isAutopilotContinuation")
    return (_CopilotTurn(role if typed else "context", text, event.id),)


def _of_assistant(event: _Event) -> Turns:
    thought = text_of(event.data.get("reasoningText"))
    yield _CopilotTurn("thought", thought, f"{event.id}/thought")
    yield _CopilotTurn("assistant", event.content, event.id)
    for number, request in enumerate(array(event.data.get("toolRequests"))):
        if isinstance(request, dict):
            id = first(request.get("toolCallId"), f"{event.id}/{number}")
            yield from _call(event, id, request.get("name"), request.get("arguments"))


def _of_thought(event: _Event) -> Turns:
    return (_CopilotTurn("thought", event.content, event.id),)


def _of_call(event: _Event) -> Turns:
    id = event.call or event.id
    return _call(event, id, event.data.get("toolName"), event.data.get("arguments"))


def _call(event: _Event, id: str, name: Any, arguments: Any) -> Turns:
    if id not in event.tools:
        event.tools[id] = string(name)
        yield _CopilotTurn("tool", tool_call(event.tools[id], arguments), id)


def _of_result(event: _Event) -> Turns:
    told = _result(event.data)
    tool = event.tools.get(event.call)
    return (_CopilotTurn("tool", f"{tool}: {told}" if tool and told else told, event.id),)


def _result(data: dict[str, Any]) -> str:
    told = _first_text(data.get("result"), "content", "detailedContent")
    if data.get("success") is False:
        return f"error: {_first_text(data.get('error'), 'message') or told}"
    return told


def _first_text(value: Any, *names: str) -> str:
    """Returns the words of a value, or of the first of an object's fields that is not empty."""
    fields = map(value.get, names) if isinstance(value, dict) else (value,)
    return text_of(next(filter(None, fields), ""))


def _of_system(event: _Event) -> Turns:
    role = first(event.data.get("role"), "system").lower()
    return (_CopilotTurn(OUR_ROLES.get(role, role), event.content, event.id),)


def _of_notification(event: _Event) -> Turns:
    return (_CopilotTurn("context", event.content, event.id),)


def _of_compaction(event: _Event) -> Turns:
    return (_CopilotTurn("summary", text_of(event.data.get("summaryContent")), event.id),)


def _of_handoff(event: _Event) -> Turns:
    return (_CopilotTurn("summary", text_of(event.data.get("summary")), event.id),)


_SPEAK: dict[str, Callable[[_Event], Turns]] = {
    "user.message": _of_user,
    "assistant.message": _of_assistant,
    "assistant.reasoning": _of_thought,
    "tool.execution_start": _of_call,
    "tool.user_requested": _of_call,
    "tool.execution_complete": _of_result,
    "system.message": _of_system,
    "system.notification": _of_notification,
    "session.compaction_complete": _of_compaction,
    "session.handoff": _of_handoff,
}


FORMAT = Format(
    name="copilot",
    label="Copilot CLI",
    recognises=_recognises,
    read=_read,
    homes=_homes,
)
