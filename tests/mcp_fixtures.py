"""What the conformance suite asks of a server besides its own tools, mounted on our application.

``python tests/mcp_fixtures.py STORE`` serves it on a free port, whose address is the first line
of standard output; ``--plain`` serves the application as it ships.
"""

from __future__ import annotations

import hmac
import json
import socket
import struct
import sys
import warnings
import zlib
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from recollect import Memory
from recollect.surfaces.http.guard import ASGI, AccessControl, Receive, Scope, Send
from recollect.surfaces.mcp.http import PATH, app

TOKEN = "a-token-for-the-suite"

Given = Mapping[str, Any]
Made = dict[str, Any]
Do = Callable[[Any, Given], Awaitable[Made]]


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _png() -> str:
    """One red pixel."""
    made = b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", struct.pack(">2I5B", 1, 1, 8, 2, 0, 0, 0))
    made += _chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + _chunk(b"IEND", b"")
    return b64encode(made).decode()


def _wav() -> str:
    """No sound at all."""
    form = b"fmt " + struct.pack("<I2H2I2H", 16, 1, 1, 8000, 16000, 2, 16)
    body = b"WAVE" + form + b"data" + struct.pack("<I", 0)
    return b64encode(b"RIFF" + struct.pack("<I", len(body)) + body).decode()


PNG, WAV = _png(), _wav()
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


def text(said: str) -> Made:
    return {"type": "text", "text": said}


def embedded(uri: str, kind: str, said: str) -> Made:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": said}}


def content(*blocks: Made) -> Made:
    return {"content": list(blocks)}


# ------------------------------------------------------------------ tools with fixed results

FIXED: dict[str, Made] = {
    "test_simple_text": content(text("This is a simple text response for testing.")),
    "test_image_content": content(IMAGE),
    "test_audio_content": content({"type": "audio", "data": WAV, "mimeType": "audio/wav"}),
    "test_embedded_resource": content(
        embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ),
    "test_multiple_content_types": content(
        text("Multiple content types test:"),
        IMAGE,
        embedded(
            "test://mixed-content-resource", "application/json", '{"test":"data","value":123}'
        ),
    ),
    "test_error_handling": {
        **content(text("This tool intentionally returns an error for testing")),
        "isError": True,
    },
    "test_logging_tool": content(text("nothing was logged")),
}


# ------------------------------------------------------------------ tools that talk to the client


async def logging(context: Any, _: Given) -> Made:
    for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message("info", said, related_request_id=context.request_id)
        await anyio.sleep(0.05)
    return content(text("logged three times"))


async def progress(context: Any, _: Given) -> Made:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
        await anyio.sleep(0.05)
    return content(text("reported three times"))


async def sampling(context: Any, params: Given) -> Made:
    asked = types.TextContent(type="text", text=params["arguments"]["prompt"])
    reply = await context.session.create_message(
        messages=[types.SamplingMessage(role="user", content=asked)],
        max_tokens=100,
        related_request_id=context.request_id,
    )
    return content(text(f"LLM response: {reply.content.text}"))


async def elicited(context: Any, message: str, properties: Made, needed: list[str]) -> str:
    schema = {"type": "object", "properties": properties, "required": needed}
    reply = await context.session.elicit_form(message, schema, context.request_id)
    return f"action={reply.action}, content={json.dumps(reply.content)}"


async def elicitation(context: Any, params: Given) -> Made:
    fields = {name: {"type": "string", "description": name} for name in ("username", "email")}
    said = await elicited(context, params["arguments"]["message"], fields, list(fields))
    return content(text(f"User response: {said}"))


DEFAULTS: Made = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
_NAMED = [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)]
_BARE = ["option1", "option2", "option3"]
ENUMS: Made = {
    "untitledSingle": {"type": "string", "enum": _BARE},
    "titledSingle": {"type": "string", "oneOf": _NAMED},
    "legacyEnum": {"type": "string", "enum": _BARE, "enumNames": ["One", "Two", "Three"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _BARE}},
    "titledMulti": {"type": "array", "items": {"anyOf": _NAMED}},
}


def choosing(properties: Made) -> Do:
    async def choose(context: Any, _: Given) -> Made:
        said = await elicited(context, "Please choose", properties, [])
        return content(text(f"Elicitation completed: {said}"))

    return choose


async def missing_capability(context: Any, params: Given) -> Made:
    if "sampling" not in params["_meta"][CAPABILITIES]:
        wanted: Made = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "sampling is needed", wanted)
    return content(text("sampling could be used"))


# ------------------------------------------------------------------ what needs more from the client


