"""Language models: three protocols and all they can do wrong, against a server on this machine."""

from __future__ import annotations

import json
import logging
import os
import pickle
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from conftest import REACHED, Cli
from llm_server import (
    KEY,
    LlmServer,
    Say,
    anthropic_stream,
    completion,
    message,
    openai_stream,
    said,
    sse,
    tool_use,
)
from recollect import Memory, config
from recollect.errors import (
    Cancelled,
    ConfigError,
    ModelBusy,
    ModelError,
    ModelGarbled,
    ModelMissing,
    ModelRefused,
    ModelTooLong,
    ModelUnauthorised,
    ModelUnreachable,
    UsageError,
)
from recollect.models.addresses import LlmAddress, llm_address
from recollect.models.llm import connection
from recollect.models.llm.client import LlmClient
from recollect.models.llm.connection import retry_after
from recollect.models.llm.dialect import usage_of
from recollect.models.llm.keys import ApiKey, KeyLookup, find_key
from recollect.models.llm.provider import HttpProvider
from recollect.models.llm.schema import check_schema, is_closed, json_in, problems
from recollect.models.llm.timeouts import Timeouts
from recollect.ports import LlmMessage, LlmReply, LlmRequest, LlmUsage
from recollect.writing.runner import Token

ASK = LlmRequest((LlmMessage("user", "What is an otter?"),), system="Be brief.")
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "legs": {"type": "integer", "minimum": 0}},
    "required": ["name", "legs"],
    "additionalProperties": False,
}
QUICK = Timeouts(5, 5, 10)
OTTER = {"name": "otter", "legs": 4}
STRUCTURED = ASK._replace(schema=SCHEMA)


class Speaks(NamedTuple):
    """How a protocol says things."""

    name: str
    plain: Callable[[str], dict[str, Any]]
    structured: Callable[[Any], dict[str, Any]]
    stream: Callable[..., Say]


def openai_data(data: Any) -> dict[str, Any]:
    return completion(json.dumps(data))


DIALECTS = {
    s.name: s
    for s in (
        Speaks("openai", completion, openai_data, openai_stream),
        Speaks("anthropic", message, tool_use, anthropic_stream),
    )
}


@pytest.fixture
def server() -> Iterator[LlmServer]:
    running = LlmServer()
    yield running
    running.close()


@pytest.fixture(params=list(DIALECTS))
def speaks(request: pytest.FixtureRequest) -> Speaks:
    return DIALECTS[request.param]


def client(
    server: LlmServer, dialect: str = "openai", timeouts: Timeouts = QUICK,
    at_once: int = 4, key: str = KEY,
) -> LlmClient:  # fmt: skip
    address = LlmAddress(dialect, server.url, "toy", ("RECOLLECT_LLM_KEY",))  # type: ignore[arg-type]
    found = KeyLookup(ApiKey(key, "RECOLLECT_LLM_KEY") if key else None, address.variables)
    provider = HttpProvider(address, found, timeouts, at_once)
    return LlmClient(provider, None, timeouts, backoff=0.01)


# ------------------------------------------------------------------ answers


def test_an_answer_comes_with_what_it_took(server: LlmServer, speaks: Speaks) -> None:
    server.answers = [said(speaks.plain("A mustelid."))]
    reply = client(server, speaks.name).complete(ASK)
    assert (reply.text, reply.model, reply.stop_reason) == ("A mustelid.", "toy-1", "end")
    assert reply.usage.output == 20
    assert reply.cost is None
    assert reply.data is None


def test_what_each_protocol_is_sent(server: LlmServer) -> None:
    asked = ASK._replace(temperature=0.5, stop=("END",), max_tokens=77)
    server.answers = [said(completion("a")), said(message("a"))]
    for name in DIALECTS:
        client(server, name).complete(asked)
    openai, anthropic = server.asked
    turns = [{"role": "user", "content": "What is an otter?"}]
    system = [{"role": "system", "content": "Be brief."}]
    assert openai.path == "/v1/chat/completions"
    assert openai.body == {"model": "toy", "messages": system + turns, "max_tokens": 77,
                           "temperature": 0.5, "stop": ["END"]}  # fmt: skip
    assert openai.headers["authorization"] == f"Bearer {KEY}"
    assert anthropic.path == "/v1/messages"
    assert anthropic.body == {"model": "toy", "messages": turns, "system": "Be brief.",
                              "max_tokens": 77, "temperature": 0.5,
                              "stop_sequences": ["END"]}  # fmt: skip
    assert anthropic.headers["x-api-key"] == KEY
    assert "authorization" not in anthropic.headers


def test_ollama_is_asked_in_the_protocol_of_openai(server: LlmServer) -> None:
    root = server.url.removesuffix("/v1")
    server.answers = [said(openai_data(OTTER))]
    for url in (root, server.url):
        provider = HttpProvider(llm_address(f"ollama:{url}#toy"), KeyLookup(None, ()))
        reply = LlmClient(provider, None, QUICK).complete(STRUCTURED)
        assert reply.data == OTTER
        assert provider.key == f"toy@{server.url}"
    for asked in server.asked:
        assert asked.path == "/v1/chat/completions"
        assert asked.body["response_format"]["json_schema"]["schema"] == SCHEMA
        assert "authorization" not in asked.headers


