"""One request to a model: over HTTP in one of the dialects, or to a callable of the user's.

A server that does not know an option (a schema, a name for the most tokens, a temperature) says so,
is asked again without it, once for each, and is not troubled with it any more. Where the schema has
to go it is put into words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from threading import BoundedSemaphore, Thread
from time import monotonic
from typing import Any, Protocol

from recollect.errors import (
    Cancelled,
    ModelBusy,
    ModelError,
    ModelGarbled,
    ModelTooLong,
    ModelUnauthorised,
    ModelUnreachable,
    RecollectError,
)
from recollect.models.llm.addresses import Address
from recollect.models.llm.anthropic import Anthropic
from recollect.models.llm.connection import LOOK, USUAL, Exchange, Timeouts
from recollect.models.llm.dialect import Dialect, cut, error_of, message_in
from recollect.models.llm.keys import Found
from recollect.models.llm.ollama import Ollama
from recollect.models.llm.openai import OpenAi
from recollect.models.llm.schema import in_words
from recollect.ports import LlmReply, LlmRequest, LlmUsage, Tell, Token

AT_ONCE = 4
"""Requests to one provider at a time."""
_DIALECTS: Mapping[str, Callable[[], Dialect]] = {
    "openai": OpenAi,
    "anthropic": Anthropic,
    "ollama": Ollama,
}
_NO_ANSWER = (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError)


class Provider(Protocol):
    """Somebody who answers one request."""

    key: str
    model: str

    def turn(self, token: Token | None, until: float) -> Any:
        """In it, no more requests are under way than may be at once."""

    def ask(
        self, request: LlmRequest, token: Token | None, tell: Tell | None, until: float
    ) -> LlmReply: ...


class _Turns:
    def __init__(self, at_once: int) -> None:
        self._free = BoundedSemaphore(at_once)

    @contextmanager
    def turn(self, token: Token | None, until: float) -> Iterator[None]:
        while not self._free.acquire(timeout=LOOK):
            if token is not None and token.stopped:
                raise Cancelled("it was cancelled, or its time is over")
            if monotonic() >= until:
                raise ModelBusy("too many requests to the language model at once",
                                hint="try again later")  # fmt: skip
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


class _GiveUp(Exception):
    """The server does not know an option."""

    def __init__(self, option: str) -> None:
        super().__init__(option)
        self.option = option


class HttpProvider(_Turns):
    """A server. Safe to share between threads."""

    def __init__(
        self,
        address: Address,
        found: Found,
        timeouts: Timeouts = USUAL,
        at_once: int = AT_ONCE,
    ) -> None:
        super().__init__(at_once)
        if found.key is None and address.needs_key:
            raise ModelUnauthorised(
                f"there is no key for {address.host}",
                hint=f"set {found.variables[0]} in the environment, or keep it in the keyring "
                f"(`keyring set recollect {found.variables[0]}`)",
            )
        if found.key is not None and address.url.startswith("http://") and not address.is_here:
            raise ModelUnauthorised(
                f"the key in {found.where} would go to {address.host} for everybody to read",
                hint="use https://, or unset the key if that server needs none",
            )
        self.key = address.key
        self.model = address.model
        self._address = address
        self._found = found
        self._timeouts = timeouts
        self._dialect = _DIALECTS[address.dialect]()
        # Its newer models know only the newer name; everybody else knows the older one.
        newer = address.host == "api.openai.com"
        self._without: frozenset[str] = frozenset({"max_tokens"} if newer else ())

    def __repr__(self) -> str:
        return f"HttpProvider({self.key})"

    def ask(
        self, request: LlmRequest, token: Token | None, tell: Tell | None, until: float
    ) -> LlmReply:
        tries = 0
        while True:
            tries += 1
            try:
                reply = self._once(request, token, tell, until)
            except _GiveUp as told:
                self._without |= {told.option}
            except ModelError as error:
                raise self._cleaned(error) from None
            else:
                return reply._replace(calls=tries, model=reply.model or self.model)

    def _once(
        self, request: LlmRequest, token: Token | None, tell: Tell | None, until: float
    ) -> LlmReply:
        without, stream = self._without, tell is not None
        if "schema" in without:
            request = with_schema_in_words(request)
        body = self._dialect.body(self.model, request, stream=stream, without=without)
        headers = {"Content-Type": "application/json", **self._dialect.headers(self._found.key)}
        raw = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        connect, first, _ = self._timeouts
        url = self._address.url + self._dialect.path
        with Exchange(url, headers, raw, connect, until, token) as exchange:
            status, answered = exchange.head(first if stream else float("inf"))
            if status != 200:
                error = self._error(status, answered, exchange.body())
                self._give_up(error, status, request, body, stream=stream, without=without)
                raise error
            if tell is None or answered.get("content-type", "").startswith("application/json"):
                return self._whole(exchange.body(), tell)
            return self._streamed(exchange.lines(first), tell)

    def _whole(self, raw: bytes, tell: Tell | None) -> LlmReply:
        try:
            reply = self._dialect.reply(json.loads(raw))
        except _NO_ANSWER:
            raise self._garbled("what it sent is not an answer of a language model") from None
        if tell is not None and reply.text:
            tell(reply.text)
        return reply

    def _streamed(self, lines: Iterator[str], tell: Tell) -> LlmReply:
        texts: list[str] = []
        reply = LlmReply("", usage=LlmUsage(told=False))
        pieces = self._dialect.pieces(lines)
        while True:
            try:
                piece = next(pieces, None)
            except _NO_ANSWER:
                raise self._garbled("its stream is not that of a language model") from None
            if piece is None:
                raise cut()
            if piece.text:
                texts.append(piece.text)
                tell(piece.text)
            reply = reply._replace(
                usage=piece.usage or reply.usage, model=reply.model or piece.model
            )
            if piece.done:
                return reply._replace(text="".join(texts), stop_reason=piece.stop_reason)

    # -------------------------------------------------------------- what goes wrong

    def _error(self, status: int, headers: Mapping[str, str], raw: bytes) -> ModelError:
        said, named = message_in(raw)
        variables = " or ".join(self._found.variables)
        return error_of(
            self._address.host, named if status == 429 and named == 402 else status,
            said, retry_after(headers), self._found.where or variables,
        )  # fmt: skip

    def _give_up(
        self, error: ModelError, status: int, request: LlmRequest, body: Mapping[str, Any],
        *, stream: bool, without: frozenset[str],
    ) -> None:  # fmt: skip
        """Raises :class:`_GiveUp` when the error is about an option that can be left out."""
        if status not in (400, 422, 501) or isinstance(error, ModelTooLong):
            return
        said = error.message.lower()
        for option, words in self._dialect.optional.items():
            fewer = without | {option}
            if option not in without and any(word in said for word in words):
                lesser = self._dialect.body(self.model, request, stream=stream, without=fewer)
                if lesser != body:
                    raise _GiveUp(option)

    def _garbled(self, what: str) -> ModelGarbled:
        return ModelGarbled(f"{self._address.host}: {what}",
                            hint="is this the address of its API?")  # fmt: skip

    def _cleaned(self, error: ModelError) -> ModelError:
        """The same without the key, should the server have repeated it."""
        if self._found.key is not None:
            error.message = self._found.key.cleaned(error.message)
            error.args = (error.message,)
        return error


def retry_after(headers: Mapping[str, str]) -> float | None:
    """In how many seconds a server wants to be asked again."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        said = headers.get(name, "").strip()
        try:
            seconds = float(said) * scale
        except ValueError:
            seconds = _until_date(said)
        if 0 <= seconds < float("inf"):
            return seconds
    return None