def form(message: str, name: str, kind: str = "string") -> Made:
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    params = {"message": message, "requestedSchema": schema, "mode": "form"}
    return {"method": "elicitation/create", "params": params}


def sample(said: str) -> Made:
    messages = [{"role": "user", "content": text(said)}]
    params = {"messages": messages, "maxTokens": 100}
    return {"method": "sampling/createMessage", "params": params}


ROOTS: Made = {"method": "roots/list", "params": {}}
SEAL = b"only for tests"


def sealed(state: str) -> str:
    return f"{state}.{hmac.new(SEAL, state.encode(), 'sha256').hexdigest()}"


def needing(*rounds: Made, stateful: bool = False, done: Made | None = None) -> Do:
    """Asks for what each round names, one after the other; then it is done."""

    async def ask(_: Any, params: Given) -> Made:
        given = params.get("inputResponses") or {}
        step = 0
        if (state := params.get("requestState")) is not None:
            name = state.partition(".")[0]
            if not name.isdigit() or not hmac.compare_digest(state, sealed(name)):
                raise MCPError(types.INVALID_PARAMS, "requestState is not of this server")
            step = int(name)
        if _answers(rounds[step], given):
            step += 1
        if step == len(rounds):
            return done or content(text("state-ok" if stateful else f"Hello, {json.dumps(given)}!"))
        made: Made = {"resultType": "input_required", "inputRequests": rounds[step]}
        return {**made, "requestState": sealed(str(step))} if stateful else made

    return ask


def _answers(wanted: Made, given: Given) -> bool:
    return all(isinstance(given.get(name), dict) for name in wanted)


async def capabilities(_: Any, params: Given) -> Made:
    can = params["_meta"][CAPABILITIES]
    ways = {"sampling": sample("Which?"), "elicitation": form("Which?", "name")}
    wanted = {name: way for name, way in ways.items() if name in can}
    return {"resultType": "input_required", "inputRequests": wanted}


NAME = {"user_name": form("What is your name?", "name")}
CONFIRM = {"confirm": form("Please confirm", "ok", "boolean")}
TOOLS: dict[str, Do] = {
    "test_tool_with_logging": logging,
    "test_tool_with_progress": progress,
    "test_sampling": sampling,
    "test_elicitation": elicitation,
    "test_elicitation_sep1034_defaults": choosing(DEFAULTS),
    "test_elicitation_sep1330_enums": choosing(ENUMS),
    "test_missing_capability": missing_capability,
    "test_streaming_elicitation": needing(NAME),
    "test_input_required_result_elicitation": needing(NAME),
    "test_input_required_result_sampling": needing({"capital_question": sample("Which capital?")}),
    "test_input_required_result_list_roots": needing({"client_roots": ROOTS}),
    "test_input_required_result_request_state": needing(CONFIRM, stateful=True),
    "test_input_required_result_tampered_state": needing(CONFIRM, stateful=True),
    "test_input_required_result_multiple_inputs": needing(
        {**NAME, "greeting": sample("Generate a greeting"), "client_roots": ROOTS}, stateful=True
    ),
    "test_input_required_result_multi_round": needing(
        {"step1": form("What is your name?", "name")},
        {"step2": form("Which colour?", "color")},
        stateful=True,
    ),
    "test_input_required_result_capabilities": capabilities,
}


# ------------------------------------------------------------------ prompts and resources


def _message(block: Made) -> Made:
    return {"role": "user", "content": block}


async def simple_prompt(_: Any, __: Given) -> Made:
    return {"messages": [_message(text("This is a simple prompt for testing."))]}


async def prompt_with_arguments(_: Any, params: Given) -> Made:
    given = params["arguments"]
    said = f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"
    return {"messages": [_message(text(said))]}


async def prompt_with_resource(_: Any, params: Given) -> Made:
    uri = params["arguments"]["resourceUri"]
    block = embedded(uri, "text/plain", "Embedded resource content for testing.")
    said = text("Please process the embedded resource above.")
    return {"messages": [_message(block), _message(said)]}


async def prompt_with_image(_: Any, __: Given) -> Made:
    return {"messages": [_message(IMAGE), _message(text("Please analyze the image above."))]}


PROMPTS: dict[str, tuple[Do, tuple[str, ...]]] = {
    "test_simple_prompt": (simple_prompt, ()),
    "test_prompt_with_arguments": (prompt_with_arguments, ("arg1", "arg2")),
    "test_prompt_with_embedded_resource": (prompt_with_resource, ("resourceUri",)),
    "test_prompt_with_image": (prompt_with_image, ()),
    "test_input_required_result_prompt": (
        needing(
            {"user_context": form("What context should the prompt use?", "context")},
            done={"messages": [_message(text("with that context"))]},
        ),
        (),
    ),
}

