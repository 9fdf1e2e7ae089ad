"""What is asked, of what, and what should come back.

A group is what is stored together and the questions that are asked of it. A suite is read group by
group, so that its files may be larger than memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha1, sha256
from pathlib import Path
from typing import Any, NamedTuple

from recollect.nouns import Document
from recollect_evals.evidence import Evidence

SOURCE = "eval"
_CHUNK = 1 << 20


def half_of(id: str) -> str:
    """``fit`` questions may be used to choose things, ``test`` questions never. By the SHA-1 of the
    id, so that everybody divides a set alike."""
    return "test" if int(sha1(id.encode()).hexdigest(), 16) % 2 else "fit"


class Question(NamedTuple):
    id: str
    text: str
    gold: Mapping[str, float]
    """What should come back, with its gain; nothing where there is no answer."""
    date: datetime | None = None
    """When it was asked."""
    category: str = ""
    owner: str | None = None
    scopes: tuple[str, ...] | None = None
    evidence: Evidence = Evidence()
    """What inside the gold answers, where the set says so."""

    @property
    def abstain(self) -> bool:
        """Whether the right answer is that nothing is known."""
        return not self.gold

    @property
    def half(self) -> str:
        """``fit`` questions may be used to choose things, ``test`` questions never."""
        return half_of(self.id)


class Group(NamedTuple):
    """Documents that are stored together, and what is asked of them."""

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    left_out: Mapping[str, int]
    """Questions of the file that are not asked, counted by reason."""


Groups = Callable[[], Iterator[Group]]


class Suite(NamedTuple):
    kind: str
    name: str
    files: tuple[Path, ...]
    groups: Groups
    """Read anew at each call."""

    def digest(self) -> str:
        """A name for the content of its files."""
        whole = sha256()
        for file in self.files:
            with open(file, "rb") as stream:
                while part := stream.read(_CHUNK):
                    whole.update(part)
        return whole.hexdigest()[:16]


class Survey(NamedTuple):
    """What a suite holds, after all of it was read and found sound."""

    groups: int
    documents: int
    questions: int
    abstain: int
    halves: Mapping[str, int]
    left_out: Mapping[str, int]
    asked: tuple[Question, ...]

    def as_json(self) -> dict[str, Any]:
        """Its counts."""
        counts = {**self._asdict(), "halves": dict(self.halves), "left_out": dict(self.left_out)}
        del counts["asked"]
        return counts


Loaded = tuple[Sequence[Path], Groups]
"""The files of a suite, and what reads them."""
