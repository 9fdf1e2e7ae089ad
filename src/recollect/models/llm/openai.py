"""OpenAI's chat completions, which vLLM, LM Studio, llama.cpp, OpenRouter and Gemini speak too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from recollect.errors import ModelRefused
from recollect.models.llm.dialect import Piece, events, in_stream, usage_of
from recollect.models.llm.keys import Key
from recollect.models.llm.schema import is_closed
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

    def headers(self, key: Key | None) -> dict[str, str]:
        return {"Authorization": f"Bearer {key.reveal()}"} if key else {}

    def body(
        self, model: str, request: LlmRequest, *, stream: bool, without: frozenset[str]
    ) -> dict[str, Any]:
        system = [{"role": "system", "content": request.system}] if request.system else []
        made: dict[str, Any] = {
            "model": model,
            "messages": [*system, *({"role": r, "content": t} for r, t in request.messages)],
            "max_completion_tokens" if "max_tokens" in without else "max_tokens":
                request.max_tokens,
        }  # fmt: skip
        if request.temperature is not None and "temperature" not in without:
            made["temperature"] = request.temperature
        if request.stop and "stop" not in without:
            made["stop"] = list(request.stop)
        if request.schema is not None and "schema" not in without:
            inner = {
                "name": "answer",
                "schema": request.schema,
                "strict": is_closed(request.schema),
            }
            made["response_format"] = {"type": "json_schema", "json_schema": inner}
        if stream:
            made["stream"] = True
            if "usage" not in without:
                made["stream_options"] = {"include_usage": True}
        return made

    def reply(self, told: Any) -> LlmReply:
        if told.get("error"):  # OpenRouter says so with status 200
            raise in_stream(told)
        choice = told["choices"][0]
        if choice.get("error"):
            raise in_stream(choice)
        message = choice["message"]
        if message.get("refusal"):
            raise _refusal(str(message["refusal"]))
        reason = str(choice.get("finish_reason") or "end")
        return LlmReply(
            _text(message.get("content")),
            usage=usage_of(told.get("usage")) or LlmUsage(told=False),
            model=str(told.get("model") or ""),
            stop_reason=_REASONS.get(reason, reason),
        )

    def pieces(self, lines: Iterable[str]) -> Iterator[Piece]:
        ended = refused = ""
        for told in events(lines):
            if told is None:
                break
            if told.get("error"):
                raise in_stream(told)
            usage, model = usage_of(told.get("usage")), str(told.get("model") or "")
            for choice in (told.get("choices") or ())[:1]:
                if choice.get("error"):
                    raise in_stream(choice)
                delta = choice.get("delta") or {}
                refused += str(delta.get("refusal") or "")
                reason = str(choice.get("finish_reason") or "")
                ended = ended or _REASONS.get(reason, reason)
                yield Piece(_text(delta.get("content")), None, model)
            if usage is not None:
                yield Piece("", usage, model)
        else:
            if not ended:
                return
        if refused:
            raise _refusal(refused)
        yield Piece("", None, "", ended or "end", done=True)


def _text(content: Any) -> str:
    """A text, or parts of which some are text."""
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(str(part["text"]) for part in content if part.get("type") == "text")


def _refusal(said: str) -> ModelRefused:
    return ModelRefused(f"it will not answer that: {' '.join(said.split())[:300]}")
