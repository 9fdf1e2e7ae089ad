"""Ollama's own ``/api/chat``: its OpenAI endpoint cannot be held to a schema by every version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from recollect.models.llm.dialect import Piece, in_stream, line_of_json
from recollect.models.llm.keys import Key
from recollect.ports import LlmReply, LlmRequest, LlmUsage

_REASONS: Mapping[str, str] = {"stop": "end", "": "end"}


class Ollama:
    path = "/api/chat"
    optional: Mapping[str, tuple[str, ...]] = {"schema": ("format", "grammar", "schema")}

    def headers(self, key: Key | None) -> dict[str, str]:
        return {"Authorization": f"Bearer {key.reveal()}"} if key else {}

    def body(
        self, model: str, request: LlmRequest, *, stream: bool, without: frozenset[str]
    ) -> dict[str, Any]:
        system = [{"role": "system", "content": request.system}] if request.system else []
        options: dict[str, Any] = {"num_predict": request.max_tokens}
        if request.temperature is not None:
            options["temperature"] = request.temperature
        if request.stop:
            options["stop"] = list(request.stop)
        made: dict[str, Any] = {
            "model": model,
            "messages": [*system, *({"role": r, "content": t} for r, t in request.messages)],
            "stream": stream,
            "options": options,
        }
        if request.schema is not None and "schema" not in without:
            made["format"] = request.schema
        return made

    def reply(self, told: Any) -> LlmReply:
        if told.get("error"):
            raise in_stream(told)
        reason = str(told.get("done_reason") or "")
        return LlmReply(
            str(told["message"]["content"]),
            usage=_usage(told),
            model=str(told.get("model") or ""),
            stop_reason=_REASONS.get(reason, reason),
        )

    def pieces(self, lines: Iterable[str]) -> Iterator[Piece]:
        for line in lines:
            if not line.strip():
                continue
            told = line_of_json(line)
            if told.get("error"):
                raise in_stream(told)
            text, model = str(told["message"].get("content") or ""), str(told.get("model") or "")
            if told.get("done"):
                reason = str(told.get("done_reason") or "")
                reason = _REASONS.get(reason, reason)
                yield Piece(text, _usage(told), model, reason, done=True)
                return
            yield Piece(text, None, model)


def _usage(told: Mapping[str, Any]) -> LlmUsage:
    read, written = told.get("prompt_eval_count"), told.get("eval_count")
    if not isinstance(read, int) and not isinstance(written, int):
        return LlmUsage(told=False)
    return LlmUsage(int(read or 0), int(written or 0))