def test_an_ollama_that_knows_no_schema_is_told_it_in_words(server: LlmServer) -> None:
    refusal = {"error": {"message": "invalid response_format", "type": "invalid_request_error"}}
    server.answers = [said(refusal, 400), said(openai_data(OTTER))]
    provider = HttpProvider(llm_address(f"ollama:{server.url}#toy"), KeyLookup(None, ()))
    assert LlmClient(provider, None, QUICK).complete(STRUCTURED).data == OTTER
    again = server.asked[1].body
    assert "response_format" not in again
    assert '"legs"' in again["messages"][0]["content"]


def test_openai_itself_is_sent_the_newer_name_of_the_limit(
    server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = llm_address("openai:gpt-5")
    provider = HttpProvider(there, KeyLookup(ApiKey(KEY, "OPENAI_API_KEY"), ()))
    server.answers = [said(completion("a"))]
    exchange = connection.HttpExchange

    def here(request: connection.Post) -> connection.HttpExchange:
        assert request.url.startswith(there.url)
        return exchange(request._replace(url=f"{server.url}/chat/completions"))

    monkeypatch.setattr(connection, "HttpExchange", here)
    LlmClient(provider, None, QUICK).complete(ASK)
    assert "max_completion_tokens" in server.asked[0].body
    assert "max_tokens" not in server.asked[0].body


def test_a_key_is_sent_only_if_there_is_one(server: LlmServer) -> None:
    server.answers = [said(completion("a"))]
    client(server, key="").complete(ASK)
    assert "authorization" not in server.asked[0].headers


def test_parts_of_text_are_joined(server: LlmServer) -> None:
    told = completion("")
    parts = [{"type": "text", "text": "a "}, {"type": "image"}, {"type": "text", "text": "b"}]
    told["choices"][0]["message"]["content"] = parts
    server.answers = [said(told)]
    assert client(server).complete(ASK).text == "a b"


@pytest.mark.parametrize(
    ("told", "usage"),
    [
        ({"prompt_tokens": 100, "completion_tokens": 5}, LlmUsage(100, 5)),
        (
            {"prompt_tokens": 100, "completion_tokens": 5,
             "prompt_tokens_details": {"cached_tokens": 80}},
            LlmUsage(100, 5, 80),
        ),
        (
            {"prompt_tokens": 100, "completion_tokens": 5, "prompt_cache_hit_tokens": 64},
            LlmUsage(100, 5, 64),
        ),
        (
            {"input_tokens": 20, "output_tokens": 5, "cache_read_input_tokens": 80,
             "cache_creation_input_tokens": 10},
            LlmUsage(110, 5, 80, 10),
        ),
        (
            {"input_tokens": 100, "output_tokens": 5,
             "input_tokens_details": {"cached_tokens": 80}},
            LlmUsage(100, 5, 80),
        ),
        ({"prompt_tokens": 9, "completion_tokens": 1, "cost": 0.0125}, LlmUsage(9, 1, cost=0.0125)),
        ({"prompt_tokens": None, "completion_tokens": "x"}, LlmUsage()),
        ({"total": 3}, None),
        (None, None),
    ],
)  # fmt: skip
def test_cached_tokens_are_among_the_input_in_either_shape(
    told: Any, usage: LlmUsage | None
) -> None:
    assert usage_of(told) == usage


def test_usage_that_nobody_tells_is_estimated_and_says_so(server: LlmServer) -> None:
    told = completion("A playful animal of rivers.")
    del told["usage"]
    server.answers = [said(told)]
    usage = client(server).complete(ASK).usage
    assert not usage.told
    assert usage.input > 5
    assert usage.output > 3


# ------------------------------------------------------------------ streams


def test_a_stream_is_told_in_pieces_and_returned_whole(server: LlmServer, speaks: Speaks) -> None:
    server.answers = [speaks.stream("An ", "otter", " swims — ", "日本.")]
    pieces: list[str] = []
    reply = client(server, speaks.name).complete(ASK, tell=pieces.append)
    assert pieces == ["An ", "otter", " swims — ", "日本."]
    assert reply.text == "".join(pieces)
    assert (reply.model, reply.stop_reason) == ("toy-1", "end")
    assert (reply.usage.input, reply.usage.output) == (100, 20)
    assert reply.usage.cache_read == 40
    assert server.asked[0].body["stream"] is True


def test_a_stream_may_be_cut_up_anyhow(server: LlmServer, speaks: Speaks) -> None:
    whole = b"".join(speaks.stream("An ", "otter ", "日本").parts)
    parts = tuple(whole[i : i + 7] for i in range(0, len(whole), 7))
    server.answers = [speaks.stream()._replace(parts=parts)]
    pieces: list[str] = []
    assert client(server, speaks.name).complete(ASK, tell=pieces.append).text == "An otter 日本"


@pytest.mark.parametrize("reset", [False, True])
def test_a_stream_that_is_cut_is_an_error_and_is_not_begun_again(
    server: LlmServer, speaks: Speaks, reset: bool
) -> None:
    server.answers = [speaks.stream("An ", "otter", done=False, cut=reset)]
    pieces: list[str] = []
    with pytest.raises(ModelUnreachable) as told:
        client(server, speaks.name).complete(ASK, tell=pieces.append)
    assert told.value.sent
    assert "".join(pieces) in ("", "An ", "An otter")
    if pieces:
        assert len(server.asked) == 1


def test_a_stream_that_ends_before_its_first_piece_is_tried_again(
    server: LlmServer, speaks: Speaks
) -> None:
    server.answers = [speaks.stream(done=False), speaks.stream("otter")]
    pieces: list[str] = []
    assert client(server, speaks.name).complete(ASK, tell=pieces.append).text == "otter"
    assert pieces == ["otter"]


def test_an_error_in_the_middle_of_a_stream_is_that_error(server: LlmServer) -> None:
    server.answers = [sse({"choices": [{"delta": {"content": "An"}}]},
                          {"error": {"message": "overloaded", "code": 529}})]  # fmt: skip
    with pytest.raises(ModelBusy, match="overloaded"):
        client(server).complete(ASK, tell=lambda _: None)
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    server.answers = [anthropic_stream("An", done=False)]
    server.answers = [
        server.answers[0]._replace(  # type: ignore[union-attr]
            parts=(*server.answers[0].parts, f"data: {json.dumps(overloaded)}\n\n".encode())  # type: ignore[union-attr]
        )
    ]
    with pytest.raises(ModelBusy, match="Overloaded"):
        client(server, "anthropic").complete(ASK, tell=lambda _: None)
    server.answers = [sse({"choices": [{"delta": {"content": "An"}}]}, {"error": "out of memory"})]
    with pytest.raises(ModelBusy, match="out of memory"):
        client(server).complete(ASK, tell=lambda _: None)


def test_a_stream_of_garbage_is_refused(server: LlmServer, speaks: Speaks) -> None:
    server.answers = [speaks.stream()._replace(parts=(b"data: {nonsense\n\n", b"{nonsense\n"))]
    with pytest.raises(ModelGarbled):
        client(server, speaks.name).complete(ASK, tell=lambda _: None)
    server.answers = [
        speaks.stream()._replace(
            parts=(b'data: {"choices": [7], "type": "content_block_delta"}\n\n',
                   b'{"message": 3}\n')
        )
    ]  # fmt: skip
    with pytest.raises(ModelError):
        client(server, speaks.name).complete(ASK, tell=lambda _: None)


def test_a_server_that_does_not_stream_is_told_whole(server: LlmServer, speaks: Speaks) -> None:
    server.answers = [said(speaks.plain("All at once."))]
    pieces: list[str] = []
    assert client(server, speaks.name).complete(ASK, tell=pieces.append).text == "All at once."
    assert pieces == ["All at once."]


def test_whoever_listens_may_end_it(server: LlmServer) -> None:
    server.answers = [openai_stream(*["word "] * 200, pause=0.02)]

    def enough(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        client(server).complete(ASK, tell=enough)
    assert server.dropped.wait(5)


# ------------------------------------------------------------------ structured answers


def test_a_structured_answer_is_asked_for_in_each_protocols_way(
    server: LlmServer, speaks: Speaks
) -> None:
    server.answers = [said(speaks.structured(OTTER))]
    reply = client(server, speaks.name).complete(STRUCTURED)
    assert reply.data == OTTER
    assert reply.calls == 1
    body = server.asked[0].body
    if speaks.name == "openai":
        asked = body["response_format"]["json_schema"]
        assert (asked["schema"], asked["strict"]) == (SCHEMA, True)
    elif speaks.name == "anthropic":
        assert body["tools"][0]["input_schema"] == SCHEMA
        assert body["tool_choice"] == {"type": "tool", "name": "answer"}
    else:
        assert body["format"] == SCHEMA


def test_what_is_wrong_is_sent_back_once(server: LlmServer, speaks: Speaks) -> None:
    server.answers = [
        said(speaks.structured({"name": "otter", "legs": "four"})),
        said(speaks.structured(OTTER)),
    ]
    reply = client(server, speaks.name).complete(STRUCTURED)
    assert reply.data == OTTER
    assert reply.calls == 2
    assert reply.usage.output == 40
    *_, back, asked = server.asked[1].body["messages"]
    assert back["role"] == "assistant"
    assert "four" in back["content"]
    assert "legs must be integer" in asked["content"]


def test_it_is_given_up_after_that(server: LlmServer, speaks: Speaks) -> None:
    server.answers = [said(speaks.plain("I would rather tell you about bears."))]
    with pytest.raises(ModelGarbled, match="not JSON"):
        client(server, speaks.name).complete(STRUCTURED)
    assert len(server.asked) == 2


def test_an_answer_that_was_cut_off_is_not_sent_back(server: LlmServer) -> None:
    server.answers = [said(completion('{"name": "ot', "length"))]
    with pytest.raises(ModelGarbled, match="cut off") as told:
        client(server).complete(STRUCTURED)
    assert "more tokens" in told.value.hint
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_knows_no_schema_is_told_in_words_and_not_asked_again(
    server: LlmServer, status: int
) -> None:
    refusal = {"error": {"message": "Unknown parameter: response_format", "type": "bad"}}
    server.answers = [said(refusal, status), said(completion(f"```json\n{json.dumps(OTTER)}\n```"))]
    asking = client(server)
    assert asking.complete(STRUCTURED).data == OTTER
    assert "response_format" in server.asked[0].body
    assert "response_format" not in server.asked[1].body
    assert json.dumps(SCHEMA) in server.asked[1].body["messages"][0]["content"]
    assert asking.complete(STRUCTURED).data == OTTER
    assert len(server.asked) == 3


def test_other_options_that_a_server_refuses_are_left_out(server: LlmServer) -> None:
    def picky(asked: Any) -> Say:
        for name in ("max_tokens", "temperature", "stop", "stream_options"):
            if name in asked.body:
                return said({"error": {"message": f"Unsupported parameter: '{name}'"}}, 400)
        return openai_stream("fine")

    server.answers = [picky]
    asked = ASK._replace(temperature=0.0, stop=("x",))
    reply = client(server).complete(asked, tell=lambda _: None)
    assert reply.text == "fine"
    assert reply.calls == len(server.asked) == 5
    assert "max_completion_tokens" in server.asked[-1].body


def test_a_refusal_that_is_about_nothing_of_ours_is_not_repeated(server: LlmServer) -> None:
    server.answers = [said({"error": {"message": "bad temperature of the server room"}}, 400)]
    with pytest.raises(ModelRefused):
        client(server).complete(ASK)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        ' \n{"a": 1}\n',
        '```json\n{"a": 1}\n```',
        'Here it is:\n```\n{"a": 1}\n```\nEnjoy!',
        'Sure: {"a": 1} and so on }',
        '<think>{"b": 2}</think>\n{"a": 1}',
    ],
)
def test_json_is_found_in_what_models_write(text: str) -> None:
    assert json_in(text) == {"a": 1}


