"""Gemini CLI: ``~/.gemini/tmp/<project>/chats/session-<when>-<id>.jsonl``.

The file is a log of events, not of messages: the first line describes the session, a message
is written again whenever it grows (the last one counts, in the first one's place),
``{"$set": …}`` changes the description and may replace the messages, and ``{"$rewindTo": id}``
takes back that message and those after it. Older files, ``.json``, are one object with all of
it. What a compaction replaced was said all the same and stays; its snapshot is the summary.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from recollect.nouns import Message, Problem
from recollect.sources.sessions.base import (
    MAX_LINE,
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
    unique,
    until_last,
    without_ours,
)

_HEAD = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*\{"
    rb'(?=[^{}\[\]]*"sessionId"\s*:\s*")(?=[^{}\[\]]*"projectHash"\s*:\s*")'
)
_SNAPSHOT = re.compile(r"\s*<state_snapshot\b")
_THANKS = "Got it. Thanks for the additional context!"
"""What the client lets the model say to a snapshot."""
_HOOK_END = "</hook_context>"
_HOOK = re.compile(rf"(?:(?<!\s)\s+)?<hook_context>(.*?){_HOOK_END}\s*", re.DOTALL)
_PASSED = frozenset({"info", "error", "warning"})


class _Turn(NamedTuple):
    """What one record says."""

    said: tuple[Message, ...] = ()
    repeated: tuple[Message, ...] = ()
    """Tool results as they went back to the model: mostly in ``said`` of the call already."""
    model: str = ""


def _recognises(path: Path, head: bytes) -> bool:
    return path.suffix in (".json", ".jsonl") and bool(_HEAD.match(head))


def _homes() -> tuple[Path, ...]:
    home = Path(os.environ.get("GEMINI_CLI_HOME") or "~").expanduser()
    return (home / ".gemini" / "tmp",)


def _read(path: Path) -> Read:
    meta: dict[str, Any] = {}
    turns: dict[str, _Turn] = {}
    kinds: Counter[str] = Counter()
    failed = False
    for number, record in _records(path):
        if isinstance(record, Problem):
            failed = failed or record.level == "failed"
            yield record
            continue
        where, changes = f"{path}:{number}", record.get("$set")
        try:
            if "$rewindTo" in record:
                yield from _rewind(turns, record["$rewindTo"], where)
            elif isinstance(changes, dict):
                _describe(meta, turns, changes, kinds)
            elif "sessionId" in record and "type" not in record:
                _describe(meta, turns, record, kinds)
            else:
                _add(turns, record, kinds)
        except RecursionError:
            yield Problem(where, "nested too deeply to be read")
    yield from unknown(path, kinds)
    messages = unique(_messages(turns.values()))
    yield from unknown_roles(path, Counter(m.role for m in messages))
    if messages:
        model = next((turn.model for turn in reversed(turns.values()) if turn.model), "")
        yield _session(path, messages, meta, model)
    elif not failed:
        yield Problem(str(path), "no conversation in it", "skipped")


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any] | Problem]]:
    try:
        if path.suffix == ".jsonl":
            yield from json_lines(path)
        elif path.stat().st_size > MAX_LINE:
            yield 1, Problem(str(path), f"an object of over {MAX_LINE // 1_000_000} MB")
        elif (content := path.read_bytes()).strip():
            yield 1, _whole(path, content)
    except OSError as error:
        yield 1, Problem(str(path), f"cannot be read: {error.strerror or error}")


def _whole(path: Path, content: bytes) -> dict[str, Any] | Problem:
    try:
        record = json.loads(content)
    except (ValueError, RecursionError) as error:
        where = f"{path}:{error.lineno}" if isinstance(error, json.JSONDecodeError) else str(path)
        told = f"not JSON: {error}; if the client is still writing it, import again later"
        return Problem(where, told)
    if not isinstance(record, dict):
        return Problem(str(path), f"not an object but a {type(record).__name__}")
    return record


def _rewind(turns: dict[str, _Turn], to: Any, where: str) -> Iterator[Problem]:
    if not isinstance(to, str) or to not in turns:
        told = f"goes back to a message that is not there ({to!r}); nothing was taken away"
        yield Problem(where, told, "warning")
        return
    while turns.popitem()[0] != to:
        pass


def _describe(
    meta: dict[str, Any], turns: dict[str, _Turn], changes: dict[str, Any], kinds: Counter[str]
) -> None:
    meta.update((name, value) for name, value in changes.items() if name != "messages")
    records = changes.get("messages")
    if not isinstance(records, list):
        return
    new: dict[str, _Turn] = {}
    for record in records:
        _add(new, record if isinstance(record, dict) else {}, kinds)
    if not any(message.role == "summary" for turn in new.values() for message in turn.said):
        turns.clear()
    for id, turn in new.items():
        turns.setdefault(id, turn)


def _add(turns: dict[str, _Turn], record: dict[str, Any], kinds: Counter[str]) -> None:
    id, kind = string(record.get("id")), string(record.get("type")).lower()
    if not id or not kind:
        kinds[kind or next(iter(record), "empty")] += 1
        return
    date = moment(record.get("timestamp"))
    if kind == "user":
        turns[id] = _user(record, id, date)
    elif kind == "gemini":
        turns[id] = _gemini(record, id, date)
    elif kind not in _PASSED:
        text = without_ours(text_of(record.get("content")))
        turns[id] = _Turn((Message(kind, text, id, date),))


def _user(record: dict[str, Any], id: str, date: datetime | None) -> _Turn:
    """The human's words keep the record's id, and what the client added has one made of it."""
    typed, content = text_of(record.get("displayContent")), record.get("content")
    blocks = content if isinstance(content, list) else [content]
    parts: dict[str, list[str]] = {"context": [], "summary": [], "user": []}
    repeated = []
    for number, block in enumerate(blocks):
        response = block.get("functionResponse") if isinstance(block, dict) else None
        if isinstance(response, dict):
            call = string(response.get("id")) or f"{id}/{number}"
            text = _result(string(response.get("name")), block)
            repeated.append(Message("tool", text, f"{call}/result", date))
            continue
        for role, text in _speakers(text_of(block)):
            parts[role].append(text)
    if typed:
        *_, (_, own) = _speakers(typed)  # what a hook says at the start stands before the first
        rest = "\n\n".join(parts["user"]).removeprefix(own)
        parts["user"] = [own]
        parts["context"].append(rest.strip())
    said = {role: "\n\n".join(t for t in texts if t.strip()) for role, texts in parts.items()}
    several = sum(bool(text) for text in said.values()) > 1
    return _Turn(
        tuple(
            Message(role, text, f"{id}/{role}" if several and role != "user" else id, date)
            for role, text in said.items()
            if text
        ),
        tuple(repeated),
    )


def _speakers(text: str) -> Iterator[tuple[str, str]]:
    """What a hook added to a text, which the client escapes, and the rest of it."""
    hooked, rest = until_last(_HOOK_END, text)
    for hook in _HOOK.findall(hooked):
        told = hook.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
        yield "context", without_ours(told)
    role, rest = human(_HOOK.sub("", hooked) + rest)
    yield ("summary" if _SNAPSHOT.match(rest) else role), rest


def _gemini(record: dict[str, Any], id: str, date: datetime | None) -> _Turn:
    content = record.get("content")
    blocks = content if isinstance(content, list) else [content]
    plain = [b for b in blocks if not (isinstance(b, dict) and b.get("thought"))]
    text = without_ours(text_of([b for b in plain if isinstance(b, str | dict)]))
    role = "context" if text.strip() == _THANKS else "assistant"
    said = [Message(role, text, id, date)]
    calls = record.get("toolCalls")
    if not isinstance(calls, list):
        calls = [b["functionCall"] for b in plain if isinstance(b, dict) and "functionCall" in b]
    for number, call in enumerate(c for c in calls if isinstance(c, dict)):
        name, own = string(call.get("name")), string(call.get("id")) or f"{id}/{number}"
        when = moment(call.get("timestamp")) or date
        said.append(Message("tool", tool_call(name, call.get("args")), own, when))
        said.append(Message("tool", _result(name, call.get("result")), f"{own}/result", when))
    spoken = tuple(message for message in said if message.text.strip())
    return _Turn(spoken, model=string(record.get("model")))


def _result(name: str, result: Any) -> str:
    blocks = result if isinstance(result, list) else [result]
    told = []
    for block in blocks:
        response = block.get("functionResponse") if isinstance(block, dict) else None
        given = response.get("response") if isinstance(response, dict) else None
        if not isinstance(given, dict):
            told.append(text_of(block))
        elif isinstance(given.get("output"), str):
            told.append(given["output"])
        elif isinstance(given.get("error"), str):
            told.append(f"error: {given['error']}")
        else:
            told.append(json.dumps(given, ensure_ascii=False))
    text = "\n\n".join(t for t in told if t.strip())
    return f"{name}: {text}" if name and text else text


def _messages(turns: Iterable[_Turn]) -> Iterator[Message]:
    results: set[str] = set()
    for turn in turns:
        for message in turn.said:
            if message.role == "tool":
                results.update((message.id, message.text))
            yield message
        for message in turn.repeated:
            if message.id not in results and message.text not in results:
                yield message


def _session(
    path: Path, messages: tuple[Message, ...], meta: dict[str, Any], model: str
) -> Session:
    title = title_of(messages, "user", given=string(meta.get("summary")))
    subagent = meta.get("kind") == "subagent"
    if subagent:  # its tasks come from another agent
        messages = delegated(messages)
    return Session(
        id=string(meta.get("sessionId")) or path.stem,
        messages=messages,
        title=title,
        date=moment(meta.get("startTime")) or next((m.date for m in messages if m.date), None),
        parent=path.parent.name if subagent and path.parent.parent.name == "chats" else "",
        relation="subagent" if subagent else "",
        folder=_folder(path, meta),
        model=model,
    )


def _folder(path: Path, meta: dict[str, Any]) -> str:
    for above in list(path.parents)[:3]:
        try:
            return (above / ".project_root").read_text("utf-8", "replace").strip()
        except OSError:
            continue
    folders = meta.get("directories")
    return next((f for f in folders if isinstance(f, str)), "") if isinstance(folders, list) else ""


FORMAT = Format(
    name="gemini",
    label="Gemini CLI",
    recognises=_recognises,
    read=_read,
    homes=_homes,
    pattern="**/chats/**/*.json*",
)
