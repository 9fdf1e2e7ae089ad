"""``recollect mcp``: the tools for a model, over standard input and output or over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recollect.errors import UsageError
from recollect.surfaces.commands.shared import declare_view, server_packages
from recollect.surfaces.mcp import http as mcp_http
from recollect.surfaces.mcp import stdio as mcp_stdio

if TYPE_CHECKING:
    import argparse

PORT = 8931


def declare_mcp(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--http", action="store_true", help="serve HTTP on this machine, not one client on stdio"
    )
    parser.add_argument("--port", type=int, default=None, metavar="N", help=f"of HTTP ({PORT})")
    declare_view(parser)
    parser.add_argument(
        "--structured", action="store_true", help="give results as JSON, too (costs tokens)"
    )


def mcp(options: argparse.Namespace) -> int:
    walls = {"owner": options.owner, "scopes": options.scope}
    served: dict[str, Any] = {"structured": options.structured, **walls}
    if options.http:
        with server_packages():
            serve = mcp_http.serve
        port = PORT if options.port is None else options.port
        return serve(options.store, port=port, **served)
    if options.port is not None:
        raise UsageError("--port is of HTTP", hint="`recollect mcp --http --port N`")
    return mcp_stdio.serve(options.store, **served)
