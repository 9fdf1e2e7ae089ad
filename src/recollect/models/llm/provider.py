"""One request to a model: over HTTP in one of the dialects, or to a callable of the user's.

A server that does not know an option (a schema, a name for the most tokens, a temperature) says so,
is asked again without it, once for each, and is not troubled with it any more. Where the schema has
to go it is put into words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from threading import BoundedSemaphore, Thread
from time import monotonic
from typing import Any, Protocol

from recollect.errors import (
    ModelBusy,
    ModelError,
    ModelGarbled,
    ModelTooLong,
    ModelUnreachable,
    RecollectError,
)
from recollect.models.addresses import LlmAddress
from recollect.models.llm import connection
from recollect.models.llm.anthropic import Anthropic
from recollect.models.llm.dialect import Dialect, StreamDelta, cut, error_of, mentions, message_in
from recollect.models.llm.keys import KeyLookup
from recollect.models.llm.openai import LlamaCpp, OpenAi
from recollect.models.llm.schema import in_words
from recollect.models.llm.timeouts import POLL, USUAL, Timeouts, check_token
from recollect.named_tuple import NamedTuple
from recollect.ports import LlmReply, LlmRequest, LlmUsage, StopToken, Tell

AT_ONCE = 4
"""Requests to one provider at a time."""
_DIALECTS: Mapping[str, Dialect] = {
    "openai": OpenAi(),
    "anthropic": Anthropic(),
    "llama": LlamaCpp(),
}
_NO_ANSWER = (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError)
_ABOUT_OPTIONS = (400, 422, 501)
"""Statuses by which a server may say that it does not know an option."""


class LlmCall(NamedTuple):
    """A request, who hears the pieces of its answer, and when it is given up."""

    request: LlmRequest
    until: float
    """A time of the monotonic clock."""
    token: StopToken | None = None
    tell: Tell | None = None


class Provider(Protocol):
    """Somebody who answers one request."""

    key: str
    model: str

    def turn(self, call: LlmCall) -> Any:
        """In it, no more requests are under way than may be at once."""

    def ask(self, call: LlmCall) -> LlmReply: ...


class _Turns:
    def __init__(self, at_once: int) -> None:
        self._free = BoundedSemaphore(at_once)

    @contextmanager
    def turn(self, call: LlmCall) -> Iterator[None]:
        while not self._free.acquire(timeout=POLL):
            check_token(call.token)
            if monotonic() >= call.until:
                raise ModelBusy(
                    "too many requests to the language model at once", hint="try again later"
                )
        try:
            yield
        finally:
            self._free.release()


def with_schema_in_words(request: LlmRequest) -> LlmRequest:
    if request.schema is None:
        return request
    told = in_words(request.schema)
    return request._replace(system=f"{request.system}\n\n{told}" if request.system else told)


# ------------------------------------------------------------------ over HTTP


class _UnknownOption(Exception):
    """The server does not know an option."""

    def __init__(self, option: str) -> None:
        super().__init__(option)
        self.option = option


class HttpProvider(_Turns):
    """A server. Safe to share between threads."""

    def __init__(
        self,
        address: LlmAddress,
        found: KeyLookup,
        timeouts: Timeouts = USUAL,
        at_once: int = AT_ONCE,
    ) -> None:
        super().__init__(at_once)
        found.check(address.url, required=address.needs_key)
        self.key = address.key
        self.model = address.model
        self._address = address
        self._found = found
        self._timeouts = timeouts
        self._dialect = _DIALECTS[address.dialect]
        # Its newer models know only the newer name; everybody else knows the older one.
        newer = address.host == "api.openai.com"
        self._without: frozenset[str] = frozenset({"max_tokens"} if newer else ())

    def __repr__(self) -> str:
        return f"HttpProvider({self.key})"

    def ask(self, call: LlmCall) -> LlmReply:
        tries = 0
        while True:
            tries += 1
            try:
                reply = self._once(call)
            except _UnknownOption as told:
                self._without |= {told.option}
            except ModelError as error:
                raise self._cleaned(error) from None
            else:
                return reply._replace(calls=tries, model=reply.model or self.model)

    def _once(self, call: LlmCall) -> LlmReply:
        without, stream = self._without, call.tell is not None
        request = with_schema_in_words(call.request) if "schema" in without else call.request
        body = self._dialect.body(self.model, request, stream=stream, without=without)
        connect, first, _ = self._timeouts
        posted = connection.Post(
            self._address.url + self._dialect.path,
            {"Content-Type": "application/json", **self._dialect.headers(self._found.key)},
            json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"),
            connect,
            call.until,
            call.token,
        )
        with connection.HttpExchange(posted) as exchange:
            status, answered = exchange.head(first if stream else float("inf"))
            if status in _ABOUT_OPTIONS:
                error = self._error(status, answered, exchange.body())
                self._give_up_option(error, request, body, without)
                raise error
            if status != 200:
                raise self._error(status, answered, exchange.body())
            kind = answered.get("content-type", "")
            if kind.startswith("text/html"):
                raise self._garbled("what it sent is a web page")
            if call.tell is None or kind.startswith("application/json"):
                return self._whole(exchange.body(), call.tell)
            return self._streamed(exchange.lines(first), call.tell)

    def _whole(self, raw: bytes, tell: Tell | None) -> LlmReply:
        try:
            reply = self._dialect.reply(json.loads(raw))
        except _NO_ANSWER:
            raise self._garbled("what it sent is not an answer of a language model") from None
        _tell_whole(reply, tell)
        return reply

    def _streamed(self, lines: Iterator[str], tell: Tell) -> LlmReply:
        texts: list[str] = []
        reply = LlmReply("", usage=LlmUsage(told=False))
        for piece in self._pieces(lines):
            if piece.text:
                texts.append(piece.text)
                tell(piece.text)
            usage = piece.usage or reply.usage
            reply = reply._replace(usage=usage, model=reply.model or piece.model)
            if piece.done:
                return reply._replace(text="".join(texts), stop_reason=piece.stop_reason)
        raise cut()

    def _pieces(self, lines: Iterator[str]) -> Iterator[StreamDelta]:
        try:
            yield from self._dialect.pieces(lines)
        except _NO_ANSWER:
            raise self._garbled("its stream is not that of a language model") from None

    # -------------------------------------------------------------- what goes wrong

    def _error(self, status: int, headers: Mapping[str, str], raw: bytes) -> ModelError:
        said, named = message_in(raw)
        if (status, named) == (429, 402):  # no credit, though it says that it is busy
            status = named
        where = self._found.where or " or ".join(self._found.variables)
        after = connection.retry_after(headers)
        return error_of(self._address.host, status, said, after, where)

    def _give_up_option(
        self,
        error: ModelError,
        request: LlmRequest,
        body: Mapping[str, Any],
        without: frozenset[str],
    ) -> None:
        """Raises :class:`_UnknownOption` when the error is about an option that can be left out."""
        said, stream = error.message.lower(), "stream" in body
        options = self._dialect.optional.items() if not isinstance(error, ModelTooLong) else ()
        for option, words in options:
            if option in without or not mentions(said, words):
                continue
            fewer = without | {option}
            if self._dialect.body(self.model, request, stream=stream, without=fewer) != body:
                raise _UnknownOption(option)

    def _garbled(self, what: str) -> ModelGarbled:
        return ModelGarbled(f"{self._address.host}: {what}", hint="is this the address of its API?")

    def _cleaned(self, error: ModelError) -> ModelError:
        """Returns the error without the key, should the server have repeated it."""
        error.message = self._found.cleaned(error.message)
        error.args = (error.message,)
        if isinstance(error, ModelUnreachable) and not (error.sent or error.hint):
            error.hint = (
                f"does a server listen at {self._address.url}? `recollect llm test` asks it"
            )
        return error


def _tell_whole(reply: LlmReply, tell: Tell | None) -> None:
    if tell is not None and reply.text:
        tell(reply.text)


# ------------------------------------------------------------------ a callable


Own = Callable[[LlmRequest], "str | LlmReply"]
"""A language model of the user's: the answer to a request, as text or with what is known of it.
It finds a schema both in the request and in words at the end of the system message."""


class OwnProvider(_Turns):
    """A callable. It runs in a thread of its own, which is left behind when it is given up."""

    def __init__(self, own: Own) -> None:
        super().__init__(AT_ONCE)
        self._own = own
        self.model = getattr(own, "__name__", type(own).__name__)
        self.key = f"{self.model}@callable"

    def ask(self, call: LlmCall) -> LlmReply:
        done: SimpleQueue[str | LlmReply | Exception] = SimpleQueue()

        def work() -> None:
            try:
                done.put(self._own(with_schema_in_words(call.request)))
            except Exception as error:  # noqa: BLE001  it is handed over
                done.put(error)

        Thread(target=work, name="recollect-llm", daemon=True).start()
        reply = self._reply(self._wait(done, call))
        _tell_whole(reply, call.tell)
        return reply._replace(model=reply.model or self.model)

    def _reply(self, told: Any) -> LlmReply:
        match told:
            case RecollectError():
                raise told
            case Exception():
                raise ModelError(f"{self.model} failed: {type(told).__name__}: {told}") from told
            case str():
                return LlmReply(told, usage=LlmUsage(told=False))
            case LlmReply():
                return told
        raise ModelGarbled(f"{self.model} gave {type(told).__name__}, not a text")

    def _wait(self, done: SimpleQueue[Any], call: LlmCall) -> Any:
        while monotonic() < call.until:
            with suppress(Empty):
                return done.get(timeout=POLL)
            check_token(call.token)
        raise ModelUnreachable(f"{self.model} did not answer in time", sent=True)