RESOURCES: dict[str, Made] = {
    "test://static-text": {
        "mimeType": "text/plain",
        "text": "This is the content of the static text resource.",
    },
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
    "test://watched-resource": {"mimeType": "text/plain", "text": "watched"},
}
TEMPLATE = "test://template/{id}/data"


def read(uri: str) -> Made | None:
    if uri in RESOURCES:
        return {"contents": [{"uri": uri, **RESOURCES[uri]}]}
    before, _, after = TEMPLATE.partition("{id}")
    if uri.startswith(before) and uri.endswith(after):
        id = uri[len(before) : -len(after)]
        told = {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}
        found = {"uri": uri, "mimeType": "application/json", "text": json.dumps(told)}
        return {"contents": [found]}
    return None


# ------------------------------------------------------------------ mounting them


def mount(server: Server[Any]) -> None:
    """Beside what the server has: each request that is not of a fixture goes where it went."""

    def over(method: str, replace: Callable[[Any, Given, Do], Awaitable[Made]]) -> None:
        entry = server.get_request_handler(method)
        assert entry is not None
        inner = entry.handler

        async def handle(context: Any, params: Any) -> Made:
            async def ours(_: Any, __: Given) -> Made:
                made: Any = await inner(context, params)
                return dict(made)

            made = await replace(context, context.params or {}, ours)
            modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
            return {"resultType": "complete", **made} if modern else made

        server.add_request_handler(method, entry.params_type, handle)

    async def call(context: Any, params: Given, ours: Do) -> Made:
        name = params["name"]
        if name in FIXED:
            return FIXED[name]
        return await TOOLS.get(name, ours)(context, params)

    async def prompt(context: Any, params: Given, ours: Do) -> Made:
        return await PROMPTS.get(params["name"], (ours, ()))[0](context, params)

    async def resource(context: Any, params: Given, ours: Do) -> Made:
        return read(params["uri"]) or await ours(context, params)

    def longer(name: str, more: list[Made]) -> Callable[[Any, Given, Do], Awaitable[Made]]:
        async def listed(context: Any, params: Given, ours: Do) -> Made:
            made = await ours(context, params)
            return {**made, name: [*made[name], *more]}

        return listed

    over("tools/call", call)
    over("prompts/get", prompt)
    over("resources/read", resource)
    schema = {"type": "object"}
    tools = [{"name": n, "description": n, "inputSchema": schema} for n in (*FIXED, *TOOLS)]
    over("tools/list", longer("tools", tools))
    prompts = [
        {"name": n, "description": n, "arguments": [{"name": a, "required": True} for a in wanted]}
        for n, (_, wanted) in PROMPTS.items()
    ]
    over("prompts/list", longer("prompts", prompts))
    over("resources/list", longer("resources", [{"uri": u, "name": u} for u in RESOURCES]))
    template = {"uriTemplate": TEMPLATE, "name": "template"}
    over("resources/templates/list", longer("resourceTemplates", [template]))

    async def empty(_: Any, __: Any) -> Made:
        return {}

    async def complete(context: Any, _: Any) -> Made:
        made: Made = {"completion": {"values": [], "total": 0, "hasMore": False}}
        modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
        return {"resultType": "complete", **made} if modern else made

    server.add_request_handler("completion/complete", types.RequestParams, complete)
    for method in ("logging/setLevel", "resources/subscribe", "resources/unsubscribe"):
        server.add_request_handler(method, types.RequestParams, empty)


def showing(inner: ASGI) -> ASGI:
    """The application for clients that have no way to show a token: it is shown for them."""
    shown = (b"authorization", f"Bearer {TOKEN}".encode())

    async def asked(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], shown]}
        await inner(scope, receive, send)

    return asked


def main() -> None:
    warnings.simplefilter("ignore", MCPDeprecationWarning)  # the suite asks for what is old, too
    bound = socket.create_server(("127.0.0.1", 0))
    plain = "--plain" in sys.argv
    with Memory.open(sys.argv[1], embed_model="none", rerank_model="none") as memory:
        gate = AccessControl(TOKEN)
        made = showing(app(memory, gate) if plain else app(memory, gate, also=mount))
        sys.stdout.write(f"http://127.0.0.1:{bound.getsockname()[1]}{PATH}\n")
        sys.stdout.flush()
        config = uvicorn.Config(made, log_level="error", timeout_graceful_shutdown=1)
        uvicorn.Server(config).run(sockets=[bound])


if __name__ == "__main__":
    main()
