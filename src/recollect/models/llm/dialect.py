"""What the dialects have in common: their shape, the usage in every form that is met, and what an
error means. Nothing here does I/O.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from recollect.errors import (
    ModelBusy,
    ModelError,
    ModelGarbled,
    ModelRefused,
    ModelTooLong,
    ModelUnauthorised,
    ModelUnreachable,
)
from recollect.models.llm.keys import ApiKey
from recollect.named_tuple import NamedTuple
from recollect.nouns import mapping
from recollect.ports import LlmReply, LlmRequest, LlmUsage
from recollect.text.unicode import clipped


class StreamDelta(NamedTuple):
    """What one event of a stream adds."""

    text: str = ""
    usage: LlmUsage | None = None
    model: str = ""
    stop_reason: str = ""
    done: bool = False
    """Nothing follows: a stream that ends without this was cut."""


class Dialect(Protocol):
    path: str
    optional: Mapping[str, tuple[str, ...]]
    """What a server may not know: a name of ours, and the words by which its refusal tells."""

    def headers(self, key: ApiKey | None) -> dict[str, str]: ...

    def body(
        self, model: str, request: LlmRequest, *, stream: bool, without: frozenset[str]
    ) -> dict[str, Any]: ...

    def reply(self, told: Any) -> LlmReply:
        """Raises KeyError, TypeError, ValueError or AttributeError where it is none."""

    def pieces(self, lines: Iterable[str]) -> Iterator[StreamDelta]: ...


def text_in(told: Mapping[str, Any], name: str, default: str = "") -> str:
    """Returns a field of an answer as a text, and the default where it is missing or empty."""
    return str(told.get(name) or default)


def optional_fields(
    fields: Mapping[str, tuple[str, Any]], without: frozenset[str]
) -> dict[str, Any]:
    """Returns the fields of a request that have a value, except for the options that the server
    does not know; *fields* is by our names of the options."""
    return {
        name: value
        for option, (name, value) in fields.items()
        if value is not None and option not in without
    }


# ------------------------------------------------------------------ usage

_COUNTED = frozenset(("prompt_tokens", "input_tokens", "output_tokens"))


def usage_of(told: Any) -> LlmUsage | None:
    """Returns the usage that is told in either shape: in one the input has the cached tokens in it
    (``prompt_tokens``), in the other it stands beside them (``input_tokens``)."""
    told = mapping(told)
    if _COUNTED.isdisjoint(told):
        return None
    counts = Counter({name: _count(value) for name, value in told.items()})
    details = told.get("prompt_tokens_details") or told.get("input_tokens_details")
    cached = _count(mapping(details).get("cached_tokens"))
    cost = float(told["cost"]) if type(told.get("cost")) in (int, float) else None
    if "prompt_tokens" in told:
        asked = counts["prompt_tokens"]
        read = min(cached or counts["prompt_cache_hit_tokens"], asked)
        return LlmUsage(asked, counts["completion_tokens"], read, 0, cost)
    asked, output = counts["input_tokens"], counts["output_tokens"]
    if cached:  # among the input
        return LlmUsage(asked, output, min(cached, asked), 0, cost)
    read, write = counts["cache_read_input_tokens"], counts["cache_creation_input_tokens"]
    return LlmUsage(asked + read + write, output, read, write, cost)


def _count(told: Any) -> int:
    return max(told, 0) if type(told) is int else 0


# ------------------------------------------------------------------ errors

_TOO_LONG = (
    "context_length",
    "context length",
    "context window",
    "maximum context",
    "too long",
    "too large",
    "max_prompt",
    "exceeds the limit of",
    "exceeds the available context",
    "input token count",
)
_NO_CREDIT = ("insufficient_quota", "credit balance", "insufficient credits")
_BUSY = (408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529)
_STATUSES: Mapping[int, str] = {
    **dict.fromkeys(_BUSY, "busy"),
    401: "key",
    403: "key",
    402: "credit",
    404: "name",
    413: "length",
}
_MEANINGS: Mapping[str, tuple[type[ModelError], str]] = {
    "key": (ModelUnauthorised, "it wants a key"),
    "credit": (ModelUnauthorised, "the account has no credit left for this"),
    "length": (ModelTooLong, "send it less, or use a model that reads more"),
    "name": (ModelRefused, "is the model's name right, and the address?"),
    "moved": (ModelRefused, "it is somewhere else now: set llm.model to that address"),
    "refused": (ModelRefused, ""),
}
"""What an error may mean: its class, and what to do about it."""
_WORTH_SHOWING = 300


def error_of(where: str, status: int, said: str, after: float | None, variables: str) -> ModelError:
    """Returns what an answer of this status means, and what to do about it. *said* is shown: it
    must be free of keys."""
    shown = ": ".join(filter(None, (f"{where} said {status}", said)))
    meaning = _meaning(status, said.lower())
    if meaning == "busy":
        when = f"in {after:.0f} s" if after else "later"
        return ModelBusy(shown, hint=f"try again {when}", after=after)
    kind, hint = _MEANINGS[meaning]
    if meaning == "key" and variables:
        hint = f"look at the key in {variables}"
    return kind(shown, hint=hint)


def _meaning(status: int, said: str) -> str:
    """Returns which of :data:`_MEANINGS` an error has, or ``busy``."""
    known = _STATUSES.get(status, "")
    if known == "key":
        return known
    if mentions(said, _NO_CREDIT):
        return "credit"
    if status < 500 and mentions(said, _TOO_LONG):
        return "length" if known != "credit" else known
    return known or ("moved" if 300 <= status < 400 else "refused")


def mentions(said: str, phrases: Iterable[str]) -> bool:
    """Tells whether a text has one of these phrases."""
    return any(phrase in said for phrase in phrases)


def message_in(raw: bytes | str) -> tuple[str, int]:
    """Returns what an error says, in whichever shape, on one line; and the status that it names."""
    text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return _line("" if "<html" in text.lower() else text), 0
    return told_error(told)


def told_error(told: Any) -> tuple[str, int]:
    if isinstance(told, list) and told:  # Gemini's
        told = told[0]
    inner = mapping(told).get("error", told)
    if not isinstance(inner, dict):
        return _line(str(inner)), 0
    said = inner.get("message") or inner.get("detail") or inner.get("msg") or ""
    code: Any = inner.get("code")
    kind = inner.get("type") if not isinstance(code, str) else code
    beside = f" ({kind})" if isinstance(kind, str) and kind not in ("", "error") else ""
    status = code if code in range(300, 600) else _STATUS.get(str(kind), 0)
    return _line(f"{said}{beside}"), status


_STATUS: Mapping[str, int] = {
    "overloaded_error": 529,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 402,
    "authentication_error": 401,
    "permission_error": 403,
    "invalid_request_error": 400,
    "request_too_large": 413,
    "not_found_error": 404,
    "api_error": 500,
    "server_error": 500,
}


def _line(text: str) -> str:
    return clipped(" ".join(text.split()), _WORTH_SHOWING)


def check_error(told: Any) -> None:
    """Raises the error that came in the middle of a stream, or in a body of status 200."""
    if told.get("error"):
        said, status = told_error(told)
        raise error_of("it", status or 500, said, None, "")


# ------------------------------------------------------------------ streams


def events(lines: Iterable[str]) -> Iterator[Any]:
    """Yields the JSON of server-sent events; ``None`` for ``[DONE]``."""
    data: list[str] = []
    for line in lines:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            yield _event("\n".join(data))
            data = []
    if data:  # the last blank line is often left out
        yield _event("\n".join(data))


def _event(text: str) -> Any:
    if text.strip() == "[DONE]":
        return None
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        raise ModelGarbled("its stream has a line that is not JSON") from None
    if not isinstance(told, dict):
        raise ModelGarbled("its stream has a line that is no object")
    return told


def cut() -> ModelUnreachable:
    return ModelUnreachable("its stream was cut in the middle", sent=True)
