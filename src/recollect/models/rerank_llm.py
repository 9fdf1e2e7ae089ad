"""A language model as a reranker: it is shown the passages all at once and grades each.

Passages are data (:mod:`recollect.text.fence`): all that can come of one is a grade from 0 to 3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from recollect.errors import ModelBusy
from recollect.ports import Llm, LlmMessage, LlmReply, LlmRequest
from recollect.text.fence import Fence
from recollect.text.tokens import clip_tokens

TOTAL = 8.0
"""Seconds for one reading: a search waits for it."""
MOST_READINGS = 4
"""For one search, which may look twice, and at what the first hits name."""
GRADES: tuple[float, ...] = (-4.0, -1.5, 1.0, 3.5)
"""The log-odds that a passage of each grade answers the question: about 2, 18, 73 and 97 in a
hundred. By what the grades are said to mean, not fitted."""
_TOKENS = 500
"""Of each passage."""
_SYSTEM = """You judge how well passages answer a question. {rule}
Grade every passage:
0 it has nothing to do with the question
1 it is about the subject, and does not answer
2 it answers in part, or by implication
3 it answers the question"""
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "grades": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "passage": {"type": "integer"},
                    "grade": {"type": "integer", "enum": [0, 1, 2, 3]},
                },
                "required": ["passage", "grade"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["grades"],
    "additionalProperties": False,
}


class LlmReranker:
    """With any language model; *llm* gives one for each reading, of which there are *most*. After
    one that failed there is none."""

    def __init__(self, llm: Callable[[], Llm], name: str, most: int | None = None) -> None:
        self._llm = llm
        self._name = name
        self._left = most
        self.key = f"llm@{name}"

    def sparing(self) -> LlmReranker:
        """For one search."""
        return LlmReranker(self._llm, self._name, MOST_READINGS)

    def reads(self, text: str) -> bool:  # noqa: ARG002  what a model knows it does not say
        return True

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """A passage that it says nothing of has grade 0; of two grades the first counts."""
        reply = self._read(_request(question, passages))
        graded: dict[int, int] = {}
        for row in reply.data["grades"]:
            graded.setdefault(int(row["passage"]), int(row["grade"]))
        return [GRADES[graded.get(place, 0)] for place in range(1, len(passages) + 1)]

    def _read(self, request: LlmRequest) -> LlmReply:
        if self._left is None:
            return self._llm().complete(request)
        left, self._left = self._left, 0
        if not left:
            raise ModelBusy("the language model has read as often as it may, or has failed before")
        reply = self._llm().complete(request)
        self._left = left - 1
        return reply


def _request(question: str, passages: Sequence[str]) -> LlmRequest:
    fence = Fence()
    shown = "\n\n".join(
        fence.around(f"passage {place}", clip_tokens(text, _TOKENS))
        for place, text in enumerate(passages, 1)
    )
    asked = f"The question:\n{fence.around('question', clip_tokens(question, _TOKENS))}"
    return LlmRequest(
        (LlmMessage("user", f"{asked}\n\n{shown}"),),
        system=_SYSTEM.format(rule=fence.rule),
        max_tokens=1024 + 16 * len(passages),
        schema=_SCHEMA,
    )
