"""MCP over streamable HTTP, on the official SDK, which speaks every version of the protocol.

It serves :class:`~recollect.surfaces.mcp.content.McpContent`, as over stdio, behind the same access
control as ``recollect serve``: a request that names another host, comes from a page of another
origin or does not show the token is turned away before anything looks at it.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp_types import PaginatedRequestParams, RequestParams
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from recollect import config
from recollect import memory as facade
from recollect.surfaces.http import server as http_server
from recollect.surfaces.http.guard import ASGI, AccessControl, guarded
from recollect.surfaces.mcp.content import (
    INSTRUCTIONS,
    INVALID_PARAMS,
    LIST_FOR_MS,
    NOT_FOUND,
    SERVER,
    McpContent,
    McpError,
    Params,
    Result,
)
from recollect.surfaces.tools import Work
from recollect.surfaces.warm import holder

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from recollect.memory import Memory

PATH = "/mcp"
MAX_BODY = 4 << 20

Handler = Callable[["ServerRequestContext[Any, Any]", Any], Awaitable[Result]]


def app(
    memory: Memory,
    gate: AccessControl,
    *,
    structured: bool = False,
    also: Callable[[Server[Any]], object] = id,
) -> ASGI:
    """The whole application over an open memory. *also* may add to the server, as tests do."""
    inner = unguarded(McpContent(lambda: memory, structured=structured), also)
    return guarded(inner, gate)


def unguarded(content: McpContent, also: Callable[[Server[Any]], object] = id) -> ASGI:
    """The application for whoever guards it."""
    made = official_server(content)
    also(made)
    guarded_by_us = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    return made.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MAX_BODY,
        transport_security=guarded_by_us,
    )


# ------------------------------------------------------------------ the requests


def official_server(content: McpContent) -> Server[Any]:
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
    except McpError as error:
        code = INVALID_PARAMS if modern and error.code == NOT_FOUND else error.code
        raise MCPError(code=code, message=error.message, data=error.data) from error


# ------------------------------------------------------------------ the process


def serve(
    store: str | None,
    *,
    port: int,
    structured: bool = False,
    owner: str | None = None,
    scopes: list[str] | None = None,
) -> int:
    """Serve this machine until interrupted, behind the token of ``recollect serve``."""

    file = config.data_folder() / "token"
    gate = AccessControl(http_server.own_token(file))
    with http_server.listening("127.0.0.1", port) as bound, facade.Memory.open(store) as memory:
        holder.hold(lambda: memory, store)
        url = f"http://127.0.0.1:{bound.getsockname()[1]}{PATH}"
        sys.stderr.write(f"serving {url}\n  Authorization: Bearer, with the token in {file}\n")
        sys.stderr.flush()
        whole = owner is None and scopes is None
        shown = memory if whole else memory.view(owner, scopes)
        made = http_server.server(app(shown, gate, structured=structured))
        return 130 if http_server.serve(made, bound) == signal.SIGINT else 0
