"""Gemini CLI: ``~/.gemini/tmp/<project>/chats/session-<when>-<id>.jsonl``.

The file is a log of events, not of messages: the first line describes the session, a message
is written again whenever it grows (the last one counts, in the first one's place),
``{"$set": …}`` changes the description and may replace the messages, and ``{"$rewindTo": id}``
takes back that message and those after it. Older files, ``.json``, are one object with all of
it. What a compaction replaced was said all the same and stays; its snapshot is the summary.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

from recollect.named_tuple import NamedTuple
from recollect.nouns import Message, Problem, of_type, partition, without
from recollect.sources import files
from recollect.sources.sessions.base import (
    MAX_LINE,
    Format,
    Line,
    Read,
    Session,
    began,
    environment,
    moment,
    read_events,
    readable_lines,
    unreadable,
)
from recollect.sources.sessions.turns import (
    delegated,
    human,
    speakers,
    text_of,
    title_of,
    tool_call,
    unique,
    until_last,
    without_ours,
)
from recollect.sources.values import array, dig, first, listed, mapping, objects, string

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


class _GeminiTurn(NamedTuple):
    """The messages of one record."""

    said: tuple[Message, ...] = ()
    repeated: tuple[Message, ...] = ()
    """Tool results as they went back to the model: mostly in ``said`` of the call already."""
    model: str = ""


def _recognises(path: Path, head: bytes) -> bool:
    return path.suffix in (".json", ".jsonl") and bool(_HEAD.match(head))


def _homes() -> tuple[Path, ...]:
    return (environment("GEMINI_CLI_HOME", "~") / ".gemini" / "tmp",)


def _read(path: Path) -> Read:
    return read_events(path, _records(path), _SessionEvents(path))


def _records(path: Path) -> Iterator[Line]:
    if path.suffix == ".jsonl":
        yield from readable_lines(path)
        return
    try:
        yield from _one(path)
    except OSError as error:
        yield 1, unreadable(path, error)


def _one(path: Path) -> Iterator[Line]:
    """Yields the one object of an older file."""
    if path.stat().st_size > MAX_LINE:
        yield 1, Problem(str(path), f"an object of over {MAX_LINE // 1_000_000} MB")
    elif (content := path.read_bytes()).strip():
        yield 1, _whole(path, content)


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


class _SessionEvents:
    """Collects a session, event by event."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.meta: dict[str, Any] = {}
        self.turns: dict[str, _GeminiTurn] = {}
        """By the id of the record."""
        self.kinds: Counter[str] = Counter()

    def take(self, number: int, record: dict[str, Any]) -> Iterator[Problem]:
        """Applies one event; yields what is wrong with it."""
        changes = record.get("$set")
        if "$rewindTo" in record:
            yield from self._rewind(record["$rewindTo"], f"{self.path}:{number}")
        elif isinstance(changes, dict):
            self._describe(changes)
        elif "sessionId" in record and "type" not in record:
            self._describe(record)
        else:
            self._add(self.turns, record)

    def sessions(self) -> list[Session]:
        messages = unique(_messages(self.turns.values()))
        return [_session(self.path, messages, self)] if messages else []

    def _rewind(self, to: Any, where: str) -> Iterator[Problem]:
        if not isinstance(to, str) or to not in self.turns:
            told = f"goes back to a message that is not there ({to!r}); nothing was taken away"
            yield Problem(where, told, "warning")
            return
        while self.turns.popitem()[0] != to:
            pass

    def _describe(self, changes: dict[str, Any]) -> None:
        self.meta |= without(changes, ("messages",))
        if isinstance(changes.get("messages"), list):
            self._replace(changes["messages"])

    def _replace(self, records: list[Any]) -> None:
        """Puts other messages in the place of those so far; a summary of them is added."""
        new: dict[str, _GeminiTurn] = {}
        for record in records:
            self._add(new, mapping(record))
        said = chain.from_iterable(turn.said for turn in new.values())
        if "summary" not in {message.role for message in said}:
            self.turns.clear()
        self.turns |= without(new, self.turns)

    def _add(self, turns: dict[str, _GeminiTurn], record: dict[str, Any]) -> None:
        id, kind = string(record.get("id")), string(record.get("type")).lower()
        if not id or not kind:
            self.kinds[kind or next(iter(record), "empty")] += 1
        elif kind not in _PASSED:
            read = _TURNS.get(kind, _other)
            turns[id] = read(record, id, moment(record.get("timestamp")))


def _user(record: dict[str, Any], id: str, date: datetime | None) -> _GeminiTurn:
    """Returns the turn of a user record: the human's words keep its id, and what the client added
    gets one made of it."""
    parts: dict[str, list[str]] = {"context": [], "summary": [], "user": []}
    repeated = []
    for number, block in enumerate(listed(record.get("content"))):
        response = mapping(block).get("functionResponse")
        if isinstance(response, dict):
            call = first(response.get("id"), f"{id}/{number}")
            text = _result(string(response.get("name")), block)
            repeated.append(Message("tool", text, f"{call}/result", date))
        else:
            _sort(parts, text_of(block))
    if typed := text_of(record.get("displayContent")):
        *_, (_, own) = _speakers(typed)  # what a hook says at the start stands before the first
        rest = "\n\n".join(parts["user"]).removeprefix(own)
        parts["user"] = [own]
        parts["context"].append(rest.strip())
    said = [Message(role, text, id + part, date) for role, text, part in speakers(parts) if text]
    return _GeminiTurn(tuple(said), tuple(repeated))


