"""What the readers of session formats share: the shape they yield, and streamed lines.

A message's role says who really speaks, whatever the client's log calls it

=========  ==========================================================================
user       the human, and nobody else
assistant  the model's words
tool       a tool call or its result
context    put in by the client or a hook: environment, reminders, files, commands
summary    made from earlier messages: compaction, a checkpoint
system     the client's own instructions
rewound    taken back: whoever said it, the conversation went on from before it
thought    what the model thought and did not say; an import leaves it out unless it is wanted
=========  ==========================================================================

so that searching what was said needs no knowledge of formats, and nothing is thrown away.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Protocol

from recollect.named_tuple import NamedTuple
from recollect.nouns import NO_META, ROLES, Message, Problem, without
from recollect.sources.files import numbered_lines, why
from recollect.sources.values import mapping
from recollect.text.dates import parse_date

Relation = Literal["", "fork", "subagent", "compaction"]
MAX_LINE = 64_000_000


class Session(NamedTuple):
    """One conversation, read from the log of its client."""

    id: str
    messages: tuple[Message, ...]
    title: str = ""
    date: datetime | None = None
    """When it began; the first message's date where the log does not say."""
    parent: str = ""
    """The id of the session it came from, by way of its relation."""
    relation: Relation = ""
    folder: str = ""
    """The working directory."""
    branch: str = ""
    model: str = ""
    meta: Mapping[str, Any] = NO_META
    """What else is worth keeping, small."""


Read = Iterator[Session | Problem]


class Format(NamedTuple):
    """A kind of session log."""

    name: str
    """Such as ``claude-code``: the ``format`` in a session's metadata."""
    label: str
    """As a person calls it: "Claude Code"."""
    recognises: Callable[[Path, bytes], bool]
    """Whether a file is of this format, by its path and its first 64 KiB."""
    read: Callable[[Path], Read]
    """The sessions in a file, streamed; what is wrong with it as problems that name the line."""
    homes: Callable[[], Iterable[Path]]
    """The files or folders where this machine would have them; they need not exist."""
    pattern: str = "**/*.jsonl"
    """Which files below a home are logs."""


Line = tuple[int, dict[str, Any] | Problem]
"""The number of a line of a log, and its object."""


def json_lines(path: Path) -> Iterator[Line]:
    """Yields the numbered objects of a log. A line that cannot be used is a problem; a last line
    without its end is being written and is left for the next time, with a warning."""
    with open(path, "rb") as stream:
        for number, line in numbered_lines(stream, MAX_LINE):
            where = f"{path}:{number}"
            if line is None:
                yield number, Problem(where, f"a line of over {MAX_LINE // 1_000_000} MB")
            elif line.strip():
                yield number, _object(line, where)


def _object(line: bytes, where: str) -> dict[str, Any] | Problem:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        if line.endswith(b"\n"):
            return Problem(where, f"not JSON: {error}")
        told = "the last line is not complete yet; the next import reads it"
        return Problem(where, told, "warning")
    if not isinstance(record, dict):
        return Problem(where, f"not an object but a {type(record).__name__}")
    return record


def readable_lines(path: Path) -> Iterator[Line]:
    """Yields the objects of a log; a file that cannot be read is a problem too."""
    try:
        yield from json_lines(path)
    except OSError as error:
        yield 1, unreadable(path, error)


def unreadable(path: Path, error: OSError) -> Problem:
    return Problem(str(path), why(error))


def nothing_said(path: Path, lines: int = 1) -> Problem:
    told = "no conversation in it" if lines else "empty: there is nothing to import"
    return Problem(str(path), told, "skipped")


class Log(Protocol):
    """What a reader has collected of a log, line by line."""

    @property
    def empty(self) -> bool: ...
    def take(self, number: int, record: dict[str, Any]) -> Iterator[Problem]: ...
    def sessions(self) -> Read: ...
    def warnings(self) -> Iterator[Problem]: ...


def read_lines(path: Path, log: Log) -> Read:
    """Yields the sessions of a log of JSON lines, after what is wrong with its lines."""
    number, readable = 0, True
    for number, record in readable_lines(path):
        if isinstance(record, Problem):
            readable = readable and record.where != str(path)
            yield record
            continue
        try:
            yield from log.take(number, record)
        except RecursionError:
            yield Problem(f"{path}:{number}", "nested too deeply; the record was passed over")
    if readable and log.empty:
        yield nothing_said(path, number)
    yield from log.sessions()
    yield from log.warnings()


class EventLog(Protocol):
    """What a reader has collected of a client's events."""

    kinds: Counter[str]
    """Events that the reader does not know."""

    def take(self, number: int, record: dict[str, Any]) -> Iterable[Problem]: ...
    def sessions(self) -> list[Session]: ...


def read_events(path: Path, lines: Iterable[Line], log: EventLog) -> Read:
    """Yields what is wrong with the lines of a log, one warning for each thing that is not known,
    and the sessions."""
    failed = False
    for number, record in lines:
        if isinstance(record, Problem):
            failed |= record.level == "failed"
            yield record
            continue
        try:
            yield from log.take(number, record)
        except RecursionError:
            yield Problem(f"{path}:{number}", "nested too deeply to be read")
    yield from unknown(path, log.kinds)
    sessions = log.sessions()
    yield from unknown_roles(path, Counter(m.role for one in sessions for m in one.messages))
    yield from sessions
    if not failed and not sessions:
        yield nothing_said(path)


def recognised(
    head: bytes, is_ours: Callable[[dict[str, Any]], bool | None], cut: re.Pattern[bytes]
) -> bool:
    """Decides whether a log is of a client by the first record that tells (*is_ours* returns None
    for one that does not). A line that is not JSON, as the last may be, counts if it is *cut*."""
    for line in head.splitlines():
        try:
            ours = is_ours(mapping(json.loads(line)))
        except (ValueError, RecursionError):
            ours = True if cut.match(line) else None
        if ours is not None:
            return ours
    return False


def first_object(head: bytes) -> dict[str, Any]:
    """Returns the object on the first line of a log; an empty one if there is none."""
    return mapping(_object(head.split(b"\n", 1)[0], ""))


def environment(name: str, default: str) -> Path:
    """Returns the folder that a variable of the environment names, else the default."""
    return Path(os.environ.get(name) or default).expanduser()


def first_date(messages: Iterable[Message]) -> datetime | None:
    """Returns the date of the first message that has one."""
    return next((message.date for message in messages if message.date), None)


def began(said: Any, messages: Iterable[Message]) -> datetime | None:
    """Returns when a session began: what the log says, else the date of its first message."""
    return moment(said) or first_date(messages)


def moment(value: Any) -> datetime | None:
    """A date in seconds, milliseconds or ISO form; None if there is none to be read."""
    try:
        return parse_date(value) if value not in (None, "") else None
    except ValueError:
        return None


def unknown(
    path: Path,
    kinds: Counter[str],
    what: str = "records of kinds that are not known were passed over",
) -> Iterator[Problem]:
    """One warning for all the records that a reader did not know."""
    if kinds:
        told = ", ".join(f"{kind} ({count})" for kind, count in sorted(kinds.items()))
        yield Problem(str(path), f"{what}: {told}", "warning")


def unknown_roles(path: Path, roles: Counter[str]) -> Iterator[Problem]:
    """One warning for all those of a log's *roles* that are none of ours."""
    strange = Counter(without(roles, ROLES))
    yield from unknown(path, strange, "roles that are not known were kept as they are")
