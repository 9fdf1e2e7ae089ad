"""A question that is graded low, asked in other words by a language model: one call, three rewrites
at most, and on request a passage as the answer might read.

Only the question is sent. What the rewrites find is graded against the question as it was asked,
so that an easier question cannot pass for it; conditions and limits hold as they were. A rewrite
with another number, date, name or negation than the question asks something else and is left out,
as is an order to a model; neither it nor the passage is ever evidence. The model may fail, or take
longer than its time: then the search is what it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from recollect.errors import Cancelled, QueryError
from recollect.named_tuple import NamedTuple
from recollect.nouns import Hit
from recollect.ports import Llm, LlmMessage, LlmRequest
from recollect.reading.pool import Pass, Pool
from recollect.reading.time_box import TimeBox
from recollect.text import fence
from recollect.text.questions.parse import Parsed, parse
from recollect.text.statements import quotes
from recollect.text.support import orders, verdict
from recollect.text.tokens import clip_tokens
from recollect.trace import current, surviving

MOST_CALLS = 1
LONGEST = 300
"""Characters of a rewrite,"""
PASSAGE = 1_200
"""and of the passage."""
BROUGHT = 10
"""Documents that each of them may add."""
_SYSTEM = """\
A question is put to a search over somebody's notes, and finds little. Write {count} for it that \
ask the same in other words: synonyms, how a note would put it, what it is called elsewhere. Keep \
names, numbers, dates and negations. {rule} One a line, each in the language of the question; no \
numbers, no quotation marks, nothing besides.{passage}"""
_PASSAGE = """ Then one more line that begins with PASSAGE: and has two or three sentences as a \
note that answers the question might say them."""
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")
_MARKED = re.compile(r"^\W*passage\W*:\W*", re.IGNORECASE)
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)


class TooSlow(Exception):
    """The language model took longer than its time."""


class Rewrites(NamedTuple):
    """What a language model made of a question."""

    queries: tuple[str, ...] = ()
    passage: str = ""


def ask(pool: Pool) -> Rewrites:
    """Has the language model rewrite the question of the pool, within its time."""
    asked, policy = pool.of, pool.of.policy
    writer = asked.models.llm
    assert writer is not None
    box = TimeBox(policy.expand_seconds, look=lambda: current().look_up("expand"))
    try:
        count = max(1, policy.expand)
        return rewrites(asked.parsed.prose, count, writer.ask(), box, passage=policy.hyde)
    except Cancelled as error:
        current().look_up("expand")
        raise TooSlow(f"{writer.name} took longer than {policy.expand_seconds:g} s") from error


def why_not(pool: Pool) -> str:
    """Says why the question is not rewritten; empty when it is."""
    policy, models = pool.of.policy, pool.of.models
    if not (policy.expand or policy.hyde):
        return "switched off"
    if pool.confidence >= policy.direct_confidence:
        return f"graded {pool.confidence:.2f}"
    return models.llm_note if models.llm is None else ""


def rewrites(question: str, count: int, llm: Llm, box: TimeBox, *, passage: bool) -> Rewrites:
    """What the model makes of a question."""
    fenced = fence.Fence()
    system = _SYSTEM.format(
        count="one question" if count == 1 else f"{count} questions",
        rule=fenced.rule,
        passage=_PASSAGE if passage else "",
    )
    asked = fenced.around("question", clip_tokens(question, LONGEST))
    request = LlmRequest(
        (LlmMessage("user", asked),), system, max_tokens=100 * count + (300 if passage else 0) + 500
    )
    return read(llm.complete(request, box).text, question, count, passage=passage)


def read(said: str, question: str, count: int, *, passage: bool) -> Rewrites:
    """The rewrites in what a model said: no more than were asked for, none twice."""
    lines = list(map(quotes.plain, _THOUGHT.sub("", said).splitlines()))
    first = next((n for n, line in enumerate(lines) if _MARKED.match(line)), len(lines))
    known = {_folded(question)}
    queries = []
    for line in lines[:first]:
        query = _BULLET.sub("", line).strip("\"'“”„«»` ")
        fits = 0 < len(query) <= LONGEST and not verdict.asks_more(query, question)
        if fits and _folded(query) not in known and not orders.is_order(query):
            known.add(_folded(query))
            queries.append(query)
    rest = " ".join(_MARKED.sub("", line) for line in lines[first:])
    wanted = passage and not orders.is_order(rest)
    return Rewrites(tuple(queries[:count]), rest[:PASSAGE].strip() if wanted else "")


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def passes(pool: Pool, made: Rewrites) -> Iterator[Pass]:
    """Yields a pass for each rewrite: its words, under the conditions of the question."""
    for query in made.queries:
        with suppress(QueryError):
            yield pool.of._replace(parsed=_under(pool.of.parsed, parse(query)))


def _under(question: Parsed, other: Parsed) -> Parsed:
    """The words of the one with the conditions of the other."""
    text = question.text._replace(any=other.text.any)
    return question._replace(text=text, prose=other.prose, content=other.content)


def nearest(pool: Pool, passage: str) -> Sequence[Hit]:
    """Returns what is nearest in meaning to a passage as the answer might read."""
    asked, embedder = pool.of, pool.of.models.embedder
    conditions = asked.parsed.text
    if not passage or embedder is None or conditions.must or conditions.never:
        return ()
    with surviving("hyde"):
        vector = embedder.embed_passages([passage])[0]
        return asked.view.search_vector(embedder.key, vector, asked.filter, limit=BROUGHT).hits
    return ()
