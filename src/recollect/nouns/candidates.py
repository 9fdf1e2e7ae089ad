"""Passages on their way through the pipeline: each signal keeps its own field."""

from collections.abc import Mapping
from typing import Any

from recollect.named_tuple import NamedTuple


class Hit(NamedTuple):
    """A passage found by one arm. Keys are the store's own and live as long as the passage."""

    passage: int
    document: int
    score: float


class Arm(NamedTuple):
    """What one arm found: documents, best first, each by its best passage."""

    name: str
    weight: float
    hits: tuple[Hit, ...]
    every: tuple[Hit, ...] = ()
    """All passages it found, also the second best of a document."""
    idf: Mapping[str, float] = {}
    """The inverse document frequency of each word of the query, of an arm that goes by words."""
    among: int = 0
    """How many passages it compared, of an arm that compares all."""

    @property
    def found(self) -> tuple[Hit, ...]:
        """All passages it found, where it tells them; else the best of each document."""
        return self.every or self.hits


class Contribution(NamedTuple):
    """What one arm or stage added to a score."""

    arm: str
    rank: int
    raw: float
    weight: float
    value: float

    def as_json(self) -> dict[str, Any]:
        return {
            "arm": self.arm,
            "rank": self.rank,
            "raw": round(self.raw, 6),
            "weight": self.weight,
            "contribution": round(self.value, 9),
        }


class Stretch(NamedTuple):
    """A part of a passage, between two offsets."""

    passage: int
    start: int
    end: int


class Scale(NamedTuple):
    """A line that puts the scores of one model on the scale of another."""

    slope: float = 1.0
    offset: float = 0.0

    def of(self, score: float) -> float:
        return self.slope * score + self.offset


class Signals(NamedTuple):
    """What is known about a candidate. 0 is neutral, so that an absent signal costs nothing."""

    odds: float = 0.0
    """The reranker's log-odds."""
    odds_gap: float = 0.0
    """How far these are behind the best; the same for the other gaps."""
    cosine: float = 0.0
    cosine_gap: float = 0.0
    lexical: float = 0.0
    """61 / (60 + its rank in that arm): 1 for the first, 0 if the arm did not find it."""
    vector: float = 0.0
    title: float = 0.0
    share: float = 0.0
    """BM25, as a share of what the words of the question could give together."""
    fused_gap: float = 0.0
    """How far its fused score is behind the best."""
    coverage: float = 0.0
    """The share of the question's words that the passage has, by their worth (idf)."""
    worded: float = 0.0
    """The same, by how much words are to be trusted: where nothing has many of them, it is asked in
    other words, and what has one of them has it by chance."""
    coverage_gap: float = 0.0
    rarest: float = 0.0
    """Whether it has the rarest of them."""
    no_name: float = 0.0
    """The share of the names in the question that the passage does not have."""
    no_number: float = 0.0
    no_year: float = 0.0
    other_time: float = 0.0
    """1 when the passage speaks of years, and of none near those in the question."""
    exact: float = 0.0
    """1 when the question is nothing but the title, the path or the name of the file."""
    inside: float = 0.0
    """1 when it is from the time that the question names."""
    hop: float = 0.0
    """The confidence in the best hit that names this document by its title."""
    bridge: float = 0.0
    """1 when it was found in no other way."""
    words: float = 0.0
    """ln(1 + how many words of the question carry meaning)."""


class Candidate(NamedTuple):
    """A document that may be returned, by its best passage, and what each arm had to say."""

    document: int
    passage: int
    score: float
    contributions: tuple[Contribution, ...]
    """They sum to the score."""
    signals: Signals = Signals()
    confidence: float = 0.0
    """The probability that it answers the question, or part of it."""

    @property
    def by_arm(self) -> dict[str, Contribution]:
        """The contributions by their arms."""
        return {part.arm: part for part in self.contributions}