@pytest.mark.parametrize("text", ["", "no", "{", '{"a": NaN}', "[" * 100_000, '{"a": 1'])
def test_what_is_no_json_is_none(text: str) -> None:
    with pytest.raises(ModelGarbled):
        json_in(text)


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "string"}, ["", "a"], [1, None, []]),
        ({"type": "integer"}, [1, 2.0], [True, 1.5, "1"]),
        ({"type": "number"}, [1, 1.5], [True, "1"]),
        ({"type": "boolean"}, [True], [0, 1, "true"]),
        ({"type": ["string", "null"]}, ["a", None], [1]),
        ({"enum": ["a", 1]}, ["a", 1], ["b", True]),
        ({"const": 0}, [0], [False, 1]),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2},
         [[1], [1, 2]], [[], [1, 2, 3], ["a"]]),
        ({"type": "string", "minLength": 2, "maxLength": 3}, ["ab", "abc"], ["a", "abcd"]),
        ({"type": "number", "minimum": 0, "maximum": 1}, [0, 0.5, 1], [-0.1, 1.1]),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, ["a", 1], [None, 1.5]),
        (SCHEMA, [OTTER], [{}, {**OTTER, "tail": 1}, {"name": 1, "legs": 4}, []]),
        ({"type": "object", "properties": {"a": {"type": "object", "required": ["b"]}}},
         [{}, {"a": {"b": 1}}, {"z": 1}], [{"a": {}}]),
    ],
)  # fmt: skip
def test_a_value_is_checked_against_its_schema(
    schema: dict[str, Any], good: list[Any], bad: list[Any]
) -> None:
    check_schema(schema)
    assert [value for value in good if problems(value, schema)] == []
    assert [value for value in bad if not problems(value, schema)] == []


