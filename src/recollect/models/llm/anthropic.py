"""Anthropic's messages. A structured answer is the input of a tool that the model has to call."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from recollect.errors import ModelRefused
from recollect.models.llm.dialect import Piece, events, in_stream, usage_of
from recollect.models.llm.keys import Key
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

    def headers(self, key: Key | None) -> dict[str, str]:
        own = {"x-api-key": key.reveal()} if key else {}
        return {"anthropic-version": VERSION, **own}

    def body(
        self, model: str, request: LlmRequest, *, stream: bool, without: frozenset[str]
    ) -> dict[str, Any]:
        made: dict[str, Any] = {
            "model": model,
            "max_tokens": request.max_tokens,
            "messages": [{"role": r, "content": t} for r, t in request.messages],
        }
        if request.system:
            made["system"] = request.system
        if request.temperature is not None and "temperature" not in without:
            made["temperature"] = request.temperature
        if request.stop:
            made["stop_sequences"] = list(request.stop)
        if request.schema is not None and "schema" not in without:
            made["tools"] = [
                {"name": _TOOL, "description": "Give the answer.", "input_schema": request.schema}
            ]
            made["tool_choice"] = {"type": "tool", "name": _TOOL}
        return {**made, "stream": True} if stream else made

    def reply(self, told: Any) -> LlmReply:
        if told.get("type") == "error":
            raise in_stream(told)
        text = "".join(map(_block, told["content"]))
        reason = str(told.get("stop_reason") or "end")
        if reason == "refusal":
            raise ModelRefused("it will not answer that")
        return LlmReply(
            text,
            usage=usage_of(told.get("usage")) or LlmUsage(told=False),
            model=str(told.get("model") or ""),
            stop_reason=_REASONS.get(reason, reason),
        )

    def pieces(self, lines: Iterable[str]) -> Iterator[Piece]:
        counted: dict[str, Any] = {}
        reason = "end"
        for told in events(lines):
            kind = (told or {}).get("type")
            if kind == "error":
                raise in_stream(told)
            if kind == "message_start":
                counted = dict(told["message"].get("usage") or {})
                yield Piece("", usage_of(counted), str(told["message"].get("model") or ""))
            elif kind == "content_block_delta":
                delta = told["delta"]
                yield Piece(str(delta.get("text") or delta.get("partial_json") or ""))
            elif kind == "message_delta":  # the counts here are sums, not what was added
                counted.update({k: v for k, v in (told.get("usage") or {}).items() if v})
                reason = str(told["delta"].get("stop_reason") or reason)
                yield Piece("", usage_of(counted))
            elif kind == "message_stop":
                if reason == "refusal":
                    raise ModelRefused("it will not answer that")
                yield Piece("", None, "", _REASONS.get(reason, reason), done=True)
                return


def _block(block: Any) -> str:
    if block["type"] == "tool_use":
        return json.dumps(block["input"], ensure_ascii=False)
    return str(block["text"]) if block["type"] == "text" else ""
