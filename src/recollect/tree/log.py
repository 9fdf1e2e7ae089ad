"""The prelude: a running log of what was observed in conversations, for who begins a new one.

An observation is a statement with its day. The log is one document of the kind ``prelude`` for
everybody who may see the same; it has no passages, so that no search finds it. People read and edit
it as Markdown, a heading for each day:

    ## 3 Nov 2026

    - decision: We chose Grafana OnCall.

What it guarantees
- The log stays below :data:`MOST_TOKENS`: what weighs least is left out first, by type, worth and
  age. What a person wrote is never left out, and preferences do not age.
- ``parse(written(log))`` gives the same entries again, and an edit changes the lines that it
  touches alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from math import exp2
from typing import Any

from recollect.errors import UsageError
from recollect.moments import from_iso, iso
from recollect.named_tuple import NamedTuple
from recollect.nouns import LOCAL, UNIVERSAL, Document, group_by, stable_id
from recollect.text.stated import written as dates_in
from recollect.text.support import tables
from recollect.text.tokens import count_tokens

KIND = SOURCE = "prelude"
MOST_TOKENS = 1_500
HALF_LIFE = 45
"""Days in which what was observed comes to weigh half as much."""
WEIGHTS: Mapping[str, float] = {
    "preference": 1.0,
    "decision": 0.8,
    "expertise": 0.7,
    "task": 0.5,
    "open_question": 0.5,
    "fact": 0.4,
    "relation": 0.4,
    "entity": 0.3,
}
"""What an observation of a type weighs; the heaviest are told first."""
LASTING = ("preference", "expertise")
_MONTHS = [*map(str.capitalize, tables.MONTH_NUMBERS)]
_TITLE = re.compile(r"#(?!#)|\ufeff#")
_LINE = re.compile(rf"[-*+]\s+(?:({'|'.join(WEIGHTS)}):\s+)?(\S.*)")


class Observation(NamedTuple):
    """A statement that somebody made, and when."""

    at: datetime
    type: str
    text: str
    source: str = ""
    """The id of the conversation that it is from; empty if a person wrote it here."""
    worth: float = 1.0

    @property
    def line(self) -> str:
        """The observation as it is told: its day, and what was said."""
        return f"{day(self.at)}: {self.text}"


class PreludeLog(NamedTuple):
    """The observations of one owner's conversations, oldest first."""

    owner: str = LOCAL
    scopes: tuple[str, ...] = (UNIVERSAL,)
    entries: tuple[Observation, ...] = ()
    read: Mapping[str, str] = {}
    """The conversations that were read, by id, each with the version that was."""
    stamp: str = ""
    """Which version of it this is; empty if it was never stored."""

    @property
    def key(self) -> str:
        return as_document(self).id


def day(moment: datetime) -> str:
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year:04d}"


# ------------------------------------------------------------------ what is told of it


def weight(entry: Observation, now: datetime) -> float:
    """How much an observation matters now."""
    days = 0.0 if entry.type in LASTING else max(0.0, (now - entry.at).total_seconds() / 86_400)
    return WEIGHTS.get(entry.type, 0.3) * entry.worth * exp2(-days / HALF_LIFE)


def compacted(
    entries: Iterable[Observation], most: int = MOST_TOKENS, *, told: bool = False
) -> tuple[Observation, ...]:
    """As many of the entries as there is room for, oldest first: those of people, then by weight.
    What is *told* is no log to be kept: there, nothing has a right to stay."""
    some = sorted(set(entries))
    now = max((entry.at for entry in some), default=datetime.now(UTC))
    kept: list[Observation] = []
    room = most
    for entry in sorted(some, key=lambda one: (bool(one.source), -weight(one, now), one)):
        room -= count_tokens(entry.line) + 1
        if room >= 0 or not (entry.source or told):
            kept.append(entry)
    return tuple(sorted(kept))


# ------------------------------------------------------------------ as Markdown


def written(log: PreludeLog) -> str:
    """The log as people read and edit it."""
    parts = ["# Prelude"]
    for said, some in group_by(lambda entry: day(entry.at), log.entries).items():
        lines = (f"- {entry.type}: {' '.join(entry.text.split())}" for entry in some)
        parts.append("\n".join([f"## {said}", "", *lines]))
    return "\n\n".join(parts) + "\n"


def has_entry(text: str) -> bool:
    """Whether a text has more than headings."""
    return not all(line.startswith("#") for line in map(str.strip, text.splitlines()) if line)


def parse(text: str, before: Sequence[Observation], now: datetime) -> tuple[Observation, ...]:
    """The entries that a text lists. A line that was there before is what it was; any other is by
    the person who wrote it, of the day above it. Raises UsageError for a line that is neither an
    entry nor a day."""
    known = {(day(one.at), one.type, " ".join(one.text.split())): one for one in before}
    found: list[Observation] = []
    at = now
    for n, line in enumerate(map(str.strip, text.splitlines()), 1):
        item, days = _LINE.fullmatch(line), dates_in(line) if line.startswith("#") else []
        if days:
            at = days[0].date
        elif item:
            type, said = item[1] or "fact", item[2].strip()
            new = Observation(at, type, said)
            found.append(known.get((day(at), type, said), new))
        elif line and not _TITLE.match(line):
            raise UsageError(
                f"line {n} is neither an entry nor a day: {line[:60]!r}",
                hint="write `- preference: …` or `## 3 Nov 2026`; nothing was changed",
            )
    return tuple(sorted(set(found)))


# ------------------------------------------------------------------ as a document


def as_document(log: PreludeLog) -> Document:
    meta: dict[str, Any] = {
        "entries": [{**entry._asdict(), "at": iso(entry.at)} for entry in log.entries],
        "read": dict(log.read),
    }
    return Document(
        external=f"log-{'-'.join(sorted(log.scopes))}",
        source=SOURCE,
        kind=KIND,
        title="Prelude",
        date=max((entry.at for entry in log.entries), default=None),
        owner=log.owner,
        scopes=tuple(sorted(log.scopes)),
        meta=meta,
        stamp=stable_id(repr(sorted(meta.items()))),
    )


def from_document(document: Document) -> PreludeLog:
    some = document.meta.get("entries", ())
    entries = (Observation(**{**one, "at": from_iso(one["at"])}) for one in some)
    read = document.meta.get("read", {})
    return PreludeLog(document.owner, document.scopes, tuple(entries), read, document.stamp)