def test_a_problem_says_where_it_is() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": SCHEMA}}}
    assert problems({"a": [OTTER, {"name": "x", "legs": -1}]}, schema) == [
        "a[1].legs must be at least 0"
    ]


@pytest.mark.parametrize(
    "schema", [{"pattern": "x"}, {"type": "text"}, {"properties": {"a": {"$ref": "#"}}}]
)
def test_a_schema_that_cannot_be_checked_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        check_schema(schema)


def test_only_a_closed_schema_is_strict() -> None:
    assert is_closed(SCHEMA)
    assert not is_closed({**SCHEMA, "required": ["name"]})
    assert not is_closed({"type": "object", "properties": {"a": {"type": "object"}},
                          "required": ["a"], "additionalProperties": False})  # fmt: skip


def test_calls_that_make_no_sense_are_refused(server: LlmServer) -> None:
    server.answers = [said(completion("a"))]
    asking = client(server)
    for wrong in (
        LlmRequest(()),
        LlmRequest((LlmMessage("assistant", "hm"),)),
        ASK._replace(max_tokens=0),
        ASK._replace(schema={"type": "array"}),
    ):
        with pytest.raises(UsageError):
            asking.complete(wrong)
    with pytest.raises(UsageError, match="pieces"):
        asking.complete(STRUCTURED, tell=lambda _: None)
    assert server.asked == []


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, {"error": {"message": "bad"}}, ModelRefused),
        (401, {"error": {"message": "Incorrect API key", "code": "invalid_api_key"}},
         ModelUnauthorised),
        (402, {"error": {"message": "Insufficient credits"}}, ModelUnauthorised),
        (403, {"error": {"message": "no"}}, ModelUnauthorised),
        (404, {"error": "model 'toy' not found"}, ModelRefused),
        (400, {"error": {"message": "This model's maximum context length is 8192 tokens",
                         "code": "context_length_exceeded"}}, ModelTooLong),
        (400, {"type": "error", "error": {"type": "invalid_request_error",
                                          "message": "prompt is too long: 300000 tokens"}},
         ModelTooLong),
        (413, b"", ModelTooLong),
        (302, b"", ModelRefused),
        (429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}},
         ModelUnauthorised),
        (400, [{"error": {"code": 400, "message": "API key not valid"}}], ModelRefused),
        (418, b"<html><body>teapot</body></html>", ModelRefused),
    ],
)  # fmt: skip
def test_an_error_is_ours_and_not_repeated(
    server: LlmServer, speaks: Speaks, status: int, body: Any, kind: type[ModelError]
) -> None:
    server.answers = [said(body, status)]
    with pytest.raises(ModelError) as told:
        client(server, speaks.name).complete(ASK)
    assert type(told.value) is kind
    assert str(status) in told.value.message or status == 429
    assert "html" not in told.value.message
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_tried_again(server: LlmServer, speaks: Speaks, status: int) -> None:
    server.answers = [said({"error": {"message": "later"}}, status), said(speaks.plain("now"))]
    reply = client(server, speaks.name).complete(ASK)
    assert (reply.text, reply.calls) == ("now", 2)


