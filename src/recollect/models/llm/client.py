"""A language model that is asked with care.

It guarantees
- every request is metered before it is sent and settled after, those that are repeated too; what
  may have been worked on counts, even if its answer never came;
- what is worth a second try (busy, a broken connection) is tried again after a pause with jitter,
  or when the server says, within the time there is; what has been told piece by piece is not;
- a structured answer has been checked here, whoever was to keep to the schema; one that is wrong is
  sent back once with what is wrong about it, and then given up;
- an answer is never empty.
"""

from __future__ import annotations

import random
import time
from time import monotonic

from recollect.errors import (
    Cancelled,
    ModelBusy,
    ModelError,
    ModelGarbled,
    ModelRefused,
    ModelUnauthorised,
    ModelUnreachable,
    UsageError,
)
from recollect.models.llm.connection import LOOK, USUAL, Timeouts
from recollect.models.llm.provider import Provider
from recollect.models.llm.schema import check_schema, in_words, json_in, problems
from recollect.ports import LlmMessage, LlmReply, LlmRequest, LlmUsage, Meter, Tell, Token
from recollect.text.tokens import count_tokens

ATTEMPTS = 4
BACKOFF = 0.5
"""Seconds: a pause is at most this, then twice this, and so on."""
LONGEST = 30.0
"""A server that wants to be left alone for longer is not waited for."""
_MARGIN = 1.15
"""An estimate of tokens is this much more than what was counted: vocabularies differ."""
_SHOWN_BACK = 8_000


class Client:
    """One command's language model."""

    def __init__(
        self, provider: Provider, meter: Meter | None = None, timeouts: Timeouts = USUAL,
        backoff: float = BACKOFF,
    ) -> None:  # fmt: skip
        self._provider = provider
        self._meter = meter
        self._timeouts = timeouts
        self._backoff = backoff

    @property
    def key(self) -> str:
        return self._provider.key

    def complete(
        self, request: LlmRequest, token: Token | None = None, tell: Tell | None = None
    ) -> LlmReply:
        _check(request, tell)
        until = monotonic() + self._timeouts.total
        if request.schema is None:
            return self._asked(request, token, tell, until)
        return self._structured(request, token, until)

    # -------------------------------------------------------------- structured answers

    def _structured(self, request: LlmRequest, token: Token | None, until: float) -> LlmReply:
        first = self._asked(request, token, None, until)
        made, wrong = _read(first, request)
        if not wrong:
            return made
        if first.stop_reason == "length":
            raise ModelGarbled(f"{self.key}: its answer was cut off",
                               hint="allow it more tokens")  # fmt: skip
        second = self._asked(_repair(request, first, wrong), token, None, until)
        made, wrong = _read(_sum(first, second), request)
        if wrong:
            raise ModelGarbled(
                f"{self.key}: its answer is not what was asked for, twice: {wrong[0]}",
                hint="a larger model keeps to a schema better",
            )
        return made

    # -------------------------------------------------------------- one answer

    def _asked(
        self, request: LlmRequest, token: Token | None, tell: Tell | None, until: float
    ) -> LlmReply:
        told: list[str] = []

        def telling(piece: str) -> None:
            told.append(piece)
            if tell is not None:
                tell(piece)

        lost = 0.0
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self._provider.turn(token, until):
                    reply = self._metered(request, token, telling if tell else None, told, until)
                return reply._replace(calls=reply.calls + attempt - 1)
            except (ModelBusy, ModelUnreachable) as error:
                lost = self._pause(error, attempt)
                if told or attempt == ATTEMPTS or lost > LONGEST or not _time(lost, token, until):
                    raise
            _wait(lost, token)
        raise AssertionError("unreachable")

    def _pause(self, error: ModelError, attempt: int) -> float:
        after = error.after if isinstance(error, ModelBusy) else None
        if after is not None:
            return after + random.uniform(0, 0.1 * after)
        return random.uniform(0, self._backoff * 2 ** (attempt - 1))

    def _metered(
        self, request: LlmRequest, token: Token | None, tell: Tell | None, told: list[str],
        until: float,
    ) -> LlmReply:  # fmt: skip
        meter = self._meter
        asked = estimated(request)
        held = meter.hold(self._provider.model, asked, request.max_tokens) if meter else None
        kept: LlmUsage | None = None
        try:
            reply = self._provider.ask(request, token, tell, until)
            kept = reply.usage
            if not kept.told:
                kept = kept._replace(input=asked, output=count_tokens(reply.text))
        except BaseException as error:
            if told or _may_cost(error):
                written = count_tokens("".join(told)) if tell else request.max_tokens
                kept = LlmUsage(asked, written, told=False)
            raise
        finally:
            cost = meter.settle(held, kept) if meter else None
        if not reply.text.strip():
            cut = reply.stop_reason == "length"
            raise ModelGarbled(f"{self.key}: its answer is empty",
                               hint="allow it more tokens" if cut else "")  # fmt: skip
        return reply._replace(usage=kept, cost=cost if cost is not None else reply.cost)