def _sort(parts: dict[str, list[str]], text: str) -> None:
    for role, words in _speakers(text):
        parts[role].append(words)


def _speakers(text: str) -> Iterator[tuple[str, str]]:
    """Yields what hooks added to a text (the client escapes it), then the rest of the text."""
    hooked, rest = until_last(_HOOK_END, text)
    for hook in _HOOK.findall(hooked):
        told = hook.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
        yield "context", without_ours(told)
    role, rest = human(_HOOK.sub("", hooked) + rest)
    yield ("summary" if _SNAPSHOT.match(rest) else role), rest


def _gemini(record: dict[str, Any], id: str, date: datetime | None) -> _GeminiTurn:
    blocks = listed(record.get("content"))
    thinking, plain = partition(lambda block: mapping(block).get("thought"), blocks)
    text = without_ours(text_of(plain))
    role = "context" if text.strip() == _THANKS else "assistant"
    thought = [f"{one.get('subject')}: {one.get('description')}" for one in _thoughts(record)]
    thought += map(text_of, thinking)
    said = [Message("thought", "\n\n".join(thought), f"{id}/thought", date)]
    said.append(Message(role, text, id, date))
    for number, call in enumerate(_calls(record, plain)):
        name, own = string(call.get("name")), first(call.get("id"), f"{id}/{number}")
        when = moment(call.get("timestamp")) or date
        said.append(Message("tool", tool_call(name, call.get("args")), own, when))
        said.append(Message("tool", _result(name, call.get("result")), f"{own}/result", when))
    spoken = tuple(message for message in said if message.text.strip())
    return _GeminiTurn(spoken, model=string(record.get("model")))


def _thoughts(record: dict[str, Any]) -> list[dict[str, Any]]:
    return objects(array(record.get("thoughts")))


def _calls(record: dict[str, Any], blocks: list[Any]) -> list[dict[str, Any]]:
    """Returns the calls of tools: of the record, else of its blocks."""
    calls = record.get("toolCalls")
    inside = [mapping(block).get("functionCall") for block in blocks]
    return objects(calls if isinstance(calls, list) else inside)


def _other(record: dict[str, Any], id: str, date: datetime | None) -> _GeminiTurn:
    text = without_ours(text_of(record.get("content")))
    return _GeminiTurn((Message(string(record.get("type")).lower(), text, id, date),))


_TURNS: dict[str, Callable[[dict[str, Any], str, datetime | None], _GeminiTurn]] = {
    "user": _user,
    "gemini": _gemini,
}


def _result(name: str, result: Any) -> str:
    text = "\n\n".join(filter(str.strip, map(_response, listed(result))))
    return f"{name}: {text}" if name and text else text


def _response(block: Any) -> str:
    """Returns what a tool answered: its output, its error, or all of it as JSON."""
    given = dig(block, "functionResponse", "response")
    if not isinstance(given, dict):
        return text_of(block)
    output, error = given.get("output"), given.get("error")
    if isinstance(output, str):
        return output
    return f"error: {error}" if isinstance(error, str) else json.dumps(given, ensure_ascii=False)


def _messages(turns: Iterable[_GeminiTurn]) -> Iterator[Message]:
    results: set[str] = set()  # the ids and the texts
    for turn in turns:
        yield from turn.said
        tools = [message for message in turn.said if message.role == "tool"]
        results.update(*((message.id, message.text) for message in tools))
        yield from (m for m in turn.repeated if results.isdisjoint((m.id, m.text)))


def _session(path: Path, messages: tuple[Message, ...], log: _SessionEvents) -> Session:
    meta = log.meta
    session = Session(
        id=string(meta.get("sessionId")) or path.stem,
        messages=messages,
        title=title_of(messages, "user", given=string(meta.get("summary"))),
        date=began(meta.get("startTime"), messages),
        folder=_folder(path, meta),
        model=first(*(turn.model for turn in reversed(log.turns.values()))),
    )
    if meta.get("kind") != "subagent":
        return session
    above = path.parent
    return session._replace(
        messages=delegated(messages),  # its tasks come from another agent
        parent=above.name if above.parent.name == "chats" else "",
        relation="subagent",
    )


def _folder(path: Path, meta: dict[str, Any]) -> str:
    """Returns the working directory: of the project's folder, else of the description."""
    for above in list(path.parents)[:3]:
        try:
            return files.sidecar(above / ".project_root").decode("utf-8", "replace").strip()
        except OSError:
            continue
    return next(iter(of_type(array(meta.get("directories")), str)), "")


FORMAT = Format(
    name="gemini",
    label="Gemini CLI",
    recognises=_recognises,
    read=_read,
    homes=_homes,
    pattern="**/chats/**/*.json*",
)
