"""MCP over streamable HTTP, on the official SDK, which speaks every version of the protocol.

What is served is :class:`~recollect.surfaces.mcp_content.Content`, as over stdio. Only this
machine is served: the socket is bound to the loopback address, and a request that names another
host, or comes from a page of another origin, is turned away before anything looks at it.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp_types import PaginatedRequestParams, RequestParams
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from recollect.errors import InputError, UsageError
from recollect.surfaces.mcp_content import (
    INSTRUCTIONS,
    INVALID_PARAMS,
    LIST_FOR_MS,
    NOT_FOUND,
    SERVER,
    Content,
    Params,
    Refused,
    Result,
)
from recollect.surfaces.tools import Work

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from recollect.memory import Memory

PATH = "/mcp"
MAX_BODY = 4 << 20
HOSTS = ("127.0.0.1", "localhost", "::1")

Scope = dict[str, Any]
ASGI = Callable[[Scope, Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]],
                Awaitable[None]]  # fmt: skip
Handler = Callable[["ServerRequestContext[Any, Any]", Any], Awaitable[Result]]


def app(
    memory: Memory, *, structured: bool = False, also: Callable[[Server[Any]], object] = id
) -> ASGI:
    """The whole application over an open memory. *also* may add to the server, as tests do."""
    made = _server(Content(lambda: memory, structured=structured))
    also(made)
    guarded_by_us = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    inner = made.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MAX_BODY,
        transport_security=guarded_by_us,
    )
    return only_local(inner)


# ------------------------------------------------------------------ the requests


def _server(content: Content) -> Server[Any]:
    listed, read = CacheHint(ttl_ms=LIST_FOR_MS, scope="public"), CacheHint()
    server: Server[Any] = Server(
        SERVER["name"],
        version=SERVER["version"],
        title=SERVER["title"],
        instructions=INSTRUCTIONS,
        cache_hints={
            "tools/list": listed,
            "resources/list": listed,
            "resources/templates/list": listed,
            "prompts/list": listed,
            "server/discover": listed,
            "resources/read": read,
        },
    )
    for method, answer in (
        ("tools/list", content.list_tools),
        ("resources/list", content.list_resources),
        ("resources/templates/list", content.list_templates),
        ("prompts/list", content.list_prompts),
    ):
        server.add_request_handler(method, PaginatedRequestParams, _quick(answer))
    server.add_request_handler("prompts/get", _Raw, _quick(content.get_prompt))
    server.add_request_handler("resources/read", _Raw, _slow(lambda p, _: content.read_resource(p)))
    server.add_request_handler("tools/call", _Raw, _slow(content.call_tool))
    return server


class _Raw(RequestParams):
    """Parameters that are ours to check: the handlers read them as they came."""


def _quick(answer: Callable[[Params], Result]) -> Handler:
    async def handle(context: ServerRequestContext[Any, Any], _: Any) -> Result:
        with _refusals(context) as complete:
            return {**answer(context.params or {}), **complete}

    return handle


def _slow(answer: Callable[[Params, Work], Result]) -> Handler:
    """In a thread; whoever cancels stops the work there."""

    async def handle(context: ServerRequestContext[Any, Any], _: Any) -> Result:
        def tell(done: float, total: float | None, doing: str) -> None:
            anyio.from_thread.run(context.session.report_progress, done, total, doing)

        work = Work(tell)
        try:
            with _refusals(context) as complete:
                made = await anyio.to_thread.run_sync(
                    answer, context.params or {}, work, abandon_on_cancel=True
                )
                return {**made, **complete}
        finally:
            work.stop()

    return handle


@contextmanager
def _refusals(context: ServerRequestContext[Any, Any]) -> Iterator[Result]:
    """What is refused, as the SDK tells it, with the code of the client's version. Gives what
    that version wants in a result besides."""
    modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
    try:
        yield {"resultType": "complete"} if modern else {}
    except Refused as error:
        code = INVALID_PARAMS if modern and error.code == NOT_FOUND else error.code
        raise MCPError(code=code, message=error.message, data=error.data) from error


# ------------------------------------------------------------------ who may ask


def only_local(inner: ASGI) -> ASGI:
    """Turn away what is not meant for this machine: another host in the request (a name that was
    made to point here), or a page of another origin."""

    async def guarded(scope: Scope, receive: Any, send: Any) -> None:
        refused = _refused(dict(scope["headers"])) if scope["type"] != "lifespan" else None
        if refused is None:
            await inner(scope, receive, send)
        else:
            status, said = refused
            headers = [(b"content-type", b"text/plain"), (b"connection", b"close")]
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": said})

    return guarded


def _refused(headers: Mapping[bytes, bytes]) -> tuple[int, bytes] | None:
    if not _is_local(f"//{headers.get(b'host', b'').decode('latin-1')}"):
        return 421, b"this host is not served here"
    origin = headers.get(b"origin")
    if origin is not None and not _is_local(origin.decode("latin-1")):
        return 403, b"pages of this origin may not ask"
    return None


def _is_local(place: str) -> bool:
    try:
        return urlsplit(place).hostname in HOSTS
    except ValueError:
        return False


# ------------------------------------------------------------------ the process


def serve(store: str | None, *, port: int, structured: bool = False) -> int:
    """Serve this machine until interrupted."""
    import socket

    import uvicorn

    from recollect.memory import Memory

    if not 0 <= port <= 65_535:
        raise UsageError(f"port is {port}", hint="give 0 to 65535; 0 takes any that is free")
    try:
        bound = socket.create_server(("127.0.0.1", port))
    except OSError as error:
        said = f"port {port} cannot be had: {error.strerror}"
        raise InputError(said, hint="give another; --port 0 takes any that is free") from error
    with bound, Memory.open(store) as memory:
        sys.stderr.write(f"serving http://127.0.0.1:{bound.getsockname()[1]}{PATH}\n")
        sys.stderr.flush()
        config = uvicorn.Config(
            app(memory, structured=structured), log_level="warning", timeout_graceful_shutdown=1
        )
        uvicorn.Server(config).run(sockets=[bound])
    return 0
