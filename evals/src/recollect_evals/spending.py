"""Nothing is spent by accident: a run that costs money says so first, and stops at its cap.

What costs: the language model as reranker, unless its price is 0 (it runs here), and models behind
an address on another machine, whose price nobody here knows. Whoever is at a terminal is asked; a
script has to give a cap: dollars for the language model, a number of questions for the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import urlsplit

from recollect.errors import SpendRefused, UsageError
from recollect.memory import Memory

Confirm = Callable[[str], bool]
_HERE = ("localhost", "127.0.0.1", "::1", "")


class Guard(NamedTuple):
    """What a run may spend; without a cap where nothing is counted."""

    counts: bool = False
    cap: float | None = None
    before: float = 0.0
    """What was spent when it began."""

    def spent(self, memory: Memory) -> float:
        """Dollars since it began, as the ledger of spending has them: what other processes spend
        meanwhile counts too."""
        return memory.models.llm_status(2).dollars - self.before if self.counts else 0.0

    def check(self, memory: Memory, asked: int) -> None:
        """Refuse to go on beyond the cap."""
        gone = self.spent(memory)
        if self.cap is not None and gone >= self.cap:
            raise SpendRefused(
                f"${gone:.4f} of ${self.cap:.2f} is spent after {asked} questions",
                hint="they are kept: the same command with a higher --max-dollars goes on",
            )


def guard(
    memory: Memory, questions: int, dollars: float | None, most: int | None, confirm: Confirm | None
) -> Guard:
    """What may be spent on so many questions; raises where that was not allowed."""
    llm = _llm(memory)
    remote = [name for name in ("embed.model", "rerank.model") if _elsewhere(memory.config[name])]
    if llm and dollars is None:
        _allowed(
            f"{questions} questions will be reranked by {llm}, which costs money",
            "give --max-dollars", confirm,
        )  # fmt: skip
    if remote and most is None:
        _allowed(
            f"{questions} questions will be sent to the endpoint of {' and '.join(remote)}",
            "give --most, the number of questions that may be", confirm,
        )  # fmt: skip
    if not llm:
        return Guard()
    return Guard(True, dollars, memory.models.llm_status(2).dollars)


def _llm(memory: Memory) -> str:
    """The language model, if a search pays for it."""
    if memory.config["rerank.model"] != "llm":
        return ""
    status = memory.models.llm_status(1)
    free = status.price is not None and not any(status.price[:2])
    return "" if status.model == "none" or free else status.model


def _elsewhere(model: str) -> bool:
    return "://" in model and (urlsplit(model).hostname or "") not in _HERE


def _allowed(what: str, how: str, confirm: Confirm | None) -> None:
    if confirm is None:
        raise UsageError(what, hint=f"nobody is at a terminal to agree to it: {how}")
    if not confirm(what):
        raise UsageError("not agreed: nothing was asked", hint=how)
