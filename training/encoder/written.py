"""Questions that a language model wrote about texts of many kinds, as further sets to train on.

``training/readings.jsonl.xz`` has texts with questions that they answer and questions that they
nearly do; ``training/written.jsonl.xz`` has more questions, most of them in other words than the
text's, of some of these texts and of others. A text with ``from`` is a real one, and belongs to
the domain of the set or folder that it is from: a fold that leaves the domain out leaves it out.

``training/files.jsonl.xz`` has passages as long files are cut into (handbooks, logs, minutes,
lists), each of several facts, with questions, most in other words, and the sentence that answers;
``training/short.jsonl.xz`` the same of what is short: pieces of code, facts, notes, reminders and a
few turns of a talk, each of the domain of its kind.

``training/near.jsonl.xz`` and ``training/changes.jsonl.xz`` have groups: questions, texts that
answer them, most in other words, and texts about the same thing that do not. A group of ``near``
belongs to the domain of its kind of text; those of ``changes`` are statements of any kind.
"""

from __future__ import annotations

import json
import lzma
from hashlib import sha1
from pathlib import Path
from typing import Any, NamedTuple

from bench.corpus import lines

from training.encoder.sets import CHANGES, NEAR, OF_FILES, WRITTEN, domain

HERE = Path(__file__).parents[1]
FILES = (HERE / "readings.jsonl.xz", HERE / "written.jsonl.xz")
KINDS = {
    "chats": "conversation",
    "personal memory": "personal",
    "encyclopedia": "encyclopedia",
    "science": "science",
    "code": "code",
    "policies, filings, news": "law",
    "documentation and support": "support",
    "meetings and records": "records",
}
"""The domain of a kind of text."""
SHORT = {
    "code": "code",
    "fact": "personal",
    "note": "personal",
    "reminder": "personal",
    "turns": "conversation",
}
"""The domain of a kind of short text."""


class Text(NamedTuple):
    text: str
    asked: list[tuple[str, str]]
    """What it answers: questions, and a sentence that it bears out; with the part of the text that
    answers, or nothing where that is not known."""
    missed: list[str]
    """What it nearly answers."""


def written() -> dict[str, list[Text]]:
    """The texts by the name of their set: ``written`` and, of real ones, ``written DOMAIN``."""
    sets: dict[str, dict[str, Text]] = {}
    for file in FILES:
        with lzma.open(file, "rt", encoding="utf-8") as rows:
            for row in map(json.loads, rows):
                _take(row, sets.setdefault(_set_of(row), {}))
    sets[OF_FILES] = {row["t"]: _answered(row) for row in lines(HERE / "files.jsonl.xz")}
    for row in lines(HERE / "short.jsonl.xz"):
        sets.setdefault(f"{WRITTEN} {SHORT[row['k']]}", {})[row["t"]] = _answered(row)
    return {name: list(texts.values()) for name, texts in sets.items()}


def _answered(row: dict[str, Any]) -> Text:
    """A text whose questions have the sentence that answers each."""
    return Text(row["t"], [(one["q"], one["a"]) for one in row["q"]], row["n"])


def _set_of(row: dict[str, Any]) -> str:
    return f"{WRITTEN} {domain(row['from'])}" if "from" in row else WRITTEN


def _take(row: dict[str, Any], texts: dict[str, Text]) -> None:
    held = texts.setdefault(row["t"], Text(row["t"], [], []))
    held.asked.extend((asked, "") for asked in (*row["q"], *row.get("s", ())[:1]))
    held.missed.extend(row.get("n", ()))


class Group(NamedTuple):
    questions: list[str]
    answers: list[str]
    """The first in the words of the first question, the others in other words."""
    near: list[str]

    @property
    def is_held(self) -> bool:
        """Whether it is left out of the training, and read."""
        return int(sha1(self.answers[0].encode()).hexdigest(), 16) % 8 == 0

    def wrong(self) -> list[str]:
        """What does not answer, in texts as long as the answers: where it is shorter than the
        answer in turn, two together. An encoder learns that short texts answer nothing if these
        are shorter."""
        made = []
        for n, text in enumerate(self.near):
            beside = self.near[(n + 1) % len(self.near)]
            missing = len(self.answers[n % len(self.answers)]) - len(text)
            made.append(f"{text}\n{beside}" if missing > len(beside) / 2 else text)
        return made


def groups() -> dict[str, list[Group]]:
    """The groups by the name of their set: ``changes`` and ``near DOMAIN``."""
    sets: dict[str, list[Group]] = {}
    for row in lines(HERE / "changes.jsonl.xz"):
        answers = [row["base"], row["same"][1], *row["changed"][1:]]
        sets.setdefault(CHANGES, []).append(Group([row["question"]], answers, row["neither"]))
    for row in lines(HERE / "near.jsonl.xz"):
        name = f"{NEAR} {KINDS[row['kind']]}"
        sets.setdefault(name, []).append(Group(row["questions"], row["answers"], row["near"]))
    return sets
