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
=========  ==========================================================================

so that searching what was said needs no knowledge of formats, and nothing is thrown away.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

from recollect.nouns import NO_META, ROLES, Message, Problem
from recollect.text.dates import parse_date

Relation = Literal["", "fork", "subagent", "compaction"]
MAX_LINE = 64_000_000


class Session(NamedTuple):
    """One conversation as its client kept it."""

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


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any] | Problem]]:
    """The numbered objects of a log. A line that cannot be used is a problem; a last line
    without its end is being written and is left for the next time, with a warning."""
    with open(path, "rb") as stream:
        number = 0
        while line := stream.readline(MAX_LINE):
            number += 1
            where = f"{path}:{number}"
            whole = line.endswith(b"\n")
            if not whole and len(line) >= MAX_LINE:
                yield number, Problem(where, f"a line of over {MAX_LINE // 1_000_000} MB")
                while (rest := stream.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                    pass
                continue
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                if whole:
                    yield number, Problem(where, f"not JSON: {error}")
                else:
                    said = "the last line is not complete yet; the next import reads it"
                    yield number, Problem(where, said, "warning")
                continue
            if isinstance(record, dict):
                yield number, record
            else:
                yield number, Problem(where, f"not an object but a {type(record).__name__}")


def moment(value: Any) -> datetime | None:
    """A date in seconds, milliseconds or ISO form; None if there is none to be read."""
    try:
        return parse_date(value) if value not in (None, "") else None
    except ValueError:
        return None


def unknown(
    path: Path,
    kinds: Counter[str],
    said: str = "records of kinds that are not known were passed over",
) -> Iterator[Problem]:
    """One warning for all the records that a reader did not know."""
    if kinds:
        told = ", ".join(f"{kind} ({count})" for kind, count in sorted(kinds.items()))
        yield Problem(str(path), f"{said}: {told}", "warning")


def unknown_roles(path: Path, roles: Counter[str]) -> Iterator[Problem]:
    """One warning for all those of a log's *roles* that are none of ours."""
    strange = Counter({role: count for role, count in roles.items() if role not in ROLES})
    yield from unknown(path, strange, "roles that are not known were kept as they are")
