"""What comes of thinking about a question, and what is told on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from recollect.named_tuple import NamedTuple
from recollect.nouns import SCHEMA_VERSION, Recorded, Stage, json_list, json_or_none
from recollect.nouns.synthesis import Reference, Sentence, Synthesis
from recollect.reading import gather

ThoughtStatus = Literal[
    "synthesized", "cached_answer", "direct_passages", "not_in_memory", "needs_synthesis"
]
"""An answer was written; was written before; is there in so many words, so that none had to be; is
not in memory; or could not be written (``reason`` says why), and ``bundle`` has what it would be
from."""


class Thought(NamedTuple):
    query: str
    status: ThoughtStatus
    fingerprint: str
    confidence: float
    """How sure the search was that the evidence is in what was gathered."""
    reason: str = ""
    """Why it is as the status says."""
    written: Synthesis | None = None
    """What the model wrote, and what it took, if it was asked at all."""
    answer: Recorded | None = None
    """What is kept, and served to the next such question."""
    bundle: gather.Bundle | None = None
    """What was gathered; None when an answer was there before."""
    sources: tuple[Reference, ...] = ()
    """What an answer that was there before is from."""
    looked_for: tuple[str, ...] = ()
    """What was gathered for: the question, and what the model wanted to know besides."""
    degraded: tuple[str, ...] = ()
    stages: tuple[Stage, ...] = ()
    timing_ms: float = 0.0

    @property
    def text(self) -> str:
        """The answer, with the numbers of its references; empty when there is none."""
        if self.status == "cached_answer" and self.answer is not None:
            return self.answer.answer
        return self.written.text if self.written and self.status == "synthesized" else ""

    @property
    def calls(self) -> int:
        return self.written.calls if self.written else 0

    def as_json(self) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA_VERSION,
            "query": self.query,
            "status": self.status,
            "reason": self.reason,
            "text": self.text,
            "confidence": round(self.confidence, 4),
            "calls": self.calls,
            "written": json_or_none(self.written),
            "answer": json_or_none(self.answer),
            "bundle": json_or_none(self.bundle),
            "sources": json_list(self.sources),
            "looked_for": list(self.looked_for),
            "fingerprint": self.fingerprint,
            "degraded": list(self.degraded),
            "stages": json_list(self.stages),
            "timing_ms": round(self.timing_ms, 3),
        }


class ThoughtEvent(NamedTuple):
    """Something that happened while a question was thought about."""

    kind: Literal["stage", "sentence", "again", "final"]
    """A stage begins; a sentence was written and checked; what was written so far is replaced by
    what comes now; this is the thought."""
    text: str = ""
    sentence: Sentence | None = None
    thought: Thought | None = None

    def as_json(self) -> dict[str, Any]:
        if self.sentence is not None:
            return self.sentence.as_json()
        return self.thought.as_json() if self.thought is not None else {"text": self.text}


Tell = Callable[[ThoughtEvent], None]


def nobody(_: ThoughtEvent) -> None:
    """Is told, and does nothing about it."""
