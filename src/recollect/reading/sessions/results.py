"""What recall of conversations returns. Sizes are in characters; every value has its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from recollect.moments import iso
from recollect.named_tuple import NamedTuple
from recollect.nouns import SCHEMA_VERSION, Stage, attributes, filled, json_list


class SessionMessage(NamedTuple):
    """A message of a session. ``id`` leads back to it: ``around=id`` in its session."""

    id: str
    role: str
    date: datetime | None
    text: str
    size: int
    """Of the whole message; more than the text's where it was cut."""
    truncated: bool = False
    anchor: bool = False
    """Whether it is the one that was found or asked for."""

    def as_json(self) -> dict[str, Any]:
        made: dict[str, Any] = {
            "id": self.id,
            "role": self.role,
            "date": iso(self.date),
            "text": self.text,
            "size": self.size,
            "truncated": self.truncated,
        }
        return {**made, "anchor": True} if self.anchor else made


def _messages(some: tuple[SessionMessage, ...]) -> list[dict[str, Any]]:
    return json_list(some)


class SessionName(NamedTuple):
    """Whose messages they are: the session that really has them."""

    session_id: str
    title: str
    date: datetime | None
    """When it began."""
    source: str
    folder: str = ""
    """Where it worked."""
    relation: str = ""
    """``fork``, ``subagent`` or ``compaction``, if it came from another."""
    parent_session_id: str = ""
    """The beginning of its lineage, if that is another session and is stored."""
    automated: bool = False
    """Whether no human took part."""

    def as_json(self) -> dict[str, Any]:
        others = ("folder", "relation", "parent_session_id", "automated")
        return {
            "session_id": self.session_id,
            "title": self.title,
            "date": iso(self.date),
            "source": self.source,
            **filled(attributes(self, others)),
        }


class Also(NamedTuple):
    """Another session of the same lineage that was found."""

    session_id: str
    match_message_id: str

    def as_json(self) -> dict[str, Any]:
        return self._asdict()


class SessionHit(NamedTuple):
    """A conversation that was found, by its best message."""

    session: SessionName
    match_message_id: str
    confidence: float
    """The probability that it answers the question, or part of it."""
    evidence: tuple[str, ...]
    """What found it: ``title``, ``lexical``, ``vector`` …, or ``recent``; and ``time``, where that
    put it in its place."""
    snippet: str
    """The part of the message that shows why it was found."""
    messages: tuple[SessionMessage, ...]
    """The message that was found, with those around it where there is a window."""
    opening: tuple[SessionMessage, ...] = ()
    """The first that were said, without those in the window."""
    closing: tuple[SessionMessage, ...] = ()
    hidden: Mapping[str, int] = {}
    """What is not shown between the first and the last of the messages, by reason."""
    also: tuple[Also, ...] = ()

    def as_json(self) -> dict[str, Any]:
        made = {
            **self.session.as_json(),
            "match_message_id": self.match_message_id,
            "confidence": round(self.confidence, 4),
            "evidence": list(self.evidence),
            "snippet": self.snippet,
            "messages": _messages(self.messages),
        }
        if self.opening or self.closing:
            made["bookends"] = {
                "start": _messages(self.opening),
                "end": _messages(self.closing),
            }
        if self.hidden:
            made["hidden"] = dict(self.hidden)
        if self.also:
            made["also"] = json_list(self.also)
        return made


class Discovery(NamedTuple):
    """The conversations about something."""

    query: str
    sort: str
    routed: str
    """Why it is sorted so, where the question said it."""
    confidence: float
    hits: tuple[SessionHit, ...]
    found: int
    """Conversations that match, also those over the limit."""
    hidden: Mapping[str, int]
    searched: Mapping[str, Any]
    """What was looked through."""
    notes: tuple[str, ...]
    """What was clamped, relaxed or read in another way."""
    degraded: tuple[str, ...]
    stages: tuple[Stage, ...]
    timing_ms: float

    @property
    def shape(self) -> str:
        return "discovery"

    def as_json(self) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA_VERSION,
            "shape": self.shape,
            "query": self.query,
            "sort": self.sort,
            "routed": self.routed,
            "confidence": round(self.confidence, 4),
            "results": json_list(self.hits),
            "found": self.found,
            "hidden": dict(self.hidden),
            "searched": dict(self.searched),
            "notes": list(self.notes),
            "degraded": list(self.degraded),
            "stages": json_list(self.stages),
            "timing_ms": round(self.timing_ms, 3),
        }


class MessageWindow(NamedTuple):
    """The messages around one, or why there are none."""

    around: str
    session: SessionName | None
    messages: tuple[SessionMessage, ...] = ()
    previous: str = ""
    """The first of the messages, if there are more before it: the window around it goes back."""
    next: str = ""
    """The last of the messages, if there are more after it."""
    hidden: Mapping[str, int] = {}
    warning: str = ""
    error: str = ""

    def as_json(self) -> dict[str, Any]:
        if self.error or self.session is None:
            return {"around": self.around, "error": self.error}
        made = {
            "around": self.around,
            **self.session.as_json(),
            "messages": _messages(self.messages),
            "previous": self.previous or None,
            "next": self.next or None,
            "hidden": dict(self.hidden),
        }
        return {**made, "warning": self.warning} if self.warning else made


class Scroll(NamedTuple):
    """The messages around each of those that were asked for."""

    windows: tuple[MessageWindow, ...]
    notes: tuple[str, ...]

    @property
    def shape(self) -> str:
        return "scroll"

    def as_json(self) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA_VERSION,
            "shape": self.shape,
            "windows": json_list(self.windows),
            "notes": list(self.notes),
        }


class SessionRead(NamedTuple):
    """How a conversation begins and how it ends."""

    session: SessionName
    first: tuple[SessionMessage, ...]
    last: tuple[SessionMessage, ...]
    total: int
    """Messages that may be seen."""
    left_out: int
    """Those between the first and the last."""
    hidden: Mapping[str, int]
    notes: tuple[str, ...]

    @property
    def shape(self) -> str:
        return "read"

    def as_json(self) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA_VERSION,
            "shape": self.shape,
            **self.session.as_json(),
            "first": _messages(self.first),
            "last": _messages(self.last),
            "total": self.total,
            "left_out": self.left_out,
            "hidden": dict(self.hidden),
            "notes": list(self.notes),
        }


class SessionLine(NamedTuple):
    """A conversation in a line or two."""

    session: SessionName
    last: datetime | None
    """When something was said last."""
    messages: int
    goal: str
    """How the first thing that was asked begins."""
    resolution: str
    """How the last answer begins."""
    lineage: int = 0
    """How many other sessions of its lineage stand behind it: forks, subagents, earlier parts."""

    def as_json(self) -> dict[str, Any]:
        return {
            **self.session.as_json(),
            "last": iso(self.last),
            "messages": self.messages,
            "goal": self.goal,
            "resolution": self.resolution,
            "lineage": self.lineage,
        }


class Browse(NamedTuple):
    """The recent conversations, newest first; those without a human at the end."""

    sessions: tuple[SessionLine, ...]
    hidden: Mapping[str, int]
    searched: Mapping[str, Any]
    notes: tuple[str, ...]

    @property
    def shape(self) -> str:
        return "browse"

    def as_json(self) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA_VERSION,
            "shape": self.shape,
            "sessions": json_list(self.sessions),
            "hidden": dict(self.hidden),
            "searched": dict(self.searched),
            "notes": list(self.notes),
        }


SessionsAnswer = Discovery | Scroll | SessionRead | Browse
