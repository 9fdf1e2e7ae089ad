"""The last resort of a search: the web, where the user allows it and memory does not answer.

What memory found stays as it is, grades and all; what the web says stands beside it, labelled.
Nothing but the question is sent, and nothing that comes back is kept. A web that fails, or takes
too long, costs nothing but itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from recollect.named_tuple import NamedTuple
from recollect.nouns import Answer
from recollect.nouns.web import WebFound
from recollect.ports import Web
from recollect.reading.question import Question
from recollect.trace import degrade, say, skip, stage, unreported

When = Literal["never", "asked", "low"]


class WebAccess(NamedTuple):
    """What the user allows, and what the caller wants."""

    when: When = "never"
    wanted: bool | None = None
    """None leaves it to the user's setting."""
    limit: int = 5
    read: int = 0


def with_web(opened: Callable[[], Web], allowed: WebAccess) -> Callable[[Question, Answer], Answer]:
    """Returns what adds to an answer what the web says, or why it was not asked."""

    @stage("web", otherwise=None)
    def ask(question: Question, answer: Answer) -> WebFound | None:
        if allowed.wanted is False or (allowed.wanted is None and allowed.when != "low"):
            return unreported(None)
        if allowed.when == "never":
            why = "web.when is never: the user has not allowed it"
            degrade("web", why)
            return skip(why, None)
        why = _answered(question, answer)
        if why:
            return skip(why, None)
        words = question.parsed.prose.strip() or question.query.text
        found = opened().search(words, limit=allowed.limit, read=allowed.read)
        say(f"{found.engine} was sent “{found.query}”", found=len(found.results))
        return found

    def added(question: Question, answer: Answer) -> Answer:
        return answer._replace(web=ask(question, answer))

    return added


def _answered(question: Question, answer: Answer) -> str:
    """Why memory is enough; empty when it is not."""
    if answer.status in ("cached_answer", "synthesized"):
        return "there is an answer"
    enough = question.policy.direct_confidence
    if answer.status == "direct_passages":
        return f"graded {answer.confidence:.2f}, and {enough:.2f} is enough"
    return ""
