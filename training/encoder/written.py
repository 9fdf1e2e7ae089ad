"""Questions that a language model wrote about texts of many kinds, as further sets to train on.

``training/readings.jsonl.xz`` has texts with questions that they answer and questions that they
nearly do; ``training/written.jsonl.xz`` has more questions, most of them in other words than the
text's, of some of these texts and of others. A text with ``from`` is a real one, and belongs to
the domain of the set or folder that it is from: a fold that leaves the domain out leaves it out.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any, NamedTuple

from training.encoder.sets import WRITTEN, domain

HERE = Path(__file__).parents[1]
FILES = (HERE / "readings.jsonl.xz", HERE / "written.jsonl.xz")


class Text(NamedTuple):
    text: str
    asked: list[str]
    """What it answers: questions, and a sentence that it bears out."""
    missed: list[str]
    """What it nearly answers."""


def written() -> dict[str, list[Text]]:
    """The texts by the name of their set: ``written`` and, of real ones, ``written DOMAIN``."""
    sets: dict[str, dict[str, Text]] = {}
    for file in FILES:
        with lzma.open(file, "rt", encoding="utf-8") as rows:
            for row in map(json.loads, rows):
                _take(row, sets.setdefault(_set_of(row), {}))
    return {name: list(texts.values()) for name, texts in sets.items()}


def _set_of(row: dict[str, Any]) -> str:
    return f"{WRITTEN} {domain(row['from'])}" if "from" in row else WRITTEN


def _take(row: dict[str, Any], texts: dict[str, Text]) -> None:
    held = texts.setdefault(row["t"], Text(row["t"], [], []))
    held.asked.extend(row["q"])
    held.asked.extend(row.get("s", ())[:1])
    held.missed.extend(row.get("n", ()))