def test_what_does_not_pass_is_given_up(server: LlmServer) -> None:
    server.answers = [said({"error": {"message": "busy"}}, 503)]
    with pytest.raises(ModelBusy, match="busy"):
        client(server).complete(ASK)
    assert len(server.asked) == 4


def test_a_server_is_left_alone_for_as_long_as_it_says(server: LlmServer) -> None:
    server.answers = [said({}, 429, Retry_After="0.4"), said(completion("now"))]
    began = time.monotonic()
    assert client(server).complete(ASK).text == "now"
    assert time.monotonic() - began >= 0.4


@pytest.mark.parametrize("wait", ["3600", "Fri, 31 Dec 2100 23:59:59 GMT"])
def test_a_wait_that_is_too_long_is_told_and_not_waited_for(server: LlmServer, wait: str) -> None:
    server.answers = [said({"error": {"message": "quota"}}, 429, Retry_After=wait)]
    with pytest.raises(ModelBusy) as told:
        client(server).complete(ASK)
    assert len(server.asked) == 1
    assert wait != "3600" or told.value.after == 3600


def test_when_to_come_back_is_read_in_every_form() -> None:
    assert retry_after({"retry-after": "2"}) == 2
    assert retry_after({"retry-after-ms": "250", "retry-after": "9"}) == 0.25
    assert retry_after({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}) == 0
    for nothing in ({}, {"retry-after": "soon"}, {"retry-after": "-1"}, {"retry-after": "nan"}):
        assert retry_after(nothing) is None


def test_a_rate_limit_that_speaks_of_billing_is_still_one(server: LlmServer) -> None:
    told = [{"error": {"code": 429, "message": "Please check your plan and billing details."}}]
    server.answers = [said(told, 429), said(completion("now"))]
    assert client(server).complete(ASK).text == "now"


def test_openrouter_errors_with_status_200_are_errors(server: LlmServer) -> None:
    server.answers = [said({"error": {"message": "No credit", "code": 402}})]
    with pytest.raises(ModelUnauthorised, match="No credit"):
        client(server).complete(ASK)


def test_a_refusal_to_answer_is_told(server: LlmServer) -> None:
    told = completion("")
    told["choices"][0]["message"]["refusal"] = "I cannot help with that."
    server.answers = [said(told)]
    with pytest.raises(ModelRefused, match="cannot help"):
        client(server).complete(ASK)
    server.answers = [said(message("", "refusal"))]
    with pytest.raises(ModelRefused):
        client(server, "anthropic").complete(ASK)


