"""Values that change: each statement is curated as it was made, and then it is asked what holds
now.

Files: ``topics-*.json`` (the statements of an organisation are one store, with others that change
nothing; values are literals) and ``beliefs-*.jsonl`` (what a person says over the years, each a
store of its own; rows with questions). A question passes by what comes back from an ordinary
search: the current value is in it, and no item has a superseded value without the current one. An
item has a value when the value's text is in its own, both without case, spaces, hyphens,
underscores and dots: the rule of the first of the two.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from recollect.errors import InputError
from recollect.memory import Memory
from recollect.nouns import Answer
from recollect_evals.files import column, date_of, given, records, whole
from recollect_evals.precisionmembench import embed
from recollect_evals.questions import half_of

_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
KNOWN = ("fact", "page")
"""What is told as knowledge; a note is what somebody wrote then, and stays."""
_LOST = str.maketrans("", "", " \t\n-_.")
_DAY = re.compile(r"\b20\d\d-\d\d-\d\d\b")
_ROLES = ("f1", "d", "f2", "f3")
"""The roles of a topic's statements, in the order in which they are told."""


class Statement(NamedTuple):
    text: str
    date: datetime


class Asked(NamedTuple):
    id: str
    text: str
    current: tuple[str, ...]
    superseded: tuple[str, ...]
    category: str

    @property
    def half(self) -> str:
        return half_of(self.id)


class Story(NamedTuple):
    """What one store is told, in order, and what is asked of it."""

    name: str
    speaker: str
    statements: tuple[Statement, ...]
    asked: tuple[Asked, ...]


class Stories(NamedTuple):
    stories: tuple[Story, ...]
    files: tuple[Path, ...]
    left_out: Mapping[str, int]


def load(path: Path) -> Stories:
    """The stories of a file, or of all files of a folder that have some."""
    path = path.expanduser()
    files = (
        [path]
        if path.is_file()
        else sorted((*path.glob("topics-*.json"), *path.glob("beliefs-*.jsonl")))
    )
    left_out = Counter[str]()
    found: list[Story] = []
    used = []
    for file in files:
        some = list(_topics(file) if file.suffix == ".json" else _beliefs(file, left_out))
        if some:
            found += some
            used.append(file)
    asked = [one.id for story in found for one in story.asked]
    if not asked:
        why = ", ".join(f"{n} {what}" for what, n in left_out.items())
        raise InputError(
            f"{path}: 0 questions in {len(files)} files" + (f" ({why})" if why else ""),
            hint="topics-*.json, or beliefs-*.jsonl whose rows have questions",
        )
    if twice := [id for id, times in Counter(asked).items() if times > 1]:
        raise InputError(f"{path}: {len(twice)} ids are asked twice: {', '.join(twice[:5])}")
    return Stories(tuple(found), tuple(used), left_out)


def _topics(file: Path) -> Iterator[Story]:
    """An organisation's notes: all that was said first, then what changed and what changed back,
    each on the day that it names, or else an hour after what was said of it before."""
    try:
        data = json.loads(whole(file))
    except json.JSONDecodeError as error:
        raise InputError(f"{file}:{error.lineno}: not JSON: {error.msg}") from error
    where = str(file)
    topics = column(data, where, "topics")
    for org in dict.fromkeys(given(topic, where, "org") for topic in topics):
        mine = [topic for topic in topics if topic["org"] == org]
        said = [
            Statement(n["text"], _BEGAN) for n in data.get("hard_negatives", ()) if n["org"] == org
        ]
        said += chain.from_iterable(_told(topic, where) for topic in mine)
        dated = tuple(sorted(said, key=lambda one: one.date))
        asked = tuple(_about(topic, file) for topic in mine)
        yield Story(f"{file.stem}:{org}", "", dated, asked)


def _told(topic: Mapping[str, Any], where: str) -> Iterator[Statement]:
    date = _BEGAN
    some = [one for one in topic["statements"] if one["role"] in _ROLES]
    for one in sorted(some, key=lambda one: _ROLES.index(one["role"])):
        named = (date_of(day, where) for day in _DAY.findall(one["text"]))
        date = max([date + timedelta(hours=1), *filter(None, named)])
        yield Statement(one["text"], date)


def _about(topic: Mapping[str, Any], file: Path) -> Asked:
    values, current = topic["values"], topic["current"]
    old = tuple(value for name, value in values.items() if name != current)
    id = given(topic, str(file), "id")
    return Asked(id, given(topic, str(file), "query"), (values[current],), old, topic["kind"])


def _beliefs(file: Path, left_out: Counter[str]) -> Iterator[Story]:
    for where, row in records(file):
        if "propositions" not in row:
            continue
        id, asked = given(row, where, "id"), []
        for number, one in enumerate(column(row, where, "questions")):
            current = tuple(one.get("expected_current_contains") or ())
            if not current:
                left_out["questions about another time"] += 1
                continue
            old = tuple(one.get("expected_superseded_contains") or ())
            text = given(one, where, "q")
            asked.append(Asked(f"{id}:{number}", text, current, old, str(row.get("family") or "")))
        if asked:
            said = tuple(_said(p, where) for p in column(row, where, "propositions"))
            yield Story(id, "user", tuple(sorted(said, key=lambda s: s.date)), tuple(asked))


def _said(proposition: Mapping[str, Any], where: str) -> Statement:
    date = date_of(proposition.get("asserted_at"), where)
    if date is None:
        raise InputError(f"{where}: a proposition without `asserted_at`")
    return Statement(given(proposition, where, "text"), date)


# ------------------------------------------------------------------ asking


def tell(memory: Memory, story: Story) -> None:
    for said in story.statements:
        memory.curate(
            said.text, date=said.date, speaker=story.speaker, note=True, source="eval", embed=False
        )
    embed(memory)


def judged(asked: Asked, answer: Answer) -> dict[str, float]:
    """What came back, as values."""
    texts = [_plain(result.text) for result in answer.results]
    current = [_has(text, asked.current) for text in texts]
    stale = [
        _has(text, asked.superseded) and not now for text, now in zip(texts, current, strict=True)
    ]
    known = [old and r.kind in KNOWN for old, r in zip(stale, answer.results, strict=True)]
    judged = {"stale": float(any(stale)), "stale_fact": float(any(known))}
    return {
        "current": float(any(current)),
        "current_first": float(current[:1] == [True]),
        **(judged if asked.superseded else {}),
    }


def _has(text: str, values: Sequence[str]) -> bool:
    return any(_plain(value) in text for value in values)


def _plain(text: str) -> str:
    return text.lower().translate(_LOST)
