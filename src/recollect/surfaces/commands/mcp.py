"""``recollect mcp``: the tools for a model, over standard input and output or over HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

PORT = 8931


def declare_mcp(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--http", action="store_true", help="serve HTTP on this machine, not one client on stdio"
    )
    parser.add_argument("--port", type=int, default=None, metavar="N", help=f"of HTTP ({PORT})")
    parser.add_argument(
        "--structured", action="store_true", help="give results as JSON, too (costs tokens)"
    )


def mcp(options: argparse.Namespace) -> int:
    from recollect.errors import UsageError

    if options.http:
        try:
            from recollect.surfaces.mcp.http import serve
        except ModuleNotFoundError as error:
            said = f"HTTP needs a package that is not installed ({error.name})"
            raise UsageError(said, hint="pip install 'recollect[server]'") from error
        port = PORT if options.port is None else options.port
        return serve(options.store, port=port, structured=options.structured)
    if options.port is not None:
        raise UsageError("--port is of HTTP", hint="`recollect mcp --http --port N`")
    from recollect.surfaces.mcp import stdio as mcp_stdio

    return mcp_stdio.serve(options.store, structured=options.structured)


def plain(arguments: Sequence[str]) -> tuple[bool, str | None]:
    """Whether ``recollect mcp`` with these arguments is plain stdio, and its store: what clients
    start, without what it takes to understand every other option."""
    if not arguments:
        return True, None
    if len(arguments) == 2 and arguments[0] == "--store":
        return True, arguments[1]
    return False, None