@pytest.mark.parametrize(
    "body", [b"", b"<html>hello</html>", b"[]", b"{}", b"7", b'{"choices": []}', b"\xff\xfe",
             b'{"choices": [{"message": null}], "content": 3, "message": 4}'],
)  # fmt: skip
def test_garbage_is_garbage(server: LlmServer, speaks: Speaks, body: bytes) -> None:
    server.answers = [said(body)]
    with pytest.raises(ModelGarbled):
        client(server, speaks.name).complete(ASK)
    assert len(server.asked) == 1


def test_an_empty_answer_is_an_error(server: LlmServer, speaks: Speaks) -> None:
    server.answers = [said(speaks.plain(" \n"))]
    with pytest.raises(ModelGarbled, match="empty"):
        client(server, speaks.name).complete(ASK)


def test_a_connection_that_drops_is_tried_again(server: LlmServer, speaks: Speaks) -> None:
    server.answers = [
        Say(200, (b'{"half',), length=500, cut=True),
        Say(200, (b'{"half',), length=500),
        said(speaks.plain("whole")),
    ]
    reply = client(server, speaks.name).complete(ASK)
    assert (reply.text, reply.calls) == ("whole", 3)


def test_a_server_that_is_not_there_is_unreachable(server: LlmServer) -> None:
    asking = client(server)
    server.close()
    with pytest.raises(ModelUnreachable) as told:
        asking.complete(ASK)
    assert not told.value.sent


def test_what_does_not_speak_http_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            for _ in range(4):
                peer, _address = listening.accept()
                peer.sendall(b"220 mail.example.com ESMTP\r\n")
                peer.close()

        threading.Thread(target=answer, daemon=True).start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        provider = HttpProvider(LlmAddress("openai", url, "toy"), KeyLookup(None, ()))
        with pytest.raises(ModelUnreachable):
            LlmClient(provider, None, Timeouts(5, 5, 5), backoff=0.01).complete(ASK)


# ------------------------------------------------------------------ time


def test_an_answer_that_does_not_come_is_given_up(server: LlmServer, speaks: Speaks) -> None:
    server.answers = [said(speaks.plain("late"))._replace(pause=30)]
    with pytest.raises(ModelUnreachable, match="in time"):
        client(server, speaks.name, Timeouts(5, 5, 0.3)).complete(ASK)
    assert server.dropped.wait(5)


def test_a_stream_that_does_not_begin_or_go_on_is_given_up(
    server: LlmServer, speaks: Speaks
) -> None:
    server.answers = [speaks.stream("An ", "otter", pause=30)]
    with pytest.raises(ModelUnreachable, match="in time"):
        client(server, speaks.name, Timeouts(5, 0.1, 1)).complete(ASK, tell=lambda _: None)


def test_a_body_that_trickles_ends_with_the_total_time(server: LlmServer) -> None:
    server.answers = [openai_stream(*["word "] * 1000, pause=0.05)]
    with pytest.raises(ModelUnreachable, match="in time"):
        client(server, timeouts=Timeouts(5, 5, 0.5)).complete(ASK, tell=lambda _: None)
    assert server.dropped.wait(5), "it was cut off in the midst of what the server sends"


@pytest.mark.parametrize("streamed", [False, True])
def test_cancelling_reaches_a_running_request(
    server: LlmServer, speaks: Speaks, streamed: bool
) -> None:
    token = Token()
    answer = speaks.stream(*["a "] * 500, pause=0.1) if streamed else said(speaks.plain("late"))
    server.answers = [answer._replace(pause=0.1 if streamed else 30)]
    threading.Timer(0.3, token.cancel).start()
    with pytest.raises(Cancelled):
        client(server, speaks.name).complete(ASK, token, (lambda _: None) if streamed else None)
    assert server.dropped.wait(5)
    assert len(server.asked) == 1


def test_cancelling_ends_a_pause_and_the_wait_for_a_turn(server: LlmServer) -> None:
    server.answers = [said({}, 429, Retry_After="20")]
    token = Token()
    threading.Timer(0.2, token.cancel).start()
    with pytest.raises(Cancelled):
        client(server, timeouts=Timeouts(5, 5, 60)).complete(ASK, token)
    server.answers = [said(completion("late"))._replace(pause=30)]
    asking = client(server, at_once=1)
    first, second = Token(), Token(0.3)
    waiting = threading.Thread(target=lambda: _ended(asking, first), daemon=True)
    waiting.start()
    while len(server.asked) < 2:
        time.sleep(0.01)
    with pytest.raises(Cancelled):
        asking.complete(ASK, second)
    first.cancel()
    waiting.join(5)
    assert len(server.asked) == 2


def _ended(asking: LlmClient, token: Token) -> None:
    with pytest.raises(Cancelled):
        asking.complete(ASK, token)


def test_a_token_without_enough_time_is_not_waited_out(server: LlmServer) -> None:
    server.answers = [said({"error": {"message": "busy"}}, 429, Retry_After="5")]
    with pytest.raises(ModelBusy):
        client(server).complete(ASK, Token(1.0))
    assert len(server.asked) == 1