def _until_date(said: str) -> float:
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime

    try:
        when = parsedate_to_datetime(said)
    except ValueError:
        return -1.0
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())


# ------------------------------------------------------------------ a callable


Own = Callable[[LlmRequest], "str | LlmReply"]
"""A language model of the user's: the answer to a request, as text or with what is known of it.
It finds a schema both in the request and in words at the end of the system message."""


class OwnProvider(_Turns):
    """A callable. It runs in a thread of its own, which is left behind when it is given up."""

    def __init__(self, own: Own, at_once: int = AT_ONCE) -> None:
        super().__init__(at_once)
        self._own = own
        self.model = getattr(own, "__name__", type(own).__name__)
        self.key = f"{self.model}@callable"

    def ask(
        self, request: LlmRequest, token: Token | None, tell: Tell | None, until: float
    ) -> LlmReply:
        done: SimpleQueue[str | LlmReply | Exception] = SimpleQueue()

        def work() -> None:
            try:
                done.put(self._own(with_schema_in_words(request)))
            except Exception as error:  # noqa: BLE001  it is handed over
                done.put(error)

        Thread(target=work, name="recollect-llm", daemon=True).start()
        told = self._wait(done, token, until)
        if isinstance(told, RecollectError):
            raise told
        if isinstance(told, Exception):
            raise ModelError(f"{self.model} failed: {type(told).__name__}: {told}") from told
        reply = LlmReply(told, usage=LlmUsage(told=False)) if isinstance(told, str) else told
        if not isinstance(reply, LlmReply):
            raise ModelGarbled(f"{self.model} gave {type(told).__name__}, not a text")
        if tell is not None and reply.text:
            tell(reply.text)
        return reply._replace(model=reply.model or self.model)

    def _wait(self, done: SimpleQueue[Any], token: Token | None, until: float) -> Any:
        while True:
            try:
                return done.get(timeout=LOOK)
            except Empty:
                if token is not None and token.stopped:
                    raise Cancelled("it was cancelled, or its time is over") from None
                if monotonic() >= until:
                    raise ModelUnreachable(
                        f"{self.model} did not answer in time", sent=True
                    ) from None
