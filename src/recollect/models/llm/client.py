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
    ModelBusy,
    ModelError,
    ModelGarbled,
    ModelUnreachable,
    UsageError,
)
from recollect.models.llm.provider import LlmCall, Provider
from recollect.models.llm.schema import check_schema, in_words, json_in, problems
from recollect.models.llm.timeouts import POLL, USUAL, Timeouts, check_token
from recollect.ports import LlmMessage, LlmReply, LlmRequest, LlmUsage, Meter, StopToken, Tell
from recollect.text.tokens import count_tokens

ATTEMPTS = 4
BACKOFF = 0.5
"""Seconds: a pause is at most this, then twice this, and so on."""
LONGEST = 30.0
"""A server that wants to be left alone for longer is not waited for."""
_MARGIN = 1.15
"""An estimate of tokens is this much more than what was counted: vocabularies differ."""
_SHOWN_BACK = 8_000


class LlmClient:
    """One command's language model."""

    def __init__(
        self,
        provider: Provider,
        meter: Meter | None = None,
        timeouts: Timeouts = USUAL,
        backoff: float | None = None,
    ) -> None:
        self._provider = provider
        self._meter = meter
        self._timeouts = timeouts
        self._backoff = BACKOFF if backoff is None else backoff

    @property
    def key(self) -> str:
        return self._provider.key

    def complete(
        self, request: LlmRequest, token: StopToken | None = None, tell: Tell | None = None
    ) -> LlmReply:
        _check(request, tell)
        call = LlmCall(request, monotonic() + self._timeouts.total, token, tell)
        return self._answer(call) if request.schema is None else self._structured(call)

    # -------------------------------------------------------------- structured answers

    def _structured(self, call: LlmCall) -> LlmReply:
        first = self._answer(call)
        parsed, wrong = _parse(first, call.request)
        if not wrong:
            return parsed
        if first.stop_reason == "length":
            raise ModelGarbled(f"{self.key}: its answer was cut off", hint="allow it more tokens")
        second = self._answer(call._replace(request=_repair(call.request, first, wrong)))
        parsed, wrong = _parse(_sum(first, second), call.request)
        if wrong:
            raise ModelGarbled(
                f"{self.key}: its answer is not what was asked for, twice: {wrong[0]}",
                hint="a larger model keeps to a schema better",
            )
        return parsed

    # -------------------------------------------------------------- one answer

    def _answer(self, call: LlmCall) -> LlmReply:
        """Returns the model's answer, after as many attempts as it takes and there is time for."""
        written: list[str] = []
        if call.tell is not None:
            call = call._replace(tell=_both(written.append, call.tell))
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self._provider.turn(call):
                    reply = self._metered(call, written)
                return reply._replace(calls=reply.calls + attempt - 1)
            except (ModelBusy, ModelUnreachable) as error:
                pause = self._pause(error, attempt)
                if written or attempt == ATTEMPTS or not _has_time(pause, call):
                    raise
            _wait(pause, call.token)
        raise AssertionError("unreachable")

    def _pause(self, error: ModelError, attempt: int) -> float:
        after = getattr(error, "after", None)
        if after is not None:
            return float(after) + random.uniform(0, 0.1 * after)
        return random.uniform(0, self._backoff * 2 ** (attempt - 1))

    def _metered(self, call: LlmCall, written: list[str]) -> LlmReply:
        """Asks once. What it cost is settled with the meter, however it ends."""
        meter, request = self._meter, call.request
        expected = estimated(request)
        held = meter.hold(self._provider.model, expected, request.max_tokens) if meter else None
        usage: LlmUsage | None = None
        try:
            reply = self._provider.ask(call)
            usage = reply.usage
            if not usage.told:
                usage = usage._replace(input=expected, output=count_tokens(reply.text))
        except BaseException as error:
            if written or _may_cost(error):
                output = count_tokens("".join(written)) if call.tell else request.max_tokens
                usage = LlmUsage(expected, output, told=False)
            raise
        finally:
            cost = meter.settle(held, usage) if meter else None
        if not reply.text.strip():
            hint = "allow it more tokens" if reply.stop_reason == "length" else ""
            raise ModelGarbled(f"{self.key}: its answer is empty", hint=hint)
        return reply._replace(usage=usage, cost=reply.cost if cost is None else cost)


def _both(first: Tell, second: Tell) -> Tell:
    def tell(piece: str) -> None:
        first(piece)
        second(piece)

    return tell


def _may_cost(error: BaseException) -> bool:
    """Returns whether a request that ended so may have been worked on."""
    return error.may_cost if isinstance(error, ModelError) else True


def _check(request: LlmRequest, tell: Tell | None) -> None:
    if not request.messages or request.messages[-1].role != "user":
        raise UsageError("a request to a language model ends with what the user says")
    if request.max_tokens < 1:
        raise UsageError(f"max_tokens is {request.max_tokens}", hint="give 1 or more")
    if request.schema is None:
        return
    check_schema(request.schema)
    if tell is not None:
        raise UsageError("an answer that has to follow a schema does not come in pieces")
    if request.schema.get("type") != "object":
        raise UsageError("the schema of an answer is that of an object")


def estimated(request: LlmRequest) -> int:
    """Returns the tokens of the request, rather too many than too few."""
    texts = [request.system, *(message.text for message in request.messages)]
    if request.schema is not None:
        texts.append(in_words(request.schema))
    return int(sum(map(count_tokens, texts)) * _MARGIN) + 16 * (len(texts) + 1)


def _has_time(pause: float, call: LlmCall) -> bool:
    """Returns whether there is time for a pause and something after it."""
    left = float("inf") if call.token is None else call.token.left
    return pause <= LONGEST and monotonic() + pause < call.until and left > pause


def _wait(seconds: float, token: StopToken | None) -> None:
    until = monotonic() + seconds
    while (left := until - monotonic()) > 0:
        check_token(token)
        time.sleep(min(POLL, left))


def _parse(reply: LlmReply, request: LlmRequest) -> tuple[LlmReply, list[str]]:
    """Returns the reply with its data, and what is wrong with it."""
    assert request.schema is not None
    try:
        data = json_in(reply.text)
    except ModelGarbled as error:
        return reply, [error.message]
    return reply._replace(data=data), problems(data, request.schema)


def _repair(request: LlmRequest, reply: LlmReply, wrong: list[str]) -> LlmRequest:
    """Returns the request that sends an answer back with what is wrong about it."""
    assert request.schema is not None
    said = LlmMessage("assistant", reply.text[:_SHOWN_BACK])
    found = "\n".join(f"- {problem}" for problem in wrong)
    asked = f"That cannot be used:\n{found}\n\n{in_words(request.schema)}"
    return request._replace(messages=(*request.messages, said, LlmMessage("user", asked)))


def _sum(first: LlmReply, second: LlmReply) -> LlmReply:
    """Returns the second reply, with what both took."""
    one, two = first.usage, second.usage
    usage = LlmUsage(
        one.input + two.input,
        one.output + two.output,
        one.cache_read + two.cache_read,
        one.cache_write + two.cache_write,
        _added(one.cost, two.cost),
        one.told and two.told,
    )
    cost = _added(first.cost, second.cost)
    return second._replace(usage=usage, cost=cost, calls=first.calls + second.calls)


def _added(one: float | None, two: float | None) -> float | None:
    return None if one is None or two is None else one + two