def test_no_more_requests_at_once_than_allowed(server: LlmServer) -> None:
    server.answers = [said(completion("a"))._replace(pause=0.05)]
    asking = client(server, at_once=2)
    threads = [threading.Thread(target=asking.complete, args=(ASK,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(server.asked) == 8
    assert server.most_at_once == 2


# ------------------------------------------------------------------ keys


def test_no_key_is_at_hand_and_no_provider_can_be_reached() -> None:
    assert [name for name in os.environ if name.endswith(("_API_KEY", "_LLM_KEY"))] == []
    for host in ("api.openai.com", "192.0.2.1"):
        patient = Timeouts(60, 60, 60)
        provider = HttpProvider(
            LlmAddress("openai", f"https://{host}/v1", "toy"), KeyLookup(None, ()), patient
        )
        with pytest.raises(ModelUnreachable, match="tests reach no network"):
            LlmClient(provider, None, patient, backoff=0.001).complete(ASK)
        assert host in REACHED
        REACHED.clear()


def test_a_key_shows_nowhere(
    server: LlmServer, speaks: Speaks, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    key = ApiKey(KEY, "X")
    assert KEY not in f"{key!r} {key} {KeyLookup(key, ())}"
    with pytest.raises(TypeError):
        pickle.dumps(key)
    asking = client(server, speaks.name)
    assert KEY not in repr(vars(asking))
    for status in (400, 401, 500):
        server.answers = [said({"error": {"message": f"Incorrect key: {KEY}."}}, status)]
        with pytest.raises(ModelError) as told:
            asking.complete(ASK)
        shown = "".join(traceback.format_exception(told.value))
        assert KEY not in shown + repr(told.value) + str(told.value.args)
        assert "Incorrect key" in shown
    assert KEY not in caplog.text


@pytest.mark.parametrize("text", ["sk two words", "sk-line\nbreak", "sk-ключ"])
def test_what_cannot_be_a_key_is_not_repeated(text: str) -> None:
    with pytest.raises(ModelUnauthorised) as told:
        find_key(("OPENAI_API_KEY",), keyring=False, environ={"OPENAI_API_KEY": text})
    assert "OPENAI_API_KEY" in told.value.message
    assert text not in str(told.value)


def test_a_providers_key_goes_to_that_provider_only() -> None:
    assert llm_address("openai:gpt-5").variables == ("OPENAI_API_KEY", "RECOLLECT_LLM_KEY")
    assert llm_address("https://example.com/v1#gpt-5").variables == ("RECOLLECT_LLM_KEY",)
    assert llm_address("anthropic:https://example.com/v1#c").variables == ("RECOLLECT_LLM_KEY",)
    assert llm_address("ollama:llama3.2:3b").variables == ()


def test_a_key_does_not_travel_in_the_clear() -> None:
    found = KeyLookup(ApiKey(KEY, "RECOLLECT_LLM_KEY"), ())
    with pytest.raises(ModelUnauthorised, match="for everybody to read"):
        HttpProvider(llm_address("http://llm.example.com/v1#toy"), found)
    HttpProvider(llm_address("http://127.0.0.1:1/v1#toy"), found)
    HttpProvider(llm_address("http://llm.example.com/v1#toy"), KeyLookup(None, ()))


def test_a_missing_key_says_where_it_belongs() -> None:
    memory = Memory.open("memory://", llm_model="openai:gpt-5")
    with memory, pytest.raises(ModelUnauthorised) as told:
        memory.models.llm()
    assert "OPENAI_API_KEY" in told.value.hint
    assert "keyring" in told.value.hint


def test_a_keyring_is_asked_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys
    from types import ModuleType

    ring = ModuleType("keyring")
    known = {("recollect", "OPENAI_API_KEY"): KEY}
    ring.get_password = lambda service, name: known.get((service, name))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", ring)
    found = find_key(("OPENAI_API_KEY",), keyring=True, environ={})
    assert found.key is not None
    assert found.key.reveal() == KEY
    assert "keyring" in found.where
    both = find_key(("OPENAI_API_KEY",), keyring=True, environ={"OPENAI_API_KEY": "sk-env"})
    assert both.where == "OPENAI_API_KEY"

    def locked(*_: str) -> str:
        raise RuntimeError("locked")

    ring.get_password = locked  # type: ignore[attr-defined]
    assert find_key(("OPENAI_API_KEY",), keyring=True, environ={}).key is None
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert find_key(("OPENAI_API_KEY",), keyring=True, environ={}).key is None


@pytest.mark.parametrize("name", ["llm.key", "llm.api_key", "openai_api_key", "llm.token"])
def test_a_key_in_a_file_is_an_error_that_says_where_it_belongs(name: str, cli: Cli) -> None:
    ran = cli("config", "set", name, KEY)
    assert ran.code == 2
    assert "OPENAI_API_KEY" in ran.err
    assert KEY not in ran.out + ran.err
    path = config.user_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    config.write_file(path, {name: KEY})
    with pytest.raises(ConfigError) as told:
        config.load()
    assert "OPENAI_API_KEY" in told.value.hint
    assert KEY not in str(told.value)


@pytest.mark.parametrize(
    "value", [KEY, f"https://me:{KEY}@example.com/v1#toy", f"https://example.com/v1?key={KEY}#toy"]
)
@pytest.mark.parametrize("name", ["llm.model", "rerank.model", "embed.model"])
def test_a_key_in_a_model_is_not_repeated(name: str, value: str, cli: Cli) -> None:
    ran = cli("config", "set", name, value)
    assert ran.code == 2
    assert "RECOLLECT_LLM_KEY" in ran.err
    assert KEY not in ran.out + ran.err
    assert not config.user_file().exists()


@pytest.mark.parametrize(
    "name", ["paraphrase-multilingual-MiniLM-L12", "jina-reranker-v2-base-multilingual", "skylark"]
)
def test_a_models_name_is_no_key(name: str) -> None:
    assert config.parsed("embed.model", name, "here") == name


@pytest.mark.parametrize("name", [n for n in config.SETTINGS if n.startswith("llm.")])
def test_a_cloned_repository_sets_nothing_about_language_models(name: str) -> None:
    values = {"llm.model": "http://127.0.0.1:1/v1#toy", "llm.price": "0/0"}
    config.write_file(Path.cwd() / config.PROJECT_FILE, {name: values.get(name, 100.0)})
    loaded = config.load()
    assert loaded[name] == config.SETTINGS[name].default
    assert any(name in line for line in loaded.ignored)


# ------------------------------------------------------------------ names


@pytest.mark.parametrize(
    ("name", "dialect", "url", "model"),
    [
        ("openai:gpt-5-mini", "openai", "https://api.openai.com/v1", "gpt-5-mini"),
        ("openrouter:a/b:free", "openai", "https://openrouter.ai/api/v1", "a/b:free"),
        ("ollama:llama3.2:3b", "openai", "http://127.0.0.1:11434/v1", "llama3.2:3b"),
        ("ollama:http://10.0.0.7:11434#q", "openai", "http://10.0.0.7:11434/v1", "q"),
        ("ollama:https://h/proxy/v1/#q", "openai", "https://h/proxy/v1", "q"),
        ("http://localhost:8000/v1/#qwen3", "openai", "http://localhost:8000/v1", "qwen3"),
        ("http://[::1]:8000/v1#a#b", "openai", "http://[::1]:8000/v1", "a#b"),
    ],
)
def test_a_name_means_a_place(name: str, dialect: str, url: str, model: str) -> None:
    found = llm_address(name)
    assert (found.dialect, found.url, found.model) == (dialect, url, model)


@pytest.mark.parametrize(
    "name", ["gpt-5", "openai:", "mistral:large", "http://h/v1", "ftp://h#m", "http://#m"]
)
def test_a_name_that_means_nothing_says_how_one_is_written(name: str) -> None:
    with pytest.raises(ConfigError) as told:
        llm_address(name)
    assert told.value.hint


# ------------------------------------------------------------------ one's own


def test_a_callable_is_a_language_model_too() -> None:
    asked: list[LlmRequest] = []

    def mine(request: LlmRequest) -> str:
        asked.append(request)
        return json.dumps(OTTER) if len(asked) > 1 else "not yet"

    with Memory.open("memory://") as memory:
        with pytest.raises(ModelMissing, match="no language model"):
            memory.models.llm()
        memory.models.use_llm(mine)
        assert memory.models.llm_status().model == "callable"
        reply = memory.models.llm().complete(STRUCTURED)
    assert reply.data == OTTER
    assert reply.model == "mine"
    assert json.dumps(SCHEMA) in asked[0].system


def test_a_callable_may_tell_what_it_took_and_is_told_in_one_piece() -> None:
    with Memory.open("memory://") as memory:
        memory.models.use_llm(lambda _: LlmReply("hi", usage=LlmUsage(3, 4, cost=0.5)))
        pieces: list[str] = []
        reply = memory.models.llm().complete(ASK, tell=pieces.append)
    assert (reply.usage.input, reply.cost) == (3, 0.5)
    assert pieces == ["hi"]


def test_a_callable_that_fails_gives_nonsense_or_hangs_is_an_error() -> None:
    over = threading.Event()

    def fails(_: LlmRequest) -> str:
        raise ZeroDivisionError("by zero")

    def hangs(_: LlmRequest) -> str:
        over.wait(30)
        return ""

    with Memory.open("memory://") as memory:
        memory.models.use_llm(fails)
        with pytest.raises(ModelError, match="by zero"):
            memory.models.llm().complete(ASK)
        memory.models.use_llm(lambda _: 7)  # type: ignore[arg-type, return-value]
        with pytest.raises(ModelGarbled, match="int"):
            memory.models.llm().complete(ASK)
        memory.models.use_llm(hangs)
        with pytest.raises(Cancelled):
            memory.models.llm().complete(ASK, Token(0.2))
    over.set()
