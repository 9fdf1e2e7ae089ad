"""``recollect serve``: the HTTP API, the page and MCP, on this machine."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from recollect import config
from recollect.errors import UsageError
from recollect.named_tuple import NamedTuple
from recollect.surfaces.commands.shared import (
    declare_view,
    open_view,
    print_json,
    say,
    server_packages,
)
from recollect.surfaces.http import app as http_app
from recollect.surfaces.http import guard, work
from recollect.surfaces.http import server as http_server
from recollect.surfaces.warm import holder, holders

if TYPE_CHECKING:
    import argparse

    from recollect.memory import Memory

PORT = 8930


class ServedAddress(NamedTuple):
    """Where it is served."""

    url: str
    link: str
    """Opens the page, once."""
    token_file: Path

    def say(self, out: TextIO) -> None:
        lines = (
            f"serving {self.url}",
            f"  in a browser (this link works once): {self.link}",
            f"  for programs: Authorization: Bearer, with the token in {self.token_file}",
            f"  API: {self.url}openapi.json · MCP: {self.url.rstrip('/')}/mcp",
        )
        out.write("\n".join(lines) + "\n")
        out.flush()


def declare_serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="the address to serve (127.0.0.1)")
    parser.add_argument("--port", type=int, default=PORT, metavar="N", help=f"({PORT})")
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="HOST",
        help="a further name that browsers and programs may call this host by",
    )
    parser.add_argument(
        "--token-file", metavar="F", help="a token of your own; else one is made and kept"
    )
    parser.add_argument(
        "--timeout", type=float, default=30.0, metavar="S", help="of one request, in seconds (30)"
    )
    parser.add_argument(
        "--max-body", type=int, default=1 << 20, metavar="BYTES", help="of one request (1 MiB)"
    )
    parser.add_argument(
        "--rate",
        type=float,
        default=100.0,
        metavar="N",
        help="requests a second that one client may send (100; 0 for any number)",
    )
    declare_view(parser)
    parser.add_argument("--open", action="store_true", help="open the page in a browser")


def serve(options: argparse.Namespace) -> int:
    with server_packages():
        app = http_app.app
    elsewhere = not guard.is_loopback(options.host)
    if elsewhere and not options.token_file:
        raise UsageError(
            f"{options.host} can be reached from other machines",
            hint="give --token-file, a file with a token that you have chosen for it",
        )
    file = Path(options.token_file or config.data_folder() / "token").expanduser()
    token = http_server.read_token(file) if options.token_file else http_server.own_token(file)
    limits = work.ServerLimits(body=options.max_body, seconds=options.timeout, rate=options.rate)
    if limits.body < 1 or not 0 < limits.seconds < float("inf"):
        raise UsageError("a limit is not above 0", hint="leave it out for its default")
    if not 0 <= limits.rate < float("inf"):
        raise UsageError("--rate is no number of requests", hint="give 0 for any number")
    with http_server.listening(options.host, options.port) as bound:
        port = bound.getsockname()[1]
        access = guard.AccessControl(
            token, names=options.name, addresses=elsewhere, cookie=f"-{port}"
        )
        shown = f"[{options.host}]" if ":" in options.host else options.host
        url = f"http://{shown}:{port}/"
        place = ServedAddress(url, f"{url}enter?key={access.link()}", file)
        told = 0
        opened: list[Memory] = []
        while not told:  # a store that was moved or restored is opened again
            with open_view(options) as memory:
                first, opened[:] = not opened, [memory]
                if first:
                    holder.hold(lambda: opened[0], options.store)
                    _tell(options, place)
                memory.models.embed_in_background()  # what an interrupted import has left
                made = http_server.server(app(memory, access, limits=limits), limits)
                with http_server.ended_when(holders.replacement(memory.config), made):
                    told = http_server.serve(made, bound)
    if told == signal.SIGINT:
        say(options, "stopped")
    return 130 if told == signal.SIGINT else 0


def _tell(options: argparse.Namespace, place: ServedAddress) -> None:
    if options.json:
        print_json({"url": place.url, "link": place.link, "token_file": str(place.token_file)})
        sys.stdout.flush()
    elif not options.quiet:
        place.say(sys.stderr)
    if options.open:
        http_server.open_in_browser(place.link)
