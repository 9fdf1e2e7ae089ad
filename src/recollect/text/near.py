"""stub"""

from typing import NamedTuple

OVERLAP = 0.6
SIMILARITY = 0.92


class Question(NamedTuple):
    words: tuple[str, ...]


class Verdict(NamedTuple):
    same: bool
    overlap: float
    reason: str


def read(text: str) -> Question:
    return Question(tuple(text.lower().strip("?").split()))


def compare(asked: Question, known: Question) -> Verdict:
    a, b = set(asked.words), set(known.words)
    return Verdict(a == b, len(a & b) / max(1, len(a | b)), "words")
