"""A local web: pages, search engines, and whatever a stranger's server may do."""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit


class Said(NamedTuple):
    body: bytes | Callable[[Any], None] = b""
    status: int = 200
    headers: Mapping[str, str] = {}
    length: bool = True


def page(text: str, kind: str = "text/html; charset=utf-8", **headers: str) -> Said:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Said(text.encode(), 200, {"Content-Type": kind, **named})


def to(url: str, status: int = 302) -> Said:
    return Said(b"", status, {"Location": url})


def found(*rows: Any, at: str = "results") -> Said:
    told: Any = list(rows)
    for name in reversed(at.split(".")):
        told = {name: told}
    return Said(json.dumps(told).encode(), 200, {"Content-Type": "application/json"})


def dripping(seconds: float) -> Callable[[Any], None]:
    """A body that never quite stops."""

    def drip(out: Any) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            out.write(b"x")
            out.flush()
            time.sleep(0.05)

    return drip


def endless(out: Any) -> None:
    for _ in range(400):
        out.write(b"x" * 65_536)


class WebServer:
    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.pages: dict[str, Said | Callable[[dict[str, str]], Said]] = {}
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                outer.asked.append(self.path)
                outer.headers.append({n.lower(): v for n, v in self.headers.items()})
                parts = urlsplit(self.path)
                said = outer.pages.get(parts.path, Said(b"", 404))
                if not isinstance(said, Said):
                    said = said({n: v[0] for n, v in parse_qs(parts.query).items()})
                self.close_connection = True
                with suppress(OSError):
                    self._say(said)

            def _say(self, said: Said) -> None:
                self.send_response(said.status)
                for name, value in said.headers.items():
                    self.send_header(name, value)
                if isinstance(said.body, bytes) and said.length:
                    self.send_header("Content-Length", str(len(said.body)))
                self.end_headers()
                if isinstance(said.body, bytes):
                    self.wfile.write(said.body)
                else:
                    said.body(self.wfile)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_port
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    def is_own(self, host: str, port: int) -> bool:
        """The exemption of tests: this very server."""
        return port == self.port and host in ("127.0.0.1", "pages.test")

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
