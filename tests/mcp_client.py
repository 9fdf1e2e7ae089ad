"""A client of our own for the tests of MCP, a small store to serve, and a tool that is slow."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, NamedTuple

from recollect import Memory
from recollect.nouns import Answer
from recollect.surfaces.mcp.stdio import CAN, VERSION
from recollect.surfaces.tools import NAMED, Tool, Work

WAIT = 60.0
"""A slow machine is no failure; a hang is."""
MODERN = {VERSION: "2026-07-28", CAN: {}}
NOTES = {
    "deploy.md": "# Deploying\n\nWe deploy harbor on Fridays, with the slip tool.\n",
    "keys.md": "# Signing keys\n\nThe signing keys are rotated in March by Priya.\n",
}
TURNS = [("user", "Why does the importer stop at umlauts?"), ("assistant", "It read Latin-1.")]


def small_store(folder: Path) -> Path:
    """Two notes and a session."""
    notes = folder / "notes"
    notes.mkdir()
    for name, text in NOTES.items():
        (notes / name).write_text(text)
    turns = [{"role": role, "text": text} for role, text in TURNS]
    (folder / "log.jsonl").write_text(json.dumps({"id": "s1", "turns": turns}) + "\n")
    with Memory.open(folder / "store") as memory:
        memory.add(notes, folder / "log.jsonl")
    return folder / "store"


class Client:
    """A client that starts the server as any client does, and speaks lines."""

    def __init__(self, *arguments: str, program: tuple[str, ...] = ("-m", "recollect")) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *program, *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.errors: list[bytes] = []
        self._threads = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._log, daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        self._next = 0

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)

    def _log(self) -> None:
        assert self.process.stderr is not None
        self.errors.extend(self.process.stderr)

    def send(self, message: Any) -> None:
        assert self.process.stdin is not None
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self) -> Any:
        def refuse(constant: str) -> None:
            raise AssertionError(f"{constant} is not JSON")

        return json.loads(self.lines.get(timeout=WAIT), parse_constant=refuse)

    def request(self, method: str, params: dict[str, Any] | None = None) -> int:
        self._next += 1
        message = {"jsonrpc": "2.0", "id": self._next, "method": method}
        self.send(message if params is None else {**message, "params": params})
        return self._next

    def ask(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """The result, or the error, of one request."""
        id = self.request(method, params)
        reply = self.receive()
        assert reply["jsonrpc"] == "2.0"
        assert reply["id"] == id
        return reply.get("result", reply.get("error"))

    def call(self, name: str, /, **arguments: Any) -> str:
        result = self.ask("tools/call", {"name": name, "arguments": arguments})
        (block,) = result["content"]
        assert block["type"] == "text"
        assert result["isError"] is False, block["text"]
        text: str = block["text"]
        return text

    def greet(self, version: str = "2025-06-18") -> Any:
        about = {"name": "test", "version": "1"}
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": about}
        result = self.ask("initialize", params)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def leave(self) -> int:
        """Close the input, as the specification has a client do; the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.end()

    def end(self) -> int:
        code = self.process.wait(WAIT)
        for thread in self._threads:
            thread.join(WAIT)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        return code


class Slow(NamedTuple):
    """A tool that works until it is stopped or let go."""

    begun: threading.Event
    go: threading.Event
    works: list[Work]

    def tool(self) -> Tool:
        def call(memory: Any, given: Any, work: Work) -> Answer:
            self.works.append(work)
            self.begun.set()
            while not self.go.wait(0.01):
                work.step("looking")
            return memory.search("x")  # type: ignore[no-any-return]

        return NAMED["search"]._replace(name="slow", call=call)
