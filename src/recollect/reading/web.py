"""The last resort of a search: the web, where the user allows it and memory does not answer.

What memory found stays as it is, grades and all; what the web says stands beside it, labelled.
Nothing but the question is sent, and nothing that comes back is kept. A web that fails, or takes
too long, costs nothing but itself.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Literal, NamedTuple

from recollect.nouns import Answer, Query
from recollect.ports import Web
from recollect.text.questions.parse import parse
from recollect.trace import Trace

When = Literal["never", "asked", "low"]


class Allowed(NamedTuple):
    """What the user allows, and what the caller wants."""

    when: When = "never"
    wanted: bool | None = None
    """None leaves it to the user's setting."""
    limit: int = 5
    read: int = 0


def with_web(query: Query, answer: Answer, opened: Callable[[], Web], allowed: Allowed) -> Answer:
    """The answer with what the web says, or with why it was not asked."""
    if allowed.wanted is False or (allowed.wanted is None and allowed.when != "low"):
        return answer
    trace = Trace()
    if allowed.when == "never":
        why = "web.when is never: the user has not allowed it"
        trace.skipped("web", why)
        trace.degraded.append(f"web: {why}")
    elif why := _answered(query, answer):
        trace.skipped("web", why)
    else:
        since = perf_counter()
        with trace.surviving("web"):
            found = opened().search(_words(query.text), limit=allowed.limit, read=allowed.read)
            said = f"{found.engine} was sent “{found.query}”"
            trace.ran("web", since, found=len(found.results), reason=said)
            answer = answer._replace(web=found)
    return answer._replace(
        stages=(*answer.stages, *trace.stages),
        degraded=(*answer.degraded, *trace.degraded),
        timing_ms=answer.timing_ms + trace.elapsed_ms,
    )


def _answered(query: Query, answer: Answer) -> str:
    """Why memory is enough; empty when it is not."""
    if answer.status in ("cached_answer", "synthesized"):
        return "there is an answer"
    if answer.status == "direct_passages":
        return f"graded {answer.confidence:.2f}, and {query.policy.direct_confidence:.2f} is enough"
    return ""


def _words(text: str) -> str:
    """The question without the marks that limit what is looked for in memory."""
    return parse(text).prose.strip() or text
