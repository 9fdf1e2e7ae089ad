"""OpenAI's chat completions, which vLLM, LM Studio, llama.cpp, Ollama, OpenRouter and Gemini speak
too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from recollect.errors import ModelRefused
from recollect.models.llm.dialect import (
    StreamDelta,
    check_error,
    events,
    optional_fields,
    text_in,
    usage_of,
)
from recollect.models.llm.keys import ApiKey
from recollect.models.llm.schema import is_closed
from recollect.nouns import filled, mapping
from recollect.ports import LlmReply, LlmRequest, LlmUsage

_REASONS: Mapping[str, str] = {"stop": "end", "length": "length", "content_filter": "filtered"}


class OpenAi:
    path = "/chat/completions"
    optional: Mapping[str, tuple[str, ...]] = {
        "schema": ("response_format", "json_schema", "structured output", "guided", "grammar"),
        "usage": ("stream_options", "include_usage"),
        "max_tokens": ("max_completion_tokens", "max_tokens"),
        "temperature": ("temperature",),
        "stop": ("'stop'", '"stop"', "parameter: stop"),
    }
    """Without ``max_tokens`` its newer name is sent."""

    def headers(self, key: ApiKey | None) -> dict[str, str]:
        return {"Authorization": f"Bearer {key.reveal()}"} if key else {}

    def body(
        self, model: str, request: LlmRequest, *, stream: bool, without: frozenset[str]
    ) -> dict[str, Any]:
        system = [{"role": "system", "content": request.system}] if request.system else []
        limit = "max_completion_tokens" if "max_tokens" in without else "max_tokens"
        options = {
            "temperature": ("temperature", request.temperature),
            "stop": ("stop", list(request.stop) or None),
            "schema": ("response_format", _response_format(request.schema)),
            "stream": ("stream", stream or None),
            "usage": ("stream_options", {"include_usage": True} if stream else None),
        }
        return {
            "model": model,
            "messages": [*system, *({"role": r, "content": t} for r, t in request.messages)],
            limit: request.max_tokens,
            **optional_fields(options, without),
        }

    def reply(self, told: Any) -> LlmReply:
        check_error(told)  # OpenRouter says so with status 200
        choice = told["choices"][0]
        check_error(choice)
        message = choice["message"]
        if message.get("refusal"):
            raise _refusal(str(message["refusal"]))
        reason = text_in(choice, "finish_reason", "end")
        return LlmReply(
            _text(message.get("content")),
            usage=usage_of(told.get("usage")) or LlmUsage(told=False),
            model=text_in(told, "model"),
            stop_reason=_REASONS.get(reason, reason),
        )

    def pieces(self, lines: Iterable[str]) -> Iterator[StreamDelta]:
        ended = refused = ""
        for told in events(lines):
            if told is None:
                break
            check_error(told)
            usage, model = usage_of(told.get("usage")), text_in(told, "model")
            for choice in (told.get("choices") or ())[:1]:
                check_error(choice)
                delta = mapping(choice.get("delta"))
                refused += text_in(delta, "refusal")
                reason = text_in(choice, "finish_reason")
                ended = ended or _REASONS.get(reason, reason)
                yield StreamDelta(_text(delta.get("content")), None, model)
            if usage is not None:
                yield StreamDelta("", usage, model)
        else:
            if not ended:
                return
        if refused:
            raise _refusal(refused)
        yield StreamDelta("", None, "", ended or "end", done=True)


class LlamaCpp(OpenAi):
    """A server of llama.cpp, which can hold an answer to a grammar as well."""

    def body(
        self, model: str, request: LlmRequest, *, stream: bool, without: frozenset[str]
    ) -> dict[str, Any]:
        made = super().body(model, request, stream=stream, without=without)
        return made | filled({"grammar": request.grammar})


def _response_format(schema: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if schema is None:
        return None
    inner = {"name": "answer", "schema": schema, "strict": is_closed(schema)}
    return {"type": "json_schema", "json_schema": inner}


def _text(content: Any) -> str:
    """Returns a text as it is, and of parts those that are text."""
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(str(part["text"]) for part in content if part.get("type") == "text")


def _refusal(said: str) -> ModelRefused:
    return ModelRefused(f"it will not answer that: {' '.join(said.split())[:300]}")
