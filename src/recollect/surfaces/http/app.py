"""What ``recollect serve`` serves: the API, the page and MCP as one application.

Everything is behind one gate (:mod:`recollect.surfaces.http.guard`), and everything calls the
same table of tools, whose calls are counted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from recollect import memory as facade
from recollect.surfaces.http.api import Api
from recollect.surfaces.http.guard import (
    ASGI,
    AccessControl,
    Receive,
    Refusal,
    Scope,
    Send,
    guarded,
)
from recollect.surfaces.http.imports import Imports
from recollect.surfaces.http.metrics import Metrics
from recollect.surfaces.http.rate import rated
from recollect.surfaces.http.work import RequestRunner, ServerLimits, as_json
from recollect.surfaces.mcp.content import McpContent
from recollect.surfaces.mcp.http import PATH as MCP
from recollect.surfaces.mcp.http import unguarded
from recollect.surfaces.operations import operating
from recollect.surfaces.page import Pages
from recollect.surfaces.tools import TOOLS, Tool

SENDING = 60.0
"""Seconds in which a response has to be taken, beyond those that are worked on it."""


def app(
    memory: facade.Memory,
    gate: AccessControl,
    *,
    limits: ServerLimits = ServerLimits(),  # noqa: B008  a frozen value
    tools: tuple[Tool, ...] = TOOLS,
) -> ASGI:
    """The whole application over an open memory."""
    metrics = Metrics()
    imports = Imports(memory, reads_files=gate.local)
    counted = metrics.watching((*tools, *operating(imports)))
    runner = RequestRunner(limits)
    pages = Pages(memory, {tool.name: tool for tool in counted}, runner, gate)
    site = Starlette(
        routes=[*Api(memory, counted, runner, metrics).routes(), *pages.routes()],
        exception_handlers={HTTPException: _nothing_there(pages)},
    )
    site.router.redirect_slashes = False
    mcp = unguarded(McpContent(lambda: memory, tools=counted[: len(tools)]))
    inner = _in_time(_either(_closing(mcp, imports.close), site), limits.seconds + SENDING)
    return _counting(rated(guarded(inner, gate, pages.locked), limits.rate), metrics)


def _nothing_there(pages: Pages) -> Any:
    async def answer(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        headers = dict(getattr(error, "headers", None) or {})
        if not request.url.path.startswith(("/api", "/metrics", "/healthz", "/readyz")):
            return pages.nothing_there(request, status, headers)
        kind, said = "NotFound", "there is nothing here"
        if status == 405:
            kind, said = "MethodNotAllowed", f"this takes {headers.get('Allow', 'other methods')}"
        refusal = Refusal(status, kind, said, "/openapi.json tells what there is")
        return as_json(refusal.as_json(), status, **headers)

    return answer


def _either(mcp: ASGI, site: ASGI) -> ASGI:
    """MCP has its own path, and the lifespan, which its sessions need."""

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        to_mcp = scope["type"] == "lifespan" or scope["path"] == MCP
        await (mcp if to_mcp else site)(scope, receive, send)

    return dispatch


def _closing(inner: ASGI, close: Callable[[], None]) -> ASGI:
    """Close before the process is told that all is closed."""

    async def closed(scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Any) -> None:
            if message["type"] == "lifespan.shutdown.complete":
                await anyio.to_thread.run_sync(close)
            await send(message)

        await inner(scope, receive, sending)

    return closed


def _in_time(inner: ASGI, seconds: float) -> ASGI:
    """Whoever does not take the response is left. MCP may keep a stream open."""

    async def limited(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or scope["path"] == MCP:
            await inner(scope, receive, send)
            return
        with anyio.move_on_after(seconds):
            await inner(scope, receive, send)

    return limited


def _counting(inner: ASGI, metrics: Metrics) -> ASGI:
    async def counted(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await inner(scope, receive, send)
            return

        async def sending(message: Any) -> None:
            if message["type"] == "http.response.start":
                metrics.count("recollect_responses_total", status=str(message["status"]))
            await send(message)

        metrics.under_way += 1
        try:
            await inner(scope, receive, sending)
        finally:
            metrics.under_way -= 1

    return counted
