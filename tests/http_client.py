"""A client of our own for the tests of HTTP: a real process on a small store, asked over real
connections."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from mcp_client import WAIT
from recollect import Memory
from recollect.surfaces.http.app import app
from recollect.surfaces.http.guard import AccessControl
from recollect.surfaces.http.server import listening, server
from recollect.surfaces.http.work import ServerLimits
from recollect.surfaces.tools import TOOLS, Tool

QUIET = {
    "RECOLLECT_EMBED_MODEL": "none",
    "RECOLLECT_RERANK_MODEL": "none",
    "RECOLLECT_CACHE_ENABLED": "false",
}
"""No model is loaded, and the same question twice is the same work twice."""


class Said(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        def refuse(constant: str) -> None:
            raise AssertionError(f"{constant} is not JSON")

        assert self.headers["content-type"] == "application/json", self
        return json.loads(self.body, parse_constant=refuse)

    @property
    def text(self) -> str:
        return self.body.decode()


class Address(NamedTuple):
    """Where a server is, and what opens it."""

    port: int
    token: str

    def ask(self, method: str, path: str, body: bytes | str | None = None, **headers: str) -> Said:
        """One request with these headers and no others; ``_`` stands for ``-``."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body, sent)
            got = connection.getresponse()
            given = {name.lower(): value for name, value in got.getheaders()}
            return Said(got.status, given, got.read())
        finally:
            connection.close()

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def post(self, tool: str, /, **arguments: Any) -> Said:
        body = json.dumps(arguments)
        return self.ask("POST", f"/api/{tool}", body, Content_Type="application/json",
                        **self.bearer)  # fmt: skip

    def get(self, path: str, /, **params: Any) -> Said:
        query = f"?{urlencode(params, doseq=True)}" if params else ""
        return self.ask("GET", path + query, **self.bearer)


class Served(NamedTuple):
    """A process of ``recollect serve``."""

    process: subprocess.Popen[str]
    address: Address
    link: str
    token_file: Path
    store: Path

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(WAIT)
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.process.stdout.close()
        self.process.stderr.close()
        return code


def serve(store: Path, home: Path, *more: str, **environment: str) -> Served:
    env = {k: v for k, v in os.environ.items() if not k.startswith("RECOLLECT_")}
    env |= {"RECOLLECT_HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path), **QUIET}
    command = [sys.executable, "-m", "recollect", "serve", "--port", "0", "--json", "--rate", "0"]
    process = subprocess.Popen(
        [*command, "--store", str(store), *more], env={**env, **environment}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    said = ""
    while not said.rstrip().endswith("}"):
        line = process.stdout.readline()
        assert line, process.stderr and process.stderr.read()
        said += line
    place = json.loads(said)
    port = int(place["url"].rstrip("/").rpartition(":")[2])
    file = Path(place["token_file"])
    return Served(process, Address(port, file.read_text().strip()), place["link"], file, store)


@contextmanager
def inside(
    memory: Memory, limits: ServerLimits | None = None, tools: tuple[Tool, ...] = TOOLS
) -> Iterator[Address]:
    """A server in a thread of this process, with limits and tools of its own."""
    gate = AccessControl("t" * 20)
    with listening("127.0.0.1", 0) as bound:
        limits = limits or ServerLimits(rate=0)
        made = server(app(memory, gate, limits=limits, tools=tools), limits)
        thread = threading.Thread(target=made.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        yield Address(bound.getsockname()[1], "t" * 20)
        made.should_exit = True
        thread.join(WAIT)
        assert not thread.is_alive()