def _may_cost(error: BaseException) -> bool:
    """Whether a request that ended so may have been worked on."""
    if isinstance(error, ModelUnreachable):
        return error.sent
    return not isinstance(error, ModelUnauthorised | ModelRefused | ModelBusy)


def _check(request: LlmRequest, tell: Tell | None) -> None:
    if not request.messages or request.messages[-1].role != "user":
        raise UsageError("a request to a language model ends with what the user says")
    if request.max_tokens < 1:
        raise UsageError(f"max_tokens is {request.max_tokens}", hint="give 1 or more")
    if request.schema is not None:
        check_schema(request.schema)
        if tell is not None:
            raise UsageError("an answer that has to follow a schema does not come in pieces")
        if request.schema.get("type") != "object":
            raise UsageError("the schema of an answer is that of an object")


def estimated(request: LlmRequest) -> int:
    """Tokens of the request, rather too many than too few."""
    texts = [request.system, *(message.text for message in request.messages)]
    if request.schema is not None:
        texts.append(in_words(request.schema))
    return int(sum(map(count_tokens, texts)) * _MARGIN) + 16 * (len(texts) + 1)


def _time(pause: float, token: Token | None, until: float) -> bool:
    """Whether there is time for a pause and something after it."""
    return monotonic() + pause < until and (token is None or token.left > pause)


def _wait(seconds: float, token: Token | None) -> None:
    until = monotonic() + seconds
    while (left := until - monotonic()) > 0:
        if token is not None and token.stopped:
            raise Cancelled("it was cancelled, or its time is over")
        time.sleep(min(LOOK, left))


def _read(reply: LlmReply, request: LlmRequest) -> tuple[LlmReply, list[str]]:
    """The reply with its data, or what is wrong with it."""
    assert request.schema is not None
    try:
        data = json_in(reply.text)
    except ModelGarbled as error:
        return reply, [error.message]
    return reply._replace(data=data), problems(data, request.schema)


def _repair(request: LlmRequest, reply: LlmReply, wrong: list[str]) -> LlmRequest:
    assert request.schema is not None
    said = LlmMessage("assistant", reply.text[:_SHOWN_BACK])
    found = "\n".join(f"- {problem}" for problem in wrong)
    asked = f"That cannot be used:\n{found}\n\n{in_words(request.schema)}"
    return request._replace(messages=(*request.messages, said, LlmMessage("user", asked)))


def _sum(first: LlmReply, second: LlmReply) -> LlmReply:
    """The second, with what both took."""
    one, two = first.usage, second.usage
    costs = (first.cost, second.cost)
    return second._replace(
        usage=LlmUsage(
            one.input + two.input, one.output + two.output, one.cache_read + two.cache_read,
            one.cache_write + two.cache_write, _added(one.cost, two.cost), one.told and two.told,
        ),
        cost=_added(*costs),
        calls=first.calls + second.calls,
    )  # fmt: skip


def _added(one: float | None, two: float | None) -> float | None:
    return None if one is None or two is None else one + two
