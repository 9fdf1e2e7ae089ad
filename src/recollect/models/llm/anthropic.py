"""Anthropic's messages. A structured answer is the input of a tool that the model has to call."""

from __future__ import annotations

import json
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
from recollect.nouns import filled, mapping
from recollect.ports import LlmReply, LlmRequest, LlmUsage

VERSION = "2023-06-01"
_TOOL = "answer"
_REASONS: Mapping[str, str] = {
    "end_turn": "end",
    "tool_use": "end",
    "max_tokens": "length",
    "stop_sequence": "stop",
}


class Anthropic:
    path = "/messages"
    optional: Mapping[str, tuple[str, ...]] = {
        "schema": ("tool_choice", "input_schema", "tools"),
        "temperature": ("temperature",),
    }

    def headers(self, key: ApiKey | None) -> dict[str, str]:
        own = {"x-api-key": key.reveal()} if key else {}
        return {"anthropic-version": VERSION, **own}

    def body(
        self, model: str, request: LlmRequest, *, stream: bool, without: frozenset[str]
    ) -> dict[str, Any]:
        options = {
            "system": ("system", request.system or None),
            "temperature": ("temperature", request.temperature),
            "stop": ("stop_sequences", list(request.stop) or None),
            "stream": ("stream", stream or None),
        }
        return {
            "model": model,
            "max_tokens": request.max_tokens,
            "messages": [{"role": r, "content": t} for r, t in request.messages],
            **optional_fields(options, without),
            **({} if "schema" in without else _tool(request.schema)),
        }

    def reply(self, told: Any) -> LlmReply:
        check_error(told)
        text = "".join(map(_block, told["content"]))
        reason = text_in(told, "stop_reason", "end")
        if reason == "refusal":
            raise ModelRefused("it will not answer that")
        return LlmReply(
            text,
            usage=usage_of(told.get("usage")) or LlmUsage(told=False),
            model=text_in(told, "model"),
            stop_reason=_REASONS.get(reason, reason),
        )

    def pieces(self, lines: Iterable[str]) -> Iterator[StreamDelta]:
        counted: dict[str, Any] = {}
        reason = "end"
        for told in filter(None, events(lines)):
            kind = told.get("type")
            check_error(told)
            if kind == "message_start":
                counted = dict(mapping(told["message"].get("usage")))
                yield StreamDelta("", usage_of(counted), text_in(told["message"], "model"))
            elif kind == "content_block_delta":
                delta = told["delta"]
                yield StreamDelta(text_in(delta, "text", text_in(delta, "partial_json")))
            elif kind == "message_delta":  # the counts here are sums, not what was added
                counted.update(filled(mapping(told.get("usage"))))
                reason = text_in(told["delta"], "stop_reason", reason)
                yield StreamDelta("", usage_of(counted))
            elif kind == "message_stop":
                if reason == "refusal":
                    raise ModelRefused("it will not answer that")
                yield StreamDelta("", None, "", _REASONS.get(reason, reason), done=True)
                return


def _tool(schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """Returns the fields that make the model call a tool with its answer."""
    if schema is None:
        return {}
    tool = {"name": _TOOL, "description": "Give the answer.", "input_schema": schema}
    return {"tools": [tool], "tool_choice": {"type": "tool", "name": _TOOL}}


def _block(block: Any) -> str:
    if block["type"] == "tool_use":
        return json.dumps(block["input"], ensure_ascii=False)
    return str(block["text"]) if block["type"] == "text" else ""
